//! Lists: matching the items of two lists, merging them, comparing them, and ordering the result.

pub(crate) mod element_order;
pub(crate) mod identity;
mod key_index;
pub(crate) mod matching;
