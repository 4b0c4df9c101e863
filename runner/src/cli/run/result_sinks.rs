//! The consumers of the results of a run: reports, summary and the printed failures.

use skewer_reports as reports;
use skewer_reports::group::GroupKey;
use skewer_reports::json::FileWriter;
use skewer_reports::pivot::Pivot;
use skewer_reports::summary::{RunEnd, Summary};
use skewer_reports::terminal::{self, Style};
use skewer_reports::{Format, PageOptions, Problem, Results, RunInfo};

use crate::cli::arguments::report::{ReportArgument, run_report, stream_beside};
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output::Stream;

/// The consumers of the results of a run: reports, summary and the printed failures.
///
/// If one report cannot be written, the other reports are still written and the table is still printed, because the run
/// may have taken hours.
pub(super) struct ResultSinks<'a> {
    summary: Summary,
    /// The failed cells that are printed. The others are only counted, to bound the memory.
    failures: Vec<reports::Cell>,
    /// The JSON reports, which are written cell by cell.
    json: Vec<(&'a ReportArgument, FileWriter)>,
    /// The reports in other formats, which are written at the end.
    other_reports: Vec<&'a ReportArgument>,
    /// The axes of the rows and columns of the table of outcomes.
    pivot: Option<(GroupKey, GroupKey)>,
    /// All cells, if `other_reports` or `pivot` needs them.
    all_cells: Option<Vec<reports::Cell>>,
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
        pivot: Option<(GroupKey, GroupKey)>,
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
            failures: Vec::new(),
            json: writers,
            all_cells: (!other_reports.is_empty() || pivot.is_some()).then(Vec::new),
            other_reports,
            pivot,
            write_failures: Vec::new(),
            page,
            stream,
        })
    }

    /// Adds the result of one cell.
    pub(super) fn add(&mut self, cell: reports::Cell) {
        self.summary.add(&cell);
        let write_failures = &mut self.write_failures;
        self.json.retain_mut(|(report, writer)| match writer.write_cell(&cell) {
            Ok(()) => true,
            Err(error) => {
                write_failures.extend(report.path.check_written(Err(error)).err());
                false
            }
        });
        if cell.status.is_failure() && self.failures.len() < MAX_FAILURES_SHOWN {
            self.failures.push(cell.clone());
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

    /// Finishes the reports of an interrupted run, and returns the failure.
    pub(super) fn finish_partial(mut self, info: &RunInfo) -> Result {
        self.summary.set_end(RunEnd { partial: true, selected: info.selected, problems: Vec::new() });
        let total = info.selected.map(|selected| format!(" of {selected}")).unwrap_or_default();
        let run = self.summary.total().cells();
        let reports_note = if self.json.is_empty() && self.other_reports.is_empty() {
            ""
        } else {
            "; the reports contain these cells and are marked as partial"
        };
        let message = format!("interrupted after {run}{total} cells{reports_note}");
        self.write_all(info)?;
        Err(Failure::new(Exit::Interrupted, message))
    }

    fn write_all(mut self, info: &RunInfo) -> Result<()> {
        let RunEnd { partial, problems, .. } = self.summary.end();
        for (report, writer) in self.json {
            let ended = if *partial { writer.finish_partial() } else { writer.finish(problems) };
            self.write_failures.extend(report.path.check_written(ended).err());
        }
        let style = self.stream.style();
        if let Some(cells) = self.all_cells {
            if let Some((rows, columns)) = self.pivot {
                self.stream.print_styled(&terminal::pivot(&Pivot::new(rows, columns, &cells), style))?;
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
        self.stream.print_styled(&terminal_report(&self.summary, &self.failures, style))?;
        Failure::join(self.write_failures).map_or(Ok(()), Err)
    }
}

/// Maximum number of failed cells that are printed.
const MAX_FAILURES_SHOWN: usize = 20;

fn terminal_report(summary: &Summary, failures: &[reports::Cell], style: Style) -> String {
    let mut text = terminal::summary(summary, style);
    if !failures.is_empty() {
        text.push('\n');
        text.push_str(&terminal::failures(failures, None, style));
        text.push_str(&terminal::failures_left_out(summary.total().failures() - failures.len()));
    }
    text
}
