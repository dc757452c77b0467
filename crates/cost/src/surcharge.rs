//! What in a request makes it cost other than its tokens say.

use mainstay_canon::{ChatRequest, Dialect, Tool};

/// Tools that a dialect spells in its own way but that the caller runs: they cost only their tokens.
/// Anthropic names its with a date (`bash_20250124`), so the word before it counts. As of 2026-11.
const RUN_BY_THE_CALLER: [&str; 10] = [
    "custom",
    "function",
    "bash",
    "text_editor",
    "computer",
    "memory",
    "computer_use_preview",
    "local_shell",
    "apply_patch",
    "str_replace_based_edit_tool",
];

/// Members of a request with which a provider searches or runs something at a price of its own
/// (OpenAI, OpenRouter, xAI, Mistral; 2026-11).
const PAID_MEMBERS: [&str; 5] =
    ["web_search_options", "plugins", "search_parameters", "mcp_servers", "container"];

/// The service tier that a request asks a provider of `dialect` for, in the provider's own word; `None` for
/// the standard one. Members of another dialect are not sent, so they do not count.
pub fn service_of(request: &ChatRequest, dialect: Dialect) -> Option<String> {
    if request.origin != Some(dialect) {
        return None;
    }
    // Anthropic's `speed: "fast"` is a price of its own as well.
    let word = |member: &str| request.extra.get(member)?.read::<String>().ok();
    ["service_tier", "speed"].into_iter().filter_map(word).find(|word| {
        !matches!(word.as_str(), "auto" | "default" | "standard" | "standard_only" | "on_demand")
    })
}

/// The first thing in a request that a provider bills by a measure that has no bound: a tool that it runs
/// itself, or a search. Under a cap such a request is refused (behaviour 8.2d).
pub fn unbounded(request: &ChatRequest) -> Option<&str> {
    let tool = request.tools.iter().find(|tool| runs_at_the_provider(tool)).map(|tool| tool.name.as_str());
    tool.or_else(|| PAID_MEMBERS.into_iter().find(|member| request.extra.get(member).is_some()))
}

#[derive(serde::Deserialize)]
struct Typed {
    #[serde(rename = "type")]
    kind: String,
}

fn runs_at_the_provider(tool: &Tool) -> bool {
    let Some(native) = &tool.native else { return false };
    // Without a type that can be read, the unknown is taken for the dearer.
    native.read::<Typed>().map_or(true, |typed| {
        let undated =
            typed.kind.rsplit_once('_').filter(|(_, date)| date.bytes().all(|b| b.is_ascii_digit()));
        let kind = undated.map_or(typed.kind.as_str(), |(kind, _)| kind);
        !RUN_BY_THE_CALLER.contains(&kind)
    })
}

#[cfg(test)]
mod tests {
    use mainstay_canon::{Extra, RawJson};

    use super::*;

    fn raw(text: &str) -> RawJson {
        RawJson::parse(text).unwrap()
    }

    fn with_native(text: &str) -> ChatRequest {
        let tool = Tool {
            name: "it".into(),
            description: None,
            parameters: None,
            strict: None,
            extra: Extra::new(),
            native: Some(raw(text)),
        };
        ChatRequest::user("hi").tool(tool)
    }

    #[test]
    fn tools_that_a_provider_runs_have_no_bound() {
        for text in [
            r#"{"type":"web_search_20250305","name":"web_search"}"#,
            r#"{"type":"code_execution_20250825"}"#,
            r#"{"type":"web_search_preview"}"#,
            r#"{"type":"mcp","server_url":"https://x"}"#,
            r#"{"googleSearch":{}}"#,
            r#"{"type":"a_tool_of_tomorrow"}"#,
        ] {
            assert_eq!(unbounded(&with_native(text)), Some("it"), "{text}");
        }
    }

    #[test]
    fn tools_that_the_caller_runs_cost_only_their_tokens() {
        for text in [
            r#"{"type":"bash_20250124","name":"bash"}"#,
            r#"{"type":"text_editor_20250728"}"#,
            r#"{"type":"computer_20251124","display_width_px":1}"#,
            r#"{"type":"custom","custom":{"name":"free"}}"#,
        ] {
            assert_eq!(unbounded(&with_native(text)), None, "{text}");
        }
        let plain = ChatRequest::user("hi").tool(Tool::function("f", "d", raw("{}")));
        assert_eq!(unbounded(&plain), None);
    }

    #[test]
    fn a_search_asked_for_by_a_member_has_no_bound_either() {
        let mut request = ChatRequest::user("hi");
        request.extra.insert("web_search_options", raw("{}"));
        assert_eq!(unbounded(&request), Some("web_search_options"));
    }

    #[test]
    fn a_service_tier_counts_only_where_it_is_sent() {
        let mut request = ChatRequest::user("hi");
        request.origin = Some(Dialect::OpenaiChat);
        request.extra.insert("service_tier", raw("\"priority\""));
        assert_eq!(service_of(&request, Dialect::OpenaiChat).as_deref(), Some("priority"));
        assert_eq!(service_of(&request, Dialect::Anthropic), None);
        request.extra.insert("service_tier", raw("\"auto\""));
        assert_eq!(service_of(&request, Dialect::OpenaiChat), None);
    }
}
