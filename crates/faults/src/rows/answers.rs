//! `200 OK`, and an answer that is no use.

use std::sync::Arc;

use mainstay_testkit::{Fault, Reply, Said, Spelling};

use crate::ask::{TOOL, Wish};
use crate::expect::{Expect, Health};
use crate::row::{Row, STREAMS, Trouble, Where};

const GEMINI_STREAMS: Where = Where::of(&[Spelling::Gemini]).streams();
const NO_END: &str = "a stream of this dialect has no end but its finish word, and none came";
const OUT: &str = "the text is out before the end shows what it was; the log and the closing comment say it";

fn said(said: Said) -> Trouble {
    Trouble::Made(Arc::new(move || Reply::Say(said.clone())))
}

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::new(
            "empty",
            "An answer without a word that says it is complete.",
            Fault::Empty,
            Expect::bad_answer("empty"),
        ),
        Row::new(
            "no choices",
            "`{\"choices\": []}`, or what comes closest to it.",
            Fault::NoChoices,
            Expect::bad_answer("empty"),
        )
        .never(
            Where::of(&[Spelling::OpenaiResponses, Spelling::Anthropic]),
            "there are no choices; an empty list of content is the row above",
        )
        .but(GEMINI_STREAMS, Expect::outage("stream_interrupted"), NO_END),
        Row::new(
            "null choices",
            "`null` where the answer should stand.",
            Fault::NullAnswer,
            Expect::bad_answer("empty"),
        )
        .but(GEMINI_STREAMS, Expect::outage("stream_interrupted"), NO_END),
        Row::new(
            "reasoning only",
            "The model thinks and does not answer.",
            Fault::ReasoningOnly,
            Expect::bad_answer("reasoning_only"),
        ),
        Row::new(
            "all tokens spent on thinking",
            "The token limit is reached before a visible word.",
            Fault::TruncatedEmpty,
            Expect::bad_answer("truncated_empty").calls(1),
        ),
        Row::new("one dot", "A lone full stop.", Fault::Dot, Expect::bad_answer("empty")),
        Row::new("refusal at once", "\"I cannot help with that.\"", Fault::Refusal, Expect::refusal()),
        Row::new(
            "refusal field",
            "The provider's own field or stop reason for refusals.",
            Fault::RefusalField,
            Expect::refusal(),
        ),
        Row::new(
            "refusal late",
            "Two good sentences, and then a refusal.",
            Fault::LateRefusal,
            Expect::refusal(),
        )
        .but(STREAMS, Expect::too_late("refusal"), OUT),
        Row::new(
            "content filter",
            "The provider's safety filter stopped the answer.",
            Fault::Filtered,
            Expect::filtered(),
        )
        .never(Where::of(&[Spelling::Ollama]), "it has no filter")
        .but(Where::of(&[Spelling::Anthropic]), Expect::refusal(), "it has one word for both"),
        Row::new(
            "unknown finish word",
            "The answer ends with a word that no table knows.",
            Fault::UnknownFinish,
            Expect::unknown_word(),
        )
        .but(
            STREAMS,
            Expect::breaks_off("unknown_finish_reason").calls(1).health(Health::Well),
            "the text is out when the word comes: an error event, and no second try (5.5)",
        ),
        Row::of(
            "wrong tool name",
            "A call of a tool that was not offered.",
            said(Said::call("look_down", r#"{"river":"Douro"}"#)),
            Expect::bad_answer("malformed_tool_call"),
        )
        .asks(Wish::Call),
        Row::of(
            "broken arguments",
            "A call whose arguments are not JSON.",
            said(Said::call(TOOL, r#"{"river":"Dou"#)),
            Expect::bad_answer("malformed_tool_call"),
        )
        .asks(Wish::Call),
        Row::of(
            "arguments miss the schema",
            "A call whose arguments are JSON and not what the tool takes.",
            said(Said::call(TOOL, r#"{"lake":7}"#)),
            Expect::bad_answer("malformed_tool_call"),
        )
        .asks(Wish::Call),
        Row::of(
            "schema missed",
            "JSON was asked for, and it does not satisfy its schema.",
            said(Said::text(r#"{"lakes":7}"#)),
            Expect::bad_answer("schema_mismatch"),
        )
        .asks(Wish::Json)
        .but(
            STREAMS,
            Expect::too_late("schema_mismatch"),
            "JSON flows once it has begun as JSON; the log and the closing comment say that it misses",
        ),
        Row::new("loop", "The same sentence sixty times.", Fault::Loop, Expect::bad_answer("degenerate"))
            .but(STREAMS, Expect::too_late("degenerate"), OUT),
    ]
}
