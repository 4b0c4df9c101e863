//! Settings: the keys that a case, an axis value and an overlay have in common. Each describes a part of the scenario of a
//! point.

use std::marker::PhantomData;
use std::sync::LazyLock;
use std::{fmt, iter};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use skewer_yaml::Spanned;

use super::documents::{self, DocumentKey, DocumentsSpec};
use super::intent::IntentSpec;
use super::keywords::Level;
use super::party::{OtherRequestSpec, PartySpec, WebhookSpec};
use super::request_name::RequestName;
use super::source::SchemaSpec;

/// The setting of a case, or the contribution of an axis value or an overlay to it. A contribution overlays its documents on
/// those of the case, appends its edits and requests to those of the case, and replaces every other property that it sets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[serde(default)]
#[schemars(deny_unknown_fields, rename = "SettingFile", transform = documents::add_to_setting_schema)]
pub struct SettingSpec {
    /// The types of the objects, if they differ from those of the suite. A schema of an axis value or an overlay replaces
    /// that of the case, with its root type. Axis values can thus declare one type in Go and as a custom resource.
    #[serde(skip_serializing_if = "super::is_default")]
    pub schema: Option<Spanned<SchemaSpec>>,
    /// The conformance level, if it differs from that of the suite. An axis value or an overlay gives some points another
    /// level.
    #[serde(skip_serializing_if = "super::is_default")]
    pub level: Option<Level>,
    /// The client, which sends the request and creates patches.
    #[serde(skip_serializing_if = "super::is_default")]
    pub client: Option<PartySpec>,
    /// The server, which stores the object and applies patches.
    #[serde(skip_serializing_if = "super::is_default")]
    pub server: Option<PartySpec>,
    /// The mutating webhook of the cluster. Only a skew case has one.
    #[serde(skip_serializing_if = "super::is_default")]
    pub webhook: Option<Spanned<WebhookSpec>>,
    /// The documents of the operation.
    #[serde(flatten)]
    #[schemars(skip)]
    pub documents: DocumentsSpec,
    /// The change that the user wants. Only a skew case has an intent. An edit of a field that the types of the client lack is
    /// lost: exclude the point. A `server-side-apply` with a `configuration`
    /// needs none; if it has one, the client applies the configuration after the edits. The edits are made twice: in the
    /// configuration, and for the ideal in the object that the client reads. The edits of an axis value or an
    /// overlay are made after those of the case.
    #[serde(skip_serializing_if = "super::is_default")]
    pub intent: Option<IntentSpec>,
    /// Requests that the server processes before the client reads the object, in this order. Only a skew case has a
    /// history. The server must accept each of these requests. If the first request creates the object, the case needs no
    /// `live`. The requests of an axis value or an overlay come after those of the case.
    #[serde(skip_serializing_if = "super::is_default")]
    pub history: Vec<Spanned<OtherRequestSpec>>,
    /// Requests that the server processes between the client's read and its request, in this order. Only a skew case has
    /// them. The server must accept each of these requests. The requests of an axis value or an overlay come after those
    /// of the case.
    #[serde(skip_serializing_if = "super::is_default")]
    pub meanwhile: Vec<Spanned<OtherRequestSpec>>,
    /// The request. In a skew case, it is `create`, `update`, `client-side-apply`, `server-side-apply` or one of the merge
    /// patches. In a patch case, it is a format of a patch with these documents, and the default is a strategic merge patch.
    /// `server-side-apply` and `managed-update` are also operations of a field manager.
    #[serde(skip_serializing_if = "super::is_default")]
    pub request: Option<RequestName>,
    /// The subresource to which the request is sent, such as `status`. Without it, the request is sent to the main resource.
    /// In a skew case, the types must have it: `builtin` types, or a `crd` with `subresources`. Types in Go have none.
    #[serde(skip_serializing_if = "super::is_default")]
    pub subresource: Option<Spanned<String>>,
    /// The type of the objects, if it differs from the `root` of the schema. A schema with several root types has one text
    /// for all of them.
    #[serde(skip_serializing_if = "super::is_default")]
    pub root: Option<Spanned<String>>,
}

/// Lists the keys of a setting that are not documents, each with its field.
macro_rules! keys_of_setting {
    ($($key:literal => $field:ident),* $(,)?) => {
        impl SettingSpec {
            /// The keys of a setting, without those of documents.
            const KEYS: &[&str] = &[$($key),*];

            /// Reads the value of a key. Returns false if a setting does not have the key.
            fn read_entry<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
                match key {
                    $($key => self.$field = map.next_value()?,)*
                    _ => return Ok(false),
                }
                Ok(true)
            }
        }
    };
}

keys_of_setting! {
    "level" => level,
    "client" => client,
    "server" => server,
    "webhook" => webhook,
    "intent" => intent,
    "history" => history,
    "meanwhile" => meanwhile,
    "request" => request,
    "subresource" => subresource,
    "schema" => schema,
    "root" => root,
}

impl SettingSpec {
    /// Returns true if nothing is contributed.
    pub(crate) fn is_empty(&self) -> bool {
        super::is_default(self)
    }
}

impl<'de> Deserialize<'de> for SettingSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer)
    }
}

