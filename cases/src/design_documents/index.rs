//! The index of a design document: hashes of its words in order, with the lines on which they are.
//!
//! The text form is generated from the document:
//!
//! ```text
//! # comments
//! section 277 185 Normalization
//! 278: 3f1c0a9e 77b0c512 …
//! ```
//!
//! A section has the line and the text of its heading, and the number of its words. Each following line has the windows
//! that begin on that line of the document. A line with many windows is continued on the next lines, with the same
//! number.

use std::collections::HashMap;
use std::fmt::{self, Write};
use std::sync::LazyLock;

use super::words::{Window, windows, words};
use super::{DESIGN_DOCUMENTS, DesignDocument};

/// Number of windows on one line of the text form.
const WINDOWS_PER_LINE: usize = 12;

/// The index of one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentIndex {
    /// The name of the document in `source:`.
    pub document: &'static str,
    /// The sections, in order.
    pub sections: Vec<SectionIndex>,
    places: HashMap<Window, Vec<(usize, usize)>>,
}

/// The index of one section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionIndex {
    /// The heading, as [`DesignDocument::sections`] names it.
    pub heading: &'static str,
    /// The line of the heading in the document.
    pub line: usize,
    /// The number of words below the heading.
    pub word_count: usize,
    /// The hash of each window, in order.
    pub windows: Vec<Window>,
    /// The line on which each window begins.
    lines: Vec<usize>,
}

/// The position of a word in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordPosition {
    /// The name of the document.
    pub document: &'static str,
    /// The index of the section.
    pub section: usize,
    /// The number of words of the section before this one.
    pub word: usize,
}

/// An error in the text form of an index, or a document that does not have the known sections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexError(String);

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for IndexError {}

impl SectionIndex {
    fn new(heading: &'static str, line: usize) -> Self {
        SectionIndex { heading, line, word_count: 0, windows: Vec::new(), lines: Vec::new() }
    }

    /// Returns the line of a word. The last words of a section begin no window, and count as being on the line of the
    /// last window.
    #[must_use]
    pub fn line_of(&self, word: usize) -> usize {
        self.lines.get(word).or(self.lines.last()).copied().unwrap_or(self.line)
    }
}

impl DocumentIndex {
    fn new(document: &'static DesignDocument, sections: Vec<SectionIndex>) -> Self {
        let mut places: HashMap<Window, Vec<(usize, usize)>> = HashMap::new();
        for (number, section) in sections.iter().enumerate() {
            for (word, window) in section.windows.iter().enumerate() {
                places.entry(*window).or_default().push((number, word));
            }
        }
        DocumentIndex { document: document.name, sections, places }
    }

    /// Indexes the text of a document.
    ///
    /// # Errors
    ///
    /// Returns an error if the text does not have the sections of the document, in their order.
    pub fn of_text(document: &'static DesignDocument, text: &str) -> Result<Self, IndexError> {
        let mut headings = document.sections.iter().copied().peekable();
        let mut sections: Vec<(SectionIndex, Vec<(usize, String)>)> = Vec::new();
        for (line, content) in (1..).zip(text.lines()) {
            if let Some(heading) = headings.next_if(|heading| is_heading(content, heading)) {
                sections.push((SectionIndex::new(heading, line), Vec::new()));
            } else if let Some((_, section_words)) = sections.last_mut() {
                // The language after the mark of a code block is no part of the text.
                if !content.starts_with("```") {
                    section_words.extend(words(content).into_iter().map(|word| (line, word)));
                }
            }
        }
        if let Some(heading) = headings.next() {
            return Err(IndexError(format!("{}: no section \"{heading}\"", document.file)));
        }
        let indexed = sections.into_iter().map(|(section, section_words)| {
            let (lines, section_words): (Vec<usize>, Vec<String>) = section_words.into_iter().unzip();
            let windows = windows(&section_words);
            let lines = lines[..windows.len()].to_vec();
            SectionIndex { word_count: section_words.len(), windows, lines, ..section }
        });
        Ok(DocumentIndex::new(document, indexed.collect()))
    }

    /// Reads the text form of an index.
    ///
    /// # Errors
    ///
    /// Returns an error for the first wrong line.
    pub fn parse(document: &'static DesignDocument, text: &str) -> Result<Self, IndexError> {
        let mut sections: Vec<SectionIndex> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            if line.starts_with('#') || line.is_empty() {
                continue;
            }
            let parsed = match line.strip_prefix("section ") {
                Some(section) => parse_section(document, section).map(|section| sections.push(section)),
                None => sections.last_mut().and_then(|section| parse_windows(line, section)),
            };
            parsed.ok_or_else(|| {
                IndexError(format!("{}.index:{number}: not a line of an index: {line}", document.name))
            })?;
        }
        Ok(DocumentIndex::new(document, sections))
    }

    /// Returns the places at which the words occur one after the other. Fewer than [`WINDOW`](super::WINDOW) words have
    /// no place.
    #[must_use]
    pub fn find(&self, words: &[String]) -> Vec<WordPosition> {
        let wanted = windows(words);
        let starts = wanted.first().and_then(|first| self.places.get(first)).map_or(&[][..], Vec::as_slice);
        let is_here =
            |&&(section, word): &&(usize, usize)| self.sections[section].windows[word..].starts_with(&wanted);
        let place =
            |&(section, word): &(usize, usize)| WordPosition { document: self.document, section, word };
        starts.iter().filter(is_here).map(place).collect()
    }

    /// Returns the indexes of the four documents.
    ///
    /// # Panics
    ///
    /// Panics if an embedded index is broken. A test reads them.
    #[must_use]
    pub fn all() -> &'static [DocumentIndex] {
        static ALL: LazyLock<Vec<DocumentIndex>> = LazyLock::new(|| {
            let read = |document: &'static DesignDocument| {
                DocumentIndex::parse(document, embedded_text(document.name))
                    .unwrap_or_else(|error| panic!("{error}"))
            };
            DESIGN_DOCUMENTS.iter().map(read).collect()
        });
        &ALL
    }

    /// Returns the index of the document with this name.
    #[must_use]
    pub fn by_name(document: &str) -> Option<&'static DocumentIndex> {
        Self::all().iter().find(|index| index.document == document)
    }
}

