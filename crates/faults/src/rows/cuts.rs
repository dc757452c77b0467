//! Answers that break off, and streams that end wrongly.

use std::sync::Arc;

use mainstay_testkit::{Fault, Reply, Said, SaidCall, Spelling};

use crate::ask::{ARGUMENTS, TOOL, WORDS, Wish};
use crate::expect::Expect;
use crate::row::{Row, STREAMS, Trouble, WHOLE, Where};

/// Long enough that its beginning is released before it breaks off.
const LONG: &str = "The committee met on Tuesday and agreed on everything that mattered. It then went for a walk along \
    the river, and nobody said a word until";
const NO_OTHER_END: &[Spelling] = &[Spelling::Gemini, Spelling::Ollama];
const ANTHROPIC: &[Spelling] = &[Spelling::Anthropic];
const OVERLOADED: &str = "what this dialect says inside a stream is as a rule that it is overloaded";
const OUT: &str = "the beginning of a stream is out when it breaks off: it is continued on the same tier within its \
    budget, and when that breaks off, too, there is an error event and no ordinary end";

pub(super) fn rows() -> Vec<Row> {
    let cut = Expect::outage("stream_interrupted");
    vec![
        Row::new(
            "cut before content",
            "The connection is reset after the first event, which holds nothing yet.",
            Fault::CutBeforeContent,
            cut.clone(),
        )
        .never(Where::of(NO_OTHER_END).streams(), "nothing comes before the content"),
        Row::new("cut in text", "The connection is reset in the middle of the text.", Fault::CutInText(LONG.into()), cut.clone())
            .but(STREAMS, Expect::breaks_off("stream_interrupted"), OUT),
        Row::new(
            "cut in reasoning",
            "The connection is reset while the model thinks; nothing of that is out.",
            Fault::CutInReasoning("Let me think about the rivers, one after the other, from north to south.".into()),
            cut.clone(),
        ),
        Row::new(
            "cut inside a tool call",
            "The connection is reset in the middle of a call's arguments, which are held until they are whole.",
            Fault::CutInCall(SaidCall { id: "call_1".into(), name: TOOL.into(), arguments: ARGUMENTS.into() }),
            cut.clone(),
        )
        .asks(Wish::Call)
        .never(Where::of(NO_OTHER_END).streams(), "a call comes in one piece"),
        Row::new(
            "cut after the finish word",
            "The connection is reset between the finish word and what else ends a stream.",
            Fault::CutAfterFinish(WORDS.into()),
            Expect::answers("ok"),
        )
        .never(WHOLE, "a whole body ends where it ends")
        .never(
            Where::of(&[Spelling::OpenaiResponses, Spelling::Gemini, Spelling::Ollama]).streams(),
            "the event with the finish word is the last",
        ),
        Row::new(
            "clean close, no terminator",
            "The body ends in good order, and neither a finish word nor a terminator came.",
            Fault::NoTerminator(LONG.into()),
            Expect::breaks_off("stream_interrupted"),
        )
        .never(WHOLE, "a whole body has no terminator: its JSON is whole, or it is cut"),
        Row::of(
            "no finish word",
            "A whole answer that does not say why it ended, in a body that is whole; a stream with its terminator and \
             no finish word.",
            Trouble::Made(Arc::new(|| Reply::Say(Said { finish: None, ..Said::text(WORDS) }))),
            Expect::answers("ok"),
        )
        .but(
            Where::of(NO_OTHER_END).streams(),
            Expect::breaks_off("stream_interrupted"),
            "the finish word is the only end there is",
        )
        .but(
            Where::of(&[Spelling::Ollama]).whole(),
            Expect::outage("stream_interrupted"),
            "`done` is false without it: there was to be more",
        ),
        Row::new(
            "stall in text",
            "The text stops in the middle, and the connection stays open.",
            Fault::StallInText(LONG.into()),
            Expect::stall("timeout_idle"),
        )
        .limits("idle_timeout = \"2500ms\"")
        .but(STREAMS, Expect::breaks_off("timeout_idle"), OUT),
        Row::new(
            "error first, inside a 200",
            "The stream's first event is an error; a whole answer is an error object.",
            Fault::ErrorInside200,
            Expect::outage("server_error"),
        )
        .but(Where::of(ANTHROPIC), Expect::outage("overloaded"), OVERLOADED),
        Row::new(
            "error event in the middle",
            "An error event comes after a part of the text.",
            Fault::ErrorAfterText,
            Expect::breaks_off("server_error"),
        )
        .never(WHOLE, "a whole answer has no events")
        .but(Where::of(ANTHROPIC), Expect::breaks_off("overloaded"), OVERLOADED),
    ]
}
