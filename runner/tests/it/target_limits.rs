//! Targets that exceed limits: each is stopped, and the message names the limit.

use std::time::{Duration, Instant};

use rstest::rstest;

use crate::helpers::adapters::{adapter, corpus, corpus_of, run, run_corpus_on, write_script};
use crate::helpers::{all_output, skewer, skewer_command, stdout};

/// Returns an adapter that runs the same commands for each request.
fn adapter_that(on_request: &str) -> String {
    adapter("good").replace("*) good ;;", &format!("*) {on_request} ;;"))
}

/// Returns an adapter that runs the given commands for `start`.
fn adapter_that_starts_with(start: &str) -> String {
    adapter("good").replace(r#"echo "$started""#, start)
}

#[rstest]
#[case::one_at_a_time(&["--jobs", "1"])]
#[case::on_one_process(&["--jobs", "4", "--processes", "1"])]
#[case::on_several_processes(&["--jobs", "4", "--processes", "4"])]
fn a_target_that_never_answers_is_given_up(#[case] arguments: &[&str]) {
    let corpus = corpus_of(["good"; 40]);
    let started = Instant::now();
    let ran = run_corpus_on(&corpus, &adapter_that("sleep 30"), &[arguments, &["--timeout", "0.3"]].concat());
    assert_eq!((ran.count("timeout"), ran.count("not-run")), (8, 32), "{}", ran.text);
    assert_eq!(ran.code, Some(3), "{}", ran.text);
    assert!(
        ran.text.contains("was given up: 8 requests in a row had no answer within 300ms each"),
        "{}",
        ran.text
    );
    assert!(ran.text.contains("the last cell without an answer is many/cell-00"), "{}", ran.text);
    assert!(ran.text.contains("32 cells were not run"), "{}", ran.text);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn with_one_thread_the_first_cells_time_out_and_the_rest_are_not_run() {
    let corpus = corpus_of(["good"; 12]);
    let ran = run_corpus_on(&corpus, &adapter_that("sleep 30"), &["--jobs", "1", "--timeout", "0.2"]);
    assert_eq!(ran.statuses, [vec!["timeout"; 8], vec!["not-run"; 4]].concat());
    assert!(ran.text.contains("is many/cell-0007 (timeout); 4 cells were not run"), "{}", ran.text);
}

#[rstest]
#[case(&["--jobs", "1"])]
#[case(&["--jobs", "4"])]
fn a_target_that_crashes_on_every_request_is_given_up(#[case] arguments: &[&str]) {
    let ran = run_corpus_on(&corpus_of(["good"; 80]), &adapter_that("exit 7"), arguments);
    assert_eq!((ran.count("crash"), ran.count("not-run")), (64, 16), "{}", ran.text);
    assert_eq!(ran.code, Some(3), "{}", ran.text);
    let why = "was given up: it failed on 64 requests in a row; the last time it ended with exit status: 7";
    assert!(ran.text.contains(why), "{}", ran.text);
}

#[test]
fn a_target_with_an_answer_between_time_outs_is_not_given_up() {
    let names = [vec!["bad"; 7], vec!["good"], vec!["bad"; 7], vec!["good"]].concat();
    let ran = run_corpus_on(&corpus_of(names), &adapter("sleep 30"), &["--jobs", "1", "--timeout", "0.2"]);
    assert_eq!((ran.count("timeout"), ran.count("pass")), (14, 2), "{}", ran.text);
    assert_eq!(ran.code, Some(1), "{}", ran.text);
}

#[rstest]
#[case::differential(&["differential", "--count", "100000", "--operation", "apply", "--target", "TARGET"])]
#[case::check(&["target", "check", "TARGET"])]
#[case::outcomes(&["list", "--outcomes", "--corpus", "CORPUS", "--target", "TARGET"])]
#[case::deviations(&["deviations", "--fix", "--corpus", "CORPUS", "--target", "TARGET", "--deviations", "FILE"])]
fn every_command_stops_when_the_target_is_given_up(#[case] arguments: &[&str]) {
    let (dir, corpus) = (tempfile::tempdir().unwrap(), corpus_of(["good"; 40]));
    let script =
        adapter_that("sleep 30").replace(r#"["apply"]"#, r#"["apply","two-way","merge","conflicts"]"#);
    // `target check` has few samples. To leave eight requests unanswered, the target must support most operations.
    let script = script.replace(r#""merge","#, r#""merge","three-way","json-merge-apply","#);
    let target = write_script(dir.path(), &script);
    let file = dir.path().join("deviations.yaml");
    let arguments: Vec<&str> = arguments
        .iter()
        .map(|argument| match *argument {
            "TARGET" => &target,
            "CORPUS" => corpus.path().to_str().unwrap(),
            "FILE" => file.to_str().unwrap(),
            other => other,
        })
        .chain(["--timeout", "0.2"])
        .collect();
    let started = Instant::now();
    let output = skewer(&arguments);
    assert_eq!(output.status.code(), Some(3), "{}", all_output(&output));
    assert!(all_output(&output).contains("was given up: 8 requests in a row"), "{}", all_output(&output));
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    assert!(!file.exists());
}

/// Each of these answers would exceed the memory limit, or never end.
#[rstest]
#[case::a_line_without_end("tr '\\0' x < /dev/zero", "wrote a line of more than 16 MiB")]
#[case::many_values(
    r#"printf '{"kind":"result","seq":%s,"result":{"a":[0' $seq; yes ',0' | tr -d '\n' | head -c 60000000; echo ']}}'"#,
    "wrote a line of more than 16 MiB"
)]
#[case::one_long_message(
    r#"printf '{"kind":"error","seq":%s,"message":"' $seq; yes long | tr -d '\n' | head -c 15000000; echo '"}'"#,
    "answered with an error: longlonglong"
)]
#[case::invalid_utf_8("printf '\\377\\376\\n'", "wrote a line that is not a valid reply")]
#[case::replies_without_a_request(
    r#"while echo '{"kind":"result","seq":99999,"result":{}}'; do :; done"#,
    "sent more than 1000 replies that answer no open request"
)]
fn an_unbounded_answer_fails_only_its_cell(#[case] on_bad: &str, #[case] message: &str) {
    let started = Instant::now();
    let ran = run(&adapter(on_bad), &["--jobs", "1", "--timeout", "20"]);
    assert_eq!(ran.statuses, ["pass", "crash", "pass", "pass"], "{}", ran.text);
    assert!(ran.text.contains(message), "{}", ran.text);
    assert!(ran.text.len() < 50_000, "{}", ran.text.len());
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

/// The limit of 1.5 GB of address space is hardly more than the threads need.
#[rstest]
#[case::of_many_values(15_000_000, "bytes to documents of 44 bytes: at most 16 times as many are accepted")]
fn large_answers_take_bounded_memory(#[case] bytes: usize, #[case] message: &str) {
    let (dir, corpus) = (tempfile::tempdir().unwrap(), corpus());
    let on_bad = r#"printf '{"kind":"result","seq":%s,"result":{"a":[0' $seq; yes ',0' | tr -d '\n' | head -c BYTES; echo ']}}'"#;
    let target = write_script(dir.path(), &adapter(&on_bad.replace("BYTES", &bytes.to_string())));
    let skewer = env!("CARGO_BIN_EXE_skewer");
    let output = std::process::Command::new("sh")
        .args(["-c", "ulimit -v 1500000; exec \"$@\"", "sh", skewer, "run", "--jobs", "1", "--timeout", "60"])
        .args(["--corpus", corpus.path().to_str().unwrap(), "--target", &target])
        .output()
        .unwrap();
    let text: String = all_output(&output).chars().take(3000).collect();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains(message), "{text}");
}

