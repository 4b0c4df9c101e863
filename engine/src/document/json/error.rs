//! Errors of the JSON reader, with their position in the text.

use std::fmt;

use serde::Deserialize as _;
use serde::de::IgnoredAny;

use super::limits::MAX_DEPTH;
use crate::document::OwnedText;
use crate::error::{Error, ErrorKind};

/// An error in a JSON text, with its position.
///
/// Displayed as `message at line 1 column 5`; the column counts bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JsonError {
    problem: JsonProblem,
    offset: usize,
    length: usize,
    line: usize,
    column: usize,
}

/// The reason for which a text is not a JSON document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JsonProblem {
    /// The text is not JSON. It can be YAML.
    Syntax(String),
    /// The text is not UTF-8.
    ///
    /// Go replaces the invalid bytes by U+FFFD. That would change a document without a word.
    InvalidUtf8,
    /// An object has a key twice.
    DuplicateKey {
        /// The key.
        key: OwnedText,
        /// Byte offset of its first occurrence.
        first: usize,
    },
    /// A number is beyond the range of a float64. The text is the beginning of the number.
    NumberOutOfRange(String),
    /// The document nests deeper than [`MAX_DEPTH`].
    TooDeep,
    /// The document has more values than this number: [`MAX_NODES`](super::MAX_NODES), or fewer if its text is short.
    TooManyNodes(usize),
}

impl fmt::Display for JsonProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JsonProblem::Syntax(message) => f.write_str(message),
            JsonProblem::InvalidUtf8 => f.write_str("the text is not UTF-8 from here on"),
            JsonProblem::DuplicateKey { key, .. } => write!(f, "the key {key:?} stands twice in one object"),
            JsonProblem::NumberOutOfRange(number) => {
                write!(f, "number out of range: no float64 holds {number}")
            }
            JsonProblem::TooDeep => write!(f, "nested too deeply: at most {MAX_DEPTH} levels are read"),
            JsonProblem::TooManyNodes(max_nodes) => {
                write!(f, "the document is too large: at most {max_nodes} values are read")
            }
        }
    }
}

/// Returns the offsets at which the lines of a text begin.
fn line_starts(text: &[u8]) -> impl Iterator<Item = usize> {
    let line_breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    std::iter::once(0).chain(line_breaks.map(|(offset, _)| offset + 1))
}

impl JsonError {
    /// An error at a range of the text.
    pub(super) fn new(problem: JsonProblem, bytes: &[u8], offset: usize, length: usize) -> Self {
        let before = bytes.get(..offset).unwrap_or(bytes);
        let (line, line_start) = line_starts(before).enumerate().last().unwrap_or_default();
        JsonError { problem, offset, length, line: line + 1, column: 1 + before.len() - line_start }
    }

    /// The error of a text that is not JSON, worded by `serde_json`. `position` is where the reader gave up.
    pub(super) fn of_syntax(bytes: &[u8], position: usize) -> Self {
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        // Values that are ignored are not read recursively.
        deserializer.disable_recursion_limit();
        let read = IgnoredAny::deserialize(&mut deserializer).and_then(|_| deserializer.end());
        let Err(error) = read else {
            return JsonError::new(JsonProblem::Syntax("invalid JSON".to_owned()), bytes, position, 0);
        };
        let text = error.to_string();
        let problem = text.rsplit_once(" at line ").map_or(text.as_str(), |(problem, _)| problem);
        let line_start = line_starts(bytes).nth(error.line().saturating_sub(1));
        let offset = line_start.unwrap_or(bytes.len()) + error.column().saturating_sub(1);
        JsonError {
            problem: JsonProblem::Syntax(problem.to_owned()),
            offset: offset.min(bytes.len()),
            length: 0,
            line: error.line(),
            column: error.column(),
        }
    }

    /// The reason.
    #[must_use]
    pub fn problem(&self) -> &JsonProblem {
        &self.problem
    }

    /// The byte offset at which it was found.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The number of bytes to which it refers; 0 for a mere position.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {} column {}", self.problem, self.line, self.column)
    }
}

impl std::error::Error for JsonError {}

impl From<JsonError> for Error {
    fn from(error: JsonError) -> Self {
        let kind = match error.problem {
            JsonProblem::TooDeep => ErrorKind::TooDeep,
            _ => ErrorKind::InvalidDocument,
        };
        Error::new(kind, error.to_string())
    }
}
