//! The reader and the writer of documents as JSON text.

mod deserialize;
mod error;
mod escapes;
mod limits;
mod number;
mod reader;
mod writer;

use crate::error::Error;

pub use error::{JsonError, JsonProblem};
pub(crate) use escapes::{escape_free_prefix_length, split_escape_free_string};
pub use limits::{MAX_DEPTH, MAX_NODES, max_nodes};
pub use reader::{from_json, from_json_borrowed, from_json_in, from_json_with_duplicate_keys, parse_json};
pub use writer::to_json;
pub(crate) use writer::{JsonFormat, to_json_with_capacity, write_doc};

/// Adds the name of a document to an error of the reader.
pub(crate) fn in_document(name: &str) -> impl FnOnce(Error) -> Error {
    move |error| Error::new(error.kind(), format!("{name} is not a valid JSON document: {}", error.message()))
}
