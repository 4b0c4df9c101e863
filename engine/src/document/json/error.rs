//! Errors of the JSON reader with their positions in the text, and the limits of documents that it checks.

use std::fmt;

use serde::Deserialize as _;
use serde::de::IgnoredAny;

use crate::document::OwnedText;
use crate::error::{Error, ErrorKind};

/// Maximum nesting depth of a document.
///
/// Recursion to this depth is safe on every thread's stack, and no Kubernetes type nests nearly as deep. Go's reader
/// allows 10,000 levels.
pub const MAX_DEPTH: usize = 512;

/// Maximum number of values in a document: scalars, lists and maps, at any depth.
///
/// A value takes at least 32 bytes of memory, but only two bytes of text. A limit on the length of the text alone would
/// therefore allow documents of several gigabytes in memory. Kubernetes objects, including their managed fields, have
/// about one value per 20 bytes of text; even a file of 64 MiB stays below this limit.
pub const MAX_NODES: usize = 4_000_000;

/// Number of values that is always allowed, however short the text is. Objects in etcd (up to 1.5 MiB) have fewer.
const MIN_MAX_NODES: usize = 1_000_000;

/// Minimum number of text bytes per value in a document with more than [`MIN_MAX_NODES`] values. The memory use then
/// stays within a small multiple of the length of the text.
const BYTES_PER_NODE: usize = 8;

/// Returns the maximum number of values in a document whose text has this length in bytes.
#[must_use]
pub fn max_nodes(text_length: usize) -> usize {
    (text_length / BYTES_PER_NODE).clamp(MIN_MAX_NODES, MAX_NODES)
}

/// An error of the JSON reader, with its position in the text.
///
/// It is displayed as `message at line 1 column 5`. The column counts bytes.
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
    /// The text is not JSON. It may still be YAML.
    Syntax(String),
    /// The text is not UTF-8.
    ///
    /// Go replaces invalid bytes by U+FFFD. The reader refuses them, because replacing would silently change the
    /// document.
    InvalidUtf8,
    /// A key occurs twice in one object.
    DuplicateKey {
        /// The key.
        key: OwnedText,
        /// Byte offset of the key's first occurrence.
        first: usize,
    },
    /// A number is beyond the range of a `float64`. The string is the number, shortened if it is long.
    NumberOutOfRange(String),
    /// The document nests more than [`MAX_DEPTH`] levels.
    TooDeep,
    /// The document has more values than this limit. The limit is [`MAX_NODES`](super::MAX_NODES), or less for a short
    /// text.
    TooManyNodes(usize),
}

impl fmt::Display for JsonProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JsonProblem::Syntax(message) => f.write_str(message),
            JsonProblem::InvalidUtf8 => f.write_str("invalid UTF-8"),
            JsonProblem::DuplicateKey { key, .. } => write!(f, "duplicate key {key:?}"),
            JsonProblem::NumberOutOfRange(number) => {
                write!(f, "number out of range: no float64 holds {number}")
            }
            JsonProblem::TooDeep => write!(f, "nested too deeply: at most {MAX_DEPTH} levels are read"),
            JsonProblem::TooManyNodes(max_nodes) => {
                write!(f, "document too large: at most {max_nodes} values are read")
            }
        }
    }
}

/// Returns the byte offsets at which the lines of a text begin.
fn line_starts(text: &[u8]) -> impl Iterator<Item = usize> {
    let line_breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    std::iter::once(0).chain(line_breaks.map(|(offset, _)| offset + 1))
}

impl JsonError {
    /// Creates an error for `length` bytes of the text from `offset` on.
    pub(super) fn new(problem: JsonProblem, bytes: &[u8], offset: usize, length: usize) -> Self {
        let before = bytes.get(..offset).unwrap_or(bytes);
        let (line, line_start) = line_starts(before).enumerate().last().unwrap_or_default();
        JsonError { problem, offset, length, line: line + 1, column: 1 + before.len() - line_start }
    }

    /// Creates the error of a text that is not JSON. The message and the position come from `serde_json`, which reads
    /// the text again.
    ///
    /// `position` is the offset at which our reader stopped. It is used only if `serde_json` accepts the text.
    pub(super) fn of_syntax(bytes: &[u8], position: usize) -> Self {
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        // `IgnoredAny` is read without recursion, so nesting cannot overflow the stack.
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

    /// Returns the reason for which the text was refused.
    #[must_use]
    pub fn problem(&self) -> &JsonProblem {
        &self.problem
    }

    /// Returns the byte offset of the error.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the number of bytes that the error covers; 0 if only its position is known.
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
