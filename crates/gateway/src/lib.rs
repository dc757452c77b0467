//! The HTTP front door: OpenAI and Anthropic clients point here.
