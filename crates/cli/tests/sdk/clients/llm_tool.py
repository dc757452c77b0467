"""Simon Willison's `llm`, with models that its own file of extra models names."""

import os
import pathlib
import tempfile

from cells import ORIGIN, QUESTION, SHAPE, WEATHER, called, compact, run

folder = pathlib.Path(tempfile.mkdtemp())
os.environ["LLM_USER_PATH"] = str(folder)
NAMES = ["good", "tool", "parallel", "shaped", "bad", "outage", "limited", "refusing", "cut", "agent", "endless"]
entry = """- model_id: my-{name}
  model_name: {name}
  api_base: "{origin}/v1"
  supports_tools: true
  supports_schema: true
"""
text = "".join(entry.format(name=name, origin=ORIGIN) for name in NAMES)
(folder / "extra-openai-models.yaml").write_text(text)

import llm  # noqa: E402: it reads its folder's place when it is loaded


def model(name):
    found = llm.get_model(f"my-{name}")
    found.key = "anything"
    return found


def ask(name, stream=False, **more):
    return model(name).prompt(QUESTION, stream=stream, **more).text()


def streamed(name="good"):
    return "".join(model(name).prompt(QUESTION, stream=True))


def get_weather(city: str) -> str:
    """The weather of a city."""
    return "18 degrees"


def next_step(step: int) -> str:
    """The next step."""
    return "done"


def turns(name, tool, stream=False):
    calls = []
    chain = model(name).conversation(tools=[tool], chain_limit=15).chain(
        WEATHER, stream=stream, before_call=lambda _, call: calls.append(called(call.name, call.arguments))
    )
    said = chain.text()
    return " + ".join(calls) + f" -> {said}"


run(
    {
        "plain": lambda: ask("good"),
        "streamed": streamed,
        "tools": lambda: turns("tool", get_weather),
        "streamed tools": lambda: turns("tool", get_weather, True),
        "parallel tools": lambda: turns("parallel", get_weather),
        "structured": lambda: compact(ask("shaped", schema=SHAPE)),
        "bad request": lambda: ask("bad"),
        "outage": lambda: ask("outage"),
        "rate limit": lambda: ask("limited"),
        "refusal": "it shows the text alone, which a refusal by its own field does not have",
        "cut": lambda: streamed("cut"),
        "ten steps": lambda: turns("agent", next_step),
        "cancelled": "its streams cannot be left: what they read from is closed when the process ends",
    }
)
