//! The limits on documents.

/// Maximum nesting depth of a document. Go's reader stops at 10,000 levels; no Kubernetes type comes near this limit,
/// and this depth is safe on every thread's stack.
pub const MAX_DEPTH: usize = 512;

/// Maximum number of values in a document: scalars, lists and maps, at any depth.
///
/// A value takes 32 bytes of memory or more, and two bytes are enough to write it. The limit on bytes alone would
/// therefore allow gigabytes. Kubernetes objects have a value for each 20 bytes or so, their managed fields included, so
/// that files of 64 MiB stay below this limit.
pub const MAX_NODES: usize = 4_000_000;

/// Number of values that a document may have however short its text is. No object that etcd stores (1.5 MiB) has more.
const MIN_MAX_NODES: usize = 1_000_000;

/// Length of text, in bytes, that allows one value in a document of more than [`MIN_MAX_NODES`] values. Memory then stays
/// within a small multiple of the text.
const BYTES_PER_NODE: usize = 8;

/// Returns the maximum number of values in a document whose text has this length in bytes.
#[must_use]
pub fn max_nodes(text_length: usize) -> usize {
    (text_length / BYTES_PER_NODE).clamp(MIN_MAX_NODES, MAX_NODES)
}
