//! `skewer schema witness`.

use std::fmt::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;
use skewer_audit::explore::witness::{Decision, Objects, RuleWitnesses, witnesses};
use skewer_audit::input::DefinitionFile;
use skewer_audit::shorten::shortened;
use skewer_engine::{FieldPath, OwnedDoc, PathSegment};

use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::InputFile;
use crate::cli::output::{self, counted};
use crate::cli::schema::refusals_of_established;

/// The arguments of `skewer schema witness`.
#[derive(Debug, Args)]
#[command(
    after_help = "A value that nothing refuses, or that nothing satisfies, is proven, or undecided.\n\n\
    Exit codes: 0 each rule can hold and can refuse; 1 a rule cannot, or is undecided; 2 the file cannot be read, or servers refuse \
    the definition."
)]
pub(super) struct WitnessArguments {
    /// File with a CustomResourceDefinition; - is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only this version.
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
    /// Output format. JSON has the whole objects.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For a terminal: the values with the rule.
    Text,
    /// For programs.
    Json,
}

/// The rules of a version, in JSON.
#[derive(Serialize)]
struct VersionDocument<'a> {
    version: &'a str,
    rules: Vec<RuleDocument<'a>>,
}

/// A rule, in JSON. An object is null if there is none, or if none was found.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RuleDocument<'a> {
    path: String,
    line: usize,
    rule: &'a str,
    satisfied: Option<&'a OwnedDoc>,
    never_satisfied: Option<&'a str>,
    broken: Option<&'a OwnedDoc>,
    /// The stored object that the broken one replaces, if the rule compares the two.
    broken_from: Option<&'a OwnedDoc>,
    never_broken: Option<&'a str>,
    /// The message with which the server refuses the broken object, if the rule has one of its own.
    message: Option<&'a str>,
}

pub(super) fn witness(arguments: &WitnessArguments) -> Result {
    let file = InputFile::read(&arguments.file)?;
    let definition = DefinitionFile::read(&file.name, &file.bytes)
        .map_err(|errors| Failure::of_files(Exit::CouldNotRun, [&errors]))?;
    let refused = refusals_of_established(&definition);
    if !refused.is_empty() {
        return Err(Failure::of_files(Exit::CouldNotRun, [&definition.errors(&refused)]));
    }
    let known = definition.definition.versions.iter().map(|version| version.name.as_str());
    let wanted: Vec<&str> = known
        .clone()
        .filter(|name| arguments.version.as_deref().is_none_or(|wanted| wanted == *name))
        .collect();
    if wanted.is_empty() {
        let known = known.collect::<Vec<_>>().join(", ");
        let version = arguments.version.as_deref().unwrap_or_default();
        let message = format!("{}: there is no version {version}; the versions are: {known}", file.name);
        return Err(Failure::new(Exit::CouldNotRun, message));
    }
    let mut found = Vec::new();
    for version in wanted {
        let rules = witnesses(&definition.document, version)
            .map_err(|errors| Failure::of_files(Exit::CouldNotRun, [&definition.errors(&errors)]))?;
        found.push((version, rules));
    }
    match arguments.format {
        Format::Text => output::print(&text(&definition, &found))?,
        Format::Json => {
            let documents: Vec<VersionDocument<'_>> =
                found.iter().map(|(version, rules)| document(&definition, version, rules)).collect();
            output::print_json(&documents)?;
        }
    }
    let is_decided = |rule: &RuleWitnesses| {
        matches!((&rule.satisfied, &rule.broken), (Decision::Found(_), Decision::Found(_)))
    };
    let is_ok = found.iter().flat_map(|(_, rules)| rules).all(is_decided);
    Ok(if is_ok { Exit::Ok } else { Exit::CellFailed })
}

fn text(definition: &DefinitionFile, versions: &[(&str, Vec<RuleWitnesses>)]) -> String {
    let mut text = String::new();
    for (version, rules) in versions {
        let count = |is: &dyn Fn(&RuleWitnesses) -> bool| rules.iter().filter(|rule| is(rule)).count();
        let never_broken = count(&|rule| matches!(rule.broken, Decision::None(_)));
        let never_satisfied = count(&|rule| matches!(rule.satisfied, Decision::None(_)));
        let undecided = count(&|rule| {
            matches!(rule.broken, Decision::Undecided(_)) || matches!(rule.satisfied, Decision::Undecided(_))
        });
        let _ = writeln!(
            text,
            "{} {version}: {}; {never_broken} that nothing breaks, {never_satisfied} that nothing satisfies, \
             {undecided} undecided",
            definition.subject(),
            counted(rules.len(), "rule"),
        );
        // A type that several fields have has the same rules in each of them.
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for rule in rules {
            let place = format!("{}:{}", definition.file.name(), line(definition, version, rule));
            let path = if rule.path.steps().is_empty() { ".".to_owned() } else { rule.path.to_string() };
            let (place, found) = (format!("{place} {path}"), found(rule));
            match groups.iter_mut().find(|(known, _)| *known == found) {
                Some((_, places)) => places.push(place),
                None => groups.push((found, vec![place])),
            }
        }
        for (found, places) in groups {
            let _ = write!(text, "\n{}\n{found}", places.join("\n"));
        }
    }
    text
}

