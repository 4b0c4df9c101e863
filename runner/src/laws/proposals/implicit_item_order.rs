//! The order of the items in a patch becomes the order of the result, without a directive.
//!
//! Source: strategic-merge-patch, "Strategies for introducing new patch behavior", 1., the good example. The engine
//! behaves as the new format; the directive here behaves as the old one.

use std::cmp::Reverse;

use skewer_engine::directive::{Directive, IntroducedIn, Placement};
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
            "the order of items in a patch is that of the result, where the result had any order: the document's \
             good example of a new meaning",
        )
    }
}

/// The directive of a new party, which changes nothing: the engine has that order.
#[derive(Debug)]
struct ImplicitItemOrder;

impl Directive for ImplicitItemOrder {
    fn name(&self) -> &'static str {
        "$orderOfItems"
    }

    fn placement(&self) -> Placement {
        Placement::Map
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Proposal
    }

    fn is_own_key(&self, _key: &str) -> bool {
        false
    }
}

/// The directive of an old server: "the final ordering was arbitrary". Its order is one that nobody wants.
#[derive(Debug)]
struct ArbitraryItemOrder;

impl Directive for ArbitraryItemOrder {
    fn name(&self) -> &'static str {
        "$anyOrder"
    }

    fn placement(&self) -> Placement {
        Placement::Map
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Proposal
    }

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
