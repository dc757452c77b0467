//! What one answer says, response by response: whole replies are one, streams are many.
//!
//! Source: Gemini API reference, GenerateContentResponse, 2026-11. What a finish word means is not decided here, nor
//! how responses are told apart on the wire.

use mainstay_canon::{
    Dialect, Extra, ExtraPiece, Failure, Joins, Media, MediaSource, RawJson, Shown, WireEvent,
};
use serde_json::value::RawValue;

use super::calls::Calls;
use super::error;
use super::json::Object;
use super::marks::{self, Place, SIGNATURE};
use super::stream_piece::Piece;
use super::usage::{self, Counters};
use crate::media;

/// What stands before the reason for which a prompt was blocked: such an answer has no finish word of its own.
const BLOCKED: &str = "promptFeedback:";

/// The words, by name and by number, of an answer that was cut by its token limit.
const CUT: [&str; 2] = ["MAX_TOKENS", "2"];

/// The words, by name and by number, with which a model ends its turn, or hands over to the server.
const GOOD: [&str; 2] = ["STOP", "1"];

/// Members of a response that have a canonical name.
const RESPONSE: [&str; 4] = ["candidates", "usageMetadata", "modelVersion", "responseId"];
/// Members of a candidate that have one, or say nothing.
const CANDIDATE: [&str; 3] = ["content", "finishReason", "index"];
/// The member of a candidate whose lists go on from response to response. All else is a running value.
const LOGPROBS: &str = "logprobsResult";

/// One answer being read.
#[derive(Debug, Default)]
pub(super) struct Reading {
    id: Option<String>,
    model: Option<String>,
    /// Bytes of visible text so far.
    text: usize,
    calls: Calls,
    counters: Counters,
    /// Members without a canonical name, as they were last said.
    extras: Extra,
    /// Whether the last content came with a finish word or before one. A model that runs code on the server stops
    /// once to have it run and then goes on (recorded 2026-08), so a finish word alone is no end.
    finished: bool,
    /// Whether the last part asks for something that the server runs itself: its result is still to come.
    awaits_server: bool,
}

impl Reading {
    /// Whether a finish word came, and nothing after it.
    pub(super) fn is_finished(&self) -> bool {
        self.finished
    }

    /// Takes one response. Whatever is missing or null reads as nothing said (behaviour 3.4).
    ///
    /// # Errors
    ///
    /// The failure that an error object states; `InvalidResponse` for a call that cannot be put together.
    pub(super) fn response(
        &mut self,
        response: &Object<'_>,
        out: &mut Vec<WireEvent>,
    ) -> Result<(), Failure> {
        if let Some(failure) = error::inside(response) {
            return Err(failure);
        }
        let before = out.len();
        self.start(response.word("responseId").as_deref(), response.word("modelVersion").as_deref(), out);
        let candidate = first(response);
        if let Some(content) = candidate.as_ref().and_then(|candidate| candidate.object("content")) {
            for part in content.list("parts") {
                self.part(part, out)?;
            }
        }
        self.extras(response, candidate.as_ref(), out);
        self.finished &= out.iter().skip(before).all(|event| !is_content(event));
        if let Some(usage) = response.object("usageMetadata") {
            self.counters.merge(Counters::of(&usage));
            out.push(WireEvent::Usage(self.counters.totals()));
        }
        if let Some(candidate) = candidate {
            if let Some(word) = candidate.word("finishReason") {
                self.finish(word, candidate.word("finishMessage"), out);
            }
        } else if let Some(blocked) = response.object("promptFeedback")
            && let Some(reason) = blocked.word("blockReason")
        {
            self.finish(format!("{BLOCKED}{reason}"), blocked.word("blockReasonMessage"), out);
        }
        if out.len() == before {
            out.push(WireEvent::KeepAlive);
        }
        Ok(())
    }

    /// Takes a response that is one piece of text, as [`Self::response`] would.
    pub(super) fn piece(&mut self, piece: Piece<'_>, out: &mut Vec<WireEvent>) {
        let before = out.len();
        self.start(piece.id, piece.model, out);
        if !piece.text.is_empty() {
            self.awaits_server = false;
            self.finished = false;
            self.text(piece.text, &Extra::new(), out);
        }
        if let Some(usage) = piece.usage {
            self.counters.merge(usage);
            out.push(WireEvent::Usage(self.counters.totals()));
        }
        if out.len() == before {
            out.push(WireEvent::KeepAlive);
        }
    }

