//! Tools that laws and differential runs share: reproducible random numbers, edits of generated documents, and a shrinker.

pub mod document_edits;
mod random;
pub mod shrink;

pub use random::Random;
