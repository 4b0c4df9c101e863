//! The reader and the writer of documents as JSON text.

mod deserialize;
mod error;
mod reader;
mod scalars;
mod writer;

use self::reader::{DuplicateKeys, ReaderOptions, read};
use crate::document::{Arena, Doc, OwnedDoc, Text};
use crate::error::{Error, Result};

pub use error::{JsonError, JsonProblem, MAX_DEPTH, MAX_NODES, max_nodes};
pub(crate) use scalars::{escape_free_prefix_length, split_escape_free_string};
pub(crate) use writer::{JsonFormat, to_json_with_capacity, write_doc};
pub use writer::{has_long_number, to_json, to_json_of_client};

/// Adds the name of a document to an error of the reader.
pub(crate) fn in_document(name: &str) -> impl FnOnce(Error) -> Error {
    move |error| Error::new(error.kind(), format!("{name} is not a valid JSON document: {}", error.message()))
}

/// Reads a JSON document from bytes. Integers that fit into 64 bits are exact.
///
/// # Errors
///
/// - [`ErrorKind::InvalidDocument`](crate::ErrorKind::InvalidDocument) if the bytes are not exactly one JSON value in
///   UTF-8, if a key occurs twice in an object, if a number is beyond the range of a `float64`, or if the document has
///   more than [`MAX_NODES`] values (fewer for short texts)
/// - [`ErrorKind::TooDeep`](crate::ErrorKind::TooDeep) if the document nests deeper than [`MAX_DEPTH`]
///
/// ```
/// # use skewer_engine::document::from_json;
/// use skewer_engine::Doc;
///
/// let value = from_json(br#"{"replicas":3,"weight":0.5}"#)?;
/// let replicas = value.as_map().and_then(|map| map.get("replicas"));
/// assert_eq!(replicas, Some(&Doc::from(3)));
/// assert!(from_json(b"{").is_err());
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn from_json(bytes: &[u8]) -> Result<OwnedDoc> {
    Ok(parse_json(bytes)?)
}

/// Reads a JSON document as [`from_json`] does, but returns errors with their positions in the text.
///
/// # Errors
///
/// A [`JsonError`] in each case in which [`from_json`] returns an error.
///
/// ```
/// use skewer_engine::document::{JsonProblem, parse_json};
///
/// let error = parse_json(br#"{"a":1e400}"#).expect_err("the number is beyond float64");
/// assert_eq!((error.offset(), error.length()), (5, 5));
/// assert_eq!(error.problem(), &JsonProblem::NumberOutOfRange("1e400".to_owned()));
/// ```
pub fn parse_json(bytes: &[u8]) -> std::result::Result<OwnedDoc, JsonError> {
    read(bytes, Text::from, ReaderOptions::default())
}

/// Reads a JSON document as [`from_json`] does. If a key occurs several times in an object, the last value counts, as
/// when an API server reads a patch.
///
/// # Errors
///
/// The same as [`from_json`], except for duplicate keys.
///
/// ```
/// use skewer_engine::document::from_json_with_duplicate_keys;
///
/// let document = from_json_with_duplicate_keys(br#"{"a":1,"b":{},"a":2}"#)?;
/// assert_eq!(document.to_string(), r#"{"a":2,"b":{}}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn from_json_with_duplicate_keys(bytes: &[u8]) -> Result<OwnedDoc> {
    let options = ReaderOptions { duplicate_keys: DuplicateKeys::LastCounts, ..ReaderOptions::default() };
    Ok(read(bytes, Text::from, options)?)
}

/// Reads a JSON document as [`from_json`] does, but borrows the strings without escapes from the bytes.
///
/// # Errors
///
/// The same as [`from_json`].
///
/// ```
/// use skewer_engine::document::from_json_borrowed;
///
/// let text = br#"{"name":"web"}"#.to_vec();
/// let document = from_json_borrowed(&text)?;
/// assert_eq!(document.to_string(), r#"{"name":"web"}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn from_json_borrowed(bytes: &[u8]) -> Result<Doc<'_>> {
    Ok(read(bytes, Text::escape_free, ReaderOptions::default())?)
}

/// Reads a JSON document as [`from_json_borrowed`] does, but stores most of its maps in an arena, without an allocation
/// for each of them.
///
/// # Errors
///
/// The same as [`from_json`].
///
/// ```
/// use skewer_engine::document::{Arena, from_json_in};
///
/// let text = br#"{"name":"web"}"#;
/// let arena = Arena::for_text_of(text.len());
/// assert_eq!(from_json_in(text, &arena)?.to_string(), r#"{"name":"web"}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn from_json_in<'d>(bytes: &'d [u8], arena: &'d Arena) -> Result<Doc<'d>> {
    let options = ReaderOptions { arena: Some(arena), ..ReaderOptions::default() };
    Ok(read(bytes, Text::escape_free, options)?)
}
