//! Streams as they are framed in the field, in every dialect: the same answer comes out of all of them.

use std::time::Duration;

use mainstay::{ChatRequest, Kind, RawJson, Reason, Target, Tool};
use mainstay_testkit::{Reply, Said, Spelling, Step};

use crate::common::bytes::{chunk, last_chunk};
use crate::common::{Bench, NOW, Streamed, TestClock};

/// Letters of one to four bytes.
const TEXT: &str = "Zwölf Boote – 十二艘船 – kamen an Land. 🚤 Alle waren heil.";
const THOUGHT: &str = "Wie viele? 十二.";
const ARGUMENTS: &str = "{\"ort\":\"Köln 🚤\",\"tief\":{\"er\":[1,2]}}";

fn said() -> Said {
    Said { text: TEXT.into(), piece: 6, ..Said::call("look", ARGUMENTS).thinking(THOUGHT) }
}

fn ask() -> ChatRequest {
    let any = RawJson::parse("{\"type\":\"object\"}").unwrap();
    ChatRequest::user("Was ist geschehen?").tool(Tool::function("look", "Sieht nach.", any))
}

/// One tier that speaks so.
async fn bench(spelling: Spelling, further: &str) -> Bench {
    let text = format!(
        "{further}[providers.fake]\ndialect = \"{}\"\nbase_url = \"BASE_URL\"\nauth = \"none\"\n\
         [[chains.default.tiers]]\nprovider = \"fake\"\nmodel = \"m\"\nretry_budget = 1\n",
        spelling.dialect()
    );
    Bench::with_text(&text, &|_| None, TestClock::at(NOW)).await
}

