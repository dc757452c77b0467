"""The LiteLLM SDK as a client."""

import os

# Its list of prices would be fetched otherwise.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
from cells import CITY, FACE, LIMIT, ORIGIN, QUESTION, STEP, WEATHER, called, compact, run
from pydantic import BaseModel

litellm.suppress_debug_info = True


class City(BaseModel):
    city: str
    people: int


def user(text):
    return {"role": "user", "content": text}


def ask(model, messages=None, **more):
    prefix, base = ("anthropic", ORIGIN) if FACE == "anthropic" else ("openai", f"{ORIGIN}/v1")
    return litellm.completion(
        model=f"{prefix}/{model}",
        api_base=base,
        api_key="anything",
        max_tokens=LIMIT,
        messages=messages or [user(QUESTION)],
        **more,
    )


def streamed(model="good"):
    text, finish = "", None
    for chunk in ask(model, stream=True):
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
    return text if finish == "stop" else f"{text} [ended with {finish}]"


def whole(model, messages, tools):
    return ask(model, messages, tools=tools).choices[0].message


def in_pieces(model, messages, tools):
    chunks = list(ask(model, messages, tools=tools, stream=True))
    return litellm.stream_chunk_builder(chunks).choices[0].message


def turns(model, name, parameters, results, say=whole):
    """Calls tools until the model speaks."""
    tools = [{"type": "function", "function": {"name": name, "parameters": parameters}}]
    messages, calls = [user(WEATHER)], []
    for _ in range(15):
        message = say(model, messages, tools)
        if not message.tool_calls:
            return " + ".join(calls) + f" -> {message.content}"
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            calls.append(called(call.function.name, call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": results})
    return "no end"


def refusal():
    choice = ask("refusing").choices[0]
    return f"{choice.finish_reason}: {choice.message.content}"


def cancelled():
    stream = ask("endless", stream=True)
    for chunk in stream:
        if chunk.choices[0].delta.content:
            break
    # It has no close of its own: what it reads from has.
    stream.completion_stream.close()
    return "stopped"


run(
    {
        "plain": lambda: ask("good").choices[0].message.content,
        "streamed": streamed,
        "tools": lambda: turns("tool", "get_weather", CITY, "18 degrees"),
        "streamed tools": lambda: turns("tool", "get_weather", CITY, "18 degrees", in_pieces),
        "parallel tools": lambda: turns("parallel", "get_weather", CITY, "18 degrees"),
        "structured": lambda: compact(ask("shaped", response_format=City).choices[0].message.content),
        "bad request": lambda: ask("bad"),
        "outage": lambda: ask("outage"),
        "rate limit": lambda: ask("limited"),
        "refusal": refusal if FACE == "anthropic" else "it drops the field in which OpenAI's API refuses",
        "cut": lambda: streamed("cut"),
        "ten steps": lambda: turns("agent", "next_step", STEP, "done"),
        "cancelled": cancelled,
    }
)
