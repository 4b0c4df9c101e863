//! Findings: what the observations of a cause mean for users.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use skewer_cases::yaml;
use skewer_engine::{Doc, ErrorKind, FieldPath, OwnedDoc};
use skewer_reports::audit::{AuditFinding, Confirmation, ExampleStep, Severity};
use skewer_skew::{FinalState, StepName};

use super::cause::Cause;
use super::clients::ClientStyle;
use super::confirm::Confirmed;
use super::effect::{SkewEffect, value_at};
use super::explore::{Explored, Observation, World};
use super::facts::Property;
use super::shorten::shortened;
use super::situation::{ClientEdit, Happened, WrittenPart};
use super::suite::cases;

/// Returns true if a cause only makes clients and servers of the time before it drop the new field. This is true of every
/// new field, so that one note says it for all of them.
#[must_use]
pub fn is_plain_addition(cause: &Cause, explored: &Explored) -> bool {
    let is_expected = |observation: &Observation| match (observation.world, &observation.effect) {
        (World::OldClient | World::NewClientOldDefinition | World::Rollback, SkewEffect::Lost(_)) => true,
        // A server-side apply names a field that the definition does not have yet.
        (World::NewClientOldDefinition | World::Rollback, SkewEffect::Refused(error)) => {
            error.kind() == ErrorKind::FieldNotDeclared
        }
        _ => false,
    };
    cause.changes.iter().all(super::change::PropertyChange::is_added_field)
        && cause.union_member.is_none()
        && explored.observations.iter().all(is_expected)
}

/// Returns the note on all plain additions.
#[must_use]
pub fn note_on_additions(causes: &[&(Cause, Explored)]) -> Option<AuditFinding> {
    if causes.is_empty() {
        return None;
    }
    let names: Vec<String> = causes.iter().map(|(cause, _)| cause.path.to_string()).collect();
    // A declared client of this kind exists. Without a declaration, it is only a possibility.
    let is_lost = |explored: &Explored| {
        let is_loss =
            |o: &Observation| o.world == World::OldClient && matches!(o.effect, SkewEffect::Lost(_));
        explored.clients.is_some() && explored.observations.iter().any(is_loss)
    };
    let severity =
        if causes.iter().any(|(_, explored)| is_lost(explored)) { Severity::Silent } else { Severity::Note };
    let count =
        if names.len() == 1 { "1 field added".to_owned() } else { format!("{} fields added", names.len()) };
    Some(AuditFinding {
        id: id_of("fields added", ""),
        severity,
        path: String::new(),
        change: format!("{count}: {}", names.join(", ")),
        place: String::new(),
        effects: vec![
            "a typed client that does not know a new field drops it when it updates the whole object; a server that does \
             not know it drops it, too"
                .to_owned(),
        ],
        advice: Vec::new(),
        example: Vec::new(),
        confirmation: confirmation(causes.iter().map(|(_, explored)| explored)),
        cases: causes.first().map_or_else(Vec::new, |(_, explored)| {
            cases(&id_of("fields added", ""), explored, |group| group.first().copied())
        }),
        schemas: causes.first().map_or_else(Vec::new, |(_, explored)| explored.schemas.clone()),
    })
}

/// Returns true if a cause is a field that only one of two versions has, so that a request in the other version drops it.
#[must_use]
pub fn is_dropped_field(cause: &Cause, explored: &Explored) -> bool {
    let is_expected = |observation: &Observation| {
        matches!(observation.world, World::FirstVersion | World::SecondVersion)
            && match &observation.effect {
                SkewEffect::Lost(_) => true,
                SkewEffect::Refused(error) => error.kind() == ErrorKind::FieldNotDeclared,
                _ => false,
            }
    };
    matches!(cause.changes.as_slice(), [change] if change.is_added_field() || change.is_removed_field())
        && !explored.observations.is_empty()
        && explored.observations.iter().all(is_expected)
}

