//! How fast streamed replies are read: framing and dialect, from bytes to events, on one core.
//!
//! Each stream comes in chunks of 16 kB, of 4 kB, and an event at a time. Beside every dialect the reference
//! reads the same chunks in the same run; the table at the end sets the two side by side.

#![allow(clippy::unwrap_used, clippy::cast_precision_loss, missing_docs)]

mod reference;
mod streams;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use mainstay_canon::WireEvent;
use streams::Stream;

/// Pieces of text in a stream.
const PIECES: usize = 2_000;

/// The quickest reading of each stream, by dialect, chunking and reader.
type Quickest = BTreeMap<(&'static str, &'static str, &'static str), (usize, Duration)>;

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1_500))
        .without_plots()
        .configure_from_args();
    let mut quickest = Quickest::new();
    for stream in &streams::all(PIECES) {
        let wire = stream.events.concat().into_bytes();
        measure(&mut criterion, &mut quickest, stream, "16 kB", &wire.chunks(16_384).collect::<Vec<_>>());
        measure(&mut criterion, &mut quickest, stream, "4 kB", &wire.chunks(4_096).collect::<Vec<_>>());
        let events: Vec<&[u8]> = stream.events.iter().map(String::as_bytes).collect();
        measure(&mut criterion, &mut quickest, stream, "event", &events);
    }
    criterion.final_summary();
    show(&quickest);
}

fn measure(
    criterion: &mut Criterion,
    quickest: &mut Quickest,
    stream: &Stream,
    chunking: &'static str,
    chunks: &[&[u8]],
) {
    let mut said = String::new();
    reference::read(stream.dialect, chunks, &mut |text| said += &text);
    assert_eq!(said, stream.text, "the reference reads {}", stream.dialect);
    assert_eq!(text_of(stream, chunks), stream.text, "{} is read", stream.dialect);

    let bytes = chunks.iter().map(|chunk| chunk.len()).sum::<usize>();
    let mut group = criterion.benchmark_group(format!("{}/{chunking}", stream.dialect));
    group.throughput(Throughput::Bytes(bytes as u64));
    let mut bench = |reader: &'static str, read: &dyn Fn()| {
        group.bench_function(reader, |bencher| {
            bencher.iter_custom(|times| {
                let mut total = Duration::ZERO;
                for _ in 0..times {
                    let begun = Instant::now();
                    read();
                    let took = begun.elapsed();
                    let best = quickest.entry((stream.dialect, chunking, reader)).or_insert((bytes, took));
                    best.1 = best.1.min(took);
                    total += took;
                }
                total
            });
        });
    };
    bench("mainstay", &|| {
        let mut reader = stream.upstream.read_stream();
        let mut out = Vec::new();
        for chunk in chunks {
            reader.push(black_box(chunk), &mut out).unwrap();
            black_box(&out);
            out.clear();
        }
        reader.close(&mut out).unwrap();
    });
    bench("reference", &|| {
        reference::read(stream.dialect, black_box(chunks), &mut |text| drop(black_box(text)));
    });
}

fn text_of(stream: &Stream, chunks: &[&[u8]]) -> String {
    let mut reader = stream.upstream.read_stream();
    let mut out = Vec::new();
    for chunk in chunks {
        reader.push(chunk, &mut out).unwrap();
    }
    reader.close(&mut out).unwrap();
    let texts = out.iter().filter_map(|event| match event {
        WireEvent::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// The quickest readings: on a machine with other work, the rest of a sample measures that work.
fn show(quickest: &Quickest) {
    println!("\n{:<18}{:<8}{:>12}{:>12}{:>8}", "dialect", "chunks", "MB/s", "reference", "ratio");
    for ((dialect, chunking, reader), (bytes, took)) in quickest {
        let speed = |took: &Duration| *bytes as f64 / took.as_secs_f64() / 1e6;
        if *reader == "mainstay" {
            let ours = speed(took);
            let theirs = quickest.get(&(*dialect, *chunking, "reference")).map(|(_, took)| speed(took));
            let (theirs, ratio) = theirs.map_or_else(Default::default, |theirs| {
                (format!("{theirs:.0}"), format!("{:.1}", ours / theirs))
            });
            println!("{dialect:<18}{chunking:<8}{ours:>12.0}{theirs:>12}{ratio:>8}");
        }
    }
}
