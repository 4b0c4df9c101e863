//! Differential runs: the built-in engine against the Go library if its adapter is available, and against mutants of
//! itself.

use std::sync::atomic::{AtomicU64, Ordering};

use skewer_engine::OwnedDoc;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::builtin;
use skewer_skew::{BuiltIn, Operation, OperationKind, Operations};
use skewer_targets::{BuiltInTarget, OperationError, Target, TargetFailure, TargetInfo};
use skewer_trials::differential::{
    AnswerCategories, DifferentialPlan, TrialTypeSource, request_types, run, trial_operations,
};

use crate::helpers::{go_adapter_target, skewer, split_output};

fn plan(operations: &[OperationKind], count: u64) -> DifferentialPlan {
    DifferentialPlan {
        request_types: Vec::new(),
        seed: 1,
        first: 0,
        count,
        operations: operations.to_vec(),
        type_source: TrialTypeSource::Random,
    }
}

/// Every difference must be explained by a rule. CI builds the adapter and sets `SKEWER_GO_ADAPTER`.
#[test]
fn the_go_library_agrees_on_random_types() {
    let Some(target) = go_adapter_target() else { return };
    let report = run(&plan(&trial_operations(), 30_000), &target, &|_| ()).unwrap();
    assert!(!report.has_failed(), "{}", report.text());
    assert_eq!(report.trials(), 30_000);
    // The trials reach all errors of the library that documents can cause.
    assert_eq!(report.upstream_errors.unseen_errors(), [""; 0], "{}", report.text());
}

#[test]
fn the_go_library_agrees_on_built_in_kinds() {
    let Some(target) = go_adapter_target() else { return };
    let type_source = TrialTypeSource::of_release(builtin::newest()).unwrap();
    let report =
        run(&DifferentialPlan { type_source, ..plan(&trial_operations(), 10_000) }, &target, &|_| ())
            .unwrap();
    assert_eq!((report.has_failed(), report.trials()), (false, 10_000), "{}", report.text());
}

/// Both names stand for sequences of both kinds of requests.
const FIELD_MANAGER: [OperationKind; 1] = [OperationKind::ServerSideApply];

#[test]
fn the_go_library_agrees_on_sequences_over_random_types() {
    let Some(target) = go_adapter_target() else { return };
    let report = run(&plan(&FIELD_MANAGER, 2_000), &target, &|_| ()).unwrap();
    assert!(!report.has_failed(), "{}", report.text());
    assert_eq!(report.sequences.sequences, 2_000);
    let rare: Vec<&str> = report.sequences.rare_events();
    assert_eq!(rare, [""; 0], "{}", report.text());
}

#[test]
fn the_go_library_agrees_on_sequences_over_built_in_kinds() {
    let Some(target) = go_adapter_target() else { return };
    let type_source = TrialTypeSource::of_release(builtin::newest()).unwrap();
    let report =
        run(&DifferentialPlan { type_source, ..plan(&FIELD_MANAGER, 1_000) }, &target, &|_| ()).unwrap();
    assert_eq!((report.has_failed(), report.sequences.sequences), (false, 1_000), "{}", report.text());
    assert_eq!(report.sequences.rare_events(), [""; 0], "{}", report.text());
}

#[test]
fn the_engine_agrees_with_itself_on_sequences() {
    let report = run(&plan(&FIELD_MANAGER, 300), &BuiltInTarget, &|_| ()).unwrap();
    assert!(!report.has_failed(), "{}", report.text());
    assert!(report.counts.contains_key(&OperationKind::ManagedUpdate.into()));
}

/// The built-in engine answers requests to an API server of any release.
#[test]
fn the_engine_agrees_with_itself_on_requests() {
    let type_source = TrialTypeSource::of_server(builtin::newest(), builtin::newest().minor()).unwrap();
    let plan = DifferentialPlan {
        request_types: request_types(),
        type_source,
        ..plan(&[OperationKind::Request], 1_000)
    };
    let report = run(&plan, &BuiltInTarget, &|_| ()).unwrap();
    assert!(!report.has_failed(), "{}", report.text());
    assert_eq!((report.trials(), report.counts.len()), (1_000, 5), "{}", report.text());
}

#[test]
fn a_plan_with_sequences_and_single_requests_is_refused() {
    let operations = [OperationKind::Merge, OperationKind::Request];
    let error = run(&plan(&operations, 1), &BuiltInTarget, &|_| ()).unwrap_err();
    assert!(error.starts_with("`request` is compared with an API server"), "{error}");
    let operations = [OperationKind::Merge, OperationKind::ManagedUpdate];
    let error = run(&plan(&operations, 1), &BuiltInTarget, &|_| ()).unwrap_err();
    assert!(error.starts_with("`managed-update` is compared in sequences of requests"), "{error}");
}

#[test]
fn an_operation_without_random_documents_is_refused() {
    let error = run(&plan(&[OperationKind::UpgradeManagedFields], 1), &BuiltInTarget, &|_| ()).unwrap_err();
    assert_eq!(error, "`upgrade-managed-fields` is not compared on random documents");
}

/// The built-in engine, which takes every apply request as forced.
#[derive(Debug)]
struct AlwaysForced;

