//! The evaluation of a cell. The target runs the plan of the cell, and the built-in engine computes the ideal.

use std::fmt;
use std::sync::Arc;

use skewer_cases::{
    Cell, Declaration, DeclarationError, FieldOwner, PatchPlan, Plan, PlanError, field_owners,
    readable_managed_fields,
};
use skewer_engine::patch::PatchContext;
use skewer_engine::{Error, OwnedDoc};
use skewer_results::{EarlierRequest, RequestList};
use skewer_skew::{
    BuiltIn, FinalState, InvalidOperation, Judgement, Operand, Operation, Operations, Outcome, Performer,
    ResultKind, Role, Scenario, StepName, without_managed_fields,
};
use skewer_targets::{OperationError, TargetFailure, TargetFailureKind};

use super::asked_target::AskedTarget;
use super::ideals::Ideals;
use super::panics::CaughtPanic;
use super::same_end::ComparedEnd;

/// The end of a cell, before it is compared with the expectation.
pub(super) enum CellEnd {
    /// A scenario was run.
    Skew {
        /// How the final state compares with the ideal.
        judgement: Judgement,
        /// The final state of the scenario.
        final_state: FinalState,
        /// The final state if both parties were up to date.
        ideal: Arc<FinalState>,
        /// The plan of the scenario.
        plan: Box<Scenario>,
        /// The object that is stored before the request, in the form of final states.
        live: OwnedDoc,
        /// The owners of the object's fields after an accepted request, sorted.
        owners: Vec<FieldOwner>,
    },
    /// An operation was run.
    Document {
        /// The result of the operation.
        document: OwnedDoc,
        /// The live object, if the operation applies a patch to it.
        live: Option<OwnedDoc>,
        /// Whether the document can have `1` in place of `1.0`.
        has_lossy_floats: bool,
        /// The context of the server, if the document is the object that it stores.
        stored_by: Option<Box<PatchContext>>,
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

impl CellEnd {
    /// Returns the outcome of a skew cell, or `None` for another kind of cell.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        match self {
            CellEnd::Skew { judgement, .. } => Some(judgement.outcome),
            CellEnd::Document { .. }
            | CellEnd::Refused(_)
            | CellEnd::TypesAccepted
            | CellEnd::TypesRefused { .. } => None,
        }
    }

    /// Returns the error if the evaluation ended with a refusal.
    pub(super) fn error(&self) -> Option<&Error> {
        match self {
            CellEnd::Skew { final_state: FinalState::Refused(error), .. }
            | CellEnd::Refused(error)
            | CellEnd::TypesRefused { error, .. } => Some(error),
            _ => None,
        }
    }

    /// Returns the end in the form in which ends are compared. Ends of declarations are not compared.
    pub(super) fn compared(&self) -> Option<ComparedEnd<'_>> {
        match self {
            CellEnd::Skew { final_state, owners, .. } => {
                Some(ComparedEnd::of_state(final_state).with_owners(owners))
            }
            CellEnd::Document { document, .. } => Some(ComparedEnd::of_document(document)),
            CellEnd::Refused(error) => Some(ComparedEnd::of_error(error)),
            CellEnd::TypesAccepted | CellEnd::TypesRefused { .. } => None,
        }
    }

    /// Returns the stored document, or the result of an operation.
    pub(super) fn document(&self) -> Option<&OwnedDoc> {
        match self {
            CellEnd::Skew { final_state: FinalState::Stored(document), .. }
            | CellEnd::Document { document, .. } => Some(document),
            CellEnd::Skew { final_state: FinalState::Refused(_), .. }
            | CellEnd::Refused(_)
            | CellEnd::TypesAccepted
            | CellEnd::TypesRefused { .. } => None,
        }
    }
}

/// The reason why a cell cannot be judged.
pub(super) enum EvaluationFailure {
    /// The case cannot be run as it is written.
    InvalidCase(String),
    /// A request of `history` or `meanwhile` is refused.
    EarlierRequestRefused(Error, EarlierRequest),
    /// The target refused a request of `history` or `meanwhile` that the built-in engine accepts.
    TargetRefusedEarlierRequest(Error),
    /// The target did not answer.
    TargetFailed(TargetFailure),
    /// The code of the target panicked, or that of Skewer if there is no name of a target.
    Panicked {
        /// The name of the target.
        target: Option<String>,
        /// The panic.
        panic: Box<CaughtPanic>,
    },
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

impl fmt::Display for EvaluationFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason().fmt(f)
    }
}

