//! Reads nodes into any type that implements `serde::Deserialize`, and reports every error with its span.
//!
//! A derived `Deserialize` stops at its first error, and its parts cannot be called again from inside. All errors are
//! found nonetheless, by reading in passes: an element, an entry or a field that fails is reported, remembered, and left
//! out in the next pass, until one pass succeeds. A required field that is missing gets a placeholder in the next pass,
//! so that further missing fields are found too; a struct with a placeholder is never returned.
//!
//! Keys that a struct does not know are found before serde sees them, all in one pass.

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

/// Reads a node into a type. Errors go to `diagnostics`; there is one at least if no value is returned.
pub(super) fn decode<T: DeserializeOwned>(root: &Node, diagnostics: &Diagnostics) -> Option<T> {
    let state = DecodeState::new(diagnostics);
    let reader = NodeReader { node: root, path: &NodePath::Root, state: &state };
    loop {
        match reader.report_here(T::deserialize(reader)) {
            Ok(value) => return Some(value),
            // Each pass that is repeated has found an error.
            Err(DecodeError::Retry) if !diagnostics.is_full() => {}
            Err(_) => return None,
        }
    }
}
