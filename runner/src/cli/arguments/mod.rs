//! The arguments that several commands share.

pub(super) mod admission;
pub mod corpus;
pub(super) mod deviations;
pub(super) mod no_cell;
pub(super) mod output;
pub mod output_path;
pub(super) mod page;
pub(super) mod patch_context;
pub mod report;
pub(super) mod result_filter;
pub mod selection;
pub mod target;
pub(super) mod type_source;
