//! The rule for nulls in JSON patches.
//!
//! Upstream: `gopkg.in/evanphx/json-patch.v4`, which represents null in three ways:
//!
//! - a nil node, for a null inside a document and for the missing value of an operation;
//! - a node without text, for null as the value of an operation;
//! - a node with the text `null`, for a copy of a node without text.
//!
//! The library does not consider these nulls equal to each other. It treats the text `null` as an empty map, and panics
//! when it dereferences a nil node.
//!
//! This module models the library. The model can also treat all nulls alike, as the built-in engine does. A difference
//! is explained if the model gives our answer with one null, and the target's answer with three nulls.

use std::collections::BTreeMap;

use skewer_engine::skew::{
    BuiltIn, Decoder, OperationKind, Operations, RequestType, UnknownFieldHandling, convert,
};
use skewer_engine::{Doc, OwnedDoc, OwnedMap, OwnedText};

use super::is_predicted;
use crate::differential::answer::Answer;
use crate::differential::trial::Trial;

/// Returns true if the model gives our answer with one null, and the target's answer with three nulls.
pub(super) fn explains(trial: &Trial, ours: &Answer, theirs: &Answer) -> bool {
    match (trial.operation, &*trial.documents) {
        (OperationKind::JsonPatchApply, [live, patch]) => {
            let is_theirs = |nulls| is_model_answer(&Model::apply(live, patch, nulls), theirs);
            is_model_answer(&Model::apply(live, patch, Nulls::One), ours)
                && Nulls::of_library(true).into_iter().any(is_theirs)
        }
        (OperationKind::Request, [_, _]) if trial.request.request_type == RequestType::JsonPatch => {
            let checks_nil = trial.types.server.is_none_or(|minor| minor >= CHECKS_NIL);
            let is_theirs = |nulls| is_answer_to_request(trial, nulls, theirs);
            is_answer_to_request(trial, Nulls::One, ours)
                && Nulls::of_library(checks_nil).into_iter().any(is_theirs)
        }
        _ => false,
    }
}

/// The first release, 1.N, that is known to have version 4.13 of the library. Earlier versions dereference nil nodes in two
/// more places. 1.34 has version 4.12.
const CHECKS_NIL: u32 = 37;

/// Returns true if a server that patches as the model does gives this answer to a request with a JSON patch.
fn is_answer_to_request(trial: &Trial, nulls: Nulls, answer: &Answer) -> bool {
    let request = |body: OwnedDoc, request_type| {
        let mut trial = trial.clone();
        trial.documents[1] = body;
        trial.request.request_type = request_type;
        trial.engine_operation().map(|operation| Answer::from_result(BuiltIn.perform(&operation)))
    };
    let drop = UnknownFieldHandling::Drop;
    let Ok(mut read) = convert(&trial.types.context, &trial.documents[0], Decoder::Json, drop) else {
        return false;
    };
    // A stored object has a name, which a patch must not change.
    let is_named = name_of(&mut read).is_some();
    if !is_named {
        set_name(&mut read, ASSUMED_NAME);
    }
    match Model::apply(&read, &trial.documents[1], nulls) {
        Ok(mut patched) => {
            match name_of(&mut patched) {
                Some(Doc::String(name)) if !is_named && name == ASSUMED_NAME => {
                    metadata_of(&mut patched).and_then(|metadata| metadata.remove("name"));
                }
                None | Some(Doc::Null) => set_name(&mut patched, ""),
                Some(_) => {}
            }
            request(patched, RequestType::Update).is_some_and(|predicted| is_predicted(&predicted, answer))
        }
        failure => is_model_answer(&failure, answer),
    }
}

/// The name of a stored object that does not say its own.
const ASSUMED_NAME: &str = "skewer";

fn metadata_of(object: &mut OwnedDoc) -> Option<&mut OwnedMap> {
    object.as_map_mut()?.get_mut("metadata")?.as_map_mut()
}

fn name_of(object: &mut OwnedDoc) -> Option<&OwnedDoc> {
    metadata_of(object)?.get("name")
}

