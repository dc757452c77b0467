"""The OpenAI SDK's embeddings as its users use them, against a gateway.

Arguments: base URL, the vectors of TEXTS as JSON, and whether the provider takes "tokens" or only "texts".
"""

import base64
import json
import struct
import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1] + "/v1", api_key="anything", max_retries=2)
TEXTS = ["a mast", "a stay"]
VECTORS = json.loads(sys.argv[2])


def check(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: found {found!r}, wanted {wanted!r}")


def as_floats(vector):
    """The numbers as 32-bit floats: what both encodings must agree on."""
    return list(struct.unpack(f"<{len(vector)}f", struct.pack(f"<{len(vector)}f", *vector)))


WANTED = [as_floats(vector) for vector in VECTORS]

# By itself the SDK asks for base64 and decodes it.
answer = client.embeddings.create(model="good", input=TEXTS)
check("default", [list(map(float, entry.embedding)) for entry in answer.data], WANTED)
check("places", [entry.index for entry in answer.data], [0, 1])
check("usage", (answer.usage.prompt_tokens, answer.usage.total_tokens), (12, 12))
check("object", (answer.object, answer.data[0].object), ("list", "embedding"))

answer = client.embeddings.create(model="good", input=TEXTS, encoding_format="float")
check("float", [as_floats(entry.embedding) for entry in answer.data], WANTED)

raw = client.embeddings.with_raw_response.create(model="fake/good", input=TEXTS[0], encoding_format="base64")
check("tier", raw.headers["x-mainstay-tier"], "fake/good")
check("served", raw.headers["x-mainstay-served"], "first")
check("attempts", raw.headers["x-mainstay-attempts"], "1")
check("quality", raw.headers["x-mainstay-quality"], "ok")
check("cost", raw.headers["x-mainstay-cost-usd"], "0.000012")
text = json.loads(raw.text)["data"][0]["embedding"]
check("base64", list(struct.unpack("<64f", base64.b64decode(text, validate=True))), WANTED[0])

check("dimensions", len(client.embeddings.create(model="good", input="a", dimensions=7).data[0].embedding), 7)
if sys.argv[3] == "tokens":
    check("tokens", len(client.embeddings.create(model="good", input=[1, 2, 3]).data), 1)
    check("lists of tokens", len(client.embeddings.create(model="good", input=[[1, 2], [3]]).data), 2)
else:
    try:
        client.embeddings.create(model="good", input=[1, 2, 3])
        sys.exit("tokens were taken by a provider that has no use for them")
    except openai.BadRequestError as error:
        check("param of tokens", error.param, "input")

# A 500 is mended on the same tier; the SDK sees nothing of it.
raw = client.embeddings.with_raw_response.create(model="recovers", input=TEXTS)
check("recovered", (raw.headers["x-mainstay-attempts"], raw.headers["x-mainstay-served"]), ("2", "retry"))

for model, kind, status in [
    ("broken", openai.InternalServerError, 503),
    ("spoilt", openai.InternalServerError, 503),
    ("limited", openai.RateLimitError, 429),
    ("nobody", openai.NotFoundError, 404),
]:
    try:
        client.embeddings.create(model=model, input=TEXTS)
        sys.exit(f"{model} gave vectors")
    except kind as error:
        check(model, error.status_code, status)

for name, value in [("input", []), ("input", ["a", ""]), ("dimensions", 0)]:
    try:
        client.embeddings.create(**{"model": "good", "input": "a", name: value})
        sys.exit(f"{name}={value!r} was taken")
    except openai.BadRequestError as error:
        check("param", error.param, name)
