//! The trials of which each is a sequence of requests to a field manager.

use std::sync::Arc;

use skewer_engine::{Doc, Map, OwnedDoc, Text};
use skewer_skew::{FieldManagerOptions, Operation, OperationKind, OperationOptions};

use super::managed_fields;
use super::resource::SequenceResource;

/// Several requests to the field manager of one resource, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    /// Number of the sequence. Together with the seed, it determines the sequence.
    pub(crate) number: u64,
    /// The resource, as its schema changes in time. Each step names one of them.
    pub(crate) resources: Vec<Arc<SequenceResource>>,
    /// The live object before the first step. `None` if it does not exist.
    pub(crate) initial: Option<OwnedDoc>,
    /// Whether the entries of managed fields get times.
    pub(crate) times: Times,
    pub(crate) steps: Vec<Step>,
}

/// The times of the entries of managed fields in live objects. The requests themselves are always the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Times {
    /// Each changed entry has the time of its step.
    Increasing,
    /// All entries have the same time.
    Equal,
    /// No entry has a time.
    None,
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) operation: OperationKind,
    /// Index of the resource.
    pub(crate) resource: usize,
    /// The API version of the endpoint.
    pub(crate) api_version: &'static str,
    pub(crate) manager: &'static str,
    pub(crate) force: bool,
    pub(crate) subresource: &'static str,
    /// The configuration or the new object, without managed fields.
    pub(crate) document: OwnedDoc,
    pub(crate) managed_fields: SentManagedFields,
}

/// The managed fields in the document of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SentManagedFields {
    /// None.
    Absent,
    /// Those of the live object, as in the document of a client that has read the object.
    OfLive,
    /// This value.
    Given(OwnedDoc),
}

impl Step {
    /// Returns the document that the request sends.
    pub(crate) fn sent_document(&self, live: Option<&OwnedDoc>) -> OwnedDoc {
        let value = match &self.managed_fields {
            SentManagedFields::Absent => None,
            SentManagedFields::OfLive => live.and_then(managed_fields::value_of).cloned(),
            SentManagedFields::Given(value) => Some(value.clone()),
        };
        let mut document = self.document.clone();
        if let Some(value) = value {
            managed_fields::set_value(&mut document, value);
        }
        document
    }

    /// Calls `perform` with the operation of the request. Returns `None` if the sequence has no such version.
    pub(crate) fn perform<R>(
        &self,
        sequence: &Sequence,
        live: Option<&OwnedDoc>,
        perform: impl FnOnce(&Operation<'_>) -> R,
    ) -> Option<R> {
        let resource = &sequence.resources[self.resource];
        let context = resource.context(self.api_version)?;
        let field_manager = FieldManagerOptions {
            time: None,
            manager: self.manager,
            force: self.force,
            subresource: self.subresource,
            api_version: Some(self.api_version),
            resource: Some(&resource.resource),
            csa_managers: &[],
        };
        let options = OperationOptions { field_manager, ..OperationOptions::default() };
        let documents = [live.cloned().unwrap_or(Doc::Map(Map::new())), self.sent_document(live)];
        let operation = Operation::of_documents(self.operation, context, &documents).ok()?;
        Some(perform(&operation.with_options(options)))
    }
}

impl Sequence {
    /// Returns the live object after a step whose result is `result`: the entries of managed fields that the step has
    /// changed get a time.
    pub(crate) fn next_live(&self, before: Option<&OwnedDoc>, result: &OwnedDoc, step: usize) -> OwnedDoc {
        let previous = before.map(managed_fields::entries_of).unwrap_or_default();
        let mut live = result.clone();
        let Some(Doc::List(entries)) = managed_fields::value_of_mut(&mut live) else { return live };
        for entry in entries {
            let Doc::Map(entry) = entry else { continue };
            entry.remove("time");
            let is_same = |other: &&OwnedDoc| match other {
                Doc::Map(other) => {
                    let mut other = other.clone();
                    other.remove("time");
                    other == *entry
                }
                _ => false,
            };
            let time = match (previous.iter().find(is_same), self.times) {
                (Some(same), _) => same.as_map().and_then(|map| map.get("time")).cloned(),
                (None, Times::Increasing) => Some(Doc::from(time_of_step(step))),
                (None, Times::Equal) => Some(Doc::from(time_of_step(0))),
                (None, Times::None) => None,
            };
            if let Some(time) = time {
                entry.insert(Text::from_static("time"), time);
            }
        }
        live
    }
}

/// Returns a time in the past.
pub(crate) fn time_of_step(step: usize) -> String {
    format!("2024-01-01T00:00:{:02}Z", step % 60)
}
