//! Makes a situation as small as it can be while a law still says the same of it.

use skewer_engine::schema::{FieldDecl, Shape};
use skewer_engine::skew::{self, Decoding, Edit, Intent, UnknownFieldHandling};
use skewer_engine::{Doc, Map, OwnedDoc, OwnedText};

use super::situation::{Content, Situation};
use crate::places;

mod types;

/// How often all that is left is gone through: each pass that changes nothing is the last.
const MAX_PASSES: usize = 12;

/// The smallest situation found for which `still` holds, as it does for this one.
#[must_use]
pub fn shrink(mut situation: Situation, still: &dyn Fn(&Situation) -> bool) -> Situation {
    // Documents that fit their types keep doing so: what does not is another story.
    let all_fit = fits(&situation);
    let still = |smaller: &Situation| (!all_fit || fits(smaller)) && still(smaller);
    for _ in 0..MAX_PASSES {
        let mut smaller = false;
        for step in STEPS {
            // What a step offers depends on what was taken before: number by number, until there is no more.
            let mut number = 0;
            while let Some(candidate) = step(&situation, number) {
                if candidate.weight() < situation.weight() && still(&candidate) {
                    situation = candidate;
                    smaller = true;
                } else {
                    number += 1;
                }
            }
        }
        if !smaller {
            break;
        }
    }
    let tidy = types::renamed(&situation);
    if still(&tidy) { tidy } else { situation }
}

/// Do the documents fit their types, before and after what is done?
fn fits(situation: &Situation) -> bool {
    let Ok(views) = situation.views() else { return false };
    let everything = &views.everything;
    let fits =
        |document: &OwnedDoc| skew::convert(everything, document, UnknownFieldHandling::Refuse).is_ok();
    situation.content.documents().into_iter().all(|document| {
        let mut edited = document.clone();
        if let Content::Intent { intent, .. } = &situation.content {
            // An edit may speak of what this document does not have.
            let _ = intent.edit(&mut edited, everything, everything);
        }
        fits(document) && fits(&edited)
    })
}

/// The candidate with a number; `None` when there are no more.
type Step = fn(&Situation, usize) -> Option<Situation>;

const STEPS: &[Step] = &[
    parties,
    last_applied,
    edits,
    keys_everywhere,
    twins,
    stored,
    applied,
    intended,
    types::fields,
    types::metadata,
];

impl Situation {
    /// What shrinking makes less of: what is to be read, the types, and what is special.
    pub(super) fn weight(&self) -> (usize, usize, usize) {
        let fields = self.types.types.iter().map(|declared| match &declared.shape {
            Shape::Struct(fields) => 1 + fields.iter().map(|f| 1 + tags(f)).sum::<usize>(),
            _ => 1,
        });
        let special = self.client_lacks.len()
            + self.server_lacks.len()
            + usize::from(self.decoding == Decoding::Unstructured);
        (self.content.size(), special, fields.sum())
    }
}

fn tags(field: &FieldDecl) -> usize {
    let patch = &field.patch;
    patch.strategies.len()
        + patch.merge_key.len()
        + patch.recommended_merge_key.len()
        + patch.list_map_keys.len()
        + usize::from(patch.list_type.is_some())
}

fn parties(situation: &Situation, number: usize) -> Option<Situation> {
    let mut less = situation.clone();
    let (client, server) = (less.client_lacks.len(), less.server_lacks.len());
    match number {
        n if n < client => {
            less.client_lacks.remove(n);
        }
        n if n < client + server => {
            less.server_lacks.remove(n - client);
        }
        n if n == client + server => less.decoding = Decoding::Structured,
        _ => return None,
    }
    Some(less)
}

fn last_applied(situation: &Situation, number: usize) -> Option<Situation> {
    let mut less = situation.clone();
    let Content::Intent { last_applied, .. } = &mut less.content else { return None };
    last_applied.take().filter(|_| number == 0).map(|_| less)
}

fn edits(situation: &Situation, number: usize) -> Option<Situation> {
    let mut less = situation.clone();
    let Content::Intent { intent, .. } = &mut less.content else { return None };
    (number < intent.0.len()).then(|| intent.0.remove(number))?;
    Some(less)
}

/// A key goes wherever it is.
fn keys_everywhere(situation: &Situation, number: usize) -> Option<Situation> {
    let keys = keys_of(situation);
    let key = keys.get(number)?;
    let mut less = situation.clone();
    each_document(&mut less.content, &mut |document| remove_key(document, key));
    Some(less)
}