impl<'de> HasSetting<'de> for SettingSpec {
    const NAME: &'static str = "SettingSpec";

    fn keys() -> &'static [&'static str] {
        static KEYS: LazyLock<Vec<&str>> = LazyLock::new(all_keys::<SettingSpec>);
        &KEYS
    }

    fn document_keys() -> impl Iterator<Item = DocumentKey> {
        DocumentKey::of_roles()
    }

    fn deserialize_own_fields<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct NoFields {}
        NoFields::deserialize(deserializer).map(|NoFields {}| SettingSpec::default())
    }

    fn with_setting(self, setting: SettingSpec) -> Self {
        setting
    }
}

/// A struct of the format that has the keys of a setting beside its own fields, for which serde derives `Deserialize`.
pub(super) trait HasSetting<'de>: Sized {
    /// The name of the struct in error messages.
    const NAME: &'static str;

    /// Returns all keys of the struct: its own, those of the setting, and those of documents.
    fn keys() -> &'static [&'static str];

    /// Returns the keys of the struct's documents.
    fn document_keys() -> impl Iterator<Item = DocumentKey>;

    /// Reads the struct's own fields with the implementation that serde derives.
    fn deserialize_own_fields<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;

    /// Returns the struct with this setting.
    fn with_setting(self, setting: SettingSpec) -> Self;
}

/// Implements `Deserialize` and `Serialize` for a struct with a field `setting`. For the other fields, serde derives the
/// implementations through `#[serde(remote = "Self")]`.
macro_rules! deserialize_with_setting {
    ($name:ident, $document_keys:expr) => {
        impl<'de> $crate::format::setting::HasSetting<'de> for $name {
            const NAME: &'static str = stringify!($name);

            fn keys() -> &'static [&'static str] {
                static KEYS: std::sync::LazyLock<Vec<&str>> =
                    std::sync::LazyLock::new($crate::format::setting::all_keys::<$name>);
                &KEYS
            }

            fn document_keys() -> impl Iterator<Item = $crate::format::documents::DocumentKey> {
                $document_keys
            }

            fn deserialize_own_fields<D: serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                $name::deserialize(deserializer)
            }

            fn with_setting(self, setting: $crate::format::setting::SettingSpec) -> Self {
                $name { setting, ..self }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $name::serialize(self, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::format::setting::deserialize(deserializer)
            }
        }
    };
}
pub(super) use deserialize_with_setting;

/// Reads a struct with its own fields and its setting.
pub(super) fn deserialize<'de, D: Deserializer<'de>, T: HasSetting<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    struct Entries<T>(PhantomData<T>);

    impl<'de, T: HasSetting<'de>> Visitor<'de> for Entries<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            let mut setting = SettingSpec::default();
            let own_fields: OwnFieldAccess<'_, A> =
                OwnFieldAccess { map, document_keys: T::document_keys().collect(), setting: &mut setting };
            let own_fields = T::deserialize_own_fields(MapAccessDeserializer::new(own_fields))?;
            Ok(own_fields.with_setting(setting))
        }
    }

    deserializer.deserialize_struct(T::NAME, T::keys(), Entries(PhantomData))
}

/// The entries of a map, for the derived implementation of `Deserialize`. Entries of the setting are stored here and not
/// passed on.
struct OwnFieldAccess<'a, A> {
    map: A,
    document_keys: Vec<DocumentKey>,
    setting: &'a mut SettingSpec,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for OwnFieldAccess<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        while let Some(key) = self.map.next_key::<String>()? {
            if let Some(document) = self.document_keys.iter().find(|document| document.name() == key) {
                self.setting.documents.read_value(*document, &mut self.map)?;
            } else if !self.setting.read_entry(&key, &mut self.map)? {
                return seed.deserialize(key.into_deserializer()).map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

/// Returns the names of a struct's own fields, of those of a setting, and of documents.
pub(super) fn all_keys<T: for<'de> HasSetting<'de>>() -> Vec<&'static str> {
    let mut keys = Vec::new();
    // The result is always an error: reading stops as soon as the struct has named its fields.
    let _ = T::deserialize_own_fields(FieldNames(&mut keys));
    keys.extend(SettingSpec::KEYS);
    keys.extend(T::document_keys().map(DocumentKey::name));
    keys
}

/// A deserializer that records the names of the fields that a struct requests.
struct FieldNames<'a>(&'a mut Vec<&'static str>);

impl<'de> Deserializer<'de> for FieldNames<'_> {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Self::Error> {
        Err(Self::Error::custom("only the fields of a struct have names"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.extend(fields);
        self.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Adds the keys of a setting to the JSON Schema of a struct that has them beside its own.
pub(super) fn add_to_schema(schema: &mut Schema) {
    // The definitions to which the properties refer are in the JSON Schema of the suite, because axis values are settings.
    let setting = SettingSpec::json_schema(&mut SchemaGenerator::default());
    let of_setting = setting.get("properties").and_then(|properties| properties.as_object());
    let properties = schema.ensure_object().entry("properties").or_insert_with(|| serde_json::json!({}));
    for (properties, of_setting) in iter::zip(properties.as_object_mut(), of_setting) {
        properties.extend(of_setting.clone());
    }
}
