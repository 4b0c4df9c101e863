//! Test helpers: running the program, temporary folders, processes, results, patch contexts and targets.

pub(crate) mod adapters;
pub(crate) mod blocks;
pub(crate) mod outcomes;
pub(crate) mod processes;

use std::convert::Infallible;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use rustix::process::{Pid, Signal};
use skewer_cases::{Cell, Corpus};
#[cfg(feature = "network")]
use skewer_engine::patch::PatchContext;
#[cfg(feature = "network")]
use skewer_engine::profile::Profile;
#[cfg(feature = "network")]
use skewer_engine::schema::{Schema, go};
use skewer_execute::execute::{self, ExecutionOptions, StepRecording};
use skewer_results::{Results, RunInfo, RunTarget};
#[cfg(feature = "network")]
use skewer_targets::KubectlTarget;
use skewer_targets::{BuiltInTarget, ExecOptions, ExecTarget, Target};
use tempfile::TempDir;

/// Returns a command that runs the program, without environment variables that affect its output.
pub(crate) fn skewer_command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skewer"));
    for variable in ["CARGO_MANIFEST_DIR", "CARGO_TERM_COLOR", "CLICOLOR_FORCE", "NO_COLOR"] {
        command.env_remove(variable);
    }
    // Not the width of the terminal in which the tests run.
    command.env("COLUMNS", "0");
    command
}

/// Runs the program.
pub(crate) fn skewer(arguments: &[&str]) -> Output {
    skewer_command().args(arguments).output().unwrap()
}

/// Runs the program in a folder with text on standard input. `arguments` are separated by white space.
pub(crate) fn skewer_with_input(folder: &Path, arguments: &str, input: &str) -> Output {
    let mut child = skewer_command()
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that does not read its input closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Sends a signal to a process. Small systems have no program `kill`, so that this is done with the system call.
pub(crate) fn send_signal(process_id: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(process_id).unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

/// Returns the standard output of the program.
pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Returns the standard error of the program.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Returns standard output followed by standard error. Invalid UTF-8 is replaced.
pub(crate) fn all_output(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

/// Returns the exit code, standard output and standard error.
pub(crate) fn split_output(output: &Output) -> (Option<i32>, String, String) {
    (output.status.code(), stdout(output), stderr(output))
}

/// Creates a temporary folder with files.
pub(crate) fn folder_with(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

/// Returns the argument `FORMAT=PATH` of `--report`.
pub(crate) fn report_argument(format: &str, path: &Path) -> String {
    format!("{format}={}", path.display())
}

/// Returns a folder with a few suites of the corpus, for commands that load all suites they are given.
pub(crate) fn small_corpus() -> &'static str {
    const SUITES: [&str; 4] =
        ["releases/deployment", "retain-keys/errata", "unions/kep-types", "upstream/duplicate-merge-keys"];
    static FOLDER: LazyLock<String> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("small-corpus");
        for suite in SUITES {
            let path = folder.join(suite).with_extension("yaml");
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases/corpus");
            fs::copy(corpus.join(suite).with_extension("yaml"), path).unwrap();
        }
        folder.display().to_string()
    });
    &FOLDER
}

/// Loads the built-in corpus.
pub(crate) fn embedded_corpus() -> &'static Corpus {
    static CORPUS: LazyLock<Corpus> =
        LazyLock::new(|| Corpus::embedded().unwrap_or_else(|error| panic!("{error}")));
    &CORPUS
}

/// Returns a part of the embedded corpus: the suites that `is_wanted` selects by name.
pub(crate) fn embedded_suites(is_wanted: impl Fn(&str) -> bool) -> Corpus {
    Corpus::embedded_suites(is_wanted).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the results of the embedded corpus on the built-in engine, without the documents of the steps. The target has no
/// version, so that a release does not change reports.
pub(crate) fn embedded_results() -> &'static Results {
    static RESULTS: LazyLock<Results> = LazyLock::new(|| {
        let results = run_corpus(embedded_corpus(), &BuiltInTarget, StepRecording::Never);
        let target = RunTarget { name: "builtin".to_owned(), ..RunTarget::default() };
        Results { run: RunInfo { target, ..results.run.clone() }, ..results }
    });
    &RESULTS
}

