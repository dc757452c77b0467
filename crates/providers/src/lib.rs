//! Layer 1: who speaks a dialect. One file a provider, one line in [`ALL`].
//!
//! A provider's file states its address, its auth, what its models accept, what its finish words mean,
//! how its errors and rate-limit headers are read. It never knows about retries, money or another provider.

// `Failure` is the one error type of every layer, as large as what it keeps; errors are the rare path.
#![allow(clippy::result_large_err)]

mod anthropic;
mod compatible;
mod deepseek;
mod efforts;
mod errors;
mod gemini;
mod groq;
mod hints;
mod llamacpp;
mod lmstudio;
mod local;
mod minimax;
mod mistral;
mod ollama;
mod openai;
mod openrouter;
mod vllm;
mod words;
mod xai;

use mainstay_canon::{
    Accepts, ChatRequest, Dialect, Failure, FinishMeaning, Headers, Kind, Moment, RetryHint,
};
use mainstay_dialects::Upstream;

/// Every provider that the config file may name without saying what it is.
pub static ALL: &[&Provider] = &[
    &openai::PROVIDER,
    &anthropic::PROVIDER,
    &gemini::PROVIDER,
    &deepseek::PROVIDER,
    &openrouter::PROVIDER,
    &minimax::PROVIDER,
    &mistral::PROVIDER,
    &groq::PROVIDER,
    &xai::PROVIDER,
    &ollama::PROVIDER,
    &vllm::PROVIDER,
    &llamacpp::PROVIDER,
    &lmstudio::PROVIDER,
    &local::PROVIDER,
    &compatible::PROVIDER,
];

/// The provider of that name.
pub fn by_id(id: &str) -> Option<&'static Provider> {
    ALL.iter().copied().find(|provider| provider.id == id)
}

/// What stands behind a server that the config file describes only by its dialect. It has no address and
/// no environment variable of its own: no key is ever borrowed from another provider (behaviour 2.4).
pub fn for_dialect(dialect: Dialect) -> Option<&'static Provider> {
    match dialect {
        Dialect::OpenaiChat => Some(&compatible::PROVIDER),
        Dialect::Anthropic => Some(&anthropic::COMPATIBLE),
        Dialect::Gemini => Some(&gemini::COMPATIBLE),
        Dialect::Ollama => Some(&ollama::COMPATIBLE),
        Dialect::OpenaiResponses => Some(&openai::RESPONSES),
        Dialect::Bedrock => None,
    }
}

/// How a provider wants its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auth {
    /// `Authorization: Bearer KEY`.
    Bearer {
        /// The provider's own standard environment variable; empty where it has none.
        env: &'static str,
    },
    /// A header of its own, such as `x-api-key`.
    Header {
        /// Its name, lower case.
        name: &'static str,
        /// The provider's own standard environment variable; empty where it has none.
        env: &'static str,
    },
    /// No key.
    None,
}

/// Everything that is particular about one provider.
pub struct Provider {
    /// Its name in the config file.
    pub id: &'static str,
    /// Where it listens; empty for a server that has no address of its own.
    pub base_url: &'static str,
    /// How it wants its key.
    pub auth: Auth,
    /// The dialect it speaks, with its quirks.
    pub upstream: &'static dyn Upstream,
    /// Another dialect that one call needs; `None` for the usual one. Which it is, is asked of
    /// [`Provider::upstream_for`].
    pub choose: fn(request: &ChatRequest, model: &str) -> Option<&'static dyn Upstream>,
    /// What its finish words mean. A word that is not here is a failure. The empty word is an answer
    /// without one.
    pub finish: &'static [(&'static str, FinishMeaning)],
    /// What a model of it accepts.
    pub accepts: fn(model: &str) -> Accepts,
    /// Corrects the dialect's reading of an error by the provider's own tables.
    pub refine: fn(failure: &mut Failure, told: &Told<'_>),
    /// Its rate-limit buckets, for hints (behaviour 5.2).
    pub buckets: &'static [Bucket],
    /// Statuses beside 429, 503 and 529 on which it means a hint.
    pub hinted: &'static [u16],
    /// The headers that may hold its id of a call, best first.
    pub request_id: &'static [&'static str],
}

