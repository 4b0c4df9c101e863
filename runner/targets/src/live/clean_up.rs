//! Removing what a run has created in a cluster, also if the run is killed.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use skewer_engine::{Doc, OwnedDoc};

use super::cluster::Cluster;
use super::request::Response;
use crate::{TargetFailure, TargetFailureKind};

/// The label of all that a run creates. Its value is the name of the run.
pub(super) const RUN_LABEL: &str = "skewer.dev/run";

/// The line that a clean-up process reads before the end of its input if there is nothing to do.
const NOTHING_LEFT: &[u8] = b"nothing is left\n";

/// The beginning of the name of every run.
const RUN_PREFIX: &str = "skewer-";

/// The command of a process that calls [`clean_up_at_end_of_input`]. The name of the run is its last argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CleanUpCommand {
    /// The program and its arguments.
    pub words: Vec<OsString>,
}

/// A process that waits for the end of this program, and then cleans up, unless there is nothing to do. It is not in the
/// process group of this program, so that it survives the signals of the terminal.
#[derive(Debug)]
pub(super) struct CleanUpProcess {
    child: Child,
}

impl CleanUpProcess {
    /// Starts the process for a run.
    pub(super) fn start(command: &CleanUpCommand, run: &str) -> io::Result<Self> {
        let [program, arguments @ ..] = &command.words[..] else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the command is empty"));
        };
        let mut command = Command::new(program);
        command.args(arguments).arg(run).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().map(|child| CleanUpProcess { child })
    }

    /// Tells the process that nothing is left, and waits for its end.
    pub(super) fn dismiss(mut self) {
        if let Some(mut stdin) = self.child.stdin.take() {
            // If the process has ended already, there is nothing to tell.
            let _ = stdin.write_all(NOTHING_LEFT);
        }
        let _ = self.child.wait();
    }
}

/// Waits for the end of the input, which is the end of the program that runs `run`. Removes what the run has left then.
/// Returns false if nothing was left.
///
/// # Errors
/// Fails if something cannot be removed, or if `run` is not the name of a run.
pub fn clean_up_at_end_of_input(
    cluster: &Cluster,
    run: &str,
    mut input: impl Read,
) -> Result<bool, TargetFailure> {
    let mut text = Vec::new();
    // An input that cannot be read has no writer any more.
    let _ = input.read_to_end(&mut text);
    if text == NOTHING_LEFT {
        return Ok(false);
    }
    if !is_run(run) {
        let why = format!("{run}: expected the name of a run, such as {RUN_PREFIX}66f1a2b3-4d5");
        return Err(TargetFailure { kind: TargetFailureKind::Crash, why });
    }
    // A user who may not list definitions has created none.
    let definitions = remove_definitions(cluster, run);
    remove_namespace(cluster, run)?;
    definitions?;
    Ok(true)
}

/// Removes the namespace of a run.
pub(super) fn remove_namespace(cluster: &Cluster, run: &str) -> Result<(), TargetFailure> {
    delete(cluster, &format!("/api/v1/namespaces/{run}"))
}

/// Removes the definitions of a run.
pub(super) fn remove_definitions(cluster: &Cluster, run: &str) -> Result<(), TargetFailure> {
    const PATH: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let list = cluster.get(&format!("{PATH}?labelSelector={RUN_LABEL}%3D{run}"))?;
    if !list.is_success() {
        return Err(refused("the definitions of the run cannot be listed", &list));
    }
    let items =
        list.body.as_map().and_then(|list| list.get("items")).and_then(Doc::as_list).unwrap_or_default();
    let name =
        |item: &OwnedDoc| Some(item.as_map()?.get("metadata")?.as_map()?.get("name")?.as_str()?.to_owned());
    items.iter().filter_map(name).try_for_each(|name| delete(cluster, &format!("{PATH}/{name}")))
}

/// Deletes something. It is no failure if it does not exist.
fn delete(cluster: &Cluster, path: &str) -> Result<(), TargetFailure> {
    let response = cluster.delete(path)?;
    if response.is_success() || response.status == 404 {
        return Ok(());
    }
    Err(refused(&format!("{path} cannot be deleted"), &response))
}

fn refused(what: &str, response: &Response) -> TargetFailure {
    TargetFailure { kind: TargetFailureKind::Crash, why: format!("{what}: {}", response.message()) }
}

/// Returns true for names that [`new_run`] returns.
fn is_run(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_hexdigit() || c == '-';
    name.strip_prefix(RUN_PREFIX).is_some_and(|rest| rest.len() > 4 && rest.chars().all(is_part))
}

/// Returns a name for a run. No other run has it.
pub(super) fn new_run() -> String {
    use std::time::{SystemTime, UNIX_EPOCH};
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{RUN_PREFIX}{:x}-{:x}", now.as_secs(), std::process::id())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, Instant};

    use super::*;

    /// A process that writes its last argument and its input into a file when the input ends.
    fn recording(folder: &tempfile::TempDir) -> CleanUpCommand {
        let script =
            format!("{{ echo \"$1\"; cat; }} > '{0}/part'; mv '{0}/part' '{0}/end'", folder.path().display());
        CleanUpCommand { words: ["sh", "-c", &script, "sh"].map(OsString::from).to_vec() }
    }

    fn recorded(folder: &tempfile::TempDir) -> String {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(20) {
            if let Ok(text) = fs::read_to_string(folder.path().join("end")) {
                return text;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        "nothing".to_owned()
    }

    #[test]
    fn only_names_of_runs_are_accepted() {
        assert!(is_run(&new_run()));
        assert!(["", "default", "skewer-", "skewer-a", "skewer-production"].iter().all(|name| !is_run(name)));
    }

    #[test]
    fn the_process_learns_that_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        CleanUpProcess::start(&recording(&folder), "skewer-1-2").unwrap().dismiss();
        assert_eq!(recorded(&folder), "skewer-1-2\nnothing is left\n");
    }

    /// The input of the process also ends if this program is killed.
    #[test]
    fn the_process_learns_nothing_from_a_program_that_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let mut process = CleanUpProcess::start(&recording(&folder), "skewer-1-2").unwrap();
        drop(process.child.stdin.take());
        assert_eq!(recorded(&folder), "skewer-1-2\n");
        process.child.wait().unwrap();
    }
}
