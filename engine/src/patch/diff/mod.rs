//! Creating a patch from two documents.

mod lists;

use lists::DiffedList;
pub use lists::ListChange;

use super::context::PatchContext;
use super::directive_set::DirectiveSet;
use super::list::identity::MergeKeys;
use crate::document::{Doc, DocKind, Map, Text};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{Field, FieldMeta, PatchStrategy, TypeId};

/// Creates the patch that turns `original` into `modified`.
///
/// Both documents must be maps. Null counts as an empty map.
///
/// ```
/// # #[cfg(feature = "builtin")] {
/// # use std::sync::Arc;
/// # use skewer_engine::patch::{self, PatchContext};
/// # use skewer_engine::schema::builtin;
/// # use skewer_engine::document::from_json;
/// # let release = builtin::newest();
/// let service = PatchContext::of(Arc::clone(release.schema()), release.resolve("Service")?)?;
/// let original = from_json(br#"{"spec":{"ports":[{"port":80},{"port":443}]}}"#)?;
/// let modified = from_json(br#"{"spec":{"ports":[{"port":443}]}}"#)?;
/// let patch = patch::two_way(&service, &original, &modified)?;
/// assert_eq!(
///     patch.to_string(),
///     r#"{"spec":{"$setElementOrder/ports":[{"port":443}],"ports":[{"$patch":"delete","port":80}]}}"#,
/// );
/// assert_eq!(patch::apply(&service, &original, &patch)?, modified);
/// # }
/// # Ok::<(), skewer_engine::Error>(())
/// ```
///
/// # Errors
///
/// - [`ErrorKind::UnsupportedPatchFormat`](crate::ErrorKind::UnsupportedPatchFormat) if the object is a custom resource
/// - [`ErrorKind::MissingMergeKey`](crate::ErrorKind::MissingMergeKey),
///   [`ErrorKind::MixedList`](crate::ErrorKind::MixedList) or [`ErrorKind::ListOfLists`](crate::ErrorKind::ListOfLists)
///   if two lists cannot be compared
/// - [`ErrorKind::InvalidDirective`](crate::ErrorKind::InvalidDirective) if the values of a directive cannot be
///   compared
pub fn two_way<'d>(context: &PatchContext, original: &Doc<'d>, modified: &Doc<'d>) -> Result<Doc<'d>> {
    context.refuse_custom_resource()?;
    let empty = Map::new();
    let original = map_or_empty(original, &empty, "the original document")?;
    let modified = map_or_empty(modified, &empty, "the modified document")?;
    let diff = Diff::new(context, DiffOptions { set_element_order: true, ..DiffOptions::default() });
    diff.diff_documents(original, modified).map(Doc::Map)
}

/// Options that decide which differences are written into the patch. Upstream: `DiffOptions`.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct DiffOptions {
    /// Whether to write `$setElementOrder`.
    pub set_element_order: bool,
    /// Whether to leave out additions and changes.
    pub ignore_changes_and_additions: bool,
    /// Whether to leave out deletions.
    pub ignore_deletions: bool,
}

/// A field of the type of the maps that are compared.
#[derive(Clone, Copy)]
struct DiffedField<'k, 'd> {
    key: &'k Text<'d>,
    /// The type that declares the field.
    ty: TypeId,
}

/// Two versions of a map that are compared.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MapDiff<'a, 'd> {
    /// The map in the original document.
    pub original: &'a Map<'d>,
    /// The map in the modified document.
    pub modified: &'a Map<'d>,
    /// The patch metadata of the field whose value is the map. If the map is a list item, this is the field of the
    /// list.
    pub meta: &'a FieldMeta,
}

/// The state of a comparison, which the hooks of directives receive.
#[derive(Clone, Copy, Debug)]
pub struct Diff<'a> {
    pub(super) context: &'a PatchContext,
    options: DiffOptions,
}

impl<'a> Diff<'a> {
    pub(super) fn new(context: &'a PatchContext, options: DiffOptions) -> Self {
        Diff { context, options }
    }

