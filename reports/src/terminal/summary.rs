//! The table of counts by suite.

use std::fmt::Write as _;

use skewer_results::control_characters::escape_line;
use skewer_results::model::Results;
use skewer_results::vocabulary::{Outcome, Status};
use tabled::Table;
use tabled::builder::Builder;
use tabled::settings::object::{Cell as TableCell, Columns, Rows};
use tabled::settings::style::HorizontalLine;
use tabled::settings::{Alignment, Padding, Style as TableStyle};

use super::tone::Tone;
use crate::style::Style;
use crate::summary::Summary;
use crate::summary::counts::Counts;
use crate::summary::overall_state::OverallState;
use crate::summary::run_problem::RunProblem;

#[derive(Clone, Copy)]
struct Column {
    heading: &'static str,
    count: fn(&Counts) -> usize,
    tone: Option<Tone>,
}

const fn column(heading: &'static str, count: fn(&Counts) -> usize, tone: Option<Tone>) -> Column {
    Column { heading, count, tone }
}

/// Columns that are always shown.
const PERMANENT_COLUMNS: [Column; 6] = [
    column("cells", Counts::cells, None),
    column("pass", |counts| counts.status(Status::Pass), None),
    column("fail", |counts| counts.status(Status::Fail), Some(Tone::Bad)),
    column("deviations", |counts| counts.status(Status::Deviation), Some(Tone::Doubtful)),
    column("unsupported", |counts| counts.status(Status::Unsupported), None),
    column("skipped", |counts| counts.status(Status::Skipped), None),
];

/// Columns for cells that failed or were not run. A column is shown if any of its counts is not 0.
const PROBLEM_COLUMNS: [Column; 6] = [
    column("not asked", |counts| counts.status(Status::NotAsked), Some(Tone::Doubtful)),
    column("not run", |counts| counts.status(Status::NotRun), Some(Tone::Bad)),
    column("unexpected pass", |counts| counts.status(Status::UnexpectedPass), Some(Tone::Bad)),
    column("error", |counts| counts.status(Status::Error), Some(Tone::Bad)),
    column("crash", |counts| counts.status(Status::Crash), Some(Tone::Bad)),
    column("timeout", |counts| counts.status(Status::Timeout), Some(Tone::Bad)),
];

/// Columns for outcomes. A column is shown if any of its counts is not 0. `silent` is the sum of the silent outcomes.
const OUTCOME_COLUMNS: [Column; 13] = [
    column("match", |counts| counts.outcome(Outcome::Match), None),
    column("mismatch", |counts| counts.outcome(Outcome::Mismatch), None),
    column("intended", |counts| counts.outcome(Outcome::Intended), None),
    column("rejected", |counts| counts.outcome(Outcome::Rejected), None),
    column("as-before", |counts| counts.outcome(Outcome::AsBefore), Some(Tone::Promised)),
    column("refused", |counts| counts.outcome(Outcome::Refused), None),
    column("ignored", |counts| counts.outcome(Outcome::Ignored), Some(Tone::Doubtful)),
    column("leftover", |counts| counts.outcome(Outcome::Leftover), Some(Tone::Doubtful)),
    column("lost", |counts| counts.outcome(Outcome::Lost), Some(Tone::Doubtful)),
    column("diverged", |counts| counts.outcome(Outcome::Diverged), Some(Tone::Doubtful)),
    column("wrongly accepted", |counts| counts.outcome(Outcome::WronglyAccepted), Some(Tone::Doubtful)),
    column("leaked", |counts| counts.outcome(Outcome::Leaked), Some(Tone::Doubtful)),
    column("silent", Counts::silent, Some(Tone::Doubtful)),
];

/// Renders the properties of the run on one line, with an empty line after it.
pub(super) fn heading(results: &Results) -> String {
    let run = &results.run;
    let mut text = format!("target {}, corpus {}, skewer {}", run.target, run.corpus_hash, run.tool_version);
    if let Some(shard) = run.selection.shard {
        let _ = write!(text, ", shard {shard}");
    }
    escape_line(&text).into_owned() + "\n\n"
}

/// Minimum width of a terminal for a table. On a narrower terminal a list is easier to read.
const MIN_TABLE_WIDTH: usize = 60;

/// Width of the table if that of the terminal is unknown. The whole table of the built-in corpus has 230 columns.
const UNKNOWN_WIDTH: usize = 100;

