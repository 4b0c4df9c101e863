//! Misbehaving targets: only the cells that they do not answer correctly fail.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use rstest::rstest;
use skewer_results::{Status, json};

use crate::helpers::adapters::{adapter, corpus, run, run_corpus_on, write_script};
use crate::helpers::{all_output, embedded_results, folder_with, report_argument, skewer, stderr, stdout};

/// With four threads and one process, several requests are open when the target fails. The failing request must be
/// found among them.
#[rstest]
#[case::answers_well("good", "pass", "")]
#[case::crashes(
    "echo 'it broke' >&2; exit 7",
    "crash",
    "ended with exit status: 7\nits standard error ends with:\nit broke"
)]
#[case::is_killed("kill -9 $$", "crash", "ended with signal: 9")]
#[case::hangs("sleep 30", "timeout", "did not answer within 2s")]
#[case::answers_nonsense("echo 'nonsense'", "crash", "wrote a line that is not a valid reply")]
#[case::answers_without_seq(
    r#"echo '{"kind":"error","message":"what?"}'"#,
    "crash",
    "answered with an error: what?"
)]
#[case::cannot_read_the_request(
    r#"echo "{\"kind\":\"error\",\"seq\":$seq,\"message\":\"what?\"}""#,
    "crash",
    "answered with an error: what?"
)]
#[case::omits_the_result(
    r#"echo "{\"kind\":\"result\",\"seq\":$seq}""#,
    "crash",
    "answered `result` without a `result`"
)]
#[case::answers_with_a_bad_document(
    r#"echo "{\"kind\":\"result\",\"seq\":$seq,\"result\":{\"a\":1,\"a\":2}}""#,
    "crash",
    "duplicate key"
)]
#[case::sends_started_again(r#"echo "$started""#, "crash", "a second time")]
#[case::floods_stderr("yes line | head -c 3000000 >&2; good", "pass", "")]
#[case::floods_stderr_and_crashes("yes line | head -c 3000000 >&2; exit 1", "crash", "[…]\nline\n")]
#[case::closes_its_output("exec >&-; sleep 30", "crash", "closed its output")]
#[case::panics(
    r#"echo "{\"kind\":\"refused\",\"seq\":$seq,\"error\":{\"kind\":\"panic\",\"message\":\"nil\"}}""#,
    "crash",
    "panic: nil"
)]
#[case::refuses_for_an_unknown_reason(
    r#"echo "{\"kind\":\"refused\",\"seq\":$seq,\"error\":{\"kind\":\"tired\",\"message\":\"m\"}}""#,
    "fail",
    "unknown kind \"tired\": m"
)]
#[case::does_not_support_the_operation(
    r#"echo "{\"kind\":\"unsupported\",\"seq\":$seq,\"reason\":\"no\"}""#,
    "unsupported",
    ""
)]
#[case::answers_twice("good; good", "pass", "1 replies that answer no open request")]
// With a process for each cell, the second answer comes after the last cell has ended.
#[case::answers_again_late("good; sleep 0.2; good", "pass", "1 replies that answer no open request")]
#[case::answers_an_unknown_request(
    r#"good; echo '{"kind":"result","seq":99,"result":{}}'"#,
    "pass",
    "1 replies that answer no open request"
)]
fn a_misbehaving_target_fails_only_the_affected_cell(
    #[case] on_bad: &str,
    #[case] status: &str,
    #[case] message: &str,
    #[values(&["--jobs", "1"], &["--jobs", "4", "--processes", "1"], &["--jobs", "4", "--processes", "4"])]
    arguments: &[&str],
) {
    let ran = run(&adapter(on_bad), arguments);
    assert_eq!(ran.statuses, ["pass", status, "pass", "pass"], "{}", ran.text);
    assert!(ran.text.contains(message), "{}", ran.text);
    let fails = !matches!(status, "pass" | "unsupported");
    assert_eq!(ran.code, Some(i32::from(fails)), "{}", ran.text);
}

#[test]
fn the_reported_standard_error_is_bounded() {
    let ran = run(&adapter("yes line | head -c 3000000 >&2; exit 1"), &[]);
    assert!(ran.text.len() < 50_000, "{}", ran.text.len());
}

/// The adapter answers in the reverse order of the requests.
#[test]
fn replies_can_arrive_out_of_order() {
    let hold = r#"*) held="$seq $held"
      set -- $held
      [ $# -eq 4 ] && for seq in $held; do good; done ;;"#;
    let script = adapter("good").replace("*bad*) good ;;", "").replace("*) good ;;", hold);
    // The adapter answers only when all four requests are open.
    let ran = run(&script, &["--jobs", "4", "--processes", "1"]);
    assert_eq!(ran.statuses, ["pass"; 4], "{}", ran.text);
}

#[rstest]
#[case::exits_at_start("exit 5", "ended with exit status: 5")]
#[case::says_nothing("sleep 30", "did not answer `start` within 2s")]
#[case::says_nonsense("echo Welcome!; sleep 30", "Welcome!")]
#[case::speaks_another_version(
    r#"echo '{"kind":"started","protocol":9,"name":"x","supports":{"operations":[]}}'; sleep 30"#,
    "speaks version 9"
)]
#[case::refuses_to_start(r#"echo '{"kind":"error","message":"not today"}'; sleep 30"#, "not today")]
fn a_target_that_does_not_start_exits_with_3(#[case] script: &str, #[case] message: &str) {
    let ran = run(script, &[]);
    assert_eq!(ran.code, Some(3), "{}", ran.text);
    assert!(ran.text.contains(message), "{}", ran.text);
}

