//! From nodes to any type that serde can read, with every error at its place.
//!
//! A type that serde derives stops at its first error, and what has failed cannot be read a second time from
//! inside. All errors are found nonetheless, by reading in passes: an element, an entry or a field that fails
//! is reported, remembered, and left out in the next pass, until one pass succeeds. A required field that is
//! missing gets a blank value in the next pass, so that the other fields that are missing come out too; what
//! holds a blank is never given out.
//!
//! Keys that a struct doesn't know are found before serde sees them, all in one pass.

mod access;
mod blank;
mod failure;
mod reader;
mod variant;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use serde::de::DeserializeOwned;
use skewer_engine::{FieldPath, PathSegment, Text};

use self::failure::Failure;
use self::reader::NodeReader;
use super::{Diagnostics, Node};

/// After so many passes a file is called hopeless; each but the last has found an error.
const MAX_PASSES: usize = 300;

/// Reads a node into a type. What is wrong goes to `diagnostics`; without a value something did.
pub(super) fn decode<T: DeserializeOwned>(root: &Node, diagnostics: &Diagnostics) -> Option<T> {
    let state = State { diagnostics, skipped: RefCell::default(), blanks: RefCell::default() };
    let reader = NodeReader { node: root, trail: &Trail::Root, state: &state };
    for _ in 0..MAX_PASSES {
        match reader.located(T::deserialize(reader)) {
            Ok(value) => return Some(value),
            Err(Failure::Again) => {}
            Err(_) => return None,
        }
    }
    diagnostics.error(root.span, "too many errors: what comes after them was not checked");
    None
}

/// What one decoding knows across its passes. Nodes are told apart by their address.
struct State<'d> {
    diagnostics: &'d Diagnostics,
    /// Nodes that failed, to be left out.
    skipped: RefCell<HashSet<usize>>,
    /// Fields that maps lack, to be filled with blanks.
    blanks: RefCell<HashMap<usize, Vec<&'static str>>>,
}

impl State<'_> {
    fn skip(&self, node: &Node) {
        self.skipped.borrow_mut().insert(address(node));
    }

    fn is_skipped(&self, node: &Node) -> bool {
        self.skipped.borrow().contains(&address(node))
    }

    fn add_blank(&self, node: &Node, field: &'static str) {
        self.blanks.borrow_mut().entry(address(node)).or_default().push(field);
    }

    fn blanks(&self, node: &Node) -> Vec<&'static str> {
        self.blanks.borrow().get(&address(node)).cloned().unwrap_or_default()
    }
}

fn address(node: &Node) -> usize {
    std::ptr::from_ref(node).addr()
}

/// The way from the root to a node, kept on the stack and only written down for an error.
#[derive(Clone, Copy)]
enum Trail<'t> {
    Root,
    Key(&'t Trail<'t>, &'t str),
    Index(&'t Trail<'t>, usize),
}

impl Trail<'_> {
    fn path(&self) -> FieldPath {
        let (mut path, segment) = match self {
            Trail::Root => return FieldPath::root(),
            Trail::Key(parent, key) => (parent.path(), PathSegment::Key(Text::from(*key))),
            Trail::Index(parent, index) => (parent.path(), PathSegment::Index(*index)),
        };
        path.push(segment);
        path
    }
}
