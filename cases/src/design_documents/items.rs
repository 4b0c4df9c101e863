//! The items of the design documents: what a document says that cases can show.

use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use skewer_yaml::{self as yaml, FileErrors, Spanned};

use super::claim::{Claim, HoldsIfSpec};
use super::words::{windows, words};
use super::{DocumentIndex, SectionIndex, by_name};

/// An item of a document: a sentence, an example, or another part of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The document, the section and the number of the item in it: `kep-1027/normalization/2`.
    pub id: String,
    /// The name of the document.
    pub document: &'static str,
    /// The index of the section in the document.
    pub section: usize,
    /// The kind of the item.
    pub kind: ItemKind,
    /// The words of the section that are the item.
    pub words: Range<usize>,
    /// The first words, as a pointer to the text.
    pub begins: String,
    /// The names of the cases and suites that show the item, in addition to the cases that quote it.
    pub cases: Vec<String>,
    /// The reason why no case shows the item.
    pub because: Option<String>,
    /// What the item claims, if a case shows it.
    pub claim: Option<Claim>,
}

impl Item {
    /// Returns the line of the document on which the item begins.
    #[must_use]
    pub fn line(&self) -> usize {
        let index = DocumentIndex::by_name(self.document);
        index.map_or(0, |index| index.sections[self.section].line_of(self.words.start))
    }
}

/// The kinds of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemKind {
    /// A sentence that says how something behaves or has to behave.
    Statement,
    /// A printed example.
    Example,
    /// A row of a table, or an entry of a list of APIs.
    TableRow,
    /// A user story.
    Story,
    /// A risk, a limitation or a drawback.
    Risk,
    /// A goal, a dimension of the test matrix, or a graduation criterion.
    Criterion,
    /// A part of a rejected or postponed alternative.
    Alternative,
}

impl ItemKind {
    /// All kinds, in the order of reports.
    pub const ALL: [ItemKind; 7] = [
        ItemKind::Statement,
        ItemKind::Example,
        ItemKind::TableRow,
        ItemKind::Story,
        ItemKind::Risk,
        ItemKind::Criterion,
        ItemKind::Alternative,
    ];

    /// Returns the name of the kind in files and reports.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            ItemKind::Statement => "statement",
            ItemKind::Example => "example",
            ItemKind::TableRow => "table-row",
            ItemKind::Story => "story",
            ItemKind::Risk => "risk",
            ItemKind::Criterion => "criterion",
            ItemKind::Alternative => "alternative",
        }
    }
}

impl fmt::Display for ItemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct DocumentFile {
    document: Spanned<String>,
    sections: Vec<SectionItems>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct SectionItems {
    section: Spanned<String>,
    items: Vec<Entry>,
}

/// An entry of a section: an item, or text that is none.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Entry {
    kind: Spanned<EntryKind>,
    words: usize,
    begins: Spanned<String>,
    #[serde(default)]
    cases: Vec<String>,
    #[serde(default)]
    because: Option<String>,
    #[serde(default)]
    holds_if: Vec<HoldsIfSpec>,
    #[serde(default)]
    undecided: Option<String>,
    #[serde(default)]
    no_claim: Option<String>,
}

impl Entry {
    /// Takes what the item claims. The three keys exclude each other.
    fn take_claim(&mut self, diagnostics: &yaml::Diagnostics) -> Option<Claim> {
        let span = self.begins.span;
        let conditions = std::mem::take(&mut self.holds_if).into_iter();
        let conditions: Vec<_> =
            conditions.filter_map(|condition| condition.into_condition(span, diagnostics)).collect();
        let mut claims = [
            (!conditions.is_empty()).then_some(Claim::HoldsIf(conditions)),
            self.undecided.take().map(Claim::Undecided),
            self.no_claim.take().map(Claim::NoClaim),
        ]
        .into_iter()
        .flatten();
        let claim = claims.next();
        if claims.next().is_some() {
            let message = "an item has one of holds-if, undecided and no-claim";
            diagnostics.error(span, message.to_owned());
        }
        claim
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum EntryKind {
    Statement,
    Example,
    TableRow,
    Story,
    Risk,
    Criterion,
    Alternative,
    /// Text that no case can show: a heading, a motivation, a question, a reference.
    Background,
}

impl EntryKind {
    fn item_kind(self) -> Option<ItemKind> {
        match self {
            EntryKind::Statement => Some(ItemKind::Statement),
            EntryKind::Example => Some(ItemKind::Example),
            EntryKind::TableRow => Some(ItemKind::TableRow),
            EntryKind::Story => Some(ItemKind::Story),
            EntryKind::Risk => Some(ItemKind::Risk),
            EntryKind::Criterion => Some(ItemKind::Criterion),
            EntryKind::Alternative => Some(ItemKind::Alternative),
            EntryKind::Background => None,
        }
    }
}

/// Returns the items of the four documents, in order.
///
/// # Panics
///
/// Panics if an embedded file has errors. A test reads them.
#[must_use]
pub fn items() -> &'static [Item] {
    static ITEMS: LazyLock<Vec<Item>> = LazyLock::new(|| {
        let read = |index: &'static DocumentIndex| {
            let text = embedded_text(index.document);
            let name = format!("cases/documents/{}.yaml", index.document);
            read_items(index, &name, text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"))
        };
        DocumentIndex::all().iter().flat_map(read).collect()
    });
    &ITEMS
}

fn embedded_text(document: &str) -> &'static str {
    match document {
        "strategic-merge-patch" => include_str!("../../documents/strategic-merge-patch.yaml"),
        "retain-keys" => include_str!("../../documents/retain-keys.yaml"),
        "patch-merge-key" => include_str!("../../documents/patch-merge-key.yaml"),
        "kep-1027" => include_str!("../../documents/kep-1027.yaml"),
        _ => "",
    }
}

