//! `skewer apply`: a server-side apply or an update on files.

mod live_object;
mod notes;
mod raw;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use skewer_engine::patch::{LibraryChange, PatchContext};
use skewer_engine::schema::builtin;
use skewer_engine::server_side_apply::{BEFORE_FIRST_APPLY, Resource, ResourceVersion};
use skewer_engine::{Doc, Error, ErrorKind, OwnedDoc, OwnedText};
use skewer_execute::owners::split_owners;
use skewer_results::{Owner, owners};
use skewer_skew::{
    BuiltIn, Decoder, FieldManagerOptions, Operand, Operation, OperationKind, OperationOptions, Role,
    ServedResource, UnknownFieldHandling, convert, untyped_context,
};

use crate::cli::arguments::admission::{
    self, AdmissionArguments, ObjectAdmission, set_managed_fields, take_managed_fields,
};
use crate::cli::arguments::output::DocumentFormat;
use crate::cli::arguments::patch_context::{LoadedDefinition, LoadedProfile, TypeArguments};
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::{DocumentPair, InputDocument};
use crate::cli::output;
use live_object::{assume_uid, check_version, has_managed_fields, remove_assumed_uid};
use notes::{note_owners_in_other_versions, note_owners_not_computed, note_reset_fields};

/// The arguments of `skewer apply`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 success; 1 the request was refused, for example because of a conflict; 2 the \
                        command could not run (bad usage, unreadable document, unknown type)."
)]
pub(super) struct ApplyArguments {
    /// Live object with its managed fields, in JSON or YAML; - is standard input. Without it, the object is created.
    #[arg(long, value_name = "FILE")]
    live: Option<PathBuf>,
    #[command(flatten)]
    request: RequestArguments,
    /// Name of the field manager that sends the request.
    #[arg(long, value_name = "NAME")]
    manager: String,
    /// Take the fields that other managers own. Without this option, such a field is a conflict.
    #[arg(long, conflicts_with = "update")]
    force: bool,
    /// Subresource to which the request is sent, for example status.
    #[arg(long, value_name = "NAME", default_value = "")]
    subresource: String,
    #[command(flatten)]
    types: TypeArguments,
    /// The server: today (the newest release), kubernetes-1.N, or the file of a profile. With kubernetes-1.N, fields have the
    /// owners that the field manager of that release gives them, and custom resources are validated as by its server. The types
    /// are those of --schema.
    #[arg(long, value_name = "NAME|FILE", default_value = "today")]
    profile: String,
    #[command(flatten)]
    admission: AdmissionArguments,
    /// Apply without types, as servers do for custom resources without a schema: every list is atomic.
    #[arg(long, conflicts_with = "schema")]
    untyped: bool,
    /// Print the object with its managed fields, with each fieldsV1 in the order in which servers store it. A field set
    /// that the format cannot hold in this order is printed as text.
    #[arg(long)]
    raw: bool,
    /// Format of the result. Default: json if the document of the request is JSON, else yaml. In YAML, the owners of the
    /// fields are comments after the object. In JSON, the members object and owners of one object.
    #[arg(short, long, value_name = "FORMAT", value_enum)]
    output: Option<DocumentFormat>,
}

/// The document of the request.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct RequestArguments {
    /// Apply configuration, in JSON or YAML; - is standard input.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The whole new object of an update, in JSON or YAML; - is standard input.
    #[arg(long, value_name = "FILE")]
    update: Option<PathBuf>,
}

/// The operation of a request, and the document that it sends.
struct Request<'a> {
    kind: OperationKind,
    role: Role,
    path: &'a Path,
}

impl RequestArguments {
    fn request(&self) -> Result<Request<'_>> {
        let apply = (OperationKind::ServerSideApply, Role::Configuration, self.config.as_deref());
        let update = (OperationKind::ManagedUpdate, Role::New, self.update.as_deref());
        let given = [apply, update]
            .into_iter()
            .find_map(|(kind, role, path)| path.map(|path| Request { kind, role, path }));
        given.ok_or_else(|| Failure::could_not_run("expected --config or --update"))
    }
}

