//! A random sample of the items of the design documents.

use skewer_trials::random_testing::Random;

use super::{Coverage, ItemCoverage};

/// Distinguishes these random numbers from those of other purposes with the same seed.
const PURPOSE: u64 = 0x636f_7665;

impl Coverage {
    /// Draws different items at random. The same seed draws the same items of the same documents. The items are in the
    /// order of the documents, and there are fewer than `count` if the documents have fewer.
    #[must_use]
    pub fn sample(&self, count: usize, seed: u64) -> Vec<&ItemCoverage> {
        let mut random = Random::new(seed, PURPOSE, 0);
        let mut left: Vec<usize> = (0..self.items.len()).collect();
        let mut drawn = Vec::new();
        while drawn.len() < count && !left.is_empty() {
            drawn.push(left.swap_remove(random.below(left.len())));
        }
        drawn.sort_unstable();
        drawn.into_iter().map(|index| &self.items[index]).collect()
    }
}
