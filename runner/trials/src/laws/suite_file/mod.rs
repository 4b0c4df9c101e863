//! Rendering of an example as a suite file for the corpus.

mod go_source;

use std::fmt::Write;

use skewer_cases::suite_text::{write_intent, write_wrapped};
use skewer_cases::yaml::write_flow;
use skewer_engine::directive::Directive;
use skewer_engine::patch;
use skewer_engine::profile::Profile;
use skewer_engine::schema::SchemaElement;
use skewer_engine::skew::{self, Decoding, FinalState};
use skewer_engine::{Error, OwnedDoc};

use super::format_change::{FormatChange, FormatVersion};
use super::law::{Law, ViolationKind};
use super::situation::{ClientIntent, PatchSource};
use super::trial::Trial;
use super::verdict::Example;

/// Renders an example as a suite file. Its expectations are the computed final states, so that its cells pass.
///
/// The file names the directive of the change. A proposed directive must therefore be added to the registry before the
/// file can be used. If several changes have a directive of the same name, and the name therefore does not identify the
/// change, the file instead contains the patches of the old and the new client, with their results on an old server.
#[must_use]
pub fn render(change: &FormatChange, example: &Example) -> String {
    let Some(trial) = Trial::new(change, &example.formats, &example.situation) else { return String::new() };
    let writer = SuiteWriter { change, example, trial };
    let mut text = writer.heading();
    match &example.situation.patch_source {
        PatchSource::Intent(intent) if change.has_distinct_name() => {
            writer.write_skew_case(&mut text, intent);
        }
        _ => writer.write_patch_cases(&mut text),
    }
    text
}

/// Returns the name of the suite, which is the path of its file below the corpus folder.
#[must_use]
pub fn suite_name(change: &FormatChange, example: &Example) -> String {
    let mut name = String::from("laws/");
    let suffix = if example.violation == Some(ViolationKind::Refusal) { "-refused" } else { "" };
    for c in format!("{}-{}{suffix}", change.name, example.law.name()).chars() {
        match c {
            c if c.is_ascii_uppercase() => {
                // For example, `$retainKeys` becomes `retain-keys`.
                name.push('-');
                name.push(c.to_ascii_lowercase());
            }
            c if c.is_ascii_alphanumeric() => name.push(c),
            '-' | ' ' => name.push('-'),
            _ => {}
        }
    }
    name
}

struct SuiteWriter<'a> {
    change: &'a FormatChange,
    example: &'a Example,
    trial: Trial<'a>,
}

