//! Conversion of operations into requests, and of answers into results.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use serde_json::value::RawValue;
use skewer_engine::directive::{DirectiveSet, IntroducedIn, REGISTRY};
use skewer_engine::patch::{Overwrite, PatchContext, Precondition, ThreeWay};
use skewer_engine::schema::{Schema, TypeId};
use skewer_engine::skew::{Operation, OperationError, TargetFailure, TargetFailureKind};
use skewer_engine::{Error, ErrorKind, OwnedDoc};

use super::openapi::{PublishedSchema, publish};
use super::process::message_line;
use super::protocol::{
    Answer, Documents, OptionsMessage, PreconditionMessage, ProfileMessage, Refusal, Request, SchemaMessage,
    not_a_reply, read_document,
};

/// The name of the lookup for objects whose type the implementation does not have.
pub(crate) const UNSTRUCTURED_LOOKUP: &str = "unstructured";

/// Whether an operation is on a custom resource. Servers refuse every strategic merge patch of these.
pub(super) fn is_for_custom_resource(operation: &Operation<'_>) -> bool {
    operation.context().is_some_and(|context| context.custom_resource)
}

fn documents_message<'a>(operation: &Operation<'a>) -> Documents<&'a OwnedDoc> {
    let none = Documents::default();
    let three_way = |ThreeWay { last_applied, modified, live }: ThreeWay<'a, 'static>| Documents {
        last_applied: Some(last_applied),
        modified: Some(modified),
        live: Some(live),
        ..Documents::default()
    };
    match operation {
        Operation::Apply { live, patch, .. }
        | Operation::JsonMergeApply { live, patch }
        | Operation::JsonPatchApply { live, patch } => {
            Documents { live: Some(live), patch: Some(patch), ..none }
        }
        Operation::TwoWay { original, modified, .. } | Operation::JsonMergeTwoWay { original, modified } => {
            Documents { original: Some(original), modified: Some(modified), ..none }
        }
        Operation::ThreeWay { documents, .. } | Operation::JsonMergeThreeWay { documents, .. } => {
            three_way(*documents)
        }
        Operation::Conflicts { left, right, .. } => Documents { patches: Some(vec![left, right]), ..none },
        Operation::Merge { patches, .. } => Documents { patches: Some(patches.iter().collect()), ..none },
    }
}

fn options_message(operation: &Operation<'_>) -> OptionsMessage {
    let (overwrite, preconditions) = match operation {
        Operation::ThreeWay { overwrite, preconditions, .. } => {
            (*overwrite == Overwrite::Yes, *preconditions)
        }
        Operation::JsonMergeThreeWay { preconditions, .. } => (false, *preconditions),
        _ => (false, &[][..]),
    };
    let preconditions = preconditions.iter().map(|precondition| match precondition {
        Precondition::KeyUnchanged(key) => {
            PreconditionMessage { key_unchanged: Some(key.to_string()), ..PreconditionMessage::default() }
        }
        Precondition::MetadataKeyUnchanged(key) => PreconditionMessage {
            metadata_key_unchanged: Some(key.to_string()),
            ..PreconditionMessage::default()
        },
    });
    OptionsMessage { overwrite, preconditions: preconditions.collect(), lookup: None }
}

/// Returns the directives of a party as a difference from those that shipped.
fn profile_message(directives: &DirectiveSet) -> ProfileMessage {
    let names = |is_listed: fn(bool, IntroducedIn) -> bool| {
        REGISTRY
            .iter()
            .filter(|directive| is_listed(directives.knows(directive.name()), directive.introduced_in()))
            .map(|directive| Cow::Borrowed(directive.name()))
            .collect()
    };
    ProfileMessage {
        without: names(|knows, since| !knows && matches!(since, IntroducedIn::Release(_))),
        with: names(|knows, since| knows && since == IntroducedIn::Proposal),
    }
}

/// Maximum number of schemas that are kept, here and in each process of an adapter: the ids of older ones are used
/// again. The corpus has some hundreds.
pub(super) const MAX_SCHEMAS: usize = 1024;

