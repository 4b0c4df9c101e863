//! Reading and writing documents as JSON text.

pub(super) mod fast_reader;
pub(super) mod reader;
pub(super) mod writer;
