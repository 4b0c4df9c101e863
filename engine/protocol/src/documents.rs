//! The operands of an operation in a message. The names of the message members come from the roles of the engine.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::LazyLock;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use skewer_engine::OwnedDoc;
use skewer_engine::document::{has_long_number, to_json_of_client};
use skewer_skew::{Operand, Operation, Role};

use crate::bounded_list::BoundedList;

/// The operands of an operation, by role. A member with the value `null` is the document `null`, and an absent member
/// is no document. `D` is the document type: borrowed in a message that is written, and owned or unparsed in a
/// message that was read.
#[derive(Clone, Debug)]
pub struct Documents<D>(BTreeMap<Role, DocumentOrList<D>>);

/// The documents of one role.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum DocumentOrList<D> {
    Document(D),
    List(Vec<D>),
    /// The text of a document, which is written as it is. Only a body of a request can be a text.
    Text(Box<RawValue>),
}

impl<D> Default for Documents<D> {
    fn default() -> Self {
        Documents(BTreeMap::new())
    }
}

impl<'a> From<&Operation<'a>> for Documents<&'a OwnedDoc> {
    fn from(operation: &Operation<'a>) -> Self {
        let message = |role, operand| match operand {
            Operand::Document(document) => {
                let text = if role == Role::Body { text_of_body(document) } else { None };
                text.map_or(DocumentOrList::Document(document), DocumentOrList::Text)
            }
            Operand::List(documents) => DocumentOrList::List(documents.iter().collect()),
        };
        Documents(operation.operands().map(|(role, operand)| (role, message(role, operand))).collect())
    }
}

/// Returns the text of a body that has one of its own, or that has a number which Go's clients write without an exponent.
fn text_of_body(body: &OwnedDoc) -> Option<Box<RawValue>> {
    match body.as_str() {
        Some(text) => on_one_line(text),
        None if has_long_number(body) => {
            RawValue::from_string(String::from_utf8(to_json_of_client(body)).ok()?).ok()
        }
        None => None,
    }
}

/// Returns a JSON text without line breaks. Returns `None` if the text is not JSON.
fn on_one_line(text: &str) -> Option<Box<RawValue>> {
    // JSON has line breaks only between its tokens.
    RawValue::from_string(text.replace(['\n', '\r'], " ").trim().to_owned()).ok()
}

impl<D> Documents<D> {
    /// Converts every document with `read`.
    ///
    /// # Errors
    /// Fails with the first error of `read`.
    pub fn try_map<T, E>(self, read: impl Fn(D) -> Result<T, E>) -> Result<Documents<T>, E> {
        let read_operand = |operand| match operand {
            DocumentOrList::Document(document) => read(document).map(DocumentOrList::Document),
            DocumentOrList::List(documents) => {
                documents.into_iter().map(&read).collect::<Result<_, E>>().map(DocumentOrList::List)
            }
            DocumentOrList::Text(text) => Ok(DocumentOrList::Text(text)),
        };
        let operands = self.0.into_iter().map(|(role, operand)| Ok((role, read_operand(operand)?)));
        operands.collect::<Result<_, E>>().map(Documents)
    }
}

impl Documents<OwnedDoc> {
    /// Returns the operands with their roles.
    pub fn operands(&self) -> impl Iterator<Item = (Role, Operand<'_>)> {
        self.0.iter().filter_map(|(role, operand)| match operand {
            DocumentOrList::Document(document) => Some((*role, Operand::Document(document))),
            DocumentOrList::List(documents) => Some((*role, Operand::List(documents))),
            // A message that was read has no texts.
            DocumentOrList::Text(_) => None,
        })
    }
}

/// Each role with the name of its message member: the name of the role in camel case.
pub static MEMBERS: LazyLock<Vec<(Role, String)>> =
    LazyLock::new(|| Role::ALL.iter().map(|role| (*role, camel_case(role.name()))).collect());

/// Converts a name from kebab case to camel case.
fn camel_case(name: &str) -> String {
    let mut words = name.split('-');
    let mut text = words.next().unwrap_or_default().to_owned();
    for word in words {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        text.extend([&first.to_uppercase(), rest]);
    }
    text
}

