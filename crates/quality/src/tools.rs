//! Whether the tool calls of an answer can be run.
//!
//! A call must name a tool that was offered, and its arguments must be a JSON object that satisfies the
//! tool's schema. What the tool does is not known here.

use mainstay_canon::{Answer, FinishReason, Tool, ToolCall, ToolChoice};
use serde_json::Value;

use crate::ask::Ask;
use crate::plain::clip;
use crate::repair;
use crate::schema::{Schema, Schemas};

/// Bytes of a name that reach a detail.
const NAME: usize = 64;

/// What became of the calls.
pub(crate) enum Calls {
    /// All can be run.
    Good {
        /// A schema that could not be checked against, and why.
        skipped: Option<String>,
        /// The calls with their arguments repaired, where something was.
        repaired: Option<Vec<ToolCall>>,
    },
    /// One cannot.
    Bad(Fault),
}

/// Why a call cannot be run.
#[derive(Debug)]
pub(crate) struct Fault {
    /// The rule.
    pub(crate) rule: &'static str,
    /// A sentence.
    pub(crate) detail: String,
}

/// Checks all calls of an answer.
pub(crate) fn check(ask: &Ask<'_>, answer: &Answer, schemas: &Schemas, repair: bool) -> Calls {
    let finish = answer.finish_reason;
    let mut skipped = None;
    let mut repaired: Option<Vec<ToolCall>> = None;
    for (index, call) in answer.tool_calls.iter().enumerate() {
        match check_call(ask, call, finish, schemas, repair) {
            Ok(good) => {
                skipped = skipped.or(good.skipped);
                if let Some(arguments) = good.arguments {
                    let calls = repaired.get_or_insert_with(|| answer.tool_calls.clone());
                    if let Some(call) = calls.get_mut(index) {
                        call.arguments = arguments;
                    }
                }
            }
            Err(fault) => return Calls::Bad(fault),
        }
    }
    Calls::Good { skipped, repaired }
}

/// A call that can be run.
struct GoodCall {
    skipped: Option<String>,
    arguments: Option<String>,
}

fn check_call(
    ask: &Ask<'_>,
    call: &ToolCall,
    finish: FinishReason,
    schemas: &Schemas,
    repair: bool,
) -> Result<GoodCall, Fault> {
    let tool = offered(ask, &call.name)?;
    if tool.is_some_and(|tool| tool.native.is_some()) {
        // A dialect's own tool: its arguments may be free text.
        return Ok(GoodCall { skipped: None, arguments: None });
    }
    let (value, arguments) = arguments_of(call, finish, repair)?;
    let Some(parameters) = tool.and_then(|tool| tool.parameters.as_ref()) else {
        return Ok(GoodCall { skipped: None, arguments });
    };
    let schema = schemas.of(parameters.text());
    let name = clip(&call.name, NAME);
    match schema.fault(&value) {
        Some(fault) => Err(Fault {
            rule: "malformed_tool_call.schema",
            detail: format!("arguments of \"{name}\" miss the schema: {fault}"),
        }),
        None => Ok(GoodCall { skipped: skipped_note(&schema, name), arguments }),
    }
}

fn skipped_note(schema: &Schema, name: &str) -> Option<String> {
    schema.skipped().map(|why| format!("arguments of \"{name}\" not checked: {why}"))
}

/// The tool of that name; `None` where a dialect's own tools may bring names of their own.
fn offered<'a>(ask: &Ask<'a>, name: &str) -> Result<Option<&'a Tool>, Fault> {
    let shown = clip(name, NAME);
    let fault = |rule, detail| Err(Fault { rule, detail });
    match ask.tool_choice {
        Some(ToolChoice::None) => {
            return fault(
                "malformed_tool_call.not_asked",
                format!("calls \"{shown}\" though no call was allowed"),
            );
        }
        Some(ToolChoice::Named(wanted)) if wanted != name => {
            let wanted = clip(wanted, NAME);
            return fault(
                "malformed_tool_call.other_tool",
                format!("calls \"{shown}\" where \"{wanted}\" was required"),
            );
        }
        Some(ToolChoice::Auto | ToolChoice::Required | ToolChoice::Named(_)) | None => {}
    }
    if let Some(tool) = ask.tools.iter().find(|tool| tool.name == name) {
        return Ok(Some(tool));
    }
    if ask.tools.iter().any(|tool| tool.native.is_some()) {
        return Ok(None);
    }
    fault("malformed_tool_call.unknown_tool", format!("calls \"{shown}\", which was not offered"))
}