fn set_name(object: &mut OwnedDoc, name: &'static str) {
    if let Some(metadata) = metadata_of(object) {
        metadata.insert(OwnedText::from_static("name"), Doc::from(name));
    } else if let Some(object) = object.as_map_mut() {
        let metadata = [(OwnedText::from_static("name"), Doc::from(name))].into_iter().collect();
        object.insert(OwnedText::from_static("metadata"), Doc::Map(metadata));
    }
}

fn is_model_answer(model: &Result<OwnedDoc, Failure>, answer: &Answer) -> bool {
    match (model, answer) {
        (Ok(model), Answer::Result(answer)) => model == answer,
        (Err(Failure::Refused), Answer::Refused { kind, .. }) => *kind == "json-patch-failed",
        (Err(Failure::Panic(model)), Answer::Panic(answer)) => model == answer,
        _ => false,
    }
}

/// The representation of null in the model.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
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
enum EntryOrder {
    DifferenceFirst,
    PanicFirst,
}

impl Nulls {
    /// Returns the behaviours that the library can have in one run.
    fn of_library(checks_nil: bool) -> [Nulls; 2] {
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
enum Failure {
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
struct Model {
    root: Node,
    nulls: Nulls,
}

impl Model {
    fn apply(live: &OwnedDoc, patch: &OwnedDoc, nulls: Nulls) -> Result<OwnedDoc, Failure> {
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rstest::rstest;
    use skewer_engine::document::from_json;
    use skewer_engine::patch::json_patch;
    use skewer_engine::schema::builtin;

    use super::super::test_support::{ours, refused, result, trial};
    use super::*;
    use crate::differential::generate::TypeSource;
    use crate::differential::trial::TrialRequest;
    use crate::differential::types::{TrialTypes, TypesOrigin};

    const TYPES: &str = "type T struct {\n}";
    const NIL: &str = "runtime error: invalid memory address or nil pointer dereference";

    fn panic(message: &str) -> Answer {
        Answer::Panic(message.to_owned())
    }

    /// A request with a JSON patch to the server of a release. The answers are those of 1.34.8 and 1.37.2.
    #[rstest]
    #[case::a_path_through_a_null_in_an_old_release(
        34,
        r#"[{"op":"replace","path":"/data","value":null},{"op":"remove","path":"/data/a"}]"#,
        panic(NIL),
        true
    )]
    #[case::a_path_through_a_null(
        37,
        r#"[{"op":"replace","path":"/data","value":null},{"op":"remove","path":"/data/a"}]"#,
        panic(NIL),
        false
    )]
    #[case::nothing_against_nothing_in_an_old_release(
        34,
        r#"[{"op":"test","path":"/immutable"}]"#,
        panic(NIL),
        true
    )]
    #[case::nothing_against_nothing(37, r#"[{"op":"test","path":"/immutable"}]"#, panic(NIL), false)]
    #[case::a_null_without_a_name(
        34,
        r#"[{"op":"test","path":"/immutable"},{"op":"add","path":"/metadata/name"}]"#,
        panic(NIL),
        true
    )]
    #[case::a_result_after_a_test_of_a_copied_null(
        37,
        r#"[{"op":"add","path":"/data","value":null},{"op":"copy","from":"/data","path":"/x"},{"op":"test","path":"/x","value":{}}]"#,
        result(r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{}}"#),
        true
    )]
    fn nulls_in_requests_are_explained(
        #[case] server: u32,
        #[case] patch: &str,
        #[case] theirs: Answer,
        #[case] explained: bool,
    ) {
        let TypeSource::Release(kinds) = TypeSource::of_server(builtin::newest(), server).unwrap() else {
            panic!("the source is a release")
        };
        let is_map =
            |types: &&Arc<TrialTypes>| matches!(types.origin, TypesOrigin::Release { kind: "ConfigMap", .. });
        let types = Arc::clone(kinds.iter().find(is_map).unwrap());
        let live = r#"{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"b"}}"#;
        let trial = trial(OperationKind::Request, TYPES, &[live, patch]);
        let request = TrialRequest { request_type: RequestType::JsonPatch, ..TrialRequest::default() };
        let trial = Trial { types, request, ..trial };
        assert_eq!(explains(&trial, &ours(&trial), &theirs), explained);
    }

    /// Answers of the library, and similar answers that must not be explained.
    #[rstest]
    #[case::a_list_with_null(
        r#"{"a":[null]}"#,
        r#"[{"op":"test","path":"/a","value":[null]}]"#,
        panic(NIL),
        true
    )]
    #[case::a_map_with_a_difference_before_a_null(
        r#"{"a":{"b":1,"c":[null]}}"#,
        r#"[{"op":"test","path":"/a","value":{"b":2,"c":[null]}}]"#,
        panic(NIL),
        true
    )]
    #[case::a_map_with_a_difference_after_a_null(
        r#"{"a":{"b":[null],"c":1}}"#,
        r#"[{"op":"test","path":"/a","value":{"b":[null],"c":2}}]"#,
        panic(NIL),
        true
    )]
    #[case::a_list_with_a_difference_before_a_null(
        r#"{"a":[1,null]}"#,
        r#"[{"op":"test","path":"/a","value":[2,null]}]"#,
        panic(NIL),
        false
    )]
    #[case::another_panic(
        r#"{"a":[null]}"#,
        r#"[{"op":"test","path":"/a","value":[null]}]"#,
        panic("no"),
        false
    )]
    #[case::a_panic_without_null(
        r#"{"a":[1]}"#,
        r#"[{"op":"test","path":"/a","value":[1]}]"#,
        panic(NIL),
        false
    )]
    #[case::a_null_in_a_map(
        r#"{"a":{"b":null}}"#,
        r#"[{"op":"test","path":"/a","value":{"b":null}}]"#,
        panic(NIL),
        false
    )]
    #[case::the_document_against_nothing("{}", r#"[{"op":"test","path":""}]"#, panic(NIL), true)]
    #[case::a_null_that_was_set(
        r#"{"a":{}}"#,
        r#"[{"op":"add","path":"/a/b","value":null},{"op":"test","path":"/a","value":{"b":null}}]"#,
        refused("json-patch-failed", ""),
        true
    )]
    #[case::a_null_that_was_there(
        r#"{"a":{"b":null}}"#,
        r#"[{"op":"test","path":"/a","value":{"b":null}}]"#,
        refused("json-patch-failed", ""),
        false
    )]
    #[case::a_copied_null_is_an_empty_map(
        "{}",
        r#"[{"op":"add","path":"/a","value":null},{"op":"copy","from":"/a","path":"/b"},{"op":"test","path":"/b","value":{}}]"#,
        result(r#"{"a":null,"b":null}"#),
        true
    )]
    #[case::another_result(
        "{}",
        r#"[{"op":"add","path":"/a","value":null},{"op":"copy","from":"/a","path":"/b"},{"op":"test","path":"/b","value":{}}]"#,
        result(r#"{"a":null,"b":{}}"#),
        false
    )]
    #[case::something_in_a_copied_null(
        "{}",
        r#"[{"op":"add","path":"/a","value":null},{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/c","value":1}]"#,
        panic("assignment to entry in nil map"),
        true
    )]
    fn the_model_predicts_the_answers_of_the_library(
        #[case] live: &str,
        #[case] patch: &str,
        #[case] theirs: Answer,
        #[case] explained: bool,
    ) {
        let trial = trial(OperationKind::JsonPatchApply, TYPES, &[live, patch]);
        assert_eq!(explains(&trial, &ours(&trial), &theirs), explained);
    }

    /// Therefore, the rule does not explain a difference that has another reason than nulls.
    #[test]
    fn the_model_with_one_null_agrees_with_the_engine() {
        use crate::differential::generate::{TypeSource, generate_trial, types_of_trial};
        for number in 0..3000 {
            let types = types_of_trial(&TypeSource::Random, 4, number).unwrap();
            let trial = generate_trial(4, number, &types, &[OperationKind::JsonPatchApply]);
            let model = Model::apply(&trial.documents[0], &trial.documents[1], Nulls::One);
            assert!(is_model_answer(&model, &ours(&trial)), "{:?}: {model:?}", trial.documents);
        }
        let live = from_json(b"{}").unwrap();
        assert!(json_patch::apply(&live, &live).is_err());
    }
}
