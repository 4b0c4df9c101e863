//! The model of a report.

use serde::Serialize;

use crate::execute::panics;
use crate::laws::format_change::FormatChange;
use crate::laws::law::{Law, ViolationKind};
use crate::laws::record::{RecordComparison, VerdictRecord};
use crate::laws::suite_file;
use crate::laws::trial::Trial;
use crate::laws::verdict::{CompiledSituations, Example, Verdict, VerdictKind, judge_change};

/// The verdicts on changes of the patch format.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Numbers of situations by their source.
    #[serde(rename = "tried")]
    pub situation_counts: SituationCounts,
    /// Rows of the table, one for each change.
    pub rows: Vec<ChangeRow>,
}

/// The numbers of situations in which the laws were tried.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SituationCounts {
    /// Number of situations of the corpus.
    #[serde(rename = "of_corpus")]
    pub from_corpus: usize,
    /// Number of generated situations.
    pub generated: usize,
    /// Seed of the generated situations.
    pub seed: u64,
}

/// The verdicts on one change of the patch format.
#[derive(Clone, Debug, Serialize)]
pub struct ChangeRow {
    /// Name of the change.
    pub directive: &'static str,
    /// Description of the change; empty for a directive of the registry.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub about: &'static str,
    /// Verdict of each law, in the order of [`Law::ALL`].
    pub verdicts: Vec<VerdictSummary>,
}

/// The verdict of one law on one change.
#[derive(Clone, Debug, Serialize)]
pub struct VerdictSummary {
    /// The law.
    pub law: Law,
    /// The verdict over all profiles.
    pub verdict: VerdictKind,
    /// Profiles beside whose directives the law is broken.
    #[serde(rename = "among", skip_serializing_if = "Vec::is_empty")]
    pub broken_profiles: Vec<String>,
    /// Whether the law is broken beside some profiles, but not beside all of them.
    #[serde(rename = "somewhere", skip_serializing_if = "std::ops::Not::not")]
    pub is_broken_in_part: bool,
    /// Comparison with the record.
    #[serde(rename = "standing")]
    pub record_comparison: RecordComparison,
    /// Recorded reason for the verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// The smallest counter-examples, or examples that show that the law is kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<RenderedExample>,
}

/// An example of a verdict, rendered as text.
#[derive(Clone, Debug, Serialize)]
pub struct RenderedExample {
    /// Kind of the violation; none if the law is kept.
    #[serde(rename = "noise", skip_serializing_if = "Option::is_none")]
    pub violation: Option<ViolationKind>,
    /// Description of what happens, in a sentence.
    pub why: String,
    /// Patch of a client without the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_patch: Option<String>,
    /// Patch of a client with the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_patch: Option<String>,
    /// Directive that the registry has to contain for the case to run.
    #[serde(rename = "needs", skip_serializing_if = "Option::is_none")]
    pub required_directive: Option<&'static str>,
    /// Suite file that can go into the corpus.
    pub case: String,
}

/// The verdicts that examples are made for. Examples take longer than verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExampleSelection {
    /// No verdicts.
    None,
    /// Verdicts that a law is broken.
    Broken,
    /// All verdicts.
    All,
}

impl Report {
    /// Checks all laws for each of the changes.
    #[must_use]
    pub fn new(
        changes: &[FormatChange],
        (situations, situation_counts): (&CompiledSituations, SituationCounts),
        record: &VerdictRecord,
        selection: ExampleSelection,
    ) -> Self {
        let rows = changes.iter().map(|change| ChangeRow {
            directive: change.name,
            about: change.about,
            verdicts: judge_change(change, situations)
                .iter()
                .map(|verdict| summarize(change, verdict, situations, record, selection))
                .collect(),
        });
        Report { situation_counts, rows: rows.collect() }
    }

    /// Returns a line for each verdict with this comparison: `$retainKeys, forward: broken`.
    #[must_use]
    pub fn summary_lines(&self, comparison: RecordComparison) -> Vec<String> {
        let lines = self.rows.iter().flat_map(|row| {
            row.verdicts.iter().filter(move |summary| summary.record_comparison == comparison).map(
                |summary| {
                    let line =
                        format!("{}, {}: {}", row.directive, summary.law.name(), summary.verdict.name());
                    match summary.broken_profiles.as_slice() {
                        [] => line,
                        profiles => format!("{line} beside the directives of {}", profiles.join(", ")),
                    }
                },
            )
        });
        lines.collect()
    }
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
        law: verdict.law,
        verdict: verdict.kind(),
        is_broken_in_part: !broken_profiles.is_empty() && broken_profiles.len() < verdict.by_profile.len(),
        broken_profiles: broken_profiles.into_iter().map(str::to_owned).collect(),
        record_comparison: record.compare(change.name, verdict),
        because: record.because(change.name, verdict.law).map(|because| because.trim().replace('\n', " ")),
        examples: examples.iter().map(|example| render_example(change, example)).collect(),
    }
}

fn render_example(change: &FormatChange, example: &Example) -> RenderedExample {
    // An example of a panic has no patches, and no case that could show it.
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
            .unwrap_or_else(|_| format!("# There is no case: {}.\n", example.why)),
    }
}

impl SituationCounts {
    /// Returns the numbers in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let SituationCounts { from_corpus, generated, seed } = self;
        format!("{from_corpus} situations of the corpus, {generated} generated from seed {seed}")
    }
}

impl VerdictSummary {
    /// Returns the text of the verdict in a table: `broken*` if it is not so beside all profiles, and the comparison if
    /// the verdict is not as recorded.
    pub(super) fn table_text(&self) -> String {
        let word = self.verdict.name();
        let star = if self.is_broken_in_part { "*" } else { "" };
        match self.record_comparison {
            RecordComparison::AsRecorded => format!("{word}{star}"),
            comparison => format!("{word}{star} ({})", comparison.name()),
        }
    }

    /// Returns the heading of an example.
    pub(super) fn heading(&self, example: &RenderedExample) -> String {
        match example.violation {
            None => format!("{}, as here", self.verdict.name()),
            Some(violation) => format!(
                "{} beside the directives of {}; here, {}",
                self.verdict.name(),
                self.broken_profiles.join(", "),
                violation.description()
            ),
        }
    }
}

/// Legend of the star in tables.
pub(super) const STAR_LEGEND: &str = "`*`: not beside all of the other directives";
