//! A connection that does not wait for ever for a peer that takes nothing.
//!
//! Hyper asks for the next piece of an answer only when the last one was taken. A peer that stops reading
//! and stays would hold its place, its upstream call and its money's reservation for as long as it likes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// A stream whose writes fail when the peer has taken nothing for so long.
pub(crate) struct Patient<S> {
    stream: S,
    patience: Duration,
    stuck: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    pub(crate) fn new(stream: S, patience: Duration) -> Self {
        Self { stream, patience, stuck: None }
    }

    /// What becomes of a write: nothing taken for too long is an error.
    fn bounded<T>(&mut self, wrote: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if wrote.is_ready() {
            self.stuck = None;
            return wrote;
        }
        let end = || Instant::now() + self.patience;
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(end())));
        ready!(stuck.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer takes nothing")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.bounded(wrote, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.bounded(wrote, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.bounded(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_takes_nothing_is_given_up() {
        let (ours, _theirs) = tokio::io::duplex(8);
        let mut stream = Patient::new(ours, Duration::from_mins(1));
        let before = Instant::now();
        let error = stream.write_all(b"more than eight bytes").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(before.elapsed(), Duration::from_mins(1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_is_slow_is_waited_for() {
        let (ours, mut theirs) = tokio::io::duplex(8);
        let mut stream = Patient::new(ours, Duration::from_mins(1));
        let reading = tokio::spawn(async move {
            let mut all = Vec::new();
            let mut byte = [0_u8; 1];
            while theirs.read(&mut byte).await.unwrap() == 1 {
                all.extend_from_slice(&byte);
                tokio::time::sleep(Duration::from_secs(50)).await;
            }
            all
        });
        stream.write_all(b"more than eight bytes").await.unwrap();
        drop(stream);
        assert_eq!(reading.await.unwrap(), b"more than eight bytes");
    }
}