/// The documents of the steps that were run so far, or `None` if steps are not recorded.
pub(super) type RecordedSteps = Option<Vec<(StepName, OwnedDoc)>>;

fn record_step(steps: &mut RecordedSteps, name: StepName, document: &OwnedDoc) {
    if let Some(steps) = steps {
        steps.push((name, document.clone()));
    }
}

/// Runs a cell on a target. Its ideal can be among those that are known from other cells.
pub(super) fn evaluate<'a>(
    cell: &Cell<'a>,
    target: &AskedTarget<'_>,
    ideals: Option<&Ideals<'a>>,
    steps: &mut RecordedSteps,
) -> Result<CellEnd, EvaluationFailure> {
    match (cell.plan()?, ideals) {
        (Plan::Skew(plan), Some(ideals)) => {
            let ideal_of = |plan: &Scenario| ideals.of(cell, || run_ideal(plan, run_on_engine));
            evaluate_skew(cell, plan, ideal_of, target, steps)
        }
        (plan, _) => evaluate_plan(cell, plan, target, steps),
    }
}

/// Runs a plan of a cell on a target.
pub(super) fn evaluate_plan(
    cell: &Cell<'_>,
    plan: Plan,
    target: &AskedTarget<'_>,
    steps: &mut RecordedSteps,
) -> Result<CellEnd, EvaluationFailure> {
    match plan {
        Plan::Skew(plan) => {
            let ideal_of = |plan: &Scenario| run_ideal(plan, run_on_engine).map(Arc::new);
            evaluate_skew(cell, plan, ideal_of, target, steps)
        }
        Plan::Declare(declaration) => evaluate_declaration(&declaration, target),
        Plan::Patch(plan) => evaluate_patch(&plan, target, steps),
    }
}

fn evaluate_declaration(
    declaration: &Declaration,
    target: &AskedTarget<'_>,
) -> Result<CellEnd, EvaluationFailure> {
    if !target.target().can_read_types() {
        let why = "the target is given types that were read: it reads none itself".to_owned();
        return Err(EvaluationFailure::TargetFailed(TargetFailure {
            kind: TargetFailureKind::Unsupported,
            why,
        }));
    }
    target.note_answer(Performer::Server);
    let mut refusals = declaration.errors();
    if refusals.is_empty() {
        return Ok(CellEnd::TypesAccepted);
    }
    let rules: Vec<_> = refusals.iter().filter_map(|refusal| refusal.rule).collect();
    let others = refusals.len() - 1;
    let DeclarationError { error, .. } = refusals.swap_remove(0);
    let message = match others {
        0 => error.message().to_owned(),
        others => format!("{} (and {others} more)", error.message()),
    };
    Ok(CellEnd::TypesRefused { error: Error::new(error.kind(), message), rules })
}

/// Runs the scenario of a plan on a target. `ideal_of` returns the ideal of the plan. The built-in engine computes the
/// final states with which that of the target is compared.
fn evaluate_skew(
    cell: &Cell<'_>,
    plan: Box<Scenario>,
    ideal_of: impl FnOnce(&Scenario) -> Result<Arc<FinalState>, EvaluationFailure>,
    target: &AskedTarget<'_>,
    steps: &mut RecordedSteps,
) -> Result<CellEnd, EvaluationFailure> {
    let mut record = |name: StepName, document: &OwnedDoc| record_step(steps, name, document);
    let end = run_plan(&plan, target, &mut record).map_err(|failure| match failure {
        EvaluationFailure::EarlierRequestRefused(error, _)
            if run_plan(&plan, &BuiltIn, &mut |_, _| {}).is_ok() =>
        {
            EvaluationFailure::TargetRefusedEarlierRequest(error)
        }
        failure => failure,
    })?;
    let ideal = ideal_of(&plan)?;
    let before = run_before(cell, run_on_engine)?;
    Ok(judge_end(plan, end, ideal, before.as_ref()))
}

/// Runs a scenario with the built-in engine.
pub(super) fn run_on_engine(scenario: &Scenario) -> Result<FinalState, EvaluationFailure> {
    run_scenario(scenario, &BuiltIn, &mut |_, _| {})
}