/// Renders the counts by suite and in total. If the whole table is too wide, only its most important columns are shown,
/// with the totals of all columns below. On a very narrow terminal the counts are a list.
#[must_use]
pub fn summary(summary: &Summary, style: Style) -> String {
    let total = summary.total();
    let present = |column: &&Column| (column.count)(total) > 0;
    let columns: Vec<Column> = PERMANENT_COLUMNS
        .iter()
        .chain(PROBLEM_COLUMNS.iter().filter(present))
        .chain(OUTCOME_COLUMNS.iter().filter(present))
        .copied()
        .collect();
    let whole = table(summary, &columns, None, style);
    let width = style.width.unwrap_or(UNKNOWN_WIDTH);
    let mut text = if whole.total_width() <= width {
        table_text(&whole)
    } else if width >= MIN_TABLE_WIDTH {
        compact_table(summary, &columns, width, style)
    } else {
        list(summary, &columns, style)
    };
    push_deviations(&mut text, summary.total().status(Status::Deviation), style);
    push_problems(&mut text, summary, style);
    text
}

/// Adds the number of known deviations, and the command that shows them.
fn push_deviations(text: &mut String, count: usize, style: Style) {
    if count > 0 {
        let (noun, whose) =
            if count == 1 { ("deviation", "its reason") } else { ("deviations", "their reasons") };
        let (what, how) = (format!("{count} known {noun}:"), format!("`skewer deviations` shows {whose}"));
        let line = format!("{what} {how}");
        let line = if style.fits(line.len()) { line } else { format!("{what}\n{how}") };
        for (index, line) in line.lines().enumerate() {
            let start = if index == 0 { "\n" } else { "" };
            let _ = writeln!(text, "{start}{}", style.paint(Tone::Doubtful, line));
        }
    }
}

/// Renders the counts of the groups that are not ok, and of all cells, as a short list.
#[must_use]
pub fn short_summary(summary: &Summary, style: Style) -> String {
    let columns: Vec<Column> =
        PERMANENT_COLUMNS.iter().chain(&PROBLEM_COLUMNS).chain(&OUTCOME_COLUMNS).copied().collect();
    let mut text = String::new();
    for row in
        rows(summary).filter(|row| row.state != OverallState::Green || row.name == summary.total_name())
    {
        text.push_str(&row.list_item(&columns, style));
    }
    push_deviations(&mut text, summary.total().status(Status::Deviation), style);
    push_problems(&mut text, summary, style);
    text
}

/// Columns by importance, for a table in which not all of them fit: failures, then cells that were not run, then silent
/// outcomes.
const COLUMNS_BY_PRIORITY: [&str; 25] = [
    "cells",
    "fail",
    "error",
    "crash",
    "timeout",
    "unexpected pass",
    "not run",
    "deviations",
    "not asked",
    "unsupported",
    "skipped",
    "silent",
    "refused",
    "intended",
    "rejected",
    "match",
    "mismatch",
    "as-before",
    "leaked",
    "wrongly accepted",
    "lost",
    "leftover",
    "ignored",
    "diverged",
    "pass",
];

/// Renders a table with the columns that fit, shortened names, and the totals of all columns below it.
fn compact_table(summary: &Summary, columns: &[Column], width: usize, style: Style) -> String {
    // Names get a little less than half of the width.
    let names = width * 9 / 20;
    let total = summary.total();
    let rank = |column: &Column| COLUMNS_BY_PRIORITY.iter().position(|name| *name == column.heading);
    let mut wanted: Vec<usize> =
        (0..columns.len()).filter(|index| (columns[*index].count)(total) > 0).collect();
    wanted.sort_by_key(|index| rank(&columns[*index]));
    let mut chosen: Vec<usize> = Vec::new();
    let mut best = table(summary, &[], Some(names), style);
    for index in wanted {
        let mut more = chosen.clone();
        more.push(index);
        more.sort_unstable();
        let picked: Vec<Column> = more.iter().map(|index| columns[*index]).collect();
        let wider = table(summary, &picked, Some(names), style);
        if !style.fits(wider.total_width()) {
            break;
        }
        (chosen, best) = (more, wider);
    }
    let mut text = table_text(&best);
    text.push('\n');
    text.push_str(&SummaryRow::of_run(summary).list_item(columns, style));
    text
}

fn table_text(table: &Table) -> String {
    table.to_string().lines().fold(String::new(), |text, line| text + line.trim_end() + "\n")
}

