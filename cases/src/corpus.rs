//! A corpus: suites from a folder, or those built into the program.

use std::path::Path;

use rayon::prelude::*;
use skewer_engine::directive::DirectiveSet;
use skewer_yaml::{self as yaml, FileErrors};

use crate::case_files::{CorpusFile, LoadError, read_case_file, read_case_files};
use crate::format::SuiteSpec;
use crate::matrix::Cell;
use crate::model::{Case, Suite};
use crate::resolve::{CellCount, resolve_suite};

/// The suites of a corpus, resolved.
#[derive(Debug)]
pub struct Corpus {
    /// The suites by name.
    pub suites: Vec<Suite>,
    /// A hash of the files, which identifies the corpus of a run.
    pub hash: String,
}

include!(concat!(env!("OUT_DIR"), "/corpus_files.rs"));

impl Corpus {
    /// Loads the corpus that is embedded in the program.
    pub fn embedded() -> Result<Self, LoadError> {
        Self::embedded_suites(|_| true)
    }

    /// Loads the suites of the embedded corpus that `is_wanted` selects by name; the other files are not parsed.
    pub fn embedded_suites(is_wanted: impl Fn(&str) -> bool) -> Result<Self, LoadError> {
        let is_selected =
            |file: &CorpusFile| is_wanted(file.path.strip_suffix(".yaml").unwrap_or(&file.path));
        Self::load(Self::embedded_files().filter(is_selected).collect())
    }

    /// Returns the files of the embedded corpus, for [`Corpus::load_with_directives`].
    pub fn embedded_files() -> impl Iterator<Item = CorpusFile> {
        FILES.iter().map(|(path, content)| CorpusFile {
            path: (*path).to_owned(),
            display_name: format!("cases/corpus/{path}"),
            content: content.to_vec(),
        })
    }

    /// Loads the corpus in a folder: every `*.yaml` in it and below.
    pub fn from_dir(dir: &Path) -> Result<Self, LoadError> {
        let files = read_case_files(dir)?;
        if files.is_empty() {
            return Err(LoadError::Empty(dir.to_owned()));
        }
        Self::load(files)
    }

    /// Loads the corpus at a path: that of a folder, or the one suite of a file, whatever the name of the file.
    pub fn from_path(path: &Path) -> Result<Self, LoadError> {
        if path.is_dir() {
            return Self::from_dir(path);
        }
        let content = read_case_file(path)?;
        let display_name = path.display().to_string();
        // A single file need not be named after its suite, so the suite gives the path.
        let suite = yaml::parse_lenient(&display_name, &content).ok().and_then(|file| {
            let (spec, _) = file.decode_partial::<SuiteSpec>();
            spec.map(|spec| spec.suite.value)
        });
        let name = suite.unwrap_or_else(|| display_name.clone());
        Self::load(vec![CorpusFile { path: format!("{name}.yaml"), display_name, content }])
    }

    /// Loads a corpus from files in memory.
    pub fn load(files: Vec<CorpusFile>) -> Result<Self, LoadError> {
        Self::load_with_directives(files, &DirectiveSet::all())
    }

    /// Loads a corpus for an engine with these directives, in place of those of the registry. A profile of a case knows
    /// those of them that it knows by their release; see [`Profile`](skewer_engine::profile::Profile).
    ///
    /// ```
    /// use skewer_cases::Corpus;
    /// use skewer_engine::directive::DirectiveSet;
    ///
    /// // A case can name directives that the engine has, and no others.
    /// let files: Vec<_> = Corpus::embedded_files().filter(|file| file.path == "retain-keys/version-skew.yaml").collect();
    /// assert!(Corpus::load_with_directives(files.clone(), &DirectiveSet::all()).is_ok());
    /// assert!(Corpus::load_with_directives(files, &DirectiveSet::all().without("$retainKeys")).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// All errors of all files.
    pub fn load_with_directives(
        mut files: Vec<CorpusFile>,
        all_directives: &DirectiveSet,
    ) -> Result<Self, LoadError> {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let hash = hash(&files);
        let mut suites = Vec::new();
        let mut errors = Vec::new();
        let cell_count = CellCount::default();
        let load = |file| load_suite(file, all_directives, &cell_count);
        let loaded: Vec<_> = files.par_iter().map(load).collect();
        // Once there are too many, nothing is said of the others, which were not all looked at.
        if let Some(excess) = cell_count.into_excess() {
            return Err(LoadError::TooManyCells(excess));
        }
        for suite in loaded {
            match suite {
                Ok(suite) => suites.push(suite),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(Corpus { suites, hash }) } else { Err(LoadError::Files(errors)) }
    }

    /// Iterates over all cells, suite by suite.
    pub fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        self.suites.iter().flat_map(|suite| &suite.cases).flat_map(Case::cells)
    }
}

fn load_suite(
    file: &CorpusFile,
    all_directives: &DirectiveSet,
    cell_count: &CellCount,
) -> Result<Suite, FileErrors> {
    let parsed = yaml::parse_lenient(&file.display_name, &file.content)?;
    let (spec, diagnostics) = parsed.decode_partial::<SuiteSpec>();
    let Some(spec) = spec else {
        return Err(parsed.errors(diagnostics));
    };
    let name = file.path.strip_suffix(".yaml").unwrap_or(&file.path);
    if spec.suite.value != name {
        diagnostics
            .error(
                spec.suite.span,
                format!("the suite is named `{}`, and its file says `{name}`", spec.suite),
            )
            .help("a suite has the name of its file, so that an id leads to it");
    }
    let suite = resolve_suite(&spec, &file.display_name, (all_directives, cell_count), &parsed, &diagnostics);
    parsed.finish(Some(suite), diagnostics)
}

/// Hashes paths and contents with FNV-1a: the hash identifies a corpus, and protects nothing.
fn hash(files: &[CorpusFile]) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut feed = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for file in files {
        feed(file.path.as_bytes());
        feed(&[0]);
        feed(&file.content);
        feed(&[0]);
    }
    format!("{hash:016x}")
}
