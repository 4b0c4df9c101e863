//! `skewer preflight`: what the next step of a tool does to the objects of a cluster, and to the owners of their fields.
//!
//! [`preflight`](preflight::preflight) reads a [dump], one object at a time, and takes a [step](preflight::PreflightStep)
//! with each. A [tool](skewer_skew::ApplyTool) has a [course] of [requests](request), each of which is a scenario that the simulation of
//! `skewer-skew` runs. The [verdict] compares its end with that of the ideal, by the same judge as for cells.

mod anonymous;
pub mod confirm;
pub mod course;
mod definitions;
pub mod dump;
pub mod effect;
pub mod evidence;
pub mod extract;
pub mod finding;
pub mod object_text;
pub mod owners;
pub mod preflight;
pub mod probe;
pub mod redact;
mod refused;
pub mod repair;
pub mod request;
pub mod same_name;
pub mod served;
mod shown_request;
pub mod suite;
pub mod taken_step;
pub mod verdict;