/// The arguments as a value; with repair, also as the text that should be run instead.
fn arguments_of(
    call: &ToolCall,
    finish: FinishReason,
    repair: bool,
) -> Result<(Value, Option<String>), Fault> {
    let text = call.arguments.trim();
    let name = clip(&call.name, NAME);
    let fault = |rule, words: &str| Fault { rule, detail: format!("arguments of \"{name}\" {words}") };
    let cut = finish == FinishReason::Length;
    if text.is_empty() || text == "null" {
        // Nothing stands for no arguments, but only where the model says that it finished the call.
        return match finish {
            FinishReason::ToolCall => Ok((Value::Object(serde_json::Map::new()), None)),
            FinishReason::Length => Err(fault("malformed_tool_call.cut", "were cut by the token limit")),
            FinishReason::Stop
            | FinishReason::Refusal
            | FinishReason::ContentFilter
            | FinishReason::Pause
            | FinishReason::Empty => Err(fault("malformed_tool_call.no_arguments", "are missing")),
        };
    }
    let read = match serde_json::from_str::<Value>(text) {
        Ok(value) => Some((value, None)),
        Err(_) if repair => repair::read(text).map(|(value, text)| (value, Some(text.into_owned()))),
        Err(_) => None,
    };
    match read {
        Some((value @ Value::Object(_), text)) => Ok((value, text)),
        Some((Value::String(inner), _)) if repair => match serde_json::from_str::<Value>(&inner) {
            // JSON within a JSON string: encoded once too often.
            Ok(value @ Value::Object(_)) => Ok((value, Some(inner))),
            Ok(_) | Err(_) => Err(fault("malformed_tool_call.not_an_object", "are not a JSON object")),
        },
        Some(_) => Err(fault("malformed_tool_call.not_an_object", "are not a JSON object")),
        None if cut => Err(fault("malformed_tool_call.cut", "were cut by the token limit")),
        None => Err(fault("malformed_tool_call.not_json", "are not JSON")),
    }
}

/// The tools of a request with their schemas, kept beyond it: what a stream needs to judge a call.
#[derive(Default)]
pub(crate) struct Offer {
    tools: Vec<(String, Option<std::sync::Arc<Schema>>)>,
    native: bool,
}

impl Offer {
    /// The offer of a request.
    pub(crate) fn of(ask: &Ask<'_>, schemas: &Schemas) -> Self {
        let tools = ask.tools.iter().map(|tool| {
            let schema = tool.parameters.as_ref().map(|parameters| schemas.of(parameters.text()));
            (tool.name.clone(), schema)
        });
        Self { tools: tools.collect(), native: ask.tools.iter().any(|tool| tool.native.is_some()) }
    }

    /// Whether a complete call can be run as it is.
    pub(crate) fn allows(&self, name: &str, arguments: &str) -> bool {
        let Some((_, schema)) = self.tools.iter().find(|(offered, _)| offered == name) else {
            return self.native;
        };
        let text = if matches!(arguments.trim(), "" | "null") { "{}" } else { arguments };
        match serde_json::from_str::<Value>(text) {
            Ok(value @ Value::Object(_)) => {
                schema.as_ref().is_none_or(|schema| schema.fault(&value).is_none())
            }
            Ok(_) | Err(_) => self.native,
        }
    }
}

