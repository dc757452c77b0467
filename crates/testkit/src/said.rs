//! What a simulated model says, in nobody's dialect.

use std::time::Duration;

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaidCall {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments' text.
    pub arguments: String,
}

/// What the model says.
#[derive(Clone, Debug)]
pub struct Said {
    /// Visible text.
    pub text: String,
    /// Reasoning, where the dialect shows it.
    pub reasoning: Option<String>,
    /// The refusal field; visible text where the dialect has none.
    pub refusal: Option<String>,
    /// Calls of tools.
    pub calls: Vec<SaidCall>,
    /// The finish word, as OpenAI spells it; `None` leaves it out.
    pub finish: Option<String>,
    /// Input tokens.
    pub prompt_tokens: u64,
    /// Output tokens, reasoning included; counted as one per four characters where `None`.
    pub completion_tokens: Option<u64>,
    /// The wait before each streamed piece.
    pub gap: Duration,
    /// Characters per streamed piece.
    pub piece: usize,
    /// Further response headers.
    pub headers: Vec<(String, String)>,
}

impl Said {
    /// A plain answer that ends as it should.
    pub fn text(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            reasoning: None,
            refusal: None,
            calls: Vec::new(),
            finish: Some("stop".into()),
            prompt_tokens: 12,
            completion_tokens: None,
            gap: Duration::ZERO,
            piece: 8,
            headers: Vec::new(),
        }
    }

    /// Calls a tool instead of speaking.
    pub fn call(name: &str, arguments: &str) -> Self {
        Self::text("").and_call(name, arguments)
    }

    /// Calls a tool as well.
    #[must_use]
    pub fn and_call(mut self, name: &str, arguments: &str) -> Self {
        let id = format!("call_fake{}", self.calls.len() + 1);
        self.calls.push(SaidCall { id, name: name.to_owned(), arguments: arguments.to_owned() });
        self.finish = Some("tool_calls".into());
        self
    }

    /// Ends with that finish word, as OpenAI spells it.
    #[must_use]
    pub fn finish(mut self, word: &str) -> Self {
        self.finish = Some(word.to_owned());
        self
    }

    /// Thinks first.
    #[must_use]
    pub fn thinking(mut self, reasoning: &str) -> Self {
        self.reasoning = Some(reasoning.to_owned());
        self
    }

    /// States these token counts.
    #[must_use]
    pub fn tokens(mut self, prompt: u64, completion: u64) -> Self {
        self.prompt_tokens = prompt;
        self.completion_tokens = Some(completion);
        self
    }

    /// Waits so long before each streamed piece.
    #[must_use]
    pub fn slowly(mut self, gap: Duration) -> Self {
        self.gap = gap;
        self
    }

    /// Output tokens as they are reported.
    pub fn completion(&self) -> u64 {
        self.completion_tokens.unwrap_or_else(|| tokens(&self.text))
    }

    /// How many of the output tokens were spent on thinking: all of them where nothing else was said.
    pub(crate) fn thought(&self) -> u64 {
        match &self.reasoning {
            None => 0,
            Some(_) if self.text.is_empty() && self.calls.is_empty() => self.completion(),
            Some(reasoning) => tokens(reasoning).min(self.completion()),
        }
    }

    /// The text that is seen where a dialect has no refusal field.
    pub(crate) fn visible(&self) -> &str {
        if self.text.is_empty() { self.refusal.as_deref().unwrap_or_default() } else { &self.text }
    }

    /// A text in the pieces in which it is streamed.
    pub(crate) fn pieces(&self, text: &str) -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        letters.chunks(self.piece.max(1)).map(|piece| piece.iter().collect()).collect()
    }
}

fn tokens(text: &str) -> u64 {
    (text.chars().count() as u64).div_ceil(4)
}
