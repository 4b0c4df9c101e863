//! Parties, and requests of other clients.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use skewer_engine::OwnedDoc;
use skewer_engine::union::policy;
use skewer_skew::tools;
use skewer_yaml::{OptionalField, Spanned, any_schema};

use super::intent::IntentSpec;
use super::keywords::{Lists, SchemaName};
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
    /// (`Strategy.bar`), a value of an enum (`StrategyType=Bar`), patch metadata (`Holder.strategy:patchStrategy`). A
    /// party for which a list is atomic lacks both its `patchStrategy` and its `patchMergeKey`. The
    /// name of a type can be shortened to its last part (`Issuer.spec.vault` for `com.example.v1.Issuer.spec.vault`). In a
    /// `CustomResourceDefinition` and in an OpenAPI document, a type without a name has that of its field, also for the items of
    /// a list: `Gateway.listeners.tls`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub without: Vec<Spanned<String>>,
    /// The profile of the party, if it differs from that of an up-to-date party: its directives, and the behaviour of its
    /// patch library.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub profile: Option<Spanned<String>>,
    /// The embedded release, `kubernetes-1.N` or `newest`, whose types, directives and patch library the party has. This requires a
    /// `builtin` schema.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub release: Option<Spanned<String>>,
    /// Whether the client keeps objects as raw maps, and so keeps the fields that it does not know. A client with types
    /// leaves out the zero value of an optional field, unless the field is a Go pointer: to send 0, false or an empty text of
    /// a custom resource, make the client `unstructured`. A server has no such option.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub unstructured: Option<Spanned<bool>>,
    /// Whether the client negotiates the version of types and directives with the server: the newest that both know. The
    /// client decodes objects and creates patches with it, and the server merges the patches as a server of this version. A
    /// server has no such option.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub negotiates: Option<Spanned<bool>>,
    /// Whether the server refuses fields that it does not know. A client has no such option.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub strict: Option<Spanned<bool>>,
    /// Whether the server sets the defaults of built-in kinds. Without it, objects have the fields that a case is about. A
    /// client has no such option.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub defaults: Option<Spanned<bool>>,
    /// The memory in which the party holds the lists of an object when it merges a patch. The default is `structs` for the server of an
    /// intent, and `decoded` for other parties.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub lists: Option<Lists>,
    /// The union policy of the server. The default is `none`, which checks nothing of a union, not even the value of its
    /// discriminator. A client has no such option.
    #[serde(default, skip_serializing_if = "super::is_default")]
    #[schemars(schema_with = "policy_schema")]
    pub policy: Option<Spanned<String>>,
    /// The name of the client's field manager, under which a server records the owners of fields. The default is
    /// `client`. A server has no field manager.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub manager: Option<Spanned<String>>,
    /// The tool with which the client applies a manifest: the sender of an `apply-manifest`. Each tool has a field manager
    /// of its own. The default in a `history` is the tool of the cell's client. A server has no tool.
    #[serde(default, skip_serializing_if = "super::is_default")]
    #[schemars(schema_with = "tool_schema")]
    pub tool: Option<Spanned<String>>,
    /// Whether a `server-side-apply` of the client takes fields from other managers. Otherwise, a field of another
    /// manager with another value is a conflict. In a `history`, use it for a request that takes a field. For an
    /// `apply-manifest`, it is the option of the tool, if the tool has one. A server has no such option.
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

fn tool_schema(_: &mut SchemaGenerator) -> Schema {
    let names = tools().into_iter().map(|tool| Some(tool.name));
    let names: Vec<Option<&str>> = names.chain([None]).collect();
    schemars::json_schema!({"type": ["string", "null"], "enum": names})
}

/// The mutating webhook of the cluster. Each server calls it after it has merged a request, before it normalizes unions and
/// validates the object. Managed fields are those before the call, as on a real server.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "WebhookFile")]
pub struct WebhookSpec {
    /// The types that the webhook knows, and whether it keeps objects as raw maps. A webhook with structs removes the fields
    /// that its types do not have. The default is up to date.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub party: Option<PartySpec>,
    /// The edits that the webhook makes. `{}` sends back what the webhook has decoded.
    #[serde(default)]
    pub intent: IntentSpec,
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
    /// none of the properties of the cell's server: `{}` is an up-to-date server. It is for a request that the cell's server
    /// would refuse, for example one with a field that an old server does not know.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub server: Option<PartySpec>,
    /// The request.
    pub request: Spanned<RequestName>,
    /// The subresource to which the request is sent, such as `status`. Without it, the request is sent to the main resource.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub subresource: Option<Spanned<String>>,
    /// The apply configuration of a `server-side-apply`, the manifest of an `apply-manifest`, or the whole object of a
    /// `create` or `update`. Without it, the client edits the object that it reads, or the manifest before.
    #[serde(default, skip_serializing_if = "super::is_default")]
    #[schemars(schema_with = "any_schema")]
    pub document: OptionalField<Spanned<OwnedDoc>>,
    /// Edits of the document, or of the object that the client reads. `{}` sends back what the client has read.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub intent: Option<IntentSpec>,
}
