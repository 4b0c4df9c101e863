//! Axes, and what their values contribute.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use skewer_engine::OwnedDoc;
use skewer_engine::union::policy;
use skewer_yaml::{OptionalField, Spanned, any_schema};

use super::collections::OrderedMap;
use super::intent::IntentSpec;
use super::keywords::RequestName;

/// What a party knows, and how it behaves.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "PartyFile")]
pub struct PartySpec {
    /// What it does not know: a directive (`$retainKeys`), a field (`Strategy.bar`), a value of an enum
    /// (`StrategyType=Bar`), patch metadata (`Holder.strategy:patchStrategy`).
    #[serde(default)]
    pub without: Vec<Spanned<String>>,
    /// The directives of another profile than the suite's.
    #[serde(default)]
    pub profile: Option<Spanned<String>>,
    /// An embedded release, `kubernetes-1.N`: the party has the types of that release, and its directives (where
    /// the schema is `builtin`).
    #[serde(default)]
    pub release: Option<Spanned<String>>,
    /// A client that keeps raw maps, and with them what it does not know.
    #[serde(default)]
    pub unstructured: Option<bool>,
    /// A server that refuses fields that it does not know.
    #[serde(default)]
    pub strict: Option<bool>,
    /// The union policy of a server; `none` if it is left out.
    #[serde(default)]
    #[schemars(schema_with = "policy_schema")]
    pub policy: Option<Spanned<String>>,
}

/// The schema of the name of a union policy.
fn policy_schema(_: &mut SchemaGenerator) -> Schema {
    let names = policy::REGISTRY.iter().map(|policy| Some(policy.name()));
    let names: Vec<Option<&str>> = names.chain([None]).collect();
    schemars::json_schema!({"type": ["string", "null"], "enum": names})
}

/// What one value of an axis contributes: pieces of the objects (laid over the case's), of the intent (made
/// after the case's), of the parties.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "SettingFile")]
pub struct SettingSpec {
    /// Who sends.
    #[serde(default)]
    pub client: Option<PartySpec>,
    /// Who stores.
    #[serde(default)]
    pub server: Option<PartySpec>,
    /// A piece of the stored object.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub live: OptionalField<OwnedDoc>,
    /// A piece of what was last applied.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub last_applied: OptionalField<OwnedDoc>,
    /// A piece of the patch.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub patch: OptionalField<OwnedDoc>,
    /// A piece of the original document.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub original: OptionalField<OwnedDoc>,
    /// A piece of the modified document.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub modified: OptionalField<OwnedDoc>,
    /// More edits.
    #[serde(default)]
    pub intent: Option<IntentSpec>,
    /// Another request.
    #[serde(default)]
    pub request: Option<RequestName>,
}

/// The axes of a matrix. `client` and `server` have parties as values, `request` is a list of requests, any
/// other axis has settings.
#[derive(Clone, Debug, Default)]
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

impl<T> OrderedMap<T> {
    fn into_settings(self, setting: impl Fn(T) -> SettingSpec) -> OrderedMap<SettingSpec> {
        OrderedMap(self.0.into_iter().map(|(name, value)| (name, setting(value))).collect())
    }
}

/// Makes each request a value of the axis, named after the request.
fn request_settings(names: Vec<Spanned<RequestName>>) -> OrderedMap<SettingSpec> {
    let setting = |request: Spanned<RequestName>| {
        let name = request.value.name().to_owned();
        let setting = SettingSpec { request: Some(request.value), ..SettingSpec::default() };
        (Spanned::new(name, request.span), setting)
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
        let settings = generator.subschema_for::<OrderedMap<SettingSpec>>();
        schemars::json_schema!({
            "type": "object",
            "description": "The axes of a matrix: client and server have parties as values, request is a list \
                            of requests, any other axis has settings.",
            "properties": {"client": parties.clone(), "server": parties, "request": requests},
            "additionalProperties": settings
        })
    }
}