/// The end of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioEnd {
    /// The final state.
    pub(crate) final_state: FinalState,
    /// The object that is stored before the request, without managed fields. `None` if there are no requests of other
    /// clients, so that it is the live object of the plan.
    pub(super) live: Option<OwnedDoc>,
    /// The owners of the object's fields after an accepted request, sorted.
    pub(crate) owners: Vec<FieldOwner>,
}

impl ScenarioEnd {
    /// Returns the end in the form in which ends are compared.
    pub(super) fn compared(&self) -> ComparedEnd<'_> {
        ComparedEnd::of_state(&self.final_state).with_owners(&self.owners)
    }

    /// Returns the end of an operation on patches. Its result counts as stored.
    pub(super) fn of_operation(result: Result<OwnedDoc, Error>) -> Self {
        let final_state = result.map_or_else(FinalState::Refused, FinalState::Stored);
        ScenarioEnd { final_state, live: None, owners: Vec::new() }
    }
}

/// Runs a scenario, and observes the stored object before the request and the owners after it.
pub(super) fn run_plan(
    scenario: &Scenario,
    operations: &dyn Operations<TargetFailure>,
    record: &mut dyn FnMut(StepName, &OwnedDoc),
) -> Result<ScenarioEnd, EvaluationFailure> {
    let (has_other_requests, keeps_managed_fields) =
        (scenario.has_other_requests(), scenario.keeps_managed_fields());
    let (mut live, mut owners) = (None, Vec::new());
    let final_state = run_scenario(scenario, operations, &mut |name, document| {
        match name {
            StepName::Stored | StepName::Meanwhile if has_other_requests => {
                live = Some(stored_object(scenario, document));
            }
            StepName::Result if keeps_managed_fields => owners = field_owners(document),
            _ => {}
        }
        record(name, document);
    })?;
    Ok(ScenarioEnd { final_state, live, owners })
}

/// Returns a stored object without the managed fields that the server keeps.
fn stored_object(plan: &Scenario, stored: &OwnedDoc) -> OwnedDoc {
    if plan.keeps_managed_fields() { without_managed_fields(stored.clone()) } else { stored.clone() }
}

/// Runs the scenarios with which the final state of a cell is compared: the ideal, and the scenario of the old client on
/// the old server if a compatibility promise covers the cell.
pub(super) fn run_references(
    cell: &Cell<'_>,
    plan: &Scenario,
    run: impl Fn(&Scenario) -> Result<FinalState, EvaluationFailure>,
) -> Result<(FinalState, Option<FinalState>), EvaluationFailure> {
    Ok((run_ideal(plan, &run)?, run_before(cell, &run)?))
}

/// Runs the scenario of the ideal.
pub(super) fn run_ideal(
    plan: &Scenario,
    run: impl FnOnce(&Scenario) -> Result<FinalState, EvaluationFailure>,
) -> Result<FinalState, EvaluationFailure> {
    run(&plan.ideal())
}

/// Runs the scenario of the old client on the old server. Returns `None` if no compatibility promise covers the cell.
fn run_before(
    cell: &Cell<'_>,
    run: impl FnOnce(&Scenario) -> Result<FinalState, EvaluationFailure>,
) -> Result<Option<FinalState>, EvaluationFailure> {
    let Some(before) = cell.plan_before() else { return Ok(None) };
    match before? {
        Plan::Skew(before) if is_covered_by_promise(&before) => {
            match run(&before) {
                // The old server refuses a request that leads to the live object.
                Err(EvaluationFailure::EarlierRequestRefused(..)) => Ok(None),
                state => state.map(Some),
            }
        }
        _ => Ok(None),
    }
}

/// Returns true if the old server could hold the data of the old client on the old server. The promise is only about
/// such data.
fn is_covered_by_promise(before: &Scenario) -> bool {
    if !before.has_other_requests() {
        return before.server.can_hold(&before.stored, &before.full_context);
    }
    // The data is what other clients have stored on an up-to-date server.
    let mut live = None;
    let _ = skewer_skew::run_built_in(&before.ideal(), &mut |name, document| {
        if name == StepName::Stored {
            live = Some(stored_object(before, document));
        }
    });
    live.is_some_and(|live| before.server.can_hold(&live, &before.full_context))
}

