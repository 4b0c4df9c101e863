//! The evaluation of a cell. The target runs the plan of the cell, and the built-in engine computes the ideal.

use skewer_cases::{Cell, Declaration, DeclarationError, PatchPlan, Plan, PlanError, SkewPlan};
use skewer_engine::patch::PatchContext;
use skewer_engine::skew::{
    self, BuiltIn, FinalState, InvalidOperation, Judgement, Operand, Operation, Operations, Outcome,
    Scenario, StepName,
};
use skewer_engine::{Error, ErrorKind, OwnedDoc};
use skewer_reports as reports;
use skewer_reports::Status;

use super::asked_target::AskedTarget;
use crate::targets::{OperationError, Target, TargetFailure, TargetFailureKind};

/// The result of a cell, before it is judged against the expectation.
pub(super) enum Evaluation {
    /// A scenario was run.
    Skew {
        /// How the final state compares with the ideal.
        judgement: Judgement,
        /// The final state of the scenario.
        final_state: FinalState,
        /// The final state if both parties were up to date.
        ideal: FinalState,
        /// The plan of the scenario.
        plan: Box<SkewPlan>,
    },
    /// An operation was run.
    Document {
        /// The result of the operation.
        document: OwnedDoc,
        /// Whether the document can have `1` in place of `1.0`.
        has_lossy_floats: bool,
    },
    /// The operation was refused.
    Refused(Error),
    /// The type declarations are valid.
    TypesAccepted,
    /// The type declarations were refused.
    TypesRefused {
        /// The first error in the declarations.
        error: Error,
        /// The rules that the declarations break.
        rules: Vec<&'static str>,
    },
}

impl Evaluation {
    /// Returns the outcome of a skew cell, or `None` for another kind of cell.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        match self {
            Evaluation::Skew { judgement, .. } => Some(judgement.outcome),
            Evaluation::Document { .. }
            | Evaluation::Refused(_)
            | Evaluation::TypesAccepted
            | Evaluation::TypesRefused { .. } => None,
        }
    }

    /// Returns the error if the evaluation ended with a refusal.
    pub(super) fn error(&self) -> Option<&Error> {
        match self {
            Evaluation::Skew { final_state: FinalState::Refused(error), .. }
            | Evaluation::Refused(error)
            | Evaluation::TypesRefused { error, .. } => Some(error),
            _ => None,
        }
    }

    /// Returns the stored document, or the result of an operation.
    pub(super) fn document(&self) -> Option<&OwnedDoc> {
        match self {
            Evaluation::Skew { final_state: FinalState::Stored(document), .. }
            | Evaluation::Document { document, .. } => Some(document),
            Evaluation::Skew { final_state: FinalState::Refused(_), .. }
            | Evaluation::Refused(_)
            | Evaluation::TypesAccepted
            | Evaluation::TypesRefused { .. } => None,
        }
    }
}

/// The reason why a cell cannot be judged.
pub(super) enum EvaluationFailure {
    /// The case cannot be run as it is written.
    InvalidCase(String),
    /// The target did not answer.
    TargetFailed(TargetFailure),
}

impl From<PlanError> for EvaluationFailure {
    fn from(error: PlanError) -> Self {
        EvaluationFailure::InvalidCase(error.to_string())
    }
}

impl From<InvalidOperation> for EvaluationFailure {
    fn from(error: InvalidOperation) -> Self {
        EvaluationFailure::InvalidCase(error.to_string())
    }
}

impl EvaluationFailure {
    /// Writes the failure into the result of the cell.
    pub(super) fn write_to(self, result: &mut reports::Cell) {
        let (status, message) = match self {
            EvaluationFailure::InvalidCase(why) => (Status::Error, why),
            EvaluationFailure::TargetFailed(target_failure) => {
                let status = match target_failure.kind {
                    TargetFailureKind::Unsupported => Status::Unsupported,
                    TargetFailureKind::Crash => Status::Crash,
                    TargetFailureKind::TimeOut => Status::Timeout,
                    TargetFailureKind::GivenUp => Status::NotRun,
                };
                (status, target_failure.why)
            }
        };
        result.status = status;
        result.message = Some(message);
    }
}

