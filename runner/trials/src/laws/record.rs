//! The recorded verdicts: `runner/trials/data/laws.yaml`.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use skewer_cases::yaml::{self, Diagnostics, FileErrors, Spanned};
pub use skewer_reports::laws::RecordComparison;

use super::law::Law;
use super::verdict::{Verdict, VerdictKind, broken_profiles, combined_kind};

/// The text of the built-in record.
const BUILT_IN: &str = include_str!("../../data/laws.yaml");

/// The recorded verdicts. A verdict other than *kept* has a reason.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct VerdictRecord {
    #[serde(rename = "subjects")]
    changes: Vec<RecordedChange>,
}

/// The recorded verdicts on one change.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct RecordedChange {
    name: String,
    backward: Spanned<RecordedVerdict>,
    forward: Spanned<RecordedVerdict>,
    superset: Spanned<RecordedVerdict>,
    no_new_requirement: Spanned<RecordedVerdict>,
    benefit: Spanned<RecordedVerdict>,
}

/// The recorded verdict of one law.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct RecordedVerdict {
    #[serde(rename = "verdict")]
    pub(super) kind: VerdictKind,
    /// Profiles under which the law is broken. Empty for all profiles.
    #[serde(default, rename = "among")]
    broken_profiles: Vec<String>,
    #[serde(default)]
    pub(super) because: Option<String>,
}

impl VerdictRecord {
    /// Reads the built-in record.
    ///
    /// # Errors
    ///
    /// Returns the errors of the file, as [`VerdictRecord::read`] does. A test makes sure that there are none.
    pub fn built_in() -> Result<Self, FileErrors> {
        Self::read("runner/trials/data/laws.yaml", BUILT_IN.as_bytes())
    }

    /// Reads a record. `file` is the name of the file in messages.
    ///
    /// # Errors
    ///
    /// Returns all errors of the file, with their source spans: invalid YAML, unknown or missing keys, or a verdict
    /// other than *kept* without a reason.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self, FileErrors> {
        read_record(file, bytes, |record: &VerdictRecord| {
            record.changes.iter().flat_map(|change| Law::ALL.map(|law| change.verdict(law))).collect()
        })
    }

    /// Returns the names of the recorded changes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.changes.iter().map(|change| change.name.as_str())
    }

    /// Returns the recorded reason for a verdict.
    #[must_use]
    pub fn because(&self, change: &str, law: Law) -> Option<&str> {
        self.find(change)?.verdict(law).value.because.as_deref()
    }

    /// Returns the recorded verdict, or *kept* if there is none.
    #[must_use]
    pub fn kind(&self, change: &str, law: Law) -> VerdictKind {
        self.find(change).map_or(VerdictKind::Kept, |change| change.verdict(law).value.kind)
    }

    /// Compares a verdict with the recorded one.
    #[must_use]
    pub fn compare(&self, change: &str, verdict: &Verdict) -> RecordComparison {
        let recorded = self.find(change).map(|change| &change.verdict(verdict.law).value);
        compare(recorded, &verdict.by_profile)
    }

    fn find(&self, name: &str) -> Option<&RecordedChange> {
        self.changes.iter().find(|change| change.name == name)
    }
}

/// Reads a record, and reports each verdict other than *kept* that has no reason. `verdicts` lists the verdicts of the
/// record.
pub(super) fn read_record<R: DeserializeOwned + Default>(
    file: &str,
    bytes: &[u8],
    verdicts: impl Fn(&R) -> Vec<&Spanned<RecordedVerdict>>,
) -> Result<R, FileErrors> {
    let document = yaml::parse_lenient(file, bytes)?;
    let (record, diagnostics) = document.decode_partial::<R>();
    let record = record.unwrap_or_default();
    for verdict in verdicts(&record) {
        require_reason(verdict, &diagnostics);
    }
    document.finish(Some(record), diagnostics)
}

/// Compares the verdicts under each profile with the recorded verdict, or with *kept* if there is none.
pub(super) fn compare(
    recorded: Option<&RecordedVerdict>,
    by_profile: &[(String, VerdictKind)],
) -> RecordComparison {
    let kind = recorded.map_or(VerdictKind::Kept, |recorded| recorded.kind);
    match combined_kind(by_profile).cmp(&kind) {
        std::cmp::Ordering::Less => return RecordComparison::Worse,
        std::cmp::Ordering::Greater => return RecordComparison::Better,
        std::cmp::Ordering::Equal => {}
    }
    if kind != VerdictKind::Broken {
        return RecordComparison::AsRecorded;
    }
    let recorded = recorded.map_or(&[][..], |recorded| &recorded.broken_profiles);
    let recorded: Vec<&str> = if recorded.is_empty() {
        by_profile.iter().map(|(profile, _)| profile.as_str()).collect()
    } else {
        recorded.iter().map(String::as_str).collect()
    };
    let broken = broken_profiles(by_profile);
    if broken.iter().any(|profile| !recorded.contains(profile)) {
        RecordComparison::Worse
    } else if broken.len() < recorded.len() {
        RecordComparison::Better
    } else {
        RecordComparison::AsRecorded
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
    fn verdict(&self, law: Law) -> &Spanned<RecordedVerdict> {
        match law {
            Law::Backward => &self.backward,
            Law::Forward => &self.forward,
            Law::Superset => &self.superset,
            Law::NoNewRequirement => &self.no_new_requirement,
            Law::Benefit => &self.benefit,
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const TEXT: &str = "subjects:\n  - name: $x\n    backward: {verdict: kept}\n    forward: {verdict: broken, \
                        among: [today], because: of this}\n    superset: {verdict: broken, because: of that}\n    \
                        no-new-requirement: {verdict: not-shown, because: not tried}\n    benefit: {verdict: kept}\n";

    fn verdict(law: Law, kinds: [VerdictKind; 2]) -> Verdict {
        let [old, today] = kinds;
        Verdict::without_examples(law, vec![("kubernetes-1.6".to_owned(), old), ("today".to_owned(), today)])
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
        let record = VerdictRecord::read("x.yaml", TEXT.as_bytes()).unwrap();
        assert_eq!(record.compare("$x", &verdict(law, kinds)), expected);
    }

    #[test]
    fn a_change_without_a_record_must_keep_the_laws() {
        let record = VerdictRecord::default();
        assert_eq!(record.compare("$y", &verdict(Law::Forward, [Kept, Kept])), AsRecorded);
        assert_eq!(record.compare("$y", &verdict(Law::Forward, [Kept, Broken])), Worse);
    }

    #[test]
    fn a_broken_law_needs_a_reason() {
        let text = TEXT.replace(", because: of that", "");
        let errors = VerdictRecord::read("x.yaml", text.as_bytes()).unwrap_err().to_string();
        assert!(
            errors
                .starts_with("x.yaml:5:15: `because` is missing: a verdict other than `kept` needs a reason"),
            "{errors}"
        );
    }

    #[test]
    fn the_built_in_record_is_valid() {
        VerdictRecord::built_in().unwrap_or_else(|errors| panic!("{errors}"));
    }
}
