//! The style of text: colours, and lines of a width. Prose and lists are broken between words, never inside a word.

use std::fmt::Write as _;

use textwrap::{Options, WordSeparator, WordSplitter};

/// The abilities of a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Whether the terminal shows colours.
    pub color: bool,
    /// Width in columns. `None` if the width is unknown. Without a limit, it is the largest number.
    pub width: Option<usize>,
}

/// Maximum width of prose, and its width if that of the terminal is unknown.
const MAX_TEXT_WIDTH: usize = 100;

impl Style {
    /// Returns the width of prose: that of the terminal, at most 100 columns.
    #[must_use]
    pub fn text_width(&self) -> usize {
        self.width.map_or(MAX_TEXT_WIDTH, |width| width.min(MAX_TEXT_WIDTH))
    }

    /// Returns the width of lines that a program may read, too: that of the terminal, or no limit.
    #[must_use]
    pub fn line_width(&self) -> usize {
        self.width.unwrap_or(usize::MAX)
    }

    /// Returns true if a text of this width fits on one line of the terminal.
    pub(crate) fn fits(&self, columns: usize) -> bool {
        self.width.is_none_or(|width| columns <= width)
    }
}

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
/// use skewer_reports::style::wrap;
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
