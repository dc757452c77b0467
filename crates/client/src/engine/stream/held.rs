//! What of a stream is held back, and when it goes (behaviour 7.1, 7.1a, 7.2).
//!
//! The judge's watch says whether the beginning is sound. Here that meets what else makes a stream wait: tool
//! calls, and JSON that did not begin like JSON and may yet have to lose its fence.

use std::collections::VecDeque;

use mainstay_canon::{Quality, ReplyEvent, ResponseFormat, ToolCall};
use mainstay_quality::{Ask, Hold, HoldMode, HoldOptions, Judge, MOST_HELD_ARGUMENTS, Watch};

/// What may go now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Go {
    /// Nothing: it waits with what was held before.
    Nothing,
    /// This piece of reasoning; what is held stays.
    Reasoning,
    /// Everything that is held.
    All,
}

/// The events of one answer that the caller does not have yet.
pub(super) struct Held {
    watch: Watch,
    events: VecDeque<ReplyEvent>,
    /// Whether calls wait until the answer is whole and judged: one bad call among several spoils them all,
    /// and what was not handed over can be asked for again.
    holds_calls: bool,
    call_bytes: usize,
    call_has_begun: bool,
    /// Whether JSON was asked for and no text has come yet.
    awaits_json: bool,
    /// Whether only the whole answer can be handed over.
    whole_only: bool,
    /// The beginning is sound.
    sound: bool,
}

impl Held {
    /// Nothing is held yet.
    pub(super) fn new(judge: &Judge, ask: &Ask<'_>, options: HoldOptions) -> Self {
        let judged = options.mode == HoldMode::Prefix;
        let fails = |quality| judge.options().is_failure(quality);
        Self {
            watch: judge.watch(ask, options),
            events: VecDeque::new(),
            holds_calls: options.hold_tool_calls && judged && fails(Quality::MalformedToolCall),
            call_bytes: 0,
            call_has_begun: false,
            awaits_json: judged
                && *ask.response_format != ResponseFormat::Text
                && fails(Quality::SchemaMismatch),
            whole_only: false,
            sound: false,
        }
    }

    /// Takes an event in. What may go now.
    pub(super) fn push(&mut self, event: ReplyEvent) -> Go {
        self.look(&event);
        let lets_go = self.watch.event(&event) == Hold::Release;
        let is_aside = matches!(
            event,
            ReplyEvent::Reasoning(_)
                | ReplyEvent::ReasoningBlock(_)
                | ReplyEvent::Start { .. }
                | ReplyEvent::Extra(_)
        );
        let is_reasoning = is_aside && !matches!(event, ReplyEvent::Start { .. } | ReplyEvent::Extra(_));
        self.events.push_back(event);
        if is_aside && !self.sound {
            // Live reasoning goes by itself; it says nothing about the text that will follow.
            return if is_reasoning && lets_go { Go::Reasoning } else { Go::Nothing };
        }
        self.sound |= lets_go;
        if self.sound && !self.must_wait() { Go::All } else { Go::Nothing }
    }

    /// Notes what the watch does not see to.
    fn look(&mut self, event: &ReplyEvent) {
        match event {
            ReplyEvent::Text(text) if self.awaits_json => {
                if let Some(first) = text.trim_start().chars().next() {
                    self.awaits_json = false;
                    self.whole_only = !begins_json(first);
                }
            }
            ReplyEvent::ToolStart { .. } | ReplyEvent::ToolEnd { .. } => self.call_has_begun = true,
            ReplyEvent::ToolArguments { delta, .. } => {
                self.call_has_begun = true;
                self.call_bytes = self.call_bytes.saturating_add(delta.len());
            }
            ReplyEvent::Text(_)
            | ReplyEvent::Start { .. }
            | ReplyEvent::Reasoning(_)
            | ReplyEvent::ReasoningBlock(_)
            | ReplyEvent::Shown(_)
            | ReplyEvent::Refusal(_)
            | ReplyEvent::Extra(_)
            | ReplyEvent::Finish { .. } => {}
        }
    }

