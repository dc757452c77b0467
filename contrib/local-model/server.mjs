#!/usr/bin/env node
// A real small model behind OpenAI's Chat Completions, for trying a chain's static tier without a provider.
//
//   node server.mjs [PORT] [--model FILE.gguf] [--until-stdin-ends] [--check]
//
// Port 0, the default, is any free one. Once the model is loaded, stdout gets one line:
// `listening on http://127.0.0.1:PORT/v1`. Requests are told on stderr in numbers, never in words.
// `--check` loads the model and leaves.

import http from "node:http";
import { parseArgs } from "node:util";

import { Refused, invalid, readAsk } from "./ask.mjs";
import { load } from "./model.mjs";

const BODY_BYTES = 1024 * 1024; // largest request
const QUEUE = 8; // requests that may wait for the one that runs

function stop(why) {
  console.error(why);
  process.exit(2);
}

function json(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Says what went wrong; in a stream that has begun as an event, and without the `[DONE]` of a good end. */
function fail(response, error) {
  const refused = error instanceof Refused ? error : new Refused(500, null, "the model failed");
  console.error(error === refused ? `${refused.status} ${refused.code ?? refused.param ?? ""}` : error);
  if (response.headersSent) response.end(`data: ${JSON.stringify(refused.body)}\n\n`);
  else json(response, refused.status, refused.body);
}

async function readJson(request) {
  const pieces = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += piece.length;
    if (bytes > BODY_BYTES) throw new Refused(413, null, `a request may be ${BODY_BYTES} bytes long`);
    pieces.push(piece);
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString());
  } catch {
    throw invalid(null, "the body is not JSON");
  }
}

/** Answers one request whose turn has come, whole or streamed. */
async function answer(ask, prompt, response, signal) {
  const began = performance.now();
  const base = { id: `chatcmpl-${crypto.randomUUID()}`, created: Math.floor(Date.now() / 1000), model: model.id };
  const chunk = (fields) => response.write(`data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", ...fields })}\n\n`);
  const choice = (delta, finish_reason = null) => ({ choices: [{ index: 0, delta, finish_reason }], ...(ask.usage && { usage: null }) });
  if (ask.stream) {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    chunk(choice({ role: "assistant", content: "" }));
  }
  let content = "";
  const run = model.generate(prompt, ask, signal);
  let step = await run.next();
  for (; !step.done; step = await run.next()) {
    content += step.value;
    if (ask.stream && step.value) chunk(choice({ content: step.value }));
  }
  const { finish, tokens } = step.value;
  const usage = { prompt_tokens: prompt.length, completion_tokens: tokens, total_tokens: prompt.length + tokens };
  if (ask.stream) {
    chunk(choice({}, finish));
    if (ask.usage) chunk({ choices: [], usage });
    response.end("data: [DONE]\n\n");
  } else {
    const message = { role: "assistant", content, refusal: null };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }];
    json(response, 200, { ...base, object: "chat.completion", choices, usage });
  }
  console.error(`200 ${finish}, ${prompt.length} + ${tokens} tokens, ${Math.round(performance.now() - began)} ms`);
}

let waiting = 0;
let turn = Promise.resolve();

/** Checks a request at once and answers it when those before it are done. */
async function chat(request, response) {
  const gone = new AbortController();
  response.on("close", () => response.writableFinished || gone.abort());
  const ask = readAsk(await readJson(request), model.id);
  const prompt = model.prompt(ask.history);
  if (waiting > QUEUE) throw new Refused(503, "overloaded", "too many requests are waiting");
  waiting += 1;
  turn = turn
    .then(() => gone.signal.aborted || answer(ask, prompt, response, gone.signal))
    .catch((error) => (gone.signal.aborted ? console.error("the client went away") : fail(response, error)))
    .finally(() => (waiting -= 1));
}

const routes = {
  "GET /health": (_, response) => json(response, 200, { status: "ok" }),
  "GET /v1/models": (_, response) =>
    json(response, 200, { object: "list", data: [{ id: model.id, object: "model", created: 0, owned_by: "local" }] }),
  "POST /v1/chat/completions": chat,
};

async function serve(request, response) {
  try {
    const route = `${request.method} ${request.url.split("?")[0]}`;
    if (!Object.hasOwn(routes, route)) throw new Refused(404, null, `there is no ${route} here`);
    await routes[route](request, response);
  } catch (error) {
    fail(response, error);
  }
}

const options = { model: { type: "string" }, "until-stdin-ends": { type: "boolean" }, check: { type: "boolean" } };
const { values: flags, positionals } = parseArgs({ allowPositionals: true, options });
const port = Number(positionals[0] ?? 0);
if (!Number.isInteger(port) || port < 0 || port > 65535) stop(`not a port: ${positionals[0]}`);
// A parent that dies, however it dies, closes the pipe.
if (flags["until-stdin-ends"]) process.stdin.resume().on("end", () => process.exit(0));
const model = await load(flags.model).catch((error) => stop(error.message));
if (flags.check) process.exit(0);
http
  .createServer(serve)
  .on("error", (error) => stop(error.message))
  .listen(port, "127.0.0.1", function () {
    console.log(`listening on http://127.0.0.1:${this.address().port}/v1`);
  });
