//! What must come out, whoever spelled it: stated once for each scenario.

use mainstay_canon::{FinishReason, Kind, Quality};

use crate::scenario::Scenario;

/// The pieces in which the text of [`Scenario::PlainText`] comes.
pub const TEXT: [&str; 3] = ["Grüße ", "aus 世界", " 🙂!"];
/// The pieces in which reasoning comes.
pub const THOUGHT: [&str; 2] = ["Let me ", "think it over."];
/// The text after reasoning, and in most other scenarios.
pub const SAID: [&str; 2] = ["It is ", "done."];
/// A signature.
pub const SIGNATURE: &str = "c2lnbmF0dXJlIQ==";
/// The arguments of the first call, in pieces.
pub const FIRST: [&str; 2] = [r#"{"city":"#, r#""Köln"}"#];
/// The arguments of the second call, in pieces.
pub const SECOND: [&str; 2] = [r#"{"city":"#, r#""大阪"}"#];
/// A finish word that no provider has.
pub const UNKNOWN_WORD: &str = "moon_phase_changed";
/// What a model says that declines.
pub const DECLINED: &str = "I will not help with that.";
/// How many tokens the prompt and the answer are said to have.
pub const COUNTS: (u64, u64) = (11, 7);
/// How many tokens of a prompt of [`CACHED_PROMPT`] came from a cache.
pub const CACHED: u64 = 60;
/// A prompt of which a part came from a cache, in tokens.
pub const CACHED_PROMPT: u64 = 100;
/// How many tokens of the answer were hidden reasoning.
pub const HIDDEN: u64 = 4;
/// How long a provider asks to be left alone, in seconds.
pub const DELAY_SECONDS: u64 = 17;

/// What must come out.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// An answer.
    Answer(Said),
    /// One of these failures; what is kept with it must be the beginning of what was said.
    Failure(&'static [Kind], Said),
    /// No good end: an interruption, an unreadable reply, or an answer that nobody calls whole.
    NoGoodEnd(Said),
}

/// What an answer says.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// Its text.
    pub text: String,
    /// Its reasoning; empty for none.
    pub reasoning: String,
    /// Its calls: id (empty for one that was made up), name, arguments.
    pub calls: Vec<(&'static str, &'static str, String)>,
    /// The text of its refusal field; empty for any or none.
    pub refusal: &'static str,
    /// Why it ended.
    pub reason: Option<FinishReason>,
    /// The stop text that was hit.
    pub stop_sequence: Option<&'static str>,
    /// A signature that must go back.
    pub signature: Option<&'static str>,
    /// The prompt itself was prohibited.
    pub prohibited: bool,
    /// The context window was full.
    pub context_full: bool,
    /// Prompt, completion, cached and hidden tokens; nothing for counts that are ours.
    pub counts: Option<(u64, u64, u64, u64)>,
    /// What the judge makes of it.
    pub quality: Option<Quality>,
}

impl Said {
    fn nothing(reason: FinishReason, quality: Quality) -> Self {
        Self {
            reason: Some(reason),
            quality: Some(quality),
            counts: Some((COUNTS.0, COUNTS.1, 0, 0)),
            ..Self::default()
        }
    }

    fn text(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::nothing(FinishReason::Stop, Quality::Ok) }
    }

    fn done() -> Self {
        Self::text(&SAID.concat())
    }

    fn thought(self) -> Self {
        Self { reasoning: THOUGHT.concat(), ..self }
    }

    fn call(id: &'static str, arguments: &str) -> Self {
        Self {
            calls: vec![(id, "weather", arguments.to_owned())],
            ..Self::nothing(FinishReason::ToolCall, Quality::Ok)
        }
    }

    fn two_calls() -> Self {
        let mut said = Self::call("call_1", &FIRST.concat());
        said.calls.push(("call_2", "weather", SECOND.concat()));
        said
    }

    fn ended(self, reason: FinishReason, quality: Quality) -> Self {
        Self { reason: Some(reason), quality: Some(quality), ..self }
    }
}

/// Any server error; a gateway's may be told more finely.
const SERVER: &[Kind] = &[Kind::ServerError];
const CUT: &[Kind] = &[Kind::StreamInterrupted];
const UNREADABLE: &[Kind] = &[Kind::InvalidResponse];

