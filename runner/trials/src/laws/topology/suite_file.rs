//! Rendering of a counter-example as a suite file for the corpus.

use std::fmt::Write;

use skewer_cases::suite_text::write_wrapped;
use skewer_cases::yaml::write_flow;
use skewer_engine::OwnedDoc;
use skewer_reports::laws::ViolationKind;

use super::change::TopologyChange;
use super::generate::TopologySituation;
use super::law::TopologyLaw;
use super::trial::{ServerVersion, history_on_both, on_server};
use crate::differential::Answer;
use crate::differential::compare::built_in_answer;
use crate::differential::types::TypesOrigin;

/// A shrunk situation that breaks a law.
pub(super) struct TopologyExample<'a> {
    pub(super) change: &'a TopologyChange,
    pub(super) law: TopologyLaw,
    pub(super) kind: ViolationKind,
    pub(super) seed: u64,
    pub(super) situation: TopologySituation,
    pub(super) why: String,
}

/// Renders an example as a suite file with a case for each server. A case has the live object with the managed fields
/// that the history has left, the types of the server, and the next apply request. The expectations are the computed
/// answers, so that the cells pass.
pub(super) fn render(example: &TopologyExample<'_>) -> String {
    let mut text = heading(example);
    let sequence = &example.situation.sequence;
    let Some((_, history)) = sequence.steps.split_last() else { return text };
    let Some([old, new]) = history_on_both(sequence, history) else { return text };
    write_case(&mut text, example, ("old-servers", &old, ServerVersion::Old));
    if example.law != TopologyLaw::NoNewRequirement {
        write_case(&mut text, example, ("new-servers", &new, ServerVersion::New));
    }
    if example.law == TopologyLaw::Forward {
        write_case(&mut text, example, ("after-rollback", &new, ServerVersion::Old));
    } else {
        write_case(&mut text, example, ("after-upgrade", &old, ServerVersion::New));
    }
    text
}

fn heading(example: &TopologyExample<'_>) -> String {
    let TopologyExample { change, law, kind, seed, situation, why } = example;
    let suffix = if *kind == ViolationKind::Refusal { "-refused" } else { "" };
    let mut text = format!("suite: laws/topology/{}-{}{suffix}\nabout: >-\n", change.name, law.name());
    let about = format!(
        "{} breaks the law \"{}\": {why}. Shrunk from generated situation {} of seed {seed}.",
        change.name,
        law.name(),
        situation.sequence.number
    );
    write_wrapped(&mut text, &about);
    text.push_str(
        "source:\n  document: https://kubernetes.io/docs/reference/using-api/server-side-apply/\n  section: \
         Compatibility across topology changes\nlevel: erratum\ncases:\n",
    );
    text
}

fn write_case(
    text: &mut String,
    example: &TopologyExample<'_>,
    (id, live, server): (&str, &Option<OwnedDoc>, ServerVersion),
) {
    let sequence = &example.situation.sequence;
    let Some(step) = sequence.steps.last() else { return };
    let step = on_server(step, server);
    let Some(answer) = step.perform(sequence, live.as_ref(), built_in_answer) else { return };
    let _ = writeln!(text, "  - id: {id}\n    schema:\n      go: |");
    if let TypesOrigin::Go(go) = &sequence.resources[server as usize].compiled[0].origin {
        for line in go.replace('\t', "  ").lines() {
            let _ = writeln!(text, "        {line}");
        }
    }
    let live = live.as_ref().map_or_else(|| "{}".to_owned(), write_flow);
    let _ = writeln!(text, "      root: T0\n    request: server-side-apply\n    manager: {}", step.manager);
    if step.force {
        text.push_str("    force: true\n");
    }
    let _ = writeln!(text, "    live: {live}\n    configuration: {}", write_flow(&step.document));
    let _ = writeln!(text, "    expect:\n      - {}", expectation(&answer));
}

fn expectation(answer: &Answer) -> String {
    match answer {
        Answer::Result(object) => format!("result: {}", write_flow(object)),
        Answer::Refused { kind, conflicts, .. } if conflicts.is_empty() => format!("error: {kind}"),
        Answer::Refused { kind, conflicts, .. } => {
            let conflict = |it: &skewer_engine::error::ManagerConflict| {
                let text = |text: &str| skewer_cases::yaml::write_flow_string(text);
                format!("{{manager: {}, path: {}}}", text(&it.manager), text(&it.path))
            };
            let conflicts: Vec<String> = conflicts.iter().map(conflict).collect();
            format!("error: {kind}\n        conflicts: [{}]", conflicts.join(", "))
        }
        Answer::Panic(_) | Answer::Unsupported(_) | Answer::Broken(_) => "result: {}".to_owned(),
    }
}
