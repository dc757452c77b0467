"""LangChain, with its chat models for OpenAI and Anthropic."""

from cells import CITY, FACE, LIMIT, ORIGIN, QUESTION, STEP, WEATHER, called, compact, run
from langchain_core.messages import HumanMessage, ToolMessage
from pydantic import BaseModel


class City(BaseModel):
    city: str
    people: int


def model(name):
    if FACE == "anthropic":
        from langchain_anthropic import ChatAnthropic

        return ChatAnthropic(model=name, base_url=ORIGIN, api_key="anything", max_tokens=LIMIT)
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(
        model=name, base_url=f"{ORIGIN}/v1", api_key="anything", use_responses_api=FACE == "responses"
    )


def plain(name="good"):
    return model(name).invoke(QUESTION).text


def streamed(name="good"):
    return "".join(chunk.text for chunk in model(name).stream(QUESTION))


def whole(bound, messages):
    return bound.invoke(messages)


def in_pieces(bound, messages):
    answer = None
    for chunk in bound.stream(messages):
        answer = chunk if answer is None else answer + chunk
    return answer


def turns(name, tool, schema, results, say=whole):
    """Calls tools until the model speaks."""
    function = {"name": tool, "description": "A tool", "parameters": schema}
    bound = model(name).bind_tools([{"type": "function", "function": function}])
    messages, calls = [HumanMessage(WEATHER)], []
    for _ in range(15):
        answer = say(bound, messages)
        if not answer.tool_calls:
            return " + ".join(calls) + f" -> {answer.text}"
        messages.append(answer)
        for call in answer.tool_calls:
            calls.append(called(call["name"], call["args"]))
            messages.append(ToolMessage(content=results, tool_call_id=call["id"]))
    return "no end"


def structured():
    return compact(model("shaped").with_structured_output(City).invoke(QUESTION).model_dump())


def refusal():
    answer = model("refusing").invoke(QUESTION)
    blocks = answer.content if isinstance(answer.content, list) else []
    said = [block.get("refusal") for block in blocks] + [answer.additional_kwargs.get("refusal"), answer.text]
    return f"refused: {next(part for part in said if part)}"


def cancelled():
    stream = model("endless").stream(QUESTION)
    for chunk in stream:
        if chunk.text:
            break
    stream.close()
    return "stopped"


run(
    {
        "plain": plain,
        "streamed": streamed,
        "tools": lambda: turns("tool", "get_weather", CITY, "18 degrees"),
        "streamed tools": lambda: turns("tool", "get_weather", CITY, "18 degrees", in_pieces),
        "parallel tools": lambda: turns("parallel", "get_weather", CITY, "18 degrees"),
        "structured": structured,
        "bad request": lambda: plain("bad"),
        "outage": lambda: plain("outage"),
        "rate limit": lambda: plain("limited"),
        "refusal": refusal,
        "cut": lambda: streamed("cut"),
        "ten steps": lambda: turns("agent", "next_step", STEP, "done"),
        "cancelled": cancelled,
    }
)
