//! `skewer run --watch`: runs the cells again whenever a file of the corpus changes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use skewer_cases::Corpus;
use skewer_results::control_characters::escape_line;

use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::stream::Stream;
use crate::cli::{interrupt, output};

/// Time between two looks at the files.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Time for which the files must not change before the next run. Editors write a file in several steps.
const QUIET_TIME: Duration = Duration::from_millis(100);

/// Maximum number of changed files that are named.
const MAX_FILES_NAMED: usize = 3;

/// Calls `run` with the corpus, and again after each change, until a signal interrupts the program. An error in a file is
/// printed, and the next change is awaited.
pub(super) fn watch(
    arguments: &CorpusArguments,
    corpus_path: &Path,
    stream: Stream,
    run: impl Fn(&Corpus) -> Result,
) -> Result {
    if !corpus_path.exists() {
        // A path that is wrong from the start is a typo.
        return arguments.load().map(|_| Exit::Ok);
    }
    let stop = interrupt::watch_signals()?;
    let mut files = WatchedFiles { corpus: corpus_path.to_owned(), outside: Vec::new() };
    loop {
        // A change during the run leads to another run.
        let mut before = files.snapshot();
        let loaded = arguments.load();
        if let Ok(corpus) = &loaded {
            files.set_outside(corpus, &mut before);
        }
        match loaded.and_then(|corpus| run(&corpus)) {
            Err(failure) if failure.exit == Exit::Interrupted => return Err(failure),
            Err(failure) => output::failure(&failure),
            Ok(_) => {}
        }
        stream.print(&format!("\nwaiting for a change in {}; Ctrl-C ends\n", corpus_path.display()))?;
        let Some(after) = files.wait_for_change(&before, &stop) else {
            return Err(Failure::new(Exit::Interrupted, String::new()));
        };
        stream.print(&format!("\n── changed: {}\n\n", changed_files(&before, &after)))?;
    }
}

/// The times and sizes of files, by path.
type Snapshot = BTreeMap<PathBuf, (Option<SystemTime>, u64)>;

/// The files on which the results of a run depend.
struct WatchedFiles {
    /// The folder or file that `--corpus` names.
    corpus: PathBuf,
    /// Files outside of the corpus to which its suites refer. They are known after the first run without an error.
    outside: Vec<PathBuf>,
}

impl WatchedFiles {
    /// Watches the files outside of the corpus, from now on.
    fn set_outside(&mut self, corpus: &Corpus, snapshot: &mut Snapshot) {
        self.outside.clone_from(&corpus.outside_files);
        for path in &self.outside {
            snapshot.entry(path.clone()).or_insert_with(|| file_state(path));
        }
    }

    /// Returns the current state of the files. A file that cannot be read has no entry.
    fn snapshot(&self) -> Snapshot {
        let mut paths = BTreeSet::new();
        if self.corpus.is_dir() {
            collect_case_files(&self.corpus, &mut Vec::new(), &mut paths);
        } else {
            paths.insert(self.corpus.clone());
        }
        paths.extend(self.outside.iter().cloned());
        paths.into_iter().map(|path| (path.clone(), file_state(&path))).collect()
    }

    /// Waits until the files differ from a snapshot and no longer change. Returns `None` if the program is asked to
    /// stop.
    fn wait_for_change(&self, before: &Snapshot, stop: &AtomicBool) -> Option<Snapshot> {
        let mut last = before.clone();
        loop {
            std::thread::sleep(if last == *before { POLL_INTERVAL } else { QUIET_TIME });
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let now = self.snapshot();
            if now != *before && now == last {
                return Some(now);
            }
            last = now;
        }
    }
}

fn file_state(path: &Path) -> (Option<SystemTime>, u64) {
    let metadata = fs::metadata(path).ok();
    let size = metadata.as_ref().map_or(0, fs::Metadata::len);
    (metadata.and_then(|metadata| metadata.modified().ok()), size)
}

/// Collects the case files in a folder and its subfolders. `ancestors` are the enclosing folders, so that a link to one
/// of them is not followed. Folders that cannot be read are left out: the next run reports them.
fn collect_case_files(folder: &Path, ancestors: &mut Vec<PathBuf>, paths: &mut BTreeSet<PathBuf>) {
    let (Ok(real), Ok(entries)) = (folder.canonicalize(), fs::read_dir(folder)) else { return };
    if ancestors.contains(&real) {
        return;
    }
    ancestors.push(real);
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect_case_files(&path, ancestors, paths);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            paths.insert(path);
        }
    }
    ancestors.pop();
}

/// Names the files that differ between two snapshots.
fn changed_files(before: &Snapshot, after: &Snapshot) -> String {
    let all: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    let changed: Vec<String> = all
        .into_iter()
        .filter(|path| before.get(*path) != after.get(*path))
        .map(|path| escape_line(&path.display().to_string()).into_owned())
        .collect();
    let mut named: Vec<String> = changed.iter().take(MAX_FILES_NAMED).cloned().collect();
    if changed.len() > MAX_FILES_NAMED {
        named.push(format!("{} more", changed.len() - MAX_FILES_NAMED));
    }
    named.join(", ")
}
