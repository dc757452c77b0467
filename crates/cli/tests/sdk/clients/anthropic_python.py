"""The Anthropic SDK for Python."""

import anthropic
from cells import CITY, LIMIT, ORIGIN, QUESTION, STEP, WEATHER, called, compact, run
from pydantic import BaseModel

client = anthropic.Anthropic(base_url=ORIGIN, api_key="anything")


class City(BaseModel):
    city: str
    people: int


def user(content):
    return {"role": "user", "content": content}


def ask(model, messages=None, **more):
    return client.messages.create(
        model=model, max_tokens=LIMIT, messages=messages or [user(QUESTION)], **more
    )


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def plain():
    answer = ask("good")
    assert answer.stop_reason == "end_turn" and answer.usage.output_tokens > 0
    return text_of(answer)


def streamed(model="good"):
    with client.messages.stream(model=model, max_tokens=LIMIT, messages=[user(QUESTION)]) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    return text if final.stop_reason == "end_turn" else f"{text} [ended with {final.stop_reason}]"


def in_pieces(model, messages, **more):
    with client.messages.stream(model=model, max_tokens=LIMIT, messages=messages, **more) as stream:
        return stream.get_final_message()


def turns(model, name, schema, results, say=ask):
    """Calls tools until the model speaks."""
    tools = [{"name": name, "input_schema": schema}]
    messages, calls = [user(WEATHER)], []
    for _ in range(15):
        answer = say(model, messages, tools=tools)
        made = [block for block in answer.content if block.type == "tool_use"]
        if not made:
            return " + ".join(calls) + f" -> {text_of(answer)}"
        calls += [called(call.name, call.input) for call in made]
        answers = [{"type": "tool_result", "tool_use_id": call.id, "content": results} for call in made]
        messages += [{"role": "assistant", "content": answer.content}, user(answers)]
    return "no end"


def structured():
    answer = client.messages.parse(
        model="shaped", max_tokens=LIMIT, messages=[user(QUESTION)], output_format=City
    )
    return compact(answer.parsed_output.model_dump())


def refusal():
    answer = ask("refusing")
    return f"{answer.stop_reason}: {text_of(answer)}"


def cancelled():
    with client.messages.stream(model="endless", max_tokens=LIMIT, messages=[user(QUESTION)]) as stream:
        for _ in stream.text_stream:
            break
    return "stopped"


run(
    {
        "plain": plain,
        "streamed": streamed,
        "tools": lambda: turns("tool", "get_weather", CITY, "18 degrees"),
        "streamed tools": lambda: turns("tool", "get_weather", CITY, "18 degrees", in_pieces),
        "parallel tools": lambda: turns("parallel", "get_weather", CITY, "18 degrees"),
        "structured": structured,
        "bad request": lambda: ask("bad"),
        "outage": lambda: ask("outage"),
        "rate limit": lambda: ask("limited"),
        "refusal": refusal,
        "cut": lambda: streamed("cut"),
        "ten steps": lambda: turns("agent", "next_step", STEP, "done"),
        "cancelled": cancelled,
    }
)
