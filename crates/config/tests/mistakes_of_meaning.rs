//! Mistakes of meaning, each with what is said about it to the letter: providers, keys, prices, chains,
//! doors left open.

#![allow(clippy::needless_raw_string_hashes, reason = "one way of writing for all")]

mod common;

/// Checks everything that is said about a file.
fn check(text: &str, told: &str) {
    assert_eq!(common::told(text), told, "{}", common::told(text));
}

#[test]
fn an_unknown_provider() {
    check(
        r#"[chains]
default = ["opnai/gpt-6-luna"]
"#,
        r#"mainstay.toml:2:12: unknown provider "opnai"; did you mean "openai"?
  2 | default = ["opnai/gpt-6-luna"]
    |            ^^^^^^^^^^^^^^^^^^
    = or describe it: [providers.opnai] with dialect and base_url"#,
    );
}

#[test]
fn a_provider_that_is_not_described() {
    check(
        r#"[providers.house]
base_url = "https://llm.example.com/v1"
auth = "none"
[chains]
default = ["openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:1:12: provider "house" is not built in and names no dialect
  1 | [providers.house]
    |            ^^^^^
    = add dialect = "openai-chat", or the one that the server speaks"#,
    );
}

#[test]
fn an_unknown_dialect() {
    check(
        r#"[providers.house]
base_url = "http://127.0.0.1:1"
dialect = "openia-chat"
[chains]
default = ["openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:3:11: providers.house.dialect cannot be "openia-chat"; did you mean "openai-chat"?
  3 | dialect = "openia-chat"
    |           ^^^^^^^^^^^^^
    = expected "openai-chat", "openai-responses", "anthropic", "gemini", "ollama" or "bedrock""#,
    );
}

#[test]
fn a_provider_without_an_address() {
    check(
        r#"[providers.house]
dialect = "openai-chat"
auth = "none"
[chains]
default = ["openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:1:12: provider "house" needs a base_url
  1 | [providers.house]
    |            ^^^^^
    = add base_url = "https://…" to [providers.house]"#,
    );
}

#[test]
fn a_bad_name() {
    check(
        r#"[providers."my house"]
dialect = "openai-chat"
[chains]
"a b" = ["openai/gpt-6-luna"]
ok = ["open ai/x"]
"#,
        r#"mainstay.toml:1:12: "my house" cannot be the name of a provider
  1 | [providers."my house"]
    |            ^^^^^^^^^^
    = expected letters, digits and -_.+, at most 64 of them

mainstay.toml:4:1: "a b" cannot be the name of a chain
  4 | "a b" = ["openai/gpt-6-luna"]
    | ^^^^^
    = expected letters, digits and -_.+, at most 64 of them

mainstay.toml:5:7: "open ai" cannot be the name of a provider
  5 | ok = ["open ai/x"]
    |       ^^^^^^^^^^^
    = expected letters, digits and -_.+, at most 64 of them

3 errors"#,
    );
}

#[test]
fn no_chain() {
    check(
        r#"[server]
"#,
        r#"mainstay.toml: no chain: nothing could be answered
    = add [chains] and under it default = ["provider/model", "provider/model"]"#,
    );
}

#[test]
fn a_chain_without_tiers() {
    check(
        r#"[chains]
default = []
other = 5
[chains.third]
aliases = ["x"]
"#,
        r#"mainstay.toml:2:1: chain default has no tier
  2 | default = []
    | ^^^^^^^
    = add one: default = ["provider/model"], or [[chains.default.tiers]]

mainstay.toml:3:9: chains.other must be a list of tiers, not an integer
  3 | other = 5
    |         ^
    = write other = ["provider/model", "provider/model"]

mainstay.toml:4:9: chain third has no tier
  4 | [chains.third]
    |         ^^^^^
    = add one: third = ["provider/model"], or [[chains.third.tiers]]

3 errors"#,
    );
}

#[test]
fn two_tiers_of_one_name() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna", "openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:2:33: chain default has two tiers named openai/gpt-6-luna
  2 | default = ["openai/gpt-6-luna", "openai/gpt-6-luna"]
    |                                 ^^^^^^^^^^^^^^^^^^^
    = keep one; retry_budget says how often a tier is asked"#,
    );
}

#[test]
fn a_static_tier_alone() {
    check(
        r#"[[chains.default.tiers]]
provider = "openai"
model = "gpt-6-luna"
static_fallback = true
"#,
        r#"mainstay.toml:1:10: chain default has a static tier and no other
  1 | [[chains.default.tiers]]
    |          ^^^^^^^
    = add the tier that it stands in for, or take static_fallback out: then it answers always"#,
    );
}

#[test]
fn a_tier_that_is_none() {
    check(
        r#"[chains]
default = ["gpt-6-luna", "something", 5]
"#,
        r#"mainstay.toml:2:12: chains.default[0] = "gpt-6-luna" is not a tier
  2 | default = ["gpt-6-luna", "something", 5]
    |            ^^^^^^^^^^^^
    = expected "provider/model", such as "openai/gpt-6-luna"
    = did you mean "openai/gpt-6-luna"?

mainstay.toml:2:26: chains.default[1] = "something" is not a tier
  2 | default = ["gpt-6-luna", "something", 5]
    |                          ^^^^^^^^^^^
    = expected "provider/model", such as "openai/gpt-6-luna"
    = write the provider's name before the model, with a slash between

mainstay.toml:2:39: chains.default[2] must be a tier, not an integer
  2 | default = ["gpt-6-luna", "something", 5]
    |                                       ^
    = write "provider/model"

3 errors"#,
    );
}

#[test]
fn a_tier_without_its_names() {
    check(
        r#"[[chains.default.tiers]]
retry_budget = 1
"#,
        r#"mainstay.toml:1:1: chains.default.tiers[0] names no provider
  1 | [[chains.default.tiers]]
    | ^^^^^^^^^^^^^^^^^^^^^^^^
    = add provider = "openai"

mainstay.toml:1:1: chains.default.tiers[0] names no model
  1 | [[chains.default.tiers]]
    | ^^^^^^^^^^^^^^^^^^^^^^^^
    = add model = "gpt-6-luna"

2 errors"#,
    );
}

#[test]
fn aliases_that_clash() {
    check(
        r#"[chains.one]
aliases = ["gpt-*", "two", "a b"]
tiers = ["openai/gpt-6-luna"]
[chains.two]
aliases = ["gpt-*"]
tiers = ["openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:2:21: alias "two" is also the name of a chain
  2 | aliases = ["gpt-*", "two", "a b"]
    |                     ^^^^^
    = take it out: a chain's own name comes first, so it would never apply

mainstay.toml:2:28: "a b" cannot be an alias
  2 | aliases = ["gpt-*", "two", "a b"]
    |                            ^^^^^
    = expected a model's name, * for any characters, at most 128 of them

mainstay.toml:5:12: alias "gpt-*" stands in chain one and in chain two
  5 | aliases = ["gpt-*"]
    |            ^^^^^^^
    = keep it in one place

3 errors"#,
    );
}

#[test]
fn a_blank_value() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[server]
listen = " "
[providers.openai]
api_key_env = ""
"#,
        r#"mainstay.toml:4:10: server.listen is blank
  4 | listen = " "
    |          ^^^
    = write a value, or take the line out

mainstay.toml:6:15: providers.openai.api_key_env is blank
  6 | api_key_env = ""
    |               ^^
    = name the variable or file that holds the key, or take the line out

2 errors"#,
    );
}

