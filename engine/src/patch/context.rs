use std::sync::Arc;

use super::directive_set::DirectiveSet;
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{Field, ScalarType, Schema, Type, TypeId};

/// The schema view, the directives and the options of one party.
#[derive(Clone, Debug)]
pub struct PatchContext {
    /// The types.
    pub schema: Arc<Schema>,
    /// The type of the object.
    pub root: TypeId,
    /// The directives.
    pub directives: DirectiveSet,
    /// Whether the object is a custom resource. Servers refuse strategic merge patches of those with
    /// [`ErrorKind::UnsupportedPatchFormat`]; a JSON merge patch is used instead.
    pub custom_resource: bool,
    /// The source in which fields are looked up.
    pub lookup: FieldLookup,
    /// The room behind the items of lists of scalars.
    pub spare_capacity: SpareCapacity,
}

/// The source in which the patch metadata of a field is looked up. Upstream: the implementations of `LookupPatchMeta`,
/// which find different fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldLookup {
    /// Go types, as an API server does: a field is found in any case, and only lists and pointers are lists
    /// (`PatchMetaFromStruct`).
    #[default]
    GoTypes,
    /// An OpenAPI document, as `kubectl apply` does: a field is found in its own case only, and every field can be a list
    /// (`PatchMetaFromOpenAPIV3`).
    OpenApi,
}

/// The room that Go has behind the items of a list of scalars. Upstream merges in that room, and then orders the result by a
/// list that it has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpareCapacity {
    /// The room of a list that was decoded from JSON, as in kubectl.
    #[default]
    AsDecoded,
    /// No room: the lists of an API server, which come from structs, and lists that upstream has ordered.
    None,
    /// Room for every merge: lists from which many items were deleted.
    Ample,
}

impl PatchContext {
    /// Makes a context for built-in objects of the named type, with every directive.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidSchema`] if the schema has no such type.
    ///
    /// ```
    /// # #[cfg(feature = "builtin")] {
    /// # use std::sync::Arc;
    /// # use skewer_engine::patch::{self, PatchContext};
    /// # use skewer_engine::schema::builtin;
    /// # use skewer_engine::document::from_json;
    /// # let release = builtin::newest();
    /// // A client that does not know `$retainKeys` yet.
    /// let mut client = PatchContext::of(Arc::clone(release.schema()), release.resolve("Deployment")?)?;
    /// client.directives = client.directives.without("$retainKeys");
    /// assert!(!client.directives.knows("$retainKeys"));
    /// # }
    /// # Ok::<(), skewer_engine::Error>(())
    /// ```
    pub fn of(schema: Arc<Schema>, root: &str) -> Result<Self> {
        let Some(id) = schema.named(root) else {
            return Err(Error::new(
                ErrorKind::InvalidSchema,
                format!("the schema has no type {root}; it has {}", schema.names().join(", ")),
            ));
        };
        Ok(PatchContext {
            schema,
            root: id,
            directives: DirectiveSet::all(),
            custom_resource: false,
            lookup: FieldLookup::default(),
            spare_capacity: SpareCapacity::default(),
        })
    }

    /// Refuses strategic merge patches of custom resources. Upstream: `StrategicMergeMapPatch`, which does not apply
    /// one to an `Unstructured` object; no client creates one for it either.
    pub(super) fn refuse_custom_resource(&self) -> Result<()> {
        if self.custom_resource {
            return Err(Error::new(
                ErrorKind::UnsupportedPatchFormat,
                "a custom resource has no strategic merge patch: use a JSON merge patch",
            ));
        }
        Ok(())
    }

    /// Looks up a field of a type, in Go types ignoring case as `encoding/json` does. Upstream:
    /// `LookupPatchMetadataForStruct`.
    pub(crate) fn field(&self, ty: TypeId, key: &str) -> Result<&Field> {
        let field = match self.lookup {
            FieldLookup::GoTypes => self.schema.field_in_any_case(ty, key),
            FieldLookup::OpenApi => self.schema.field(ty, key),
        };
        field.ok_or_else(|| {
            let problem = match self.schema.as_struct(ty) {
                Some(s) => format!("{} has no field {key}", s.name),
                None => format!("{key} is inside a value without named fields"),
            };
            Error::new(ErrorKind::UnknownField, format!("{problem}, so that what it holds cannot be merged"))
        })
    }

    /// Looks up a field that holds a list, and the type of its items. Upstream: `LookupPatchMetadataForSlice`. That of
    /// the Go types treats a pointer as a list of its target, and bytes as a list of numbers. That of OpenAPI treats
    /// every type without items as a list of itself.
    pub(crate) fn list_field(&self, ty: TypeId, key: &str) -> Result<(&Field, TypeId)> {
        let field = self.field(ty, key)?;
        let item = self.schema.item(field.ty);
        if self.lookup == FieldLookup::OpenApi {
            return Ok((field, item.unwrap_or(field.ty)));
        }
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
#[cfg(feature = "go")]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::test_support::context_of;

    /// Upstream: `LookupPatchMetadataForSlice` of `PatchMetaFromOpenAPIV3`: a field without items is a list of itself.
    #[rstest]
    #[case::a_list("list", Ok("Scalar(String)"))]
    #[case::in_another_case("LIST", Err("unknown-field"))]
    #[case::text("text", Ok("Scalar(String)"))]
    #[case::a_struct("struct", Ok("Struct"))]
    #[case::lists("lists", Ok("List"))]
    #[case::nothing("x", Err("unknown-field"))]
    fn a_list_field_is_looked_up_as_in_openapi(#[case] key: &str, #[case] expected: Result<&str, &str>) {
        let context = PatchContext { lookup: FieldLookup::OpenApi, ..context_of(TYPES, "Root") };
        match (context.list_field(context.root, key), expected) {
            (Ok((_, item)), Ok(expected)) => {
                let item_type = format!("{:?}", context.schema.get(item));
                assert!(item_type.starts_with(expected), "{item_type}");
            }
            (Err(error), Err(expected)) => assert_eq!(error.kind().id(), expected),
            (found, _) => panic!("{found:?}"),
        }
    }

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
    fn a_list_field_is_looked_up_as_in_go(#[case] key: &str, #[case] expected: Result<&str, &str>) {
        let context = context_of(TYPES, "Root");
        let item_type = match context.list_field(context.root, key) {
            Ok((_, item)) => Ok(format!("{:?}", context.schema.get(item))),
            Err(error) => Err(format!("{}: {error}", error.kind().id())),
        };
        match (&item_type, expected) {
            (Ok(item_type), Ok(expected)) => assert!(item_type.starts_with(expected), "{item_type}"),
            _ => assert_eq!(item_type.as_deref().map_err(String::as_str), expected),
        }
    }
}
