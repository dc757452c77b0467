//! What becomes of a reply: read, normalized, written to each caller.

use std::fmt::Write as _;

use mainstay_canon::{ChatResponse, Cost, Dialect, Target, Verdict};
use mainstay_dialects::{FaceContext, Inbound};
use mainstay_normalize::{Context, whole};
use mainstay_providers::Provider;
use serde_json::Value;

use super::cell::{Cell, missing, spelled};
use super::feature::Feature;
use super::leaves::Leaves;
use super::page::{Footnotes, shown};
use super::{SIDES, columns, reply_bodies};

/// An upstream's dialect with what it may answer.
struct Answering {
    title: &'static str,
    /// Its column among those that are asked.
    column: &'static str,
    features: fn() -> Vec<Feature>,
}

static ANSWERING: [Answering; 5] = [
    Answering {
        title: "OpenAI Chat Completions",
        column: "openai-chat",
        features: reply_bodies::openai_chat,
    },
    Answering {
        title: "OpenAI Responses",
        column: "openai-responses",
        features: reply_bodies::openai_responses,
    },
    Answering { title: "Anthropic Messages", column: "anthropic", features: reply_bodies::anthropic },
    Answering { title: "Gemini", column: "gemini", features: reply_bodies::gemini },
    Answering { title: "Ollama", column: "ollama", features: reply_bodies::ollama },
];

/// Writes the tables.
pub(crate) fn write(page: &mut String) {
    page.push_str(
        "\n## Answers\n\nOne table an upstream; the columns are the caller's dialect. \"left out\" is what only the upstream's own \
         dialect has a place for: a caller of another dialect is not told.\n",
    );
    for answering in &ANSWERING {
        table(page, answering);
    }
}

fn table(page: &mut String, answering: &Answering) {
    writeln!(page, "\n### Answered in {}\n", answering.title).unwrap();
    let titles: Vec<&str> = SIDES.iter().map(|side| side.title).collect();
    writeln!(page, "| | {} |\n| --- |{}", titles.join(" | "), " --- |".repeat(titles.len())).unwrap();
    let mut notes = Footnotes::default();
    let mut group = "";
    for feature in (answering.features)() {
        if feature.group != group {
            group = feature.group;
            writeln!(page, "| **{group}** |{}", " |".repeat(titles.len())).unwrap();
        }
        let cells: Vec<String> =
            SIDES.iter().map(|side| word(of_reply(answering, &feature, side.face), &mut notes)).collect();
        writeln!(page, "| {} | {} |", feature.name, cells.join(" | ")).unwrap();
    }
    notes.write(page);
}

/// What a caller is not told although every dialect, or the caller's own, has a place for it: the upstream, the
/// thing, the caller, and why.
const UNTOLD: [(&str, &str, Dialect, &str); 12] = [
    // Chat and Responses hand such blocks on in an envelope; a caller of Messages is given none yet.
    ("openai-chat", "reasoning to be handed back", Dialect::Anthropic, "another model's seal"),
    ("openai-responses", "reasoning to be handed back", Dialect::Anthropic, "another model's seal"),
    ("openai-responses", "what the provider's own tool did", Dialect::Anthropic, "another model's seal"),
    ("gemini", "reasoning to be handed back", Dialect::Anthropic, "another model's seal"),
    ("gemini", "reasoning to be handed back, with a call", Dialect::Anthropic, "another model's seal"),
    ("openai-chat", "a stop text (vLLM says which)", Dialect::OpenaiResponses, "has no place for it"),
    ("anthropic", "a stop text", Dialect::OpenaiChat, "has no place for it"),
    ("anthropic", "a stop text", Dialect::OpenaiResponses, "has no place for it"),
    ("anthropic", "a pause", Dialect::OpenaiChat, "has no word for it"),
    ("anthropic", "in the reply", Dialect::Anthropic, "only the members that are documented are handed on"),
    ("openai-chat", "in the token counts", Dialect::OpenaiChat, "counters are ours"),
    ("openai-responses", "in the token counts", Dialect::OpenaiResponses, "counters are ours"),
];

/// What else a caller is not told of what every dialect, or the caller's own, has a place for.
pub(crate) fn lost() -> Vec<String> {
    let mut lost = Vec::new();
    for answering in &ANSWERING {
        for feature in (answering.features)() {
            for side in &SIDES {
                let dialect = side.face.dialect();
                let is_own = provider(answering).upstream.dialect() == dialect;
                let is_common = ["What is said", "Why it ended", "Token counts"].contains(&feature.group);
                let is_known = UNTOLD
                    .iter()
                    .any(|(by, what, to, _)| (*by, *what, *to) == (answering.column, feature.name, dialect));
                match of_reply(answering, &feature, side.face) {
                    Cell::Lost(what) if (is_own || is_common) && !is_known => {
                        let way = format!("{} / {} to {}", answering.title, feature.name, side.title);
                        lost.push(format!("answered in {way}: {}", what.join(", ")));
                    }
                    _ => {}
                }
            }
        }
    }
    lost
}

fn word(cell: Cell, notes: &mut Footnotes) -> String {
    match cell {
        Cell::Lost(_) => "left out".to_owned(),
        other => shown(other, notes),
    }
}

fn provider(answering: &Answering) -> &'static Provider {
    columns::COLUMNS.iter().find(|column| column.title == answering.column).unwrap().provider()
}

fn of_reply(answering: &Answering, feature: &Feature, face: &dyn Inbound) -> Cell {
    let provider = provider(answering);
    let before = written(provider, &feature.without, face);
    let after = written(provider, &feature.with, face);
    let said = Leaves::of(&feature.with).without(&Leaves::of(&feature.without));
    let told = after.without(&before);
    let gone = before.without(&after);
    if said.without(&told).is_empty() && provider.upstream.dialect() == face.dialect() {
        return Cell::Carried;
    }
    let missing: Vec<String> = missing(&said, &told).into_iter().collect();
    if told.is_empty() && gone.is_empty() {
        return Cell::Lost(said.iter().map(spelled).collect());
    }
    if !missing.is_empty() {
        return Cell::Lost(missing);
    }
    Cell::Otherwise { changed: super::cell::changed(&told, &gone), notes: Vec::new() }
}

/// What a caller gets.
fn written(provider: &Provider, body: &Value, face: &dyn Inbound) -> Leaves {
    let target = Target::new(provider.id, "m");
    let finish = |word: &str| provider.meaning(word);
    let dialect: Dialect = provider.upstream.dialect();
    let context = Context { target: &target, finish: &finish, prompt_estimate: 0, dialect };
    let wire = provider.upstream.read_reply(body.to_string().as_bytes()).unwrap();
    let answer = whole(&context, wire).unwrap();
    let response = ChatResponse {
        answer,
        request_id: "req_1".to_owned(),
        target: target.clone(),
        quality: Verdict::ok(),
        cost: Cost::Unknown,
        latency_ms: 0,
        time_to_first_token_ms: None,
        attempts: Vec::new(),
        from_static_tier: false,
        continued_at: None,
    };
    let context = FaceContext {
        request_id: "req_1".to_owned(),
        created: 1,
        include_usage: true,
        echo: mainstay_canon::Extra::new(),
    };
    Leaves::of(&serde_json::from_slice(&face.write_reply(&response, &context)).unwrap())
}