pub(super) fn apply(arguments: &ApplyArguments) -> Result {
    let request = arguments.request.request()?;
    let paths: Vec<&Path> = std::iter::once(request.path).chain(arguments.live.as_deref()).collect();
    let mut documents = InputDocument::read_list(paths)?;
    documents.first().map_or(Ok(()), check_identity)?;
    let format = arguments
        .output
        .unwrap_or_else(|| documents.first().map_or(DocumentFormat::Yaml, DocumentFormat::of_input));
    let types = arguments.load_types(&documents)?;
    check_version(&documents, &types.resource)?;
    let of_definition = arguments.admission.of(types.definition.as_ref(), &arguments.subresource)?;
    let admission = match of_definition {
        Some(of_definition) => Some(of_definition),
        None => arguments.go_type(&types, request.kind)?,
    };
    if documents.len() == 1 && !arguments.subresource.is_empty() {
        let message = "a request to a subresource does not create the object: name the live object (--live)";
        return Err(documents[0].refusal(&Error::new(ErrorKind::NotFound, message)));
    }
    let live = documents.get_mut(1).filter(|live| live.value.as_map().is_some_and(|map| !map.is_empty()));
    let has_assumed_uid = live.is_some_and(|live| assume_uid(&mut live.value));
    let mut decoded = decode(&documents, admission.as_ref(), request.kind)?;
    let old = old_object(&decoded);
    let options = FieldManagerOptions {
        manager: &arguments.manager,
        force: arguments.force,
        subresource: &arguments.subresource,
        resource: Some(&types.resource),
        ..FieldManagerOptions::default()
    };
    if let Some(ObjectAdmission::GoType { .. }) = &admission {
        let new = types.new_object(documents.first());
        match (request.kind, decoded.len()) {
            (OperationKind::ManagedUpdate, 1) => decoded.extend(new.map(Cow::Owned)),
            (OperationKind::ServerSideApply, 2) if !has_managed_fields(&decoded[1]) => {
                let options = FieldManagerOptions { manager: BEFORE_FIRST_APPLY, ..options };
                let kind = OperationKind::ManagedUpdate;
                let new = new.unwrap_or_default();
                let managed =
                    types.perform(kind, [(Role::Live, &new), (Role::New, &*decoded[1])], options)?;
                decoded[1] = Cow::Owned(managed.map_err(|error| refusal(&documents, &error.in_base()))?);
            }
            _ => {}
        }
    }
    let operands = [request.role, Role::Live].into_iter().zip(decoded.iter().map(|document| &**document));
    let answer = types.perform(request.kind, operands, options)?;
    let has_owners = answer.is_ok();
    let merged = match answer {
        Ok(object) => object,
        Err(error)
            if request.kind == OperationKind::ManagedUpdate
                && types.accepts(&decoded, admission.is_some()) =>
        {
            let library = types.context.library;
            let pair = pair_of(&documents);
            let of_field = Some(pair.document_with(&error)).filter(|_| !error.path().segments().is_empty());
            note_owners_not_computed(of_field.or(pair.base).unwrap_or(pair.other), &error, library);
            let mut object = OwnedDoc::clone(&decoded[0]);
            take_managed_fields(&mut object);
            if library.has(LibraryChange::OwnersKept) {
                let mut live = documents.get(1).map(|live| live.value.clone()).unwrap_or_default();
                set_managed_fields(&mut object, take_managed_fields(&mut live));
            }
            object
        }
        Err(error) => return Err(refusal(&documents, &error)),
    };
    let mut object = match &admission {
        Some(admission) => admit(admission, merged, old.as_ref(), request.kind)
            .map_err(|errors| admission::refusal(pair_of(&documents), &errors))?,
        None => merged,
    };
    if has_owners {
        note_owners_in_other_versions(&documents, &types.resource);
    }
    note_reset_fields(documents.first(), &types.resource);
    if has_assumed_uid {
        remove_assumed_uid(&mut object);
    }
    arguments.print(&object, format).map(|()| Exit::Ok)
}

/// Returns the values of the documents as a server decodes them. A configuration is decoded when it is merged.
fn decode<'d>(
    documents: &'d [InputDocument],
    admission: Option<&ObjectAdmission>,
    kind: OperationKind,
) -> Result<Vec<Cow<'d, OwnedDoc>>> {
    let decoded = documents.iter().enumerate().map(|(index, document)| match admission {
        Some(admission)
            if document.value.as_map().is_some()
                && (index > 0 || kind == OperationKind::ManagedUpdate)
                && admission.is_for(document, &documents[0]) =>
        {
            if let Some(error) = admission.unknown_field(&document.value) {
                let (name, path) = (document.name(), error.path());
                output::error(&format!("note: {name}: a server drops {path}, which the type lacks"));
            }
            admission.decode(&document.value).map(Cow::Owned).map_err(|error| document.refusal(&error))
        }
        _ => Ok(Cow::Borrowed(&document.value)),
    });
    decoded.collect()
}

