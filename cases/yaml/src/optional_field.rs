use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

/// A field that can be left out, and for which `null` is a value like any other.
///
/// `Option<OwnedDoc>` reads `result: null` as if the field were absent. `OptionalField<OwnedDoc>` reads it as
/// `Given(Doc::Null)`. A field of this type needs `#[serde(default)]`:
///
/// ```
/// use serde::Deserialize;
/// use skewer_engine::{Doc, OwnedDoc};
/// use skewer_yaml::OptionalField;
///
/// #[derive(Deserialize)]
/// struct Expectation {
///     #[serde(default)]
///     result: OptionalField<OwnedDoc>,
/// }
///
/// let given: Expectation = skewer_yaml::read("x.yaml", b"result: null").unwrap();
/// assert_eq!(given.result, OptionalField::Given(Doc::Null));
/// let absent: Expectation = skewer_yaml::read("x.yaml", b"{}").unwrap();
/// assert_eq!(absent.result, OptionalField::Absent);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OptionalField<T> {
    /// The field is absent.
    #[default]
    Absent,
    /// The field is present. Its value may be `null`.
    Given(T),
}

impl<T> OptionalField<T> {
    /// Returns the value if the field is present.
    pub const fn as_ref(&self) -> Option<&T> {
        match self {
            OptionalField::Absent => None,
            OptionalField::Given(value) => Some(value),
        }
    }
}

/// An absent field must be skipped: it has no YAML.
impl<T: Serialize> Serialize for OptionalField<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_ref().serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OptionalField<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(OptionalField::Given)
    }
}

/// The JSON Schema is that of the value, because `#[serde(default)]` already makes the field optional.
impl<T: JsonSchema> JsonSchema for OptionalField<T> {
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

/// Returns the JSON Schema of a field that holds a Kubernetes document, which can be any value. Use it as
/// `#[schemars(schema_with = "skewer_yaml::any_schema")]`.
#[must_use]
pub fn any_schema(_: &mut SchemaGenerator) -> Schema {
    Schema::default()
}
