//! JSON patch (RFC 6902): a list of operations, of which each is done or the whole patch is refused.
//!
//! The `json-patch` crate does the operations. What Kubernetes does differently from the RFC is done here, since
//! kube-apiserver and kubectl apply JSON patches with `gopkg.in/evanphx/json-patch.v4`:
//!
//! | where | RFC 6902 | Kubernetes, and here |
//! |---|---|---|
//! | `replace` of a key that a map lacks | refused | adds it |
//! | `copy` of a key that a map lacks | refused | adds null |
//! | `test` of a key that a map lacks, for null | refused | holds |
//! | `add`, `replace` without `value` | refused | the value is null |
//! | an index below zero | refused | counts from the end; -1 is the last item, and behind it for `add` |
//! | an index like `01` or `+1` | refused | is 1 |
//! | a path with something before its first slash | no pointer | the something is left out |
//! | a `~` before anything but `0` and `1` | no pointer | stands for itself |
//! | `add`, `remove`, `move` and `copy` of the whole document | done, apart from `remove` | refused |
//!
//! Here and not upstream: `replace` of the whole document without a value is refused, and `test` of a list that
//! holds null is done (upstream panics on both); `test` compares values, not their text (`1.0` and `1.00` are the
//! same, `1` and `1.0` are not).

use std::fmt;

use json_patch::jsonptr::{PointerBuf, Token};
use json_patch::{AddOperation, PatchOperation, RemoveOperation, ReplaceOperation, TestOperation};
use serde_json::Value as Json;

use crate::document::{Doc, MAX_DEPTH, OwnedDoc, OwnedMap, Text};
use crate::error::{Error, ErrorKind, Result};

/// How many operations a patch may have. The limit of kube-apiserver (`maxJSONPatchOperations`).
pub const MAX_OPERATIONS: usize = 10_000;

/// How many bytes of JSON a patch may copy. The limit of kube-apiserver (`JSONPatchMaxCopyBytes`).
pub const MAX_COPIED: usize = 3 * 1024 * 1024;

/// Applies a JSON patch to a map or a list.
///
/// [`ErrorKind::JsonPatchFailed`] when an operation is malformed or cannot be done, at its place in the patch;
/// [`ErrorKind::TooDeep`] when the result would nest deeper than [`MAX_DEPTH`].
///
/// ```
/// # use skewer_engine::document::from_json;
/// use skewer_engine::patch::json_patch;
///
/// let live = from_json(br#"{"ports":[80,443]}"#)?;
/// let patch = from_json(br#"[{"op":"test","path":"/ports/0","value":80},{"op":"remove","path":"/ports/0"}]"#)?;
/// assert_eq!(json_patch::apply(&live, &patch)?.to_string(), r#"{"ports":[443]}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn apply(live: &Doc<'_>, patch: &OwnedDoc) -> Result<OwnedDoc> {
    if live.is_scalar() {
        let message = format!("the document to patch must be an object, not {}", live.kind().described());
        return Err(Error::new(ErrorKind::InvalidDocument, message));
    }
    let operations = match patch {
        Doc::List(operations) => operations.as_slice(),
        // As Go reads it: a list that is not there.
        Doc::Null => &[],
        other => {
            return Err(failed(format!(
                "a JSON patch is a list of operations, not {}",
                other.kind().described()
            )));
        }
    };
    if operations.len() > MAX_OPERATIONS {
        let message =
            format!("the patch has {} operations: at most {MAX_OPERATIONS} are done", operations.len());
        return Err(failed(message));
    }
    let mut target = Target { document: to_json(live), copied_bytes: 0 };
    for (index, operation) in operations.iter().enumerate() {
        let done = Operation::read(operation).and_then(|operation| {
            target.perform(&operation).map_err(|error| {
                let message = format!("{operation}: {}", error.message());
                Error::new(error.kind(), message)
            })
        });
        done.map_err(|error| error.at_index(index))?;
    }
    Ok(from_json(target.document))
}

fn failed(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::JsonPatchFailed, message)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Add,
    Remove,
    Replace,
    Move,
    Copy,
    Test,
}

const VERBS: [(&str, Verb); 6] = [
    ("add", Verb::Add),
    ("remove", Verb::Remove),
    ("replace", Verb::Replace),
    ("move", Verb::Move),
    ("copy", Verb::Copy),
    ("test", Verb::Test),
];

/// An operation as it is written.
struct Operation<'a> {
    verb: Verb,
    path: &'a str,
    from: &'a str,
    value: Option<&'a OwnedDoc>,
}