/// Returns the path of a results file with the results of the embedded corpus.
pub(crate) fn embedded_results_file() -> &'static Path {
    static PATH: LazyLock<PathBuf> = LazyLock::new(|| {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("embedded-results.json");
        let mut file = fs::File::create(&path).unwrap();
        skewer_results::json::write(embedded_results(), &mut file).unwrap();
        path
    });
    &PATH
}

/// Runs a corpus on a target, and returns the results in the order of ids.
pub(crate) fn run_corpus(corpus: &Corpus, target: &dyn Target, steps: StepRecording) -> Results {
    let mut cells: Vec<Cell<'_>> = corpus.cells().collect();
    cells.sort_by_cached_key(Cell::id);
    let mut results = Vec::new();
    let ended: Result<(), Infallible> = execute::run(
        cells.into_iter(),
        target,
        &ExecutionOptions { steps, ..ExecutionOptions::default() },
        |cell| {
            results.push(cell);
            Ok(())
        },
    );
    assert!(ended.is_ok());
    Results::new(RunInfo::default(), results)
}

/// Compiles Go types, and returns a patch context with all released directives.
#[cfg(feature = "network")]
pub(crate) fn context_of(go_types: &str, root: &str) -> PatchContext {
    let schema = Schema::compile(&go::read(go_types).unwrap()).unwrap();
    let context = PatchContext::of(schema.into(), root).unwrap();
    PatchContext { directives: Profile::Today.directives(), ..context }
}

/// Reports on standard error that the current test is skipped. `eprintln!` is not used, because the test harness would
/// capture its output.
pub(crate) fn report_skipped(reason: &str) {
    let thread = std::thread::current();
    let _ = writeln!(std::io::stderr(), "skipped {}: {reason}", thread.name().unwrap_or_default());
}

/// Returns true if SIGHUP ends a program that a test starts. Otherwise, as under `nohup`, reports the test as skipped.
pub(crate) fn has_hangup_signal() -> bool {
    const SIGHUP_BIT: u64 = 1;
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let is_ignored = ignored
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & SIGHUP_BIT != 0);
    if is_ignored {
        report_skipped("SIGHUP is ignored here");
    }
    !is_ignored
}

/// Opens kubectl as a target. Reports the test as skipped if kubectl is not installed.
#[cfg(feature = "network")]
pub(crate) fn kubectl() -> Option<KubectlTarget> {
    let kubectl = KubectlTarget::open(Duration::from_secs(60));
    kubectl.map_err(|error| report_skipped(&error.to_string())).ok()
}

/// Returns the command of the Go adapter. Reports the test as skipped if `SKEWER_GO_ADAPTER` is not set.
pub(crate) fn go_adapter() -> Option<String> {
    let command = std::env::var("SKEWER_GO_ADAPTER").ok();
    if command.is_none() {
        report_skipped(
            "SKEWER_GO_ADAPTER is not set to the path of the Go adapter (runner/adapters/apimachinery/build.sh builds it)",
        );
    }
    command
}

/// Starts the Go adapter, if it is available.
pub(crate) fn go_adapter_target() -> Option<ExecTarget> {
    let options = ExecOptions::new(Duration::from_secs(30), 2);
    go_adapter().map(|command| ExecTarget::open(&command, &options).unwrap())
}

/// Asserts that a checked-in report is current.
/// With `SKEWER_UPDATE=1`, the test rewrites it.
pub(crate) fn assert_report_is_current(name: &str, report: &[u8]) {
    let path = format!("{}/../reports/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("SKEWER_UPDATE").is_some() {
        fs::write(&path, report).expect("the report can be written");
    }
    let checked_in = fs::read(&path).unwrap_or_default();
    assert!(checked_in == report, "{path} is stale: run SKEWER_UPDATE=1 cargo test -p skewer --test it");
}
