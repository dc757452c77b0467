"""Instructor over the SDKs of OpenAI and Anthropic."""

import instructor
from cells import FACE, LIMIT, ORIGIN, QUESTION, compact, run
from pydantic import BaseModel

if FACE == "anthropic":
    import anthropic

    client = instructor.from_anthropic(anthropic.Anthropic(base_url=ORIGIN, api_key="anything"))
else:
    import openai

    client = instructor.from_openai(openai.OpenAI(base_url=f"{ORIGIN}/v1", api_key="anything"))

ONLY_SHAPES = "Instructor asks for nothing but structured answers"


class City(BaseModel):
    city: str
    people: int


def asked(model):
    return {
        "model": model,
        "messages": [{"role": "user", "content": QUESTION}],
        "response_model": City,
        "max_tokens": LIMIT,
        "max_retries": 0,
    }


def ask(model):
    return compact(client.create(**asked(model)).model_dump())


run(
    {
        "plain": ONLY_SHAPES,
        "streamed": ONLY_SHAPES,
        "tools": ONLY_SHAPES,
        "streamed tools": ONLY_SHAPES,
        "parallel tools": ONLY_SHAPES,
        "structured": lambda: ask("shaped"),
        "bad request": lambda: ask("bad"),
        "outage": lambda: ask("outage"),
        "rate limit": lambda: ask("limited"),
        "refusal": "it raises what it cannot read as the structure",
        "cut": "its partial answers end where the stream ends, with the provider itself too",
        "ten steps": ONLY_SHAPES,
        "cancelled": ONLY_SHAPES,
    }
)
