use super::{Directive, REGISTRY, Since};
use crate::patch::MergeKeys;
use crate::schema::{Declarations, FieldMeta};
use crate::value::{Doc, DocMap, Str};

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
    /// Every registered directive.
    #[must_use]
    pub fn all() -> Self {
        Self::of(REGISTRY.iter().copied())
    }

    /// Just these, in the order given.
    pub fn of(known: impl IntoIterator<Item = &'static dyn Directive>) -> Self {
        let known: Vec<_> = known.into_iter().collect();
        let implicit = known.iter().any(|d| d.is_asked(&DocMap::new()));
        let proposed = known.iter().any(|d| d.since() == Since::Proposal);
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
    pub(crate) fn asked<'a>(&'a self, patch: &DocMap) -> &'a [&'static dyn Directive] {
        if self.implicit || patch.dollar_keys().next().is_some() { &self.known } else { &[] }
    }

    /// Is an item of a patch list merged as one that asks for nothing?
    pub(crate) fn merges_plainly(&self, item: &DocMap) -> bool {
        let mut keys = item.dollar_keys();
        !self.implicit && keys.all(|key| self.owner(key).is_some_and(Directive::stays_inside))
    }

    /// May a map of a patch be stored where live has nothing?
    pub(crate) fn lets_store(&self, added: &DocMap) -> bool {
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
    pub(crate) fn listed_keys(&self, item: &Doc) -> Option<Vec<Str>> {
        let item = item.as_map().filter(|_| self.proposed)?;
        self.asked(item).iter().find_map(|d| d.listed_keys(item))
    }
}