#[test]
fn missing_keys() {
    check(
        r#"[chains]
default = ["deepseek/deepseek-flash", "openrouter/openai/gpt-6-luna"]
other = ["deepseek/deepseek-v4-pro"]
"#,
        r#"mainstay.toml:2:12: DEEPSEEK_API_KEY is not set; provider deepseek needs a key for deepseek/deepseek-flash in chain default, deepseek/deepseek-v4-pro in chain other
  2 | default = ["deepseek/deepseek-flash", "openrouter/openai/gpt-6-luna"]
    |            ^^^^^^^^^^^^^^^^^^^^^^^^^
    = set DEEPSEEK_API_KEY, or name another variable: api_key_env in [providers.deepseek]

mainstay.toml:2:12: warning: chain default is not cheap first: deepseek/deepseek-flash stands before openrouter/openai/gpt-6-luna
  2 | default = ["deepseek/deepseek-flash", "openrouter/openai/gpt-6-luna"]
    |            ^^^^^^^^^^^^^^^^^^^^^^^^^
    = 1,000 calls of 2,000 tokens in and 500 out cost $0.60 at deepseek/deepseek-flash and $0.45 at openrouter/openai/gpt-6-luna; put the cheaper one first, unless it answers too badly

mainstay.toml:2:39: OPENROUTER_API_KEY is not set; provider openrouter needs a key for openrouter/openai/gpt-6-luna in chain default
  2 | default = ["deepseek/deepseek-flash", "openrouter/openai/gpt-6-luna"]
    |                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    = set OPENROUTER_API_KEY, or name another variable: api_key_env in [providers.openrouter]

2 errors"#,
    );
}

