//! The record of a cell: its result for reports, from everything that was found out about it.
//!
//! [`record`] is a pure function, and the only place of the execution that decides a status.

use std::sync::Arc;

use skewer_cases::yaml;
use skewer_cases::{Cell, ExpectedAnswer, Level, SuiteLine};
use skewer_engine::OwnedDoc;
use skewer_results as results;
use skewer_results::{Answer, AskedParty, Reason, Reference, RefusedRequest, Status};
use skewer_skew::{FinalState, Outcome, Performer};
use skewer_targets::TargetFailureKind;

use super::answers::{actual_answer, actual_error, expected_answer, reported_outcome};
use super::asked_target::Unasked;
use super::differences::differences;
use super::evaluation::{CellEnd, EvaluationFailure};
use super::judge::{self, leaked_directives};
use super::leaks::Leak;
use super::pinned_states::{PinnedStates, other_ideal};
use super::simulation::Simulation;
use crate::owners::conflicting_owners;

/// Everything that was found out about a cell.
pub(super) struct Evaluation {
    /// The end of the cell.
    pub(super) end: CellEnd,
    /// The simulation of the server, if the target is one.
    pub(super) simulation: Option<Simulation>,
    /// The reference case at the same point.
    pub(super) reference: Option<ReferenceRun>,
    /// The part of the target that was not asked.
    pub(super) unasked: Unasked,
    /// Warnings of the server.
    pub(super) warnings: Vec<String>,
}

impl Evaluation {
    /// Returns the evaluation with only this end.
    pub(super) fn of_end(end: CellEnd) -> Self {
        Evaluation { end, simulation: None, reference: None, unasked: Unasked::None, warnings: Vec::new() }
    }
}

/// The run of the reference case.
pub(super) struct ReferenceRun {
    /// The id of its cell.
    pub(super) id: String,
    /// Its end.
    pub(super) end: Result<CellEnd, EvaluationFailure>,
}

/// Makes the result of a cell.
pub(super) fn record(cell: &Cell<'_>, evaluated: &Result<Evaluation, EvaluationFailure>) -> results::Cell {
    match evaluated {
        Ok(evaluation) => JudgedCell::of(cell, evaluation).record(),
        Err(failure) => {
            results::Cell { reasons: vec![failure.reason()], ..described_cell(cell, failure.status()) }
        }
    }
}

impl EvaluationFailure {
    fn status(&self) -> Status {
        match self {
            EvaluationFailure::InvalidCase(_)
            | EvaluationFailure::EarlierRequestRefused(..)
            | EvaluationFailure::Panicked { target: None, .. } => Status::Error,
            EvaluationFailure::TargetRefusedEarlierRequest(_) => Status::Fail,
            EvaluationFailure::TargetFailed(target_failure) => match target_failure.kind {
                TargetFailureKind::Unsupported => Status::Unsupported,
                TargetFailureKind::Crash => Status::Crash,
                TargetFailureKind::TimeOut => Status::Timeout,
                TargetFailureKind::GivenUp => Status::NotRun,
            },
            EvaluationFailure::Panicked { target: Some(_), .. } => Status::Crash,
        }
    }

    /// Returns the failure as a reason.
    pub(super) fn reason(&self) -> Reason {
        match self {
            EvaluationFailure::InvalidCase(why) => Reason::InvalidCase(why.into()),
            EvaluationFailure::EarlierRequestRefused(error, request) => {
                let request = Some(request.clone());
                Reason::EarlierRequestRefused(RefusedRequest { error: actual_error(error), request })
            }
            EvaluationFailure::TargetRefusedEarlierRequest(error) => {
                Reason::TargetRefusedEarlierRequest(actual_error(error))
            }
            EvaluationFailure::TargetFailed(failure) => {
                let why = (&failure.why).into();
                match failure.kind {
                    TargetFailureKind::Unsupported => Reason::Unsupported(why),
                    TargetFailureKind::Crash => Reason::Crash(why),
                    TargetFailureKind::TimeOut => Reason::TimedOut(why),
                    TargetFailureKind::GivenUp => Reason::GivenUp(why),
                }
            }
            EvaluationFailure::Panicked { target, panic } => {
                Reason::Panic { target: target.clone(), panic: panic.to_string().into() }
            }
        }
    }
}

