//! The built-in engine on random documents: against the Go library where its adapter is, and against itself with
//! one thing changed, which must be found.

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

/// The same documents and the same answers, or a reason why not. CI builds the adapter and names it.
#[test]
fn the_go_library_gives_the_same_answers() {
    let Some(target) = go_adapter_target() else { return };
    let report = run(&plan(OperationKind::ALL, 30_000), &target, &|_| ()).unwrap();
    assert!(!report.has_failed(), "{}", report.text());
    assert_eq!(report.trials(), 30_000);
    // As many trials as it takes to meet everything that the library can refuse.
    assert_eq!(report.upstream_errors.unseen_errors(), [""; 0], "{}", report.text());
}

/// The same on objects of built-in kinds, with their pointers and bytes.
#[test]
fn the_go_library_gives_the_same_answers_on_built_in_kinds() {
    let Some(target) = go_adapter_target() else { return };
    let type_source = TypeSource::of_release(builtin::newest()).unwrap();
    let report =
        run(&DifferentialPlan { type_source, ..plan(OperationKind::ALL, 10_000) }, &target, &|_| ()).unwrap();
    assert_eq!((report.has_failed(), report.trials()), (false, 10_000), "{}", report.text());
}

#[test]
fn an_engine_agrees_with_itself() {
    let report = run(&plan(OperationKind::ALL, 3_000), &BuiltInTarget, &|_| ()).unwrap();
    assert_eq!(
        (report.has_failed(), report.text().contains("\nexplained differences:")),
        (false, false),
        "{}",
        report.text()
    );
}

/// The built-in engine, ignorant of one directive.
#[derive(Debug)]
struct Ignorant(&'static str);

impl Target for Ignorant {
    fn info(&self) -> TargetInfo {
        TargetInfo { name: "ignorant".to_owned(), version: None, language: None }
    }

    fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
        self
    }
}

impl Operations<TargetFailure> for Ignorant {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
        let forgetful = |context: &PatchContext| PatchContext {
            directives: context.directives.without(self.0),
            ..context.clone()
        };
        match (operation.kind(), operation.context()) {
            (OperationKind::Apply | OperationKind::TwoWay, Some(context)) => {
                BuiltIn.perform(&operation.with_context(&forgetful(context)))
            }
            _ => BuiltIn.perform(operation),
        }
    }
}

/// The built-in engine, which gives a wrong answer to every other question.
#[derive(Debug, Default)]
struct Fickle(AtomicU64);

impl Target for Fickle {
    fn info(&self) -> TargetInfo {
        TargetInfo { name: "fickle".to_owned(), version: None, language: None }
    }

    fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
        self
    }
}

impl Operations<TargetFailure> for Fickle {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
        if self.0.fetch_add(1, Ordering::Relaxed) % 2 == 0 {
            return Ok(OwnedDoc::from("something else"));
        }
        BuiltIn.perform(operation)
    }
}

/// Each of its answers is ours at times, and so nothing is unexplained: but a reason that explains everything explains too much.
#[test]
fn a_target_that_answers_at_random_is_not_equal() {
    let report = run(&plan(&[OperationKind::Merge], 640), &Fickle::default(), &|_| ()).unwrap();
    assert_eq!(report.difference_count, 0, "{}", report.text());
    assert!(report.has_failed());
    let [exceeded] = report.exceeded_caps()[..] else { panic!("{}", report.text()) };
    assert_eq!(exceeded.rule, "map-order");
    assert!(report.text().contains("TOO MANY: map-order explains"), "{}", report.text());
}

/// What is found is made small: it is the directive, and hardly more.
#[test]
fn a_forgotten_directive_is_found() {
    for name in ["$patch", "$retainKeys", "$setElementOrder", "$deleteFromPrimitiveList"] {
        for kind in [OperationKind::Apply, OperationKind::TwoWay] {
            let report = run(&plan(&[kind], 640), &Ignorant(name), &|_| ()).unwrap();
            assert!(report.difference_count > 0, "{name} is not missed in {}", kind.name());
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