#[test]
fn a_blank_key() {
    check(
        r#"[providers.openai]
api_key_env = "BLANK"
[chains]
default = ["openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:2:15: BLANK is blank; provider openai needs a key for openai/gpt-6-luna in chain default
  2 | api_key_env = "BLANK"
    |               ^^^^^^^
    = set BLANK, or name another variable: api_key_env in [providers.openai]"#,
    );
}

#[test]
fn a_key_that_no_header_carries() {
    check(
        r#"[providers.openai]
api_key_envs = ["SPACED", "NOT_THERE"]
[chains]
default = ["openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:2:17: SPACED holds a space, a line break or a character that no header can carry; provider openai needs a key for openai/gpt-6-luna in chain default
  2 | api_key_envs = ["SPACED", "NOT_THERE"]
    |                 ^^^^^^^^
    = set SPACED, or name another variable: api_key_env in [providers.openai]

mainstay.toml:2:27: NOT_THERE is not set; provider openai needs a key for openai/gpt-6-luna in chain default
  2 | api_key_envs = ["SPACED", "NOT_THERE"]
    |                           ^^^^^^^^^^^
    = set NOT_THERE, or name another variable: api_key_env in [providers.openai]

2 errors"#,
    );
}

#[test]
fn a_key_file_that_cannot_be_read() {
    check(
        r#"[providers.openai]
api_key_file = "/no/such/file"
[chains]
default = ["openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:2:16: the key file "/no/such/file" cannot be read: No such file or directory (os error 2); provider openai needs a key for openai/gpt-6-luna in chain default
  2 | api_key_file = "/no/such/file"
    |                ^^^^^^^^^^^^^^^
    = expected a file with the key alone, that this user can read
    = correct the path, the rights or the content, or name a variable with api_key_env"#,
    );
}

#[test]
fn a_key_in_the_file() {
    check(
        r#"[providers.openai]
api_key = "sk-live-0123456789abcdef"
[chains]
default = ["openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:2:1: unknown key "api_key" in [providers.openai]
  2 | api_key = "************************"
    | ^^^^^^^
    = a key never stands in this file: name the variable that holds it, api_key_env = "…", or a file, api_key_file = "…""#,
    );
}

#[test]
fn a_key_in_place_of_a_variable() {
    check(
        r#"[providers.openai]
api_key_env = "sk-live-0123456789abcdef"
[chains]
default = ["openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:2:15: providers.openai.api_key_env takes the name of a variable, and this is none
  2 | api_key_env = "************************"
    |               ^^^^^^^^^^^^^^^^^^^^^^^^^^
    = expected letters, digits and _, such as "OPENAI_API_KEY"
    = if this is the key itself: take it out of the file, replace it, and name the variable that holds it"#,
    );
}

#[test]
fn two_ways_to_a_key() {
    check(
        r#"[providers.openai]
api_key_env = "OPENAI_API_KEY"
api_key_file = "key"
[chains]
default = ["openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:3:16: providers.openai.api_key_env and providers.openai.api_key_file contradict each other
  3 | api_key_file = "key"
    |                ^^^^^
    = keep one; several keys go into api_key_envs"#,
    );
}

#[test]
fn a_key_and_none() {
    check(
        r#"[providers.openai]
api_key_env = "OPENAI_API_KEY"
auth = "none"
[chains]
default = ["openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:3:8: auth = "none" and a key contradict each other
  3 | auth = "none"
    |        ^^^^^^
    = keep one of the two"#,
    );
}

#[test]
fn a_server_elsewhere_without_a_word_about_its_key() {
    check(
        r#"[providers.house]
dialect = "openai-chat"
base_url = "https://llm.example.com/v1"
[chains]
default = [{ provider = "house", model = "m", unpriced = true }]
"#,
        r#"mainstay.toml:1:12: the file names no key; provider house needs a key for house/m in chain default
  1 | [providers.house]
    |            ^^^^^
    = name its variable in [providers.house]: api_key_env = "…", or say auth = "none""#,
    );
}

#[test]
fn a_missing_key_that_no_tier_needs() {
    check(
        r#"[providers.deepseek]
[chains]
default = ["openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:1:12: warning: DEEPSEEK_API_KEY is not set; provider deepseek cannot be called, but no tier uses it
  1 | [providers.deepseek]
    |            ^^^^^^^^
    = set DEEPSEEK_API_KEY, or name another variable: api_key_env in [providers.deepseek]"#,
    );
}

#[test]
fn plain_http() {
    check(
        r#"[providers.openai]
base_url = "http://10.0.0.1/v1"
[chains]
default = ["openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:2:12: providers.openai.base_url is plain HTTP and not loopback
  2 | base_url = "http://10.0.0.1/v1"
    |            ^^^^^^^^^^^^^^^^^^^^
    = expected https://, or an address of this machine
    = use https, or set allow_http = true if nobody can listen in between"#,
    );
}

#[test]
fn an_address_with_a_key() {
    check(
        r#"[providers.openai]
base_url = "https://ann:hunter2@example.com/v1"
[chains]
default = ["openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:2:12: providers.openai.base_url = "https://ann:*******@example.com/v1" holds a user name or password
  2 | base_url = "https://ann:*******@example.com/v1"
    |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    = expected an address such as "https://api.example.com/v1"
    = name the variable that holds the key: api_key_env = "…""#,
    );
}

#[test]
fn an_address_that_is_none() {
    check(
        r#"[providers.openai]
base_url = "example.com/v1"
proxy = "proxy:3128"
[chains]
default = ["openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:2:12: providers.openai.base_url = "example.com/v1" does not begin with https:// or http://
  2 | base_url = "example.com/v1"
    |            ^^^^^^^^^^^^^^^^
    = expected an address such as "https://api.example.com/v1"
    = write scheme, host and path, without what the dialect adds, such as /chat/completions

mainstay.toml:3:9: providers.openai.proxy is not the address of a proxy
  3 | proxy = "proxy:3128"
    |         ^^^^^^^^^^^^
    = expected "http://host:port", "socks5h://host:port", "env" or "env:NAME"

2 errors"#,
    );
}

#[test]
fn an_unpriced_model() {
    check(
        r#"[chains]
default = ["openai/gpt-6-lunar"]
other = [{ provider = "openai", model = "ours" }]
"#,
        r#"mainstay.toml:2:12: no price is known for openai/gpt-6-lunar; did you mean "openai/gpt-6-luna"?
  2 | default = ["openai/gpt-6-lunar"]
    |            ^^^^^^^^^^^^^^^^^^^^
    = write the tier as { provider = "openai", model = "gpt-6-lunar", price = { input = "…", output = "…" } } (dollars per million tokens); or unpriced = true in place of the price

mainstay.toml:3:41: no price is known for openai/ours
  3 | other = [{ provider = "openai", model = "ours" }]
    |                                         ^^^^^^
    = add price = { input = "…", output = "…" } (dollars per million tokens); or unpriced = true in place of the price

2 errors"#,
    );
}

#[test]
fn an_unpriced_model_under_a_cap() {
    check(
        r#"[budget]
daily = "5.00"
[chains]
default = [{ provider = "openai", model = "ours", unpriced = true }, "openai/theirs"]
"#,
        r#"mainstay.toml:4:62: openai/ours is unpriced and budget.daily is set: what it costs could not be counted
  4 | default = [{ provider = "openai", model = "ours", unpriced = true }, "openai/theirs"]
    |                                                              ^^^^
    = expected a price, or a provider on loopback or with auth = "none"
    = give the tier a price = { input = "…", output = "…" }, in dollars per million tokens

mainstay.toml:4:70: no price is known for openai/theirs
  4 | default = [{ provider = "openai", model = "ours", unpriced = true }, "openai/theirs"]
    |                                                                      ^^^^^^^^^^^^^^^
    = write the tier as { provider = "openai", model = "theirs", price = { input = "…", output = "…" } } (dollars per million tokens)

2 errors"#,
    );
}

#[test]
fn a_price_and_none() {
    check(
        r#"[chains]
default = [{ provider = "openai", model = "ours", unpriced = true, price = { input = "1", output = "1" } }]
"#,
        r#"mainstay.toml:2:62: price and unpriced contradict each other
  2 | default = [{ provider = "openai", model = "ours", unpriced = true, price = { input = "1", output = "1" } }]
    |                                                              ^^^^
    = keep the price"#,
    );
}

#[test]
fn an_open_listener() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[server]
listen = "0.0.0.0:7171"
require_keys = "never"
"#,
        r#"mainstay.toml:4:10: server.listen = "0.0.0.0:7171" is not loopback and MAINSTAY_ADMIN_TOKEN is not set
  4 | listen = "0.0.0.0:7171"
    |          ^^^^^^^^^^^^^^
    = expected the admin token in the variable MAINSTAY_ADMIN_TOKEN
    = set MAINSTAY_ADMIN_TOKEN to a long random string, or listen on 127.0.0.1

mainstay.toml:5:16: require_keys = "never" is for loopback only
  5 | require_keys = "never"
    |                ^^^^^^^
    = take the line out and make keys with `mainstay keys create`, or listen on 127.0.0.1

2 errors"#,
    );
}

#[test]
fn a_listener_that_is_none() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[server]
listen = "7171"
hosts = ["https://example.com"]
"#,
        r#"mainstay.toml:4:10: server.listen = "7171" is not an address to listen on
  4 | listen = "7171"
    |          ^^^^^^
    = expected an IP address and a port, such as "127.0.0.1:7171" or "[::1]:7171"

mainstay.toml:5:10: server.hosts[0] = "https://example.com" is not the name of a host
  5 | hosts = ["https://example.com"]
    |          ^^^^^^^^^^^^^^^^^^^^^
    = expected a name without scheme or path, such as "gateway.example.com"

2 errors"#,
    );
}

#[test]
fn half_of_tls() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[server]
tls_cert = "cert.pem"
"#,
        r#"mainstay.toml:4:12: server.tls_cert stands alone
  4 | tls_cert = "cert.pem"
    |            ^^^^^^^^^^
    = expected tls_cert and tls_key together
    = add the other one, or take this line out"#,
    );
}

#[test]
fn tls_files_that_cannot_be_read() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[server]
tls_cert = "/no/cert.pem"
tls_key = "/no/key.pem"
"#,
        r#"mainstay.toml:4:12: server.tls_cert: "/no/cert.pem" cannot be read: No such file or directory (os error 2)
  4 | tls_cert = "/no/cert.pem"
    |            ^^^^^^^^^^^^^^
    = correct the path or the rights

mainstay.toml:5:11: server.tls_key: "/no/key.pem" cannot be read: No such file or directory (os error 2)
  5 | tls_key = "/no/key.pem"
    |           ^^^^^^^^^^^^^
    = correct the path or the rights

2 errors"#,
    );
}

#[test]
fn a_log_that_is_none() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[log]
url = "mysql://db"
otlp_endpoint = "here"
"#,
        r#"mainstay.toml:4:7: log.url = "mysql://db" is not the address of a log
  4 | url = "mysql://db"
    |       ^^^^^^^^^^^^
    = expected "sqlite:mainstay.db" or "postgres://user@host/db"

mainstay.toml:5:17: log.otlp_endpoint = "here" does not begin with https:// or http://
  5 | otlp_endpoint = "here"
    |                 ^^^^^^
    = expected an address such as "http://127.0.0.1:4318"

2 errors"#,
    );
}

#[test]
fn a_log_in_a_missing_variable() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[log]
url = "env:NOT_THERE"
"#,
        r#"mainstay.toml:4:7: NOT_THERE is not set; log.url needs it
  4 | url = "env:NOT_THERE"
    |       ^^^^^^^^^^^^^^^
    = set NOT_THERE, or write the value in its place"#,
    );
}