/// What an evaluation says about the reference case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReferenceVerdict {
    /// The relation is as the expectation says, or there is no reference case.
    AsExpected,
    /// The cell is worse than the reference case although it should not be, or the other way round.
    NotAsExpected,
    /// The reference case has no end, but this status.
    Failed(Status),
}

/// The facts on which the status of an evaluated cell depends.
#[derive(Clone, Copy, Debug)]
struct StatusFacts {
    /// Whether the end is expected, and has the states that the case pins.
    is_expected: bool,
    /// Whether the end is that of the simulation. True without a simulation.
    is_simulated: bool,
    /// Whether the expectation is for another release than that of the server.
    is_of_other_release: bool,
    reference: ReferenceVerdict,
    unasked: Unasked,
}

impl StatusFacts {
    /// Returns the status.
    ///
    /// A cell that needed no answer from the target says nothing about it. If it is as expected, it is not asked.
    /// Otherwise, the defect is in the case or in Skewer, and must not be overlooked. If one of two parties answered, or
    /// the target answered without deciding on the union, only a passed cell is not asked.
    fn status(self) -> Status {
        let status = match self {
            StatusFacts { is_simulated: false, .. } => Status::Fail,
            StatusFacts { is_expected: false, is_of_other_release: true, .. } => Status::Deviation,
            StatusFacts { is_expected: false, .. }
            | StatusFacts { reference: ReferenceVerdict::NotAsExpected, .. } => Status::Fail,
            StatusFacts { reference: ReferenceVerdict::Failed(status), .. } => status,
            StatusFacts { reference: ReferenceVerdict::AsExpected, .. } => Status::Pass,
        };
        match (status, self.unasked) {
            (Status::Pass, Unasked::Target | Unasked::Party(_) | Unasked::Union) => Status::NotAsked,
            (Status::Fail, Unasked::Target) => Status::Error,
            (status, _) => status,
        }
    }
}

/// An evaluation, compared with the expectation of its cell.
struct JudgedCell<'a> {
    cell: &'a Cell<'a>,
    evaluation: &'a Evaluation,
    pinned: PinnedStates,
    is_expected: bool,
    leaks: Vec<Leak>,
}

/// The two documents that reports show side by side.
#[derive(Default)]
struct Documents<'a> {
    expected: Option<&'a OwnedDoc>,
    actual: Option<&'a OwnedDoc>,
}

impl<'a> JudgedCell<'a> {
    fn of(cell: &'a Cell<'a>, evaluation: &'a Evaluation) -> Self {
        let end = &evaluation.end;
        let pinned = PinnedStates::of(cell, end);
        let is_expected = judge::has_answer(cell, end) && pinned.mismatch.is_none();
        let leaks = if is_expected { Vec::new() } else { end.leaks(cell) };
        JudgedCell { cell, evaluation, pinned, is_expected, leaks }
    }

    fn record(&self) -> results::Cell {
        let Evaluation { end, simulation, .. } = self.evaluation;
        let simulation = simulation.as_ref();
        let status = self.facts().status();
        let judged = results::Cell {
            outcome: Some(self.outcome()),
            covers: if self.leaks.is_empty() { actual_answer(end).covers } else { None },
            paths: self.paths(),
            conflicts: end.error().map(conflicting_owners).unwrap_or_default(),
            expected: self.answers().iter().map(expected_answer).collect(),
            actual: Some(Answer { leaks: leaked_directives(&self.leaks), ..actual_answer(end) }),
            reasons: self.reasons(status),
            deviation: simulation.filter(|_| status == Status::Deviation).map(Simulation::deviation),
            location: Some(location(match &self.pinned.other_ideal {
                Some(ideal) => &ideal.location,
                None => &self.cell.expectation.location,
            })),
            ..described_cell(self.cell, status)
        };
        if status == Status::NotAsked {
            return results::Cell { outcome: None, covers: None, actual: None, paths: Vec::new(), ..judged };
        }
        let documents = self.documents();
        if let Some(simulation) = simulation.filter(|simulation| !simulation.is_same) {
            let documents = Documents { expected: simulation.end.document(), actual: end.document() };
            return documents.write_into(results::Cell {
                expected: vec![actual_answer(&simulation.end)],
                actual: Some(actual_answer(end)),
                reference: Some(simulation.reference()),
                ..judged
            });
        }
        if let Some(ReferenceRun { id, end: Ok(reference) }) = &self.evaluation.reference
            && self.reference_verdict() == ReferenceVerdict::NotAsExpected
        {
            let is_worse = judge::is_worse(end, reference);
            return results::Cell {
                expected: vec![actual_answer(reference)],
                actual: Some(actual_answer(end)),
                reference: Some(Reference::Case { id: id.clone(), is_worse }),
                ..judged
            };
        }
        documents.write_into(judged)
    }

