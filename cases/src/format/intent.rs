//! The change that the user of a client wants.

use schemars::JsonSchema;
use serde::Deserialize;
use skewer_engine::OwnedDoc;
use skewer_yaml::{OptionalField, Spanned, any_schema};

/// The change that the user of a client wants: `set`, then `choose`, `select`, `clear`, `add`, `remove`, `order`. Without any
/// edit, the client sends the object that it read.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "IntentFile")]
pub struct IntentSpec {
    /// Values to set, in the shape of the object. Maps are merged recursively, items of lists with merge keys are matched
    /// by their keys, and any other value is replaced.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub set: OptionalField<OwnedDoc>,
    /// Maps that are to have exactly the given fields.
    #[serde(default)]
    pub choose: Vec<ChooseSpec>,
    /// Unions that are to have exactly one given member.
    #[serde(default)]
    pub select: Vec<SelectSpec>,
    /// Maps whose union is to have no member: `strategy`, or `.` for the object itself.
    #[serde(default)]
    pub clear: Vec<Spanned<String>>,
    /// Items to add to lists.
    #[serde(default)]
    pub add: Vec<AddSpec>,
    /// Fields and items to remove: `spec.paused`, `spec.ports[port=53,protocol=UDP]`, `finalizers[=b]`.
    #[serde(default)]
    pub remove: Vec<Spanned<String>>,
    /// Lists to reorder.
    #[serde(default)]
    pub order: Vec<OrderSpec>,
}

/// The only fields of a map. The client removes the other fields that it knows.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "ChooseFile")]
pub struct ChooseSpec {
    /// The map.
    pub at: Spanned<String>,
    /// Its fields.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub fields: skewer_engine::OwnedMap,
}

/// The only member of a union. The client sets it, and the discriminator, and removes the other members that it knows.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "SelectFile")]
pub struct SelectSpec {
    /// The map that has the union; `.` is the object itself.
    pub at: Spanned<String>,
    /// The field of the member.
    pub member: Spanned<String>,
    /// The value of the member.
    #[schemars(schema_with = "any_schema")]
    pub value: OwnedDoc,
}

/// An item for a list.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "AddFile")]
pub struct AddSpec {
    /// The list, which is created if it does not exist.
    pub at: Spanned<String>,
    /// The item.
    #[schemars(schema_with = "any_schema")]
    pub item: OwnedDoc,
}

/// An order for a list.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "OrderFile")]
pub struct OrderSpec {
    /// The list.
    pub at: Spanned<String>,
    /// The items in their new order; maps are named by the value of their merge key. Items that are not named follow.
    #[serde(rename = "as")]
    #[schemars(with = "Vec<serde_json::Value>")]
    pub order: Vec<OwnedDoc>,
}
