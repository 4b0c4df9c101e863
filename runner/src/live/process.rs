//! The process of an API server that Skewer has built.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;

use crate::targets::{ProcessGroup, spawn_thread};

/// A running API server. It ends when the value is dropped, and also if this program is killed: its standard input is
/// then closed. Its files are in a temporary folder, which it removes.
pub struct ServerProcess {
    ready: Ready,
    group: Arc<ProcessGroup>,
    stdin: Option<ChildStdin>,
}

/// The line that the process prints when the server is ready.
#[derive(Clone, Deserialize)]
struct Ready {
    release: String,
    kubeconfig: PathBuf,
    etcd: String,
}

const START_PATIENCE: Duration = Duration::from_secs(180);
const STOP_PATIENCE: Duration = Duration::from_secs(15);

/// Maximum number of lines of the log that are shown if the server does not start.
const LOG_LINES: usize = 8;

impl ServerProcess {
    /// Starts a binary, and waits until the server is ready. `etcd` is the address of the etcd of another server; without
    /// it, the server has its own.
    ///
    /// # Errors
    /// Fails if the server does not become ready. The message has the end of its log.
    pub fn start(binary: &Path, etcd: Option<&str>) -> Result<Self, String> {
        let mut command = Command::new(binary);
        if let Some(etcd) = etcd {
            command.arg("--etcd").arg(etcd);
        }
        let (group, pipes) = ProcessGroup::start(&mut command)
            .map_err(|error| format!("{} cannot be started: {error}", binary.display()))?;
        let log = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&log);
        let (send, received) = channel();
        spawn_thread(move || keep_last_lines(pipes.stderr, &kept))
            .and_then(|()| {
                spawn_thread(move || {
                    let mut line = String::new();
                    let read = BufReader::new(pipes.stdout).read_line(&mut line);
                    let _ = send.send(read.map(|_| line));
                })
            })
            .map_err(|error| format!("cannot read from {}: {error}", binary.display()))?;
        let line = received.recv_timeout(START_PATIENCE);
        let ready = line.ok().and_then(Result::ok).and_then(|line| serde_json::from_str::<Ready>(&line).ok());
        let Some(ready) = ready else {
            group.kill();
            let log = log.lock().unwrap_or_else(PoisonError::into_inner).join("\n");
            return Err(format!("the API server did not become ready; its log ends with:\n{log}"));
        };
        Ok(ServerProcess { ready, group, stdin: Some(pipes.stdin) })
    }

    /// Returns the release, such as `1.36.3`.
    #[must_use]
    pub fn release(&self) -> &str {
        &self.ready.release
    }

    /// Returns the address of the etcd of the server.
    #[must_use]
    pub fn etcd(&self) -> &str {
        &self.ready.etcd
    }

    /// Returns the path of a kubeconfig file for the server. It is removed with the server.
    #[must_use]
    pub fn kubeconfig(&self) -> &Path {
        &self.ready.kubeconfig
    }

    /// Returns true if the process has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.group.has_ended()
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // The process removes its files before it ends.
        drop(self.stdin.take());
        let _ = self.group.wait_or_kill(STOP_PATIENCE);
    }
}

fn keep_last_lines(from: impl Read, kept: &Mutex<Vec<String>>) {
    for line in BufReader::new(from).lines().map_while(Result::ok) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == LOG_LINES {
            kept.remove(0);
        }
        kept.push(line);
    }
}
