//! Unusable files (broken links, devices, pipes, oversized files): each is refused at once, with its name.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use rstest::rstest;

use crate::helpers::{folder_with, skewer, skewer_command};

const SUITE: &str = "suite: good\nabout: x\nschema: {go: \"type T struct {}\", root: T}\n\
    cases:\n- {id: c, about: x, live: {}, patch: {}, expect: [{result: {}}]}\n";

/// Runs a corpus with a valid suite, to which `add` adds another file.
fn run_with(add: impl Fn(&Path)) -> (Option<i32>, String) {
    let dir = folder_with(&[("good.yaml", SUITE)]);
    add(dir.path());
    let output = skewer(&["run", "--corpus", dir.path().to_str().unwrap()]);
    let message = String::from_utf8_lossy(&output.stderr).replace(dir.path().to_str().unwrap(), "DIR");
    (output.status.code(), message)
}

#[rstest]
#[case::link_to_nowhere("nowhere", "cannot read DIR/bad.yaml: No such file or directory")]
#[case::link_to_itself("bad.yaml", "cannot read DIR/bad.yaml: Too many levels of symbolic links")]
#[case::link_to_a_device("/dev/zero", "cannot read DIR/bad.yaml: it is not a regular file")]
#[case::link_to_its_folder(".", "cannot read DIR/bad.yaml: it links back to")]
fn a_link_that_does_not_lead_to_a_regular_file_is_refused(#[case] target: &str, #[case] expected: &str) {
    let (code, message) = run_with(|dir| symlink(target, dir.join("bad.yaml")).unwrap());
    assert_eq!(code, Some(2), "{message}");
    assert!(message.contains(expected), "{message}");
}

#[test]
fn several_links_to_an_enclosing_folder_do_not_multiply_the_work() {
    let (code, message) = run_with(|dir| {
        for name in ["a", "b", "c", "d"] {
            symlink(".", dir.join(name)).unwrap();
        }
    });
    assert_eq!(code, Some(2), "{message}");
    assert!(message.contains("it links back to"), "{message}");
}

#[test]
fn a_pipe_is_refused_without_waiting() {
    let (code, message) = run_with(|dir| {
        assert!(Command::new("mkfifo").arg(dir.join("bad.yaml")).status().unwrap().success());
    });
    assert_eq!(code, Some(2), "{message}");
    assert!(message.contains("cannot read DIR/bad.yaml: it is not a regular file"), "{message}");
}

#[test]
fn a_case_file_above_the_size_limit_is_refused() {
    let (code, message) = run_with(|dir| {
        let file = fs::File::create(dir.join("bad.yaml")).unwrap();
        file.set_len(skewer_cases::MAX_CASE_FILE + 1).unwrap();
    });
    assert_eq!(code, Some(2), "{message}");
    assert!(message.contains("cannot read DIR/bad.yaml: it has more than 4194304 bytes"), "{message}");
}

#[test]
fn the_position_of_invalid_utf_8_is_reported() {
    let (code, message) = run_with(|dir| fs::write(dir.join("bad.yaml"), b"suite: \xff").unwrap());
    assert_eq!(code, Some(2), "{message}");
    assert!(message.contains("bad.yaml:1:8: the file is not UTF-8 from here on"), "{message}");
}

#[test]
fn a_folder_with_the_extension_of_a_case_file_is_searched() {
    let (code, message) = run_with(|dir| fs::create_dir(dir.join("bad.yaml")).unwrap());
    assert_eq!(code, Some(0), "{message}");
}

#[rstest]
#[case::endless("/dev/zero", "cannot read /dev/zero: it has more than 67108864 bytes")]
#[case::a_folder("/", "cannot read /: Is a directory")]
#[case::missing("/nowhere", "cannot read /nowhere: No such file or directory")]
fn an_unreadable_document_is_refused_with_its_path(#[case] path: &str, #[case] expected: &str) {
    let output = skewer(&["patch", "apply", "--original", path, "--patch", path]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains(expected), "{message}");
}

