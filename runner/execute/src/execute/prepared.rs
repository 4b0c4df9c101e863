//! Cells that are planned once and run several times, with changed parties. The ideal, and the state of the old client
//! on the old server, are computed once, with the unchanged parties.

use std::sync::Arc;

use skewer_cases::{Cell, PatchPlan, Plan};
use skewer_engine::patch::PatchContext;
use skewer_engine::{ErrorKind, OwnedDoc};
use skewer_skew::{
    BuiltIn, Client, FinalState, Operation, OperationError, Operations, Outcome, Performer, Scenario, Server,
    StepName,
};
use skewer_targets::{BuiltInTarget, TargetFailure};

use super::asked_target::AskedTarget;
use super::evaluation::{
    CellEnd, ScenarioEnd, comparable_result, evaluate, judge_end, record_operands, run_on_engine, run_plan,
    run_references, run_scenario, stored_by,
};
use super::same_end::{ErrorDifference, MayDiffer, is_same_end};
use super::{judge, panics};

/// The parties of a scenario, as a change can affect them.
#[derive(Clone, Debug)]
pub struct Parties {
    /// The client.
    pub client: Client,
    /// The server, as it converts, normalizes and validates objects.
    pub server: Server,
    /// The context with which the server merges patches. Without a change, it is the context of the server.
    pub merging: PatchContext,
}

/// A change of the parties of a cell.
pub trait PartyChange: Sync {
    /// Changes the types or the directives of a party.
    fn change_context(&self, _context: &mut PatchContext) {}

    /// Changes the parties of a scenario. `full_context` is the context of a party that is up to date. The default
    /// implementation changes the contexts of both parties.
    fn change_parties(&self, parties: &mut Parties, _full_context: &PatchContext) {
        self.change_context(&mut parties.client.context);
        if let Some(negotiated) = &mut parties.client.negotiated {
            self.change_context(Arc::make_mut(negotiated));
        }
        self.change_context(&mut parties.server.context);
        self.change_context(&mut parties.merging);
    }
}

/// The change that changes nothing.
pub struct NoChange;

impl PartyChange for NoChange {}

/// The end of a run: a final state, or the reason why there is none. The result of an operation on patches counts as
/// stored, and has no owners.
#[derive(Clone, Debug, PartialEq)]
pub enum PreparedEnd {
    /// The run has a final state.
    Final(ScenarioEnd),
    /// The run has no final state: the scenario cannot be run, or the engine panicked.
    None(String),
}

impl PreparedEnd {
    /// Returns true if both ends are the same to a user: the same document with the same owners, or an error of the same
    /// kind, directive and path. The message of an error does not count.
    #[must_use]
    pub fn is_same(&self, other: &PreparedEnd) -> bool {
        match (self, other) {
            (PreparedEnd::Final(a), PreparedEnd::Final(b)) => {
                is_same_end(a.compared(), b.compared(), MayDiffer::in_errors(ErrorDifference::None))
            }
            (PreparedEnd::None(_), PreparedEnd::None(_)) => true,
            (PreparedEnd::Final(_), PreparedEnd::None(_)) | (PreparedEnd::None(_), PreparedEnd::Final(_)) => {
                false
            }
        }
    }
}

/// An end with what it means for its cell.
#[derive(Clone, Debug)]
pub struct JudgedEnd {
    /// The end.
    pub end: PreparedEnd,
    /// Whether the cell passes.
    pub passes: bool,
    /// The outcome, if the cell is a skew cell.
    pub outcome: Option<Outcome>,
}

impl JudgedEnd {
    /// Returns the kind of the error, if the request or the operation was refused.
    #[must_use]
    pub fn error(&self) -> Option<ErrorKind> {
        match &self.end {
            PreparedEnd::Final(ScenarioEnd { final_state: FinalState::Refused(error), .. }) => {
                Some(error.kind())
            }
            PreparedEnd::Final(_) | PreparedEnd::None(_) => None,
        }
    }

    /// Returns true if both ends stored the same document, or both are refusals, for whatever reason.
    #[must_use]
    pub fn has_same_effect(&self, other: &JudgedEnd) -> bool {
        match (self.error(), other.error()) {
            (Some(_), Some(_)) => true,
            (None, None) => self.end.is_same(&other.end),
            _ => false,
        }
    }
}

