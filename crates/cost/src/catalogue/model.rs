//! What is known of one model: its price, its limits, its end.

use std::sync::Arc;

use jiff::civil::Date;
use jiff::{Timestamp, tz::Offset};
use mainstay_canon::{ChatRequest, Content, Moment, PerMillion};

use crate::multiplier::Multiplier;
use crate::price::Price;
use crate::schedule::Schedule;

/// How many days before its end a model is warned about (behaviour 10.1a).
pub const RETIREMENT_NOTICE_DAYS: i32 = 60;

/// What a model is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Chat.
    Chat,
    /// Chat, but only through OpenAI's Responses API.
    ResponsesOnly,
    /// Vectors.
    Embedding,
}

/// Rates for what is not text, in dollars per million tokens; absent where it is billed as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MediaRates {
    /// Sound in the prompt.
    pub audio_input: Option<PerMillion>,
    /// Sound in the answer.
    pub audio_output: Option<PerMillion>,
    /// Images in the prompt.
    pub image_input: Option<PerMillion>,
    /// Video in the prompt.
    pub video_input: Option<PerMillion>,
}

/// One model of one provider, with a price.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The provider's name, such as `openai`.
    pub provider: Arc<str>,
    /// The model's name on the wire.
    pub model: String,
    /// What it is called for.
    pub purpose: Purpose,
    /// The price outside the hours of [`Self::schedule`]; [`Self::price_at`] applies them.
    pub price: Price,
    /// Prices of other service tiers, such as `priority` or `flex`, by the provider's own word.
    pub services: Vec<(Arc<str>, Price)>,
    /// Rates for sound, images and video.
    pub media: MediaRates,
    /// Factors for data residency, such as `eu`, by the source's word.
    pub uplifts: Vec<(Arc<str>, Multiplier)>,
    /// Hours at which the price differs.
    pub schedule: Option<Arc<Schedule>>,
    /// The largest prompt in tokens, or the whole window where the source knows only that.
    pub context: Option<u64>,
    /// The longest answer in tokens.
    pub max_output: Option<u32>,
    /// The most tokens that one image can be billed as, where the provider documents it.
    pub image_tokens: Option<u64>,
    /// Whether it thinks before it answers.
    pub reasoning: bool,
    /// Whether it takes images; `None` where nobody says.
    pub images: Option<bool>,
    /// Whether it takes tools; `None` where nobody says.
    pub tools: Option<bool>,
    /// Whether it holds to a JSON schema; `None` where nobody says.
    pub json_schema: Option<bool>,
    /// The day on which it is switched off, where one is announced.
    pub retires: Option<Date>,
    /// Whether it was already gone when the catalogue was made.
    pub gone: bool,
    /// Whether its provider discourages it, with or without a date.
    pub deprecated: bool,
    /// What its provider recommends instead.
    pub successor: Option<String>,
    /// When its source was read, such as `2026-11`.
    pub as_of: Arc<str>,
    /// Where the record comes from.
    pub source: Arc<str>,
}

/// Where a model is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retirement {
    /// No end in sight, or none within the notice.
    Serving,
    /// It ends soon.
    Soon {
        /// The day on which it is switched off.
        on: Date,
        /// Days until then.
        days: i32,
    },
    /// It has been switched off.
    Retired {
        /// The day, where it is known.
        since: Option<Date>,
    },
}