/// Returns the finding on all fields that only one of two versions has.
#[must_use]
pub fn finding_on_dropped_fields(causes: &[&(Cause, Explored)]) -> Option<AuditFinding> {
    let (first, rest) = causes.split_first()?;
    let mut finding = finding(&first.0, &first.1, String::new())?;
    let names: Vec<String> = causes.iter().map(|(cause, _)| cause.path.to_string()).collect();
    finding.id = id_of("fields of one version", "");
    finding.path = String::new();
    finding.change = match rest.len() {
        0 => format!("1 field in one version only: {}", names.join(", ")),
        count => format!("{} fields in one version only: {}", count + 1, names.join(", ")),
    };
    let mut effects: Vec<String> = Vec::new();
    let worlds = [World::FirstVersion, World::SecondVersion];
    for (index, world) in worlds.into_iter().enumerate() {
        let observations = || causes.iter().flat_map(|(_, explored)| &explored.observations);
        let lost: Vec<&Observation> =
            observations().filter(|o| o.world == world && o.effect.is_silent()).collect();
        if !lost.is_empty() {
            let fields = format!("the fields that {} does not have are lost", first.1.names[index]);
            effects.push(format!("{fields}: {}", who(world, &lost, &first.1.names)));
        }
    }
    finding.effects = effects;
    finding.confirmation = confirmation(causes.iter().map(|(_, explored)| explored));
    Some(finding)
}

/// Returns the finding on a cause. `None` if the change makes no difference in any situation.
#[must_use]
pub fn finding(cause: &Cause, explored: &Explored, place: String) -> Option<AuditFinding> {
    let worst_severity =
        explored.observations.iter().map(|observation| severity(cause, observation)).min()?;
    let worst = most_telling(cause, explored)?;
    let id = id_of(&cause.path.to_string(), &cause.title_for_id());
    Some(AuditFinding {
        cases: cases(&id, explored, |group| {
            group.iter().copied().min_by_key(|observation| severity(cause, observation))
        }),
        schemas: explored.schemas.clone(),
        id,
        severity: worst_severity,
        path: if cause.path.steps().is_empty() { String::new() } else { cause.path.to_string() },
        change: cause.title.clone(),
        place,
        effects: effects(cause, explored),
        advice: advice(cause, explored),
        example: example(worst),
        confirmation: confirmation([explored]),
    })
}

/// Returns the observation that is the example of a cause: one of the worst, and of a sample rather than of a generated
/// object if the sample is not larger.
fn most_telling<'e>(cause: &Cause, explored: &'e Explored) -> Option<&'e Observation> {
    let rank = |observation: &Observation| (severity(cause, observation), observation.world);
    let worst = |is_sample: bool| {
        let observations = explored.observations.iter();
        observations.filter(|o| o.sample.is_some() == is_sample).min_by_key(|o| rank(o))
    };
    let size = |observation: &Observation| observation.situation.object.to_string().len();
    [worst(true), worst(false)].into_iter().flatten().min_by_key(|o| (rank(o), size(o)))
}

fn severity(cause: &Cause, observation: &Observation) -> Severity {
    let is_new_field = cause.changes[0].is_added_field();
    match (observation.world, &observation.effect) {
        // What a definition does not have yet, it refuses or drops: this is true of every change that permits more.
        (World::NewClientOldDefinition | World::Rollback, SkewEffect::Refused(_)) => Severity::Note,
        (World::NewClientOldDefinition | World::OldClient | World::Rollback, SkewEffect::Lost(_))
            if is_new_field && cause.union_member.is_none() =>
        {
            Severity::Note
        }
        // A value where there was none. Another default, or none any more, gives old manifests another meaning.
        (World::StoredObject | World::OldManifest, SkewEffect::LeftOver(_) | SkewEffect::Changed(_))
            if cause.changes.iter().any(|change| change.is_added_default() || change.is_added_field())
                || replaces_invalid_default(cause) =>
        {
            Severity::Note
        }
        // Clients seldom distinguish null from no value.
        (_, SkewEffect::Lost(paths)) if paths.iter().all(|path| is_null(&observation.expected, path)) => {
            Severity::Note
        }
        (_, effect) if effect.is_silent() => Severity::Silent,
        _ => Severity::Loud,
    }
}

/// Returns true if a default changed that is no value of the enum any more: it had to change.
fn replaces_invalid_default(cause: &Cause) -> bool {
    let of = |property| cause.changes.iter().find(|change| change.property == property);
    let (Some(default), Some(values)) = (of(Property::Default), of(Property::Enum)) else { return false };
    let values = values.new.as_ref().and_then(Doc::as_list).unwrap_or_default();
    default.old.as_ref().is_some_and(|old| !values.is_empty() && !values.contains(old))
}

