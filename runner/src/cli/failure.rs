//! The error with which a command ends early.

use super::exit::Exit;

/// The error with which a command ends early.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) exit: Exit,
    pub(super) message: String,
}

impl Failure {
    pub(super) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Failure { exit, message: message.into() }
    }

    /// Joins failures into one; `Ok` if there are none.
    pub(super) fn all(failures: Vec<Failure>) -> Result<()> {
        let Some(exit) = failures.iter().map(|failure| failure.exit).max() else { return Ok(()) };
        let messages: Vec<String> = failures.into_iter().map(|failure| failure.message).collect();
        Err(Failure::new(exit, messages.join("\n")))
    }

    /// Makes the failure of writing the output. A closed pipe is no failure.
    pub(super) fn output(error: &std::io::Error) -> Self {
        // Somebody who closes the pipe has read enough (`skewer list | head`).
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Failure::new(Exit::Ok, String::new());
        }
        Failure::new(Exit::CouldNotRun, format!("cannot write the output: {error}"))
    }
}

/// The result of a command: its exit code, or what a step of it returns.
pub(super) type Result<T = Exit> = std::result::Result<T, Failure>;
