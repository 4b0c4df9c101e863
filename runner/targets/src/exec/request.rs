//! Conversion of operations to requests.

use std::borrow::Cow;
use std::sync::Arc;

use skewer_engine::directive::{Directive, DirectiveSet, IntroducedIn, REGISTRY};
use skewer_engine::patch::{Overwrite, Precondition};
use skewer_engine::{Doc, OwnedDoc};
use skewer_protocol::documents::Documents;
use skewer_protocol::messages::{
    OptionsMessage, PreconditionMessage, ProfileMessage, RequestMessage, UNSTRUCTURED_LOOKUP,
};
use skewer_skew::{Operand, Operation, OperationKind, OperationOptions, Performer};

use super::process::message_line;
use super::schema_registry::{RegisteredSchema, SchemaRegistry, SentSchemas};
use super::{field_manager, whole_request};

/// Returns true if the operation looks up patch metadata of a custom resource. Servers refuse every strategic merge
/// patch of a custom resource.
pub(super) fn is_for_custom_resource(operation: &Operation<'_>) -> bool {
    operation.kind().is_strategic() && operation.context().is_some_and(|context| context.custom_resource)
}

/// Returns the first directive of an operation that the target lacks: it is not among those that the target lists, and a
/// patch of a party that knows the directive has it. A target that lists none is asked about all directives of the engine.
/// A directive that is only declared is also needed to create a patch.
pub(super) fn unlisted_directive(
    operation: &Operation<'_>,
    listed: Option<&[String]>,
) -> Option<&'static str> {
    let context = operation.context().filter(|_| operation.kind().is_strategic())?;
    let is_unlisted = |name: &str| match listed {
        Some(listed) => !listed.iter().any(|listed| listed == name),
        None => context.directives.by_name(name).is_some_and(|directive| directive.form().is_some()),
    };
    let is_client = operation.kind().declaration().performer == Performer::Client;
    let declared = context.directives.iter().filter(|directive| is_client && directive.form().is_some());
    if let Some(name) = declared.map(Directive::name).find(|name| is_unlisted(name)) {
        return Some(name);
    }
    let patches = operation.operands().filter(|(role, _)| role.declaration().is_patch);
    let mut patches = patches.flat_map(|(_, operand)| match operand {
        Operand::Document(document) => std::slice::from_ref(document),
        Operand::List(documents) => documents,
    });
    patches.find_map(|patch| find_directive(patch, &context.directives, &is_unlisted))
}

fn find_directive(
    document: &OwnedDoc,
    known: &DirectiveSet,
    is_wanted: &impl Fn(&str) -> bool,
) -> Option<&'static str> {
    match document {
        Doc::Map(map) => map.iter().find_map(|(key, value)| {
            let directive = known.directive_for_key(key).map(Directive::name).filter(|name| is_wanted(name));
            directive.or_else(|| find_directive(value, known, is_wanted))
        }),
        Doc::List(items) => items.iter().find_map(|item| find_directive(item, known, is_wanted)),
        _ => None,
    }
}

fn options_message(options: OperationOptions<'_>) -> OptionsMessage {
    let preconditions = options.preconditions.iter().map(|precondition| match precondition {
        Precondition::KeyUnchanged(key) => {
            PreconditionMessage { key_unchanged: Some(key.to_string()), ..PreconditionMessage::default() }
        }
        Precondition::MetadataKeyUnchanged(key) => PreconditionMessage {
            metadata_key_unchanged: Some(key.to_string()),
            ..PreconditionMessage::default()
        },
    });
    OptionsMessage {
        overwrite: options.overwrite == Overwrite::Yes,
        preconditions: preconditions.collect(),
        ..field_manager::options_message(options.field_manager)
    }
}

/// Returns a directive set as a difference from the directives of released Kubernetes versions.
fn profile_message(directives: &DirectiveSet) -> ProfileMessage {
    let has_shipped =
        |directive: &&'static dyn Directive| matches!(directive.introduced_in(), IntroducedIn::Release(_));
    let name = |directive: &'static dyn Directive| Cow::Borrowed(directive.name());
    let shipped = REGISTRY.iter().copied().filter(has_shipped);
    ProfileMessage {
        without: shipped.filter(|directive| !directives.knows(directive.name())).map(name).collect(),
        with: directives.iter().filter(|directive| !has_shipped(directive)).map(name).collect(),
    }
}

/// The request for an operation. The request can be sent to any process of the adapter.
pub(super) struct PreparedRequest<'a> {
    kind: OperationKind,
    request: RequestMessage<&'a OwnedDoc>,
    schema: Option<Arc<RegisteredSchema>>,
}

