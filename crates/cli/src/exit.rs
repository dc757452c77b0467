//! How a command ends when it does not end well.

use std::process::ExitCode;

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
