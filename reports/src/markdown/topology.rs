//! The report on changes of a topology, in Markdown, to be checked in.

use std::fmt::Write as _;

use super::escape::{code_span, escape_prose};
use crate::model::Owner;
use crate::topology::{Answer, Change, Effect, Report};

/// Renders the report: a table with one row for each change, then each change with all of its requests.
#[must_use]
pub fn topology(report: &Report) -> String {
    let mut text = INTRODUCTION.to_owned();
    text.push_str(LEGEND);
    overview(&mut text, report);
    if report.changes.iter().all(|change| change.effect_on(OWNER_AGAIN) == Some(Effect::None)) {
        text.push_str(REMEDY);
    }
    for change in &report.changes {
        details(&mut text, change);
    }
    text
}

const INTRODUCTION: &str = "\
# Changes of a topology

The *topology* of a field says how server-side apply divides it among managers: an *atomic* list, map or struct is one \
value with one owner; in a *granular* one, every item or field has its own owners. A release can change the topology of \
a field. The objects in the cluster still have the managed fields of the old release, and the server reconciles them \
with the new types when an object is written.

In each row, a manager, `owner`, has applied the field on a server of the old release. Then comes the first request to \
a server of the new release:

- `owner-again`: the owner applies the same configuration;
- `owner-removes`: the owner applies less than before;
- `applier-adds`: another manager applies an item or a field that nobody has, without force;
- `applier-changes`: another manager applies another value, without force;
- `updater`: another manager changes a value by an update or a patch.

The answer is compared with a control: the same requests where both servers have the new types. A change is *safe* if \
all answers are the same. An applier can still get a conflict that it did not get on the old release: all managers share \
an atomic value, and it has one owner.

A list is *atomic*, a *set* or a *map* (`listType`; the keys of a map are its `listMapKey`), or it is *untyped*: no \
`listType` is declared. Maps and structs are *atomic* or *granular* (`mapType`, `structType`). A key *with default* can \
be left out by an item.

The page is made from the suite [`server-side-apply/topology`](../cases/corpus/server-side-apply/topology.yaml) \
(`skewer topology`). The Go library of Kubernetes gives the same answers.

## Overview

Each column is the first request after the change:

";

const LEGEND: &str = "\
- *same*: as if the field had always had its new topology;
- *owners*: the same object is stored, but managers own other fields of it;
- *values*: other values are stored;
- *conflict*: the request is refused, and would not be without the change;
- *missed*: the request would be a conflict without the change, and is accepted;
- an empty field: there is no such request for the type, or nothing to compare it with.

";

/// The request by which the owner applies the same configuration.
const OWNER_AGAIN: &str = "owner-again";

const REMEDY: &str = "\
**How to change a topology safely:** every applier applies the same configuration once on the new server, before any \
other write, and before it leaves something out. Managers that only update cannot do this, and nothing in the types can \
do it for them. Cluster API, which changed lists from atomic to map, tells its users how to remove an item by hand \
(kubernetes-sigs/cluster-api#11857).

The rows are about a value that is not empty and has one owner. `skewer laws --topology` also checks empty values and \
values with several owners. For these, no change to atomic is safe: an empty granular list or map has no owner, so that \
the first apply after the change has a conflict with `before-first-apply`; and each manager that owned a part owns the \
whole value.

";

fn overview(text: &mut String, report: &Report) {
    let mut names: Vec<&str> = Vec::new();
    for writer in report.changes.iter().flat_map(|change| &change.writers) {
        if !names.contains(&writer.name.as_str()) {
            names.push(&writer.name);
        }
    }
    let heads: Vec<String> = names.iter().map(|name| format!(" {} |", code_span(name))).collect();
    let _ = writeln!(text, "| change | verdict |{}", heads.concat());
    let _ = writeln!(text, "|:--|:--|{}", ":--|".repeat(names.len()));
    for change in &report.changes {
        let effects = names.iter().map(|name| format!(" {} |", change.effect_on(name).map_or("", word)));
        let effects: Vec<String> = effects.collect();
        let _ = writeln!(text, "| {} | {} |{}", title(change), verdict(change), effects.concat());
    }
    text.push('\n');
}

fn title(change: &Change) -> String {
    let words = |name: &str| escape_prose(&name.replace('-', " "));
    format!("{} → {}", words(&change.old), words(&change.new))
}

