//! The caller's end of a stream: what it has been given, whichever attempt that came from.

use std::future::{Future, pending};

use mainstay_canon::ReplyEvent;
use tokio::sync::mpsc;

use super::{Opening, StreamItem};
use crate::gave_up::GaveUp;

pub(super) type Item = Result<StreamItem, GaveUp>;

/// Whoever reads the stream.
pub(super) struct Caller {
    sender: mpsc::Sender<Item>,
    opened: bool,
    begun: bool,
}

impl Caller {
    pub(super) fn new(sender: mpsc::Sender<Item>) -> Self {
        Self { sender, opened: false, begun: false }
    }

    /// Comes to its end when nobody listens any more.
    pub(super) fn gone(&self) -> impl Future<Output = ()> + 'static + use<> {
        let sender = self.sender.clone();
        async move { sender.closed().await }
    }

    /// Says who answers; once.
    pub(super) async fn open(&mut self, opening: impl FnOnce() -> Opening) {
        if !self.opened {
            self.opened = true;
            self.send(StreamItem::Open(opening())).await;
        }
    }

    /// Gives a piece of the answer. A caller's stream begins once, also when a later attempt goes on with it.
    pub(super) async fn give(&mut self, event: ReplyEvent) {
        match &event {
            ReplyEvent::Start { .. } if std::mem::replace(&mut self.begun, true) => return,
            // How an answer ends is said by its last item.
            ReplyEvent::Finish { .. } => return,
            ReplyEvent::Start { .. }
            | ReplyEvent::Text(_)
            | ReplyEvent::Reasoning(_)
            | ReplyEvent::ReasoningBlock(_)
            | ReplyEvent::Shown(_)
            | ReplyEvent::Refusal(_)
            | ReplyEvent::ToolStart { .. }
            | ReplyEvent::ToolArguments { .. }
            | ReplyEvent::ToolEnd { .. }
            | ReplyEvent::Extra(_) => {}
        }
        self.send(StreamItem::Event(event)).await;
    }

    async fn send(&self, item: StreamItem) {
        if self.sender.send(Ok(item)).await.is_err() {
            // Nobody listens: whoever waits for `gone` beside this ends it.
            pending::<()>().await;
        }
    }

    /// Gives the last item.
    pub(super) async fn end(self, last: Item) {
        // A caller that has left in the meantime does not miss it.
        drop(self.sender.send(last).await);
    }
}
