//! A subprocess that is run to its end, within a time limit.

use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::process_group::{ProcessGroup, describe_start_error, spawn_thread};
use crate::unanswered::RequestFailure;

/// The output of a program, and whether it succeeded.
#[derive(Clone, Debug)]
pub(super) struct ProcessOutput {
    pub(super) success: bool,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
}

/// Maximum length of the output that is read, in bytes. The largest Kubernetes objects have some 3 MiB.
const MAX_OUTPUT_BYTES: usize = 16 << 20;

/// Runs a program with the given input, and waits until it exits.
///
/// # Errors
/// Fails if the program cannot be started, exceeds `timeout`, or writes too much output.
pub(super) fn run_to_completion(
    program: &Path,
    arguments: &[&str],
    input: Vec<u8>,
    timeout: Duration,
) -> Result<ProcessOutput, RequestFailure> {
    let name = program.display().to_string();
    let failed = |error| RequestFailure { timed_out: false, why: describe_start_error(&name, &error) };
    let started = Instant::now();
    let mut command = Command::new(program);
    // kubectl contacts no server of the user, so it must not read the user's configuration. Its requests to this program
    // must not be sent to a proxy.
    command.args(arguments).env("KUBECONFIG", "/dev/null").env("NO_PROXY", "127.0.0.1");
    let (group, pipes) = ProcessGroup::start(&mut command).map_err(failed)?;
    let read = || {
        let mut stdin = pipes.stdin;
        spawn_thread(move || drop(stdin.write_all(&input)))?;
        Ok((read_in_background(pipes.stdout)?, read_in_background(pipes.stderr)?))
    };
    let (stdout, stderr) = read().map_err(|error| {
        group.kill();
        failed(error)
    })?;
    // Child programs can hold the outputs open. They are killed together with the program.
    let time_left = || timeout.saturating_sub(started.elapsed());
    let output = stdout.recv_timeout(time_left()).and_then(|stdout| {
        let stderr = stderr.recv_timeout(time_left())?;
        Ok((stdout, stderr))
    });
    let status = group.wait_or_kill(time_left());
    let (Ok((stdout, stderr)), Some(status)) = (output, status) else {
        return Err(RequestFailure { timed_out: true, why: format!("took more than {timeout:?}") });
    };
    if stdout.len().max(stderr.len()) > MAX_OUTPUT_BYTES {
        let why = format!("wrote more than {} MiB", MAX_OUTPUT_BYTES >> 20);
        return Err(RequestFailure { timed_out: false, why });
    }
    let stderr = String::from_utf8_lossy(&stderr).into_owned();
    Ok(ProcessOutput { success: status.success(), stdout, stderr })
}

/// Reads an output in another thread, until it ends or exceeds its limit by one byte. The pipe is then closed, so
/// that the program ends too.
fn read_in_background(from: impl Read + Send + 'static) -> std::io::Result<Receiver<Vec<u8>>> {
    let (send, receive) = channel();
    spawn_thread(move || {
        let mut bytes = Vec::new();
        let _ = from.take(MAX_OUTPUT_BYTES as u64 + 1).read_to_end(&mut bytes);
        let _ = send.send(bytes);
    })?;
    Ok(receive)
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
        assert!(output.unwrap_err().timed_out);
        assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_child_that_holds_the_output_is_not_waited_for() {
        let started = Instant::now();
        let script = ["-c", "sleep 30 & echo done"];
        let output = run_to_completion(Path::new("sh"), &script, Vec::new(), Duration::from_secs(20));
        assert_eq!(output.unwrap().stdout, b"done\n");
        assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn an_output_without_end_is_an_error() {
        let output = run_to_completion(Path::new("yes"), &[], Vec::new(), Duration::from_secs(20));
        assert_eq!(output.unwrap_err().why, "wrote more than 16 MiB");
    }
}
