//! The sentences of a finding: what happens, to which objects, and with which clients.
//!
//! A sentence names no path if it is that of the finding, and no index of an item, so that the same change of two fields has
//! the same sentences.

use std::collections::BTreeSet;

use skewer_engine::{ErrorKind, FieldPath, PathSegment};

use super::severity::{is_null, severity};
use crate::cause::Cause;
use crate::clients::ClientStyle;
use crate::effect::{SkewEffect, value_at};
use crate::explore::{Explored, Observation, World};
use crate::facts::Property;
use crate::schema_path::{SchemaPath, SchemaStep};
use crate::situation::{ClientEdit, WrittenPart};
use skewer_reports::audit::Severity;

/// The situations in the order of sentences.
const WORLDS: [World; 10] = [
    World::StoredObject,
    World::OldManifest,
    World::OldClient,
    World::NewManifest,
    World::NewClientOldDefinition,
    World::Rollback,
    World::FirstVersion,
    World::SecondVersion,
    World::ManifestInSecond,
    World::ManifestInFirst,
];

/// Describes what happens, one sentence for each effect, the worst first: the effect, and in which situations there is
/// one.
pub(super) fn effects(cause: &Cause, explored: &Explored) -> Vec<String> {
    let mut who_by_effect: Vec<(Severity, String, Vec<String>)> = Vec::new();
    for world in WORLDS {
        let of_world: Vec<(&Observation, String)> = explored
            .observations
            .iter()
            .filter(|observation| observation.world == world)
            .map(|observation| (observation, describe(cause, observation)))
            .collect();
        let effects: BTreeSet<&String> = of_world.iter().map(|(_, effect)| effect).collect();
        for effect in effects {
            let group: Vec<&Observation> = of_world
                .iter()
                .filter(|(_, other)| other == effect)
                .map(|(observation, _)| *observation)
                .collect();
            let who = by_edit(&group).map(|part| who(cause, &part, &explored.names));
            let who = who.into_iter().filter(|who| !who.is_empty()).collect::<Vec<_>>().join("; ");
            let severity = group.iter().map(|o| severity(cause, o, explored)).min().unwrap_or(Severity::Note);
            match who_by_effect.iter_mut().find(|(_, known, _)| known == effect) {
                Some((worst, _, all)) => {
                    *worst = severity.min(*worst);
                    all.push(who);
                }
                None => who_by_effect.push((severity, effect.clone(), vec![who])),
            }
        }
    }
    who_by_effect.sort_by_key(|(severity, ..)| *severity);
    let sentences = who_by_effect.into_iter().map(|(_, effect, who)| format!("{effect}: {}", who.join("; ")));
    sentences.chain(explored.no_use.map(str::to_owned)).collect()
}

/// Returns true if an edit has nothing to do with the changed value.
fn is_any_edit(edit: &ClientEdit) -> bool {
    matches!(edit, ClientEdit::Create | ClientEdit::Label)
}

/// Divides observations into those whatever the client edits, and those of other clients, which edit something near the value.
fn by_edit<'o>(group: &[&'o Observation]) -> [Vec<&'o Observation>; 2] {
    let (any, near): (Vec<&Observation>, Vec<&Observation>) =
        group.iter().copied().partition(|o| is_any_edit(&o.situation.edit));
    let is_other = |o: &&Observation| any.iter().all(|other| other.situation.style != o.situation.style);
    let near = near.into_iter().filter(is_other).collect();
    [any, near]
}

/// Returns the path of the element of the schema in which a value is. As far as the value is in the element `along`, the
/// path is that of `along`: a key of a map is no field.
#[must_use]
pub fn element_of(path: &FieldPath, along: &SchemaPath) -> SchemaPath {
    let mut known = along.steps().iter();
    let mut is_along = true;
    let step = |segment: &PathSegment| {
        let expected = known.next().filter(|_| is_along);
        let step = match (segment, expected) {
            (PathSegment::Key(_), Some(SchemaStep::Values)) => SchemaStep::Values,
            (PathSegment::Key(key), _) => SchemaStep::Field(key.as_str().to_owned()),
            (PathSegment::Index(_), _) => SchemaStep::Items,
        };
        is_along = expected == Some(&step);
        step
    };
    path.segments().iter().map(step).collect()
}

