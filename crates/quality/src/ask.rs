//! What the judge needs to know of a request. Borrowed: an ask copies nothing.

use mainstay_canon::{ChatRequest, ContentPart, Expect, ResponseFormat, Role, Tool, ToolChoice};

/// The part of a request by which its answer is judged.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// Tools on offer.
    pub tools: &'a [Tool],
    /// Which tool must be called.
    pub tool_choice: Option<&'a ToolChoice>,
    /// The form of the answer.
    pub response_format: &'a ResponseFormat,
    /// How long a useful answer is.
    pub expect: Expect,
    /// Whether the last message is a tool's result.
    pub follows_tool_result: bool,
    /// Most output tokens.
    pub max_tokens: Option<u32>,
    /// The last user text; empty where there is none.
    pub prompt: &'a str,
}

impl<'a> Ask<'a> {
    /// What `request` asks.
    pub fn of(request: &'a ChatRequest) -> Self {
        Self {
            tools: &request.tools,
            tool_choice: request.tool_choice.as_ref(),
            response_format: &request.response_format,
            expect: request.expect,
            follows_tool_result: request.follows_tool_result(),
            max_tokens: request.max_tokens,
            prompt: last_user_text(request),
        }
    }
}

fn last_user_text(request: &ChatRequest) -> &str {
    let users = request.messages.iter().rev().filter(|message| message.role == Role::User);
    users.flat_map(|message| message.content.iter().rev()).find_map(ContentPart::as_text).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_canon::ChatMessage;

    #[test]
    fn the_prompt_is_the_last_user_text() {
        let request = ChatRequest::user("first").message(ChatMessage::new(Role::Assistant, "a"));
        assert_eq!(Ask::of(&request).prompt, "first");
        let request = request.message(ChatMessage::new(Role::User, "second"));
        assert_eq!(Ask::of(&request).prompt, "second");
        assert_eq!(Ask::of(&ChatRequest::default()).prompt, "");
    }
}
