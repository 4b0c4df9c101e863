//! The scoreboard: the conformance of several implementations, side by side (`skewer scoreboard`).
//!
//! [`Scoreboard`] is plain data. The runner computes it from results files. [`text`], [`markdown`], [`html`] and
//! [`badges`] render it; JSON is written by serde.

mod badges;
mod labels;
mod layout;
mod model;
#[cfg(test)]
mod tests;
mod text;

pub use self::badges::badges;
pub use self::model::{
    Capability, CellResults, Document, Implementation, Mark, MergeKey, Question, ResultGroup, Scoreboard,
    ScoreboardCounts, Support, VERSION, WrongCell, schema,
};
pub use self::text::text;
use crate::blocks;
use layout::{ShownCells, board_blocks};

/// Renders the scoreboard in Markdown, which is checked in as `IMPLEMENTATIONS.md`. `command` makes the page again from
/// the results of the runs.
#[must_use]
pub fn markdown(board: &Scoreboard, command: &str) -> String {
    blocks::markdown::document(&board_blocks(board, command, ShownCells::Smallest), 1)
}

/// Renders the scoreboard as a page, with all wrong cells. `command` makes the page again.
#[must_use]
pub fn html(board: &Scoreboard, command: &str) -> String {
    blocks::html::page(&board_blocks(board, command, ShownCells::All))
}