/// Shortens a name that is too long by leaving out its middle. More of the end is kept, because names in one folder
/// differ at the end.
fn shortened(name: &str, limit: Option<usize>) -> String {
    let chars: Vec<char> = name.chars().collect();
    let Some(limit) = limit.filter(|limit| chars.len() > *limit) else { return name.to_owned() };
    let tail = limit * 2 / 3;
    let head = limit.saturating_sub(tail + 1);
    let part = |chars: &[char]| chars.iter().collect::<String>();
    format!("{}…{}", part(&chars[..head]), part(&chars[chars.len() - tail..]))
}

fn table(summary: &Summary, columns: &[Column], max_name_length: Option<usize>, style: Style) -> Table {
    let heading = summary.key().to_string();
    let mut builder = Builder::default();
    let headings = columns.iter().map(|column| column.heading);
    builder.push_record([heading.as_str(), "state"].into_iter().chain(headings));
    let rows: Vec<SummaryRow<'_>> = rows(summary).collect();
    for SummaryRow { name, counts, state } in &rows {
        let mut record = vec![shortened(&escape_line(name), max_name_length), state.as_str().to_owned()];
        record.extend(columns.iter().map(|column| match (column.count)(counts) {
            // A dot instead of 0 makes other numbers easy to see.
            0 => "·".to_owned(),
            count => count.to_string(),
        }));
        builder.push_record(record);
    }
    let mut table = builder.build();
    let line = HorizontalLine::new('─').intersection('─');
    table
        .with(TableStyle::empty().vertical(' ').horizontals([(1, line), (rows.len(), line)]))
        .with(Padding::new(0, 1, 0, 0))
        .modify(Columns::new(2..), Alignment::right());
    if style.color {
        table.modify(Rows::first(), Tone::Strong.table_color());
        for (row, SummaryRow { counts, state, .. }) in rows.iter().enumerate() {
            table.modify(TableCell::new(row + 1, 1), tone_of(*state).table_color());
            for (index, column) in columns.iter().enumerate() {
                match column.tone {
                    Some(tone) if (column.count)(counts) > 0 => {
                        table.modify(TableCell::new(row + 1, index + 2), tone.table_color());
                    }
                    _ => {}
                }
            }
        }
    }
    table
}

fn list(summary: &Summary, columns: &[Column], style: Style) -> String {
    rows(summary).map(|row| row.list_item(columns, style)).collect()
}

/// A group of cells, or the run.
struct SummaryRow<'s> {
    name: &'s str,
    counts: &'s Counts,
    state: OverallState,
}

/// Returns the rows of the groups, then that of the run.
fn rows(summary: &Summary) -> impl Iterator<Item = SummaryRow<'_>> {
    let groups = summary.groups().map(|(name, counts)| SummaryRow {
        name,
        counts,
        state: summary.state_of(name, counts),
    });
    groups.chain([SummaryRow::of_run(summary)])
}

impl<'s> SummaryRow<'s> {
    fn of_run(summary: &'s Summary) -> Self {
        SummaryRow { name: summary.total_name(), counts: summary.total(), state: summary.state() }
    }

    /// Renders the name, and below it all counts that are not 0, over as many lines as needed.
    fn list_item(&self, columns: &[Column], style: Style) -> String {
        let state = style.paint(tone_of(self.state), self.state.as_str());
        let mut text = format!("{}\n  {state}", escape_line(self.name));
        let mut used = 2 + self.state.as_str().len();
        for column in columns.iter().filter(|column| (column.count)(self.counts) > 0) {
            let item = format!("{} {}", column.heading, (column.count)(self.counts));
            used += 2 + item.len();
            // One more column for a comma after the item.
            if style.fits(used + 1) {
                let _ = write!(text, ", {item}");
            } else {
                let _ = write!(text, ",\n  {item}");
                used = 2 + item.len();
            }
        }
        text + "\n"
    }
}

/// Adds the problems of the run. Suites of which no cell was run are named, although they are in the table, because a
/// reader can overlook them there.
fn push_problems(text: &mut String, summary: &Summary, style: Style) {
    for problem in summary.problems() {
        let word = match problem {
            RunProblem::SuitesNotRun { .. } => "",
            RunProblem::Partial { .. } => "PARTIAL: ",
            _ => "PROBLEM: ",
        };
        let tone = if problem.is_failure() { Tone::Bad } else { Tone::Doubtful };
        let line = format!("{word}{}", escape_line(&problem.line()));
        let _ = writeln!(text, "\n{}", style.paint(tone, &line));
    }
}

fn tone_of(state: OverallState) -> Tone {
    match state {
        OverallState::Green => Tone::Good,
        OverallState::Incomplete | OverallState::NotRun => Tone::Doubtful,
        OverallState::Red => Tone::Bad,
    }
}
