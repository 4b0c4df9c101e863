//! The check of all quotations of a suite file.

use std::fmt;

use skewer_yaml::{self as yaml, FileErrors, ParsedFile};

use super::passage::{Lookup, Quotation, QuotationMarks, quotations_in};
use super::prose::{Prose, prose_of};
use crate::CorpusFile;
use crate::design_documents::WINDOW;

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
    NotFound,
    /// A part between two elisions has fewer than three words, so that it cannot be looked up.
    ShortPart(String),
    /// The quotation begins or ends with a space: its marks are the inner marks of another quotation.
    NestedMarks,
    /// The quotation has typographic marks, but its words are in a design document.
    WrongMarks,
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
    let is_of_other_source = quotation.marks == QuotationMarks::Typographic;
    if !is_of_other_source && quotation.text.trim() != quotation.text {
        return Some(QuotationProblem::NestedMarks);
    }
    match quotation.look_up() {
        Lookup::Passages(passages) if is_of_other_source => {
            (!passages.is_empty()).then_some(QuotationProblem::WrongMarks)
        }
        Lookup::ShortPart(part) if !is_of_other_source => Some(QuotationProblem::ShortPart(part)),
        Lookup::Passages(passages) if passages.is_empty() => Some(QuotationProblem::NotFound),
        _ => None,
    }
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

impl fmt::Display for QuotationProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QuotationProblem::NotFound => f.write_str(
                "no section of the documents has these words; if it is no quotation of them, use “ and ”",
            ),
            QuotationProblem::ShortPart(part) => {
                write!(f, "the part `{part}` is too short: quote at least {WINDOW} words between elisions")
            }
            QuotationProblem::NestedMarks => {
                f.write_str("the marks are nested: use single quotation marks inside a quotation")
            }
            QuotationProblem::WrongMarks => {
                f.write_str("a quotation of a design document needs straight marks")
            }
        }
    }
}

impl fmt::Display for Misquotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: \"{}\": {}", self.file, self.line, self.text, self.problem)
    }
}
