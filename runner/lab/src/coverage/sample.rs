//! A random sample of the items of the design documents.

use skewer_reports::documents::{SentenceRow, SentenceVerdict};
use skewer_trials::random_testing::Random;

use super::render::{item_text, wrapped};
use super::verdicts::{VerdictOnMutant, VerdictsOnMutants};
use super::{Coverage, ItemCoverage};

/// Distinguishes these random numbers from those of other purposes with the same seed.
const PURPOSE: u64 = 0x636f_7665;

/// Maximum number of cases of an item that are listed in a sample. The others are counted.
const MAX_CASES: usize = 8;

/// Maximum number of mutants of an item that are named in a sample.
const MAX_MUTANTS: usize = 3;

/// The verdicts on the items of a sample.
#[derive(Debug)]
pub struct SampleVerdicts {
    /// The verdicts on the built-in engine, in the order of the items.
    pub rows: Vec<SentenceRow>,
    /// The other verdicts on mutants, by the id of the item, if the mutants were run.
    pub changed: Option<VerdictsOnMutants>,
}

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
    /// Renders the sample with the cells and the verdict of each item, for a terminal.
    #[must_use]
    pub fn text(&self, verdicts: &SampleVerdicts, width: Option<usize>) -> String {
        let (drawn, of, seed) = (self.items.len(), self.of, self.seed);
        let mut text = format!("{drawn} of {of} items, drawn with the seed {seed}\n");
        for (item, row) in self.items.iter().zip(&verdicts.rows) {
            text.push('\n');
            text += &item_text(item, width, MAX_CASES, true);
            text += &wrapped(&row.description(), "  ", width);
            if let Some(changed) = verdicts.changed.as_ref().filter(|_| row.is_decided()) {
                let of_item = changed.get(item.id).map_or(&[][..], Vec::as_slice);
                text += &wrapped(&mutant_text(of_item), "  ", width);
            }
        }
        text
    }
}

/// Lists some of the mutants on which an item has another verdict. Other words come before other numbers.
fn mutant_text(changed: &[VerdictOnMutant]) -> String {
    let mut changed: Vec<&VerdictOnMutant> = changed.iter().collect();
    changed.sort_by_key(|on_mutant| on_mutant.row.verdict == SentenceVerdict::InPart);
    let named = changed.iter().take(MAX_MUTANTS);
    let named: Vec<String> =
        named.map(|on_mutant| format!("{} ({})", on_mutant.mutant, on_mutant.row.description())).collect();
    match changed.len() {
        0 => "no mutant changes the verdict".to_owned(),
        1 => format!("another verdict on {}", named[0]),
        count => format!("another verdict on {count} mutants, such as {}", named.join(", ")),
    }
}
