//! Differential runs of the requests to field managers.
//!
//! The result of such a request depends on the owners that earlier requests have recorded. A trial is therefore a
//! sequence of requests by several managers to one object. Both implementations answer each request about the same live
//! object: the one that the built-in engine left.
//!
//! The operations `server-side-apply` and `managed-update` both stand for sequences of both kinds of requests, because
//! neither kind alone has interesting owners.

mod compare;
mod counters;
mod documents;
mod generate;
mod list_mistakes;
mod managed_fields;
mod random_resources;
mod random_types;
mod render;
mod resource;
mod run;
mod sequence;
mod shrink;

pub(crate) use counters::SequenceCounts;
pub(crate) use documents::{DocumentWriter, Rates, UnusualShares};
pub(super) use managed_fields::remove_times;
pub(crate) use random_types::random_structs;
pub(crate) use resource::{ResourceTypes, SequenceResource, VersionDeclaration, plain_field};
pub(super) use run::run_sequences;
pub(crate) use sequence::{SentManagedFields, Sequence, SequenceStep, Times};
pub(crate) use shrink::{with_simpler_options, without_step, without_value};
