//! The report of the verdicts, which [`skewer_reports::laws`] renders, and the verdicts as cells of a run.

mod cells;
#[cfg(test)]
mod tests;

use skewer_reports::laws::{
    ChangeRow, LawText, LawsReport, RecordComparison, RenderedExample, ReportSubject, VerdictKind,
    VerdictSummary,
};

pub use self::cells::{SUITE, cells};
use skewer_execute::execute::panics;

use super::format_change::FormatChange;
use super::law::Law;
use super::record::VerdictRecord;
use super::suite_file;
use super::trial::LawTrial;
use super::verdict::{ChangeVerdict, CompiledSituations, Example, judge_change};

/// The verdicts for which examples are made. Making an example takes longer than finding a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExampleSelection {
    /// No verdicts.
    None,
    /// Verdicts that a law is broken.
    Broken,
    /// All verdicts.
    All,
}

/// Checks all laws for each of the changes, and compares the verdicts with the recorded ones.
#[must_use]
pub fn report(
    changes: &[FormatChange],
    situations: &CompiledSituations,
    record: &VerdictRecord,
    selection: ExampleSelection,
) -> LawsReport {
    let rows = changes.iter().map(|change| ChangeRow {
        directive: change.name,
        about: change.about,
        verdicts: judge_change(change, situations)
            .iter()
            .map(|verdict| summarize(change, verdict, situations, record, selection))
            .collect(),
    });
    let subject = ReportSubject::Directive;
    LawsReport {
        subject,
        implementation: changes.iter().find_map(|change| change.implementation.target_name()),
        situation_counts: situations.counts,
        laws: Law::ALL.map(law_text).to_vec(),
        rows: rows.collect(),
    }
}

fn law_text(law: Law) -> LawText {
    LawText { name: law.name(), statement: law.statement() }
}

fn summarize(
    change: &FormatChange,
    verdict: &ChangeVerdict,
    situations: &CompiledSituations,
    record: &VerdictRecord,
    selection: ExampleSelection,
) -> VerdictSummary {
    let summary = record.summarize(change.name, verdict.law, &verdict.by_profile);
    let is_selected = match selection {
        ExampleSelection::None => false,
        ExampleSelection::Broken => summary.verdict == VerdictKind::Broken,
        ExampleSelection::All => true,
    };
    // The record is about the engine, and about the whole corpus. A target must not break what the engine keeps.
    let record_comparison = match summary.record_comparison {
        RecordComparison::Worse if summary.verdict == VerdictKind::Broken => RecordComparison::Worse,
        comparison if change.implementation.target_name().is_none() => comparison,
        _ => RecordComparison::AsRecorded,
    };
    let examples = if is_selected { verdict.examples(change, situations) } else { Vec::new() };
    VerdictSummary {
        profile_words: "with the directives of",
        record_comparison,
        search: (verdict.law == Law::Benefit && summary.verdict == VerdictKind::NotShown)
            .then(|| verdict.benefit_search.text()),
        examples: examples.iter().map(|example| render_example(change, example)).collect(),
        ..summary
    }
}

fn render_example(change: &FormatChange, example: &Example) -> RenderedExample {
    // If the directive panics, the example has neither patches nor a case.
    let trial = panics::catch_without_calls(|| LawTrial::new(change, &example.formats, &example.situation))
        .ok()
        .flatten();
    let patch_text = |patch: &Result<_, _>| patch.as_ref().ok().map(ToString::to_string);
    let is_missing_in_registry = !change.is_registered && !change.is_declared() && change.has_distinct_name();
    RenderedExample {
        violation: example.violation,
        why: example.why.clone(),
        old_patch: trial.as_ref().and_then(|trial| patch_text(&trial.old_patch)),
        new_patch: trial.as_ref().and_then(|trial| patch_text(trial.new_patch.as_ref()?)),
        required_directive: is_missing_in_registry.then(|| change.directive.name()),
        case: panics::catch_without_calls(|| suite_file::render(change, example))
            .unwrap_or_else(|_| format!("# No case can be written: {}.\n", example.why)),
    }
}
