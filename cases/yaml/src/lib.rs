//! Reads and writes YAML files with source spans. Every error has a file, a line, a column and the source line, and all
//! errors of a file are reported at once.
//!
//! [`parse`] builds a [`ParsedFile`] of [`Node`]s from the events of `granit-parser`, and [`ParsedFile::decode`] turns
//! it into any type that derives `serde::Deserialize`:
//!
//! ```
//! use serde::Deserialize;
//! use skewer_yaml::Spanned;
//!
//! #[derive(Debug, Deserialize)]
//! struct Case {
//!     id: Spanned<String>,
//!     #[serde(default)]
//!     live: Option<skewer_engine::OwnedDoc>,
//! }
//!
//! let errors = skewer_yaml::read::<Case>("x.yaml", b"id: a\nlvie: {}\n").unwrap_err();
//! assert_eq!(
//!     errors.to_string(),
//!     "x.yaml:2:1: unknown key `lvie`: did you mean `live`?\n2 | lvie: {}\n  | ^^^^\n"
//! );
//! ```
//!
//! # Supported types
//!
//! Structs, `Vec`, `Option`, `BTreeMap<String, _>`, enums that are externally tagged (a unit variant is a
//! string, any other a map with one key), `#[serde(default)]`, `#[serde(rename…)]`, `#[serde(try_from)]`,
//! [`Spanned`] around anything, also around the keys of maps, and [`OptionalField`] where `null` and absence differ.
//!
//! `#[serde(untagged)]`, `#[serde(tag)]` and `#[serde(flatten)]` work, but should not be used: serde copies the values
//! before reading them, so the positions of errors are lost.
//!
//! # Unsupported YAML
//!
//! The following are errors, each reported with its position:
//!
//! - tags, YAML merge keys (`<<`), keys that are not strings, and duplicate keys;
//! - several documents in one file, and byte order marks after the beginning;
//! - numbers that JSON does not have, and plain scalars and anchors that YAML 1.1 and 1.2 read differently;
//! - nesting beyond [`MAX_DEPTH`];
//! - more keys and values than [`max_nodes`](skewer_engine::document::max_nodes) allows, where nodes with an anchor
//!   count twice;
//! - aliases that expand to more than [`MAX_ALIAS_NODES`] nodes.

mod decode;
mod diagnostic;
mod events;
mod file_errors;
mod layout;
mod lines;
mod node;
mod node_builder;
mod optional_field;
mod parsed_file;
mod scalar;
mod span;
mod suggest;
mod write;

pub use diagnostic::{AddedDiagnostic, Diagnostic, Diagnostics, MAX_DIAGNOSTICS};
pub use file_errors::FileErrors;
pub use layout::formatting::format;
pub use layout::{Layout, MAX_COLUMNS};
pub use lines::{LineIndex, Position};
pub use node::{MapEntry, Node, NodeData};
pub use node_builder::{MAX_ALIAS_NODES, MAX_DEPTH};
pub use optional_field::{OptionalField, any_schema};
pub use parsed_file::{
    ParsedFile, Syntax, parse, parse_lenient, parse_manifest, read, read_document, read_manifest,
    read_manifest_in_syntax,
};
pub use scalar::write_flow_string;
pub use span::{Span, Spanned};
pub use suggest::nearest;
pub use write::{write, write_flow, write_manifest};
