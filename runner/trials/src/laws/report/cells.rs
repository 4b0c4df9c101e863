//! The verdicts as cells of a results file, which are searched, linked to and compared like the cells of the corpus.

use skewer_reports::laws::{
    ChangeRow, LawsReport, RecordComparison, RenderedExample, SituationCounts, VerdictKind, VerdictSummary,
};
use skewer_results as results;
use skewer_results::{Answer, Reason, Source, Status, Step};

use crate::laws::law::Law;
use crate::laws::record::VerdictRecord;

/// Suite of the cells that represent verdicts. No suite of the corpus has this name, because all of them are in
/// folders.
pub const SUITE: &str = "laws";
const CASE: &str = "of-patch-evolution";

/// Returns a cell for each verdict. The cell passes if the verdict is as recorded or better.
#[must_use]
pub fn cells(report: &LawsReport, record: &VerdictRecord) -> Vec<results::Cell> {
    let row_cells = |row: &ChangeRow| -> Vec<results::Cell> {
        let verdicts = Law::ALL.into_iter().zip(&row.verdicts);
        verdicts.map(|(law, summary)| cell(row, law, summary, report.situation_counts, record)).collect()
    };
    report.rows.iter().flat_map(row_cells).collect()
}

fn cell(
    row: &ChangeRow,
    law: Law,
    summary: &VerdictSummary,
    tried: SituationCounts,
    record: &VerdictRecord,
) -> results::Cell {
    let id = format!("{SUITE}/{CASE}[directive={},law={}]", row.directive, law.name());
    let status =
        if summary.record_comparison == RecordComparison::Worse { Status::Fail } else { Status::Pass };
    let about =
        if row.about.is_empty() { String::new() } else { format!("{}: {}. ", row.directive, row.about) };
    let recorded = record.kind(row.directive, law);
    let is_better = summary.record_comparison == RecordComparison::Better;
    results::Cell {
        axes: [("directive", row.directive), ("law", law.name())].into_iter().collect(),
        about: Some(format!("{about}The law: {}.", law.statement()).into()),
        source: Some(Source {
            document: "strategic-merge-patch".into(),
            section: Some("Changing patch format".into()),
        }),
        expected: vec![Answer::of_verdict(recorded.name(), None)],
        actual: Some(Answer::of_verdict(summary.verdict.name(), summary.condition())),
        because: summary.because.as_deref().map(Into::into),
        reasons: is_better.then_some(Reason::BetterThanRecorded).into_iter().collect(),
        rerun: Some(format!("skewer laws '{}'", row.directive)),
        steps: tried_step(law, summary, tried)
            .into_iter()
            .chain(search_steps(summary))
            .chain(summary.examples.iter().flat_map(|example| steps(summary, example)))
            .collect(),
        ..results::Cell::new(id, SUITE, CASE, status)
    }
}

/// Returns the step that says in which situations a law was tried, if the verdict has no counter-example that shows it.
fn tried_step(law: Law, summary: &VerdictSummary, tried: SituationCounts) -> Option<Step> {
    // The search for a benefit ends at the first situation that shows one.
    (summary.verdict == VerdictKind::Kept && law != Law::Benefit).then(|| Step {
        name: "tried without a counter-example".to_owned(),
        note: Some(tried.sentence_of_laws()),
        document: None,
        owners: Vec::new(),
    })
}

/// Returns the steps that say where a benefit was searched.
fn search_steps(summary: &VerdictSummary) -> impl Iterator<Item = Step> {
    let lines = summary.search.iter().map(|search| search.lines().join(". "));
    lines.map(|note| Step {
        name: "search for a benefit".to_owned(),
        note: Some(note),
        document: None,
        owners: Vec::new(),
    })
}

fn steps(summary: &VerdictSummary, example: &RenderedExample) -> Vec<Step> {
    let name = summary.heading(example);
    let step = |name: &str, note: Option<String>, document: Option<&str>| Step {
        name: name.to_owned(),
        note,
        document: document.map(str::to_owned),
        owners: Vec::new(),
    };
    let requirement = example.required_directive.map(|name| format!("runs once {name} is in the registry"));
    let patches =
        [("an old client's patch", &example.old_patch), ("a new client's patch", &example.new_patch)];
    let patches =
        patches.into_iter().filter_map(|(name, patch)| Some(step(name, None, Some(patch.as_deref()?))));
    [step(&name, Some(example.why.clone()), None)]
        .into_iter()
        .chain(patches)
        .chain([step("the same as a case for the corpus", requirement, Some(&example.case))])
        .collect()
}
