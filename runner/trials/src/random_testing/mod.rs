//! Tools that laws and differential runs share: reproducible random numbers, edits of generated documents, and a shrinker.

pub(crate) mod document_edits;
mod random;
pub(crate) mod shrink;

pub use random::Random;
