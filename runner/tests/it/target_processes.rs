//! The processes of a target: they and their child processes end with the program, and their end is detected at once.

use std::process::{Command, Stdio};
use std::time::Instant;

use rstest::rstest;
use rustix::process::Signal;

use crate::helpers::adapters::{TargetRun, adapter, corpus, corpus_of, run, run_corpus_on, write_script};
use crate::helpers::processes::{LONG, assert_all_end, start_child, wait_for_file};
use crate::helpers::{has_hangup_signal, send_signal, skewer_command};

#[rstest]
#[case::answers("good", "pass")]
#[case::crashes("exit 3", "crash")]
#[case::is_killed("kill -9 $$", "crash")]
#[case::hangs("sleep 300", "timeout")]
#[case::answers_nonsense("echo nonsense; sleep 300", "crash")]
fn the_child_processes_of_a_target_end_with_it(#[case] then: &str, #[case] status: &str) {
    let dir = tempfile::tempdir().unwrap();
    let pids = dir.path().join("pids");
    let on_bad = format!("{}; {then}", start_child(&pids));
    let ran = run(&adapter(&on_bad), &["--jobs", "1", "--timeout", "1"]);
    assert_eq!(ran.statuses, ["pass", status, "pass", "pass"], "{}", ran.text);
    assert_all_end(&pids);
}

/// The signal is sent to the program only. The target is in another process group, and does not receive it.
#[rstest]
#[case::run(Signal::INT, &["run", "--corpus", "CORPUS", "--target", "TARGET", "--timeout", "300"])]
#[case::run_is_terminated(Signal::TERM, &["run", "--corpus", "CORPUS", "--target", "TARGET", "--timeout", "300"])]
#[case::check(Signal::INT, &["target", "check", "TARGET", "--timeout", "300"])]
#[case::differential(Signal::TERM, &["differential", "--target", "TARGET", "--timeout", "300"])]
#[case::outcomes(Signal::HUP, &["list", "--outcomes", "--corpus", "CORPUS", "--target", "TARGET", "--timeout", "300"])]
fn an_interrupt_ends_the_processes_of_the_target(#[case] signal: Signal, #[case] arguments: &[&str]) {
    if signal == Signal::HUP && !has_hangup_signal() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus();
    let pids = dir.path().join("pids");
    let hangs = adapter("good").replace("*) good ;;", &format!("*) {}; sleep 300 ;;", start_child(&pids)));
    let target = write_script(dir.path(), &format!("echo $$ >> {}.shells\n{hangs}", pids.display()));
    let arguments = arguments.iter().map(|argument| match *argument {
        "TARGET" => &target,
        "CORPUS" => corpus.path().to_str().unwrap(),
        other => other,
    });
    let mut child =
        skewer_command().args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for_file(&pids);
    let started = Instant::now();
    send_signal(child.id(), signal);
    let status = child.wait().unwrap();
    assert!(!status.success(), "{status}");
    assert!(started.elapsed() < LONG, "{:?}", started.elapsed());
    assert_all_end(&pids);
    assert_all_end(&pids.with_extension("shells"));
}

/// A program that is killed with `kill -9` cannot end its adapters. They end because their input ends.
#[test]
fn an_adapter_ends_at_the_end_of_its_input() {
    let dir = tempfile::tempdir().unwrap();
    let pids = dir.path().join("pids");
    let script = format!("echo $$ >> {}\n{}", pids.display(), adapter("good"));
    let target = write_script(dir.path(), &script);
    let mut child = skewer_command()
        .args(["differential", "--operation", "apply", "--count", "1000000", "--target", &target])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for_file(&pids);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_all_end(&pids);
}

const ERRATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../cases/corpus/retain-keys/errata.yaml");

