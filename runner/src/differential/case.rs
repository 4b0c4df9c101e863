//! Rendering a trial as a case for the corpus.

use std::fmt::Write;

use skewer_cases::deliberate_paths;
use skewer_cases::yaml::{write_flow, write_flow_string};
use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::{Overwrite, Precondition};
use skewer_engine::skew::ResultKind;

use super::answer::Answer;
use super::trial::Trial;
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
    if trial.operation.is_strategic() && trial.types.context.custom_resource {
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
    if trial.operation.is_strategic() && !trial.types.context.custom_resource {
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
    for (index, document) in trial.documents.iter().enumerate() {
        if is_patch(index) { patches.push(document) } else { objects.push(document) }
    }
    match theirs {
        Answer::Result(result) if declaration.result != ResultKind::Boolean => patches.push(result),
        _ => {}
    }
    deliberate_paths(&trial.types.context, &DirectiveSet::all(), (&objects, &patches))
}

/// Returns the options of a three-way patch.
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
    use super::super::compare::run_trial;
    use super::super::generate::{self, TypeSource};
    use super::*;
    use crate::execute::{Options, run_cell};
    use crate::targets::BuiltInTarget;
    use skewer_cases::{Corpus, CorpusFile};

    #[test]
    fn rendered_cases_are_valid_and_pass() {
        let mut text = "suite: pasted\nabout: Trials.\ncases:\n".to_owned();
        for number in 0..400 {
            let types = generate::types_of_trial(&TypeSource::Random, 5, number).unwrap();
            let trial = generate::generate_trial(5, number, &types, &generate::trial_operations());
            let answer = run_trial(&trial, &BuiltInTarget).unwrap().ours;
            text.push_str(&render_case(&trial, 5, &answer));
        }
        let file = CorpusFile {
            path: "pasted.yaml".into(),
            display_name: "pasted.yaml".into(),
            content: text.into(),
        };
        let corpus = Corpus::load(vec![file]).unwrap_or_else(|error| panic!("{error}"));
        for cell in corpus.cells() {
            let result = run_cell(&cell, &BuiltInTarget, &Options::default());
            assert_eq!(result.status, skewer_reports::Status::Pass, "{result:?}");
        }
    }
}
