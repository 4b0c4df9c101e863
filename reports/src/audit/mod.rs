//! The report on a change of types (`skewer audit`).

mod model;
mod text;

pub use model::{Audit, Finding, Severity, Step};
pub use text::{explain, summary, text};
