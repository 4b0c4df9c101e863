//! The `go` command: whether it can build a release, and runs of it.

use std::collections::VecDeque;
use std::env;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use super::super::exec::lines::{LineRead, read_line, skip_line};
use super::super::process_group::{ProcessGroup, spawn_thread};
use super::super::visible_text::visible_text;
use super::install::InstallError;
use super::release::{GoVersion, Module, Release, parse_go_version};
use super::sources::BUILD_VARIABLES;

/// The installed `go` command.
#[derive(Clone, Debug)]
pub struct Go {
    /// The version as `go env` prints it: `go1.26.8`.
    version: String,
    /// Whether the command may fetch a newer version of itself.
    fetches_toolchains: bool,
    /// The value of `GOPROXY`.
    proxy: String,
    module_cache: PathBuf,
    host_os: String,
    host_arch: String,
}

/// A line that `go` wrote.
#[derive(Clone, Debug)]
pub(super) enum Line {
    Output(String),
    Error(String),
}

/// Maximum length of a line, in bytes. The rest of a longer line is skipped.
const MAX_LINE_BYTES: usize = 64 << 10;

/// Maximum number of lines of an error message that are kept: the last ones.
const MAX_ERROR_LINES: usize = 20;

impl Go {
    /// Finds the `go` command and asks it for its settings.
    ///
    /// # Errors
    /// [`InstallError::GoNotFound`] if there is no `go` on the path, and [`InstallError::GoFailed`] if it does not
    /// tell its settings.
    pub fn find() -> Result<Self, InstallError> {
        let names = ["GOVERSION", "GOTOOLCHAIN", "GOPROXY", "GOMODCACHE", "GOHOSTOS", "GOHOSTARCH"];
        let mut command = Command::new("go");
        // In the root folder, `go` reads no go.mod, and therefore fetches no other version of itself.
        command.arg("env").args(names).current_dir("/").env("GOWORK", "off");
        let mut lines = Vec::new();
        run(&mut command, "go env", &mut |line| match line {
            Line::Output(line) => {
                lines.push(line);
                None
            }
            Line::Error(line) => Some(line),
        })?;
        // Versions of Go that do not know a variable print an empty line.
        let mut lines = lines.into_iter();
        let mut next = || lines.next().unwrap_or_default();
        let (version, toolchain) = (next(), next());
        Ok(Go {
            version,
            fetches_toolchains: toolchain == "auto" || toolchain.ends_with("+auto"),
            proxy: next(),
            module_cache: PathBuf::from(next()),
            host_os: next(),
            host_arch: next(),
        })
    }

    /// Checks that this version of Go can build a release, or may fetch a version that can.
    ///
    /// # Errors
    /// [`InstallError::GoTooOld`].
    pub fn check_version(&self, release: Release) -> Result<(), InstallError> {
        if self.is_recent_enough(release) || self.fetches_toolchains {
            return Ok(());
        }
        let found = if self.version.is_empty() { "a version before go1.16" } else { &self.version };
        let (major, minor, _) = release.go_version();
        Err(InstallError::GoTooOld {
            found: found.to_owned(),
            release,
            expected: format!("Go {major}.{minor}"),
        })
    }

    fn is_recent_enough(&self, release: Release) -> bool {
        // A development version is `devel go1.27-abcdef`. One without a number is given the benefit of the doubt.
        match self.version.split_once("go").map(|(_, number)| parse_go_version(number)) {
            Some(Some(version)) => version >= release.go_version(),
            Some(None) => true,
            None => false,
        }
    }

    /// Describes the version of Go that will build a release.
    pub(super) fn describe_version(&self, release: Release) -> String {
        if self.is_recent_enough(release) {
            return self.version.clone();
        }
        let (major, minor, patch): GoVersion = release.go_version();
        format!("go{major}.{minor}.{patch}, which {} downloads first (GOTOOLCHAIN)", self.version)
    }

    /// Returns where modules are downloaded from, in the words of `GOPROXY`.
    pub(super) fn proxy(&self) -> &str {
        &self.proxy
    }

    /// Returns true if the module cache has a module.
    pub(super) fn has_module(&self, module: Module) -> bool {
        let archive = format!("cache/download/{}/@v/{}.zip", escape(module.path), escape(module.version));
        self.module_cache.join(archive).exists()
    }

    /// Returns a command that runs `go` on the sources below a build folder, with the settings of the user and those
    /// of the build. Files that `go` needs for a while are in that folder too.
    pub(super) fn command(&self, folder: &Path, temporary: &Path) -> Command {
        let mut command = Command::new("go");
        command.current_dir(folder).envs(BUILD_VARIABLES).env("GOTMPDIR", temporary);
        // The binary runs on this machine, whatever the user compiles for otherwise.
        for (name, value) in [("GOOS", &self.host_os), ("GOARCH", &self.host_arch)] {
            if !value.is_empty() {
                command.env(name, value);
            }
        }
        command
    }
}

/// Escapes a path or a version as the module cache does: `M` becomes `!m`.
fn escape(text: &str) -> String {
    let escape =
        |c: char| if c.is_ascii_uppercase() { format!("!{}", c.to_ascii_lowercase()) } else { c.into() };
    text.chars().map(escape).collect()
}

