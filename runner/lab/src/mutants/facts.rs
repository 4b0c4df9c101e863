//! The facts about a cell that tell which mutants can affect it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use skewer_engine::directive::Directive;
use skewer_engine::document::{Doc, OwnedText};
use skewer_engine::patch::{LibraryChange, PatchContext};
use skewer_engine::schema::{Field, FieldMeta, ListType, PatchStrategy, Schema, Type, TypeId};
use skewer_engine::{OwnedDoc, OwnedMap};
use skewer_execute::execute::prepared::{Documents, PreparedCell};
use skewer_skew::Decoding;

use super::hooks::{Hook, ObservedCalls};

/// A field, by the struct that declares it and its key in documents.
pub(super) type FieldName = (Arc<str>, OwnedText);

/// The facts about one cell.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The directives that some party knows.
    pub(super) directives: BTreeSet<&'static str>,
    /// The changes that the patch library of some party lacks.
    pub(super) missing_library_changes: Vec<LibraryChange>,
    /// The hooks that did something else than their default implementation.
    pub(super) effective_hooks: BTreeSet<(&'static str, Hook)>,
    /// The server, if the cell runs a scenario.
    pub(super) server: Option<ServerFacts>,
    /// The fields with patch metadata that occur in a document of the run.
    pub(super) fields: BTreeSet<FieldName>,
}

/// The facts about the parties of a scenario.
#[derive(Debug)]
pub(super) struct ServerFacts {
    /// The name of the union policy.
    pub(super) policy: &'static str,
    /// Whether the server's types have unions. Otherwise the policy is never asked.
    pub(super) has_unions: bool,
    /// Whether the server validates fields strictly.
    pub(super) strict: bool,
    /// The decoding of the client.
    pub(super) decoding: Decoding,
}

/// The kinds of patch metadata that a field has in some schema of the corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MetadataKinds {
    pub(super) merge_key: bool,
    /// Whether an item has a scalar field besides the merge keys.
    pub(super) other_key: bool,
    pub(super) strategies: BTreeSet<&'static str>,
    pub(super) tags: BTreeSet<String>,
    /// Whether the field is a list with a list type that can be changed, and its items have unions. Only unions use the
    /// list type: it tells which stored item an item replaces.
    pub(super) list_type: bool,
}

/// The metadata of the fields that occur in the documents of the corpus.
pub(super) type FieldKinds = BTreeMap<FieldName, MetadataKinds>;

impl Facts {
    /// Collects the facts about a cell from the documents of its run and the observed hooks.
    pub(super) fn of(
        cell: &PreparedCell<'_>,
        documents: &Documents,
        observed: &ObservedCalls,
        kinds: &mut FieldKinds,
    ) -> Self {
        let mut facts = Facts::default();
        for ((directive, hook), counts) in observed {
            if counts.effective > 0 {
                facts.effective_hooks.insert((*directive, *hook));
            }
        }
        for context in cell.contexts() {
            facts.directives.extend(context.directives.iter().map(Directive::name));
            facts.missing_library_changes.extend(context.library.missing_changes());
            let mut fields = ReachedFields { context, fields: &mut facts.fields, kinds };
            for document in documents {
                fields.visit(document, context.root);
            }
        }
        facts.server = cell.skew_plan().map(|plan| ServerFacts {
            policy: plan.server.policy.name(),
            has_unions: plan.server.context.schema.has_unions(),
            strict: plan.server.strict,
            decoding: plan.client.decoding,
        });
        facts
    }
}

/// A collector of the fields with patch metadata that occur in documents.
///
/// The engine looks up the metadata of a field only if a document has the field, or a directive that names it. The
/// collector follows every type that the engine can give to a value: it ignores the case of names, takes a list in a
/// field of another type for a list of this type, and takes a map in a list field for an item.
struct ReachedFields<'a> {
    context: &'a PatchContext,
    fields: &'a mut BTreeSet<FieldName>,
    kinds: &'a mut FieldKinds,
}

impl ReachedFields<'_> {
    fn visit(&mut self, document: &OwnedDoc, ty: TypeId) {
        let schema = &self.context.schema;
        match (document, schema.get(ty)) {
            (Doc::Map(map), Type::Map(values)) => {
                map.iter().for_each(|(_, value)| self.visit(value, *values));
            }
            (Doc::Map(_) | Doc::List(_), Type::List(item)) => match document {
                Doc::List(items) => items.iter().for_each(|value| self.visit(value, *item)),
                _ => self.visit(document, *item),
            },
            (Doc::List(items), _) => items.iter().for_each(|item| self.visit(item, ty)),
            (Doc::Map(map), _) => self.visit_fields(map, ty),
            _ => {}
        }
    }

    fn visit_fields(&mut self, map: &OwnedMap, ty: TypeId) {
        for (key, value) in map.iter() {
            let name = if key.starts_with('$') {
                key.split_once('/').map(|(_, name)| name)
            } else {
                Some(key.as_str())
            };
            let field = name.and_then(|name| self.context.schema.field_in_any_case(ty, name));
            let Some(field) = field else { continue };
            if *field.meta != FieldMeta::NONE {
                let reached = (Arc::clone(&field.declared_in), field.name.clone());
                add_kinds(&self.context.schema, field, self.kinds.entry(reached.clone()).or_default());
                self.fields.insert(reached);
            }
            self.visit(value, field.ty);
        }
    }
}

fn add_kinds(schema: &Schema, field: &Field, kinds: &mut MetadataKinds) {
    let meta = &field.meta;
    kinds.merge_key |= !meta.merge_key.is_empty();
    kinds.other_key |= !meta.merge_key.is_empty() && other_key(schema, field).is_some();
    match meta.strategy {
        PatchStrategy::Merge => kinds.strategies.insert("merge"),
        PatchStrategy::Replace => kinds.strategies.insert("replace"),
        PatchStrategy::Unset => false,
    };
    kinds.tags.extend(meta.strategy_words().map(str::to_owned));
    kinds.tags.extend(meta.own_tags().map(|(name, _)| name.to_owned()));
    let has_unions = |ty| schema.as_struct(ty).is_some_and(|s| !s.unions().is_empty());
    let can_change = match meta.list_type {
        Some(ListType::Atomic) => other_key(schema, field).is_some(),
        Some(ListType::Set | ListType::Map) => true,
        None => false,
    };
    kinds.list_type |= can_change && schema.item(field.ty).is_some_and(has_unions);
}

/// Returns the first scalar field of the items of a list that is not a merge key of the list.
pub(super) fn other_key<'s>(schema: &'s Schema, field: &Field) -> Option<&'s str> {
    let items = schema.as_struct(schema.item(field.ty)?)?;
    let mut scalars = items.fields().filter(|item| {
        let is_scalar = matches!(schema.get(item.ty), Type::Scalar(_) | Type::Enum(_));
        is_scalar && !field.meta.merge_key.contains(&item.name)
    });
    scalars.next().map(|item| item.name.as_str())
}
