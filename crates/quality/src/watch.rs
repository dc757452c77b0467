//! Watches an answer arrive and says when it may be shown (behaviour 7).
//!
//! The beginning is kept back until it can no longer turn out to be a refusal, an empty answer or a leaked
//! token: for an ordinary answer until its first words are known. The whole answer is judged again in the
//! end; a watch only decides how long to wait. It keeps at most a few kilobytes of text and one megabyte of
//! tool arguments, and reads no clock: the hold time is the caller's, who says when it is over.

use mainstay_canon::{Quality, ReplyEvent, ResponseFormat, Shown, Sight};

use crate::ask::Ask;
use crate::judge::Judge;
use crate::opening;
use crate::options::Profile;
use crate::plain::clip;
use crate::tools::Offer;
use crate::visible::{self, Visible};
use crate::{findings, leak, refusal};

/// Bytes of tool arguments that are held, at most.
pub const MOST_HELD_ARGUMENTS: usize = 1024 * 1024;

/// While what is held reads like a refusal, this many times the usual characters are held, to see whether it
/// turns.
const PATIENCE: usize = 5;

/// Bytes of the prompt that are kept.
const PROMPT: usize = 1024;

/// When an answer that streams is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HoldMode {
    /// When its beginning is known to be sound.
    #[default]
    Prefix,
    /// When it is whole.
    Buffer,
    /// At once.
    Live,
}

/// How an answer is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldOptions {
    /// When it is shown.
    pub mode: HoldMode,
    /// Visible characters that are held, at most; default 80.
    pub chars: usize,
    /// Whether reasoning flows while the text is held; default no.
    pub live_reasoning: bool,
    /// Whether a tool call is held until it is complete and valid; default yes.
    pub hold_tool_calls: bool,
}

impl Default for HoldOptions {
    fn default() -> Self {
        Self { mode: HoldMode::Prefix, chars: 80, live_reasoning: false, hold_tool_calls: true }
    }
}

/// What to do with an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Keep it back, with what was kept before.
    Keep,
    /// Let it go, after what was kept before.
    Release,
}

/// One answer on its way. Ask it about every event, in order.
#[derive(Debug)]
pub struct Watch {
    judge: Judge,
    hold: HoldOptions,
    /// Whether a refusal or an empty answer would count as a failure at all.
    guards: bool,
    json: bool,
    text: String,
    /// The beginning of the prompt.
    prompt: String,
    calls: Vec<Call>,
    argument_bytes: usize,
    offer: Offer,
    /// The text, or a call, has been let go.
    released: bool,
    /// Something came that must not be shown before the answer has been judged.
    refused: bool,
}

#[derive(Debug)]
struct Call {
    index: usize,
    name: String,
    arguments: String,
    open: bool,
}

impl Watch {
    pub(crate) fn new(judge: Judge, ask: &Ask<'_>, hold: HoldOptions) -> Self {
        let options = judge.options();
        let fails = |quality| options.is_failure(quality);
        let guards = options.profile != Profile::Off && (fails(Quality::Refusal) || fails(Quality::Empty));
        let holds_calls =
            hold.hold_tool_calls && hold.mode == HoldMode::Prefix && fails(Quality::MalformedToolCall);
        let offer = if holds_calls { Offer::of(ask, judge.schemas()) } else { Offer::default() };
        Self {
            hold: HoldOptions { hold_tool_calls: holds_calls, ..hold },
            guards,
            json: *ask.response_format != ResponseFormat::Text,
            judge,
            text: String::new(),
            prompt: clip(ask.prompt, PROMPT).to_owned(),
            calls: Vec::new(),
            argument_bytes: 0,
            offer,
            released: false,
            refused: false,
        }
    }

    /// Whether text or a tool call has been let go: from then on a failure is visible to the caller.
    /// Reasoning that flows by itself does not count.
    pub fn released(&self) -> bool {
        self.released || self.hold.mode == HoldMode::Live
    }

    /// What to do with the next event.
    pub fn event(&mut self, event: &ReplyEvent) -> Hold {
        match self.hold.mode {
            HoldMode::Live => Hold::Release,
            HoldMode::Buffer => Hold::Keep,
            HoldMode::Prefix => self.prefix_event(event),
        }
    }

    /// The hold time is over: what to do with what was kept. What shows nothing, what already reads like a
    /// refusal and a half-built tool call stay back.
    pub fn on_time(&mut self) -> Hold {
        match self.hold.mode {
            HoldMode::Live => Hold::Release,
            HoldMode::Buffer => Hold::Keep,
            HoldMode::Prefix => {
                let shows = matches!(visible::look(&self.text), Visible::Words(_));
                if self.released && !self.call_is_open() || (shows && !self.is_bad()) {
                    self.release()
                } else {
                    Hold::Keep
                }
            }
        }
    }

