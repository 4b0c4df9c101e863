//! The report on a change of types (`skewer audit`).

mod model;
mod preserved;
mod releases;
mod text;

pub use model::{Audit, Finding, Preserved, PreservedRow, Severity, Step};
pub use preserved::preserved_table;
pub use releases::releases;
pub use text::{explain, summary, text};
