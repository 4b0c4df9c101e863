//! Tests of Skewer itself, for those who work on it: [`mutants`] of the engine, [`coverage`] of the design documents,
//! [`recall`] of audits, the objects of a [`preflight`], the real code of [`clients`], and the API servers of all [`releases`].

pub mod clients;
pub mod commands;
pub mod coverage;
pub mod mutants;
pub(crate) mod one_version;
pub mod preflight;
pub mod recall;
pub mod releases;
