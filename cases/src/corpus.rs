//! A corpus: suites from a folder, or those built into the program.

use std::fmt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use skewer_engine::directive::DirectiveSet;

use crate::expand::Cell;
use crate::files::{case_files, read_case_file};
use crate::format;
use crate::model::Suite;
use crate::resolve;
use crate::yaml::{self, CaseFileErrors};

/// A suite file before it is read.
#[derive(Clone, Debug)]
pub struct SuiteFile {
    /// The path below the corpus folder, with `/` and `.yaml`.
    pub path: String,
    /// The file, as the user knows it.
    pub shown: String,
    /// Its content.
    pub content: Vec<u8>,
}

/// Why a corpus could not be loaded: everything at once.
#[derive(Debug)]
pub enum LoadError {
    /// Case files have errors.
    Files(Vec<CaseFileErrors>),
    /// A folder or a file could not be read.
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The folder holds no case file.
    Empty(PathBuf),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Files(files) => files.iter().try_for_each(|errors| write!(f, "{errors}")),
            LoadError::Unreadable { path, why } => write!(f, "cannot read {}: {why}", path.display()),
            LoadError::Empty(path) => {
                write!(f, "there is no case file (*.yaml) in {} or below it", path.display())
            }
        }
    }
}

impl std::error::Error for LoadError {}

/// Suites, ready to run.
#[derive(Debug)]
pub struct Corpus {
    /// The suites by name.
    pub suites: Vec<Suite>,
    /// A hash over the files, by which two runs of different corpora are told apart.
    pub hash: String,
}

include!(concat!(env!("OUT_DIR"), "/corpus_files.rs"));

impl Corpus {
    /// The corpus that is built into the program.
    pub fn embedded() -> Result<Self, LoadError> {
        Self::embedded_suites(|_| true)
    }

    /// The suites of the embedded corpus whose names are wanted; the other files are not even read.
    pub fn embedded_suites(wanted: impl Fn(&str) -> bool) -> Result<Self, LoadError> {
        let is_wanted = |path: &str| wanted(path.strip_suffix(".yaml").unwrap_or(path));
        let files = FILES.iter().filter(|(path, _)| is_wanted(path)).map(|(path, content)| SuiteFile {
            path: (*path).to_owned(),
            shown: format!("cases/corpus/{path}"),
            content: content.to_vec(),
        });
        Self::load(files.collect())
    }

    /// The corpus in a folder: every `*.yaml` in it and below.
    pub fn from_dir(dir: &Path) -> Result<Self, LoadError> {
        let files = case_files(dir)?;
        if files.is_empty() {
            return Err(LoadError::Empty(dir.to_owned()));
        }
        Self::load(files)
    }

    /// The corpus at a path: that of a folder, or the one suite of a file, whatever the file is called.
    pub fn from_path(path: &Path) -> Result<Self, LoadError> {
        if path.is_dir() {
            return Self::from_dir(path);
        }
        let content = read_case_file(path)?;
        let shown = path.display().to_string();
        // Nothing but its suite could be meant, so that the name of the file has nothing to say.
        let suite = yaml::parse_lenient(&shown, &content).ok().and_then(|document| {
            let (file, _) = document.decode_partial::<format::SuiteFile>();
            file.map(|file| file.suite.value)
        });
        let name = suite.unwrap_or_else(|| shown.clone());
        Self::load(vec![SuiteFile { path: format!("{name}.yaml"), shown, content }])
    }

    /// A corpus from files at hand.
    pub fn load(files: Vec<SuiteFile>) -> Result<Self, LoadError> {
        Self::load_among(files, &DirectiveSet::all())
    }

    /// The same where these are the directives that there are: the corpus can speak of a directive that is
    /// tried without being in the registry.
    pub fn load_among(mut files: Vec<SuiteFile>, all: &DirectiveSet) -> Result<Self, LoadError> {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let hash = hash(&files);
        let mut suites = Vec::new();
        let mut errors = Vec::new();
        // Each file is read for itself, and types that several need are made once.
        let read: Vec<_> = files.par_iter().map(|file| read(file, all)).collect();
        for suite in read {
            match suite {
                Ok(suite) => suites.push(suite),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(Corpus { suites, hash }) } else { Err(LoadError::Files(errors)) }
    }

    /// Every cell, suite by suite.
    pub fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        self.suites.iter().flat_map(|suite| &suite.cases).flat_map(super::model::Case::cells)
    }
}

fn read(file: &SuiteFile, all: &DirectiveSet) -> Result<Suite, CaseFileErrors> {
    let document = yaml::parse_lenient(&file.shown, &file.content)?;
    let (suite_file, diagnostics) = document.decode_partial::<format::SuiteFile>();
    let Some(suite_file) = suite_file else {
        return Err(document.errors(diagnostics.into_vec()));
    };
    let name = file.path.strip_suffix(".yaml").unwrap_or(&file.path);
    if suite_file.suite.value != name {
        diagnostics
            .error(
                suite_file.suite.span,
                format!("the suite is named `{}`, and its file says `{name}`", suite_file.suite),
            )
            .help("a suite has the name of its file, so that an id leads to it");
    }
    let syntax_is_sound = diagnostics.is_empty();
    let suite = resolve::suite(&suite_file, &file.shown, all, &document, &diagnostics);
    debug_assert!(syntax_is_sound || !diagnostics.is_empty());
    document.finish(Some(suite), diagnostics)
}

/// FNV-1a over paths and contents: it tells corpora apart, and protects nothing.
fn hash(files: &[SuiteFile]) -> String {
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
