//! Creating a patch from two documents.

use super::context::PatchContext;
use super::directive_set::DirectiveSet;
use super::list::identity::MergeKeys;
use crate::document::{Doc, Kind, Map, Text};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{Field, PatchStrategy, TypeId};

/// The patch that turns `original` into `modified`.
///
/// Both documents are maps; null counts as an empty one.
///
/// ```
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
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn two_way<'d>(context: &PatchContext, original: &Doc<'d>, modified: &Doc<'d>) -> Result<Doc<'d>> {
    context.require_strategic()?;
    let empty = Map::new();
    let original = object(original, &empty, "the original document")?;
    let modified = object(modified, &empty, "the modified document")?;
    let diff = Diff::new(context, DiffOptions { set_element_order: true, ..DiffOptions::default() });
    diff.documents(original, modified).map(Doc::Map)
}

/// What of a difference goes into the patch. Upstream: `DiffOptions`.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiffOptions {
    /// Write `$setElementOrder`.
    pub set_element_order: bool,
    /// Leave out what was added or changed.
    pub ignore_changes_and_additions: bool,
    /// Leave out what was deleted.
    pub ignore_deletions: bool,
}

/// Two maps that were compared.
#[derive(Clone, Copy, Debug)]
pub struct MapDiff<'a, 'd> {
    /// The original map.
    pub original: &'a Map<'d>,
    /// The modified map.
    pub modified: &'a Map<'d>,
    /// The field's strategy has `retainKeys`.
    pub retain_keys: bool,
}

/// A comparison at work. Directives see it in their hooks.
#[derive(Clone, Copy, Debug)]
pub struct Diff<'a> {
    pub(super) context: &'a PatchContext,
    options: DiffOptions,
}

impl<'a> Diff<'a> {
    pub(super) fn new(context: &'a PatchContext, options: DiffOptions) -> Self {
        Diff { context, options }
    }

    /// What goes into the patch.
    #[must_use]
    pub fn options(&self) -> DiffOptions {
        self.options
    }

