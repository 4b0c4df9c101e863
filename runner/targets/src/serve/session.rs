//! A session with a runner: the schemas that are kept between requests, and the answers to `run` requests.

use std::borrow::Cow;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use skewer_admission::{AdmitRequest, DefinitionRequest};
use skewer_engine::directive::{DirectiveSet, REGISTRY};
use skewer_engine::document::JsonProblem;
use skewer_engine::error::ManagerConflict;
use skewer_engine::patch::{Overwrite, PatchContext, Precondition, SpareCapacity};
use skewer_engine::profile::Profile;
use skewer_engine::schema::{Schema, builtin, openapi};
use skewer_engine::server_side_apply::{Rename, Resource, ResourceVersion, VersionConversion};
use skewer_engine::union;
use skewer_engine::{Doc, Error, ErrorKind, OwnedDoc, OwnedText, Text};
use skewer_skew::{
    ApiRequestOptions, BuiltIn, FieldManagerOptions, InvalidOperation, Operand, Operation, OperationKind,
    OperationOptions, RequestType, first_error, untyped_context,
};

use skewer_protocol::admit::{AdmitMessage, DefinitionMessage};
use skewer_protocol::bounded_list::BoundedList;
use skewer_protocol::documents::Documents;
use skewer_protocol::messages::{
    ConflictMessage, LOOKUPS, OptionsMessage, PreconditionMessage, ProfileMessage, RawDocument, Refusal,
    Reply, RequestMessage, SchemaMessage, UNSTRUCTURED_LOOKUP, VersionMessage, parse_message, read_document,
};

use super::unions::{AdmitUnionMessage, take_unions, with_unions};

/// Maximum number of schemas that are kept in a session.
const MAX_SCHEMAS: usize = 4096;

/// Maximum total length of the schema texts that are kept in a session, in bytes. The types of a Kubernetes release
/// have 10 MiB.
const MAX_SCHEMA_BYTES: usize = 128 << 20;

/// The state that is kept between requests.
#[derive(Debug, Default)]
pub(super) struct Session {
    schemas: HashMap<String, KeptSchema>,
    /// Total length of the schema texts that are kept.
    schema_bytes: usize,
}

/// A schema that the runner sent with an id.
#[derive(Debug)]
struct KeptSchema {
    schema: Arc<Schema>,
    root: String,
    /// Length of the schema text.
    bytes: usize,
}

/// The reason why a request has no result.
enum RunFailure {
    InvalidRequest(String),
    /// The request needs something that the engine does not support.
    Unsupported(String),
    /// The engine refused the operation.
    Refused(Box<Refusal>),
}

impl From<Error> for RunFailure {
    fn from(error: Error) -> Self {
        let path = error.known_path().map(ToString::to_string);
        let (kind, message) = (Cow::Borrowed(error.kind().id()), error.message().to_owned());
        let directive = error.directive().map(str::to_owned);
        let kinds = match error.kinds().as_slice() {
            [_] => Vec::new(),
            kinds => kinds.iter().map(|kind| Cow::Borrowed(kind.id())).collect(),
        };
        let conflicts = error.conflicts().iter().map(conflict_message).collect();
        RunFailure::Refused(Box::new(Refusal { kind, directive, message, path, kinds, conflicts }))
    }
}

fn conflict_message(conflict: &ManagerConflict) -> ConflictMessage {
    let ManagerConflict { manager, path, operation, api_version, subresource } = conflict.clone();
    ConflictMessage { manager, operation, api_version, subresource, path }
}

impl From<InvalidOperation> for RunFailure {
    fn from(invalid: InvalidOperation) -> Self {
        RunFailure::InvalidRequest(invalid.to_string())
    }
}

impl Session {
    /// Answers one `run`.
    pub(super) fn run(&mut self, seq: u64, request: RequestMessage<RawDocument<'_>>) -> Reply {
        reply(seq, || self.run_operation(request))
    }