/// Runs a command with a memory limit in KiB.
fn run_with_memory_limit(kilobytes: u32, arguments: &[&str]) -> (Option<i32>, String) {
    let shell = format!("ulimit -v {kilobytes}; exec \"$@\"");
    let program = env!("CARGO_BIN_EXE_skewer");
    let output = Command::new("sh").args(["-c", &shell, "sh", program]).args(arguments).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[rstest]
#[case::report(&["report", "FILE"], "FILE:1:1: not a results file: expected value (expected a file that `skewer run --report json=FILE` wrote)")]
#[case::compare(&["compare", "FILE", "FILE"], "FILE:1:1: not a results file: expected value (expected a file that `skewer run --report json=FILE` wrote)")]
#[case::merge(&["merge", "FILE", "--output", "-"], "FILE:1:1: not a results file: expected value (expected a file that `skewer run --report json=FILE` wrote)")]
#[case::kep(&["kep", "FILE"], "FILE:1:1: not a results file: expected value (expected a file that `skewer run --report json=FILE` wrote)")]
#[case::deviations(&["run", "retain-keys/errata", "--deviations", "FILE"], "cannot read FILE: it has more than 4194304 bytes")]
#[case::shown_deviations(&["deviations", "--deviations", "FILE"], "cannot read FILE: it has more than 4194304 bytes")]
#[case::types(&["schema", "check", "FILE"], "cannot read FILE: it has more than 67108864 bytes")]
fn an_endless_or_huge_file_takes_little_memory(
    #[case] arguments: &[&str],
    #[case] expected: &str,
    #[values("/dev/zero", "sparse")] name: &str,
) {
    let dir = folder_with(&[]);
    let path = if name == "sparse" { dir.path().join(name) } else { name.into() };
    if name == "sparse" {
        fs::File::create(&path).unwrap().set_len(3 << 30).unwrap();
    }
    let path = path.to_str().unwrap();
    let arguments: Vec<String> = arguments.iter().map(|argument| argument.replace("FILE", path)).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (code, message) = run_with_memory_limit(1 << 20, &arguments);
    assert_eq!((code, message.trim_end()), (Some(2), expected.replacen("FILE", path, 1).as_str()));
}

/// A pipe works like a file (`skewer report <(…)`), and has the same limit.
#[test]
fn results_from_a_pipe_have_a_size_limit() {
    let endless = format!("yes '{}' | {} report /dev/stdin", " ".repeat(1000), env!("CARGO_BIN_EXE_skewer"));
    let output = Command::new("sh").args(["-c", &endless]).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    let expected = "/dev/stdin: a cell has more than 67108864 bytes\n";
    assert!(message.ends_with(expected), "{message}");
}

#[rstest]
#[case::of_a_list(&["list", "unions/kep-matrix"])]
#[case::of_a_run(&["run", "retain-keys", "--level", "required"])]
fn closing_the_pipe_of_standard_output_is_not_an_error(#[case] arguments: &[&str]) {
    let mut child =
        skewer_command().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::with_capacity(16, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(!line.is_empty());
    // The reader was dropped, so that the pipe is closed.
    let mut message = String::new();
    child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
    assert_eq!((child.wait().unwrap().code(), message.as_str()), (Some(0), ""));
}

#[rstest]
#[case::of_a_list(&["list", "unions/kep-matrix"])]
#[case::of_a_run(&["run", "retain-keys", "--level", "required"])]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_an_error(#[case] arguments: &[&str]) {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = skewer_command().args(arguments).stdout(full).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("cannot write the output: No space left on device"), "{message}");
}

#[test]
#[cfg(target_os = "linux")]
fn an_unwritable_report_folder_is_reported_before_the_run() {
    // Not even the superuser can create files in /proc.
    for format in ["json", "html"] {
        let report = format!("{format}=/proc/self/report");
        let output = skewer(&["run", "retain-keys/errata", "--report", &report]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.starts_with("cannot write /proc/self/report: "), "{message}");
        assert!(output.stdout.is_empty());
    }
}
