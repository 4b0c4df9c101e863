//! Differential runs: the built-in engine against the Go library if its adapter is available, and against mutants of
//! itself.

use std::sync::atomic::{AtomicU64, Ordering};

use skewer::differential::{DifferentialPlan, TypeSource, run};
use skewer::targets::{BuiltInTarget, OperationError, Target, TargetFailure, TargetInfo};
use skewer_engine::OwnedDoc;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::builtin;
use skewer_engine::skew::{BuiltIn, Operation, OperationKind, Operations};

use crate::helpers::go_adapter_target;

fn plan(operations: &[OperationKind], count: u64) -> DifferentialPlan {
    DifferentialPlan {
        seed: 1,
        first: 0,
        count,
        operations: operations.to_vec(),
        type_source: TypeSource::Random,
    }
}

/// Every difference must be explained by a rule. CI builds the adapter and sets `SKEWER_GO_ADAPTER`.
#[test]
fn the_go_library_agrees_on_random_types() {
    let Some(target) = go_adapter_target() else { return };
    let report = run(&plan(OperationKind::ALL, 30_000), &target, &|_| ()).unwrap();
    assert!(!report.has_failed(), "{}", report.text());
    assert_eq!(report.trials(), 30_000);
    // The trials reach all errors of the library that documents can cause.
    assert_eq!(report.upstream_errors.unseen_errors(), [""; 0], "{}", report.text());
}

#[test]
fn the_go_library_agrees_on_built_in_kinds() {
    let Some(target) = go_adapter_target() else { return };
    let type_source = TypeSource::of_release(builtin::newest()).unwrap();
    let report =
        run(&DifferentialPlan { type_source, ..plan(OperationKind::ALL, 10_000) }, &target, &|_| ()).unwrap();
    assert_eq!((report.has_failed(), report.trials()), (false, 10_000), "{}", report.text());
}

#[test]
fn the_engine_agrees_with_itself() {
    let report = run(&plan(OperationKind::ALL, 3_000), &BuiltInTarget, &|_| ()).unwrap();
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
        if self.0.fetch_add(1, Ordering::Relaxed) % 2 == 0 {
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
            let report = run(&plan(&[kind], 640), &WithoutDirective(name), &|_| ()).unwrap();
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
