use serde::Deserialize;
use skewer_cases::yaml::{self, FileErrors, ParsedFile, Spanned};

use super::Entry;

/// The files that are built in. A run on a target of the name that a file gives uses it, unless the user names
/// another.
const EMBEDDED: &[(&str, &str)] = &[("runner/deviations/go.yaml", include_str!("../../deviations/go.yaml"))];

/// A deviation file that was read.
#[derive(Clone, Debug)]
pub struct Deviations {
    /// The target that it speaks of.
    pub target: String,
    /// What is known of it.
    pub entries: Vec<Entry>,
    document: ParsedFile,
}

#[derive(Debug, Deserialize)]
struct File {
    target: String,
    #[serde(default)]
    deviations: Vec<Spanned<Entry>>,
}

impl Deviations {
    /// Reads a file; `name` is how the user knows it.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, FileErrors> {
        let document = yaml::parse_lenient(name, bytes)?;
        let (file, diagnostics) = document.decode_partial::<File>();
        for entry in file.iter().flat_map(|file| &file.deviations) {
            for (text, key) in [(&entry.found, "found"), (&entry.because, "because")] {
                if text.trim().is_empty() {
                    diagnostics.error(text.span, format!("`{key}` is empty, which explains nothing"));
                }
            }
            if entry.cells.0.is_empty() {
                diagnostics.error(entry.span, "the entry names no cells");
            }
        }
        let file = document.finish(file, diagnostics)?;
        let entries = file.deviations.into_iter().map(Spanned::into_inner).collect();
        Ok(Deviations { target: file.target, entries, document })
    }

    /// The document that it was read from.
    #[must_use]
    pub fn document(&self) -> &ParsedFile {
        &self.document
    }
}

/// The built-in file for a target, if there is one.
#[must_use]
pub fn embedded(target: &str) -> Option<Result<Deviations, FileErrors>> {
    EMBEDDED
        .iter()
        .map(|(name, text)| Deviations::read(name, text.as_bytes()))
        .find(|read| read.as_ref().map_or(true, |deviations| deviations.target == target))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn the_built_in_files_can_be_read() {
        for (name, text) in EMBEDDED {
            Deviations::read(name, text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"));
        }
    }

    #[rstest]
    #[case::empty_reason("{cells: a, found: x, because: ' '}", "x:2:44: `because` is empty")]
    #[case::no_reason("{cells: a, found: x}", "`because`")]
    #[case::no_cells("{cells: [], found: x, because: y}", "the entry names no cells")]
    #[case::misspelt("{cels: a, found: x, because: y}", "did you mean `cells`?")]
    fn mistakes_have_their_place(#[case] entry: &str, #[case] expected: &str) {
        let text = format!("target: t\ndeviations: [{entry}]\n");
        let errors = Deviations::read("x", text.as_bytes()).unwrap_err().to_string();
        assert!(errors.contains(expected), "{errors}");
    }
}
