//! What a writer of requests must keep to: what a model does not accept does not reach it, and what a model said
//! goes back where it is wanted.

use mainstay_canon::{
    Accepts, ChatMessage, ChatRequest, Headers, ReasoningEffort, ReasoningReplay, Role, Tool,
};
use mainstay_providers::Provider;

use crate::heard::{MODEL, Speaker};
use crate::outcome::{SIGNATURE, THOUGHT};
use crate::requests::{Asked, Fate, everything, fate, json, says_nothing, write};
use crate::scenario::{Form, Scenario};
use crate::spelling::spelling;

/// What a model does not accept does not reach it.
pub(crate) fn accepts_is_obeyed(provider: &'static Provider) -> Vec<String> {
    let mut wrong = Vec::new();
    let everything = everything();
    for speaker in Speaker::all_of(provider) {
        let base = (provider.accepts)(MODEL);
        let lacking: [(&str, Accepts, &[&str]); 5] = [
            ("images", Accepts { images: false, ..base.clone() }, &["image", "image by URL", "image by id"]),
            ("tools", Accepts { tools: false, ..base.clone() }, &["tools", "tool choice required"]),
            ("sampling", Accepts { sampling: false, ..base.clone() }, &["temperature", "top_p"]),
            ("effort", Accepts { effort: false, ..base.clone() }, &["effort"]),
            ("schema", Accepts { json_schema: false, ..base.clone() }, &["JSON schema"]),
        ];
        for (what, accepts, names) in &lacking {
            for asked in everything.iter().filter(|asked| names.contains(&asked.what)) {
                let fate = fate(speaker, MODEL, accepts, asked);
                // A schema may still be told in words, with our own check behind it.
                let is_fair = match fate {
                    Fate::Refused | Fate::Noted => true,
                    // Not to think may be told to a model that does not.
                    Fate::Said if asked.request.reasoning_effort == Some(ReasoningEffort::None) => true,
                    Fate::Said => *what == "schema" && notes(speaker, accepts, asked) > 0,
                    Fate::Lost => says_nothing(asked, accepts),
                };
                if !is_fair {
                    wrong.push(format!("{speaker:?}: {} without {what} is {fate:?}", asked.what));
                }
            }
        }
        wrong.extend(roles(speaker, &base));
    }
    wrong
}

fn notes(speaker: Speaker, accepts: &Accepts, asked: &Asked) -> usize {
    write(speaker, MODEL, accepts, &asked.request).map_or(0, |out| out.notes.len())
}

/// Where a role is not accepted, its words reach the model under another.
fn roles(speaker: Speaker, base: &Accepts) -> Vec<String> {
    let mut wrong = Vec::new();
    let request = ChatRequest::user("Hello.").system("marked system");
    let developer = ChatRequest {
        messages: vec![
            ChatMessage::new(Role::Developer, "marked developer"),
            ChatMessage::new(Role::User, "Hello."),
        ],
        ..ChatRequest::default()
    };
    let none = Accepts { system_role: false, developer_role: false, ..base.clone() };
    let plain = Accepts { system_role: true, developer_role: false, ..base.clone() };
    for (what, accepts, request, mark, banned) in [
        (
            "system",
            &none,
            &request,
            "marked system",
            &["\"system\"", "systemInstruction", "\"instructions\""][..],
        ),
        (
            "developer",
            &none,
            &developer,
            "marked developer",
            &["\"system\"", "\"developer\"", "systemInstruction", "\"instructions\""][..],
        ),
        ("developer", &plain, &developer, "marked developer", &["\"developer\""][..]),
    ] {
        match write(speaker, MODEL, accepts, request) {
            Err(failure) => wrong.push(format!("{speaker:?}: {what} is refused: {failure}")),
            Ok(out) => {
                let body = String::from_utf8(out.body).unwrap();
                if !body.contains(mark) {
                    wrong.push(format!("{speaker:?}: the words of {what} are lost"));
                }
                if let Some(word) = banned.iter().find(|word| body.contains(**word)) {
                    wrong.push(format!("{speaker:?}: {word} is sent to a model that does not take it"));
                }
            }
        }
    }
    wrong
}

/// What a model said comes back to it: its calls always, its reasoning as the replay mode says, and signatures only
/// to the model that made them.
pub(crate) fn reasoning_goes_back_where_it_is_wanted(provider: &'static Provider) -> Vec<String> {
    let mut wrong = Vec::new();
    for speaker in Speaker::all_of(provider) {
        let Some(spelling) = spelling(speaker.upstream.dialect()) else { continue };
        let heard = |scenario| {
            let wire = (spelling.spell)(scenario, Form::Whole)?;
            speaker.read_whole(&Headers::new(), &wire.body).ok()
        };
        let (Some(thought), Some(called)) = (
            heard(Scenario::SignedReasoning).or_else(|| heard(Scenario::Reasoning)),
            heard(Scenario::OneCall),
        ) else {
            wrong.push(format!("{speaker:?}: nothing to send back"));
            continue;
        };
        let replayed = |mode: ReasoningReplay, with_call: bool, model: &str| {
            let accepts = Accepts { reasoning_replay: mode, ..(provider.accepts)(model) };
            let mut turn = ChatMessage::new(Role::Assistant, "Yes.");
            turn.reasoning_content.clone_from(&thought.reasoning_content);
            turn.reasoning_blocks.clone_from(&thought.reasoning_blocks);
            let mut request = ChatRequest::user("Hello.");
            let mut next = ChatMessage::new(Role::User, "Go on.");
            if with_call {
                turn.tool_calls.clone_from(&called.tool_calls);
                next = ChatMessage {
                    tool_call_id: Some("call_1".to_owned()),
                    name: Some("weather".to_owned()),
                    ..ChatMessage::new(Role::Tool, "marked result")
                };
                request.tools.push(Tool::function("weather", "", json(r#"{"type":"object"}"#)));
            }
            request.messages.extend([turn, next]);
            match write(speaker, model, &accepts, &request) {
                Ok(out) => String::from_utf8(out.body).unwrap(),
                Err(failure) => failure.to_string(),
            }
        };
        wrong.extend(modes(speaker, &replayed));
    }
    wrong
}

fn modes(speaker: Speaker, replayed: &dyn Fn(ReasoningReplay, bool, &str) -> String) -> Vec<String> {
    use ReasoningReplay::{All, Never, ToolLoop};
    let thought = THOUGHT.concat();
    let goes_back = |body: &str| body.contains(&thought) || body.contains(SIGNATURE);
    let mut wrong = Vec::new();
    for with_call in [false, true] {
        let say = |what: &str| {
            format!("{speaker:?}, {} call: {what}", if with_call { "with a" } else { "without" })
        };
        let [never, in_loop, all] = [Never, ToolLoop, All].map(|mode| replayed(mode, with_call, MODEL));
        if goes_back(&never) {
            wrong.push(say("reasoning goes to a model that never wants it"));
        }
        if with_call && goes_back(&in_loop) != goes_back(&all) {
            wrong.push(say("a tool loop gets less than everything"));
        }
        if !with_call && goes_back(&in_loop) {
            wrong.push(say("reasoning goes back outside of a tool loop"));
        }
        if replayed(All, with_call, "m-other").contains(SIGNATURE) {
            wrong.push(say("a signature goes to another model"));
        }
        for body in [&never, &in_loop, &all] {
            let says_call = ["weather", "Köln", "marked result"].iter().all(|mark| body.contains(mark));
            if with_call && !says_call {
                wrong.push(say(&format!("the call is lost: {body}")));
            }
        }
    }
    wrong
}
