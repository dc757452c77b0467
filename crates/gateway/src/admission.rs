//! Places for requests: as many as the config allows at a time, a queue in front, and an honest 503 beyond.
//!
//! An HTTP/1.1 connection carries one request at a time, so requests being answered are connections at work;
//! a connection that idles between two requests takes nobody's place.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::Told;

/// The places, and who waits for one.
pub(crate) struct Admission {
    places: Arc<Semaphore>,
    all: usize,
    waiting: AtomicUsize,
    queue: usize,
    patience: Duration,
}

/// A place; it is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    _permit: OwnedSemaphorePermit,
}

/// Someone who waits; leaves the queue in whatever way the wait ends.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Admission {
    /// So many places, and so many who may wait for one, each so long.
    pub(crate) fn new(places: usize, queue: usize, patience: Duration) -> Self {
        let all = places.min(Semaphore::MAX_PERMITS);
        Self { places: Arc::new(Semaphore::new(all)), all, waiting: AtomicUsize::new(0), queue, patience }
    }

    /// Takes a place, waiting for it if need be.
    pub(crate) async fn enter(&self) -> Result<Place, Told> {
        if let Ok(permit) = Arc::clone(&self.places).try_acquire_owned() {
            return Ok(Place { _permit: permit });
        }
        let before = self.waiting.fetch_add(1, Ordering::AcqRel);
        let _waiting = Waiting(&self.waiting);
        if before >= self.queue {
            return Err(self.full("and its queue, too"));
        }
        match tokio::time::timeout(self.patience, Arc::clone(&self.places).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Place { _permit: permit }),
            Ok(Err(_)) | Err(_) => Err(self.full("and no place became free in time")),
        }
    }

    /// Requests that are being answered.
    pub(crate) fn taken(&self) -> usize {
        self.all.saturating_sub(self.places.available_permits())
    }

    /// Requests that wait for a place.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Acquire)
    }

    fn full(&self, further: &str) -> Told {
        let message = format!("the gateway is full ({} requests at a time), {further}", self.all);
        Told::unavailable(&message, self.patience.clamp(Duration::from_secs(1), Duration::from_secs(30)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_finds_no_place_waits_and_who_finds_no_queue_is_told_at_once() {
        let admission = Arc::new(Admission::new(1, 1, Duration::from_secs(5)));
        let first = admission.enter().await.unwrap();
        let second = tokio::spawn({
            let admission = Arc::clone(&admission);
            async move { admission.enter().await }
        });
        while admission.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        let third = admission.enter().await.unwrap_err();
        assert_eq!((third.problem.status, third.retry_after), (503, Some(Duration::from_secs(5))));
        assert_eq!(admission.taken(), 1);
        drop(first);
        assert!(second.await.unwrap().is_ok());
        assert_eq!((admission.taken(), admission.waiting()), (0, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_longer_than_the_config_says() {
        let admission = Admission::new(1, 10, Duration::from_secs(5));
        let _first = admission.enter().await.unwrap();
        let before = tokio::time::Instant::now();
        assert!(admission.enter().await.is_err());
        assert_eq!(before.elapsed(), Duration::from_secs(5));
        assert_eq!(admission.waiting(), 0);
    }
}