#[test]
fn a_catalogue_that_cannot_be_read() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[budget]
prices = "/no/prices.txt"
"#,
        r#"mainstay.toml:4:10: budget.prices: "/no/prices.txt" cannot be read: No such file or directory (os error 2)
  4 | prices = "/no/prices.txt"
    |          ^^^^^^^^^^^^^^^^
    = correct the path or the file, or take the line out"#,
    );
}

#[test]
fn an_unknown_quality_class() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[quality]
classes = { empyt = "accept", refusal = "ignore" }
"#,
        r#"mainstay.toml:4:13: unknown quality class "empyt"; did you mean "empty"?
  4 | classes = { empyt = "accept", refusal = "ignore" }
    |             ^^^^^
    = expected ok, empty, truncated_empty, reasoning_only, truncated, paused, suspiciously_short, refusal, filtered, malformed_tool_call, schema_mismatch, degenerate or interrupted

mainstay.toml:4:41: quality.classes.refusal cannot be "ignore"
  4 | classes = { empyt = "accept", refusal = "ignore" }
    |                                         ^^^^^^^^
    = expected "accept" or "fail"

2 errors"#,
    );
}

#[test]
fn a_refusal_pattern_that_does_not_compile() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[quality]
refusal_patterns = ["fine", "(unclosed", "x*", "(?=look)"]
"#,
        r#"mainstay.toml:4:29: quality.refusal_patterns[1] = "(unclosed": not a pattern: unclosed group
  4 | refusal_patterns = ["fine", "(unclosed", "x*", "(?=look)"]
    |                             ^^^^^^^^^^^
    = expected a regular expression without look-around and back-references

