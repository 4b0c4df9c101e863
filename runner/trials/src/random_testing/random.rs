//! Reproducible random numbers and choices.

/// A random number generator whose numbers depend only on the seed, not on the machine or the version of a library.
///
/// The algorithm is `SplitMix64`, which is small and good enough for generating documents.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates the generator number `index` for a purpose. Generators with the same seed are independent of each other.
    #[must_use]
    pub fn new(seed: u64, purpose: u64, index: u64) -> Self {
        let mut random = Random(seed ^ purpose.rotate_left(32) ^ index.wrapping_mul(0xd134_2543_de82_ef95));
        random.next();
        random
    }

    /// Returns the next random number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a random number less than `n`, or 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        // A `usize` has at most 64 bits, and the remainder is below `n`.
        #[allow(clippy::cast_possible_truncation)]
        let number = (self.next() % (n.max(1) as u64)) as usize;
        number
    }

    /// Returns true with a probability of `per_mille` in a thousand.
    pub fn chance(&mut self, per_mille: usize) -> bool {
        self.below(1000) < per_mille
    }

    /// Picks one of the choices.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// Picks one of several texts.
    pub fn pick_text(&mut self, choices: &[&'static str]) -> &'static str {
        choices[self.below(choices.len())]
    }

    /// Picks one of the choices with a probability proportional to its weight. Picks the last if all weights are 0.
    pub fn pick_weighted<'a, T>(&mut self, choices: &'a [(usize, T)]) -> &'a T {
        let total: usize = choices.iter().map(|(weight, _)| weight).sum();
        let mut rest = self.below(total);
        for (weight, choice) in choices {
            if rest < *weight {
                return choice;
            }
            rest -= weight;
        }
        &choices[choices.len() - 1].1
    }

    /// Shuffles a list.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}
