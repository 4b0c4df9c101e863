//! Repairs: changes that a person can make before or after a step. A repair is named only if the simulation of it, and of
//! the step after it, has ended well.

use std::collections::BTreeSet;

use skewer_engine::server_side_apply::PathElement;
use skewer_engine::{Doc, OwnedDoc, Text};
use skewer_reports::preflight::{RepairCommand, TriedRepair};
use skewer_skew::{
    ApplyTool, Request, Sending, ToolChange, ToolRequest, entries, with_entries, without_managed_fields,
};

use crate::course::{Applied, apply};
use crate::dump::{DumpedObject, ObjectId};
use crate::effect::{EffectCause, ObjectEffect, ObjectEnd};
use crate::extract::is_same_key;
use crate::request::Answered;
use crate::served::ServedKind;
use crate::verdict::{Tools, verdict};

/// An object with an effect that can be repaired.
#[derive(Clone, Copy)]
pub struct Repaired<'a> {
    /// The tools.
    pub tools: &'a Tools,
    /// The object and its manifest.
    pub applied: Applied<'a>,
    /// The identity of the object.
    pub id: &'a ObjectId,
    /// The manifest as it was read.
    pub source: &'a DumpedObject,
}

impl<'a> Repaired<'a> {
    /// Returns the repair of an effect. `None` if none of those that are known worked.
    #[must_use]
    pub fn of(self, effect: &ObjectEffect) -> Option<TriedRepair> {
        match effect.cause {
            EffectCause::Stuck | EffectCause::HalfOwned => {
                self.migration(effect).or_else(|| self.removal(effect))
            }
            EffectCause::Conflict => self.force(effect).map(TriedRepair::in_words),
            EffectCause::Duplicate => self.without_duplicates(effect).map(TriedRepair::in_words),
            EffectCause::Undeclared => self.without_field(effect).map(TriedRepair::in_words),
            _ => None,
        }
    }

    /// Returns true if the tool applies a manifest to an object without this effect, and without a refusal.
    fn works(self, effect: &ObjectEffect, tools: &Tools, applied: Applied<'_>) -> bool {
        let course = apply(&tools.tool, applied, self.tools.change());
        let verdict = verdict(tools, applied, &course);
        let is_same = |other: &ObjectEffect| other.cause == effect.cause && other.path == effect.path;
        verdict.end != ObjectEnd::Refused && !verdict.effects.iter().any(is_same)
    }

    /// Tries `kubectl apply --server-side` under the name of the tool, which takes over what `kubectl apply` owns.
    fn migration(self, effect: &ObjectEffect) -> Option<TriedRepair> {
        let manager = &self.tools.tool.manager;
        let kubectl = ApplyTool::named("kubectl").ok()?;
        let kubectl = ApplyTool {
            manager: manager.clone(),
            sending: Sending::ServerSideApply { force: true },
            ..kubectl
        };
        let after = apply(&kubectl, self.applied, ToolChange::Never);
        let live = after.object.filter(|_| after.refusal.is_none())?;
        let applied = Applied { live: Some(&live), ..self.applied };
        self.works(effect, self.tools, applied).then(|| {
            let apply = format!("kubectl apply --server-side --force-conflicts --field-manager={manager}");
            // The file can have other objects, for which the repair was not tried.
            let manifest = (!self.source.is_redacted).then(|| self.applied.manifest.to_string());
            let command = manifest.map(|manifest| RepairCommand {
                time: format!("before {} applies the manifest", self.tools.tool.name),
                line: format!("printf '%s' {} | {apply} -f -", quoted(&manifest)),
            });
            TriedRepair { text: format!("{apply} -f {}", self.file()), command }
        })
    }