mainstay.toml:4:42: quality.refusal_patterns[2] = "x*": matches an empty text, and so every answer
  4 | refusal_patterns = ["fine", "(unclosed", "x*", "(?=look)"]
    |                                          ^^^^
    = expected a regular expression without look-around and back-references

mainstay.toml:4:48: quality.refusal_patterns[3] = "(?=look)": not a pattern: look-around, including look-ahead and look-behind, is not supported
  4 | refusal_patterns = ["fine", "(unclosed", "x*", "(?=look)"]
    |                                                ^^^^^^^^^^
    = expected a regular expression without look-around and back-references

3 errors"#,
    );
}

#[test]
fn an_unknown_finish_reason() {
    check(
        r#"[providers.openai]
finish_reasons = { eos = "stopped" }
[chains]
default = ["openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:2:26: providers.openai.finish_reasons.eos cannot be "stopped"; did you mean "stop"?
  2 | finish_reasons = { eos = "stopped" }
    |                          ^^^^^^^^^
    = expected "stop", "length", "tool_call", "refusal", "content_filter" or "pause""#,
    );
}

#[test]
fn an_embedding_model_among_others() {
    check(
        r#"[chains]
default = ["openai/text-embedding-3-small", "openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:2:12: openai/text-embedding-3-small makes embeddings
  2 | default = ["openai/text-embedding-3-small", "openai/gpt-6-luna"]
    |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    = take it out; embeddings are asked for as provider/model, or of a chain of their own"#,
    );
}

#[test]
fn a_second_embedding_model() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
vectors = ["openai/text-embedding-3-small", "openai/text-embedding-3-large"]
"#,
        r#"mainstay.toml:3:45: warning: openai/text-embedding-3-large is never asked: embeddings do not go to another tier
  3 | vectors = ["openai/text-embedding-3-small", "openai/text-embedding-3-large"]
    |                                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    = take it out, or give it a chain of its own: vectors of two models do not mix"#,
    );
}