    fn run_operation(&mut self, request: RequestMessage<RawDocument<'_>>) -> Result<OwnedDoc, RunFailure> {
        // The schema is stored even if its request fails, because later requests can refer to it by id.
        let schema = request.schema.map(|schema| self.resolve_schema(schema)).transpose()?;
        let name = request.operation.as_deref().unwrap_or_default();
        let kind: Result<OperationKind, _> = name.parse();
        let is_request = kind.as_ref().is_ok_and(|kind| kind.declaration().is_request());
        let read = if is_request { read_body } else { read_request_document };
        let documents = request.documents.unwrap_or_default().try_map(read)?;
        let kind = kind.map_err(|_| RunFailure::Unsupported(format!("unknown operation {name:?}")))?;
        let options = request.options;
        let context = match schema {
            _ if !kind.declaration().needs_types() => None,
            None if is_request => Some(api_server_context(&options, &documents)?),
            None if kind.declaration().needs_schema() => return Err(InvalidOperation::NoTypes(kind).into()),
            None => Some(untyped_context()?),
            Some((schema, root)) => {
                let directives = directive_set(&request.profile)?;
                let custom_resource = options.lookup.as_deref() == Some(UNSTRUCTURED_LOOKUP);
                Some(PatchContext { directives, custom_resource, ..PatchContext::of(schema, &root)? })
            }
        };
        if let Some(lookup) = options.lookup.as_deref().filter(|lookup| !LOOKUPS.contains(lookup)) {
            return Err(RunFailure::Unsupported(format!("the lookup {lookup:?} is not known")));
        }
        let preconditions: Vec<Precondition> =
            options.preconditions.iter().map(precondition).collect::<Result<_, _>>()?;
        if !preconditions.is_empty() && !kind.declaration().takes_preconditions {
            return Err(RunFailure::Unsupported(format!("{name} takes no preconditions")));
        }
        let overwrite = if options.overwrite { Overwrite::Yes } else { Overwrite::No };
        let operation = Operation::new(kind, context.as_ref(), documents.operands())?;
        let resource = match &context {
            Some(context) => resource(&options, context)?,
            None => None,
        };
        let field_manager = FieldManagerOptions {
            manager: &options.manager,
            force: options.force,
            subresource: &options.subresource,
            api_version: options.api_version.as_deref(),
            time: None,
            resource: resource.as_ref(),
            csa_managers: &options.csa_managers,
        };
        let request = api_request_options(kind, &options)?;
        let options = OperationOptions { overwrite, preconditions: &preconditions, field_manager, request };
        Ok(BuiltIn::execute(&operation.with_options(options))?)
    }

    /// Answers one `admit-union`.
    pub(super) fn admit_unions(&mut self, seq: u64, line: &[u8]) -> Reply {
        reply(seq, || {
            let message: AdmitUnionMessage<'_> = parse_message(line)
                .map_err(|error| RunFailure::InvalidRequest(format!("the line is not a request: {error}")))?;
            let rules = message.rules().ok_or_else(|| {
                RunFailure::Unsupported(format!("the rules {:?} are not known", message.policy()))
            })?;
            let (schema, root) = self.resolve_schema(message.schema)?;
            let context = PatchContext::of(schema, &root)?;
            let old = message.documents.old.map(read_request_document).transpose()?;
            let new = read_request_document(message.documents.new)?;
            let old = old.as_ref().filter(|old| !old.is_null());
            Ok(union::admit(&context, rules, old, new).map_err(first_error)?.object)
        })
    }

    fn resolve_schema(
        &mut self,
        message: SchemaMessage<RawDocument<'_>>,
    ) -> Result<(Arc<Schema>, String), RunFailure> {
        let Some(document) = message.openapi else {
            let id = message.id.unwrap_or_default();
            let Some(KeptSchema { schema, root, .. }) = self.schemas.get(&id) else {
                return Err(RunFailure::InvalidRequest(format!("no schema was sent with the id {id}")));
            };
            return Ok((Arc::clone(schema), message.root.unwrap_or_else(|| root.clone())));
        };
        let schema = Arc::new(read_schema(read_request_document(document)?)?);
        let root = message.root.unwrap_or_default();
        if let Some(id) = message.id {
            let kept =
                KeptSchema { schema: Arc::clone(&schema), root: root.clone(), bytes: document.get().len() };
            self.keep_schema(id, kept)?;
        }
        Ok((schema, root))
    }

    fn keep_schema(&mut self, id: String, kept: KeptSchema) -> Result<(), RunFailure> {
        let replaced = self.schemas.get(&id);
        let count = self.schemas.len() + usize::from(replaced.is_none());
        let bytes = self.schema_bytes - replaced.map_or(0, |replaced| replaced.bytes) + kept.bytes;
        if count > MAX_SCHEMAS || bytes > MAX_SCHEMA_BYTES {
            return Err(RunFailure::InvalidRequest(format!(
                "at most {MAX_SCHEMAS} schemas and {} MiB of them are kept: reuse the ids of old schemas",
                MAX_SCHEMA_BYTES >> 20
            )));
        }
        self.schema_bytes = bytes;
        self.schemas.insert(id, kept);
        Ok(())
    }
}