/// Reads the items of a document, and checks that they have all of its words.
fn read_items(index: &'static DocumentIndex, name: &str, text: &[u8]) -> Result<Vec<Item>, FileErrors> {
    let parsed = yaml::parse_lenient(name, text)?;
    let (file, diagnostics) = parsed.decode_partial::<DocumentFile>();
    let mut items = Vec::new();
    if let Some(file) = file.filter(|_| diagnostics.is_empty()) {
        if *file.document != *index.document {
            diagnostics.error(file.document.span, format!("the items of {} are expected", index.document));
        }
        let mut written = file.sections.into_iter().peekable();
        for (number, section) in index.sections.iter().enumerate() {
            let of_section = written.next_if(|written| *written.section == *section.heading);
            let span = of_section.as_ref().map_or(file.document.span, |of_section| of_section.section.span);
            let entries = of_section.map_or_else(Vec::new, |of_section| of_section.items);
            let counted: usize = entries.iter().map(|entry| entry.words).sum();
            if counted != section.word_count {
                let message = format!(
                    "the section \"{}\" has {} words, but its items have {counted}",
                    section.heading, section.word_count
                );
                diagnostics.error(span, message);
                continue;
            }
            items.extend(section_items(index.document, number, section, entries, &diagnostics));
        }
        if let Some(left) = written.next() {
            let message = format!("no section \"{}\" here in {}", left.section.value, index.document);
            diagnostics.error(left.section.span, message);
        }
    }
    parsed.finish(Some(items), diagnostics)
}

/// Returns the items of a section, and checks their first words.
fn section_items(
    document: &'static str,
    number: usize,
    section: &SectionIndex,
    entries: Vec<Entry>,
    diagnostics: &yaml::Diagnostics,
) -> Vec<Item> {
    let mut items = Vec::new();
    let section_name = section_name(document, number);
    let mut start = 0;
    let mut ordinal = 0;
    for mut entry in entries {
        let range = start..start + entry.words;
        start = range.end;
        let first = windows(&words(&entry.begins));
        if !section.windows[range.start.min(section.windows.len())..].starts_with(&first) {
            diagnostics
                .error(entry.begins.span, format!("the item does not begin with \"{}\"", entry.begins.value));
        }
        let Some(kind) = entry.kind.item_kind() else { continue };
        ordinal += 1;
        items.push(Item {
            id: format!("{document}/{section_name}/{ordinal}"),
            document,
            section: number,
            kind,
            words: range,
            claim: entry.take_claim(diagnostics),
            begins: entry.begins.value,
            cases: entry.cases,
            because: entry.because,
        });
    }
    items
}

/// Returns the name of a section in ids. A number distinguishes it from an earlier section with the same name.
fn section_name(document: &str, number: usize) -> String {
    let headings = by_name(document).map_or(&[][..], |document| document.sections);
    let name = slug(headings.get(number).copied().unwrap_or_default());
    let earlier = headings.iter().take(number).filter(|heading| slug(heading) == name).count();
    if earlier == 0 { name } else { format!("{name}-{}", earlier + 1) }
}

/// Converts a heading to lower case letters and digits, with dashes between them.
fn slug(heading: &str) -> String {
    let parts = heading.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_lowercase()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::design_documents::{DESIGN_DOCUMENTS, WINDOW};

    #[test]
    fn every_document_has_items_with_different_ids() {
        for document in DESIGN_DOCUMENTS {
            assert!(items().iter().any(|item| item.document == document.name), "{}", document.name);
        }
        let mut ids: Vec<&str> = items().iter().map(|item| &*item.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), items().len());
    }

    /// A pointer of fewer words could not be compared with the index.
    #[test]
    fn the_pointer_of_an_item_has_enough_words_to_be_checked() {
        for item in items() {
            let enough = words(&item.begins).len() >= WINDOW.min(item.words.len());
            assert!(enough, "{}: {}", item.id, item.begins);
        }
    }

    #[rstest]
    #[case::missing_words(
        "words: 53",
        "words: 52",
        "the section \"Goals\" has 94 words, but its items have 93"
    )]
    #[case::another_text(
        "provide a simple",
        "provide a hard",
        "the item does not begin with \"provide a hard"
    )]
    #[case::no_section("'Goals'", "'Goalz'", "the section \"Goals\" has 94 words, but its items have 0")]
    #[case::kind("kind: story", "kind: tale", "tale")]
    #[case::condition_without_an_end(
        "{expected: supports}",
        "{some: true}",
        "a condition needs one of expected,"
    )]
    #[case::condition_with_two_ends(
        "{expected: supports}",
        "{expected: supports, same-for: x}",
        "a condition needs"
    )]
    #[case::error_kind("[union-selected-member-empty]", "[union-empty]", "no error kind `union-empty`")]
    #[case::two_claims("no-claim: >-", "undecided: x\n        no-claim: >-", "an item has one of holds-if,")]
    fn a_mistake_in_the_items_is_reported(#[case] from: &str, #[case] to: &str, #[case] expected: &str) {
        let index = DocumentIndex::by_name("kep-1027").unwrap();
        let text = embedded_text("kep-1027");
        assert!(read_items(index, "t.yaml", text.as_bytes()).is_ok());
        assert!(text.contains(from), "{from}");
        let errors = read_items(index, "t.yaml", text.replacen(from, to, 1).as_bytes()).unwrap_err();
        assert!(errors.to_string().contains(expected), "{errors}");
    }
}
