//! Building and installing a program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::build_folder::BuildFolder;
use super::cache::Cache;
use super::command::{CommandError, Line, output_of, run};
use super::error::InstallError;
use super::installable::Installable;
use super::progress::{BuildProgress, InstallProgress};
use super::sources;
use super::target::open_program;
use super::tool::Tool;
use super::toolchain::Toolchain;
use crate::apiserver::{ServerProgram, ServerRelease};
use crate::{ExecOptions, Target};

/// Builds and installs a program, and removes its older versions. `stop` is set when Skewer is interrupted. Returns the
/// size of the program, in bytes.
///
/// The program is built in a temporary folder and renamed when it works, so that there is never a part of it.
///
/// # Errors
/// See [`InstallError`].
pub fn install(
    program: Installable,
    cache: &Cache,
    toolchain: &Toolchain,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(InstallProgress),
) -> Result<u64, InstallError> {
    if !sources::has_sources_of(program) {
        return Err(InstallError::NoSources { target: program.target() });
    }
    let interrupted = || InstallError::Interrupted { target: program.target() };
    let file_error = |error| InstallError::File { folder: cache.folder().to_owned(), error };
    let installed = toolchain.check_version(program).and_then(|()| {
        let folder = BuildFolder::create(cache.folder()).map_err(file_error)?;
        let build = Build { program, toolchain, folder: folder.path(), progress };
        let path = build.run()?;
        if stop.load(Ordering::Relaxed) {
            return Err(interrupted());
        }
        cache.put(program, &path).map_err(file_error)
    });
    if installed.is_err() {
        cache.remove_folder_if_empty();
    }
    match installed {
        // The signal killed the tool, or the new program.
        Err(_) if stop.load(Ordering::Relaxed) => Err(interrupted()),
        installed => installed,
    }
}

/// The build of a program in a temporary folder.
struct Build<'a> {
    program: Installable,
    toolchain: &'a Toolchain,
    folder: &'a Path,
    progress: &'a mut dyn FnMut(InstallProgress),
}

impl Build<'_> {
    /// Returns the path of the program, which was started and works.
    fn run(mut self) -> Result<PathBuf, InstallError> {
        let write =
            sources::write(&self.sources(), self.program).and_then(|()| fs::create_dir(self.temporary()));
        write.map_err(|error| InstallError::File { folder: self.folder.to_owned(), error })?;
        let path = self.folder.join("program");
        self.build(&path)?;
        (self.progress)(InstallProgress::Checking);
        self.check(&path)
            .map_err(|why| InstallError::BrokenProgram { target: self.program.target(), why })?;
        Ok(path)
    }

    fn sources(&self) -> PathBuf {
        self.folder.join("adapters")
    }

    fn temporary(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    /// Runs the build script of the program.
    fn build(&mut self, path: &Path) -> Result<(), InstallError> {
        let mut words = self.program.script().into_iter();
        let script = words.next().unwrap_or_default();
        let folder = self.sources().join(self.program.folder());
        let mut command = Command::new("sh");
        command.arg(folder.join(script)).args(words).arg(path).current_dir(&folder);
        self.toolchain.prepare(&mut command, &self.temporary());
        let mut lines = BuildProgress::new(self.program.tool());
        let progress = &mut *self.progress;
        progress(InstallProgress::Preparing);
        run(&mut command, &mut |line| match line {
            // The script prints the path of the program.
            Line::Output(_) => None,
            Line::Error(line) => match lines.read(&line) {
                Some(step) => {
                    progress(step);
                    None
                }
                None => Some(line),
            },
        })
        .map_err(|error| self.explain(error))
    }

    fn explain(&self, error: CommandError) -> InstallError {
        let name = format!("the build of {} with `{}`", self.program.target(), self.program.tool().command());
        match error {
            CommandError::NotStarted(error) => {
                let status = format!("cannot be started: {error}");
                InstallError::CommandFailed { name, status, output: String::new() }
            }
            CommandError::Failed { status, output } => {
                InstallError::CommandFailed { name, status, output: self.explain_downloads(output) }
            }
        }
    }

    /// Adds to the output of a failed build from where Go downloads modules, if it is about a download.
    fn explain_downloads(&self, output: String) -> String {
        const SIGNS: [&str; 5] = ["dial tcp", "proxyconnect", "no such host", "i/o timeout", "Get \""];
        let is_about_download = SIGNS.iter().any(|sign| output.contains(sign));
        if self.program.tool() != Tool::Go || !is_about_download {
            return output;
        }
        let proxy = &self.toolchain.go().proxy;
        format!("{output}\nmodules are downloaded with GOPROXY={proxy}, and through HTTPS_PROXY if it is set")
    }

    /// Starts the program, and checks that it tests the expected version.
    fn check(&self, path: &Path) -> Result<(), String> {
        let version = match self.program {
            Installable::Server(release) if release.program() == ServerProgram::FullServer => {
                printed_release(path, release)?
            }
            _ => {
                let options = ExecOptions::new(Duration::from_secs(30), 1);
                let target = open_program(self.program, path, &options).map_err(|error| error.to_string())?;
                target.info().version
            }
        };
        // An adapter can add the release of the types, as in `0.29.0 (v1_37)`.
        let first_word = version.as_deref().and_then(|version| version.split_whitespace().next());
        let expected = self.program.version();
        // Versions of Go modules begin with `v`, which some adapters leave out.
        let number = |version: &str| version.trim_start_matches('v').to_owned();
        if expected.is_empty() || first_word.map(number) == Some(number(&expected)) {
            return Ok(());
        }
        let version = version.as_deref().unwrap_or("unknown");
        Err(format!("it says that its version is {version}: expected {expected}"))
    }
}

/// Returns the release that a full server prints.
fn printed_release(path: &Path, release: ServerRelease) -> Result<Option<String>, String> {
    let lines = output_of(Command::new(path).arg("--release")).map_err(|error| match error {
        CommandError::NotStarted(error) => format!("{} cannot be started: {error}", release.target()),
        CommandError::Failed { status, output } => format!("{} {status}: {output}", release.target()),
    })?;
    Ok(lines.into_iter().last())
}
