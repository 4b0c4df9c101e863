//! The operands of an operation in a message. The names of the message members come from the roles of the engine.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::LazyLock;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use skewer_engine::OwnedDoc;
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
                let text = document.as_str().filter(|_| role == Role::Body).and_then(on_one_line);
                text.map_or(DocumentOrList::Document(document), DocumentOrList::Text)
            }
            Operand::List(documents) => DocumentOrList::List(documents.iter().collect()),
        };
        Documents(operation.operands().map(|(role, operand)| (role, message(role, operand))).collect())
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
