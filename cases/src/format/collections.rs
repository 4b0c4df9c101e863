//! The collections of the case format: maps in the order of the file, and lists that can be a single name.

use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use skewer_yaml::{Span, Spanned};

/// A map whose entries keep the order of the file. Each key has its source span.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderedMap<T>(pub Vec<(Spanned<String>, T)>);

impl<T> Default for OrderedMap<T> {
    fn default() -> Self {
        OrderedMap(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OrderedMap<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = OrderedMap<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OrderedMap<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(OrderedMap(entries))
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

impl<T: Serialize> Serialize for OrderedMap<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<K: Into<Spanned<String>>, T> FromIterator<(K, T)> for OrderedMap<T> {
    fn from_iter<I: IntoIterator<Item = (K, T)>>(entries: I) -> Self {
        OrderedMap(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }
}

impl<T: JsonSchema> JsonSchema for OrderedMap<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("MapOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        std::collections::BTreeMap::<String, T>::json_schema(generator)
    }
}

/// One name or a list of names.
#[derive(Clone, Debug, PartialEq)]
pub struct OneOrMore(pub Vec<Spanned<String>>);

impl<'de> Deserialize<'de> for OneOrMore {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;
        impl<'de> Visitor<'de> for Names {
            type Value = Vec<Spanned<String>>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name or a list of names")
            }

            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(vec![Spanned::new(name.to_owned(), Span::default())])
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = seq.next_element()? {
                    names.push(name);
                }
                Ok(names)
            }
        }
        struct NameOrList(Vec<Spanned<String>>);
        impl<'de> Deserialize<'de> for NameOrList {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(Names).map(NameOrList)
            }
        }
        // A single name is given the span of the whole value.
        let Spanned { value: NameOrList(mut names), span } = Spanned::deserialize(deserializer)?;
        for name in &mut names {
            if name.span == Span::default() {
                name.span = span;
            }
        }
        Ok(OneOrMore(names))
    }
}

/// A single name is not written as a list.
impl Serialize for OneOrMore {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [name] => name.serialize(serializer),
            names => names.serialize(serializer),
        }
    }
}

impl<K: Into<Spanned<String>>> FromIterator<K> for OneOrMore {
    fn from_iter<I: IntoIterator<Item = K>>(names: I) -> Self {
        OneOrMore(names.into_iter().map(Into::into).collect())
    }
}

impl From<&str> for OneOrMore {
    fn from(name: &str) -> Self {
        OneOrMore(vec![name.into()])
    }
}

impl JsonSchema for OneOrMore {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "OneOrMore".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
        })
    }
}

/// Returns true if a field has the value that it has if its key is left out.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
