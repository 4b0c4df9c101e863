//! The numbers of generated objects.

use std::ops::Range;

use clap::Args;

/// The numbers of generated objects. The seed and the number determine an object, its history and what is done with it then.
#[derive(Args, Clone, Copy, Debug)]
pub struct ObjectNumbers {
    /// Number of objects.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub count: u64,
    /// Number of the first object. The seed and the number determine an object, its history and its next manifests.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub first: u64,
    /// Seed of the objects.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
}

impl ObjectNumbers {
    /// Returns the numbers.
    #[must_use]
    pub fn range(self) -> Range<u64> {
        self.first..self.first + self.count
    }
}
