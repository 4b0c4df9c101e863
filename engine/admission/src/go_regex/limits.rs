//! The limits of Go for the nesting, the repetitions and the size of an expression.

use super::not_compiled::{NotCompiled, Parsed, TOO_DEEP, TOO_LARGE};

/// The greatest height of the tree of an expression. Upstream: `maxHeight`.
const MAX_HEIGHT: u32 = 1000;

/// The greatest number of instructions. Upstream: `maxSize`.
const MAX_SIZE: u64 = (128 << 20) / 40;

/// The greatest number of copies of a part, by itself and with the repetitions around it. Upstream: `repeatIsValid`.
pub(super) const MAX_COPIES: u32 = 1000;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PartKind {
    Literal,
    FoldedLiteral,
    Concatenation,
    Alternation,
    Repetition,
    Other,
}

/// A part of an expression that was translated. Go looks for common beginnings of alternatives before it computes the height
/// and the size. This is not done here: an expression with alternatives in more than 300 groups can be refused too early.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) kind: PartKind,
    /// The position of its text in the translation.
    pub(super) start: usize,
    height: u32,
    /// A size that Go's is not less than: Go refuses no expression of a few nodes, even if a literal in it is long.
    size: u64,
    pub(super) copies: u32,
}

/// The numbers in a repetition: `None` is without end.
#[derive(Clone, Copy)]
pub(super) struct Counts {
    pub(super) least: u32,
    pub(super) most: Option<u32>,
}

impl Part {
    pub(super) fn new(kind: PartKind, start: usize) -> Self {
        Part { kind, start, height: 1, size: u64::from(kind == PartKind::Other), copies: 1 }
    }

    /// Returns a list of parts as one. A list of the same kind inside of it belongs to it. Upstream: `collapse`.
    pub(super) fn join(parts: &[Part], kind: PartKind, start: usize) -> Self {
        let Some(first) = parts.first() else { return Part::new(PartKind::Other, start) };
        let is_literal = kind == PartKind::Concatenation
            && matches!(first.kind, PartKind::Literal | PartKind::FoldedLiteral)
            && parts.iter().all(|part| part.kind == first.kind);
        if parts.len() == 1 || is_literal {
            return Part { start, ..*first };
        }
        let heights = parts.iter().map(|part| part.height - u32::from(part.kind == kind));
        let sizes = parts.iter().map(|part| part.size);
        Part {
            kind,
            start,
            height: 1 + heights.max().unwrap_or_default(),
            size: if kind == PartKind::Alternation { sizes.max().unwrap_or_default() } else { sizes.sum() },
            copies: parts.iter().map(|part| part.copies).max().unwrap_or_default(),
        }
    }

    pub(super) fn captured(self) -> Self {
        Part { kind: PartKind::Other, height: self.height + 1, size: self.size + 1, ..self }
    }

    pub(super) fn repeated(self, counts: Counts) -> Self {
        let copies = counts.most.unwrap_or(counts.least.max(1));
        let size = self.size.max(1) * u64::from(copies);
        Part {
            kind: PartKind::Repetition,
            height: self.height + 1,
            size,
            copies: self.copies * copies,
            ..self
        }
    }

    /// Checks the height and the size of a part of a text. Upstream: `checkLimits`.
    pub(super) fn check(self, text: &str) -> Parsed<()> {
        if self.size > MAX_SIZE {
            Err(NotCompiled::invalid(TOO_LARGE, text))
        } else if self.height > MAX_HEIGHT {
            Err(NotCompiled::invalid(TOO_DEEP, text))
        } else {
            Ok(())
        }
    }
}