fn is_null(happened: &Happened, path: &FieldPath) -> bool {
    happened.result().and_then(|object| value_at(object, path)).is_some_and(Doc::is_null)
}

/// Describes what happens, one sentence for each effect, the worst first: the effect, and in which situations there is
/// one.
fn effects(cause: &Cause, explored: &Explored) -> Vec<String> {
    let observations = &explored.observations;
    // An effect on another item is the same effect, and samples have many items.
    let has_samples = observations.iter().any(|o| o.sample.is_some());
    let name: fn(&FieldPath) -> String = if has_samples { general } else { FieldPath::to_string };
    let texts = shortest_descriptions(cause, observations, &name);
    let describe = |observation: &Observation| texts[&describe(cause, observation, &name)].as_str();
    let mut who_by_effect: Vec<(Severity, &str, Vec<String>)> = Vec::new();
    for world in [
        World::StoredObject,
        World::OldManifest,
        World::OldClient,
        World::NewManifest,
        World::NewClientOldDefinition,
        World::Rollback,
        World::FirstVersion,
        World::SecondVersion,
        World::SameManifest,
    ] {
        let of_world: Vec<&Observation> = observations.iter().filter(|o| o.world == world).collect();
        let mut effects: Vec<&str> = of_world.iter().map(|o| describe(o)).collect();
        effects.sort_unstable();
        effects.dedup();
        for effect in effects {
            let group: Vec<&Observation> =
                of_world.iter().filter(|o| describe(o) == effect).copied().collect();
            let who = who(world, &group, &explored.names);
            let severity = group.iter().map(|o| severity(cause, o)).min().unwrap_or(Severity::Note);
            match who_by_effect.iter_mut().find(|(_, known, _)| *known == effect) {
                Some((worst, _, all)) => {
                    *worst = severity.min(*worst);
                    all.push(who);
                }
                None => who_by_effect.push((severity, effect, vec![who])),
            }
        }
    }
    who_by_effect.sort_by_key(|(severity, ..)| *severity);
    who_by_effect.into_iter().map(|(_, effect, who)| format!("{effect}: {}", who.join("; "))).collect()
}

/// Returns a path without the indexes of items.
fn general(path: &FieldPath) -> String {
    let text = path.to_string();
    let mut parts = text.split('[');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |general, part| match part.split_once(']') {
        Some((index, rest)) if index.bytes().all(|byte| byte.is_ascii_digit()) => general + "[]" + rest,
        _ => general + "[" + part,
    })
}

/// Returns the descriptions of effects by those with other names of paths. The description with the fewest paths stands
/// for all that have the same names.
fn shortest_descriptions(
    cause: &Cause,
    observations: &[Observation],
    name: &dyn Fn(&FieldPath) -> String,
) -> BTreeMap<String, String> {
    let mut shortest: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for observation in observations {
        let text = describe(cause, observation, &FieldPath::to_string);
        let ranked = (observation.effect.paths().len(), text);
        match shortest.entry(describe(cause, observation, name)) {
            Entry::Vacant(entry) => drop(entry.insert(ranked)),
            Entry::Occupied(mut entry) if ranked < *entry.get() => drop(entry.insert(ranked)),
            Entry::Occupied(_) => {}
        }
    }
    shortest.into_iter().map(|(named, (_, text))| (named, text)).collect()
}

