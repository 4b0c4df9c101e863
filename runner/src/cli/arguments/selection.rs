//! The arguments that select cells of the corpus.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use skewer_cases::{Cell, Corpus};
use skewer_execute::execute::{CellSelection, SelectableCell, level_of_cases};
use skewer_results as results;
use skewer_results::control_characters::escape_line;

use super::corpus::{BUILT_IN_CORPUS, CorpusArguments};
use super::no_cell::{LIST_HINT, explain_empty_selection};
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output;

/// The arguments that select cells.
#[derive(Debug, Args)]
pub struct SelectionArguments {
    /// Text that is contained in a cell id, or a pattern with `*` that matches a whole id. Selects the cells that match
    /// any PATTERN. Default: all cells.
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Each PATTERN is the whole id of a cell, and `*` has no meaning. Without it, a suite or a case is selected by
    /// name.
    #[arg(long)]
    exact: bool,
    /// Skip the cells that match this pattern.
    #[arg(long, value_name = "PATTERN")]
    skip: Vec<String>,
    /// Only cells with this value on this axis.
    #[arg(long = "axis", value_name = "AXIS=VALUE", value_parser = parse_axis)]
    axes: Vec<(String, String)>,
    /// Only cells of this level.
    #[arg(long = "level", value_name = "LEVEL", value_parser = level_parser())]
    levels: Vec<results::Level>,
    /// Only cells that cite an upstream issue whose name contains this text: `39188`.
    #[arg(long = "issue", value_name = "ISSUE")]
    issues: Vec<String>,
    /// Only cells that are rows of the test matrix of KEP-1027.
    #[arg(long)]
    pub(in crate::cli) kep: bool,
    /// Only cells of this row of the test matrix of KEP-1027: a number from 1 to 39.
    #[arg(long = "row", value_name = "NUMBER")]
    kep_rows: Vec<u32>,
    /// Only part I of N of the selected cells. A cell stays in its part when other cells are added.
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    shard: Option<(u32, u32)>,
}

fn level_parser() -> impl TypedValueParser<Value = results::Level> {
    let words = results::Level::ALL.iter().map(|level| level.as_str());
    PossibleValuesParser::new(words).try_map(|word| word.parse::<results::Level>())
}

pub(in crate::cli) fn parse_axis(text: &str) -> std::result::Result<(String, String), String> {
    match text.split_once('=') {
        Some((axis, value)) if !axis.is_empty() && !value.is_empty() => {
            Ok((axis.to_owned(), value.to_owned()))
        }
        _ => Err("expected AXIS=VALUE, for example client=old".to_owned()),
    }
}

fn parse_shard(text: &str) -> std::result::Result<(u32, u32), String> {
    let parsed = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    parsed
        .filter(|(index, count)| (1..=*count).contains(index))
        .ok_or_else(|| "expected I/N with I from 1 to N, for example 1/3".to_owned())
}

impl SelectionArguments {
    /// Returns true if only errata are selected.
    pub(in crate::cli) fn is_errata_only(&self) -> bool {
        matches!(self.levels[..], [results::Level::Erratum])
    }