fn reply(seq: u64, perform: impl FnOnce() -> Result<OwnedDoc, RunFailure>) -> Reply {
    let answer = catch_unwind(AssertUnwindSafe(perform));
    let answer = answer.unwrap_or_else(|_| {
        let message = "the engine panicked; its message is on standard error".to_owned();
        let kind = Cow::Borrowed("panic");
        Err(RunFailure::Refused(Box::new(Refusal { kind, message, ..Refusal::default() })))
    });
    match answer {
        Ok(result) => Reply { seq: Some(seq), result: Some(result), ..Reply::of("result") },
        Err(RunFailure::Refused(refusal)) => {
            Reply { seq: Some(seq), error: Some(*refusal), ..Reply::of("refused") }
        }
        Err(RunFailure::Unsupported(why)) => {
            Reply { seq: Some(seq), reason: Some(why), ..Reply::of("unsupported") }
        }
        Err(RunFailure::InvalidRequest(why)) => Reply::error(Some(seq), why),
    }
}

/// Answers one `admit`.
pub(super) fn admit(seq: u64, line: &[u8]) -> Reply {
    reply(seq, || {
        let message: AdmitMessage<RawDocument<'_>> = parse_message(line)
            .map_err(|error| RunFailure::InvalidRequest(format!("the line is not a request: {error}")))?;
        let documents = message.documents.try_map(read_request_document)?;
        if let Some(version) = message.options.version {
            return Err(RunFailure::Unsupported(format!("only the first version, not {version}")));
        }
        let request = AdmitRequest {
            definition: &documents.definition,
            old: documents.old.as_ref().filter(|old| !old.is_null()),
            new: &documents.new,
            strict: message.options.field_validation.as_deref() == Some("Strict"),
            ratcheting: message.options.ratcheting.unwrap_or(true),
        };
        Ok(skewer_admission::answer(&request.admission()?, &request)?)
    })
}

/// Answers one `validate-definition`.
pub(super) fn validate_definition(seq: u64, line: &[u8]) -> Reply {
    reply(seq, || {
        let message: DefinitionMessage<RawDocument<'_>> = parse_message(line)
            .map_err(|error| RunFailure::InvalidRequest(format!("the line is not a request: {error}")))?;
        let old = message.documents.old.map(read_request_document).transpose()?;
        let new = read_request_document(message.documents.new)?;
        let request = DefinitionRequest { new: &new, old: old.as_ref().filter(|old| !old.is_null()) };
        Ok(request.answer()?)
    })
}

/// Parses a document of a whole request. A document in which a key occurs several times becomes its text.
fn read_body(raw: RawDocument<'_>) -> Result<OwnedDoc, RunFailure> {
    match read_document(raw) {
        Err(error) if matches!(error.problem(), JsonProblem::DuplicateKey { .. }) => {
            Ok(Doc::from(raw.get()).to_static())
        }
        _ => read_request_document(raw),
    }
}

/// Returns the context of an API server of the newest embedded release for the endpoint of a request.
fn api_server_context(
    options: &OptionsMessage,
    documents: &Documents<OwnedDoc>,
) -> Result<PatchContext, RunFailure> {
    let member = |key: &str| {
        let mut values = documents.operands().filter_map(|(_, operand)| match operand {
            Operand::Document(document) => document.as_map()?.get(key)?.as_str().map(str::to_owned),
            Operand::List(_) => None,
        });
        values.next()
    };
    let api_version = options.api_version.clone().or_else(|| member("apiVersion"));
    let kind = options.kind.clone().or_else(|| member("kind"));
    let (Some(api_version), Some(kind)) = (api_version, kind) else {
        let message = "neither the options nor the documents have `apiVersion` and `kind`";
        return Err(RunFailure::InvalidRequest(message.to_owned()));
    };
    let release = builtin::newest();
    let name = release.find(&api_version, &kind).ok_or_else(|| {
        RunFailure::Unsupported(format!("{} has no kind {kind} of {api_version}", release.name()))
    })?;
    let (directives, spare_capacity) = (Profile::Today.directives(), SpareCapacity::None);
    Ok(PatchContext { directives, spare_capacity, ..PatchContext::of(Arc::clone(release.schema()), name)? })
}

fn api_request_options(
    kind: OperationKind,
    options: &OptionsMessage,
) -> Result<ApiRequestOptions<'_>, RunFailure> {
    if !kind.declaration().is_request() {
        return Ok(ApiRequestOptions::default());
    }
    let name = options.request.as_deref().unwrap_or_default();
    let request_type = RequestType::from_name(name)
        .ok_or_else(|| RunFailure::Unsupported(format!("requests of type {name:?} are not known")))?;
    let strict = options.field_validation.as_deref() == Some("Strict");
    Ok(ApiRequestOptions { request_type, strict, kind: options.kind.as_deref(), admission: None })
}

/// Parses a document of a request. The engine refuses a document that exceeds one of its limits; a text that is not
/// JSON makes the request invalid.
fn read_request_document(raw: RawDocument<'_>) -> Result<OwnedDoc, RunFailure> {
    read_document(raw).map_err(|error| match error.problem() {
        JsonProblem::TooDeep | JsonProblem::NumberOutOfRange(_) | JsonProblem::TooManyNodes(_) => {
            RunFailure::from(Error::from(error))
        }
        _ => RunFailure::InvalidRequest(format!("the line is not a request: in a document, {error}")),
    })
}

