//! Random numbers, and what is chosen by them.

/// Random numbers that are the same for the same seed, on every machine and for ever. `SplitMix64`: small, and
/// good enough to choose documents by.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of one thing out of many that share a seed.
    pub(crate) fn new(seed: u64, what: u64, number: u64) -> Self {
        let mut random = Random(seed ^ what.rotate_left(32) ^ number.wrapping_mul(0xd134_2543_de82_ef95));
        random.next();
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 when `n` is 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        // Usize has at most 64 bits, and what is left is below n.
        #[allow(clippy::cast_possible_truncation)]
        let number = (self.next() % (n.max(1) as u64)) as usize;
        number
    }

    /// True so many times out of a thousand.
    pub(crate) fn often(&mut self, per_mille: usize) -> bool {
        self.below(1000) < per_mille
    }

    /// One of several.
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// One of several by their weights; the last one when all weights are 0.
    pub(crate) fn weighted<'a, T>(&mut self, from: &'a [(usize, T)]) -> &'a T {
        let all: usize = from.iter().map(|(weight, _)| weight).sum();
        let mut left = self.below(all);
        for (weight, what) in from {
            if left < *weight {
                return what;
            }
            left -= weight;
        }
        &from[from.len() - 1].1
    }

    /// Brings a list into any order.
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}
