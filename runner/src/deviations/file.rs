//! Reading of deviation files, and the built-in files.

use serde::Deserialize;
use skewer_cases::yaml::{self, FileErrors, ParsedFile, Spanned};

use super::KnownDeviation;

/// The built-in files. A run uses the file whose `target` is the name of its target, unless the user names another
/// file.
const EMBEDDED_FILES: &[(&str, &str)] =
    &[("runner/deviations/go.yaml", include_str!("../../deviations/go.yaml"))];

/// Maximum number of patterns in a deviation file. Every pattern is matched against every cell of the corpus.
pub const MAX_PATTERNS: usize = 10_000;

/// The content of a deviation file.
#[derive(Clone, Debug)]
pub struct Deviations {
    /// The name of the target.
    pub target: String,
    /// The known deviations of the target.
    pub entries: Vec<KnownDeviation>,
    document: ParsedFile,
}

#[derive(Debug, Deserialize)]
struct DeviationFile {
    target: String,
    #[serde(default)]
    deviations: Vec<Spanned<KnownDeviation>>,
}

impl Deviations {
    /// Reads a deviation file. `name` is the name of the file in messages.
    ///
    /// # Errors
    ///
    /// Returns all errors of the file, with their source spans: invalid YAML, unknown or missing keys, an entry without
    /// cells or without a reason, or more than [`MAX_PATTERNS`] patterns.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, FileErrors> {
        let document = yaml::parse_lenient(name, bytes)?;
        let (file, diagnostics) = document.decode_partial::<DeviationFile>();
        for entry in file.iter().flat_map(|file| &file.deviations) {
            for (text, key) in [(&entry.found, "found"), (&entry.because, "because")] {
                if text.trim().is_empty() {
                    diagnostics.error(text.span, format!("`{key}` is empty"));
                }
            }
            if entry.cells.0.is_empty() {
                diagnostics.error(entry.span, "the entry names no cells");
            }
        }
        let mut patterns = file.iter().flat_map(|file| &file.deviations).flat_map(|entry| &entry.cells.0);
        if let Some(pattern) = patterns.nth(MAX_PATTERNS) {
            diagnostics
                .error(pattern.span, format!("the file has more than {MAX_PATTERNS} cell patterns"))
                .help("use one pattern for all cells of a case: `suite/case[*]`");
        }
        let file = document.finish(file, diagnostics)?;
        let entries = file.deviations.into_iter().map(Spanned::into_inner).collect();
        Ok(Deviations { target: file.target, entries, document })
    }

    /// Returns the deviations for a target of which this one is only a side, the client or the server. It then performs
    /// only some of the operations of a cell, so that each deviation can occur or not.
    #[must_use]
    pub fn of_one_side(mut self) -> Self {
        for entry in &mut self.entries {
            entry.sometimes = true;
        }
        self
    }

    /// Returns the parsed file, which has its name, its text and its source spans.
    #[must_use]
    pub fn document(&self) -> &ParsedFile {
        &self.document
    }
}

/// Returns the built-in file for a target, if there is one, or the errors of that file.
#[must_use]
pub fn embedded_for_target(target: &str) -> Option<Result<Deviations, FileErrors>> {
    EMBEDDED_FILES
        .iter()
        .map(|(name, text)| Deviations::read(name, text.as_bytes()))
        .find(|read| read.as_ref().map_or(true, |deviations| deviations.target == target))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn the_built_in_files_are_valid() {
        for (name, text) in EMBEDDED_FILES {
            Deviations::read(name, text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"));
        }
    }

    #[test]
    fn the_number_of_patterns_is_limited() {
        let read = |patterns| {
            let names = vec!["a"; patterns].join(", ");
            let text = format!("target: t\ndeviations: [{{found: x, because: y, cells: [{names}]}}]\n");
            Deviations::read("x", text.as_bytes())
        };
        assert!(read(MAX_PATTERNS).is_ok());
        let errors = read(MAX_PATTERNS + 1).unwrap_err().to_string();
        assert!(errors.contains("the file has more than 10000 cell patterns"), "{errors}");
    }

    #[rstest]
    #[case::empty_reason("{cells: a, found: x, because: ' '}", "x:2:44: `because` is empty")]
    #[case::no_reason("{cells: a, found: x}", "`because`")]
    #[case::no_cells("{cells: [], found: x, because: y}", "the entry names no cells")]
    #[case::misspelt("{cels: a, found: x, because: y}", "did you mean `cells`?")]
    fn mistakes_are_reported_with_their_span(#[case] entry: &str, #[case] expected: &str) {
        let text = format!("target: t\ndeviations: [{entry}]\n");
        let errors = Deviations::read("x", text.as_bytes()).unwrap_err().to_string();
        assert!(errors.contains(expected), "{errors}");
    }
}
