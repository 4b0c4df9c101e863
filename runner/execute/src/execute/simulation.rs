//! The simulation of a server, whose end a server is compared with.

use skewer_results::{Deviation, Reason, Reference};

use super::evaluation::CellEnd;
use super::owners::owner_differences;

/// The simulation of a server.
pub(super) struct Simulation {
    /// The minor version of the release.
    pub(super) minor: u32,
    /// The end of the cell in the simulation.
    pub(super) end: CellEnd,
    /// Whether the server and its simulation have the same end.
    pub(super) is_same: bool,
    /// Whether the expectation of the cell is for this release.
    pub(super) is_release_of_cell: bool,
}

impl Simulation {
    fn release(&self) -> String {
        format!("kubernetes-1.{}", self.minor)
    }

    /// Returns the simulation as what a result was compared with.
    pub(super) fn reference(&self) -> Reference {
        Reference::Simulation { release: self.release() }
    }

    /// Returns the deviation of a server that does what its simulation predicts.
    pub(super) fn deviation(&self) -> Deviation {
        let release = self.release();
        let reason =
            format!("the expectation is for another release; {release} does what its simulation predicts");
        Deviation { reason, link: None }
    }

    /// Returns the difference of the owners from those of the simulation, which neither the answers nor the documents show.
    pub(super) fn owners_reason(&self, actual: &CellEnd) -> Option<Reason> {
        let (CellEnd::Skew { owners: expected, .. }, CellEnd::Skew { owners, .. }) = (&self.end, actual)
        else {
            return None;
        };
        let are_stored = self.end.document().is_some() && actual.document().is_some();
        (are_stored && !self.is_same && owners != expected)
            .then(|| Reason::OwnersDiffer(owner_differences(expected, owners)))
    }
}