    /// Returns true if no cell is left out.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        let SelectionArguments { patterns, exact: _, skip, axes, levels, issues, kep, kep_rows, shard } =
            self;
        let lists_are_empty = [
            patterns.is_empty(),
            skip.is_empty(),
            axes.is_empty(),
            levels.is_empty(),
            issues.is_empty(),
            kep_rows.is_empty(),
        ];
        lists_are_empty.into_iter().all(|is_empty| is_empty) && !kep && shard.is_none()
    }

    /// Returns the selection that the arguments describe.
    pub(in crate::cli) fn selection(&self) -> CellSelection {
        CellSelection {
            patterns: self.patterns.clone(),
            exact: self.exact,
            skip: self.skip.clone(),
            axes: self.axes.clone(),
            levels: self.levels.iter().copied().map(level_of_cases).collect(),
            issues: self.issues.clone(),
            kep: self.kep,
            rows: self.kep_rows.clone(),
            shard: self.shard,
        }
    }

    /// Returns the selection as reports record it.
    pub(in crate::cli) fn reported_selection(&self) -> results::Selection {
        results::Selection {
            patterns: self.patterns.clone(),
            // Without patterns, `--exact` has no effect.
            exact: self.exact && !self.patterns.is_empty(),
            skip: self.skip.clone(),
            axes: self.axes.iter().map(|(axis, value)| format!("{axis}={value}")).collect(),
            levels: self.levels.clone(),
            issues: self.issues.clone(),
            kep: self.kep,
            kep_rows: self.kep_rows.clone(),
            shard: self.shard.map(|(index, count)| results::Shard { index, count }),
        }
    }

    /// Returns the selected cells. Fails if no cell is selected.
    pub fn select_cells<'c>(
        &self,
        corpus: &'c Corpus,
        corpus_arguments: &CorpusArguments,
    ) -> Result<SelectedCells<'c>> {
        self.select_cells_that(corpus, corpus_arguments, |_| true)
    }

    /// Returns the selected cells that satisfy a condition. Fails if no cell is selected.
    pub(in crate::cli) fn select_cells_that<'c>(
        &self,
        corpus: &'c Corpus,
        corpus_arguments: &CorpusArguments,
        condition: impl Fn(&Cell<'c>) -> bool,
    ) -> Result<SelectedCells<'c>> {
        let selection = self.selection();
        let mut cells: Vec<_> = corpus.cells().filter(|cell| selection.has_cell(cell)).collect();
        if cells.is_empty() {
            let all: Vec<_> = corpus.cells().collect();
            let place = corpus_arguments.describe_corpus(corpus);
            return Err(no_cell_failure(&all, &selection, &place));
        }
        let selected = cells.len();
        cells.retain(condition);
        let in_all_shards = cells.len();
        cells.retain(|cell| selection.is_in_shard(cell));
        if let (true, Some((index, count))) = (cells.is_empty(), selection.shard) {
            output::error(&format!("shard {index}/{count} has none of the {in_all_shards} selected cells"));
        }
        // `skewer merge` merges the shards by id, without the corpus.
        skewer_cases::sort_by_id(&mut cells);
        Ok(SelectedCells { cells, in_all_shards, left_out: selected - in_all_shards })
    }

    /// Returns the selected cells of a results file. `place` is the name of the file.
    pub(in crate::cli) fn select_results<'r>(
        &self,
        cells: &'r [results::Cell],
        place: &str,
    ) -> Result<Vec<&'r results::Cell>> {
        let selection = self.selection();
        let selected: Vec<_> = cells.iter().filter(|cell| selection.has_cell(*cell)).collect();
        if selected.is_empty() {
            let place = format!("{place} ({} cells)", cells.len());
            return Err(no_cell_failure(cells, &selection, &place));
        }
        Ok(selected.into_iter().filter(|cell| selection.is_in_shard(*cell)).collect())
    }
}

/// Creates the failure for a selection that matches none of some cells.
pub(in crate::cli) fn no_cell_failure<C: SelectableCell>(
    cells: &[C],
    selection: &CellSelection,
    place: &str,
) -> Failure {
    let conditions: Vec<String> = selection.conditions().iter().map(ToString::to_string).collect();
    if conditions.is_empty() {
        return Failure::new(Exit::NothingSelected, format!("there are no cells in {place}"));
    }
    // The arguments can contain line breaks.
    let mut message = format!("no cell matches `{}` in {place}", escape_line(&conditions.join(" ")));
    let explanation = explain_empty_selection(cells, selection);
    message.push_str("\n  ");
    message.push_str(&escape_line(&explanation));
    // No name is similar: the cells are probably in another corpus.
    if place.starts_with(BUILT_IN_CORPUS) && explanation.ends_with(LIST_HINT) {
        message.push_str(", and `--corpus PATH` takes cells of your own");
    }
    Failure::new(Exit::NothingSelected, message)
}

/// The selected cells of a corpus.
pub struct SelectedCells<'c> {
    /// The cells of the shard, in the order of ids.
    pub cells: Vec<Cell<'c>>,
    /// Number of selected cells in all shards.
    pub(in crate::cli) in_all_shards: usize,
    /// Number of selected cells in all shards that do not satisfy the condition.
    pub(in crate::cli) left_out: usize,
}
