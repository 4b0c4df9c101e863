//! Proposal: the order of the items in a patch determines the order in the result, without a directive.
//!
//! Source: strategic-merge-patch, "Strategies for introducing new patch behavior", 1., the good example. The engine
//! implements the new format; the directives here implement the old one.

use std::cmp::Reverse;

use skewer_engine::directive::Directive;
use skewer_engine::patch::{ListMerge, Merge, MergeMode};
use skewer_engine::schema::PatchStrategy;
use skewer_engine::{Doc, Result};

use crate::laws::format_change::FormatChange;

pub(super) fn format_change() -> FormatChange {
    FormatChange {
        name: "order of items",
        old_behavior: Some(&ArbitraryItemOrder),
        replaces: &["$setElementOrder"],
        ..FormatChange::proposed(
            &ImplicitItemOrder,
            "the order of the items in a patch determines the order in the result, which was arbitrary before: the \
             document's good example of a new meaning",
        )
    }
}

/// The directive of a new party. It has no effect, because the engine itself has the new behaviour.
#[derive(Debug)]
struct ImplicitItemOrder;

impl Directive for ImplicitItemOrder {
    proposed_directive!("$orderOfItems", Map);

    fn is_own_key(&self, _key: &str) -> bool {
        false
    }
}

/// The directive of an old server: "the final ordering was arbitrary". It sorts the items in descending order, which no
/// client wants.
#[derive(Debug)]
struct ArbitraryItemOrder;

impl Directive for ArbitraryItemOrder {
    proposed_directive!("$anyOrder", Map);

    fn is_own_key(&self, _key: &str) -> bool {
        false
    }

    fn merge_list<'d>(
        &self,
        merge: &Merge<'_>,
        list: ListMerge<'_>,
        live: &mut Vec<Doc<'d>>,
        patch: &mut Vec<Doc<'d>>,
    ) -> Option<Result<()>> {
        if merge.mode() != MergeMode::Apply || list.field.meta.strategy != PatchStrategy::Merge {
            return None;
        }
        let merged = merge.merge_list_items(list, live, std::mem::take(patch));
        live.sort_by_cached_key(|item| Reverse(item.to_string()));
        Some(merged)
    }
}
