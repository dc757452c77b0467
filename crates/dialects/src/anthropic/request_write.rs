//! A request to a provider: the members of the body around the conversation, and the headers.
//!
//! Source: Anthropic API reference, Messages and Versions, 2026-11. What an API version does not take decides
//! which one is sent; what the dialect cannot say at all is noted.

use mainstay_canon::{ChatRequest, Dialect, Extra, Failure, Kind, RawJson, ToolChoice};
use serde::Serialize;

use super::AnthropicMessages;
use super::effort::{LEAST_BUDGET, Plan, is_taken, plan, schema};
use super::json::{Object, kept, put, raw};
use super::members::{OutChoice, OutTool, OutputConfig, System, UserMetadata};
use super::parts::{Notes, PartWriter};
use super::turns::{Conversation, conversation};
use crate::paths::spelled;
use crate::{Call, Outbound, limits};

/// The output limit where nobody states one, in tokens: the API does not go without.
pub const DEFAULT_MAX_TOKENS: u32 = 4096;

/// The member of [`ChatRequest::extra`] that is sent as the header of that name: a JSON string, the caller's own
/// comma-separated list of beta features.
pub const BETA_HEADER: &str = "anthropic-beta";

/// What a body is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// An answer.
    Answer,
    /// A count of the prompt's tokens, which takes only what makes up the prompt.
    Count,
}

impl Purpose {
    const fn path(self) -> &'static str {
        match self {
            Self::Answer => "/v1/messages",
            Self::Count => "/v1/messages/count_tokens",
        }
    }
}

/// Members of a caller's own that count toward the prompt.
const COUNTED: [&str; 6] =
    ["cache_control", "context_management", "mcp_servers", "output_format", "thinking", "tool_choice"];

/// Writes a request.
pub(super) fn write(
    quirks: &AnthropicMessages,
    request: &ChatRequest,
    call: &Call<'_>,
    purpose: Purpose,
) -> Result<Outbound, Failure> {
    let is_own = request.origin == Some(Dialect::Anthropic);
    let mut parts = PartWriter::new(call.accepts, request.origin);
    let conversation = conversation(request, call, quirks.unsigned_thinking, &mut parts)?;
    check_tools(request, call, is_own)?;
    let mut needs_older = parts.needs_older_version;
    let mut body = BodyWriter::new(is_own.then_some(&request.extra), parts);

    body.member("model", &*call.target.model);
    let style = (quirks.thinking)(&call.target.model);
    match purpose {
        Purpose::Answer => needs_older |= write_answer(&mut body, request, call, quirks),
        Purpose::Count => {
            let room = call.max_tokens.unwrap_or(u32::MAX);
            let plan = plan(request, call, style, room, is_own, body.notes());
            write_thinking(&mut body, request, call, &plan, room);
        }
    }
    write_tools(&mut body, request);
    write_conversation(&mut body, &conversation);
    let mut headers = vec![("anthropic-version", quirks.version_for(needs_older).to_owned())];
    if let Some(betas) = body.own(BETA_HEADER).and_then(|betas| betas.read::<String>().ok()) {
        headers.push((BETA_HEADER, betas));
    }
    if !is_own && !request.extra.is_empty() {
        let names: Vec<&str> = request.extra.names().collect();
        let whose = request.origin.map_or("another dialect", Dialect::name);
        body.notes().add(format!("left out, known to {whose} only: {}", names.join(", ")));
    }
    let (body, notes) = body.finish(purpose);
    Ok(Outbound { path: purpose.path().to_owned(), headers, body, notes })
}

