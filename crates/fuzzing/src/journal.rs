//! Lines of the journal: whole or nothing, and what is written reads as what it was.

use mainstay_store::Entry;

/// Lines as a journal holds them, or the JSON of one entry.
pub fn journal(data: &[u8]) {
    for line in data.split(|byte| *byte == b'\n') {
        if let Some(entry) = Entry::of_line(line) {
            again(&entry);
        }
    }
    if let Ok(entry) = serde_json::from_slice::<Entry>(data) {
        again(&entry);
    }
}

fn again(entry: &Entry) {
    let Ok(line) = entry.to_line() else { return };
    let Some((b'\n', line)) = line.split_last() else {
        assert!(line.is_empty(), "a line has an end");
        return;
    };
    assert!(!line.contains(&b'\n'), "an entry is one line");
    assert_eq!(Entry::of_line(line).as_ref(), Some(entry));
    assert_eq!(Entry::of_line(line.get(1..).unwrap_or_default()), None, "a part is no line");
}
