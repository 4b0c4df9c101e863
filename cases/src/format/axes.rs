//! Axes, and the contributions of their values: parties, requests of other clients, and settings.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use skewer_engine::OwnedDoc;
use skewer_engine::union::policy;
use skewer_yaml::{OptionalField, Spanned, any_schema};

use super::collections::OrderedMap;
use super::documents::{self, DocumentKey, DocumentsSpec, deserialize_with_documents};
use super::intent::IntentSpec;
use super::keywords::{Level, Lists, SchemaName};
use super::request_name::RequestName;

/// The knowledge and behaviour of a party.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "PartyFile")]
pub struct PartySpec {
    /// Which of the two schemas of the case the party has. The default is `new`. A schema that does not consist of `old` and
    /// `new` is `new`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub schema: Option<Spanned<SchemaName>>,
    /// The schema elements and directives that the party does not know: a directive (`$retainKeys`), a field
    /// (`Strategy.bar`), a value of an enum (`StrategyType=Bar`), patch metadata (`Holder.strategy:patchStrategy`). The
    /// name of a type can be shortened to its last part (`Issuer.spec.vault` for `com.example.v1.Issuer.spec.vault`).
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub without: Vec<Spanned<String>>,
    /// The profile of the party, if it differs from that of an up-to-date party: its directives, and the behaviour of its
    /// patch library.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub profile: Option<Spanned<String>>,
    /// The embedded release, `kubernetes-1.N`, whose types, directives and patch library the party has. This requires a
    /// `builtin` schema.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub release: Option<Spanned<String>>,
    /// Whether the client keeps objects as raw maps, and so keeps the fields that it does not know. On a server, this
    /// key has no effect.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub unstructured: Option<bool>,
    /// Whether the server refuses fields that it does not know. On a client, this key has no effect.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub strict: Option<bool>,
    /// Where the party holds the lists of an object when it merges a patch. The default is `structs` for the server of an
    /// intent, and `decoded` for other parties.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub lists: Option<Lists>,
    /// The union policy of the server. The default is `none`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    #[schemars(schema_with = "policy_schema")]
    pub policy: Option<Spanned<String>>,
    /// The name of the client's field manager, under which a server records the owners of fields. The default is
    /// `client`. A server has no field manager.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub manager: Option<Spanned<String>>,
    /// Whether a `server-side-apply` of the client takes fields from other managers. Otherwise, a field of another
    /// manager with another value is a conflict. A server has no such option.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub force: Option<Spanned<bool>>,
    /// Whether the client sends the resource version of the object that it read. The server then refuses the request if
    /// the object has changed since (`conflict`). The default is true for `update`, and false for other requests. A
    /// server has no such option.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub resource_version: Option<Spanned<bool>>,
}

fn policy_schema(_: &mut SchemaGenerator) -> Schema {
    let names = policy::REGISTRY.iter().map(|policy| Some(policy.name()));
    let names: Vec<Option<&str>> = names.chain([None]).collect();
    schemars::json_schema!({"type": ["string", "null"], "enum": names})
}

/// A request of another client: one of a `history`, or one that is sent `meanwhile`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "OtherRequestFile")]
pub struct OtherRequestSpec {
    /// The client that sends the request. The default is an up-to-date client with the manager `client`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub client: Option<PartySpec>,
    /// The server that processes the request. The default is the server of the cell. A server that is given here has
    /// none of the properties of the cell's server: `{}` is an up-to-date server.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub server: Option<PartySpec>,
    /// The request.
    pub request: Spanned<RequestName>,
    /// The apply configuration of a `server-side-apply`, or the whole object of a `create` or `update`. Without it, the
    /// client edits the object that it reads.
    #[serde(default, skip_serializing_if = "super::is_default")]
    #[schemars(schema_with = "any_schema")]
    pub document: OptionalField<Spanned<OwnedDoc>>,
    /// Edits of the document, or of the object that the client reads. `{}` sends back what the client has read.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub intent: Option<IntentSpec>,
}

/// The contribution of one axis value. Its documents are overlaid on those of the case, its edits are made after the
/// edits of the case, and its parties change the properties of the case's parties.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", remote = "Self")]
#[schemars(deny_unknown_fields, rename = "SettingFile", transform = documents::add_to_setting_schema)]
pub struct SettingSpec {
    /// Properties of the client.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub client: Option<PartySpec>,
    /// Properties of the server.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub server: Option<PartySpec>,
    /// Parts of the documents.
    #[serde(flatten, skip_deserializing)]
    #[schemars(skip)]
    pub documents: DocumentsSpec,
    /// Edits of the intent, in addition to those of the case.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub intent: Option<IntentSpec>,
    /// Requests that the server processes before the client reads the object, after those of the case.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub history: Vec<Spanned<OtherRequestSpec>>,
    /// Requests that the server processes between the client's read and its request, after those of the case.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub meanwhile: Vec<Spanned<OtherRequestSpec>>,
    /// The request that replaces the request of the case.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub request: Option<RequestName>,
    /// The type of the objects, which replaces the `root` of the schema. A schema with several root types has one text
    /// for all of them.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub root: Option<Spanned<String>>,
    /// The conformance level of the points, if it differs from that of the case.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub level: Option<Level>,
}

deserialize_with_documents!(SettingSpec, DocumentKey::of_roles());

impl SettingSpec {
    /// Returns true if nothing is contributed.
    pub(crate) fn is_empty(&self) -> bool {
        super::is_default(self)
    }
}

/// The axes of a matrix. A value of `client` or `server` is a party, and a value of `request` is the name of a request.
/// A value of any other axis is a setting: keys that are added to the case.
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
                "request" => map.serialize_entry(axis, &values.names())?,
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
            "description": "The axes of a matrix. A value of client or server is a party, and a value of \
                            request is the name of a request. A value of any other axis is a \
                            setting: keys that are added to the case.",
            "properties": {"client": parties.clone(), "server": parties, "request": requests},
            "additionalProperties": settings
        })
    }
}
