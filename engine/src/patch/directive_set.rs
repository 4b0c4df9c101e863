//! The set of directives that one party knows.

use std::sync::Arc;

use super::hooks::{Directive, IntroducedIn, ItemRole};
use super::list::identity::MergeKeys;
use crate::document::{Doc, Map, OwnedText};
use crate::schema::{Declarations, FieldMeta, MetadataTags};

/// The directives that one party knows. On a map, they take effect in the order of the set.
#[derive(Clone, Debug)]
pub struct DirectiveSet {
    directives: Arc<[&'static dyn Directive]>,
    /// Whether some directive acts on every map, including maps without a key of the directive.
    has_always_active: bool,
    /// Whether some directive of the set never shipped.
    has_proposed: bool,
    /// Whether `patchMergeKey` can name several fields.
    multi_field_keys: bool,
}

impl DirectiveSet {
    /// Creates a set of these directives, in this order.
    pub fn of(directives: impl IntoIterator<Item = &'static dyn Directive>) -> Self {
        let directives: Arc<[_]> = directives.into_iter().collect();
        let has_always_active = directives.iter().any(|d| d.is_active_in(&Map::new()));
        let has_proposed = directives.iter().any(|d| d.introduced_in() == IntroducedIn::Proposal);
        let multi_field_keys = directives.iter().any(|d| d.can_read_multi_field_keys());
        DirectiveSet { directives, has_always_active, has_proposed, multi_field_keys }
    }

    /// Returns the set without the directive of this name.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        Self::of(self.directives.iter().copied().filter(|d| d.name() != name))
    }

