//! What one line holds: an answer with its prompt, or a provider's raw reply.

use mainstay_canon::{Answer, ChatRequest, Dialect, Extra, Failure, FinishMeaning, Target, Tool, WireReply};
use mainstay_dialects::{Inbound, anthropic, openai_chat, openai_responses};
use mainstay_normalize::{Context, estimate_tokens, whole};
use mainstay_providers::{Provider, for_dialect};
use mainstay_quality::score::Sample;
use serde_json::{Map, Value};

/// What is judged.
pub(super) struct Subject {
    /// Its name, where it has one.
    pub(super) id: Option<String>,
    /// What was asked, as far as that is known; a raw reply alone is taken to answer one that offers the tools
    /// that were called.
    pub(super) request: ChatRequest,
    /// What was answered.
    pub(super) answer: Result<Answer, Failure>,
    /// The line with its label, where it is no raw reply.
    pub(super) sample: Option<Sample>,
}

/// Reads a line.
pub(super) fn read(line: &str) -> Result<Subject, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| format!("not JSON: {error}"))?;
    let Value::Object(mut members) = value else {
        return Err("not a JSON object".into());
    };
    if members.get("response").is_some_and(Value::is_string) {
        let sample = Sample::read(line).map_err(|error| error.to_string())?;
        let (request, answer) = (sample.request(), Ok(sample.answer()));
        let id = Some(sample.id.clone()).filter(|id| !id.is_empty());
        return Ok(Subject { id, request, answer, sample: Some(sample) });
    }
    let asked = members.contains_key("reply").then(|| members.remove("request")).flatten();
    let reply = match members.remove("reply") {
        Some(Value::Object(reply)) => reply,
        Some(Value::String(body)) => {
            serde_json::from_str(&body).map_err(|error| format!("`reply` is not a JSON object: {error}"))?
        }
        Some(_) => return Err("`reply` is neither an object nor its text".into()),
        None => members,
    };
    let Some(dialect) = dialect(&reply) else {
        return Err("neither an answer (a text in `response`) nor a reply of a dialect that is known \
            (`choices`, `output`, `content` with `type: message`, `candidates`, `message` with `done`, or an `error`)"
            .into());
    };
    reply_of(dialect, &reply, asked.as_ref())
}

/// The dialect by the members that only its replies have.
fn dialect(reply: &Map<String, Value>) -> Option<Dialect> {
    let has = |name: &str| reply.contains_key(name);
    if has("choices") || reply.get("object").is_some_and(|word| word == "chat.completion") {
        Some(Dialect::OpenaiChat)
    } else if has("candidates") || has("promptFeedback") {
        Some(Dialect::Gemini)
    } else if has("output") || reply.get("object").is_some_and(|word| word == "response") {
        Some(Dialect::OpenaiResponses)
    } else if reply.get("type").is_some_and(|word| word == "message" || word == "error") {
        Some(Dialect::Anthropic)
    } else if has("done") || (has("message") && has("model")) {
        Some(Dialect::Ollama)
    } else if has("error") || has("base_resp") {
        Some(Dialect::OpenaiChat)
    } else {
        None
    }
}

fn reply_of(dialect: Dialect, reply: &Map<String, Value>, asked: Option<&Value>) -> Result<Subject, String> {
    let provider = for_dialect(dialect).ok_or_else(|| format!("{dialect} is not spoken yet"))?;
    let body = serde_json::to_vec(reply).map_err(|error| error.to_string())?;
    let id = ["id", "responseId"].iter().find_map(|name| reply.get(*name)?.as_str()).map(str::to_owned);
    let wire = provider.upstream.read_reply(&body);
    let request = match asked {
        Some(asked) => request(asked)?,
        None => offering(wire.as_ref().ok()),
    };
    let answer = wire.and_then(|wire| answer(provider, dialect, &request, wire));
    Ok(Subject { id, request, answer, sample: None })
}