#[rstest]
#[case::a_long_name(
    r#"printf '{"kind":"started","protocol":1,"name":"'; yes name | tr -d '\n' | head -c 100000000; echo '","supports":{"operations":[]}}'"#,
    "wrote a line of more than 16 MiB"
)]
#[case::a_name_that_is_too_long_for_reports(
    r#"printf '{"kind":"started","protocol":1,"name":"'; yes name | tr -d '\n' | head -c 300; echo '","supports":{"operations":[]}}'"#,
    "answered `started` with a `name` of more than 200 characters: namename"
)]
#[case::a_name_that_clears_the_terminal(
    r#"printf '%s\n' '{"kind":"started","protocol":1,"name":"x\u001b[2J","supports":{"operations":[]}}'"#,
    "answered `started` with control characters in `name`: x\\u{1b}[2J"
)]
#[case::a_million_operations(
    r#"printf '{"kind":"started","protocol":1,"name":"x","supports":{"operations":["a"'; yes ',"apply"' | tr -d '\n' | head -c 8000000; echo ']}}'"#,
    "a list of more than 1000 items"
)]
fn an_unbounded_reply_to_start_exits_with_3(#[case] start: &str, #[case] message: &str) {
    let ran = run(&adapter_that_starts_with(start), &["--timeout", "20"]);
    assert_eq!(ran.code, Some(3), "{}", ran.text);
    assert!(ran.text.contains(message), "{}", ran.text);
    assert!(ran.text.len() < 5_000, "{}", ran.text.len());
}

