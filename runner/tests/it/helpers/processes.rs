//! Processes that programs start, by the files into which they write their process ids.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// A duration that is longer than these tests take, unless they wait for a `sleep`.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// Returns a shell command that starts a long-running child process, and appends its process id to a file.
pub(crate) fn start_child(pids: &Path) -> String {
    format!("{{ sleep 300 & echo $! >> {}; }}", pids.display())
}

/// Returns true if a process runs. A killed process is a zombie (`Z`) until its new parent reaps it.
fn is_running(pid: &str) -> bool {
    if Path::new("/proc/self/stat").exists() {
        // The state follows the name of the program, which is in parentheses. Small systems have no `ps`.
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        return stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with('Z'));
    }
    let state = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap();
    !state.stdout.is_empty() && !state.stdout.starts_with(b"Z")
}

/// Asserts that all processes whose ids are in a file end within a few seconds.
pub(crate) fn assert_all_end(pids: &Path) {
    let pids = std::fs::read_to_string(pids).unwrap();
    assert!(!pids.is_empty());
    let started = Instant::now();
    while pids.lines().any(is_running) {
        assert!(started.elapsed() < Duration::from_secs(5), "some of the processes {pids} are still running");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until a program has created a file.
pub(crate) fn wait_for_file(path: &Path) {
    let started = Instant::now();
    while !path.exists() {
        assert!(started.elapsed() < LONG, "{} was not created", path.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}
