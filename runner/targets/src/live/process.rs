//! The process of an API server that Skewer has built.

use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::process_group::describe_start_error;

/// A running API server. It ends when the value is dropped, and also if this program is killed: its standard input is
/// then closed. Its files are in a temporary folder, which it removes.
#[derive(Debug)]
pub struct ServerProcess {
    ready: Ready,
    child: Child,
}

/// The line that the process prints when the server is ready.
#[derive(Clone, Debug, Deserialize)]
struct Ready {
    release: String,
    kubeconfig: PathBuf,
    etcd: String,
}

const START_PATIENCE: Duration = Duration::from_secs(180);
const STOP_PATIENCE: Duration = Duration::from_secs(15);

/// Maximum time for the rest of the log of a server that has ended.
const LOG_PATIENCE: Duration = Duration::from_secs(5);

/// Maximum number of lines of the log that are shown if the server does not start.
const LOG_LINES: usize = 8;

impl ServerProcess {
    /// The form of the names of the targets whose servers Skewer starts.
    pub const NAME_FORM: &'static str = "kube:R";

    /// Starts a binary, and waits until the server is ready. `etcd` is the address of the etcd of another server; without
    /// it, the server has its own.
    ///
    /// # Errors
    /// Fails if the server does not become ready. The message has the end of its log.
    pub fn start(binary: &Path, etcd: Option<&str>) -> Result<Self, String> {
        let mut command = Command::new(binary);
        let name = binary.display().to_string();
        if let Some(etcd) = etcd {
            command.arg("--etcd").arg(etcd);
        }
        // A signal of the terminal ends this program, which then ends the server.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            command.spawn().map_err(|error| format!("{name} {}", describe_start_error(&name, &error)))?;
        let log = Arc::new(Mutex::new(Vec::new()));
        let line = match read_ready_line(&mut child, &log) {
            Ok(line) => line,
            Err(error) => {
                end(&mut child);
                return Err(format!("cannot read from {}: {error}", binary.display()));
            }
        };
        if let Ok(ready) = serde_json::from_str(&line) {
            return Ok(ServerProcess { ready, child });
        }
        end(&mut child);
        // The thread that reads the log drops its reference at the end of the log.
        let patience = Instant::now() + LOG_PATIENCE;
        while Arc::strong_count(&log) > 1 && Instant::now() < patience {
            thread::sleep(Duration::from_millis(10));
        }
        let log = log.lock().unwrap_or_else(PoisonError::into_inner).join("\n");
        Err(format!("the API server did not become ready; its log ends with:\n{log}"))
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
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// Ends a server: closes its standard input, so that it removes its files, and kills it if it does not end.
fn end(child: &mut Child) {
    drop(child.stdin.take());
    let start = Instant::now();
    while matches!(child.try_wait(), Ok(None)) {
        if start.elapsed() > STOP_PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// Returns the first line that the process prints. The line is empty if the process ends, or is not ready in time. The last
/// lines of its log are kept.
fn read_ready_line(child: &mut Child, log: &Arc<Mutex<Vec<String>>>) -> io::Result<String> {
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(io::Error::other("it was started without its pipes"));
    };
    let (send, received) = channel();
    let kept = Arc::clone(log);
    thread::Builder::new().spawn(move || keep_last_lines(stderr, &kept))?;
    thread::Builder::new().spawn(move || {
        let mut line = String::new();
        let read = BufReader::new(stdout).read_line(&mut line);
        let _ = send.send(read.map(|_| line));
    })?;
    received.recv_timeout(START_PATIENCE).unwrap_or_else(|_| Ok(String::new()))
}

fn keep_last_lines(from: impl Read, kept: &Mutex<Vec<String>>) {
    for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == LOG_LINES {
            kept.remove(0);
        }
        kept.push(String::from_utf8_lossy(&line).into_owned());
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn script(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("server");
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        (folder, path)
    }

    #[test]
    fn a_server_ends_and_cleans_up_when_it_is_dropped() {
        let ready = r#"echo '{"release":"1.36.3","kubeconfig":"/k","etcd":"http://127.0.0.1:1"}'"#;
        let (folder, binary) =
            script(&format!("{ready}\ncat >/dev/null\necho done > \"$(dirname \"$0\")/end\""));
        let mut server = ServerProcess::start(&binary, None).unwrap();
        assert_eq!((server.release(), server.etcd()), ("1.36.3", "http://127.0.0.1:1"));
        assert!(!server.has_ended());
        assert!(!folder.path().join("end").exists());
        drop(server);
        assert!(folder.path().join("end").exists());
    }

    #[test]
    fn the_log_of_a_server_that_does_not_start_is_shown() {
        let (_folder, binary) = script("echo 'no etcd' >&2; exit 1");
        let error = ServerProcess::start(&binary, None).unwrap_err();
        assert!(error.ends_with("its log ends with:\nno etcd"), "{error}");
    }

    #[test]
    fn another_etcd_is_passed_on() {
        let (_folder, binary) =
            script(r#"echo "{\"release\":\"$*\",\"kubeconfig\":\"\",\"etcd\":\"\"}"; cat > /dev/null"#);
        let server = ServerProcess::start(&binary, Some("http://e")).unwrap();
        assert_eq!(server.release(), "--etcd http://e");
    }
}
