//! Mutants of the patch metadata of fields.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use skewer_engine::document::OwnedText;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{FieldMeta, ListType, MetadataTag, MetadataTags, PatchStrategy, Schema};
use skewer_execute::execute::prepared::PartyChange;

use super::facts::{Facts, FieldKinds, FieldName, MetadataKinds, other_key};
use super::mutant::{Family, Mutant, Mutation};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MetadataChange {
    MergeKeyRemoved,
    /// The merge key is another scalar field of the items.
    MergeKeyChanged,
    MergeAsReplace,
    ReplaceAsMerge,
    TagRemoved(&'static str),
    /// A list of the type `atomic` becomes one of the type `map`, with the first scalar field of the items that is no
    /// merge key as its key. Any other list becomes one of the type `atomic`.
    ListTypeChanged,
}

/// Returns the mutants of the metadata of these fields.
pub(super) fn mutants(fields: &FieldKinds) -> Vec<Mutant> {
    let tags = MetadataTags::registered();
    let of_field = |(field, kinds): (&FieldName, &MetadataKinds)| -> Vec<Mutant> {
        changes(kinds, &tags).into_iter().map(|change| mutant(field, change)).collect()
    };
    fields.iter().flat_map(of_field).collect()
}

fn changes(kinds: &MetadataKinds, tags: &MetadataTags) -> Vec<MetadataChange> {
    let removed_tags = tags
        .iter()
        .filter(|tag| kinds.tags.contains(tag.name))
        .map(|tag| MetadataChange::TagRemoved(tag.name));
    let conditions = [
        (kinds.merge_key, MetadataChange::MergeKeyRemoved),
        (kinds.other_key, MetadataChange::MergeKeyChanged),
        (kinds.strategies.contains("merge"), MetadataChange::MergeAsReplace),
        (kinds.strategies.contains("replace"), MetadataChange::ReplaceAsMerge),
        (kinds.list_type, MetadataChange::ListTypeChanged),
    ];
    let others = conditions.into_iter().filter(|(is_possible, _)| *is_possible).map(|(_, change)| change);
    others.chain(removed_tags).collect()
}

fn mutant(field: &FieldName, change: MetadataChange) -> Mutant {
    let name = format!("{}.{}", field.0, field.1);
    let (id, about) = match change {
        MetadataChange::MergeKeyRemoved => {
            ("merge-key-removed".to_owned(), format!("{name} has no merge key"))
        }
        MetadataChange::MergeKeyChanged => {
            ("merge-key-changed".to_owned(), format!("the merge key of {name} is another field of the items"))
        }
        MetadataChange::MergeAsReplace => {
            ("merge-as-replace".to_owned(), format!("{name} has the patch strategy replace instead of merge"))
        }
        MetadataChange::ReplaceAsMerge => {
            ("replace-as-merge".to_owned(), format!("{name} has the patch strategy merge instead of replace"))
        }
        MetadataChange::TagRemoved(tag) => {
            (format!("without-tag/{tag}"), format!("{name} lacks the tag {tag}"))
        }
        MetadataChange::ListTypeChanged => {
            ("list-type-changed".to_owned(), format!("{name} is atomic, or a map if it was atomic"))
        }
    };
    let mutation = OtherMetadata { field: field.clone(), change, edited: EditedSchemas::default() };
    Mutant::new(format!("schema/{name}/{id}"), about, Family::Schema, mutation)
}

/// A field has other metadata for both parties.
struct OtherMetadata {
    field: FieldName,
    change: MetadataChange,
    edited: EditedSchemas,
}

impl PartyChange for OtherMetadata {
    fn change_context(&self, context: &mut PatchContext) {
        context.schema = self.edited.get_or_edit(&context.schema, |schema| {
            let other_key = self.other_key(schema);
            let edit = |meta: &mut FieldMeta| apply(self.change, other_key.as_deref(), meta);
            // A party whose types lack the field has nothing to be changed.
            schema.with_edited_metadata(&self.field.0, &self.field.1, edit).unwrap_or_else(|_| schema.clone())
        });
    }
}

impl Mutation for OtherMetadata {
    fn affects(&self, facts: &Facts) -> bool {
        facts.fields.contains(&self.field)
    }
}

impl OtherMetadata {
    /// Returns the field that the mutated merge key names.
    fn other_key(&self, schema: &Schema) -> Option<OwnedText> {
        let (of, field) = &self.field;
        let field = schema.named(of).and_then(|of| schema.field(of, field))?;
        other_key(schema, field).map(OwnedText::from)
    }
}

fn apply(change: MetadataChange, other_key: Option<&str>, meta: &mut FieldMeta) {
    match change {
        MetadataChange::MergeKeyRemoved => meta.remove_tag(MetadataTag::PatchMergeKey),
        MetadataChange::MergeKeyChanged => {
            if !meta.merge_key.is_empty() {
                meta.set_merge_key(other_key);
            }
        }
        MetadataChange::MergeAsReplace => {
            if meta.strategy == PatchStrategy::Merge {
                meta.strategy = PatchStrategy::Replace;
            }
        }
        MetadataChange::ReplaceAsMerge => {
            if meta.strategy == PatchStrategy::Replace {
                meta.strategy = PatchStrategy::Merge;
            }
        }
        MetadataChange::TagRemoved(tag) => meta.remove_tag(MetadataTag::Declared(tag)),
        MetadataChange::ListTypeChanged => match meta.list_type {
            Some(ListType::Atomic) => {
                meta.list_type = Some(ListType::Map);
                meta.list_map_keys = other_key.map(OwnedText::from).into_iter().collect();
            }
            Some(_) => meta.list_type = Some(ListType::Atomic),
            None => {}
        },
    }
}

struct EditedSchema {
    _original: Arc<Schema>,
    copy: Arc<Schema>,
}

/// Edited copies of schemas. Each schema is edited once.
#[derive(Default)]
pub(super) struct EditedSchemas {
    /// By the address of the original schema, which lives as long as its copy.
    by_address: Mutex<HashMap<usize, EditedSchema>>,
}

impl EditedSchemas {
    /// Returns the edited copy of a schema.
    pub(super) fn get_or_edit(
        &self,
        schema: &Arc<Schema>,
        edit: impl FnOnce(&Schema) -> Schema,
    ) -> Arc<Schema> {
        let address = Arc::as_ptr(schema) as usize;
        let mut copies = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        let create = || EditedSchema { _original: Arc::clone(schema), copy: Arc::new(edit(schema)) };
        Arc::clone(&copies.entry(address).or_insert_with(create).copy)
    }
}
