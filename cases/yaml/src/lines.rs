use std::fmt;
use std::sync::Arc;

/// A line and a column, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The line number, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A text with the offsets of its lines. Converts byte offsets to lines and columns, and back.
///
/// Every offset has a position. An offset inside a character has the position of that character, and an offset after
/// the end of the text has the position of the end.
#[derive(Clone, Debug)]
pub struct LineIndex {
    text: Arc<str>,
    /// The offset of the first byte of each line. Shared, because the errors of a file also keep its lines.
    starts: Arc<[u32]>,
}

impl LineIndex {
    /// Indexes the lines of a text.
    #[must_use]
    pub fn new(text: Arc<str>) -> Self {
        // An offset fits into 32 bits, because longer files are not read.
        let offset = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
        let count = text.bytes().filter(|byte| *byte == b'\n').count();
        let mut starts = Vec::with_capacity(count + 1);
        starts.push(0);
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        starts.extend(breaks.map(|(i, _)| offset(i + 1)));
        let starts = Arc::from(starts);
        LineIndex { text, starts }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Returns the number of lines. A text that ends with a line break has an empty last line.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns true if the text is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the offset of the first byte of a line. Lines count from 0 here.
    fn start(&self, line: usize) -> Option<usize> {
        self.starts.get(line).map(|start| *start as usize)
    }

    /// Returns the line and the column of a byte offset.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let offset = floor_char_boundary(&self.text, offset);
        let line = self.starts.partition_point(|start| *start as usize <= offset);
        let start = line.checked_sub(1).and_then(|i| self.start(i)).unwrap_or(0);
        let before = self.text.get(start..offset).unwrap_or("");
        Position { line: line.max(1), column: before.chars().count() + 1 }
    }

    /// Returns the byte offset of a position. A column after the end of the line has the offset of the end of the line.
    #[must_use]
    pub fn offset(&self, position: Position) -> usize {
        let Some(start) = position.line.checked_sub(1).and_then(|i| self.start(i)) else {
            return self.text.len();
        };
        let line = self.line(position.line);
        let column = position.column.saturating_sub(1);
        start + line.char_indices().nth(column).map_or(line.len(), |(i, _)| i)
    }

    /// Returns the text of a line without its line break. Lines count from 1. Returns an empty text if the line does
    /// not exist.
    #[must_use]
    pub fn line(&self, line: usize) -> &str {
        let Some(start) = line.checked_sub(1).and_then(|i| self.start(i)) else {
            return "";
        };
        let end = self.start(line).map_or(self.text.len(), |next| next - 1);
        let text = self.text.get(start..end).unwrap_or("");
        text.strip_suffix('\r').unwrap_or(text)
    }
}

/// Returns the last character boundary that is not after `offset`.
pub(super) fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
