//! Limits on the depth and the size of documents.

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