/// The same place goes from what is stored and from what was applied.
fn twins(situation: &Situation, number: usize) -> Option<Situation> {
    let mut less = situation.clone();
    let Content::Intent { stored, last_applied: Some(applied), .. } = &mut less.content else { return None };
    let place = places::places(stored).into_iter().nth(number)?;
    places::remove(stored, &place);
    places::remove(applied, &place);
    Some(less)
}

fn stored(situation: &Situation, number: usize) -> Option<Situation> {
    let mut less = situation.clone();
    let (Content::Intent { stored: document, .. } | Content::Patch { live: document, .. }) =
        &mut less.content;
    *document = places::without(document, number)?;
    Some(less)
}

fn applied(situation: &Situation, number: usize) -> Option<Situation> {
    let mut less = situation.clone();
    let (Content::Intent { last_applied: Some(document), .. } | Content::Patch { patch: document, .. }) =
        &mut less.content
    else {
        return None;
    };
    *document = places::without(document, number)?;
    Some(less)
}

/// Something goes from the values of an edit.
fn intended(situation: &Situation, number: usize) -> Option<Situation> {
    let mut less = situation.clone();
    let Content::Intent { intent, .. } = &mut less.content else { return None };
    let mut left = number;
    for edit in &mut intent.0 {
        let mut value = value_of(edit);
        let found = places::places(&value);
        if let Some(place) = found.get(left) {
            places::remove(&mut value, place);
            put(edit, value);
            return Some(less);
        }
        left -= found.len();
    }
    None
}

/// What an edit brings, as a value.
fn value_of(edit: &Edit) -> OwnedDoc {
    match edit {
        Edit::Set(value) | Edit::Add { item: value, .. } | Edit::Select { value, .. } => value.clone(),
        Edit::Choose { fields, .. } => Doc::Map(fields.clone()),
        Edit::Order { order, .. } => Doc::List(order.clone()),
        Edit::Remove(_) | Edit::Clear(_) => Doc::Null,
    }
}

fn put(edit: &mut Edit, new: OwnedDoc) {
    match (edit, new) {
        (Edit::Set(value) | Edit::Add { item: value, .. } | Edit::Select { value, .. }, new) => *value = new,
        (Edit::Choose { fields, .. }, Doc::Map(new)) => *fields = new,
        (Edit::Order { order, .. }, Doc::List(new)) => *order = new,
        _ => {}
    }
}

fn remove_key(value: &mut OwnedDoc, key: &str) {
    match value {
        Doc::Map(map) => {
            map.remove(key);
            map.iter_mut().for_each(|(_, value)| remove_key(value, key));
        }
        Doc::List(items) => items.iter_mut().for_each(|item| remove_key(item, key)),
        _ => {}
    }
}

fn each_key(value: &OwnedDoc, found: &mut dyn FnMut(&OwnedText)) {
    match value {
        Doc::Map(map) => map.iter().for_each(|(key, value)| {
            found(key);
            each_key(value, found);
        }),
        Doc::List(items) => items.iter().for_each(|item| each_key(item, found)),
        _ => {}
    }
}

/// The keys of every document of a situation.
fn keys_of(situation: &Situation) -> Vec<OwnedText> {
    let mut keys = Vec::new();
    let mut content = situation.content.clone();
    each_document(&mut content, &mut |document| each_key(document, &mut |key| keys.push(key.clone())));
    keys.sort();
    keys.dedup();
    keys
}

/// Every document of a situation, those that edits bring included.
fn each_document(content: &mut Content, change: &mut dyn FnMut(&mut OwnedDoc)) {
    match content {
        Content::Patch { live, patch } => {
            change(live);
            change(patch);
        }
        Content::Intent { stored, last_applied, intent: Intent(edits), .. } => {
            change(stored);
            last_applied.iter_mut().for_each(&mut *change);
            for edit in edits {
                match edit {
                    Edit::Set(value) | Edit::Add { item: value, .. } | Edit::Select { value, .. } => {
                        change(value);
                    }
                    Edit::Choose { fields, .. } => {
                        let mut value = Doc::Map(std::mem::replace(fields, Map::new()));
                        change(&mut value);
                        *fields = value.as_map().cloned().unwrap_or_default();
                    }
                    Edit::Remove(_) | Edit::Clear(_) | Edit::Order { .. } => {}
                }
            }
        }
    }
}
