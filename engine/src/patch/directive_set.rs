//! The set of directives that one party knows.

use super::hooks::{Directive, IntroducedIn};
use super::list::identity::MergeKeys;
use crate::document::{Doc, Map, OwnedText};
use crate::schema::{Declarations, FieldMeta};

/// The directives that one party knows, in the registry's order.
#[derive(Clone, Debug)]
pub struct DirectiveSet {
    known: Vec<&'static dyn Directive>,
    /// Some directive acts without a key of its own, so that every map must be asked.
    implicit: bool,
    /// Some directive never shipped.
    proposed: bool,
    /// `patchMergeKey` can name several fields.
    multi_field_keys: bool,
}

impl DirectiveSet {
    /// Just these, in the order given.
    pub fn of(known: impl IntoIterator<Item = &'static dyn Directive>) -> Self {
        let known: Vec<_> = known.into_iter().collect();
        let implicit = known.iter().any(|d| d.is_asked(&Map::new()));
        let proposed = known.iter().any(|d| d.introduced_in() == IntroducedIn::Proposal);
        let multi_field_keys = known.iter().any(|d| d.reads_multi_field_keys());
        DirectiveSet { known, implicit, proposed, multi_field_keys }
    }

    /// The same without the directive of this name.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        Self::of(self.known.iter().copied().filter(|d| d.name() != name))
    }

    /// Is the directive of this name known?
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        self.known.iter().any(|d| d.name() == name)
    }

    /// The directives, in order.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn Directive> {
        self.known.iter().copied()
    }

    /// The directive that a key of a patch belongs to.
    #[must_use]
    pub fn owner(&self, key: &str) -> Option<&'static dyn Directive> {
        if !key.starts_with('$') {
            return None;
        }
        self.iter().find(|d| d.owns(key))
    }

    /// The types of a release of Kubernetes as those have them who know these directives; `None` where they have them
    /// as they shipped.
    ///
    /// ```
    /// use skewer_engine::profile::Profile;
    /// use skewer_engine::schema::builtin;
    ///
    /// let shipped = builtin::newest().declarations();
    /// assert!(Profile::Today.directives().amended(shipped).is_none());
    /// // `$patchMergeKey` comes with recommended merge keys.
    /// assert_ne!(Profile::Proposed.directives().amended(shipped).as_ref(), Some(shipped));
    /// ```
    #[must_use]
    pub fn amended(&self, types: &Declarations) -> Option<Declarations> {
        self.proposed.then(|| {
            let mut types = types.clone();
            self.known.iter().for_each(|d| d.amend(&mut types));
            types
        })
    }

    /// The directives that a patch map asks for. Costs one comparison when it has none.
    pub(crate) fn asked<'a>(&'a self, patch: &Map) -> &'a [&'static dyn Directive] {
        if self.implicit || patch.dollar_keys().next().is_some() { &self.known } else { &[] }
    }

    /// Is an item of a patch list merged as one that asks for nothing?
    pub(crate) fn merges_plainly(&self, item: &Map) -> bool {
        let mut keys = item.dollar_keys();
        !self.implicit && keys.all(|key| self.owner(key).is_some_and(Directive::stays_inside))
    }

    /// May a map of a patch be stored where live has nothing?
    pub(crate) fn lets_store(&self, added: &Map) -> bool {
        self.asked(added).iter().all(|d| d.is_storable(added))
    }

    /// Is there a directive that has something to say without being asked?
    pub(crate) fn acts_unasked(&self) -> bool {
        self.implicit
    }

    /// Is there a directive that never shipped? Upstream looks into nothing that is added whole; such a directive
    /// may have something to say there, or to be taken out.
    pub(crate) fn has_proposed(&self) -> bool {
        self.proposed
    }

    /// The keys by which the items of a list are told apart where nobody lists or recommends others.
    pub(crate) fn declared_keys<'a>(&self, meta: &'a FieldMeta) -> MergeKeys<'a> {
        MergeKeys::declared(meta.merge_key_names(self.multi_field_keys))
    }

    /// The keys that the schema has for the list only for those who know some directive.
    pub(crate) fn recommended_keys<'a>(&self, meta: &'a FieldMeta) -> Option<MergeKeys<'a>> {
        self.known.iter().find_map(|d| d.identity(meta))
    }

    /// The keys that an item of a patch list says it is found by.
    pub(crate) fn listed_keys(&self, item: &Doc) -> Option<Vec<OwnedText>> {
        let item = item.as_map().filter(|_| self.proposed)?;
        self.asked(item).iter().find_map(|d| d.listed_keys(item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::{Placement, REGISTRY, by_name};
    use crate::document::from_json;
    use crate::schema::{MetadataTag, builtin};

    /// A directive that has something to say without being asked.
    #[derive(Debug)]
    struct Always;

    impl Directive for Always {
        fn name(&self) -> &'static str {
            "$always"
        }

        fn placement(&self) -> Placement {
            Placement::Map
        }

        fn introduced_in(&self) -> IntroducedIn {
            IntroducedIn::Release(0)
        }

        fn is_asked(&self, _patch: &Map) -> bool {
            true
        }
    }

    fn map(json: &str) -> Map<'static> {
        from_json(json.as_bytes()).unwrap().as_map().unwrap().clone()
    }

    #[test]
    fn a_set_knows_what_it_is_made_of() {
        let all = DirectiveSet::all();
        for directive in REGISTRY {
            let name = directive.name();
            assert!(by_name(name).is_some_and(|found| found.name() == name));
            assert!(all.knows(name));
            let others = all.without(name);
            assert!(!others.knows(name), "{name}");
            assert_eq!(others.iter().count(), REGISTRY.len() - 1);
            assert!(others.owner(name).is_none() && all.owner(name).is_some(), "{name}");
        }
        assert!(!all.knows("$other") && by_name("$other").is_none());
    }

    #[test]
    fn what_never_shipped_brings_its_metadata() {
        let (all, shipped) = (DirectiveSet::all(), builtin::newest().declarations());
        let shipped_ones = REGISTRY.iter().copied().filter(|d| d.introduced_in() != IntroducedIn::Proposal);
        let today = DirectiveSet::of(shipped_ones);
        assert!(all.has_proposed() && !today.has_proposed());
        assert!(today.amended(shipped).is_none());
        let amended = all.amended(shipped).unwrap();
        assert_eq!(amended.types.len(), shipped.types.len());
        assert_ne!(&amended, shipped);
    }

    #[test]
    fn a_tag_belongs_to_the_directive_that_it_came_with() {
        let tags: Vec<_> = REGISTRY.iter().filter_map(|d| Some((d.name(), d.tag()?))).collect();
        let expected = [
            ("$retainKeys", MetadataTag::RetainKeys),
            ("$patchMergeKey", MetadataTag::RecommendedPatchMergeKey),
        ];
        assert_eq!(tags, expected);
    }

    #[test]
    fn an_order_in_an_item_leaves_the_item_what_it_is() {
        let all = DirectiveSet::all();
        for (item, plainly) in [
            ("{}", true),
            (r#"{"$setElementOrder/a":[]}"#, true),
            (r#"{"$patch":"delete"}"#, false),
            (r#"{"$setElementOrder/a":[],"$retainKeys":[]}"#, false),
            (r#"{"$other":1}"#, false),
        ] {
            assert_eq!(all.merges_plainly(&map(item)), plainly, "{item}");
        }
    }

    #[test]
    fn only_what_acts_unasked_is_asked_by_every_map() {
        let all = DirectiveSet::all();
        assert!(!all.acts_unasked() && all.asked(&map("{}")).is_empty());
        let always = DirectiveSet::of([&Always as &dyn Directive]);
        assert!(always.acts_unasked() && !always.merges_plainly(&map("{}")));
        assert_eq!(always.asked(&map("{}")).len(), 1);
    }
}
