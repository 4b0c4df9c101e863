//! Pruning: fields that a schema does not have are dropped. Upstream: `apiextensions-apiserver`, package `pruning`
//! (`PruneWithOptions`).

use super::structural::{AdditionalProperties, StructuralSchema};
use crate::document::{Doc, OwnedDoc};
use crate::field_path::{FieldPath, PathSegment};

/// The fields that every object has.
const OBJECT_FIELDS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Removes the fields of an object that its schema does not have. Returns their paths. The metadata of objects is kept as
/// it is.
pub fn prune(schema: &StructuralSchema, object: &mut OwnedDoc) -> Vec<FieldPath> {
    let mut pruning = Pruning { path: FieldPath::root(), dropped: Vec::new() };
    pruning.prune(schema, object, true);
    pruning.dropped
}

struct Pruning {
    path: FieldPath,
    dropped: Vec<FieldPath>,
}

impl Pruning {
    fn prune(&mut self, schema: &StructuralSchema, value: &mut OwnedDoc, is_object: bool) {
        match value {
            Doc::Map(map) => {
                let keeps_all = schema.preserve_unknown_fields
                    || matches!(schema.additional_properties, Some(AdditionalProperties::Any));
                let is_object = is_object || schema.embedded_resource;
                map.retain(|key, value| {
                    if is_object && OBJECT_FIELDS.contains(&key.as_str()) {
                        return true;
                    }
                    self.path.push(PathSegment::Key(key.clone()));
                    let field = schema.field(key);
                    if let Some(field) = field {
                        self.prune(field, value, false);
                    } else if !keeps_all {
                        self.dropped.push(self.path.clone());
                    }
                    self.path.pop();
                    field.is_some() || keeps_all
                });
            }
            Doc::List(items) => {
                // Without a schema for the items, nothing in them is known.
                let Some(schema) = &schema.items else { return };
                for (index, item) in items.iter_mut().enumerate() {
                    self.path.push(PathSegment::Index(index));
                    self.prune(schema, item, false);
                    self.path.pop();
                }
            }
            _ => {}
        }
    }
}
