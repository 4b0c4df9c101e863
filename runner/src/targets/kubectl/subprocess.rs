//! A subprocess that is run to its end, within a time limit.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use skewer_engine::skew::{TargetFailure, TargetFailureKind};

/// The output of a program, and whether it succeeded.
#[derive(Clone, Debug)]
pub(super) struct ProcessOutput {
    pub(super) success: bool,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
}

/// Longest output that is read, in bytes.
const MAX_OUTPUT_BYTES: u64 = 64 << 20;

/// Runs a program with this input, and waits for its end.
pub(super) fn run_to_completion(
    program: &Path,
    arguments: &[&str],
    input: Vec<u8>,
    timeout: Duration,
) -> Result<ProcessOutput, TargetFailure> {
    let crash = |why: String| TargetFailure { kind: TargetFailureKind::Crash, why };
    let started = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        // Nothing here speaks to a server, and no configuration of one must get in the way.
        .env("KUBECONFIG", "/dev/null")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| crash(format!("cannot start {}: {error}", program.display())))?;
    if let Some(mut stdin) = child.stdin.take() {
        std::thread::spawn(move || stdin.write_all(&input));
    }
    let (stdout, stderr) = (read_in_background(child.stdout.take()), read_in_background(child.stderr.take()));
    let time_left = || timeout.saturating_sub(started.elapsed());
    let stop_after_timeout = |child: &mut Child| {
        let _ = child.kill();
        let _ = child.wait();
        TargetFailure {
            kind: TargetFailureKind::TimeOut,
            why: format!("{} took more than {timeout:?}", program.display()),
        }
    };
    let Ok(stdout) = stdout.recv_timeout(time_left()) else { return Err(stop_after_timeout(&mut child)) };
    let Ok(stderr) = stderr.recv_timeout(time_left()) else { return Err(stop_after_timeout(&mut child)) };
    // Both outputs are closed: the end is near.
    let success = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.success(),
            Ok(None) if time_left().is_zero() => return Err(stop_after_timeout(&mut child)),
            Ok(None) => std::thread::sleep(Duration::from_millis(1)),
            Err(error) => return Err(crash(format!("cannot wait for {}: {error}", program.display()))),
        }
    };
    Ok(ProcessOutput { success, stdout, stderr: String::from_utf8_lossy(&stderr).into_owned() })
}

fn read_in_background(from: Option<impl Read + Send + 'static>) -> std::sync::mpsc::Receiver<Vec<u8>> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(from) = from {
            let _ = from.take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes);
        }
        let _ = send.send(bytes);
    });
    receive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_is_passed_and_output_is_captured() {
        let output = run_to_completion(
            Path::new("sh"),
            &["-c", "cat; echo oh >&2; exit 3"],
            b"x".to_vec(),
            Duration::from_secs(20),
        );
        let output = output.unwrap();
        assert_eq!(
            (output.success, output.stdout.as_slice(), output.stderr.as_str()),
            (false, &b"x"[..], "oh\n")
        );
    }

    #[test]
    fn a_program_that_hangs_is_killed() {
        let started = Instant::now();
        let output = run_to_completion(Path::new("sleep"), &["30"], Vec::new(), Duration::from_millis(200));
        assert_eq!(output.unwrap_err().kind, TargetFailureKind::TimeOut);
        assert!(started.elapsed() < Duration::from_secs(20));
    }
}