impl<D: Serialize> Serialize for Documents<D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let members = MEMBERS.iter().filter_map(|(role, member)| Some((member, self.0.get(role)?)));
        serializer.collect_map(members)
    }
}

impl<'de, D: Deserialize<'de>> Deserialize<'de> for Documents<D> {
    fn deserialize<T: Deserializer<'de>>(deserializer: T) -> Result<Self, T::Error> {
        deserializer.deserialize_map(Members(PhantomData))
    }
}

struct Members<D>(PhantomData<D>);

impl<'de, D: Deserialize<'de>> Visitor<'de> for Members<D> {
    type Value = Documents<D>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the documents of an operation")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Documents<D>, A::Error> {
        let mut documents = BTreeMap::new();
        while let Some(key) = map.next_key::<String>()? {
            let Some((role, _)) = MEMBERS.iter().find(|(_, member)| *member == key) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let operand = if role.declaration().is_list {
                DocumentOrList::List(map.next_value::<BoundedList<D>>()?.0)
            } else {
                DocumentOrList::Document(map.next_value()?)
            };
            if documents.insert(*role, operand).is_some() {
                return Err(A::Error::custom(format_args!("duplicate field `{key}`")));
            }
        }
        Ok(Documents(documents))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// Go's clients write numbers up to 1e21 without an exponent.
    #[rstest]
    #[case::digits("1e18", r#"{"body":{"a":[1000000000000000000.0]}}"#)]
    #[case::more_digits_than_an_integer_has(
        "9223372036854775808",
        r#"{"body":{"a":[9223372036854776000.0]}}"#
    )]
    #[case::a_small_number("0.000001", r#"{"body":{"a":[0.000001]}}"#)]
    #[case::an_exponent("1e21", r#"{"body":{"a":[1e21]}}"#)]
    #[case::a_short_number("1.0", r#"{"body":{"a":[1.0]}}"#)]
    fn numbers_of_a_body_are_written_as_by_a_client(#[case] number: &str, #[case] expected: &str) {
        let text = format!(r#"{{"a":[{number}]}}"#);
        let body = skewer_engine::document::from_json(text.as_bytes()).unwrap().to_static();
        let live = OwnedDoc::Null;
        let message = match text_of_body(&body) {
            Some(text) => DocumentOrList::Text(text),
            None => DocumentOrList::Document(&body),
        };
        let documents = Documents(BTreeMap::from([(Role::Body, message)]));
        assert_eq!(serde_json::to_string(&documents).unwrap().replace("e+", "e"), expected);
        assert!(text_of_body(&live).is_none());
    }

    #[rstest]
    #[case::null_is_a_document(r#"{"live":null}"#, Ok(r#"{"live":null}"#))]
    #[case::in_camel_case(r#"{"lastApplied":{"a":1}}"#, Ok(r#"{"lastApplied":{"a":1}}"#))]
    #[case::a_list(r#"{"patches":[{},null]}"#, Ok(r#"{"patches":[{},null]}"#))]
    #[case::unknown_members_are_ignored(r#"{"old":1,"last-applied":2,"patch":3}"#, Ok(r#"{"patch":3}"#))]
    #[case::twice(r#"{"live":1,"live":2}"#, Err("duplicate field `live`"))]
    #[case::no_list(r#"{"patches":null}"#, Err("invalid type: null, expected a list"))]
    #[case::no_map("[]", Err("expected the documents of an operation"))]
    fn members_are_roles(#[case] text: &str, #[case] expected: Result<&str, &str>) {
        let documents = serde_json::from_str::<Documents<&RawValue>>(text);
        match (documents, expected) {
            (Ok(documents), Ok(expected)) => {
                assert_eq!(serde_json::to_string(&documents).unwrap(), expected);
            }
            (Err(error), Err(expected)) => assert!(error.to_string().contains(expected), "{error}"),
            (documents, _) => panic!("{documents:?}"),
        }
    }
}
