use std::borrow::Cow;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use skewer_engine::directive::{DirectiveSet, REGISTRY};
use skewer_engine::patch::{Overwrite, PatchContext, Precondition, ThreeWay};
use skewer_engine::profile::Profile;
use skewer_engine::schema::{Schema, openapi};
use skewer_engine::skew::{BuiltIn, Operation, OperationError, Operations};
use skewer_engine::{Doc, Error, ErrorKind, OwnedDoc, Text};

use super::error;
use crate::targets::exec::protocol::{
    self, Documents, PreconditionMessage, Refusal, Reply, Request, SchemaMessage,
};
use crate::targets::exec::request::UNSTRUCTURED;

/// The operations that are answered.
pub(super) const OPERATIONS: [&str; 9] = [
    "apply",
    "two-way",
    "three-way",
    "conflicts",
    "merge",
    "json-merge-apply",
    "json-merge-two-way",
    "json-merge-three-way",
    "json-patch-apply",
];

/// Those that need a schema.
const STRATEGIC: [&str; 5] = ["apply", "two-way", "three-way", "conflicts", "merge"];

/// The engine finds metadata as an API server does, and in types that contain themselves too.
pub(super) const LOOKUPS: [&str; 3] = ["openapi", "struct", UNSTRUCTURED];

/// What is kept between requests.
#[derive(Debug, Default)]
pub(super) struct Session {
    /// By id: the types, and the root that they were sent with.
    schemas: HashMap<String, (Arc<Schema>, String)>,
}

/// Why a request has no result.
enum Trouble {
    /// It makes no sense.
    Request(String),
    /// It asks for what is not here.
    Unsupported(String),
    /// It was refused.
    Refused(Refusal),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        let path = (!error.path().segments().is_empty()).then(|| error.path().to_string());
        let (kind, message) = (Cow::Borrowed(error.kind().id()), error.message().to_owned());
        Trouble::Refused(Refusal { kind, message, path })
    }
}

impl Session {
    /// Answers one `run`.
    pub(super) fn run(&mut self, seq: u64, request: Request<OwnedDoc>) -> Reply {
        let answered = catch_unwind(AssertUnwindSafe(|| self.perform(request)));
        let answered = answered.unwrap_or_else(|_| {
            let message = "the engine panicked; its message is on standard error".to_owned();
            Err(Trouble::Refused(Refusal { kind: Cow::Borrowed("panic"), message, path: None }))
        });
        match answered {
            Ok(result) => Reply { seq: Some(seq), result: Some(result), ..Reply::of("result") },
            Err(Trouble::Refused(refusal)) => {
                Reply { seq: Some(seq), error: Some(refusal), ..Reply::of("refused") }
            }
            Err(Trouble::Unsupported(why)) => {
                Reply { seq: Some(seq), reason: Some(why), ..Reply::of("unsupported") }
            }
            Err(Trouble::Request(why)) => error(Some(seq), why),
        }
    }

    fn perform(&mut self, request: Request<OwnedDoc>) -> Result<OwnedDoc, Trouble> {
        // A schema is kept even if the request that brings it goes no further, since later ones name it.
        let schema = request.schema.map(|schema| self.schema(schema)).transpose()?;
        let name = request.operation.as_deref().unwrap_or_default();
        if !OPERATIONS.contains(&name) {
            return Err(Trouble::Unsupported(format!("there is no operation {name:?} here")));
        }
        let mut context = None;
        if STRATEGIC.contains(&name) {
            let (schema, root) =
                schema.ok_or_else(|| Trouble::Request(format!("`{name}` needs a `schema`")))?;
            let directives = directives(&request.profile)?;
            let custom_resource = request.options.lookup.as_deref() == Some(UNSTRUCTURED);
            context = Some(PatchContext { directives, custom_resource, ..PatchContext::of(schema, &root)? });
        }
        let options = request.options;
        if let Some(lookup) = options.lookup.as_deref().filter(|lookup| !LOOKUPS.contains(lookup)) {
            return Err(Trouble::Unsupported(format!("there is no lookup {lookup:?} here")));
        }
        let preconditions: Vec<Precondition> =
            options.preconditions.iter().map(precondition).collect::<Result<_, _>>()?;
        let takes_them = matches!(name, "two-way" | "three-way" | "json-merge-three-way");
        if !preconditions.is_empty() && !takes_them {
            return Err(Trouble::Unsupported(format!("{name} takes no preconditions")));
        }
        let how = How { overwrite: options.overwrite, preconditions };
        operate(name, context.as_ref(), &request.documents.unwrap_or_default(), &how)
    }

    fn schema(&mut self, message: SchemaMessage<OwnedDoc>) -> Result<(Arc<Schema>, String), Trouble> {
        let Some(document) = message.openapi else {
            let id = message.id.unwrap_or_default();
            let Some((schema, root)) = self.schemas.get(&id) else {
                return Err(Trouble::Request(format!("no schema was sent with the id {id}")));
            };
            return Ok((Arc::clone(schema), message.root.unwrap_or_else(|| root.clone())));
        };
        let schema = Arc::new(read_schema(document)?);
        let root = message.root.unwrap_or_default();
        if let Some(id) = message.id {
            self.schemas.insert(id, (Arc::clone(&schema), root.clone()));
        }
        Ok((schema, root))
    }
}