/// A published schema with the id under which it is sent.
#[derive(Debug)]
struct RegisteredSchema {
    id: String,
    /// A number that no other schema has, unlike the id.
    serial: u64,
    published: PublishedSchema,
}

/// The schemas that a process has: serial numbers by id.
pub(super) type SentSchemas = HashMap<String, u64>;

/// The schemas that were published last. A weak reference keeps the address of a schema from being reused, so that
/// the address can be the key.
#[derive(Debug, Default)]
pub(super) struct SchemaRegistry {
    entries: Mutex<SchemaEntries>,
}

#[derive(Debug, Default)]
struct SchemaEntries {
    by_key: HashMap<SchemaKey, SchemaEntry>,
    /// The keys, the oldest first.
    keys: VecDeque<SchemaKey>,
    next_serial: u64,
}

type SchemaKey = (usize, TypeId);
type SchemaEntry = (Weak<Schema>, Arc<RegisteredSchema>);

impl SchemaRegistry {
    fn publish(&self, context: &PatchContext) -> Arc<RegisteredSchema> {
        let key = (Arc::as_ptr(&context.schema) as usize, context.root);
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, registered)) = entries.by_key.get(&key) {
            return Arc::clone(registered);
        }
        let id = entries.free_id();
        let serial = entries.next_serial;
        entries.next_serial += 1;
        let published = publish(&context.schema, context.root);
        let registered = Arc::new(RegisteredSchema { id, serial, published });
        entries.by_key.insert(key, (Arc::downgrade(&context.schema), Arc::clone(&registered)));
        entries.keys.push_back(key);
        registered
    }
}

impl SchemaEntries {
    /// Returns an id for a new schema: that of the oldest one if there are enough.
    fn free_id(&mut self) -> String {
        if self.keys.len() < MAX_SCHEMAS {
            return format!("s{}", self.keys.len());
        }
        let oldest = self.keys.pop_front().and_then(|key| self.by_key.remove(&key));
        oldest.map_or_else(|| "s".to_owned(), |(_, registered)| registered.id.clone())
    }
}

/// The request for an operation, which can be written for any process.
pub(super) struct PreparedRequest<'a> {
    request: Request<&'a OwnedDoc>,
    schema: Option<Arc<RegisteredSchema>>,
}

impl<'a> PreparedRequest<'a> {
    /// Prepares a request. `lookups` are the ways in which the target can look up patch metadata.
    pub(super) fn new(operation: &Operation<'a>, schemas: &SchemaRegistry, lookups: &[String]) -> Self {
        let mut request = Request::of("run");
        request.operation = Some(Cow::Borrowed(operation.kind().name()));
        request.documents = Some(documents_message(operation));
        request.options = options_message(operation);
        let context = operation.context();
        let schema = context.map(|context| schemas.publish(context));
        if let Some(context) = context {
            request.profile = profile_message(&context.directives);
        }
        let is_recursive = schema.as_ref().is_some_and(|schema| schema.published.is_recursive);
        let lookup_name = match context {
            Some(context) if context.custom_resource => Some(UNSTRUCTURED_LOOKUP),
            // The adapter builds the Go types for that lookup while it runs; such types cannot be recursive.
            Some(_) if !is_recursive => Some("struct"),
            _ => None,
        };
        request.options.lookup = lookup_name
            .filter(|lookup_name| lookups.iter().any(|lookup| lookup == lookup_name))
            .map(Cow::Borrowed);
        PreparedRequest { request, schema }
    }

    /// Returns the length of a result that is always accepted.
    fn max_small_result_bytes(&self) -> usize {
        match self.request.operation.as_deref() {
            Some("json-patch-apply") => MAX_COPIED_RESULT_BYTES,
            _ => MAX_SMALL_RESULT_BYTES,
        }
    }

    /// Returns the length of the documents as text.
    fn document_bytes(&self) -> usize {
        serde_json::to_vec(&self.request.documents).map_or(0, |text| text.len())
    }

