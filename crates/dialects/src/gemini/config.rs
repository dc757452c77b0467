//! `generationConfig`: sampling, limits, the form of the answer, thinking.
//!
//! Source: Gemini API reference, GenerationConfig, 2026-11. What a caller of this dialect wrote there itself travels
//! along, but for what the canonical fields say.

use mainstay_canon::{ChatRequest, Failure, RawJson, ResponseFormat};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::Generation;
use super::effort::{self, ThinkingConfig};
use super::json::Object;
use super::media::unsupported;
use super::notes::Notes;
use crate::{Call, limits};

/// Most stop texts that the API takes.
const STOPS: usize = 5;

/// What is sent.
#[derive(Debug, Default)]
pub(super) struct GenerationConfig<'a> {
    /// The caller's own.
    stated: Object<'a>,
    temperature: Option<f64>,
    top_p: Option<f64>,
    max_output_tokens: Option<u32>,
    stop_sequences: Vec<&'a str>,
    seed: Option<i32>,
    is_json: bool,
    schema: Option<&'a RawJson>,
    thinking: Option<ThinkingConfig>,
}

impl<'a> GenerationConfig<'a> {
    /// What `request` asks for, on top of what is `stated`.
    ///
    /// # Errors
    ///
    /// `UnsupportedParameter` for more stop texts than the API takes.
    pub(super) fn of(
        request: &'a ChatRequest,
        call: &Call<'_>,
        generation: Generation,
        stated: Option<Object<'a>>,
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let mut config = Self { stated: stated.unwrap_or_default(), ..Self::default() };
        if call.accepts.sampling {
            config.temperature = request.temperature.map(|wanted| {
                let (sent, note) = limits::temperature(call.accepts.temperature, wanted);
                if let Some(note) = note {
                    notes.add(note);
                }
                sent
            });
            config.top_p = request.top_p;
        } else if request.temperature.is_some() || request.top_p.is_some() {
            notes.add("temperature and top_p are left out: the model takes none");
        }
        config.max_output_tokens = call.max_tokens;
        config.stop(request, notes)?;
        config.seed = request.seed.and_then(|seed| i32::try_from(seed).ok());
        if config.seed.is_none() && request.seed.is_some() {
            notes.add("seed is left out: this dialect takes 32 bits");
        }
        config.form(request, call, generation, notes);
        config.think(request, call, generation, notes);
        Ok(config)
    }

    fn stop(&mut self, request: &'a ChatRequest, notes: &mut Notes) -> Result<(), Failure> {
        self.stop_sequences.extend(request.stop.iter().map(String::as_str).filter(|text| !text.is_empty()));
        if self.stop_sequences.len() < request.stop.len() {
            notes.add("empty stop texts are left out");
        }
        if self.stop_sequences.len() > STOPS {
            return Err(
                unsupported(format!("this dialect takes no more than {STOPS} stop texts")).param("stop")
            );
        }
        Ok(())
    }

    fn form(&mut self, request: &'a ChatRequest, call: &Call<'_>, generation: Generation, notes: &mut Notes) {
        let schema = match &request.response_format {
            ResponseFormat::Text => return,
            ResponseFormat::Json => None,
            ResponseFormat::JsonSchema { schema, .. } => Some(schema),
        };
        let states_form = ["responseMimeType", "responseSchema", "responseJsonSchema"]
            .iter()
            .any(|name| self.stated.get(name).is_some());
        if states_form {
            return;
        }
        if !request.tools.is_empty() && !generation.json_with_tools {
            notes.add("response_format is left out: the model takes no tools together with it");
            return;
        }
        self.is_json = true;
        self.schema = schema.filter(|_| call.accepts.json_schema);
        if schema.is_some() && self.schema.is_none() {
            notes.add("response_format json_schema is sent as json: the model takes no schema");
        }
    }

    fn think(&mut self, request: &ChatRequest, call: &Call<'_>, generation: Generation, notes: &mut Notes) {
        let Some(effort) = request.reasoning_effort else { return };
        if self.stated.get("thinkingConfig").is_some() {
            return;
        }
        if call.accepts.effort {
            self.thinking = effort::config(effort, generation.thinking, call.max_tokens, notes);
        } else {
            notes.add("reasoning_effort is left out: the model takes none");
        }
    }

    /// Whether nothing is asked for.
    pub(super) fn is_empty(&self) -> bool {
        self.stated.iter().next().is_none()
            && self.temperature.is_none()
            && self.top_p.is_none()
            && self.max_output_tokens.is_none()
            && self.stop_sequences.is_empty()
            && self.seed.is_none()
            && !self.is_json
            && self.thinking.is_none()
    }

    /// Whether a canonical field says what the caller's member of that name says.
    fn says(&self, name: &str) -> bool {
        match name {
            "temperature" => self.temperature.is_some(),
            "topP" => self.top_p.is_some(),
            "maxOutputTokens" => self.max_output_tokens.is_some(),
            "stopSequences" => !self.stop_sequences.is_empty(),
            "seed" => self.seed.is_some(),
            _ => false,
        }
    }
}

impl Serialize for GenerationConfig<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.stated.iter().filter(|(name, _)| !self.says(name)) {
            map.serialize_entry(name, value)?;
        }
        if let Some(temperature) = self.temperature {
            map.serialize_entry("temperature", &temperature)?;
        }
        if let Some(top_p) = self.top_p {
            map.serialize_entry("topP", &top_p)?;
        }
        if let Some(tokens) = self.max_output_tokens {
            map.serialize_entry("maxOutputTokens", &tokens)?;
        }
        if !self.stop_sequences.is_empty() {
            map.serialize_entry("stopSequences", &self.stop_sequences)?;
        }
        if let Some(seed) = self.seed {
            map.serialize_entry("seed", &seed)?;
        }
        if self.is_json {
            map.serialize_entry("responseMimeType", "application/json")?;
        }
        if let Some(schema) = self.schema {
            map.serialize_entry("responseJsonSchema", schema)?;
        }
        if let Some(thinking) = &self.thinking {
            map.serialize_entry("thinkingConfig", thinking)?;
        }
        map.end()
    }
}
