"""The Anthropic SDK as its users use it, against a gateway. Arguments: base URL."""

import sys

import anthropic

client = anthropic.Anthropic(base_url=sys.argv[1], api_key="anything", max_retries=2)
QUESTION = [{"role": "user", "content": "Name three rivers of Portugal."}]
RIVERS = "The Douro, the Tagus and the Guadiana."


def check(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: found {found!r}, wanted {wanted!r}")


def ask(model, messages=QUESTION, **more):
    return client.messages.create(model=model, max_tokens=200, messages=messages, **more)


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


# A plain answer, after an empty one that nobody sees.
answer = ask("rescued")
check("text", text_of(answer), RIVERS)
check("stop reason", answer.stop_reason, "end_turn")
check("role", (answer.type, answer.role), ("message", "assistant"))
check("usage", answer.usage.input_tokens > 0 and answer.usage.output_tokens > 0, True)
raw = client.messages.with_raw_response.create(model="rescued", max_tokens=200, messages=QUESTION)
check("tier", raw.headers["x-mainstay-tier"], "fake/good")
check("served", raw.headers["x-mainstay-served"], "fallback")
check("quality", raw.headers["x-mainstay-quality"], "ok")
check("cost", float(raw.headers["x-mainstay-cost-usd"]) > 0, True)
check("request id", bool(raw.headers["request-id"]), True)

# Streamed, through the helper and by hand.
with client.messages.stream(model="rescued", max_tokens=200, messages=QUESTION) as stream:
    text = "".join(stream.text_stream)
    final = stream.get_final_message()
check("streamed text", text, RIVERS)
check("streamed stop reason", final.stop_reason, "end_turn")
check("streamed usage", final.usage.input_tokens > 0 and final.usage.output_tokens > 0, True)
kinds = [event.type for event in ask("good", stream=True)]
check("first event", kinds[0], "message_start")
check("last events", kinds[-2:], ["message_delta", "message_stop"])

# A tool, whole and streamed, and its result sent back.
tools = [
    {
        "name": "get_weather",
        "description": "The weather of a city",
        "input_schema": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    }
]
answer = ask("tool", tools=tools)
check("tool stop reason", answer.stop_reason, "tool_use")
call = next(block for block in answer.content if block.type == "tool_use")
check("tool", (call.name, call.input), ("get_weather", {"city": "Porto"}))
with client.messages.stream(model="tool", max_tokens=200, messages=QUESTION, tools=tools) as stream:
    final = stream.get_final_message()
streamed = next(block for block in final.content if block.type == "tool_use")
check("streamed tool", (streamed.name, streamed.input), ("get_weather", {"city": "Porto"}))
check("streamed tool stop reason", final.stop_reason, "tool_use")
messages = QUESTION + [
    {"role": "assistant", "content": answer.content},
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "18 degrees"}],
    },
]
check("after tool", text_of(ask("good", messages=messages, tools=tools)), RIVERS)

# What goes wrong is raised as the class that SDK users catch for it.
for model, expected, kind in [
    ("nowhere", anthropic.NotFoundError, "not_found_error"),
    ("broken", anthropic.InternalServerError, "overloaded_error"),
    ("limited", anthropic.RateLimitError, "rate_limit_error"),
]:
    try:
        ask(model)
        sys.exit(f"{model}: no error was raised")
    except expected as error:
        check(f"{model} type", error.type, kind)
        check(f"{model} request id", bool(error.request_id), True)
try:
    ask("limited")
    sys.exit("limited again: no error was raised")
except anthropic.RateLimitError as error:
    check("when to come back", int(error.response.headers["retry-after"]) > 3000, True)
try:
    client.messages.create(model="good", max_tokens=4_000_000, messages=QUESTION, timeout=60)
    sys.exit("a call that may pass the cap was let through")
except anthropic.PaymentRequiredError as error:
    check("cap", (error.type, error.error_code), ("billing_error", "budget_exceeded"))
try:
    ask("good", messages=[{"role": "wizard", "content": "x"}])
    sys.exit("a bad role was let through")
except anthropic.BadRequestError as error:
    check("the field is named", "messages.0.role" in str(error), True)
    check("bad request type", error.type, "invalid_request_error")

# A refusal by all is an answer, not an error.
answer = ask("refusing")
check("refusal stop reason", answer.stop_reason, "refusal")
check("refusal", text_of(answer), "I cannot help with that.")

count = client.messages.count_tokens(model="good", messages=QUESTION)
check("count", count.input_tokens > 0, True)
names = [model.id for model in client.models.list()]
check("models", "rescued" in names and "fake/good" in names, True)
print("ok")
