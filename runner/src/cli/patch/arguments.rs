//! Definitions that several patch commands share.

use clap::ValueEnum;

/// The description of the exit codes in the help of the patch commands.
pub(super) const EXIT_CODES: &str = "Exit codes: 0 success; 1 the patch was refused, or the patches conflict; 2 the \
                                     command could not run (bad usage, unreadable document, unknown type).";

/// The kinds of patch that can be created from documents.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum DiffType {
    /// A strategic merge patch.
    Strategic,
    /// A JSON merge patch (RFC 7386).
    Merge,
}
