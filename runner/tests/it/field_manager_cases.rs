//! Cases with the operations of a field manager: the comparison of managed fields and of conflicts.

use rstest::rstest;
use skewer_cases::{Corpus, CorpusFile};
use skewer_engine::document::from_json;
use skewer_engine::error::{ManagerConflict, ManagerOperation};
use skewer_engine::{Error, OwnedDoc};
use skewer_execute::execute::{ExecutionOptions, StepRecording, run_cell};
use skewer_results::{Cell, Status};
use skewer_skew::{Operation, Operations};
use skewer_targets::{OperationError, Target, TargetFailure, TargetInfo};

/// The answer of the target to a request without `force`.
const RESULT: &str = r#"{"apiVersion":"v1","kind":"Holder","metadata":{"managedFields":[
    {"manager":"a","operation":"Apply","fieldsType":"FieldsV1","fieldsV1":"{\"f:b\":{},\"f:a\":{\".\":{},\"v:1\":{}}}"},
    {"manager":"b","operation":"Update","time":"2026-01-01T00:00:00Z","fieldsV1":"{}"}
]},"name":"x"}"#;

/// A target that answers [`RESULT`], and a conflict with two managers if the request has `force`.
#[derive(Debug)]
struct FixedAnswers;

impl Target for FixedAnswers {
    fn info(&self) -> TargetInfo {
        TargetInfo { name: "fixed-answers".to_owned(), version: None, language: None }
    }

    fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
        self
    }
}

impl Operations<TargetFailure> for FixedAnswers {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
        let options = operation.options().field_manager;
        assert_eq!((options.manager, options.subresource), ("m", "scale"));
        if !options.force {
            return Ok(from_json(RESULT.as_bytes()).unwrap());
        }
        let conflict = |manager: &str, path: &str| ManagerConflict {
            manager: manager.to_owned(),
            path: path.to_owned(),
            operation: ManagerOperation::Update,
            api_version: Some("v1".to_owned()),
            subresource: None,
        };
        Err(Error::apply_conflict(vec![conflict("b", ".name"), conflict("a", ".set")], "two conflicts")
            .into())
    }
}

/// Runs a server-side apply without a schema.
fn run(force: bool, expectation: &str) -> Cell {
    let suite = format!(
        "suite: owners\nabout: Owners.\ncases:\n  - id: x\n    request: server-side-apply\n    manager: m\n    \
         subresource: scale\n    force: {force}\n    live: {{}}\n    \
         configuration: {{apiVersion: v1, kind: Holder, name: x}}\n    expect:\n{expectation}"
    );
    let (path, display_name) = ("owners.yaml".into(), "owners.yaml".into());
    let corpus = Corpus::load(vec![CorpusFile { path, display_name, content: suite.into(), folder: None }]);
    let corpus = corpus.unwrap_or_else(|error| panic!("{error}"));
    let cell = corpus.cells().next().unwrap();
    run_cell(
        &cell,
        &FixedAnswers,
        &ExecutionOptions { steps: StepRecording::Always, ..ExecutionOptions::default() },
    )
}

#[rstest]
#[case::as_maps("{f:a: {.: {}, v:1: {}}, f:b: {}}", Status::Pass)]
#[case::as_text(r#"'{"f:a":{".":{},"v:1":{}},"f:b":{}}'"#, Status::Pass)]
#[case::another_set("{f:a: {.: {}}, f:b: {}}", Status::Fail)]
fn managed_fields_are_compared_as_sets(#[case] fields: &str, #[case] expected: Status) {
    let cell = run(
        false,
        &format!(
            r"      - result:
          apiVersion: v1
          kind: Holder
          metadata:
            managedFields:
              - {{manager: a, operation: Apply, fieldsType: FieldsV1, fieldsV1: {fields}}}
              - {{manager: b, operation: Update, fieldsV1: {{}}}}
          name: x
"
        ),
    );
    assert_eq!(cell.status, expected, "{cell:?}");
    let notes: Vec<_> = cell.steps.iter().filter_map(|step| step.note.as_deref()).collect();
    assert!(notes.contains(&"the apply configuration"), "{notes:?}");
}

#[rstest]
#[case::in_any_order("[{manager: b, path: .name}, {manager: a, path: .set}]", Status::Pass)]
#[case::one_is_missing("[{manager: b, path: .name}]", Status::Fail)]
#[case::another_path("[{manager: b, path: .name}, {manager: a, path: .sets}]", Status::Fail)]
#[case::another_manager("[{manager: c, path: .name}, {manager: a, path: .set}]", Status::Fail)]
fn conflicts_must_match_exactly(#[case] conflicts: &str, #[case] expected: Status) {
    let cell = run(true, &format!("      - error: conflict\n        conflicts: {conflicts}\n"));
    assert_eq!(cell.status, expected, "{cell:?}");
    let written = cell.expected_text().unwrap();
    assert!(written.starts_with("refused: conflict with "), "{written}");
}

#[test]
fn any_conflicts_match_an_error_without_conflicts() {
    assert_eq!(run(true, "      - error: conflict\n").status, Status::Pass);
}
