//! The programs of the user that build targets.

use std::env;
use std::ffi::OsString;

/// A program that builds targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// `go`.
    Go,
    /// `cargo`, with the compiler of Rust.
    Cargo,
    /// `python3`, which installs packages with pip.
    Python,
    /// `mvn`, with Java.
    Maven,
}

impl Tool {
    /// Returns the name of the command.
    #[must_use]
    pub fn command(self) -> &'static str {
        match self {
            Tool::Go => "go",
            Tool::Cargo => "cargo",
            Tool::Python => "python3",
            Tool::Maven => "mvn",
        }
    }

    /// Returns what is installed to get the command, and where it is found.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Tool::Go => "install Go, see https://go.dev/doc/install",
            Tool::Cargo => "install Rust, see https://rustup.rs",
            Tool::Python => "install Python, see https://www.python.org/downloads",
            Tool::Maven => "install Maven and Java, see https://maven.apache.org/install.html",
        }
    }

    /// Returns the plural of what the tool downloads.
    #[must_use]
    pub fn downloads(self) -> &'static str {
        match self {
            Tool::Go => "modules",
            Tool::Cargo => "crates",
            Tool::Python => "packages",
            Tool::Maven => "artifacts",
        }
    }

    /// Returns true if the command is on the path.
    #[must_use]
    pub fn is_on_path(self) -> bool {
        let path = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&path).any(|folder| folder.join(self.command()).is_file())
    }

    /// Returns the arguments of the command that print its version.
    pub(super) fn version_arguments(self) -> &'static [&'static str] {
        match self {
            Tool::Go => &["version"],
            Tool::Cargo | Tool::Maven => &["--version"],
            // Debian has these modules in packages of their own.
            Tool::Python => &[
                "-c",
                "import ensurepip, sys, venv; print('Python', '.'.join(map(str, sys.version_info[:3])))",
            ],
        }
    }

    /// Returns the program that is started. The user can choose another one in place of `python3`.
    pub(super) fn program(self) -> OsString {
        let chosen = if self == Tool::Python { env::var_os("PYTHON") } else { None };
        chosen.filter(|name| !name.is_empty()).unwrap_or_else(|| self.command().into())
    }
}