/// The members that only an answer needs. Gives back whether only the older version takes them.
fn write_answer(
    body: &mut BodyWriter<'_, '_>,
    request: &ChatRequest,
    call: &Call<'_>,
    quirks: &AnthropicMessages,
) -> bool {
    let max_tokens = call.max_tokens.unwrap_or_else(|| {
        body.notes().add(format!("max_tokens is sent as {DEFAULT_MAX_TOKENS}: none is stated"));
        DEFAULT_MAX_TOKENS
    });
    body.member("max_tokens", &max_tokens);
    if call.stream {
        body.member("stream", &true);
    }
    let is_own = body.parts.is_own();
    let model = &*call.target.model;
    let mut plan = plan(request, call, (quirks.thinking)(model), max_tokens, is_own, body.notes());
    let takes_one = !is_own && (quirks.one_sampling)(model);
    if takes_one && plan.temperature.is_some() && plan.top_p.take().is_some() {
        body.notes().add("top_p is left out: the model does not take it beside a temperature");
    }
    write_sampling(body, request, call, &plan);
    write_thinking(body, request, call, &plan, max_tokens);
    write_user(body, request);
    plan.temperature.is_some() || plan.top_p.is_some() || body.has("top_k")
}

/// Refuses tools that cannot be offered.
fn check_tools(request: &ChatRequest, call: &Call<'_>, is_own: bool) -> Result<(), Failure> {
    let refuse = |message: String| Err(Failure::new(Kind::UnsupportedParameter, message).param("tools"));
    limits::check(request, call.accepts)?;
    match request.tools.iter().find(|tool| tool.native.is_some() && !is_own) {
        Some(tool) => refuse(format!("the tool {:?} is known to another dialect only", tool.name)),
        None => Ok(()),
    }
}

fn write_sampling(body: &mut BodyWriter<'_, '_>, request: &ChatRequest, call: &Call<'_>, plan: &Plan) {
    if let Some(temperature) = plan.temperature {
        body.member("temperature", &temperature);
    }
    if let Some(top_p) = plan.top_p {
        body.member("top_p", &top_p);
    }
    if !call.accepts.sampling && body.has("top_k") {
        body.notes().add("top_k is left out: the model takes none");
        body.skip("top_k");
    }
    if request.seed.is_some() {
        body.notes().add("seed is left out: this dialect has none");
    }
    let stop: Vec<&str> =
        request.stop.iter().map(String::as_str).filter(|text| !text.trim().is_empty()).collect();
    if stop.len() < request.stop.len() {
        body.notes().add("blank stop texts are left out: this dialect refuses them");
    }
    if !stop.is_empty() {
        body.member("stop_sequences", &stop);
    }
}

/// `thinking` and `output_config`. What a caller of this dialect wrote itself stands before what we would say.
fn write_thinking(
    body: &mut BodyWriter<'_, '_>,
    request: &ChatRequest,
    call: &Call<'_>,
    plan: &Plan,
    max_tokens: u32,
) {
    if body.own("thinking").is_some_and(|stated| !is_taken(stated, call)) {
        body.notes().add("thinking is not sent as stated: the model takes it in another form");
        body.skip("thinking");
        if let Some(thinking) = plan.thinking {
            body.member("thinking", &thinking);
        }
    } else if let Some(stated) = body.own("thinking") {
        match fit(stated, max_tokens) {
            Fit::AsItIs => {}
            Fit::Lowered(thinking) => {
                body.notes().add("thinking.budget_tokens is lowered to fit max_tokens");
                body.member("thinking", &thinking);
            }
            Fit::NoRoom => {
                body.notes().add("thinking is left out: max_tokens leaves no room for its budget");
                body.skip("thinking");
            }
        }
    } else if let Some(thinking) = plan.thinking {
        body.member("thinking", &thinking);
    }
    let config = body.own("output_config");
    let stated = config.and_then(raw).and_then(Object::of);
    let says_format = body.own("output_format").is_some()
        || stated.as_ref().is_some_and(|config| config.get("format").is_some());
    let schema = if says_format { None } else { schema(request, call, body.notes()) };
    if schema.is_some() || plan.effort.is_some() {
        body.member("output_config", &OutputConfig { stated, effort: plan.effort, schema });
    }
}

/// How the caller's own thinking budget goes with a limit that may have been lowered.
enum Fit {
    AsItIs,
    Lowered(RawJson),
    NoRoom,
}

