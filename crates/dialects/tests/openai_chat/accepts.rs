//! What a model accepts, and what is therefore written, left out with a note, or refused.

use mainstay_canon::{
    Accepts, ChatRequest, Dialect, ForcedTools, Kind, RawJson, ReasoningEffort, ResponseFormat, Route,
    Temperatures, Thinking, Tool, ToolChoice,
};
use mainstay_dialects::openai_chat::{EffortStyle, OpenAiChat};
use serde_json::{Value, json};

use crate::shared::write;
use ReasoningEffort::{High, Low, Max, Medium, Minimal, None as Nothing};

fn wants(effort: ReasoningEffort) -> ChatRequest {
    ChatRequest { reasoning_effort: Some(effort), ..ChatRequest::user("Go") }
}

fn tool() -> Tool {
    Tool::function("f", "does", RawJson::parse("{}").unwrap())
}

/// The members of the body that say how much to think.
fn thinking(style: EffortStyle, request: &ChatRequest, accepts: &Accepts) -> (Value, Vec<String>) {
    let style = OpenAiChat { effort: style, ..OpenAiChat::STANDARD };
    let (body, notes) = write(&style, request, accepts).unwrap();
    let names = ["reasoning_effort", "reasoning", "thinking", "chat_template_kwargs"];
    let said = names.iter().filter_map(|name| Some(((*name).to_owned(), body.get(name)?.clone())));
    (Value::Object(said.collect()), notes)
}

#[test]
fn an_effort_is_told_as_the_host_wants_it() {
    use EffortStyle::{Object, Switch, Word, WordOrDefault, WordOrOff, WordOrTemplate};
    for (style, effort, said) in [
        (Word, High, json!({"reasoning_effort": "high"})),
        (Word, Nothing, json!({"reasoning_effort": "none"})),
        (WordOrDefault(&["gpt-6"]), High, json!({"reasoning_effort": "default"})),
        (WordOrDefault(&["gpt-6"]), Nothing, json!({"reasoning_effort": "none"})),
        (WordOrDefault(&["other"]), High, json!({"reasoning_effort": "high"})),
        (Object, High, json!({"reasoning": {"effort": "high"}})),
        (Object, Nothing, json!({"reasoning": {"effort": "none"}})),
        (WordOrOff, High, json!({"reasoning_effort": "high"})),
        (WordOrOff, Nothing, json!({"thinking": {"type": "disabled"}})),
        (Switch("adaptive"), High, json!({"thinking": {"type": "adaptive"}})),
        (Switch("adaptive"), Nothing, json!({"thinking": {"type": "disabled"}})),
        (WordOrTemplate, High, json!({"reasoning_effort": "high"})),
        (WordOrTemplate, Nothing, json!({"chat_template_kwargs": {"enable_thinking": false}})),
    ] {
        let (body, notes) = thinking(style, &wants(effort), &Accepts::default());
        assert_eq!(body, said, "{style:?} {effort:?}");
        // A host with one word for it is told less than was wanted.
        let is_less = effort == High && matches!(style, WordOrDefault(&["gpt-6"]) | Switch(_));
        assert_eq!(notes.len(), usize::from(is_less), "{style:?} {notes:?}");
    }
}

#[test]
fn what_the_caller_says_in_the_hosts_own_words_stands_or_is_added_to() {
    use EffortStyle::{Object, WordOrOff, WordOrTemplate};
    for (style, name, own, effort, said, notes) in [
        (Object, "reasoning", json!({"exclude": true}), High, json!({"exclude": true, "effort": "high"}), 0),
        (Object, "reasoning", json!({"max_tokens": 9}), High, json!({"max_tokens": 9}), 1),
        (WordOrOff, "thinking", json!({"type": "enabled"}), Nothing, json!({"type": "enabled"}), 1),
        (
            WordOrTemplate,
            "chat_template_kwargs",
            json!({"x": 1}),
            Nothing,
            json!({"x": 1, "enable_thinking": false}),
            0,
        ),
    ] {
        let mut request = wants(effort);
        request.extra.insert(name, RawJson::of(&own).unwrap());
        let (body, said_notes) = thinking(style, &request, &Accepts::default());
        assert_eq!(body, json!({ name: said }), "{style:?} {own}");
        assert_eq!(said_notes.len(), notes, "{style:?} {own} {said_notes:?}");
        // What another dialect calls so is none of this host's words.
        request.origin = Some(Dialect::Anthropic);
        let (body, _) = thinking(style, &request, &Accepts::default());
        assert_ne!(body, json!({ name: own }), "{style:?}");
    }
}

#[test]
fn an_effort_that_a_model_does_not_know_is_the_next_higher() {
    let accepts = Accepts { efforts: &[Low, High], ..Accepts::default() };
    for (wanted, sent) in
        [(Nothing, "low"), (Minimal, "low"), (Low, "low"), (Medium, "high"), (High, "high"), (Max, "high")]
    {
        let (body, notes) = thinking(EffortStyle::Word, &wants(wanted), &accepts);
        assert_eq!(body, json!({"reasoning_effort": sent}), "{wanted:?}");
        assert_eq!(notes.is_empty(), wanted.word() == sent, "{wanted:?} {notes:?}");
    }
}

#[test]
fn nothing_is_said_and_nothing_lost_where_a_model_that_never_thinks_is_told_not_to() {
    let accepts = Accepts { effort: false, thinking: Thinking::Never, ..Accepts::default() };
    assert_eq!(thinking(EffortStyle::Word, &wants(Nothing), &accepts), (json!({}), vec![]));
    let (body, notes) = thinking(EffortStyle::Word, &wants(Low), &accepts);
    assert_eq!((body, notes), (json!({}), vec!["dropped_param:reasoning_effort".to_owned()]));
}