    /// Returns the line for one process, with the whole schema if that process has not received it yet.
    pub(super) fn line(&self, seq: u64, sent_schemas: &mut SentSchemas) -> Vec<u8> {
        let mut request = self.request.clone();
        request.seq = Some(seq);
        request.schema = self.schema.as_deref().map(|RegisteredSchema { id, serial, published }| {
            let in_full = sent_schemas.insert(id.clone(), *serial) != Some(*serial);
            SchemaMessage {
                id: Some(id.clone()),
                root: in_full.then(|| published.root.clone()),
                openapi: in_full.then_some(&published.openapi),
            }
        });
        message_line(&request)
    }
}

/// Length of a result that is always accepted, in bytes.
const MAX_SMALL_RESULT_BYTES: usize = 64 << 10;

/// Length of a result of a JSON patch that is always accepted, in bytes: a small patch can copy up to 3 MiB.
const MAX_COPIED_RESULT_BYTES: usize = 4 << 20;

/// Number of times that a longer result may have the length of the documents of its request. Escapes make a text up to
/// six times as long, and a patch names the items of a list more than once.
const MAX_RESULT_GROWTH: usize = 16;

/// Reads a result, unless it is much larger than the documents of its request.
fn read_result(text: &RawValue, request: &PreparedRequest<'_>) -> Result<OwnedDoc, String> {
    let bytes = text.get().len();
    if bytes > request.max_small_result_bytes() {
        let sent = request.document_bytes();
        if bytes > MAX_RESULT_GROWTH * sent {
            return Err(format!(
                "answered with a result of {bytes} bytes to documents of {sent} bytes: at most \
                 {MAX_RESULT_GROWTH} times as many are accepted"
            ));
        }
    }
    read_document(text).map_err(|error| not_a_reply(error.problem(), text.get().as_bytes()))
}

/// Converts an answer into the result that the engine would return.
pub(super) fn result_of_answer(
    answer: Answer,
    request: &PreparedRequest<'_>,
) -> Result<OwnedDoc, OperationError> {
    let target_failure = |kind, why| Err(OperationError::TargetFailed(TargetFailure { kind, why }));
    match answer {
        Answer::Result(text) => read_result(&text, request)
            .or_else(|why| target_failure(TargetFailureKind::Crash, format!("the target {why}"))),
        Answer::Unsupported(reason) => target_failure(TargetFailureKind::Unsupported, reason),
        Answer::Malformed(why) => target_failure(TargetFailureKind::Crash, format!("the target {why}")),
        Answer::Refused(Refusal { kind, message, .. }) if kind == "panic" => {
            target_failure(TargetFailureKind::Crash, format!("panic: {message}"))
        }
        Answer::Refused(refusal) => Err(OperationError::Refused(engine_error(&refusal))),
    }
}

