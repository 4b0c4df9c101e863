//! Rendering a trial as a case for the corpus.

use skewer_cases::deliberate_paths;
use skewer_cases::format::{
    CaseSpec, ConflictSpec, DocumentsSpec, ExpectationSpec, PartySpec, RequestName, SchemaSpec, SettingSpec,
    ThreeWaySpec,
};
use skewer_cases::yaml::{OptionalField, Spanned, read_document};
use skewer_engine::Doc;
use skewer_engine::directive::DirectiveSet;
use skewer_engine::error::ManagerConflict;
use skewer_engine::patch::{Overwrite, Precondition};
use skewer_skew::{OperationKind, RequestType, ResultKind, Role};

use super::answer::TrialAnswer;
use super::trial::{OperationTrial, TrialRequest};
use super::types::{ROOT_TYPE, TypesOrigin};

/// Definition of a custom resource. Strategic merge patches of custom resources are always refused.
const CUSTOM_RESOURCE: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: example.com
  names: {kind: Trial}
  versions: [{name: v1, schema: {openAPIV3Schema: {type: object}}}]
";

/// Renders a trial as a case that expects the target's answer.
pub(super) fn render_case(trial: &OperationTrial, seed: u64, theirs: &TrialAnswer) -> String {
    let declaration = trial.operation.declaration();
    let has_types = trial.operation.is_strategic() || trial.operation == OperationKind::Request;
    let [unknown_fields, wrong_types] = if has_types && !trial.types.context.custom_resource {
        deliberate_paths_of(trial, theirs)
    } else {
        Default::default()
    };
    let case = CaseSpec {
        id: format!("{}-{seed}-{}", declaration.name, trial.number).into(),
        setting: SettingSpec {
            schema: has_types.then(|| schema(trial).into()),
            documents: documents(trial),
            ..request(trial)
        },
        three_way: three_way(trial),
        unknown_fields,
        wrong_types,
        expect: expectation(theirs).map(Into::into).into_iter().collect(),
        ..CaseSpec::default()
    };
    let text = case.print_item();
    match theirs {
        TrialAnswer::Result(_) | TrialAnswer::Refused { .. } => text,
        other => format!("{} # The target: {}\n", text.trim_end(), other.to_string().replace('\n', " ")),
    }
}

/// Returns the expectation of an answer. Returns `None` if a case cannot expect it.
pub(crate) fn expectation(answer: &TrialAnswer) -> Option<ExpectationSpec> {
    match answer {
        TrialAnswer::Result(value) => Some(ExpectationSpec::of_result(value.clone())),
        TrialAnswer::Refused { kind, directive, conflicts, .. } => {
            let conflict = |it: &ManagerConflict| ConflictSpec {
                manager: it.manager.clone(),
                path: it.path.clone().into(),
            };
            let conflicts: Vec<ConflictSpec> = conflicts.iter().map(conflict).collect();
            Some(ExpectationSpec {
                directive: directive.as_deref().map(Into::into),
                conflicts: (!conflicts.is_empty()).then(|| conflicts.into()),
                ..ExpectationSpec::of_error(kind)
            })
        }
        TrialAnswer::Panic(_) | TrialAnswer::Unsupported(_) | TrialAnswer::Broken(_) => None,
    }
}

fn schema(trial: &OperationTrial) -> SchemaSpec {
    if trial.operation.is_strategic() && trial.types.context.custom_resource {
        let definition = read_document("", CUSTOM_RESOURCE.as_bytes()).unwrap_or(Doc::Null);
        return SchemaSpec {
            openapi: OptionalField::Given(definition.into()),
            root: Some("example.com/v1/Trial".into()),
            ..SchemaSpec::default()
        };
    }
    match &trial.types.origin {
        TypesOrigin::Go(go) => SchemaSpec::of_go(go, ROOT_TYPE),
        TypesOrigin::Release { release, api_version, kind } => SchemaSpec {
            builtin: Some((*release).into()),
            root: Some(format!("{api_version}/{kind}").into()),
            ..SchemaSpec::default()
        },
    }
}

fn documents(trial: &OperationTrial) -> DocumentsSpec {
    let declaration = trial.operation.declaration();
    let mut documents = DocumentsSpec::default();
    if declaration.list_operand().is_some() {
        documents.lists.insert(trial.operation, trial.documents.clone());
    }
    // A case whose request creates the object leaves the live one out.
    let is_created = trial.request.request_type == RequestType::Create;
    let by_role = declaration.document_roles().zip(trial.documents.iter().cloned());
    documents.by_role = by_role
        .filter(|(role, document)| !(is_created && document.is_null() && *role == Role::Live))
        .collect();
    documents
}

