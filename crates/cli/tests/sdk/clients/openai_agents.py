"""The OpenAI Agents SDK: an agent framework that runs its own loop."""

import asyncio

from agents import Agent, AgentOutputSchema, FunctionTool, Runner, set_tracing_disabled
from agents.models.openai_chatcompletions import OpenAIChatCompletionsModel
from agents.models.openai_responses import OpenAIResponsesModel
from cells import CITY, FACE, ORIGIN, QUESTION, STEP, WEATHER, called, compact, run
from openai import AsyncOpenAI
from pydantic import BaseModel

set_tracing_disabled(True)


class City(BaseModel):
    city: str
    people: int


def agent(name, tools=(), **more):
    client = AsyncOpenAI(base_url=f"{ORIGIN}/v1", api_key="anything")
    kind = OpenAIChatCompletionsModel if FACE == "chat" else OpenAIResponsesModel
    return Agent(name="tester", model=kind(name, client), tools=list(tools), **more)


def tool(name, schema, results, calls):
    async def invoke(_, arguments):
        calls.append(called(name, arguments))
        return results

    return FunctionTool(
        name=name, description="A tool", params_json_schema=schema, on_invoke_tool=invoke, strict_json_schema=False
    )


def ask(name):
    return str(asyncio.run(Runner.run(agent(name), QUESTION)).final_output)


async def text_of(result):
    text = ""
    async for event in result.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            text += event.data.delta
    return text


def streamed(name="good"):
    async def pieces():
        return await text_of(Runner.run_streamed(agent(name), QUESTION))

    return asyncio.run(pieces())


def turns(name, tool_name, schema, results, in_pieces=False):
    calls = []

    async def loop():
        asked = agent(name, [tool(tool_name, schema, results, calls)])
        if not in_pieces:
            return (await Runner.run(asked, WEATHER, max_turns=15)).final_output
        return await text_of(Runner.run_streamed(asked, WEATHER, max_turns=15))

    said = asyncio.run(loop())
    return f"{' + '.join(calls)} -> {said}"


def structured():
    shaped = agent("shaped", output_type=AgentOutputSchema(City))
    return compact(asyncio.run(Runner.run(shaped, QUESTION)).final_output.model_dump())


def cancelled():
    async def first():
        result = Runner.run_streamed(agent("endless"), QUESTION)
        async for event in result.stream_events():
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                result.cancel()
                break
        await asyncio.sleep(0.1)

    asyncio.run(first())
    return "stopped"


run(
    {
        "plain": lambda: ask("good"),
        "streamed": streamed,
        "tools": lambda: turns("tool", "get_weather", CITY, "18 degrees"),
        "streamed tools": lambda: turns("tool", "get_weather", CITY, "18 degrees", True),
        "parallel tools": lambda: turns("parallel", "get_weather", CITY, "18 degrees"),
        "structured": structured,
        "bad request": lambda: ask("bad"),
        "outage": lambda: ask("outage"),
        "rate limit": lambda: ask("limited"),
        "refusal": lambda: ask("refusing"),
        "cut": lambda: streamed("cut"),
        "ten steps": lambda: turns("agent", "next_step", STEP, "done"),
        "cancelled": cancelled,
    }
)
