//! Edited copies of a schema. They describe types that differ from the declared ones in a single respect.

use std::sync::Arc;

use super::compiled::{Schema, StructType};
use super::field_meta::FieldMeta;
use crate::error::{Error, ErrorKind, Result};

impl Schema {
    /// Returns the schema with other metadata of one field, wherever the field is embedded. `type_name` is the struct
    /// that declares the field.
    ///
    /// ```
    /// # #[cfg(feature = "builtin")] {
    /// use skewer_engine::schema::{PatchStrategy, builtin};
    ///
    /// let schema = builtin::newest().schema();
    /// let replaced = schema.with_edited_metadata("core/v1.PodSpec", "containers", |meta| {
    ///     meta.strategy = PatchStrategy::Replace;
    /// })?;
    /// let spec = replaced.named("core/v1.PodSpec").expect("the type is still there");
    /// assert_eq!(replaced.field(spec, "containers").expect("a field").meta.strategy, PatchStrategy::Replace);
    /// # }
    /// # Ok::<(), skewer_engine::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidSchema`] if the schema does not have the field.
    pub fn with_edited_metadata(
        &self,
        type_name: &str,
        field: &str,
        mut edit: impl FnMut(&mut FieldMeta),
    ) -> Result<Schema> {
        let mut edited = self.clone();
        let edit_field = |s: &mut StructType| {
            if let Some(field) = s.field_mut(field) {
                edit(Arc::make_mut(&mut field.meta));
            }
        };
        if edited.edit_structs(|s| s.declared_field(type_name, field).is_some(), edit_field) {
            return Ok(edited);
        }
        let message = format!("the schema has no {type_name}.{field}, whose metadata is to be edited");
        Err(Error::new(ErrorKind::InvalidSchema, message))
    }

    /// Returns the schema with open enums, which accept any string. The values of discriminators are unchanged, because
    /// they belong to the unions.
    #[must_use]
    pub fn with_open_enums(&self) -> Schema {
        let mut edited = self.clone();
        edited.edit_enums(|e| e.closed, |e| e.closed = false);
        edited
    }

    /// Returns the schema without `omitempty` and `omitzero`: empty and zero values are kept.
    #[must_use]
    pub fn without_omission(&self) -> Schema {
        let mut edited = self.clone();
        let omits = |s: &StructType| s.fields().any(|field| field.omit_empty || field.omit_zero);
        edited.edit_structs(omits, |s| {
            for field in s.fields_mut() {
                (field.omit_empty, field.omit_zero) = (false, false);
            }
        });
        edited
    }
}

#[cfg(test)]
#[cfg(feature = "go")]
mod tests {
    use super::*;
    use crate::schema::{MetadataTag, PatchStrategy, Type, go};

    fn schema() -> Schema {
        let text = r#"
type Root struct {
  Embedded `json:",inline"`
  Kind     Kind `json:"kind,omitempty"`
}
type Embedded struct {
  Items []Item `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
}
type Item struct {
  Name string `json:"name,omitzero"`
}
// +enum
type Kind string
const KindA Kind = "A"
"#;
        Schema::compile(&go::read(text).unwrap()).unwrap()
    }

    #[test]
    fn metadata_is_edited_wherever_the_field_is_embedded() {
        let edited = schema()
            .with_edited_metadata("Embedded", "items", |meta| {
                meta.strategy = PatchStrategy::Replace;
                meta.set_merge_key(["a", "b"]);
            })
            .unwrap();
        for name in ["Root", "Embedded"] {
            let field = edited.field(edited.named(name).unwrap(), "items").unwrap();
            assert_eq!(field.meta.strategy, PatchStrategy::Replace, "{name}");
            assert_eq!(field.meta.merge_key_names(true).len(), 2, "{name}");
            assert_eq!(field.meta.merge_key_names(false), ["a,b"], "{name}");
        }
    }

    #[test]
    fn an_unknown_field_is_an_error() {
        for (of, field) in [("Root", "name"), ("Missing", "items"), ("Item", "items")] {
            let error = schema().with_edited_metadata(of, field, |_| {}).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidSchema, "{of}.{field}");
        }
    }

    /// Returns the number of types that a schema does not share with another one.
    fn own_types(schema: &Schema, other: &Schema) -> usize {
        schema.types.iter().zip(&other.types).filter(|(a, b)| !Arc::ptr_eq(a, b)).count()
    }

    #[test]
    fn an_edit_copies_only_the_types_that_it_changes() {
        let schema = schema();
        let without = |element: &str| schema.without([&element.parse().unwrap()]).unwrap();
        let edited = [
            (without("Item.name"), 1),
            (without("Embedded.items:patchMergeKey"), 2),
            (without("Kind=A"), 1),
            (schema.without_tag(MetadataTag::PatchStrategy), 2),
            (schema.without_tag(MetadataTag::ListType), 0),
            (schema.with_open_enums(), 1),
            (schema.without_omission(), 3),
        ];
        for (index, (edited, count)) in edited.iter().enumerate() {
            assert_eq!(own_types(edited, &schema), *count, "edit {index}");
        }
    }

    #[test]
    fn types_are_shared_if_they_are_equal() {
        let edited = schema().without([&"Item.name".parse().unwrap()]).unwrap();
        let other = schema();
        assert_eq!(own_types(&edited, &other), other.types.len());
        let sharing = edited.sharing_types_of(&other);
        assert_eq!(own_types(&sharing, &other), 1);
        assert_eq!(sharing.types, edited.types);
    }

    #[test]
    fn open_enums_accept_any_value() {
        let check = |schema: &Schema| match schema.get(schema.named("Kind").unwrap()) {
            Type::Enum(e) => e.check("B").is_ok(),
            other => panic!("{other:?}"),
        };
        assert!(!check(&schema()) && check(&schema().with_open_enums()));
    }

    #[test]
    fn without_omission_no_field_is_left_out() {
        let omits = |schema: &Schema| {
            let fields = ["Root", "Item"].map(|name| schema.as_struct(schema.named(name).unwrap()).unwrap());
            fields.iter().flat_map(|s| s.fields()).any(|field| field.omit_empty || field.omit_zero)
        };
        assert!(omits(&schema()) && !omits(&schema().without_omission()));
    }
}
