//! The engine of Skewer: Kubernetes patches, unions and server-side apply, as pure functions. `skewer-admission` adds what an
//! API server does with custom resources, and `skewer-skew` clients and servers of different versions.
//!
//! The crate reads no files, keeps no clock, starts no threads and prints nothing. It holds
//!
//! - [`document`]: JSON documents as Kubernetes sees them;
//! - [`schema`]: types with their patch metadata, read from Go text, compiled for lookup, and reduced to the
//!   view of one party;
//! - [`patch`]: applying and creating patches;
//! - [`directive`]: every patch directive, one file each, behind one trait;
//! - [`profile`]: named sets of directives;
//! - [`union`]: unions, their declarations and the policies of servers;
//! - [`server_side_apply`]: field sets, topology, apply, update and managed fields;
//! - [`time`]: times as Go reads and writes them.
//!
//! # Features
//!
//! - `builtin` (default): [`schema::builtin`](schema#modules), the embedded types of Kubernetes releases;
//! - `go` (default): [`schema::go`](schema#modules), the reader of Go declarations, which takes a C compiler to build.
//!
//! Without them the crate is a patch library whose types come from `OpenAPI` documents ([`schema::openapi`]), or are
//! declared by hand ([`schema::declarations`]).
//!
//! # Scope and limits
//!
//! The reference for shipped behaviour is `k8s.io/apimachinery`; for proposals it is the design documents. Documents
//! nest at most [`document::MAX_DEPTH`] levels, and have at most [`document::MAX_NODES`] values.

#![cfg_attr(docsrs, feature(doc_cfg))]

// A directive that a third party could have written names the engine as that party would.
extern crate self as skewer_engine;

pub mod directive;
pub mod document;
pub mod error;
pub mod field_path;
pub mod patch;
pub mod profile;
pub mod schema;
pub mod server_side_apply;
#[cfg(test)]
mod test_support;
mod text;
pub mod time;
pub mod union;

pub use document::{Doc, Map, OwnedDoc, OwnedMap};
pub use error::{Error, ErrorKind, Result};
pub use field_path::{FieldPath, InvalidFieldPath, PathSegment};
pub use text::{OwnedText, Text, go_quote};

/// The example of the README compiles and runs.
#[cfg(all(doctest, feature = "builtin"))]
#[doc = include_str!("../README.md")]
struct Readme;
