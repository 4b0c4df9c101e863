//! Axes and overlays: what the values of axes, and what conditions on these values, contribute to the points of a matrix.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use skewer_yaml::Spanned;

use super::collections::{OneOrMore, OrderedMap};
use super::documents::DocumentKey;
use super::party::PartySpec;
use super::request_name::RequestName;
use super::setting::{self, SettingSpec, deserialize_with_setting};

/// The axes of a matrix. A value of `client` or `server` is a party, a value of `request` is the name of a request,
/// and a value of `tool` the name of a tool. A value of any other axis is a setting: keys that are added to the case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AxesSpec(pub Vec<(Spanned<String>, OrderedMap<SettingSpec>)>);

impl<'de> Deserialize<'de> for AxesSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Axes;
        impl<'de> Visitor<'de> for Axes {
            type Value = AxesSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of axes")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<AxesSpec, A::Error> {
                let mut axes = Vec::new();
                while let Some(name) = map.next_key::<Spanned<String>>()? {
                    let values = match name.value.as_str() {
                        "client" => map.next_value::<OrderedMap<PartySpec>>()?.into_settings(|party| {
                            SettingSpec { client: Some(party), ..SettingSpec::default() }
                        }),
                        "server" => map.next_value::<OrderedMap<PartySpec>>()?.into_settings(|party| {
                            SettingSpec { server: Some(party), ..SettingSpec::default() }
                        }),
                        "request" => request_settings(map.next_value()?),
                        "tool" => tool_settings(map.next_value()?),
                        _ => map.next_value()?,
                    };
                    axes.push((name, values));
                }
                Ok(AxesSpec(axes))
            }
        }
        deserializer.deserialize_map(Axes)
    }
}

impl AxesSpec {
    /// Creates axes that were not read from a file.
    pub fn of<A: Into<Spanned<String>>, V: Into<Spanned<String>>>(
        axes: impl IntoIterator<Item = (A, Vec<(V, SettingSpec)>)>,
    ) -> Self {
        AxesSpec(axes.into_iter().map(|(axis, values)| (axis.into(), values.into_iter().collect())).collect())
    }
}

impl Serialize for AxesSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (axis, values) in &self.0 {
            match axis.as_str() {
                "client" => map.serialize_entry(axis, &values.project(|setting| &setting.client))?,
                "server" => map.serialize_entry(axis, &values.project(|setting| &setting.server))?,
                "request" | "tool" => map.serialize_entry(axis, &values.names())?,
                _ => map.serialize_entry(axis, values)?,
            }
        }
        map.end()
    }
}

impl OrderedMap<SettingSpec> {
    fn project<'s, T>(&'s self, part: impl Fn(&'s SettingSpec) -> T) -> OrderedMap<T> {
        OrderedMap(self.0.iter().map(|(name, setting)| (name.clone(), part(setting))).collect())
    }

    fn names(&self) -> Vec<&Spanned<String>> {
        self.0.iter().map(|(name, _)| name).collect()
    }
}

impl<T> OrderedMap<T> {
    fn into_settings(self, setting: impl Fn(T) -> SettingSpec) -> OrderedMap<SettingSpec> {
        OrderedMap(self.0.into_iter().map(|(name, value)| (name, setting(value))).collect())
    }
}

/// Makes each request a value of the axis. The value has the name of the request.
fn request_settings(names: Vec<Spanned<RequestName>>) -> OrderedMap<SettingSpec> {
    let setting = |request: Spanned<RequestName>| {
        let name = request.value.name().to_owned();
        let setting = SettingSpec { request: Some(request.value), ..SettingSpec::default() };
        (Spanned::new(name, request.span), setting)
    };
    OrderedMap(names.into_iter().map(setting).collect())
}

/// Makes each tool a value of the axis. The value has the name of the tool.
fn tool_settings(names: Vec<Spanned<String>>) -> OrderedMap<SettingSpec> {
    let setting = |tool: Spanned<String>| {
        let client = PartySpec { tool: Some(tool.clone()), ..PartySpec::default() };
        (tool, SettingSpec { client: Some(client), ..SettingSpec::default() })
    };
    OrderedMap(names.into_iter().map(setting).collect())
}

impl JsonSchema for AxesSpec {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Axes".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let parties = generator.subschema_for::<OrderedMap<PartySpec>>();
        let requests = generator.subschema_for::<Vec<RequestName>>();
        let tools = generator.subschema_for::<Vec<String>>();
        let settings = generator.subschema_for::<OrderedMap<SettingSpec>>();
        schemars::json_schema!({
            "type": "object",
            "description": "The axes of a matrix. A value of client or server is a party, a value of \
                            request is the name of a request, and a value of tool the name of a tool. A value of any other axis is a \
                            setting: keys that are added to the case.",
            "properties": {"client": parties.clone(), "server": parties, "request": requests, "tool": tools},
            "additionalProperties": settings
        })
    }
}

/// A contribution to some points of the matrix. It has the same keys as an axis value, and a condition. Overlays are added
/// after the contributions of the axes, in the order of the file: first those of the suite, then those of the case.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(remote = "Self")]
#[schemars(deny_unknown_fields, rename = "OverlayFile", transform = setting::add_to_schema)]
pub struct OverlaySpec {
    /// The condition: for each axis that is named, the values at which the overlay contributes.
    pub when: Spanned<OrderedMap<OneOrMore>>,
    /// The contribution.
    #[serde(flatten, skip_deserializing)]
    #[schemars(skip)]
    pub setting: SettingSpec,
}

deserialize_with_setting!(OverlaySpec, DocumentKey::of_roles());
