//! The schemas that were sent to adapter processes. Each process receives a schema in full only once.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use skewer_engine::OwnedDoc;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Schema, TypeId};
use skewer_protocol::messages::SchemaMessage;

use super::openapi::{PublishedSchema, publish, publish_for_unions};
use super::resource_schema::{PublishedVersions, publish_versions};

/// Maximum number of schemas that are kept, both here and in each adapter process. Beyond that, a new schema takes
/// over the id of the oldest one. The corpus has some hundreds of schemas.
const MAX_SCHEMAS: usize = 1024;

/// A published schema with the id under which it is sent.
#[derive(Debug)]
pub(super) struct RegisteredSchema {
    id: String,
    /// A number that is never used for another schema. An id, in contrast, can be reused.
    serial: u64,
    /// The names of the root components. The schema of a resource has one for each version, other schemas have one.
    roots: Vec<String>,
    openapi: OwnedDoc,
    is_recursive: bool,
}

impl RegisteredSchema {
    /// Returns true if the root type refers to itself, directly or through other types.
    pub(super) fn is_recursive(&self) -> bool {
        self.is_recursive
    }

    /// Returns the names of the root components, one for each version of a resource.
    pub(super) fn roots(&self) -> &[String] {
        &self.roots
    }

    /// Returns the message member for the schema. A process receives the schema in full the first time, and only the
    /// id afterwards.
    pub(super) fn message(&self, sent_schemas: &mut SentSchemas) -> SchemaMessage<&OwnedDoc> {
        let is_in_full = sent_schemas.insert(self.id.clone(), self.serial) != Some(self.serial);
        SchemaMessage {
            id: Some(self.id.clone()),
            root: self.roots.first().filter(|_| is_in_full).cloned(),
            openapi: is_in_full.then_some(&self.openapi),
        }
    }
}

/// The schemas that a process has received: their serial numbers, by id.
pub(super) type SentSchemas = HashMap<String, u64>;

/// The schemas that were published last. The key of an entry contains the addresses of compiled schemas; weak references
/// keep these addresses from being reused.
#[derive(Debug, Default)]
pub(super) struct SchemaRegistry {
    entries: Mutex<SchemaEntries>,
}

#[derive(Debug, Default)]
struct SchemaEntries {
    by_key: HashMap<SchemaKey, SchemaEntry>,
    /// The keys of the entries, oldest first.
    keys: VecDeque<SchemaKey>,
    next_serial: u64,
}

/// The key of a published schema. Types have another form in a patch than in a resource.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum SchemaKey {
    /// A type with its patch metadata.
    Patch(TypeKey),
    /// A type with its unions.
    Unions(TypeKey),
    /// The types of the versions of a resource.
    Versions(Vec<TypeKey>),
}

/// The address of a compiled schema, and a type of it.
type TypeKey = (usize, TypeId);

fn type_key(schema: &Arc<Schema>, root: TypeId) -> TypeKey {
    (Arc::as_ptr(schema) as usize, root)
}

type SchemaEntry = (Vec<Weak<Schema>>, Arc<RegisteredSchema>);

impl SchemaRegistry {
    /// Returns the published schema of a context. Publishes the schema on the first call.
    pub(super) fn publish(&self, context: &PatchContext) -> Arc<RegisteredSchema> {
        let key = SchemaKey::Patch(type_key(&context.schema, context.root));
        self.publish_with(key, &[&context.schema], || {
            let PublishedSchema { root, openapi, is_recursive } = publish(&context.schema, context.root);
            (vec![root], openapi, is_recursive)
        })
    }

    /// Returns the published schema of a context with its unions. Publishes the schema on the first call.
    pub(super) fn publish_unions(&self, context: &PatchContext) -> Arc<RegisteredSchema> {
        let key = SchemaKey::Unions(type_key(&context.schema, context.root));
        self.publish_with(key, &[&context.schema], || {
            let PublishedSchema { root, openapi, is_recursive } =
                publish_for_unions(&context.schema, context.root);
            (vec![root], openapi, is_recursive)
        })
    }

    /// Returns the published schema of the versions of a resource. Publishes the schema on the first call.
    pub(super) fn publish_versions(&self, types: &[(&Arc<Schema>, TypeId)]) -> Arc<RegisteredSchema> {
        let key = SchemaKey::Versions(types.iter().map(|(schema, root)| type_key(schema, *root)).collect());
        let schemas: Vec<&Arc<Schema>> = types.iter().map(|(schema, _)| *schema).collect();
        self.publish_with(key, &schemas, || {
            let PublishedVersions { roots, openapi } = publish_versions(types);
            // Only lookups of patch metadata depend on recursion.
            (roots, openapi, false)
        })
    }

    /// Returns the schema with this key. `publish` returns the root components, the document, and whether the types are
    /// recursive.
    fn publish_with(
        &self,
        key: SchemaKey,
        schemas: &[&Arc<Schema>],
        publish: impl FnOnce() -> (Vec<String>, OwnedDoc, bool),
    ) -> Arc<RegisteredSchema> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, registered)) = entries.by_key.get(&key) {
            return Arc::clone(registered);
        }
        let id = entries.free_id();
        let serial = entries.next_serial;
        entries.next_serial += 1;
        let (roots, openapi, is_recursive) = publish();
        let registered = Arc::new(RegisteredSchema { id, serial, roots, openapi, is_recursive });
        let schemas = schemas.iter().map(|schema| Arc::downgrade(schema)).collect();
        entries.by_key.insert(key.clone(), (schemas, Arc::clone(&registered)));
        entries.keys.push_back(key);
        registered
    }
}

impl SchemaEntries {
    /// Returns an id for a new schema. If the registry is full, removes the oldest schema and returns its id.
    fn free_id(&mut self) -> String {
        if self.keys.len() < MAX_SCHEMAS {
            return format!("s{}", self.keys.len());
        }
        let oldest = self.keys.pop_front().and_then(|key| self.by_key.remove(&key));
        oldest.map_or_else(|| "s".to_owned(), |(_, registered)| registered.id.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{FLAT, context};
    use super::*;

    #[test]
    fn a_schema_is_sent_to_each_process_once() {
        let schema = SchemaRegistry::default().publish(&context(FLAT));
        let (mut one, mut other) = (SentSchemas::new(), SentSchemas::new());
        let in_full = |sent_schemas: &mut SentSchemas| schema.message(sent_schemas).openapi.is_some();
        assert_eq!([in_full(&mut one), in_full(&mut one), in_full(&mut other)], [true, false, true]);
    }

    #[test]
    fn the_ids_of_old_schemas_are_used_again() {
        let (schemas, mut sent_schemas) = (SchemaRegistry::default(), SentSchemas::new());
        let contexts: Vec<PatchContext> = (0..=MAX_SCHEMAS).map(|_| context(FLAT)).collect();
        let mut send = |context: &PatchContext| {
            let schema = schemas.publish(context);
            let message = schema.message(&mut sent_schemas);
            (message.id.unwrap(), message.openapi.is_some())
        };
        let messages: Vec<_> = contexts.iter().map(&mut send).collect();
        assert!(messages.iter().all(|(_, is_in_full)| *is_in_full));
        assert_eq!(messages[MAX_SCHEMAS].0, "s0", "the id of the oldest");
        assert_eq!(send(&contexts[MAX_SCHEMAS]), ("s0".to_owned(), false));
        assert_eq!(send(&contexts[0]), ("s1".to_owned(), true), "it was forgotten");
        assert_eq!(sent_schemas.len(), MAX_SCHEMAS);
    }
}
