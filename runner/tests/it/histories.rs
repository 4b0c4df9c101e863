//! Cases with requests of other clients: what the cell ends with, and how a wrong expectation fails.

use rstest::rstest;
use skewer_cases::{Corpus, CorpusFile};
use skewer_execute::execute::{ExecutionOptions, StepRecording, run_cell};
use skewer_results::{Cell, Status};
use skewer_targets::BuiltInTarget;

use crate::helpers::adapters::{adapter_with, write_script};
use crate::helpers::{all_output, folder_with, skewer, split_output};

const TYPES: &str = r#"suite: histories
about: Requests of several clients.
schema:
  go: |
    type Object struct {
      A   *int `json:"a,omitempty"`
      B   *int `json:"b,omitempty"`
      New *int `json:"new,omitempty"`
    }
  root: Object
cases:
"#;

fn load(suite: &str) -> Corpus {
    let path = suite.lines().next().and_then(|line| line.strip_prefix("suite: ")).expect("a name");
    let file = CorpusFile {
        path: format!("{path}.yaml"),
        display_name: format!("{path}.yaml"),
        content: suite.as_bytes().to_vec(),
        folder: None,
    };
    Corpus::load(vec![file]).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs all cells of a suite. Returns them by their coordinates.
fn run(suite: &str) -> Vec<Cell> {
    let corpus = load(suite);
    let options = ExecutionOptions { steps: StepRecording::Always, ..ExecutionOptions::default() };
    corpus.cells().map(|cell| run_cell(&cell, &BuiltInTarget, &options)).collect()
}

#[track_caller]
fn assert_all_pass(cells: &[Cell]) {
    for cell in cells {
        assert_eq!(
            cell.status,
            Status::Pass,
            "{}: {:?} {:?}",
            cell.id,
            cell.actual_text(),
            cell.message_text()
        );
    }
}

/// A client applies what it applied before. Meanwhile, it was replaced by an older version.
const DOWNGRADE: &str = r"  - id: downgrade
    axes:
      client:
        old: {without: [Object.new]}
        old-untyped: {without: [Object.new], unstructured: true}
        new: {}
      server: {old: {without: [Object.new]}, new: {}}
    history:
      - {server: {}, request: server-side-apply, document: {a: 1, new: 1}}
    request: server-side-apply
    configuration: {a: 2, new: 1}
    expect:
      - when: {client: old}
        outcome: lost
        owners: [{manager: client, operation: Apply, fields: [.a]}]
        final-states: [{of: ideal, remove: [new]}]
      - when: {server: old}
        outcome: refused
        error: field-not-declared
        at: new
      - outcome: intended
        result: {a: 2, new: 1}
        owners: [{manager: client, operation: Apply, fields: [.new, .a]}]
";

/// Two managers apply the same field.
const CONFLICT: &str = r"  - id: conflict
    axes:
      manager:
        other: {client: {manager: helm}}
        other-forced: {client: {manager: helm, force: true}}
        same: {client: {manager: controller}}
    history:
      - {client: {manager: controller}, request: create, document: {b: 1}}
      - {client: {manager: controller}, request: server-side-apply, document: {a: 1}}
    request: server-side-apply
    configuration: {a: 2}
    expect:
      - when: {manager: other}
        outcome: refused
        error: conflict
        conflicts: [{manager: controller, path: .a}]
      - when: {manager: same}
        outcome: intended
        owners:
          - {manager: controller, operation: Apply, fields: [.a]}
          - {manager: controller, operation: Update, fields: [.b]}
      - outcome: intended
        owners:
          - {manager: helm, operation: Apply, fields: [.a]}
          - {manager: controller, operation: Update, fields: [.b]}
";

/// Another client writes a field between the read and the request.
const MEANWHILE: &str = r"  - id: meanwhile
    axes:
      version: {default: {}, sent: {client: {resource-version: true}}, omitted: {client: {resource-version: false}}}
      request: [update, json-merge-patch]
    live: {a: 1}
    intent: {set: {a: 2}}
    meanwhile:
      - {request: update, intent: {set: {b: 1}}}
    expect:
      - when: {version: [default, omitted], request: json-merge-patch}
        outcome: intended
        result: {a: 2, b: 1}
      - when: {version: omitted}
        outcome: lost
        final-states: [{of: live, set: {a: 2}, remove: [b]}]
      - outcome: refused
        error: conflict
";

/// An old server processed an earlier request, and dropped a field.
const OLD_SERVER: &str = r"  - id: old-server
    axes:
      earlier:
        old: {history: [{server: {without: [Object.new]}, request: update, document: {a: 1, new: 1}}]}
        new: {history: [{request: update, document: {a: 1, new: 1}}]}
    live: {a: 0}
    request: update
    intent: {}
    expect:
      - when: {earlier: old}
        outcome: intended
        result: {a: 1}
      - outcome: intended
        result: {a: 1, new: 1}
";

/// The promise covers only data that the old server could hold.
const PROMISE: &str = r"  - id: promise
    axes:
      client: {old: {without: [Object.new]}, new: {}}
      server: {old: {without: [Object.new]}, new: {}}
      document:
        known: {history: [{request: update, document: {a: 1}}]}
        new: {history: [{server: {}, request: update, document: {a: 1, new: 1}}]}
    before: {client: old, server: old}
    live: {}
    request: update
    intent: {set: {new: 2}}
    expect:
      - when: {client: new, server: new}
        outcome: intended
      - when: {document: known}
        outcome: as-before
        result: {a: 1}
      - outcome: lost
        result: {a: 1}
";

#[rstest]
#[case::downgrade(DOWNGRADE, 6)]
#[case::conflict(CONFLICT, 3)]
#[case::meanwhile(MEANWHILE, 6)]
#[case::old_server(OLD_SERVER, 2)]
#[case::promise(PROMISE, 8)]
fn each_cell_has_the_expected_end(#[case] case: &str, #[case] count: usize) {
    let cells = run(&format!("{TYPES}{case}"));
    assert_eq!(cells.len(), count);
    assert_all_pass(&cells);
}

/// Each part of an expectation is compared: with another one, the cells fail.
#[rstest]
#[case::outcome_of_a_downgrade(DOWNGRADE, "outcome: lost", "outcome: diverged", 2, "lost")]
#[case::owners_of_a_loss(
    DOWNGRADE,
    "fields: [.a]}",
    "fields: [.a, .new]}",
    2,
    "\"client\" by Apply: expected .a .new; actual .a"
)]
#[case::final_state(
    DOWNGRADE,
    "remove: [new]}",
    "remove: [a]}",
    2,
    "the final state is not the pinned document"
)]
#[case::conflicting_field(CONFLICT, "path: .a}", "path: .b}", 1, "conflict with \"controller\": .a")]
#[case::conflicting_manager(
    CONFLICT,
    "{manager: controller, path",
    "{manager: helm, path",
    1,
    "conflict with \"controller\": .a"
)]
#[case::owner_that_is_missing(
    CONFLICT,
    "          - {manager: controller, operation: Update, fields: [.b]}\n",
    "",
    1,
    "\"controller\" by Update: expected no owner; actual .b"
)]
#[case::operation_of_an_owner(
    CONFLICT,
    "{manager: helm, operation: Apply",
    "{manager: helm, operation: Update",
    1,
    "\"helm\" by Apply: expected no owner; actual .a"
)]
#[case::subresource_of_an_owner(
    CONFLICT,
    "{manager: helm, operation: Apply",
    "{manager: helm, subresource: scale, operation: Apply",
    1,
    "\"helm\" by Apply of `scale`: expected .a; actual no owner"
)]
#[case::stale_version(
    MEANWHILE,
    "outcome: refused\n        error: conflict",
    "outcome: intended",
    3,
    "refused: conflict (the object has been modified since it was read"
)]
#[case::lost_update(
    MEANWHILE,
    "remove: [b]}",
    "remove: []}",
    1,
    "the final state is not the pinned document"
)]
#[case::drop_by_an_old_server(OLD_SERVER, "result: {a: 1}", "result: {a: 1, new: 1}", 1, "intended")]
#[case::promise(PROMISE, "outcome: as-before", "outcome: lost", 3, "as-before (ignored)")]
fn a_wrong_expectation_fails(
    #[case] case: &str,
    #[case] right: &str,
    #[case] wrong: &str,
    #[case] failures: usize,
    #[case] shown: &str,
) {
    assert!(case.contains(right), "{right}");
    let cells = run(&format!("{TYPES}{}", case.replacen(right, wrong, 1)));
    let failed: Vec<&Cell> = cells.iter().filter(|cell| cell.status == Status::Fail).collect();
    assert_eq!(failed.len(), failures, "{failed:#?}");
    let text = format!("{:?} {:?}", failed[0].actual_text(), failed[0].message_text()).replace('\\', "");
    assert!(text.contains(shown), "{text}");
}

