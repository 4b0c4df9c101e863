//! Tools that laws and differential runs share: reproducible random numbers, and edits of generated documents.

pub(crate) mod document_edits;
mod random;

pub(crate) use random::Random;
