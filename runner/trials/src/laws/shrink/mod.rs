//! Shrinking of situations.

mod types;

use std::cell::Cell;

use skewer_engine::{Doc, Map, OwnedDoc, OwnedText};
use skewer_skew::{Decoder, Decoding, Edit, UnknownFieldHandling};

use super::situation::{ClientIntent, PatchSource, Situation};
use crate::random_testing::document_edits::{self, remove_nth_value};
use crate::random_testing::shrink;

/// Returns a smaller situation for which the predicate still holds. The predicate must hold for the given situation.
#[must_use]
pub fn shrink(situation: Situation, still_holds: &dyn Fn(&Situation) -> bool) -> Situation {
    // Valid documents must remain valid. An invalid document could satisfy the predicate for another reason.
    let was_valid = has_valid_documents(&situation);
    let still_holds =
        |smaller: &Situation| (!was_valid || has_valid_documents(smaller)) && still_holds(smaller);
    let weight = Cell::new(situation.weight());
    let is_lighter = |smaller: &Situation| {
        let is_lighter = smaller.weight() < weight.get() && still_holds(smaller);
        if is_lighter {
            weight.set(smaller.weight());
        }
        is_lighter
    };
    let reductions: Vec<_> =
        REDUCTIONS.iter().map(|reduce| |it: &Situation, index| reduce(it, index).into()).collect();
    let reductions: Vec<shrink::Reduction<'_, Situation>> =
        reductions.iter().map(|reduce| reduce as _).collect();
    let situation = shrink::shrink(situation, &reductions, &is_lighter);
    let renamed = types::without_number_suffixes(&situation);
    if still_holds(&renamed) { renamed } else { situation }
}

/// Returns true if the documents are valid for their types, before and after the edits.
fn has_valid_documents(situation: &Situation) -> bool {
    let Ok(views) = situation.views() else { return false };
    let up_to_date = &views.up_to_date;
    let is_convertible = |document: &OwnedDoc| {
        skewer_skew::convert(up_to_date, document, Decoder::Json, UnknownFieldHandling::Refuse).is_ok()
    };
    situation.patch_source.objects().into_iter().all(|document| {
        let mut edited = document.clone();
        if let PatchSource::Intent(ClientIntent { intent, meanwhile, .. }) = &situation.patch_source {
            for intent in meanwhile.iter().chain([intent]) {
                // The edit fails if the document lacks the value that it refers to.
                let _ = intent.edit(&mut edited, up_to_date, up_to_date);
            }
        }
        is_convertible(document) && is_convertible(&edited)
    })
}

/// A way to make a situation smaller. The function returns the candidate with an index, or `None` if there are fewer
/// candidates.
type Reduction = fn(&Situation, usize) -> Option<Situation>;

const REDUCTIONS: &[Reduction] = &[
    drop_party_difference,
    drop_last_applied,
    drop_meanwhile,
    drop_edit,
    drop_key,
    drop_from_both_objects,
    drop_from_live,
    drop_from_last_applied_or_patch,
    drop_from_edit_values,
    types::drop_field,
    types::drop_metadata_tag,
];

/// Removes a difference between the parties: adds a missing element to a view, or makes the client decode into types.
fn drop_party_difference(situation: &Situation, index: usize) -> Option<Situation> {
    let mut smaller = situation.clone();
    let (client, server) = (smaller.missing_in_client.len(), smaller.missing_in_server.len());
    match index {
        n if n < client => {
            smaller.missing_in_client.remove(n);
        }
        n if n < client + server => {
            smaller.missing_in_server.remove(n - client);
        }
        n if n == client + server => smaller.decoding = Decoding::Structured,
        _ => return None,
    }
    Some(smaller)
}

fn drop_last_applied(situation: &Situation, index: usize) -> Option<Situation> {
    let mut smaller = situation.clone();
    let PatchSource::Intent(intent) = &mut smaller.patch_source else { return None };
    intent.last_applied.take().filter(|_| index == 0).map(|_| smaller)
}

/// Removes the request of another client.
fn drop_meanwhile(situation: &Situation, index: usize) -> Option<Situation> {
    let mut smaller = situation.clone();
    let PatchSource::Intent(intent) = &mut smaller.patch_source else { return None };
    intent.meanwhile.take().filter(|_| index == 0).map(|_| smaller)
}

/// Removes an edit of the client or of the other client.
fn drop_edit(situation: &Situation, index: usize) -> Option<Situation> {
    let mut smaller = situation.clone();
    let PatchSource::Intent(intent) = &mut smaller.patch_source else { return None };
    let own = intent.intent.0.len();
    let (edits, index) = match (index.checked_sub(own), &mut intent.meanwhile) {
        (None, _) => (&mut intent.intent.0, index),
        (Some(index), Some(meanwhile)) => (&mut meanwhile.0, index),
        (Some(_), None) => return None,
    };
    (index < edits.len()).then(|| edits.remove(index))?;
    Some(smaller)
}

/// Removes a key from all maps.
fn drop_key(situation: &Situation, index: usize) -> Option<Situation> {
    let keys = all_keys(situation);
    let key = keys.get(index)?;
    let mut smaller = situation.clone();
    visit_documents(&mut smaller.patch_source, &mut |document| remove_key_everywhere(document, key));
    Some(smaller)
}

