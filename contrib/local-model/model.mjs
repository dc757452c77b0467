// The model: conversation in, text out piece by piece. Knows no HTTP.

import { existsSync, readdirSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { invalid } from "./ask.mjs";

const CONTEXT_TOKENS = 4096; // prompt and answer together; less where the model was trained on less
const SLICE_TOKENS = 256; // prompt tokens read between two looks at whether the client is still there
const THREADS = 4; // more bring nothing to a model this small
const PART_TOKENS = 8; // tokens over which a character may be spread before it is given out as it is

/** Loads a GGUF file, or the one that `setup.sh` has fetched. */
export async function load(file) {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const home = path.resolve(process.env.MAINSTAY_LOCAL_MODEL_DIR || path.join(here, "../../.cache/local-model"));
  const runtime = path.join(home, "node_modules/node-llama-cpp/dist/index.js");
  const fetched = existsSync(home) ? readdirSync(home).find((name) => name.endsWith(".gguf")) : undefined;
  const modelPath = file ?? path.join(home, fetched ?? "*.gguf");
  const missing = [modelPath, runtime].find((needed) => !existsSync(needed));
  if (missing) throw new Error(`${missing} is missing: run ${path.join(here, "setup.sh")} first`);

  const { getLlama, resolveChatWrapper } = await import(pathToFileURL(runtime));
  // The runtime's threads wait for each other without sleeping: on a core that has other work this costs far more
  // than the thread brings (two busy cores, 2026-11: one thread answers in 0.3 s, two in 0.5 to 0.9 s).
  const maxThreads = Math.max(1, Math.min(os.availableParallelism() - 1, THREADS));
  const llama = await getLlama({ build: "never", skipDownload: true, gpu: false, logLevel: "error", maxThreads });
  const model = await llama.loadModel({ modelPath });
  const context = await model.createContext({ contextSize: Math.min(CONTEXT_TOKENS, model.trainContextSize) });
  const template = resolveChatWrapper(model, { warningLogs: false });
  return new Model(path.basename(modelPath, ".gguf"), model, context, template);
}

/** One model with one context: one generation at a time. */
class Model {
  constructor(id, model, context, template) {
    Object.assign(this, { id, model, template, contextSize: context.contextSize, sequence: context.getSequence() });
  }

  /** The conversation as tokens, with the model's turn begun. */
  prompt(history) {
    const chatHistory = [...history, { type: "model", response: [] }];
    const tokens = this.template.generateContextState({ chatHistory }).contextText.tokenize(this.model.tokenizer);
    if (tokens.length >= this.contextSize) {
      const message = `the context holds ${this.contextSize} tokens, the messages alone are ${tokens.length}`;
      throw invalid("messages", message, "context_length_exceeded");
    }
    // The ChatML template puts a start token before its own, and SmolLM2 answers worse when it sees two.
    return tokens[0] === this.model.tokens.bos && tokens[1] === tokens[0] ? tokens.slice(1) : tokens;
  }

  /** Yields the answer's text as it comes; returns how it ended and its length in tokens. */
  async *generate(prompt, { stops, maxTokens, sampling }, signal) {
    const limit = Math.min(maxTokens, this.contextSize - prompt.length);
    await this.#read(prompt.slice(0, -1), signal);
    let [tokens, text] = [0, ""];
    for await (const piece of this.#pieces(prompt.slice(-1), sampling)) {
      signal.throwIfAborted();
      tokens += 1;
      text += piece;
      const stop = Math.min(...stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0));
      if (stop < Infinity) {
        yield text.slice(0, stop);
        return { finish: "stop", tokens };
      }
      const ready = text.length - held(text, stops);
      yield text.slice(0, ready);
      text = text.slice(ready);
      if (tokens >= limit) {
        yield text;
        return { finish: "length", tokens };
      }
    }
    yield text;
    return { finish: "stop", tokens };
  }

  /** Reads the prompt, in slices, so that a client who leaves is noticed in between. */
  async #read(prompt, signal) {
    await this.sequence.clearHistory();
    for (let at = 0; at < prompt.length; at += SLICE_TOKENS) {
      signal.throwIfAborted();
      await this.sequence.evaluateWithoutGeneratingNewTokens(prompt.slice(at, at + SLICE_TOKENS));
    }
  }

  /** The text of each token in turn: empty while a character is not whole, which reads as U+FFFD. */
  async *#pieces(prompt, sampling) {
    let [part, before] = [[], []];
    for await (const token of this.sequence.evaluate(prompt, sampling)) {
      part.push(token);
      const piece = this.model.detokenize(part, false, before);
      const whole = !piece.endsWith("\uFFFD") || part.length >= PART_TOKENS;
      yield whole ? piece : "";
      if (whole) [part, before] = [[], part];
    }
  }
}

/** How many characters at the end of `text` may turn out to be the beginning of a stop string. */
function held(text, stops) {
  const longest = Math.max(0, ...stops.map((stop) => stop.length - 1));
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    if (stops.some((stop) => stop.startsWith(text.slice(-length)))) return length;
  }
  return 0;
}
