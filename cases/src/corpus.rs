//! Corpora: the suites in a folder, or the embedded suites.

use std::fmt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use skewer_engine::directive::DirectiveSet;
use skewer_yaml::{self as yaml, Diagnostics, FileErrors, ParsedFile};

use crate::case_files::{CorpusFile, UnreadableFile, read_case_file, read_case_files};
use crate::format::{FORMAT_VERSION, SuiteSpec};
use crate::matrix::Cell;
use crate::model::{Case, Suite};
use crate::not_a_suite::{error_of_other_file, manifest_error};
use crate::references::{References, is_manifest};
use crate::resolve::{CellCount, LoadContext, TooManyCells, resolve_suite};

/// A corpus of loaded and checked suites.
#[derive(Debug)]
pub struct Corpus {
    /// The suites, sorted by name.
    pub suites: Vec<Suite>,
    /// A hash of the files. Results files use it to identify the corpus.
    pub hash: String,
    /// The files outside of the corpus to which suites refer, sorted by path.
    pub outside_files: Vec<PathBuf>,
}

include!(concat!(env!("OUT_DIR"), "/corpus_files.rs"));

impl Corpus {
    /// Loads the embedded corpus.
    ///
    /// # Errors
    ///
    /// Returns [`LoadError::Files`] if an embedded suite has errors. A test ensures that there are none.
    pub fn embedded() -> Result<Self, LoadError> {
        Self::embedded_suites(|_| true)
    }

    /// Loads the embedded suites whose names satisfy `is_wanted`. Other suites are not parsed.
    ///
    /// # Errors
    ///
    /// Returns [`LoadError::Files`] if a selected suite has errors. A test ensures that there are none.
    pub fn embedded_suites(is_wanted: impl Fn(&str) -> bool) -> Result<Self, LoadError> {
        Self::embedded_where(|file| is_wanted(file.suite_name()))
    }

    /// Loads the suites of the embedded files that satisfy `is_wanted`. Other files are not parsed.
    ///
    /// # Errors
    ///
    /// Returns [`LoadError::Files`] if a selected suite has errors. A test ensures that there are none.
    pub fn embedded_where(is_wanted: impl Fn(&CorpusFile) -> bool) -> Result<Self, LoadError> {
        Self::load_wanted(Self::embedded_files().collect(), &DirectiveSet::all(), is_wanted)
    }

    /// Returns the files of the embedded corpus. They can be passed to [`Corpus::load_with_directives`].
    pub fn embedded_files() -> impl Iterator<Item = CorpusFile> {
        FILES.iter().map(|(path, content)| CorpusFile {
            path: (*path).to_owned(),
            display_name: format!("cases/corpus/{path}"),
            content: content.to_vec(),
            folder: None,
        })
    }

    /// Loads the corpus in a folder: all `*.yaml` files in the folder and its subfolders.
    ///
    /// # Errors
    ///
    /// - [`LoadError::Unreadable`] if the folder or a file cannot be read;
    /// - [`LoadError::Empty`] if there is no case file, and [`LoadError::OnlyManifests`] if all files are manifests;
    /// - the errors of [`Corpus::load`].
    pub fn from_dir(dir: &Path) -> Result<Self, LoadError> {
        Self::suites_from_dir(dir, |_| true)
    }