/// Removes the value at one field path from the live object and from the last-applied configuration.
fn drop_from_both_objects(situation: &Situation, index: usize) -> Option<Situation> {
    let mut smaller = situation.clone();
    let PatchSource::Intent(ClientIntent { live, last_applied: Some(last_applied), .. }) =
        &mut smaller.patch_source
    else {
        return None;
    };
    let path = document_edits::field_paths(live).into_iter().nth(index)?;
    document_edits::remove_at(live, &path);
    document_edits::remove_at(last_applied, &path);
    Some(smaller)
}

fn drop_from_live(situation: &Situation, index: usize) -> Option<Situation> {
    let mut smaller = situation.clone();
    let (PatchSource::Intent(ClientIntent { live, .. }) | PatchSource::Given { live, .. }) =
        &mut smaller.patch_source;
    remove_nth_value([live], index).then_some(smaller)
}

fn drop_from_last_applied_or_patch(situation: &Situation, index: usize) -> Option<Situation> {
    let mut smaller = situation.clone();
    let (PatchSource::Intent(ClientIntent { last_applied: Some(document), .. })
    | PatchSource::Given { patch: document, .. }) = &mut smaller.patch_source
    else {
        return None;
    };
    remove_nth_value([document], index).then_some(smaller)
}

/// Removes a value that is nested in an edit.
fn drop_from_edit_values(situation: &Situation, index: usize) -> Option<Situation> {
    let mut smaller = situation.clone();
    let PatchSource::Intent(intent) = &mut smaller.patch_source else { return None };
    let mut paths_left = index;
    let is_removed = edits_mut(intent).any(|edit| {
        let mut value = edit_value(edit);
        let paths = document_edits::field_paths(&value);
        let Some(path) = paths.get(paths_left) else {
            paths_left -= paths.len();
            return false;
        };
        document_edits::remove_at(&mut value, path);
        set_edit_value(edit, value);
        true
    });
    is_removed.then_some(smaller)
}

/// Returns the edits of the client and those of the other client.
fn edits_mut(intent: &mut ClientIntent) -> impl Iterator<Item = &mut Edit> {
    intent.intent.0.iter_mut().chain(intent.meanwhile.iter_mut().flat_map(|meanwhile| &mut meanwhile.0))
}

/// Returns the value of an edit as one document, or null if the edit has no value.
fn edit_value(edit: &Edit) -> OwnedDoc {
    match edit {
        Edit::Set(value) | Edit::Add { item: value, .. } | Edit::Select { value, .. } => value.clone(),
        Edit::Choose { fields, .. } => Doc::Map(fields.clone()),
        Edit::Order { order, .. } => Doc::List(order.clone()),
        Edit::Remove(_) | Edit::Clear(_) | Edit::Increment { .. } => Doc::Null,
    }
}

fn set_edit_value(edit: &mut Edit, new: OwnedDoc) {
    match (edit, new) {
        (Edit::Set(value) | Edit::Add { item: value, .. } | Edit::Select { value, .. }, new) => *value = new,
        (Edit::Choose { fields, .. }, Doc::Map(new)) => *fields = new,
        (Edit::Order { order, .. }, Doc::List(new)) => *order = new,
        _ => {}
    }
}

fn remove_key_everywhere(value: &mut OwnedDoc, key: &str) {
    match value {
        Doc::Map(map) => {
            map.remove(key);
            map.iter_mut().for_each(|(_, value)| remove_key_everywhere(value, key));
        }
        Doc::List(items) => items.iter_mut().for_each(|item| remove_key_everywhere(item, key)),
        _ => {}
    }
}

fn visit_keys(value: &OwnedDoc, visit: &mut dyn FnMut(&OwnedText)) {
    match value {
        Doc::Map(map) => map.iter().for_each(|(key, value)| {
            visit(key);
            visit_keys(value, visit);
        }),
        Doc::List(items) => items.iter().for_each(|item| visit_keys(item, visit)),
        _ => {}
    }
}

/// Returns the distinct keys of all documents of a situation, sorted.
fn all_keys(situation: &Situation) -> Vec<OwnedText> {
    let mut keys = Vec::new();
    let mut source = situation.patch_source.clone();
    visit_documents(&mut source, &mut |document| visit_keys(document, &mut |key| keys.push(key.clone())));
    keys.sort();
    keys.dedup();
    keys
}

/// Calls a function for every document of a situation, including the values of edits.
fn visit_documents(source: &mut PatchSource, visit: &mut dyn FnMut(&mut OwnedDoc)) {
    match source {
        PatchSource::Given { live, patch } => {
            visit(live);
            visit(patch);
        }
        PatchSource::Intent(intent) => {
            visit(&mut intent.live);
            intent.last_applied.iter_mut().for_each(&mut *visit);
            for edit in edits_mut(intent) {
                match edit {
                    Edit::Set(value) | Edit::Add { item: value, .. } | Edit::Select { value, .. } => {
                        visit(value);
                    }
                    Edit::Choose { fields, .. } => {
                        let mut value = Doc::Map(std::mem::replace(fields, Map::new()));
                        visit(&mut value);
                        *fields = value.as_map().cloned().unwrap_or_default();
                    }
                    Edit::Remove(_) | Edit::Clear(_) | Edit::Order { .. } | Edit::Increment { .. } => {}
                }
            }
        }
    }
}
