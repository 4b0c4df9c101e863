//! Operations as requests, and answers as results.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use skewer_engine::directive::{DirectiveSet, IntroducedIn, REGISTRY};
use skewer_engine::patch::{Overwrite, PatchContext, Precondition, ThreeWay};
use skewer_engine::schema::{Schema, TypeId};
use skewer_engine::skew::{Operation, OperationError, TargetFailure, TargetFailureKind};
use skewer_engine::{Error, ErrorKind, OwnedDoc};

use super::openapi::{Published, publish};
use super::process::line_of;
use super::protocol::{
    Answer, Documents, Options, PreconditionMessage, Profile, Refusal, Request, SchemaMessage,
};

/// The lookup of an object whose type the implementation does not have.
pub(crate) const UNSTRUCTURED: &str = "unstructured";

/// The name of an operation in the protocol.
pub(crate) fn name(operation: &Operation<'_>) -> &'static str {
    match operation {
        Operation::Apply { .. } => "apply",
        Operation::TwoWay { .. } => "two-way",
        Operation::ThreeWay { .. } => "three-way",
        Operation::Conflicts { .. } => "conflicts",
        Operation::Merge { .. } => "merge",
        Operation::JsonMergeApply { .. } => "json-merge-apply",
        Operation::JsonMergeTwoWay { .. } => "json-merge-two-way",
        Operation::JsonMergeThreeWay { .. } => "json-merge-three-way",
        Operation::JsonPatchApply { .. } => "json-patch-apply",
    }
}

/// Servers refuse a strategic merge patch of these, whatever it says.
pub(super) fn is_of_custom_resource(operation: &Operation<'_>) -> bool {
    operation.context().is_some_and(|context| context.custom_resource)
}

fn documents<'a>(operation: &Operation<'a>) -> Documents<&'a OwnedDoc> {
    let none = Documents::default();
    let three = |ThreeWay { last_applied, modified, live }: ThreeWay<'a, 'static>| Documents {
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
            three(*documents)
        }
        Operation::Conflicts { left, right, .. } => Documents { patches: Some(vec![left, right]), ..none },
        Operation::Merge { patches, .. } => Documents { patches: Some(patches.iter().collect()), ..none },
    }
}

fn options(operation: &Operation<'_>) -> Options {
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
    Options { overwrite, preconditions: preconditions.collect(), lookup: None }
}

/// What a party knows, as a difference from what shipped.
fn profile(known: &DirectiveSet) -> Profile {
    let names = |wanted: fn(bool, IntroducedIn) -> bool| {
        REGISTRY
            .iter()
            .filter(|directive| wanted(known.knows(directive.name()), directive.introduced_in()))
            .map(|directive| Cow::Borrowed(directive.name()))
            .collect()
    };
    Profile {
        without: names(|knows, since| !knows && matches!(since, IntroducedIn::Release(_))),
        with: names(|knows, since| knows && since == IntroducedIn::Proposal),
    }
}

/// A schema that was published, under an id that is its own for as long as the target lives.
#[derive(Debug)]
struct Sent {
    id: String,
    published: Published,
}

/// The schemas that were published so far. The weak reference keeps the address of a schema from being used
/// again, so that the address can be the key.
#[derive(Debug, Default)]
pub(super) struct Schemas {
    known: Mutex<HashMap<(usize, TypeId), Known>>,
}

type Known = (Weak<Schema>, Arc<Sent>);

impl Schemas {
    fn publish(&self, context: &PatchContext) -> Arc<Sent> {
        let key = (Arc::as_ptr(&context.schema) as usize, context.root);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let id = known.len();
        let (_, sent) = known.entry(key).or_insert_with(|| {
            let published = publish(&context.schema, context.root);
            (Arc::downgrade(&context.schema), Arc::new(Sent { id: format!("s{id}"), published }))
        });
        Arc::clone(sent)
    }
}

/// An operation, ready to be written for any process.
pub(super) struct Prepared<'a> {
    request: Request<&'a OwnedDoc>,
    schema: Option<Arc<Sent>>,
}

impl<'a> Prepared<'a> {
    /// `lookups`: the ways in which the target can look patch metadata up.
    pub(super) fn new(operation: &Operation<'a>, schemas: &Schemas, lookups: &[String]) -> Self {
        let mut request = Request::of("run");
        request.operation = Some(Cow::Borrowed(name(operation)));
        request.documents = Some(documents(operation));
        request.options = options(operation);
        let context = operation.context();
        let schema = context.map(|context| schemas.publish(context));
        if let Some(context) = context {
            request.profile = profile(&context.directives);
        }
        let recursive = schema.as_ref().is_some_and(|schema| schema.published.recursive);
        let wanted = match context {
            Some(context) if context.custom_resource => Some(UNSTRUCTURED),
            // Go's types for that lookup are built while the adapter runs, and cannot contain themselves.
            Some(_) if !recursive => Some("struct"),
            _ => None,
        };
        request.options.lookup =
            wanted.filter(|wanted| lookups.iter().any(|lookup| lookup == wanted)).map(Cow::Borrowed);
        Prepared { request, schema }
    }

