//! The operations on managed fields: `server-side-apply`, `managed-update` and `upgrade-managed-fields`.

use std::sync::Arc;

use skewer_engine::document::{Doc, OwnedDoc, Text};
use skewer_engine::error::{Error, ErrorKind, Result};
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::Schema;
use skewer_engine::schema::declarations::{Declarations, Shape, TypeDecl, TypeExpr};
use skewer_engine::server_side_apply::{
    CsaUpgrade, FieldManager, Resource, ResourceVersion, WriteRequest, upgrade_managed_fields,
};

use crate::operations::{Operation, Role};

/// Creates the context of objects without a schema. Its root has the type `any`.
///
/// # Errors
///
/// None: the declaration is valid. [`ErrorKind::InvalidSchema`] would show a defect of the engine.
pub fn untyped_context() -> Result<PatchContext> {
    const OBJECT: &str = "Object";
    let declaration = TypeDecl::new(OBJECT, Shape::Alias(TypeExpr::Any));
    let schema = Schema::compile(&Declarations::new([declaration]))
        .map_err(|errors| Error::new(ErrorKind::InvalidSchema, format!("{errors:?}")))?;
    PatchContext::of(Arc::new(schema), OBJECT)
}

/// Applies a configuration.
pub(super) fn apply(context: &PatchContext, operation: &Operation<'_>) -> Result<OwnedDoc> {
    let configuration = operation.document(Role::Configuration);
    with_field_manager(context, operation, configuration, |manager, live, request| {
        manager.apply(live, configuration, request)
    })
}

/// Records the owners of the fields that an update changes.
pub(super) fn update(context: &PatchContext, operation: &Operation<'_>) -> Result<OwnedDoc> {
    let new = operation.document(Role::New);
    with_field_manager(context, operation, new, |manager, live, request| manager.update(live, new, request))
}

/// Gives the fields of managers of client-side apply to the manager.
pub(super) fn upgrade(operation: &Operation<'_>) -> Result<OwnedDoc> {
    let live = operation.document(Role::Live);
    if live.as_map().is_none() {
        return Err(not_an_object(live));
    }
    let options = operation.options().field_manager;
    let updaters: Vec<&str> = options.csa_managers.iter().map(String::as_str).collect();
    let upgrade =
        CsaUpgrade { updaters: &updaters, applier: options.manager, subresource: options.subresource };
    upgrade_managed_fields(live, upgrade)
}

/// Calls `write` with the field manager of the request, the live object, and the properties of the request. `sent` is
/// the document that the request sends.
///
/// # Errors
///
/// [`ErrorKind::InvalidDocument`] if a document is not a map, [`ErrorKind::InvalidSchema`] if a list has metadata that
/// server-side apply does not understand, and the errors of `write`.
fn with_field_manager(
    context: &PatchContext,
    operation: &Operation<'_>,
    sent: &OwnedDoc,
    write: impl FnOnce(FieldManager<'_>, Option<&OwnedDoc>, WriteRequest<'_>) -> Result<OwnedDoc>,
) -> Result<OwnedDoc> {
    let options = operation.options().field_manager;
    let sent_version = match sent {
        Doc::Map(map) => map.get("apiVersion").and_then(Doc::as_str).unwrap_or_default(),
        other => return Err(not_an_object(other)),
    };
    let live = match operation.document(Role::Live) {
        Doc::Null => None,
        Doc::Map(map) if map.is_empty() => None,
        live @ Doc::Map(_) => Some(live),
        other => return Err(not_an_object(other)),
    };
    let api_version = options.api_version.unwrap_or(sent_version);
    let of_one_version;
    let resource = if let Some(resource) = options.resource {
        resource
    } else {
        context.schema.check_topology(context.root)?;
        of_one_version = resource_of_one_version(api_version, context);
        &of_one_version
    };
    let manager =
        FieldManager { resource, api_version, subresource: options.subresource, library: context.library };
    write(manager, live, WriteRequest { manager: options.manager, force: options.force, time: options.time })
}

fn not_an_object(document: &OwnedDoc) -> Error {
    let found = document.kind().with_article();
    Error::new(ErrorKind::InvalidDocument, format!("expected an object, found {found}"))
}

/// Creates a resource with one version, which has the types of the context.
fn resource_of_one_version(api_version: &str, context: &PatchContext) -> Resource {
    let version = ResourceVersion {
        api_version: Text::from(api_version),
        schema: Arc::clone(&context.schema),
        root: context.root,
        renames: Vec::new(),
        reset_fields: Vec::new(),
    };
    Resource::new(vec![version])
}