/// A rate-limit bucket that a provider reports in headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The header that says how much is left.
    pub remaining: &'static str,
    /// The header that says when it is full again.
    pub reset: &'static str,
}

/// What is left of one rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remaining {
    /// Whether it counts tokens; else it counts requests.
    pub of_tokens: bool,
    /// How many are left.
    pub left: u64,
    /// When it is full again.
    pub resets: Moment,
}

/// All that was told with an error, beside what the dialect made of it.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// The reply's headers.
    pub headers: &'a Headers,
    /// The reply's body; in a stream the error object, or nothing.
    pub body: &'a [u8],
    /// When it came.
    pub now: Moment,
}

impl Provider {
    /// The dialect in which a model is asked this. One call is written and read in the same.
    pub fn upstream_for(&self, request: &ChatRequest, model: &str) -> &'static dyn Upstream {
        (self.choose)(request, model).unwrap_or(self.upstream)
    }

    /// The meaning of a finish word; `None` where this provider's table does not know it.
    pub fn meaning(&self, word: &str) -> Option<FinishMeaning> {
        self.finish.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
    }

    /// Reads a reply whose status is not 2xx: by the dialect first, then by this provider's own tables,
    /// and with the wait it asks for.
    pub fn read_error(&self, status: u16, headers: &Headers, body: &[u8], now: Moment) -> Failure {
        self.refined(self.upstream.read_error(status, body), &Told { headers, body, now })
    }

    /// Completes a failure that the dialect found inside a 2xx reply (behaviour 3.3), or anywhere: by this
    /// provider's own tables, and with the wait it asks for.
    pub fn refined(&self, mut failure: Failure, told: &Told<'_>) -> Failure {
        // An error inside a stream or a choice is no body of its own, but the object that it came as.
        let object = failure.object.take();
        let body = object.as_ref().map_or(told.body, |object| object.text().as_bytes());
        let told = Told { body, ..*told };
        (self.refine)(&mut failure, &told);
        // Every form counts, whichever dialect the sentence stands in (5.2).
        let said = failure.hint.or_else(|| mainstay_dialects::openai_chat::spoken_hint(&failure.message));
        failure.hint = failure.status.and_then(|status| self.hint(status, told.headers, said, told.now));
        obey(&mut failure, told.headers);
        failure.provider_request_id =
            self.request_id(told.headers).map(str::to_owned).or(failure.provider_request_id);
        failure
    }

    /// The wait that a reply asks for, by all its forms in their order; `body` is what its body says. `None`
    /// on a status where a hint does not count (behaviour 5.2).
    pub fn hint(
        &self,
        status: u16,
        headers: &Headers,
        body: Option<RetryHint>,
        now: Moment,
    ) -> Option<RetryHint> {
        hints::counts(status, self.hinted).then(|| hints::read(headers, body, self.buckets, now)).flatten()
    }

    /// What a reply's headers say is left of each bucket, and when that bucket is full again. Buckets that
    /// are not reported whole are left out.
    pub fn remaining<'a>(
        &'a self,
        headers: &'a Headers,
        now: Moment,
    ) -> impl Iterator<Item = Remaining> + 'a {
        let clock = hints::their_clock(headers, now);
        self.buckets.iter().filter_map(move |bucket| {
            let left = headers.get(bucket.remaining)?.trim().parse().ok()?;
            let resets = now.after(hints::wait(headers.get(bucket.reset)?, clock)?);
            Some(Remaining { of_tokens: bucket.remaining.contains("token"), left, resets })
        })
    }

    /// The provider's own id of a call, from the headers of its reply.
    pub fn request_id<'a>(&self, headers: &'a Headers) -> Option<&'a str> {
        self.request_id.iter().find_map(|name| headers.get(name)).filter(|id| !id.is_empty())
    }
}

