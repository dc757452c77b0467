//! What an answer's finish word leads to: one decision for whole and streamed answers.

use mainstay_canon::{Answer, Failure, FinishMeaning, FinishReason, Kind, Target, Verdict};

use crate::FinishTable;

/// Most characters of a finish word that a message repeats.
const WORD_SHOWN: usize = 60;

/// Finer words by which a host admits a cut that the finish word hides (OpenRouter, seen 2026-08:
/// `tool_calls` beside `length` or `max_output_tokens`, with arguments cut in mid-string).
const HIDDEN_CUTS: &[&str] = &["length", "max_tokens", "max_output_tokens", "MAX_TOKENS", "model_length"];

/// How an answer ended, in its provider's words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    /// The finish word; `None` where none came.
    pub(crate) finish: Option<String>,
    /// A finer word of the host behind.
    pub(crate) native: Option<String>,
}

/// Gives an answer, complete but for its ending, the reason that its words mean.
///
/// # Errors
///
/// `UnknownFinishReason` for a word that no table knows, and the kind of failure that a word hides. The
/// answer so far is kept with it.
pub(crate) fn settle(
    target: &Target,
    table: &dyn FinishTable,
    words: Words,
    mut answer: Answer,
) -> Result<Answer, Failure> {
    answer.finish_reason_raw.clone_from(&words.finish);
    let Some(word) = words.finish else {
        answer.finish_reason = without_word(table, &answer);
        complete_calls(&mut answer);
        return Ok(answer);
    };
    let Some(meaning) = table.meaning(&word) else {
        return Err(unknown(target, word, answer));
    };
    match meaning_with(table, meaning, words.native.as_deref()) {
        FinishMeaning::Answer(reason) => answer.finish_reason = reason_with(reason, &answer),
        FinishMeaning::Prohibited => {
            answer.finish_reason = FinishReason::ContentFilter;
            answer.prompt_prohibited = true;
        }
        FinishMeaning::ContextFull => {
            answer.finish_reason = FinishReason::Length;
            answer.context_full = true;
        }
        FinishMeaning::Broken(kind) => return Err(broken(target, kind, word, words.native, answer)),
    }
    complete_calls(&mut answer);
    Ok(answer)
}

/// The reason of an answer without a finish word. Where the table does not vouch for such an answer it is
/// not a whole one: `Empty`, with the text that came.
fn without_word(table: &dyn FinishTable, answer: &Answer) -> FinishReason {
    match table.meaning("") {
        Some(FinishMeaning::Answer(FinishReason::ToolCall)) if answer.tool_calls.is_empty() => {
            FinishReason::Empty
        }
        Some(FinishMeaning::Answer(reason)) if has_come(answer) => reason_with(reason, answer),
        Some(
            FinishMeaning::Answer(_)
            | FinishMeaning::Prohibited
            | FinishMeaning::ContextFull
            | FinishMeaning::Broken(_),
        )
        | None => FinishReason::Empty,
    }
}

/// A finer word that tells of a cut, a filter or a failure overrules a word that tells of a good end.
fn meaning_with(table: &dyn FinishTable, meaning: FinishMeaning, native: Option<&str>) -> FinishMeaning {
    let (FinishMeaning::Answer(FinishReason::Stop | FinishReason::ToolCall), Some(native)) =
        (meaning, native)
    else {
        return meaning;
    };
    match table.meaning(native) {
        Some(FinishMeaning::Answer(FinishReason::Stop | FinishReason::ToolCall | FinishReason::Empty)) => {
            meaning
        }
        Some(finer) => finer,
        None if HIDDEN_CUTS.contains(&native) => FinishMeaning::Answer(FinishReason::Length),
        None => meaning,
    }
}

/// A plain stop says less than what came: calls to run, or the refusal field.
fn reason_with(reason: FinishReason, answer: &Answer) -> FinishReason {
    match reason {
        FinishReason::Stop if !answer.tool_calls.is_empty() => FinishReason::ToolCall,
        FinishReason::Stop if answer.refusal.is_some() => FinishReason::Refusal,
        FinishReason::Stop
        | FinishReason::Length
        | FinishReason::ToolCall
        | FinishReason::Refusal
        | FinishReason::ContentFilter
        | FinishReason::Pause
        | FinishReason::Empty => reason,
    }
}

/// Blank arguments are how many hosts spell a call without any; of a cut answer they are what was lost.
fn complete_calls(answer: &mut Answer) {
    if !blank_means_none(answer.finish_reason) {
        return;
    }
    for call in &mut answer.tool_calls {
        if call.arguments.trim_ascii().is_empty() {
            call.arguments.push_str("{}");
        }
    }
}