    /// The hold time is over. What may go now.
    pub(super) fn on_time(&mut self) -> Go {
        self.sound |= self.watch.on_time() == Hold::Release;
        if self.sound && !self.must_wait() { Go::All } else { Go::Nothing }
    }

    fn must_wait(&self) -> bool {
        self.whole_only || self.calls_wait()
    }

    /// Whether a call has begun and is not out.
    pub(super) fn calls_wait(&self) -> bool {
        self.holds_calls && self.call_has_begun && self.call_bytes <= MOST_HELD_ARGUMENTS
    }

    /// Whether a call has begun that is out already, as far as it came.
    pub(super) fn calls_are_out(&self) -> bool {
        self.call_has_begun && !self.calls_wait()
    }

    /// The next event that goes.
    pub(super) fn pop(&mut self) -> Option<ReplyEvent> {
        self.events.pop_front()
    }

    /// The last piece that came, and a beginning that goes before it.
    pub(super) fn pop_aside(&mut self) -> [Option<ReplyEvent>; 2] {
        let last = self.events.pop_back();
        let starts = matches!(self.events.front(), Some(ReplyEvent::Start { .. }));
        [if starts { self.events.pop_front() } else { None }, last]
    }

    /// Puts a whole answer's events in place of what is held.
    pub(super) fn replace(&mut self, events: Vec<ReplyEvent>) {
        self.events = events.into();
    }

    /// Puts another text in place of the held one: a repaired one, or one that does not repeat.
    pub(super) fn replace_text(&mut self, text: String) {
        let at = self.events.iter().position(|event| matches!(event, ReplyEvent::Text(_)));
        self.events.retain(|event| !matches!(event, ReplyEvent::Text(_)));
        if !text.is_empty() {
            let at = at.unwrap_or(self.events.len()).min(self.events.len());
            self.events.insert(at, ReplyEvent::Text(text));
        }
    }

    /// Puts repaired calls in place of the held ones.
    pub(super) fn replace_calls(&mut self, calls: &[ToolCall]) {
        let is_call = |event: &ReplyEvent| {
            matches!(
                event,
                ReplyEvent::ToolStart { .. } | ReplyEvent::ToolArguments { .. } | ReplyEvent::ToolEnd { .. }
            )
        };
        self.events.retain(|event| !is_call(event));
        for (index, call) in calls.iter().enumerate() {
            self.events.extend(super::told::events_of_call(index, call));
        }
    }
}