#[test]
fn a_dear_tier_first() {
    check(
        r#"[chains]
default = ["anthropic/claude-sonnet-5-5", "openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:2:12: warning: chain default is not cheap first: anthropic/claude-sonnet-5-5 stands before openai/gpt-6-luna
  2 | default = ["anthropic/claude-sonnet-5-5", "openai/gpt-6-luna"]
    |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    = 1,000 calls of 2,000 tokens in and 500 out cost $9.00 at anthropic/claude-sonnet-5-5 and $0.45 at openai/gpt-6-luna; put the cheaper one first, unless it answers too badly"#,
    );
}

#[test]
fn a_password_in_the_file() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[log]
url = "postgres://ann:hunter2@db/x"
"#,
        r#"mainstay.toml:4:7: warning: a password stands in the file
  4 | url = "postgres://ann:*******@db/x"
    |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    = put the address into a variable and write url = "env:DATABASE_URL", or use PGPASSWORD"#,
    );
}

#[test]
fn a_timer_beyond_the_deadline() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[defaults]
deadline = "60s"
answer_timeout = "240s"
"#,
        r#"mainstay.toml:5:18: warning: defaults.answer_timeout is longer than the deadline of 1m
  5 | answer_timeout = "240s"
    |                  ^^^^^^
    = shorten it, or lengthen deadline in [defaults]"#,
    );
}

