//! Rendering a sequence with the answers to it, for people.

use std::fmt::Write;

use skewer_cases::yaml::{write_flow, write_flow_string};

use super::compare::ComparedStep;
use super::resource::{ResourceTypes, SequenceResource};
use super::sequence::{Sequence, SequenceStep};
use crate::differential::answer::TrialAnswer;
use crate::differential::types::{ROOT_TYPE, TypesOrigin};

/// Renders the steps as YAML, with both answers to each step.
pub(super) fn render(sequence: &Sequence, steps: &[ComparedStep], seed: u64) -> String {
    let mut text = format!("  - id: sequence-{seed}-{}\n", sequence.number);
    text.push_str("    # A case cannot express a live object with managed fields between the steps: see `live` of each step.\n");
    for (index, resource) in sequence.resources.iter().enumerate() {
        let _ = writeln!(text, "    resource-{index}:");
        render_resource(&mut text, resource);
    }
    text.push_str("    steps:\n");
    for (step, compared) in sequence.steps.iter().zip(steps) {
        let options = options_of(step, sequence.resources.len());
        let _ = writeln!(text, "      - {}: {{{}}}", step.operation.name(), options.join(", "));
        if let Some(live) = &compared.live {
            let _ = writeln!(text, "        live: {}", write_flow(live));
        }
        let role = if step.operation.declaration().takes_force() { "configuration" } else { "new" };
        let _ = writeln!(text, "        {role}: {}", write_flow(&step.sent_document(compared.live.as_ref())));
        let answer = |answer: &TrialAnswer| match answer {
            TrialAnswer::Result(result) => write_flow(result),
            other => write_flow_string(&other.to_string()),
        };
        let _ = writeln!(text, "        builtin: {}", answer(&compared.comparison.ours));
        let _ = writeln!(text, "        target: {}", answer(&compared.comparison.theirs));
    }
    text
}

fn options_of(step: &SequenceStep, resources: usize) -> Vec<String> {
    let mut options = vec![
        format!("manager: {}", write_flow_string(step.manager)),
        format!("apiVersion: {}", write_flow_string(step.api_version)),
    ];
    if step.force {
        options.push("force: true".to_owned());
    }
    if !step.subresource.is_empty() {
        options.push(format!("subresource: {}", step.subresource));
    }
    if resources > 1 {
        options.push(format!("resource: {}", step.resource));
    }
    options
}

fn render_resource(text: &mut String, resource: &SequenceResource) {
    let path = |path: &[&str]| path.iter().map(|name| write_flow_string(name)).collect::<Vec<_>>().join(", ");
    if matches!(resource.types, ResourceTypes::Deduced(_)) {
        text.push_str("      # The resource has no schema: its types are deduced.\n");
    }
    for (version, types) in resource.versions.iter().zip(&resource.compiled) {
        let _ = writeln!(text, "      - apiVersion: {}", version.api_version);
        for (hub, here) in &version.renames {
            let _ = writeln!(text, "        rename: {{hub: [{}], version: [{}]}}", path(hub), path(here));
        }
        for reset in &version.reset_fields {
            let _ = writeln!(text, "        reset: [{}]", path(reset));
        }
        match &types.origin {
            TypesOrigin::Go(go) if go.is_empty() => {}
            TypesOrigin::Go(go) => {
                let _ = writeln!(text, "        root: {ROOT_TYPE}\n        go: |");
                for line in go.lines() {
                    let _ = writeln!(text, "          {}", line.replace('\t', "  "));
                }
            }
            TypesOrigin::Release { release, api_version, kind } => {
                let _ = writeln!(text, "        schema: {{builtin: {release}, root: {api_version}/{kind}}}");
            }
        }
    }
}
