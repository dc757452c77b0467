// The OpenAI SDK for Node with its own retries untouched. Further arguments: models, streamed if named so.

import OpenAI from "openai";
import { ORIGIN, QUESTION, runTogether } from "./cells.mjs";

const client = new OpenAI({ baseURL: `${ORIGIN}/v1`, apiKey: "anything" });

async function ask(model) {
  const streams = model.endsWith("-stream");
  // These two are the same model: the first finds it limited, the second is told to wait and does.
  const headers = ["hasty", "patient"].includes(model) ? { "x-mainstay-deadline-ms": "1000" } : {};
  const messages = [{ role: "user", content: QUESTION }];
  const answer = await client.chat.completions.create({ model, messages, stream: streams }, { headers });
  if (!streams) return answer.choices[0].message.content;
  let text = "";
  for await (const chunk of answer) text += chunk.choices[0]?.delta.content ?? "";
  return text;
}

const cells = process.argv.slice(4).map((model) => [model, () => ask(model)]);
await runTogether(cells.slice(0, -1), cells.at(-1));