/// What must come out of that scenario.
#[allow(clippy::match_same_arms, reason = "what belongs together stands together")]
pub fn outcome(scenario: Scenario) -> Outcome {
    use Outcome::{Answer, Failure, NoGoodEnd};
    use Scenario as S;
    match scenario {
        S::PlainText
        | S::UsageAfterFinish
        | S::TerminatorMissing
        | S::DataAfterTerminator
        | S::KeepAlives
        | S::UnknownEvent
        | S::CrLf
        | S::LoneCr
        | S::Comments
        | S::ByteOrderMark
        | S::DataOverLines
        | S::NoSpaceAfterColon
        | S::NoLastLineEnd
        | S::WholeBodyInStream => Answer(Said::text(&TEXT.concat())),
        S::CutAfterFinish => Answer(Said { counts: None, ..Said::text(&TEXT.concat()) }),
        S::Reasoning | S::LeakedThinking => Answer(Said::done().thought()),
        S::SignedReasoning => Answer(Said { signature: Some(SIGNATURE), ..Said::done().thought() }),
        S::ReasoningCount => Answer(Said { counts: Some((COUNTS.0, COUNTS.1, 0, HIDDEN)), ..Said::done() }),
        S::OneCall | S::WholeCallInOnePiece | S::CallIdRepeated => {
            Answer(Said::call("call_1", &FIRST.concat()))
        }
        S::ParallelCalls | S::InterleavedCalls | S::CallsFromOne | S::CallsUnnumbered => {
            Answer(Said::two_calls())
        }
        S::TextThenCall => Answer(Said { text: SAID.concat(), ..Said::call("call_1", &FIRST.concat()) }),
        S::CallWithoutArguments => Answer(Said::call("call_1", "{}")),
        S::CallWithoutId => Answer(Said::call("", &FIRST.concat())),
        S::StopSequence => Answer(Said { stop_sequence: Some("END"), ..Said::done() }),
        S::Length => Answer(Said::done().ended(FinishReason::Length, Quality::Truncated)),
        S::LengthBeforeText => Answer(Said::nothing(FinishReason::Length, Quality::TruncatedEmpty).thought()),
        S::CallCutByLength => {
            Answer(Said::call("call_1", FIRST[0]).ended(FinishReason::Length, Quality::MalformedToolCall))
        }
        S::Refusal => {
            Answer(Said { refusal: DECLINED, ..Said::nothing(FinishReason::Refusal, Quality::Refusal) })
        }
        S::ContentFilter => Answer(Said::done().ended(FinishReason::ContentFilter, Quality::Filtered)),
        S::PromptProhibited => Answer(Said {
            prohibited: true,
            counts: None,
            ..Said::nothing(FinishReason::ContentFilter, Quality::Filtered)
        }),
        S::Pause => Answer(Said::done().ended(FinishReason::Pause, Quality::Paused)),
        S::ContextFull => Answer(Said {
            context_full: true,
            ..Said::done().ended(FinishReason::Length, Quality::Truncated)
        }),
        S::UnknownFinish => Failure(&[Kind::UnknownFinishReason], Said::done()),
        S::FinishMissing | S::EmptyObject => NoGoodEnd(Said::done()),
        S::NullMembers | S::UnknownMembers | S::FirstChoiceOnly => Answer(Said::done()),
        S::NoContent => Answer(Said { counts: None, ..Said::nothing(FinishReason::Stop, Quality::Empty) }),
        S::UsageAbsent => Answer(Said { counts: None, ..Said::done() }),
        S::CachedPrompt => {
            Answer(Said { counts: Some((CACHED_PROMPT, COUNTS.1, CACHED, 0)), ..Said::done() })
        }
        S::ErrorInside => Failure(SERVER, Said::default()),
        S::RateLimitInside => Failure(&[Kind::RateLimited], Said::default()),
        S::OverloadInside => Failure(&[Kind::Overloaded], Said::default()),
        S::Markup | S::OtherJson => NoGoodEnd(Said::default()),
        S::NotUtf8 => Failure(UNREADABLE, Said::done()),
        S::CutBody => Failure(CUT, Said::default()),
        S::NoBody => Failure(&[Kind::StreamInterrupted, Kind::InvalidResponse], Said::default()),
        S::ErrorAfterReasoning => Failure(SERVER, Said::default().thought()),
        S::ErrorAfterText => Failure(SERVER, Said::text(&TEXT.concat())),
        S::CutBeforeContent | S::EmptyStream => Failure(CUT, Said::default()),
        S::CutInReasoning => Failure(CUT, Said::default().thought()),
        S::CutInText => Failure(CUT, Said::text(&TEXT.concat())),
        S::CutInCall => Failure(CUT, Said::call("call_1", &FIRST.concat())),
        S::GiantLine | S::GiantEvent | S::GiantAnswer => Failure(UNREADABLE, Said::default()),
        S::WrongKey => Failure(&[Kind::Auth], Said::default()),
        S::NoPermission => Failure(&[Kind::Permission], Said::default()),
        S::NoSuchModel => Failure(&[Kind::NotFound], Said::default()),
        S::BadRequest => Failure(&[Kind::InvalidRequest], Said::default()),
        S::TooLarge => Failure(&[Kind::TooLarge], Said::default()),
        S::RateLimit | S::RateLimitWithDelay => Failure(&[Kind::RateLimited], Said::default()),
        S::QuotaGone => Failure(&[Kind::QuotaExhausted], Said::default()),
        S::ContextTooLong => Failure(&[Kind::ContextLength], Said::default()),
        S::Unsupported => Failure(&[Kind::UnsupportedParameter], Said::default()),
        S::PromptFiltered => Failure(&[Kind::ContentFiltered], Said::default()),
        S::ServerFault | S::EmptyError | S::MarkupError => Failure(SERVER, Said::default()),
        S::Overloaded => Failure(&[Kind::Overloaded], Said::default()),
    }
}
