//! Counts the events in sequences of requests. The counts show which behaviour was compared, and how often.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use skewer_engine::{Doc, OwnedDoc, OwnedMap};
use skewer_skew::OperationKind;

use super::compare::ComparedStep;
use super::generate::{KUBECTL, LAST_APPLIED};
use super::managed_fields::{self, entries_of, fields_of};
use super::sequence::{Sequence, Step};
use crate::differential::answer::Answer;
use crate::differential::compare::built_in_answer;

/// The numbers of sequences in which something happens.
#[derive(Clone, Debug, Default)]
pub struct SequenceCounts {
    /// Number of sequences.
    pub sequences: u64,
    /// Number of requests.
    pub steps: u64,
    /// Number of sequences with an event, by event.
    pub events: BTreeMap<String, u64>,
}

/// The events that a run should see in one of a hundred sequences. They include all kinds of errors with which a request
/// to a field manager can be refused.
const EXPECTED_EVENTS: [&str; 22] = [
    "a request is refused: conflict",
    "a request is refused: conversion-failed",
    "a request is refused: duplicate-list-item",
    "a request is refused: field-not-declared",
    "a request is refused: indistinct-numbers",
    "a request is refused: invalid-list-item",
    "a request is refused: invalid-managed-fields",
    "a request is refused: missing-list-keys",
    "a request is refused: wrong-api-version",
    "a request is refused: wrong-kind",
    "an apply request changes nothing",
    "an apply request creates the object",
    "an apply request is forced past a conflict",
    "an entry of managed fields disappears",
    "kubectl takes over fields of client-side apply",
    "managed fields are reset",
    "old updaters are merged",
    "another manager loses a field",
    "several managers own a field",
    "a manager becomes an owner of a field",
    "an apply request removes a field",
    "an update is not tracked",
];

impl SequenceCounts {
    /// Counts a sequence.
    pub(crate) fn count(&mut self, sequence: &Sequence, steps: &[ComparedStep]) {
        self.sequences += 1;
        self.steps += steps.len() as u64;
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for (step, compared) in sequence.steps.iter().zip(steps) {
            events_of(sequence, step, compared, &mut seen);
        }
        for event in seen {
            *self.events.entry(event).or_default() += 1;
        }
    }

    /// Returns the events that occurred in less than one of a hundred sequences, although they should be more frequent.
    #[must_use]
    pub fn rare_events(&self) -> Vec<&'static str> {
        let is_rare = |event: &&str| self.events.get(*event).is_none_or(|count| count * 100 < self.sequences);
        EXPECTED_EVENTS.into_iter().filter(is_rare).collect()
    }

    /// Renders the shares of the sequences.
    #[must_use]
    pub(crate) fn text(&self) -> String {
        if self.sequences == 0 {
            return String::new();
        }
        let mut text = format!(
            "\n{} sequences with {} requests; share of the sequences in which\n",
            self.sequences, self.steps
        );
        let mut events = self.events.clone();
        for event in EXPECTED_EVENTS {
            events.entry(event.to_owned()).or_default();
        }
        for (event, count) in events {
            let tenths = count * 1000 / self.sequences;
            let _ = writeln!(text, "  {:>3}.{} %  {count:>7}  {event}", tenths / 10, tenths % 10);
        }
        match self.rare_events().as_slice() {
            [] => text.push_str("Each event that can occur is in at least 1 % of the sequences.\n"),
            rare => {
                let _ = writeln!(text, "RARE: in less than 1 % of the sequences: {}", rare.join("; "));
            }
        }
        text
    }
}

type Entries = BTreeMap<(String, String, String, String), BTreeSet<String>>;

/// Returns the fields of each entry of managed fields, as paths.
fn entries(object: Option<&OwnedDoc>) -> Entries {
    let mut found = Entries::new();
    for entry in object.map(entries_of).unwrap_or_default() {
        let Doc::Map(entry) = entry else { continue };
        let text = |key: &str| entry.get(key).and_then(Doc::as_str).unwrap_or_default().to_owned();
        let version = if text("operation") == "Apply" { String::new() } else { text("apiVersion") };
        let id = (text("manager"), text("operation"), version, text("subresource"));
        let mut paths = BTreeSet::new();
        if let Some(fields) = fields_of(entry) {
            collect_paths(&fields, "", &mut paths);
        }
        found.insert(id, paths);
    }
    found
}

