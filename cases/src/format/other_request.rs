use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skewer_engine::OwnedDoc;
use skewer_yaml::{OptionalField, Spanned, any_schema};

use super::axes::PartySpec;
use super::intent::IntentSpec;
use super::request_name::RequestName;

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
