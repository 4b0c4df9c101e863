//! Arguments that several commands share: which corpus, which cells of it.

use std::fmt::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use skewer_cases::{Cell, Corpus, Level, LoadError};
use skewer_reports as reports;

use super::target_options::TargetArguments;
use super::{Failure, Result, output};
use crate::execute::Selection;
use crate::exit::Exit;

/// Which corpus.
#[derive(Debug, Args)]
pub(super) struct CorpusArguments {
    /// Run the case files (*.yaml) in this folder, or this one file, instead of the built-in corpus.
    #[arg(long, value_name = "DIR")]
    pub(super) corpus: Option<PathBuf>,
}

impl CorpusArguments {
    /// Loads the corpus.
    pub(super) fn load(&self) -> Result<Corpus> {
        let loaded = match &self.corpus {
            Some(path) => Corpus::from_path(path),
            None => Corpus::embedded(),
        };
        loaded.map_err(|error| {
            let exit =
                if matches!(error, LoadError::Empty(_)) { Exit::NothingSelected } else { Exit::CouldNotRun };
            Failure::new(exit, rendered(&error))
        })
    }

    /// What stands before an id in a line that reruns a cell on the same target.
    pub(super) fn rerun(&self, target: &TargetArguments) -> String {
        // Under `cargo run` there may be no `skewer` to call.
        let program =
            if std::env::var_os("CARGO_MANIFEST_DIR").is_some() { "cargo run -q --" } else { "skewer" };
        let mut line = format!("{program} run");
        if let Some(dir) = &self.corpus {
            let _ = write!(line, " --corpus '{}'", dir.display());
        }
        line.push_str(&target.rerun());
        line.push_str(" --exact");
        line
    }

    /// Where the cells were looked for, in words.
    pub(super) fn place(&self, corpus: &Corpus) -> String {
        let cells = corpus.cells().count();
        let suites = corpus.suites.len();
        match &self.corpus {
            Some(dir) => format!("{} ({suites} suites, {cells} cells)", dir.display()),
            None => format!("the built-in corpus ({suites} suites, {cells} cells)"),
        }
    }
}

fn rendered(error: &LoadError) -> String {
    match error {
        LoadError::Files(files) => files.iter().map(output::file_errors).collect(),
        error => error.to_string(),
    }
}

/// Which cells.
#[derive(Debug, Args)]
pub(super) struct SelectionArguments {
    /// Parts of cell ids, or patterns with `*` for the whole of them; a cell that matches one is taken.
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Take PATTERN as a whole cell id.
    #[arg(long)]
    exact: bool,
    /// Leave out the cells that match this pattern.
    #[arg(long, value_name = "PATTERN")]
    skip: Vec<String>,
    /// Only cells with this value on this axis.
    #[arg(long = "axis", value_name = "AXIS=VALUE", value_parser = axis)]
    axes: Vec<(String, String)>,
    /// Only cells of this level.
    #[arg(long = "level", value_name = "LEVEL")]
    levels: Vec<LevelArgument>,
    /// Only cells that cite an upstream issue with this in its name: `39188`.
    #[arg(long = "issue", value_name = "ISSUE")]
    issues: Vec<String>,
    /// Only cells that are rows of the KEP's test matrix.
    #[arg(long)]
    pub(super) kep: bool,
    /// Only part I of N of the selection. The parts are stable: a cell stays in its part when others come.
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<(u32, u32)>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LevelArgument {
    Required,
    Recommended,
    Proposed,
    Erratum,
}

impl LevelArgument {
    fn level(self) -> Level {
        match self {
            LevelArgument::Required => Level::Required,
            LevelArgument::Recommended => Level::Recommended,
            LevelArgument::Proposed => Level::Proposed,
            LevelArgument::Erratum => Level::Erratum,
        }
    }

    fn reported(self) -> reports::Level {
        match self {
            LevelArgument::Required => reports::Level::Required,
            LevelArgument::Recommended => reports::Level::Recommended,
            LevelArgument::Proposed => reports::Level::Proposed,
            LevelArgument::Erratum => reports::Level::Erratum,
        }
    }
}

pub(super) fn axis(text: &str) -> std::result::Result<(String, String), String> {
    match text.split_once('=') {
        Some((axis, value)) if !axis.is_empty() && !value.is_empty() => {
            Ok((axis.to_owned(), value.to_owned()))
        }
        _ => Err("expected AXIS=VALUE, for example client=old".to_owned()),
    }
}

fn shard(text: &str) -> std::result::Result<(u32, u32), String> {
    let parsed = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    parsed
        .filter(|(index, count)| (1..=*count).contains(index))
        .ok_or_else(|| "expected I/N with I from 1 to N, for example 1/3".to_owned())
}

impl SelectionArguments {
    /// Are only errata asked for?
    pub(super) fn is_of_errata(&self) -> bool {
        matches!(self.levels[..], [LevelArgument::Erratum])
    }

    /// The selection that was asked for.
    pub(super) fn selection(&self) -> Selection {
        Selection {
            patterns: self.patterns.clone(),
            exact: self.exact,
            skip: self.skip.clone(),
            axes: self.axes.clone(),
            levels: self.levels.iter().map(|level| level.level()).collect(),
            issues: self.issues.clone(),
            kep: self.kep,
            shard: self.shard,
        }
    }

    /// The selection as results record it.
    pub(super) fn recorded(&self) -> reports::Selection {
        reports::Selection {
            patterns: self.patterns.clone(),
            axes: self.axes.iter().map(|(axis, value)| format!("{axis}={value}")).collect(),
            levels: self.levels.iter().map(|level| level.reported()).collect(),
            shard: self.shard.map(|(index, count)| reports::Shard { index, count }),
        }
    }

    /// The cells that are selected; a failure when there is none.
    pub(super) fn cells<'c>(&self, corpus: &'c Corpus, place: &CorpusArguments) -> Result<Selected<'c>> {
        let selection = self.selection();
        let mut cells: Vec<_> = corpus.cells().filter(|cell| selection.has_cell(cell)).collect();
        if cells.is_empty() {
            let mut asked = self.patterns.clone();
            asked.extend(self.axes.iter().map(|(axis, value)| format!("--axis {axis}={value}")));
            let asked = asked.join(" ");
            return Err(Failure::new(
                Exit::NothingSelected,
                format!(
                    "no cell matches `{}` in {}; `skewer list` shows what there is",
                    asked.trim(),
                    place.place(corpus)
                ),
            ));
        }
        let in_all_shards = cells.len();
        cells.retain(|cell| selection.is_in_shard(cell));
        // The order of ids is one that shards can be joined in without the corpus at hand.
        skewer_cases::sort_by_id(&mut cells);
        Ok(Selected { cells, in_all_shards })
    }
}

/// The cells that a command takes.
pub(super) struct Selected<'c> {
    /// By id.
    pub(super) cells: Vec<Cell<'c>>,
    /// How many there are with those of other shards.
    pub(super) in_all_shards: usize,
}
