//! The reasons why a program is not installed.

use std::env;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use super::command::CommandError;
use super::tool::Tool;

/// The reason why a program is not installed. The folder of the installed programs is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The tool is not on the path.
    #[error("`{name}` is not installed: {} (PATH is {})", tool.advice(), path.to_string_lossy())]
    ToolNotFound {
        /// The tool.
        tool: Tool,
        /// The command that is not there.
        name: String,
        /// The value of `PATH`.
        path: OsString,
    },
    /// The installed tool is too old, and may not fetch a newer one.
    #[error(
        "`{}` is {found}, but {target} needs {expected} or later: {}{}",
        tool.command(),
        tool.advice(),
        if *tool == Tool::Go { ", or set GOTOOLCHAIN=auto if `go` is at least go1.21" } else { "" }
    )]
    ToolTooOld {
        /// The tool.
        tool: Tool,
        /// The installed version.
        found: String,
        /// The target that was to be built.
        target: String,
        /// The oldest version that builds the target.
        expected: String,
    },
    /// The program does not contain the sources of the target.
    #[error(
        "this program was installed from a package of Cargo, which cannot contain the crate that {target} is built from: install \
         it with `cargo install --git {} skewer`, or download the program of a release",
        env!("CARGO_PKG_REPOSITORY")
    )]
    NoSources {
        /// The target that was to be built.
        target: String,
    },
    /// A command failed.
    #[error("{name} {status}{}{output}", if output.is_empty() { "" } else { "; its output ends with:\n" })]
    CommandFailed {
        /// The command, such as `go`, or what it did.
        name: String,
        /// How the command ended: a text that follows the name.
        status: String,
        /// The last lines of its output.
        output: String,
    },
    /// The program was built, but does not work.
    #[error("the new program of {target} does not work, and was removed: {why}")]
    BrokenProgram {
        /// The target.
        target: String,
        /// The reason.
        why: String,
    },
    /// A file cannot be written.
    #[error("cannot write to {}: {error}", folder.display())]
    File {
        /// The folder of the file.
        folder: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// Skewer received a signal.
    #[error("interrupted: {target} was not built")]
    Interrupted {
        /// The target.
        target: String,
    },
}

impl InstallError {
    /// Returns the failure to ask a tool for its version.
    pub(super) fn of_tool(tool: Tool, error: CommandError) -> Self {
        let name = tool.program().to_string_lossy().into_owned();
        match error {
            CommandError::NotStarted(error) if error.kind() == ErrorKind::NotFound => {
                InstallError::ToolNotFound { tool, name, path: env::var_os("PATH").unwrap_or_default() }
            }
            CommandError::NotStarted(error) => {
                let status = format!("cannot be started: {error}");
                InstallError::CommandFailed { name, status, output: String::new() }
            }
            CommandError::Failed { status, mut output } => {
                if output.contains("ensurepip") || output.contains("venv") {
                    output.push_str(
                        "\nthe modules ensurepip and venv belong to Python (on Debian and Ubuntu: apt-get \
                                     install python3-venv)",
                    );
                }
                InstallError::CommandFailed { name, status, output }
            }
        }
    }
}
