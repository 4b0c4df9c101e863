//! Files that are not what they should be: each is refused by name, at once, whatever it is.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use rstest::rstest;

use crate::helpers::{folder_with, skewer, skewer_command};

const SUITE: &str = "suite: good\nabout: x\nschema: {go: \"type T struct {}\", root: T}\n\
    cases:\n- {id: c, about: x, live: {}, patch: {}, expect: [{result: {}}]}\n";

/// Runs a corpus of a good suite and something else.
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
#[case::link_to_a_device("/dev/zero", "cannot read DIR/bad.yaml: it is no regular file")]
#[case::link_to_its_folder(".", "cannot read DIR/bad.yaml: it leads back to")]
fn a_link_that_leads_to_no_file_is_named(#[case] target: &str, #[case] expected: &str) {
    let (code, message) = run_with(|dir| symlink(target, dir.join("bad.yaml")).unwrap());
    assert_eq!(code, Some(2), "{message}");
    assert!(message.contains(expected), "{message}");
}

#[test]
fn many_links_back_are_no_more_work_than_one() {
    let (code, message) = run_with(|dir| {
        for name in ["a", "b", "c", "d"] {
            symlink(".", dir.join(name)).unwrap();
        }
    });
    assert_eq!(code, Some(2), "{message}");
    assert!(message.contains("it leads back to"), "{message}");
}

#[test]
fn a_pipe_is_not_waited_for() {
    let (code, message) = run_with(|dir| {
        assert!(Command::new("mkfifo").arg(dir.join("bad.yaml")).status().unwrap().success());
    });
    assert_eq!(code, Some(2), "{message}");
    assert!(message.contains("cannot read DIR/bad.yaml: it is no regular file"), "{message}");
}

#[test]
fn a_case_file_beyond_the_limit_is_not_read() {
    let (code, message) = run_with(|dir| {
        let file = fs::File::create(dir.join("bad.yaml")).unwrap();
        file.set_len(skewer_cases::MAX_CASE_FILE + 1).unwrap();
    });
    assert_eq!(code, Some(2), "{message}");
    assert!(message.contains("cannot read DIR/bad.yaml: it has more than 4194304 bytes"), "{message}");
}

#[test]
fn bytes_that_are_no_text_are_pointed_at() {
    let (code, message) = run_with(|dir| fs::write(dir.join("bad.yaml"), b"suite: \xff").unwrap());
    assert_eq!(code, Some(2), "{message}");
    assert!(message.contains("bad.yaml:1:8: the file is not UTF-8 from here on"), "{message}");
}

#[test]
fn a_folder_with_the_name_of_a_file_is_a_folder() {
    let (code, message) = run_with(|dir| fs::create_dir(dir.join("bad.yaml")).unwrap());
    assert_eq!(code, Some(0), "{message}");
}

#[rstest]
#[case::endless("/dev/zero", "cannot read /dev/zero: it has more than 67108864 bytes")]
#[case::a_folder("/", "cannot read /: Is a directory")]
#[case::missing("/nowhere", "cannot read /nowhere: No such file or directory")]
fn a_document_that_is_none_is_named(#[case] path: &str, #[case] expected: &str) {
    let output = skewer(&["patch", "apply", "--original", path, "--patch", path]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains(expected), "{message}");
}

/// Runs a command that may take so much memory, in KiB.
fn skewer_within_memory(kilobytes: u32, arguments: &[&str]) -> (Option<i32>, String) {
    let shell = format!("ulimit -v {kilobytes}; exec \"$@\"");
    let program = env!("CARGO_BIN_EXE_skewer");
    let output = Command::new("sh").args(["-c", &shell, "sh", program]).args(arguments).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[rstest]
#[case::report(&["report", "FILE"], "FILE:1:1: expected value")]
#[case::compare(&["compare", "FILE", "FILE"], "FILE:1:1: expected value")]
#[case::merge(&["merge", "FILE", "--output", "-"], "FILE:1:1: expected value")]
#[case::kep(&["kep", "FILE"], "FILE:1:1: expected value")]
#[case::deviations(&["run", "--deviations", "FILE"], "cannot read FILE: it has more than 4194304 bytes")]
#[case::shown_deviations(&["deviations", "--deviations", "FILE"], "cannot read FILE: it has more than 4194304 bytes")]
#[case::types(&["schema", "check", "FILE"], "cannot read FILE: it has more than 67108864 bytes")]
fn a_file_without_end_or_of_gigabytes_takes_little_memory(
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
    let (code, message) = skewer_within_memory(1 << 20, &arguments);
    assert_eq!((code, message.trim_end()), (Some(2), expected.replace("FILE", path).as_str()));
}

/// A pipe is as good as a file (`skewer report <(…)`), and as limited.
#[test]
fn results_are_read_from_a_pipe() {
    let endless = format!("yes '{}' | {} report /dev/stdin", " ".repeat(1000), env!("CARGO_BIN_EXE_skewer"));
    let output = Command::new("sh").args(["-c", &endless]).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    let expected = "/dev/stdin: it has more than 67108864 bytes before the end of a cell\n";
    assert!(message.ends_with(expected), "{message}");
}

#[rstest]
#[case::of_a_list(&["list"])]
#[case::of_a_run(&["run", "--level", "required"])]
fn a_reader_that_goes_away_is_no_error(#[case] arguments: &[&str]) {
    let mut child =
        skewer_command().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::with_capacity(16, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(!line.is_empty());
    // The pipe is closed now.
    let mut message = String::new();
    child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
    assert_eq!((child.wait().unwrap().code(), message.as_str()), (Some(0), ""));
}

#[rstest]
#[case::of_a_list(&["list"])]
#[case::of_a_run(&["run", "--level", "required"])]
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
fn a_folder_that_nobody_may_write_to_is_named_before_anything_is_run() {
    // Not even the superuser may create files there.
    for format in ["json", "html"] {
        let report = format!("{format}=/proc/self/report");
        let output = skewer(&["run", "--report", &report]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.starts_with("cannot write /proc/self/report: "), "{message}");
        assert!(output.stdout.is_empty());
    }
}