/// The documents of the steps that were run so far, or `None` if steps are not recorded.
pub(super) type RecordedSteps = Option<Vec<(StepName, OwnedDoc)>>;

fn record_step(steps: &mut RecordedSteps, name: StepName, document: &OwnedDoc) {
    if let Some(steps) = steps {
        steps.push((name, document.clone()));
    }
}

/// Runs a cell on a target.
pub(super) fn evaluate(
    cell: &Cell<'_>,
    target: &AskedTarget<'_>,
    steps: &mut RecordedSteps,
) -> Result<Evaluation, EvaluationFailure> {
    match cell.plan()? {
        Plan::Skew(plan) => evaluate_skew(cell, plan, target, steps),
        Plan::Declare(declaration) => evaluate_declaration(&declaration, target),
        Plan::Patch(plan) => evaluate_patch(&plan, target, steps),
    }
}

/// Runs a cell and returns the kind of the error with which it ends. The expectation of the cell is ignored.
#[must_use]
pub fn final_error(cell: &Cell<'_>, target: &dyn Target) -> Option<ErrorKind> {
    evaluate(cell, &AskedTarget::new(target), &mut None).ok()?.error().map(Error::kind)
}

/// The final state of a cell, with the documents with which it is compared.
#[derive(Clone, Debug)]
pub struct ObservedStates {
    /// The outcome, if the cell is a skew cell.
    pub outcome: Option<Outcome>,
    /// The live object of a skew cell.
    pub stored: OwnedDoc,
    /// The final state of a skew cell, or the error of an operation.
    pub final_state: FinalState,
    /// The final state of a skew cell if both parties were up to date.
    pub ideal: Option<FinalState>,
    /// Whether the cell has the expected outcome and the pinned states.
    pub passes: bool,
}

/// Runs a cell. Returns `None` if the cell cannot be run, and for a cell that is not a skew cell and is not refused.
#[must_use]
pub fn observe_states(cell: &Cell<'_>, target: &dyn Target) -> Option<ObservedStates> {
    let evaluation = evaluate(cell, &AskedTarget::new(target), &mut None).ok()?;
    let passes = super::judge::has_expected_answer(cell, &evaluation);
    match evaluation {
        Evaluation::Skew { judgement, final_state, ideal, plan } => Some(ObservedStates {
            outcome: Some(judgement.outcome),
            stored: live_state(&plan),
            final_state,
            ideal: Some(ideal),
            passes,
        }),
        Evaluation::Refused(error) => Some(ObservedStates {
            outcome: None,
            stored: OwnedDoc::Null,
            final_state: FinalState::Refused(error),
            ideal: None,
            passes,
        }),
        Evaluation::Document { .. } | Evaluation::TypesAccepted | Evaluation::TypesRefused { .. } => None,
    }
}

fn evaluate_declaration(
    declaration: &Declaration,
    target: &AskedTarget<'_>,
) -> Result<Evaluation, EvaluationFailure> {
    if !target.target().can_read_types() {
        let why = "the target is given types that were read: it reads none itself".to_owned();
        return Err(EvaluationFailure::TargetFailed(TargetFailure {
            kind: TargetFailureKind::Unsupported,
            why,
        }));
    }
    target.note_answer();
    let mut refusals = declaration.errors();
    if refusals.is_empty() {
        return Ok(Evaluation::TypesAccepted);
    }
    let rules: Vec<_> = refusals.iter().filter_map(|refusal| refusal.rule).collect();
    let others = refusals.len() - 1;
    let DeclarationError { error, .. } = refusals.swap_remove(0);
    let message = match others {
        0 => error.message().to_owned(),
        others => format!("{} (and {others} more)", error.message()),
    };
    Ok(Evaluation::TypesRefused { error: Error::new(error.kind(), message), rules })
}

fn evaluate_skew(
    cell: &Cell<'_>,
    plan: Box<SkewPlan>,
    target: &AskedTarget<'_>,
    steps: &mut RecordedSteps,
) -> Result<Evaluation, EvaluationFailure> {
    let mut record = |name: StepName, document: &OwnedDoc| record_step(steps, name, document);
    let final_state = run_scenario(&plan.scenario(), target, &mut record)?;
    // The built-in engine runs them for every target.
    let (ideal, before) =
        run_references(cell, &plan, |scenario, _| run_scenario(scenario, &BuiltIn, &mut |_, _| {}))?;
    Ok(judge_final_state(plan, final_state, (ideal, before.as_ref())))
}

