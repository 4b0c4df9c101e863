//! The scoreboard: the conformance of several implementations, side by side (`skewer scoreboard`).
//!
//! [`Scoreboard`] is plain data. The runner computes it from results files. [`text`], [`markdown`], [`html`] and
//! [`badges`] render it; JSON is written by serde.

mod badges;
mod labels;
mod markdown;
mod model;
#[cfg(test)]
mod tests;
mod text;

pub use self::badges::badges;
pub(crate) use self::labels::{mark_text, names, support_meaning};
pub use self::markdown::markdown;
pub use self::model::{
    Capability, CellResults, Counts, Document, Implementation, Mark, MergeKey, Question, ResultGroup,
    Scoreboard, Support, VERSION, WrongCell, schema,
};
pub use self::text::text;
pub use crate::html::scoreboard_page as html;
