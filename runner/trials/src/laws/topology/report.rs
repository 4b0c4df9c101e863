//! The report of the verdicts, which [`skewer_reports::laws`] renders.

use rayon::prelude::*;
use skewer_reports::laws::{
    ChangeRow, LawText, LawsReport, RenderedExample, ReportSubject, SituationCounts, VerdictSummary,
    ViolationKind,
};

use super::change::TopologyChange;
use super::generate::{TopologySituation, generate};
use super::law::{LAWS, check, statement};
use super::shrink::shrink;
use super::suite_file;
use super::trial::{HistoryKind, TopologyTrial};
use crate::differential::sequences::Sequence;
use crate::laws::law::{Law, LawResult};
use crate::laws::record::VerdictRecord;
use crate::laws::situation::SituationPlan;
use crate::laws::verdict::combined_kind;

/// Maximum number of situations that are shrunk for one example. Several are tried, because the smallest situation
/// before shrinking is not always the smallest afterwards.
const MAX_SHRUNK_SITUATIONS: usize = 3;

/// Checks all laws for each of the changes, each in the situations of a plan, and compares the verdicts with the recorded
/// ones. With `has_examples`, the report has shrunk counter-examples.
#[must_use]
pub fn report(
    changes: &[&TopologyChange],
    plan: SituationPlan,
    record: &VerdictRecord,
    has_examples: bool,
) -> LawsReport {
    let rows = changes.iter().map(|change| row(change, plan, record, has_examples));
    let generated = usize::try_from(plan.count).unwrap_or(usize::MAX);
    LawsReport {
        implementation: None,
        subject: ReportSubject::TopologyChange,
        situation_counts: SituationCounts { from_corpus: 0, generated, concurrent: 0, seed: plan.seed },
        laws: LAWS.map(|law| LawText { name: law.name(), statement: statement(law) }).to_vec(),
        rows: rows.collect(),
    }
}

/// The results of the laws in one situation.
struct Observation {
    number: u64,
    history: HistoryKind,
    /// Size of the requests.
    size: usize,
    results: [LawResult; LAWS.len()],
}

fn row(
    change: &TopologyChange,
    SituationPlan { seed, count }: SituationPlan,
    record: &VerdictRecord,
    has_examples: bool,
) -> ChangeRow {
    let observe = |number| {
        let sequence = generate(change, seed, number)?.sequence;
        let trial = TopologyTrial::run(&sequence)?;
        let (history, size) = (HistoryKind::of(&sequence), size(&sequence));
        Some(Observation { number, history, size, results: LAWS.map(|law| check(law, &trial)) })
    };
    let observations: Vec<Observation> = (0..count).into_par_iter().filter_map(observe).collect();
    let summary = |(index, law): (usize, Law)| {
        let by_history = HistoryKind::ALL.map(|history| {
            let of_history = observations.iter().filter(|observation| observation.history == history);
            (history.name().to_owned(), combined_kind(of_history.map(|it| it.results[index].verdict())))
        });
        let example = |kind| {
            let is_example = |it: &&Observation| matches!(&it.results[index], LawResult::Broken(violation) if violation.kind == kind);
            example(change, law, kind, seed, observations.iter().filter(is_example).collect())
        };
        let kinds = [ViolationKind::Silent, ViolationKind::Refusal, ViolationKind::Panic];
        VerdictSummary {
            profile_words: "in histories with",
            examples: kinds.into_iter().filter(|_| has_examples).filter_map(example).collect(),
            ..record.summarize(change.name, law, &by_history)
        }
    };
    let verdicts = LAWS.into_iter().enumerate().map(summary).collect();
    ChangeRow { directive: change.name, about: "", verdicts }
}

/// Returns the size of the requests.
fn size(sequence: &Sequence) -> usize {
    sequence.steps.iter().map(|step| 100 + step.document.to_string().len()).sum()
}

/// Shrinks the smallest situations that break the law in this way, and renders the smallest result. Situations with
/// plainer histories come first, and remain plain.
fn example(
    change: &TopologyChange,
    law: Law,
    kind: ViolationKind,
    seed: u64,
    mut candidates: Vec<&Observation>,
) -> Option<RenderedExample> {
    candidates.sort_by_key(|it| (it.history, it.size, it.number));
    let history = candidates.first()?.history;
    candidates.retain(|it| it.history == history);
    candidates.truncate(MAX_SHRUNK_SITUATIONS);
    let explain = |sequence: &Sequence| {
        let trial = TopologyTrial::run(sequence).filter(|_| HistoryKind::of(sequence) == history)?;
        let LawResult::Broken(violation) = check(law, &trial) else { return None };
        (violation.kind == kind).then_some(violation.why)
    };
    let shrunk = |observation: &Observation| -> Option<TopologySituation> {
        let situation = generate(change, seed, observation.number)?;
        Some(shrink(change, situation, &|sequence| explain(sequence).is_some()))
    };
    let shrunk: Vec<TopologySituation> = candidates.into_par_iter().filter_map(shrunk).collect();
    let situation = shrunk.into_iter().min_by_key(|situation| size(&situation.sequence))?;
    let why = explain(&situation.sequence)?;
    let example = suite_file::TopologyExample { change, law, kind, seed, situation, why };
    Some(RenderedExample {
        violation: Some(kind),
        case: suite_file::render(&example),
        why: example.why,
        old_patch: None,
        new_patch: None,
        required_directive: None,
    })
}
