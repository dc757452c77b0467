"""The Anthropic SDK for Python with its own retries untouched. Further arguments: models, streamed if named so."""

import sys

import anthropic
from cells import LIMIT, ORIGIN, QUESTION, run_together

client = anthropic.Anthropic(base_url=ORIGIN, api_key="anything")


def ask(model):
    asked = {
        "model": model,
        "max_tokens": LIMIT,
        "messages": [{"role": "user", "content": QUESTION}],
        # These two are the same model: the first finds it limited, the second is told to wait and does.
        "extra_headers": {"x-mainstay-deadline-ms": "1000"} if model in ("hasty", "patient") else {},
    }
    if model.endswith("-stream"):
        with client.messages.stream(**asked) as stream:
            return stream.get_final_text()
    return client.messages.create(**asked).content[0].text


*models, last = [(model, lambda model=model: ask(model)) for model in sys.argv[3:]]
run_together(dict(models), last)
