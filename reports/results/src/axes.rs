//! The position of a cell in the matrix of its case.

use std::borrow::Cow;
use std::fmt;

use compact_str::CompactString;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The values of the axes in one cell, in the order in which the case declares the axes.
///
/// In JSON this is an object, `{"client": "new", "server": "old"}`. The order of the names is kept. A name that occurs
/// twice is an error.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Axes(Vec<(CompactString, CompactString)>);

impl Axes {
    /// Makes a point without axes. The only cell of a case without a matrix has this point.
    #[must_use]
    pub const fn new() -> Self {
        Axes(Vec::new())
    }

    /// Returns the value on the axis `name`. Returns `None` if the cell does not have this axis.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Sets the value on the axis `name`. An axis that the cell does not have yet is appended.
    pub fn set(&mut self, name: impl Into<CompactString>, value: impl Into<CompactString>) {
        let (name, value) = (name.into(), value.into());
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some(entry) => entry.1 = value,
            None => self.0.push((name, value)),
        }
    }

    /// Returns the name and the value of each axis, in order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the number of axes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no axes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: Into<CompactString>, V: Into<CompactString>> FromIterator<(K, V)> for Axes {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let pairs = pairs.into_iter();
        let mut axes = Axes(Vec::with_capacity(pairs.size_hint().0));
        for (name, value) in pairs {
            axes.set(name, value);
        }
        axes
    }
}

/// Displays as `client=new,server=old`.
impl fmt::Display for Axes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{name}={value}")?;
        }
        Ok(())
    }
}

impl Serialize for Axes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Axes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AxesVisitor;

        impl<'de> Visitor<'de> for AxesVisitor {
            type Value = Axes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of axis names and values")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Axes, A::Error> {
                let mut axes = Axes::new();
                while let Some((name, value)) = map.next_entry::<CompactString, CompactString>()? {
                    if axes.get(&name).is_some() {
                        return Err(de::Error::custom(format_args!("the axis `{name}` occurs twice")));
                    }
                    axes.0.push((name, value));
                }
                Ok(axes)
            }
        }

        deserializer.deserialize_map(AxesVisitor)
    }
}

impl JsonSchema for Axes {
    fn schema_name() -> Cow<'static, str> {
        "Axes".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Axis names, each with its value, in the order in which the case declares them.",
            "type": "object",
            "additionalProperties": { "type": "string" },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_the_order_of_the_axes() {
        let axes: Axes = [("server", "old"), ("client", "new")].into_iter().collect();
        let json = serde_json::to_string(&axes).unwrap();
        assert_eq!(json, r#"{"server":"old","client":"new"}"#);
        assert_eq!(serde_json::from_str::<Axes>(&json).unwrap(), axes);
        assert_eq!(axes.to_string(), "server=old,client=new");
    }

    #[test]
    fn an_axis_that_occurs_twice_is_an_error() {
        let error = serde_json::from_str::<Axes>(r#"{"a":"1","a":"2"}"#).unwrap_err();
        assert!(error.to_string().starts_with("the axis `a` occurs twice"), "{error}");
    }

    #[test]
    fn setting_an_axis_again_replaces_its_value_in_place() {
        let axes: Axes = [("a", "1"), ("b", "2"), ("a", "3")].into_iter().collect();
        assert_eq!(axes.to_string(), "a=3,b=2");
        assert_eq!(axes.len(), 2);
    }
}