    /// Returns true if the set has the directive of this name.
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        self.by_name(name).is_some()
    }

    /// Returns the directive of this name.
    #[must_use]
    pub fn by_name(&self, name: &str) -> Option<&'static dyn Directive> {
        self.iter().find(|d| d.name() == name)
    }

    /// Returns the directives in their order.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn Directive> {
        self.directives.iter().copied()
    }

    /// Returns the directive that a key of a patch belongs to.
    #[must_use]
    pub fn directive_for_key(&self, key: &str) -> Option<&'static dyn Directive> {
        if !key.starts_with('$') {
            return None;
        }
        self.iter().find(|d| d.is_own_key(key))
    }

    /// Returns the metadata tags that types can have. The result has the tags that these directives declare. It also
    /// has the tags of all registered directives that have shipped, because the types of Kubernetes have these tags
    /// even if a party does not know the directives.
    #[must_use]
    pub fn metadata_tags(&self) -> MetadataTags {
        let declared = self.iter().filter_map(Directive::metadata_tag);
        MetadataTags::of(declared.chain(MetadataTags::shipped()))
    }

    /// Returns the types of a Kubernetes release with the metadata that the proposals of these directives add. Returns
    /// `None` if all directives of the set have shipped.
    ///
    /// ```
    /// # #[cfg(feature = "builtin")] {
    /// use skewer_engine::profile::Profile;
    /// use skewer_engine::schema::builtin;
    ///
    /// let shipped = &*builtin::newest().declarations();
    /// assert!(Profile::Today.directives().with_proposed_metadata(shipped).is_none());
    /// // `$patchMergeKey` comes with recommended merge keys.
    /// assert_ne!(Profile::Proposed.directives().with_proposed_metadata(shipped).as_ref(), Some(shipped));
    /// # }
    /// ```
    #[must_use]
    pub fn with_proposed_metadata(&self, types: &Declarations) -> Option<Declarations> {
        self.has_proposed.then(|| {
            let mut types = types.clone();
            self.directives.iter().for_each(|d| d.add_proposed_metadata(&mut types));
            types
        })
    }

    /// Returns either all directives of the set or, if none can be active in this patch map, an empty slice. This quick
    /// check avoids calling [`Directive::is_active_in`] for every directive and every map.
    pub(crate) fn candidates_for<'a>(&'a self, patch: &Map) -> &'a [&'static dyn Directive] {
        if self.has_always_active || patch.dollar_keys().next().is_some() { &self.directives } else { &[] }
    }

    /// Returns true if an item of a patch list can be matched, merged and ordered as if it had no directives.
    pub(crate) fn has_only_transparent_directives(&self, item: &Map) -> bool {
        let mut keys = item.dollar_keys();
        !self.has_always_active
            && keys
                .all(|key| self.directive_for_key(key).is_some_and(Directive::is_transparent_in_list_items))
    }

    /// Returns true if a map of the patch can be stored in a field that the live object does not have.
    pub(crate) fn is_storable(&self, added: &Map) -> bool {
        self.candidates_for(added).iter().all(|d| d.is_storable(added))
    }

    /// Returns the role of a patch list item that is not merged because of some directive. Returns `None` if the item
    /// is merged.
    #[must_use]
    pub fn item_role(&self, item: &Doc) -> Option<ItemRole> {
        let item = item.as_map()?;
        self.candidates_for(item).iter().find_map(|d| d.item_role(item))
    }

    /// Returns true if this patch list item deletes the live item that it matches.
    #[must_use]
    pub fn is_deletion(&self, item: &Doc) -> bool {
        self.item_role(item) == Some(ItemRole::Deletion)
    }

    /// Returns true if some directive of the set acts on every map.
    pub(crate) fn has_always_active(&self) -> bool {
        self.has_always_active
    }

    /// Returns true if some directive of the set never shipped. Upstream copies added values without looking into them.
    /// Directives that never shipped can act inside added values, or have to be removed from them.
    pub(crate) fn has_proposed(&self) -> bool {
        self.has_proposed
    }

    /// Returns the declared merge keys of a list. They apply if no directive lists or recommends other merge keys.
    pub(crate) fn declared_merge_keys<'a>(&self, meta: &'a FieldMeta) -> MergeKeys<'a> {
        MergeKeys::declared(meta.merge_key_names(self.multi_field_keys))
    }

    /// Returns the merge keys that some directive recommends for a list with this metadata.
    #[must_use]
    pub fn recommended_merge_keys<'a>(&self, meta: &'a FieldMeta) -> Option<MergeKeys<'a>> {
        self.directives.iter().find_map(|d| d.recommended_merge_keys(meta))
    }

    /// Returns the merge keys that a patch list item names with a directive.
    pub(crate) fn listed_merge_keys(&self, item: &Doc) -> Option<Vec<OwnedText>> {
        self.find_listed_merge_keys(item).map(|(_, keys)| keys)
    }

    /// Returns the merge keys that a patch list item names with a directive, together with that directive.
    pub(crate) fn find_listed_merge_keys(
        &self,
        item: &Doc,
    ) -> Option<(&'static dyn Directive, Vec<OwnedText>)> {
        let item = item.as_map().filter(|_| self.has_proposed)?;
        self.candidates_for(item).iter().find_map(|d| Some((*d, d.listed_merge_keys(item)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::{Placement, REGISTRY, by_name};
    use crate::test_support::json;

    /// A directive that acts on every map.
    #[derive(Debug)]
    struct AlwaysActive;

    impl Directive for AlwaysActive {
        fn name(&self) -> &'static str {
            "$alwaysActive"
        }

        fn placement(&self) -> Placement {
            Placement::Map
        }

        fn introduced_in(&self) -> IntroducedIn {
            IntroducedIn::Release(0)
        }

        fn is_active_in(&self, _patch: &Map) -> bool {
            true
        }
    }

    fn map(text: &str) -> Map<'static> {
        json(text).as_map().unwrap().clone()
    }

    #[test]
    fn a_set_has_its_directives_and_no_others() {
        let all = DirectiveSet::all();
        for directive in REGISTRY {
            assert!(!directive.about().is_empty(), "{} has no text", directive.name());
            let name = directive.name();
            assert!(by_name(name).is_some_and(|found| found.name() == name));
            assert!(all.knows(name));
            let others = all.without(name);
            assert!(!others.knows(name), "{name}");
            assert_eq!(others.iter().count(), REGISTRY.len() - 1);
            assert!(
                others.directive_for_key(name).is_none() && all.directive_for_key(name).is_some(),
                "{name}"
            );
        }
        assert!(!all.knows("$other") && by_name("$other").is_none());
    }

    #[cfg(feature = "builtin")]
    #[test]
    fn a_proposed_directive_adds_its_metadata() {
        let (all, shipped) = (DirectiveSet::all(), &*crate::schema::builtin::newest().declarations());
        let shipped_ones = REGISTRY.iter().copied().filter(|d| d.introduced_in() != IntroducedIn::Proposal);
        let today = DirectiveSet::of(shipped_ones);
        assert!(all.has_proposed() && !today.has_proposed());
        assert!(today.with_proposed_metadata(shipped).is_none());
        let amended = all.with_proposed_metadata(shipped).unwrap();
        assert_eq!(amended.types.len(), shipped.types.len());
        assert_ne!(&amended, shipped);
    }

    #[test]
    fn directives_have_their_metadata_tags() {
        let tags: Vec<_> = REGISTRY.iter().filter_map(|d| Some((d.name(), d.metadata_tag()?.name))).collect();
        assert_eq!(tags, [("$retainKeys", "retainKeys"), ("$patchMergeKey", "recommendedPatchMergeKey")]);
    }

    #[test]
    fn tags_of_shipped_directives_are_known_to_every_set() {
        let names = |set: DirectiveSet| set.metadata_tags().iter().map(|tag| tag.name).collect::<Vec<_>>();
        assert_eq!(names(DirectiveSet::of([])), ["retainKeys"]);
        assert_eq!(names(DirectiveSet::all()), ["retainKeys", "recommendedPatchMergeKey"]);
    }

    #[test]
    fn only_an_element_order_is_transparent_in_list_items() {
        let all = DirectiveSet::all();
        for (item, is_transparent) in [
            ("{}", true),
            (r#"{"$setElementOrder/a":[]}"#, true),
            (r#"{"$patch":"delete"}"#, false),
            (r#"{"$setElementOrder/a":[],"$retainKeys":[]}"#, false),
            (r#"{"$other":1}"#, false),
        ] {
            assert_eq!(all.has_only_transparent_directives(&map(item)), is_transparent, "{item}");
        }
    }

    #[test]
    fn only_an_always_active_directive_is_a_candidate_for_every_map() {
        let all = DirectiveSet::all();
        assert!(!all.has_always_active() && all.candidates_for(&map("{}")).is_empty());
        let always = DirectiveSet::of([&AlwaysActive as &dyn Directive]);
        assert!(always.has_always_active() && !always.has_only_transparent_directives(&map("{}")));
        assert_eq!(always.candidates_for(&map("{}")).len(), 1);
    }
}
