//! Why a regular expression is not compiled.

use std::fmt;

// What can be wrong. Upstream: `syntax.ErrorCode`.
pub(super) const INVALID_CAPTURE: &str = "invalid named capture";
pub(super) const INVALID_COUNT: &str = "invalid repeat count";
pub(super) const INVALID_ESCAPE: &str = "invalid escape sequence";
pub(super) const INVALID_GROUP: &str = "invalid or unsupported Perl syntax";
pub(super) const INVALID_RANGE: &str = "invalid character class range";
pub(super) const INVALID_REPETITION: &str = "invalid nested repetition operator";
pub(super) const MISSING_BRACKET: &str = "missing closing ]";
pub(super) const MISSING_PARENTHESIS: &str = "missing closing )";
pub(super) const NOTHING_TO_REPEAT: &str = "missing argument to repetition operator";
pub(super) const TOO_DEEP: &str = "expression nests too deeply";
pub(super) const TOO_LARGE: &str = "expression too large";
pub(super) const TRAILING_BACKSLASH: &str = "trailing backslash at end of expression";
pub(super) const UNEXPECTED_PARENTHESIS: &str = "unexpected )";

/// The reason, which is shown with the words of Go.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotCompiled {
    /// It is not a regular expression. Upstream: `syntax.Error`.
    Invalid { problem: &'static str, part: String },
    /// Go can read it, but it cannot be simulated.
    NotSimulated(&'static str),
}

pub(super) type Parsed<T> = Result<T, NotCompiled>;

impl NotCompiled {
    pub(super) fn invalid(problem: &'static str, part: &str) -> Self {
        NotCompiled::Invalid { problem, part: part.to_owned() }
    }
}

impl fmt::Display for NotCompiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotCompiled::Invalid { problem, part } => write!(f, "error parsing regexp: {problem}: `{part}`"),
            NotCompiled::NotSimulated(reason) => write!(f, "not simulated: {reason}"),
        }
    }
}
