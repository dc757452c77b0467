//! The clients that are tried, and where each is had.

/// What runs a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runtime {
    Python,
    Node,
}

/// The dialect a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    Chat,
    Responses,
    Anthropic,
}

impl Face {
    /// As the scripts are told.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Anthropic => "anthropic",
        }
    }

    /// As people read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chat => "Chat Completions",
            Self::Responses => "Responses",
            Self::Anthropic => "Messages",
        }
    }
}

/// A client, as its users install it.
#[derive(Debug)]
pub struct Client {
    pub name: &'static str,
    pub runtime: Runtime,
    /// The folder it is installed into.
    pub folder: &'static str,
    /// Packages with their versions, the one that gives the client its version first.
    pub packages: &'static [&'static str],
    pub script: &'static str,
    pub faces: &'static [Face],
    /// Whether it is tried at every change, and not only when the matrix is made.
    pub always: bool,
}

use Face::{Anthropic, Chat, Responses};
use Runtime::{Node, Python};

const fn client(
    name: &'static str,
    runtime: Runtime,
    folder: &'static str,
    packages: &'static [&'static str],
    script: &'static str,
    faces: &'static [Face],
) -> Client {
    Client { name, runtime, folder, packages, script, faces, always: false }
}

const fn always(mut client: Client) -> Client {
    client.always = true;
    client
}

pub const OPENAI_PYTHON: Client = always(client(
    "OpenAI Python",
    Python,
    "openai-sdk",
    &["openai==3.57.0"],
    "openai_python.py",
    &[Chat, Responses],
));
pub const OPENAI_NODE: Client = always(client(
    "OpenAI Node",
    Node,
    "openai-node",
    &["openai@7.59.0", "zod@4.6.7"],
    "openai_node.mjs",
    &[Chat, Responses],
));
pub const ANTHROPIC_PYTHON: Client = always(client(
    "Anthropic Python",
    Python,
    "anthropic-sdk",
    &["anthropic==2.14.0"],
    "anthropic_python.py",
    &[Anthropic],
));
pub const ANTHROPIC_NODE: Client = always(client(
    "Anthropic TypeScript",
    Node,
    "anthropic-node",
    &["@anthropic-ai/sdk@1.14.0", "zod@4.6.7"],
    "anthropic_node.mjs",
    &[Anthropic],
));

pub const LANGCHAIN: Client = client(
    "LangChain",
    Python,
    "langchain",
    &["langchain-openai==1.7.4", "langchain-anthropic==1.7.10"],
    "langchain_models.py",
    &[Chat, Responses, Anthropic],
);
pub const VERCEL: Client = client(
    "Vercel AI SDK",
    Node,
    "vercel-ai",
    &["ai@7.0.173", "@ai-sdk/openai@4.0.118", "@ai-sdk/anthropic@4.0.105", "zod@4.6.7"],
    "vercel_ai.mjs",
    &[Chat, Responses, Anthropic],
);
pub const PYDANTIC_AI: Client = client(
    "Pydantic AI",
    Python,
    "pydantic-ai",
    &["pydantic-ai-slim[openai,anthropic]==2.68.0"],
    "pydantic_ai_agent.py",
    &[Chat, Responses, Anthropic],
);
pub const OPENAI_AGENTS: Client = client(
    "OpenAI Agents SDK",
    Python,
    "openai-agents",
    &["openai-agents==0.24.0"],
    "openai_agents.py",
    &[Chat, Responses],
);
pub const LITELLM: Client =
    client("LiteLLM SDK", Python, "litellm", &["litellm==1.110.2"], "litellm_sdk.py", &[Chat, Anthropic]);
pub const INSTRUCTOR: Client = client(
    "Instructor",
    Python,
    "instructor",
    &["instructor==1.17.0", "anthropic==2.14.0"],
    "instructor_sdk.py",
    &[Chat, Anthropic],
);
pub const LLM: Client = client("llm", Python, "llm", &["llm==0.36"], "llm_tool.py", &[Chat]);

/// All of them, in the order of the table.
pub const ALL: [&Client; 11] = [
    &OPENAI_PYTHON,
    &OPENAI_NODE,
    &ANTHROPIC_PYTHON,
    &ANTHROPIC_NODE,
    &LANGCHAIN,
    &VERCEL,
    &PYDANTIC_AI,
    &OPENAI_AGENTS,
    &LITELLM,
    &INSTRUCTOR,
    &LLM,
];
