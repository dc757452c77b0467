//! Marks of chat templates and tool-call syntaxes that must not reach a reader. Data only.
//!
//! Sources: the chat templates in the tokenizer files of the model families named beside each group, and
//! the tool-call formats that their servers parse (state of 2026-11).

/// What a leaked mark belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leak {
    /// A tool call in the model's own spelling.
    Tool,
    /// Turns, roles and ends of a chat template.
    Template,
}

/// Where a mark counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// Anywhere outside code and quotes.
    Anywhere,
    /// Only as the first thing of a line.
    LineStart,
    /// Only where JSON follows.
    BeforeJson,
}

/// The marks.
pub(crate) const MARKS: &[(&str, Leak, Where)] = &[
    // Qwen, Hermes and the servers that copy them.
    ("<tool_call>", Leak::Tool, Where::LineStart),
    ("<tool_call>", Leak::Tool, Where::BeforeJson),
    ("<function_call>", Leak::Tool, Where::LineStart),
    ("<function_call>", Leak::Tool, Where::BeforeJson),
    ("<toolcall>", Leak::Tool, Where::LineStart),
    // Llama 3 and Qwen coder.
    ("<function=", Leak::Tool, Where::Anywhere),
    ("<|python_tag|>", Leak::Tool, Where::Anywhere),
    // Claude's older text form.
    ("<function_calls>", Leak::Tool, Where::LineStart),
    ("<invoke name=", Leak::Tool, Where::LineStart),
    ("<tool_use>", Leak::Tool, Where::LineStart),
    // DeepSeek; the bars are fullwidth, the blanks are U+2581.
    ("<｜tool", Leak::Tool, Where::Anywhere),
    ("<|tool▁", Leak::Tool, Where::Anywhere),
    // Mistral.
    ("[TOOL_CALLS]", Leak::Tool, Where::Anywhere),
    // Kimi, GLM, MiniMax, LongCat, InternLM, Doubao, Phi, Granite, Gemma.
    ("<|tool_call", Leak::Tool, Where::Anywhere),
    ("<|tool_calls", Leak::Tool, Where::Anywhere),
    ("<arg_key>", Leak::Tool, Where::Anywhere),
    ("<minimax:tool_call>", Leak::Tool, Where::Anywhere),
    ("<longcat_tool_call>", Leak::Tool, Where::Anywhere),
    ("<|action_start|>", Leak::Tool, Where::Anywhere),
    ("<|plugin|>", Leak::Tool, Where::Anywhere),
    ("<|FunctionCallBegin|>", Leak::Tool, Where::Anywhere),
    ("<start_function_call>", Leak::Tool, Where::Anywhere),
    ("<tool_code>", Leak::Tool, Where::LineStart),
    // Harmony (gpt-oss): a channel that speaks to a function.
    ("to=functions.", Leak::Tool, Where::Anywhere),
    // ChatML.
    ("<|im_start|>", Leak::Template, Where::Anywhere),
    ("<|im_end|>", Leak::Template, Where::Anywhere),
    ("<|im_sep|>", Leak::Template, Where::Anywhere),
    // Llama 3 and 4, Phi, GLM, Harmony, Command.
    ("<|eot_id|>", Leak::Template, Where::Anywhere),
    ("<|eom_id|>", Leak::Template, Where::Anywhere),
    ("<|eot|>", Leak::Template, Where::Anywhere),
    ("<|start_header_id|>", Leak::Template, Where::Anywhere),
    ("<|end_header_id|>", Leak::Template, Where::Anywhere),
    ("<|header_start|>", Leak::Template, Where::Anywhere),
    ("<|begin_of_text|>", Leak::Template, Where::Anywhere),
    ("<|end_of_text|>", Leak::Template, Where::Anywhere),
    ("<|endoftext|>", Leak::Template, Where::Anywhere),
    ("<|assistant|>", Leak::Template, Where::Anywhere),
    ("<|user|>", Leak::Template, Where::Anywhere),
    ("<|system|>", Leak::Template, Where::Anywhere),
    ("<|observation|>", Leak::Template, Where::Anywhere),
    ("<|end|>", Leak::Template, Where::Anywhere),
    ("<|start|>", Leak::Template, Where::Anywhere),
    ("<|channel|>", Leak::Template, Where::Anywhere),
    ("<|message|>", Leak::Template, Where::Anywhere),
    ("<|return|>", Leak::Template, Where::Anywhere),
    ("<|call|>", Leak::Template, Where::Anywhere),
    ("<|START_OF_TURN_TOKEN|>", Leak::Template, Where::Anywhere),
    ("<|END_OF_TURN_TOKEN|>", Leak::Template, Where::Anywhere),
    ("<|CHATBOT_TOKEN|>", Leak::Template, Where::Anywhere),
    ("<|END_RESPONSE|>", Leak::Template, Where::Anywhere),
    ("<|end_of_turn|>", Leak::Template, Where::Anywhere),
    ("<|turn_end|>", Leak::Template, Where::Anywhere),
    // Gemma.
    ("<start_of_turn>", Leak::Template, Where::Anywhere),
    ("<end_of_turn>", Leak::Template, Where::Anywhere),
    ("<eos>", Leak::Template, Where::LineStart),
    // DeepSeek.
    ("<｜begin▁of▁sentence｜>", Leak::Template, Where::Anywhere),
    ("<｜end▁of▁sentence｜>", Leak::Template, Where::Anywhere),
    ("<｜User｜>", Leak::Template, Where::Anywhere),
    ("<｜Assistant｜>", Leak::Template, Where::Anywhere),
    // Llama 2 and Mistral.
    ("[INST]", Leak::Template, Where::Anywhere),
    ("[/INST]", Leak::Template, Where::Anywhere),
    ("<<SYS>>", Leak::Template, Where::Anywhere),
    ("<</SYS>>", Leak::Template, Where::Anywhere),
    ("</s>", Leak::Template, Where::Anywhere),
    // Alpaca, Vicuna and other instruction formats.
    ("### Assistant:", Leak::Template, Where::LineStart),
    ("### Human:", Leak::Template, Where::LineStart),
    ("### Instruction:", Leak::Template, Where::LineStart),
    ("### Response:", Leak::Template, Where::LineStart),
    ("<|prompter|>", Leak::Template, Where::Anywhere),
];

/// Tokens that show nothing and may stand alone where an answer should be.
pub(crate) static SILENT: &[&str] = &[
    "</s>",
    "<s>",
    "<pad>",
    "<eos>",
    "<bos>",
    "[PAD]",
    "[EOS]",
    "[BOS]",
    "[SEP]",
    "[CLS]",
    "[INST]",
    "[/INST]",
    "<end_of_turn>",
    "<start_of_turn>model",
    "<start_of_turn>",
    "<<SYS>>",
    "<</SYS>>",
    "<br>",
    "<br/>",
    "<br />",
    "&nbsp;",
    "<p></p>",
    "<p>",
    "</p>",
    "<answer>",
    "</answer>",
    "<response>",
    "</response>",
    "<output>",
    "</output>",
    "</think>",
    "<EOT>",
    "<end>",
    "<|im_start|>assistant",
];

/// Roles that a leaked template leaves as a line of their own before the answer.
pub(crate) static ROLES: &[&str] = &["assistant", "model", "<|assistant|>", "ASSISTANT", "Assistant"];
