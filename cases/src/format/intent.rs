//! The change that the user of a client wants.

use schemars::JsonSchema;
use serde::Deserialize;
use skewer_engine::OwnedDoc;
use skewer_yaml::{OptionalField, Spanned, any_schema};

/// What the user of a client wants changed: `set`, then `choose`, `select`, `clear`, `add`, `remove`, `order`. All empty: the
/// client writes back what it read.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "IntentFile")]
pub struct IntentSpec {
    /// Values to set, in the shape of the object. Maps are gone into, items of lists with merge keys are found
    /// by them, all else is replaced.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub set: OptionalField<OwnedDoc>,
    /// Places that are to hold just the fields given.
    #[serde(default)]
    pub choose: Vec<ChooseSpec>,
    /// Unions that are to have just this member.
    #[serde(default)]
    pub select: Vec<SelectSpec>,
    /// Maps whose union is to have no member: `strategy`, or `.` for the object itself.
    #[serde(default)]
    pub clear: Vec<Spanned<String>>,
    /// Items to add to lists.
    #[serde(default)]
    pub add: Vec<AddSpec>,
    /// Places to remove: `spec.paused`, `spec.ports[port=53,protocol=UDP]`, `finalizers[=b]`.
    #[serde(default)]
    pub remove: Vec<Spanned<String>>,
    /// Lists to bring into an order.
    #[serde(default)]
    pub order: Vec<OrderSpec>,
}

/// "Only these": fields of a map; a client removes the others that it knows.
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

/// "Only this member": a client sets it, and the discriminator, and removes the other members that it knows.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "SelectFile")]
pub struct SelectSpec {
    /// The map that holds the union; `.` is the object itself.
    pub at: Spanned<String>,
    /// The member's field.
    pub member: Spanned<String>,
    /// What it holds.
    #[schemars(schema_with = "any_schema")]
    pub value: OwnedDoc,
}

/// An item for a list.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "AddFile")]
pub struct AddSpec {
    /// The list; made when it is not there.
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
    /// The items, maps by the value of their merge key; those not named follow.
    #[serde(rename = "as")]
    #[schemars(with = "Vec<serde_json::Value>")]
    pub order: Vec<OwnedDoc>,
}