    /// Returns the options of the comparison.
    #[must_use]
    pub fn options(&self) -> DiffOptions {
        self.options
    }

    /// Returns the directives of the patch context.
    #[must_use]
    pub fn directives(&self) -> &'a DirectiveSet {
        &self.context.directives
    }

    pub(super) fn diff_documents<'d>(&self, original: &Map<'d>, modified: &Map<'d>) -> Result<Map<'d>> {
        self.diff_maps(&MapDiff { original, modified, meta: &FieldMeta::NONE }, self.context.root)
    }

    /// Creates the patch that turns one map of a type into another. The patch is usually empty if the maps are equal.
    /// Upstream: `diffMaps`.
    pub(super) fn diff_maps<'d>(&self, compared: &MapDiff<'_, 'd>, ty: TypeId) -> Result<Map<'d>> {
        let mut patch = Map::new();
        // Both maps are sorted by key, so that one pass over them is enough.
        let mut deleted = Vec::new();
        let mut originals = compared.original.iter().peekable();
        for (key, modified) in compared.modified.iter() {
            // Usually both maps have the same keys.
            let mut counterpart = originals.next_if(|(original, _)| *original == key);
            if counterpart.is_none() {
                while let Some((key, _)) = originals.next_if(|(original, _)| *original < key) {
                    deleted.push(key);
                }
                counterpart = originals.next_if(|(original, _)| *original == key);
            }
            match counterpart {
                Some((_, original)) => {
                    let field = DiffedField { key, ty };
                    self.diff_field(field, original, modified, &mut patch).map_err(|e| e.at(key))?;
                }
                None if self.options.ignore_changes_and_additions => {}
                None => self.add_field(key, modified, ty, &mut patch).map_err(|e| e.at(key))?,
            }
        }
        if !self.options.ignore_deletions {
            for key in deleted.into_iter().chain(originals.map(|(key, _)| key)) {
                patch.insert(key.clone(), Doc::Null);
            }
        }
        for directive in self.directives().iter() {
            directive.diff_map(self, compared, &mut patch);
        }
        Ok(patch)
    }

    fn diff_field<'d>(
        &self,
        field: DiffedField<'_, 'd>,
        original: &Doc<'d>,
        modified: &Doc<'d>,
        patch: &mut Map<'d>,
    ) -> Result<()> {
        if let Some(directive_value) = self
            .directives()
            .directive_for_key(field.key)
            .and_then(|d| d.diff_directive_value(original, modified))
        {
            if let Some(value) = directive_value? {
                patch.insert(field.key.clone(), value);
            }
            return Ok(());
        }
        match (original, modified) {
            (Doc::Map(before), Doc::Map(after)) => self.diff_map_field(field, before, after, patch),
            (Doc::List(before), Doc::List(after)) => self.diff_list_field(field, before, after, patch),
            _ if self.options.ignore_changes_and_additions || original == modified => Ok(()),
            _ => self.add_field(field.key, modified, field.ty, patch),
        }
    }

    /// Compares a field whose value is a map in both documents. Upstream: `handleMapDiff`.
    fn diff_map_field<'d>(
        &self,
        DiffedField { key, ty }: DiffedField<'_, 'd>,
        before: &Map<'d>,
        after: &Map<'d>,
        patch: &mut Map<'d>,
    ) -> Result<()> {
        let field = match self.context.field(ty, key) {
            Ok(field) => field,
            // Equal maps need no patch, so that the unknown patch strategy does not matter.
            Err(_) if before == after => return Ok(()),
            Err(error) => return Err(error),
        };
        if field.meta.strategy == PatchStrategy::Replace {
            // Upstream writes the map into the patch even if it did not change.
            if !self.options.ignore_changes_and_additions {
                patch.insert(key.clone(), Doc::Map(after.clone()));
            }
            return Ok(());
        }
        let compared = MapDiff { original: before, modified: after, meta: &field.meta };
        let inner = self.diff_maps(&compared, field.ty)?;
        if !inner.is_empty() {
            patch.insert(key.clone(), Doc::Map(inner));
        }
        Ok(())
    }

    /// Compares a field whose value is a list in both documents. Upstream: `handleSliceDiff`.
    fn diff_list_field<'d>(
        &self,
        DiffedField { key, ty }: DiffedField<'_, 'd>,
        before: &[Doc<'d>],
        after: &[Doc<'d>],
        patch: &mut Map<'d>,
    ) -> Result<()> {
        let (field, item) = match self.context.list_field(ty, key) {
            Ok(list) => list,
            Err(_) if before == after => return Ok(()),
            Err(error) => return Err(error),
        };
        let Some(keys) = self.matching_keys(field, before, after) else {
            if !self.options.ignore_changes_and_additions && before != after {
                patch.insert(key.clone(), Doc::List(after.to_vec()));
            }
            return Ok(());
        };
        let list = DiffedList { key, field, item_type: item };
        let Some(mut change) = self.diff_lists(list, keys, before, after)? else {
            return Ok(());
        };
        for directive in self.directives().iter() {
            directive.diff_list(self, &mut change, patch)?;
        }
        if !change.items.is_empty() {
            patch.insert(key.clone(), Doc::List(change.items));
        }
        Ok(())
    }

    /// Returns the merge keys by which the items of a list are matched. Returns `None` if the list is replaced as a
    /// whole.
    fn matching_keys<'f>(&self, field: &'f Field, before: &[Doc], after: &[Doc]) -> Option<MergeKeys<'f>> {
        let declared = self.directives().declared_merge_keys(&field.meta);
        let merges = field.meta.strategy == PatchStrategy::Merge;
        match self.directives().recommended_merge_keys(&field.meta) {
            // Each item of the patch names the recommended merge keys in a directive. Only a map can contain a directive,
            // so that all items must be maps.
            Some(keys) if merges || before.iter().chain(after).all(|item| item.kind() == DocKind::Map) => {
                Some(keys)
            }
            _ => merges.then_some(declared),
        }
    }
}

