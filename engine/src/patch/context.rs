use std::sync::Arc;

use super::directive_set::DirectiveSet;
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{Field, ScalarType, Schema, Type, TypeId};

/// What a party brings to a patch: the type of the object as it knows it, and the directives that it knows.
#[derive(Clone, Debug)]
pub struct PatchContext {
    /// The types.
    pub schema: Arc<Schema>,
    /// The type of the object.
    pub root: TypeId,
    /// The directives.
    pub directives: DirectiveSet,
    /// The object is a custom resource, for which servers have no strategic merge patch: it is refused with
    /// [`ErrorKind::UnsupportedPatchFormat`], and a JSON merge patch takes its place.
    pub custom_resource: bool,
}

impl PatchContext {
    /// Knows the named type of the schema, as that of built-in objects, and every directive.
    ///
    /// [`ErrorKind::InvalidSchema`] when the schema has no such type.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use skewer_engine::patch::{self, PatchContext};
    /// # use skewer_engine::schema::builtin;
    /// # use skewer_engine::document::from_json;
    /// # let release = builtin::newest();
    /// // A client that does not know `$retainKeys` yet.
    /// let mut client = PatchContext::of(Arc::clone(release.schema()), release.resolve("Deployment")?)?;
    /// client.directives = client.directives.without("$retainKeys");
    /// assert!(!client.directives.knows("$retainKeys"));
    /// # Ok::<(), skewer_engine::Error>(())
    /// ```
    pub fn of(schema: Arc<Schema>, root: &str) -> Result<Self> {
        let Some(id) = schema.named(root) else {
            return Err(Error::new(
                ErrorKind::InvalidSchema,
                format!("the schema has no type {root}; it has {}", schema.names().join(", ")),
            ));
        };
        Ok(PatchContext { schema, root: id, directives: DirectiveSet::all(), custom_resource: false })
    }

    /// Is there a strategic merge patch for the object? Upstream: `StrategicMergeMapPatch`, which refuses to
    /// apply one to what is decoded as `Unstructured`; nobody creates one for it either.
    pub(super) fn require_strategic(&self) -> Result<()> {
        if self.custom_resource {
            return Err(Error::new(
                ErrorKind::UnsupportedPatchFormat,
                "a custom resource has no strategic merge patch: use a JSON merge patch",
            ));
        }
        Ok(())
    }

    /// The field of a type, in any case as `encoding/json` finds it. Upstream: `LookupPatchMetadataForStruct`.
    pub(crate) fn field(&self, ty: TypeId, key: &str) -> Result<&Field> {
        self.schema.field_in_any_case(ty, key).ok_or_else(|| {
            let of = match self.schema.as_struct(ty) {
                Some(s) => format!("{} has no field {key}", s.name),
                None => format!("{key} is inside a value without named fields"),
            };
            Error::new(ErrorKind::UnknownField, format!("{of}, so that what it holds cannot be merged"))
        })
    }

    /// A field that holds a list, and the type of its items. Upstream: `LookupPatchMetadataForSlice` of the Go types,
    /// which takes a pointer to anything for a list of it, and bytes for a list of numbers.
    pub(crate) fn list_field(&self, ty: TypeId, key: &str) -> Result<(&Field, TypeId)> {
        let field = self.field(ty, key)?;
        let item = self.schema.item(field.ty);
        if field.is_pointer {
            return Ok((field, item.unwrap_or(field.ty)));
        }
        let is_bytes = |ty| matches!(self.schema.get(ty), Type::Scalar(ScalarType::Bytes));
        let item = match item {
            Some(item) => item,
            None if is_bytes(field.ty) => return Ok((field, field.ty)),
            None => {
                let message = format!("{key} is not a list in the schema");
                return Err(Error::new(ErrorKind::SchemaMismatch, message));
            }
        };
        if self.schema.item(item).is_some() || is_bytes(item) {
            let message = format!("{key} is a list of lists in the schema");
            return Err(Error::new(ErrorKind::ListOfLists, message));
        }
        Ok((field, item))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::schema::go;

    const TYPES: &str = r#"
type Root struct {
  List    []string   `json:"list"`
  Bytes   []byte     `json:"bytes"`
  Pointer *Item      `json:"pointer"`
  ToList  *[]string  `json:"toList"`
  Text    string     `json:"text"`
  Struct  Item       `json:"struct"`
  Lists   [][]string `json:"lists"`
  Blobs   [][]byte   `json:"blobs"`
}
type Item struct {
  Name string `json:"name"`
}
"#;

    /// Upstream: `LookupPatchMetadataForSlice` of Go types: the item of a list or a pointer, and of bytes a number.
    #[rstest]
    #[case::a_list("list", Ok("Scalar(String)"))]
    #[case::in_another_case("LIST", Ok("Scalar(String)"))]
    #[case::bytes("bytes", Ok("Scalar(Bytes)"))]
    #[case::a_pointer("pointer", Ok("Struct"))]
    #[case::a_pointer_to_a_list("toList", Ok("Scalar(String)"))]
    #[case::text("text", Err("schema-mismatch: text is not a list in the schema"))]
    #[case::a_struct("struct", Err("schema-mismatch: struct is not a list in the schema"))]
    #[case::lists("lists", Err("list-of-lists: lists is a list of lists in the schema"))]
    #[case::lists_of_bytes("blobs", Err("list-of-lists: blobs is a list of lists in the schema"))]
    #[case::nothing("x", Err("unknown-field: Root has no field x, so that what it holds cannot be merged"))]
    fn a_list_is_what_go_can_take_for_one(#[case] key: &str, #[case] expected: Result<&str, &str>) {
        let schema = Schema::compile(&go::read(TYPES).unwrap()).unwrap();
        let context = PatchContext::of(Arc::new(schema), "Root").unwrap();
        let found = match context.list_field(context.root, key) {
            Ok((_, item)) => Ok(format!("{:?}", context.schema.get(item))),
            Err(error) => Err(format!("{}: {error}", error.kind().id())),
        };
        match (&found, expected) {
            (Ok(found), Ok(expected)) => assert!(found.starts_with(expected), "{found}"),
            _ => assert_eq!(found.as_deref().map_err(String::as_str), expected),
        }
    }
}
