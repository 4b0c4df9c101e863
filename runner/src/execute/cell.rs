//! One cell: run it, judge it, write it down.

use std::sync::Arc;
use std::time::Instant;

use skewer_cases::yaml;
use skewer_cases::{Cell, Declaration, DeclarationError, Level, Plan, PlanError, SkewPlan};
use skewer_engine::patch::{Overwrite, ThreeWay};
use skewer_engine::skew::{
    self, BuiltIn, FinalState, Operation, OperationError, Scenario, StepName, TargetFailure,
    TargetFailureKind,
};
use skewer_engine::{ErrorKind, FieldPath, OwnedDoc};
use skewer_reports as reports;
use skewer_reports::Status;

use super::describe;
use super::verdict::{self, Found};
use super::{Options, Steps};
use crate::targets::Target;

/// Runs a cell.
#[must_use]
pub fn run_cell(cell: &Cell<'_>, target: &dyn Target, options: &Options) -> reports::Cell {
    let started = Instant::now();
    let record = match options.steps {
        Steps::Always => true,
        Steps::Failures => !target.repeats(),
        Steps::Never => false,
    };
    let mut steps = record.then(Vec::new);
    let found = find(cell, target, &mut steps);
    let mut result = heading(cell);
    match found {
        Ok(found) => {
            verdict::write(cell, &found, &mut result);
            if let (Some(other), Status::Pass) = (cell.reference_cell(), result.status) {
                match find(&other, target, &mut None) {
                    Ok(there) => verdict::hold_against(cell, &other, (&found, &there), &mut result),
                    Err(trouble) => trouble.write(&mut result),
                }
            }
        }
        Err(trouble) => trouble.write(&mut result),
    }
    let keep = match options.steps {
        Steps::Always => true,
        Steps::Failures => result.status.is_failure(),
        Steps::Never => false,
    };
    if keep {
        let steps = steps.or_else(|| {
            let mut again = Some(Vec::new());
            find(cell, target, &mut again).ok();
            again
        });
        result.steps =
            steps.into_iter().flatten().map(|(name, document)| step(cell, name, &document)).collect();
    }
    if result.status.is_failure() || options.steps == Steps::Always {
        result.rerun = Some(format!("{} '{}'", options.rerun, result.id));
    }
    if options.durations {
        result.duration_us = u64::try_from(started.elapsed().as_micros()).ok();
    }
    result
}

/// Why a cell was not judged.
enum Trouble {
    /// The case cannot be run as it is written.
    Case(String),
    /// The target did not do what it was asked.
    Target(TargetFailure),
}

impl From<PlanError> for Trouble {
    fn from(error: PlanError) -> Self {
        Trouble::Case(error.to_string())
    }
}

impl Trouble {
    fn write(self, result: &mut reports::Cell) {
        let (status, message) = match self {
            Trouble::Case(why) => (Status::Error, why),
            Trouble::Target(target_failure) => {
                let status = match target_failure.kind {
                    TargetFailureKind::Unsupported => Status::Unsupported,
                    TargetFailureKind::Crash => Status::Crash,
                    TargetFailureKind::TimeOut => Status::Timeout,
                };
                (status, target_failure.why)
            }
        };
        result.status = status;
        result.message = Some(message);
    }
}

/// What the cell is, before anything was run.
fn heading(cell: &Cell<'_>) -> reports::Cell {
    let case = cell.case;
    let mut result =
        reports::Cell::new(cell.id(), Arc::clone(&case.suite), Arc::clone(&case.id), Status::Error);
    for (axis, value) in cell.coordinates() {
        result.axes.set(axis, value);
    }
    result.level = match case.level {
        Level::Required => reports::Level::Required,
        Level::Recommended => reports::Level::Recommended,
        Level::Proposed => reports::Level::Proposed,
        Level::Erratum => reports::Level::Erratum,
    };
    result.kep.clone_from(&case.kep);
    result.issue.clone_from(&case.issue);
    result.source = case.source.as_ref().map(|source| reports::Source {
        document: Arc::clone(&source.document),
        section: Some(Arc::clone(&source.section)),
    });
    result.about = Some(Arc::clone(&case.about));
    result.because.clone_from(&cell.expectation.because);
    result.location = Some(reports::Location {
        file: Arc::clone(&cell.expectation.location.file),
        line: u32::try_from(cell.expectation.location.line).unwrap_or(u32::MAX),
    });
    result
}

fn step(cell: &Cell<'_>, name: StepName, document: &OwnedDoc) -> reports::Step {
    reports::Step {
        name: name.name().to_owned(),
        note: Some(describe::step(cell, name, document)),
        document: Some(yaml::write(document)),
    }
}

/// The steps so far, where they are kept.
type Recorded = Option<Vec<(StepName, OwnedDoc)>>;

fn note(steps: &mut Recorded, name: StepName, document: &OwnedDoc) {
    if let Some(steps) = steps {
        steps.push((name, document.clone()));
    }
}

fn find(cell: &Cell<'_>, target: &dyn Target, steps: &mut Recorded) -> Result<Found, Trouble> {
    match cell.plan()? {
        Plan::Skew(plan) => find_skew(cell, plan, target, steps),
        Plan::Declare(declaration) => read_types(&declaration, target),
        plan => find_patch(&plan, target, steps),
    }
}

/// The error that ends a cell, whatever is expected of it.
#[must_use]
pub fn error_of(cell: &Cell<'_>, target: &dyn Target) -> Option<ErrorKind> {
    find(cell, target, &mut None).ok()?.error().map(skewer_engine::Error::kind)
}

