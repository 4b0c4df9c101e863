//! JSON patch (RFC 6902): a list of operations. If one operation fails, the whole patch is refused.
//!
//! The `json-patch` crate executes the operations. This module implements the differences between the RFC and the Go
//! library `gopkg.in/evanphx/json-patch.v4`, with which kube-apiserver and kubectl apply JSON patches.
//!
//! | operation or path | RFC 6902 | Kubernetes and this module |
//! |---|---|---|
//! | `replace` of a key that the map does not have | refused | adds the key |
//! | `copy` of a key that the map does not have | refused | adds null |
//! | `test` of a key that the map does not have, with the value null | refused | succeeds |
//! | `add` or `replace` without `value` | refused | the value is null |
//! | negative index | refused | counts from the end: -1 is the last item, and for `add` the index after the last item |
//! | index such as `01` or `+1` | refused | means 1 |
//! | path with text before its first slash | refused | the text is ignored |
//! | `~` that is not followed by `0` or `1` | refused | means a tilde |
//! | `add`, `move` and `copy` of the whole document | executed | refused |
//! | `remove` of the whole document | refused | refused |
//!
//! The libraries of releases before 1.23 and before 1.35 refuse some of this: see [`apply_with`].
//!
//! This module differs from upstream in three points. It refuses a `replace` of the whole document without a value, and
//! it executes a `test` of a list with a null; upstream panics on both. Its `test` compares the text that this crate
//! writes instead of the text that was read: `1.0` and `1.00` are equal, `1` and `1.0` or `0.0` and `-0.0` are not.

use std::fmt;

use json_patch::jsonptr::{PointerBuf, Token};
use json_patch::{AddOperation, PatchOperation, RemoveOperation, ReplaceOperation};
use serde_json::Value as Json;

use super::library::{LibraryChange, PatchLibrary};
use crate::document::{Doc, MAX_DEPTH, OwnedDoc, OwnedMap, Text};
use crate::error::{Error, ErrorKind, Result};

/// Maximum number of operations in a patch, as in kube-apiserver (`maxJSONPatchOperations`).
pub const MAX_OPERATIONS: usize = 10_000;

/// Maximum number of bytes of JSON that the `copy` operations of a patch may copy, as in kube-apiserver
/// (`JSONPatchMaxCopyBytes`).
pub const MAX_COPIED_BYTES: usize = 3 * 1024 * 1024;

/// Applies a JSON patch to a map or a list.
///
/// # Errors
///
/// - [`ErrorKind::InvalidDocument`] if `live` is a scalar.
/// - [`ErrorKind::JsonPatchFailed`] if the patch is not a list, is over a limit, or has an operation that is malformed
///   or fails. The path of the error begins with the index of the operation.
/// - [`ErrorKind::TooDeep`] if the result would nest deeper than [`MAX_DEPTH`].
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
    apply_with(PatchLibrary::NEWEST, live, patch)
}

/// Applies a JSON patch as [`apply`] does, with the library of a release. A library without
/// [`LibraryChange::WholeDocumentPatched`], [`LibraryChange::NegativeIndicesRead`] or [`LibraryChange::AbsentValuesTested`] refuses
/// what it does not support.
///
/// # Errors
///
/// The kinds of [`apply`].
///
/// ```
/// # use skewer_engine::document::from_json;
/// use skewer_engine::patch::{PatchLibrary, json_patch};
///
/// let live = from_json(br#"{"ports":[80,443]}"#)?;
/// let patch = from_json(br#"[{"op":"replace","path":"/ports/-1","value":8443}]"#)?;
/// assert!(json_patch::apply_with(PatchLibrary::of_release(22), &live, &patch).is_err());
/// assert!(json_patch::apply_with(PatchLibrary::of_release(23), &live, &patch).is_ok());
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn apply_with(library: PatchLibrary, live: &Doc<'_>, patch: &OwnedDoc) -> Result<OwnedDoc> {
    if live.is_scalar() {
        let message = format!("the document to patch must be an object, not {}", live.kind().with_article());
        return Err(Error::new(ErrorKind::InvalidDocument, message));
    }
    let operations = match patch {
        Doc::List(operations) => operations.as_slice(),
        // Go decodes null as an empty list.
        Doc::Null => &[],
        other => {
            return Err(failed(format!(
                "a JSON patch must be a list of operations, not {}",
                other.kind().with_article()
            )));
        }
    };
    if operations.len() > MAX_OPERATIONS {
        let message =
            format!("the patch has {} operations (at most {MAX_OPERATIONS} are allowed)", operations.len());
        return Err(failed(message));
    }
    let mut patched = PatchedDocument { document: to_json(live), copied_bytes: 0, library };
    for (index, operation) in operations.iter().enumerate() {
        let outcome = Operation::parse(operation).and_then(|operation| {
            patched.execute(&operation).map_err(|error| {
                let message = format!("{operation}: {}", error.message());
                Error::new(error.kind(), message)
            })
        });
        outcome.map_err(|error| error.at_index(index))?;
    }
    Ok(from_json(patched.document))
}

