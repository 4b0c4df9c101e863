//! The table of counts by suite.

use std::fmt::Write as _;

use tabled::Table;
use tabled::builder::Builder;
use tabled::settings::object::{Cell as At, Columns, Rows};
use tabled::settings::style::HorizontalLine;
use tabled::settings::{Alignment, Padding, Style as Lines};

use super::style::{Style, Tone};
use crate::model::Results;
use crate::summary::{Counts, State, Summary};
use crate::text::visible;
use crate::words::{Outcome, Status};

/// One column of counts.
#[derive(Clone, Copy)]
struct Column {
    heading: &'static str,
    count: fn(&Counts) -> usize,
    tone: Option<Tone>,
}

const fn column(heading: &'static str, count: fn(&Counts) -> usize, tone: Option<Tone>) -> Column {
    Column { heading, count, tone }
}

/// Columns that always stand, even when all their counts are 0.
const ALWAYS: [Column; 6] = [
    column("cells", Counts::cells, None),
    column("pass", |counts| counts.status(Status::Pass), None),
    column("fail", |counts| counts.status(Status::Fail), Some(Tone::Bad)),
    column("deviations", |counts| counts.status(Status::Deviation), Some(Tone::Doubtful)),
    column("unsupported", |counts| counts.status(Status::Unsupported), None),
    column("skipped", |counts| counts.status(Status::Skipped), None),
];

/// Columns for what should not happen, which stand when it did.
const TROUBLE: [Column; 4] = [
    column("unexpected pass", |counts| counts.status(Status::UnexpectedPass), Some(Tone::Bad)),
    column("error", |counts| counts.status(Status::Error), Some(Tone::Bad)),
    column("crash", |counts| counts.status(Status::Crash), Some(Tone::Bad)),
    column("timeout", |counts| counts.status(Status::Timeout), Some(Tone::Bad)),
];

/// Columns for outcomes, which stand when there are such cells. `silent` sums up some of the others.
const OUTCOMES: [Column; 10] = [
    column("match", |counts| counts.outcome(Outcome::Match), None),
    column("mismatch", |counts| counts.outcome(Outcome::Mismatch), None),
    column("intended", |counts| counts.outcome(Outcome::Intended), None),
    column("as-before", |counts| counts.outcome(Outcome::AsBefore), None),
    column("refused", |counts| counts.outcome(Outcome::Refused), None),
    column("ignored", |counts| counts.outcome(Outcome::Ignored), Some(Tone::Doubtful)),
    column("leftover", |counts| counts.outcome(Outcome::Leftover), Some(Tone::Doubtful)),
    column("lost", |counts| counts.outcome(Outcome::Lost), Some(Tone::Doubtful)),
    column("diverged", |counts| counts.outcome(Outcome::Diverged), Some(Tone::Doubtful)),
    column("silent", Counts::silent, Some(Tone::Doubtful)),
];

/// How the run was made, in one line or two, with an empty line after it.
pub(super) fn heading(results: &Results) -> String {
    let run = &results.run;
    let mut text = format!("target {}, corpus {}, skewer {}", run.target, run.corpus_hash, run.tool_version);
    if let Some(shard) = run.selection.shard {
        let _ = write!(text, ", shard {shard}");
    }
    let mut text = visible(&text).into_owned();
    if results.partial {
        let of = run.selected.map(|selected| format!(" of {selected}")).unwrap_or_default();
        let _ = write!(text, "\nPARTIAL: the run ended early, after {}{of} cells", results.cells.len());
    }
    text.push_str("\n\n");
    text
}

/// The fewest columns of counts for which a table is worth its room; with less, a list reads better.
const FEWEST: usize = 4;

