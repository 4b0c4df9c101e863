//! Numbers that look random and are the same for the same seed, on every machine and for ever.

/// `SplitMix64`: a counter, scrambled. A crate of random numbers would not promise its row from release to release,
/// and a counter-example must be found again by its number.
pub(super) struct Random(u64);

impl Random {
    /// A row of its own for each number of each seed.
    pub(super) fn new(seed: u64, number: u64) -> Self {
        let mut random = Random(seed);
        let first = random.next();
        Random(first ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub(super) fn below(&mut self, n: usize) -> usize {
        // The remainder favours small numbers by less than anybody could see with n this small.
        usize::try_from(self.next() % n.max(1) as u64).unwrap_or_default()
    }

    /// True in so many of a hundred cases.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of these.
    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        if from.is_empty() { None } else { from.get(self.below(from.len())) }
    }

    /// Brings a list into another order.
    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            let other = self.below(at + 1);
            list.swap(at, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_the_same_for_the_same_seed_and_number() {
        let row = |seed, number| {
            let mut random = Random::new(seed, number);
            (0..8).map(|_| random.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(row(1, 2), row(1, 2));
        assert_ne!(row(1, 2), row(1, 3));
        assert_ne!(row(1, 2), row(2, 2));
    }
}