impl Target for AlwaysForced {
    fn info(&self) -> TargetInfo {
        TargetInfo { name: "always-forced".to_owned(), version: None, language: None }
    }

    fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
        self
    }
}

impl Operations<TargetFailure> for AlwaysForced {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
        let mut options = operation.options();
        options.field_manager.force = true;
        BuiltIn.perform(&operation.with_options(options))
    }
}

#[test]
fn a_missing_conflict_is_found_and_its_sequence_is_shrunk() {
    let report = run(&plan(&FIELD_MANAGER, 32), &AlwaysForced, &|_| ()).unwrap();
    let categories = AnswerCategories { ours: "conflict".to_owned(), theirs: "a result".to_owned() };
    let found = report.differences.iter().find(|found| found.categories == categories);
    let case = &found.unwrap_or_else(|| panic!("{}", report.text())).case;
    assert!(case.matches("\n      - ").count() <= 4 && case.len() < 3_000, "{case}");
}

#[test]
fn the_engine_agrees_with_itself() {
    let report = run(&plan(&trial_operations(), 3_000), &BuiltInTarget, &|_| ()).unwrap();
    assert_eq!(
        (report.has_failed(), report.text().contains("\nexplained differences:")),
        (false, false),
        "{}",
        report.text()
    );
}

/// The built-in engine without one directive.
#[derive(Debug)]
struct WithoutDirective(&'static str);

impl Target for WithoutDirective {
    fn info(&self) -> TargetInfo {
        TargetInfo { name: "without-directive".to_owned(), version: None, language: None }
    }

    fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
        self
    }
}

impl Operations<TargetFailure> for WithoutDirective {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
        let without_directive = |context: &PatchContext| PatchContext {
            directives: context.directives.without(self.0),
            ..context.clone()
        };
        match (operation.kind(), operation.context()) {
            (OperationKind::Apply | OperationKind::TwoWay, Some(context)) => {
                BuiltIn.perform(&operation.with_context(&without_directive(context)))
            }
            _ => BuiltIn.perform(operation),
        }
    }
}

/// The built-in engine with a wrong answer to every second operation.
#[derive(Debug, Default)]
struct EverySecondAnswerWrong(AtomicU64);

impl Target for EverySecondAnswerWrong {
    fn info(&self) -> TargetInfo {
        TargetInfo { name: "every-second-answer-wrong".to_owned(), version: None, language: None }
    }

    fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
        self
    }
}

impl Operations<TargetFailure> for EverySecondAnswerWrong {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
        if self.0.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
            return Ok(OwnedDoc::from("something else"));
        }
        BuiltIn.perform(operation)
    }
}

/// Retries explain all differences by `map-order`, but the rule exceeds its cap.
#[test]
fn a_target_that_is_wrong_half_of_the_time_fails_the_run() {
    let report =
        run(&plan(&[OperationKind::Merge], 640), &EverySecondAnswerWrong::default(), &|_| ()).unwrap();
    assert_eq!(report.difference_count, 0, "{}", report.text());
    assert!(report.has_failed());
    let [exceeded] = report.exceeded_caps()[..] else { panic!("{}", report.text()) };
    assert_eq!(exceeded.rule, "map-order");
    assert!(report.text().contains("TOO MANY: map-order explains"), "{}", report.text());
}

#[test]
fn a_missing_directive_is_found_and_its_trial_is_shrunk() {
    for name in ["$patch", "$retainKeys", "$setElementOrder", "$deleteFromPrimitiveList"] {
        for kind in [OperationKind::Apply, OperationKind::TwoWay] {
            let report = run(&plan(&[kind], 120), &WithoutDirective(name), &|_| ()).unwrap();
            assert!(report.difference_count > 0, "no difference for {name} in {}", kind.name());
            let small = |text: &str| text.contains(name) && text.len() < 700;
            let mut found = report.differences.iter();
            assert!(
                found.any(|found| small(&(found.ours.clone() + &found.case))),
                "{name}: {}",
                report.text()
            );
        }
    }
}

/// The program is an adapter, too: both sides are the same engine.
#[test]
fn the_program_compares_rules_with_an_adapter() {
    let adapter = format!("exec:'{}' serve", env!("CARGO_BIN_EXE_skewer"));
    let arguments = ["differential", "--rules", "--count", "48", "--jobs", "1", "--target", &adapter];
    let (code, out, err) = split_output(&skewer(&arguments));
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.starts_with("rules: builtin against skewer ") && out.contains(", 0 different"), "{out}");
    for step in ["rules that are refused", "rules that do not hold", "rules that cannot be evaluated"] {
        assert!(out.contains(step), "{out}");
    }
}

/// The program is an adapter, too: both sides are the same engine.
#[test]
fn the_program_compares_definitions_with_an_adapter() {
    let adapter = format!("exec:'{}' serve", env!("CARGO_BIN_EXE_skewer"));
    let arguments = ["differential", "--definitions", "--count", "40", "--jobs", "1", "--target", &adapter];
    let (code, out, err) = split_output(&skewer(&arguments));
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(
        out.starts_with("definitions: builtin against skewer ") && out.contains("40 compared, 0 different"),
        "{out}"
    );
}