fn failed(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::JsonPatchFailed, message)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OperationKind {
    Add,
    Remove,
    Replace,
    Move,
    Copy,
    Test,
}

const OPERATION_KINDS: [(&str, OperationKind); 6] = [
    ("add", OperationKind::Add),
    ("remove", OperationKind::Remove),
    ("replace", OperationKind::Replace),
    ("move", OperationKind::Move),
    ("copy", OperationKind::Copy),
    ("test", OperationKind::Test),
];

struct Operation<'a> {
    kind: OperationKind,
    path: &'a str,
    from: &'a str,
    value: Option<&'a OwnedDoc>,
}

impl<'a> Operation<'a> {
    fn parse(operation: &'a OwnedDoc) -> Result<Self> {
        let Some(fields) = operation.as_map() else {
            return Err(failed(format!(
                "an operation must be an object, not {}",
                operation.kind().with_article()
            )));
        };
        let name = string_field(fields, "op")?;
        let Some((_, kind)) = OPERATION_KINDS.iter().find(|(known, _)| *known == name) else {
            let message =
                format!("unknown operation {name:?} (expected add, remove, replace, move, copy or test)");
            return Err(failed(message).at("op"));
        };
        let from = if matches!(kind, OperationKind::Move | OperationKind::Copy) {
            string_field(fields, "from")?
        } else {
            ""
        };
        Ok(Operation { kind: *kind, path: string_field(fields, "path")?, from, value: fields.get("value") })
    }
}

fn string_field<'a>(fields: &'a OwnedMap, key: &str) -> Result<&'a str> {
    match fields.get(key) {
        Some(Doc::String(text)) => Ok(text),
        Some(other) => {
            Err(failed(format!("expected a string, found {}", other.kind().with_article())).at(key))
        }
        None => Err(failed(format!("the operation has no {key:?}"))),
    }
}

impl fmt::Display for Operation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = OPERATION_KINDS.iter().find(|(_, kind)| *kind == self.kind).map_or("", |(name, _)| name);
        match self.kind {
            OperationKind::Move | OperationKind::Copy => {
                write!(f, "{name} {:?} to {:?}", self.from, self.path)
            }
            _ => write!(f, "{name} {:?}", self.path),
        }
    }
}

