//! The report on a change of types (`skewer audit`).

mod github;
mod layout;
mod model;
mod preserved;
mod releases;
mod sarif;
#[cfg(test)]
pub(crate) mod test_support;
mod text;

pub use github::github;
pub use model::{
    AcceptedFindings, Audit, Confirmation, ExampleStep, Finding, FindingCase, Preserved, PreservedRow,
    Severity,
};
pub use preserved::preserved_table;
pub use releases::{ReleasePair, releases};
pub use sarif::sarif;
pub use text::{explain, summary, text};

use crate::blocks;

/// Renders audits in Markdown, for a pull request. Accepted findings are marked, with their reasons.
#[must_use]
pub fn markdown(audits: &[Audit], accepted: &AcceptedFindings) -> String {
    blocks::markdown::document(&layout::report_blocks(audits, accepted), 2)
}

/// Renders audits as a page. Accepted findings are marked, with their reasons.
#[must_use]
pub fn html(audits: &[Audit], accepted: &AcceptedFindings) -> String {
    blocks::html::page(&layout::report_blocks(audits, accepted))
}
