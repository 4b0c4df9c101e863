//! The verdict on an apply: the object after it is compared with the object before, and with the ideal.
//!
//! The ideal is the forced apply of the same manifest by a tool that owns what it ever set: the fields that its earlier
//! managers own by updates, and those of the manifest before. What is left over in comparison with it is stuck.

use skewer_engine::error::ManagerOperation;
use skewer_engine::server_side_apply::{FieldComparison, FieldSet, PathElement};
use skewer_engine::{Doc, Error, OwnedDoc, OwnedMap};
use skewer_skew::{
    ApplyTool, FinalState, Judgement, KUBECTL_CLIENT_SIDE, LAST_APPLIED_ANNOTATION, Migration, OwnerEntry,
    Request, ToolChange, ToolRequest, entries, judge, last_applied, owners, with_entries,
    without_unset_fields,
};

use crate::course::{Applied, Course};
use crate::effect::{EffectCause, ObjectEffect, ObjectEnd, OwnedPath};
use crate::owners::{applied_entry, fields_of, has_at_or_below, highest};
use crate::request::Answered;
use crate::same_name::items_of_one_name;
use crate::served::ServedKind;

/// The members of metadata that change without anybody's intent.
const BOOKKEEPING: [&str; 6] =
    ["managedFields", "resourceVersion", "generation", "creationTimestamp", "uid", "selfLink"];

/// The annotations of which the same is true. Upstream: `DeprecatedTemplateGeneration` (k8s.io/api, apps/v1).
const BOOKKEEPING_ANNOTATIONS: [&str; 2] =
    [LAST_APPLIED_ANNOTATION, "deprecated.daemonset.template.generation"];

/// The tools of a step.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The tool that applies.
    pub tool: ApplyTool,
    /// The tool that applied before, if the tools change.
    pub before: Option<ApplyTool>,
}

impl Tools {
    /// Reads the tools of a command line: `helm4`, or `helm3..helm4` for a change of tools. `manager` is the name of the field
    /// manager, or those before and after, if they are not those of the tools. `takes_over` are the managers from which
    /// the tool takes over fields before its first apply.
    ///
    /// # Errors
    ///
    /// Returns a message if a tool is not known, or if its migration is fixed.
    pub fn parse(by: &str, manager: Option<&str>, takes_over: &[String]) -> Result<Self, String> {
        let named = |name: &str| ApplyTool::named(name).map_err(|message| format!("--by: {message}"));
        let (before, tool) = match by.split_once("..") {
            Some((before, tool)) => (Some(named(before)?), named(tool)?),
            None => (None, named(by)?),
        };
        let mut tools = Tools { tool, before };
        if let Some(managers) = manager {
            let (before, after) = managers.split_once("..").unwrap_or((managers, managers));
            after.clone_into(&mut tools.tool.manager);
            if let Some(tool) = &mut tools.before {
                before.clone_into(&mut tool.manager);
            }
        }
        if !takes_over.is_empty() {
            let name = tools.tool.name;
            let Migration::OfManagers(managers) = &mut tools.tool.migration else {
                return Err(format!("--takes-over: {name} has a migration of its own, or none"));
            };
            *managers = takes_over.to_vec();
        }
        Ok(tools)
    }

    /// Returns whether the step is the first apply after a change of tools.
    #[must_use]
    pub const fn change(&self) -> ToolChange {
        if self.before.is_some() { ToolChange::Now } else { ToolChange::Never }
    }

    /// Returns the managers that wrote what the manifests of these tools said, by updates.
    fn earlier_managers(&self) -> Vec<&str> {
        let mut managers = vec![KUBECTL_CLIENT_SIDE, self.tool.manager.as_str()];
        managers.extend(self.before.as_ref().map(|before| before.manager.as_str()));
        if let Migration::OfManagers(further) = &self.tool.migration {
            managers.extend(further.iter().map(String::as_str));
        }
        managers
    }

