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

# Security advisories; fetches a database.
advisories:
    cargo deny check advisories
