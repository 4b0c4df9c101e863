//! The intent: the change that the user of a client wants.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skewer_engine::OwnedDoc;
use skewer_skew::{Edit, Intent};
use skewer_yaml::{OptionalField, Spanned, any_schema};

/// The change that the user of a client wants. The edits are made in the order `set`, `choose`, `select`, `clear`,
/// `add`, `remove`, `order`, `increment`. Without any edit, the client sends the object as it read the object.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "IntentFile")]
pub struct IntentSpec {
    /// Values to set, in the shape of the object. Maps are merged recursively, items of lists with merge keys are
    /// matched by these keys (an item with another key is added), and any other value is replaced. A `null`
    /// is a value, too: a typed client leaves out a field that is null. To remove a field or the key of a map, use `remove`; to
    /// exchange the member of a union, `select`; to exchange all fields of a map, `choose`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    #[schemars(schema_with = "any_schema")]
    pub set: OptionalField<Spanned<OwnedDoc>>,
    /// Maps that must end up with exactly the given fields. The client removes all other fields that it knows.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub choose: Vec<ChooseSpec>,
    /// Unions that must end up with exactly one given member. The client sets the discriminator as well, and removes the
    /// other members that it knows.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub select: Vec<SelectSpec>,
    /// Maps whose union must end up without any member: `strategy`, or `.` for the object itself.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub clear: Vec<Spanned<String>>,
    /// Items to add to lists.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub add: Vec<AddSpec>,
    /// Fields and items to remove: `spec.paused`, `spec.ports[port=53,protocol=UDP]`, `finalizers[=b]`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub remove: Vec<Spanned<String>>,
    /// Lists to reorder.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub order: Vec<OrderSpec>,
    /// Integers to which a number is added.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub increment: Vec<IncrementSpec>,
}

/// The fields that a map must have. The client removes all other fields that it knows.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "ChooseFile")]
pub struct ChooseSpec {
    /// The path of the map.
    pub at: Spanned<String>,
    /// The fields and their values.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub fields: skewer_engine::OwnedMap,
}

/// The member that a union must have. The client sets the member and the discriminator, and removes the other members
/// that it knows.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "SelectFile")]
pub struct SelectSpec {
    /// The path of the map that has the union; `.` is the object itself.
    pub at: Spanned<String>,
    /// The name of the member's field.
    pub member: Spanned<String>,
    /// The value of the member.
    #[schemars(schema_with = "any_schema")]
    pub value: OwnedDoc,
}

/// An item to add to a list.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "AddFile")]
pub struct AddSpec {
    /// The path of the list. The list is created if it does not exist.
    pub at: Spanned<String>,
    /// The item. It is appended, also if the list has an item with the same key: `set` changes that one.
    #[schemars(schema_with = "any_schema")]
    pub item: OwnedDoc,
}

/// A new order for a list.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "OrderFile")]
pub struct OrderSpec {
    /// The path of the list.
    pub at: Spanned<String>,
    /// The items in their new order. An item that is a map is written as the value of its merge key. Items that are not
    /// listed come last.
    #[serde(rename = "as")]
    #[schemars(with = "Vec<serde_json::Value>")]
    pub order: Vec<OwnedDoc>,
}

/// A number to add to an integer.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "IncrementFile")]
pub struct IncrementSpec {
    /// The path of the integer. An integer that does not exist counts as zero.
    pub at: Spanned<String>,
    /// The number to add.
    pub by: i64,
}

/// Describes the edits of an intent. As in the format, the intent has at most one edit that sets values.
impl From<&Intent> for IntentSpec {
    fn from(intent: &Intent) -> Self {
        let mut spec = IntentSpec::default();
        for edit in &intent.0 {
            match edit {
                Edit::Set(value) => spec.set = OptionalField::Given(value.clone().into()),
                Edit::Choose { selector, fields } => {
                    spec.choose.push(ChooseSpec { at: selector.to_string().into(), fields: fields.clone() });
                }
                Edit::Select { selector, member, value } => spec.select.push(SelectSpec {
                    at: selector.to_string().into(),
                    member: member.to_string().into(),
                    value: value.clone(),
                }),
                Edit::Clear(selector) => spec.clear.push(selector.to_string().into()),
                Edit::Add { selector, item } => {
                    spec.add.push(AddSpec { at: selector.to_string().into(), item: item.clone() });
                }
                Edit::Remove(selector) => spec.remove.push(selector.to_string().into()),
                Edit::Order { selector, order } => {
                    spec.order.push(OrderSpec { at: selector.to_string().into(), order: order.clone() });
                }
                Edit::Increment { selector, by } => {
                    spec.increment.push(IncrementSpec { at: selector.to_string().into(), by: *by });
                }
            }
        }
        spec
    }
}
