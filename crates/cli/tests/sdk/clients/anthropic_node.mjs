// The Anthropic SDK for TypeScript.

import Anthropic from "@anthropic-ai/sdk";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import { z } from "zod";
import { CITY, LIMIT, ORIGIN, QUESTION, STEP, WEATHER, called, compact, run } from "./cells.mjs";

const client = new Anthropic({ baseURL: ORIGIN, apiKey: "anything" });
const City = z.object({ city: z.string(), people: z.number() });
const user = (content) => ({ role: "user", content });

const asked = (model, messages, more) => ({
  model,
  max_tokens: LIMIT,
  messages: messages ?? [user(QUESTION)],
  ...more,
});
const ask = (model, messages, more) => client.messages.create(asked(model, messages, more));
const inPieces = (model, messages, more) => client.messages.stream(asked(model, messages, more)).finalMessage();
const textOf = (message) =>
  message.content
    .filter((block) => block.type === "text")
    .map((block) => block.text)
    .join("");

async function streamed(model = "good") {
  const stream = client.messages.stream(asked(model));
  let text = "";
  for await (const event of stream) {
    if (event.type === "content_block_delta" && event.delta.type === "text_delta") text += event.delta.text;
  }
  const final = await stream.finalMessage();
  return final.stop_reason === "end_turn" ? text : `${text} [ended with ${final.stop_reason}]`;
}

/** Calls tools until the model speaks. */
async function turns(model, name, schema, results, say = ask) {
  const tools = [{ name, input_schema: schema }];
  const [messages, calls] = [[user(WEATHER)], []];
  for (let turn = 0; turn < 15; turn++) {
    const answer = await say(model, messages, { tools });
    const made = answer.content.filter((block) => block.type === "tool_use");
    if (!made.length) return `${calls.join(" + ")} -> ${textOf(answer)}`;
    calls.push(...made.map((call) => called(call.name, call.input)));
    const answers = made.map((call) => ({ type: "tool_result", tool_use_id: call.id, content: results }));
    messages.push({ role: "assistant", content: answer.content }, user(answers));
  }
  return "no end";
}

await run({
  plain: async () => textOf(await ask("good")),
  streamed: () => streamed(),
  tools: () => turns("tool", "get_weather", CITY, "18 degrees"),
  "streamed tools": () => turns("tool", "get_weather", CITY, "18 degrees", inPieces),
  "parallel tools": () => turns("parallel", "get_weather", CITY, "18 degrees"),
  async structured() {
    const format = { output_config: { format: zodOutputFormat(City) } };
    return compact((await client.messages.parse(asked("shaped", undefined, format))).parsed_output);
  },
  "bad request": () => ask("bad"),
  outage: () => ask("outage"),
  "rate limit": () => ask("limited"),
  async refusal() {
    const answer = await ask("refusing");
    return `${answer.stop_reason}: ${textOf(answer)}`;
  },
  cut: () => streamed("cut"),
  "ten steps": () => turns("agent", "next_step", STEP, "done"),
  async cancelled() {
    const stream = await ask("endless", undefined, { stream: true });
    for await (const event of stream) if (event.type === "content_block_delta") break;
    return "stopped";
  },
});