/// Describes an effect. `name` returns the name of a path.
fn describe(cause: &Cause, observation: &Observation, name: &dyn Fn(&FieldPath) -> String) -> String {
    let effect = &observation.effect;
    let is_default = matches!(observation.world, World::StoredObject | World::OldManifest)
        && cause.changes.iter().any(|change| change.is_added_default() || change.is_added_field());
    let mut paths: Vec<String> = Vec::new();
    for path in effect.paths() {
        let path = name(&path);
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let paths = match paths.len() {
        0..=2 => paths.join(" and "),
        count => format!("{} and {} more", paths[0], count - 1),
    };
    match effect {
        SkewEffect::Refused(error) if error.path().segments().is_empty() => {
            format!("refused ({})", error.describe_kind())
        }
        SkewEffect::Refused(error) => format!("refused ({} at {paths})", error.describe_kind()),
        SkewEffect::Unreadable(_) => format!("objects with {paths} cannot be read"),
        SkewEffect::Lost(lost) if lost.iter().all(|path| is_null(&observation.expected, path)) => {
            format!("null at {paths} lost")
        }
        SkewEffect::Lost(_) => format!("{paths} lost"),
        SkewEffect::LeftOver(_) if is_default => format!("{paths} set to the default"),
        SkewEffect::LeftOver(_) => format!("{paths} left over"),
        SkewEffect::Changed(_) => format!("{paths} changed"),
    }
}

/// Names the objects and the clients of similar situations.
fn who(world: World, group: &[&Observation], [first, second]: &[String; 2]) -> String {
    let styles: BTreeSet<ClientStyle> = group.iter().map(|o| o.situation.style).collect();
    let names = || styles.iter().map(|style| style.name()).collect::<Vec<_>>().join(", ");
    let only_apply = styles.iter().all(|style| *style == ClientStyle::ServerSideApply);
    let applied = if only_apply { ", with server-side apply" } else { "" };
    let clients = || if styles.len() == ClientStyle::ALL.len() { "every client".to_owned() } else { names() };
    let when = when(group);
    let is_status = |o: &&Observation| o.situation.written == WrittenPart::Status;
    let status = if group.iter().all(is_status) { " that write the status" } else { "" };
    match world {
        World::StoredObject if !status.is_empty() => {
            format!("stored objects, with controllers{status} ({}){when}", names())
        }
        World::OldManifest if !status.is_empty() => format!("old controllers{status}{applied}"),
        World::OldClient if !status.is_empty() => {
            format!("old controllers{status}, with {}{when}", names())
        }
        World::NewClientOldDefinition if !status.is_empty() => {
            format!("controllers{status} on a server with the old version{applied}")
        }
        World::StoredObject => format!("stored objects, with {}{when}", clients()),
        World::OldManifest => format!("new objects from old manifests{applied}"),
        World::NewManifest => {
            "new objects with this field in place of those that oneOf or anyOf lists".to_owned()
        }
        World::OldClient => format!("old clients, with {}{when}", names()),
        World::NewClientOldDefinition => format!("new objects on a server with the old version{applied}"),
        World::Rollback => format!("after a rollback, with {}{when}", names()),
        World::FirstVersion => {
            format!("requests in {first} to objects created in {second}, with {}", clients())
        }
        World::SecondVersion => {
            format!("requests in {second} to objects created in {first}, with {}", clients())
        }
        World::SameManifest => format!("new objects from the same manifest, in {first} instead of {second}"),
    }
}

/// Says what the client edits, if it matters.
fn when(group: &[&Observation]) -> String {
    let edits: Vec<&ClientEdit> = group.iter().map(|o| &o.situation.edit).collect();
    if edits.iter().any(|edit| matches!(edit, ClientEdit::Create | ClientEdit::Label)) {
        return String::new();
    }
    // A stored object without a new required field is refused if anything beside the field changes.
    let is_missing = |o: &&&Observation| matches!(&o.effect, SkewEffect::Refused(error) if error.kind() == ErrorKind::RequiredFieldMissing);
    let beside = group.iter().filter(is_missing).find_map(|o| match &o.situation.edit {
        ClientEdit::Set(path, _) if !o.effect.paths().contains(path) => Some(path),
        _ => None,
    });
    if let Some(path) = beside {
        return format!(" that changes {path}");
    }
    // What removes the smallest part shows the effect best.
    let most_telling = edits.iter().max_by_key(|edit| match edit {
        ClientEdit::Remove(path) => 1 + path.segments().len(),
        _ => 0,
    });
    match most_telling.copied().unwrap_or(&ClientEdit::Label) {
        ClientEdit::Set(path, _) => format!(" that changes {path}"),
        ClientEdit::Remove(path) => format!(" that removes {path}"),
        ClientEdit::Choose(path, _) => format!(" that chooses another member in {path}"),
        ClientEdit::Create | ClientEdit::Label => String::new(),
    }
}

/// Returns what to do about a cause.
fn advice(cause: &Cause, explored: &Explored) -> Vec<String> {
    let refuses = |world: World| {
        explored.observations.iter().any(|observation| {
            observation.world == world && matches!(observation.effect, SkewEffect::Refused(_))
        })
    };
    let path = &cause.path;
    let change = &cause.changes[0];
    let advice = match change.property {
        Property::Field if refuses(World::NewManifest) => {
            Some(format!("list {path} in the oneOf or anyOf of the object"))
        }
        Property::Field if change.is_added_field() && refuses(World::OldManifest) => {
            Some(format!("give {path} a default, or make it optional"))
        }
        Property::Required if refuses(World::OldManifest) => {
            Some(format!("give {path} a default, or keep it optional"))
        }
        Property::Field if change.is_removed_field() => Some(format!(
            "keep {path} in the schema, and mark it as deprecated, until no stored object has it"
        )),
        Property::Enum if refuses(World::OldManifest) || refuses(World::StoredObject) => {
            Some(format!("keep the old values of {path} until no stored object has them"))
        }
        Property::ListType | Property::ListMapKeys | Property::MapType => {
            Some(format!("after the change, apply {path} again with every manager that owns it"))
        }
        _ => None,
    };
    advice.into_iter().collect()
}

/// Returns the steps of an observation.
pub(super) fn example(observation: &Observation) -> Vec<ExampleStep> {
    let situation = &observation.situation;
    let document = |document: &OwnedDoc| yaml::write(&shortened(document));
    let mut steps = Vec::new();
    if situation.edit != ClientEdit::Create {
        let sample = observation.sample.as_ref().map(|place| format!(" {place}")).unwrap_or_default();
        steps.push(ExampleStep {
            about: format!(
                "The object{sample} is created under the {} definition.",
                situation.created.name()
            ),
            document: document(&situation.object),
        });
    }
    let find = |name: StepName| {
        observation.happened.steps.iter().find(|(step, _)| *step == name).map(|(_, document)| document)
    };
    if let Some(stored) = find(StepName::Stored).filter(|stored| !stored.is_null()) {
        steps.push(ExampleStep { about: "The stored object:".to_owned(), document: document(stored) });
    }
    if let Some(request) = find(StepName::Request) {
        let types = if situation.style.is_typed() {
            format!(" with the {} types", situation.client.name())
        } else {
            String::new()
        };
        let sample = observation.sample.as_ref().filter(|_| situation.edit == ClientEdit::Create);
        let what = sample.map_or_else(|| "this".to_owned(), |place| format!("the object {place}"));
        let about = format!(
            "The client ({}{types}) sends {what} {}a server with the {} definition:",
            situation.style.name(),
            if situation.written == WrittenPart::Status { "to the subresource status of " } else { "to " },
            situation.server.name()
        );
        steps.push(ExampleStep { about, document: document(request) });
    }
    steps.push(final_step("The result", &observation.happened.final_state));
    let other = match observation.world {
        World::NewManifest => "With a field that is listed",
        _ => "Without version skew",
    };
    steps.push(final_step(other, &observation.expected.final_state));
    steps
}

fn final_step(who: &str, state: &FinalState) -> ExampleStep {
    match state {
        FinalState::Stored(object) => {
            ExampleStep { about: format!("{who}:"), document: yaml::write(&shortened(object)) }
        }
        FinalState::Refused(error) => ExampleStep {
            about: format!("{who}: refused. {}: {error}", error.describe_kind()),
            document: String::new(),
        },
    }
}

/// Returns an id of four characters that depends on the cause only.
#[must_use]
pub fn id_of(path: &str, title: &str) -> String {
    // FNV-1a: the id must be the same on every machine and in every release.
    let hash = path.bytes().chain([0]).chain(title.bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("A-{:04x}", hash & 0xffff)
}

/// Summarizes what real servers did in the situations of some causes. `None` if they were not asked.
fn confirmation<'e>(explored: impl IntoIterator<Item = &'e Explored>) -> Option<Confirmation> {
    let mut summary: Option<Confirmation> = None;
    for explored in explored {
        let Some(server) = &explored.server else { continue };
        let summary = summary.get_or_insert_with(|| Confirmation::of(server.clone()));
        for observation in &explored.observations {
            let world = observation.world.name(&explored.names).replace('\n', " ");
            match &observation.confirmed {
                None => {}
                Some(Confirmed::Same) => summary.same += 1,
                Some(Confirmed::Different(how)) => {
                    summary.different.push(format!("{world}, {}: {how}", observation.situation.style.name()));
                }
                Some(Confirmed::NotRun(why)) if summary.not_run.contains(why) => {}
                Some(Confirmed::NotRun(why)) => summary.not_run.push(why.clone()),
            }
        }
    }
    summary
}
