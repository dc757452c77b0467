//! A response body that holds something until its last byte is out or its reader is gone.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};

/// The body, and what it holds.
pub(crate) struct Held<T> {
    body: Body,
    held: Option<T>,
}

impl<T: Send + Unpin + 'static> Held<T> {
    /// That body, holding that.
    pub(crate) fn body(body: Body, held: T) -> Body {
        Body::new(Self { body, held: Some(held) })
    }
}

impl<T: Unpin> HttpBody for Held<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if matches!(frame, Poll::Ready(None)) {
            self.held = None;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use http_body_util::BodyExt as _;

    use super::*;

    #[tokio::test]
    async fn what_is_held_is_let_go_with_the_last_byte_or_the_reader() {
        let thing = Arc::new(());
        let read = Held::body(Body::from("all of it"), Arc::clone(&thing));
        assert_eq!(read.size_hint().exact(), Some(9));
        assert_eq!(Arc::strong_count(&thing), 2);
        assert_eq!(read.collect().await.unwrap().to_bytes(), "all of it");
        assert_eq!(Arc::strong_count(&thing), 1);
        drop(Held::body(Body::from("none of it"), Arc::clone(&thing)));
        assert_eq!(Arc::strong_count(&thing), 1);
    }
}
