//! Mistakes of form, each with what is said about it to the letter: TOML, names of keys, types, units.

#![allow(clippy::needless_raw_string_hashes, reason = "one way of writing for all")]

mod common;

/// Checks everything that is said about a file.
fn check(text: &str, told: &str) {
    assert_eq!(common::told(text), told, "{}", common::told(text));
}

#[test]
fn text_that_is_not_toml() {
    check(
        r#"x = sk abc
[chains]
default = ["openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:1:5: this is not TOML: string values must be quoted, expected literal string
  1 | x = sk abc
    |     ^^^^^^"#,
    );
}

#[test]
fn an_unclosed_section() {
    check(
        r#"[chains
default = ["openai/gpt-6-luna"]
[budget]
daily = 5
"#,
        r#"mainstay.toml:1:8: this is not TOML: unclosed table, expected `]`
  1 | [chains
    |        ^"#,
    );
}

#[test]
fn a_section_that_stands_twice() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[budget]
daily = "1"
[budget]
monthly = "2"
"#,
        r#"mainstay.toml:5:2: this is not TOML: duplicate key
  5 | [budget]
    |  ^^^^^^"#,
    );
}

#[test]
fn an_unknown_section() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[bugdet]
daily = "5.00"
"#,
        r#"mainstay.toml:3:2: unknown section [bugdet]; did you mean [budget]?
  3 | [bugdet]
    |  ^^^^^^
    = expected one of server, log, budget, alerts, defaults, streaming, quality, providers, chains
    = write [budget], or take it out"#,
    );
}

#[test]
fn an_unknown_key() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[budget]
dayly = "5.00"
"#,
        r#"mainstay.toml:4:1: unknown key "dayly" in [budget]; did you mean "daily"?
  4 | dayly = "5.00"
    | ^^^^^
    = expected one of daily, monthly, per_user_daily, per_session, timezone, warn_at, lower_output, prices, at_cap, on_failure
    = write "daily", or take it out"#,
    );
}

#[test]
fn a_key_of_another_section() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[server]
daily = "5.00"
"#,
        r#"mainstay.toml:4:1: unknown key "daily" in [server]; it belongs in [budget]
  4 | daily = "5.00"
    | ^^^^^
    = move the line to [budget]"#,
    );
}

#[test]
fn a_key_that_is_like_nothing() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[streaming]
colour = "red"
"#,
        r#"mainstay.toml:4:1: unknown key "colour" in [streaming]
  4 | colour = "red"
    | ^^^^^^
    = expected one of mode, hold_chars, hold_time, hold_tool_calls, reasoning, on_interrupt, keepalive
    = take it out; nothing reads it"#,
    );
}

#[test]
fn an_unknown_key_of_a_tier() {
    check(
        r#"[[chains.default.tiers]]
provider = "openai"
model = "gpt-6-luna"
timeout = "5s"
max_retries = 2
deadline = "5s"
"#,
        r#"mainstay.toml:4:1: unknown key "timeout" in a tier
  4 | timeout = "5s"
    | ^^^^^^^
    = say which: connect_timeout, first_byte_timeout, first_content_timeout, idle_timeout (streams), answer_timeout (whole answers)

mainstay.toml:5:1: unknown key "max_retries" in a tier
  5 | max_retries = 2
    | ^^^^^^^^^^^
    = retry_budget counts the attempts on a tier, the first included: 2 retries are retry_budget = 3

mainstay.toml:6:1: unknown key "deadline" in a tier; it belongs in [defaults]
  6 | deadline = "5s"
    | ^^^^^^^^
    = move the line to [defaults]

3 errors"#,
    );
}

#[test]
fn an_unknown_key_of_a_price() {
    check(
        r#"[chains]
default = [{ provider = "openai", model = "gpt-6-luna", price = { input = "1", output = "2", cached = "0" } }]
"#,
        r#"mainstay.toml:2:94: unknown key "cached" in price; did you mean "cached_input"?
  2 | default = [{ provider = "openai", model = "gpt-6-luna", price = { input = "1", output = "2", cached = "0" } }]
    |                                                                                              ^^^^^^
    = expected one of input, cached_input, cache_write, output
    = write "cached_input", or take it out"#,
    );
}