/// Whether an answer that ended so may hold a call without arguments, rather than one cut before them.
pub(crate) const fn blank_means_none(reason: FinishReason) -> bool {
    match reason {
        FinishReason::Stop | FinishReason::ToolCall | FinishReason::Pause => true,
        FinishReason::Length | FinishReason::Refusal | FinishReason::ContentFilter | FinishReason::Empty => {
            false
        }
    }
}

fn has_come(answer: &Answer) -> bool {
    let says = !answer.text.is_empty() || !answer.tool_calls.is_empty() || answer.refusal.is_some();
    says || !answer.shown.is_empty()
}

fn unknown(target: &Target, word: String, answer: Answer) -> Failure {
    let provider = &target.provider;
    let shown = shown(&word);
    let mut failure = Failure::new(
        Kind::UnknownFinishReason,
        format!(
            "{provider} ended its answer with \"{shown}\", which no table knows; \
             if it is known to be a good end, map it: [providers.{provider}] finish_reasons = {{ \"{shown}\" = \"stop\" }}"
        ),
    )
    .at(target)
    .code(shown)
    .with_answer(answer);
    failure.finish_reason_raw = Some(word);
    failure
}

fn broken(target: &Target, kind: Kind, word: String, native: Option<String>, answer: Answer) -> Failure {
    let provider = &target.provider;
    let detail = native.map_or_else(String::new, |native| format!(" ({})", shown(&native)));
    let mut failure =
        Failure::new(kind, format!("{provider} broke off its answer with \"{}\"{detail}", shown(&word)))
            .at(target)
            .with_answer(answer);
    failure.finish_reason_raw = Some(word);
    // A word may be the provider's own verdict on its model, such as vLLM's `repetition`.
    if let Kind::Bad(quality) = kind {
        let mut verdict = Verdict::of(quality, "provider.finish", "the provider's finish word says so");
        verdict.is_failure = true;
        failure.verdict = Some(verdict);
    }
    failure
}

