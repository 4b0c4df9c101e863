//! A directive that wraps another one: it delegates all hooks, and either observes them or leaves one of them out.
//!
//! The list of hooks is in this file only. A hook that the trait [`Directive`] gains and that is not listed is never
//! delegated: then the observing wrapper changes the results of cells, which [`Baseline`](super::baseline::Baseline)
//! refuses.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use skewer_engine::directive::{
    Directive, DirectiveForm, DirectiveSet, Flow, IntroducedIn, ItemRole, ListedItems, MapScope, Placement,
    REGISTRY,
};
use skewer_engine::document::{Doc, Map, OwnedText};
use skewer_engine::patch::{Diff, ListChange, ListMerge, MapDiff, Merge, MergeKeys};
use skewer_engine::schema::{Declarations, FieldMeta, TagDeclaration, TypeId};
use skewer_engine::{Error, Result};

macro_rules! hooks {
    ($($hook:ident = $name:literal,)+) => {
        /// A hook of a directive: a method of [`Directive`] with a default implementation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Hook { $($hook),+ }

        impl Hook {
            /// All hooks.
            pub(super) const ALL: &'static [Hook] = &[$(Hook::$hook),+];

            /// Returns the name of the method.
            pub(super) fn name(self) -> &'static str {
                match self { $(Hook::$hook => $name),+ }
            }
        }
    };
}

hooks! {
    Scope = "scope",
    ListedItems = "listed_items",
    MetadataTag = "metadata_tag",
    AddProposedMetadata = "add_proposed_metadata",
    IsActiveIn = "is_active_in",
    IsOwnKey = "is_own_key",
    BeforeMergeMap = "before_merge_map",
    MergeList = "merge_list",
    BeforeMergeItems = "before_merge_items",
    ItemRole = "item_role",
    IsStorable = "is_storable",
    IsTransparentInListItems = "is_transparent_in_list_items",
    StripOwnKeys = "strip_own_keys",
    DiffDirectiveValue = "diff_directive_value",
    DiffMap = "diff_map",
    DiffList = "diff_list",
    RecommendedMergeKeys = "recommended_merge_keys",
    ListedMergeKeys = "listed_merge_keys",
    CanReadMultiFieldKeys = "can_read_multi_field_keys",
    HasConflict = "has_conflict",
}

/// The number of calls of a hook, and in how many of them it did something else than its default implementation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CallCounts {
    pub(super) calls: u64,
    pub(super) effective: u64,
}

/// The observed calls, by directive and hook.
pub(super) type ObservedCalls = BTreeMap<(&'static str, Hook), CallCounts>;

thread_local! {
    // A cell is run on one thread, so that the calls of a thread between two readings are those of one cell.
    static OBSERVED: RefCell<ObservedCalls> = const { RefCell::new(BTreeMap::new()) };
}

/// Returns the calls that observing wrappers have recorded on this thread, and forgets them.
pub(super) fn take_observed_calls() -> ObservedCalls {
    OBSERVED.take()
}

/// The behaviour of a wrapper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// All hooks are delegated, and their calls are recorded.
    Observe,
    /// All hooks but this one are delegated. This one has its default implementation.
    Without(Hook),
}

/// A directive that wraps a registered directive.
#[derive(Debug)]
pub(super) struct Wrapper {
    inner: &'static dyn Directive,
    mode: Mode,
}

// A directive set has directives that live as long as the program. The wrappers depend only on the registry, so that a
// static list of all of them has a bounded size, which leaked wrappers would not have.
static OBSERVING: LazyLock<Vec<Wrapper>> =
    LazyLock::new(|| REGISTRY.iter().map(|&inner| Wrapper { inner, mode: Mode::Observe }).collect());
static WITHOUT_ONE_HOOK: LazyLock<Vec<Wrapper>> = LazyLock::new(|| {
    let wrappers = REGISTRY
        .iter()
        .flat_map(|&inner| Hook::ALL.iter().map(move |hook| Wrapper { inner, mode: Mode::Without(*hook) }));
    wrappers.collect()
});

/// Returns the set with observed directives.
pub(super) fn observed(directives: &DirectiveSet) -> DirectiveSet {
    DirectiveSet::of(directives.iter().map(|directive| {
        let wrapper = OBSERVING.iter().find(|wrapper| wrapper.name() == directive.name());
        wrapper.map_or(directive, |wrapper| wrapper as &dyn Directive)
    }))
}

