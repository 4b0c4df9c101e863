//! The cells that show the items of the design documents.

use std::collections::{BTreeMap, BTreeSet};

use skewer_cases::design_documents::{Claim, DocumentIndex, Item, WINDOW, words};
use skewer_cases::quotations::{Lookup, Passage, QuotationMarks, quotations_in};
use skewer_cases::{Case, Corpus};

/// The cells of each case that shows an item, by the name of the case.
pub(super) type CellsByCase = BTreeMap<String, BTreeSet<String>>;

/// The cells that show each item, and the names in the files of the items that no suite or case of the corpus has.
#[derive(Debug, Default)]
pub(super) struct Links {
    cells: BTreeMap<String, CellsByCase>,
    unknown: BTreeMap<String, Vec<String>>,
    /// The longest quotation of each item alone.
    quoted: BTreeMap<String, String>,
}

impl Links {
    /// Finds the links of a corpus. A case shows the items that it quotes, and those that name it or its suite.
    pub(super) fn of(corpus: &Corpus, items: &'static [Item]) -> Self {
        let mut links = Links::default();
        for suite in &corpus.suites {
            for case in &suite.cases {
                links.add_quoted(case, items);
            }
        }
        for item in items {
            let conditions = match &item.claim {
                Some(Claim::HoldsIf(conditions)) => conditions.as_slice(),
                _ => &[],
            };
            let decisive = conditions.iter().flat_map(|condition| &condition.cells);
            for name in item.cases.iter().chain(decisive).collect::<BTreeSet<_>>() {
                links.add_named(corpus, item, name);
            }
        }
        links
    }

    /// Returns the cells that show an item.
    pub(super) fn take(&mut self, item: &Item) -> CellsByCase {
        self.cells.remove(&item.id).unwrap_or_default()
    }

    /// Returns the longest quotation that quotes only this item.
    pub(super) fn take_quoted(&mut self, item: &Item) -> Option<String> {
        self.quoted.remove(&item.id)
    }

    /// Returns the names that the item gives and the corpus does not have.
    pub(super) fn take_unknown(&mut self, item: &Item) -> Vec<String> {
        self.unknown.remove(&item.id).unwrap_or_default()
    }

    /// Adds the items that the description of a case or a reason of its expectations quotes. A description belongs to all
    /// cells of the case, and a reason to the cells of its expectation.
    fn add_quoted(&mut self, case: &Case, items: &'static [Item]) {
        for quoted in quoted_items(&case.about, case, items) {
            self.add(quoted.item, case, case.cells().map(|cell| cell.id()));
            self.keep_longest(quoted);
        }
        for expectation in &case.expectations {
            let Some(because) = &expectation.because else { continue };
            for quoted in quoted_items(because, case, items) {
                let of_expectation = case.cells().filter(|cell| std::ptr::eq(cell.expectation, expectation));
                self.add(quoted.item, case, of_expectation.map(|cell| cell.id()));
                self.keep_longest(quoted);
            }
        }
    }

    fn keep_longest(&mut self, quoted: QuotedItem) {
        let Some(text) = quoted.alone else { return };
        let longest = self.quoted.entry(quoted.item.id.clone()).or_default();
        if text.len() > longest.len() {
            *longest = text;
        }
    }

    fn add_named(&mut self, corpus: &Corpus, item: &Item, name: &str) {
        let cases = corpus.suites.iter().flat_map(|suite| &suite.cases);
        let named: Vec<&Case> =
            cases.filter(|case| *name == *case.suite || *name == case_name(case)).collect();
        for case in &named {
            self.add(item, case, case.cells().map(|cell| cell.id()));
        }
        if named.is_empty() {
            self.unknown.entry(item.id.clone()).or_default().push(name.to_owned());
        }
    }

    fn add(&mut self, item: &Item, case: &Case, cells: impl Iterator<Item = String>) {
        let of_case = self.cells.entry(item.id.clone()).or_default().entry(case_name(case)).or_default();
        of_case.extend(cells);
    }
}

/// An item that a text quotes.
struct QuotedItem {
    item: &'static Item,
    /// The quotation, if it quotes no other item and enough of this one to stand for it.
    alone: Option<String>,
}

/// Number of words of a quotation that stand for an item of any length. Otherwise, half of the words do.
const MANY_WORDS: usize = 12;

pub(super) fn case_name(case: &Case) -> String {
    format!("{}/{}", case.suite, case.id)
}

fn quoted_items(text: &str, case: &Case, items: &'static [Item]) -> Vec<QuotedItem> {
    let straight = quotations_in(text).into_iter().filter(|quoted| quoted.marks == QuotationMarks::Straight);
    let quoted = straight.filter_map(|quotation| match quotation.look_up() {
        Lookup::Passages(passages) => Some((quotation.text.to_owned(), unique(passages, case)?)),
        Lookup::Term | Lookup::ShortPart(_) => None,
    });
    let items_of = |(text, passage): (String, Passage)| {
        let of_passage: Vec<&Item> = items.iter().filter(|item| is_quoted(item, &passage)).collect();
        let is_enough = |item: &Item| words(&text).len() * 2 >= item.words.len().min(2 * MANY_WORDS);
        let alone = (of_passage.len() == 1 && is_enough(of_passage[0])).then(|| text.clone());
        of_passage.into_iter().map(move |item| QuotedItem { item, alone: alone.clone() })
    };
    quoted.flat_map(items_of).collect()
}

/// Returns the passage that a quotation means. If several passages have its words, that is the only one in the section
/// that the case cites.
fn unique(mut passages: Vec<Passage>, case: &Case) -> Option<Passage> {
    if passages.len() > 1 {
        let source = case.source.as_ref()?;
        passages.retain(|passage| {
            let index = DocumentIndex::by_name(passage.document);
            let heading = index.map(|index| index.sections[passage.section].heading);
            passage.document == &*source.document && heading == Some(&*source.section)
        });
    }
    if passages.len() == 1 { passages.pop() } else { None }
}

/// Returns true if the passage has enough words of the item: a whole window, or all words of a shorter item.
fn is_quoted(item: &Item, passage: &Passage) -> bool {
    let common = |part: &std::ops::Range<usize>| {
        part.end.min(item.words.end).saturating_sub(part.start.max(item.words.start))
    };
    item.document == passage.document
        && item.section == passage.section
        && passage.parts.iter().any(|part| common(part) >= WINDOW.min(item.words.len()))
}
