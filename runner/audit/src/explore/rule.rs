//! The elements that rules in CEL are about. They are found in the text of the rule: this is only a help for finding objects
//! that break it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use skewer_admission::structural::StructuralSchema;
use skewer_engine::{Doc, OwnedDoc};

use crate::cause::Cause;
use crate::facts::Property;
use crate::sample::element;
use crate::schema_path::{SchemaPath, SchemaStep};

/// A variable and the fields after it, such as `self.spec.replicas`.
static CHAIN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"([A-Za-z_]\w*)((?:\.\??[A-Za-z_]\w*)*)").expect("a valid expression"));

/// A macro with a variable for items, such as `self.items.all(x,`.
static MACRO: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"([A-Za-z_]\w*)((?:\.\??[A-Za-z_]\w*)*)\.(?:all|exists|exists_one|map|filter)\(\s*(\w+)\s*,")
        .expect("a valid expression")
});

/// A raw text, a text in quotes, or a number.
static LITERAL: LazyLock<Regex> = LazyLock::new(|| {
    let raw = r#"\br'([^']*)'|\br"([^"]*)""#;
    let quoted = r#"'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)""#;
    Regex::new(&format!(r"{raw}|{quoted}|\b([0-9]+)\b")).expect("a valid expression")
});

/// A character after a backslash.
static ESCAPED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\\(.)").expect("a valid expression"));

/// Returns the elements that the changed rules of a cause are about.
pub(super) fn elements_of_rules(schema: &StructuralSchema, cause: &Cause) -> Vec<SchemaPath> {
    let of_rule = |(path, rule): (&SchemaPath, &str)| elements_of_rule(schema, path, rule);
    let mut elements: Vec<SchemaPath> = changed_rules(cause).flat_map(of_rule).collect();
    elements.sort();
    elements.dedup();
    elements
}

/// Returns the texts and the numbers that the changed rules of a cause name.
pub(super) fn literals_of_rules(cause: &Cause) -> Vec<OwnedDoc> {
    changed_rules(cause).flat_map(|(_, rule)| literals_of_rule(rule)).collect()
}

/// Returns the texts and the numbers that a rule names. A number is often a limit, so that the next one is a value to try,
/// too.
pub(super) fn literals_of_rule(rule: &str) -> Vec<OwnedDoc> {
    let mut literals = Vec::new();
    for found in LITERAL.captures_iter(rule) {
        if let Some(text) = found.get(1).or(found.get(2)) {
            literals.push(Doc::from(text.as_str().to_owned()));
        } else if let Some(text) = found.get(3).or(found.get(4)) {
            let unescaped = ESCAPED.replace_all(text.as_str(), |found: &Captures<'_>| match &found[1] {
                "n" => "\n".to_owned(),
                "t" => "\t".to_owned(),
                other => other.to_owned(),
            });
            literals.push(Doc::from(unescaped.into_owned()));
        } else {
            let number: i64 = found[0].parse().unwrap_or_default();
            literals.extend([Doc::Int(number), Doc::Int(number.saturating_add(1))]);
        }
    }
    literals
}

/// Returns the rules that were added or changed, with the paths of their values.
fn changed_rules(cause: &Cause) -> impl Iterator<Item = (&SchemaPath, &str)> {
    let changes = cause.changes.iter().filter(|change| change.property == Property::Rules);
    changes.flat_map(|change| {
        let rules = change.new.as_ref().and_then(Doc::as_list).unwrap_or_default();
        let old = change.old.as_ref().and_then(Doc::as_list).unwrap_or_default();
        let new = rules.iter().filter(|rule| !old.contains(rule)).filter_map(Doc::as_str);
        new.map(|rule| (&change.path, rule))
    })
}

/// Returns the elements that a rule of the value at `root` is about, without that value.
pub(super) fn elements_of_rule(schema: &StructuralSchema, root: &SchemaPath, rule: &str) -> Vec<SchemaPath> {
    let mut variables: BTreeMap<&str, SchemaPath> = BTreeMap::new();
    variables.insert("self", root.clone());
    for found in MACRO.captures_iter(rule) {
        let (_, [variable, fields, item]) = found.extract();
        let Some(container) = variables.get(variable).map(|path| follow(schema, path, fields)) else {
            continue;
        };
        let inside = [SchemaStep::Items, SchemaStep::Values].map(|step| container.child(step));
        if let Some(path) = inside.into_iter().find(|path| element(schema, path.steps()).is_some()) {
            variables.insert(item, path);
        }
    }
    let chains = CHAIN.captures_iter(rule);
    chains
        .filter_map(|found| {
            let (_, [variable, fields]) = found.extract();
            variables.get(variable).map(|path| follow(schema, path, fields))
        })
        .filter(|path| path != root)
        .collect()
}

/// Follows fields as far as the schema has them. The rest are functions.
fn follow(schema: &StructuralSchema, path: &SchemaPath, fields: &str) -> SchemaPath {
    let mut path = path.clone();
    for name in fields.split('.').filter(|name| !name.is_empty()) {
        let next = path.child(SchemaStep::Field(name.trim_start_matches('?').to_owned()));
        if element(schema, next.steps()).is_none() {
            break;
        }
        path = next;
    }
    path
}
