//! The report on a change of types (`skewer audit`).

mod github;
mod markdown;
mod model;
mod preserved;
mod releases;
mod sarif;
#[cfg(test)]
pub(crate) mod test_support;
mod text;

pub use crate::html::audit_page as html;
pub use github::github;
pub use markdown::markdown;
pub use model::{
    AcceptedFindings, Audit, Confirmation, Finding, FindingCase, Preserved, PreservedRow, Severity, Step,
};
pub use preserved::preserved_table;
pub use releases::releases;
pub use sarif::sarif;
pub use text::{explain, summary, text};