#[test]
fn where_thinking_and_tools_do_not_go_together_thinking_gives_way() {
    let accepts = Accepts { effort_with_tools: false, ..Accepts::default() };
    let (body, notes) = thinking(EffortStyle::Word, &wants(High).tool(tool()), &accepts);
    assert_eq!(body, json!({"reasoning_effort": "none"}));
    assert_eq!(notes.len(), 1, "{notes:?}");
    let (body, _) = thinking(EffortStyle::Word, &wants(High), &accepts);
    assert_eq!(body, json!({"reasoning_effort": "high"}), "without tools it thinks");

    let always = Accepts { efforts: &[Low, High], thinking: Thinking::Always, ..accepts };
    let refused = write(&OpenAiChat::STANDARD, &wants(High).tool(tool()), &always).unwrap_err();
    assert_eq!((refused.kind, refused.param.as_deref()), (Kind::UnsupportedParameter, Some("tools")));
}

#[test]
fn where_thinking_and_a_forced_call_do_not_go_together_thinking_gives_way() {
    let accepts = Accepts { forced_tools: ForcedTools::AtRest, ..Accepts::default() };
    let forced =
        |effort| ChatRequest { tool_choice: Some(ToolChoice::Required), ..wants(effort).tool(tool()) };
    let (body, notes) = thinking(EffortStyle::WordOrOff, &forced(High), &accepts);
    assert_eq!((body, notes.len()), (json!({"thinking": {"type": "disabled"}}), 1));
    let unsaid = ChatRequest { reasoning_effort: None, ..forced(High) };
    let (body, _) = thinking(EffortStyle::WordOrOff, &unsaid, &accepts);
    assert_eq!(body, json!({"thinking": {"type": "disabled"}}), "it thinks unless told not to");
    let free = wants(High).tool(tool());
    assert_eq!(thinking(EffortStyle::WordOrOff, &free, &accepts).0, json!({"reasoning_effort": "high"}));
}

#[test]
fn sampling_goes_with_a_model_at_rest() {
    let accepts = Accepts { sampling: false, sampling_at_rest: true, ..Accepts::default() };
    let hot = |effort| ChatRequest { temperature: Some(0.5), top_p: Some(0.9), ..wants(effort) };
    let (body, notes) = write(&OpenAiChat::STANDARD, &hot(Nothing), &accepts).unwrap();
    assert_eq!((&body["temperature"], &body["top_p"], notes.len()), (&json!(0.5), &json!(0.9), 0));
    let (body, notes) = write(&OpenAiChat::STANDARD, &hot(Low), &accepts).unwrap();
    assert_eq!((body.get("temperature"), body.get("top_p"), notes.len()), (None, None, 2));
}

#[test]
fn what_is_out_of_range_is_sent_as_the_nearest_in_it() {
    let accepts = Accepts { temperature: Temperatures { least: 1, most: 100 }, ..Accepts::default() };
    for (wanted, sent) in [(0.0, 0.01), (0.5, 0.5), (2.0, 1.0)] {
        let request = ChatRequest { temperature: Some(wanted), ..ChatRequest::user("Go") };
        let (body, notes) = write(&OpenAiChat::STANDARD, &request, &accepts).unwrap();
        assert_eq!(body["temperature"], json!(sent), "{wanted}");
        assert_eq!(notes.is_empty(), (wanted - sent).abs() < 1e-9, "{notes:?}");
    }
}

#[test]
fn what_a_model_does_not_take_is_left_out_and_noted() {
    let mut request = ChatRequest {
        parallel_tool_calls: Some(false),
        response_format: ResponseFormat::Json,
        ..ChatRequest::user("Go").tool(tool())
    };
    request.extra.insert("presence_penalty", RawJson::parse("0").unwrap());
    let accepts =
        Accepts { penalties: false, parallel_choice: false, form_with_tools: false, ..Accepts::default() };
    let (body, notes) = write(&OpenAiChat::STANDARD, &request, &accepts).unwrap();
    for name in ["presence_penalty", "parallel_tool_calls", "response_format"] {
        assert_eq!(body.get(name), None);
        assert!(notes.iter().any(|note| note.contains(name)), "{name} {notes:?}");
    }
    let (body, notes) = write(&OpenAiChat::STANDARD, &request, &Accepts::default()).unwrap();
    assert_eq!((&body["presence_penalty"], &body["parallel_tool_calls"]), (&json!(0), &json!(false)));
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn what_a_host_refuses_is_left_out_and_noted() {
    let style = OpenAiChat { refused_members: &["logprobs"], speaker_names: false, ..OpenAiChat::STANDARD };
    let mut request = ChatRequest::user("Go");
    request.messages[0].name = Some("ann".to_owned());
    request.extra.insert("logprobs", RawJson::parse("true").unwrap());
    let (body, notes) = write(&style, &request, &Accepts::default()).unwrap();
    assert_eq!((body.get("logprobs"), body["messages"][0].get("name")), (None, None));
    assert_eq!(notes.len(), 2, "{notes:?}");
    let (body, notes) = write(&OpenAiChat::STANDARD, &request, &Accepts::default()).unwrap();
    assert_eq!((&body["logprobs"], &body["messages"][0]["name"]), (&json!(true), &json!("ann")));
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn a_model_that_only_responses_serves_is_not_asked_here() {
    let accepts = Accepts { route: Route::Responses, ..Accepts::default() };
    let refused = write(&OpenAiChat::STANDARD, &ChatRequest::user("Go"), &accepts).unwrap_err();
    assert_eq!((refused.kind, refused.param.as_deref()), (Kind::UnsupportedParameter, Some("model")));
}