    fn prefix_event(&mut self, event: &ReplyEvent) -> Hold {
        match event {
            // Extras are no content: they neither release what is held nor spoil it.
            ReplyEvent::Start { .. } | ReplyEvent::Extra(_) | ReplyEvent::Finish { .. } => self.flow(),
            ReplyEvent::Text(text) => self.text_event(text),
            ReplyEvent::Reasoning(_) | ReplyEvent::ReasoningBlock(_) => {
                let nothing_before = self.text.is_empty() && self.calls.is_empty();
                if self.hold.live_reasoning && nothing_before { Hold::Release } else { self.flow() }
            }
            ReplyEvent::Shown(shown) => self.shown_event(shown),
            ReplyEvent::Refusal(_) => {
                self.refused = true;
                if self.released { Hold::Release } else { Hold::Keep }
            }
            ReplyEvent::ToolStart { index, name, .. } => {
                if !self.hold.hold_tool_calls {
                    return self.release();
                }
                let (name, arguments) = (name.clone(), String::new());
                self.calls.push(Call { index: *index, name, arguments, open: true });
                Hold::Keep
            }
            ReplyEvent::ToolArguments { index, delta } => self.arguments_event(*index, delta),
            ReplyEvent::ToolEnd { index } => self.call_end(*index),
        }
    }

    /// What comes beside text and calls goes with them.
    fn flow(&self) -> Hold {
        if self.released && !self.refused && !self.call_is_open() { Hold::Release } else { Hold::Keep }
    }

    fn release(&mut self) -> Hold {
        if self.refused || self.call_is_open() {
            return Hold::Keep;
        }
        self.released = true;
        Hold::Release
    }

    fn call_is_open(&self) -> bool {
        self.calls.iter().any(|call| call.open)
    }

    fn text_event(&mut self, text: &str) -> Hold {
        if self.released {
            return self.flow();
        }
        // More than this is never looked at.
        let room = (self.hold.chars.saturating_mul(PATIENCE + 1) * 4).saturating_sub(self.text.len());
        self.text.push_str(clip(text, room));
        if room <= text.len() || self.may_go() { self.decided(room > text.len()) } else { Hold::Keep }
    }

    /// What is said aloud may be a refusal as what is written may; what is seen is none. Neither is JSON.
    fn shown_event(&mut self, shown: &Shown) -> Hold {
        match (&shown.transcript, shown.sight) {
            _ if self.json => self.flow(),
            (Some(words), _) => self.text_event(words),
            (None, Sight::Sound) => self.flow(),
            (None, Sight::Picture | Sight::File) => self.release(),
        }
    }

    /// The prefix is sound, or the room for it is used up and it must show whether it is.
    fn decided(&mut self, sound: bool) -> Hold {
        if sound || !self.is_bad() {
            return self.release();
        }
        self.refused = true;
        Hold::Keep
    }

    /// Whether the held text can no longer turn out to be a refusal or an empty answer, or has been held
    /// long enough.
    fn may_go(&self) -> bool {
        if !self.guards {
            return true;
        }
        let words = match visible::look(&self.text) {
            Visible::Nothing(_) => return false,
            Visible::Signs(signs) => {
                return self.json && signs.starts_with(['{', '[']) && !visible::may_vanish(signs);
            }
            Visible::Words(words) => words,
        };
        if visible::may_vanish(words) {
            return false;
        }
        if self.json && words.starts_with(['{', '[']) {
            return true;
        }
        if !self.json && findings::may_be_placeholder(words) {
            return false;
        }
        let long_enough = words.chars().nth(self.hold.chars.saturating_sub(1)).is_some();
        (long_enough || !opening::may_refuse(words)) && !self.is_bad()
    }

    /// Whether what is held already reads like an answer that fails.
    fn is_bad(&self) -> bool {
        if !self.guards {
            return false;
        }
        match visible::look(&self.text) {
            Visible::Nothing(_) => true,
            Visible::Signs(_) => false,
            Visible::Words(words) => {
                self.judge.patterns().find(words).is_some()
                    || leak::find(words, "").is_some()
                    || refusal::examine(words, &self.prompt, self.judge.model()).degree
                        == refusal::Degree::Refusal
            }
        }
    }

    fn arguments_event(&mut self, index: usize, delta: &str) -> Hold {
        if !self.hold.hold_tool_calls {
            return self.release();
        }
        self.argument_bytes = self.argument_bytes.saturating_add(delta.len());
        if self.argument_bytes > MOST_HELD_ARGUMENTS {
            // Too much to hold: from here on calls flow, and only the judge in the end sees them whole.
            self.hold.hold_tool_calls = false;
            self.calls.clear();
            return self.release();
        }
        if let Some(call) = self.calls.iter_mut().rev().find(|call| call.index == index) {
            call.arguments.push_str(delta);
        }
        Hold::Keep
    }

    fn call_end(&mut self, index: usize) -> Hold {
        if !self.hold.hold_tool_calls {
            return self.release();
        }
        if let Some(call) = self.calls.iter_mut().rev().find(|call| call.index == index && call.open) {
            call.open = false;
            let arguments = std::mem::take(&mut call.arguments);
            if !self.offer.allows(&call.name, &arguments) {
                self.refused = true;
            }
            self.argument_bytes = self.argument_bytes.saturating_sub(arguments.len());
        }
        self.release()
    }
}