    fn answers(&self) -> &'a [ExpectedAnswer] {
        &self.cell.expectation.answers
    }

    fn facts(&self) -> StatusFacts {
        let simulation = self.evaluation.simulation.as_ref();
        StatusFacts {
            is_expected: self.is_expected,
            is_simulated: simulation.is_none_or(|simulation| simulation.is_same),
            is_of_other_release: simulation.is_some_and(|simulation| !simulation.is_release_of_cell),
            reference: self.reference_verdict(),
            unasked: self.evaluation.unasked,
        }
    }

    fn reference_verdict(&self) -> ReferenceVerdict {
        match &self.evaluation.reference {
            None => ReferenceVerdict::AsExpected,
            Some(ReferenceRun { end: Err(failure), .. }) => ReferenceVerdict::Failed(failure.status()),
            Some(ReferenceRun { end: Ok(reference), .. }) => {
                let is_worse = judge::is_worse(&self.evaluation.end, reference);
                if is_worse == self.cell.expectation.worse {
                    ReferenceVerdict::AsExpected
                } else {
                    ReferenceVerdict::NotAsExpected
                }
            }
        }
    }

    fn outcome(&self) -> results::Outcome {
        match &self.evaluation.end {
            _ if !self.leaks.is_empty() => results::Outcome::Leaked,
            CellEnd::Skew { judgement, .. } => reported_outcome(judgement.outcome),
            CellEnd::Refused(_) | CellEnd::TypesRefused { .. } => results::Outcome::Refused,
            CellEnd::Document { .. } | CellEnd::TypesAccepted if self.is_expected => results::Outcome::Match,
            CellEnd::Document { .. } | CellEnd::TypesAccepted => results::Outcome::Mismatch,
        }
    }

    /// Returns the paths of leaked directives, or else those at which the final state differs from the ideal.
    fn paths(&self) -> Vec<String> {
        match &self.evaluation.end {
            _ if !self.leaks.is_empty() => self.leaks.iter().map(|leak| leak.path.to_string()).collect(),
            CellEnd::Skew { judgement, .. } => judgement.paths.iter().map(ToString::to_string).collect(),
            _ => Vec::new(),
        }
    }

    fn reasons(&self, status: Status) -> Vec<Reason> {
        let Evaluation { reference, unasked, warnings, simulation, end } = self.evaluation;
        if status == Status::NotAsked {
            return vec![self.not_asked()];
        }
        if self.is_expected
            && let Some(ReferenceRun { end: Err(failure), .. }) = reference
        {
            return vec![failure.reason()];
        }
        let warned = || {
            let warnings = warnings.iter().map(|warning| warning.as_str().into()).collect();
            Reason::ServerWarned(warnings)
        };
        let owners = simulation.as_ref().and_then(|simulation| simulation.owners_reason(end));
        let reason = owners.or_else(|| self.mismatch()).or_else(|| (!warnings.is_empty()).then(warned));
        let ideal = if self.is_expected { None } else { other_ideal(self.answers(), &self.evaluation.end) };
        let blame = (status == Status::Error && *unasked == Unasked::Target).then_some(Reason::NotOfTarget);
        blame.into_iter().chain(reason).chain(ideal).collect()
    }

    /// Returns the difference from the expectation that neither the answers nor the documents show.
    fn mismatch(&self) -> Option<Reason> {
        if self.is_expected {
            return None;
        }
        let end = &self.evaluation.end;
        // If only the owners differ, the documents say nothing about it.
        let mut others = self.answers().iter().filter(|answer| end.satisfies_except_owners(answer));
        let owners = others.find_map(|answer| end.owners_mismatch(answer)).map(Reason::OwnersDiffer);
        let documents = self.documents();
        let is_same = self.pinned_document().is_some()
            && documents.expected.is_some()
            && documents.expected == documents.actual;
        owners.or_else(|| self.pinned.mismatch.clone()).or_else(|| is_same.then_some(Reason::SameDocument))
    }

    fn not_asked(&self) -> Reason {
        let party = match self.evaluation.unasked {
            Unasked::Party(Performer::Client) => AskedParty::Client,
            Unasked::Party(Performer::Server) => AskedParty::Server,
            Unasked::Union => return Reason::UnionSimulated,
            Unasked::Target | Unasked::None => AskedParty::Target,
        };
        let whole_object = match &self.evaluation.end {
            CellEnd::Skew { plan, .. } if plan.request.is_whole_object() => {
                Some(plan.request.name().to_owned())
            }
            _ => None,
        };
        Reason::NotAsked { party, whole_object }
    }

    /// Returns the document that the expectation pins.
    fn pinned_document(&self) -> Option<&OwnedDoc> {
        let of_answer = self.answers().iter().find_map(|answer| answer.result.as_ref());
        of_answer.or(self.pinned.expected_document.as_ref())
    }

    /// Returns the documents of a cell that is not as expected: the pinned document or else the ideal, and the actual
    /// document.
    fn documents(&self) -> Documents<'_> {
        if self.is_expected {
            return Documents::default();
        }
        let pinned = self.pinned_document();
        match &self.evaluation.end {
            CellEnd::Skew { ideal, .. } if self.pinned.other_ideal.is_some() => {
                let document = self.pinned.other_ideal.as_ref().and_then(|pinned| pinned.document.as_ref());
                let FinalState::Stored(ideal) = &**ideal else { return Documents::default() };
                Documents { expected: document, actual: document.and(Some(ideal)) }
            }
            CellEnd::Skew { ideal, final_state, plan, live, .. } => {
                let stored = if plan.has_other_requests() { live } else { &plan.stored };
                let actual = if let FinalState::Stored(document) = final_state { document } else { stored };
                let intended = self.answers().iter().any(|answer| answer.outcome == Some(Outcome::Intended));
                let ideal = if let FinalState::Stored(document) = &**ideal { document } else { stored };
                Documents { expected: pinned.or(intended.then_some(ideal)), actual: Some(actual) }
            }
            CellEnd::Document { document, .. } => Documents { expected: pinned, actual: Some(document) },
            CellEnd::Refused(_) | CellEnd::TypesAccepted | CellEnd::TypesRefused { .. } => {
                Documents { expected: pinned, actual: None }
            }
        }
    }
}

