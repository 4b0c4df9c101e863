//! The report of the verdicts, which [`skewer_reports::laws`] renders.

use rayon::prelude::*;
use skewer_reports::laws::{
    ChangeRow, LawText, LawsReport, RenderedExample, ReportSubject, SituationCounts, VerdictKind,
    VerdictSummary, ViolationKind,
};

use super::change::TopologyChange;
use super::generate::{TopologySituation, generate};
use super::law::TopologyLaw;
use super::record::TopologyRecord;
use super::shrink::shrink;
use super::suite_file;
use super::trial::{HistoryKind, TopologyTrial};
use crate::differential::sequences::Sequence;
use crate::laws::law::{LawResult, Violation};
use crate::laws::verdict::{broken_profiles, combined_kind};

/// Maximum number of situations that are shrunk for one example. Several are tried, because the smallest situation
/// before shrinking is not always the smallest afterwards.
const MAX_SHRUNK_SITUATIONS: usize = 3;

/// Checks all laws for each of the changes, each in `count` generated situations, and compares the verdicts with the
/// recorded ones. With `has_examples`, the report has shrunk counter-examples.
#[must_use]
pub fn report(
    changes: &[&TopologyChange],
    (seed, count): (u64, u64),
    record: &TopologyRecord,
    has_examples: bool,
) -> LawsReport {
    let rows = changes.iter().map(|change| row(change, (seed, count), record, has_examples));
    let generated = usize::try_from(count).unwrap_or(usize::MAX);
    LawsReport {
        subject: ReportSubject::TopologyChange,
        situation_counts: SituationCounts { from_corpus: 0, generated, concurrent: 0, seed },
        laws: TopologyLaw::ALL.map(|law| LawText { name: law.name(), statement: law.statement() }).to_vec(),
        rows: rows.collect(),
    }
}

/// The results of the laws in one situation.
struct Observation {
    number: u64,
    history: HistoryKind,
    /// Size of the requests.
    size: usize,
    results: [LawResult; TopologyLaw::ALL.len()],
}

fn row(
    change: &TopologyChange,
    (seed, count): (u64, u64),
    record: &TopologyRecord,
    has_examples: bool,
) -> ChangeRow {
    let observe = |number| {
        let sequence = generate(change, seed, number)?.sequence;
        let (results, history, size) = (results(&sequence)?, HistoryKind::of(&sequence), size(&sequence));
        Some(Observation { number, history, size, results })
    };
    let observations: Vec<Observation> = (0..count).into_par_iter().filter_map(observe).collect();
    let summary = |(index, law): (usize, TopologyLaw)| {
        let by_history = HistoryKind::ALL.map(|history| {
            let of_history = observations.iter().filter(|observation| observation.history == history);
            (history.name().to_owned(), verdict(of_history.map(|it| &it.results[index])))
        });
        let example = |kind| {
            let is_example =
                |it: &&Observation| violation(&it.results[index]).is_some_and(|v| v.kind == kind);
            example(change, (law, kind), seed, observations.iter().filter(is_example).collect())
        };
        let examples = [ViolationKind::Silent, ViolationKind::Refusal, ViolationKind::Panic]
            .into_iter()
            .filter(|_| has_examples)
            .filter_map(example);
        let broken = broken_profiles(&by_history);
        VerdictSummary {
            law: law.name(),
            verdict: combined_kind(&by_history),
            broken_profiles: broken.iter().map(|history| (*history).to_owned()).collect(),
            profile_words: "in histories with",
            is_broken_in_part: !broken.is_empty() && broken.len() < by_history.len(),
            record_comparison: record.compare(change.name, law, &by_history),
            because: record.because(change.name, law).map(|because| because.trim().replace('\n', " ")),
            search: None,
            examples: examples.collect(),
        }
    };
    let verdicts = TopologyLaw::ALL.into_iter().enumerate().map(summary).collect();
    ChangeRow { directive: change.name, about: "", verdicts }
}

fn results(sequence: &Sequence) -> Option<[LawResult; 3]> {
    let trial = TopologyTrial::run(sequence)?;
    Some(TopologyLaw::ALL.map(|law| law.check(&trial)))
}

fn violation(result: &LawResult) -> Option<&Violation> {
    match result {
        LawResult::Broken(violation) => Some(violation),
        LawResult::Holds | LawResult::NotApplicable => None,
    }
}

fn verdict<'r>(results: impl Iterator<Item = &'r LawResult>) -> VerdictKind {
    let kind = |result: &LawResult| match result {
        LawResult::Broken(_) => VerdictKind::Broken,
        LawResult::Holds => VerdictKind::Kept,
        LawResult::NotApplicable => VerdictKind::NotShown,
    };
    let (mut is_broken, mut is_kept) = (false, false);
    for result in results {
        is_broken |= kind(result) == VerdictKind::Broken;
        is_kept |= kind(result) == VerdictKind::Kept;
    }
    match (is_broken, is_kept) {
        (true, _) => VerdictKind::Broken,
        (false, true) => VerdictKind::Kept,
        (false, false) => VerdictKind::NotShown,
    }
}

/// Returns the size of the requests.
fn size(sequence: &Sequence) -> usize {
    sequence.steps.iter().map(|step| 100 + step.document.to_string().len()).sum()
}

/// Shrinks the smallest situations that break the law in this way, and renders the smallest result. Situations with
/// plainer histories come first, and remain plain.
fn example(
    change: &TopologyChange,
    (law, kind): (TopologyLaw, ViolationKind),
    seed: u64,
    mut candidates: Vec<&Observation>,
) -> Option<RenderedExample> {
    candidates.sort_by_key(|it| (it.history, it.size, it.number));
    let history = candidates.first()?.history;
    candidates.retain(|it| it.history == history);
    candidates.truncate(MAX_SHRUNK_SITUATIONS);
    let explain = |sequence: &Sequence| {
        let trial = TopologyTrial::run(sequence).filter(|_| HistoryKind::of(sequence) == history)?;
        let LawResult::Broken(violation) = law.check(&trial) else { return None };
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
