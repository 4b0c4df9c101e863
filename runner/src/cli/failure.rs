//! The error with which a command ends early.

use skewer_cases::yaml::FileErrors;
use skewer_reports::control_characters::escape_text;

use super::exit::Exit;
use super::output;

/// The error with which a command ends early.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) exit: Exit,
    /// Escaped, so that the only control characters in it are the colours of frames around source lines.
    message: String,
}

impl Failure {
    /// Makes a failure with a message, which is escaped.
    pub(super) fn new(exit: Exit, message: impl AsRef<str>) -> Self {
        Failure { exit, message: escape_text(message.as_ref()).into_owned() }
    }

    /// Makes the failure of files that have errors: with frames on a terminal, as plain lines elsewhere.
    pub(super) fn of_files<'e>(exit: Exit, files: impl IntoIterator<Item = &'e FileErrors>) -> Self {
        // What is foreign in a frame is escaped where the frame is made.
        Failure { exit, message: files.into_iter().map(output::render_file_errors).collect() }
    }

    /// Returns the message.
    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// Joins failures into one, which ends with the worst of their exit codes; `None` if there are none.
    pub(super) fn join(failures: impl IntoIterator<Item = Failure>) -> Option<Failure> {
        failures.into_iter().reduce(|all, failure| Failure {
            exit: all.exit.max(failure.exit),
            message: format!("{}\n{}", all.message, failure.message),
        })
    }

    /// Makes the failure of writing the output.
    pub(super) fn output(error: &std::io::Error) -> Self {
        Failure::new(Exit::CouldNotRun, format!("cannot write the output: {error}"))
    }
}

/// The result of a command: its exit code, or what a step of it returns.
pub(super) type Result<T = Exit> = std::result::Result<T, Failure>;
