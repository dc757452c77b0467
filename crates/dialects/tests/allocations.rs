//! A piece of text costs one allocation: the text.

#![allow(clippy::unwrap_used)]

use mainstay_canon::WireEvent;

#[path = "../benches/reading/streams.rs"]
mod streams;

/// Pieces of text in a stream.
const PIECES: usize = 5_000;

/// What a stream may allocate beside its texts: reader, buffers, id and model, first and last events.
const BESIDE: usize = 128;

/// The allocations of reading these chunks.
fn allocations(stream: &streams::Stream, chunks: &[&[u8]]) -> usize {
    // Whoever takes the events owns their list; it has room before the count begins.
    let mut out = Vec::with_capacity(3 * PIECES);
    let counted = allocation_counter::measure(|| {
        let mut reader = stream.upstream.read_stream();
        for chunk in chunks {
            reader.push(chunk, &mut out).unwrap();
        }
        reader.close(&mut out).unwrap();
    });
    let texts = out.iter().filter_map(|event| match event {
        WireEvent::Text(text) => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(texts.clone().count(), PIECES, "{}", stream.dialect);
    assert_eq!(texts.collect::<String>(), stream.text, "{}", stream.dialect);
    usize::try_from(counted.count_total).unwrap()
}

#[test]
fn a_piece_of_text_costs_one_allocation() {
    for stream in &streams::all(PIECES) {
        let wire = stream.events.concat();
        let events: Vec<&[u8]> = stream.events.iter().map(String::as_bytes).collect();
        let blocks = |size: usize| wire.as_bytes().chunks(size).collect::<Vec<_>>();
        for (chunking, chunks) in [
            ("whole", blocks(wire.len())),
            ("in chunks of 16 kB", blocks(16_384)),
            ("in chunks of 4 kB", blocks(4_096)),
            ("event by event", events),
            ("in chunks of 100 bytes", blocks(100)),
        ] {
            let counted = allocations(stream, &chunks);
            println!("{} {chunking}: {counted} allocations for {PIECES} pieces", stream.dialect);
            assert!(counted <= PIECES + BESIDE, "{} {chunking}: {counted} allocations", stream.dialect);
        }
    }
}
