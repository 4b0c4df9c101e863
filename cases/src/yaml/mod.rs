//! YAML files with positions: every error has a file, a line, a column and the line shown, and all errors of
//! a file come at once.
//!
//! `serde_yaml` decides what the values are; `saphyr-parser` only says where they stand. [`parse`] joins both
//! into a [`Document`] of [`Node`]s, and [`Document::decode`] turns it into any type that derives
//! `serde::Deserialize`:
//!
//! ```
//! use serde::Deserialize;
//! use skewer_cases::yaml::{self, Spanned};
//!
//! #[derive(Debug, Deserialize)]
//! struct Case {
//!     id: Spanned<String>,
//!     #[serde(default)]
//!     live: Option<skewer_engine::Value>,
//! }
//!
//! let errors = yaml::read::<Case>("x.yaml", b"id: a\nlvie: {}\n").unwrap_err();
//! assert_eq!(
//!     errors.to_string(),
//!     "x.yaml:2:1: unknown key `lvie`: did you mean `live`?\n2 | lvie: {}\n  | ^^^^\n"
//! );
//! ```
//!
//! # What a type may use
//!
//! Structs, `Vec`, `Option`, `BTreeMap<String, _>`, enums that are externally tagged (a unit variant is a
//! string, any other a map with one key), `#[serde(default)]`, `#[serde(rename…)]`, `#[serde(try_from)]`,
//! [`Spanned`] around anything, also around the keys of maps, and [`Present`] where `null` and absence differ.
//!
//! `#[serde(untagged)]`, `#[serde(tag)]` and `#[serde(flatten)]` work, and lose positions: serde copies the
//! values before it looks at them. Don't use them here.
//!
//! # What is not read
//!
//! Tags, merge keys, keys that are not strings, keys that stand twice, several documents in one file, numbers
//! that JSON does not have, nesting beyond [`MAX_DEPTH`], aliases that stand for more than
//! [`MAX_ALIAS_NODES`] nodes. Each is an error with a position.

mod attach;
mod decode;
mod diagnostic;
mod document;
mod flow;
mod lines;
mod manifest;
mod node;
mod places;
mod present;
mod raw;
mod render;
mod span;
mod suggest;
mod write;

pub use diagnostic::{Diagnostic, Diagnostics, Pending};
pub use document::{Document, parse, parse_lenient, parse_manifest, read, read_manifest, read_value};
pub use flow::{flow, word};
pub use lines::{LineIndex, Position};
pub use node::{Data, Entry, Node};
pub use places::{MAX_ALIAS_NODES, MAX_DEPTH};
pub use present::{Present, any_schema};
pub use render::CaseFileErrors;
pub use span::{Span, Spanned};
pub use suggest::nearest;
pub use write::{write, write_manifest};

#[cfg(test)]
mod tests;