fn read_schema(mut document: OwnedDoc) -> Result<Schema, Error> {
    // The OpenAPI parser requires a version, which the protocol leaves out.
    if let Some(map) = document.as_map_mut().filter(|map| !map.contains_key("openapi")) {
        map.insert(Text::from_static("openapi"), Doc::from("3.0.0"));
    }
    let invalid = |errors: Vec<Error>| {
        let messages: Vec<String> = errors.iter().map(Error::to_string).collect();
        Error::new(ErrorKind::InvalidSchema, messages.join("; "))
    };
    let unions = take_unions(&mut document)?;
    let declarations = openapi::read(&document).map_err(invalid)?;
    with_unions(Schema::compile(&declarations).map_err(invalid)?, unions)
}

/// Returns the directives of released Kubernetes versions, with the changes that the profile names.
fn directive_set(profile: &ProfileMessage) -> Result<DirectiveSet, RunFailure> {
    if let Some(unknown) = profile.with.iter().find(|name| !DirectiveSet::all().knows(name)) {
        return Err(RunFailure::Unsupported(format!("the directive {unknown} is not known")));
    }
    let shipped = Profile::Today.directives();
    let known = |name: &str| {
        !profile.without.iter().any(|without| without == name)
            && (shipped.knows(name) || profile.with.iter().any(|with| with == name))
    };
    Ok(DirectiveSet::of(REGISTRY.iter().copied().filter(|directive| known(directive.name()))))
}

/// Reads the versions of a resource. Returns `None` if the request names none.
fn resource(options: &OptionsMessage, context: &PatchContext) -> Result<Option<Resource>, RunFailure> {
    let versions: Result<Vec<_>, _> =
        options.versions.iter().map(|version| resource_version(version, context)).collect();
    let conversion =
        if context.custom_resource { VersionConversion::CustomResource } else { VersionConversion::Declared };
    Ok(Some(Resource { versions: versions?, conversion }).filter(|resource| !resource.versions.is_empty()))
}

fn resource_version(message: &VersionMessage, context: &PatchContext) -> Result<ResourceVersion, RunFailure> {
    let path = |keys: &BoundedList<String>| -> Vec<OwnedText> { keys.0.iter().map(Text::from).collect() };
    let root = match &message.root {
        Some(root) => context.schema.named(root).ok_or_else(|| {
            RunFailure::InvalidRequest(format!(
                "the version {} has the root {root:?}, which the schema does not have",
                message.api_version
            ))
        })?,
        None => context.root,
    };
    let renames = message.renames.iter();
    Ok(ResourceVersion {
        api_version: Text::from(&message.api_version),
        schema: Arc::clone(&context.schema),
        root,
        renames: renames
            .map(|rename| Rename { hub: path(&rename.hub), version: path(&rename.version) })
            .collect(),
        reset_fields: message.reset_fields.iter().map(path).collect(),
    })
}

fn precondition(message: &PreconditionMessage) -> Result<Precondition, RunFailure> {
    match (&message.key_unchanged, &message.metadata_key_unchanged) {
        (Some(key), None) => Ok(Precondition::KeyUnchanged(Text::from(key))),
        (None, Some(key)) => Ok(Precondition::MetadataKeyUnchanged(Text::from(key))),
        _ => Err(RunFailure::InvalidRequest(
            "invalid precondition: expected either `keyUnchanged` or `metadataKeyUnchanged`".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use skewer_engine::error::ManagerOperation;

    use super::*;

    #[test]
    fn a_refusal_has_the_conflicts_and_kinds_of_the_error() {
        let conflict = ManagerConflict {
            manager: "other".to_owned(),
            path: ".a".to_owned(),
            operation: ManagerOperation::Update,
            api_version: Some("v1".to_owned()),
            subresource: Some("scale".to_owned()),
        };
        let refusal = |error: Error| match RunFailure::from(error) {
            RunFailure::Refused(refusal) => serde_json::to_value(refusal).unwrap(),
            _ => serde_json::Value::Null,
        };
        assert_eq!(
            refusal(Error::apply_conflict(vec![conflict], "m")).to_string(),
            concat!(
                r#"{"conflicts":[{"apiVersion":"v1","manager":"other","operation":"Update","path":".a","subresource":"scale"}],"#,
                r#""kind":"conflict","message":"m","path":"."}"#
            )
        );
        let several = Error::new(ErrorKind::WrongKind, "m").with_other_kinds([ErrorKind::DuplicateListItem]);
        assert_eq!(refusal(several)["kinds"], serde_json::json!(["duplicate-list-item", "wrong-kind"]));
    }
}
