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
mod spanned_parts;
mod variant;

use serde::de::DeserializeOwned;

use self::error::DecodeError;
use self::node_reader::{DecodeState, NodePath, NodeReader};
use crate::{Diagnostics, Node};

/// Decodes a node into a value of type `T`. Errors are added to `diagnostics`. If no value is returned, there is at
/// least one error.
pub(super) fn decode<T: DeserializeOwned>(root: &Node, diagnostics: &Diagnostics) -> Option<T> {
    let state = DecodeState::new(diagnostics);
    let reader = NodeReader { node: root, path: &NodePath::Root, state: &state };
    loop {
        match reader.report_here(T::deserialize(reader)) {
            Ok(value) => return Some(value),
            // Decoding ends after finitely many passes, because every repeated pass found a new error.
            Err(DecodeError::Retry) if !diagnostics.is_full() => {}
            Err(_) => return None,
        }
    }
}
