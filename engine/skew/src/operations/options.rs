//! The options of operations.

use std::sync::Arc;

use skewer_admission::Admission;
use skewer_engine::patch::{Overwrite, Precondition};
use skewer_engine::server_side_apply::Resource;

use crate::request::RequestType;

/// The options of an operation.
#[derive(Clone, Copy, Debug)]
pub struct OperationOptions<'a> {
    /// Whether the patch may overwrite fields that somebody else has changed in the live object.
    pub overwrite: Overwrite,
    /// Conditions on the patch, for example that it does not change a key.
    pub preconditions: &'a [Precondition],
    /// The field manager of the request, and the resource that it writes.
    pub field_manager: FieldManagerOptions<'a>,
    /// The type and the endpoint of a whole request.
    pub request: ApiRequestOptions<'a>,
}

impl Default for OperationOptions<'_> {
    fn default() -> Self {
        OperationOptions {
            overwrite: Overwrite::No,
            preconditions: &[],
            field_manager: FieldManagerOptions::default(),
            request: ApiRequestOptions::default(),
        }
    }
}

/// The options of an operation that a field manager performs.
#[derive(Clone, Copy, Debug, Default)]
pub struct FieldManagerOptions<'a> {
    /// The name of the manager that sends the request. An empty name counts as `unknown`.
    pub manager: &'a str,
    /// Whether an apply request takes fields from other managers.
    pub force: bool,
    /// The name of the subresource. Empty for the main resource.
    pub subresource: &'a str,
    /// The API version of the request. `None` stands for the `apiVersion` of the document that the request sends.
    pub api_version: Option<&'a str>,
    /// The time of the request in RFC 3339. Without a time, the entry of the manager is newer than all others.
    pub time: Option<&'a str>,
    /// The resource with all its versions. `None` stands for a resource with one version: the API version of the request,
    /// with the types of the context.
    pub resource: Option<&'a Resource>,
    /// The names of the managers of client-side apply whose fields the manager takes over. Only
    /// `upgrade-managed-fields` has them.
    pub csa_managers: &'a [String],
}

/// The options of the operation `request` that no other operation has. The manager, the subresource, and the API version
/// of the endpoint are among the [`FieldManagerOptions`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ApiRequestOptions<'a> {
    /// The type of the request.
    pub request_type: RequestType,
    /// Whether the server refuses unknown fields and duplicate keys (`fieldValidation=Strict`). Otherwise, the request
    /// does not say.
    pub strict: bool,
    /// The kind of the endpoint. `None` stands for the kind of the live object or the body.
    pub kind: Option<&'a str>,
    /// The admission of the server, if the object is a custom resource. Without it, only the request handlers are
    /// simulated, which neither default nor validate an object.
    pub admission: Option<&'a Arc<Admission>>,
}
