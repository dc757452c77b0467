//! How long an answer may be when the caller did not say (behaviour 8.2b).

use mainstay_canon::Nanodollars;

use crate::price::Price;

/// The least that an answer is given when that much fits, in tokens.
pub const LEAST_OUTPUT: u32 = 4_096;
/// The part of what is left that one answer may take: a tenth.
const SHARE: i64 = 10;

/// The output limit of one attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputLimit {
    /// The limit to reserve and to send, in tokens; `None` to send none.
    pub tokens: Option<u32>,
    /// What the attempt's `note` says about it.
    pub note: Option<String>,
}

/// The limit to reserve and to send.
///
/// A caller's own limit stands. Without one, and with `room` left under the tightest cap, it is the model's
/// maximum, but at most a tenth of what is left, and at least [`LEAST_OUTPUT`] tokens if those fit beside
/// the prompt. Where nothing fits it is [`LEAST_OUTPUT`], so that the reservation is refused and names the
/// cap. Without any cap (`room` is `None`) nothing is reserved and no limit is sent: the model's own applies.
pub fn output_limit(
    asked: Option<u32>,
    model_max: Option<u32>,
    price: &Price,
    room: Option<Nanodollars>,
    prompt_bound: u64,
) -> OutputLimit {
    let (None, Some(room)) = (asked, room) else { return OutputLimit { tokens: asked, note: None } };
    let longest = model_max.map_or(u64::MAX, u64::from);
    let least = u64::from(LEAST_OUTPUT).min(longest);
    let tenth = price.output_for(prompt_bound, Nanodollars::from_nanos(room.nanos() / SHARE));
    let fits = price.affordable_output(prompt_bound, room);
    let shared = longest.min(tenth).min(fits);
    let limit = if shared == 0 || (shared < least && fits >= least) { least } else { shared };
    if limit == u64::MAX {
        return OutputLimit::default();
    }
    let tokens = u32::try_from(limit).unwrap_or(u32::MAX);
    let why = if limit == longest {
        "the model's maximum"
    } else if limit == shared {
        "a tenth of what the tightest cap leaves"
    } else {
        "the least that is asked for under a cap"
    };
    OutputLimit { tokens: Some(tokens), note: Some(format!("output limited to {tokens} tokens: {why}")) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Input free, output ten dollars a million: 100,000 tokens a dollar.
    fn ten() -> Price {
        Price::flat("0".parse().unwrap(), "10".parse().unwrap())
    }

    fn limit(max: Option<u32>, room: &str) -> Option<u32> {
        output_limit(None, max, &ten(), room.parse().ok(), 100).tokens
    }

    #[test]
    fn a_callers_own_limit_stands() {
        let own = output_limit(Some(7), Some(5), &ten(), Some(Nanodollars::ZERO), 0);
        assert_eq!(own, OutputLimit { tokens: Some(7), note: None });
    }

    #[test]
    fn without_a_cap_no_limit_is_sent() {
        assert_eq!(output_limit(None, Some(128_000), &ten(), None, 0), OutputLimit::default());
    }

    #[test]
    fn it_is_the_models_maximum_while_a_tenth_allows() {
        assert_eq!(limit(Some(8_192), "5.00"), Some(8_192));
    }

    #[test]
    fn it_is_at_most_a_tenth_of_what_is_left() {
        assert_eq!(limit(Some(128_000), "5.00"), Some(50_000));
        assert_eq!(limit(None, "5.00"), Some(50_000));
    }

    #[test]
    fn it_is_at_least_four_thousand_if_those_fit() {
        assert_eq!(limit(Some(128_000), "0.10"), Some(4_096));
        assert_eq!(limit(Some(1_000), "0.05"), Some(1_000), "a model may be shorter than that");
        assert_eq!(limit(Some(128_000), "0.02"), Some(200), "those do not fit: a tenth it is");
    }

    #[test]
    fn where_nothing_fits_the_reservation_must_fail() {
        let nothing = output_limit(None, Some(128_000), &ten(), Some(Nanodollars::ZERO), 100);
        assert_eq!(nothing.tokens, Some(4_096));
        let dear_prompt = Price::flat("1000000".parse().unwrap(), "10".parse().unwrap());
        let room: Nanodollars = "5.00".parse().unwrap();
        let tokens = output_limit(None, None, &dear_prompt, Some(room), 100).tokens.unwrap();
        assert!(dear_prompt.worst(100, tokens.into()) > room);
    }

    #[test]
    fn free_output_of_unknown_length_needs_no_limit() {
        assert_eq!(output_limit(None, None, &Price::free(), "1".parse().ok(), 10), OutputLimit::default());
        assert_eq!(output_limit(None, Some(9), &Price::free(), Some(Nanodollars::ZERO), 10).tokens, Some(9));
    }

    #[test]
    fn the_note_says_why() {
        let note = |room: &str| output_limit(None, Some(128_000), &ten(), room.parse().ok(), 0).note.unwrap();
        assert_eq!(note("500"), "output limited to 128000 tokens: the model's maximum");
        assert_eq!(note("5"), "output limited to 50000 tokens: a tenth of what the tightest cap leaves");
        assert_eq!(note("0.10"), "output limited to 4096 tokens: the least that is asked for under a cap");
    }

    proptest! {
        #[test]
        fn what_is_chosen_fits_or_even_the_least_does_not(
            max in prop::option::of(1_u32..200_000),
            input in 0_u64..20_000_000_000_000,
            output in 1_u64..80_000_000_000_000,
            room in 0_i64..20_000_000_000,
            prompt in 0_u64..300_000,
        ) {
            let price = Price::flat(mainstay_canon::PerMillion::from_units(input), mainstay_canon::PerMillion::from_units(output));
            let room = Nanodollars::from_nanos(room);
            let tokens = output_limit(None, max, &price, Some(room), prompt).tokens.unwrap();
            prop_assert!(tokens > 0 && max.is_none_or(|max| tokens <= max));
            let fits = price.worst(prompt, tokens.into()) <= room;
            let least_fits = price.worst(prompt, u64::from(LEAST_OUTPUT).min(max.map_or(u64::MAX, u64::from))) <= room;
            prop_assert!(fits || !least_fits);
        }
    }
}
