//! A model of JSON patches as `gopkg.in/evanphx/json-patch.v4` applies them, which represents null in three ways:
//!
//! - a nil node, for a null inside a document and for the missing value of an operation;
//! - a node without text, for null as the value of an operation;
//! - a node with the text `null`, for a copy of a node without text.
//!
//! The library does not consider these nulls equal to each other. It treats the text `null` as an empty map, and panics
//! when it dereferences a nil node.

use std::collections::BTreeMap;

use skewer_engine::{Doc, OwnedDoc, OwnedMap, OwnedText};

/// The representation of null in the model.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Nulls {
    /// One null, as in the built-in engine.
    One,
    /// Three nulls, as in the library.
    Three {
        /// The order in which two maps are compared.
        order: EntryOrder,
        /// False before version 4.13, which dereferences nil nodes in two more places.
        checks_nil: bool,
    },
}

/// The order in which the library compares the entries of two maps: any order, as Go has none for maps. It only matters
/// whether a difference or a panic comes first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryOrder {
    DifferenceFirst,
    PanicFirst,
}

impl Nulls {
    /// Returns the behaviours that the library can have in one run.
    pub(super) fn of_library(checks_nil: bool) -> [Nulls; 2] {
        [EntryOrder::DifferenceFirst, EntryOrder::PanicFirst].map(|order| Nulls::Three { order, checks_nil })
    }

    fn checks_nil(self) -> bool {
        !matches!(self, Nulls::Three { checks_nil: false, .. })
    }
}

/// A node of the patched document. Upstream: `lazyNode`.
#[derive(Clone, PartialEq)]
enum Node {
    Null(Null),
    Scalar(OwnedDoc),
    List(Vec<Node>),
    Map(BTreeMap<OwnedText, Node>),
}

/// The three nulls of the library.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Null {
    /// A nil pointer.
    Nil,
    /// A node without text.
    WithoutText,
    /// A node with the text `null`.
    Text,
}

/// The failure of a patch that cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    Refused,
    Panic(&'static str),
}

const NIL_POINTER: Failure =
    Failure::Panic("runtime error: invalid memory address or nil pointer dereference");
const NIL_MAP: Failure = Failure::Panic("assignment to entry in nil map");

impl Node {
    fn of(value: &OwnedDoc) -> Node {
        match value {
            Doc::Null => Node::Null(Null::Nil),
            Doc::List(items) => Node::List(items.iter().map(Node::of).collect()),
            Doc::Map(map) => {
                Node::Map(map.iter().map(|(key, value)| (key.clone(), Node::of(value))).collect())
            }
            scalar => Node::Scalar(scalar.clone()),
        }
    }

    fn to_doc(&self) -> OwnedDoc {
        match self {
            Node::Null(_) => Doc::Null,
            Node::Scalar(scalar) => scalar.clone(),
            Node::List(items) => Doc::List(items.iter().map(Node::to_doc).collect()),
            Node::Map(map) => {
                Doc::Map(map.iter().map(|(key, value)| (key.clone(), value.to_doc())).collect())
            }
        }
    }

    /// Returns a copy as the library makes it: by serializing the node and parsing the text. Upstream: `deepCopy`.
    fn deep_copy(&self) -> Node {
        match self {
            Node::Null(Null::Nil) => Node::Null(Null::Nil),
            Node::Null(_) => Node::Null(Null::Text),
            other => Node::of(&other.to_doc()),
        }
    }
}

