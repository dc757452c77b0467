//! Eight times the input takes about eight times as long: nothing that a stranger sends is read in quadratic time.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use fastrand::Rng;
use mainstay_fuzzing::{TARGETS, Target};

/// The smaller input, in bytes.
const SMALL: usize = 24 << 10;
/// How many times as large the larger one is.
const TIMES: u32 = 8;
/// How many times more than its share the larger one may take; eight would be quadratic.
const PATIENCE: u32 = 4;
/// Less than this is not worth measuring.
const FLOOR: Duration = Duration::from_millis(40);
/// Ways in which each target's seeds are blown up.
const WAYS: usize = 4;

/// Pieces that readers may hold on to: brackets, marks, blanks, half a line, a line of each dialect.
const PIECES: [&str; 24] = [
    "[",
    "{\"a\":",
    "\"",
    "\\",
    "\n",
    "\r",
    " ",
    "a",
    "é",
    ",",
    "{\"a\":1},",
    "<think>",
    "</think>",
    "<",
    "```",
    "data: ",
    "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"a\"}}]}}]}\n\n",
    "data: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":1,\"delta\":\"a\"}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"a\"}}\n\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"args\":{}}}]}}]}\n\n",
    "{\"message\":{\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":{}}}]}}\n",
    "I'm sorry, but ",
    "x_y = 1\n",
];

/// The time that this thread has had a processor to itself, where the system tells; else what the clock shows.
fn now() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanos.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

fn time(target: Target, data: &[u8]) -> Duration {
    let began = now();
    target(data);
    now().saturating_sub(began)
}

/// `piece` again and again inside the seed, up to that many bytes.
fn blown_up(seed: &[u8], at: usize, piece: &[u8], size: usize) -> Vec<u8> {
    let many = piece.repeat(size / piece.len());
    [&seed[..at], &many, &seed[at..]].concat()
}

fn check(name: &str, target: Target, seed: &[u8], at: usize, piece: &[u8]) {
    let (small, large) =
        (blown_up(seed, at, piece, SMALL), blown_up(seed, at, piece, SMALL * TIMES as usize));
    let least = |data: &[u8], tries| (0..tries).map(|_| time(target, data)).min().unwrap();
    let allowed = |small: Duration| small * TIMES * PATIENCE + FLOOR;
    let took = time(target, &large);
    if took <= FLOOR || took <= allowed(least(&small, 1)) {
        return;
    }
    // Once more, without what else the machine was doing.
    let (small, large) = (least(&small, 3), least(&large, 2));
    assert!(
        large <= allowed(small),
        "{name}: {small:?} became {large:?} with {:?} at byte {at} of\n{}",
        String::from_utf8_lossy(piece),
        seed.escape_ascii()
    );
}

#[test]
fn what_is_eight_times_as_long_takes_about_eight_times_as_long() {
    let ways = std::env::var("MAINSTAY_FUZZ_FACTOR").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let only = std::env::var("MAINSTAY_FUZZ_ONLY").unwrap_or_default();
    for (name, target) in TARGETS.into_iter().filter(|(name, _)| name.contains(&only)) {
        // One of the public readers that ours is compared with is quadratic.
        if name == "sse_differential" {
            continue;
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(name);
        let mut files: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let mut rng = Rng::with_seed(7);
        for _ in 0..WAYS * ways {
            let seed = std::fs::read(&files[rng.usize(..files.len())]).unwrap();
            let at = rng.usize(..=seed.len());
            let own = &seed[at..seed.len().min(at + 1 + rng.usize(..120))];
            let piece = if rng.bool() && !own.is_empty() {
                own
            } else {
                PIECES[rng.usize(..PIECES.len())].as_bytes()
            };
            check(name, target, &seed, at, piece);
        }
    }
}
