//! The recorded verdicts: `runner/trials/data/laws.yaml` and `runner/trials/data/topology-laws.yaml`.

use std::cmp::Ordering;

use serde::Deserialize;
use skewer_cases::yaml::{self, Diagnostics, FileErrors, Spanned};
pub use skewer_reports::laws::RecordComparison;
use skewer_reports::laws::VerdictSummary;

use super::law::Law;
use super::topology;
use super::verdict::{VerdictKind, combined_kind};

/// The recorded verdicts on some changes. A verdict other than *kept* has a reason.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct VerdictRecord {
    changes: Vec<RecordedChange>,
}

/// The recorded verdicts on one change. A record about topologies has only the laws of topologies.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct RecordedChange {
    name: Spanned<String>,
    backward: Spanned<RecordedVerdict>,
    forward: Spanned<RecordedVerdict>,
    superset: Option<Spanned<RecordedVerdict>>,
    no_new_requirement: Spanned<RecordedVerdict>,
    benefit: Option<Spanned<RecordedVerdict>>,
}

/// The recorded verdict of one law.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct RecordedVerdict {
    #[serde(rename = "verdict")]
    kind: VerdictKind,
    /// Profiles under which the law is broken. Empty for all profiles.
    #[serde(default, rename = "among")]
    broken_profiles: Vec<String>,
    #[serde(default)]
    because: Option<String>,
}

impl VerdictRecord {
    /// Reads the built-in record about directives and proposals.
    ///
    /// # Errors
    ///
    /// Returns the errors of the file, as [`VerdictRecord::read`] does. A test makes sure that there are none.
    pub fn of_directives() -> Result<Self, FileErrors> {
        let bytes = include_bytes!("../../data/laws.yaml");
        Self::read("runner/trials/data/laws.yaml", bytes, &Law::ALL)
    }

    /// Reads the built-in record about changes of a topology.
    ///
    /// # Errors
    ///
    /// Returns the errors of the file, as [`VerdictRecord::read`] does. A test makes sure that there are none.
    pub fn of_topologies() -> Result<Self, FileErrors> {
        let bytes = include_bytes!("../../data/topology-laws.yaml");
        Self::read("runner/trials/data/topology-laws.yaml", bytes, &topology::LAWS)
    }

    /// Reads a record of verdicts of some laws. `file` is the name of the file in messages.
    ///
    /// # Errors
    ///
    /// Returns all errors of the file, with their source spans: invalid YAML, unknown or missing keys, or a verdict
    /// other than *kept* without a reason.
    pub fn read(file: &str, bytes: &[u8], laws: &[Law]) -> Result<Self, FileErrors> {
        let document = yaml::parse_lenient(file, bytes)?;
        let (record, diagnostics) = document.decode_partial::<Self>();
        let record = record.unwrap_or_default();
        for change in &record.changes {
            for law in Law::ALL {
                match change.verdict(law) {
                    Some(verdict) if !laws.contains(&law) => {
                        diagnostics.error(verdict.span, format!("unknown field `{}`", law.name()));
                    }
                    Some(verdict) => require_reason(verdict, &diagnostics),
                    None if laws.contains(&law) => {
                        diagnostics.error(change.name.span, format!("missing field `{}`", law.name()));
                    }
                    None => {}
                }
            }
        }
        document.finish(Some(record), diagnostics)
    }

    /// Returns the names of the recorded changes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.changes.iter().map(|change| change.name.as_str())
    }

    /// Returns the recorded reason for a verdict.
    #[must_use]
    pub fn because(&self, change: &str, law: Law) -> Option<&str> {
        self.find(change, law)?.because.as_deref()
    }

    /// Returns the recorded verdict, or *kept* if there is none.
    #[must_use]
    pub fn kind(&self, change: &str, law: Law) -> VerdictKind {
        self.find(change, law).map_or(VerdictKind::Kept, |recorded| recorded.kind)
    }

    /// Summarizes the verdicts under each profile, and compares them with the recorded verdict, or with *kept* if there
    /// is none.
    pub(super) fn summarize(
        &self,
        change: &str,
        law: Law,
        by_profile: &[(String, VerdictKind)],
    ) -> VerdictSummary {
        let broken = by_profile.iter().filter(|(_, kind)| *kind == VerdictKind::Broken);
        let broken: Vec<String> = broken.map(|(profile, _)| profile.clone()).collect();
        let verdict = combined_kind(by_profile.iter().map(|(_, kind)| *kind));
        let of_profiles = || match self.find(change, law).map(|it| it.broken_profiles.as_slice()) {
            None | Some([]) => by_profile.len().cmp(&broken.len()),
            Some(recorded) if broken.iter().any(|profile| !recorded.contains(profile)) => Ordering::Less,
            Some(recorded) => recorded.len().cmp(&broken.len()),
        };
        let comparison = match verdict.cmp(&self.kind(change, law)) {
            Ordering::Equal if verdict == VerdictKind::Broken => of_profiles(),
            other => other,
        };
        VerdictSummary {
            law: law.name(),
            verdict,
            profile_words: "",
            is_broken_in_part: !broken.is_empty() && broken.len() < by_profile.len(),
            broken_profiles: broken,
            record_comparison: match comparison {
                Ordering::Less => RecordComparison::Worse,
                Ordering::Equal => RecordComparison::AsRecorded,
                Ordering::Greater => RecordComparison::Better,
            },
            because: self.because(change, law).map(|because| because.trim().replace('\n', " ")),
            search: None,
            examples: Vec::new(),
        }
    }

    fn find(&self, change: &str, law: Law) -> Option<&RecordedVerdict> {
        let change = self.changes.iter().find(|known| *known.name == change)?;
        change.verdict(law).map(|verdict| &verdict.value)
    }
}