/// Returns the live object without its managed fields. `None` if it does not exist.
fn old_object(decoded: &[Cow<'_, OwnedDoc>]) -> Option<OwnedDoc> {
    let live = decoded.get(1).filter(|live| live.as_map().is_some_and(|map| !map.is_empty()))?;
    let mut old = OwnedDoc::clone(live);
    take_managed_fields(&mut old);
    Some(old)
}

/// Admits the result of a request. The managed fields are not a part of the object that is validated.
fn admit(
    admission: &ObjectAdmission,
    mut object: OwnedDoc,
    old: Option<&OwnedDoc>,
    kind: OperationKind,
) -> std::result::Result<OwnedDoc, Vec<Error>> {
    let managed_fields = take_managed_fields(&mut object);
    if kind == OperationKind::ServerSideApply {
        object = admission.default_applied(&object).map_err(|error| vec![error])?;
    }
    let mut stored = admission.admit(old, object)?;
    set_managed_fields(&mut stored, managed_fields);
    Ok(stored)
}

struct ResourceTypes {
    /// The types of the version of the request.
    context: PatchContext,
    /// All versions.
    resource: Resource,
    /// The custom resource, if the types are those of a definition.
    definition: Option<LoadedDefinition>,
}

impl ResourceTypes {
    /// Performs an operation of a field manager.
    ///
    /// # Errors
    /// Fails if the documents are not those of the operation. The inner error is a refusal.
    fn perform<'a>(
        &self,
        kind: OperationKind,
        documents: impl IntoIterator<Item = (Role, &'a OwnedDoc)>,
        field_manager: FieldManagerOptions<'_>,
    ) -> Result<skewer_engine::Result<OwnedDoc>> {
        let operands = documents.into_iter().map(|(role, document)| (role, Operand::from(document)));
        let operation = Operation::new(kind, Some(&self.context), operands);
        let operation = operation.map_err(|error| Failure::could_not_run(error.to_string()))?;
        let options = OperationOptions { field_manager, ..OperationOptions::default() };
        Ok(BuiltIn::execute(&operation.with_options(options)))
    }

    /// Returns true if a server accepts an update whose owners its field manager cannot compute: it refuses only documents that it
    /// cannot decode. Decoded documents have been read without an error. Upstream: `FieldManager.UpdateNoErrors`.
    fn accepts(&self, documents: &[Cow<'_, OwnedDoc>], are_decoded: bool) -> bool {
        let decodes = |document: &Cow<'_, OwnedDoc>| {
            convert(&self.context, document, Decoder::Json, UnknownFieldHandling::Drop).is_ok()
        };
        let are_objects = documents.iter().all(|document| document.is_null() || document.as_map().is_some());
        are_objects && (are_decoded || documents.first().is_some_and(decodes))
    }

    /// Returns an object of the Go type in which no field is set, with the apiVersion and the kind of the request.
    fn new_object(&self, sent: Option<&InputDocument>) -> Option<OwnedDoc> {
        let mut new = ServedResource::new(&self.context, None).new_object()?;
        let (api_version, kind) = sent.and_then(InputDocument::kind)?;
        let map = new.as_map_mut()?;
        map.insert("apiVersion".into(), Doc::from(api_version).to_static());
        map.insert("kind".into(), Doc::from(kind).to_static());
        Some(new)
    }
}

impl ApplyArguments {
    /// Returns the Go type as which a server reads and writes objects, if they are of a built-in kind of a release. A whole object
    /// is read in this way with all types that are not those of a definition: a server drops the fields that the type lacks.
    ///
    /// # Errors
    /// Fails if the kind does not have the subresource.
    fn go_type(&self, types: &ResourceTypes, kind: OperationKind) -> Result<Option<ObjectAdmission>> {
        let is_built_in = builtin::release_of_schema(&types.context.schema).is_some();
        let is_read = kind == OperationKind::ManagedUpdate && types.definition.is_none() && !self.untyped;
        if !(is_built_in || is_read) || self.admission.no_admission {
            return Ok(None);
        }
        if is_built_in {
            admission::check_subresource(&types.context, &self.subresource)?;
        }
        let (context, subresource) = (types.context.clone(), self.subresource.clone());
        Ok(Some(ObjectAdmission::GoType { context, subresource }))
    }

    /// Loads the types for documents. The first of them, which the request sends, determines the type.
    fn load_types(&self, documents: &[InputDocument]) -> Result<ResourceTypes> {
        let (api_version, _) = documents.first().and_then(InputDocument::kind).unwrap_or_default();
        let LoadedProfile { library, options, .. } = LoadedProfile::load(&self.profile)?;
        if self.untyped {
            let context = untyped_context().map_err(|error| Failure::could_not_run(error.message()))?;
            let context = PatchContext { library, ..context };
            let resource = Resource::new(vec![version_of(api_version, &context)]);
            return Ok(ResourceTypes { context, resource, definition: None });
        }
        let (types, file) = self.types.load_with_file(documents)?;
        // A server converts the live object.
        let sent = documents.get(..1).filter(|sent| sent[0].kind().is_some()).unwrap_or(documents);
        let context = self.types.context_of(&types, sent, &refuse_unknown_kind)?;
        let context = PatchContext { library, ..context };
        let definition = LoadedDefinition::of(file.as_ref(), &types, &context)?;
        let definition = definition.map(|definition| LoadedDefinition { options, ..definition });
        // The versions of a custom resource differ only in their types, unless it has a conversion webhook.
        let admission = definition.as_ref().map(|loaded| loaded.resource.admission(loaded.options, &[]));
        let served = ServedResource::new(&context, admission.as_ref());
        let resource = served.resource(api_version, &self.subresource);
        let resource = resource.map_err(|error| Failure::could_not_run(error.message()))?;
        let resource = resource.unwrap_or_else(|| Resource::new(vec![version_of(api_version, &context)]));
        Ok(ResourceTypes { context, resource, definition })
    }

    /// Prints the object that the request stores, and the owners of its fields.
    fn print(&self, object: &OwnedDoc, format: DocumentFormat) -> Result<()> {
        if self.raw {
            return match raw::text(object, format) {
                Some(text) => output::print_document(&text),
                None => format.print(object),
            };
        }
        let (object, owners) = split_owners(object);
        match format {
            DocumentFormat::Json => output::print_json(&OwnedObject { object: &object, owners: &owners }),
            DocumentFormat::Yaml => {
                format.print(&object)?;
                output::print(&comment(&owners))
            }
        }
    }
}

fn refuse_unknown_kind(document: &InputDocument, types_name: &str, kind: &str) -> Failure {
    let message = format!(
        "{}: {types_name} has no type {kind}\nhelp: read the type from a file (--schema FILE#TYPE), or \
         apply without types (--untyped)",
        document.name()
    );
    Failure::could_not_run(message)
}

fn version_of(api_version: &str, context: &PatchContext) -> ResourceVersion {
    ResourceVersion {
        api_version: OwnedText::from(api_version.to_owned()),
        schema: Arc::clone(&context.schema),
        root: context.root,
        renames: Vec::new(),
        reset_fields: Vec::new(),
    }
}

/// Checks that the object that a request sends has an apiVersion and a kind.
fn check_identity(sent: &InputDocument) -> Result<()> {
    let has_identity =
        sent.kind().is_some_and(|(api_version, kind)| !api_version.is_empty() && !kind.is_empty());
    // The operation refuses a document that is no object.
    if has_identity || sent.value.as_map().is_none() {
        return Ok(());
    }
    let message = format!("{} has no apiVersion and kind, which every request must have", sent.name());
    Err(Failure::could_not_run(message))
}

/// An object and the owners of its fields, as JSON output has them.
#[derive(Serialize)]
struct OwnedObject<'a> {
    object: &'a OwnedDoc,
    owners: &'a [Owner],
}

