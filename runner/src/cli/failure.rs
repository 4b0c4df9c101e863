//! The error type of the commands.

use skewer_cases::yaml::FileErrors;
use skewer_results::control_characters::escape_text;

use super::exit::Exit;
use super::stream::Stream;

/// An error that ends a command: an exit code and a message.
#[derive(Debug)]
pub struct Failure {
    pub(super) exit: Exit,
    /// The escaped message. Its only control characters are the colours of source excerpts.
    message: String,
}

impl Failure {
    /// Creates a failure, and escapes its message.
    pub fn new(exit: Exit, message: impl AsRef<str>) -> Self {
        Failure { exit, message: escape_text(message.as_ref()).into_owned() }
    }

    /// Creates the failure of a command that could not run.
    pub fn could_not_run(message: impl AsRef<str>) -> Self {
        Failure::new(Exit::CouldNotRun, message)
    }

    /// Creates the failure for files with errors. On a terminal, each error has a source excerpt in a frame.
    pub fn of_files<'e>(exit: Exit, files: impl IntoIterator<Item = &'e FileErrors>) -> Self {
        // The rendering of the frames escapes the text of the files.
        Failure { exit, message: files.into_iter().map(render_file_errors).collect() }
    }

    /// Returns the message.
    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// Joins failures into one with the highest of their exit codes. Returns `None` if there are no failures.
    pub(super) fn join(failures: impl IntoIterator<Item = Failure>) -> Option<Failure> {
        failures.into_iter().reduce(|all, failure| Failure {
            exit: all.exit.max(failure.exit),
            message: format!("{}\n{}", all.message, failure.message),
        })
    }

    /// Creates the failure for an error of writing to standard output.
    pub(super) fn output(error: &std::io::Error) -> Self {
        Failure::could_not_run(format!("cannot write the output: {error}"))
    }
}

impl From<FileErrors> for Failure {
    fn from(errors: FileErrors) -> Self {
        Failure::of_files(Exit::CouldNotRun, [&errors])
    }
}

/// Renders the errors of a file for standard error: with source excerpts in frames on a terminal, else as plain lines.
fn render_file_errors(errors: &FileErrors) -> String {
    if Stream::Error.is_terminal() {
        let style = Stream::Error.style();
        errors.graphical(style.color, style.text_width())
    } else {
        errors.to_string()
    }
}

/// The result of a command, which is an exit code, or of one of its steps.
pub type Result<T = Exit> = std::result::Result<T, Failure>;
