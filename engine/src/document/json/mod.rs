//! Reading and writing documents as JSON text.

mod depth_limit;
mod escapes;
pub(super) mod fast_reader;
pub(super) mod reader;
mod writer;

pub use depth_limit::{MAX_DEPTH, is_too_deep};
pub use reader::{from_json, from_json_borrowed};
pub use writer::to_json;
pub(crate) use writer::to_json_with_capacity;