/// Standard output is closed from the start. That causes no message, and does not change the exit code.
#[rstest]
#[case::a_list(&["list", "--corpus", "CORPUS"], 0)]
#[case::a_run_that_fails(&["run", "--corpus", "CORPUS"], 1)]
#[case::results_of_a_run_that_fails(&["run", "--corpus", "CORPUS", "--report", "json=-"], 1)]
#[case::a_page_on_a_run_that_fails(&["run", "--corpus", "CORPUS", "--report", "html=-"], 1)]
#[case::a_target_that_is_given_up(&["run", "--corpus", "CORPUS", "--target", "TARGET", "--jobs", "1"], 3)]
#[case::a_check_that_fails(&["target", "check", "exec:false"], 3)]
#[case::laws(&["laws", "retainKeys", "--count", "5", "--corpus", ERRATA], 0)]
#[case::schemas(&["schema", "list"], 0)]
#[case::help(&["run", "--help"], 0)]
#[case::completions(&["completions", "bash"], 0)]
#[case::a_page(&["man", "run"], 0)]
fn a_closed_standard_output_does_not_change_the_exit_code(#[case] arguments: &[&str], #[case] code: i32) {
    let (dir, corpus) = (tempfile::tempdir().unwrap(), corpus());
    let dead = dir.path().join("dead");
    let script = format!(
        "[ -e {0} ] && exit 4; {1}",
        dead.display(),
        adapter(&format!("touch {}; exit 1", dead.display()))
    );
    let target = write_script(dir.path(), &script);
    // If a report goes to standard output, the table goes to standard error.
    let has_table = arguments.contains(&"--report");
    let arguments = arguments.iter().map(|argument| match *argument {
        "TARGET" => &target,
        "CORPUS" => corpus.path().to_str().unwrap(),
        other => other,
    });
    let mut child =
        skewer_command().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{message}");
    assert!(!message.contains("pipe") && !message.contains("panicked"), "{message}");
    assert!(code == 3 || has_table || message.is_empty(), "{message}");
}

fn run_quickly(on_bad: &str) -> TargetRun {
    let started = Instant::now();
    let ran = run(&adapter(on_bad), &["--jobs", "1", "--timeout", "60"]);
    assert!(started.elapsed() < LONG, "{:?}", started.elapsed());
    ran
}

#[rstest]
#[case::crashes_and_leaves_a_child("sleep 300 & exit 7", "ended with exit status: 7")]
#[case::is_killed_and_leaves_a_child("sleep 300 & kill -9 $$", "ended with signal: 9")]
#[case::closes_its_input("exec <&-; sleep 300", "closed its standard input")]
#[case::closes_its_output("exec >&-; sleep 300", "closed its output")]
#[case::closes_both("exec <&- >&-; sleep 300", "closed its output")]
fn the_end_of_a_process_is_detected_before_the_time_out(#[case] on_bad: &str, #[case] message: &str) {
    let ran = run_quickly(on_bad);
    assert_eq!(ran.statuses, ["pass", "crash", "pass", "pass"], "{}", ran.text);
    assert!(ran.text.contains(message), "{}", ran.text);
}

/// A child process in another session is not killed with the target, and keeps its standard output open.
#[test]
fn a_crash_is_detected_although_a_daemon_keeps_the_output_open() {
    if Command::new("setsid").arg("true").status().is_err() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let pids = dir.path().join("pids");
    let ran = run_quickly(&format!(
        "setsid sh -c 'echo $$ >> {}; exec sleep 60' & sleep 0.5; exit 7",
        pids.display()
    ));
    for pid in std::fs::read_to_string(&pids).unwrap().lines() {
        send_signal(pid.parse().unwrap(), Signal::TERM);
    }
    assert_eq!(ran.statuses, ["pass", "crash", "pass", "pass"], "{}", ran.text);
    assert!(ran.text.contains("ended with exit status: 7"), "{}", ran.text);
}

/// The process exits right after it wrote its answer, so that the runner reads the answer afterwards.
#[test]
fn an_answer_before_the_end_of_the_process_is_read() {
    let script = adapter("good; sleep 300 & exit 0");
    let ran = run_corpus_on(&corpus_of(["bad"]), &script, &["--timeout", "60"]);
    // The adapter answered every request.
    assert_eq!(ran.statuses, ["pass"], "{}", ran.text);
}

/// The adapter does not read a request that is larger than the pipe buffer.
#[rstest]
#[case::does_not_read(
    "sleep 300",
    "timeout",
    "did not answer within 1s: it does not read its standard input"
)]
#[case::closes_its_input("sleep 0.3; exec <&-; sleep 300", "crash", "closed its standard input")]
fn a_target_that_does_not_read_a_large_request_fails(
    #[case] after_start: &str,
    #[case] status: &str,
    #[case] message: &str,
) {
    let long_name = "x".repeat(300_000);
    let script = adapter("good").replace(r#"echo "$started""#, &format!(r#"echo "$started"; {after_start}"#));
    let started = Instant::now();
    let ran = run_corpus_on(&corpus_of([long_name.as_str()]), &script, &["--timeout", "1"]);
    assert_eq!(ran.statuses, [status], "{}", &ran.text[..2000.min(ran.text.len())]);
    assert!(ran.text.contains(message), "{}", &ran.text[..2000.min(ran.text.len())]);
    assert!(started.elapsed() < LONG, "{:?}", started.elapsed());
}
