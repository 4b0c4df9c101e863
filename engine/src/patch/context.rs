use std::sync::Arc;

use super::directive_set::DirectiveSet;
use super::library::PatchLibrary;
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{Field, ScalarType, Schema, Type, TypeId};

/// The schema view, the directives and the options of one party.
#[derive(Clone, Debug)]
pub struct PatchContext {
    /// The types that the party knows.
    pub schema: Arc<Schema>,
    /// The type of the object.
    pub root: TypeId,
    /// The directives that the party knows.
    pub directives: DirectiveSet,
    /// Whether the object is a custom resource. Strategic merge patches of custom resources are refused with
    /// [`ErrorKind::UnsupportedPatchFormat`]. Clients use JSON merge patches instead.
    pub custom_resource: bool,
    /// The source in which the patch metadata of fields is looked up.
    pub lookup: FieldLookup,
    /// The spare capacity of the Go slices that hold lists of scalars.
    pub spare_capacity: SpareCapacity,
    /// The behaviour of the patch library of the party.
    pub library: PatchLibrary,
}

/// The source in which the patch metadata of a field is looked up. Upstream has two sources, which do not find the same
/// fields. Upstream: the implementations of `LookupPatchMeta`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldLookup {
    /// The Go types, which an API server uses. The case of a field name is ignored. Only a list, a pointer or bytes can
    /// be merged as a list. Upstream: `PatchMetaFromStruct`.
    #[default]
    GoTypes,
    /// An OpenAPI document, which `kubectl apply` uses. A field name must have the exact case. Any field can be merged
    /// as a list. Upstream: `PatchMetaFromOpenAPIV3`.
    OpenApi,
}

/// The spare capacity of the Go slice that holds a list of scalars.
///
/// If the patch fits into the spare capacity, upstream appends it there and removes repeated scalars in the memory of
/// the live list. Upstream then orders the merged list by the changed live list, so that the capacity affects the
/// result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpareCapacity {
    /// The capacity of a slice that was decoded from JSON, as in kubectl.
    #[default]
    AsDecoded,
    /// No spare capacity, as in lists that come from the structs of an API server, and in lists that upstream has
    /// ordered.
    None,
    /// Enough spare capacity for any patch, as in lists from which many items were deleted.
    Ample,
}

impl PatchContext {
    /// Creates a context for objects of the named type. The context has all directives and the default options.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidSchema`] if the schema has no type with this name.
    ///
    /// ```
    /// # #[cfg(feature = "builtin")] {
    /// # use std::sync::Arc;
    /// # use skewer_engine::patch::{self, PatchContext};
    /// # use skewer_engine::schema::builtin;
    /// # use skewer_engine::document::from_json;
    /// # let release = builtin::newest();
    /// // A client of a release before `$retainKeys`.
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
                format!("the schema has no type {root} (expected one of {})", schema.names().join(", ")),
            ));
        };
        Ok(PatchContext {
            schema,
            root: id,
            directives: DirectiveSet::all(),
            custom_resource: false,
            lookup: FieldLookup::default(),
            spare_capacity: SpareCapacity::default(),
            library: PatchLibrary::default(),
        })
    }

    /// Returns an error if the object is a custom resource. Strategic merge patches of custom resources are neither
    /// created nor applied. Upstream: `StrategicMergeMapPatch`, which refuses an `Unstructured` object.
    pub(super) fn refuse_custom_resource(&self) -> Result<()> {
        if self.custom_resource {
            return Err(Error::new(
                ErrorKind::UnsupportedPatchFormat,
                "a strategic merge patch cannot change a custom resource: use a JSON merge patch",
            ));
        }
        Ok(())
    }

    /// Looks up a field of a type. The lookup in Go types ignores case, as `encoding/json` does. Upstream:
    /// `LookupPatchMetadataForStruct`.
    pub(crate) fn field(&self, ty: TypeId, key: &str) -> Result<&Field> {
        let field = match self.lookup {
            FieldLookup::GoTypes => self.schema.field_in_any_case(ty, key),
            FieldLookup::OpenApi => self.schema.field(ty, key),
        };
        field.ok_or_else(|| {
            let problem = match self.schema.as_struct(ty) {
                Some(s) => format!("{} has no field {key}", s.name),
                None => format!("{key} belongs to a value whose type has no fields"),
            };
            Error::new(ErrorKind::UnknownField, format!("{problem}, so that its value cannot be merged"))
        })
    }

    /// Looks up a field whose value is a list, and the type of the list items.
    ///
    /// The lookup in Go types treats a pointer as a list of the type that it points to, and bytes as a list of numbers.
    /// The lookup in OpenAPI treats a type without items as a list of itself. Upstream: `LookupPatchMetadataForSlice`.
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

    /// A type without items is a list of itself. Upstream: `PatchMetaFromOpenAPIV3.LookupPatchMetadataForSlice`.
    #[rstest]
    #[case::list("list", Ok("Scalar(String)"))]
    #[case::name_in_another_case("LIST", Err("unknown-field"))]
    #[case::string("text", Ok("Scalar(String)"))]
    #[case::struct_type("struct", Ok("Struct"))]
    #[case::list_of_lists("lists", Ok("List"))]
    #[case::unknown_field("x", Err("unknown-field"))]
    fn the_openapi_lookup_finds_every_field_as_a_list(
        #[case] key: &str,
        #[case] expected: Result<&str, &str>,
    ) {
        let context = PatchContext { lookup: FieldLookup::OpenApi, ..context_of(TYPES, "Root") };
        match (context.list_field(context.root, key), expected) {
            (Ok((_, item)), Ok(expected)) => {
                let item_type = format!("{:?}", context.schema.get(item));
                assert!(item_type.starts_with(expected), "{item_type}");
            }
            (Err(error), Err(expected)) => assert_eq!(error.kind().id(), expected),
            (result, _) => panic!("{result:?}"),
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

    /// Lists, pointers and bytes are lists. Upstream: `PatchMetaFromStruct.LookupPatchMetadataForSlice`.
    #[rstest]
    #[case::list("list", Ok("Scalar(String)"))]
    #[case::name_in_another_case("LIST", Ok("Scalar(String)"))]
    #[case::bytes("bytes", Ok("Scalar(Bytes)"))]
    #[case::pointer("pointer", Ok("Struct"))]
    #[case::pointer_to_a_list("toList", Ok("Scalar(String)"))]
    #[case::string("text", Err("schema-mismatch: text is not a list in the schema"))]
    #[case::struct_type("struct", Err("schema-mismatch: struct is not a list in the schema"))]
    #[case::list_of_lists("lists", Err("list-of-lists: lists is a list of lists in the schema"))]
    #[case::list_of_bytes("blobs", Err("list-of-lists: blobs is a list of lists in the schema"))]
    #[case::unknown_field("x", Err("unknown-field: Root has no field x, so that its value cannot be merged"))]
    fn the_go_lookup_finds_lists_pointers_and_bytes_as_lists(
        #[case] key: &str,
        #[case] expected: Result<&str, &str>,
    ) {
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
