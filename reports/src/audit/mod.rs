//! The report on a change of types (`skewer audit`).

mod github;
mod group;
pub(crate) mod layout;
mod model;
mod preserved;
mod releases;
mod sarif;
#[cfg(test)]
pub(crate) mod test_support;
pub(crate) mod text;

pub use self::layout::{html, markdown};
pub use github::github;
pub use group::FindingGroup;
pub use model::{
    AcceptedFindings, Audit, AuditFinding, Confirmation, ExampleStep, FindingCase, Preserved, PreservedRow,
    Severity, id_of_texts,
};
pub use preserved::preserved_table;
pub use releases::{ReleasePair, releases};
pub use sarif::sarif;
pub use text::{Fold, explain, text};