/// Compares the end of a scenario with the ideal and with the state of the old client on the old server.
pub(super) fn judge_end(
    plan: Box<Scenario>,
    end: ScenarioEnd,
    ideal: Arc<FinalState>,
    before: Option<&FinalState>,
) -> CellEnd {
    let ScenarioEnd { final_state, live, owners } = end;
    let live = live.unwrap_or_else(|| stored_object(&plan, &plan.stored));
    let live = skewer_skew::without_unset_fields(&plan.full_context, live);
    let judgement = skewer_skew::judge(&plan.full_context, &live, &final_state, &ideal, before);
    CellEnd::Skew { judgement, final_state, ideal, plan, live, owners }
}

pub(super) fn run_scenario(
    scenario: &Scenario,
    operations: &dyn Operations<TargetFailure>,
    record: &mut dyn FnMut(StepName, &OwnedDoc),
) -> Result<FinalState, EvaluationFailure> {
    let mut recorded = Vec::new();
    let end = skewer_skew::run(scenario, operations, &mut |name, document| {
        recorded.push(name);
        record(name, document);
    });
    end.map_err(|failure| match failure {
        OperationError::Refused(error) => match next_request(scenario, &recorded) {
            Some(request) => EvaluationFailure::EarlierRequestRefused(error, request),
            None => EvaluationFailure::InvalidCase(format!("the cell cannot be run: {error}")),
        },
        OperationError::NoAnswer(target_failure) => EvaluationFailure::TargetFailed(target_failure),
    })
}

/// Returns the request of another client that follows the recorded steps. Returns `None` if the client of the scenario has
/// not made its edits yet, or if no such request is left.
fn next_request(scenario: &Scenario, recorded: &[StepName]) -> Option<EarlierRequest> {
    let count = |step| recorded.iter().filter(|recorded| **recorded == step).count();
    let (list, requests, index) = if count(StepName::Stored) == 0 {
        (RequestList::History, &scenario.history, count(StepName::Earlier))
    } else if count(StepName::Edited) > 0 {
        (RequestList::Meanwhile, &scenario.meanwhile, count(StepName::Meanwhile))
    } else {
        return None;
    };
    let other = requests.get(index)?;
    Some(EarlierRequest {
        list,
        number: index + 1,
        count: requests.len(),
        request: other.request.name().to_owned(),
        manager: other.options.manager.to_string(),
    })
}

/// Returns the result of an operation in the form in which cases write it.
pub(super) fn comparable_result(plan: &PatchPlan, result: OwnedDoc) -> OwnedDoc {
    if plan.declaration().takes_field_manager { readable_managed_fields(result) } else { result }
}

/// Returns the context of the server that stores the result of an operation. Returns `None` if no server stores it.
pub(super) fn stored_by(plan: &PatchPlan) -> Option<Box<PatchContext>> {
    plan.context.clone().filter(|_| plan.declaration().is_request()).map(Box::new)
}

fn evaluate_patch(
    plan: &PatchPlan,
    target: &AskedTarget<'_>,
    steps: &mut RecordedSteps,
) -> Result<CellEnd, EvaluationFailure> {
    let operation = plan.operation()?;
    record_operands(&operation, steps);
    match target.ask(&operation) {
        Ok(result) => {
            let document = comparable_result(plan, result);
            record_step(steps, StepName::Result, &document);
            Ok(CellEnd::Document {
                document,
                live: patched_object(&operation),
                has_lossy_floats: target.target().has_lossy_floats(&operation),
                stored_by: stored_by(plan),
            })
        }
        Err(OperationError::Refused(error)) => Ok(CellEnd::Refused(error)),
        Err(OperationError::NoAnswer(failure)) => Err(EvaluationFailure::TargetFailed(failure)),
    }
}

/// Returns the live object of an operation that applies a patch.
fn patched_object(operation: &Operation<'_>) -> Option<OwnedDoc> {
    let declaration = operation.kind().declaration();
    let has_patch = declaration.operands.iter().any(|operand| operand.role.declaration().is_patch);
    let is_patched = has_patch && declaration.result == ResultKind::Object;
    is_patched.then(|| operation.document_if_any(Role::Live).cloned().unwrap_or(OwnedDoc::Null))
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