/// Returns owners as a YAML comment.
fn comment(owners: &[Owner]) -> String {
    if owners.is_empty() {
        return "# no field has an owner\n".to_owned();
    }
    let lines = owners::text(owners);
    let comments: Vec<String> =
        std::iter::once("owners:").chain(lines.lines()).map(|line| format!("# {line}\n")).collect();
    comments.concat()
}

/// Creates the failure for a refused request. `documents` are the document that the request sends and the live object.
fn refusal(documents: &[InputDocument], error: &Error) -> Failure {
    if !error.conflicts().is_empty() {
        return Failure::new(Exit::CellFailed, describe_conflict(error));
    }
    pair_of(documents).refusal(error)
}

/// Returns the live object and the document that the request sends, which comes first.
fn pair_of(documents: &[InputDocument]) -> DocumentPair<'_> {
    DocumentPair { base: documents.get(1), other: &documents[0] }
}

/// Returns the message of a conflict. It begins with the lines that kubectl prints.
fn describe_conflict(error: &Error) -> String {
    let message = error.message();
    format!(
        "error: {message}
Other managers own these fields. There are three ways to resolve the conflict:
* To manage the fields from now on, run the command again with `--force`. Their
  other managers lose them.
* To leave the fields to their managers, remove them from the configuration.
* To share the fields, write the values of the live object into the
  configuration. Each field then has several managers.
"
    )
}
