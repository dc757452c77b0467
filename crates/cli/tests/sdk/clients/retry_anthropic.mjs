// The Anthropic SDK for TypeScript with its own retries untouched. Further arguments: models, streamed if named so.

import Anthropic from "@anthropic-ai/sdk";
import { LIMIT, ORIGIN, QUESTION, runTogether } from "./cells.mjs";

const client = new Anthropic({ baseURL: ORIGIN, apiKey: "anything" });

async function ask(model) {
  const streams = model.endsWith("-stream");
  // These two are the same model: the first finds it limited, the second is told to wait and does.
  const headers = ["hasty", "patient"].includes(model) ? { "x-mainstay-deadline-ms": "1000" } : {};
  const asked = { model, max_tokens: LIMIT, messages: [{ role: "user", content: QUESTION }] };
  if (streams) return await client.messages.stream(asked, { headers }).finalText();
  return (await client.messages.create(asked, { headers })).content[0].text;
}

const cells = process.argv.slice(4).map((model) => [model, () => ask(model)]);
await runTogether(cells.slice(0, -1), cells.at(-1));
