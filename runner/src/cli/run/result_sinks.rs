//! The sinks of the results of a run: reports, summary and the failures that are printed.

use skewer_reports as reports;
use skewer_reports::group::GroupKey;
use skewer_reports::json::FileWriter;
use skewer_reports::pivot::Pivot;
use skewer_reports::summary::{RunEnd, Summary};
use skewer_reports::terminal::{self, Style};
use skewer_reports::{Format, Problem, Results, RunInfo};

use crate::cli::arguments::report::{ReportArgument, run_report, stream_beside};
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output::Stream;

/// The sinks of the results of a run.
///
/// If a report cannot be written, the others are written nevertheless and the table is printed, because a run can have
/// taken hours.
pub(super) struct ResultSinks<'a> {
    summary: Summary,
    /// The failures that are printed; others are only counted, so that memory does not grow.
    failures: Vec<reports::Cell>,
    json: Vec<(&'a ReportArgument, FileWriter)>,
    /// The reports in formats that are not written cell by cell.
    other_reports: Vec<&'a ReportArgument>,
    pivot: Option<(GroupKey, GroupKey)>,
    /// All cells, if other reports or the table need them.
    all_cells: Option<Vec<reports::Cell>>,
    write_failures: Vec<Failure>,
    /// Where the table is printed.
    stream: Stream,
}

impl<'a> ResultSinks<'a> {
    /// Starts all reports. Fails before anything is run if one cannot be written.
    pub(super) fn open(
        reports: &'a [ReportArgument],
        pivot: Option<(GroupKey, GroupKey)>,
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
            stream,
        })
    }

    /// Adds one result.
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

    /// Finishes the reports of a complete run with the problems that belong to no cell, and prints the table. The exit code
    /// is the one that the reports agree with.
    pub(super) fn finish(mut self, info: &RunInfo, problems: Vec<Problem>) -> Result {
        self.summary.set_end(RunEnd { partial: false, selected: info.selected, problems });
        let exit = Exit::of_run(&self.summary);
        self.write_all(info)?;
        Ok(exit)
    }

    /// Finishes the reports of an interrupted run.
    pub(super) fn finish_partial(mut self, info: &RunInfo) -> Result {
        self.summary.set_end(RunEnd { partial: true, selected: info.selected, problems: Vec::new() });
        let total = info.selected.map(|selected| format!(" of {selected}")).unwrap_or_default();
        let run = self.summary.total().cells();
        let reports_note = if self.json.is_empty() && self.other_reports.is_empty() {
            ""
        } else {
            "; the reports have them and are marked as partial"
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
            let run_report = run_report(&results);
            for report in self.other_reports {
                self.write_failures.extend(report.write(&run_report).err());
            }
        }
        self.stream.print_styled(&terminal_report(&self.summary, &self.failures, style))?;
        Failure::join(self.write_failures).map_or(Ok(()), Err)
    }
}

/// Maximum number of failures that are printed in full.
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
