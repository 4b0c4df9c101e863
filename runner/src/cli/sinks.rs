//! Where the results of a run go while they come.

use skewer_reports as reports;
use skewer_reports::group::GroupKey;
use skewer_reports::json::FileWriter;
use skewer_reports::pivot::Pivot;
use skewer_reports::summary::Summary;
use skewer_reports::terminal::{self, Style};
use skewer_reports::{Format, Results, RunInfo, file};

use super::report::ReportArgument;
use super::{Failure, Result, output};
use crate::exit::Exit;

/// Everything that is made of the results.
///
/// A report that cannot be written keeps no other from being written, and the table from being printed: hours of
/// work may be in them.
pub(super) struct Sinks<'a> {
    summary: Summary,
    /// Those that are shown; the others are counted, so that memory does not grow with them.
    failures: Vec<reports::Cell>,
    json: Vec<(&'a ReportArgument, FileWriter)>,
    /// All formats that are not written cell by cell, and the table that was asked for.
    others: Vec<&'a ReportArgument>,
    pivot: Option<(GroupKey, GroupKey)>,
    /// Everything, for those.
    kept: Option<Vec<reports::Cell>>,
    unwritable: Vec<Failure>,
}

impl<'a> Sinks<'a> {
    /// Starts all reports. What cannot be written is said before anything is run.
    pub(super) fn open(
        reports: &'a [ReportArgument],
        pivot: Option<(GroupKey, GroupKey)>,
        info: &RunInfo,
    ) -> Result<Self> {
        let (json, others): (Vec<_>, Vec<_>) =
            reports.iter().partition(|report| report.format == Format::Json);
        for report in &others {
            file::check_writable(&report.path).map_err(|error| report.unwritable(&error))?;
        }
        let json = json.into_iter().map(|report| match FileWriter::create(&report.path, info) {
            Ok(writer) => Ok((report, writer)),
            Err(error) => Err(report.unwritable(&error)),
        });
        Ok(Sinks {
            summary: Summary::new(GroupKey::Suite),
            failures: Vec::new(),
            json: json.collect::<Result<_>>()?,
            kept: (!others.is_empty() || pivot.is_some()).then(Vec::new),
            others,
            pivot,
            unwritable: Vec::new(),
        })
    }

    /// Takes one result.
    pub(super) fn take(&mut self, cell: reports::Cell) {
        self.summary.add(&cell);
        let unwritable = &mut self.unwritable;
        self.json.retain_mut(|(report, writer)| match writer.write_cell(&cell) {
            Ok(()) => true,
            Err(error) => {
                unwritable.push(report.unwritable(&error));
                false
            }
        });
        if cell.status.is_failure() && self.failures.len() < FAILURES_SHOWN {
            self.failures.push(cell.clone());
        }
        if let Some(kept) = &mut self.kept {
            kept.push(cell);
        }
    }

    /// Ends the reports of a complete run, and prints the table.
    pub(super) fn finish(self, info: &RunInfo) -> Result {
        let failed = self.summary.total().failures() > 0 || self.summary.not_run().next().is_some();
        self.end(info, false)?;
        Ok(if failed { Exit::CellFailed } else { Exit::Ok })
    }

    /// Ends the reports of a run that was interrupted.
    pub(super) fn finish_partial(self, info: &RunInfo) -> Result {
        let of = info.selected.map(|selected| format!(" of {selected}")).unwrap_or_default();
        let run = self.summary.total().cells();
        let kept = if self.json.is_empty() && self.others.is_empty() {
            ""
        } else {
            "; the reports have them and are marked as partial"
        };
        let message = format!("interrupted after {run}{of} cells{kept}");
        self.end(info, true)?;
        Err(Failure::new(Exit::Interrupted, message))
    }

    fn end(mut self, info: &RunInfo, partial: bool) -> Result<()> {
        for (report, writer) in self.json {
            let ended = if partial { writer.finish_partial() } else { writer.finish() };
            self.unwritable.extend(ended.err().map(|error| report.unwritable(&error)));
        }
        let style = output::style();
        if let Some(cells) = self.kept {
            if let Some((rows, columns)) = self.pivot {
                output::print(&terminal::pivot(&Pivot::new(rows, columns, &cells), style))?;
            }
            let results = Results { partial, ..Results::new(info.clone(), cells) };
            for report in self.others {
                self.unwritable.extend(report.write(&results).err());
            }
        }
        output::print(&terminal_report(&self.summary, &self.failures, style))?;
        Failure::all(self.unwritable)
    }
}

/// How many failures are shown in full: more than anybody reads.
const FAILURES_SHOWN: usize = 20;

fn terminal_report(summary: &Summary, failures: &[reports::Cell], style: Style) -> String {
    let mut text = terminal::summary(summary, style);
    if !failures.is_empty() {
        text.push('\n');
        text.push_str(&terminal::failures(failures, None, style));
        text.push_str(&terminal::failures_left_out(summary.total().failures() - failures.len()));
    }
    text
}
