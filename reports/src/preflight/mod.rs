//! The report on the next step of a tool (`skewer preflight`).

mod layout;
mod model;
mod text;

pub use layout::{html, markdown};
pub use model::{
    AuditedChange, NotJudged, ObjectRepair, Preflight, PreflightFinding, RepairCommand, RequestCase, Totals,
    TriedRepair,
};
pub use text::{explain, repair_script, text};
