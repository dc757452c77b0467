// The AI SDK of Vercel.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { Output, generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import { CITY, FACE, LIMIT, ORIGIN, QUESTION, STEP, WEATHER, called, compact, run } from "./cells.mjs";

const City = z.object({ city: z.string(), people: z.number() });
const options = { baseURL: `${ORIGIN}/v1`, apiKey: "anything" };
const provider = FACE === "anthropic" ? createAnthropic(options) : createOpenAI(options);
const model = (name) =>
  FACE === "chat" ? provider.chat(name) : FACE === "responses" ? provider.responses(name) : provider(name);
// It does not hear `x-should-retry`, so its own retries are switched off, as docs/using-clients.md says.
const asked = (name, more) => ({
  model: model(name),
  prompt: QUESTION,
  maxOutputTokens: LIMIT,
  maxRetries: 0,
  ...more,
});
const ask = (name, more) => generateText(asked(name, more));

async function streamed(name = "good") {
  let [text, problem] = ["", null];
  const stream = streamText(asked(name, { onError: () => {} }));
  for await (const part of stream.fullStream) {
    if (part.type === "text-delta") text += part.text;
    if (part.type === "error") problem = part.error;
  }
  if (problem) throw problem;
  const finish = await stream.finishReason;
  return finish === "stop" ? text : `${text} [ended with ${finish}]`;
}

const looped = (name, schema, results) => ({
  prompt: WEATHER,
  tools: { [name]: tool({ inputSchema: jsonSchema(schema), execute: async () => results }) },
  stopWhen: stepCountIs(15),
});
const told = (steps, text) => {
  const calls = steps.flatMap((step) => step.toolCalls).map((call) => called(call.toolName, call.input));
  return `${calls.join(" + ")} -> ${text}`;
};

async function turns(name, tool, schema, results) {
  const { steps, text } = await ask(name, looped(tool, schema, results));
  return told(steps, text);
}

await run({
  plain: async () => (await ask("good")).text,
  streamed: () => streamed(),
  tools: () => turns("tool", "get_weather", CITY, "18 degrees"),
  async "streamed tools"() {
    const stream = streamText(asked("tool", looped("get_weather", CITY, "18 degrees")));
    await stream.consumeStream();
    return told(await stream.steps, await stream.text);
  },
  "parallel tools": () => turns("parallel", "get_weather", CITY, "18 degrees"),
  structured: async () => compact((await ask("shaped", { output: Output.object({ schema: City }) })).output),
  "bad request": () => ask("bad"),
  outage: () => ask("outage"),
  "rate limit": () => ask("limited"),
  async refusal() {
    const { finishReason, text } = await ask("refusing");
    return `${finishReason}: ${text}`;
  },
  cut: () => streamed("cut"),
  "ten steps": () => turns("agent", "next_step", STEP, "done"),
  async cancelled() {
    const abort = new AbortController();
    const stream = streamText(asked("endless", { abortSignal: abort.signal, onError: () => {} }));
    for await (const _ of stream.textStream) break;
    abort.abort();
    return "stopped";
  },
});