    /// Members without a canonical name that are new: grounding, citations, safety ratings, why a prompt was blocked.
    fn extras(&mut self, response: &Object<'_>, candidate: Option<&Object<'_>>, out: &mut Vec<WireEvent>) {
        let mut rest = response.rest(&RESPONSE);
        let of_candidate = candidate.map(|candidate| candidate.rest(&CANDIDATE)).unwrap_or_default();
        for (name, value) in of_candidate.iter() {
            rest.insert(name, value.clone());
        }
        let counts = response.object("usageMetadata").map(|counts| usage::rest(&counts)).unwrap_or_default();
        if let Some(counts) = (!counts.is_empty()).then(|| RawJson::of(&counts).ok()).flatten() {
            rest.insert("usageMetadata", counts);
        }
        let grown: Extra = rest.remove(LOGPROBS).map(|raw| (LOGPROBS.to_owned(), raw)).into_iter().collect();
        let news: Extra = rest
            .iter()
            .filter(|(name, raw)| self.extras.get(name) != Some(raw))
            .map(|(name, raw)| (name.to_owned(), raw.clone()))
            .collect();
        for (name, raw) in news.iter() {
            self.extras.insert(name, raw.clone());
        }
        for (members, joins) in [(news, Joins::Replace), (grown, Joins::Append)] {
            if !members.is_empty() {
                out.push(WireEvent::Extra(ExtraPiece { dialect: Dialect::Gemini, members, joins }));
            }
        }
    }

    /// The answer is over, with or without a finish word: what is open ends.
    pub(super) fn end(&mut self, out: &mut Vec<WireEvent>) {
        self.calls.end(out);
    }

    /// Says id and model when they are new.
    fn start(&mut self, id: Option<&str>, model: Option<&str>, out: &mut Vec<WireEvent>) {
        let mut news = false;
        for (known, said) in [(&mut self.id, id), (&mut self.model, model)] {
            let said = said.filter(|said| !said.is_empty() && Some(*said) != known.as_deref());
            news |= said.is_some();
            *known = said.map(str::to_owned).or_else(|| known.take());
        }
        if news {
            out.push(WireEvent::Start { id: self.id.clone(), model: self.model.clone() });
        }
    }

    fn part(&mut self, raw: &RawValue, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        let Some(part) = Object::of(raw) else { return Ok(()) };
        if let Some(call) = part.object("functionCall") {
            return self.call(&call, &part, out);
        }
        let text = part.text("text");
        let says_more = part.has_beside(&["text", "thought"]);
        if says_more || text.as_ref().is_some_and(|text| !text.is_empty()) {
            self.awaits_server = ["executableCode", "toolCall"].iter().any(|name| part.get(name).is_some());
        }
        let is_thought = part.flag("thought");
        match text {
            Some(text) if is_thought => self.thought(&text, &part, raw, out),
            Some(text) => {
                let members = if says_more { part.rest(&["text", "thought"]) } else { Extra::new() };
                self.text(text.into_owned(), &members, out);
            }
            None if !part.has_beside(&["text", "thought", "functionCall"]) => out.push(WireEvent::KeepAlive),
            // A draft of an image is thought, too; it does not go back unless it is signed.
            None if is_thought && part.get(SIGNATURE).is_none() => out.push(WireEvent::KeepAlive),
            // Code that ran on the server, its result, an image, a signature alone.
            None => {
                out.extend(marks::whole(self.place(), raw).map(WireEvent::ReasoningBlock));
                out.extend(shown(&part).filter(|_| !is_thought).map(WireEvent::Shown));
            }
        }
        Ok(())
    }

    fn thought(&self, text: &str, part: &Object<'_>, raw: &RawValue, out: &mut Vec<WireEvent>) {
        if !text.is_empty() {
            out.push(WireEvent::Reasoning(text.to_owned()));
        }
        if part.word(SIGNATURE).is_some() {
            out.extend(marks::whole(self.place(), raw).map(WireEvent::ReasoningBlock));
        }
    }

    fn text(&mut self, text: String, members: &Extra, out: &mut Vec<WireEvent>) {
        let mark = if members.is_empty() { None } else { marks::on_text(self.place(), &text, members) };
        self.text = self.text.saturating_add(text.len());
        if !text.is_empty() {
            out.push(WireEvent::Text(text));
        }
        out.extend(mark.map(WireEvent::ReasoningBlock));
    }