    /// The line for one process, with the schema in full if that process has not got it yet.
    pub(super) fn line(&self, seq: u64, had: &mut HashSet<String>) -> Vec<u8> {
        let mut request = self.request.clone();
        request.seq = Some(seq);
        request.schema = self.schema.as_deref().map(|Sent { id, published }| {
            let full = had.insert(id.clone());
            SchemaMessage {
                id: Some(id.clone()),
                root: full.then(|| published.root.clone()),
                openapi: full.then_some(&published.openapi),
            }
        });
        line_of(&request)
    }
}

/// An answer as the engine would give it.
pub(super) fn outcome(answer: Answer) -> Result<OwnedDoc, OperationError> {
    let target_failure = |kind, why| Err(OperationError::TargetFailed(TargetFailure { kind, why }));
    match answer {
        Answer::Result(value) => Ok(value),
        Answer::Unsupported(reason) => target_failure(TargetFailureKind::Unsupported, reason),
        Answer::Nonsense(why) => target_failure(TargetFailureKind::Crash, format!("the target {why}")),
        Answer::Refused(Refusal { kind, message, .. }) if kind == "panic" => {
            target_failure(TargetFailureKind::Crash, format!("panic: {message}"))
        }
        Answer::Refused(refusal) => Err(OperationError::Refused(refused(&refusal))),
    }
}

fn refused(Refusal { kind, message, path }: &Refusal) -> Error {
    let place = path.as_ref().map(|path| format!("{path}: ")).unwrap_or_default();
    match ErrorKind::from_id(kind) {
        Some(kind) => Error::new(kind, format!("{place}{message}")),
        None => Error::new(ErrorKind::Unclassified, format!("unknown kind {kind:?}: {place}{message}")),
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
        ["openapi", "struct", UNSTRUCTURED].map(str::to_owned)
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
    fn requests_are_what_the_schema_of_the_protocol_says() {
        let schema: serde_json::Value =
            serde_json::from_str(include_str!("../../../adapters/protocol.schema.json")).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let mut context = context(FLAT);
        context.directives = context.directives.without("$retainKeys");
        let (two, mut had) = ([Doc::Null, Doc::from(1)], HashSet::new());
        let schemas = Schemas::default();
        for (seq, operation) in (0..).zip(operations(&context, &two)) {
            let line = Prepared::new(&operation, &schemas, &lookups()).line(seq, &mut had);
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
        let schemas = Schemas::default();
        let (mut one, mut other) = (HashSet::new(), HashSet::new());
        let operation = &operations(&context, &two)[0];
        let full = |had: &mut HashSet<String>| {
            let line = Prepared::new(operation, &schemas, &[]).line(0, had);
            String::from_utf8(line).unwrap().contains("openapi")
        };
        assert_eq!([full(&mut one), full(&mut one), full(&mut other)], [true, false, true]);
    }

    #[rstest]
    #[case(FLAT, Some("struct"))]
    #[case(r#"type T struct { A *T `json:"a"` }"#, None)]
    fn types_that_contain_themselves_are_not_for_the_struct_lookup(
        #[case] types: &str,
        #[case] expected: Option<&str>,
    ) {
        let (context, two) = (context(types), [Doc::Null, Doc::Null]);
        let prepared = Prepared::new(&operations(&context, &two)[0], &Schemas::default(), &lookups());
        assert_eq!(prepared.request.options.lookup.as_deref(), expected);
    }

    #[test]
    fn custom_resources_are_told_of() {
        let two = [Doc::Null, Doc::Null];
        let context = PatchContext { custom_resource: true, ..context(FLAT) };
        let operation = &operations(&context, &two)[0];
        let prepared = Prepared::new(operation, &Schemas::default(), &lookups());
        assert_eq!(prepared.request.options.lookup.as_deref(), Some(UNSTRUCTURED));
    }

    #[test]
    fn profiles_tell_what_differs_from_what_shipped() {
        let all = DirectiveSet::all();
        let old = all.without("$patchMergeKey").without("$setElementOrder");
        assert_eq!(profile(&old), Profile { without: vec!["$setElementOrder".into()], with: vec![] });
        assert_eq!(profile(&all), Profile { without: vec![], with: vec!["$patchMergeKey".into()] });
    }

    #[rstest]
    #[case("conflict", "conflict")]
    #[case("unclassified", "unclassified")]
    #[case("no-such-kind", "unclassified")]
    fn kinds_that_are_not_known_are_kept_as_text(#[case] kind: &'static str, #[case] expected: &str) {
        let refusal = Refusal { kind: kind.into(), message: "m".to_owned(), path: Some("a.b".to_owned()) };
        let Err(OperationError::Refused(error)) = outcome(Answer::Refused(refusal)) else {
            panic!("not refused")
        };
        assert_eq!(error.kind().id(), expected);
        assert!(error.message().ends_with("a.b: m"), "{error}");
    }
}