#[test]
fn a_refused_earlier_request_is_an_error_with_a_hint() {
    let cells = run(&format!("{TYPES}{}", DOWNGRADE.replace("{server: {}, request", "{request")));
    let errors: Vec<&Cell> = cells.iter().filter(|cell| cell.status == Status::Error).collect();
    assert_eq!(errors.len(), 3);
    let message = errors[0].message_text().unwrap_or_default();
    let request =
        "request 1 of 1 in `history` (server-side-apply by \"client\") is refused: field-not-declared (new: ";
    assert!(message.contains(request), "{message}");
    assert!(
        message.contains("give the request a server of its own: `server: {}` is up to date"),
        "{message}"
    );
}

/// A set of a member, where the stored object has another one.
const SET_MEMBER: &str = r#"suite: histories
about: A union.
schema:
  go: |
    type Object struct {
      // +k8s:unionMember
      A *string `json:"a,omitempty"`
      // +k8s:unionMember
      B *string `json:"b,omitempty"`
    }
  root: Object
cases:
  - id: set-member
    server: {policy: declarative}
    live: {a: x}
    intent: {set: {b: y}}
    request: update
    expect:
      - outcome: intended
"#;

#[test]
fn an_ideal_that_is_not_the_expected_document_is_named() {
    let message = |suite: &str| run(suite)[0].message_text().unwrap_or_default();
    let refused = message(SET_MEMBER);
    assert!(refused.contains("ideal: refused: union-several-members"), "{refused}");
    assert!(refused.contains("use `select` to exchange the member"), "{refused}");
    let suite = SET_MEMBER.replace("declarative", "none");
    let other = message(&suite.replace("outcome: intended", "outcome: intended\n        result: {b: y}"));
    assert!(other.contains("ideal: a stored object that differs from the expected result at a"), "{other}");
    assert_eq!(message(&suite), "");
}