/// Every host's words: a reply does not say whose it is, so any word that one provider of the dialect knows is known.
fn answer(
    provider: &Provider,
    dialect: Dialect,
    request: &ChatRequest,
    wire: WireReply,
) -> Result<Answer, Failure> {
    let finish = |word: &str| -> Option<FinishMeaning> {
        provider.meaning(word).or_else(|| {
            let mut same = mainstay_providers::ALL.iter().filter(|other| other.upstream.dialect() == dialect);
            same.find_map(|other| other.meaning(word))
        })
    };
    let target = Target::new(provider.id, wire.model.as_deref().unwrap_or("unknown"));
    let prompt_estimate = request.messages.iter().map(|message| estimate_tokens(&message.text())).sum();
    whole(&Context { target: &target, finish: &finish, prompt_estimate, dialect }, wire)
}

/// A caller's request in any dialect that callers speak.
fn request(asked: &Value) -> Result<ChatRequest, String> {
    let body = serde_json::to_vec(asked).map_err(|error| error.to_string())?;
    let faces: [&dyn Inbound; 3] = if asked.get("input").is_some() {
        [&openai_responses::INBOUND, &openai_chat::INBOUND, &anthropic::Face]
    } else if asked.get("max_tokens").is_some() && asked.get("system").is_some() {
        [&anthropic::Face, &openai_chat::INBOUND, &openai_responses::INBOUND]
    } else {
        [&openai_chat::INBOUND, &anthropic::Face, &openai_responses::INBOUND]
    };
    let mut why = String::new();
    for face in faces {
        match face.read_request(&body) {
            Ok(received) => return Ok(received.request),
            Err(failure) if why.is_empty() => why = failure.message,
            Err(_) => {}
        }
    }
    Err(format!("`request` cannot be read: {why}"))
}

/// Without a request nobody knows what was asked; the tools that were called are taken to have been on offer.
fn offering(reply: Option<&WireReply>) -> ChatRequest {
    let called = reply.into_iter().flat_map(|reply| &reply.tool_calls);
    let tools = called.map(|call| Tool {
        name: call.name.clone(),
        description: None,
        parameters: None,
        strict: None,
        extra: Extra::new(),
        native: None,
    });
    ChatRequest { tools: tools.collect(), ..ChatRequest::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(line: &str) -> String {
        read(line).unwrap().answer.unwrap().text
    }

    #[test]
    fn raw_replies_of_every_dialect_are_told_apart() {
        for line in [
            r#"{"id":"1","choices":[{"index":0,"message":{"content":"Hi."},"finish_reason":"stop"}]}"#,
            r#"{"object":"response","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi."}]}]}"#,
            r#"{"type":"message","content":[{"type":"text","text":"Hi."}],"stop_reason":"end_turn"}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":"Hi."}]},"finishReason":"STOP"}]}"#,
            r#"{"model":"m","message":{"role":"assistant","content":"Hi."},"done":true,"done_reason":"stop"}"#,
            r#"{"reply":{"choices":[{"index":0,"message":{"content":"Hi."},"finish_reason":"stop"}]},"request":{"model":"m","messages":[{"role":"user","content":"Hi"}]}}"#,
            r#"{"response":"Hi."}"#,
        ] {
            assert_eq!(text_of(line), "Hi.", "{line}");
        }
    }

    #[test]
    fn what_is_neither_is_said() {
        for line in [
            "7",
            "{",
            "{}",
            r#"{"reply":3}"#,
            r#"{"reply":"no"}"#,
            r#"{"response":"x","finish_reason":"odd"}"#,
        ] {
            assert!(read(line).is_err(), "{line}");
        }
    }

    #[test]
    fn an_error_inside_a_reply_is_a_failure_and_no_answer() {
        let subject = read(r#"{"error":{"message":"over","type":"server_error"}}"#).unwrap();
        assert!(subject.answer.is_err());
    }
}
