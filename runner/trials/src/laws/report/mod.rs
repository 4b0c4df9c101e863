//! The report of the verdicts, which [`skewer_reports::laws`] renders, and the verdicts as cells of a run.

mod cells;
#[cfg(test)]
mod tests;

use skewer_reports::laws::{
    ChangeRow, LawText, LawsReport, RenderedExample, ReportSubject, SituationCounts, VerdictKind,
    VerdictSummary,
};

pub use self::cells::{SUITE, cells};
use skewer_execute::execute::panics;

use super::format_change::FormatChange;
use super::law::Law;
use super::record::VerdictRecord;
use super::suite_file;
use super::trial::Trial;
use super::verdict::{CompiledSituations, Example, Verdict, judge_change};

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
    (situations, situation_counts): (&CompiledSituations, SituationCounts),
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
    LawsReport { subject, situation_counts, laws: Law::ALL.map(law_text).to_vec(), rows: rows.collect() }
}

fn law_text(law: Law) -> LawText {
    LawText { name: law.name(), statement: law.statement() }
}

fn summarize(
    change: &FormatChange,
    verdict: &Verdict,
    situations: &CompiledSituations,
    record: &VerdictRecord,
    selection: ExampleSelection,
) -> VerdictSummary {
    let is_selected = match selection {
        ExampleSelection::None => false,
        ExampleSelection::Broken => verdict.kind() == VerdictKind::Broken,
        ExampleSelection::All => true,
    };
    let examples = if is_selected { verdict.examples(change, situations) } else { Vec::new() };
    let broken_profiles = verdict.broken_profiles();
    VerdictSummary {
        law: verdict.law.name(),
        verdict: verdict.kind(),
        profile_words: "with the directives of",
        is_broken_in_part: !broken_profiles.is_empty() && broken_profiles.len() < verdict.by_profile.len(),
        broken_profiles: broken_profiles.into_iter().map(str::to_owned).collect(),
        record_comparison: record.compare(change.name, verdict),
        search: (verdict.law == Law::Benefit && verdict.kind() == VerdictKind::NotShown)
            .then(|| verdict.benefit_search.text()),
        because: record.because(change.name, verdict.law).map(|because| because.trim().replace('\n', " ")),
        examples: examples.iter().map(|example| render_example(change, example)).collect(),
    }
}

fn render_example(change: &FormatChange, example: &Example) -> RenderedExample {
    // If the directive panics, the example has neither patches nor a case.
    let trial = panics::catch_without_calls(|| Trial::new(change, &example.formats, &example.situation))
        .ok()
        .flatten();
    let patch_text = |patch: &Result<_, _>| patch.as_ref().ok().map(ToString::to_string);
    let is_missing_in_registry = !change.is_registered && change.has_distinct_name();
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
