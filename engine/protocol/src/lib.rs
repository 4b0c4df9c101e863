//! The messages of the adapter protocol, which the target `exec:COMMAND` and `skewer serve` share. `runner/adapters/PROTOCOL.md`
//! describes the protocol for authors of adapters.

// PROTOCOL.md describes the members of the messages.
#![allow(missing_docs)]

pub mod admit;
pub mod bounded_list;
pub mod documents;
pub mod lines;
pub mod manifest;
pub mod messages;