impl std::fmt::Debug for Offer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.tools.iter().map(|(name, _)| name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_canon::{ChatRequest, Extra, RawJson};

    fn call(name: &str, arguments: &str) -> ToolCall {
        ToolCall { id: "c".into(), name: name.into(), arguments: arguments.into(), extra: Extra::new() }
    }

    fn request() -> ChatRequest {
        let schema = r#"{"type":"object","properties":{"city":{"type":"string"},"unit":{"enum":["C","F"]}},"required":["city"]}"#;
        ChatRequest::user("?")
            .tool(Tool::function("weather", "", RawJson::parse(schema).unwrap()))
            .tool(Tool::function("jobs", "", RawJson::parse(r#"{"type":"object","properties":{}}"#).unwrap()))
    }

    fn rule(
        request: &ChatRequest,
        call: ToolCall,
        finish: FinishReason,
        repair: bool,
    ) -> Option<&'static str> {
        let answer = Answer { tool_calls: vec![call], finish_reason: finish, ..Answer::default() };
        match check(&Ask::of(request), &answer, &Schemas::default(), repair) {
            Calls::Good { .. } => None,
            Calls::Bad(fault) => Some(fault.rule),
        }
    }

    #[test]
    fn a_call_must_name_an_offered_tool_and_satisfy_its_schema() {
        let rule = |call| rule(&request(), call, FinishReason::ToolCall, false);
        assert_eq!(rule(call("weather", r#"{"city":"Oslo","unit":"C"}"#)), None);
        assert_eq!(rule(call("wether", r#"{"city":"Oslo"}"#)), Some("malformed_tool_call.unknown_tool"));
        assert_eq!(rule(call("weather", r#"{"city":7}"#)), Some("malformed_tool_call.schema"));
        assert_eq!(
            rule(call("weather", r#"{"city":"Oslo","unit":"K"}"#)),
            Some("malformed_tool_call.schema")
        );
        assert_eq!(rule(call("weather", r#"{"city":"#)), Some("malformed_tool_call.not_json"));
        assert_eq!(rule(call("weather", r#"["Oslo"]"#)), Some("malformed_tool_call.not_an_object"));
    }

    #[test]
    fn empty_arguments_are_fine_for_a_tool_that_needs_none() {
        assert_eq!(rule(&request(), call("jobs", ""), FinishReason::ToolCall, false), None);
        assert_eq!(
            rule(&request(), call("weather", ""), FinishReason::ToolCall, false),
            Some("malformed_tool_call.schema")
        );
        assert_eq!(
            rule(&request(), call("jobs", ""), FinishReason::Length, false),
            Some("malformed_tool_call.cut")
        );
    }

    #[test]
    fn a_call_cut_by_the_limit_says_so() {
        let cut = rule(&request(), call("weather", r#"{"city":"Os"#), FinishReason::Length, false);
        assert_eq!(cut, Some("malformed_tool_call.cut"));
    }

    #[test]
    fn arguments_are_repaired_only_where_that_is_allowed() {
        for arguments in
            [r#"{"city":"Oslo",}"#, "```json\n{\"city\":\"Oslo\"}\n```", r#""{\"city\":\"Oslo\"}""#]
        {
            assert!(rule(&request(), call("weather", arguments), FinishReason::ToolCall, false).is_some());
            assert_eq!(
                rule(&request(), call("weather", arguments), FinishReason::ToolCall, true),
                None,
                "{arguments}"
            );
        }
    }

    #[test]
    fn a_choice_of_tools_is_kept_to() {
        let mut request = request();
        request.tool_choice = Some(ToolChoice::None);
        assert_eq!(
            rule(&request, call("jobs", "{}"), FinishReason::ToolCall, false),
            Some("malformed_tool_call.not_asked")
        );
        request.tool_choice = Some(ToolChoice::Named("weather".into()));
        assert_eq!(
            rule(&request, call("jobs", "{}"), FinishReason::ToolCall, false),
            Some("malformed_tool_call.other_tool")
        );
    }

    #[test]
    fn a_schema_that_does_not_compile_is_skipped_aloud() {
        let request = ChatRequest::user("?").tool(Tool::function(
            "f",
            "",
            RawJson::parse(r#"{"type":"OBJECT"}"#).unwrap(),
        ));
        let answer = Answer {
            tool_calls: vec![call("f", "{}")],
            finish_reason: FinishReason::ToolCall,
            ..Answer::default()
        };
        let Calls::Good { skipped, .. } = check(&Ask::of(&request), &answer, &Schemas::default(), false)
        else {
            panic!()
        };
        assert!(skipped.unwrap().contains("not checked"));
    }
}
