//! The recorded equivalences: `runner/lab/data/equivalent-mutants.yaml`. Each names mutants that change no cell, with the reason.

use serde::Deserialize;
use skewer_cases::yaml::{self, FileErrors, Spanned};

use skewer_execute::execute::pattern_matches;

/// The text of the built-in record.
const BUILT_IN: &str = include_str!("../../data/equivalent-mutants.yaml");

/// Mutants that are known to change no cell.
#[derive(Clone, Debug, Default)]
pub struct Equivalences {
    entries: Vec<Equivalence>,
}

/// Mutants that change no cell for one reason.
#[derive(Clone, Debug, Deserialize)]
struct Equivalence {
    /// The name of a mutant. A `*` stands for any text.
    mutant: Spanned<String>,
    because: Spanned<String>,
}

#[derive(Deserialize)]
struct EquivalenceFile {
    #[serde(default)]
    equivalent: Vec<Equivalence>,
}

impl Equivalences {
    /// Reads the built-in record.
    ///
    /// # Errors
    ///
    /// Returns the errors of the file, as [`Equivalences::read`] does. A test makes sure that there are none.
    pub fn built_in() -> Result<Self, FileErrors> {
        Self::read("runner/lab/data/equivalent-mutants.yaml", BUILT_IN.as_bytes())
    }

    /// Reads a record. `name` is the name of the file in messages.
    ///
    /// # Errors
    ///
    /// Returns all errors of the file, with their source spans: invalid YAML, unknown or missing keys, or an entry
    /// without a reason.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, FileErrors> {
        let document = yaml::parse_lenient(name, bytes)?;
        let (file, diagnostics) = document.decode_partial::<EquivalenceFile>();
        let entries = file.map(|file| file.equivalent).unwrap_or_default();
        for entry in &entries {
            for (text, key) in [(&entry.mutant, "mutant"), (&entry.because, "because")] {
                if text.trim().is_empty() {
                    diagnostics.error(text.span, format!("`{key}` is empty"));
                }
            }
        }
        document.finish(Some(Equivalences { entries }), diagnostics)
    }

    /// Returns the recorded reason for which a mutant changes no cell.
    #[must_use]
    pub fn because(&self, mutant: &str) -> Option<&str> {
        let entry = self.entries.iter().find(|entry| matches(&entry.mutant, mutant))?;
        Some(entry.because.trim())
    }

    /// Returns the entries that name none of these mutants.
    #[must_use]
    pub fn without_mutant<'e>(&'e self, mutants: &[&str]) -> Vec<&'e str> {
        let names = self.entries.iter().map(|entry| entry.mutant.as_str());
        names.filter(|name| !mutants.iter().any(|mutant| matches(name, mutant))).collect()
    }
}

/// Returns true if the name in an entry is that of the mutant. A name without `*` must be the whole name.
fn matches(entry: &str, mutant: &str) -> bool {
    if entry.contains('*') { pattern_matches(entry, mutant) } else { entry == mutant }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn read(text: &str) -> Equivalences {
        Equivalences::read("x", text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"))
    }

    #[test]
    fn the_built_in_record_is_valid() {
        Equivalences::built_in().unwrap_or_else(|errors| panic!("{errors}"));
    }

    #[test]
    fn an_entry_names_one_mutant_or_a_pattern() {
        let record =
            read("equivalent: [{mutant: policy/a, because: x}, {mutant: 'server/*-off', because: y}]");
        assert_eq!(record.because("policy/a"), Some("x"));
        assert_eq!(record.because("policy/a/b"), None, "a name without `*` is the whole name");
        assert_eq!(record.because("server/pruning-off"), Some("y"));
        assert_eq!(record.without_mutant(&["policy/a/b", "server/pruning-off"]), ["policy/a"]);
    }

    #[rstest]
    #[case::empty_reason("{mutant: a, because: ' '}", "`because` is empty")]
    #[case::no_reason("{mutant: a}", "`because`")]
    #[case::misspelt("{mutants: a, because: b}", "did you mean `mutant`?")]
    fn mistakes_are_reported(#[case] entry: &str, #[case] expected: &str) {
        let errors =
            Equivalences::read("x", format!("equivalent: [{entry}]").as_bytes()).unwrap_err().to_string();
        assert!(errors.contains(expected), "{errors}");
    }
}
