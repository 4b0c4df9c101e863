//! Proposed changes of the patch format that were never built. Each is a directive outside the registry.
//!
//! The design documents discuss most of these proposals and judge them as good or bad. The laws must give the same
//! verdicts.

/// Implements the methods of a directive that say what it is: its name and its placement.
macro_rules! proposed_directive {
    ($name:expr, $placement:ident) => {
        fn name(&self) -> &'static str {
            $name
        }

        fn placement(&self) -> skewer_engine::directive::Placement {
            skewer_engine::directive::Placement::$placement
        }

        fn introduced_in(&self) -> skewer_engine::directive::IntroducedIn {
            skewer_engine::directive::IntroducedIn::Proposal
        }
    };
}

mod clearing;
mod implicit_item_order;
mod patch_retain_keys;
mod required_item_order;

use skewer_engine::directive::{MapScope, REGISTRY};

use super::format_change::FormatChange;

/// Returns all changes: the directives of the registry, then the proposals.
#[must_use]
pub fn all() -> Vec<FormatChange> {
    let mut changes: Vec<FormatChange> =
        REGISTRY.iter().map(|directive| FormatChange::registered(*directive)).collect();
    if let Some(retain_keys) = skewer_engine::directive::by_name("$retainKeys") {
        changes.push(FormatChange {
            name: "$retainKeys on free keys",
            about: "$retainKeys for a map with free keys (map[string]string), which the proposal excludes",
            scope: MapScope::FreeKeyMaps,
            ..FormatChange::registered(retain_keys)
        });
    }
    changes.extend([
        patch_retain_keys::format_change(),
        clearing::absent_cleared(),
        clearing::keep_absent(),
        required_item_order::format_change(),
        implicit_item_order::format_change(),
        clearing::clear_absent(),
        clearing::clear_all_but(),
    ]);
    changes
}
