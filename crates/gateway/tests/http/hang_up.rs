//! A caller that goes away cancels the upstream call within a second, and is recorded (behaviour 7.5).

use std::time::{Duration, Instant};

use mainstay::Outcome;
use mainstay_testkit::{Fault, Reply, Said};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::common::Front;

/// Asks on a bare socket and gives back the socket.
async fn ask(front: &Front, path: &str, stream: bool) -> TcpStream {
    let mut socket = TcpStream::connect(front.gateway.address()).await.unwrap();
    let body = json!({"model": "default", "stream": stream, "max_tokens": 300,
        "messages": [{"role": "user", "content": "Tell me a long story."}]})
    .to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    socket.write_all(head.as_bytes()).await.unwrap();
    socket.write_all(body.as_bytes()).await.unwrap();
    socket
}

#[tokio::test]
async fn hanging_up_in_the_middle_of_a_stream_cancels_the_call() {
    for path in ["/v1/chat/completions", "/v1/messages"] {
        let front = Front::start(&["slow"]).await;
        let story = "Once upon a time there was a river. ".repeat(200);
        front.provider.on("slow", [Reply::Say(Said::text(&story).slowly(Duration::from_millis(20)))]);
        let mut socket = ask(&front, path, true).await;
        let mut seen = Vec::new();
        while !String::from_utf8_lossy(&seen).contains("river") {
            assert_ne!(socket.read_buf(&mut seen).await.unwrap(), 0, "{}", String::from_utf8_lossy(&seen));
        }
        assert_eq!(front.provider.open_connections(), 1);
        drop(socket);
        let left = Instant::now();
        front
            .until("the upstream call is cancelled", async |front| front.provider.open_connections() == 0)
            .await;
        assert!(left.elapsed() < Duration::from_secs(1), "{:?}", left.elapsed());
        front.until("it is recorded", async |front| !front.rows().await.is_empty()).await;
        let row = front.rows().await.remove(0);
        assert_eq!((row.outcome, row.error_kind.as_deref()), (Outcome::Aborted, Some("cancelled")));
        assert!(row.completion_tokens.unwrap() > 0 && row.cost.known().unwrap().nanos() > 0, "{row:?}");
    }
}

#[tokio::test]
async fn hanging_up_before_anything_came_cancels_the_call() {
    for stream in [false, true] {
        let front = Front::start(&["silent"]).await;
        front.provider.on("silent", [Reply::Fault(Fault::Hang)]);
        let socket = ask(&front, "/v1/chat/completions", stream).await;
        front.until("the provider is asked", async |front| front.provider.open_connections() == 1).await;
        drop(socket);
        let left = Instant::now();
        front
            .until("the upstream call is cancelled", async |front| front.provider.open_connections() == 0)
            .await;
        assert!(left.elapsed() < Duration::from_secs(1), "stream={stream}: {:?}", left.elapsed());
        front.until("it is recorded", async |front| !front.rows().await.is_empty()).await;
        assert_eq!(front.rows().await[0].outcome, Outcome::Aborted, "stream={stream}");
    }
}
