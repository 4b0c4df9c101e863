//! Edited copies of a schema. They describe types that differ from the declared ones in a single respect.

use std::sync::Arc;

use super::compiled::{Schema, StructType};
use super::field_meta::FieldMeta;
use super::metadata_tag::{MetadataTag, MetadataTags};
use crate::error::{Error, ErrorKind, Result};

/// A metadata tag of a field.
#[derive(Clone, Copy, Debug)]
pub struct FieldTag<'a> {
    /// The struct that declares the field.
    pub type_name: &'a str,
    /// The key of the field in documents.
    pub field: &'a str,
    /// The tag.
    pub tag: MetadataTag,
}

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

    /// Returns the schema with other values of one metadata tag of a field, wherever the field is embedded. `declared` are the tags that directives declare.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidSchema`] if the struct does not declare the field, and the errors of [`FieldMeta::set_tag`].
    pub fn with_metadata_tag(
        &self,
        tagged: FieldTag<'_>,
        values: &[&str],
        declared: &MetadataTags,
    ) -> Result<Schema> {
        let FieldTag { type_name, field, tag } = tagged;
        let invalid = |message: String| Error::new(ErrorKind::InvalidSchema, message);
        let ty = self.named(type_name).and_then(|ty| self.as_struct(ty));
        let ty = ty.ok_or_else(|| invalid(format!("unknown struct {type_name}")))?;
        let own_field = ty.field(field).filter(|field| *field.declared_in == *type_name);
        let own_field = own_field.ok_or_else(|| invalid(format!("{type_name} declares no field {field}")))?;
        let mut meta = (*own_field.meta).clone();
        meta.set_tag(tag, values, declared)
            .map_err(|error| invalid(format!("{type_name}.{field}: {}", error.message())))?;
        self.with_edited_metadata(type_name, field, |edited| edited.clone_from(&meta))
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
    use rstest::rstest;

    use super::*;
    use crate::schema::{PatchStrategy, Type, go};

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

    /// A tag that is set has the same effect as one that is declared.
    #[rstest]
    #[case::strategy("patchStrategy", &["replace"], "", r#"patchStrategy:"replace" patchMergeKey:"name""#)]
    #[case::word("patchStrategy", &["merge", "retainKeys"], "", r#"patchStrategy:"merge,retainKeys" patchMergeKey:"name""#)]
    #[case::merge_key("patchMergeKey", &["a", "b"], "", r#"patchStrategy:"merge" patchMergeKey:"a,b""#)]
    #[case::list_type("listType", &["map"], "// +listType=map", r#"patchStrategy:"merge" patchMergeKey:"name""#)]
    #[case::list_map_key("listMapKey", &["a", "b"], "// +listMapKey=a\n// +listMapKey=b", r#"patchStrategy:"merge" patchMergeKey:"name""#)]
    #[case::map_type("structType", &["atomic"], "// +mapType=atomic", r#"patchStrategy:"merge" patchMergeKey:"name""#)]
    fn a_tag_is_set_wherever_the_field_is_embedded(
        #[case] tag: &str,
        #[case] values: &[&str],
        #[case] marker: &str,
        #[case] tags: &str,
    ) {
        let text = |marker: &str, tags: &str| {
            format!(
                "type Root struct {{\n Embedded `json:\",inline\"`\n}}\ntype Embedded struct {{\n{marker}\n \
                 Items []Root `json:\"items\" {tags}`\n}}\n"
            )
        };
        let compile = |text: String| Schema::compile(&go::read(&text).unwrap()).unwrap();
        let registered = MetadataTags::registered();
        let tag = registered.all().into_iter().find(|known| known.name() == tag).unwrap();
        let declared = compile(text("", r#"patchStrategy:"merge" patchMergeKey:"name""#));
        let edited = declared
            .with_metadata_tag(FieldTag { type_name: "Embedded", field: "items", tag }, values, &registered)
            .unwrap();
        let expected = compile(text(marker, tags));
        assert_ne!(edited.types, declared.types);
        assert_eq!(edited.types, expected.types);
    }

    #[rstest]
    #[case::strategy(
        "Embedded",
        "items",
        MetadataTag::PatchStrategy,
        "Embedded.items: unexpected patch strategy \"x\""
    )]
    #[case::list_type("Embedded", "items", MetadataTag::ListType, "Embedded.items: unknown list type \"x\"")]
    #[case::map_type("Embedded", "items", MetadataTag::StructType, "Embedded.items: unknown map type \"x\"")]
    #[case::embedding("Root", "items", MetadataTag::PatchMergeKey, "Root declares no field items")]
    #[case::no_field("Item", "kind", MetadataTag::PatchMergeKey, "Item declares no field kind")]
    #[case::no_struct("Kind", "items", MetadataTag::PatchMergeKey, "unknown struct Kind")]
    fn a_tag_that_a_field_cannot_have_is_an_error(
        #[case] of: &str,
        #[case] field: &str,
        #[case] tag: MetadataTag,
        #[case] expected: &str,
    ) {
        let edited = schema().with_metadata_tag(
            FieldTag { type_name: of, field, tag },
            &["x"],
            &MetadataTags::registered(),
        );
        let error = edited.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidSchema);
        assert!(error.message().starts_with(expected), "{error}");
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
