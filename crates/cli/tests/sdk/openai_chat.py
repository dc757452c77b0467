"""The OpenAI SDK as its users use it, against a gateway.

Arguments: base URL, and the text of a whole answer's tool arguments: what a provider of the same dialect wrote
comes through byte for byte, what another one sent as an object is written without blanks. Streamed arguments are
text in either dialect and come as they were written.
"""

import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1] + "/v1", api_key="anything", max_retries=2)
QUESTION = [{"role": "user", "content": "Name three rivers of Portugal."}]
ARGUMENTS = sys.argv[2]
RIVERS = "The Douro, the Tagus and the Guadiana."


def check(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: found {found!r}, wanted {wanted!r}")


# A plain answer, after an empty one that nobody sees.
answer = client.chat.completions.create(model="rescued", messages=QUESTION)
check("text", answer.choices[0].message.content, RIVERS)
check("finish", answer.choices[0].finish_reason, "stop")
check("usage", answer.usage.total_tokens > 0, True)
raw = client.chat.completions.with_raw_response.create(model="rescued", messages=QUESTION)
check("tier", raw.headers["x-mainstay-tier"], "fake/good")
check("served", raw.headers["x-mainstay-served"], "fallback")
check("quality", raw.headers["x-mainstay-quality"], "ok")
check("cost", float(raw.headers["x-mainstay-cost-usd"]) > 0, True)

# Streamed.
text, finish, usage = "", None, None
stream = client.chat.completions.create(
    model="rescued", messages=QUESTION, stream=True, stream_options={"include_usage": True}
)
for chunk in stream:
    if chunk.usage:
        usage = chunk.usage
    for choice in chunk.choices:
        text += choice.delta.content or ""
        finish = choice.finish_reason or finish
check("streamed text", text, RIVERS)
check("streamed finish", finish, "stop")
check("streamed usage", usage is not None and usage.completion_tokens > 0, True)

# A tool, whole and streamed, and its result sent back.
tools = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The weather of a city",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
            },
        },
    }
]
answer = client.chat.completions.create(model="tool", messages=QUESTION, tools=tools)
check("tool finish", answer.choices[0].finish_reason, "tool_calls")
call = answer.choices[0].message.tool_calls[0]
check("tool", (call.function.name, call.function.arguments), ("get_weather", ARGUMENTS))
with client.chat.completions.stream(model="tool", messages=QUESTION, tools=tools) as events:
    final = events.get_final_completion()
call = final.choices[0].message.tool_calls[0]
check("streamed tool", (call.function.name, call.function.arguments), ("get_weather", '{"city": "Porto"}'))
messages = QUESTION + [
    answer.choices[0].message,
    {"role": "tool", "tool_call_id": answer.choices[0].message.tool_calls[0].id, "content": "18 degrees"},
]
answer = client.chat.completions.create(model="good", messages=messages, tools=tools)
check("after tool", answer.choices[0].message.content, RIVERS)

# What goes wrong is raised as the class that SDK users catch for it.
for model, expected in [
    ("nowhere", openai.NotFoundError),
    ("broken", openai.InternalServerError),
    ("limited", openai.RateLimitError),
]:
    try:
        client.chat.completions.create(model=model, messages=QUESTION)
        sys.exit(f"{model}: no error was raised")
    except expected as error:
        check(f"{model} request id", bool(error.response.headers.get("x-request-id")), True)
try:
    client.chat.completions.create(model="limited", messages=QUESTION)
    sys.exit("limited again: no error was raised")
except openai.RateLimitError as error:
    check("when to come back", int(error.response.headers["retry-after"]) > 3000, True)
try:
    client.chat.completions.create(model="good", messages=QUESTION, max_completion_tokens=4_000_000)
    sys.exit("a call that may pass the cap was let through")
except openai.APIStatusError as error:
    check("cap", (error.status_code, error.code), (402, "budget_exceeded"))
try:
    client.chat.completions.create(model="good", messages=[{"role": "wizard", "content": "x"}])
    sys.exit("a bad role was let through")
except openai.BadRequestError as error:
    check("the field is named", "messages[0].role" in str(error), True)

# A refusal by all is an answer, not an error.
answer = client.chat.completions.create(model="refusing", messages=QUESTION)
check("refusal", answer.choices[0].message.refusal, "I cannot help with that.")

# The same through the Responses API, whole and streamed, text and tool.
answer = client.responses.create(model="rescued", input="Name three rivers of Portugal.")
check("responses text", answer.output_text, RIVERS)
check("responses status", answer.status, "completed")
check("responses usage", answer.usage.total_tokens > 0, True)
with client.responses.stream(model="rescued", input="Name three rivers of Portugal.") as events:
    kinds = [event.type for event in events]
    final = events.get_final_response()
check("responses streamed text", final.output_text, RIVERS)
check("responses events", (kinds[0], kinds[-1]), ("response.created", "response.completed"))
flat = [{"type": "function", **tools[0]["function"], "strict": False}]
answer = client.responses.create(model="tool", input="Weather?", tools=flat)
calls = [item for item in answer.output if item.type == "function_call"]
check("responses tool", (calls[0].name, calls[0].arguments), ("get_weather", ARGUMENTS))
try:
    client.responses.create(model="good", input="x", previous_response_id="resp_1")
    sys.exit("a response that nobody keeps was let through")
except openai.BadRequestError as error:
    check("responses: the field is named", "previous_response_id" in str(error), True)

names = [model.id for model in client.models.list()]
check("models", "rescued" in names and "fake/good" in names, True)
print("ok")