/// A foreign word, fit for a message.
fn shown(word: &str) -> String {
    word.chars()
        .take(WORD_SHOWN)
        .map(|letter| if letter.is_control() || letter == '"' { ' ' } else { letter })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_canon::{Extra, Quality, ToolCall};

    fn table(word: &str) -> Option<FinishMeaning> {
        Some(match word {
            "stop" => FinishMeaning::Answer(FinishReason::Stop),
            "tool_calls" | "" => FinishMeaning::Answer(FinishReason::ToolCall),
            "length" => FinishMeaning::Answer(FinishReason::Length),
            "refusal" => FinishMeaning::Answer(FinishReason::Refusal),
            "full" => FinishMeaning::ContextFull,
            "prohibited" => FinishMeaning::Prohibited,
            "no_resource" => FinishMeaning::Broken(Kind::Overloaded),
            "repetition" => FinishMeaning::Broken(Kind::Bad(Quality::Degenerate)),
            _ => return None,
        })
    }

    fn text() -> Answer {
        Answer { text: "Partial thought".to_owned(), ..Answer::default() }
    }

    fn call(arguments: &str) -> Answer {
        let call =
            ToolCall { id: "c".into(), name: "run".into(), arguments: arguments.into(), extra: Extra::new() };
        Answer { tool_calls: vec![call], ..Answer::default() }
    }

    fn end(finish: &str, native: Option<&str>, answer: Answer) -> Result<Answer, Failure> {
        let finish = (finish != "-").then(|| finish.to_owned());
        settle(&Target::new("acme", "m"), &table, Words { finish, native: native.map(str::to_owned) }, answer)
    }

    fn check(finish: &str, native: Option<&str>, answer: Answer, reason: FinishReason) {
        let ended = end(finish, native, answer).unwrap();
        assert_eq!(ended.finish_reason, reason, "{finish} {native:?}");
        assert_eq!(ended.finish_reason_raw.is_none(), finish == "-");
    }

    #[test]
    fn a_known_word_has_its_tables_meaning() {
        check("stop", None, text(), FinishReason::Stop);
        check("length", None, text(), FinishReason::Length);
        check("stop", None, Answer::default(), FinishReason::Stop);
    }

    #[test]
    fn calls_make_a_plain_stop_a_tool_call() {
        check("stop", None, call("{}"), FinishReason::ToolCall);
        check("length", None, call("{}"), FinishReason::Length);
    }

    #[test]
    fn the_refusal_field_makes_a_plain_stop_a_refusal() {
        let refusal = Some("I can't help with that.".to_owned());
        check("stop", None, Answer { refusal: refusal.clone(), ..Answer::default() }, FinishReason::Refusal);
        check("stop", None, Answer { refusal, ..call("{}") }, FinishReason::ToolCall);
    }

    #[test]
    fn without_a_word_only_what_the_table_vouches_for_counts() {
        check("-", None, Answer::default(), FinishReason::Empty);
        check("-", None, text(), FinishReason::Empty);
        check("-", None, call("{}"), FinishReason::ToolCall);
        let silent = |_: &str| None;
        let ended = settle(&Target::new("acme", "m"), &silent, Words::default(), call("{}")).unwrap();
        assert_eq!(ended.finish_reason, FinishReason::Empty);
        let mapped = |word: &str| word.is_empty().then_some(FinishMeaning::Answer(FinishReason::Stop));
        let ended = settle(&Target::new("acme", "m"), &mapped, Words::default(), text()).unwrap();
        assert_eq!(ended.finish_reason, FinishReason::Stop);
    }

    #[test]
    fn a_finer_word_reveals_what_the_finish_word_hides() {
        check("tool_calls", Some("length"), call("{\"a"), FinishReason::Length);
        check("tool_calls", Some("max_output_tokens"), call("{\"a"), FinishReason::Length);
        check("stop", Some("MAX_TOKENS"), text(), FinishReason::Length);
        check("stop", Some("refusal"), text(), FinishReason::Refusal);
        check("stop", Some("completed"), text(), FinishReason::Stop);
        check("length", Some("stop"), text(), FinishReason::Length);
        assert_eq!(end("stop", Some("no_resource"), text()).unwrap_err().kind, Kind::Overloaded);
    }

    #[test]
    fn a_full_context_is_a_length_with_a_mark() {
        let ended = end("full", None, text()).unwrap();
        assert_eq!((ended.finish_reason, ended.context_full), (FinishReason::Length, true));
    }

    #[test]
    fn a_prohibited_prompt_is_filtered_with_a_mark() {
        let ended = end("prohibited", None, Answer::default()).unwrap();
        assert_eq!((ended.finish_reason, ended.prompt_prohibited), (FinishReason::ContentFilter, true));
    }

    #[test]
    fn a_word_that_hides_a_failure_is_that_failure_and_keeps_the_text() {
        let failure = end("no_resource", None, text()).unwrap_err();
        assert_eq!(failure.kind, Kind::Overloaded);
        assert_eq!(failure.finish_reason_raw.as_deref(), Some("no_resource"));
        assert_eq!(failure.answer.unwrap().text, "Partial thought");
    }

    #[test]
    fn a_word_that_is_a_verdict_comes_with_it() {
        let failure = end("repetition", None, text()).unwrap_err();
        assert_eq!(failure.kind, Kind::Bad(Quality::Degenerate));
        assert!(
            failure
                .verdict
                .is_some_and(|verdict| verdict.is_failure && verdict.quality == Quality::Degenerate)
        );
    }

    #[test]
    fn an_unknown_word_is_loud_and_says_where_to_map_it() {
        let failure = end("quota_of_the_moon", None, text()).unwrap_err();
        assert_eq!(failure.kind, Kind::UnknownFinishReason);
        assert_eq!(failure.finish_reason_raw.as_deref(), Some("quota_of_the_moon"));
        for part in ["acme", "quota_of_the_moon", "[providers.acme] finish_reasons"] {
            assert!(failure.message.contains(part), "{}", failure.message);
        }
        assert_eq!(failure.answer.unwrap().text, "Partial thought");
    }

    #[test]
    fn a_word_of_any_length_fits_a_message() {
        let failure = end(&"\u{7}x".repeat(100_000), None, text()).unwrap_err();
        assert!(failure.message.chars().count() <= Failure::MESSAGE_LIMIT);
        assert!(!failure.message.contains('\u{7}'));
    }

    #[test]
    fn blank_arguments_mean_none_unless_the_answer_was_cut() {
        for blank in ["", "  \n"] {
            assert_eq!(end("tool_calls", None, call(blank)).unwrap().tool_calls[0].arguments.trim(), "{}");
            assert_eq!(end("length", None, call(blank)).unwrap().tool_calls[0].arguments, blank);
            assert_eq!(
                end("tool_calls", Some("length"), call(blank)).unwrap().tool_calls[0].arguments,
                blank
            );
        }
        assert_eq!(end("stop", None, call("{\"a\":")).unwrap().tool_calls[0].arguments, "{\"a\":");
    }
}