#[test]
fn a_cap_that_is_no_string() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[budget]
daily = 50
monthly = 49.9
"#,
        r#"mainstay.toml:4:9: budget.daily must be an amount of dollars, not an integer
  4 | daily = 50
    |         ^^
    = write it as a string: "50.00"

mainstay.toml:5:11: budget.monthly must be an amount of dollars, not a float
  5 | monthly = 49.9
    |           ^^^^
    = write it as a string: "49.90"

2 errors"#,
    );
}

#[test]
fn a_cap_that_is_no_amount() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[budget]
daily = "$5"
per_session = "1e3"
monthly = "1.0000000001"
per_user_daily = "99999999999"
"#,
        r#"mainstay.toml:4:9: budget.daily = "$5" is not an amount of dollars
  4 | daily = "$5"
    |         ^^^^
    = expected digits with at most one point, such as "50.00"

mainstay.toml:5:15: budget.per_session = "1e3" is not an amount of dollars
  5 | per_session = "1e3"
    |               ^^^^^
    = expected digits with at most one point, such as "50.00"

mainstay.toml:6:11: budget.monthly = "1.0000000001" has more than 9 decimals
  6 | monthly = "1.0000000001"
    |           ^^^^^^^^^^^^^^
    = expected digits with at most one point, such as "50.00"

mainstay.toml:7:18: budget.per_user_daily = "99999999999" is too large
  7 | per_user_daily = "99999999999"
    |                  ^^^^^^^^^^^^^
    = expected digits with at most one point, such as "50.00"

4 errors"#,
    );
}

#[test]
fn a_price_with_too_many_decimals() {
    check(
        r#"[[chains.default.tiers]]
provider = "openai"
model = "gpt-6-luna"
price = { input = "0.1234567890123", output = "1" }
"#,
        r#"mainstay.toml:4:19: chains.default.tiers[0].price.input = "0.1234567890123" has more than 12 decimals
  4 | price = { input = "0.1234567890123", output = "1" }
    |                   ^^^^^^^^^^^^^^^^^
    = expected digits with at most one point, such as "0.10""#,
    );
}

#[test]
fn half_a_price() {
    check(
        r#"[[chains.default.tiers]]
provider = "openai"
model = "gpt-6-luna"
price = { input = "0.10" }
"#,
        r#"mainstay.toml:4:9: chains.default.tiers[0].price says nothing about output
  4 | price = { input = "0.10" }
    |         ^^^^^^^^^^^^^^^^^^
    = add output = "0.10", in dollars per million tokens"#,
    );
}

#[test]
fn a_duration_without_a_unit() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[defaults]
cooldown = 60
idle_timeout = "30"
backoff = "1 min"
"#,
        r#"mainstay.toml:4:12: defaults.cooldown must be a duration, not an integer
  4 | cooldown = 60
    |            ^^
    = write it with a unit, as a string: "60s"

mainstay.toml:5:16: defaults.idle_timeout = "30" has no unit
  5 | idle_timeout = "30"
    |                ^^^^
    = expected a duration with its unit (ms, s, m, h or d), such as "60s"

mainstay.toml:6:11: defaults.backoff = "1 min" has an unknown unit
  6 | backoff = "1 min"
    |           ^^^^^^^
    = expected a duration with its unit (ms, s, m, h or d), such as "60s"

3 errors"#,
    );
}

#[test]
fn a_size_without_a_unit() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[server]
max_body = 32
[log]
max_size = "10GiB"
"#,
        r#"mainstay.toml:4:12: server.max_body must be a size, not an integer
  4 | max_body = 32
    |            ^^
    = write it with a unit, as a string: "32MB"

mainstay.toml:6:12: log.max_size = "10GiB" has an unknown unit
  6 | max_size = "10GiB"
    |            ^^^^^^^
    = expected a size with its unit (KB, MB or GB), such as "32MB"

2 errors"#,
    );
}