    /// Loads the suites in a folder whose names satisfy `is_wanted`. Other suites are not parsed.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Corpus::from_dir`] that concern the selected suites.
    pub fn suites_from_dir(dir: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<Self, LoadError> {
        let files = read_case_files(dir)?;
        if files.is_empty() {
            return Err(LoadError::Empty(dir.to_owned()));
        }
        if files.iter().all(is_manifest) {
            return Err(LoadError::OnlyManifests { path: dir.to_owned(), files: files.len() });
        }
        // Suites can refer to definitions in the folder.
        Self::load_wanted(files, &DirectiveSet::all(), |file| is_wanted(file.suite_name()))
    }

    /// Loads the corpus at a path: a folder, or a single suite file with any name.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Corpus::from_dir`].
    pub fn from_path(path: &Path) -> Result<Self, LoadError> {
        if path.is_dir() {
            return Self::from_dir(path);
        }
        let content = read_case_file(path)?;
        let display_name = path.display().to_string();
        // A single file may have any name, so the path in the corpus is derived from the name of the suite.
        let parsed = yaml::parse_lenient(&display_name, &content).ok();
        let suite = parsed.as_ref().and_then(|file| file.root().get("suite")?.as_str());
        let name = suite.unwrap_or(&display_name);
        let folder = path.parent().map(Path::to_owned);
        let file = CorpusFile { path: format!("{name}.yaml"), display_name, content, folder };
        // In a folder, manifests are files to which suites refer.
        if is_manifest(&file) {
            return Err(LoadError::Files(vec![manifest_error(&file)]));
        }
        Self::load(vec![file])
    }

    /// Loads a corpus from files in memory.
    ///
    /// # Errors
    ///
    /// - [`LoadError::Files`] with the errors of all files, if any file has errors;
    /// - [`LoadError::TooManyCells`] if the corpus has more cells than can be run.
    pub fn load(files: Vec<CorpusFile>) -> Result<Self, LoadError> {
        Self::load_with_directives(files, &DirectiveSet::all())
    }

    /// Loads a corpus for an engine with the given directives instead of the registered ones. A profile of a case
    /// includes those of the given directives that its release knows; see [`Profile`](skewer_engine::profile::Profile).
    ///
    /// ```
    /// use skewer_cases::Corpus;
    /// use skewer_engine::directive::DirectiveSet;
    ///
    /// // A case can name only the directives that the engine has.
    /// let files: Vec<_> = Corpus::embedded_files().filter(|file| file.path == "retain-keys/version-skew.yaml").collect();
    /// assert!(Corpus::load_with_directives(files.clone(), &DirectiveSet::all()).is_ok());
    /// assert!(Corpus::load_with_directives(files, &DirectiveSet::all().without("$retainKeys")).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// Returns all errors of all files.
    pub fn load_with_directives(
        files: Vec<CorpusFile>,
        all_directives: &DirectiveSet,
    ) -> Result<Self, LoadError> {
        Self::load_wanted(files, all_directives, |_| true)
    }

    /// Loads the suites that `is_wanted` selects. The hash is that of all files.
    fn load_wanted(
        mut files: Vec<CorpusFile>,
        all_directives: &DirectiveSet,
        is_wanted: impl Fn(&CorpusFile) -> bool,
    ) -> Result<Self, LoadError> {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let (manifests, files): (Vec<_>, Vec<_>) = files.into_iter().partition(is_manifest);
        let references = References::new(manifests.iter().cloned());
        let mut suites = Vec::new();
        let mut errors = Vec::new();
        let context = LoadContext { references, all_directives, cell_count: CellCount::default() };
        let wanted: Vec<&CorpusFile> = files.iter().filter(|file| is_wanted(file)).collect();
        let loaded: Vec<_> = wanted.par_iter().map(|file| load_suite(file, &context)).collect();
        // Above the limit, the later checks were skipped, so the list of file errors would be incomplete.
        if let Some(excess) = context.cell_count.into_excess() {
            return Err(LoadError::TooManyCells(excess));
        }
        for suite in loaded {
            match suite {
                Ok(suite) => suites.push(suite),
                Err(error) => errors.push(error),
            }
        }
        if !errors.is_empty() {
            return Err(LoadError::Files(errors));
        }
        let outside: Vec<_> = context.references.into_read().collect();
        let hash =
            hash(files.iter().chain(&manifests), outside.iter().map(|(_, content)| content.as_slice()));
        let outside_files = outside.into_iter().map(|(path, _)| path).collect();
        Ok(Corpus { suites, hash, outside_files })
    }

    /// Iterates over all cells, suite by suite.
    pub fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        self.suites.iter().flat_map(|suite| &suite.cases).flat_map(Case::cells)
    }
}

fn load_suite(file: &CorpusFile, context: &LoadContext<'_>) -> Result<Suite, FileErrors> {
    let parsed = yaml::parse_lenient(&file.display_name, &file.content)?;
    if let Some(error) = error_of_other_file(&parsed) {
        return Err(error);
    }
    check_format_version(&parsed)?;
    let (spec, diagnostics) = parsed.decode_partial::<SuiteSpec>();
    let Some(spec) = spec else {
        return Err(parsed.errors(diagnostics));
    };
    let name = file.suite_name();
    if spec.suite.value != name {
        diagnostics
            .error(
                spec.suite.span,
                format!("the suite is named `{}`, but its file is named `{name}`", spec.suite),
            )
            .help("a suite must have the name of its file, so that a cell id leads to the file");
    }
    let suite = resolve_suite(&spec, file, context, &parsed, &diagnostics);
    parsed.finish(Some(suite), diagnostics)
}