impl Documents<'_> {
    /// Returns the cell with the documents, and with their differences unless another one matters more.
    fn write_into(self, cell: results::Cell) -> results::Cell {
        let is_refused = cell.actual.as_ref().is_none_or(|actual| actual.error.is_some());
        let expects_error = cell.expected.first().is_some_and(|answer| answer.error.is_some());
        let differences = match (self.expected, self.actual) {
            (Some(expected), Some(actual)) if !is_refused && !expects_error => differences(expected, actual),
            _ => Vec::new(),
        };
        results::Cell {
            actual: cell.actual.map(|actual| Answer { differences, ..actual }),
            expected_document: self.expected.map(yaml::write),
            actual_document: self.actual.map(yaml::write),
            ..cell
        }
    }
}

/// Returns the result of a cell with its description and its status.
fn described_cell(cell: &Cell<'_>, status: Status) -> results::Cell {
    let case = cell.case;
    results::Cell {
        axes: cell.coordinates().into_iter().collect(),
        level: match cell.level() {
            Level::Required => results::Level::Required,
            Level::Recommended => results::Level::Recommended,
            Level::Proposed => results::Level::Proposed,
            Level::Erratum => results::Level::Erratum,
        },
        kep: cell.kep_rows(),
        issue: case.issue.clone(),
        source: case.source.as_ref().map(|source| results::Source {
            document: Arc::clone(&source.document),
            section: Some(Arc::clone(&source.section)),
        }),
        about: Some(Arc::clone(&case.about)),
        because: cell.expectation.because.clone(),
        location: Some(location(&cell.expectation.location)),
        ..results::Cell::new(cell.id(), Arc::clone(&case.suite), Arc::clone(&case.id), status)
    }
}

