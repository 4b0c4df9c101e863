//! The consumers of the results of a run: reports, summary and the printed failures.

use std::fmt::Write;

use skewer_reports::group::GroupKey;
use skewer_reports::result_kind::{ExampleLimit, ResultGroups};
use skewer_reports::summary::{RunEnd, Summary};
use skewer_reports::terminal::{self, CellNoun, Style};
use skewer_reports::{Format, PageOptions};
use skewer_results as results;
use skewer_results::json::FileWriter;
use skewer_results::{Problem, Results, RunInfo};

use super::outcome_table::OutcomeTable;
use crate::cli::arguments::report::{ReportArgument, run_report, stream_beside};
use crate::cli::arguments::result_filter::ResultFilter;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output::Stream;

/// The output at the end of a run.
#[derive(Clone, Debug)]
pub(super) struct PrintOptions {
    /// The table of outcomes, if the user asked for it.
    pub(super) table: Option<OutcomeTable>,
    /// The cells that are printed, and counted in that table. Without a filter, the failures are printed, and all cells
    /// are counted.
    pub(super) filter: Option<ResultFilter>,
    /// The number of cells that are printed in full.
    pub(super) examples: ExampleLimit,
    /// Whether only the suites that are not ok are printed.
    pub(super) is_short: bool,
}

/// The reason why a run ended before all cells were run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EarlyEnd {
    /// A signal interrupted the program.
    Interrupt,
    /// A cell failed, and the user asked to stop then.
    FirstFailure,
}

/// The consumers of the results of a run: reports, summary and the printed cells.
///
/// If one report cannot be written, the other reports are still written and the table is still printed, because the run
/// may have taken hours.
pub(super) struct ResultSinks<'a> {
    summary: Summary,
    print_options: PrintOptions,
    /// The cells that are printed. Only some of them are kept, to bound the memory.
    printed: ResultGroups,
    /// The JSON reports, which are written cell by cell.
    json: Vec<(&'a ReportArgument, FileWriter)>,
    /// The reports in other formats, which are written at the end.
    other_reports: Vec<&'a ReportArgument>,
    /// All cells, if `other_reports` or the table of outcomes needs them.
    all_cells: Option<Vec<results::Cell>>,
    /// The errors of reports that could not be written.
    write_failures: Vec<Failure>,
    /// Additions to the HTML report.
    page: PageOptions,
    /// The stream for the table of results.
    stream: Stream,
}

impl<'a> ResultSinks<'a> {
    /// Opens all reports. Fails if one of them cannot be written, before any cell is run.
    pub(super) fn open(
        reports: &'a [ReportArgument],
        print_options: PrintOptions,
        page: PageOptions,
        info: &RunInfo,
    ) -> Result<Self> {
        let stream = stream_beside(reports);
        let (json, other_reports): (Vec<_>, Vec<_>) =
            reports.iter().partition(|report| report.format == Format::Json);
        for report in &other_reports {
            report.path.check_written(report.path.check_writable())?;
        }
        let mut writers = Vec::with_capacity(json.len());
        for report in json {
            match report.path.create().and_then(|file| FileWriter::new(file, info)) {
                Ok(writer) => writers.push((report, writer)),
                Err(error) => report.path.check_written(Err(error))?,
            }
        }
        Ok(ResultSinks {
            summary: Summary::new(GroupKey::Suite),
            printed: ResultGroups::new(print_options.examples),
            json: writers,
            all_cells: (!other_reports.is_empty() || print_options.table.is_some()).then(Vec::new),
            other_reports,
            print_options,
            write_failures: Vec::new(),
            page,
            stream,
        })
    }

    /// Adds the result of one cell.
    pub(super) fn add(&mut self, cell: results::Cell) {
        self.summary.add(&cell);
        let write_failures = &mut self.write_failures;
        self.json.retain_mut(|(report, writer)| match writer.write_cell(&cell) {
            Ok(()) => true,
            Err(error) => {
                write_failures.extend(report.path.check_written(Err(error)).err());
                false
            }
        });
        let is_printed = match &self.print_options.filter {
            Some(filter) => filter.accepts(&cell),
            None => cell.status.is_failure(),
        };
        if is_printed {
            self.printed.add(&cell);
        }
        if let Some(all_cells) = &mut self.all_cells {
            all_cells.push(cell);
        }
    }

    /// Finishes the reports of a complete run, and prints the table. Returns the exit code.
    ///
    /// `problems` are those that belong to no cell.
    pub(super) fn finish(mut self, info: &RunInfo, problems: Vec<Problem>) -> Result {
        self.summary.set_end(RunEnd { partial: false, selected: info.selected, problems });
        let exit = Exit::of_run(&self.summary);
        self.write_all(info)?;
        Ok(exit)
    }

    /// Returns the number of cells that were added.
    pub(super) fn cells(&self) -> usize {
        self.summary.total().cells()
    }

    /// Finishes the reports of a run that ended early, and returns the failure.
    pub(super) fn finish_partial(mut self, info: &RunInfo, end: EarlyEnd) -> Result {
        self.summary.set_end(RunEnd { partial: true, selected: info.selected, problems: Vec::new() });
        let total = info.selected.map(|selected| format!(" of {selected}")).unwrap_or_default();
        let run = self.cells();
        let reports_note = if self.json.is_empty() && self.other_reports.is_empty() {
            ""
        } else {
            "; the reports contain these cells and are marked as partial"
        };
        let (exit, why) = match end {
            EarlyEnd::Interrupt => (Exit::Interrupted, "interrupted"),
            EarlyEnd::FirstFailure => (Exit::CellFailed, "stopped at the first failure,"),
        };
        let message = format!("{why} after {run}{total} cells{reports_note}");
        self.write_all(info)?;
        Err(Failure::new(exit, message))
    }

    fn write_all(mut self, info: &RunInfo) -> Result<()> {
        let RunEnd { partial, problems, .. } = self.summary.end();
        for (report, writer) in self.json {
            let ended = if *partial { writer.finish_partial() } else { writer.finish(problems) };
            self.write_failures.extend(report.path.check_written(ended).err());
        }
        let style = self.stream.style();
        if let Some(cells) = self.all_cells {
            if let Some(table) = &self.print_options.table {
                let filter = self.print_options.filter.as_ref();
                let counted = cells.iter().filter(|cell| filter.is_none_or(|filter| filter.accepts(cell)));
                self.stream.print_styled(&table.render(counted, style))?;
            }
            let results = Results {
                partial: *partial,
                problems: problems.clone(),
                ..Results::new(info.clone(), cells)
            };
            let run_report = run_report(&results, self.page);
            for report in self.other_reports {
                self.write_failures.extend(report.write(&run_report).err());
            }
        }
        let report = terminal_report(&self.summary, &self.printed, &self.print_options, style);
        self.stream.print_styled(&report)?;
        Failure::join(self.write_failures).map_or(Ok(()), Err)
    }
}

fn terminal_report(
    summary: &Summary,
    printed: &ResultGroups,
    options: &PrintOptions,
    style: Style,
) -> String {
    let table = if options.is_short { terminal::short_summary } else { terminal::summary };
    let mut text = table(summary, style);
    let noun = if options.filter.is_some() { CellNoun::SelectedCells } else { CellNoun::Failures };
    match &options.filter {
        Some(filter) if printed.cells() == 0 => {
            let _ = writeln!(text, "\nno cell has the results of `{filter}`");
        }
        _ if printed.cells() > 0 => {
            text.push('\n');
            text.push_str(&terminal::result_groups(printed, summary, noun, style));
        }
        _ => {}
    }
    text
}