#[rstest]
#[case::refused(r#"{"kind":"refused","seq":SEQ,"error":{"kind":"k\u001b[2J","message":"m\u001b[2J\u0007"}}"#)]
#[case::an_error(r#"{"kind":"error","seq":SEQ,"message":"m\u001b[2J"}"#)]
#[case::unsupported(r#"{"kind":"unsupported","seq":SEQ,"reason":"m\u001b[2J"}"#)]
#[case::an_unknown_kind(r#"{"kind":"k\u001b[2J","seq":SEQ}"#)]
#[case::no_reply("\u{1b}[2J")]
fn messages_of_a_target_cannot_control_the_terminal(#[case] reply: &str) {
    let on_bad = format!("printf '%s\\n' '{}'", reply.replace("SEQ", "'$seq'"));
    let ran = run(&adapter(&on_bad), &["--jobs", "1", "--rows", "case", "--columns", "status"]);
    assert!(!ran.text.contains(['\u{1b}', '\u{7}']), "{:?}", ran.text);
    assert_eq!(ran.count("pass"), 3, "{}", ran.text);
}

#[test]
fn unknown_names_among_the_capabilities_are_reported() {
    let script = adapter("good").replace(r#"["apply"]"#, r#"["apply","aply"],"lookups":["opanapi"]"#);
    let hints = [
        "`supports.operations` has the unknown name `aply`: did you mean `apply`?",
        "`supports.lookups` has the unknown name `opanapi`: did you mean `openapi`?",
    ];
    let ran = run(&script, &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.text);
    let dir = tempfile::tempdir().unwrap();
    let check = skewer(&["target", "check", &write_script(dir.path(), &script)]);
    for hint in hints {
        assert!(ran.text.contains(hint), "{}", ran.text);
        assert!(stdout(&check).contains(&format!("WARNING      {hint}")), "{}", stdout(&check));
    }
    assert_eq!(check.status.code(), Some(1));
}

#[rstest]
#[case("run")]
#[case("differential")]
fn zero_threads_are_refused(#[case] command: &str) {
    let output = skewer(&[command, "--jobs", "0"]);
    assert_eq!(output.status.code(), Some(2));
    let text = all_output(&output);
    assert!(
        text.contains("expected a number of threads of at least 1 (default: one thread per processor)"),
        "{text}"
    );
}

/// Most computers could not start a million threads.
#[test]
fn the_numbers_of_threads_and_processes_are_limited_by_the_number_of_cells() {
    let dir = tempfile::tempdir().unwrap();
    let started = dir.path().join("started");
    let script = format!("echo $$ >> {}\n{}", started.display(), adapter("good"));
    let ran = run(&script, &["--jobs", "1000000", "--processes", "1000", "--timeout", "20"]);
    assert_eq!(ran.statuses, ["pass"; 4], "{}", ran.text);
    let processes = std::fs::read_to_string(&started).unwrap().lines().count();
    assert!(processes <= 4, "{processes}");
    let output = skewer_command()
        .args(["run", "--corpus", corpus().path().to_str().unwrap(), "--jobs", "99999999999999999999"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", all_output(&output));
}