    fn call(
        &mut self,
        call: &Object<'_>,
        part: &Object<'_>,
        out: &mut Vec<WireEvent>,
    ) -> Result<(), Failure> {
        let members = part.rest(&["functionCall", "thought"]);
        let after = self.place();
        if let Some(call) = self.calls.take(call, &members, out)?
            && !members.is_empty()
        {
            let after = Place { calls: after.calls.min(call.index), ..after };
            out.extend(marks::on_call(after, call, &members).map(WireEvent::ReasoningBlock));
        }
        Ok(())
    }

    fn finish(&mut self, word: String, message: Option<String>, out: &mut Vec<WireEvent>) {
        if CUT.contains(&word.as_str()) {
            self.calls.cut(out);
        } else {
            self.calls.end(out);
        }
        self.finished = !(self.awaits_server && GOOD.contains(&word.as_str()));
        // What follows the colon may repeat the answer, which has no place in a record.
        let native = message.map(|message| message.split(':').next().unwrap_or_default().to_owned());
        out.push(WireEvent::Finish { word, native, stop_sequence: None });
    }

    fn place(&self) -> Place {
        Place { text: self.text, calls: self.calls.count() }
    }
}

/// What a part shows: a picture, a sound or a file that the model made.
fn shown(part: &Object<'_>) -> Option<Shown> {
    let inline = part.object("inlineData").map(|blob| (blob, "data"));
    let (blob, place) = inline.or_else(|| Some((part.object("fileData")?, "fileUri")))?;
    let source = blob.word(place)?;
    let source = if place == "data" { MediaSource::Base64(source) } else { MediaSource::Url(source) };
    let media = Media { mime: blob.word("mimeType"), name: blob.word("displayName"), source };
    Some(media::of_mime(media, Dialect::Gemini))
}

const fn is_content(event: &WireEvent) -> bool {
    match event {
        WireEvent::Text(_)
        | WireEvent::Reasoning(_)
        | WireEvent::ReasoningBlock(_)
        | WireEvent::Shown(_)
        | WireEvent::Refusal(_)
        | WireEvent::ToolStart { .. }
        | WireEvent::ToolArguments { .. } => true,
        WireEvent::Start { .. }
        | WireEvent::ToolEnd { .. }
        | WireEvent::KeepAlive
        | WireEvent::Finish { .. }
        | WireEvent::Usage(_)
        | WireEvent::Extra(_)
        | WireEvent::End => false,
    }
}

