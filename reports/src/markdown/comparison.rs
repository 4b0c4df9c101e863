//! The report on a comparison of two runs.

use skewer_results::model::Cell;

use crate::blocks::markdown::LimitedReport;
use crate::blocks::markdown::size_limit::SizeLimit;
use crate::blocks::{Block, Column, Inline, Line, Table, code, details, heading, list, number, plain};
use crate::compare::cell_change::{CellChange, Trend};
use crate::compare::model::Comparison;
use crate::compare::suite_changes::{AxisChanges, SuiteChanges};
use crate::pivot::ResultLabel;

/// Renders the number of cells under each heading. The cells that are worse follow, each folded up. Other cells are in
/// one table for each heading.
#[must_use]
pub fn comparison(comparison: &Comparison<'_>, limit: SizeLimit) -> String {
    let counts = comparison.counts();
    let columns = counts.iter().map(|(name, _)| Column::number(plain(*name)));
    let counts = Table::new(columns).with([counts.iter().map(|(_, count)| number(count))]);
    let mut head =
        vec![heading(2, plain(format!("Skewer: {}", comparison.headline()))), Block::Table(counts)];
    let regressions = comparison.regressions.iter().filter(|regression| !regression.is_of_cells());
    head.extend(regressions.map(|regression| Block::Quote(plain(format!("❌ {regression}")).into())));
    head.extend(comparison.caveats.iter().map(|note| Block::Quote(plain(note.to_string()).into())));
    let suites = comparison.worse_by_suite();
    if !suites.is_empty() {
        head.push(Block::Table(suite_table(&suites)));
    }
    LimitedReport { head, cells: cell_blocks(comparison), end: Vec::new() }.render(limit)
}

/// Maximum number of values of an axis that a table names.
const MAX_VALUES_NAMED: usize = 6;

/// Makes the table of the suites with cells that are worse, with the numbers of these cells on each axis.
fn suite_table(groups: &[SuiteChanges<'_>]) -> Table {
    let texts = Column::texts(["was → is", "on the axes"]);
    let columns = Column::texts(["suite"]).chain(Column::numbers(["worse", "of"])).chain(texts);
    Table::new(columns).with(groups.iter().map(|group| -> [Line; 5] {
        let transitions =
            group.transitions.iter().map(|(was, is, count)| plain(format!("{count} {was} → {is}")));
        [
            code(group.suite).into(),
            number(group.changes).into(),
            number(group.cells).into(),
            Line::join(transitions, &Inline::Break),
            Line::join(group.axes.iter().map(axis_changes_line), &Inline::Break),
        ]
    }))
}

/// Lays out the changes on an axis, such as `client`: `new` 3 of 4, `old` 1 of 4.
fn axis_changes_line(changes: &AxisChanges<'_>) -> Line {
    let named = changes.values.iter().take(MAX_VALUES_NAMED);
    let mut values: Vec<Line> = named
        .map(|(value, worse, of)| Line::from([code(*value), plain(format!(" {worse} of {of}"))]))
        .collect();
    if changes.values.len() > MAX_VALUES_NAMED {
        values.push(plain(format!("{} more values", changes.values.len() - MAX_VALUES_NAMED)).into());
    }
    Line::from([code(changes.axis), plain(": ")]).with(Line::join(values, &plain(", ")))
}

/// Lays out the cells below their headings.
fn cell_blocks(comparison: &Comparison<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !comparison.worse.is_empty() {
        blocks.push(heading(3, plain("Worse")));
        blocks.extend(comparison.worse.iter().map(change_details));
    }
    let label = |cell: &Cell| plain(ResultLabel::of(cell).to_string());
    let change = |change: &CellChange<'_>| {
        let differing = change.differing_fields.join(", ");
        let differing = plain(if change.trend == Trend::Neutral { &differing } else { "" });
        vec![code(&change.new.id), label(change.old), label(change.new), differing]
    };
    let renamed = |change: &CellChange<'_>| {
        let [old, new] = [change.old, change.new].map(ResultLabel::of);
        let labels = if old == new { new.to_string() } else { format!("{old}, now {new}") };
        let sign = if change.trend == Trend::Worse { "❌ " } else { "" };
        vec![code(&change.old.id), code(&change.new.id), plain(format!("{sign}{labels}"))]
    };
    let alone =
        |cells: &[&Cell]| cells.iter().map(|cell| vec![code(&cell.id), label(cell)]).collect::<Vec<_>>();
    let changes = |changes: &[CellChange<'_>]| changes.iter().map(change).collect::<Vec<_>>();
    let changed_columns = ["cell", "was", "is", "differs in"];
    push_table(
        &mut blocks,
        "Better",
        Table::new(Column::texts(changed_columns)).with(changes(&comparison.better)),
    );
    push_table(
        &mut blocks,
        "Changed",
        Table::new(Column::texts(changed_columns)).with(changes(&comparison.changed)),
    );
    push_table(&mut blocks, "New", Table::new(Column::texts(["cell", "is"])).with(alone(&comparison.new)));
    push_table(&mut blocks, "Gone", Table::new(Column::texts(["cell", "was"])).with(alone(&comparison.gone)));
    let renamed = comparison.renamed.iter().map(renamed);
    push_table(&mut blocks, "Renamed", Table::new(Column::texts(["was", "is", ""])).with(renamed));
    blocks
}

/// Adds a table with its heading, unless the table is empty.
fn push_table(blocks: &mut Vec<Block>, title: &str, table: Table) {
    if !table.rows.is_empty() {
        blocks.extend([heading(3, plain(title)), Block::Table(table)]);
    }
}

fn change_details(change: &CellChange<'_>) -> Block {
    let (old, new) = (change.old, change.new);
    let [was, is] = [old, new].map(|cell| ResultLabel::of(cell).to_string());
    let location =
        new.location.as_ref().map(|location| Line::from([plain("at: "), code(location.to_string())]));
    let because = new.because.as_ref().map(|because| Line::from(plain(format!("because: {because}"))));
    let items: Vec<Line> = location.into_iter().chain(because).collect();
    let mut content = if items.is_empty() { Vec::new() } else { vec![list(items)] };
    content.extend(new.message_text().map(|message| Block::Code("text", message)));
    content.extend(change.diff().map(|diff| Block::Code("diff", diff)));
    content.extend(new.rerun.as_deref().map(|rerun| Block::Code("sh", rerun.to_owned())));
    details([code(&new.id), plain(format!(" {was} → {is}"))], content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support;

    #[test]
    fn the_whole_comparison() {
        let (old, new) = test_support::sample_runs();
        insta::assert_snapshot!(comparison(&test_support::compared(&old, &new), SizeLimit::default()));
    }

    #[test]
    fn cells_beyond_the_size_limit_are_counted() {
        let (old, new) = test_support::sample_runs();
        let compared = test_support::compared(&old, &new);
        let whole = comparison(&compared, SizeLimit::default());
        for limit in [700, 900, whole.len() - 1] {
            let text = comparison(&compared, SizeLimit { max_bytes: Some(limit) });
            assert!(text.len() <= limit && text.contains("no room here"), "{limit}: {text}");
        }
    }
}