/// Checks that a suite has the version of the format that is read here. The file is not decoded before, because a newer
/// version can have unknown keys, and each of them would be an error.
fn check_format_version(parsed: &ParsedFile) -> Result<(), FileErrors> {
    let version = parsed.root().get("format-version");
    let Some((node, version)) = version.and_then(|node| Some((node, node.as_integer()?))) else {
        return Ok(());
    };
    if version == i64::from(FORMAT_VERSION) {
        return Ok(());
    }
    let diagnostics = Diagnostics::new();
    let error = diagnostics.error(
        node.span,
        format!("the file has version {version} of the case format, expected {FORMAT_VERSION}"),
    );
    if version > i64::from(FORMAT_VERSION) {
        error.help("use a newer version of Skewer");
    }
    Err(parsed.errors(diagnostics))
}

/// An error while loading a corpus.
#[derive(Debug)]
pub enum LoadError {
    /// Case files have errors. The list contains the errors of all files.
    Files(Vec<FileErrors>),
    /// A folder or a file could not be read.
    Unreadable {
        /// The folder or file that could not be read.
        path: PathBuf,
        /// The reason for the failure.
        why: String,
    },
    /// The corpus has more cells than can be run.
    TooManyCells(TooManyCells),
    /// The folder contains no case file.
    Empty(PathBuf),
    /// All YAML files in the folder are Kubernetes manifests, to which suites can refer. None is a suite.
    OnlyManifests {
        /// The folder.
        path: PathBuf,
        /// The number of files.
        files: usize,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Files(files) => files.iter().try_for_each(|errors| write!(f, "{errors}")),
            LoadError::Unreadable { path, why } => write!(f, "cannot read {}: {why}", path.display()),
            LoadError::TooManyCells(excess) => excess.fmt(f),
            LoadError::Empty(path) => {
                write!(f, "no case file (*.yaml) in {} or its subfolders", path.display())
            }
            LoadError::OnlyManifests { path, files } => {
                let noun = if *files == 1 { "file" } else { "files" };
                write!(
                    f,
                    "no case file in {}: {files} YAML {noun}, all of them Kubernetes manifests; a case file has the keys \
                     `suite`, `about` and `cases`",
                    path.display()
                )
            }
        }
    }
}

impl std::error::Error for LoadError {}

impl From<UnreadableFile> for LoadError {
    fn from(UnreadableFile { path, why }: UnreadableFile) -> Self {
        LoadError::Unreadable { path, why }
    }
}

/// Hashes paths and contents with FNV-1a. The hash identifies a corpus; it does not protect against manipulation. Only
/// the contents of files outside of the corpus count, because their paths depend on the machine.
fn hash<'a>(files: impl Iterator<Item = &'a CorpusFile>, outside: impl Iterator<Item = &'a [u8]>) -> String {
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
    for content in outside {
        feed(content);
        feed(&[0]);
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_id_of_each_embedded_cell_can_be_found_in_its_file() {
        let files: Vec<CorpusFile> = Corpus::embedded_files().collect();
        for suite in Corpus::embedded().unwrap().suites {
            let file = files.iter().find(|file| file.suite_name() == suite.name).unwrap();
            // Most cells of a suite have the same parts.
            let mut parts: BTreeSet<String> = BTreeSet::new();
            for cell in suite.cases.iter().flat_map(Case::cells) {
                parts.extend(cell.id().split(['/', '[', ']', ',', '=']).map(str::to_owned));
            }
            for part in parts {
                assert!(file.can_have_id_with(&part), "{}: `{part}`", suite.name);
            }
        }
    }

    #[test]
    fn a_part_of_the_corpus_has_the_hash_of_the_whole() {
        let pattern = "retain-keys/errata/*[client=old]";
        let part = Corpus::embedded_where(|file| file.can_have_id_with(pattern)).unwrap();
        assert!(part.suites.iter().any(|suite| suite.name == "retain-keys/errata"));
        assert!(part.suites.len() < 10, "{}", part.suites.len());
        assert_eq!(part.hash, Corpus::embedded().unwrap().hash);
    }
}
