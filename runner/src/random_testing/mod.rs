//! Tools that the laws and the differential runs share: reproducible random numbers, and edits that make generated
//! documents smaller or different.

pub(crate) mod document_edits;
mod random;

pub(crate) use random::Random;