fn engine_error(Refusal { kind, directive, message, path }: &Refusal) -> Error {
    let path = path.as_ref().map(|path| format!("{path}: ")).unwrap_or_default();
    match (ErrorKind::from_id(kind), directive) {
        (Some(ErrorKind::InvalidDirective), Some(directive)) => {
            Error::invalid_directive(directive, format!("{path}{message}"))
        }
        (Some(kind), _) => Error::new(kind, format!("{path}{message}")),
        (None, _) => Error::new(ErrorKind::Unclassified, format!("unknown kind {kind:?}: {path}{message}")),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_engine::patch::Overwrite;
    use skewer_engine::schema::go;

    use skewer_engine::Doc;

    use super::*;

    fn context(types: &str) -> PatchContext {
        let schema = Schema::compile(&go::read(types).unwrap()).unwrap();
        let context = PatchContext::of(Arc::new(schema), "T").unwrap();
        PatchContext { directives: skewer_engine::profile::Profile::Today.directives(), ..context }
    }

    const FLAT: &str = r#"type T struct { A []string `json:"a" patchStrategy:"merge"` }"#;

    fn lookups() -> [String; 3] {
        ["openapi", "struct", UNSTRUCTURED_LOOKUP].map(str::to_owned)
    }

    fn operations<'a>(context: &'a PatchContext, two: &'a [OwnedDoc; 2]) -> Vec<Operation<'a>> {
        let [first, second] = two;
        let documents = ThreeWay { last_applied: first, modified: second, live: first };
        let (overwrite, preconditions) = (Overwrite::Yes, &[][..]);
        vec![
            Operation::Apply { context, live: first, patch: second },
            Operation::TwoWay { context, original: first, modified: second },
            Operation::ThreeWay { context, documents, overwrite, preconditions },
            Operation::Conflicts { context, left: first, right: second },
            Operation::Merge { context, patches: two },
            Operation::JsonMergeApply { live: first, patch: second },
            Operation::JsonMergeTwoWay { original: first, modified: second },
            Operation::JsonMergeThreeWay { documents, preconditions },
            Operation::JsonPatchApply { live: first, patch: second },
        ]
    }

    #[test]
    fn requests_fit_the_json_schema_of_the_protocol() {
        let schema: serde_json::Value =
            serde_json::from_str(include_str!("../../../adapters/protocol.schema.json")).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let mut context = context(FLAT);
        context.directives = context.directives.without("$retainKeys");
        let (two, mut sent_schemas) = ([Doc::Null, Doc::from(1)], SentSchemas::new());
        let schemas = SchemaRegistry::default();
        for (seq, operation) in (0..).zip(operations(&context, &two)) {
            let line = PreparedRequest::new(&operation, &schemas, &lookups()).line(seq, &mut sent_schemas);
            let request: serde_json::Value = serde_json::from_slice(&line).unwrap();
            assert!(validator.is_valid(&request), "{request}");
            assert!(line.starts_with(format!(r#"{{"kind":"run","seq":{seq},"#).as_bytes()));
        }
        for request in
            [Request::<&OwnedDoc>::of("stop"), Request { protocol: Some(1), ..Request::of("start") }]
        {
            let request = serde_json::to_value(&request).unwrap();
            assert!(validator.is_valid(&request), "{request}");
        }
    }

    #[test]
    fn a_schema_is_sent_to_each_process_once() {
        let (context, two) = (context(FLAT), [Doc::Null, Doc::Null]);
        let schemas = SchemaRegistry::default();
        let (mut one, mut other) = (SentSchemas::new(), SentSchemas::new());
        let operation = &operations(&context, &two)[0];
        let in_full = |sent_schemas: &mut SentSchemas| {
            let line = PreparedRequest::new(operation, &schemas, &[]).line(0, sent_schemas);
            String::from_utf8(line).unwrap().contains("openapi")
        };
        assert_eq!([in_full(&mut one), in_full(&mut one), in_full(&mut other)], [true, false, true]);
    }

    #[test]
    fn the_ids_of_old_schemas_are_used_again() {
        let (schemas, two, mut sent_schemas) =
            (SchemaRegistry::default(), [Doc::Null, Doc::Null], SentSchemas::new());
        let contexts: Vec<PatchContext> = (0..=MAX_SCHEMAS).map(|_| context(FLAT)).collect();
        let mut send = |context: &PatchContext| {
            let line =
                PreparedRequest::new(&operations(context, &two)[0], &schemas, &[]).line(0, &mut sent_schemas);
            let request: serde_json::Value = serde_json::from_slice(&line).unwrap();
            let schema = &request["schema"];
            (schema["id"].as_str().unwrap().to_owned(), schema["openapi"].is_object())
        };
        let schemas_of_lines: Vec<_> = contexts.iter().map(&mut send).collect();
        assert!(schemas_of_lines.iter().all(|(_, in_full)| *in_full));
        assert_eq!(schemas_of_lines[MAX_SCHEMAS].0, "s0", "the id of the oldest");
        assert_eq!(send(&contexts[MAX_SCHEMAS]), ("s0".to_owned(), false));
        assert_eq!(send(&contexts[0]), ("s1".to_owned(), true), "it was forgotten");
        assert_eq!(sent_schemas.len(), MAX_SCHEMAS);
    }

    #[rstest]
    #[case(FLAT, Some("struct"))]
    #[case(r#"type T struct { A *T `json:"a"` }"#, None)]
    fn recursive_types_do_not_use_the_struct_lookup(#[case] types: &str, #[case] expected: Option<&str>) {
        let (context, two) = (context(types), [Doc::Null, Doc::Null]);
        let prepared =
            PreparedRequest::new(&operations(&context, &two)[0], &SchemaRegistry::default(), &lookups());
        assert_eq!(prepared.request.options.lookup.as_deref(), expected);
    }

    #[test]
    fn custom_resources_ask_for_the_unstructured_lookup() {
        let two = [Doc::Null, Doc::Null];
        let context = PatchContext { custom_resource: true, ..context(FLAT) };
        let operation = &operations(&context, &two)[0];
        let prepared = PreparedRequest::new(operation, &SchemaRegistry::default(), &lookups());
        assert_eq!(prepared.request.options.lookup.as_deref(), Some(UNSTRUCTURED_LOOKUP));
    }

    #[test]
    fn profiles_are_differences_from_what_shipped() {
        let all = DirectiveSet::all();
        let old = all.without("$patchMergeKey").without("$setElementOrder");
        assert_eq!(
            profile_message(&old),
            ProfileMessage { without: vec!["$setElementOrder".into()], with: vec![] }
        );
        assert_eq!(
            profile_message(&all),
            ProfileMessage { without: vec![], with: vec!["$patchMergeKey".into()] }
        );
    }

    #[rstest]
    #[case("conflict", None, "conflict")]
    #[case("unclassified", None, "unclassified")]
    #[case("no-such-kind", None, "unclassified")]
    #[case("invalid-directive", None, "invalid-directive")]
    #[case("invalid-directive", Some("$x"), "invalid-directive of $x")]
    #[case("conflict", Some("$x"), "conflict")]
    fn unknown_error_kinds_are_kept_as_text(
        #[case] kind: &'static str,
        #[case] directive: Option<&str>,
        #[case] expected: &str,
    ) {
        let directive = directive.map(str::to_owned);
        let refusal =
            Refusal { kind: kind.into(), directive, message: "m".to_owned(), path: Some("a.b".to_owned()) };
        let documents = [Doc::Null, Doc::Null];
        let context = context(FLAT);
        let operation = &operations(&context, &documents)[5];
        let request = PreparedRequest::new(operation, &SchemaRegistry::default(), &[]);
        let Err(OperationError::Refused(error)) = result_of_answer(Answer::Refused(refusal), &request) else {
            panic!("not refused")
        };
        assert_eq!(error.describe_kind(), expected);
        assert!(error.message().ends_with("a.b: m"), "{error}");
    }

    #[rstest]
    #[case::small(60_000, 1, true)]
    #[case::larger_than_what_was_sent(70_000, 1, false)]
    #[case::of_large_documents(70_000, 70_000, true)]
    fn a_result_is_not_much_larger_than_its_documents(
        #[case] bytes: usize,
        #[case] sent: usize,
        #[case] is_accepted: bool,
    ) {
        let documents = [Doc::from("x".repeat(sent).as_str()), Doc::Null];
        let context = context(FLAT);
        let operation = &operations(&context, &documents)[5];
        let request = PreparedRequest::new(operation, &SchemaRegistry::default(), &[]);
        let text = format!("{:?}", "y".repeat(bytes - 2));
        let answer = Answer::Result(RawValue::from_string(text).unwrap());
        assert_eq!(result_of_answer(answer, &request).is_ok(), is_accepted);
    }

    #[rstest]
    #[case::key_twice(r#"{"a":1,"a":2}"#)]
    #[case::number_out_of_range("1e999")]
    fn a_bad_result_is_a_crash(#[case] text: &str) {
        let documents = [Doc::Null, Doc::Null];
        let context = context(FLAT);
        let operation = &operations(&context, &documents)[5];
        let request = PreparedRequest::new(operation, &SchemaRegistry::default(), &[]);
        let answer = Answer::Result(RawValue::from_string(text.to_owned()).unwrap());
        let Err(OperationError::TargetFailed(failure)) = result_of_answer(answer, &request) else {
            panic!("accepted")
        };
        assert_eq!(failure.kind, TargetFailureKind::Crash);
        assert!(
            failure.why.starts_with("the target answered with a line that is no reply ("),
            "{}",
            failure.why
        );
    }
}
