//! The laws of patch evolution, as executable checks.
//!
//! The section "Changing patch format" of the strategic merge patch document promises how a new directive behaves
//! towards parties that do not know it. These promises are stated as five laws (`law`). They are checked for each
//! directive and for proposals that were never built ([`proposals`]), in the situations of the `corpus` and in
//! generated situations ([`generate`]).
//!
//! Each law gets a `verdict` with a minimal counter-example (`shrink`). The counter-example is printed as a suite
//! file that can be added to the corpus (`suite_file`). The verdict is compared with the recorded verdict
//! (`record`). The [`report`] shows all of this.
//!
//! All behaviour is computed: a party without a directive is the engine with a smaller set of directives, or a target that is
//! told to be without it.

mod benefit_search;
mod corpus;
mod format_change;
pub mod generate;
mod implementation;
mod law;
pub mod proposals;
mod record;
pub mod report;
mod shrink;
mod situation;
mod suite_file;
pub mod topology;
mod trial;
mod verdict;

pub use format_change::FormatChange;
pub use implementation::{AskedImplementation, UnansweredRequests};
pub use law::{Law, ViolationKind};
pub use record::{RecordComparison, VerdictRecord};
pub use situation::{LawSituation, SituationPlan};
pub use verdict::{CompiledSituations, VerdictKind};
