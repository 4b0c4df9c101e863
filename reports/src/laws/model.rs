//! The report as data.

use serde::{Deserialize, Serialize};

use crate::blocks::{Line, plain};

/// The verdicts on changes of the patch format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LawsReport {
    /// The subject of the laws.
    #[serde(skip)]
    pub subject: ReportSubject,
    /// The target that created and applied the patches. `None` for the built-in engine.
    #[serde(rename = "target", skip_serializing_if = "Option::is_none")]
    pub implementation: Option<String>,
    /// Numbers of situations by their source.
    #[serde(rename = "tried")]
    pub situation_counts: SituationCounts,
    /// The laws, in the order of the columns.
    #[serde(skip)]
    pub laws: Vec<LawText>,
    /// Rows of the table, one for each change.
    pub rows: Vec<ChangeRow>,
}

/// The subject of the laws of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportSubject {
    /// Directives of strategic merge patches.
    Directive,
    /// Changes of a topology of server-side apply.
    TopologyChange,
}

impl ReportSubject {
    /// Returns the title of the report.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            ReportSubject::Directive => "The laws of patch evolution",
            ReportSubject::TopologyChange => "The laws of server-side apply for changes of a topology",
        }
    }

    /// Returns the heading of the column with the names of the changes.
    #[must_use]
    pub const fn column(self) -> &'static str {
        match self {
            ReportSubject::Directive => "directive",
            ReportSubject::TopologyChange => "change of topology",
        }
    }
}

/// The name and the text of a law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LawText {
    /// Name of the law.
    pub name: &'static str,
    /// Text of the law, a sentence without its full stop.
    pub statement: &'static str,
}

/// The numbers of situations in which the laws were tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SituationCounts {
    /// Number of situations of the corpus.
    #[serde(rename = "of_corpus")]
    pub from_corpus: usize,
    /// Number of generated situations.
    pub generated: usize,
    /// Number of generated situations in which another client changes the object meanwhile. In them, only a benefit is
    /// searched.
    pub concurrent: usize,
    /// Seed of the generated situations.
    pub seed: u64,
}

/// The verdicts on one change of the patch format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangeRow {
    /// Name of the change.
    pub directive: &'static str,
    /// Description of the change; empty for a directive of the registry.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub about: &'static str,
    /// Verdict of each law, in the order of [`LawsReport::laws`].
    pub verdicts: Vec<VerdictSummary>,
}

/// The verdict of one law on one change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerdictSummary {
    /// Name of the law.
    pub law: &'static str,
    /// The verdict for all profiles together, or for all kinds of histories together.
    pub verdict: VerdictKind,
    /// Profiles for which the law is broken. A directive is tried together with the directives of each profile, and a
    /// change of a topology with each kind of history.
    #[serde(rename = "among", skip_serializing_if = "Vec::is_empty")]
    pub broken_profiles: Vec<String>,
    /// The words before the profiles: *with the directives of*.
    #[serde(skip)]
    pub profile_words: &'static str,
    /// Whether the law is broken for some of the tried profiles, but not for all of them.
    #[serde(rename = "somewhere", skip_serializing_if = "std::ops::Not::not")]
    pub is_broken_in_part: bool,
    /// Comparison of the verdict with the recorded one.
    #[serde(rename = "standing")]
    pub record_comparison: RecordComparison,
    /// Recorded reason for the verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// The search for a benefit, if none is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<BenefitSearchText>,
    /// The smallest counter-examples, or examples that show that the law is kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<RenderedExample>,
}

/// The situations in which a benefit was searched without success.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BenefitSearchText {
    /// The numbers of situations, by their kind.
    pub groups: Vec<SearchedGroup>,
    /// The kind of case that would show a benefit of the directive, as a sentence without its full stop.
    pub needed: String,
}

/// The situations of one kind in which a benefit was searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SearchedGroup {
    /// Name of the kind.
    pub name: &'static str,
    /// Number of situations.
    pub tried: usize,
    /// Number of situations in which the change alters the patch.
    pub affected: usize,
    /// Number of those situations in which neither old nor new parties reach the ideal.
    pub missed: usize,
}

impl BenefitSearchText {
    /// Returns the lines that say what was tried, and what kind of case would show a benefit.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let line = |group: &SearchedGroup| {
            let SearchedGroup { name, tried, affected, missed } = group;
            format!(
                "tried, {name}: {tried} situations; another patch in {affected}, ideal missed in {missed}"
            )
        };
        let needed = format!("to show a benefit: {}", self.needed);
        self.groups.iter().map(line).chain([needed]).collect()
    }
}

/// An example of a verdict, rendered as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RenderedExample {
    /// Kind of the violation. Absent if the law is kept.
    #[serde(rename = "noise", skip_serializing_if = "Option::is_none")]
    pub violation: Option<ViolationKind>,
    /// Description of the example, in a sentence.
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
    /// The example as a suite file, which can be added to the corpus.
    pub case: String,
}

/// The kinds of verdicts, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictKind {
    /// There is a counter-example.
    Broken,
    /// The law applied in no situation.
    NotShown,
    /// The law held in a situation, and was broken in none.
    Kept,
}

