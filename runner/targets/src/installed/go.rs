//! The settings of the `go` command.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::command::output_of;
use super::error::InstallError;
use super::pinned_version::Module;
use super::tool::Tool;

/// The settings of the user that a build with Go depends on.
#[derive(Clone, Debug, Default)]
pub(super) struct GoSettings {
    /// Whether the command may fetch a newer version of itself.
    pub(super) fetches_toolchains: bool,
    /// The value of `GOPROXY`: where modules are downloaded from.
    pub(super) proxy: String,
    /// The value of `GOFLAGS`.
    flags: String,
    module_cache: PathBuf,
    host_os: String,
    host_arch: String,
}

impl GoSettings {
    /// Asks the `go` command for its version and its settings.
    ///
    /// # Errors
    /// See [`Toolchain::find`](super::Toolchain::find).
    pub(super) fn read() -> Result<(String, Self), InstallError> {
        let names =
            ["GOVERSION", "GOTOOLCHAIN", "GOPROXY", "GOFLAGS", "GOMODCACHE", "GOHOSTOS", "GOHOSTARCH"];
        let mut command = Command::new(Tool::Go.command());
        // In the root folder, `go` reads no go.mod, and therefore fetches no other version of itself.
        command.arg("env").args(names).current_dir("/").env("GOWORK", "off");
        let lines = output_of(&mut command).map_err(|error| InstallError::of_tool(Tool::Go, error))?;
        // Versions of Go that do not know a variable print an empty line.
        let mut lines = lines.into_iter();
        let mut next = || lines.next().unwrap_or_default();
        let (version, toolchain) = (next(), next());
        let settings = GoSettings {
            fetches_toolchains: toolchain == "auto" || toolchain.ends_with("+auto"),
            proxy: next(),
            flags: next(),
            module_cache: PathBuf::from(next()),
            host_os: next(),
            host_arch: next(),
        };
        Ok((version, settings))
    }

    /// Returns true if the module cache has a module.
    pub(super) fn has_module(&self, module: Module) -> bool {
        let archive = format!("cache/download/{}/@v/{}.zip", escape(module.path), escape(module.version));
        self.module_cache.join(archive).exists()
    }

    /// Sets the variables of a build. `temporary` is for the files that `go` needs for a while.
    pub(super) fn prepare(&self, command: &mut Command, temporary: &Path) {
        // With `-v`, `go` prints the names of packages as it compiles them.
        command.env("GOTMPDIR", temporary).env("GOFLAGS", format!("{} -v", self.flags).trim_start());
        // The program runs on this machine, whatever the user compiles for otherwise.
        for (name, value) in [("GOOS", &self.host_os), ("GOARCH", &self.host_arch)] {
            if !value.is_empty() {
                command.env(name, value);
            }
        }
    }
}

/// Escapes a path or a version as the module cache does: `M` becomes `!m`.
fn escape(text: &str) -> String {
    let escape =
        |c: char| if c.is_ascii_uppercase() { format!("!{}", c.to_ascii_lowercase()) } else { c.into() };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_found_in_the_module_cache() {
        let cache = tempfile::tempdir().unwrap();
        let folder = cache.path().join("cache/download/github.com/!masterminds/semver/@v");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("v1.0.0.zip"), "").unwrap();
        let go = GoSettings { module_cache: cache.path().to_owned(), ..GoSettings::default() };
        let module = |version| Module { path: "github.com/Masterminds/semver", version };
        assert!(go.has_module(module("v1.0.0")) && !go.has_module(module("v1.0.1")));
    }
}
