//! Layer 3: is this 200 a real answer? Whole replies, and chunk by chunk.
#[cfg(test)]
mod labelled;
mod lexicon;
mod plain;
mod reading;
mod refusal;
mod words;
#[cfg(test)]
mod tune {
    use crate::labelled::labelled;
    use crate::{plain::Plain, reading::Reading, refusal::*};
    #[test]
    fn dump() {
        use std::io::Write;
        let mut out = std::fs::File::create("/tmp/evidence.jsonl").unwrap();
        for row in labelled().unwrap() {
            let head = Plain::<HEAD>::without_quotes(&row.response);
            let reading = Reading::of(head.bytes());
            let e = Evidence::of(&reading, head.bytes().len(), head.whole, &row.response);
            let f = examine(&row.response);
            let p: Vec<u8> = e.pieces.iter().map(|x| *x as u8).collect();
            let line = serde_json::json!({"id": row.id, "x": p, "score": f.score, "tail": f.place == Place::Tail,
                "e": row.expected, "s": row.source, "l": row.lang, "m": row.method, "sub": row.subtype, "p": row.prompt, "r": row.response});
            writeln!(out, "{line}").unwrap();
        }
    }
}