/// Runs a cell with unchanged parties, and judges its end. A cell that only reads declarations is judged as well: accepted
/// types are no final state.
///
/// # Errors
/// Fails with a message if the cell cannot be run.
pub fn judged_end(cell: Cell<'_>) -> Result<JudgedEnd, String> {
    if let Some(prepared) = PreparedCell::new(cell)? {
        let reference = prepared.reference().map(|reference| reference.run(&NoChange, None));
        return Ok(prepared.judge(prepared.run(&NoChange, None), reference.as_ref()));
    }
    let evaluated = evaluate(&cell, &AskedTarget::new(&BuiltInTarget), None, &mut None);
    let evaluated = evaluated.map_err(|failure| failure.to_string())?;
    let end = match evaluated.error() {
        Some(error) => PreparedEnd::Final(ScenarioEnd::of_operation(Err(error.clone()))),
        None => PreparedEnd::None("the types are accepted".to_owned()),
    };
    Ok(JudgedEnd { passes: judge::has_expected_answer(&cell, &evaluated), outcome: None, end })
}

/// A cell with everything that its runs share.
pub struct PreparedCell<'c> {
    cell: Cell<'c>,
    work: Work,
    reference: Option<Box<PreparedCell<'c>>>,
}

/// The documents of a run that a change of types can concern, in the order in which they occurred.
pub type Documents = Vec<OwnedDoc>;

enum Work {
    Skew { plan: Box<Scenario>, ideal: Arc<FinalState>, before: Option<FinalState> },
    Patch(PatchPlan),
}

impl<'c> PreparedCell<'c> {
    /// Prepares a cell. Returns `None` for a cell that only reads declarations.
    ///
    /// # Errors
    /// Fails with a message if the cell cannot be run.
    pub fn new(cell: Cell<'c>) -> Result<Option<Self>, String> {
        let work = match cell.plan().map_err(|error| error.to_string())? {
            Plan::Skew(plan) => {
                let (ideal, before) =
                    run_references(&cell, &plan, run_on_engine).map_err(|failure| failure.to_string())?;
                Work::Skew { plan, ideal: Arc::new(ideal), before }
            }
            Plan::Patch(plan) => Work::Patch(plan),
            Plan::Declare(_) => return Ok(None),
        };
        let reference = match cell.reference_cell() {
            Some(reference) => PreparedCell::new(reference)?.map(Box::new),
            None => None,
        };
        Ok(Some(PreparedCell { cell, work, reference }))
    }

    /// Returns the cell.
    #[must_use]
    pub fn cell(&self) -> &Cell<'c> {
        &self.cell
    }

    /// Returns the cell of the reference case at the same point.
    #[must_use]
    pub fn reference(&self) -> Option<&PreparedCell<'c>> {
        self.reference.as_deref()
    }

    /// Returns the plan of the scenario, if the cell runs one.
    #[must_use]
    pub fn skew_plan(&self) -> Option<&Scenario> {
        match &self.work {
            Work::Skew { plan, .. } => Some(plan),
            Work::Patch(_) => None,
        }
    }

    /// Returns the contexts of the cell, unchanged.
    #[must_use]
    pub fn contexts(&self) -> Vec<&PatchContext> {
        match &self.work {
            Work::Skew { plan, .. } => vec![&plan.full_context, &plan.client.context, &plan.server.context],
            Work::Patch(plan) => plan.context.iter().collect(),
        }
    }

    /// Runs the cell with changed parties. The documents of the steps are added to `documents`, if there is a list.
    pub fn run(&self, change: &dyn PartyChange, documents: Option<&mut Documents>) -> PreparedEnd {
        panics::catch_without_calls(|| self.run_unguarded(change, documents))
            .unwrap_or_else(|panic| PreparedEnd::None(panic.summary()))
    }

    fn run_unguarded(&self, change: &dyn PartyChange, mut documents: Option<&mut Documents>) -> PreparedEnd {
        match &self.work {
            Work::Skew { plan, .. } => {
                let (scenario, merging) = with_changed_parties(plan, change);
                let mut record = |_: StepName, document: &OwnedDoc| {
                    if let Some(documents) = &mut documents {
                        documents.push(document.clone());
                    }
                };
                match run_plan(&scenario, &MergingWith::of(&scenario, &merging), &mut record) {
                    Ok(end) => PreparedEnd::Final(end),
                    Err(failure) => PreparedEnd::None(failure.to_string()),
                }
            }
            Work::Patch(plan) => run_operation(plan, change, documents),
        }
    }

    /// Judges this end of the cell, with this end of its reference case.
    #[must_use]
    pub fn judge(&self, end: PreparedEnd, reference: Option<&PreparedEnd>) -> JudgedEnd {
        let evaluation = self.evaluation(&end);
        let outcome = evaluation.as_ref().and_then(CellEnd::outcome);
        JudgedEnd { passes: self.has_passing_evaluation(evaluation, reference), outcome, end }
    }

    /// Returns true if the cell passes with this end, and with this end of its reference case.
    #[must_use]
    pub fn passes(&self, end: &PreparedEnd, reference: Option<&PreparedEnd>) -> bool {
        self.has_passing_evaluation(self.evaluation(end), reference)
    }

    /// Returns true if the cell passes with this end, and with this end of its reference case, if the ideal and the
    /// state of the old client on the old server are also computed with the change.
    pub fn passes_with_changed_ideals(
        &self,
        end: &PreparedEnd,
        reference: Option<&PreparedEnd>,
        change: &dyn PartyChange,
    ) -> bool {
        let evaluation = match (&self.work, end) {
            (Work::Skew { plan, .. }, PreparedEnd::Final(end)) => {
                let references = panics::catch_without_calls(|| self.changed_references(plan, change));
                let Ok(Some((ideal, before))) = references else { return false };
                Some(judge_end(plan.clone(), end.clone(), Arc::new(ideal), before.as_ref()))
            }
            _ => self.evaluation(end),
        };
        self.has_passing_evaluation(evaluation, reference)
    }

    /// Returns the ideal and the state of the old client on the old server, with changed parties. Returns `None` if one
    /// of them has no final state.
    fn changed_references(
        &self,
        plan: &Scenario,
        change: &dyn PartyChange,
    ) -> Option<(FinalState, Option<FinalState>)> {
        let run = |scenario: &Scenario| {
            let (scenario, merging) = with_changed_parties(scenario, change);
            run_scenario(&scenario, &MergingWith::of(&scenario, &merging), &mut |_, _| {})
        };
        run_references(&self.cell, plan, run).ok()
    }

    fn has_passing_evaluation(&self, evaluation: Option<CellEnd>, reference: Option<&PreparedEnd>) -> bool {
        let Some(evaluation) = evaluation else { return false };
        if !judge::has_expected_answer(&self.cell, &evaluation) {
            return false;
        }
        match (self.reference(), reference) {
            (Some(prepared), Some(reference)) => prepared.evaluation(reference).is_some_and(|reference| {
                judge::is_worse(&evaluation, &reference) == self.cell.expectation.worse
            }),
            _ => true,
        }
    }

    /// Returns the evaluation of an end, or `None` if the run has no final state.
    fn evaluation(&self, end: &PreparedEnd) -> Option<CellEnd> {
        let PreparedEnd::Final(end) = end else { return None };
        Some(match (&self.work, &end.final_state) {
            (Work::Skew { plan, ideal, before }, _) => {
                judge_end(plan.clone(), end.clone(), Arc::clone(ideal), before.as_ref())
            }
            (Work::Patch(plan), FinalState::Stored(document)) => CellEnd::Document {
                document: comparable_result(plan, document.clone()),
                live: None,
                has_lossy_floats: false,
                stored_by: stored_by(plan),
            },
            (Work::Patch(_), FinalState::Refused(error)) => CellEnd::Refused(error.clone()),
        })
    }
}