fn collect_paths(fields: &OwnedDoc, prefix: &str, paths: &mut BTreeSet<String>) {
    let Doc::Map(map) = fields else { return };
    for (key, inner) in map.iter() {
        let path = format!("{prefix}/{key}");
        if inner.as_map().is_none_or(OwnedMap::is_empty) {
            paths.insert(path);
        } else {
            collect_paths(inner, &path, paths);
        }
    }
}

fn events_of(sequence: &Sequence, step: &Step, compared: &ComparedStep, seen: &mut BTreeSet<String>) {
    let mut see = |event: &str| {
        seen.insert(event.to_owned());
    };
    let result = match &compared.comparison.ours {
        Answer::Result(result) => result,
        Answer::Refused { kind, .. } => {
            seen.insert(format!("a request is refused: {kind}"));
            return;
        }
        _ => return,
    };
    let (before, after) = (entries(compared.live.as_ref()), entries(Some(result)));
    let is_own = |id: &(String, String, String, String)| id.0 == step.manager;
    if before.keys().any(|id| !after.contains_key(id)) {
        see("an entry of managed fields disappears");
    }
    let loses = |(id, paths): (&_, &BTreeSet<String>)| {
        !is_own(id) && after.get(id).is_some_and(|after| paths.difference(after).next().is_some())
    };
    if before.iter().any(loses) {
        see("another manager loses a field");
    }
    let gains = |(id, paths): (&_, &BTreeSet<String>)| {
        before.get(id).is_none_or(|before| paths.difference(before).next().is_some())
    };
    if after.iter().any(gains) {
        see("a manager becomes an owner of a field");
    }
    let mut owned: Vec<&String> = after.values().flatten().collect();
    owned.sort_unstable();
    if owned.windows(2).any(|pair| pair[0] == pair[1]) {
        see("several managers own a field");
    }
    if after.keys().any(|id| id.0 == "ancient-changes") && !before.keys().any(|id| id.0 == "ancient-changes")
    {
        see("old updaters are merged");
    }
    if step.operation == OperationKind::ServerSideApply {
        apply_events(sequence, step, compared, result).into_iter().for_each(see);
    } else {
        update_events(compared.live.as_ref(), &before, &after).into_iter().for_each(see);
    }
}

fn update_events(live: Option<&OwnedDoc>, before: &Entries, after: &Entries) -> Vec<&'static str> {
    let mut events = Vec::new();
    if !before.is_empty() && before.keys().all(|id| !after.contains_key(id)) {
        events.push("managed fields are reset");
    }
    let has_uid = live.is_some_and(|live| live.to_string().contains("\"uid\""));
    if has_uid && before.is_empty() && after.is_empty() {
        events.push("an update is not tracked");
    }
    events
}

fn apply_events(
    sequence: &Sequence,
    step: &Step,
    compared: &ComparedStep,
    result: &OwnedDoc,
) -> Vec<&'static str> {
    let mut events = Vec::new();
    let Some(live) = &compared.live else { return vec!["an apply request creates the object"] };
    let without_managed_fields = |object: &OwnedDoc| {
        let mut object = object.clone();
        managed_fields::remove(&mut object);
        object
    };
    let (live_object, object) = (without_managed_fields(live), without_managed_fields(result));
    if live_object == object && entries(Some(live)) == entries(Some(result)) {
        events.push("an apply request changes nothing");
    }
    if lacks_a_field(&object, &live_object) {
        events.push("an apply request removes a field");
    }
    let is_refused = |step: &Step| {
        let answer = step.perform(sequence, Some(live), built_in_answer);
        matches!(answer, Some(Answer::Refused { kind: "conflict", .. }))
    };
    if step.force && is_refused(&Step { force: false, ..step.clone() }) {
        events.push("an apply request is forced past a conflict");
    }
    if !step.force
        && step.manager == KUBECTL
        && live.to_string().contains(LAST_APPLIED)
        && is_refused(&Step { manager: "another", ..step.clone() })
    {
        events.push("kubectl takes over fields of client-side apply");
    }
    events
}

/// Returns true if a map lacks a key that the same map of another object has.
fn lacks_a_field(object: &OwnedDoc, before: &OwnedDoc) -> bool {
    let (Doc::Map(object), Doc::Map(before)) = (object, before) else { return false };
    before.iter().any(|(key, value)| object.get(key).is_none_or(|object| lacks_a_field(object, value)))
}