#[test]
fn a_second_earlier_request_is_named_with_its_conflict() {
    let suite = TYPES.to_owned()
        + r"  - id: second
    history:
      - {client: {manager: one}, request: server-side-apply, document: {a: 1}}
    meanwhile:
      - {client: {manager: two}, request: server-side-apply, document: {b: 1}}
      - {client: {manager: three}, request: server-side-apply, document: {a: 2}}
    request: server-side-apply
    configuration: {new: 1}
    expect: [{outcome: intended}]
";
    let message = run(&suite)[0].message_text().unwrap_or_default();
    let request = "request 2 of 2 in `meanwhile` (server-side-apply by \"three\") is refused: conflict";
    assert!(message.contains(request), "{message}");
    assert!(message.contains("give the request `client: {force: true}`"), "{message}");
}

/// The case can be run, so that the target is wrong. A deviation file can excuse it.
#[test]
fn an_earlier_request_that_only_the_target_refuses_is_a_failure() {
    let folder = folder_with(&[("histories.yaml", &format!("{TYPES}{CONFLICT}"))]);
    let refuse =
        r#"echo "{\"kind\":\"refused\",\"seq\":$seq,\"error\":{\"kind\":\"conflict\",\"message\":\"m\"}}""#;
    let script = adapter_with("", r#""server-side-apply","managed-update""#, "good")
        .replace("    *) good ;;", &format!("    *) {refuse} ;;"));
    let target = write_script(folder.path(), &script);
    let corpus = folder.path().join("histories.yaml").display().to_string();
    let (code, out, _) = split_output(&skewer(&["run", "--corpus", &corpus, "--target", &target]));
    assert_eq!(code, Some(1), "{out}");
    let kind = "3 failures: fail: a request of `history` or `meanwhile` was refused, which the built-in engine accepts: m";
    assert!(out.contains(kind), "{out}");
    assert!(!out.contains("ERROR"), "{out}");
}

#[test]
fn the_steps_name_the_requests_of_other_clients() {
    let cells = run(&format!("{TYPES}{CONFLICT}{MEANWHILE}"));
    let notes = |of: &Cell| -> Vec<String> {
        let other = of.steps.iter().filter(|step| matches!(&*step.name, "earlier" | "meanwhile" | "request"));
        other.filter_map(|step| step.note.clone()).collect()
    };
    let other = |number: &str| format!("the stored object after request {number}");
    assert_eq!(
        notes(&cells[1]),
        [
            format!("{}: create by \"controller\"", other("1 of 2")),
            format!("{}: server-side-apply by \"controller\"", other("2 of 2")),
            "the apply configuration that the client sends as \"helm\", with force".to_owned(),
        ]
    );
    assert_eq!(notes(&cells[3])[0], format!("{}: update by \"client\"", other("1 of 1")));
}

/// The final states that `--accept` writes have no managed fields.
#[test]
fn accepted_final_states_ignore_managed_fields() {
    let suite =
        format!("{TYPES}{}", DOWNGRADE.replace("        final-states: [{of: ideal, remove: [new]}]\n", ""));
    let dir = folder_with(&[("histories.yaml", &suite)]);
    let folder = dir.path().to_str().expect("a path");
    let output = skewer(&["run", "--accept", "--corpus", folder]);
    let text = std::fs::read_to_string(dir.path().join("histories.yaml")).expect("the suite");
    assert!(
        text.contains("final-states:") && text.contains("remove: [new]"),
        "{}{text}",
        all_output(&output)
    );
    assert!(!text.contains("managedFields"), "{text}");
}

/// Managed fields in expected documents are not compared: the owners are.
#[test]
fn managed_fields_in_documents_are_not_compared() {
    let result = "result: {a: 2, new: 1, metadata: {managedFields: [{manager: other}]}}";
    assert_all_pass(&run(&format!("{TYPES}{}", DOWNGRADE.replace("result: {a: 2, new: 1}", result))));
}

/// The suites in the reference of the case format.
#[rstest]
#[case::histories(include_str!("../../../guide/src/reference/histories.md"), 2)]
#[case::format(include_str!("../../../guide/src/reference/case-format.md"), 6)]
fn the_examples_of_the_guide_pass(#[case] page: &str, #[case] count: usize) {
    let blocks = page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let suites = blocks.filter_map(|block| block.find("suite: ").map(|start| &block[start..]));
    let suites: Vec<&str> = suites.collect();
    assert_eq!(suites.len(), count);
    for suite in suites {
        let cells = run(suite);
        assert!(cells.len() > 1, "{suite}");
        assert_all_pass(&cells);
    }
}

/// An apply that starts empty gives up what its manager applied before, which few authors of a case mean. A case with owners
/// is about owners, and needs no intent.
#[rstest]
#[case::starts_empty("intent: {set: {b: 2}}", "outcome: lost", "the same manager applied others before")]
#[case::starts_with_a_configuration(
    "configuration: {a: 1}\n    intent: {set: {b: 2}}",
    "outcome: intended",
    ""
)]
#[case::no_intent("configuration: {a: 2}", "outcome: intended", "`skewer show` suggests an intent")]
#[case::owners(
    "configuration: {a: 2}",
    "{outcome: intended, owners: [{manager: client, operation: Apply, fields: [.a]}]}",
    ""
)]
fn a_note_says_what_an_author_may_not_have_meant(
    #[case] request: &str,
    #[case] expectation: &str,
    #[case] note: &str,
) {
    let suite = format!(
        "{TYPES}  - id: apply\n    about: Two applies.\n    live: {{}}\n    history:\n      - {{request: server-side-apply, \
         document: {{a: 1}}}}\n    request: server-side-apply\n    {request}\n    expect:\n      - {expectation}\n"
    );
    let folder = folder_with(&[("histories.yaml", &suite)]);
    let output = all_output(&skewer(&["run", "--corpus", &folder.path().display().to_string()]));
    assert!(output.contains("1     1"), "{output}");
    assert_eq!(output.contains("note: "), !note.is_empty(), "{output}");
    assert!(output.contains(note), "{output}");
}
