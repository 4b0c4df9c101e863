//! Installed tools.

use std::path::Path;
use std::process::Command;

use super::command::output_of;
use super::error::InstallError;
use super::go::GoSettings;
use super::installable::Installable;
use super::tool::Tool;
use super::version::Version;

/// An installed tool.
#[derive(Clone, Debug)]
pub struct Toolchain {
    tool: Tool,
    /// The version as the tool prints it: `go1.26.8`.
    version: String,
    /// The settings of Go. They are empty for other tools.
    go: GoSettings,
}

impl Toolchain {
    /// Finds a tool and asks it for its version.
    ///
    /// # Errors
    /// [`InstallError::ToolNotFound`] if the command is not on the path, and [`InstallError::CommandFailed`] if it does
    /// not work.
    pub fn find(tool: Tool) -> Result<Self, InstallError> {
        if tool == Tool::Go {
            let (version, go) = GoSettings::read()?;
            return Ok(Toolchain { tool, version, go });
        }
        // In the root folder, no settings of a project apply.
        let mut command = Command::new(tool.program());
        command.args(tool.version_arguments()).current_dir("/");
        let lines = output_of(&mut command).map_err(|error| InstallError::of_tool(tool, error))?;
        let version = without_styles(lines.first().map_or("", String::as_str));
        Ok(Toolchain { tool, version, go: GoSettings::default() })
    }

    /// Returns the tool.
    #[must_use]
    pub fn tool(&self) -> Tool {
        self.tool
    }

    /// Checks that this version of the tool can build a program, or may fetch a version that can.
    ///
    /// # Errors
    /// [`InstallError::ToolTooOld`].
    pub fn check_version(&self, program: Installable) -> Result<(), InstallError> {
        if self.is_recent_enough(program) || self.go.fetches_toolchains {
            return Ok(());
        }
        let found = if self.version.is_empty() { "of an unknown version" } else { &self.version };
        Err(InstallError::ToolTooOld {
            tool: self.tool,
            found: found.to_owned(),
            target: program.target(),
            expected: program.tool_version().to_string(),
        })
    }

    fn is_recent_enough(&self, program: Installable) -> bool {
        match Version::find_in(&self.version) {
            Some(version) => version >= program.tool_version(),
            // A development version without a number is given the benefit of the doubt.
            None => !self.version.is_empty(),
        }
    }

    /// Describes the version of the tool that will build a program.
    pub(super) fn describe_version(&self, program: Installable) -> String {
        if self.is_recent_enough(program) {
            return self.version.clone();
        }
        format!("go{}, which {} downloads first (GOTOOLCHAIN)", program.tool_version(), self.version)
    }

    /// Returns the settings of Go.
    pub(super) fn go(&self) -> &GoSettings {
        &self.go
    }

    /// Sets the variables of a build. The other settings of the user apply.
    pub(super) fn prepare(&self, command: &mut Command, temporary: &Path) {
        command.env("TMPDIR", temporary);
        match self.tool {
            Tool::Go => self.go.prepare(command, temporary),
            // The program runs on this machine, whatever the user compiles for otherwise.
            Tool::Cargo => {
                command.env_remove("CARGO_BUILD_TARGET");
            }
            Tool::Python => {
                command.env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
            }
            Tool::Maven => {}
        }
    }
}

/// Removes escape sequences of terminals: some builds of Maven print its version with them, also into a pipe.
fn without_styles(text: &str) -> String {
    // The reader of the output has made control characters visible.
    let text = text.replace("\\u{1b}", "\u{1b}");
    let mut parts = text.split('\u{1b}');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // A sequence ends with its first letter: `[1m`.
        let end = part.find(|c: char| c.is_ascii_alphabetic()).map_or(part.len(), |end| end + 1);
        plain.push_str(&part[end..]);
    }
    plain
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn find(target: &str) -> Installable {
        Installable::all().find(|program| program.target() == target).unwrap()
    }

    #[rstest]
    #[case("\u{1b}[1mApache Maven 3.8.7\u{1b}[m", "Apache Maven 3.8.7")]
    #[case("\u{1b}[0mcargo 1.95.0", "cargo 1.95.0")]
    #[case("Python 3.11.7", "Python 3.11.7")]
    #[case("\u{1b}[", "")]
    fn a_version_is_read_without_styles(#[case] printed: &str, #[case] expected: &str) {
        assert_eq!(without_styles(printed), expected);
    }

    #[rstest]
    #[case("go1.26.0", false, true)]
    #[case("go1.27.1", false, true)]
    #[case("go1.25.9", false, false)]
    #[case("go1.25.9", true, true)]
    #[case("go1.9", false, false)]
    #[case("devel go1.27-abcdef", false, true)]
    #[case("devel +abcdef", false, true)]
    #[case("", false, false)]
    fn an_old_version_of_go_is_refused_unless_it_fetches_another(
        #[case] version: &str,
        #[case] fetches_toolchains: bool,
        #[case] is_accepted: bool,
    ) {
        let mut go = GoSettings::default();
        go.fetches_toolchains = fetches_toolchains;
        let toolchain = Toolchain { tool: Tool::Go, version: version.to_owned(), go };
        assert_eq!(toolchain.check_version(find("apiserver:1.28")).is_ok(), is_accepted);
    }

    #[rstest]
    #[case(Tool::Cargo, "k8s-openapi", "cargo 1.95.0 (f2d3ce0bd 2026-03-21)", true)]
    #[case(Tool::Cargo, "k8s-openapi", "cargo 1.80.0 (abc 2024-03-21)", false)]
    #[case(Tool::Python, "oper8", "Python 3.10.0", true)]
    #[case(Tool::Python, "oper8", "Python 3.9.2", false)]
    fn other_tools_must_be_recent(
        #[case] tool: Tool,
        #[case] target: &str,
        #[case] version: &str,
        #[case] is_accepted: bool,
    ) {
        let toolchain = Toolchain { tool, version: version.to_owned(), go: GoSettings::default() };
        assert_eq!(toolchain.check_version(find(target)).is_ok(), is_accepted);
    }
}
