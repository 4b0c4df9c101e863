//! Overlays: contributions with a condition.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use skewer_yaml::Spanned;

use super::axes::SettingSpec;
use super::collections::{OneOrMore, OrderedMap};
use super::documents;

const WHEN: &str = "when";

/// A contribution to some points of the matrix.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OverlaySpec {
    /// The condition: for each axis that is named, the values at which the overlay contributes.
    pub when: Spanned<OrderedMap<OneOrMore>>,
    /// The contribution.
    #[serde(flatten)]
    pub setting: SettingSpec,
}

/// Reads the condition, and passes all other entries of the map on to the contribution.
impl<'de> Deserialize<'de> for OverlaySpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = OverlaySpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OverlaySpec, A::Error> {
                let mut when = None;
                let entries = EntriesOfSetting { map, when: &mut when };
                let setting = documents::deserialize(MapAccessDeserializer::new(entries))?;
                Ok(OverlaySpec { when: when.ok_or_else(|| A::Error::missing_field(WHEN))?, setting })
            }
        }

        static KEYS: LazyLock<Vec<&str>> =
            LazyLock::new(|| std::iter::once(WHEN).chain(documents::all_keys::<SettingSpec>()).collect());
        deserializer.deserialize_struct("OverlaySpec", &KEYS, Entries)
    }
}

/// The entries of an overlay without its condition, which is stored here.
struct EntriesOfSetting<'a, A> {
    map: A,
    when: &'a mut Option<Spanned<OrderedMap<OneOrMore>>>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for EntriesOfSetting<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        while let Some(key) = self.map.next_key::<String>()? {
            if key != WHEN {
                return seed.deserialize(key.into_deserializer()).map(Some);
            }
            *self.when = Some(self.map.next_value()?);
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

impl JsonSchema for OverlaySpec {
    fn schema_name() -> Cow<'static, str> {
        "OverlayFile".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut when = generator.subschema_for::<OrderedMap<OneOrMore>>();
        let about =
            "The condition: for each axis that is named, the values at which the overlay contributes.";
        when.insert("description".to_owned(), about.into());
        let mut schema = SettingSpec::json_schema(generator);
        let about = "A contribution to some points of the matrix. It has the same keys as an axis value, and a \
                     condition. Overlays are added after the contributions of the axes, in the order of the file: \
                     first those of the suite, then those of the case.";
        schema.insert("description".to_owned(), about.into());
        schema.insert("required".to_owned(), serde_json::json!([WHEN]));
        if let Some(properties) =
            schema.get_mut("properties").and_then(|properties| properties.as_object_mut())
        {
            properties.insert(WHEN.to_owned(), when.into());
        }
        schema
    }
}