fn word(effect: Effect) -> &'static str {
    match effect {
        Effect::None => "same",
        Effect::OtherOwners => "owners",
        Effect::NewConflict => "conflict",
        Effect::OtherValues => "**values**",
        Effect::MissedConflict => "**missed**",
    }
}

/// Sums up a change in plain words.
fn verdict(change: &Change) -> &'static str {
    match (change.has(Effect::MissedConflict), change.has(Effect::OtherValues)) {
        (true, true) => {
            "Unsafe: the owner silently loses its fields. Others overwrite them, and what the owner gives up stays."
        }
        (true, false) => {
            "Unsafe: the owner is silently ignored. Others overwrite its fields without a conflict."
        }
        (false, true) => "Unsafe: what the owner gives up stays, and belongs to nobody.",
        (false, false) if change.has(Effect::NewConflict) => "Loud: requests are refused that were accepted.",
        (false, false) if change.has(Effect::OtherOwners) => {
            "Values are safe. The owner silently loses fields until it applies again."
        }
        (false, false) => "Safe: the managed fields are reconciled.",
    }
}

fn details(text: &mut String, change: &Change) {
    let _ = writeln!(text, "## {}\n\n{}\n", title(change), verdict(change));
    text.push_str(
        "| next request | effect | stored object | owners or conflict | why |\n|:--|:--|:--|:--|:--|\n",
    );
    for writer in &change.writers {
        let (object, owners) = columns(&writer.answer);
        let effect = writer.effect();
        let because = writer.because.as_deref().filter(|_| effect != Effect::None);
        let because = because.map(escape_prose).unwrap_or_default();
        let name = code_span(&writer.name);
        let _ = writeln!(text, "| {name} | {} | {object} | {owners} | {because} |", word(effect));
    }
    text.push('\n');
}

/// Renders the object and the owners of its fields, or the conflicts.
fn columns(answer: &Answer) -> (String, String) {
    match answer {
        Answer::Stored { object, owners } if owners.is_empty() => (code_span(object), "nobody".to_owned()),
        Answer::Stored { object, owners } => (code_span(object), list_owners(owners)),
        Answer::Refused { conflicts } => {
            ("refused".to_owned(), format!("conflict with {}", list_owners(conflicts)))
        }
    }
}

fn list_owners(owners: &[Owner]) -> String {
    let mut lines = Vec::new();
    for owner in owners {
        let fields: Vec<String> = owner.fields.iter().map(|field| code_span(field)).collect();
        lines.push(format!("{}: {}", escape_prose(&owner.manager), fields.join(" ")));
    }
    lines.join("<br>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::NextWriter;

    fn owner(manager: &str, field: &str) -> Owner {
        let (manager, operation) = (manager.to_owned(), "Apply".to_owned());
        let fields = vec![field.to_owned()];
        Owner { manager, operation, api_version: None, subresource: None, fields, absent_fields: Vec::new() }
    }

    #[test]
    fn a_change_has_a_row_of_the_overview_and_a_table() {
        let stored = |object: &str, field| Answer::Stored {
            object: object.to_owned(),
            owners: vec![owner("a|b", field)],
        };
        let refused = Answer::Refused { conflicts: vec![owner("owner", ".x")] };
        let writer = |name: &str, answer: Answer, control| NextWriter {
            name: name.to_owned(),
            answer,
            control,
            because: Some("*why*".to_owned()),
        };
        let change = Change {
            old: "atomic-list".to_owned(),
            new: "map".to_owned(),
            writers: vec![
                writer("again", refused.clone(), refused.clone()),
                writer("changes", stored("{x: 1}", ".x"), refused),
                writer("removes", stored("{x: 1}", ".x"), stored("{}", ".x")),
            ],
        };
        let text = topology(&Report { changes: vec![change] });
        let lines = [
            "| change | verdict | `again` | `changes` | `removes` |",
            "| atomic list → map | Unsafe: the owner silently loses its fields. Others overwrite them, and what the owner gives up \
             stays. | same | **missed** | **values** |",
            "| `again` | same | refused | conflict with owner: `.x` |  |",
            r"| `changes` | **missed** | `{x: 1}` | a\|b: `.x` | \*why\* |",
        ];
        for line in lines {
            assert!(text.lines().any(|found| found.starts_with(line)), "{line}\n{text}");
        }
    }
}
