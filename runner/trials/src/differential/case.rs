//! Rendering a trial as a case for the corpus.

use std::fmt::Write;

use skewer_cases::deliberate_paths;
use skewer_cases::yaml::{write_flow, write_flow_string};
use skewer_engine::Doc;
use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::{Overwrite, Precondition};
use skewer_engine::skew::{OperationKind, RequestType, ResultKind, Role};

use super::answer::Answer;
use super::trial::{Trial, TrialRequest};
use super::types::{ROOT_TYPE, TypesOrigin};

/// Schema of a custom resource. Strategic merge patches of custom resources are always refused.
const CUSTOM_RESOURCE: &str = "    schema:
      openapi:
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        spec:
          group: example.com
          names: {kind: Trial}
          versions: [{name: v1, schema: {openAPIV3Schema: {type: object}}}]
      root: example.com/v1/Trial
";

/// Renders a trial as a case that expects the target's answer.
pub(super) fn render_case(trial: &Trial, seed: u64, theirs: &Answer) -> String {
    let declaration = trial.operation.declaration();
    let mut text = format!("  - id: {}-{seed}-{}\n", declaration.name, trial.number);
    if trial.operation == OperationKind::Request {
        text.push_str(&request_lines(trial));
    } else if trial.operation.is_strategic() && trial.types.context.custom_resource {
        text.push_str(CUSTOM_RESOURCE);
    } else if trial.operation.is_strategic() {
        match &trial.types.origin {
            TypesOrigin::Go(go) => {
                text.push_str("    schema:\n      go: |\n");
                for line in go.lines() {
                    let _ = writeln!(text, "        {}", line.replace('\t', "  "));
                }
                let _ = writeln!(text, "      root: {ROOT_TYPE}");
            }
            TypesOrigin::Release { release, api_version, kind } => {
                let _ = writeln!(text, "    schema: {{builtin: {release}, root: {api_version}/{kind}}}");
            }
        }
    } else {
        let _ = writeln!(text, "    request: {}", declaration.format.name());
    }
    for (role, document) in declaration.document_roles().zip(&trial.documents) {
        // A case whose request creates the object leaves the live one out.
        if trial.request.request_type == RequestType::Create && document.is_null() && role == Role::Live {
            continue;
        }
        let _ = writeln!(text, "    {role}: {}", write_flow(document));
    }
    if declaration.list_operand().is_some() {
        let _ = writeln!(text, "    {}:", declaration.name);
        for document in &trial.documents {
            let _ = writeln!(text, "      - {}", write_flow(document));
        }
    }
    let options = three_way_options(trial);
    if !options.is_empty() {
        let _ = writeln!(text, "    three-way: {{{}}}", options.join(", "));
    }
    let has_types = trial.operation.is_strategic() || trial.operation == OperationKind::Request;
    if has_types && !trial.types.context.custom_resource {
        text.push_str(&deliberate_paths_of(trial, theirs));
    }
    text.push_str("    expect:\n");
    let _ = match theirs {
        Answer::Result(value) => writeln!(text, "      - result: {}", write_flow(value)),
        Answer::Refused { kind, directive: Some(directive), .. } => {
            writeln!(text, "      - error: {kind}\n        directive: {directive}")
        }
        Answer::Refused { kind, directive: None, .. } => writeln!(text, "      - error: {kind}"),
        other => writeln!(text, "      # The target: {}", other.to_string().replace('\n', " ")),
    };
    text
}

/// Renders the types, the server and the type of a whole request.
fn request_lines(trial: &Trial) -> String {
    let TypesOrigin::Release { release, api_version, kind } = &trial.types.origin else {
        return String::new();
    };
    let TrialRequest { request_type, strict, manager, force } = trial.request;
    let mut text = format!("    schema: {{builtin: {release}, root: {api_version}/{kind}}}\n");
    let strict = if strict { ", strict: true" } else { "" };
    let _ = writeln!(text, "    server: {{release: {release}{strict}}}");
    let _ = writeln!(text, "    request: {}", request_type.name());
    if !manager.is_empty() {
        let _ = writeln!(text, "    manager: {}", write_flow_string(manager));
    }
    if force {
        text.push_str("    force: true\n");
    }
    text
}

/// Renders the lines that declare the invalid field paths of the documents as deliberate (`unknown-fields`,
/// `wrong-types`).
fn deliberate_paths_of(trial: &Trial, theirs: &Answer) -> String {
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
        Answer::Result(result) if declaration.result != ResultKind::Boolean => patches.push(result),
        _ => {}
    }
    deliberate_paths(&trial.types.context, &DirectiveSet::all(), (&objects, &patches), json_patch)
}

fn three_way_options(trial: &Trial) -> Vec<String> {
    let mut options = Vec::new();
    if trial.operation.declaration().takes_overwrite && trial.overwrite == Overwrite::Yes {
        options.push("overwrite: true".to_owned());
    }
    for precondition in &trial.preconditions {
        options.push(match precondition {
            Precondition::KeyUnchanged(key) => format!("keys-unchanged: [{}]", write_flow_string(key)),
            Precondition::MetadataKeyUnchanged(key) => {
                format!("metadata-keys-unchanged: [{}]", write_flow_string(key))
            }
        });
    }
    options
}

#[cfg(test)]
mod tests {
    use skewer_cases::{Corpus, CorpusFile};
    use skewer_execute::execute::{Options, run_cell};
    use skewer_execute::targets::BuiltInTarget;

    use super::super::compare::run_trial;
    use super::super::generate::{self, TypeSource};
    use super::*;
    use skewer_engine::schema::builtin;

    #[test]
    fn rendered_cases_are_valid_and_pass() {
        let trials = (0..400).map(|number| {
            let types = generate::types_of_trial(&TypeSource::Random, 5, number).unwrap();
            generate::generate_trial(5, number, &types, &generate::trial_operations())
        });
        assert_cases_pass(trials);
    }

    #[test]
    fn rendered_requests_are_valid_and_pass() {
        let kinds = TypeSource::of_server(builtin::newest(), builtin::newest().minor()).unwrap();
        let trials = (0..400).map(|number| {
            let types = generate::types_of_trial(&kinds, 5, number).unwrap();
            generate::generate_request(5, number, &types, &generate::request_types())
        });
        assert_cases_pass(trials);
    }

    fn assert_cases_pass(trials: impl Iterator<Item = Trial>) {
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
            let result = run_cell(&cell, &BuiltInTarget, &Options::default());
            assert_eq!(result.status, skewer_reports::Status::Pass, "{result:?}");
        }
    }
}
