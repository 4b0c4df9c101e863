//! Reads nodes into any type that implements `serde::Deserialize`, and reports every error with its span.
//!
//! A derived `Deserialize` stops at its first error and cannot be resumed. To find all errors, the document is decoded
//! in several passes. An element, entry or field with an error is reported, and the next pass leaves it out. This is
//! repeated until a pass succeeds. A missing required field would make every pass fail, so the next pass fills it with
//! a placeholder: an empty value of the field's type. A struct that contains a placeholder is never returned.
//!
//! Keys that a struct does not know are found before serde sees them, and all are reported in the first pass. An item
//! of a list with such a key is left out, and a document with such a key has no value: what depends on a misspelt key
//! would lead to further errors.

mod access;
mod deserializer;
mod error;
mod node_reader;
mod placeholder;
mod variant;

pub(super) use self::deserializer::decode;