fn embedded_text(document: &str) -> &'static str {
    match document {
        "strategic-merge-patch" => include_str!("../../documents/strategic-merge-patch.index"),
        "retain-keys" => include_str!("../../documents/retain-keys.index"),
        "patch-merge-key" => include_str!("../../documents/patch-merge-key.index"),
        "kep-1027" => include_str!("../../documents/kep-1027.index"),
        _ => "",
    }
}

/// Returns true if a line of a document is this heading. A hint in parentheses distinguishes two equal headings, and the
/// template of the KEP marks headings as optional.
fn is_heading(line: &str, heading: &str) -> bool {
    const HINTS: [&str; 2] = [" (moved keys)", " (creating patches)"];
    let heading = HINTS.iter().find_map(|hint| heading.strip_suffix(hint)).unwrap_or(heading);
    let line = line.trim_start_matches('#').trim();
    line.strip_suffix(" (Optional)").unwrap_or(line) == heading
}

fn parse_section(document: &'static DesignDocument, text: &str) -> Option<SectionIndex> {
    let mut parts = text.splitn(3, ' ');
    let line = parts.next()?.parse().ok()?;
    let word_count = parts.next()?.parse().ok()?;
    let written = parts.next()?;
    let heading = document.sections.iter().copied().find(|heading| *heading == written)?;
    Some(SectionIndex { word_count, ..SectionIndex::new(heading, line) })
}

fn parse_windows(text: &str, section: &mut SectionIndex) -> Option<()> {
    let (line, hashes) = text.split_once(": ")?;
    let line: usize = line.parse().ok()?;
    for hash in hashes.split(' ') {
        section.windows.push(Window::from_str_radix(hash, 16).ok()?);
        section.lines.push(line);
    }
    Some(())
}

/// Writes the text form.
impl fmt::Display for DocumentIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for section in &self.sections {
            writeln!(f, "section {} {} {}", section.line, section.word_count, section.heading)?;
            let numbered: Vec<(usize, Window)> =
                section.lines.iter().copied().zip(section.windows.iter().copied()).collect();
            for same_line in numbered.chunk_by(|a, b| a.0 == b.0) {
                for chunk in same_line.chunks(WINDOWS_PER_LINE) {
                    let mut hashes = String::new();
                    for (_, window) in chunk {
                        let _ = write!(hashes, " {window:08x}");
                    }
                    writeln!(f, "{}:{hashes}", chunk[0].0)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design_documents::by_name;

    fn document() -> (&'static DesignDocument, String) {
        let document = by_name("strategic-merge-patch").unwrap();
        let mut text = String::from("before the first section\n");
        for heading in document.sections {
            let _ = write!(text, "{heading}\n\none two three {heading}\nfour five six\n");
        }
        (document, text)
    }

    #[test]
    fn the_text_form_of_an_index_is_read_as_the_same_index() {
        let (document, text) = document();
        let index = DocumentIndex::of_text(document, &text).unwrap();
        assert_eq!(DocumentIndex::parse(document, &index.to_string()), Ok(index));
    }

    #[test]
    fn words_are_found_across_lines_but_not_across_sections() {
        let (document, text) = document();
        let index = DocumentIndex::of_text(document, &text).unwrap();
        let find = |text: &str| index.find(&words(text));
        let background = find("three Background four five");
        let place = WordPosition { document: document.name, section: 0, word: 2 };
        assert_eq!(background, [place]);
        assert_eq!(index.sections[0].line_of(2), 4);
        assert_eq!(index.sections[0].line_of(4), 5);
        assert_eq!(find("four five six").len(), document.sections.len());
        assert_eq!(find("five six one"), []);
        assert_eq!(find("three Background four six"), []);
        assert_eq!(find("before the first section"), []);
    }

    #[test]
    fn a_document_without_a_section_has_no_index() {
        let (document, text) = document();
        let error = DocumentIndex::of_text(document, &text.replace("merge Directive\n", "")).unwrap_err();
        assert_eq!(error.to_string(), "strategic-merge-patch.txt: no section \"merge Directive\"");
    }

    #[test]
    fn a_wrong_line_is_reported_with_its_number() {
        let (document, _) = document();
        let error = DocumentIndex::parse(document, "# index\n12: xyz\n").unwrap_err();
        assert_eq!(error.to_string(), "strategic-merge-patch.index:2: not a line of an index: 12: xyz");
    }

    #[test]
    fn the_embedded_indexes_have_all_sections() {
        for (index, document) in DocumentIndex::all().iter().zip(DESIGN_DOCUMENTS) {
            let headings: Vec<&str> = index.sections.iter().map(|section| section.heading).collect();
            assert_eq!(headings, document.sections, "{}", document.name);
            for section in &index.sections {
                let expected = section.word_count.saturating_sub(super::super::WINDOW - 1);
                assert_eq!(section.windows.len(), expected, "{}", section.heading);
            }
        }
    }
}
