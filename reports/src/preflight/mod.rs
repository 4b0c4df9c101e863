//! The report on the next step of a tool (`skewer preflight`).

mod layout;
mod model;
mod text;

pub use layout::{html, markdown};
pub use model::{NotJudged, Preflight, PreflightFinding, Totals};
pub use text::{explain, text};
