//! The argument `--corpus`.

use std::path::PathBuf;

use clap::Args;
use skewer_cases::{Corpus, LoadError};
use skewer_execute::execute::CellSelection;

use super::target::TargetArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::with_similar_file;
use crate::cli::output::{self, counted};

/// The beginning of the description of the built-in corpus.
pub(super) const BUILT_IN_CORPUS: &str = "the built-in corpus";

/// The argument that selects the corpus.
#[derive(Debug, Args)]
pub struct CorpusArguments {
    /// Use the case files (*.yaml) in this folder, or one case file, instead of the built-in corpus.
    #[arg(long, value_name = "PATH")]
    pub corpus: Option<PathBuf>,
}

impl CorpusArguments {
    /// Loads the corpus.
    pub fn load(&self) -> Result<Corpus> {
        Self::checked(match &self.corpus {
            Some(path) => Corpus::from_path(path),
            None => Corpus::embedded(),
        })
    }

    /// Loads the part of the corpus that can have selected cells, or the whole corpus if that part has none: the message then
    /// names similar cells.
    pub(in crate::cli) fn load_selected(&self, selection: &CellSelection) -> Result<Corpus> {
        if self.corpus.is_none() && !selection.conditions().is_empty() {
            let part = Self::checked(Corpus::embedded_where(|file| selection.can_select_from(file)))?;
            if part.cells().any(|cell| selection.has_cell(&cell)) {
                return Ok(part);
            }
        }
        self.load()
    }

    fn checked(loaded: std::result::Result<Corpus, LoadError>) -> Result<Corpus> {
        let loaded = loaded.inspect(|corpus| {
            for hint in corpus.suites.iter().flat_map(|suite| &suite.hints) {
                output::error(hint);
            }
        });
        loaded.map_err(|error| match &error {
            LoadError::Files(files) => Failure::of_files(Exit::CouldNotRun, files),
            LoadError::Empty(_) | LoadError::OnlyManifests { .. } => {
                Failure::new(Exit::NothingSelected, error.to_string())
            }
            LoadError::Unreadable { path, .. } => {
                Failure::could_not_run(with_similar_file(error.to_string(), path))
            }
            LoadError::TooManyCells(_) => Failure::could_not_run(error.to_string()),
        })
    }

    /// Returns the command line that runs a cell again on the same target. The caller appends the id of the cell.
    pub(in crate::cli) fn rerun_command(&self, target: &TargetArguments) -> String {
        format!("{} run{}{} --exact", program(), self.rerun_option(), target.rerun_option())
    }

    /// Returns the command line that shows a cell.
    pub(in crate::cli) fn show_command(&self, id: &str) -> String {
        format!("{} show '{id}'{}", program(), self.rerun_option())
    }

    /// Returns the command line option that selects the same corpus. It is empty for the embedded corpus.
    pub(in crate::cli) fn rerun_option(&self) -> String {
        self.corpus.as_ref().map(|path| format!(" --corpus '{}'", path.display())).unwrap_or_default()
    }

    /// Describes the corpus: its path and its size.
    pub(in crate::cli) fn describe_corpus(&self, corpus: &Corpus) -> String {
        let (suites, cells) = (corpus.suites.len(), corpus.cells().count());
        let size = format!("{}, {}", counted(suites, "suite"), counted(cells, "cell"));
        match &self.corpus {
            Some(dir) => format!("{} ({size})", dir.display()),
            None => format!("{BUILT_IN_CORPUS} ({size})"),
        }
    }
}

/// Returns the command with which the user runs this program. A user of `cargo run` may not have installed `skewer`.
pub(in crate::cli) fn program() -> &'static str {
    if std::env::var_os("CARGO_MANIFEST_DIR").is_some() { "cargo run -q --" } else { "skewer" }
}
