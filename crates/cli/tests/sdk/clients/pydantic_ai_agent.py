"""Pydantic AI."""

import asyncio

from cells import FACE, LIMIT, ORIGIN, QUESTION, WEATHER, called, compact, run
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, ToolCallPart


class City(BaseModel):
    city: str
    people: int


def model(name):
    if FACE == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(name, provider=AnthropicProvider(base_url=ORIGIN, api_key="anything"))
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    kind = OpenAIResponsesModel if FACE == "responses" else OpenAIChatModel
    return kind(name, provider=OpenAIProvider(base_url=f"{ORIGIN}/v1", api_key="anything"))


def agent(name, *tools, **more):
    return Agent(model(name), tools=tools, model_settings={"max_tokens": LIMIT}, **more)


def get_weather(city: str) -> str:
    return "18 degrees"


def next_step(step: int) -> str:
    return "done"


def told(result):
    parts = [part for message in result.all_messages() if isinstance(message, ModelResponse) for part in message.parts]
    calls = [called(part.tool_name, part.args) for part in parts if isinstance(part, ToolCallPart)]
    return " + ".join(calls)


def turns(name, tool):
    result = agent(name, tool).run_sync(WEATHER)
    return f"{told(result)} -> {result.output}"


def streamed(name="good"):
    async def pieces():
        async with agent(name).run_stream(QUESTION) as result:
            return "".join([piece async for piece in result.stream_text(delta=True)])

    return asyncio.run(pieces())


def streamed_tools():
    async def pieces():
        async with agent("tool", get_weather).run_stream(WEATHER) as result:
            text = "".join([piece async for piece in result.stream_text(delta=True)])
            return f"{told(result)} -> {text}"

    return asyncio.run(pieces())


def cancelled():
    async def first():
        async with agent("endless").run_stream(QUESTION) as result:
            async for _ in result.stream_text(delta=True, debounce_by=None):
                break

    asyncio.run(first())
    return "stopped"


def ask(name):
    return agent(name).run_sync(QUESTION).output


run(
    {
        "plain": lambda: ask("good"),
        "streamed": streamed,
        "tools": lambda: turns("tool", get_weather),
        "streamed tools": streamed_tools,
        "parallel tools": lambda: turns("parallel", get_weather),
        "structured": lambda: compact(agent("shaped", output_type=City).run_sync(QUESTION).output.model_dump()),
        "bad request": lambda: ask("bad"),
        "outage": lambda: ask("outage"),
        "rate limit": lambda: ask("limited"),
        "refusal": lambda: ask("refusing"),
        "cut": lambda: streamed("cut"),
        "ten steps": lambda: turns("agent", next_step),
        "cancelled": cancelled,
    }
)