/// Patches for values that only the modified document has. Upstream copies these values into the patch. Directives that
/// never shipped can also act on the lists inside these values, at any depth. The reason is that the live object may
/// already have such a list when the server applies the patch.
impl Diff<'_> {
    fn add_field<'d>(&self, key: &Text<'d>, added: &Doc<'d>, ty: TypeId, patch: &mut Map<'d>) -> Result<()> {
        let schema = &self.context.schema;
        let field = if self.directives().has_proposed() { schema.field(ty, key) } else { None };
        let patch_value = match (field, added) {
            (Some(field), Doc::Map(map)) if field.meta.strategy != PatchStrategy::Replace => {
                Doc::Map(self.patch_for_added_map(map, field.ty)?)
            }
            (Some(_), Doc::List(items)) if !items.is_empty() && self.context.list_field(ty, key).is_ok() => {
                return self.diff_list_field(DiffedField { key, ty }, &[], items, patch);
            }
            _ => added.clone(),
        };
        patch.insert(key.clone(), patch_value);
        Ok(())
    }

    /// Creates the patch for a map of this type that only the modified document has.
    pub(super) fn patch_for_added_map<'d>(&self, map: &Map<'d>, ty: TypeId) -> Result<Map<'d>> {
        if !self.directives().has_proposed() {
            return Ok(map.clone());
        }
        let mut added = Map::with_capacity(map.len());
        for (key, value) in map.iter() {
            self.add_field(key, value, ty, &mut added).map_err(|e| e.at(key))?;
        }
        Ok(added)
    }
}

/// Returns a document as a map. Null counts as an empty map.
pub(super) fn map_or_empty<'a, 'd>(
    document: &'a Doc<'d>,
    empty: &'a Map<'d>,
    what: &str,
) -> Result<&'a Map<'d>> {
    match document {
        Doc::Map(map) => Ok(map),
        Doc::Null => Ok(empty),
        other => Err(Error::new(
            ErrorKind::InvalidDocument,
            format!("{what} must be an object, not {}", other.kind().with_article()),
        )),
    }
}