    /// Returns the request of the ideal, and the object that it starts with.
    fn ideal(&self, applied: Applied<'_>, live: &OwnedDoc) -> Option<OwnedDoc> {
        let earlier = self.earlier_managers();
        let is_own =
            |owner: &OwnerEntry| owner.is_update_of(&earlier) || owner.is_apply_of(&self.tool.manager);
        let mut own = fields_before(applied, live).unwrap_or_default();
        for owner in owners(live).into_iter().filter(is_own) {
            own = own.union(owner.fields);
        }
        let version = applied.manifest.as_map()?.get("apiVersion")?.as_str()?;
        let others = entries(live).iter().filter(|entry| {
            let owner = owners(&with_entries(live, vec![(*entry).clone()]));
            owner.first().is_none_or(|owner| !is_own(owner))
        });
        // What the tool gives up is nobody else's.
        let others = others.map(|entry| without_fields(live, entry, &own));
        let others: Vec<OwnedDoc> =
            others.chain([applied_entry(&self.tool.manager, version, &own)]).collect();
        let request = ToolRequest {
            force: true,
            ..ToolRequest::new(
                "the ideal",
                Request::ServerSideApply,
                &self.tool.manager,
                applied.manifest.clone(),
            )
        };
        Answered::simulate(request, applied.served, Some(&with_entries(live, others))).end.ok()
    }
}

/// Returns the fields that a manifest of the tools had before, if one is known.
fn fields_before(applied: Applied<'_>, live: &OwnedDoc) -> Option<FieldSet<'static>> {
    let annotation = last_applied(live);
    let previous = applied.previous.or(annotation.as_ref())?;
    fields_of(applied.served, previous)
}

/// Returns an entry without fields. Those of a subresource have an owner of their own kind, such as an autoscaler.
fn without_fields(object: &OwnedDoc, entry: &OwnedDoc, own: &FieldSet<'_>) -> OwnedDoc {
    let owner = owners(&with_entries(object, vec![entry.clone()])).into_iter().next();
    let mut entry = entry.clone();
    if let (Some(owner), Doc::Map(map)) = (owner.filter(|owner| owner.subresource.is_empty()), &mut entry) {
        map.insert("fieldsV1".into(), Doc::from(owner.fields.difference(own).to_json()));
    }
    entry
}

/// The verdict on one object.
#[derive(Clone, Debug)]
pub struct ApplyVerdict {
    /// The end of the object.
    pub end: ObjectEnd,
    /// The effects.
    pub effects: Vec<ObjectEffect>,
}

/// Judges the course of an apply.
#[must_use]
pub fn verdict(tools: &Tools, applied: Applied<'_>, course: &Course) -> ApplyVerdict {
    if let Some(error) = &course.refusal {
        return ApplyVerdict { end: ObjectEnd::Refused, effects: refusals(tools, applied, error) };
    }
    let (Some(live), Some(after)) = (applied.live, &course.object) else {
        return ApplyVerdict { end: ObjectEnd::Created, effects: same_names(applied, &Doc::Null, course) };
    };
    let changes = changes(applied, live, after);
    let mut effects = leftovers(tools, applied, Pair { before: live, after });
    effects.extend(same_names(applied, live, course));
    effects.extend(replacements(tools, applied, live, &changes));
    let is_changed = !changes.is_empty();
    ApplyVerdict { end: if is_changed { ObjectEnd::Changed } else { ObjectEnd::Unchanged }, effects }
}

/// The object before and after.
#[derive(Clone, Copy)]
struct Pair<'a> {
    before: &'a OwnedDoc,
    after: &'a OwnedDoc,
}

/// The fields that differ between two states of an object.
struct Changes {
    removed: FieldSet<'static>,
    modified: FieldSet<'static>,
    added: FieldSet<'static>,
}

impl Changes {
    fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.modified.is_empty() && self.added.is_empty()
    }
}

fn changes(applied: Applied<'_>, before: &OwnedDoc, after: &OwnedDoc) -> Changes {
    let (before, after) = (comparable(applied.served, before), comparable(applied.served, after));
    // Objects whose lists have no identities were stored under other types.
    let compared = FieldComparison::new(applied.served.place(), &before, &after).unwrap_or_default();
    Changes {
        removed: compared.removed.to_static(),
        modified: compared.modified.to_static(),
        added: compared.added.to_static(),
    }
}

