//! The cells that show the items of the design documents.

use std::collections::{BTreeMap, BTreeSet};

use skewer_cases::design_documents::{DocumentIndex, Item, WINDOW};
use skewer_cases::quotations::{Lookup, Passage, QuotationMarks, quotations_in};
use skewer_cases::{Case, Corpus};

/// The cells of each case that shows an item, by the name of the case.
pub(super) type CellsByCase = BTreeMap<String, BTreeSet<String>>;

/// The cells that show each item, and the names in the files of the items that no suite or case of the corpus has.
#[derive(Debug, Default)]
pub(super) struct Links {
    cells: BTreeMap<String, CellsByCase>,
    unknown: BTreeMap<String, Vec<String>>,
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
            for name in &item.cases {
                links.add_named(corpus, item, name);
            }
        }
        links
    }

    /// Returns the cells that show an item.
    pub(super) fn take(&mut self, item: &Item) -> CellsByCase {
        self.cells.remove(&item.id).unwrap_or_default()
    }

    /// Returns the names that the item gives and the corpus does not have.
    pub(super) fn take_unknown(&mut self, item: &Item) -> Vec<String> {
        self.unknown.remove(&item.id).unwrap_or_default()
    }

    /// Adds the items that the description of a case or a reason of its expectations quotes. A description belongs to all
    /// cells of the case, and a reason to the cells of its expectation.
    fn add_quoted(&mut self, case: &Case, items: &'static [Item]) {
        for item in quoted_items(&case.about, case, items) {
            self.add(item, case, case.cells().map(|cell| cell.id()));
        }
        for expectation in &case.expectations {
            let Some(because) = &expectation.because else { continue };
            for item in quoted_items(because, case, items) {
                let of_expectation = case.cells().filter(|cell| std::ptr::eq(cell.expectation, expectation));
                self.add(item, case, of_expectation.map(|cell| cell.id()));
            }
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

fn case_name(case: &Case) -> String {
    format!("{}/{}", case.suite, case.id)
}

fn quoted_items(text: &str, case: &Case, items: &'static [Item]) -> Vec<&'static Item> {
    let straight = quotations_in(text).into_iter().filter(|quoted| quoted.marks == QuotationMarks::Straight);
    let passages = straight.filter_map(|quotation| match quotation.look_up() {
        Lookup::Passages(passages) => unique(passages, case),
        Lookup::Term | Lookup::ShortPart(_) => None,
    });
    passages.flat_map(|passage| items.iter().filter(move |item| is_quoted(item, &passage))).collect()
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
