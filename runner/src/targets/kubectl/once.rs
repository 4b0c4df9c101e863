//! A program that is run once, within a time limit.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use skewer_engine::skew::{TargetFailure, TargetFailureKind};

/// What a program wrote, and whether it was content.
#[derive(Clone, Debug)]
pub(super) struct Ran {
    pub(super) success: bool,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
}

/// How much a program may write.
const MAX_OUTPUT: u64 = 64 << 20;

/// Runs a program with this input.
pub(super) fn run(
    program: &Path,
    arguments: &[&str],
    input: Vec<u8>,
    limit: Duration,
) -> Result<Ran, TargetFailure> {
    let crash = |why: String| TargetFailure { kind: TargetFailureKind::Crash, why };
    let begun = Instant::now();
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
    let (stdout, stderr) = (in_background(child.stdout.take()), in_background(child.stderr.take()));
    let left = || limit.saturating_sub(begun.elapsed());
    let late = |child: &mut Child| {
        let _ = child.kill();
        let _ = child.wait();
        TargetFailure {
            kind: TargetFailureKind::TimeOut,
            why: format!("{} took more than {limit:?}", program.display()),
        }
    };
    let Ok(stdout) = stdout.recv_timeout(left()) else { return Err(late(&mut child)) };
    let Ok(stderr) = stderr.recv_timeout(left()) else { return Err(late(&mut child)) };
    // Both outputs are closed: the end is near.
    let success = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.success(),
            Ok(None) if left().is_zero() => return Err(late(&mut child)),
            Ok(None) => std::thread::sleep(Duration::from_millis(1)),
            Err(error) => return Err(crash(format!("cannot wait for {}: {error}", program.display()))),
        }
    };
    Ok(Ran { success, stdout, stderr: String::from_utf8_lossy(&stderr).into_owned() })
}

fn in_background(from: Option<impl Read + Send + 'static>) -> std::sync::mpsc::Receiver<Vec<u8>> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(from) = from {
            let _ = from.take(MAX_OUTPUT).read_to_end(&mut bytes);
        }
        let _ = send.send(bytes);
    });
    receive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_run_with_its_input() {
        let ran =
            run(Path::new("sh"), &["-c", "cat; echo oh >&2; exit 3"], b"x".to_vec(), Duration::from_secs(20));
        let ran = ran.unwrap();
        assert_eq!((ran.success, ran.stdout.as_slice(), ran.stderr.as_str()), (false, &b"x"[..], "oh\n"));
    }

    #[test]
    fn a_program_that_hangs_is_ended() {
        let begun = Instant::now();
        let ran = run(Path::new("sleep"), &["30"], Vec::new(), Duration::from_millis(200));
        assert_eq!(ran.unwrap_err().kind, TargetFailureKind::TimeOut);
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
}
