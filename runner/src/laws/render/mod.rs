//! An example as a suite file, which can be put into the corpus as it is.

mod go_text;

use std::fmt::Write;

use skewer_cases::yaml::{flow, word};
use skewer_engine::directive::Directive;
use skewer_engine::patch;
use skewer_engine::profile::Profile;
use skewer_engine::schema::SchemaElement;
use skewer_engine::skew::{self, BuiltIn, Decoding, Edit, FinalState, Intent, Request, Scenario};
use skewer_engine::{Doc, Error, OwnedDoc, Text};

use super::law::{Law, Noise};
use super::situation::Content;
use super::subject::{Era, Subject};
use super::trial::Trial;
use super::verdict::Example;

/// The example as a suite file. What its cells expect is what comes of them, so that they pass.
///
/// A directive that is not in the registry has to be put there first: its name stands in the file. A change that no
/// name stands for is shown by the patches of old and new clients, and what an old server makes of them.
#[must_use]
pub fn suite(subject: &Subject, example: &Example) -> String {
    let Some(trial) = Trial::of(subject, &example.pair, &example.situation) else { return String::new() };
    let suite = Suite { subject, example, trial };
    let mut text = suite.heading();
    match &example.situation.content {
        Content::Intent { stored, last_applied, intent, .. } if subject.has_a_name() => {
            suite.skew_case(&mut text, (stored, last_applied.as_ref(), intent));
        }
        _ => suite.patch_cases(&mut text),
    }
    text
}