fn location(line: &SuiteLine) -> results::Location {
    results::Location { file: Arc::clone(&line.file), line: u32::try_from(line.line).unwrap_or(u32::MAX) }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const EXPECTED: StatusFacts = StatusFacts {
        is_expected: true,
        is_simulated: true,
        is_of_other_release: false,
        reference: ReferenceVerdict::AsExpected,
        unasked: Unasked::None,
    };
    const WRONG: StatusFacts = StatusFacts { is_expected: false, ..EXPECTED };

    #[rstest]
    #[case::as_expected(EXPECTED, Status::Pass)]
    #[case::not_as_expected(WRONG, Status::Fail)]
    #[case::unlike_the_simulation(StatusFacts { is_simulated: false, ..EXPECTED }, Status::Fail)]
    #[case::wrong_and_unlike_the_simulation(
        StatusFacts { is_simulated: false, is_of_other_release: true, ..WRONG },
        Status::Fail
    )]
    #[case::of_another_release(StatusFacts { is_of_other_release: true, ..WRONG }, Status::Deviation)]
    #[case::expected_on_another_release(StatusFacts { is_of_other_release: true, ..EXPECTED }, Status::Pass)]
    #[case::other_relation_to_the_reference_case(
        StatusFacts { reference: ReferenceVerdict::NotAsExpected, ..EXPECTED },
        Status::Fail
    )]
    #[case::no_answer_to_the_reference_case(
        StatusFacts { reference: ReferenceVerdict::Failed(Status::Timeout), ..EXPECTED },
        Status::Timeout
    )]
    #[case::no_answer_needed(StatusFacts { unasked: Unasked::Target, ..EXPECTED }, Status::NotAsked)]
    #[case::no_answer_of_a_party_needed(
        StatusFacts { unasked: Unasked::Party(Performer::Client), ..EXPECTED },
        Status::NotAsked
    )]
    #[case::no_decision_on_the_union(
        StatusFacts { unasked: Unasked::Union, ..EXPECTED },
        Status::NotAsked
    )]
    #[case::wrong_without_a_decision_on_the_union(
        StatusFacts { unasked: Unasked::Union, ..WRONG },
        Status::Fail
    )]
    #[case::wrong_without_the_target(StatusFacts { unasked: Unasked::Target, ..WRONG }, Status::Error)]
    #[case::wrong_with_one_party(
        StatusFacts { unasked: Unasked::Party(Performer::Server), ..WRONG },
        Status::Fail
    )]
    #[case::deviation_without_the_target(
        StatusFacts { is_of_other_release: true, unasked: Unasked::Target, ..WRONG },
        Status::Deviation
    )]
    fn the_status_follows_from_the_evaluation(#[case] facts: StatusFacts, #[case] expected: Status) {
        assert_eq!(facts.status(), expected);
    }

    #[rstest]
    #[case(TargetFailureKind::Unsupported, Status::Unsupported)]
    #[case(TargetFailureKind::Crash, Status::Crash)]
    #[case(TargetFailureKind::TimeOut, Status::Timeout)]
    #[case(TargetFailureKind::GivenUp, Status::NotRun)]
    fn a_failure_of_the_target_is_a_status(#[case] kind: TargetFailureKind, #[case] expected: Status) {
        let why = "why".to_owned();
        let failure = EvaluationFailure::TargetFailed(skewer_targets::TargetFailure { kind, why });
        assert_eq!((failure.status(), failure.reason().to_string().as_str()), (expected, "why"));
    }
}
