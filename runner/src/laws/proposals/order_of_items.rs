//! The order of items in a patch has a meaning, where it had none.
//!
//! Source: strategic-merge-patch, "Strategies for introducing new patch behavior", 1., the good example. The new
//! format is what the engine does; what is built here is the old one.

use std::cmp::Reverse;

use skewer_engine::directive::{Directive, IntroducedIn, Placement};
use skewer_engine::patch::{ListMerge, Merge, MergeMode};
use skewer_engine::schema::PatchStrategy;
use skewer_engine::{Doc, Result};

use super::super::subject::Subject;
use super::EXAMPLES;

pub(super) fn subject() -> Subject {
    Subject {
        name: "order of items",
        stand_in: Some(&AnyOrder),
        instead_of: &["$setElementOrder"],
        among: EXAMPLES.to_vec(),
        ..Subject::proposed(
            &OrderOfItems,
            "the order of items in a patch is that of the result, where the result had any order: the document's \
             good example of a new meaning",
        )
    }
}

/// What a new party has: nothing but the engine's own order.
#[derive(Debug)]
struct OrderOfItems;

impl Directive for OrderOfItems {
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

/// What an old server does: "the final ordering was arbitrary". Of all orders it has one that nobody wants.
#[derive(Debug)]
struct AnyOrder;

impl Directive for AnyOrder {
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