impl Model {
    /// `provider/model`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.provider, self.model)
    }

    /// The price at a moment. A provider with hours decides by the moment at which a call is complete.
    pub fn price_at(&self, moment: Moment) -> Price {
        self.timed(&self.price, moment, moment)
    }

    /// The dearest price between two moments: what a call that starts at the one and must end by the other
    /// has to reserve at.
    pub fn price_within(&self, from: Moment, until: Moment) -> Price {
        self.timed(&self.price, from, until)
    }

    /// The price of a request that is sent between two moments to a service tier (see
    /// [`crate::service_of`]), dearest first: sound, images and video in it are charged as if the whole
    /// prompt were made of them, because usage does not say which tokens were which. A service tier that
    /// the catalogue does not know is charged at the dearest one it knows.
    pub fn price_for(
        &self,
        request: &ChatRequest,
        service: Option<&str>,
        from: Moment,
        until: Moment,
    ) -> Price {
        let base = match service {
            None => self.price.clone(),
            Some(word) => self.service_price(word),
        };
        let timed = self.timed(&base, from, until);
        let (input, output) = self.media_rates(request);
        if input.is_none() && output.is_none() {
            return timed;
        }
        timed.map(|rates| {
            rates
                .with_input_at_least(input.unwrap_or(PerMillion::ZERO))
                .with_output_at_least(output.unwrap_or(PerMillion::ZERO))
        })
    }

    /// Where the model is in its life at a moment.
    pub fn retirement(&self, now: Moment) -> Retirement {
        if self.gone {
            return Retirement::Retired { since: self.retires };
        }
        let (Some(on), Some(today)) = (self.retires, utc_day(now)) else { return Retirement::Serving };
        let days =
            today.duration_until(on).as_hours().checked_div(24).and_then(|days| i32::try_from(days).ok());
        match days {
            Some(days) if days <= 0 => Retirement::Retired { since: Some(on) },
            Some(days) if days <= RETIREMENT_NOTICE_DAYS => Retirement::Soon { on, days },
            Some(_) | None => Retirement::Serving,
        }
    }

    /// Whether the model has been switched off by that moment.
    pub fn retired(&self, now: Moment) -> bool {
        matches!(self.retirement(now), Retirement::Retired { .. })
    }

    /// The longest answer that may be asked for beside a prompt of at most so many tokens, which is
    /// [`Self::max_output`] unless that would not leave the prompt its place in the window. A prompt bound
    /// is several times the truth, so at most three quarters of the window are kept for it.
    pub fn output_ceiling(&self, prompt_bound: u64) -> Option<u32> {
        let longest = self.max_output?;
        let Some(context) = self.context else { return Some(longest) };
        let kept = prompt_bound.min(context.saturating_sub(context / 4));
        let left = u32::try_from(context.saturating_sub(kept)).unwrap_or(u32::MAX);
        Some(longest.min(left))
    }

    fn service_price(&self, word: &str) -> Price {
        self.services.iter().find(|(name, _)| &**name == word).map_or_else(
            || self.services.iter().fold(self.price.clone(), |dearest, (_, price)| dearest.dearer(price)),
            |(_, price)| price.clone(),
        )
    }

    fn timed(&self, price: &Price, from: Moment, until: Moment) -> Price {
        let Some(schedule) = &self.schedule else { return price.clone() };
        match schedule.may_apply(from, until) {
            (true, true) => price.dearer(&price.times(schedule.times)),
            (true, false) => price.times(schedule.times),
            (false, _) => price.clone(),
        }
    }

    /// The rates that every input and every output token of a request may be billed at.
    fn media_rates(&self, request: &ChatRequest) -> (Option<PerMillion>, Option<PerMillion>) {
        if self.media == MediaRates::default() {
            return (None, None);
        }
        let parts = request.messages.iter().flat_map(|message| &message.content);
        let input = parts
            .filter_map(|part| match &part.content {
                Content::Text(_) => None,
                Content::Image(_) => self.media.image_input,
                Content::Audio(_) => self.media.audio_input,
                // A file may hold any of them.
                Content::File(_) | Content::Native { .. } => {
                    self.media.video_input.max(self.media.audio_input).max(self.media.image_input)
                }
            })
            .max();
        // OpenAI speaks only when asked to: `modalities` and `audio` (API reference, Chat, 2026-11).
        let speaks = ["audio", "modalities"].iter().any(|name| request.extra.get(name).is_some());
        (input, if speaks { self.media.audio_output } else { None })
    }
}

fn utc_day(at: Moment) -> Option<Date> {
    Some(Offset::UTC.to_datetime(Timestamp::from_microsecond(at.micros()).ok()?).date())
}

#[cfg(test)]
mod tests {
    use mainstay_canon::{ChatMessage, ContentPart, Extra, Media, MediaSource, RawJson, Role};

    use super::*;
    use crate::Catalogue;