/// Describes an effect.
fn describe(cause: &Cause, observation: &Observation) -> String {
    let effect = &observation.effect;
    let is_default = match observation.world {
        World::StoredObject | World::OldManifest => {
            cause.changes.iter().any(|change| change.is_added_default() || change.is_added_field())
        }
        World::FirstVersion | World::SecondVersion | World::ManifestInFirst | World::ManifestInSecond => {
            cause.has(Property::Default)
        }
        _ => false,
    };
    let mut elements: Vec<SchemaPath> = Vec::new();
    for path in effect.paths() {
        let element = element_of(&path, &cause.path);
        if !elements.contains(&element) {
            elements.push(element);
        }
    }
    let elements = match elements.as_slice() {
        [] => String::new(),
        [own] if *own == cause.path => String::new(),
        [inner] if inner.parent().as_ref() == Some(&cause.path) && inner.field_name().is_none() => {
            "an item".to_owned()
        }
        [one] => named(cause, one),
        [first, second] => format!("{} and {}", named(cause, first), named(cause, second)),
        [first, rest @ ..] => format!("{} and {} more", named(cause, first), rest.len()),
    };
    let of_elements = |what: &str| format!("{elements} {what}").trim_start().to_owned();
    match effect {
        SkewEffect::Refused(error)
            if error.kind() == ErrorKind::NotFound
                && observation.situation.written == WrittenPart::Status =>
        {
            format!("requests to the subresource status are refused ({})", error.describe_kind())
        }
        SkewEffect::Refused(error) if error.kind() == ErrorKind::NotFound => {
            format!("requests in the version are refused ({})", error.describe_kind())
        }
        SkewEffect::Refused(error) if elements.is_empty() || error.path().segments().is_empty() => {
            format!("refused ({}){}", error.describe_kind(), by_rule(cause, observation))
        }
        SkewEffect::Refused(error) => {
            format!("refused ({} at {elements}){}", error.describe_kind(), by_rule(cause, observation))
        }
        SkewEffect::Unreadable(error) => {
            let is_absent = value_at(&observation.situation.object, error.path()).is_none();
            let which = match (elements.as_str(), is_absent) {
                ("", true) => "without the field".to_owned(),
                ("", false) => "with a new value".to_owned(),
                (elements, true) => format!("without {elements}"),
                (elements, false) => format!("with a new value at {elements}"),
            };
            format!("objects {which} cannot be read, nor lists with such an object")
        }
        SkewEffect::Lost(lost) if lost.iter().all(|path| is_null(&observation.expected, path)) => {
            if elements.is_empty() { "null lost".to_owned() } else { format!("null at {elements} lost") }
        }
        SkewEffect::Lost(_) => of_elements("lost"),
        SkewEffect::LeftOver(_) if is_default => of_elements("set to the default"),
        SkewEffect::LeftOver(_) => of_elements("left over"),
        SkewEffect::Changed(_) => of_elements("changed"),
    }
}

/// Names the rule that refuses a value, if the change is one rule that only the server has.
fn by_rule(cause: &Cause, observation: &Observation) -> String {
    const LONGEST: usize = 160;
    let is_invalid =
        matches!(&observation.effect, SkewEffect::Refused(error) if error.kind() == ErrorKind::InvalidValue);
    let [change] = cause.changes.as_slice() else { return String::new() };
    match change.rules_only_of(observation.situation.server).as_slice() {
        [rule] if is_invalid => {
            let words: Vec<&str> = rule.split_whitespace().collect();
            let rule = words.join(" ");
            match rule.char_indices().nth(LONGEST) {
                Some((end, _)) => format!(" by the rule `{}…`", &rule[..end]),
                None => format!(" by the rule `{rule}`"),
            }
        }
        _ => String::new(),
    }
}

