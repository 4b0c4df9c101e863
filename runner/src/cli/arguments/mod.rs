//! The arguments that several commands share.

pub(super) mod corpus;
pub(super) mod deviations;
pub(super) mod format;
pub(super) mod no_cell;
pub(super) mod output;
pub(super) mod output_path;
pub(super) mod page;
pub(super) mod patch_context;
pub(super) mod report;
pub(super) mod result_filter;
pub(super) mod selection;
pub(super) mod target;