/// Returns a scenario with changed parties, and the context with which its server merges patches.
fn with_changed_parties(scenario: &Scenario, change: &dyn PartyChange) -> (Scenario, PatchContext) {
    let mut parties = Parties {
        client: scenario.client.clone(),
        server: scenario.server.clone(),
        merging: scenario.server.context.clone(),
    };
    change.change_parties(&mut parties, &scenario.full_context);
    let Parties { client, server, merging } = parties;
    (Scenario { client, server, ..scenario.clone() }, merging)
}

fn run_operation(
    plan: &PatchPlan,
    change: &dyn PartyChange,
    documents: Option<&mut Documents>,
) -> PreparedEnd {
    let mut context = plan.context.clone();
    if let Some(context) = &mut context {
        change.change_context(context);
    }
    let operation = match plan.operation() {
        Ok(operation) => operation,
        Err(invalid) => return PreparedEnd::None(invalid.to_string()),
    };
    let operation = context.as_ref().map_or(operation, |context| operation.with_context(context));
    let result = BuiltIn::execute(&operation);
    if let Some(documents) = documents {
        let mut steps = Some(Vec::new());
        record_operands(&operation, &mut steps);
        documents.extend(steps.into_iter().flatten().map(|(_, document)| document));
        documents.extend(result.iter().cloned());
    }
    PreparedEnd::Final(ScenarioEnd::of_operation(result))
}

/// The built-in engine, with a context of its own for the patches that the server of a scenario merges. Servers that
/// only process requests of other clients are not changed.
struct MergingWith<'a> {
    server: &'a PatchContext,
    merging: &'a PatchContext,
}

impl<'a> MergingWith<'a> {
    fn of(scenario: &'a Scenario, merging: &'a PatchContext) -> Self {
        MergingWith { server: &scenario.server.context, merging }
    }
}

impl Operations<TargetFailure> for MergingWith<'_> {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError<TargetFailure>> {
        let is_of_server = operation.kind().declaration().performer == Performer::Server
            && operation.context().is_some_and(|context| std::ptr::eq(context, self.server));
        if is_of_server {
            BuiltIn.perform(&operation.with_context(self.merging))
        } else {
            BuiltIn.perform(operation)
        }
    }
}