impl<'a> PreparedRequest<'a> {
    /// Prepares a request. `lookups` contains the names of the lookups that the target supports.
    pub(super) fn new(operation: &Operation<'a>, schemas: &SchemaRegistry, lookups: &[String]) -> Self {
        let mut request = RequestMessage::of("run");
        request.operation = Some(Cow::Borrowed(operation.kind().name()));
        request.documents = Some(Documents::from(operation));
        request.options = options_message(operation.options());
        if operation.kind().declaration().is_request() {
            whole_request::set_options(&mut request.options, operation);
            return PreparedRequest { kind: operation.kind(), request, schema: None };
        }
        if operation.kind().declaration().takes_field_manager {
            let schema = field_manager::publish(operation, schemas);
            if let Some(schema) = &schema {
                field_manager::name_roots(&mut request.options.versions, schema.roots());
            }
            let knows_lookup = lookups.iter().any(|lookup| lookup == UNSTRUCTURED_LOOKUP);
            if knows_lookup && field_manager::refuses_missing_versions(operation) {
                request.options.lookup = Some(Cow::Borrowed(UNSTRUCTURED_LOOKUP));
            }
            return PreparedRequest { kind: operation.kind(), request, schema };
        }
        let context = operation.context();
        let schema = context.map(|context| schemas.publish(context));
        if let Some(context) = context {
            request.profile = profile_message(&context.directives);
        }
        let is_recursive = schema.as_ref().is_some_and(|schema| schema.is_recursive());
        let lookup_name = match context {
            Some(context) if context.custom_resource => Some(UNSTRUCTURED_LOOKUP),
            // For this lookup, the adapter builds Go types at run time, and such types cannot be recursive.
            Some(_) if !is_recursive => Some("struct"),
            _ => None,
        };
        request.options.lookup = lookup_name
            .filter(|lookup_name| lookups.iter().any(|lookup| lookup == lookup_name))
            .map(Cow::Borrowed);
        PreparedRequest { kind: operation.kind(), request, schema }
    }

    /// Returns the operation kind of the request.
    pub(super) fn kind(&self) -> OperationKind {
        self.kind
    }

    /// Returns the total length of the documents as text, in bytes.
    pub(super) fn document_bytes(&self) -> usize {
        serde_json::to_vec(&self.request.documents).map_or(0, |text| text.len())
    }

    /// Formats the line for one process. The line contains the whole schema if that process has not received the
    /// schema yet.
    pub(super) fn line(&self, seq: u64, sent_schemas: &mut SentSchemas) -> Vec<u8> {
        let mut request = self.request.clone();
        request.seq = Some(seq);
        request.schema = self.schema.as_deref().map(|schema| schema.message(sent_schemas));
        message_line(&request)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_engine::document::from_json;
    use skewer_engine::patch::PatchContext;
    use skewer_protocol::messages::LOOKUPS;

    use super::super::test_support::{FLAT, context};
    use super::*;

    /// Returns the lookup that is requested from an adapter that supports all lookups, for an operation that applies
    /// a patch.
    fn lookup(context: &PatchContext) -> Option<String> {
        let documents = [Doc::Null, Doc::Null];
        let operation = Operation::of_documents(OperationKind::Apply, context, &documents).unwrap();
        let lookups = LOOKUPS.map(str::to_owned);
        let prepared = PreparedRequest::new(&operation, &SchemaRegistry::default(), &lookups);
        prepared.request.options.lookup.map(Cow::into_owned)
    }

    #[rstest]
    #[case(FLAT, Some("struct"))]
    #[case(r#"type T struct { A *T `json:"a"` }"#, None)]
    fn recursive_types_do_not_use_the_struct_lookup(#[case] types: &str, #[case] expected: Option<&str>) {
        assert_eq!(lookup(&context(types)).as_deref(), expected);
    }

    #[test]
    fn custom_resources_ask_for_the_unstructured_lookup() {
        let context = PatchContext { custom_resource: true, ..context(FLAT) };
        assert_eq!(lookup(&context).as_deref(), Some(UNSTRUCTURED_LOOKUP));
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
    #[case::no_directive(r#"{"a":["x"]}"#, &[], None)]
    #[case::listed(r#"{"$retainKeys":["a"]}"#, &["$retainKeys"], None)]
    #[case::unlisted(r#"{"$retainKeys":["a"]}"#, &["$patch"], Some("$retainKeys"))]
    #[case::none_is_listed(r#"{"metadata":{"$patch":"replace"}}"#, &[], Some("$patch"))]
    #[case::in_an_item(r#"{"a":[{"$patch":"delete"}]}"#, &["$retainKeys"], Some("$patch"))]
    #[case::names_a_field(r#"{"$setElementOrder/a":["x"]}"#, &["$patch"], Some("$setElementOrder"))]
    #[case::the_party_does_not_know_it(r#"{"$patchMergeKey":["x"]}"#, &["$patch"], None)]
    fn directives_of_patches_must_be_listed(
        #[case] patch: &str,
        #[case] listed: &[&str],
        #[case] expected: Option<&str>,
    ) {
        let patch = from_json(patch.as_bytes()).unwrap();
        let listed: Vec<String> = listed.iter().map(|name| (*name).to_owned()).collect();
        let context = context(FLAT);
        let unlisted = |kind, documents: &[OwnedDoc]| {
            unlisted_directive(&Operation::of_documents(kind, &context, documents).unwrap(), Some(&listed))
        };
        assert_eq!(unlisted(OperationKind::Apply, &[Doc::Null, patch.clone()]), expected);
        assert_eq!(unlisted(OperationKind::Merge, &[Doc::Null, patch.clone()]), expected);
        // A key of another document is data, and JSON merge patch has no directives.
        assert_eq!(unlisted(OperationKind::Apply, &[patch.clone(), Doc::Null]), None);
        assert_eq!(unlisted(OperationKind::JsonMergeApply, &[Doc::Null, patch]), None);
    }
}
