//! The limit on how deep documents nest.

/// Maximum nesting depth of a document. Go's reader stops at 10,000 levels; no Kubernetes type comes near this limit,
/// and this depth is safe on every thread's stack.
pub const MAX_DEPTH: usize = 512;

/// The words by which the message of a too-deep document is recognized.
pub(super) const TOO_DEEP: &str = "nested too deeply";

/// Returns true if this error message says that a document nests too deep. It is meant for documents inside other
/// messages, whose readers keep only the message of the error.
#[must_use]
pub fn is_too_deep(message: &str) -> bool {
    message.contains(TOO_DEEP)
}