impl<'a> Operation<'a> {
    fn read(operation: &'a OwnedDoc) -> Result<Self> {
        let Some(fields) = operation.as_map() else {
            return Err(failed(format!("an operation is an object, not {}", operation.kind().described())));
        };
        let name = text(fields, "op")?;
        let Some((_, verb)) = VERBS.iter().find(|(known, _)| *known == name) else {
            let message =
                format!("there is no operation {name:?}: there is add, remove, replace, move, copy, test");
            return Err(failed(message).at("op"));
        };
        let from = if matches!(verb, Verb::Move | Verb::Copy) { text(fields, "from")? } else { "" };
        Ok(Operation { verb: *verb, path: text(fields, "path")?, from, value: fields.get("value") })
    }
}

fn text<'a>(fields: &'a OwnedMap, key: &str) -> Result<&'a str> {
    match fields.get(key) {
        Some(Doc::String(text)) => Ok(text),
        Some(other) => Err(failed(format!("expected a string, found {}", other.kind().described())).at(key)),
        None => Err(failed(format!("the operation has no {key:?}"))),
    }
}

impl fmt::Display for Operation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = VERBS.iter().find(|(_, verb)| *verb == self.verb).map_or("", |(name, _)| name);
        match self.verb {
            Verb::Move | Verb::Copy => write!(f, "{name} {:?} to {:?}", self.from, self.path),
            _ => write!(f, "{name} {:?}", self.path),
        }
    }
}

/// Where a path leads in a document.
enum Place {
    /// To the document itself.
    Root,
    /// To a key of a map, which it has or not.
    Key { pointer: PointerBuf, present: bool },
    /// To an item of a list, or behind its last.
    Item { pointer: PointerBuf },
}

/// What an index is looked up for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    /// Something that is there.
    Finding,
    /// A place for something new.
    Adding,
}

/// The document at work.
struct Target {
    document: Json,
    copied_bytes: usize,
}

impl Target {
    fn perform(&mut self, operation: &Operation<'_>) -> Result<()> {
        let value = || to_json(operation.value.unwrap_or(&Doc::Null));
        match operation.verb {
            Verb::Add => self.add(operation.path, value()),
            Verb::Remove => self.take(operation.path).map(drop),
            Verb::Replace => self.replace(operation.path, value()),
            Verb::Move => {
                let moved = self.take(operation.from)?;
                self.add(operation.path, moved)
            }
            Verb::Copy => {
                let copied = self.copied(operation.from)?;
                self.add(operation.path, copied)
            }
            Verb::Test => self.test(operation.path, value()),
        }
    }

    fn add(&mut self, path: &str, value: Json) -> Result<()> {
        let pointer = self.inner(path, For::Adding)?;
        check_depth(&pointer, &value)?;
        self.run(PatchOperation::Add(AddOperation { path: pointer, value }))
    }

    fn replace(&mut self, path: &str, value: Json) -> Result<()> {
        let pointer = match self.find(path, For::Finding)? {
            Place::Root if value.is_object() || value.is_array() => PointerBuf::new(),
            Place::Root => {
                return Err(failed("the whole document can only be replaced by an object or a list"));
            }
            Place::Key { pointer, present: false } => {
                check_depth(&pointer, &value)?;
                return self.run(PatchOperation::Add(AddOperation { path: pointer, value }));
            }
            Place::Key { pointer, .. } | Place::Item { pointer } => pointer,
        };
        check_depth(&pointer, &value)?;
        self.run(PatchOperation::Replace(ReplaceOperation { path: pointer, value }))
    }

    /// Removes a value and returns it.
    fn take(&mut self, path: &str) -> Result<Json> {
        let pointer = self.inner(path, For::Finding)?;
        let Some(held) = self.document.pointer_mut(pointer.as_str()) else { return Err(nothing_at(path)) };
        let taken = held.take();
        self.run(PatchOperation::Remove(RemoveOperation { path: pointer }))?;
        Ok(taken)
    }

    fn copied(&mut self, path: &str) -> Result<Json> {
        let pointer = self.inner(path, For::Finding)?;
        let copied = self.document.pointer(pointer.as_str()).cloned().unwrap_or_default();
        self.copied_bytes += copied.to_string().len();
        if self.copied_bytes > MAX_COPIED {
            return Err(failed(format!("the patch copies more than {MAX_COPIED} bytes")));
        }
        Ok(copied)
    }

    fn test(&mut self, path: &str, value: Json) -> Result<()> {
        let pointer = match self.find(path, For::Finding)? {
            Place::Root => PointerBuf::new(),
            Place::Key { present: false, .. } if value.is_null() => return Ok(()),
            Place::Key { present: false, .. } => return Err(nothing_at(path)),
            Place::Key { pointer, .. } | Place::Item { pointer } => pointer,
        };
        let test = PatchOperation::Test(TestOperation { path: pointer.clone(), value });
        self.run(test).map_err(|error| {
            let held = self.document.pointer(pointer.as_str()).map(shortened).unwrap_or_default();
            failed(format!("{}: there is {held}", error.message()))
        })
    }

