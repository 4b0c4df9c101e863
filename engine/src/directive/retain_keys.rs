//! `$retainKeys`: lists the fields of a map that are kept. All other fields are cleared before the merge.

use rustc_hash::FxHashSet;

use super::{Directive, Flow, IntroducedIn, MapScope, Placement};
use crate::document::{Doc, Map, Text};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::{Diff, MapDiff, Merge, MergeMode};
use crate::schema::{TagDeclaration, TypeId};

/// Name of the directive, as it shipped.
pub(super) const NAME: &str = "$retainKeys";

/// `patchStrategy:"retainKeys"`: patches for the value of the field contain the directive.
const TAG: TagDeclaration = TagDeclaration::strategy_word("retainKeys");

/// `$retainKeys: [field, …]`.
///
/// Source: retain-keys, "Proposed Changes". Upstream: `applyRetainKeysDirective`, end of `diffMaps`.
#[derive(Debug)]
pub(super) struct RetainKeys {
    name: &'static str,
}

impl Directive for RetainKeys {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        "lists the fields of a map that are kept; all other fields are cleared before the merge"
    }

    fn placement(&self) -> Placement {
        Placement::Map
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Release(7)
    }

    /// Returns structs only, because the proposal is about unions, which are structs.
    fn scope(&self) -> MapScope {
        MapScope::Structs
    }

    fn metadata_tag(&self) -> Option<TagDeclaration> {
        Some(TAG)
    }

    fn before_merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        _ty: TypeId,
    ) -> Result<Flow> {
        let Some(value) = patch.remove(self.name) else { return Ok(Flow::Continue) };
        match merge.mode() {
            MergeMode::Combine => self.keep_in_combined_patch(live, value)?,
            MergeMode::Apply => {
                let retained = self.parse_field_names(&value)?;
                self.refuse_unlisted_fields(merge, patch, &retained)?;
                live.retain(|key, _| retained.contains(key.as_str()));
            }
        }
        Ok(Flow::Continue)
    }

    fn diff_map<'d>(&self, _diff: &Diff<'_>, map: &MapDiff<'_, 'd>, patch: &mut Map<'d>) {
        if !map.meta.has_tag(TAG.name) {
            return;
        }
        // Upstream sorts the list of the directive. Here the keys of a map are already sorted.
        let kept: Vec<Doc> = map
            .modified
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, _)| Doc::String(key.clone()))
            .collect();
        let clears =
            || map.original.iter().any(|(key, value)| !value.is_null() && !map.modified.contains_key(key));
        if !kept.is_empty() && (!patch.is_empty() || clears()) {
            patch.insert(Text::from_static(self.name), Doc::List(kept));
        }
    }
}

impl RetainKeys {
    /// Creates the directive with another name, or with [`NAME`].
    pub(super) const fn named(name: &'static str) -> Self {
        RetainKeys { name }
    }

    /// Keeps the directive in the combination of two patches. If both patches have the directive, it must have the same
    /// value in both.
    fn keep_in_combined_patch<'d>(&self, combined: &mut Map<'d>, value: Doc<'d>) -> Result<()> {
        match combined.get(self.name) {
            Some(other) if *other != value => Err(Error::invalid_directive(
                self.name,
                format!("the patches have different values of {}: {other} and {value}", self.name),
            )),
            Some(_) => Ok(()),
            None => {
                combined.insert(Text::from_static(self.name), value);
                Ok(())
            }
        }
    }

    /// Reads the field names that the directive lists.
    fn parse_field_names<'l>(&self, value: &'l Doc<'_>) -> Result<FxHashSet<&'l str>> {
        let Some(items) = value.as_list() else {
            return Err(Error::invalid_directive(
                self.name,
                format!("{} must be a list of field names, not {}", self.name, value.kind().with_article()),
            )
            .at(self.name));
        };
        let mut names = FxHashSet::default();
        for (index, item) in items.iter().enumerate() {
            if !item.is_scalar() {
                return Err(Error::new(
                    ErrorKind::NotAScalar,
                    format!("{} lists field names, not {}", self.name, item.kind().with_article()),
                )
                .at_index(index)
                .at(self.name));
            }
            // Upstream also accepts scalars that are not strings. They never equal a field name.
            names.extend(item.as_str());
        }
        Ok(names)
    }

    /// Refuses the patch if it sets a field that the directive does not list. A field with the value null is not set.
    /// The key of a field directive is not a field, unless the directive is only declared.
    fn refuse_unlisted_fields(
        &self,
        merge: &Merge<'_>,
        patch: &Map,
        retained: &FxHashSet<&str>,
    ) -> Result<()> {
        let is_field_directive = |key: &str| {
            merge.directives().directive_for_key(key).is_some_and(|directive| {
                directive.placement() == Placement::Field && directive.form().is_none()
            })
        };
        match patch.iter().find(|(key, value)| {
            !value.is_null() && !retained.contains(key.as_str()) && !is_field_directive(key)
        }) {
            None => Ok(()),
            Some((key, _)) => Err(Error::invalid_directive(
                self.name,
                format!("the patch sets {key}, which {} does not list", self.name),
            )),
        }
    }
}
