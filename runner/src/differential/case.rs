//! A trial as a case of the corpus.

use std::fmt::Write;

use skewer_cases::yaml::{write_flow, write_flow_string};
use skewer_engine::patch::{Overwrite, Precondition};

use super::compare::Answer;
use super::generate::{Origin, ROOT};
use super::trial::{Kind, Trial};

/// Types of which no strategic merge patch is taken, whatever their fields.
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

/// The case that expects of a trial what the target says.
pub(super) fn case(trial: &Trial, seed: u64, theirs: &Answer) -> String {
    let mut text = format!("  - id: {}-{seed}-{}\n", trial.kind.name(), trial.number);
    if trial.kind.is_strategic() && trial.types.context.custom_resource {
        text.push_str(CUSTOM_RESOURCE);
    } else if trial.kind.is_strategic() {
        match &trial.types.origin {
            Origin::Go(go) => {
                text.push_str("    schema:\n      go: |\n");
                for line in go.lines() {
                    let _ = writeln!(text, "        {}", line.replace('\t', "  "));
                }
                let _ = writeln!(text, "      root: {ROOT}");
            }
            Origin::Release { release, api_version, kind } => {
                let _ = writeln!(text, "    schema: {{builtin: {release}, root: {api_version}/{kind}}}");
            }
        }
    } else {
        // A case must have types, and these patches need none.
        let _ = writeln!(text, "    schema: {{go: 'type {ROOT} struct {{}}', root: {ROOT}}}");
        if trial.kind != Kind::JsonPatchApply {
            text.push_str("    request: json-merge-patch\n");
        }
    }
    let names: &[&str] = match trial.kind {
        Kind::Apply | Kind::JsonMergeApply | Kind::JsonPatchApply => &["live", "patch"],
        Kind::TwoWay | Kind::JsonMergeTwoWay => &["original", "modified"],
        Kind::ThreeWay | Kind::JsonMergeThreeWay => &["last-applied", "modified", "live"],
        Kind::Conflicts | Kind::Merge => &[],
    };
    for (name, document) in names.iter().zip(&trial.documents) {
        let _ = writeln!(text, "    {name}: {}", write_flow(document));
    }
    if names.is_empty() {
        let _ = writeln!(text, "    {}:", trial.kind.name());
        for document in &trial.documents {
            let _ = writeln!(text, "      - {}", write_flow(document));
        }
    }
    let how = three_way(trial);
    if !how.is_empty() {
        let _ = writeln!(text, "    three-way: {{{}}}", how.join(", "));
    }
    text.push_str("    expect:\n");
    let _ = match theirs {
        Answer::Result(value) => writeln!(text, "      - result: {}", write_flow(value)),
        Answer::Refused { kind, .. } => writeln!(text, "      - error: {kind}"),
        other => writeln!(text, "      # The target: {}", other.to_string().replace('\n', " ")),
    };
    text
}

/// How a three-way patch is created.
fn three_way(trial: &Trial) -> Vec<String> {
    let mut how = Vec::new();
    if trial.kind == Kind::ThreeWay && trial.overwrite == Overwrite::Yes {
        how.push("overwrite: true".to_owned());
    }
    for precondition in &trial.preconditions {
        how.push(match precondition {
            Precondition::KeyUnchanged(key) => format!("keys-unchanged: [{}]", write_flow_string(key)),
            Precondition::MetadataKeyUnchanged(key) => {
                format!("metadata-keys-unchanged: [{}]", write_flow_string(key))
            }
        });
    }
    how
}

#[cfg(test)]
mod tests {
    use skewer_cases::{Corpus, CorpusFile};

    use super::super::compare::compare;
    use super::super::generate::{self, Source};
    use super::*;
    use crate::execute::{Options, run_cell};
    use crate::targets::BuiltInTarget;

    /// What is printed can be pasted: the case reads, and runs to what it says.
    #[test]
    fn cases_can_be_pasted() {
        let mut text = "suite: pasted\nabout: Trials.\ncases:\n".to_owned();
        for number in 0..400 {
            let types = generate::types(&Source::Random, 5, number).unwrap();
            let trial = generate::trial(5, number, &types, Kind::ALL);
            if trial.kind != Kind::JsonPatchApply {
                let answer = compare(&trial, &BuiltInTarget).unwrap().ours;
                text.push_str(&case(&trial, 5, &answer));
            }
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