/// Returns the set in which the directive of this name lacks a hook.
pub(super) fn without_hook(directives: &DirectiveSet, name: &str, hook: Hook) -> DirectiveSet {
    let mode = Mode::Without(hook);
    DirectiveSet::of(directives.iter().map(|directive| {
        let is_wanted = |wrapper: &&Wrapper| wrapper.mode == mode && wrapper.name() == directive.name();
        let wrapper = WITHOUT_ONE_HOOK.iter().filter(|_| directive.name() == name).find(is_wanted);
        wrapper.map_or(directive, |wrapper| wrapper as &dyn Directive)
    }))
}

/// A directive with the default implementations of all hooks. If `own_keys` is set, it recognizes its keys as the
/// wrapped directive does, because the default of another hook calls this one.
#[derive(Debug)]
struct Defaults {
    inner: &'static dyn Directive,
    own_keys: bool,
}

impl Directive for Defaults {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn placement(&self) -> Placement {
        self.inner.placement()
    }

    fn introduced_in(&self) -> IntroducedIn {
        self.inner.introduced_in()
    }

    fn form(&self) -> Option<DirectiveForm> {
        self.inner.form()
    }

    fn is_own_key(&self, key: &str) -> bool {
        if self.own_keys {
            return self.inner.is_own_key(key);
        }
        match self.placement() {
            Placement::Field => key.starts_with(self.name()),
            _ => key == self.name(),
        }
    }
}

impl Wrapper {
    fn defaults(&self) -> Defaults {
        Defaults { inner: self.inner, own_keys: self.mode != Mode::Without(Hook::IsOwnKey) }
    }

    fn is_without(&self, hook: Hook) -> bool {
        self.mode == Mode::Without(hook)
    }

    /// Calls a hook that only answers, or its default implementation.
    fn answer<T: PartialEq>(
        &self,
        hook: Hook,
        answer: impl FnOnce(&dyn Directive) -> T,
        default: impl FnOnce(&Defaults) -> T,
    ) -> T {
        match self.mode {
            Mode::Without(disabled) if disabled == hook => default(&self.defaults()),
            Mode::Without(_) => answer(self.inner),
            Mode::Observe => {
                let answer = answer(self.inner);
                self.note(hook, answer != default(&self.defaults()));
                answer
            }
        }
    }

    fn is_observed(&self) -> bool {
        self.mode == Mode::Observe
    }

    fn note(&self, hook: Hook, is_effective: bool) {
        OBSERVED.with_borrow_mut(|observed| {
            let counts = observed.entry((self.inner.name(), hook)).or_default();
            counts.calls += 1;
            counts.effective += u64::from(is_effective);
        });
    }
}

impl Directive for Wrapper {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn placement(&self) -> Placement {
        self.inner.placement()
    }

    fn introduced_in(&self) -> IntroducedIn {
        self.inner.introduced_in()
    }

    fn form(&self) -> Option<DirectiveForm> {
        self.inner.form()
    }

    fn scope(&self) -> MapScope {
        self.answer(Hook::Scope, |inner| inner.scope(), Directive::scope)
    }

    fn listed_items(&self) -> Option<ListedItems> {
        self.answer(Hook::ListedItems, |inner| inner.listed_items(), Directive::listed_items)
    }

    fn metadata_tag(&self) -> Option<TagDeclaration> {
        if self.is_without(Hook::MetadataTag) {
            return self.defaults().metadata_tag();
        }
        let tag = self.inner.metadata_tag();
        if self.is_observed() {
            self.note(Hook::MetadataTag, tag.is_some());
        }
        tag
    }

    fn add_proposed_metadata(&self, types: &mut Declarations) {
        if self.is_without(Hook::AddProposedMetadata) {
            return;
        }
        let before = self.is_observed().then(|| types.clone());
        self.inner.add_proposed_metadata(types);
        if let Some(before) = before {
            self.note(Hook::AddProposedMetadata, before != *types);
        }
    }

    fn is_active_in(&self, patch: &Map) -> bool {
        self.answer(Hook::IsActiveIn, |inner| inner.is_active_in(patch), |d| d.is_active_in(patch))
    }

    fn is_own_key(&self, key: &str) -> bool {
        let without = |d: &Defaults| Defaults { inner: d.inner, own_keys: false }.is_own_key(key);
        self.answer(Hook::IsOwnKey, |inner| inner.is_own_key(key), without)
    }