/// Returns the request: the server and the type of a whole request, or the format of a patch without types.
fn request(trial: &OperationTrial) -> SettingSpec {
    let release = match (&trial.types.origin, trial.operation) {
        (TypesOrigin::Release { release, .. }, OperationKind::Request) => release,
        (_, operation) if operation.is_strategic() || operation == OperationKind::Request => {
            return SettingSpec::default();
        }
        (_, operation) => {
            let format = operation.declaration().format;
            return SettingSpec { request: Some(format.into()), ..SettingSpec::default() };
        }
    };
    let TrialRequest { request_type, strict } = trial.request;
    SettingSpec {
        server: Some(PartySpec {
            release: Some((*release).into()),
            strict: strict.then(|| true.into()),
            ..PartySpec::default()
        }),
        request: Some(RequestName::from(request_type)),
        ..SettingSpec::default()
    }
}

/// Returns the invalid field paths of the documents, for `unknown-fields` and `wrong-types`.
fn deliberate_paths_of(trial: &OperationTrial, theirs: &TrialAnswer) -> [Vec<Spanned<String>>; 2] {
    let declaration = trial.operation.declaration();
    let is_patch = |index: usize| {
        // A list takes all documents.
        let operand = declaration.list_operand().or(declaration.operands.get(index));
        operand.is_some_and(|operand| operand.role.declaration().is_patch)
    };
    let mut objects = Vec::new();
    let mut patches = Vec::new();
    let mut json_patch = None;
    for (index, document) in trial.documents.iter().enumerate() {
        match document {
            // The body of a request: a JSON patch, or the text of any body.
            Doc::List(_) if trial.operation == OperationKind::Request => json_patch = Some(document),
            Doc::String(_) if trial.operation == OperationKind::Request => {}
            document if is_patch(index) => patches.push(document),
            document => objects.push(document),
        }
    }
    match theirs {
        TrialAnswer::Result(result) if declaration.result != ResultKind::Boolean => patches.push(result),
        _ => {}
    }
    deliberate_paths(&trial.types.context, &DirectiveSet::all(), &objects, &patches, json_patch)
}

/// Returns the options of a three-way patch.
fn three_way(trial: &OperationTrial) -> Option<ThreeWaySpec> {
    let takes_overwrite = trial.operation.declaration().takes_overwrite;
    let overwrite = takes_overwrite && trial.overwrite == Overwrite::Yes;
    let mut options = ThreeWaySpec { overwrite, ..ThreeWaySpec::default() };
    for precondition in &trial.preconditions {
        match precondition {
            Precondition::KeyUnchanged(key) => options.keys_unchanged.push(key.to_string()),
            Precondition::MetadataKeyUnchanged(key) => options.metadata_keys_unchanged.push(key.to_string()),
        }
    }
    (options != ThreeWaySpec::default()).then_some(options)
}

#[cfg(test)]
mod tests {
    use skewer_cases::{Corpus, CorpusFile};
    use skewer_execute::execute::{ExecutionOptions, run_cell};
    use skewer_targets::BuiltInTarget;

    use super::super::compare::run_trial;
    use super::super::generate::{self, TrialTypeSource};
    use super::*;
    use skewer_engine::schema::builtin;

    #[test]
    fn rendered_cases_are_valid_and_pass() {
        let trials = (0..400).map(|number| {
            let types = generate::types_of_trial(&TrialTypeSource::Random, 5, number).unwrap();
            generate::generate_trial(5, number, &types, &generate::trial_operations())
        });
        assert_cases_pass(trials);
    }

    #[test]
    fn rendered_requests_are_valid_and_pass() {
        let kinds = TrialTypeSource::of_server(builtin::newest(), builtin::newest().minor()).unwrap();
        let trials = (0..400).map(|number| {
            let types = generate::types_of_trial(&kinds, 5, number).unwrap();
            generate::generate_request(5, number, &types, &generate::request_types())
        });
        assert_cases_pass(trials);
    }

    fn assert_cases_pass(trials: impl Iterator<Item = OperationTrial>) {
        let mut text = "suite: pasted\nabout: Trials.\ncases:\n".to_owned();
        for trial in trials {
            let answer = run_trial(&trial, &BuiltInTarget).unwrap().ours;
            text.push_str(&render_case(&trial, 5, &answer));
        }
        let file = CorpusFile {
            path: "pasted.yaml".into(),
            display_name: "pasted.yaml".into(),
            content: text.into(),
            folder: None,
        };
        let corpus = Corpus::load(vec![file]).unwrap_or_else(|error| panic!("{error}"));
        for cell in corpus.cells() {
            let result = run_cell(&cell, &BuiltInTarget, &ExecutionOptions::default());
            assert_eq!(result.status, skewer_results::Status::Pass, "{result:?}");
        }
    }
}