/// Names an element of the schema: as seen from that of the cause, if it is near.
fn named(cause: &Cause, element: &SchemaPath) -> String {
    let parent = cause.path.parent().filter(|parent| !parent.steps().is_empty());
    let object = |path: &SchemaPath| match path.steps().last() {
        Some(SchemaStep::Items) => "list item",
        _ => "object",
    };
    match (element.field_name(), parent) {
        (_, Some(parent)) if parent == *element => format!("the {} around it", object(&parent)),
        (Some(name), Some(parent)) if element.parent().as_ref() == Some(&parent) => {
            format!("{name} of the same {}", object(&parent))
        }
        _ => element.to_string(),
    }
}

/// Names the objects and the clients of similar situations.
pub(super) fn who(cause: &Cause, group: &[&Observation], [first, second]: &[String; 2]) -> String {
    let Some(world) = group.first().map(|observation| observation.world) else { return String::new() };
    let styles: BTreeSet<ClientStyle> = group.iter().map(|o| o.situation.style).collect();
    let is_untyped = styles == ClientStyle::WRITERS.into_iter().filter(|style| !style.is_typed()).collect();
    let others: Vec<ClientStyle> =
        ClientStyle::WRITERS.into_iter().filter(|style| !styles.contains(style)).collect();
    let clients = |when: &str| match others.as_slice() {
        [] => format!("every client{when}"),
        [other] => format!("every client{when}, but not {}", other.name()),
        _ if is_untyped => format!("every client without types{when}"),
        _ => styles.iter().map(|style| style.name()).collect::<Vec<_>>().join(", ") + when,
    };
    let only_apply = styles.iter().all(|style| *style == ClientStyle::ServerSideApply);
    let applied = if only_apply { ", with server-side apply" } else { "" };
    let when = when(cause, group);
    let is_status = |o: &&Observation| o.situation.written == WrittenPart::Status;
    let status = if group.iter().all(is_status) { " that write the status" } else { "" };
    match world {
        World::StoredObject if !status.is_empty() => {
            // The verbs of both clauses have the same subject.
            let when = when.replacen(" that ", " and ", 1);
            // `kubectl apply` has no requests to subresources.
            let is_each = others.iter().all(|style| *style == ClientStyle::ClientSideApply);
            let who = if is_each { String::new() } else { format!(" ({})", clients("")) };
            format!("stored objects, with each controller that writes the status{who}{when}")
        }
        World::OldManifest if !status.is_empty() => format!("old controllers{status}{applied}"),
        World::OldClient if !status.is_empty() => {
            format!("old controllers{status}, with {}", clients(&when))
        }
        World::NewClientOldDefinition if !status.is_empty() => {
            format!("controllers{status} on a server with the old version{applied}")
        }
        World::StoredObject => format!("stored objects, with {}", clients(&when)),
        World::OldManifest => format!("new objects from old manifests{applied}"),
        World::NewManifest => {
            "new objects with this field in place of those that oneOf or anyOf lists".to_owned()
        }
        World::OldClient => format!("old clients, with {}", clients(&when)),
        World::NewClientOldDefinition => format!("new objects on a server with the old version{applied}"),
        World::Rollback => format!("after a rollback, with {}", clients(&when)),
        World::FirstVersion => {
            format!("requests in {first} to objects created in {second}, with {}", clients(&when))
        }
        World::SecondVersion => {
            format!("requests in {second} to objects created in {first}, with {}", clients(&when))
        }
        World::ManifestInSecond => {
            format!("new objects from the same manifest, in {second} instead of {first}")
        }
        World::ManifestInFirst => {
            format!("new objects from the same manifest, in {first} instead of {second}")
        }
    }
}

