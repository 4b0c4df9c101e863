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
pub use self::layout::{html, markdown};
pub use self::model::{
    Capability, CellResults, Document, Implementation, Mark, MergeKey, Question, Scoreboard,
    ScoreboardCounts, SharedResult, Support, VERSION, WrongCell, schema,
};
pub use self::text::text;