/// Runs the scenarios with which the final state of a cell is compared: the ideal, and the scenario of the old client on
/// the old server if a compatibility promise covers the cell. `run` gets a scenario with the context of an up-to-date
/// party.
pub(super) fn run_references(
    cell: &Cell<'_>,
    plan: &SkewPlan,
    run: impl Fn(&Scenario<'_>, &PatchContext) -> Result<FinalState, EvaluationFailure>,
) -> Result<(FinalState, Option<FinalState>), EvaluationFailure> {
    let ideal = run(&plan.ideal(&plan.ideal_parties()), &plan.everything)?;
    let before = match cell.plan_before() {
        Some(before) => match before? {
            // The promise is about data that the old server could hold.
            Plan::Skew(before) if before.server.can_hold(&before.stored, &before.everything) => {
                Some(run(&before.scenario(), &before.everything)?)
            }
            _ => None,
        },
        None => None,
    };
    Ok((ideal, before))
}

/// Compares the final state of a scenario with the ideal and with the state of the old client on the old server.
pub(super) fn judge_final_state(
    plan: Box<SkewPlan>,
    final_state: FinalState,
    (ideal, before): (FinalState, Option<&FinalState>),
) -> Evaluation {
    let judgement = skew::judge(
        &plan.everything,
        &skew::with_empty_structs(&plan.everything, &live_state(&plan)),
        &comparable(&plan, &final_state),
        &comparable(&plan, &ideal),
        before.map(|before| comparable(&plan, before)).as_ref(),
    );
    Evaluation::Skew { judgement, final_state, ideal, plan }
}

/// Returns the live object in the form of final states.
pub(super) fn live_state(plan: &SkewPlan) -> OwnedDoc {
    skew::without_unset_fields(&plan.everything, &plan.stored)
}

/// Returns a final state in the form in which it is compared with others.
fn comparable(plan: &SkewPlan, final_state: &FinalState) -> FinalState {
    match final_state {
        FinalState::Stored(document) => {
            FinalState::Stored(skew::with_empty_structs(&plan.everything, document))
        }
        FinalState::Refused(error) => FinalState::Refused(error.clone()),
    }
}

pub(super) fn run_scenario(
    scenario: &Scenario<'_>,
    operations: &dyn Operations<TargetFailure>,
    record: &mut dyn FnMut(StepName, &OwnedDoc),
) -> Result<FinalState, EvaluationFailure> {
    skew::run(scenario, operations, record).map_err(|failure| match failure {
        OperationError::Refused(error) => {
            EvaluationFailure::InvalidCase(format!("the scenario cannot be run: {error}"))
        }
        OperationError::NoAnswer(target_failure) => EvaluationFailure::TargetFailed(target_failure),
    })
}

fn evaluate_patch(
    plan: &PatchPlan,
    target: &AskedTarget<'_>,
    steps: &mut RecordedSteps,
) -> Result<Evaluation, EvaluationFailure> {
    let operation = plan.operation()?;
    record_operands(&operation, steps);
    match target.perform(&operation) {
        Ok(result) => {
            record_step(steps, StepName::Result, &result);
            Ok(Evaluation::Document {
                document: result,
                has_lossy_floats: target.target().has_lossy_floats(&operation),
            })
        }
        Err(OperationError::Refused(error)) => Ok(Evaluation::Refused(error)),
        Err(OperationError::NoAnswer(failure)) => Err(EvaluationFailure::TargetFailed(failure)),
    }
}

/// Records the operands of an operation as steps of the cell, in the order in which a scenario has these steps.
pub(super) fn record_operands(operation: &Operation<'_>, steps: &mut RecordedSteps) {
    let mut operands: Vec<_> = operation.kind().declaration().operands.iter().collect();
    operands.sort_by_key(|declared| declared.step);
    for declared in operands {
        let documents = match operation.operand(declared.role) {
            Some(Operand::Document(document)) => std::slice::from_ref(document),
            Some(Operand::List(documents)) => documents,
            None => &[],
        };
        for document in documents {
            record_step(steps, declared.step, document);
        }
    }
}
