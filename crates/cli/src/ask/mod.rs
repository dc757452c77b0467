//! Asks one question, where the money for it is kept.
//!
//! Two processes that spent under one cap without knowing of each other would pass it. So a question goes
//! through this process's own client where it can have the store, and through the gateway that has it
//! where it cannot (behaviour 11.3b).

mod own;
mod through;

use std::time::Duration;

use mainstay::{BuildError, ChatRequest, Client, EmbedRequest, Expect, Nanodollars};
use mainstay_config::Config;
use mainstay_store::StoreError;

use crate::args::Global;
use crate::exit::Exit;
use crate::running::Running;
use through::Through;

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) prompt: String,
    /// The chain, tier or model.
    pub(crate) name: Option<String>,
    pub(crate) max_tokens: Option<u32>,
    pub(crate) expect: Expect,
    pub(crate) deadline: Option<Duration>,
}

impl Question {
    /// The same as a request.
    pub(crate) fn request(&self) -> ChatRequest {
        let mut request = ChatRequest::user(self.prompt.clone()).expect(self.expect);
        request.model_hint.clone_from(&self.name);
        request.max_tokens = self.max_tokens;
        request
    }

    /// The same for a model that makes embeddings: a vector of the prompt.
    pub(crate) fn embed_request(&self) -> EmbedRequest {
        EmbedRequest { model_hint: self.name.clone(), ..EmbedRequest::texts([self.prompt.clone()]) }
    }
}

/// What came back.
#[derive(Debug, Default)]
pub(crate) struct Replied {
    pub(crate) request_id: String,
    pub(crate) text: String,
    pub(crate) refusal: Option<String>,
    pub(crate) tier: String,
    pub(crate) model: Option<String>,
    pub(crate) quality: String,
    pub(crate) finish_reason: Option<String>,
    pub(crate) prompt_tokens: Option<u64>,
    pub(crate) completion_tokens: Option<u64>,
    /// `None` where nobody knows.
    pub(crate) cost: Option<Nanodollars>,
    pub(crate) latency_ms: u64,
    pub(crate) attempts: usize,
    /// Who was asked and what came of it, a line each.
    pub(crate) trail: Vec<String>,
}

/// Why nothing came back.
#[derive(Debug, Default)]
pub(crate) struct Failed {
    pub(crate) message: String,
    /// Whether what was typed is at fault.
    pub(crate) is_usage: bool,
    pub(crate) request_id: Option<String>,
    pub(crate) trail: Vec<String>,
}

/// Where pieces of an answer go as they come.
pub(crate) type Show<'a> = Option<&'a mut dyn FnMut(&str) -> Result<(), Exit>>;

/// Who is asked.
pub(crate) enum Asker {
    /// The client of this process.
    Own(Client),
    /// The gateway that has the store.
    Gateway(Through),
}

impl Asker {
    /// Takes the store, else looks for the gateway that has it.
    ///
    /// # Errors
    ///
    /// When another process has the store and no gateway answers.
    pub(crate) async fn open(config: Config, global: &Global) -> Result<Self, Exit> {
        match Client::new(config.clone(), Vec::new()).await {
            Ok(client) => Ok(Self::Own(client)),
            Err(BuildError::Store(StoreError::InUse { path, pid })) => {
                let running = Running::of(global, Some(&config))?;
                let through = Through::find(running, &config, global).await.ok_or_else(|| {
                    Exit::failed(format!(
                        "{} is in use by process {pid}, and its gateway does not answer; --url says where it is",
                        path.display()
                    ))
                })?;
                anstream::eprintln!("through the running gateway at {}", through.url());
                Ok(Self::Gateway(through))
            }
            Err(other) => Err(other.into()),
        }
    }

    /// Whether it is this process that calls the providers.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self, Self::Own(_))
    }

    /// Asks; with somebody to show to, the answer is streamed.
    ///
    /// # Errors
    ///
    /// When showing fails; then the question is withdrawn.
    pub(crate) async fn ask(
        &self,
        question: Question,
        show: Show<'_>,
    ) -> Result<Result<Replied, Failed>, Exit> {
        match (self, show) {
            (Self::Own(client), None) => Ok(own::whole(client, &question).await),
            (Self::Own(client), Some(show)) => own::streamed(client, &question, show).await,
            (Self::Gateway(gateway), show) => gateway.ask(&question, show).await,
        }
    }

    /// Asks for a vector of the prompt.
    ///
    /// # Errors
    ///
    /// When the gateway cannot be reached.
    pub(crate) async fn embed(&self, question: Question) -> Result<Result<Replied, Failed>, Exit> {
        match self {
            Self::Own(client) => Ok(own::vector(client, &question).await),
            Self::Gateway(gateway) => gateway.embed(&question).await,
        }
    }

    /// Writes down what is to be written down.
    pub(crate) async fn close(&self) {
        match self {
            Self::Own(client) => client.close().await,
            Self::Gateway(_) => {}
        }
    }
}

/// One line of a trail.
fn trail_line(
    number: Option<u32>,
    tier: &str,
    verdict: &str,
    latency_ms: u64,
    cost: Option<Nanodollars>,
) -> String {
    let number = number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let cost = cost.map_or_else(|| "cost unknown".to_owned(), |cost| format!("${cost}"));
    format!("{number} {tier:<36} {verdict:<20} {latency_ms} ms  {cost}")
}