/// Obeys `x-should-retry`, as the SDKs of OpenAI, Anthropic and Groq do before they look at the status
/// (openai-python 3.57, anthropic-python 2.14, groq 1.7).
///
/// `false`: the same question is not put to this tier again. A rate limit that names no wait besides is no rate
/// limit: waiting does not help (Anthropic's spend limits, 2026-11). `true`: what a bare status made the caller's
/// mistake, or a key's or model's, is the server's trouble and passes. What a code or the message made plain stays.
fn obey(failure: &mut Failure, headers: &Headers) {
    let Some(word) = headers.get("x-should-retry").map(str::trim) else { return };
    if word.eq_ignore_ascii_case("false") {
        failure.says_final = true;
        if failure.kind == Kind::RateLimited && failure.hint.is_none() {
            failure.kind = Kind::QuotaExhausted;
        }
    } else if word.eq_ignore_ascii_case("true")
        && matches!(
            failure.kind,
            Kind::InvalidRequest | Kind::RequestDeclined | Kind::Permission | Kind::NotFound | Kind::Auth
        )
    {
        failure.kind = Kind::ServerError;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// Files that are no provider.
    const TOOLS: [&str; 5] = ["efforts", "errors", "hints", "lib", "words"];

    #[test]
    fn the_table_names_every_file_and_no_other() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| entry.unwrap().path().file_stem()?.to_str().map(str::to_owned))
            .filter(|name| !TOOLS.contains(&name.as_str()))
            .collect();
        let table: BTreeSet<String> = ALL.iter().map(|provider| provider.id.replace('-', "_")).collect();
        assert_eq!(files, table);
        assert_eq!(table.len(), ALL.len(), "every name stands once");
    }

    #[test]
    fn every_table_of_finish_words_names_a_word_once() {
        for provider in ALL {
            let words: BTreeSet<&str> = provider.finish.iter().map(|(word, _)| *word).collect();
            assert_eq!(words.len(), provider.finish.len(), "{}", provider.id);
            assert_eq!(provider.meaning("quota_of_the_moon"), None, "{}", provider.id);
        }
    }

    #[test]
    fn no_two_providers_share_a_key_variable() {
        let env = |provider: &&Provider| match provider.auth {
            Auth::Bearer { env } | Auth::Header { env, .. } => env,
            Auth::None => "",
        };
        let named: Vec<&str> =
            ALL.iter().copied().map(|provider| env(&provider)).filter(|env| !env.is_empty()).collect();
        let different: BTreeSet<&str> = named.iter().copied().collect();
        assert_eq!(different.len(), named.len());
        for dialect in Dialect::ALL {
            let Some(template) = for_dialect(dialect) else { continue };
            assert_eq!((template.base_url, env(&template)), ("", ""), "{dialect}");
            assert_eq!(template.upstream.dialect(), dialect);
        }
    }

    #[test]
    fn what_is_left_of_a_rate_limit_is_read_from_its_headers() {
        let headers: Headers = [
            ("x-ratelimit-remaining-requests", "0"),
            ("x-ratelimit-reset-requests", "1m30s"),
            ("x-ratelimit-remaining-tokens", "4000"),
            ("x-ratelimit-reset-tokens", "nonsense"),
        ]
        .into_iter()
        .collect();
        let now = Moment::from_secs(1_772_366_400);
        let left: Vec<Remaining> = by_id("openai").unwrap().remaining(&headers, now).collect();
        let resets = now.after(std::time::Duration::from_secs(90));
        assert_eq!(left, [Remaining { of_tokens: false, left: 0, resets }]);
    }

    #[test]
    fn addresses_are_secure_and_headers_are_lower_case() {
        for provider in ALL {
            let is_secure =
                ["https://", "http://localhost:"].iter().any(|s| provider.base_url.starts_with(s));
            assert!(provider.base_url.is_empty() || is_secure, "{}", provider.id);
            assert!(!provider.base_url.ends_with('/'), "{}", provider.id);
            let headers = provider.buckets.iter().flat_map(|bucket| [bucket.remaining, bucket.reset]);
            for header in headers.chain(provider.request_id.iter().copied()) {
                assert_eq!(header, header.to_ascii_lowercase(), "{}", provider.id);
            }
            assert_eq!(by_id(provider.id).map(|found| found.id), Some(provider.id));
        }
    }
}
