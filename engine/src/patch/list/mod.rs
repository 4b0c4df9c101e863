//! The identity of list items, the matching of the items of two lists, and the order of merged lists.

pub(crate) mod element_order;
pub(crate) mod identity;
mod key_index;
pub(crate) mod matching;
