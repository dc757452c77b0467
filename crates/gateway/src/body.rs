//! Request bodies: JSON, of a bounded size, sent within a bounded time.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use bytes::BytesMut;
use http_body_util::BodyExt as _;
use mainstay_dialects::ProblemKind;
use tokio::time::{Instant, timeout, timeout_at};

use crate::problem::Told;

/// How long an upload may pause.
const IDLE: Duration = Duration::from_mins(1);
/// How long it may take in all.
const WHOLE: Duration = Duration::from_mins(10);
/// How long the rest of a body that is refused is read and thrown away, so that its sender comes to read
/// the answer instead of a reset connection.
const DRAIN: Duration = Duration::from_secs(10);
/// How many bytes of it.
const DRAIN_LIMIT: usize = 128 * 1024 * 1024;

/// Reads a JSON request's body of at most `limit` bytes. That it *is* JSON is for its reader to find out.
///
/// # Errors
///
/// What the caller is told: 415 for another content type, 413 for too much, 408 for too slow.
pub(crate) async fn read(fields: &HeaderMap, body: Body, limit: usize) -> Result<Bytes, Told> {
    check_content_type(fields)?;
    let stated =
        fields.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if stated.is_some_and(|length| length > limit) {
        // Who waits for a `100 Continue` sends nothing more.
        if !fields.contains_key(header::EXPECT) {
            tokio::spawn(drain(body));
        }
        return Err(Told::too_large(limit));
    }
    collect(body, limit, stated.unwrap_or_default()).await
}

async fn collect(mut body: Body, limit: usize, stated: usize) -> Result<Bytes, Told> {
    let end = Instant::now() + WHOLE;
    let mut all = BytesMut::new();
    loop {
        let next = timeout_at(end.min(Instant::now() + IDLE), body.frame()).await;
        let Ok(next) = next else { return Err(Told::too_slow(IDLE)) };
        let data = match next {
            None => return Ok(all.freeze()),
            Some(Ok(frame)) => frame.into_data(),
            Some(Err(_)) => {
                return Err(Told::new(ProblemKind::InvalidRequest, 400, "the request body broke off"));
            }
        };
        // Trailers say nothing that we need.
        let Ok(data) = data else { continue };
        if all.len().saturating_add(data.len()) > limit {
            tokio::spawn(drain(body));
            return Err(Told::too_large(limit));
        }
        if all.is_empty() {
            if data.len() == stated {
                return Ok(data);
            }
            all.reserve(stated.max(data.len()));
        }
        all.extend_from_slice(&data);
    }
}

/// Reads on and throws away.
async fn drain(mut body: Body) {
    let mut left = DRAIN_LIMIT;
    // Whoever has not come to an end by then is cut off.
    let _ = timeout(DRAIN, async {
        while let Some(Ok(frame)) = body.frame().await {
            left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
            if left == 0 {
                break;
            }
        }
    })
    .await;
}

/// A web page's form cannot send this type, and a script of another origin not without asking first.
fn check_content_type(fields: &HeaderMap) -> Result<(), Told> {
    let kind = fields.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        let message = "send the body as content-type: application/json";
        return Err(Told::new(ProblemKind::InvalidRequest, 415, message));
    }
    let coding =
        fields.get(header::CONTENT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or("identity");
    if !coding.trim().eq_ignore_ascii_case("identity") {
        return Err(Told::new(
            ProblemKind::InvalidRequest,
            415,
            "send the body as it is, without content-encoding",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::http::HeaderValue;
    use futures_util::{StreamExt as _, stream};

    use super::*;

    fn fields(all: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = all.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)));
        pairs.collect()
    }

    const JSON: (&str, &str) = ("content-type", "application/json");

    async fn status(all: &[(&'static str, &'static str)], body: Body) -> u16 {
        read(&fields(all), body, 10).await.map_or_else(|told| told.problem.status, |_| 200)
    }

    #[tokio::test]
    async fn a_form_cannot_post() {
        for (kind, expected) in [
            ("application/json", 200),
            ("Application/JSON; charset=utf-8", 200),
            ("text/plain", 415),
            ("application/x-www-form-urlencoded", 415),
            ("multipart/form-data; boundary=x", 415),
            ("", 415),
        ] {
            assert_eq!(status(&[("content-type", kind)], Body::from("{}")).await, expected, "{kind}");
        }
        assert_eq!(status(&[], Body::from("{}")).await, 415);
        assert_eq!(status(&[JSON, ("content-encoding", "gzip")], Body::from("{}")).await, 415);
    }

    #[tokio::test]
    async fn a_body_over_the_limit_is_refused_whether_it_says_so_or_not() {
        assert_eq!(status(&[JSON, ("content-length", "11")], Body::from("12345678901")).await, 413);
        assert_eq!(status(&[JSON, ("content-length", "10")], Body::from("1234567890")).await, 200);
        let pieces = |count| Body::from_stream(stream::iter(0..count).map(|_| Ok::<_, Infallible>("12345")));
        assert_eq!(status(&[JSON], pieces(2)).await, 200);
        assert_eq!(status(&[JSON], pieces(3)).await, 413);
        assert_eq!(status(&[JSON, ("content-length", "4")], pieces(3)).await, 413, "a lie about the length");
    }

    #[tokio::test]
    async fn the_pieces_come_together_in_order() {
        let body = Body::from_stream(stream::iter(["ab", "", "cd", "e"]).map(Ok::<_, Infallible>));
        assert_eq!(read(&fields(&[JSON]), body, 10).await.unwrap(), "abcde");
    }

    #[tokio::test(start_paused = true)]
    async fn an_upload_that_pauses_for_a_minute_is_given_up() {
        let start = Instant::now();
        let stalled = stream::once(async { Ok::<_, Infallible>("{") }).chain(stream::pending());
        let told = read(&fields(&[JSON]), Body::from_stream(stalled), 10).await.unwrap_err();
        assert_eq!((told.problem.status, start.elapsed()), (408, IDLE));
        assert_eq!(told.should_retry, Some(false), "an SDK would send the same slow body again");
    }

    #[tokio::test(start_paused = true)]
    async fn an_upload_that_drips_is_given_up_in_the_end() {
        let start = Instant::now();
        let dripping = stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_secs(50)).await;
            Some((Ok::<_, Infallible>("x"), ()))
        });
        let told = read(&fields(&[JSON]), Body::from_stream(dripping), 1000).await.unwrap_err();
        assert_eq!((told.problem.status, start.elapsed()), (408, WHOLE));
    }
}
