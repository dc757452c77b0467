//! The members of a body that a caller may know of this dialect: `options`, and those beside it.

use mainstay_canon::{ChatRequest, Dialect, Extra, RawJson};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::notes::Notes;
use crate::Call;

/// Members that no other dialect has: they mean Ollama whatever dialect the request came in. `num_ctx` belongs
/// into `options` and is put there.
const UNMISTAKABLE: [&str; 4] = ["options", "num_ctx", "keep_alive", "think"];

/// Members of the body that are written from canonical fields or are the writer's own business.
const OURS: [&str; 6] = ["model", "messages", "stream", "tools", "options", "num_ctx"];

/// Options that go where `temperature` goes.
const SAMPLING: [&str; 12] = [
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "typical_p",
    "repeat_penalty",
    "repeat_last_n",
    "presence_penalty",
    "frequency_penalty",
    "mirostat",
    "mirostat_eta",
    "mirostat_tau",
];

/// What the request's own members say to Ollama.
#[derive(Debug, Default)]
pub(super) struct Own<'a> {
    /// Members beside the options.
    pub(super) beside: Vec<(&'a str, &'a RawJson)>,
    /// Options, in the order of their names.
    options: Extra,
}

impl<'a> Own<'a> {
    /// Picks what is Ollama's out of a request's extras, and notes the rest.
    pub(super) fn of(request: &'a ChatRequest, notes: &mut Notes) -> Self {
        let is_own = match request.origin {
            // A caller in code who names no dialect means whoever is asked.
            None | Some(Dialect::Ollama) => true,
            Some(
                Dialect::OpenaiChat
                | Dialect::OpenaiResponses
                | Dialect::Anthropic
                | Dialect::Gemini
                | Dialect::Bedrock,
            ) => false,
        };
        let mut own = Self::default();
        for (name, raw) in request.extra.iter() {
            if !is_own && !UNMISTAKABLE.contains(&name) {
                notes.leave_member(name);
            } else if !OURS.contains(&name) {
                own.beside.push((name, raw));
            } else if !matches!(name, "options" | "num_ctx") {
                notes.dropped(name);
            }
        }
        let options = request.extra.get("options").map(RawJson::read::<Extra>);
        match options {
            Some(Ok(options)) => own.options = options,
            Some(Err(_)) => notes.dropped("options"),
            None => {}
        }
        if let Some(raw) = request.extra.get("num_ctx") {
            own.options.insert("num_ctx", raw.clone());
        }
        if own.options.get("num_ctx").is_some_and(|raw| raw.text() == "null") {
            own.options.remove("num_ctx");
        }
        own
    }

    /// The caller's own member of that name beside the options.
    pub(super) fn has(&self, name: &str) -> bool {
        self.beside.iter().any(|(known, _)| *known == name)
    }

    /// Takes a member beside the options out, for the writer says it in another way.
    pub(super) fn overrule(&mut self, name: &str, notes: &mut Notes) {
        if self.has(name) {
            self.beside.retain(|(known, _)| *known != name);
            notes.dropped(name);
        }
    }
}

/// `options` as they are written.
#[derive(Debug)]
pub(super) struct Options<'a> {
    request: &'a ChatRequest,
    sampling: bool,
    num_predict: Option<u32>,
    /// The window that follows from the prompt; `None` where the caller states one.
    num_ctx: Option<u32>,
    own: Extra,
}

impl<'a> Options<'a> {
    /// Decides what is written; `window` is only asked where the caller states none.
    pub(super) fn plan(
        request: &'a ChatRequest,
        call: &Call<'_>,
        own: &mut Own<'a>,
        notes: &mut Notes,
        window: impl FnOnce() -> u32,
    ) -> Self {
        let sampling = call.accepts.sampling;
        let mut options = std::mem::take(&mut own.options);
        let canonical = [
            ("temperature", request.temperature.is_some()),
            ("top_p", request.top_p.is_some()),
            ("seed", request.seed.is_some()),
            ("stop", !request.stop.is_empty()),
            ("num_predict", call.max_tokens.is_some()),
        ];
        for (name, given) in canonical {
            let refused = !sampling && SAMPLING.contains(&name);
            if given && (options.remove(name).is_some() || refused) {
                notes.dropped(if refused { name.to_owned() } else { format!("options.{name}") }.as_str());
            }
        }
        if !sampling {
            for name in SAMPLING {
                if options.remove(name).is_some() {
                    notes.dropped(&format!("options.{name}"));
                }
            }
        }
        let num_ctx = options.get("num_ctx").is_none().then(window);
        Self { request, sampling, num_predict: call.max_tokens, num_ctx, own: options }
    }

    /// The window that follows from the prompt.
    pub(super) fn window(&self) -> Option<u32> {
        self.num_ctx
    }
}

impl Serialize for Options<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let request = self.request;
        let mut map = serializer.serialize_map(None)?;
        if let Some(tokens) = self.num_ctx {
            map.serialize_entry("num_ctx", &tokens)?;
        }
        if let Some(tokens) = self.num_predict {
            map.serialize_entry("num_predict", &tokens)?;
        }
        if self.sampling {
            for (name, number) in [("temperature", request.temperature), ("top_p", request.top_p)] {
                if let Some(number) = number {
                    map.serialize_entry(name, &number)?;
                }
            }
        }
        if let Some(seed) = request.seed {
            map.serialize_entry("seed", &seed)?;
        }
        if !request.stop.is_empty() {
            map.serialize_entry("stop", &request.stop)?;
        }
        for (name, raw) in self.own.iter() {
            map.serialize_entry(name, raw)?;
        }
        map.end()
    }
}
