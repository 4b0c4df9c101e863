//! Reading of deviation files, and the built-in files.

use serde::Deserialize;
use skewer_cases::yaml::{self, FileErrors, ParsedFile, Spanned};
use skewer_targets::TargetInfo;

use super::KnownDeviation;

/// Returns the names and the texts of files in `runner/execute/data/deviations/`.
macro_rules! embedded_files {
    ($($name:literal),* $(,)?) => {
        &[$((
            concat!("runner/execute/data/deviations/", $name, ".yaml"),
            include_str!(concat!("../../data/deviations/", $name, ".yaml")),
        )),*]
    };
}

/// The built-in files. A run uses the file whose `target` and `version` are those of its target, unless the user names
/// another file.
const EMBEDDED_FILES: &[(&str, &str)] = embedded_files![
    "apimachinery",
    "apimachinery-0.17",
    "apimachinery-0.20",
    "apimachinery-0.24",
    "apimachinery-0.27",
    "apimachinery-0.30",
    "apimachinery-0.34",
    "client-go-fake",
    "controller-runtime-fake",
    "fabric8",
    "k8s-openapi",
    "kube-fake-client",
    "kyaml",
    "kyaml-append",
    "openshift",
    "oper8",
    "structured-merge-diff",
];

/// Maximum number of patterns in a deviation file. Every pattern is matched against every cell of the corpus.
pub const MAX_PATTERNS: usize = 10_000;

/// The content of a deviation file.
#[derive(Clone, Debug)]
pub struct Deviations {
    /// The name of the target.
    pub target: String,
    /// The version of the target, or the first parts of it. `None` if the file is for all versions.
    pub version: Option<String>,
    /// The known deviations of the target.
    pub entries: Vec<KnownDeviation>,
    document: ParsedFile,
}

#[derive(Debug, Deserialize)]
struct DeviationFile {
    target: String,
    #[serde(default)]
    version: Option<Spanned<String>>,
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
        if let Some(version) = file.iter().find_map(|file| file.version.as_ref())
            && version.trim().is_empty()
        {
            diagnostics.error(version.span, "`version` is empty");
        }
        for entry in file.iter().flat_map(|file| &file.deviations) {
            if entry.found.is_empty() {
                diagnostics.error(entry.found.span, "`found` is empty");
            }
            if entry.because.trim().is_empty() {
                diagnostics.error(entry.because.span, "`because` is empty");
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
        let version = file.version.map(Spanned::into_inner);
        Ok(Deviations { target: file.target, version, entries, document })
    }

    /// Returns true if the file is for a target with this name and version.
    #[must_use]
    pub fn is_for(&self, target: &TargetInfo) -> bool {
        let is_for_version = |prefix: &String| {
            target.version.as_deref().is_some_and(|version| has_version_prefix(version, prefix))
        };
        self.target == target.name && self.version.as_ref().is_none_or(is_for_version)
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

/// Returns true if a version begins with the parts of `prefix`: `v0.37.2` begins with `0.37`, and not with `0.3`. A `v` at
/// the beginning does not count.
fn has_version_prefix(version: &str, prefix: &str) -> bool {
    let [version, prefix] = [version, prefix].map(|text| text.strip_prefix('v').unwrap_or(text));
    version.strip_prefix(prefix).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the built-in file for a target, if there is one, or the errors of that file.
#[must_use]
pub fn embedded_for_target(target: &TargetInfo) -> Option<Result<Deviations, FileErrors>> {
    EMBEDDED_FILES
        .iter()
        // Reading all files would take longer than this search.
        .filter(|(_, text)| {
            text.lines().any(|line| line.starts_with("target:") && line.contains(&target.name))
        })
        .map(|(name, text)| Deviations::read(name, text.as_bytes()))
        .find(|read| read.as_ref().map_or(true, |deviations| deviations.is_for(target)))
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
    fn a_built_in_file_is_found_by_its_target() {
        for (name, text) in EMBEDDED_FILES {
            let read = |text: &str| Deviations::read(name, text.as_bytes()).unwrap();
            let Deviations { target, version, .. } = read(text);
            let info = TargetInfo { name: target.clone(), version: version.clone(), language: None };
            let found = embedded_for_target(&info).unwrap().unwrap();
            assert_eq!((found.target, found.version), (target, version), "{name}");
        }
    }

    #[rstest]
    #[case::its_version("t", Some("0.37.2"), true)]
    #[case::with_a_v("t", Some("v0.37.2"), true)]
    #[case::exactly("t", Some("0.37"), true)]
    #[case::before_a_word("t", Some("0.37-rc"), true)]
    #[case::a_longer_number("t", Some("0.370.1"), false)]
    #[case::another_version("t", Some("v0.17.0"), false)]
    #[case::no_version("t", None, false)]
    #[case::another_target("u", Some("0.37.2"), false)]
    fn a_file_can_be_for_one_version(
        #[case] name: &str,
        #[case] version: Option<&str>,
        #[case] expected: bool,
    ) {
        let version = version.map(str::to_owned);
        let target = TargetInfo { name: name.to_owned(), version, language: None };
        let read = |version: &str| {
            let text = format!("target: t\n{version}deviations: []\n");
            Deviations::read("x", text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"))
        };
        assert_eq!(read("version: '0.37'\n").is_for(&target), expected);
        assert_eq!(read("").is_for(&target), name == "t");
    }

    #[test]
    fn an_empty_version_is_an_error() {
        let errors =
            Deviations::read("x", b"target: t\nversion: ''\ndeviations: []\n").unwrap_err().to_string();
        assert!(errors.contains("`version` is empty"), "{errors}");
    }

    #[test]
    fn the_number_of_patterns_is_limited() {
        let read = |patterns| {
            let names = vec!["a"; patterns].join(", ");
            let text = format!(
                "target: t\ndeviations: [{{found: {{error: conflict}}, because: y, cells: [{names}]}}]\n"
            );
            Deviations::read("x", text.as_bytes())
        };
        assert!(read(MAX_PATTERNS).is_ok());
        let errors = read(MAX_PATTERNS + 1).unwrap_err().to_string();
        assert!(errors.contains("the file has more than 10000 cell patterns"), "{errors}");
    }

    #[rstest]
    #[case::empty_reason("{cells: a, found: {error: conflict}, because: ' '}", "x:2:60: `because` is empty")]
    #[case::no_reason("{cells: a, found: {error: conflict}}", "`because`")]
    #[case::no_cells("{cells: [], found: {error: conflict}, because: y}", "the entry names no cells")]
    #[case::misspelt("{cels: a, found: {error: conflict}, because: y}", "did you mean `cells`?")]
    fn mistakes_are_reported_with_their_span(#[case] entry: &str, #[case] expected: &str) {
        let text = format!("target: t\ndeviations: [{entry}]\n");
        let errors = Deviations::read("x", text.as_bytes()).unwrap_err().to_string();
        assert!(errors.contains(expected), "{errors}");
    }
}