#[rstest]
#[case::a_missing_file(
    "/no/such/program --fast",
    "`/no/such/program --fast` is not found: there is no file /no/such/program"
)]
#[case::a_missing_program(
    "no-such-program -x",
    "`no-such-program -x` is not found: no folder of PATH has the program no-such-program"
)]
#[case::a_missing_interpreter(
    "DIR/script",
    "`DIR/script` does not run: the interpreter that DIR/script names is not found"
)]
#[case::a_folder("DIR", "`DIR` does not run: Permission denied (os error 13)")]
fn a_missing_adapter_exits_with_3(#[case] command: &str, #[case] why: &str) {
    let folder = folder_with(&[("script", "#!/no/such/interpreter\n")]);
    let name = folder.path().to_str().unwrap();
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path().join("script"), executable).unwrap();
    let target = format!("exec:{command}").replace("DIR", name);
    let output = skewer(&["run", "retain-keys/errata", "--target", &target]);
    assert_eq!(output.status.code(), Some(3));
    let message = format!("the target cannot be started: {}\n", why.replace("DIR", name));
    assert_eq!(stderr(&output), message);
}

#[test]
fn a_target_that_cannot_be_restarted_is_given_up_and_exits_with_3() {
    let dir = tempfile::tempdir().unwrap();
    let flag = dir.path().join("dead");
    let script = format!(
        "[ -e {0} ] && exit 4\n{1}",
        flag.display(),
        adapter(&format!("touch {}; exit 1", flag.display()))
    );
    let ran = run(&script, &["--jobs", "1"]);
    assert_eq!(ran.code, Some(3), "{}", ran.text);
    assert_eq!(ran.statuses, ["pass", "crash", "not-run", "not-run"], "{}", ran.text);
    assert!(ran.text.contains("cannot be started again: ended with exit status: 4"), "{}", ran.text);
}

/// The child process of a killed script keeps the pipes open.
#[test]
fn the_child_processes_of_a_killed_target_are_not_waited_for() {
    let begun = Instant::now();
    let ran = run(&adapter("sleep 30 & wait"), &["--timeout", "0.5"]);
    assert_eq!(ran.statuses, ["pass", "timeout", "pass", "pass"], "{}", ran.text);
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
}