    fn before_merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        ty: TypeId,
    ) -> Result<Flow> {
        if self.is_without(Hook::BeforeMergeMap) {
            return self.defaults().before_merge_map(merge, live, patch, ty);
        }
        let before = self.is_observed().then(|| (live.clone(), patch.clone()));
        let flow = self.inner.before_merge_map(merge, live, patch, ty);
        if let Some((old_live, old_patch)) = before {
            let is_default = flow == Ok(Flow::Continue) && old_live == *live && old_patch == *patch;
            self.note(Hook::BeforeMergeMap, !is_default);
        }
        flow
    }

    fn merge_list<'d>(
        &self,
        merge: &Merge<'_>,
        list: ListMerge<'_>,
        live: &mut Vec<Doc<'d>>,
        patch: &mut Vec<Doc<'d>>,
    ) -> Option<Result<()>> {
        if self.is_without(Hook::MergeList) {
            return self.defaults().merge_list(merge, list, live, patch);
        }
        let before = self.is_observed().then(|| (live.clone(), patch.clone()));
        let merged = self.inner.merge_list(merge, list, live, patch);
        if let Some((old_live, old_patch)) = before {
            let is_default = merged.is_none() && old_live == *live && old_patch == *patch;
            self.note(Hook::MergeList, !is_default);
        }
        merged
    }

    fn before_merge_items<'d>(
        &self,
        list: ListMerge<'_>,
        live: &mut Vec<Doc<'d>>,
        patch: &mut Vec<Doc<'d>>,
    ) -> Result<()> {
        if self.is_without(Hook::BeforeMergeItems) {
            return self.defaults().before_merge_items(list, live, patch);
        }
        let before = self.is_observed().then(|| (live.clone(), patch.clone()));
        let done = self.inner.before_merge_items(list, live, patch);
        if let Some((old_live, old_patch)) = before {
            let is_default = done.is_ok() && old_live == *live && old_patch == *patch;
            self.note(Hook::BeforeMergeItems, !is_default);
        }
        done
    }

    fn item_role(&self, item: &Map) -> Option<ItemRole> {
        self.answer(Hook::ItemRole, |inner| inner.item_role(item), |d| d.item_role(item))
    }

    fn is_storable(&self, added: &Map) -> bool {
        self.answer(Hook::IsStorable, |inner| inner.is_storable(added), |d| d.is_storable(added))
    }

    fn is_transparent_in_list_items(&self) -> bool {
        let hook = Hook::IsTransparentInListItems;
        self.answer(
            hook,
            |inner| inner.is_transparent_in_list_items(),
            Directive::is_transparent_in_list_items,
        )
    }

    fn strip_own_keys(&self, added: &mut Map) {
        if self.is_without(Hook::StripOwnKeys) {
            return self.defaults().strip_own_keys(added);
        }
        let before = self.is_observed().then(|| added.clone());
        self.inner.strip_own_keys(added);
        if let Some(before) = before {
            self.note(Hook::StripOwnKeys, before != *added);
        }
    }

    fn diff_directive_value<'d>(
        &self,
        original: &Doc<'d>,
        modified: &Doc<'d>,
    ) -> Option<Result<Option<Doc<'d>>>> {
        self.answer(
            Hook::DiffDirectiveValue,
            |inner| inner.diff_directive_value(original, modified),
            |d| d.diff_directive_value(original, modified),
        )
    }

    fn diff_map<'d>(&self, diff: &Diff<'_>, map: &MapDiff<'_, 'd>, patch: &mut Map<'d>) {
        if self.is_without(Hook::DiffMap) {
            return self.defaults().diff_map(diff, map, patch);
        }
        let before = self.is_observed().then(|| patch.clone());
        self.inner.diff_map(diff, map, patch);
        if let Some(before) = before {
            self.note(Hook::DiffMap, before != *patch);
        }
    }

    fn diff_list<'d>(
        &self,
        diff: &Diff<'_>,
        change: &mut ListChange<'_, 'd>,
        patch: &mut Map<'d>,
    ) -> Result<()> {
        if self.is_without(Hook::DiffList) {
            return self.defaults().diff_list(diff, change, patch);
        }
        let state = |change: &ListChange<'_, 'd>, patch: &Map<'d>| {
            (change.items.clone(), change.deletions.clone(), change.needs_element_order, patch.clone())
        };
        let before = self.is_observed().then(|| state(change, patch));
        let done = self.inner.diff_list(diff, change, patch);
        if let Some(before) = before {
            self.note(Hook::DiffList, done.is_err() || before != state(change, patch));
        }
        done
    }

    fn recommended_merge_keys<'a>(&self, meta: &'a FieldMeta) -> Option<MergeKeys<'a>> {
        self.answer(
            Hook::RecommendedMergeKeys,
            |inner| inner.recommended_merge_keys(meta),
            |d| d.recommended_merge_keys(meta),
        )
    }

    fn listed_merge_keys(&self, item: &Map) -> Option<Vec<OwnedText>> {
        self.answer(
            Hook::ListedMergeKeys,
            |inner| inner.listed_merge_keys(item),
            |d| d.listed_merge_keys(item),
        )
    }

    fn can_read_multi_field_keys(&self) -> bool {
        let hook = Hook::CanReadMultiFieldKeys;
        self.answer(hook, |inner| inner.can_read_multi_field_keys(), Directive::can_read_multi_field_keys)
    }

    fn has_conflict(&self, left: Option<&Doc>, right: Option<&Doc>) -> Result<bool, Error> {
        self.answer(
            Hook::HasConflict,
            |inner| inner.has_conflict(left, right),
            |d| d.has_conflict(left, right),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use skewer_engine::document::from_json;
    use skewer_engine::patch::{self, PatchContext};
    use skewer_engine::schema::{Schema, go};

    use super::*;

    const TYPES: &str = r#"
type Root struct {
  Union Union `json:"union" patchStrategy:"retainKeys"`
}
type Union struct {
  A string `json:"a,omitempty"`
  B string `json:"b,omitempty"`
}
"#;

    fn context() -> PatchContext {
        let schema = Schema::compile(&go::read(TYPES).unwrap()).unwrap();
        PatchContext::of(Arc::new(schema), "Root").unwrap()
    }

    fn apply(directives: DirectiveSet) -> String {
        let context = PatchContext { directives, ..context() };
        let live = from_json(br#"{"union":{"a":"x"}}"#).unwrap();
        let request = from_json(br#"{"union":{"$retainKeys":["b"],"b":"y"}}"#).unwrap();
        patch::apply(&context, &live, &request)
            .map_or_else(|error| error.to_string(), |merged| merged.to_string())
    }

    fn two_way(directives: DirectiveSet) -> String {
        let context = PatchContext { directives, ..context() };
        let original = from_json(br#"{"union":{"a":"x"}}"#).unwrap();
        let modified = from_json(br#"{"union":{"b":"y"}}"#).unwrap();
        patch::two_way(&context, &original, &modified).unwrap().to_string()
    }

    #[test]
    fn an_observed_directive_does_what_it_did_and_its_calls_are_counted() {
        take_observed_calls();
        assert_eq!(apply(observed(&DirectiveSet::all())), apply(DirectiveSet::all()));
        let calls = take_observed_calls();
        let effective: Vec<_> =
            calls.iter().filter(|(_, counts)| counts.effective > 0).map(|(hook, _)| *hook).collect();
        for (hook, is_effective) in [(Hook::BeforeMergeMap, true), (Hook::IsActiveIn, false)] {
            assert_eq!(effective.contains(&("$retainKeys", hook)), is_effective, "{hook:?} {effective:?}");
            assert!(calls[&("$retainKeys", hook)].calls > 0, "{hook:?}");
        }
        assert!(take_observed_calls().is_empty(), "the calls are forgotten");
    }

    #[test]
    fn only_the_disabled_hook_has_its_default_implementation() {
        let without = |hook| without_hook(&DirectiveSet::all(), "$retainKeys", hook);
        let (applied, created) = (apply(DirectiveSet::all()), two_way(DirectiveSet::all()));
        assert_eq!(applied, r#"{"union":{"b":"y"}}"#);
        assert!(created.contains(r#""$retainKeys":["b"]"#), "{created}");
        for hook in Hook::ALL {
            let is_same = apply(without(*hook)) == applied;
            assert_eq!(is_same, *hook != Hook::BeforeMergeMap, "{hook:?}: {}", apply(without(*hook)));
            assert_eq!(two_way(without(*hook)) == created, *hook != Hook::DiffMap, "{hook:?}");
        }
        assert_eq!(apply(without_hook(&DirectiveSet::all(), "$patch", Hook::BeforeMergeMap)), applied);
    }

    #[test]
    fn every_method_with_a_default_implementation_is_listed() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../engine/src/patch/hooks.rs");
        let source = std::fs::read_to_string(path).unwrap();
        let (_, after) = source.split_once("pub trait Directive").unwrap();
        let (methods, _) = after.split_once("\n}\n").unwrap();
        let names = methods.lines().filter_map(|line| line.strip_prefix("    fn ")?.split(['(', '<']).next());
        // What describes a directive is no hook: a mutant has it, too.
        let required = ["name", "about", "placement", "introduced_in", "form"];
        let mut found: Vec<&str> = names.filter(|name| !required.contains(name)).collect();
        let mut listed: Vec<&str> = Hook::ALL.iter().map(|hook| hook.name()).collect();
        found.sort_unstable();
        listed.sort_unstable();
        assert_eq!(found, listed);
    }
}
