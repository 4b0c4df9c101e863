//! The run of a cell on the API server of a Kubernetes release.
//!
//! The cell is run twice with a server of that release: on the target, and simulated. The cell passes if both end in the
//! same state, and if this state is as expected. If the server of the cell is just up to date, the expectation is for
//! the types of the case: an older release can end in another state, which the simulation must predict.

use skewer_cases::{Cell, NoApiServerPlan};
use skewer_skew::without_unset_fields;
use skewer_targets::{Target, TargetFailure, TargetFailureKind};

use super::asked_target::AskedTarget;
use super::evaluation::{CellEnd, EvaluationFailure, RecordedSteps, evaluate_plan};
use super::panics;
use super::record::Evaluation;
use super::same_end::{ErrorDifference, MayDiffer, is_same_end};
use super::simulation::Simulation;

/// Runs a cell on an API server of the release 1.`minor`, and in its simulation.
pub(super) fn evaluate_on_api_server(
    cell: &Cell<'_>,
    target: &AskedTarget<'_>,
    minor: u32,
    steps: &mut RecordedSteps,
) -> Result<Evaluation, EvaluationFailure> {
    let planned = match cell.plan_for_api_server(minor) {
        Ok(planned) => planned,
        Err(NoApiServerPlan::Invalid(error)) => return Err(error.into()),
        Err(NoApiServerPlan::NotAbout(why)) => {
            let kind = TargetFailureKind::Unsupported;
            return Err(EvaluationFailure::TargetFailed(TargetFailure { kind, why: why.to_string() }));
        }
    };
    let simulated_server = AskedTarget::with_simulated_server(target.target());
    let simulated = evaluate_plan(cell, planned.plan.clone(), &simulated_server, &mut None)?;
    let end = evaluate_plan(cell, planned.plan, target, steps)?;
    let simulation = Simulation {
        minor,
        is_same: end.compared().zip(simulated.compared()).is_some_and(|(end, simulated)| {
            is_same_end(end, simulated, MayDiffer::in_errors(ErrorDifference::Place))
        }),
        end: simulated,
        is_release_of_cell: planned.is_release_of_cell,
    };
    Ok(Evaluation { simulation: Some(simulation), ..Evaluation::of_end(end) })
}

/// Returns the state in which a cell ends on an API server, as text: the stored object as JSON, or the kind of the
/// refusal. The object has no unset fields, unless the cell expects it exactly. Returns `None` if the server is not asked
/// about the cell, or does not answer.
#[must_use]
pub fn final_state_on_api_server(cell: &Cell<'_>, target: &dyn Target) -> Option<String> {
    let planned = cell.plan_for_api_server(target.kubernetes_release()?).ok()?;
    let evaluate = || evaluate_plan(cell, planned.plan, &AskedTarget::new(target), &mut None).ok();
    let evaluation = panics::catch_without_calls(evaluate).ok()??;
    Some(match &evaluation {
        CellEnd::Document { document, stored_by: Some(server), .. } => {
            let is_exact = cell.expectation.answers.iter().any(|answer| answer.is_exact);
            if is_exact {
                document.to_string()
            } else {
                without_unset_fields(server, document.clone()).to_string()
            }
        }
        _ => match (evaluation.error(), evaluation.document()) {
            (Some(error), _) => format!("refused: {}", error.describe_kind()),
            (None, document) => document.map(ToString::to_string)?,
        },
    })
}

/// An API server for tests, also for those of other crates. It has no feature: `cargo test` would compile this crate, and those
/// that use it, once more than `cargo run`.
#[doc(hidden)]
pub mod test_support {
    use skewer_engine::{Doc, OwnedDoc, Text};
    use skewer_skew::{BuiltIn, Operation, Operations};
    use skewer_targets::{OperationError, Target, TargetFailure, TargetInfo};

    /// An API server that does what the engine does.
    #[derive(Debug)]
    pub struct SimulatedApiServer {
        /// The minor version of its release.
        pub minor: u32,
        /// Whether it adds a field to each object that it stores.
        pub is_broken: bool,
    }

    impl Target for SimulatedApiServer {
        fn info(&self) -> TargetInfo {
            TargetInfo { name: "simulated".to_owned(), version: Some("1.0".to_owned()), language: None }
        }

        fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
            self
        }

        fn kubernetes_release(&self) -> Option<u32> {
            Some(self.minor)
        }
    }

    impl Operations<TargetFailure> for SimulatedApiServer {
        fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
            assert!(operation.kind().declaration().is_request(), "{operation:?}");
            let mut stored = BuiltIn.perform(operation)?;
            if let (Doc::Map(object), true) = (&mut stored, self.is_broken) {
                object.insert(Text::from_static("status"), Doc::from("broken"));
            }
            Ok(stored)
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_cases::Corpus;
    use skewer_results::Status;

    use super::test_support::SimulatedApiServer;
    use super::*;
    use crate::execute::{ExecutionOptions, run_cell};

    /// A manifest with a field that the types have since 1.34. The case has no release of its own.
    const UP_TO_DATE: &str = "releases/horizontal-pod-autoscaler/a-manifest-in-raw-maps";
    const OF_1_20: &str = "upstream/api-servers/null-in-a-new-map[server=1.20]";
    const SKEW: &str = "upstream/api-servers/finalizer-that-another-client-removed[server=1.28]";
    const REFUSED: &str = "upstream/api-servers/name-of-another-object[server=1.28]";

    #[rstest]
    #[case::of_its_release((20, false), OF_1_20, Status::Pass, "")]
    #[case::of_another_release((28, false), OF_1_20, Status::Unsupported, "the server of the cell is kubernetes-1.20")]
    #[case::unlike_the_simulation((20, true), OF_1_20, Status::Fail, "as the simulation of kubernetes-1.20: ")]
    #[case::a_scenario((28, false), SKEW, Status::Pass, "")]
    #[case::another_scenario((28, true), SKEW, Status::Fail, "as the simulation of kubernetes-1.28: ")]
    #[case::a_refusal((28, true), REFUSED, Status::Pass, "")]
    #[case::as_the_case_expects((37, false), UP_TO_DATE, Status::Pass, "")]
    #[case::as_only_the_simulation_predicts((30, false), UP_TO_DATE, Status::Deviation, "")]
    #[case::a_release_without_types((29, false), UP_TO_DATE, Status::Unsupported, "no types of kubernetes-1.29")]
    #[case::own_types(
        (37, false),
        "upstream/releases/removing-a-container[client=1.5,server=1.37]",
        Status::Unsupported,
        "the types of the case are not those of a Kubernetes release"
    )]
    fn a_cell_is_compared_with_the_simulation_of_the_release(
        #[case] (minor, is_broken): (u32, bool),
        #[case] id: &str,
        #[case] expected: Status,
        #[case] text: &str,
    ) {
        let corpus = Corpus::embedded_suites(|suite| id.starts_with(suite)).unwrap();
        let cell = corpus.cells().find(|cell| cell.id() == id).unwrap();
        let target = SimulatedApiServer { minor, is_broken };
        let result = run_cell(&cell, &target, &ExecutionOptions::default());
        assert_eq!(result.status, expected, "{result:?}");
        let texts = [result.message_text(), result.expected_text()].map(Option::unwrap_or_default);
        assert!(texts.iter().any(|known| known.contains(text)), "{texts:?}");
        let state = final_state_on_api_server(&cell, &target);
        assert_eq!(state.is_some(), expected != Status::Unsupported, "{state:?}");
    }
}