#[test]
fn target_check_prints_the_capabilities_and_the_results_of_samples() {
    let dir = tempfile::tempdir().unwrap();
    let target = write_script(dir.path(), &adapter("good"));
    let output = skewer(&["target", "check", &target]);
    let text = stdout(&output);
    assert!(text.starts_with("test\n  operations: apply\n"), "{text}");
    assert!(text.contains("DIFFERENT    apply: items merge by key"), "{text}");
    // The operations that the adapter lacks are one entry, however many samples they have.
    assert!(text.contains("\nunsupported  two-way, three-way, conflicts, merge, "), "{text}");
    assert_eq!(text.matches("unsupported").count(), 1, "{text}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn target_check_passes_for_the_built_in_engine() {
    let output = skewer(&["target", "check", "builtin"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
}

/// An adapter that lists its directives is not asked about patches with others. One that says nothing is asked, so that
/// reports show what it does with them.
#[rstest]
#[case::not_said("", ["pass", "pass", "pass"])]
#[case::one(r#","directives":["$patch"]"#, ["pass", "pass", "unsupported"])]
#[case::none(r#","directives":[]"#, ["pass", "unsupported", "unsupported"])]
fn a_target_that_lists_directives_is_asked_only_about_them(
    #[case] directives: &str,
    #[case] expected: [&str; 3],
) {
    let corpus = folder_with(&[(
        "directives.yaml",
        r#"suite: directives
about: Patches with directives.
schema:
  go: |
    type Holder struct {
      Name string `json:"name"`
    }
  root: Holder
cases:
  - {id: a, live: {name: x}, patch: {name: good}, expect: [{result: {name: good}}]}
  - {id: b, live: {name: x}, patch: {$patch: merge, name: good}, expect: [{result: {name: good}}]}
  - {id: c, live: {name: x}, patch: {$retainKeys: [name], name: good}, expect: [{result: {name: good}}]}
"#,
    )]);
    let operations = r#""operations":["apply"]"#;
    let script = adapter("good").replace(operations, &format!("{operations}{directives}"));
    let ran = run_corpus_on(&corpus, &script, &[]);
    assert_eq!(ran.statuses, expected, "{}", ran.text);
}

/// The life cycle of a deviation file: it is created from a run, explained, used, and updated when the target is fixed.
#[test]
fn deviations_are_created_explained_used_and_removed() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus();
    let refuses =
        r#"echo "{\"kind\":\"refused\",\"seq\":$seq,\"error\":{\"kind\":\"conflict\",\"message\":\"m\"}}""#;
    let file = dir.path().join("known.yaml");
    let skewer_on = |on_bad: &str, command: &[&str]| {
        let target = write_script(dir.path(), &adapter(on_bad));
        let mut arguments = command.to_vec();
        arguments.extend(["--corpus", corpus.path().to_str().unwrap(), "--target", &target]);
        arguments.extend(["--deviations", file.to_str().unwrap()]);
        let output = skewer(&arguments);
        (output.status.code(), all_output(&output))
    };

    let (code, text) = skewer_on(refuses, &["deviations", "--fix", "four/a"]);
    assert_eq!(code, Some(2), "--fix with a part of the corpus is refused: {text}");
    let (code, text) = skewer_on(refuses, &["deviations", "--fix"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("added without a reason: four/b"), "{text}");
    let (code, text) = skewer_on(refuses, &["run"]);
    assert_eq!(code, Some(1), "the entry is unexplained: {text}");
    assert!(text.contains("the deviation is unexplained"), "{text}");

    let explained = std::fs::read_to_string(&file).unwrap().replace("unexplained", "it is like that");
    std::fs::write(&file, explained).unwrap();
    assert_eq!(skewer_on(refuses, &["run"]).0, Some(0));
    assert_eq!(
        skewer_on(refuses, &["run", "four/a"]).0,
        Some(0),
        "a run of a part of the corpus does not report unused entries"
    );
    assert_eq!(skewer_on(refuses, &["deviations", "--fix"]).0, Some(0));

    let (code, text) = skewer_on("exit 1", &["run"]);
    assert_eq!(code, Some(1));
    assert!(
        text.contains("the known deviation of this cell is a different one: {error: conflict}"),
        "{text}"
    );
    let (code, text) = skewer_on("good", &["run"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("lists this cell as a failure: {error: conflict}"), "{text}");
    let (_, text) = skewer_on("good", &["deviations", "--fix"]);
    assert!(text.contains("removed: {error: conflict}"), "{text}");
    assert_eq!(skewer_on("good", &["run"]).0, Some(0));
}

/// The runner and `skewer serve` are the two sides of the adapter protocol, so that this test covers both.
#[test]
#[ignore = "takes a minute without optimisation: `cargo xtask all` runs it"]
fn the_corpus_passes_on_the_built_in_engine_behind_the_protocol() {
    let target = format!("exec:'{}' serve", env!("CARGO_BIN_EXE_skewer"));
    // A target receives compiled types, so that it cannot be asked about invalid type declarations.
    // `skewer serve` decides on unions, but not by the policies that have operations of their own.
    let left_out = [
        "/declarations/",
        "a-strategy-that-there-is-not",
        "delete-is-no-tag",
        "goals-and-stories/none-",
        "implementations/unions",
        // Two thirds of the cells. The rows that the KEP cites have the same clients and servers.
        "unions/kep-matrix",
    ];
    let skips: Vec<&str> = left_out.iter().flat_map(|pattern| ["--skip", *pattern]).collect();
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join("theirs.json");
    let report = report_argument("json", &path);
    let arguments = ["run", "--report", &report, "--target", &target, "--timeout", "60"];
    let output = skewer(&[arguments.as_slice(), skips.as_slice()].concat());
    let theirs = json::read(&path).unwrap();
    let mut ours = embedded_results().cells.iter();
    let asks_for_old_releases = [
        "upstream/api-servers",
        "upstream/custom-resources",
        "server-side-apply/old-releases",
        "server-side-apply/status",
    ];
    let (mut not_asked, mut of_other_libraries, mut of_definitions) = (0, 0, 0);
    for theirs in &theirs.cells {
        let ours = ours.find(|ours| ours.id == theirs.id).expect("the results are in the order of ids");
        if theirs.status == Status::NotAsked {
            not_asked += 1;
        } else if theirs.message_text().as_deref() == Some("an API server has only the built-in kinds") {
            // The protocol has no definition for a whole request.
            of_definitions += 1;
        } else if theirs.status == Status::Unsupported && asks_for_old_releases.contains(&&*theirs.suite) {
            // `skewer serve` is the newest release. The protocol cannot ask for the libraries of an old release, or for lists in
            // structs.
            let reason = theirs.message_text().unwrap_or_default();
            assert!(
                reason.starts_with(
                    "the target does not say its release, so that it is taken for kubernetes-1.37"
                ) || reason.starts_with("the target cannot behave as the patch library of a release before")
                    || reason.starts_with("the target merges into lists decoded from JSON"),
                "{theirs:?}"
            );
            of_other_libraries += 1;
        } else {
            assert_eq!((theirs.status, theirs.outcome), (Status::Pass, ours.outcome), "{theirs:?}");
        }
    }
    assert_eq!(of_other_libraries, 402);
    assert!((1..10).contains(&of_definitions), "{of_definitions}");
    assert!(
        (1_500..1_700).contains(&not_asked) && theirs.cells.len() > 12_000,
        "{not_asked} of {}",
        theirs.cells.len()
    );
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
}
