//! The operation `request`: a whole request to an API server.

use std::convert::Infallible;

use skewer_engine::document::{Doc, OwnedDoc, from_json_with_duplicate_keys};
use skewer_engine::error::{Error, ErrorKind, Result};
use skewer_engine::patch::PatchContext;
use skewer_engine::union::policy;

use crate::endpoint::Endpoint;
use crate::operations::{ApiRequestOptions, Operation, Operations, Role, infallible};
use crate::party::{BuiltInDefaults, Server};
use crate::request::{RequestOptions, RequestType};
use crate::simulated_server::{ServerRequest, SimulatedServer};
use crate::stored_object::{
    StoredObject, kind_of_root, remove_times, take_managed_fields, with_managed_fields,
};

/// Processes a request with the simulated request handlers, which perform the operations of an implementation. The context
/// is that of the server. The order of the checks is
/// upstream's (`k8s.io/apiserver/pkg/endpoints/handlers`): a whole object is decoded before the server looks for the live
/// object, and a patch after that.
pub(super) fn process(
    context: &PatchContext,
    operation: &Operation<'_>,
    operations: &dyn Operations<Infallible>,
) -> Result<OwnedDoc> {
    let options = operation.options();
    let (request, manager) = (options.request, options.field_manager);
    let live = operation.document_if_any(Role::Live);
    let mut body = read_body(operation.document(Role::Body), request)?;
    let server = Server {
        context: context.clone(),
        strict: request.strict,
        policy: policy::NONE,
        admission: request.admission.cloned(),
        defaults: BuiltInDefaults::NotSimulated,
    };
    let of_definition = request.admission.and_then(|_| server.resource().api_version());
    let api_version = manager.api_version.or(of_definition.as_deref());
    let endpoint = Endpoint::of(context, api_version, request.kind, live, &body);
    if !request.request_type.is_whole_object() {
        check_existence(request.request_type, live)?;
    }
    let is_managed = request.request_type == RequestType::ServerSideApply
        || !manager.manager.is_empty()
        || live.is_some_and(has_managed_fields)
        || has_managed_fields(&body);
    endpoint.complete_body(request.request_type, &mut body);
    let live = live.map(|live| endpoint.complete_live(live));
    let live = live.as_ref();
    let stored = StoredObject::new(live.unwrap_or(&Doc::Null), is_managed);
    let sent_managed_fields = if is_managed && request.request_type.is_whole_object() {
        take_managed_fields(&mut body)
    } else {
        Vec::new()
    };
    let simulated = SimulatedServer {
        server: &server,
        kind: request.kind.unwrap_or_else(|| kind_of_root(context)),
        keeps_managed_fields: is_managed,
        webhook: None,
        time: None,
        endpoint: Some(&endpoint),
    };
    let request = ServerRequest {
        request_type: request.request_type,
        body: &body,
        managed_fields: &sent_managed_fields,
        options: &RequestOptions {
            manager: manager.manager.into(),
            force: manager.force,
            resource_version: None,
            subresource: manager.subresource.into(),
            tool: None,
        },
        negotiated: None,
    };
    let (mut object, managed_fields) =
        simulated.process(&request, &stored, operations, &mut |_, _| {}).map_err(infallible)?;
    if server.strict && request.request_type == RequestType::JsonPatch {
        refuse_unknown_members(&body)?;
    }
    if request.request_type != RequestType::Create {
        endpoint.check_name(&object)?;
    }
    check_existence(request.request_type, live)?;
    check_resource_version(live, &object)?;
    Endpoint::remove_repeated_owners(&mut object);
    endpoint.remove_added(&mut object);
    Ok(with_managed_fields(&object, &remove_times(managed_fields)).into_owned())
}

/// Refuses a request to create an object that exists, and a request to change an object that does not exist. A
/// server-side apply can do both.
fn check_existence(request_type: RequestType, live: Option<&OwnedDoc>) -> Result<()> {
    match (request_type, live) {
        (RequestType::Create, Some(_)) => {
            Err(Error::new(ErrorKind::AlreadyExists, "the object to create exists already"))
        }
        (RequestType::ServerSideApply | RequestType::Create, _) | (_, Some(_)) => Ok(()),
        (_, None) => Err(Error::new(ErrorKind::NotFound, "the object to change does not exist")),
    }
}

/// Returns the body of a request. A string is the text of the body, in which keys can occur several times: the last one
/// counts, unless the server validates fields strictly.
fn read_body(body: &OwnedDoc, request: ApiRequestOptions<'_>) -> Result<OwnedDoc> {
    let Doc::String(text) = body else { return Ok(body.clone()) };
    let read =
        from_json_with_duplicate_keys(text.as_bytes()).map_err(|error| match request.request_type {
            RequestType::JsonPatch => Error::new(ErrorKind::JsonPatchFailed, error.message().to_owned()),
            _ => error,
        })?;
    if request.strict {
        skewer_engine::document::from_json(text.as_bytes())?;
    }
    Ok(read)
}

/// Refuses a JSON patch whose operations have other members than those of JSON patch. Upstream: `jsonPatchOp`.
fn refuse_unknown_members(patch: &OwnedDoc) -> Result<()> {
    for (index, operation) in patch.as_list().unwrap_or_default().iter().enumerate() {
        let Some(operation) = operation.as_map() else { continue };
        let mut members = operation.keys();
        if let Some(unknown) = members.find(|key| !["op", "path", "from", "value"].contains(&key.as_str())) {
            let message =
                format!("unknown field {unknown} of a JSON patch, refused by strict field validation");
            return Err(Error::new(ErrorKind::StrictUnknownField, message).at(unknown).at_index(index));
        }
    }
    Ok(())
}

fn metadata<'d>(object: &'d OwnedDoc, key: &str) -> Option<&'d OwnedDoc> {
    object.as_map()?.get("metadata")?.as_map()?.get(key)
}

fn has_managed_fields(object: &OwnedDoc) -> bool {
    metadata(object, "managedFields").is_some()
}

/// Refuses an object with another resource version than the live object. A live object that does not say its own has the
/// version 1.
fn check_resource_version(live: Option<&OwnedDoc>, new: &OwnedDoc) -> Result<()> {
    let version =
        |object| metadata(object, "resourceVersion").and_then(Doc::as_str).filter(|v| !v.is_empty());
    let Some(live) = live else { return Ok(()) };
    match version(new) {
        Some(new) if new != version(live).unwrap_or("1") => {
            let message =
                "the object has been modified: the request has another resource version than the live object";
            Err(Error::new(ErrorKind::Conflict, message))
        }
        _ => Ok(()),
    }
}
