//! A random sample of the items of the design documents.

use std::collections::BTreeMap;

use skewer_trials::random_testing::Random;

use super::render::{item_text, wrapped};
use super::{Coverage, ItemCoverage};

/// Distinguishes these random numbers from those of other purposes with the same seed.
const PURPOSE: u64 = 0x636f_7665;

/// Maximum number of cases of an item that are listed in a sample. The others are counted.
const MAX_CASES: usize = 8;

/// Maximum number of mutants of an item that are named in a sample.
const MAX_MUTANTS: usize = 3;

/// Items that were drawn at random, in the order of the documents.
#[derive(Clone, Debug)]
pub struct ItemSample<'c> {
    /// The items.
    pub items: Vec<&'c ItemCoverage>,
    /// The number of items from which they were drawn.
    of: usize,
    seed: u64,
}

impl Coverage {
    /// Draws different items at random. The same seed draws the same items of the same documents. There are fewer than
    /// `count` if the documents have fewer.
    #[must_use]
    pub fn sample(&self, count: usize, seed: u64) -> ItemSample<'_> {
        let mut random = Random::new(seed, PURPOSE, 0);
        let mut left: Vec<usize> = (0..self.items.len()).collect();
        let mut drawn = Vec::new();
        while drawn.len() < count && !left.is_empty() {
            drawn.push(left.swap_remove(random.below(left.len())));
        }
        drawn.sort_unstable();
        let items = drawn.into_iter().map(|index| &self.items[index]).collect();
        ItemSample { items, of: self.items.len(), seed }
    }
}

impl ItemSample<'_> {
    /// Renders the sample with the cells of each item, for a terminal. `noticed_by_cell` has the names of mutants by cell
    /// id, if the mutants were run.
    #[must_use]
    pub fn text(
        &self,
        noticed_by_cell: Option<&BTreeMap<String, Vec<String>>>,
        width: Option<usize>,
    ) -> String {
        let (drawn, of, seed) = (self.items.len(), self.of, self.seed);
        let mut text = format!("{drawn} of {of} items, drawn with the seed {seed}\n");
        for item in &self.items {
            text.push('\n');
            text += &item_text(item, width, MAX_CASES, true);
            if let Some(noticed_by_cell) = noticed_by_cell {
                text += &mutant_text(item, noticed_by_cell, width);
            }
        }
        text
    }
}

/// Lists some of the mutants that cells of the item notice.
fn mutant_text(
    item: &ItemCoverage,
    noticed_by_cell: &BTreeMap<String, Vec<String>>,
    width: Option<usize>,
) -> String {
    let mut mutants: Vec<&str> = Vec::new();
    for name in item.cells().filter_map(|cell| noticed_by_cell.get(cell)).flatten() {
        if !mutants.contains(&name.as_str()) {
            mutants.push(name);
        }
    }
    let text = match mutants.len() {
        0 if item.cases.is_empty() => return String::new(),
        0 => "no mutant makes one of these cells fail".to_owned(),
        count => {
            let shown = mutants[..count.min(MAX_MUTANTS)].join(", ");
            format!("made to fail by {count} mutants, such as {shown}")
        }
    };
    wrapped(&text, "  ", width)
}
