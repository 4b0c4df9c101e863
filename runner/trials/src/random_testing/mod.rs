//! Tools that laws and differential runs share: reproducible random numbers, and edits of generated documents.

pub mod document_edits;
mod random;

pub use random::Random;