#[test]
fn a_webhook_that_is_not_there() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[alerts]
webhook_env = "NOT_THERE"
"#,
        r#"mainstay.toml:4:15: warning: NOT_THERE holds no address; no alert is posted
  4 | webhook_env = "NOT_THERE"
    |               ^^^^^^^^^^^
    = set NOT_THERE, or take the line out"#,
    );
}

#[test]
fn a_short_admin_token() {
    check(
        r#"[chains]
default = ["openai/gpt-6-luna"]
[server]
listen = "0.0.0.0:7171"
admin_token_env = "SHORT"
"#,
        r#"mainstay.toml:4:10: warning: the admin token in SHORT is short
  4 | listen = "0.0.0.0:7171"
    |          ^^^^^^^^^^^^^^
    = take a random one of 32 characters: whoever has it can spend your money"#,
    );
}

#[test]
fn separate_accounts_of_one_key() {
    check(
        r#"[providers.openai]
separate_accounts = true
[chains]
default = ["openai/gpt-6-luna"]
"#,
        r#"mainstay.toml:2:21: warning: separate_accounts says nothing about a single key
  2 | separate_accounts = true
    |                     ^^^^
    = name the keys in api_key_envs, or take the line out"#,
    );
}

#[test]
fn a_dialect_that_is_not_in_this_build() {
    use mainstay_canon::Dialect;

    let missing =
        Dialect::ALL.into_iter().find(|dialect| mainstay_providers::for_dialect(*dialect).is_none());
    let Some(dialect) = missing.map(Dialect::name) else { return };
    let text = format!(
        "[providers.house]\ndialect = \"{dialect}\"\nbase_url = \"http://127.0.0.1:1\"\n[chains]\ndefault = [\"house/m\"]\n"
    );
    check(
        &text,
        &format!(
            "mainstay.toml:2:11: dialect \"{dialect}\" is not in this build\n  2 | dialect = \"{dialect}\"\n    |           {}\n    = take a build that has it, or another dialect that the server speaks",
            "^".repeat(dialect.len() + 2)
        ),
    );
}

#[test]
fn mistakes_of_every_kind_are_told_at_once_and_in_the_order_of_the_file() {
    let text = r#"[budget]
daily = 5
[providers.deepseek]
api_key_env = "NOT_THERE"
[chains]
default = ["opnai/x", "deepseek/deepseek-flash"]
empty = []
[qualty]
"#;
    let problems = common::read(text).unwrap_err();
    let lines: Vec<_> = problems.problems.iter().filter_map(|problem| problem.line).collect();
    assert_eq!(lines, [2, 4, 6, 7, 8]);
    let codes: Vec<_> = problems.problems.iter().map(|problem| problem.code).collect();
    assert_eq!(
        codes,
        ["wrong_type", "missing_key_variable", "unknown_provider", "empty_chain", "unknown_key"]
    );
}
