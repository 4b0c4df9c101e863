//! List items: their identity, the matches between two lists, and the order of a merged list.

pub(crate) mod element_order;
pub(crate) mod identity;
mod key_index;
pub(crate) mod matching;