/// The candidate that is read: the one of index 0, which mostly is not spelled out.
fn first<'a>(response: &Object<'a>) -> Option<Object<'a>> {
    let mut candidates = response.list("candidates").into_iter().filter_map(Object::of);
    candidates.find(|candidate| candidate.count("index").unwrap_or(0) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_canon::{Kind, WireUsage};
    use serde_json::{Value, json};

    fn events(responses: &[Value]) -> Result<Vec<WireEvent>, Failure> {
        let (mut reading, mut out) = (Reading::default(), Vec::new());
        for response in responses {
            reading.response(&Object::parse(&response.to_string()).unwrap(), &mut out)?;
        }
        Ok(out)
    }

    fn without_extras(mut events: Vec<WireEvent>) -> Vec<WireEvent> {
        events.retain(|event| !matches!(event, WireEvent::Extra(_)));
        events
    }

    #[test]
    fn members_without_a_name_are_told_when_they_are_new_and_log_probabilities_grow() {
        let candidate = |more: Value| {
            let mut candidate = json!({"groundingMetadata": {"webSearchQueries": ["q"]}});
            candidate["logprobsResult"] = json!({"chosenCandidates": [more]});
            json!({"createTime": "t", "candidates": [candidate]})
        };
        let seen = events(&[candidate(json!(1)), candidate(json!(2))]).unwrap();
        let mut joined = mainstay_canon::JoinedExtra::default();
        let told: Vec<_> = seen
            .iter()
            .filter_map(|event| match event {
                WireEvent::Extra(piece) => Some(piece),
                _ => None,
            })
            .inspect(|piece| assert!(joined.add(piece)))
            .collect();
        assert_eq!(told.len(), 3, "what was said is not said again: {told:?}");
        let extra = joined.extra();
        assert_eq!(extra.names().collect::<Vec<_>>(), ["createTime", "groundingMetadata", LOGPROBS]);
        assert_eq!(extra.get(LOGPROBS).unwrap().text(), r#"{"chosenCandidates":[1,2]}"#);
    }

    fn says(parts: &Value) -> Value {
        json!({"candidates": [{"content": {"role": "model", "parts": parts}}]})
    }

    fn blocks(events: &[WireEvent]) -> Vec<Value> {
        let raw = |event: &WireEvent| match event {
            WireEvent::ReasoningBlock(block) => Some(block.raw.read().unwrap()),
            _ => None,
        };
        events.iter().filter_map(raw).collect()
    }

    #[test]
    fn parts_go_where_they_belong() {
        let seen = events(&[says(&json!([
            {"text": "Hm", "thought": true}, {"text": "It is "}, {"text": ""}, {"text": "4 C", "thought": false}
        ]))])
        .unwrap();
        assert_eq!(
            seen,
            [
                WireEvent::Reasoning("Hm".into()),
                WireEvent::Text("It is ".into()),
                WireEvent::Text("4 C".into())
            ]
        );
    }

    #[test]
    fn id_and_model_are_told_when_they_are_new() {
        let chunk = |id: &str| json!({"responseId": id, "modelVersion": "m"});
        let seen = events(&[chunk("a"), chunk("a"), json!({}), chunk("b")]).unwrap();
        let start = |id: &str| WireEvent::Start { id: Some(id.into()), model: Some("m".into()) };
        assert_eq!(seen, [start("a"), WireEvent::KeepAlive, WireEvent::KeepAlive, start("b")]);
    }

    #[test]
    fn signatures_leave_marks_with_the_place_of_their_part() {
        let seen = events(&[
            says(&json!([{"text": "One "}, {"text": "two", "thoughtSignature": "s1"}])),
            says(&json!([{"functionCall": {"name": "f"}, "thoughtSignature": "s2"}, {"functionCall": {"name": "g"}}])),
            says(&json!([{"text": "", "thoughtSignature": "s3"}, {"thoughtSignature": "s4"}])),
        ])
        .unwrap();
        let blocks = blocks(&seen);
        let seen: Vec<_> = blocks.iter().map(|block| (&block["after"], &block["part"])).collect();
        assert_eq!(
            seen,
            [
                (&json!({"text": 4, "calls": 0}), &json!({"thoughtSignature": "s1"})),
                (&json!({"text": 7, "calls": 0}), &json!({"thoughtSignature": "s2"})),
                (&json!({"text": 7, "calls": 2}), &json!({"thoughtSignature": "s3"})),
                (&json!({"text": 7, "calls": 2}), &json!({"thoughtSignature": "s4"})),
            ]
        );
        assert_eq!(blocks[0]["span"]["length"], 3);
        assert_eq!(blocks[1]["call"], json!({"index": 0, "name": "f"}));
    }

    #[test]
    fn a_call_carries_its_signature_itself_too() {
        let seen =
            events(&[says(&json!([{"functionCall": {"name": "f"}, "thoughtSignature": "s"}]))]).unwrap();
        let WireEvent::ToolStart { extra, .. } = &seen[0] else { panic!("{seen:?}") };
        assert_eq!(extra.get("thoughtSignature").unwrap().text(), "\"s\"");
    }

    #[test]
    fn a_signature_may_come_with_a_later_piece_of_a_call() {
        let seen = events(&[
            says(&json!([{"functionCall": {"name": "f", "willContinue": true}}])),
            says(&json!([{"functionCall": {}, "thoughtSignature": "s"}])),
        ])
        .unwrap();
        let block = &blocks(&seen)[0];
        assert_eq!((&block["call"]["index"], &block["after"]["calls"]), (&json!(0), &json!(0)));
    }

    #[test]
    fn parts_without_a_canonical_name_are_kept_whole() {
        let code = json!({"executableCode": {"code": "1 + 1", "language": "PYTHON"}});
        let draft = json!({"thought": true, "inlineData": {"mimeType": "image/png", "data": "QQ=="}});
        let signed = json!({"thought": true, "text": "Hm", "thoughtSignature": "s"});
        let seen = events(&[says(&json!([code, draft, signed, {}, null, 7]))]).unwrap();
        let parts: Vec<_> = blocks(&seen).into_iter().map(|mut block| block["part"].take()).collect();
        assert_eq!(parts, [code, signed]);
    }

    #[test]
    fn only_the_first_candidate_is_read() {
        let other = json!({"candidates": [
            {"index": 1, "content": {"parts": [{"text": "no"}]}, "finishReason": "SAFETY"},
            {"content": {"parts": [{"text": "yes"}]}, "finishReason": "STOP"}
        ]});
        let seen = events(&[other]).unwrap();
        assert_eq!(seen[0], WireEvent::Text("yes".into()));
        assert!(matches!(&seen[1], WireEvent::Finish { word, .. } if word == "STOP"));
    }

    #[test]
    fn a_blocked_prompt_has_its_reason_for_a_finish_word() {
        for empty in [json!({}), json!({"candidates": []}), json!({"candidates": null})] {
            let mut response = empty;
            response["promptFeedback"] = json!({"blockReason": "SAFETY", "blockReasonMessage": "no"});
            let seen = events(&[response]).unwrap();
            let end = WireEvent::Finish {
                word: "promptFeedback:SAFETY".into(),
                native: Some("no".into()),
                stop_sequence: None,
            };
            assert_eq!(without_extras(seen), [end]);
        }
        let feedback = events(&[json!({"promptFeedback": {"safetyRatings": []}})]).unwrap();
        assert!(matches!(&feedback[..], [WireEvent::Extra(_)]), "{feedback:?}");
    }

    #[test]
    fn a_finish_reason_may_be_a_number_and_has_its_message() {
        let seen = events(&[json!({"candidates": [{"finishReason": 1}]})]).unwrap();
        assert!(matches!(&seen[0], WireEvent::Finish { word, .. } if word == "1"));
        let odd = json!({"candidates": [
            {"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "Malformed function call: print(secret"}]});
        let end = WireEvent::Finish {
            word: "MALFORMED_FUNCTION_CALL".into(),
            native: Some("Malformed function call".into()),
            stop_sequence: None,
        };
        assert_eq!(without_extras(events(&[odd]).unwrap()), [end]);
        assert_eq!(events(&[json!({"candidates": [{"finishReason": ""}]})]).unwrap(), [WireEvent::KeepAlive]);
    }

    #[test]
    fn a_call_that_the_limit_cut_is_left_open_and_others_are_closed() {
        let piece = json!({"functionCall": {"name": "f", "willContinue": true, "partialArgs": [
            {"jsonPath": "$.a", "stringValue": "x", "willContinue": true}]}});
        for (word, arguments) in [("STOP", r#"{"a":"x"}"#), ("MAX_TOKENS", r#"{"a":"x"#)] {
            let mut response = says(&json!([piece]));
            response["candidates"][0]["finishReason"] = json!(word);
            let seen = events(&[response]).unwrap();
            let said: String = seen
                .iter()
                .filter_map(|event| match event {
                    WireEvent::ToolArguments { delta, .. } => Some(delta.as_str()),
                    _ => None,
                })
                .collect();
            assert_eq!(said, arguments, "{word}");
            assert_eq!(seen[seen.len() - 2], WireEvent::ToolEnd { index: 0 });
        }
    }

    #[test]
    fn counts_come_before_the_finish_word() {
        let mut response = says(&json!([]));
        response["candidates"][0]["finishReason"] = json!("STOP");
        response["usageMetadata"] = json!({"promptTokenCount": 3, "candidatesTokenCount": 1});
        let usage = WireUsage { prompt: Some(3), completion: Some(1), ..WireUsage::default() };
        assert_eq!(events(&[response]).unwrap()[0], WireEvent::Usage(usage));
    }

    #[test]
    fn a_finish_word_is_the_end_only_if_nothing_follows_it() {
        let ending = |parts: Value, word: Value| json!({"candidates": [{"content": {"parts": parts}, "finishReason": word}]});
        let code = json!([{"executableCode": {"code": "1 + 1"}}]);
        let text = json!([{"text": "a"}]);
        let nothing = json!([{"text": ""}, {"functionCall": {}}]);
        for (responses, finished) in [
            (vec![ending(text.clone(), json!("STOP"))], true),
            (vec![ending(text.clone(), json!("STOP")), ending(nothing, json!(null))], true),
            (vec![ending(text.clone(), json!("STOP")), ending(text.clone(), json!(null))], false),
            (vec![ending(text.clone(), json!("STOP")), ending(text.clone(), json!("STOP"))], true),
            (vec![ending(code.clone(), json!("STOP"))], false),
            (vec![ending(code.clone(), json!("STOP")), ending(json!([{"text": ""}]), json!("STOP"))], false),
            (vec![ending(code.clone(), json!("STOP")), ending(text, json!("STOP"))], true),
            (vec![ending(code, json!("MAX_TOKENS"))], true),
        ] {
            let mut reading = Reading::default();
            for response in &responses {
                reading.response(&Object::parse(&response.to_string()).unwrap(), &mut Vec::new()).unwrap();
            }
            assert_eq!(reading.is_finished(), finished, "{responses:?}");
        }
    }

    #[test]
    fn an_error_object_is_a_failure() {
        let error =
            json!({"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}});
        let failure = events(&[error]).unwrap_err();
        assert_eq!((failure.kind, failure.status), (Kind::Overloaded, Some(503)));
    }
}