fn read_schema(mut document: OwnedDoc) -> Result<Schema, Error> {
    // Only `components.schemas` matters, and the reader asks what version it is of.
    if let Some(map) = document.as_map_mut()
        && !map.contains_key("openapi")
    {
        map.insert(Text::from_static("openapi"), Doc::from("3.0.0"));
    }
    let invalid = |errors: Vec<Error>| {
        let messages: Vec<String> = errors.iter().map(Error::to_string).collect();
        Error::new(ErrorKind::InvalidSchema, messages.join("; "))
    };
    let declarations = openapi::read(&document).map_err(invalid)?;
    Schema::compile(&declarations).map_err(invalid)
}

/// What shipped, less what the profile lacks and with what it adds.
fn directives(profile: &protocol::Profile) -> Result<DirectiveSet, Trouble> {
    if let Some(unknown) = profile.with.iter().find(|name| !DirectiveSet::all().knows(name)) {
        return Err(Trouble::Unsupported(format!("there is no directive {unknown} here")));
    }
    let shipped = Profile::Today.directives();
    let known = |name: &str| {
        !profile.without.iter().any(|without| without == name)
            && (shipped.knows(name) || profile.with.iter().any(|with| with == name))
    };
    Ok(DirectiveSet::of(REGISTRY.iter().copied().filter(|directive| known(directive.name()))))
}

fn precondition(message: &PreconditionMessage) -> Result<Precondition, Trouble> {
    match (&message.key_unchanged, &message.metadata_key_unchanged) {
        (Some(key), None) => Ok(Precondition::KeyUnchanged(Text::from(key))),
        (None, Some(key)) => Ok(Precondition::MetadataKeyUnchanged(Text::from(key))),
        _ => Err(Trouble::Request(
            "a precondition has one of `keyUnchanged` and `metadataKeyUnchanged`".to_owned(),
        )),
    }
}

struct How {
    overwrite: bool,
    preconditions: Vec<Precondition>,
}

fn operate(
    name: &str,
    context: Option<&PatchContext>,
    documents: &Documents<OwnedDoc>,
    how: &How,
) -> Result<OwnedDoc, Trouble> {
    let empty = Doc::Map(skewer_engine::Map::new());
    let missing = |name: &str| Trouble::Request(format!("the document `{name}` is missing"));
    let live = documents.live.as_ref().unwrap_or(&empty);
    let original = documents.original.as_ref().unwrap_or(&empty);
    let last_applied = documents.last_applied.as_ref().unwrap_or(&empty);
    let patch = || documents.patch.as_ref().ok_or_else(|| missing("patch"));
    let modified = || documents.modified.as_ref().ok_or_else(|| missing("modified"));
    let patches = || documents.patches.as_deref().ok_or_else(|| missing("patches"));
    let overwrite = if how.overwrite { Overwrite::Yes } else { Overwrite::No };
    let preconditions = how.preconditions.as_slice();
    let operation = match (name, context) {
        ("apply", Some(context)) => Operation::Apply { context, live, patch: patch()? },
        ("two-way", Some(context)) => Operation::TwoWay { context, original, modified: modified()? },
        ("three-way", Some(context)) => {
            let documents = ThreeWay { last_applied, modified: modified()?, live };
            Operation::ThreeWay { context, documents, overwrite, preconditions }
        }
        ("conflicts", Some(context)) => {
            let [left, right] = patches()? else {
                return Err(Trouble::Request("`conflicts` takes two patches".to_owned()));
            };
            Operation::Conflicts { context, left, right }
        }
        ("merge", Some(context)) => Operation::Merge { context, patches: patches()? },
        ("json-merge-apply", _) => Operation::JsonMergeApply { live, patch: patch()? },
        ("json-merge-two-way", _) => Operation::JsonMergeTwoWay { original, modified: modified()? },
        ("json-merge-three-way", _) => {
            let documents = ThreeWay { last_applied, modified: modified()?, live };
            Operation::JsonMergeThreeWay { documents, preconditions }
        }
        ("json-patch-apply", _) => Operation::JsonPatchApply { live, patch: patch()? },
        _ => return Err(Trouble::Request(format!("`{name}` needs a `schema`"))),
    };
    let result = BuiltIn.perform(&operation).map_err(|failure| match failure {
        OperationError::Refused(error) => Trouble::from(error),
        OperationError::TargetFailed(target_failure) => Trouble::Unsupported(target_failure.why),
    })?;
    // The engine's operation has no place for the preconditions that upstream's takes.
    if let (Operation::TwoWay { .. }, Doc::Map(patch)) = (&operation, &result) {
        preconditions.iter().try_for_each(|precondition| precondition.check(patch))?;
    }
    Ok(result)
}
