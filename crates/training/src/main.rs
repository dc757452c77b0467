//! `train` writes the model that is built in; `score` prints how well answers are judged that were not learnt
//! from; `misses` lists the answers that are judged wrongly, one JSON object a line.

use std::error::Error;
use std::io::Write;

use mainstay_training::{answers, measure, outcome, speed};

fn main() -> Result<(), Box<dyn Error>> {
    let word = std::env::args().nth(1).unwrap_or_default();
    let all = answers::load()?;
    let mut out = std::io::stdout().lock();
    match word.as_str() {
        "train" => {
            let path = answers::workspace().join("crates/quality/data/refusal.model");
            std::fs::write(path, outcome::shipped(&all).to_bytes())?;
        }
        "score" => {
            let measured = measure::measure(&all)?;
            write!(out, "{}", measured.markdown())?;
            let micros = speed::microseconds(&all)?;
            writeln!(out, "| microseconds for an answer of 1 kB, one core | {micros:.1} | 5 | 2 |")?;
            writeln!(out, "\nLabelled answers\n\n{}", measured.table)?;
            writeln!(out, "Our hard cases\n\n{}", measured.hard)?;
            for (family, share) in &measured.families {
                writeln!(out, "{family:26} {:3} right of {:3}", share.right, share.of)?;
            }
        }
        "misses" => {
            let verdicts = outcome::by_folds(&all)?;
            for (answer, verdict) in measure::misses(&all, &verdicts) {
                let sample = &answer.sample;
                let line = serde_json::json!({
                    "id": sample.id, "expected": sample.expected, "quality": verdict.quality.word(),
                    "rule": verdict.rule, "score": verdict.score, "lang": sample.lang, "subtype": sample.subtype,
                    "prompt": sample.prompt, "response": sample.response,
                });
                writeln!(out, "{line}")?;
            }
        }
        _ => return Err("say train, score or misses".into()),
    }
    Ok(())
}
