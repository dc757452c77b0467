//! Posts alerts to the address that the operator named. The address is a secret: it appears nowhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use mainstay::Alert;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use tokio::sync::mpsc;

/// Alerts that may wait to be posted; beyond, they are counted as lost.
const QUEUE: usize = 64;
/// How long one POST may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked whether everything is posted.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// The way to the webhook.
pub(super) struct Webhook {
    queue: mpsc::Sender<String>,
    lost: Arc<AtomicU64>,
    /// Alerts that wait, and the one that is being posted.
    under_way: Arc<AtomicUsize>,
}

impl Webhook {
    /// Starts posting to that address.
    pub(super) fn start(address: &SecretString) -> Result<Self, reqwest::Error> {
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .timeout(PATIENCE)
            .no_proxy()
            .user_agent(concat!("mainstay/", env!("CARGO_PKG_VERSION")))
            .build()?;
        let (queue, texts) = mpsc::channel(QUEUE);
        let (lost, under_way) = <(Arc<AtomicU64>, Arc<AtomicUsize>)>::default();
        let post = Post { http, address: address.clone(), lost: Arc::clone(&lost) };
        tokio::spawn(run(post, texts, Arc::clone(&under_way)));
        Ok(Self { queue, lost, under_way })
    }

    /// Posts an alert, soon.
    pub(super) fn post(&self, alert: &Alert) {
        self.under_way.fetch_add(1, Ordering::AcqRel);
        if self.queue.try_send(words(alert)).is_err() {
            self.under_way.fetch_sub(1, Ordering::AcqRel);
            self.lost.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(kind = alert.kind, "too many alerts wait for the webhook; this one is not posted");
        }
    }

    /// Waits until everything is posted, at most so long.
    pub(super) async fn settle(&self, patience: Duration) {
        let posted = async {
            while self.under_way.load(Ordering::Acquire) > 0 {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        };
        // What is not posted by then is lost; the log has it.
        let _ = tokio::time::timeout(patience, posted).await;
    }

    /// How many could not be posted.
    pub(super) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

/// Ends when the sender is gone and everything is posted.
async fn run(post: Post, mut texts: mpsc::Receiver<String>, under_way: Arc<AtomicUsize>) {
    while let Some(text) = texts.recv().await {
        post.send(&text).await;
        under_way.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Where alerts go, and how.
struct Post {
    http: reqwest::Client,
    address: SecretString,
    lost: Arc<AtomicU64>,
}

impl Post {
    async fn send(&self, text: &str) {
        let body = json!({ "text": text }).to_string();
        let request = self.http.post(self.address.expose_secret()).header("content-type", "application/json");
        let failed = match request.body(body).send().await {
            Ok(reply) if reply.status().is_success() => return,
            Ok(reply) => format!("it answered {}", reply.status()),
            Err(error) => error.without_url().to_string(),
        };
        self.lost.fetch_add(1, Ordering::Relaxed);
        tracing::warn!("an alert could not be posted to the webhook: {failed}");
    }
}

/// One line for people. Only `text` is sent: some receivers refuse members that they do not know.
fn words(alert: &Alert) -> String {
    let about = alert.tier.as_ref().map(|tier| format!(" {tier}")).unwrap_or_default();
    let over = if alert.over { "over: " } else { "" };
    format!("mainstay: {over}{}{about}: {}", alert.kind, alert.message)
}

#[cfg(test)]
mod tests {
    use mainstay::Target;

    use super::*;

    #[test]
    fn a_line_says_what_it_is_about_and_whether_it_is_over() {
        let mut alert = Alert {
            kind: "tier_disabled",
            tier: Target::parse("openai/gpt"),
            message: "auth".into(),
            over: false,
        };
        assert_eq!(words(&alert), "mainstay: tier_disabled openai/gpt: auth");
        alert.over = true;
        alert.tier = None;
        assert_eq!(words(&alert), "mainstay: over: tier_disabled: auth");
    }
}
