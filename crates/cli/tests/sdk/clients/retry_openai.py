"""The OpenAI SDK for Python with its own retries untouched. Further arguments: models, streamed if named so."""

import sys

import openai
from cells import ORIGIN, QUESTION, run_together

client = openai.OpenAI(base_url=f"{ORIGIN}/v1", api_key="anything")


def ask(model):
    streams = model.endswith("-stream")
    # These two are the same model: the first finds it limited, the second is told to wait and does.
    headers = {"x-mainstay-deadline-ms": "1000"} if model in ("hasty", "patient") else {}
    answer = client.chat.completions.create(
        model=model,
        messages=[{"role": "user", "content": QUESTION}],
        stream=streams,
        extra_headers=headers,
    )
    if streams:
        return "".join(chunk.choices[0].delta.content or "" for chunk in answer if chunk.choices)
    return answer.choices[0].message.content


*models, last = [(model, lambda model=model: ask(model)) for model in sys.argv[3:]]
run_together(dict(models), last)
