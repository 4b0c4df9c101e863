//! The check of all quotations of a suite file.

use std::collections::HashMap;
use std::fmt;

use skewer_yaml::{self as yaml, FileErrors, ParsedFile};

use super::passage::{Lookup, Quotation, QuotationMarks, quotations_in};
use super::prose::{Prose, prose_of};
use crate::CorpusFile;
use crate::design_documents::{DocumentIndex, WINDOW, Window, windows};

/// Number of words by which a misquoted part can be shorter or longer than the sentence that it misquotes.
const MAX_SHIFT: usize = 4;

/// A quotation that is not word for word in a design document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misquotation {
    /// The name of the suite file in messages.
    pub file: String,
    /// The line on which the quotation begins.
    pub line: usize,
    /// The quoted text.
    pub text: String,
    /// The problem.
    pub problem: QuotationProblem,
}

/// The problem of a quotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuotationProblem {
    /// No section of a document has these words.
    NotFound(Option<Nearest>),
    /// A part between two elisions has fewer than three words, so that it cannot be looked up.
    ShortPart(String),
    /// The quotation begins or ends with a space: its marks are the inner marks of another quotation.
    NestedMarks,
    /// The quotation has typographic marks, but most of its words are in a design document.
    WrongMarks(Nearest),
}

/// The place of the documents that has most words of a quotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    document: &'static str,
    section: &'static str,
    line: usize,
    /// Number of windows of the quotation that are there.
    same: usize,
    /// Number of windows of the quotation.
    total: usize,
    /// The first word of the quotation that is not there.
    first_difference: Option<String>,
}

/// Checks all quotations of a suite file.
///
/// # Errors
///
/// Returns the errors of a file that is not YAML.
pub fn check_file(file: &CorpusFile) -> Result<Vec<Misquotation>, FileErrors> {
    let parsed = yaml::parse_lenient(&file.display_name, &file.content)?;
    let mut found = Vec::new();
    for prose in prose_of(&parsed) {
        for quotation in quotations_of(&prose) {
            if let Some(problem) = problem(&quotation) {
                let line = line_of(&parsed, &prose, &quotation);
                let (file, text) = (file.display_name.clone(), one_line(quotation.text));
                found.push(Misquotation { file, line, text, problem });
            }
        }
    }
    Ok(found)
}

fn quotations_of(prose: &Prose) -> Vec<Quotation<'_>> {
    if prose.is_quotation {
        return vec![Quotation { text: prose.text.trim(), marks: QuotationMarks::Straight }];
    }
    quotations_in(&prose.text)
}

fn problem(quotation: &Quotation<'_>) -> Option<QuotationProblem> {
    if quotation.marks == QuotationMarks::Typographic {
        let nearest = nearest(&quotation.parts().concat())?;
        // Two windows can be the same by chance, as in "the patch is".
        let is_of_document = nearest.same > 2 && nearest.same * 2 > nearest.total;
        return is_of_document.then_some(QuotationProblem::WrongMarks(nearest));
    }
    if quotation.text.trim() != quotation.text {
        return Some(QuotationProblem::NestedMarks);
    }
    match quotation.look_up() {
        Lookup::Term => None,
        Lookup::ShortPart(part) => Some(QuotationProblem::ShortPart(part)),
        Lookup::Passages(passages) => {
            let is_missing = passages.is_empty();
            is_missing.then(|| QuotationProblem::NotFound(nearest(&quotation.parts().concat())))
        }
    }
}

/// Returns the place with the most windows of a quotation. A window counts if it is at its place in the quotation, give
/// or take a few words.
fn nearest(words: &[String]) -> Option<Nearest> {
    let wanted = windows(words);
    let places = DocumentIndex::all().iter().filter_map(|index| best_place(index, &wanted));
    let (_, index, section, start) = places.max_by_key(|place| place.0)?;
    let here = &index.sections[section];
    let end = (start + wanted.len() + MAX_SHIFT).min(here.windows.len());
    let is_here = |window: &Window| here.windows[start.saturating_sub(MAX_SHIFT)..end].contains(window);
    // The window before the first one that is missing is there, so that its last word differs.
    let missing = wanted.iter().position(|window| !is_here(window));
    let differing = missing.map(|window| if window == 0 { 0 } else { window + WINDOW - 1 });
    Some(Nearest {
        document: index.document,
        section: here.heading,
        line: here.line_of(start),
        same: wanted.iter().filter(|window| is_here(window)).count(),
        total: wanted.len(),
        first_difference: differing.map(|word| words[word].clone()),
    })
}

/// Returns the start with the most windows of a document, with their number and the section.
fn best_place(
    index: &'static DocumentIndex,
    wanted: &[Window],
) -> Option<(usize, &'static DocumentIndex, usize, usize)> {
    let mut starts: HashMap<(usize, usize), usize> = HashMap::new();
    for (number, window) in wanted.iter().enumerate() {
        for (section, word) in index.occurrences(*window) {
            *starts.entry((*section, word.saturating_sub(number))).or_default() += 1;
        }
    }
    // Of several equal places the first is taken, which keeps messages stable.
    let best = starts.into_iter().max_by_key(|(place, count)| (*count, std::cmp::Reverse(*place)));
    best.map(|((section, start), count)| (count, index, section, start))
}

/// Returns the line of the first word of a quotation. The text of a node has other line breaks than the file, so the line
/// is that of the first occurrence of the word behind a mark, or that of the whole text.
fn line_of(file: &ParsedFile, prose: &Prose, quotation: &Quotation<'_>) -> usize {
    let written = &file.text()[prose.span.offset..prose.span.end()];
    let beginning: String = quotation.text.split_whitespace().take(1).collect();
    let marked = [format!("\"{beginning}"), format!("“{beginning}")];
    let offset = marked.iter().find_map(|text| written.find(text.as_str())).unwrap_or(0);
    file.lines().position(prose.span.offset + offset).line
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Nearest { document, section, line, same, total, .. } = self;
        write!(
            f,
            "{document}, line {line}, section \"{section}\" ({same} of {total} runs of {WINDOW} words)"
        )?;
        match &self.first_difference {
            Some(word) => write!(f, "; the first difference is at `{word}`"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for QuotationProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QuotationProblem::NotFound(Some(nearest)) => {
                write!(f, "no section of the documents has these words; the nearest place is {nearest}")
            }
            QuotationProblem::NotFound(None) => f.write_str(
                "no section of the documents has these words; if it is no quotation of them, use “ and ”",
            ),
            QuotationProblem::ShortPart(part) => {
                write!(f, "the part `{part}` is too short: quote at least {WINDOW} words between elisions")
            }
            QuotationProblem::NestedMarks => {
                f.write_str("the marks are nested: use single quotation marks inside a quotation")
            }
            QuotationProblem::WrongMarks(nearest) => {
                write!(
                    f,
                    "a quotation of a design document needs straight marks and its exact words: {nearest}"
                )
            }
        }
    }
}

impl fmt::Display for Misquotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: \"{}\": {}", self.file, self.line, self.text, self.problem)
    }
}
