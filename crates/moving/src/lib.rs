//! Moving in: the configuration of another gateway, as far as it means something here.
//!
//! [`from_litellm`] reads the YAML file of the LiteLLM proxy and writes a `mainstay.toml` that does what that
//! file did, with a [`Note`] on each thing that differs or has no counterpart. Nothing is dropped in silence,
//! and no key is copied: a key that stands in the file becomes the name of a variable. Pure: text in, text out.
//!
//! ```
//! let theirs = "
//! model_list:
//!   - model_name: fast
//!     litellm_params: {model: openai/gpt-6-luna, api_key: os.environ/OPENAI_API_KEY}
//! ";
//! let moved = mainstay_moving::from_litellm(theirs, &|_| None)?;
//! assert!(moved.toml_text.contains("model = \"gpt-6-luna\""));
//! assert_eq!(moved.variables, ["OPENAI_API_KEY"]);
//! # Ok::<(), mainstay_moving::MoveError>(())
//! ```

mod deployment;
mod groups;
mod hosts;
mod plan;
mod settings;
mod theirs;
mod write;

use serde_json::Value;

use crate::theirs::Section;

/// The largest file that is read, in bytes.
pub const LARGEST_FILE: usize = 1_000_000;

/// What came out of the move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The `mainstay.toml`.
    pub toml_text: String,
    /// What differs, in the order of the file that was read.
    pub notes: Vec<Note>,
    /// The environment variables that must hold a key, each once.
    pub variables: Vec<String>,
}

/// One thing that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where it stands in their file, such as `router_settings.routing_strategy`.
    pub about: String,
    /// What becomes of it here, and what to do.
    pub what: String,
}

/// Why nothing came out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// It is not YAML.
    #[error("this is not YAML: {0}")]
    NotYaml(String),
    /// It is YAML and no such configuration.
    #[error("this is no LiteLLM configuration: {0}")]
    NotTheirs(String),
    /// No model of it can be asked from here.
    #[error("none of its models can be asked from here yet: {0}")]
    NothingLeft(String),
    /// It is larger than [`LARGEST_FILE`].
    #[error("the file has {0} bytes; at most {LARGEST_FILE} are read")]
    TooLarge(usize),
}

/// Reads the configuration of the LiteLLM proxy (its documented reference of all settings, 2026-10). `env` is
/// asked for addresses that the file leaves to variables, never for keys.
///
/// # Errors
///
/// [`MoveError`] where the text is no such file, or holds no model that Mainstay can ask.
pub fn from_litellm(text: &str, env: &dyn Fn(&str) -> Option<String>) -> Result<Moved, MoveError> {
    if text.len() > LARGEST_FILE {
        return Err(MoveError::TooLarge(text.len()));
    }
    let value: Value =
        serde_saphyr::from_str(text).map_err(|error| MoveError::NotYaml(first_line(&error.to_string())))?;
    let Value::Object(members) = value else {
        return Err(MoveError::NotTheirs("its top is not a map with `model_list`".into()));
    };
    let mut notes = Vec::new();
    let mut root = Section::new(String::new(), members);
    let Some(list) = root.take("model_list") else {
        return Err(MoveError::NotTheirs("`model_list` is missing".into()));
    };
    let Value::Array(list) = list else {
        return Err(MoveError::NotTheirs("`model_list` is not a list".into()));
    };
    let mut plan = plan::Plan::default();
    let mut groups = deployment::read_all(list, env, &mut plan, &mut notes);
    let settings = settings::read(&mut root, &mut plan, &mut notes);
    root.rest(&mut notes, "has no counterpart here and was left out");
    if groups.is_empty() {
        let why: Vec<String> =
            notes.iter().take(3).map(|note| format!("{}: {}", note.about, note.what)).collect();
        return Err(MoveError::NothingLeft(why.join("; ")));
    }
    groups::chain_up(&mut groups, &settings, &mut plan, &mut notes);
    let variables = plan.variables();
    Ok(Moved { toml_text: write::text(&plan, &notes), notes, variables })
}

/// A parser's message may go on to show the text around, which may hold a key.
fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().chars().take(200).collect()
}