fn read_types(declaration: &Declaration, target: &dyn Target) -> Result<Found, Trouble> {
    if !target.reads_types() {
        let why = "the target is given types that were read: it reads none itself".to_owned();
        return Err(Trouble::Target(TargetFailure { kind: TargetFailureKind::Unsupported, why }));
    }
    let mut errors = declaration.errors();
    if errors.is_empty() {
        return Ok(Found::Accepted);
    }
    let rules: Vec<_> = errors.iter().filter_map(|error| error.rule).collect();
    let more = errors.len() - 1;
    let DeclarationError { error, .. } = errors.swap_remove(0);
    let message = match more {
        0 => error.message().to_owned(),
        more => format!("{} (and {more} more)", error.message()),
    };
    Ok(Found::Undeclared { error: skewer_engine::Error::new(error.kind(), message), rules })
}

fn find_skew(
    cell: &Cell<'_>,
    plan: Box<SkewPlan>,
    target: &dyn Target,
    steps: &mut Recorded,
) -> Result<Found, Trouble> {
    let mut record = |name: StepName, document: &OwnedDoc| note(steps, name, document);
    let end = scenario(&plan.scenario(), target.operations(), &mut record)?;
    // What should have come of it is the built-in engine's word, whatever the target.
    let ideal = scenario(&plan.ideal(&plan.ideal_parties()), &BuiltIn, &mut |_, _| {})?;
    let before = match cell.plan_before() {
        Some(before) => match before? {
            Plan::Skew(before) => Some(scenario(&before.scenario(), &BuiltIn, &mut |_, _| {})?),
            _ => None,
        },
        None => None,
    };
    let judgement = skew::judge(&plan.everything, &plan.stored, &end, &ideal, before.as_ref());
    let ideal = match ideal {
        FinalState::Stored(ideal) => ideal,
        FinalState::Refused(_) => plan.stored.clone(),
    };
    Ok(Found::Skew { judgement, end, ideal, plan })
}

fn scenario(
    scenario: &Scenario<'_>,
    operations: &dyn skew::Operations,
    record: &mut dyn FnMut(StepName, &OwnedDoc),
) -> Result<FinalState, Trouble> {
    skew::run(scenario, operations, record).map_err(|failure| match failure {
        OperationError::Refused(error) => Trouble::Case(format!("the scenario cannot be run: {error}")),
        OperationError::TargetFailed(target_failure) => Trouble::Target(target_failure),
    })
}

fn find_patch(plan: &Plan, target: &dyn Target, steps: &mut Recorded) -> Result<Found, Trouble> {
    let operation = match plan {
        Plan::Skew(_) | Plan::Declare(_) => {
            return Err(Trouble::Case("this is no patch case".to_owned()));
        }
        Plan::JsonPatchApply { live, patch } => Operation::JsonPatchApply { live, patch },
        Plan::Apply { context: Some(context), live, patch } => Operation::Apply { context, live, patch },
        Plan::Apply { context: None, live, patch } => Operation::JsonMergeApply { live, patch },
        Plan::TwoWay { context: Some(context), original, modified } => {
            Operation::TwoWay { context, original, modified }
        }
        Plan::TwoWay { context: None, original, modified } => {
            Operation::JsonMergeTwoWay { original, modified }
        }
        Plan::ThreeWay { context, last_applied, modified, live, options } => {
            let documents = ThreeWay { last_applied, modified, live };
            let preconditions = &options.preconditions;
            match context {
                Some(context) => Operation::ThreeWay {
                    context,
                    documents,
                    overwrite: if options.overwrite { Overwrite::Yes } else { Overwrite::No },
                    preconditions,
                },
                None => Operation::JsonMergeThreeWay { documents, preconditions },
            }
        }
        Plan::Merge { context, patches } => Operation::Merge { context, patches },
        Plan::Conflicts { context, left, right } => Operation::Conflicts { context, left, right },
    };
    record_operands(plan, steps);
    match target.operations().perform(&operation) {
        Ok(result) => {
            note(steps, StepName::Result, &result);
            Ok(Found::Document { document: result, loses_floats: target.loses_floats(&operation) })
        }
        Err(OperationError::Refused(error)) => Ok(Found::Refused(error)),
        Err(OperationError::TargetFailed(target_failure)) => Err(Trouble::Target(target_failure)),
    }
}

fn record_operands(plan: &Plan, steps: &mut Recorded) {
    match plan {
        Plan::Apply { live, patch, .. } | Plan::JsonPatchApply { live, patch } => {
            note(steps, StepName::Stored, live);
            note(steps, StepName::Request, patch);
        }
        Plan::TwoWay { original, modified, .. } => {
            note(steps, StepName::Decoded, original);
            note(steps, StepName::Edited, modified);
        }
        Plan::ThreeWay { last_applied, modified, live, .. } => {
            note(steps, StepName::LastApplied, last_applied);
            note(steps, StepName::Decoded, live);
            note(steps, StepName::Edited, modified);
        }
        Plan::Merge { patches, .. } => {
            for patch in patches {
                note(steps, StepName::Request, patch);
            }
        }
        Plan::Conflicts { left, right, .. } => {
            note(steps, StepName::Request, left);
            note(steps, StepName::Request, right);
        }
        Plan::Skew(_) | Plan::Declare(_) => {}
    }
}

/// The text of paths, for reports.
pub(super) fn path_texts(paths: &[FieldPath]) -> Vec<String> {
    paths.iter().map(ToString::to_string).collect()
}
