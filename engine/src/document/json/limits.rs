//! The limits on documents.

/// Maximum nesting depth of a document. Go's reader stops at 10,000 levels; no Kubernetes type comes near this limit,
/// and this depth is safe on every thread's stack.
pub const MAX_DEPTH: usize = 512;

/// Maximum number of values in a document: scalars, lists and maps, at any depth.
///
/// A value takes up to 32 times as much memory as the two bytes that are enough to write it. The limit on bytes alone
/// would therefore allow gigabytes. Kubernetes objects have a value for each 15 bytes or more, so that a file of 60 MB
/// stays below this limit.
pub const MAX_NODES: usize = 4_000_000;