#[test]
fn a_timer_of_nothing() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[defaults]
connect_timeout = "0s"
"#,
        r#"mainstay.toml:4:19: defaults.connect_timeout must be longer than nothing
  4 | connect_timeout = "0s"
    |                   ^^^^
    = write the longest wait you would accept; there is no "forever""#,
    );
}

#[test]
fn a_share_without_a_sign() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[budget]
warn_at = "80"
"#,
        r#"mainstay.toml:4:11: budget.warn_at = "80" has no unit
  4 | warn_at = "80"
    |           ^^^^
    = expected a share from 1% to 100%, such as "80%""#,
    );
}

#[test]
fn a_rate_that_is_none() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[log]
drift_false_alarms = "rarely"
"#,
        r#"mainstay.toml:4:22: log.drift_false_alarms = "rarely" cannot be read
  4 | drift_false_alarms = "rarely"
    |                      ^^^^^^^^
    = expected a rate of one in so many, such as "1/100000""#,
    );
}

#[test]
fn a_number_out_of_range() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[defaults]
retry_budget = 0
[quality]
max_refusals = "two"
"#,
        r#"mainstay.toml:4:16: defaults.retry_budget is out of range
  4 | retry_budget = 0
    |                ^
    = expected a whole number from 1 to 20

mainstay.toml:6:16: quality.max_refusals must be a whole number, not a string
  6 | max_refusals = "two"
    |                ^^^^^
    = write a whole number without quotes, such as max_refusals = 2

2 errors"#,
    );
}

#[test]
fn a_limit_that_is_no_count() {
    check(
        r#"[[chains.default.tiers]]
provider = "openai"
model = "gpt-6-luna"
limits = { rpm = -5, tpm = "lots" }
"#,
        r#"mainstay.toml:4:18: chains.default.tiers[0].limits.rpm is not a count
  4 | limits = { rpm = -5, tpm = "lots" }
    |                  ^^
    = expected a whole number above zero, such as 5000 or "4M"

mainstay.toml:4:28: chains.default.tiers[0].limits.tpm is not a count
  4 | limits = { rpm = -5, tpm = "lots" }
    |                            ^^^^^^
    = expected a whole number above zero, such as 5000 or "4M"

2 errors"#,
    );
}

#[test]
fn a_flag_in_quotes() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[quality]
repair_tool_calls = "yes"
"#,
        r#"mainstay.toml:4:21: quality.repair_tool_calls must be true or false, not a string
  4 | repair_tool_calls = "yes"
    |                     ^^^^^
    = write true or false, without quotes"#,
    );
}

#[test]
fn a_word_that_is_none_of_the_few() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[streaming]
mode = "prefx"
[log]
capture = true
"#,
        r#"mainstay.toml:4:8: streaming.mode cannot be "prefx"; did you mean "prefix"?
  4 | mode = "prefx"
    |        ^^^^^^^
    = expected "prefix", "buffer" or "live"

mainstay.toml:6:11: log.capture must be "off", "preview" or "full", not true or false
  6 | capture = true
    |           ^^^^
    = write "off", "preview" or "full"

2 errors"#,
    );
}

#[test]
fn a_list_that_is_none() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[quality]
refusal_patterns = "I will not"
"#,
        r#"mainstay.toml:4:20: quality.refusal_patterns must be a list of strings, not a string
  4 | refusal_patterns = "I will not"
    |                    ^^^^^^^^^^^^
    = write ["I will not"]"#,
    );
}

#[test]
fn a_section_that_is_no_table() {
    check(
        r#"budget = "5.00"
[chains]
default = ["openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:1:10: budget must be a table, not a string
  1 | budget = "5.00"
    |          ^^^^^^
    = write [budget] on a line of its own"#,
    );
}

#[test]
fn an_unknown_time_zone() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[budget]
timezone = "Europe/Berln"
"#,
        r#"mainstay.toml:4:12: budget.timezone = "Europe/Berln" is not a time zone; did you mean "Europe/Berlin"?
  4 | timezone = "Europe/Berln"
    |            ^^^^^^^^^^^^^^
    = expected a name of the IANA database, such as "UTC" or "Europe/Berlin""#,
    );
}