/// Returns an object in the form in which it is compared: without the status, and without what each write changes.
#[must_use]
pub fn comparable(served: &ServedKind, object: &OwnedDoc) -> OwnedDoc {
    // A field that Go always writes is not there before the first write.
    without_unset_fields(&served.server.context, without_bookkeeping(object))
}

fn without_bookkeeping(object: &OwnedDoc) -> OwnedDoc {
    let mut object = object.clone();
    if let Some(map) = object.as_map_mut() {
        map.remove("status");
        if let Some(metadata) = map.get_mut("metadata").and_then(Doc::as_map_mut) {
            metadata.retain(|key, _| !BOOKKEEPING.contains(&key.as_str()));
            if let Some(annotations) = metadata.get_mut("annotations").and_then(Doc::as_map_mut) {
                annotations.retain(|key, _| !BOOKKEEPING_ANNOTATIONS.contains(&key.as_str()));
            }
            let is_empty =
                |value: Option<&OwnedDoc>| value.and_then(Doc::as_map).is_some_and(OwnedMap::is_empty);
            if is_empty(metadata.get("annotations")) {
                metadata.remove("annotations");
            }
        }
    }
    object
}

/// Describes why the request was refused: one effect for each conflict, or one for any other error.
fn refusals(tools: &Tools, applied: Applied<'_>, error: &Error) -> Vec<ObjectEffect> {
    let tool = tools.tool.name;
    if error.conflicts().is_empty() {
        let where_from = if error.is_in_base() { " (in the live object)" } else { "" };
        let mut text = error.message().to_owned();
        if text.is_empty() {
            text = error.describe_kind();
        }
        let sentence = format!("{tool} is refused{where_from}: {text}");
        return vec![ObjectEffect::of_refusal(error, sentence)];
    }
    let owners = applied.live.map(owners).unwrap_or_default();
    let conflicts = error.conflicts().iter().map(|conflict| {
        let of_subresource =
            conflict.subresource.as_deref().map_or_else(String::new, |name| format!(", subresource {name}"));
        let written = owners.iter().find(|owner| {
            owner.manager == conflict.manager
                && owner.operation == conflict.operation
                && owner.subresource == conflict.subresource.clone().unwrap_or_default()
        });
        let operation = conflict.operation.name();
        let manager = &conflict.manager;
        let mut effect = ObjectEffect::new(
            EffectCause::Conflict,
            conflict.path.trim_start_matches('.').to_owned(),
            format!("{tool} is refused: owner {manager} ({operation}{of_subresource})"),
        );
        // The day differs from object to object, so that it is no part of the first sentence, which groups them.
        let day = written.map(|owner| owner.day.as_str()).filter(|day| !day.is_empty());
        effect.sentences.extend(day.map(|day| format!("the owner wrote the first of them on {day}")));
        effect
    });
    conflicts.collect()
}

/// Returns the fields that the manifest no longer has, and that are still there.
fn leftovers(tools: &Tools, applied: Applied<'_>, pair: Pair<'_>) -> Vec<ObjectEffect> {
    let Some(ideal) = tools.ideal(applied, pair.before) else { return Vec::new() };
    let context = &applied.served.server.context;
    let stored = |object: &OwnedDoc| FinalState::Stored(without_bookkeeping(object));
    let Judgement { outcome, .. } =
        judge(context, &without_bookkeeping(pair.before), &stored(pair.after), &stored(&ideal), None);
    if outcome.is_ideal() {
        return Vec::new();
    }
    let differences = changes(applied, pair.after, &ideal);
    // A field that is removed can get its default, and is then another value in the ideal.
    let set = fields_of(applied.served, applied.manifest).unwrap_or_default();
    let left_over = differences.removed.union(differences.modified.difference(&set));
    let lost = changes(applied, pair.before, pair.after).removed;
    let owners_after = owners(pair.after);
    let effects = highest(&left_over).into_iter().map(|path| {
        let owners_of_path: Vec<&OwnerEntry> =
            owners_after.iter().filter(|owner| has_at_or_below(&owner.fields, &path)).collect();
        leftover(tools, path, &owners_of_path, &lost)
    });
    effects.collect()
}