    fn run(&mut self, operation: PatchOperation) -> Result<()> {
        json_patch::patch_unsafe(&mut self.document, &[operation])
            .map_err(|error| failed(error.kind.to_string()))
    }

    /// Where a path leads that is not to be the whole document.
    fn inner(&self, path: &str, purpose: For) -> Result<PointerBuf> {
        match self.find(path, purpose)? {
            Place::Root => Err(failed("the path of the whole document is only for replace and test")),
            Place::Key { pointer, .. } | Place::Item { pointer } => Ok(pointer),
        }
    }

    fn find(&self, path: &str, purpose: For) -> Result<Place> {
        if path.is_empty() {
            return Ok(Place::Root);
        }
        let Some((_, tokens)) = path.split_once('/') else {
            return Err(failed(format!("{path:?} is no JSON pointer, which begins with a slash")));
        };
        let mut pointer = PointerBuf::new();
        let mut held = &self.document;
        let mut tokens = tokens.split('/').map(key_of).peekable();
        while let Some(key) = tokens.next() {
            let last = tokens.peek().is_none();
            match held {
                Json::Object(map) => {
                    let next = map.get(&key);
                    pointer.push_back(Token::new(key));
                    match next {
                        _ if last => return Ok(Place::Key { pointer, present: next.is_some() }),
                        Some(next) => held = next,
                        None => return Err(nothing_at(path)),
                    }
                }
                Json::Array(items) => {
                    let purpose = if last { purpose } else { For::Finding };
                    let index = index(&key, items.len(), purpose)?;
                    pointer.push_back(Token::from(index));
                    if last {
                        return Ok(Place::Item { pointer });
                    }
                    held = &items[index];
                }
                _ => return Err(nothing_at(path)),
            }
        }
        Ok(Place::Root)
    }
}

/// The key that a step of a path means. A tilde that is not `~0` or `~1` stands for itself.
fn key_of(step: &str) -> String {
    // What `~01` means is `~1`: no slash may come of it.
    step.split("~0").map(|part| part.replace("~1", "/")).collect::<Vec<_>>().join("~")
}

fn nothing_at(path: &str) -> Error {
    failed(format!("the document has nothing at {path:?}"))
}

/// The index that a token means, in a list of this length.
fn index(token: &str, length: usize, purpose: For) -> Result<usize> {
    let end = if purpose == For::Adding { length + 1 } else { length };
    if token == "-" && purpose == For::Adding {
        return Ok(length);
    }
    let Ok(number) = token.parse::<i64>() else {
        return Err(failed(format!("{token:?} is no index of a list")));
    };
    let from_end = usize::try_from(number.unsigned_abs()).ok().and_then(|back| end.checked_sub(back));
    let found = if number < 0 { from_end } else { usize::try_from(number).ok() };
    found
        .filter(|index| *index < end)
        .ok_or_else(|| failed(format!("the list has no index {number}: its length is {length}")))
}

/// The value would stand this deep, and nest as deep as it does itself.
fn check_depth(pointer: &PointerBuf, value: &Json) -> Result<()> {
    if pointer.count() + depth(value) > MAX_DEPTH {
        let message = format!("the result would nest deeper than {MAX_DEPTH} levels");
        return Err(Error::new(ErrorKind::TooDeep, message));
    }
    Ok(())
}

fn depth(value: &Json) -> usize {
    match value {
        Json::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Json::Object(map) => 1 + map.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

/// A value for a message.
fn shortened(value: &Json) -> String {
    const SHOWN: usize = 80;
    let text = value.to_string();
    if text.chars().count() <= SHOWN {
        return text;
    }
    text.chars().take(SHOWN).chain(['…']).collect()
}

fn to_json(value: &Doc<'_>) -> Json {
    match value {
        Doc::Null => Json::Null,
        Doc::Bool(b) => Json::Bool(*b),
        Doc::Int(i) => Json::from(*i),
        Doc::Float(f) => Json::from(*f),
        Doc::String(s) => Json::String(s.to_string()),
        Doc::List(items) => Json::Array(items.iter().map(to_json).collect()),
        Doc::Map(map) => {
            Json::Object(map.iter().map(|(key, value)| (key.to_string(), to_json(value))).collect())
        }
    }
}

fn from_json(json: Json) -> OwnedDoc {
    match json {
        Json::Null => Doc::Null,
        Json::Bool(b) => Doc::Bool(b),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(i), _) => Doc::Int(i),
            (None, float) => float.map_or(Doc::Null, Doc::Float),
        },
        Json::String(s) => Doc::String(Text::from(s)),
        Json::Array(items) => Doc::List(items.into_iter().map(from_json).collect()),
        Json::Object(map) => {
            Doc::Map(map.into_iter().map(|(key, value)| (Text::from(key), from_json(value))).collect())
        }
    }
}
