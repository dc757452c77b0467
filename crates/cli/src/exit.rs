//! How a command ends when it does not end well.

use std::process::ExitCode;

use mainstay_store::{ReadError, StoreError};

/// A bad end: what to say and with which code.
#[derive(Debug)]
pub(crate) struct Exit {
    code: u8,
    message: String,
}

impl Exit {
    /// Something failed: exit code 1.
    pub(crate) fn failed(message: impl std::fmt::Display) -> Self {
        Self { code: 1, message: message.to_string() }
    }

    /// What was typed or configured is wrong: exit code 2.
    pub(crate) fn usage(message: impl std::fmt::Display) -> Self {
        Self { code: 2, message: message.to_string() }
    }

    /// The same, where everything has been said already.
    pub(crate) fn usage_told() -> Self {
        Self { code: 2, message: String::new() }
    }

    /// Stdout takes nothing more. A reader that has seen enough is no failure.
    pub(crate) fn unwritable(error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Self { code: 0, message: String::new() },
            _ => Self::failed(format!("the output cannot be written: {error}")),
        }
    }

    /// Says it on stderr.
    pub(crate) fn report(self) -> ExitCode {
        if !self.message.is_empty() {
            anstream::eprintln!("{}", self.message.trim_end());
        }
        ExitCode::from(self.code)
    }
}

impl From<mainstay::BuildError> for Exit {
    fn from(error: mainstay::BuildError) -> Self {
        match error {
            mainstay::BuildError::Config(_)
            | mainstay::BuildError::Pattern(_)
            | mainstay::BuildError::Plan { .. }
            | mainstay::BuildError::Endpoint { .. } => Self::usage(error),
            mainstay::BuildError::Store(_) | mainstay::BuildError::Internal(_) => Self::failed(error),
        }
    }
}

impl From<StoreError> for Exit {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Missing { .. } => Self::failed(format!(
                "{error}: nothing has been asked through this configuration\n\
                 `mainstay serve` or `mainstay chat` begin one; --config names another configuration"
            )),
            StoreError::Address(_) | StoreError::Feature { .. } => Self::usage(error),
            StoreError::InUse { .. }
            | StoreError::Newer { .. }
            | StoreError::Changed { .. }
            | StoreError::Foreign { .. }
            | StoreError::Older { .. }
            | StoreError::Io { .. }
            | StoreError::Sqlite { .. }
            | StoreError::Behind { .. } => Self::failed(error),
        }
    }
}

impl From<ReadError> for Exit {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Open(error) => error.into(),
            ReadError::NotReadOnly(_) => Self::usage(error),
            ReadError::Journal(_) | ReadError::Sqlite(_) | ReadError::TooSlow { .. } => Self::failed(error),
        }
    }
}