/// Says what the client edits, if it matters.
fn when(cause: &Cause, group: &[&Observation]) -> String {
    let edits: Vec<&ClientEdit> = group.iter().map(|o| &o.situation.edit).collect();
    if edits.iter().any(|edit| is_any_edit(edit)) {
        return String::new();
    }
    // What is farthest from the refused value says most: nearer edits are refused, too.
    let beside = group.iter().filter_map(|o| beside(cause, o)).min_by_key(|(depth, _)| *depth);
    if let Some((_, what)) = beside {
        return format!(" that changes {what}");
    }
    // What removes the smallest part shows the effect best.
    let most_telling = edits.into_iter().max_by_key(|edit| match edit {
        ClientEdit::Remove(path) => 1 + path.segments().len(),
        _ => 0,
    });
    match most_telling.unwrap_or(&ClientEdit::Label) {
        // The server refuses the new value, not that the old one is stored.
        ClientEdit::Set(path, _) if group.iter().any(|o| is_of_new_value(o, path)) => {
            " that sets another such value".to_owned()
        }
        ClientEdit::Set(path, _) => format!(" that changes {}", edited(cause, path)),
        ClientEdit::Remove(path) => format!(" that removes {}", edited(cause, path)),
        ClientEdit::Choose(path, _) if cause.union_member.is_none() => {
            format!(" that changes {}", edited(cause, path))
        }
        ClientEdit::Choose(path, _) => {
            format!(" that chooses another member in {}", element_of(path, &cause.path))
        }
        ClientEdit::Create | ClientEdit::Label => String::new(),
    }
}

/// Names what a client edits beside a refused value, and so where any change is refused, with the number of steps to it. `None`
/// if the client edits the value, or is not refused.
///
/// A stored object without a new required field is refused if anything beside the field changes. The items of a list that is no
/// map are only compared with the old ones as a whole: a value in them is refused if anything in the list changes.
pub(super) fn beside(cause: &Cause, observation: &Observation) -> Option<(usize, String)> {
    let SkewEffect::Refused(error) = &observation.effect else { return None };
    let (ClientEdit::Set(path, _) | ClientEdit::Remove(path)) = &observation.situation.edit else {
        return None;
    };
    let (edited, container) = path.segments().split_last()?;
    let inner = error.path().segments().strip_prefix(container)?;
    if inner.first().is_none_or(|segment| segment == edited) {
        return None;
    }
    let lists = |steps: &[SchemaStep]| steps.iter().filter(|step| **step == SchemaStep::Items).count();
    let (around, within) = cause.path.steps().split_at_checked(container.len())?;
    let what = match edited {
        PathSegment::Index(_) if lists(within) == 1 => "anything in the list around the value".to_owned(),
        // The lists within are no maps either, or they are compared as a part of this one.
        PathSegment::Index(_) => match around.last() {
            Some(SchemaStep::Field(name)) => format!("anything in the list {name} around the value"),
            _ => format!(
                "anything in the list {} around the value",
                around.iter().cloned().collect::<SchemaPath>()
            ),
        },
        PathSegment::Key(_) => another_field(around).to_owned(),
    };
    Some((path.segments().len(), what))
}

/// Returns true if the value that a client sets is refused.
fn is_of_new_value(observation: &Observation, set: &FieldPath) -> bool {
    matches!(&observation.effect, SkewEffect::Refused(error)
        if error.kind() != ErrorKind::RequiredFieldMissing && error.path().segments().starts_with(set.segments()))
}

/// Names a field of the object at a path.
fn another_field(object: &[SchemaStep]) -> &'static str {
    match object.last() {
        Some(SchemaStep::Items) => "another field of the same list item",
        _ => "another field of the same object",
    }
}

/// Names the value that a client edits.
fn edited(cause: &Cause, path: &FieldPath) -> String {
    let element = element_of(path, &cause.path);
    match element.parent() {
        _ if element == cause.path => "the value".to_owned(),
        Some(object) if Some(&object) == cause.path.parent().as_ref() => {
            another_field(object.steps()).to_owned()
        }
        _ => element.to_string(),
    }
}