    /// Returns the file of the manifest.
    fn file(self) -> &'a str {
        self.source.place.rsplit_once(':').map_or("", |(file, _)| file)
    }

    /// Tries to remove the field by hand.
    fn removal(self, effect: &ObjectEffect) -> Option<TriedRepair> {
        // The field is stuck in the object after the apply, which comes first.
        let after = apply(&self.tools.tool, self.applied, self.tools.change());
        let object = after.object.filter(|_| after.refusal.is_none())?;
        let pointer = pointer(&object, effect.field.as_ref()?)?;
        let mut document = without_managed_fields(object.clone());
        remove(&mut document, &pointer)?;
        let request = ToolRequest::new("kubectl patch", Request::Update, "kubectl-patch", document);
        let live = Answered::simulate(request, self.applied.served, Some(&object)).end.ok()?;
        let applied = Applied { live: Some(&live), ..self.applied };
        let mut steps = tests_of_keys(effect.field.as_ref()?, &pointer);
        steps.push(format!(r#"{{"op":"remove","path":"/{}"}}"#, pointer.join("/")));
        let patch = format!("[{}]", steps.join(","));
        self.works(effect, self.tools, applied).then(|| {
            TriedRepair::of_command(RepairCommand {
                time: format!("after {} has applied the manifest", self.tools.tool.name),
                line: patch_command(self.id, &patch),
            })
        })
    }

    /// Tries the option with which the tool takes fields.
    fn force(self, effect: &ObjectEffect) -> Option<String> {
        let option = self.tools.tool.force_option?;
        let tool = ApplyTool { sending: Sending::ServerSideApply { force: true }, ..self.tools.tool.clone() };
        let tools = Tools { tool, ..self.tools.clone() };
        self.works(effect, &tools, self.applied)
            .then(|| format!("{option} (it replaces what the owner has set), or leave the field out"))
    }

    /// Tries the manifest without the first of several items with one key.
    fn without_duplicates(self, effect: &ObjectEffect) -> Option<String> {
        let mut manifest = self.applied.manifest.clone();
        remove_duplicates(&mut manifest);
        let applied = Applied { manifest: &manifest, ..self.applied };
        self.works(effect, self.tools, applied).then(|| {
            "keep only the last item of each key in the manifest, which is the one that counted".to_owned()
        })
    }

    /// Tries the manifest without the field.
    fn without_field(self, effect: &ObjectEffect) -> Option<String> {
        let mut manifest = self.applied.manifest.clone();
        let path: skewer_engine::FieldPath = effect.path.parse().ok()?;
        let pointer: Vec<String> = path
            .segments()
            .iter()
            .map(|segment| match segment {
                skewer_engine::PathSegment::Key(key) => escape_pointer(key),
                skewer_engine::PathSegment::Index(index) => index.to_string(),
            })
            .collect();
        remove(&mut manifest, &pointer)?;
        let applied = Applied { manifest: &manifest, ..self.applied };
        self.works(effect, self.tools, applied)
            .then(|| format!("remove {} from {}", effect.path, self.file()))
    }
}

/// Tries to rename the version of the entries of a removed version while both versions exist. `works` says whether the
/// object is then as it should be after the removal.
#[must_use]
pub fn renamed_entries(
    served: &ServedKind,
    live: &OwnedDoc,
    versions: RenamedVersion<'_>,
    works: &dyn Fn(&OwnedDoc) -> bool,
) -> Option<TriedRepair> {
    let mut patch = Vec::new();
    let mut renamed = entries(live).to_vec();
    for (index, entry) in renamed.iter_mut().enumerate() {
        let Some(entry) = entry.as_map_mut() else { continue };
        if entry.get("apiVersion").and_then(Doc::as_str) == Some(versions.removed) {
            entry.insert("apiVersion".into(), Doc::String(Text::from(versions.kept.to_owned())));
            let version_of_entry = format!("/metadata/managedFields/{index}/apiVersion");
            let RenamedVersion { kept, removed, .. } = versions;
            // The entries can have changed since.
            patch.push(format!(r#"{{"op":"test","path":"{version_of_entry}","value":"{removed}"}}"#));
            patch.push(format!(r#"{{"op":"replace","path":"{version_of_entry}","value":"{kept}"}}"#));
        }
    }
    let request =
        ToolRequest::new("kubectl patch", Request::Update, "kubectl-patch", with_entries(live, renamed));
    let object = Answered::simulate(request, served, Some(live)).end.ok()?;
    let command = patch_command(versions.id, &format!("[{}]", patch.join(",")));
    works(&object).then(|| TriedRepair {
        text: format!("before the removal: {command}"),
        command: Some(RepairCommand { time: "before the version is removed".to_owned(), line: command }),
    })
}

/// The versions of entries that are renamed, and the object that has them.
#[derive(Clone, Copy)]
pub struct RenamedVersion<'a> {
    /// The object.
    pub id: &'a ObjectId,
    /// The version that is removed.
    pub removed: &'a str,
    /// A version that remains.
    pub kept: &'a str,
}

fn patch_command(id: &ObjectId, patch: &str) -> String {
    let group = if id.group.is_empty() { String::new() } else { format!(".{}", id.group) };
    let namespace = if id.namespace.is_empty() { String::new() } else { format!(" -n {}", id.namespace) };
    let kind = id.kind.to_lowercase();
    format!("kubectl patch {kind}{group} {}{namespace} --type=json -p {}", id.name, quoted(patch))
}

/// Returns a text as a word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns the steps of a JSON patch which make sure that the items on the way to a field are where they were.
fn tests_of_keys(path: &[PathElement<'static>], pointer: &[String]) -> Vec<String> {
    let mut steps = Vec::new();
    for (index, element) in path.iter().enumerate() {
        let PathElement::Key(keys) = element else { continue };
        let item = pointer[..=index].join("/");
        // A key that the item lacks has its default.
        let name = keys.iter().find(|(key, _)| key.as_str() == "name").or_else(|| keys.first());
        steps.extend(name.map(|(key, value)| {
            format!(r#"{{"op":"test","path":"/{item}/{}","value":{value}}}"#, escape_pointer(key))
        }));
    }
    steps
}

/// Returns the JSON pointer of a field, in segments.
fn pointer(object: &OwnedDoc, path: &[PathElement<'static>]) -> Option<Vec<String>> {
    let mut value = object;
    let mut pointer = Vec::new();
    for element in path {
        let index = match element {
            PathElement::Field(name) => {
                value = value.as_map()?.get(name)?;
                pointer.push(escape_pointer(name));
                continue;
            }
            PathElement::Key(keys) => value.as_list()?.iter().position(|item| {
                keys.iter().all(|(key, wanted)| {
                    // A key that the item lacks has its default.
                    item.as_map()
                        .is_some_and(|item| item.get(key).is_none_or(|found| is_same_key(found, wanted)))
                })
            })?,
            PathElement::Value(wanted) => {
                value.as_list()?.iter().position(|item| is_same_key(item, wanted))?
            }
            PathElement::Index(index) => usize::try_from(*index).ok()?,
            PathElement::Unidentified => return None,
        };
        value = value.as_list()?.get(index)?;
        pointer.push(index.to_string());
    }
    Some(pointer)
}

fn escape_pointer(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn remove(object: &mut OwnedDoc, pointer: &[String]) -> Option<()> {
    let (last, above) = pointer.split_last()?;
    let name = |segment: &str| segment.replace("~1", "/").replace("~0", "~");
    let mut value = object;
    for segment in above {
        value = match value {
            Doc::Map(map) => map.get_mut(&name(segment))?,
            Doc::List(items) => items.get_mut(segment.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    match value {
        Doc::Map(map) => map.remove(&name(last)).map(drop),
        Doc::List(items) => {
            let index = last.parse::<usize>().ok().filter(|index| *index < items.len())?;
            items.remove(index);
            Some(())
        }
        _ => None,
    }
}

/// Removes the earlier ones of the items with one `name` from each list. Other keys are not known here: the request decides
/// whether this is enough.
fn remove_duplicates(value: &mut OwnedDoc) {
    match value {
        Doc::Map(map) => map.iter_mut().for_each(|(_, value)| remove_duplicates(value)),
        Doc::List(items) => {
            let mut seen = BTreeSet::new();
            let mut kept: Vec<OwnedDoc> = std::mem::take(items)
                .into_iter()
                .rev()
                .filter(|item| {
                    let name = item.as_map().and_then(|item| item.get("name")?.as_str());
                    name.is_none_or(|name| seen.insert(name.to_owned()))
                })
                .collect();
            kept.reverse();
            *items = kept;
            items.iter_mut().for_each(remove_duplicates);
        }
        _ => {}
    }
}