    const TEXT: &str = "\
mainstay-catalogue 1
as-of 2026-11-30
source s somewhere, MIT, 2026-11
clock peak times=2 hours=01:00-04:00
[p]
plain in=1 out=2 ctx=100000 max=90000 by=2027-01-15 next=newer src=s
  priority in=3 out=6
  flex in=0.5 out=1
timed in=1 out=2 clock=peak src=s
gone in=1 out=2 gone by=2026-07-01 src=s
loud in=1 out=2 audio=32 speech=64 src=s
";

    fn model(name: &str) -> Model {
        Catalogue::parse(TEXT).unwrap().find("p", name).unwrap().clone()
    }

    fn at(text: &str) -> Moment {
        Moment::from_micros(text.parse::<Timestamp>().unwrap().as_microsecond())
    }

    #[test]
    fn a_retirement_is_announced_sixty_days_before() {
        let plain = model("plain");
        let end = "2027-01-15".parse().unwrap();
        for (moment, expected) in [
            ("2026-11-15T23:59:59Z", Retirement::Serving),
            ("2026-11-16T00:00:00Z", Retirement::Soon { on: end, days: 60 }),
            ("2027-01-14T23:59:59Z", Retirement::Soon { on: end, days: 1 }),
            ("2027-01-15T00:00:00Z", Retirement::Retired { since: Some(end) }),
        ] {
            assert_eq!(plain.retirement(at(moment)), expected, "{moment}");
        }
        assert_eq!(plain.successor.as_deref(), Some("newer"));
    }

    #[test]
    fn what_was_gone_when_the_catalogue_was_made_is_retired_at_any_moment() {
        assert!(model("gone").retired(Moment::EPOCH));
        assert!(!model("timed").retired(at("2040-01-01T00:00:00Z")));
    }

    #[test]
    fn the_hour_decides_the_price_and_a_call_across_a_border_reserves_at_the_dearer() {
        let timed = model("timed");
        let cheap = timed.price_at(at("2026-11-30T00:59:00Z"));
        let dear = timed.price_at(at("2026-11-30T01:00:00Z"));
        assert_eq!((cheap.output.to_string(), dear.output.to_string()), ("2.00".into(), "4.00".into()));
        let across = timed.price_within(at("2026-11-30T00:59:00Z"), at("2026-11-30T01:05:00Z"));
        assert_eq!(across.worst(1_000, 1_000), dear.worst(1_000, 1_000));
    }

    #[test]
    fn a_service_tier_has_its_own_price_and_an_unknown_one_the_dearest() {
        let now = Moment::EPOCH;
        let input =
            |service| model("plain").price_for(&ChatRequest::user("hi"), service, now, now).input.to_string();
        assert_eq!(input(None), "1.00");
        assert_eq!(input(Some("priority")), "3.00");
        assert_eq!(input(Some("flex")), "0.50");
        assert_eq!(input(Some("warp")), "3.00");
    }

    #[test]
    fn sound_is_charged_at_the_rate_of_sound() {
        let sound = Media { mime: None, name: None, source: MediaSource::Base64("AAAA".into()) };
        let part = ContentPart { content: Content::Audio(sound), extra: Extra::new() };
        let message = ChatMessage { content: vec![part], ..ChatMessage::empty(Role::User) };
        let mut request = ChatRequest { messages: vec![message], ..ChatRequest::default() };
        let price =
            |request: &ChatRequest| model("loud").price_for(request, None, Moment::EPOCH, Moment::EPOCH);
        assert_eq!(price(&request).input.to_string(), "32.00");
        assert_eq!(price(&request).output.to_string(), "2.00");
        request.extra.insert("modalities", RawJson::parse("[\"audio\"]").unwrap());
        assert_eq!(price(&request).output.to_string(), "64.00");
        assert_eq!(price(&ChatRequest::user("quiet")).input.to_string(), "1.00");
    }

    #[test]
    fn an_answer_leaves_the_prompt_its_place_in_the_window() {
        let plain = model("plain");
        assert_eq!(plain.output_ceiling(1_000), Some(90_000));
        assert_eq!(plain.output_ceiling(30_000), Some(70_000));
        assert_eq!(plain.output_ceiling(u64::MAX), Some(25_000));
        assert_eq!(model("timed").output_ceiling(1_000), None);
    }
}
