//! Mainstay: an LLM client that notices the useless 200 OK, and does something about it.