impl SuiteWriter<'_> {
    fn heading(&self) -> String {
        let Example { law, situation, formats, why, .. } = self.example;
        let mut text = format!("suite: {}\nabout: >-\n", suite_name(self.change, self.example));
        let verb = if *law == Law::Benefit { "keeps" } else { "breaks" };
        let about = format!(
            "{} {verb} the law \"{}\" with the other directives of {}: {why}. Shrunk from {}.",
            self.change.name,
            law.name(),
            formats.profile,
            situation.origin
        );
        write_wrapped(&mut text, &about);
        let _ = writeln!(
            text,
            "source: {{document: strategic-merge-patch, section: {}}}",
            document_section(*law)
        );
        let _ = writeln!(text, "level: {}", if *law == Law::Benefit { "recommended" } else { "erratum" });
        if self.change.has_distinct_name() && self.profile() == Profile::Proposed {
            text.push_str("profile: proposed\n");
        }
        text.push_str("schema:\n  go: |\n");
        for line in go_source::go_source(&situation.types).lines() {
            let _ = writeln!(text, "    {line}");
        }
        let _ = writeln!(text, "  root: {}", situation.root_type);
        text
    }

    /// Returns the smallest profile that contains the directives of both parties.
    fn profile(&self) -> Profile {
        let today = Profile::Today.directives_among(&self.change.all_directives());
        let in_today = FormatVersion::ALL.iter().all(|version| {
            self.example.formats.directives(*version).iter().all(|directive| today.knows(directive.name()))
        });
        if in_today { Profile::Today } else { Profile::Proposed }
    }

    fn write_axis(&self, text: &mut String, name: &str) {
        let _ = writeln!(text, "  {name}:");
        let profile = self.profile().directives_among(&self.change.all_directives());
        for version in FormatVersion::ALL {
            let known = self.example.formats.directives(version);
            let missing: Vec<&str> =
                profile.iter().map(Directive::name).filter(|directive| !known.knows(directive)).collect();
            let party = if missing.is_empty() {
                "{}".to_owned()
            } else {
                format!("{{without: [{}]}}", missing.join(", "))
            };
            let _ = writeln!(text, "    {}: {party}", version.name());
        }
    }

    fn write_skew_case(&self, text: &mut String, intent: &ClientIntent) {
        text.push_str("axes:\n");
        self.write_axis(text, "client");
        self.write_axis(text, "server");
        text.push_str("before: {client: old, server: old}\ncases:\n  - id: example\n");
        let situation = &self.example.situation;
        write_party(text, "client", &situation.missing_in_client, situation.decoding);
        write_party(text, "server", &situation.missing_in_server, Decoding::Structured);
        if let Some(document) = &intent.last_applied {
            let _ = writeln!(text, "    last-applied: {}", write_flow(document));
        }
        let _ = writeln!(text, "    live: {}", write_flow(&intent.live));
        write_intent(text, &intent.intent, "    ");
        if let Some(meanwhile) = &intent.meanwhile {
            text.push_str("    meanwhile:\n      - request: update\n");
            write_intent(text, meanwhile, "        ");
        }
        let _ = writeln!(text, "    request: {}\n    expect:", intent.request().name());
        let before = self.final_state(intent, (FormatVersion::Old, FormatVersion::Old));
        for client in FormatVersion::ALL {
            for server in FormatVersion::ALL {
                let _ =
                    writeln!(text, "      - when: {{client: {}, server: {}}}", client.name(), server.name());
                let state = self.final_state(intent, (client, server));
                self.write_expectation(text, intent, state, before.as_ref());
            }
        }
    }

    fn final_state(
        &self,
        intent: &ClientIntent,
        versions: (FormatVersion, FormatVersion),
    ) -> Option<FinalState> {
        let scenario = self.trial.scenario(intent, versions);
        skew::run_built_in(&scenario, &mut |_, _| {}).ok()
    }

    fn write_expectation(
        &self,
        text: &mut String,
        intent: &ClientIntent,
        state: Option<FinalState>,
        before: Option<&FinalState>,
    ) {
        // A case always has an ideal, even if that of the situation is unknown.
        let (Some(state), Some(ideal)) = (state, self.trial.compute_ideal(intent)) else { return };
        let context = self.trial.up_to_date_context();
        let live = if intent.meanwhile.is_some() { self.trial.live() } else { &intent.live };
        let stored = skew::without_unset_fields(context, live.clone());
        let judgement = skew::judge(context, &stored, &state, &ideal, before);
        let _ = writeln!(text, "        outcome: {}", judgement.outcome);
        match state {
            FinalState::Stored(document) => {
                let _ = writeln!(text, "        result: {}", write_flow(&document));
            }
            FinalState::Refused(error) => {
                let _ = writeln!(text, "        error: {}", error.kind().id());
                if let Some(directive) = error.directive() {
                    let _ = writeln!(text, "        directive: {directive}");
                }
            }
        }
    }

    /// Writes a case for each patch. A case names the directives that a server knows. If the change has no name of its
    /// own, a case cannot have a server that knows it, so that the only server is an old one.
    fn write_patch_cases(&self, text: &mut String) {
        let versions: &[FormatVersion] =
            if self.change.has_distinct_name() { &FormatVersion::ALL } else { &[FormatVersion::Old] };
        if self.change.has_distinct_name() {
            text.push_str("axes:\n");
            self.write_axis(text, "server");
        }
        text.push_str("cases:\n");
        let patches =
            [("old-patch", Some(&self.trial.old_patch)), ("new-patch", self.trial.new_patch.as_ref())];
        for (id, patch) in patches {
            let Some(Ok(patch)) = patch else { continue };
            let live = self.trial.live();
            let _ = writeln!(
                text,
                "  - id: {id}\n    live: {}\n    patch: {}\n    expect:",
                write_flow(live),
                write_flow(patch)
            );
            for version in versions {
                let when = format!("when: {{server: {}}}\n        ", version.name());
                let when = if versions.len() > 1 { when } else { String::new() };
                let result = patch::apply(&self.trial.server(*version).context, live, patch);
                let _ = writeln!(text, "      - {when}{}", expectation_entry(result));
            }
        }
    }
}

fn write_party(text: &mut String, name: &str, missing: &[SchemaElement], decoding: Decoding) {
    let mut parts = Vec::new();
    if !missing.is_empty() {
        let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
        parts.push(format!("without: [{}]", missing.join(", ")));
    }
    if decoding == Decoding::Unstructured {
        parts.push("unstructured: true".to_owned());
    }
    if !parts.is_empty() {
        let _ = writeln!(text, "    {name}: {{{}}}", parts.join(", "));
    }
}

fn expectation_entry(result: Result<OwnedDoc, Error>) -> String {
    match result {
        Ok(document) => format!("result: {}", write_flow(&document)),
        Err(error) => match error.directive() {
            Some(directive) => format!("error: {}\n        directive: {directive}", error.kind().id()),
            None => format!("error: {}", error.kind().id()),
        },
    }
}

fn document_section(law: Law) -> &'static str {
    match law {
        Law::Backward => "Requirements for any changes to the patch format",
        Law::Forward => "Client version skew",
        Law::Superset | Law::NoNewRequirement => "Strategies for introducing new patch behavior",
        Law::Benefit => "Changing patch format",
    }
}
