// What a Chat Completions request asks for, checked. What is not supported is refused, never left out quietly.
// Knows nothing of the model but what it is told, and no HTTP but the status of an error.

const STOPS = 4; // stop strings of one request, as at OpenAI

/** A failure that the client is told in OpenAI's shape. */
export class Refused extends Error {
  constructor(status, code, message, param = null) {
    super(message);
    Object.assign(this, { status, code, param });
  }

  get body() {
    const type = this.status < 500 ? "invalid_request_error" : "server_error";
    return { error: { message: this.message, type, param: this.param, code: this.code } };
  }
}

export const invalid = (param, message, code = null) => new Refused(400, code, message, param);

/** Reads a request's body, for the model of that name. */
export function readAsk(body, modelId) {
  if (body === null || typeof body !== "object" || Array.isArray(body)) throw invalid(null, "the body must be a JSON object");
  if (body.model !== modelId) {
    throw new Refused(404, "model_not_found", `there is no model ${JSON.stringify(body.model)} here, only ${modelId}`, "model");
  }
  const unable = (name) => invalid(name, `${name} is not supported here`, "unsupported_parameter");
  if ((body.n ?? 1) !== 1) throw unable("n");
  if (body.tools?.length && body.tool_choice !== "none") throw unable("tools");
  if ((body.response_format?.type ?? "text") !== "text") throw unable("response_format");
  if (body.logprobs) throw unable("logprobs");
  return {
    history: readMessages(body.messages),
    stops: readStops(body.stop),
    maxTokens: numberIn(body, "max_completion_tokens", 1, 1e9, true) ?? numberIn(body, "max_tokens", 1, 1e9, true) ?? Infinity,
    stream: body.stream === true,
    usage: body.stream_options?.include_usage === true,
    sampling: {
      temperature: numberIn(body, "temperature", 0, 2) ?? 0, // the likeliest word: the same answer each time
      topP: numberIn(body, "top_p", 0, 1),
      seed: numberIn(body, "seed", 0, 0xffffffff, true),
    },
  };
}

/** The conversation in the runtime's own words. */
function readMessages(messages) {
  if (!Array.isArray(messages) || !messages.length) throw invalid("messages", "messages must be a list that is not empty");
  return messages.map((message, at) => {
    const text = textOf(message ?? {}, at);
    if (message.role === "system" || message.role === "developer") return { type: "system", text };
    if (message.role === "user") return { type: "user", text };
    if (message.role === "assistant" && !message.tool_calls?.length) return { type: "model", response: [text] };
    throw invalid(`messages.${at}`, "this model knows system, user and assistant messages without tool calls", "unsupported_value");
  });
}

/** The text of a message: a string, or parts of which each is text. */
function textOf({ content, role }, at) {
  if (role === "assistant" && content == null) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw invalid(`messages.${at}.content`, "content must be a string or a list of text parts");
  const other = content.find((part) => part?.type !== "text" || typeof part.text !== "string");
  if (other !== undefined) throw invalid(`messages.${at}.content`, "this model reads text parts only", "unsupported_value");
  return content.map((part) => part.text).join("");
}

function readStops(given) {
  const stops = [given ?? []].flat();
  if (stops.length > STOPS || stops.some((stop) => typeof stop !== "string" || !stop)) {
    throw invalid("stop", `stop must be a string or a list of at most ${STOPS}, none of them empty`);
  }
  return stops;
}

function numberIn(body, name, low, high, whole = false) {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !(value >= low && value <= high) || (whole && !Number.isInteger(value))) {
    throw invalid(name, `${name} must be a ${whole ? "whole " : ""}number from ${low} to ${high}`);
  }
  return value;
}