/// Compares two nodes. Upstream: `lazyNode.equal`.
fn is_equal(node: &Node, other: &Node, nulls: Nulls) -> Result<bool, Failure> {
    if nulls == Nulls::One {
        return Ok(node.to_doc() == other.to_doc());
    }
    match (node, other) {
        (Node::Null(Null::Nil), _) | (_, Node::Null(Null::Nil)) => Err(NIL_POINTER),
        (Node::Null(Null::WithoutText), other) => Ok(*other == Node::Null(Null::WithoutText)),
        // The text `null` is parsed as an empty map or an empty list.
        (Node::Null(Null::Text), Node::Map(map)) | (Node::Map(map), Node::Null(Null::Text)) => {
            Ok(map.is_empty())
        }
        (Node::List(items), Node::Null(Null::Text)) => Ok(items.is_empty()),
        (Node::Null(Null::Text), other) => Ok(*other == Node::Null(Null::Text)),
        (Node::Scalar(scalar), Node::Scalar(other)) => Ok(scalar == other),
        (Node::Map(map), Node::Map(other)) => is_equal_map(map, other, nulls),
        (Node::List(items), Node::List(others)) if items.len() == others.len() => {
            for (item, other) in items.iter().zip(others) {
                if !is_equal(item, other, nulls)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Compares two maps. Unlike in lists, a nil node as an entry does not cause a panic.
fn is_equal_map(
    map: &BTreeMap<OwnedText, Node>,
    other: &BTreeMap<OwnedText, Node>,
    nulls: Nulls,
) -> Result<bool, Failure> {
    if map.len() != other.len() {
        return Ok(false);
    }
    let is_nil = |node: &Node| *node == Node::Null(Null::Nil);
    let (mut is_equal_so_far, mut panic) = (true, None);
    for (key, value) in map {
        let is_same = match other.get(key) {
            None => Ok(false),
            Some(other) if is_nil(value) || is_nil(other) => Ok(is_nil(value) && is_nil(other)),
            Some(other) => is_equal(value, other, nulls),
        };
        match is_same {
            Ok(is_same) => is_equal_so_far &= is_same,
            Err(failure) => panic = Some(failure),
        }
    }
    let is_panic_first = matches!(nulls, Nulls::Three { order: EntryOrder::PanicFirst, .. });
    match panic {
        Some(panic) if is_equal_so_far || is_panic_first => Err(panic),
        _ => Ok(is_equal_so_far),
    }
}

/// The model of a JSON patch in progress.
pub(super) struct Model {
    root: Node,
    nulls: Nulls,
}

impl Model {
    pub(super) fn apply(live: &OwnedDoc, patch: &OwnedDoc, nulls: Nulls) -> Result<OwnedDoc, Failure> {
        let mut model = Model { root: Node::of(live), nulls };
        for operation in patch.as_list().unwrap_or_default() {
            model.execute(operation.as_map().ok_or(Failure::Refused)?)?;
        }
        Ok(model.root.to_doc())
    }

    fn execute(&mut self, operation: &OwnedMap) -> Result<(), Failure> {
        let text = |key: &str| operation.get(key).and_then(Doc::as_str);
        let path = || text("path").ok_or(Failure::Refused);
        match text("op").unwrap_or_default() {
            "add" => self.add(path()?, value_of(operation).unwrap_or(Node::Null(Null::Nil))),
            "remove" => self.remove(path()?).map(drop),
            "replace" => self.replace(path()?, value_of(operation)),
            "move" => {
                let from = text("from").ok_or(Failure::Refused)?;
                let moved = self.get(from)?.unwrap_or(Node::Null(Null::Nil));
                self.remove(from)?;
                self.add(path()?, moved)
            }
            "copy" => {
                let from = text("from").ok_or(Failure::Refused)?;
                let copied = self.get(from)?.unwrap_or(Node::Null(Null::Nil)).deep_copy();
                self.add(path()?, copied)
            }
            "test" => self.test(path()?, value_of(operation)),
            _ => Err(Failure::Refused),
        }
    }

    /// Returns the map or list that contains the target of a path, and the last step of the path. Upstream:
    /// `findObject`.
    fn container(&mut self, path: &str) -> Result<(&mut Node, String), Failure> {
        let mut steps = path.split('/').map(|step| step.replace("~1", "/").replace("~0", "~"));
        steps.next();
        let mut steps: Vec<String> = steps.collect();
        let last = steps.pop().ok_or(Failure::Refused)?;
        let nulls = self.nulls;
        let mut node = &mut self.root;
        for step in steps {
            node = match node {
                Node::Map(map) => map.get_mut(&*step).ok_or(Failure::Refused)?,
                Node::List(items) => {
                    let index = index(&step, items.len(), items.len()).ok_or(Failure::Refused)?;
                    &mut items[index]
                }
                _ => return Err(Failure::Refused),
            };
            let is_container = match node {
                Node::Map(_) | Node::List(_) => true,
                // The text `null` is parsed as an empty map.
                Node::Null(Null::Text) => nulls != Nulls::One,
                Node::Null(Null::WithoutText) if !nulls.checks_nil() => return Err(NIL_POINTER),
                _ => false,
            };
            if !is_container {
                return Err(Failure::Refused);
            }
        }
        Ok((node, last))
    }

    /// Returns the node at a path, or `None` if the key is missing.
    fn get(&mut self, path: &str) -> Result<Option<Node>, Failure> {
        let (container, key) = self.container(path)?;
        match container {
            Node::Map(map) => Ok(map.get(&*key).cloned()),
            Node::List(items) => match index(&key, items.len(), items.len()) {
                Some(index) => Ok(Some(items[index].clone())),
                None => Err(Failure::Refused),
            },
            _ => Ok(None),
        }
    }

    fn add(&mut self, path: &str, value: Node) -> Result<(), Failure> {
        let (container, key) = self.container(path)?;
        match container {
            Node::Map(map) => {
                map.insert(key.into(), value);
            }
            Node::List(items) => {
                let length = items.len();
                let index = if key == "-" { Some(length) } else { index(&key, length + 1, length + 1) };
                items.insert(index.ok_or(Failure::Refused)?, value);
            }
            _ => return Err(NIL_MAP),
        }
        Ok(())
    }

    fn remove(&mut self, path: &str) -> Result<(), Failure> {
        let (container, key) = self.container(path)?;
        match container {
            Node::Map(map) => map.remove(&*key).map(drop).ok_or(Failure::Refused),
            Node::List(items) => {
                let index = index(&key, items.len(), items.len()).ok_or(Failure::Refused)?;
                items.remove(index);
                Ok(())
            }
            _ => Err(Failure::Refused),
        }
    }

    fn replace(&mut self, path: &str, value: Option<Node>) -> Result<(), Failure> {
        if path.is_empty() {
            return match value {
                Some(container @ (Node::Map(_) | Node::List(_))) => {
                    self.root = container;
                    Ok(())
                }
                None if self.nulls != Nulls::One => Err(NIL_POINTER),
                _ => Err(Failure::Refused),
            };
        }
        let value = value.unwrap_or(Node::Null(Null::Nil));
        let (container, key) = self.container(path)?;
        match container {
            Node::Map(map) => {
                map.insert(key.into(), value);
            }
            Node::List(items) => {
                let index = index(&key, items.len(), items.len()).ok_or(Failure::Refused)?;
                items[index] = value;
            }
            _ => return Err(NIL_MAP),
        }
        Ok(())
    }

    fn test(&mut self, path: &str, value: Option<Node>) -> Result<(), Failure> {
        let nulls = self.nulls;
        let passed = if path.is_empty() {
            let value = value.unwrap_or(Node::Null(Null::Nil));
            is_equal(&self.root, &value, nulls)?
        } else {
            let actual = self.get(path)?;
            let is_nil = actual.as_ref().is_none_or(|node| *node == Node::Null(Null::Nil));
            match (actual, value) {
                (_, None) if is_nil && !nulls.checks_nil() => return Err(NIL_POINTER),
                (_, None | Some(Node::Null(Null::WithoutText))) if is_nil => true,
                (Some(actual), value) if nulls == Nulls::One => {
                    is_equal(&actual, &value.unwrap_or(Node::Null(Null::Nil)), nulls)?
                }
                (Some(actual), Some(value)) if !is_nil => is_equal(&actual, &value, nulls)?,
                _ => false,
            }
        };
        if passed { Ok(()) } else { Err(Failure::Refused) }
    }
}

/// Returns the value of an operation, if it has one.
fn value_of(operation: &OwnedMap) -> Option<Node> {
    let value = operation.get("value")?;
    if value.is_null() { Some(Node::Null(Null::WithoutText)) } else { Some(Node::of(value)) }
}

/// Parses a list index, which must be less than `limit`. A negative index counts from the end. Upstream:
/// `strconv.Atoi`.
fn index(step: &str, length: usize, limit: usize) -> Option<usize> {
    let number: i64 = step.parse().ok()?;
    let index = if number < 0 {
        length.checked_sub(usize::try_from(number.unsigned_abs()).ok()?)?
    } else {
        usize::try_from(number).ok()?
    };
    (index < limit).then_some(index)
}
