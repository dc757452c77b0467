//! Stopping: no new requests, what runs comes to its end or is told why not, nothing is lost (11.4).

use std::time::{Duration, Instant};

use mainstay::Outcome;
use mainstay_calllog::{CallFilter, CallRecord};
use mainstay_store::LogReader;
use mainstay_testkit::{Fault, Reply, Said};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::common::{Ask, By, Front, Told};

const STORY: &str = "The Douro, the Tagus and the Guadiana, which all rise in Spain and end in the Atlantic.";

/// What a stop in the middle of an answer came to.
struct Stopped {
    told: Told,
    took: Duration,
    rows: Vec<CallRecord>,
}

/// Asks, and stops the gateway while the answer is under way.
async fn stop_while(grace: &str, reply: Reply, ask: Ask) -> Stopped {
    let front = Front::start_with(&["one"], &format!("[server]\ndrain_timeout = \"{grace}\"\n")).await;
    front.provider.on("one", [reply]);
    let asker = front.asker();
    let asking = tokio::spawn(async move { asker.ask(ask).await });
    front.until("the provider is asked", async |front| front.provider.open_connections() == 1).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let begun = Instant::now();
    let Front { gateway, client, folder, http: _, provider: _provider } = front;
    let address = gateway.address();
    gateway.stop().await;
    let took = begun.elapsed();
    assert!(TcpStream::connect(address).await.is_err(), "nobody listens any more");
    drop(client);
    let path = folder.path().join("log.db");
    let read = move || LogReader::open(path).unwrap().calls(&CallFilter::default()).unwrap();
    let rows = tokio::task::spawn_blocking(read).await.unwrap();
    Stopped { told: asking.await.unwrap(), took, rows }
}

#[tokio::test]
async fn running_answers_finish_within_the_grace_time() {
    for stream in [false, true] {
        // Some two hundred milliseconds for the whole answer.
        let reply = if stream {
            Reply::Say(Said::text(STORY).slowly(Duration::from_millis(20)))
        } else {
            Reply::Raw(late(Duration::from_millis(300)))
        };
        let stopped = stop_while("20s", reply, Ask::by(By::OpenAi, stream)).await;
        assert_eq!((stopped.told.status, stopped.told.text.as_str()), (200, STORY), "{}", stopped.told.body);
        assert!(stopped.told.finished, "{}", stopped.told.body);
        assert!(
            stopped.took < Duration::from_secs(10),
            "and nobody waits for the rest of it: {:?}",
            stopped.took
        );
        assert_eq!(
            (stopped.rows.len(), stopped.rows[0].outcome),
            (1, Outcome::Ok),
            "flushed into the database"
        );
    }
}

/// A whole answer after a pause.
fn late(pause: Duration) -> Vec<mainstay_testkit::Step> {
    let body = Said::text(STORY).body(mainstay_testkit::Spelling::OpenaiChat, "one").to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    vec![mainstay_testkit::Step::Wait(pause), mainstay_testkit::Step::Bytes(head.into())]
}

#[tokio::test]
async fn a_stream_beyond_the_grace_time_ends_with_an_error_event() {
    for by in [By::OpenAi, By::Anthropic] {
        let reply = Reply::Fault(Fault::StallInText(STORY.into()));
        let stopped = stop_while("1s", reply, Ask::by(by, true)).await;
        let Told { status, text, finished, body, .. } = &stopped.told;
        assert_eq!(*status, 200, "{body}");
        assert!(text.starts_with("The Douro") && !finished, "{body}");
        assert!(
            body.contains("shutting down") && !body.contains("[DONE]") && !body.contains("message_stop"),
            "{body}"
        );
        assert!(stopped.took < Duration::from_secs(5), "{:?}", stopped.took);
        assert_eq!(
            (stopped.rows.len(), stopped.rows[0].outcome),
            (1, Outcome::Aborted),
            "what was spent is recorded"
        );
    }
}

#[tokio::test]
async fn a_whole_answer_beyond_the_grace_time_is_told_that_we_are_unavailable() {
    for (by, stream) in [(By::OpenAi, false), (By::Anthropic, false), (By::OpenAi, true)] {
        let stopped = stop_while("200ms", Reply::Fault(Fault::Hang), Ask::by(by, stream)).await;
        // Anthropic's SDKs know what is unavailable by a number of their own.
        let status = if by == By::Anthropic { 529 } else { 503 };
        assert_eq!(stopped.told.status, status, "{}", stopped.told.body);
        assert!(stopped.told.body.contains("shutting down"), "{}", stopped.told.body);
        assert_eq!(stopped.told.header("retry-after"), Some("1"));
        assert_eq!((stopped.rows.len(), stopped.rows[0].outcome), (1, Outcome::Aborted));
    }
}

#[tokio::test]
async fn connections_that_idle_do_not_hold_up_the_end() {
    let front = Front::start(&["one"]).await;
    let fresh = TcpStream::connect(front.gateway.address()).await.unwrap();
    let mut used = TcpStream::connect(front.gateway.address()).await.unwrap();
    used.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let mut answer = [0_u8; 1024];
    assert!(used.read(&mut answer).await.unwrap() > 0);
    let begun = Instant::now();
    front.gateway.stop().await;
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    drop(fresh);
}