/// The name of the suite: where its file goes below the corpus folder.
#[must_use]
pub fn suite_name(subject: &Subject, example: &Example) -> String {
    let mut name = String::from("laws/");
    let loud = if example.noise == Some(Noise::Loud) { "-refused" } else { "" };
    for c in format!("{}-{}{loud}", subject.name, example.law.name()).chars() {
        match c {
            c if c.is_ascii_uppercase() => {
                // `$retainKeys` is `retain-keys` here.
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

struct Suite<'a> {
    subject: &'a Subject,
    example: &'a Example,
    trial: Trial<'a>,
}

impl Suite<'_> {
    fn heading(&self) -> String {
        let Example { law, situation, pair, why, .. } = self.example;
        let mut text = format!("suite: {}\nabout: >-\n", suite_name(self.subject, self.example));
        let verb = if *law == Law::Benefit { "keeps" } else { "breaks" };
        let about = format!(
            "{} {verb} the law \"{}\" beside the directives of {}: {why}. Shrunk from {}.",
            self.subject.name,
            law.name(),
            pair.among,
            situation.origin
        );
        wrapped(&mut text, &about);
        let _ = writeln!(text, "source: {{document: strategic-merge-patch, section: {}}}", section(*law));
        let _ = writeln!(text, "level: {}", if *law == Law::Benefit { "recommended" } else { "erratum" });
        if self.subject.has_a_name() && self.profile() == Profile::Proposed {
            text.push_str("profile: proposed\n");
        }
        text.push_str("schema:\n  go: |\n");
        for line in go_text::go_text(&situation.types).lines() {
            let _ = writeln!(text, "    {line}");
        }
        let _ = writeln!(text, "  root: {}", situation.root);
        text
    }

    /// The profile of which the parties lack something.
    fn profile(&self) -> Profile {
        let today = Profile::Today.directives_among(&self.subject.all());
        let in_today = Era::ALL.iter().all(|era| {
            self.example.pair.directives(*era).iter().all(|directive| today.knows(directive.name()))
        });
        if in_today { Profile::Today } else { Profile::Proposed }
    }

    fn axis(&self, text: &mut String, name: &str) {
        let _ = writeln!(text, "  {name}:");
        let profile = self.profile().directives_among(&self.subject.all());
        for era in Era::ALL {
            let known = self.example.pair.directives(era);
            let lacks: Vec<&str> =
                profile.iter().map(Directive::name).filter(|directive| !known.knows(directive)).collect();
            let party = if lacks.is_empty() {
                "{}".to_owned()
            } else {
                format!("{{without: [{}]}}", lacks.join(", "))
            };
            let _ = writeln!(text, "    {}: {party}", era.name());
        }
    }

    fn skew_case(
        &self,
        text: &mut String,
        (stored, last_applied, intent): (&OwnedDoc, Option<&OwnedDoc>, &Intent),
    ) {
        text.push_str("axes:\n");
        self.axis(text, "client");
        self.axis(text, "server");
        text.push_str("before: {client: old, server: old}\ncases:\n  - id: example\n");
        let situation = &self.example.situation;
        party(text, "client", &situation.client_lacks, situation.decoding);
        party(text, "server", &situation.server_lacks, Decoding::Structured);
        if let Some(document) = last_applied {
            let _ = writeln!(text, "    last-applied: {}", flow(document));
        }
        let _ = writeln!(text, "    live: {}", flow(stored));
        edits(text, intent);
        let request = if last_applied.is_some() { Request::Apply } else { Request::StrategicMergePatch };
        let _ = writeln!(text, "    request: {}\n    expect:", request.name());
        let before = self.end((Era::Old, Era::Old), (stored, last_applied, intent), request);
        for client in Era::ALL {
            for server in Era::ALL {
                let _ =
                    writeln!(text, "      - when: {{client: {}, server: {}}}", client.name(), server.name());
                let end = self.end((client, server), (stored, last_applied, intent), request);
                self.expectation(text, stored, end, before.as_ref());
            }
        }
    }

    fn end(
        &self,
        (client, server): (Era, Era),
        (stored, last_applied, intent): (&OwnedDoc, Option<&OwnedDoc>, &Intent),
        request: Request,
    ) -> Option<FinalState> {
        let scenario = Scenario {
            stored,
            last_applied,
            intent,
            full_context: self.trial.everything(),
            client: self.trial.client(client),
            server: self.trial.server(server),
            request,
        };
        skew::run(&scenario, &BuiltIn, &mut |_, _| {}).ok()
    }

    fn expectation(
        &self,
        text: &mut String,
        stored: &OwnedDoc,
        end: Option<FinalState>,
        before: Option<&FinalState>,
    ) {
        let (Some(end), Some(ideal)) = (end, self.ideal(stored)) else { return };
        let judgement = skew::judge(self.trial.everything(), stored, &end, &ideal, before);
        let _ = writeln!(text, "        outcome: {}", judgement.outcome);
        match end {
            FinalState::Stored(document) => {
                let _ = writeln!(text, "        result: {}", flow(&document));
            }
            FinalState::Refused(error) => {
                let _ = writeln!(text, "        error: {}", error.kind().id());
            }
        }
    }

    /// The ideal of the case, which it has even where the situation has none.
    fn ideal(&self, stored: &OwnedDoc) -> Option<FinalState> {
        match &self.example.situation.content {
            Content::Intent { intent, .. } => self.trial.ideal_of(stored, intent),
            Content::Patch { .. } => None,
        }
    }

    /// The patches by themselves. Where no name stands for the change, only old servers are there to take them.
    fn patch_cases(&self, text: &mut String) {
        let eras: &[Era] = if self.subject.has_a_name() { &Era::ALL } else { &[Era::Old] };
        if self.subject.has_a_name() {
            text.push_str("axes:\n");
            self.axis(text, "server");
        }
        text.push_str("cases:\n");
        let patches =
            [("old-patch", Some(&self.trial.old_patch)), ("new-patch", self.trial.new_patch.as_ref())];
        for (id, patch) in patches {
            let Some(Ok(patch)) = patch else { continue };
            let live = self.trial.read();
            let _ = writeln!(
                text,
                "  - id: {id}\n    live: {}\n    patch: {}\n    expect:",
                flow(live),
                flow(patch)
            );
            for era in eras {
                let when = format!("when: {{server: {}}}\n        ", era.name());
                let when = if eras.len() > 1 { when } else { String::new() };
                let end = patch::apply(&self.trial.server(*era).context, live, patch);
                let _ = writeln!(text, "      - {when}{}", result(end));
            }
        }
    }
}

fn party(text: &mut String, name: &str, lacks: &[SchemaElement], decoding: Decoding) {
    let mut parts = Vec::new();
    if !lacks.is_empty() {
        let lacks: Vec<String> = lacks.iter().map(ToString::to_string).collect();
        parts.push(format!("without: [{}]", lacks.join(", ")));
    }
    if decoding == Decoding::Unstructured {
        parts.push("unstructured: true".to_owned());
    }
    if !parts.is_empty() {
        let _ = writeln!(text, "    {name}: {{{}}}", parts.join(", "));
    }
}

fn result(end: Result<OwnedDoc, Error>) -> String {
    match end {
        Ok(document) => format!("result: {}", flow(&document)),
        Err(error) => format!("error: {}", error.kind().id()),
    }
}

/// The section that says the law.
fn section(law: Law) -> &'static str {
    match law {
        Law::Backward => "Requirements for any changes to the patch format",
        Law::Forward => "Client version skew",
        Law::Superset | Law::NoNewRequirement => "Strategies for introducing new patch behavior",
        Law::Benefit => "Changing patch format",
    }
}

fn edits(text: &mut String, intent: &Intent) {
    if intent.is_empty() {
        text.push_str("    intent: {}\n");
        return;
    }
    text.push_str("    intent:\n");
    let mut heading = "";
    let mut item = |text: &mut String, name: &'static str, item: String| {
        if heading != name {
            let _ = writeln!(text, "      {name}:");
            heading = name;
        }
        let _ = writeln!(text, "        - {item}");
    };
    let place = |at: &skew::Selector| word(&at.to_string());
    for edit in &intent.0 {
        match edit {
            Edit::Set(value) => {
                let _ = writeln!(text, "      set: {}", flow(value));
            }
            Edit::Choose { selector: at, fields } => {
                let fields = flow(&Doc::Map(fields.clone()));
                item(text, "choose", format!("{{at: {}, fields: {fields}}}", place(at)));
            }
            Edit::Add { selector: at, item: added } => {
                item(text, "add", format!("{{at: {}, item: {}}}", place(at), flow(added)));
            }
            Edit::Select { selector: at, member, value } => {
                let member = word(member);
                item(
                    text,
                    "select",
                    format!("{{at: {}, member: {member}, value: {}}}", place(at), flow(value)),
                );
            }
            Edit::Clear(at) => item(text, "clear", place(at)),
            Edit::Remove(at) => item(text, "remove", place(at)),
            Edit::Order { selector: at, order } => {
                let order = flow(&Doc::List(order.clone()));
                item(text, "order", format!("{{at: {}, as: {order}}}", place(at)));
            }
        }
    }
}

/// How wide a line of text is.
const WIDTH: usize = 112;

fn wrapped(text: &mut String, words: &str) {
    let mut line = String::from(" ");
    for word in words.split(' ').map(Text::from) {
        if line.chars().count() + word.chars().count() >= WIDTH && line.trim() != "" {
            let _ = writeln!(text, "{line}");
            line = String::from(" ");
        }
        let _ = write!(line, " {word}");
    }
    let _ = writeln!(text, "{line}");
}
