//! Runs of the programs that build a target.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read};
use std::process::{Command, ExitStatus};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use skewer_protocol::lines::{LineRead, read_line, skip_line};

use crate::process_group::{ProcessGroup, spawn_thread};
use crate::visible_text::visible_text;

/// A line that a program wrote.
#[derive(Clone, Debug)]
pub(super) enum Line {
    Output(String),
    Error(String),
}

/// The reason why a program did not do its work.
#[derive(Debug)]
pub(super) enum CommandError {
    /// The program cannot be started.
    NotStarted(io::Error),
    /// The program failed.
    Failed {
        /// How the program ended: a text that follows its name.
        status: String,
        /// The last lines of its output.
        output: String,
    },
}

/// Maximum length of a line, in bytes. The rest of a longer line is skipped.
const MAX_LINE_BYTES: usize = 64 << 10;

/// Maximum number of lines of an error message that are kept: the last ones.
const MAX_ERROR_LINES: usize = 20;

/// Runs a command, and passes each line that it writes to `on_line`. The lines that `on_line` returns are part of the
/// message if the command fails; only the last ones are kept.
///
/// # Errors
/// Fails if the program cannot be started or fails. A program that was killed because Skewer was interrupted has
/// failed, too.
pub(super) fn run(
    command: &mut Command,
    on_line: &mut dyn FnMut(Line) -> Option<String>,
) -> Result<(), CommandError> {
    const PATIENCE: Duration = Duration::from_secs(10);
    let (group, pipes) = ProcessGroup::start(command).map_err(CommandError::NotStarted)?;
    drop(pipes.stdin);
    let (lines, received) = channel();
    let error_lines = lines.clone();
    spawn_thread(move || send_lines(pipes.stdout, &lines, Line::Output))
        .and_then(|()| spawn_thread(move || send_lines(pipes.stderr, &error_lines, Line::Error)))
        .map_err(|error| {
            group.kill();
            CommandError::NotStarted(error)
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
    Err(CommandError::Failed { status: describe_status(status), output })
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

/// Runs a command that only prints something, and returns its standard output.
///
/// # Errors
/// As [`run`].
pub(super) fn output_of(command: &mut Command) -> Result<Vec<String>, CommandError> {
    let mut lines = Vec::new();
    run(command, &mut |line| match line {
        Line::Output(line) => {
            lines.push(line);
            None
        }
        Line::Error(line) => Some(line),
    })?;
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_script(script: &str) -> (Result<(), CommandError>, Vec<String>) {
        let mut seen = Vec::new();
        let result = run(Command::new("sh").args(["-c", script]), &mut |line| match line {
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
        let Err(CommandError::Failed { status, output }) = result else { panic!("{result:?}") };
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
        let missing = run(&mut Command::new("/nowhere/go"), &mut |_| None);
        assert!(
            matches!(&missing, Err(CommandError::NotStarted(error)) if error.kind() == io::ErrorKind::NotFound),
            "{missing:?}"
        );
        let (killed, _) = run_script("kill -9 $$");
        let Err(CommandError::Failed { status, .. }) = killed else { panic!("{killed:?}") };
        assert_eq!(status, "was ended by signal: 9 (SIGKILL)");
    }
}
