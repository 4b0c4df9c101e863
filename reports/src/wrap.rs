//! Lines of a width: prose and lists are broken between words, never inside a word.

use std::fmt::Write as _;

use textwrap::{Options, WordSeparator, WordSplitter};

/// Returns the number of columns of a text on one line. Colours have no width.
#[must_use]
pub fn display_width(text: &str) -> usize {
    textwrap::core::display_width(text)
}

/// Breaks a text into lines of at most `width` columns, each of which ends with a line feed. The first line begins with
/// `first`, and the others with `others`. A word that is longer than a line, such as a path, has a line of its own. Line
/// breaks of the text count as spaces.
///
/// ```
/// use skewer_reports::wrap::wrap;
///
/// assert_eq!(wrap("one two\nthree", "- ", "  ", 10), "- one two\n  three\n");
/// assert_eq!(wrap("/a/long/path is one word", "", "", 6), "/a/long/path\nis one\nword\n");
/// ```
#[must_use]
pub fn wrap(text: &str, first: &str, others: &str, width: usize) -> String {
    let options = Options::new(width)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .initial_indent(first)
        .subsequent_indent(others);
    let mut lines = String::new();
    let words: Vec<&str> = text.split_whitespace().collect();
    for line in textwrap::wrap(&words.join(" "), options) {
        let _ = writeln!(lines, "{}", line.trim_end());
    }
    lines
}
