//! How much to think, as one model of one host is told it.
//!
//! Sources, 2026-11: OpenAI API reference (Chat, `reasoning_effort`), DeepSeek API docs (Thinking mode), OpenRouter
//! docs (Reasoning tokens), Groq docs (Reasoning), MiniMax API reference (Text), vLLM docs (Reasoning outputs).

use mainstay_canon::{ChatRequest, Failure, ForcedTools, Kind, RawJson, ReasoningEffort, Thinking};
use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::value::RawValue;

use super::json::Members;
use super::notes::Notes;
use super::{EffortStyle, OpenAiChat};
use crate::{Call, limits};

/// What is sent of all this.
#[derive(Debug, Default)]
pub(super) struct Plan<'a> {
    /// The effort that is sent.
    pub(super) level: Option<ReasoningEffort>,
    /// The caller's own member of the style's name, to be written with the effort in it.
    around: Option<Members<'a>>,
}

impl Plan<'_> {
    /// The member that an effort is written into, and that is the caller's no more.
    pub(super) fn owns(&self, style: &OpenAiChat, name: &str) -> bool {
        self.level.is_some()
            && match style.effort {
                EffortStyle::Word | EffortStyle::WordOrDefault(_) => false,
                EffortStyle::Object => name == "reasoning",
                EffortStyle::WordOrOff | EffortStyle::Switch(_) => name == "thinking",
                EffortStyle::WordOrTemplate => {
                    name == "chat_template_kwargs" && self.level == Some(ReasoningEffort::None)
                }
            }
    }
}

/// Decides how much thinking is asked for.
///
/// # Errors
///
/// `UnsupportedParameter` where the model thinks whatever it is told, and does not take tools with that.
pub(super) fn plan<'a>(
    style: &OpenAiChat,
    request: &'a ChatRequest,
    call: &Call<'_>,
    notes: &mut Notes,
) -> Result<Plan<'a>, Failure> {
    let accepts = call.accepts;
    let own = stated(style, request, notes);
    let mut plan = Plan { level: None, around: own.as_ref().and_then(|raw| raw.read().ok()) };
    if let Some(wanted) = request.reasoning_effort {
        match limits::effort(accepts, wanted) {
            // Two ways to say the same: what the caller spelled out in the host's own words stands.
            Some(_) if own.is_some_and(|own| says_itself(style, own)) => notes.dropped("reasoning_effort"),
            Some((sent, note)) => {
                plan.level = Some(sent);
                if let Some(note) = note {
                    notes.say(note);
                }
                if let Some(word) =
                    only_word(style, &call.target.model).filter(|_| sent != ReasoningEffort::None)
                {
                    notes.say(format!("reasoning_effort {} is sent as {word}", sent.word()));
                }
            }
            // Nothing is lost where a model that never thinks is told not to.
            None if wanted == ReasoningEffort::None && accepts.thinking == Thinking::Never => {}
            None => notes.dropped("reasoning_effort"),
        }
    }
    let thinks = plan.level != Some(ReasoningEffort::None);
    let at_rest = accepts.effort && accepts.efforts.contains(&ReasoningEffort::None);
    if !request.tools.is_empty() && !accepts.effort_with_tools && thinks {
        if !at_rest {
            let what = "tools: the model takes them only through Responses";
            return Err(Failure::new(Kind::UnsupportedParameter, what).param("tools"));
        }
        plan.level = Some(ReasoningEffort::None);
        notes.say("reasoning_effort is sent as none: this route takes no tools beside thinking".to_owned());
    } else if limits::is_forced(request) && accepts.forced_tools == ForcedTools::AtRest && thinks && at_rest {
        plan.level = Some(ReasoningEffort::None);
        notes.say("reasoning_effort is sent as none: a tool call is forced".to_owned());
    }
    Ok(plan)
}

/// The one word that the host has for thinking of any depth, if it has no more.
fn only_word(style: &OpenAiChat, model: &str) -> Option<&'static str> {
    match style.effort {
        EffortStyle::Switch(on) => Some(on),
        EffortStyle::WordOrDefault(names) => {
            names.iter().any(|start| model.starts_with(start)).then_some("default")
        }
        EffortStyle::Word | EffortStyle::Object | EffortStyle::WordOrOff | EffortStyle::WordOrTemplate => {
            None
        }
    }
}

/// What the caller says in the host's own words, where the style has some.
fn stated<'a>(style: &OpenAiChat, request: &'a ChatRequest, notes: &Notes) -> Option<&'a RawJson> {
    let name = match style.effort {
        EffortStyle::Word | EffortStyle::WordOrDefault(_) => return None,
        EffortStyle::Object => "reasoning",
        EffortStyle::WordOrOff | EffortStyle::Switch(_) => "thinking",
        EffortStyle::WordOrTemplate => "chat_template_kwargs",
    };
    request.extra.get(name).filter(|_| notes.extras_are_ours())
}

/// Whether the caller's own member already says how much to think.
fn says_itself(style: &OpenAiChat, own: &RawJson) -> bool {
    let members: Members<'_> = own.read().unwrap_or_default();
    let has = |names: &[&str]| names.iter().any(|name| members.look(name).is_some());
    match style.effort {
        EffortStyle::Word | EffortStyle::WordOrDefault(_) => false,
        EffortStyle::Object => has(&["effort", "max_tokens", "enabled"]),
        EffortStyle::WordOrOff | EffortStyle::Switch(_) => has(&["type"]),
        EffortStyle::WordOrTemplate => has(&["enable_thinking", "thinking"]),
    }
}

/// Writes the members that say it.
pub(super) fn write<M: SerializeMap>(
    style: &OpenAiChat,
    model: &str,
    plan: &Plan<'_>,
    map: &mut M,
) -> Result<(), M::Error> {
    const NAME: &str = "reasoning_effort";
    let Some(level) = plan.level else { return Ok(()) };
    let rests = level == ReasoningEffort::None;
    let around = plan.around.as_ref();
    match style.effort {
        EffortStyle::WordOrDefault(_) if !rests => {
            map.serialize_entry(NAME, only_word(style, model).unwrap_or(level.word()))
        }
        EffortStyle::Object => {
            map.serialize_entry("reasoning", &With { around, name: "effort", value: level.word() })
        }
        EffortStyle::Switch(on) => {
            let value = if rests { "disabled" } else { on };
            map.serialize_entry("thinking", &With { around, name: "type", value })
        }
        EffortStyle::WordOrOff if rests => {
            map.serialize_entry("thinking", &With { around, name: "type", value: "disabled" })
        }
        EffortStyle::WordOrTemplate if rests => map
            .serialize_entry("chat_template_kwargs", &With { around, name: "enable_thinking", value: false }),
        EffortStyle::WordOrOff => {
            if let Some(around) = around {
                map.serialize_entry(
                    "thinking",
                    &With { around: Some(around), name: "type", value: "enabled" },
                )?;
            }
            map.serialize_entry(NAME, level.word())
        }
        EffortStyle::Word | EffortStyle::WordOrDefault(_) | EffortStyle::WordOrTemplate => {
            map.serialize_entry(NAME, level.word())
        }
    }
}

/// The caller's own object with one member said by us.
struct With<'a, V> {
    around: Option<&'a Members<'a>>,
    name: &'static str,
    value: V,
}

impl<V: Serialize> Serialize for With<'_, V> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let others = self.around.into_iter().flat_map(Members::iter);
        for (name, raw) in others.filter(|(name, _): &(&str, &RawValue)| *name != self.name) {
            map.serialize_entry(name, raw)?;
        }
        map.serialize_entry(self.name, &self.value)?;
        map.end()
    }
}