/// Status line and headers of a body that ends with its connection.
fn head(spelling: Spelling) -> Step {
    let kind = if spelling == Spelling::Ollama { "application/x-ndjson" } else { "text/event-stream" };
    Step::Bytes(format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n").into())
}

async fn stream(bench: &Bench, spelling: Spelling, body: &[u8], size: usize) -> Streamed {
    let mut steps = vec![head(spelling)];
    for (number, piece) in body.chunks(size).enumerate() {
        steps.push(Step::Bytes(piece.to_vec().into()));
        // Mostly a read for each; now and then two at once.
        if size < body.len() && number % 3 < 2 {
            steps.push(Step::Wait(Duration::from_micros(50)));
        }
    }
    steps.push(Step::Close);
    bench.provider.now_on("m", [Reply::Raw(steps)]);
    bench.stream(ask()).await
}

fn is_whole(streamed: &Streamed, shown: &str) {
    let response = streamed.end.as_ref().unwrap_or_else(|gave_up| panic!("{shown}: {gave_up}"));
    assert_eq!((streamed.text().as_str(), response.text.as_str()), (TEXT, TEXT), "{shown}");
    assert_eq!(response.reasoning_content.as_deref(), Some(THOUGHT), "{shown}");
    let calls = streamed.calls();
    let [(name, arguments)] = calls.as_slice() else { panic!("{shown}: {calls:?}") };
    assert_eq!(name, "look", "{shown}");
    let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(parse(arguments), parse(ARGUMENTS), "{shown}");
    assert_eq!(response.usage.prompt, 12, "{shown}");
}

/// A way to frame events, and whether that dialect can be framed so.
type Framing = (&'static str, fn(Spelling, &[String]) -> Option<String>);

fn sse(spelling: Spelling, frame: impl Fn(&str) -> String, events: &[String]) -> Option<String> {
    (spelling != Spelling::Ollama).then(|| events.iter().map(|event| frame(event)).collect())
}

/// The data of an event over two lines, broken where JSON allows it.
fn over_two_lines(event: &str) -> String {
    event.replacen("data: {", "data: {\ndata:   ", 1)
}

const FRAMINGS: [Framing; 13] = [
    ("as it should be", |_, events| Some(events.concat())),
    ("CR LF", |_, events| Some(events.concat().replace('\n', "\r\n"))),
    ("CR alone", |spelling, events| sse(spelling, |event| event.replace('\n', "\r"), events)),
    ("a byte order mark", |_, events| Some(format!("\u{feff}{}", events.concat()))),
    ("comments between", |spelling, events| {
        sse(spelling, |event| format!(": hello\n{event}: ping\n\n"), events)
    }),
    ("blank lines between", |_, events| Some(format!("\n{}\n\n", events.join("\n\n\n")))),
    ("no space after the colon", |spelling, events| {
        sse(spelling, |event| event.replacen("data: ", "data:", 1).replacen("event: ", "event:", 1), events)
    }),
    ("data over two lines", |spelling, events| sse(spelling, over_two_lines, events)),
    ("id and retry", |spelling, events| sse(spelling, |event| format!("id: 7\nretry: 500\n{event}"), events)),
    ("no names of events", |spelling, events| {
        let unnamed = |event: &str| {
            event.split_inclusive('\n').filter(|line| !line.starts_with("event:")).collect::<String>()
        };
        sse(spelling, unnamed, events)
    }),
    ("no blank line at the end", |_, events| Some(events.concat().trim_end().to_owned())),
    ("data after the end", |spelling, events| {
        // Gemini has no end but the connection's.
        let again = events.get(events.len() / 2)?;
        (spelling != Spelling::Gemini).then(|| format!("{}{again}data: [DONE]\n\n", events.concat()))
    }),
    ("rubbish after the end", |spelling, events| {
        (spelling != Spelling::Gemini).then(|| format!("{}\u{0}}}{{ not JSON\n\n", events.concat()))
    }),
];

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_the_same_however_its_stream_is_framed_and_cut() {
    let dialects = Spelling::ALL.map(|spelling| async move {
        let bench = bench(spelling, "").await;
        let events = said().events(spelling, "m");
        let mut tried = 0;
        for (name, frame) in FRAMINGS {
            let Some(body) = frame(spelling, &events) else { continue };
            tried += 1;
            // Whole, and through the middle of letters, line ends and names.
            for size in [body.len(), 5] {
                let streamed = stream(&bench, spelling, body.as_bytes(), size).await;
                is_whole(&streamed, &format!("{spelling:?}, {name}, in pieces of {size}"));
            }
        }
        assert!(tried >= 6, "{spelling:?}: {tried}");
    });
    futures_util::future::join_all(dialects).await;
}

#[tokio::test]
async fn a_stream_flows_as_it_comes_in_every_dialect() {
    for spelling in Spelling::ALL {
        let bench = bench(spelling, "").await;
        let text = "Twelve boats came in this morning, all of them unharmed, and more are on their way home.";
        bench.provider.on("m", [Reply::Say(Said::text(text).slowly(Duration::from_millis(60)))]);
        let streamed = bench.stream(ChatRequest::user("What happened?")).await;
        assert_eq!(streamed.done().text, text, "{spelling:?}");
        let (first, last) = (streamed.times[0], *streamed.times.last().unwrap());
        assert!(
            last.saturating_sub(first) > Duration::from_millis(200),
            "{spelling:?}: {first:?} to {last:?}"
        );
    }
}

#[tokio::test]
async fn geminis_list_without_events_is_a_stream_as_well() {
    let bench = bench(Spelling::Gemini, "").await;
    let events = said().events(Spelling::Gemini, "m");
    let replies: Vec<&str> = events.iter().map(|event| event.trim().trim_start_matches("data: ")).collect();
    let body = format!("[{}\n]\n", replies.join("\n,\r\n"));
    for size in [body.len(), 11] {
        is_whole(&stream(&bench, Spelling::Gemini, body.as_bytes(), size).await, "a list");
    }
}

/// Events that end a stream after the word that says why it ended.
const fn terminators(spelling: Spelling) -> usize {
    match spelling {
        Spelling::OpenaiChat | Spelling::Anthropic => 1,
        Spelling::OpenaiResponses | Spelling::Gemini | Spelling::Ollama => 0,
    }
}

#[tokio::test]
async fn a_missing_terminator_after_the_finish_word_is_forgiven_and_a_missing_finish_word_is_not() {
    for spelling in Spelling::ALL {
        let bench = bench(spelling, "[streaming]\non_interrupt = \"error\"\n").await;
        let mut events = said().events(spelling, "m");
        for _ in 0..terminators(spelling) {
            events.pop();
        }
        let body = events.concat();
        is_whole(&stream(&bench, spelling, body.as_bytes(), body.len()).await, &format!("{spelling:?}"));
        // Without the usage as well, and without the word.
        let drop = if spelling == Spelling::OpenaiChat { 2 } else { 1 };
        let body = events[..events.len() - drop].concat();
        let streamed = stream(&bench, spelling, body.as_bytes(), body.len()).await;
        let gave_up = streamed.error();
        let failure = gave_up.failures.last().unwrap();
        assert_eq!(failure.kind, Kind::StreamInterrupted, "{spelling:?}: {failure}");
        assert!(TEXT.starts_with(&streamed.text()), "{spelling:?}");
        assert!(streamed.calls().is_empty(), "{spelling:?}: a call of a broken answer is not handed over");
    }
}

/// An error as it comes inside a stream.
fn error_event(spelling: Spelling) -> &'static str {
    match spelling {
        Spelling::OpenaiChat => {
            "data: {\"error\":{\"message\":\"It broke\",\"type\":\"server_error\",\"code\":null}}\n\n"
        }
        Spelling::OpenaiResponses => {
            "event: error\ndata: {\"type\":\"error\",\"code\":\"server_error\",\"message\":\"It broke\",\"param\":null,\"sequence_number\":99}\n\n"
        }
        Spelling::Anthropic => {
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"It broke\"}}\n\n"
        }
        Spelling::Gemini => {
            "data: {\"error\":{\"code\":500,\"message\":\"It broke\",\"status\":\"INTERNAL\"}}\n\n"
        }
        Spelling::Ollama => "{\"error\":\"It broke\"}\n",
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_at_any_point_of_a_stream_is_an_error_and_never_an_end() {
    let dialects = Spelling::ALL.map(|spelling| async move {
        let bench = bench(spelling, "[streaming]\non_interrupt = \"error\"\n").await;
        let events = said().events(spelling, "m");
        // Behind the last event that says something nothing is read any more.
        for at in 0..events.len() - terminators(spelling) - 1 {
            // A tier that failed would cool.
            bench.client.engine().board().enable(&Target::new("fake", "m"), NOW);
            let shown = format!("{spelling:?}, before event {at}: {}", events[at]);
            let body = format!("{}{}", events[..at].concat(), error_event(spelling));
            let streamed = stream(&bench, spelling, body.as_bytes(), body.len()).await;
            let gave_up = streamed.error();
            let failure = match &gave_up.reason {
                Reason::Interrupted(failure) => failure,
                _ => gave_up.failures.last().unwrap_or_else(|| panic!("{shown}: {gave_up}")),
            };
            assert_eq!(failure.kind, Kind::ServerError, "{shown}: {failure}");
            assert!(failure.message.contains("It broke"), "{shown}: {failure}");
            assert!(TEXT.starts_with(&streamed.text()) && streamed.calls().is_empty(), "{shown}");
        }
    });
    futures_util::future::join_all(dialects).await;
}

/// Where and how a body begins that comes in as many pieces as it likes.
fn endless(spelling: Spelling) -> Vec<Step> {
    let kind = if spelling == Spelling::Ollama { "application/x-ndjson" } else { "text/event-stream" };
    vec![Step::Bytes(
        format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n").into(),
    )]
}

/// What is given up, as what kind of failure.
async fn is_given_up(spelling: Spelling, steps: Vec<Step>, shown: &str) {
    let bench = bench(spelling, "[streaming]\nmode = \"buffer\"\n").await;
    bench.provider.on("m", [Reply::Raw(steps)]);
    let streamed = bench.stream(ask()).await;
    let failure = streamed.error().failures.last().unwrap();
    assert_eq!(failure.kind, Kind::InvalidResponse, "{spelling:?}, {shown}: {failure}");
    let names_its_limit = failure.message.contains("MB") || failure.message.contains("bytes");
    assert!(names_its_limit, "{spelling:?}, {shown}: {failure}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_no_end_is_given_up_before_it_fills_the_memory() {
    for spelling in Spelling::ALL {
        let mut line = endless(spelling);
        let begin =
            if spelling == Spelling::Ollama { "{\"message\":{\"content\":\"" } else { "data: {\"x\":\"" };
        line.push(chunk(begin));
        line.extend(std::iter::repeat_n(chunk(&"x".repeat(1 << 20)), 12));
        line.push(last_chunk());
        is_given_up(spelling, line, "a line").await;
        if spelling != Spelling::Ollama {
            let mut event = endless(spelling);
            event.extend(std::iter::repeat_n(chunk(&format!("data: {}\n", " ".repeat(1 << 20))), 20));
            event.push(last_chunk());
            is_given_up(spelling, event, "an event").await;
        }
        let said = Said { piece: 1 << 20, ..Said::text(&"boats ".repeat(6 << 20)) };
        is_given_up(spelling, whole(spelling, &said), "an answer").await;
    }
}

fn whole(spelling: Spelling, said: &Said) -> Vec<Step> {
    let mut steps = endless(spelling);
    steps.extend(said.events(spelling, "m").iter().map(|event| chunk(event)));
    steps.push(last_chunk());
    steps
}