    /// The directives that are known.
    #[must_use]
    pub fn directives(&self) -> &'a DirectiveSet {
        &self.context.directives
    }

    pub(super) fn documents<'d>(&self, original: &Map<'d>, modified: &Map<'d>) -> Result<Map<'d>> {
        self.maps(&MapDiff { original, modified, retain_keys: false }, self.context.root)
    }

    /// The patch between two maps of a type; empty when there is none. Upstream: `diffMaps`.
    pub(super) fn maps<'d>(&self, compared: &MapDiff<'_, 'd>, ty: TypeId) -> Result<Map<'d>> {
        let mut patch = Map::new();
        // Both maps are sorted: one pass over them.
        let mut deleted = Vec::new();
        let mut gone = compared.original.iter().peekable();
        for (key, modified) in compared.modified.iter() {
            // Mostly the next of one is the next of the other.
            let mut same = gone.next_if(|(original, _)| *original == key);
            if same.is_none() {
                while let Some((key, _)) = gone.next_if(|(original, _)| *original < key) {
                    deleted.push(key);
                }
                same = gone.next_if(|(original, _)| *original == key);
            }
            match same {
                Some((_, original)) => {
                    self.field(key, (original, modified), ty, &mut patch).map_err(|e| e.at(key))?;
                }
                None if self.options.ignore_changes_and_additions => {}
                None => self.add(key, modified, ty, &mut patch).map_err(|e| e.at(key))?,
            }
        }
        if !self.options.ignore_deletions {
            for key in deleted.into_iter().chain(gone.map(|(key, _)| key)) {
                patch.insert(key.clone(), Doc::Null);
            }
        }
        for directive in self.directives().iter() {
            directive.diff_map(self, compared, &mut patch);
        }
        Ok(patch)
    }

    fn field<'d>(
        &self,
        key: &Text<'d>,
        (original, modified): (&Doc<'d>, &Doc<'d>),
        ty: TypeId,
        patch: &mut Map<'d>,
    ) -> Result<()> {
        if let Some(own) = self.directives().owner(key).and_then(|d| d.diff_own_key(original, modified)) {
            if let Some(value) = own? {
                patch.insert(key.clone(), value);
            }
            return Ok(());
        }
        match (original, modified) {
            (Doc::Map(before), Doc::Map(after)) => self.map_field(key, (before, after), ty, patch),
            (Doc::List(before), Doc::List(after)) => self.list_field(key, (before, after), ty, patch),
            _ if self.options.ignore_changes_and_additions || original == modified => Ok(()),
            _ => self.add(key, modified, ty, patch),
        }
    }

    /// Upstream: `handleMapDiff`.
    fn map_field<'d>(
        &self,
        key: &Text<'d>,
        (before, after): (&Map<'d>, &Map<'d>),
        ty: TypeId,
        patch: &mut Map<'d>,
    ) -> Result<()> {
        let field = match self.context.field(ty, key) {
            Ok(field) => field,
            // Nothing changed, so that nobody needs to know how it would be patched.
            Err(_) if before == after => return Ok(()),
            Err(error) => return Err(error),
        };
        if field.meta.strategy == PatchStrategy::Replace {
            // Upstream does not look whether anything changed.
            if !self.options.ignore_changes_and_additions {
                patch.insert(key.clone(), Doc::Map(after.clone()));
            }
            return Ok(());
        }
        let compared = MapDiff { original: before, modified: after, retain_keys: field.meta.retain_keys };
        let inner = self.maps(&compared, field.ty)?;
        if !inner.is_empty() {
            patch.insert(key.clone(), Doc::Map(inner));
        }
        Ok(())
    }

    /// Upstream: `handleSliceDiff`.
    fn list_field<'d>(
        &self,
        key: &Text<'d>,
        (before, after): (&[Doc<'d>], &[Doc<'d>]),
        ty: TypeId,
        patch: &mut Map<'d>,
    ) -> Result<()> {
        let (field, item) = match self.context.list_field(ty, key) {
            Ok(found) => found,
            Err(_) if before == after => return Ok(()),
            Err(error) => return Err(error),
        };
        let Some(keys) = self.merging_keys(field, before, after) else {
            if !self.options.ignore_changes_and_additions && before != after {
                patch.insert(key.clone(), Doc::List(after.to_vec()));
            }
            return Ok(());
        };
        let Some(mut change) = self.lists((key, field, item), keys, before, after)? else { return Ok(()) };
        for directive in self.directives().iter() {
            directive.diff_list(self, &mut change, patch)?;
        }
        if !change.items.is_empty() {
            patch.insert(key.clone(), Doc::List(change.items));
        }
        Ok(())
    }

    /// The keys by which the items of a list are told apart; `None` for a list that is replaced.
    fn merging_keys<'f>(&self, field: &'f Field, before: &[Doc], after: &[Doc]) -> Option<MergeKeys<'f>> {
        let declared = self.directives().declared_keys(&field.meta);
        let merges = field.meta.strategy == PatchStrategy::Merge;
        match self.directives().recommended_keys(&field.meta) {
            // Only a map can say what it is found by.
            Some(keys) if merges || before.iter().chain(after).all(|item| item.kind() == Kind::Map) => {
                Some(keys)
            }
            _ => merges.then_some(declared),
        }
    }
}

/// What is added whole. To upstream it is what the modified document has; what never shipped has something to say of
/// the lists in it, at any depth: live may have them by the time the patch arrives.
impl Diff<'_> {
    fn add<'d>(&self, key: &Text<'d>, added: &Doc<'d>, ty: TypeId, patch: &mut Map<'d>) -> Result<()> {
        let schema = &self.context.schema;
        let field = if self.directives().has_proposed() { schema.field(ty, key) } else { None };
        let whole = match (field, added) {
            (Some(field), Doc::Map(map)) if field.meta.strategy != PatchStrategy::Replace => {
                Doc::Map(self.added_map(map, field.ty)?)
            }
            (Some(_), Doc::List(items)) if !items.is_empty() && self.context.list_field(ty, key).is_ok() => {
                return self.list_field(key, (&[], items), ty, patch);
            }
            _ => added.clone(),
        };
        patch.insert(key.clone(), whole);
        Ok(())
    }

    /// A map of this type that is added.
    pub(super) fn added_map<'d>(&self, map: &Map<'d>, ty: TypeId) -> Result<Map<'d>> {
        if !self.directives().has_proposed() {
            return Ok(map.clone());
        }
        let mut added = Map::with_capacity(map.len());
        for (key, value) in map.iter() {
            self.add(key, value, ty, &mut added).map_err(|e| e.at(key))?;
        }
        Ok(added)
    }
}

pub(super) fn object<'a, 'd>(document: &'a Doc<'d>, empty: &'a Map<'d>, what: &str) -> Result<&'a Map<'d>> {
    match document {
        Doc::Map(map) => Ok(map),
        Doc::Null => Ok(empty),
        other => Err(Error::new(
            ErrorKind::InvalidDocument,
            format!("{what} must be an object, not {}", other.kind().described()),
        )),
    }
}