/// The counts by suite and in total: as one table where it fits, as several below each other where each of them
/// can have a few columns, else as a list.
#[must_use]
pub fn summary(summary: &Summary, style: Style) -> String {
    let total = summary.total();
    let present = |column: &&Column| (column.count)(total) > 0;
    let columns: Vec<Column> = ALWAYS
        .iter()
        .chain(TROUBLE.iter().filter(present))
        .chain(OUTCOMES.iter().filter(present))
        .copied()
        .collect();
    let mut text = tables(summary, &columns, style).unwrap_or_else(|| list(summary, &columns, style));
    not_run(&mut text, summary, style);
    text
}

/// The tables that have all these columns between them, or nothing when there is too little room.
fn tables(summary: &Summary, columns: &[Column], style: Style) -> Option<String> {
    let mut text = String::new();
    let mut rest = columns;
    while !rest.is_empty() {
        let fewest = FEWEST.min(rest.len());
        let (count, table) = (fewest..=rest.len())
            .rev()
            .map(|count| (count, table(summary, &rest[..count], style)))
            .find(|(_, table)| style.fits(table.total_width()))?;
        if !text.is_empty() {
            text.push('\n');
        }
        for line in table.to_string().lines() {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        rest = &rest[count..];
    }
    Some(text)
}

fn table(summary: &Summary, columns: &[Column], style: Style) -> Table {
    let heading = summary.key().to_string();
    let mut builder = Builder::default();
    let names = [heading.as_str(), "state"].into_iter().chain(columns.iter().map(|column| column.heading));
    builder.push_record(names);
    let rows: Vec<(&str, &Counts)> =
        summary.groups().chain([(summary.total_name(), summary.total())]).collect();
    for (name, counts) in &rows {
        let mut record = vec![visible(name).into_owned(), counts.state().as_str().to_owned()];
        record.extend(columns.iter().map(|column| match (column.count)(counts) {
            // A quiet mark, so that what happened stands out.
            0 => "·".to_owned(),
            count => count.to_string(),
        }));
        builder.push_record(record);
    }
    let mut table = builder.build();
    let line = HorizontalLine::new('─').intersection('─');
    table
        .with(Lines::empty().vertical(' ').horizontals([(1, line), (rows.len(), line)]))
        .with(Padding::new(0, 1, 0, 0))
        .modify(Columns::new(2..), Alignment::right());
    if style.color {
        table.modify(Rows::first(), Tone::Strong.in_table());
        for (row, (_, counts)) in rows.iter().enumerate() {
            table.modify(At::new(row + 1, 1), tone(counts.state()).in_table());
            for (index, column) in columns.iter().enumerate() {
                match column.tone {
                    Some(tone) if (column.count)(counts) > 0 => {
                        table.modify(At::new(row + 1, index + 2), tone.in_table());
                    }
                    _ => {}
                }
            }
        }
    }
    table
}

fn list(summary: &Summary, columns: &[Column], style: Style) -> String {
    let mut text = String::new();
    for (name, counts) in summary.groups().chain([(summary.total_name(), summary.total())]) {
        let state = counts.state();
        let _ = write!(text, "{}\n  {}", visible(name), style.paint(tone(state), state.as_str()));
        let mut used = 2 + state.as_str().len();
        for column in columns.iter().filter(|column| (column.count)(counts) > 0) {
            let item = format!("{} {}", column.heading, (column.count)(counts));
            used += 2 + item.len();
            // One more for the comma that may follow.
            if style.fits(used + 1) {
                let _ = write!(text, ", {item}");
            } else {
                let _ = write!(text, ",\n  {item}");
                used = 2 + item.len();
            }
        }
        text.push('\n');
    }
    text
}

/// A suite of which nothing was run is easily taken for a good one, so it is named once more.
fn not_run(text: &mut String, summary: &Summary, style: Style) {
    let names: Vec<&str> = summary.not_run().collect();
    if !names.is_empty() {
        let line = format!("no cell was run of: {}", visible(&names.join(", ")));
        let _ = writeln!(text, "\n{}", style.paint(Tone::Doubtful, &line));
    }
}

fn tone(state: State) -> Tone {
    match state {
        State::Green => Tone::Good,
        State::NotRun => Tone::Doubtful,
        State::Red => Tone::Bad,
    }
}
