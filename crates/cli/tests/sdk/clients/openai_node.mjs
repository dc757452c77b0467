// The OpenAI SDK for Node, through Chat Completions and through Responses.

import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import { CITY, FACE, ORIGIN, QUESTION, STEP, WEATHER, called, compact, run } from "./cells.mjs";

const client = new OpenAI({ baseURL: `${ORIGIN}/v1`, apiKey: "anything" });
const City = z.object({ city: z.string(), people: z.number() });
const user = (content) => ({ role: "user", content });

const chat = {
  ask: (model, messages, more) =>
    client.chat.completions.create({ model, messages: messages ?? [user(QUESTION)], ...more }),

  async plain() {
    const answer = await chat.ask("good");
    if (!(answer.usage.total_tokens > 0)) return "no usage";
    return answer.choices[0].message.content;
  },

  async streamed(model = "good") {
    let [text, finish] = ["", null];
    for await (const chunk of await chat.ask(model, undefined, { stream: true })) {
      for (const choice of chunk.choices) {
        text += choice.delta.content ?? "";
        finish = choice.finish_reason ?? finish;
      }
    }
    return finish === "stop" ? text : `${text} [ended with ${finish}]`;
  },

  /** Calls tools until the model speaks. */
  async turns(model, name, parameters, results, say = chat.whole) {
    const tools = [{ type: "function", function: { name, parameters } }];
    const [messages, calls] = [[user(WEATHER)], []];
    for (let turn = 0; turn < 15; turn++) {
      const message = await say(model, messages, tools);
      if (!message.tool_calls?.length) return `${calls.join(" + ")} -> ${message.content}`;
      messages.push(message);
      for (const call of message.tool_calls) {
        calls.push(called(call.function.name, call.function.arguments));
        messages.push({ role: "tool", tool_call_id: call.id, content: results });
      }
    }
    return "no end";
  },

  whole: async (model, messages, tools) => (await chat.ask(model, messages, { tools })).choices[0].message,

  in_pieces: (model, messages, tools) =>
    client.chat.completions.stream({ model, messages, tools }).finalMessage(),

  async structured() {
    const answer = await client.chat.completions.parse({
      model: "shaped",
      messages: [user(QUESTION)],
      response_format: zodResponseFormat(City, "city"),
    });
    return compact(answer.choices[0].message.parsed);
  },

  refusal: async () => `refused: ${(await chat.ask("refusing")).choices[0].message.refusal}`,

  async cancelled() {
    const stream = await chat.ask("endless", undefined, { stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    return "stopped";
  },
};

const responses = {
  ask: (model, input, more) => client.responses.create({ model, input: input ?? QUESTION, ...more }),

  async plain() {
    const answer = await responses.ask("good");
    if (answer.status !== "completed") return `status ${answer.status}`;
    return answer.output_text;
  },

  async streamed(model = "good") {
    let [text, last] = ["", null];
    for await (const event of await responses.ask(model, undefined, { stream: true })) {
      last = event.type;
      if (last === "response.output_text.delta") text += event.delta;
    }
    return last === "response.completed" ? text : `${text} [ended with ${last}]`;
  },

  async turns(model, name, parameters, results, say = responses.whole) {
    const tools = [{ type: "function", name, parameters, strict: false }];
    const [items, calls] = [[user(WEATHER)], []];
    for (let turn = 0; turn < 15; turn++) {
      const answer = await say(model, items, tools);
      const made = answer.output.filter((item) => item.type === "function_call");
      if (!made.length) return `${calls.join(" + ")} -> ${answer.output_text}`;
      items.push(...answer.output.map(({ parsed_arguments, ...item }) => item));
      for (const call of made) {
        calls.push(called(call.name, call.arguments));
        items.push({ type: "function_call_output", call_id: call.call_id, output: results });
      }
    }
    return "no end";
  },

  whole: (model, input, tools) => responses.ask(model, input, { tools }),

  in_pieces: (model, input, tools) => client.responses.stream({ model, input, tools }).finalResponse(),

  async structured() {
    const answer = await client.responses.parse({
      model: "shaped",
      input: QUESTION,
      text: { format: zodTextFormat(City, "city") },
    });
    return compact(answer.output_parsed);
  },

  async refusal() {
    const { output } = await responses.ask("refusing");
    const parts = output.filter((item) => item.type === "message").flatMap((item) => item.content);
    return parts.filter((part) => part.type === "refusal").map((part) => `refused: ${part.refusal}`).join(" ");
  },

  async cancelled() {
    const stream = await responses.ask("endless", undefined, { stream: true });
    for await (const event of stream) if (event.type === "response.output_text.delta") break;
    return "stopped";
  },
};

const face = FACE === "chat" ? chat : responses;
await run({
  plain: face.plain,
  streamed: () => face.streamed(),
  tools: () => face.turns("tool", "get_weather", CITY, "18 degrees"),
  "streamed tools": () => face.turns("tool", "get_weather", CITY, "18 degrees", face.in_pieces),
  "parallel tools": () => face.turns("parallel", "get_weather", CITY, "18 degrees"),
  structured: face.structured,
  "bad request": () => face.ask("bad"),
  outage: () => face.ask("outage"),
  "rate limit": () => face.ask("limited"),
  refusal: face.refusal,
  cut: () => face.streamed("cut"),
  "ten steps": () => face.turns("agent", "next_step", STEP, "done"),
  cancelled: face.cancelled,
});
