//! The managers of an object, and the fields that each of them owns.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::field_set::FieldSet;
use crate::document::OwnedText;
use crate::error::ManagerOperation;

/// The identity of an entry of managed fields. Upstream: `BuildManagerIdentifier`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ManagerId {
    /// The name of the manager.
    pub manager: OwnedText,
    /// The kind of request.
    pub operation: ManagerOperation,
    /// The API version of an update. Empty for an apply request: it takes over the entry of any version.
    pub api_version: OwnedText,
    /// The subresource. Empty for the main resource.
    pub subresource: OwnedText,
}

impl ManagerId {
    /// Returns the text by which upstream sorts managers: JSON.
    pub(super) fn sort_key(&self) -> String {
        let mut text = String::from("{");
        let api_version = match self.operation {
            ManagerOperation::Apply => "",
            ManagerOperation::Update => self.api_version.as_str(),
        };
        let members = [
            ("manager", self.manager.as_str()),
            ("operation", self.operation.name()),
            ("apiVersion", api_version),
            ("subresource", self.subresource.as_str()),
        ];
        for (key, value) in members.into_iter().filter(|(_, value)| !value.is_empty()) {
            let separator = if text.len() == 1 { "" } else { "," };
            let _ = write!(text, "{separator}\"{key}\":{}", super::go_json::quote(value));
        }
        text.push('}');
        text
    }
}

/// The fields that a manager owns.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnedFields<'a> {
    /// The fields.
    pub fields: FieldSet<'a>,
    /// The API version in which the fields are named.
    pub api_version: OwnedText,
}

impl OwnedFields<'_> {
    pub(super) fn to_static(&self) -> OwnedFields<'static> {
        OwnedFields { fields: self.fields.to_static(), api_version: self.api_version.clone() }
    }
}

/// The managers of an object.
pub(super) type Managers<'a> = BTreeMap<ManagerId, OwnedFields<'a>>;