/// Runs a command, and passes each line that it writes to `on_line`. The lines that `on_line` returns are part of the
/// message if the command fails; only the last ones are kept.
///
/// # Errors
/// [`InstallError::GoNotFound`] if there is no such program, and [`InstallError::GoFailed`] if it cannot be started or
/// fails. A program that was killed because Skewer was interrupted has failed, too.
pub(super) fn run(
    command: &mut Command,
    name: &'static str,
    on_line: &mut dyn FnMut(Line) -> Option<String>,
) -> Result<(), InstallError> {
    const PATIENCE: Duration = Duration::from_secs(10);
    let cannot_start = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => InstallError::GoNotFound { path: env::var_os("PATH").unwrap_or_default() },
        _ => InstallError::GoFailed {
            name,
            status: format!("cannot be started: {error}"),
            output: String::new(),
        },
    };
    let (group, pipes) = ProcessGroup::start(command).map_err(cannot_start)?;
    drop(pipes.stdin);
    let (lines, received) = channel();
    let error_lines = lines.clone();
    spawn_thread(move || send_lines(pipes.stdout, &lines, Line::Output))
        .and_then(|()| spawn_thread(move || send_lines(pipes.stderr, &error_lines, Line::Error)))
        .map_err(|error| {
            group.kill();
            cannot_start(error)
        })?;
    let mut kept = VecDeque::new();
    let mut dropped = 0;
    // Ends when the program and its child programs have ended.
    for line in received {
        kept.extend(on_line(line));
        if kept.len() > MAX_ERROR_LINES {
            kept.pop_front();
            dropped += 1;
        }
    }
    let status = group.wait_or_kill(PATIENCE);
    if status.is_some_and(|status| status.success()) {
        return Ok(());
    }
    if dropped > 0 {
        kept.push_front(format!("[{dropped} more lines]"));
    }
    let output = Vec::from(kept).join("\n");
    Err(InstallError::GoFailed { name, status: describe_status(status), output })
}

fn describe_status(status: Option<ExitStatus>) -> String {
    match status.map(|status| (status, status.code())) {
        Some((_, Some(code))) => format!("failed with exit code {code}"),
        Some((status, None)) => format!("was ended by {status}"),
        None => "did not end".to_owned(),
    }
}

fn send_lines(from: impl Read, to: &Sender<Line>, kind: fn(String) -> Line) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    loop {
        let read = match read_line(&mut from, &mut line, MAX_LINE_BYTES) {
            Ok(LineRead::End) | Err(_) => return,
            Ok(read) => read,
        };
        let text = visible_text(&String::from_utf8_lossy(&line), MAX_LINE_BYTES);
        let is_open = to.send(kind(text)).is_ok();
        if !is_open || (read == LineRead::TooLong && skip_line(&mut from).is_err()) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn go(version: &str, toolchain: &str) -> Go {
        Go {
            version: version.to_owned(),
            fetches_toolchains: toolchain == "auto",
            proxy: String::new(),
            module_cache: PathBuf::new(),
            host_os: String::new(),
            host_arch: String::new(),
        }
    }

    #[rstest]
    #[case("go1.26.0", "local", true)]
    #[case("go1.27.1", "local", true)]
    #[case("go1.25.9", "local", false)]
    #[case("go1.25.9", "auto", true)]
    #[case("go1.9", "local", false)]
    #[case("devel go1.27-abcdef", "local", true)]
    #[case("", "", false)]
    fn an_old_version_of_go_is_refused_unless_it_fetches_another(
        #[case] version: &str,
        #[case] toolchain: &str,
        #[case] is_accepted: bool,
    ) {
        let release = "1.28".parse().unwrap();
        assert_eq!(go(version, toolchain).check_version(release).is_ok(), is_accepted);
    }

    #[test]
    fn modules_are_found_in_the_module_cache() {
        let cache = tempfile::tempdir().unwrap();
        let folder = cache.path().join("cache/download/github.com/!masterminds/semver/@v");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("v1.0.0.zip"), "").unwrap();
        let go = Go { module_cache: cache.path().to_owned(), ..go("go1.26.0", "local") };
        let module = |version| Module { path: "github.com/Masterminds/semver", version };
        assert!(go.has_module(module("v1.0.0")) && !go.has_module(module("v1.0.1")));
    }

    fn run_script(script: &str) -> (Result<(), InstallError>, Vec<String>) {
        let mut seen = Vec::new();
        let result = run(Command::new("sh").args(["-c", script]), "sh", &mut |line| match line {
            Line::Output(line) => {
                seen.push(line);
                None
            }
            Line::Error(line) => Some(line),
        });
        (result, seen)
    }

    #[test]
    fn lines_are_passed_on_and_the_last_errors_are_kept() {
        let (result, seen) =
            run_script("echo a; echo b; i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo e$i >&2; done; exit 3");
        assert_eq!(seen, ["a", "b"]);
        let Err(InstallError::GoFailed { status, output, .. }) = result else { panic!("{result:?}") };
        assert_eq!(status, "failed with exit code 3");
        assert!(output.starts_with("[10 more lines]\ne11\n") && output.ends_with("\ne30"), "{output}");
    }

    #[test]
    fn a_long_line_is_cut() {
        let (result, seen) = run_script("head -c 200000 /dev/zero | tr '\\0' x; echo; echo next");
        assert!(result.is_ok());
        assert_eq!(seen.len(), 2);
        assert!(seen[0].len() <= MAX_LINE_BYTES && seen[1] == "next");
    }

    #[test]
    fn a_program_that_is_missing_or_killed_is_an_error() {
        let missing = run(&mut Command::new("/nowhere/go"), "go", &mut |_| None);
        assert!(matches!(missing, Err(InstallError::GoNotFound { .. })), "{missing:?}");
        let (killed, _) = run_script("kill -9 $$");
        let Err(InstallError::GoFailed { status, .. }) = killed else { panic!("{killed:?}") };
        assert_eq!(status, "was ended by signal: 9 (SIGKILL)");
    }
}
