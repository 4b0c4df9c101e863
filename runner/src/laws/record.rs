//! The verdicts on record: `runner/laws.yaml`.

use serde::{Deserialize, Serialize};
use skewer_cases::yaml::{self, FileErrors, Spanned};

use super::law::Law;
use super::verdict::{Verdict, Word};

/// The record that is built into the program.
const BUILT_IN: &str = include_str!("../../laws.yaml");

/// Verdicts that are known, each of those that are broken with a reason.
#[derive(Clone, Debug, Default)]
pub struct Record {
    subjects: Vec<Recorded>,
}

/// The verdicts on one subject.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Recorded {
    name: String,
    backward: Spanned<Entry>,
    forward: Spanned<Entry>,
    superset: Spanned<Entry>,
    no_new_requirement: Spanned<Entry>,
    benefit: Spanned<Entry>,
}

/// One verdict.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Entry {
    verdict: RecordedWord,
    /// Beside the directives of which profiles it is broken; all of them when left out.
    #[serde(default)]
    among: Vec<String>,
    #[serde(default)]
    because: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RecordedWord {
    Kept,
    NotShown,
    Broken,
}

impl From<RecordedWord> for Word {
    fn from(word: RecordedWord) -> Self {
        match word {
            RecordedWord::Kept => Word::Kept,
            RecordedWord::NotShown => Word::NotShown,
            RecordedWord::Broken => Word::Broken,
        }
    }
}

#[derive(Deserialize)]
struct RecordFile {
    subjects: Vec<Recorded>,
}

/// A verdict, held against the one on record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// The same.
    AsRecorded,
    /// Worse than the record; without a record, worse than kept.
    Worse,
    /// Better: the record is stale, or too little was tried.
    Better,
}

impl Standing {
    /// The word in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Standing::AsRecorded => "as recorded",
            Standing::Worse => "worse",
            Standing::Better => "better",
        }
    }
}

impl Record {
    /// The record that is built into the program.
    pub fn built_in() -> Result<Self, FileErrors> {
        Self::read("runner/laws.yaml", BUILT_IN.as_bytes())
    }

    /// Reads a record. What is not kept has to say why.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self, FileErrors> {
        let document = yaml::parse_lenient(file, bytes)?;
        let (read, diagnostics) = document.decode_partial::<RecordFile>();
        let subjects = read.map(|read| read.subjects).unwrap_or_default();
        for subject in &subjects {
            for entry in Law::ALL.map(|law| subject.entry(law)) {
                let kept = matches!(entry.verdict, RecordedWord::Kept);
                if !kept && entry.because.is_none() {
                    diagnostics.error(entry.span, "a verdict other than kept says why: `because` is missing");
                }
            }
        }
        document.finish(Some(Record { subjects }), diagnostics)
    }

    /// The names of the subjects that it has.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.subjects.iter().map(|subject| subject.name.as_str())
    }

    /// Why a verdict is what it is, as far as somebody wrote it down.
    #[must_use]
    pub fn because(&self, subject: &str, law: Law) -> Option<&str> {
        self.find(subject)?.entry(law).value.because.as_deref()
    }

    /// The verdict on record; what nobody wrote down is to be kept.
    #[must_use]
    pub fn word(&self, subject: &str, law: Law) -> Word {
        self.find(subject).map_or(Word::Kept, |recorded| recorded.entry(law).value.verdict.into())
    }

    /// Holds a verdict against the one on record.
    #[must_use]
    pub fn standing(&self, subject: &str, verdict: &Verdict) -> Standing {
        let recorded = self.word(subject, verdict.law);
        let among = self.find(subject).map_or(&[][..], |recorded| &recorded.entry(verdict.law).value.among);
        match verdict.word().cmp(&recorded) {
            std::cmp::Ordering::Less => return Standing::Worse,
            std::cmp::Ordering::Greater => return Standing::Better,
            std::cmp::Ordering::Equal => {}
        }
        if recorded != Word::Broken {
            return Standing::AsRecorded;
        }
        let all: Vec<&str> = verdict.among.iter().map(|(among, _)| among.as_str()).collect();
        let recorded: Vec<&str> =
            if among.is_empty() { all } else { among.iter().map(String::as_str).collect() };
        let broken = verdict.broken_among();
        if broken.iter().any(|among| !recorded.contains(among)) {
            Standing::Worse
        } else if broken.len() < recorded.len() {
            Standing::Better
        } else {
            Standing::AsRecorded
        }
    }

    fn find(&self, subject: &str) -> Option<&Recorded> {
        self.subjects.iter().find(|recorded| recorded.name == subject)
    }
}

impl Recorded {
    fn entry(&self, law: Law) -> &Spanned<Entry> {
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
                        no-new-requirement: {verdict: not-shown, because: nobody tried}\n    benefit: {verdict: kept}\n";

    fn verdict(law: Law, words: [Word; 2]) -> Verdict {
        let [old, today] = words;
        Verdict::told(law, vec![("kubernetes-1.6".to_owned(), old), ("today".to_owned(), today)])
    }

    use Standing::{AsRecorded, Better, Worse};
    use Word::{Broken, Kept, NotShown};

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
    fn verdicts_are_held_against_the_record(
        #[case] law: Law,
        #[case] words: [Word; 2],
        #[case] expected: Standing,
    ) {
        let record = Record::read("x.yaml", TEXT.as_bytes()).unwrap();
        assert_eq!(record.standing("$x", &verdict(law, words)), expected);
    }

    #[test]
    fn what_is_not_on_record_has_to_be_kept() {
        let record = Record::default();
        assert_eq!(record.standing("$y", &verdict(Law::Forward, [Kept, Kept])), AsRecorded);
        assert_eq!(record.standing("$y", &verdict(Law::Forward, [Kept, Broken])), Worse);
    }

    #[test]
    fn a_broken_law_needs_a_reason() {
        let text = TEXT.replace(", because: of that", "");
        let errors = Record::read("x.yaml", text.as_bytes()).unwrap_err().to_string();
        assert!(errors.starts_with("x.yaml:5:15: a verdict other than kept says why"), "{errors}");
    }

    #[test]
    fn the_record_that_is_built_in_is_sound() {
        Record::built_in().unwrap_or_else(|errors| panic!("{errors}"));
    }
}