/// Returns the lines about a rule that do not depend on its place.
fn found(rule: &RuleWitnesses) -> String {
    let mut text = format!("  rule     {}\n", rule.rule.split_whitespace().collect::<Vec<_>>().join(" "));
    let _ = writeln!(text, "  holds    {}", satisfied(rule));
    let _ = writeln!(text, "  refuses  {}", broken(rule));
    if let Some(message) = &rule.message {
        let _ = writeln!(text, "  message  {message}");
    }
    text
}

fn satisfied(rule: &RuleWitnesses) -> String {
    match &rule.satisfied {
        Decision::Found(_) => rule.satisfied_value().map(shown).unwrap_or_default(),
        Decision::None(why) => format!("nothing, which is proven: {why}"),
        Decision::Undecided(obstacles) => match obstacles.first() {
            Some(obstacle) => format!("undecided: {obstacle}"),
            None => "undecided".to_owned(),
        },
    }
}

fn broken(rule: &RuleWitnesses) -> String {
    match (&rule.broken, rule.broken_values()) {
        (Decision::Found(_), Some((new, Some(old)))) => format!("{} in place of {}", shown(new), shown(old)),
        (Decision::Found(_), Some((new, None))) | (Decision::Found(Objects { new, .. }), None) => shown(new),
        (Decision::None(why), _) => format!("nothing, which is proven: {why}"),
        (Decision::Undecided(obstacles), _) => {
            let other = obstacles.first().map(|other| format!("; {other}")).unwrap_or_default();
            format!("undecided: no object was found that only this rule refuses{other}")
        }
    }
}

fn shown(value: &OwnedDoc) -> String {
    shortened(value).to_string()
}

fn line(definition: &DefinitionFile, version: &str, rule: &RuleWitnesses) -> usize {
    let mut path: FieldPath = definition.document_path(version, &rule.path);
    path.push(PathSegment::Key("x-kubernetes-validations".into()));
    path.push(PathSegment::Index(rule.index));
    definition.line_of(&path)
}

fn document<'a>(
    definition: &DefinitionFile,
    version: &'a str,
    rules: &'a [RuleWitnesses],
) -> VersionDocument<'a> {
    let of_rule = |rule: &'a RuleWitnesses| {
        let (broken, broken_from, never_broken) = match &rule.broken {
            Decision::Found(Objects { new, old, .. }) => (Some(new), old.as_ref(), None),
            Decision::None(why) => (None, None, Some(why.as_str())),
            Decision::Undecided(_) => (None, None, None),
        };
        let (satisfied, never_satisfied) = match &rule.satisfied {
            Decision::Found(object) => (Some(object), None),
            Decision::None(why) => (None, Some(why.as_str())),
            Decision::Undecided(_) => (None, None),
        };
        RuleDocument {
            path: rule.path.to_string(),
            line: line(definition, version, rule),
            rule: &rule.rule,
            satisfied,
            never_satisfied,
            broken,
            broken_from,
            never_broken,
            message: rule.message.as_deref(),
        }
    };
    VersionDocument { version, rules: rules.iter().map(of_rule).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A type that two fields have has its rules once, with both places.
    #[test]
    fn the_same_rule_of_two_fields_is_printed_once() {
        let size = "{type: integer, x-kubernetes-validations: [{rule: self > 3}]}";
        let definition = format!(
            "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {{name: things.example.com}}, \
             spec: {{group: example.com, names: {{kind: Thing, listKind: ThingList, plural: things, singular: thing}}, \
             scope: Namespaced, versions: [{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: \
             {{type: object, properties: {{spec: {{type: object, properties: {{a: {size}, b: {size}}}}}}}}}}}}}]}}}}"
        );
        let file = DefinitionFile::read("crd.yaml", definition.as_bytes()).expect("a valid definition");
        let rules = witnesses(&file.document, "v1").expect("valid types");
        let text = text(&file, &[("v1", rules)]);
        assert_eq!(text.matches("rule     self > 3").count(), 1, "{text}");
        assert!(text.contains("crd.yaml:1 spec.a\ncrd.yaml:1 spec.b\n  rule"), "{text}");
    }
}
