//! Quotations in a text, and the passages of the design documents that they quote.

use std::iter;
use std::ops::Range;

use crate::design_documents::{DocumentIndex, WINDOW, words};

/// A quotation in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quotation<'a> {
    /// The quoted text, without the marks around it.
    pub text: &'a str,
    /// The marks around it.
    pub marks: QuotationMarks,
}

/// The marks around a quotation, which say what it quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotationMarks {
    /// Straight marks: one of the four design documents. Also the text of `cites`.
    Straight,
    /// Typographic marks: anything else.
    Typographic,
}

/// A passage of a design document: the parts of a quotation, in one section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The name of the document.
    pub document: &'static str,
    /// The index of the section in the document.
    pub section: usize,
    /// The words of the section that each part quotes.
    pub parts: Vec<Range<usize>>,
}

/// The result of looking a quotation up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The quotation is a term: it is too short to be looked up.
    Term,
    /// A part between two elisions is too short to be looked up.
    ShortPart(String),
    /// The passages with these words. The list is empty if there is none.
    Passages(Vec<Passage>),
}

/// Returns the quotations in a text, in order.
#[must_use]
pub fn quotations_in(text: &str) -> Vec<Quotation<'_>> {
    let mut quotations = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['"', '“']) {
        let (marks, end) = if rest[start..].starts_with('"') {
            (QuotationMarks::Straight, '"')
        } else {
            (QuotationMarks::Typographic, '”')
        };
        let inside = &rest[start..][rest[start..].chars().next().map_or(0, char::len_utf8)..];
        let Some(length) = inside.find(end) else { break };
        quotations.push(Quotation { text: &inside[..length], marks });
        rest = &inside[length + end.len_utf8()..];
    }
    quotations
}

impl Quotation<'_> {
    /// Returns the words of each part between elisions.
    pub(super) fn parts(&self) -> Vec<Vec<String>> {
        let parts = self.text.split('…').map(words);
        parts.filter(|part| !part.is_empty()).collect()
    }

    /// Looks the quotation up in all design documents.
    #[must_use]
    pub fn look_up(&self) -> Lookup {
        let parts = self.parts();
        if parts.len() <= 1 && parts.first().is_none_or(|part| part.len() < WINDOW) {
            return Lookup::Term;
        }
        if let Some(short) = parts.iter().find(|part| part.len() < WINDOW) {
            return Lookup::ShortPart(short.join(" "));
        }
        Lookup::Passages(DocumentIndex::all().iter().flat_map(|index| passages(index, &parts)).collect())
    }
}

/// Returns the passages with all parts in their order. Each part is looked for at its first place after the part before
/// it.
fn passages(index: &DocumentIndex, parts: &[Vec<String>]) -> Vec<Passage> {
    let Some((first, others)) = parts.split_first() else { return Vec::new() };
    let start = |place: crate::design_documents::WordPosition| Passage {
        document: index.document,
        section: place.section,
        parts: iter::once(place.word..place.word + first.len()).collect(),
    };
    let mut found: Vec<Passage> = index.find(first).into_iter().map(start).collect();
    for part in others {
        let places = index.find(part);
        found.retain_mut(|passage| {
            let end = passage.parts.last().map_or(0, |range| range.end);
            let next = places.iter().find(|place| place.section == passage.section && place.word >= end);
            passage.parts.extend(next.map(|place| place.word..place.word + part.len()));
            next.is_some()
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn straight(text: &str) -> Quotation<'_> {
        Quotation { text, marks: QuotationMarks::Straight }
    }

    #[test]
    fn quotations_are_found_with_their_marks() {
        let found = quotations_in("says \"a b\", “c” and \"d\"; an open \" ends nothing");
        let found: Vec<_> = found.iter().map(|quotation| (quotation.text, quotation.marks)).collect();
        let (straight, typographic) = (QuotationMarks::Straight, QuotationMarks::Typographic);
        assert_eq!(found, [("a b", straight), ("c", typographic), ("d", straight)]);
    }

    #[rstest]
    #[case::whole("The server should always respect the discriminator.", 1)]
    #[case::elision("When the server receives an update request … it should clear all fields", 1)]
    #[case::bracketed_elision("When the server receives an update request […] it should clear all fields", 1)]
    #[case::wrong_order("It should clear all fields … when the server receives an update request", 0)]
    #[case::two_sections(
        "The server should always respect the discriminator … N/A objects are not reachable",
        0
    )]
    #[case::another_word("The server must always respect the discriminator", 0)]
    #[case::a_word_too_many("The server should always respect the new discriminator", 0)]
    #[case::several_places("It is NOT inlined", 5)]
    fn a_quotation_is_found_if_each_word_is(#[case] text: &str, #[case] count: usize) {
        let Lookup::Passages(passages) = straight(text).look_up() else { panic!("a term") };
        assert_eq!(passages.len(), count, "{passages:?}");
    }

    #[test]
    fn short_texts_are_not_looked_up() {
        assert_eq!(straight("exactly one").look_up(), Lookup::Term);
        assert_eq!(straight("…").look_up(), Lookup::Term);
        assert_eq!(
            straight("the server should always … the discriminator").look_up(),
            Lookup::ShortPart("the discriminator".to_owned())
        );
    }
}