/// Whether JSON may begin with that character.
const fn begins_json(first: char) -> bool {
    matches!(first, '{' | '[' | '"' | '-' | '0'..='9' | 't' | 'f' | 'n')
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_canon::{ChatRequest, RawJson, Tool};
    use mainstay_quality::{Action, JudgeOptions};

    fn held_with(request: &ChatRequest, hold: HoldOptions, options: JudgeOptions) -> Held {
        let judge = Judge::new(options).unwrap();
        Held::new(&judge, &Ask::of(request), hold)
    }

    fn held(request: &ChatRequest, hold: HoldOptions) -> Held {
        held_with(request, hold, JudgeOptions::default())
    }

    fn text(text: &str) -> ReplyEvent {
        ReplyEvent::Text(text.into())
    }

    fn call(index: usize, arguments: &str) -> [ReplyEvent; 3] {
        [
            ReplyEvent::ToolStart {
                index,
                id: format!("c{index}"),
                name: "look".into(),
                extra: mainstay_canon::Extra::new(),
            },
            ReplyEvent::ToolArguments { index, delta: arguments.into() },
            ReplyEvent::ToolEnd { index },
        ]
    }

    fn asks_for_json() -> ChatRequest {
        ChatRequest { response_format: ResponseFormat::Json, ..ChatRequest::user("List them.") }
    }

    #[test]
    fn an_ordinary_answer_goes_after_a_few_words() {
        let mut held = held(&ChatRequest::user("Tell me a story."), HoldOptions::default());
        assert_eq!(held.push(ReplyEvent::Start { id: None, model: None }), Go::Nothing);
        assert_eq!(held.push(text("I")), Go::Nothing);
        assert_eq!(held.push(text(" once knew a man who")), Go::All);
        assert_eq!(held.push(text(" kept bees")), Go::All);
    }

    #[test]
    fn calls_wait_for_the_whole_answer_and_what_follows_waits_behind_them() {
        let tool = Tool::function("look", "", RawJson::parse("{}").unwrap());
        let request = ChatRequest::user("Look.").tool(tool);
        let mut held = held(&request, HoldOptions::default());
        assert_eq!(held.push(text("Let me look at the weather there.")), Go::All);
        while held.pop().is_some() {}
        for event in call(0, "{}").into_iter().chain(call(1, "{}")).chain([text("Done.")]) {
            assert_eq!(held.push(event), Go::Nothing);
        }
        assert_eq!(held.on_time(), Go::Nothing);
        assert!(held.calls_wait() && !held.calls_are_out());
    }

    #[test]
    fn calls_too_large_to_be_held_flow() {
        let tool = Tool::function("look", "", RawJson::parse("{}").unwrap());
        let mut held = held(&ChatRequest::user("Look.").tool(tool), HoldOptions::default());
        let [start, _, _] = call(0, "");
        assert_eq!(held.push(start), Go::Nothing);
        let delta = "x".repeat(MOST_HELD_ARGUMENTS);
        assert_eq!(held.push(ReplyEvent::ToolArguments { index: 0, delta }), Go::Nothing);
        let more = ReplyEvent::ToolArguments { index: 0, delta: "y".into() };
        assert_eq!(held.push(more), Go::All);
        assert!(held.calls_are_out());
    }

    #[test]
    fn whoever_only_observes_or_wants_it_live_holds_no_call() {
        let request =
            ChatRequest::user("Look.").tool(Tool::function("look", "", RawJson::parse("{}").unwrap()));
        let observing = JudgeOptions { action: Action::Observe, ..JudgeOptions::default() };
        let [start, ..] = call(0, "");
        let mut held_back = held_with(&request, HoldOptions::default(), observing);
        assert_eq!(held_back.push(start.clone()), Go::All);
        let live = HoldOptions { mode: HoldMode::Live, ..HoldOptions::default() };
        assert_eq!(held(&request, live).push(start), Go::All);
    }

    #[test]
    fn json_in_a_fence_waits_until_it_is_whole_and_bare_json_flows() {
        let mut fenced = held(&asks_for_json(), HoldOptions::default());
        for piece in ["```json\n", "{\"a\": 1}", "\n```"] {
            assert_eq!(fenced.push(text(piece)), Go::Nothing);
        }
        assert_eq!(fenced.on_time(), Go::Nothing);
        let mut bare = held(&asks_for_json(), HoldOptions::default());
        assert_eq!(bare.push(text(" ")), Go::Nothing);
        assert_eq!(bare.push(text("{\"a\": 1, ")), Go::All);
    }

    #[test]
    fn live_reasoning_goes_by_itself_and_the_text_is_still_held() {
        let hold = HoldOptions { live_reasoning: true, ..HoldOptions::default() };
        let mut held = held(&ChatRequest::user("Why?"), hold);
        assert_eq!(held.push(ReplyEvent::Start { id: None, model: None }), Go::Nothing);
        assert_eq!(held.push(ReplyEvent::Reasoning("Hm.".into())), Go::Reasoning);
        let [start, reasoning] = held.pop_aside();
        assert!(matches!(start, Some(ReplyEvent::Start { .. })));
        assert_eq!(reasoning, Some(ReplyEvent::Reasoning("Hm.".into())));
        assert_eq!(held.push(text("I'm sorry, but")), Go::Nothing);
    }

    #[test]
    fn a_replaced_text_stands_where_the_old_one_stood() {
        let mut held = held(&ChatRequest::user("x"), HoldOptions::default());
        held.replace(vec![
            ReplyEvent::Start { id: None, model: None },
            text("```"),
            text("{}"),
            ReplyEvent::Refusal("no".into()),
        ]);
        held.replace_text("{}".into());
        let left: Vec<ReplyEvent> = std::iter::from_fn(|| held.pop()).collect();
        assert_eq!(left.get(1), Some(&text("{}")));
        assert_eq!(left.len(), 3);
    }
}