fn fit(thinking: &RawJson, max_tokens: u32) -> Fit {
    let Some(stated) = raw(thinking).and_then(Object::of) else { return Fit::AsItIs };
    // A budget must stay below the limit; one that never was valid is for the provider to refuse.
    match stated.count("budget_tokens") {
        Some(budget) if budget >= u64::from(max_tokens) && budget >= u64::from(LEAST_BUDGET) => {
            let lower = max_tokens.saturating_sub(1);
            if lower < LEAST_BUDGET {
                return Fit::NoRoom;
            }
            let mut members = stated.rest(&["budget_tokens"]);
            members.insert("budget_tokens", kept(&lower));
            Fit::Lowered(kept(&members))
        }
        Some(_) | None => Fit::AsItIs,
    }
}

fn write_user(body: &mut BodyWriter<'_, '_>, request: &ChatRequest) {
    if let Some(user_id) = &request.meta.user_id {
        let rest = body.own("metadata").and_then(raw).and_then(Object::of);
        body.member("metadata", &UserMetadata { user_id, rest });
    }
}

fn write_tools(body: &mut BodyWriter<'_, '_>, request: &ChatRequest) {
    if request.tools.is_empty() {
        if matches!(request.tool_choice, Some(ToolChoice::Required | ToolChoice::Named(_))) {
            body.notes().add("tool_choice is left out: no tools are offered");
        }
        body.skip("tool_choice");
        return;
    }
    let tools: Vec<OutTool<'_>> = request
        .tools
        .iter()
        .map(|tool| OutTool { tool, extra: body.parts.extra(&tool.extra, "a tool") })
        .collect();
    body.member("tools", &tools);
    if body.own("tool_choice").is_some() {
        return;
    }
    let alone = request.parallel_tool_calls.map(|parallel| !parallel);
    match (&request.tool_choice, alone) {
        (None, None | Some(false)) => {}
        (choice, alone) => body.member("tool_choice", &OutChoice { choice: choice.as_ref(), alone }),
    }
}

fn write_conversation(body: &mut BodyWriter<'_, '_>, conversation: &Conversation<'_>) {
    if !conversation.system.is_empty() {
        body.member("system", &System(&conversation.system));
    }
    body.member("messages", &conversation.turns);
}

/// Names that are never taken from a caller's extras: what they say has a canonical field.
const RESERVED: [&str; 8] =
    [BETA_HEADER, "model", "messages", "system", "stream", "max_tokens", "temperature", "top_p"];

/// The body being written.
struct BodyWriter<'e, 'p> {
    out: Vec<u8>,
    /// The caller's members, where they are of this dialect.
    own: Option<&'e Extra>,
    /// Names that are written, or left out on purpose.
    settled: Vec<&'static str>,
    parts: PartWriter<'p>,
}

impl<'e, 'p> BodyWriter<'e, 'p> {
    fn new(own: Option<&'e Extra>, parts: PartWriter<'p>) -> Self {
        Self { out: vec![b'{'], own, settled: RESERVED.to_vec(), parts }
    }

    fn notes(&mut self) -> &mut Notes {
        &mut self.parts.notes
    }

    fn own(&self, name: &str) -> Option<&'e RawJson> {
        self.own.and_then(|own| own.get(name))
    }

    fn has(&self, name: &str) -> bool {
        self.own(name).is_some() && !self.settled.contains(&name)
    }

    fn skip(&mut self, name: &'static str) {
        self.settled.push(name);
    }

    fn member<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) {
        self.skip(name);
        self.raw_member(name, value);
    }

    fn raw_member<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) {
        if self.out.len() > 1 {
            self.out.push(b',');
        }
        put(&mut self.out, name);
        self.out.push(b':');
        put(&mut self.out, value);
    }

    /// Adds the caller's other members and closes the body.
    fn finish(mut self, purpose: Purpose) -> (Vec<u8>, Vec<String>) {
        for (name, value) in self.own.into_iter().flat_map(Extra::iter) {
            if self.has(name) && (purpose == Purpose::Answer || COUNTED.contains(&name)) {
                self.raw_member(spelled(name), value);
            }
        }
        self.out.push(b'}');
        (self.out, self.parts.notes.into_vec())
    }
}