fn leftover(tools: &Tools, path: OwnedPath, owners: &[&OwnerEntry], lost: &FieldSet<'_>) -> ObjectEffect {
    let tool = tools.tool.name;
    let is_item = matches!(path.last(), Some(PathElement::Key(_) | PathElement::Value(_)));
    let cause = if is_item && has_at_or_below(lost, &path) {
        EffectCause::HalfOwned
    } else if owners
        .iter()
        .any(|owner| owner.operation == ManagerOperation::Apply && owner.manager != tools.tool.manager)
    {
        EffectCause::Shared
    } else {
        EffectCause::Stuck
    };
    let names: Vec<String> = owners.iter().map(|owner| owner.name()).collect();
    let owned = match names.as_slice() {
        [] => "nobody owns it, so that nobody's apply removes it".to_owned(),
        [one] => format!("{one} still owns it"),
        several => format!("{} still own it", several.join(" and ")),
    };
    let sentence = match cause {
        EffectCause::HalfOwned => format!("{tool} no longer has the item, and removes a part of it: {owned}"),
        _ => format!("{tool} no longer sets it, and it stays: {owned}"),
    };
    let mut effect = ObjectEffect::on_field(cause, path, sentence);
    if cause == EffectCause::HalfOwned {
        effect
            .sentences
            .push("a server that requires one of the removed fields refuses the apply".to_owned());
    }
    effect
}

/// Returns the lists in which two items got one name.
fn same_names(applied: Applied<'_>, live: &OwnedDoc, course: &Course) -> Vec<ObjectEffect> {
    let Some(after) = &course.object else { return Vec::new() };
    let before = items_of_one_name(applied.served, live);
    let new = items_of_one_name(applied.served, after).into_iter().filter(|path| !before.contains(path));
    let effect = |path: String| {
        let sentence = "the list has two items of one name, which validation refuses if names must be unique";
        ObjectEffect::new(EffectCause::SameName, path, sentence.to_owned())
    };
    new.map(effect).collect()
}

/// Returns the values that were replaced or removed.
fn replacements(
    tools: &Tools,
    applied: Applied<'_>,
    live: &OwnedDoc,
    changes: &Changes,
) -> Vec<ObjectEffect> {
    let tool = tools.tool.name;
    let earlier = tools.earlier_managers();
    let before = fields_before(applied, live);
    let owners = owners(live);
    let is_own = |owner: &OwnerEntry| owner.is_update_of(&earlier) || owner.is_apply_of(&tools.tool.manager);
    let mut effects = Vec::new();
    for path in highest(&changes.modified) {
        let others: Vec<&OwnerEntry> =
            owners.iter().filter(|owner| owner.fields.contains(&path) && !is_own(owner)).collect();
        effects.push(match others.first() {
            Some(other) => {
                let sentence = format!("{tool} replaces the value of {}", other.name());
                ObjectEffect::on_field(EffectCause::TakenOver, path, sentence)
            }
            None => ObjectEffect::on_field(EffectCause::Changed, path, format!("{tool} changes the value")),
        });
    }
    for path in highest(&changes.added) {
        effects.push(ObjectEffect::on_field(EffectCause::Changed, path, format!("{tool} adds it")));
    }
    for path in highest(&changes.removed) {
        let was_applied = owners
            .iter()
            .any(|owner| owner.is_apply_of(&tools.tool.manager) && has_at_or_above(&owner.fields, &path));
        let was_in_manifest = before.as_ref().is_none_or(|before| has_at_or_above(before, &path));
        effects.push(if was_applied || was_in_manifest {
            ObjectEffect::on_field(EffectCause::Changed, path, format!("{tool} removes it"))
        } else {
            let others: Vec<String> = owners
                .iter()
                .filter(|owner| has_at_or_below(&owner.fields, &path))
                .map(OwnerEntry::name)
                .collect();
            let owner = if others.is_empty() { "nobody".to_owned() } else { others.join(" and ") };
            let sentence =
                format!("{tool} removes it, and its manifest never had it: the owner before is {owner}");
            ObjectEffect::on_field(EffectCause::Removed, path, sentence)
        });
    }
    effects
}

/// Returns true if a set has a path, a path above it, or one below it.
fn has_at_or_above(set: &FieldSet<'_>, path: &[PathElement<'_>]) -> bool {
    (1..=path.len()).any(|length| set.contains(&path[..length])) || has_at_or_below(set, path)
}
