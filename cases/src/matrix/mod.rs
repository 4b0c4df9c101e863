//! The matrix of a case: its cells, and the plans that a runner executes for them.

mod api_server;
mod cells;
mod ideal;
mod negotiation;
mod plan;

pub use api_server::{ApiServerPlan, NoApiServerPlan, NotAboutServer};
pub(crate) use cells::MAX_CELLS;
pub use cells::{Cell, sort_by_id};
pub use ideal::IdealClasses;
pub use plan::{PatchPlan, Plan};