/// Reports a verdict other than *kept* that has no reason.
fn require_reason(recorded: &Spanned<RecordedVerdict>, diagnostics: &Diagnostics) {
    if recorded.kind != VerdictKind::Kept && recorded.because.is_none() {
        let message = "`because` is missing: a verdict other than `kept` needs a reason";
        diagnostics.error(recorded.span, message);
    }
}

impl RecordedChange {
    fn verdict(&self, law: Law) -> Option<&Spanned<RecordedVerdict>> {
        match law {
            Law::Backward => Some(&self.backward),
            Law::Forward => Some(&self.forward),
            Law::Superset => self.superset.as_ref(),
            Law::NoNewRequirement => Some(&self.no_new_requirement),
            Law::Benefit => self.benefit.as_ref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const TEXT: &str = "changes:\n  - name: $x\n    backward: {verdict: kept}\n    forward: {verdict: broken, \
                        among: [today], because: of this}\n    superset: {verdict: broken, because: of that}\n    \
                        no-new-requirement: {verdict: not-shown, because: not tried}\n    benefit: {verdict: kept}\n";

    fn compare(record: &VerdictRecord, change: &str, law: Law, kinds: [VerdictKind; 2]) -> RecordComparison {
        let [old, today] = kinds;
        let by_profile = [("kubernetes-1.6".to_owned(), old), ("today".to_owned(), today)];
        record.summarize(change, law, &by_profile).record_comparison
    }

    use RecordComparison::{AsRecorded, Better, Worse};
    use VerdictKind::{Broken, Kept, NotShown};

    #[rstest]
    #[case(Law::Backward, [Kept, Kept], AsRecorded)]
    #[case(Law::Backward, [Kept, NotShown], AsRecorded)]
    #[case(Law::Backward, [NotShown, NotShown], Worse)]
    #[case(Law::Backward, [Kept, Broken], Worse)]
    #[case(Law::Forward, [Kept, Broken], AsRecorded)]
    #[case(Law::Forward, [Broken, Broken], Worse)]
    #[case(Law::Forward, [Broken, Kept], Worse)]
    #[case(Law::Forward, [Kept, Kept], Better)]
    #[case(Law::Superset, [Broken, Broken], AsRecorded)]
    #[case(Law::Superset, [Kept, Broken], Better)]
    #[case(Law::NoNewRequirement, [NotShown, NotShown], AsRecorded)]
    #[case(Law::NoNewRequirement, [Kept, NotShown], Better)]
    fn verdicts_are_compared_with_the_record(
        #[case] law: Law,
        #[case] kinds: [VerdictKind; 2],
        #[case] expected: RecordComparison,
    ) {
        let record = VerdictRecord::read("x.yaml", TEXT.as_bytes(), &Law::ALL).unwrap();
        assert_eq!(compare(&record, "$x", law, kinds), expected);
    }

    #[test]
    fn a_change_without_a_record_must_keep_the_laws() {
        let record = VerdictRecord::default();
        assert_eq!(compare(&record, "$y", Law::Forward, [Kept, Kept]), AsRecorded);
        assert_eq!(compare(&record, "$y", Law::Forward, [Kept, Broken]), Worse);
    }

    #[test]
    fn a_broken_law_needs_a_reason() {
        let text = TEXT.replace(", because: of that", "");
        let errors = VerdictRecord::read("x.yaml", text.as_bytes(), &Law::ALL).unwrap_err().to_string();
        assert!(
            errors
                .starts_with("x.yaml:5:15: `because` is missing: a verdict other than `kept` needs a reason"),
            "{errors}"
        );
    }

    #[test]
    fn a_record_has_exactly_the_laws_that_it_is_about() {
        let errors = |text: &str, laws: &[Law]| {
            VerdictRecord::read("x.yaml", text.as_bytes(), laws).unwrap_err().to_string()
        };
        let without_benefit = TEXT.replace("    benefit: {verdict: kept}\n", "");
        assert!(errors(&without_benefit, &Law::ALL).contains("missing field `benefit`"));
        assert!(errors(TEXT, &topology::LAWS).contains("unknown field `superset`"));
    }

    #[test]
    fn the_built_in_records_are_valid() {
        VerdictRecord::of_directives().unwrap_or_else(|errors| panic!("{errors}"));
        VerdictRecord::of_topologies().unwrap_or_else(|errors| panic!("{errors}"));
    }
}
