//! Versions of custom resources as a server knows them that lacks some elements.

use skewer_engine::schema::{MetadataTag, SchemaElement};

use super::definition::Version;
use super::structural::{AdditionalProperties, StructuralSchema};

impl Version {
    /// Returns the version as it was before it had these elements. `type_name` is the name of the type of the objects, as the
    /// reader of definitions names it: the types of nested schemas begin with it. An element that the version does not have
    /// changes nothing.
    ///
    /// ```
    /// use skewer_engine::document::from_json;
    /// use skewer_admission::definition::CustomResourceDefinition;
    ///
    /// let definition = from_json(br#"{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    ///     "metadata": {"name": "tabs.example.com"},
    ///     "spec": {"group": "example.com", "scope": "Namespaced", "names": {"kind": "Tab", "plural": "tabs"}, "versions": [
    ///         {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
    ///             "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}}}]}}"#)?;
    /// let definition = CustomResourceDefinition::read(&definition).expect("a valid definition");
    /// let old = definition.versions[0].without("com.example.v1.Tab", &["com.example.v1.Tab.spec.size".parse()?]);
    /// assert!(old.schema.properties["spec"].properties.is_empty());
    /// # Ok::<(), skewer_engine::Error>(())
    /// ```
    #[must_use]
    pub fn without(&self, type_name: &str, elements: &[SchemaElement]) -> Version {
        let mut version = self.clone();
        for element in elements {
            remove(&mut version.schema, type_name, element);
        }
        version
    }
}

/// Removes an element from the schema of a type, and from the schemas in it. The items of a list and the values of a map
/// have the name of the list or the map.
fn remove(schema: &mut StructuralSchema, name: &str, element: &SchemaElement) {
    if element.type_name() == name {
        match element {
            SchemaElement::Field { field, .. } => {
                schema.properties.remove(field.as_str());
                schema.validation.required.retain(|required| required != field.as_str());
            }
            SchemaElement::EnumValue { value, .. } => {
                schema.validation.enum_values.retain(|known| known.as_str() != Some(value));
            }
            SchemaElement::Metadata { field, tag, .. } => {
                if let Some(schema) = schema.properties.get_mut(field.as_str()) {
                    remove_tag(schema, *tag);
                }
            }
            SchemaElement::TypeMetadata { tag, .. } => remove_tag(schema, *tag),
        }
    }
    for (field, inner) in &mut schema.properties {
        remove(inner, &format!("{name}.{field}"), element);
    }
    if let Some(items) = &mut schema.items {
        remove(items, name, element);
    }
    if let Some(AdditionalProperties::Schema(values)) = &mut schema.additional_properties {
        remove(values, name, element);
    }
}

fn remove_tag(schema: &mut StructuralSchema, tag: MetadataTag) {
    match tag {
        MetadataTag::ListType => {
            schema.list_type = None;
            schema.list_map_keys.clear();
        }
        MetadataTag::ListMapKey => schema.list_map_keys.clear(),
        MetadataTag::MapType | MetadataTag::StructType => schema.map_type = None,
        // The patches of custom resources do not depend on the other tags.
        MetadataTag::PatchStrategy | MetadataTag::PatchMergeKey | MetadataTag::Declared(_) => {}
    }
}
