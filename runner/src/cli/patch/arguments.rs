//! What the arguments of several patch commands have in common.

use clap::ValueEnum;

/// The exit codes of the patch commands, for their help.
pub(super) const EXIT_CODES: &str = "Exit codes: 0 done; 1 the patch is refused, or the patches conflict; 2 could not run \
                          (bad usage, unreadable document, unknown type).";

/// The kinds of patch that can be created from documents.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum DiffType {
    /// A strategic merge patch.
    Strategic,
    /// A JSON merge patch (RFC 7386).
    Merge,
}
