use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer};

/// A field that can be left out, where `null` is a value like any other.
///
/// `Option<Value>` reads `result: null` as if the field weren't there. With `Present<Value>` it is
/// `Given(Doc::Null)`. The field needs `#[serde(default)]`:
///
/// ```
/// use serde::Deserialize;
/// use skewer_cases::yaml::{self, Present};
/// use skewer_engine::OwnedDoc;
///
/// #[derive(Deserialize)]
/// struct Expectation {
///     #[serde(default)]
///     result: Present<Value>,
/// }
///
/// let given: Expectation = yaml::read("x.yaml", b"result: null").unwrap();
/// assert_eq!(given.result, Present::Given(Doc::Null));
/// let absent: Expectation = yaml::read("x.yaml", b"{}").unwrap();
/// assert_eq!(absent.result, Present::Absent);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Present<T> {
    /// The field isn't there.
    #[default]
    Absent,
    /// The field is there, perhaps as `null`.
    Given(T),
}

impl<T> Present<T> {
    /// Is the field there?
    pub const fn is_given(&self) -> bool {
        matches!(self, Present::Given(_))
    }

    /// The value, if the field is there.
    pub const fn as_ref(&self) -> Option<&T> {
        match self {
            Present::Absent => None,
            Present::Given(value) => Some(value),
        }
    }

    /// The value, if the field is there, taken out.
    pub fn into_option(self) -> Option<T> {
        match self {
            Present::Absent => None,
            Present::Given(value) => Some(value),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Present<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Present::Given)
    }
}

/// The schema of the value; `#[serde(default)]` makes the field optional.
impl<T: JsonSchema> JsonSchema for Present<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// The schema of a field that holds a Kubernetes document, which can be anything:
/// `#[schemars(schema_with = "yaml::any_schema")]`.
#[must_use]
pub fn any_schema(_: &mut SchemaGenerator) -> Schema {
    Schema::default()
}