/// The comparison of a verdict with the recorded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordComparison {
    /// The verdicts are equal.
    AsRecorded,
    /// The verdict is worse than the recorded one, or worse than *kept* if none is recorded.
    Worse,
    /// The verdict is better than the recorded one: the record is stale, or too few situations were tried.
    Better,
}

/// The kinds of violations of a law, which differ in what the user notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ViolationKind {
    /// A wrong object is stored, or a wrong patch created, without an error.
    Silent,
    /// A request is refused.
    #[serde(rename = "loud")]
    Refusal,
    /// The code of the directive panics.
    Panic,
}

impl VerdictKind {
    /// Returns the word for the verdict in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            VerdictKind::Broken => "broken",
            VerdictKind::NotShown => "not shown",
            VerdictKind::Kept => "kept",
        }
    }
}

impl RecordComparison {
    /// Returns the words for the comparison in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RecordComparison::AsRecorded => "as recorded",
            RecordComparison::Worse => "worse",
            RecordComparison::Better => "better",
        }
    }
}

impl ViolationKind {
    /// Returns a description of the violation in a few words: "silently".
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            ViolationKind::Silent => "silently",
            ViolationKind::Refusal => "with a refusal",
            ViolationKind::Panic => "with a panic",
        }
    }
}

impl LawsReport {
    /// Returns the numbers of situations in a sentence, then `star`, and what the star in the table means.
    pub(super) fn legend(&self, star: Line) -> Line {
        let (tried, meaning) = match self.subject {
            ReportSubject::Directive => {
                (self.situation_counts.sentence(), ": only with some sets of other directives")
            }
            ReportSubject::TopologyChange => {
                let SituationCounts { generated, seed, .. } = self.situation_counts;
                let tried = format!("{generated} situations for each change, generated from seed {seed}");
                (tried, ": only with some kinds of histories")
            }
        };
        let asked =
            self.implementation.as_ref().map(|target| format!(", asked of {target}")).unwrap_or_default();
        Line::from(plain(tried + &asked)).with(star).with(plain(meaning))
    }

    /// Returns a line for each verdict whose comparison with the record has this result: `$retainKeys, forward:
    /// broken`.
    #[must_use]
    pub fn summary_lines(&self, comparison: RecordComparison) -> Vec<String> {
        let lines = self.rows.iter().flat_map(|row| {
            let verdicts = row.verdicts.iter().filter(move |summary| summary.record_comparison == comparison);
            verdicts.map(|summary| format!("{}, {}: {}", row.directive, summary.law, summary.description()))
        });
        lines.collect()
    }
}

impl RenderedExample {
    /// Returns the patches and what the case needs, each as a line with code in the middle.
    pub(super) fn lines(&self) -> Vec<[String; 3]> {
        let line = |before: &str, code: &str, after: &str| [before, code, after].map(str::to_owned);
        let patches = [("The old patch: ", &self.old_patch), ("The new patch: ", &self.new_patch)];
        let patches =
            patches.into_iter().filter_map(|(before, patch)| Some(line(before, patch.as_deref()?, "")));
        let needed = self
            .required_directive
            .map(|name| line("To run this case, first add ", name, " to the directives."));
        patches.chain(needed).collect()
    }
}

impl SituationCounts {
    /// Returns the numbers of situations in which all laws but the one on a benefit were tried, in a sentence without
    /// its full stop.
    #[must_use]
    pub fn sentence_of_laws(&self) -> String {
        let SituationCounts { from_corpus, generated, seed, .. } = self;
        format!("{from_corpus} situations of the corpus, {generated} generated from seed {seed}")
    }

    /// Returns the numbers of situations in a sentence without its full stop.
    fn sentence(&self) -> String {
        let SituationCounts { from_corpus, generated, concurrent, seed } = self;
        format!(
            "{from_corpus} situations of the corpus, {generated} generated from seed {seed}, {concurrent} with another \
             client meanwhile"
        )
    }
}

impl VerdictSummary {
    /// Returns the verdict with its profiles: `broken with the directives of today, proposed`.
    #[must_use]
    pub fn description(&self) -> String {
        match self.condition() {
            None => self.verdict.name().to_owned(),
            Some(condition) => format!("{} {condition}", self.verdict.name()),
        }
    }

    /// Returns the condition of the verdict: `with the directives of today, proposed`.
    #[must_use]
    pub fn condition(&self) -> Option<String> {
        let profiles = self.broken_profiles.as_slice();
        (!profiles.is_empty()).then(|| format!("{} {}", self.profile_words, profiles.join(", ")))
    }

    /// Returns the heading of an example.
    #[must_use]
    pub fn heading(&self, example: &RenderedExample) -> String {
        match example.violation {
            None => format!("{}, as here", self.verdict.name()),
            Some(violation) => format!("{}; here, {}", self.description(), violation.description()),
        }
    }

    /// Returns the text of the verdict in a table: `broken*` if the law is broken for some profiles only. If the
    /// verdict differs from the record, the text says whether it is better or worse.
    pub(crate) fn table_text(&self) -> String {
        let word = self.verdict.name();
        let star = if self.is_broken_in_part { "*" } else { "" };
        match self.record_comparison {
            RecordComparison::AsRecorded => format!("{word}{star}"),
            comparison => format!("{word}{star} ({})", comparison.name()),
        }
    }
}