/// The value in a document to which a path refers.
enum ResolvedPath {
    WholeDocument,
    /// The value of a key. `exists` is false if the map does not have the key.
    Key {
        pointer: PointerBuf,
        exists: bool,
    },
    /// A list item, or the end of the list if an item is to be inserted there.
    Item {
        pointer: PointerBuf,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum IndexPurpose {
    /// The index refers to an existing item, which is read.
    Lookup,
    /// The index refers to an existing item, which is removed without being read.
    Removal,
    /// A new item is inserted at the index, which can be the end of the list.
    Insertion,
}

/// The document to which the operations are applied.
struct PatchedDocument {
    document: Json,
    /// Number of bytes that the `copy` operations have copied so far.
    copied_bytes: usize,
    library: PatchLibrary,
}

impl PatchedDocument {
    fn execute(&mut self, operation: &Operation<'_>) -> Result<()> {
        let value = || to_json(operation.value.unwrap_or(&Doc::Null));
        match operation.kind {
            OperationKind::Add => self.add(operation.path, value()),
            OperationKind::Remove => self.remove(operation.path, IndexPurpose::Removal).map(drop),
            OperationKind::Replace => self.replace(operation.path, value()),
            OperationKind::Move => {
                let moved = self.remove(operation.from, IndexPurpose::Lookup)?;
                self.add(operation.path, moved)
            }
            OperationKind::Copy => {
                let copied = self.copy_value(operation.from)?;
                self.add(operation.path, copied)
            }
            OperationKind::Test => self.test(operation.path, operation.value.map(to_json).as_ref()),
        }
    }

    fn add(&mut self, path: &str, value: Json) -> Result<()> {
        let pointer = self.resolve_below_root(path, IndexPurpose::Insertion)?;
        check_depth(&pointer, &value)?;
        self.run_with_crate(PatchOperation::Add(AddOperation { path: pointer, value }))
    }

    fn replace(&mut self, path: &str, value: Json) -> Result<()> {
        let pointer = match self.resolve(path, IndexPurpose::Lookup)? {
            ResolvedPath::WholeDocument if !self.library.has(LibraryChange::WholeDocumentPatched) => {
                return Err(whole_document_not_patched());
            }
            ResolvedPath::WholeDocument if value.is_object() || value.is_array() => PointerBuf::new(),
            ResolvedPath::WholeDocument => {
                return Err(failed("only an object or a list can replace the whole document"));
            }
            ResolvedPath::Key { pointer, exists: false } => {
                check_depth(&pointer, &value)?;
                return self.run_with_crate(PatchOperation::Add(AddOperation { path: pointer, value }));
            }
            ResolvedPath::Key { pointer, .. } | ResolvedPath::Item { pointer } => pointer,
        };
        check_depth(&pointer, &value)?;
        self.run_with_crate(PatchOperation::Replace(ReplaceOperation { path: pointer, value }))
    }

    fn remove(&mut self, path: &str, purpose: IndexPurpose) -> Result<Json> {
        let pointer = self.resolve_below_root(path, purpose)?;
        let Some(value) = self.document.pointer_mut(pointer.as_str()) else {
            return Err(path_not_found(path));
        };
        let removed = value.take();
        self.run_with_crate(PatchOperation::Remove(RemoveOperation { path: pointer }))?;
        Ok(removed)
    }

    fn copy_value(&mut self, path: &str) -> Result<Json> {
        let pointer = self.resolve_below_root(path, IndexPurpose::Lookup)?;
        let copied = self.document.pointer(pointer.as_str()).cloned().unwrap_or_default();
        self.copied_bytes += copied.to_string().len();
        if self.copied_bytes > MAX_COPIED_BYTES {
            return Err(failed(format!("the patch copies more than {MAX_COPIED_BYTES} bytes")));
        }
        Ok(copied)
    }

    fn test(&self, path: &str, value: Option<&Json>) -> Result<()> {
        let expected = value.unwrap_or(&Json::Null);
        let pointer = match self.resolve(path, IndexPurpose::Lookup)? {
            ResolvedPath::WholeDocument if !self.library.has(LibraryChange::WholeDocumentPatched) => {
                return Err(whole_document_not_patched());
            }
            ResolvedPath::WholeDocument => PointerBuf::new(),
            ResolvedPath::Key { exists: false, .. } if expected.is_null() => {
                return self.check_tested_value(value);
            }
            ResolvedPath::Key { exists: false, .. } => return Err(path_not_found(path)),
            ResolvedPath::Key { pointer, .. } | ResolvedPath::Item { pointer } => pointer,
        };
        let Some(actual) = self.document.pointer(pointer.as_str()) else { return Err(path_not_found(path)) };
        if !is_same(actual, expected) {
            return Err(failed(format!("value did not match: the value is {}", shorten(actual))));
        }
        if actual.is_null() { self.check_tested_value(value) } else { Ok(()) }
    }

    /// Executes an operation with the `json-patch` crate.
    fn run_with_crate(&mut self, operation: PatchOperation) -> Result<()> {
        json_patch::patch_unsafe(&mut self.document, &[operation])
            .map_err(|error| failed(error.kind.to_string()))
    }

    /// Resolves a path that must not be the whole document.
    fn resolve_below_root(&self, path: &str, purpose: IndexPurpose) -> Result<PointerBuf> {
        match self.resolve(path, purpose)? {
            ResolvedPath::WholeDocument => {
                Err(failed("only replace and test can have the path of the whole document"))
            }
            ResolvedPath::Key { pointer, .. } | ResolvedPath::Item { pointer } => Ok(pointer),
        }
    }

    /// Refuses the negative index of an item that is read, if the library panics on it.
    fn check_negative_index(&self, index: &str) -> Result<()> {
        if self.library.has(LibraryChange::NegativeIndicesRead) {
            return Ok(());
        }
        Err(failed(format!(
            "the server is too old to read the list item {index}: its json-patch library panics"
        )))
    }

    /// Refuses the test of a null or of a missing member, if it has no value and the library panics on it.
    fn check_tested_value(&self, value: Option<&Json>) -> Result<()> {
        if value.is_some() || self.library.has(LibraryChange::AbsentValuesTested) {
            return Ok(());
        }
        Err(failed("the server is too old for a test without a value: its json-patch library panics"))
    }

    /// Resolves a path. Negative indices count from the end.
    fn resolve(&self, path: &str, purpose: IndexPurpose) -> Result<ResolvedPath> {
        if path.is_empty() {
            return Ok(ResolvedPath::WholeDocument);
        }
        let Some((_, tokens)) = path.split_once('/') else {
            return Err(failed(format!("{path:?} is not a JSON pointer (expected a slash)")));
        };
        let mut pointer = PointerBuf::new();
        let mut value = &self.document;
        let mut tokens = tokens.split('/').map(unescape_token).peekable();
        while let Some(key) = tokens.next() {
            let is_last = tokens.peek().is_none();
            match value {
                Json::Object(map) => {
                    let next = map.get(&key);
                    pointer.push_back(Token::new(key));
                    match next {
                        _ if is_last => return Ok(ResolvedPath::Key { pointer, exists: next.is_some() }),
                        Some(next) => value = next,
                        None => return Err(path_not_found(path)),
                    }
                }
                Json::Array(items) => {
                    let purpose = if is_last { purpose } else { IndexPurpose::Lookup };
                    let index = parse_index(&key, items.len(), purpose)?;
                    if key.starts_with('-') && purpose == IndexPurpose::Lookup {
                        self.check_negative_index(&key)?;
                    }
                    pointer.push_back(Token::from(index));
                    if is_last {
                        return Ok(ResolvedPath::Item { pointer });
                    }
                    value = &items[index];
                }
                _ => return Err(path_not_found(path)),
            }
        }
        Ok(ResolvedPath::WholeDocument)
    }
}

/// Replaces the escapes `~0` and `~1` in a token of a path. Any other tilde is kept.
fn unescape_token(token: &str) -> String {
    // The escapes are replaced in one pass: `~01` means `~1`, not a slash.
    token.split("~0").map(|part| part.replace("~1", "/")).collect::<Vec<_>>().join("~")
}

fn whole_document_not_patched() -> Error {
    failed("the server is too old to replace or test the whole document with a JSON patch")
}

fn path_not_found(path: &str) -> Error {
    failed(format!("the document has no value at {path:?}"))
}

/// Parses the token of a path as an index of a list of this length.
fn parse_index(token: &str, length: usize, purpose: IndexPurpose) -> Result<usize> {
    let end = if purpose == IndexPurpose::Insertion { length + 1 } else { length };
    if token == "-" && purpose == IndexPurpose::Insertion {
        return Ok(length);
    }
    let Ok(number) = token.parse::<i64>() else {
        return Err(failed(format!("{token:?} is not a list index")));
    };
    let from_end = usize::try_from(number.unsigned_abs()).ok().and_then(|from_end| end.checked_sub(from_end));
    let index = if number < 0 { from_end } else { usize::try_from(number).ok() };
    index
        .filter(|index| *index < end)
        .ok_or_else(|| failed(format!("the list has no index {number} (its length is {length})")))
}

/// Returns an error if the document would nest too deeply with this value at this pointer.
fn check_depth(pointer: &PointerBuf, value: &Json) -> Result<()> {
    if pointer.count() + depth(value) > MAX_DEPTH {
        let message = format!("the result would nest deeper than {MAX_DEPTH} levels");
        return Err(Error::new(ErrorKind::TooDeep, message));
    }
    Ok(())
}

/// Returns true if two values have the same text, apart from the order of keys. The floats `0.0` and `-0.0` differ.
fn is_same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => a.to_string() == b.to_string(),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_same(a, b)))
        }
        _ => a == b,
    }
}

fn depth(value: &Json) -> usize {
    match value {
        Json::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Json::Object(map) => 1 + map.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

/// Returns the JSON text of a value for an error message. A long text is cut off.
fn shorten(value: &Json) -> String {
    const MAX_CHARS: usize = 80;
    let text = value.to_string();
    if text.chars().count() <= MAX_CHARS {
        return text;
    }
    text.chars().take(MAX_CHARS).chain(['…']).collect()
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
