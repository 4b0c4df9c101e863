//! The topology of a type: which parts of an object have an owner of their own.
//!
//! A list or a map is *atomic* if it has one owner as a whole. Otherwise each item or field has an owner of its own.
//! Upstream: `schema.Atom`, which `schemaconv.ToSchemaFromOpenAPI` makes from an `OpenAPI` document.

use std::sync::LazyLock;

use crate::document::{Doc, OwnedDoc, OwnedText};
use crate::patch::{LibraryChange, PatchLibrary};
use crate::schema::{
    Declarations, FieldMeta, ListType, MapType, PatchStrategy, ScalarType, Schema, StructType, Type, TypeId,
    TypeTopology, type_of_metadata,
};

static NO_META: FieldMeta = FieldMeta::NONE;

/// A place in a type: a type, and the metadata of the field that has the type.
#[derive(Clone, Copy, Debug)]
pub struct TypePosition<'s> {
    schema: &'s Schema,
    ty: PositionType,
    meta: &'s FieldMeta,
    library: PatchLibrary,
}

#[derive(Clone, Copy, Debug)]
enum PositionType {
    Declared(TypeId),
    /// An object with `apiVersion`, `kind` and `metadata`, whether its type declares them or not.
    Object(TypeId),
    /// A value of any kind, in which maps are granular and lists are atomic. Upstream: `__untyped_deduced_`.
    Deduced,
    /// A value of any kind, in which maps and lists are atomic. Upstream: `__untyped_atomic_`.
    Atomic,
    /// A string that no type declares.
    String,
}

/// The topology of a place, by kind of value. A value of a kind without topology does not fit the type.
#[derive(Clone, Copy, Debug, Default)]
pub struct Topology<'s> {
    /// The topology of a scalar.
    pub scalar: Option<ScalarKind>,
    /// The topology of a list.
    pub list: Option<ListTopology<'s>>,
    /// The topology of a map or a struct.
    pub map: Option<MapTopology<'s>>,
}

/// A kind of scalar. Upstream: `schema.Scalar`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarKind {
    /// An integer or a float.
    Numeric,
    /// A string.
    String,
    /// A boolean.
    Boolean,
    /// Any scalar.
    Untyped,
}

/// The topology of a list.
#[derive(Clone, Copy, Debug)]
pub struct ListTopology<'s> {
    /// The place of the items.
    pub items: TypePosition<'s>,
    /// The identity of the items.
    pub identity: ItemIdentity<'s>,
}

/// The identity of the items of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemIdentity<'s> {
    /// Items have none: the list is atomic.
    Atomic,
    /// An item is a scalar, which identifies itself.
    Value,
    /// These keys identify an item, which is a map.
    Keys(&'s [OwnedText]),
}

/// The topology of a map or a struct.
#[derive(Clone, Copy, Debug)]
pub struct MapTopology<'s> {
    /// Whether the map has one owner as a whole.
    pub is_atomic: bool,
    fields: Option<Fields<'s>>,
    /// The place of the values whose keys are not declared as fields. `None` if other keys are not allowed.
    pub values: Option<TypePosition<'s>>,
}

#[derive(Clone, Copy, Debug)]
struct Fields<'s> {
    schema: &'s Schema,
    ty: &'s StructType,
    is_object: bool,
    library: PatchLibrary,
}

/// The place of a value in a map, and whether its key is a declared field.
#[derive(Clone, Copy, Debug)]
pub struct FieldPlace<'s> {
    /// The place of the value. `None` if the key is not allowed.
    pub place: Option<TypePosition<'s>>,
    /// Whether the key is a declared field.
    pub is_declared: bool,
}

impl<'s> TypePosition<'s> {
    /// Returns the place of an object of this type. Every object has `apiVersion`, `kind` and `metadata`, whether its
    /// type declares them or not, as every published type of an API server declares them.
    #[must_use]
    pub fn of_object(schema: &'s Schema, ty: TypeId) -> Self {
        TypePosition { schema, ty: PositionType::Object(ty), meta: &NO_META, library: PatchLibrary::NEWEST }
    }

    /// Returns the same place for a server whose libraries are these.
    #[must_use]
    pub fn with_library(self, library: PatchLibrary) -> Self {
        TypePosition { library, ..self }
    }

    /// Returns the libraries of the server.
    pub(super) fn library(&self) -> PatchLibrary {
        self.library
    }

    /// Returns the place of an object without a schema. Upstream: `NewDeducedTypeConverter`.
    #[must_use]
    pub fn deduced() -> TypePosition<'static> {
        OBJECT_META.place(PositionType::Deduced, PatchLibrary::NEWEST)
    }

    fn declared(self, ty: TypeId) -> Self {
        self.with_type(PositionType::Declared(ty))
    }

    fn with_type(self, ty: PositionType) -> Self {
        TypePosition { ty, meta: &NO_META, ..self }
    }

    /// Returns the topology of the place.
    #[must_use]
    pub fn topology(&self) -> Topology<'s> {
        let (ty, is_object) = match self.ty {
            PositionType::Declared(ty) => (ty, false),
            PositionType::Object(ty) => (ty, true),
            PositionType::Deduced => return self.any(false),
            PositionType::Atomic => return self.any(true),
            PositionType::String => return Topology::of_scalar(ScalarKind::String),
        };
        let declared = self.schema.topology(ty);
        let is_atomic = self.meta.map_type.or(declared.map_type) == Some(MapType::Atomic);
        match self.schema.get(ty) {
            // Kubernetes publishes it without a `type`, and so does a custom resource.
            Type::Scalar(ScalarType::IntOrString) => self.any(false),
            Type::Scalar(scalar) => Topology::of_scalar(scalar_kind(*scalar)),
            Type::Enum(_) => Topology::of_scalar(ScalarKind::String),
            Type::List(items) => Topology {
                list: Some(ListTopology {
                    items: self.declared(*items),
                    identity: item_identity(self.meta, declared),
                }),
                ..Topology::default()
            },
            Type::Map(values) => {
                let values = Some(self.declared(*values));
                Topology::of_map(MapTopology { is_atomic, fields: None, values })
            }
            Type::Struct(ty) => {
                let has_fields = is_object || ty.fields().next().is_some();
                let is_open = declared.keeps_unknown_fields || !has_fields;
                let values = is_open.then(|| self.with_type(PositionType::Deduced));
                let fields = Some(Fields { schema: self.schema, ty, is_object, library: self.library });
                Topology::of_map(MapTopology { is_atomic, fields, values })
            }
            Type::Any => self.any(is_atomic),
        }
    }

    fn any(&self, is_atomic: bool) -> Topology<'s> {
        let inner = if is_atomic { PositionType::Atomic } else { PositionType::Deduced };
        Topology {
            scalar: Some(ScalarKind::Untyped),
            list: Some(ListTopology {
                items: self.with_type(PositionType::Atomic),
                identity: ItemIdentity::Atomic,
            }),
            map: Some(MapTopology { is_atomic, fields: None, values: Some(self.with_type(inner)) }),
        }
    }
}

impl<'s> Topology<'s> {
    fn of_scalar(kind: ScalarKind) -> Self {
        Topology { scalar: Some(kind), ..Topology::default() }
    }

    fn of_map(map: MapTopology<'s>) -> Self {
        Topology { map: Some(map), ..Topology::default() }
    }

    /// Returns true if both topologies have the same kinds of value.
    pub(super) fn is_same_part(&self, other: &Topology<'_>) -> bool {
        let kinds = |topology: &Topology<'_>| {
            (topology.scalar.is_some(), topology.list.is_some(), topology.map.is_some())
        };
        kinds(self) == kinds(other)
    }

    /// Returns the part of the topology that applies to a value. If the value is null, or fits none of the parts, the
    /// result is the whole topology. Upstream: `deduceAtom`.
    #[must_use]
    pub fn for_value(self, value: &Doc<'_>) -> Self {
        match value {
            Doc::List(_) if self.list.is_some() => Topology { list: self.list, ..Topology::default() },
            Doc::Map(_) if self.map.is_some() => Topology { map: self.map, ..Topology::default() },
            Doc::Null | Doc::List(_) | Doc::Map(_) => self,
            _ if self.scalar.is_some() => Topology { scalar: self.scalar, ..Topology::default() },
            _ => self,
        }
    }
}

impl<'s> MapTopology<'s> {
    /// Returns the place of the value with this key.
    #[must_use]
    pub fn field(&self, key: &str) -> FieldPlace<'s> {
        let declared = self.fields.and_then(|fields| fields.place(key));
        FieldPlace { place: declared.or(self.values), is_declared: declared.is_some() }
    }

    /// Returns true if the library cannot remove this field: [`LibraryChange::FieldsPruned`].
    pub(super) fn keeps_field(&self, key: &str) -> bool {
        let keeps = |fields: Fields<'_>| {
            !fields.library.has(LibraryChange::FieldsPruned) && fields.place(key).is_some()
        };
        self.fields.is_some_and(keeps)
    }

    /// Returns the declared default of a field.
    #[must_use]
    pub fn default_of(&self, key: &str) -> Option<&'s OwnedDoc> {
        self.fields?.ty.field(key)?.default.as_deref()
    }

    /// Returns true if the map has no declared fields, and any scalar can be a value. Upstream: `isUntypedDeducedMap`.
    #[must_use]
    pub fn is_untyped(&self) -> bool {
        let has_fields =
            self.fields.is_some_and(|fields| fields.is_object || fields.ty.fields().next().is_some());
        let is_untyped = |place: TypePosition<'_>| place.topology().scalar == Some(ScalarKind::Untyped);
        !has_fields && self.values.is_some_and(is_untyped)
    }
}

impl<'s> Fields<'s> {
    fn place(&self, key: &str) -> Option<TypePosition<'s>> {
        let library = self.library;
        match (self.ty.field(key), key) {
            (Some(field), _) => {
                let ty = PositionType::Declared(field.ty);
                Some(TypePosition { schema: self.schema, ty, meta: &field.meta, library })
            }
            (None, "apiVersion" | "kind") if self.is_object => {
                Some(OBJECT_META.place(PositionType::String, library))
            }
            (None, "metadata") if self.is_object => {
                Some(OBJECT_META.place(PositionType::Declared(OBJECT_META.root), library))
            }
            (None, _) => None,
        }
    }
}

/// The type of the `metadata` of every object.
struct ObjectMeta {
    schema: Schema,
    root: TypeId,
}

static OBJECT_META: LazyLock<ObjectMeta> = LazyLock::new(|| {
    let (declarations, name): (Declarations, &str) = type_of_metadata();
    let schema = Schema::compile(&declarations).unwrap_or_else(|errors| panic!("{errors:?}"));
    let root = schema.named(name).unwrap_or_else(|| panic!("{name} is not declared"));
    ObjectMeta { schema, root }
});

impl ObjectMeta {
    fn place(&'static self, ty: PositionType, library: PatchLibrary) -> TypePosition<'static> {
        TypePosition { schema: &self.schema, ty, meta: &NO_META, library }
    }
}

/// Returns the kind of a scalar type. Upstream: `convertPrimitive`, on the `OpenAPI` type that Kubernetes publishes.
fn scalar_kind(scalar: ScalarType) -> ScalarKind {
    match scalar {
        ScalarType::String | ScalarType::Bytes | ScalarType::Duration => ScalarKind::String,
        ScalarType::Integer | ScalarType::Int32 | ScalarType::Number => ScalarKind::Numeric,
        ScalarType::Boolean => ScalarKind::Boolean,
        ScalarType::IntOrString | ScalarType::Quantity | ScalarType::Time | ScalarType::MicroTime => {
            ScalarKind::Untyped
        }
    }
}

/// Returns the identity of the items of a list. Without a list type, the patch strategy `merge` decides. Upstream:
/// `getListElementRelationship`.
fn item_identity<'s>(meta: &'s FieldMeta, declared: &'s TypeTopology) -> ItemIdentity<'s> {
    let declarations = [(meta.list_type, &meta.list_map_keys), (declared.list_type, &declared.list_map_keys)];
    let declared = declarations.into_iter().find_map(|(list_type, keys)| Some((list_type?, keys)));
    match declared {
        Some((ListType::Atomic, _)) => ItemIdentity::Atomic,
        Some((ListType::Set, _)) => ItemIdentity::Value,
        Some((ListType::Map, keys)) => ItemIdentity::Keys(keys),
        None if meta.strategy != PatchStrategy::Merge => ItemIdentity::Atomic,
        None if meta.merge_key.is_empty() => ItemIdentity::Value,
        // Upstream does not split the value of the extension at its commas.
        None => ItemIdentity::Keys(meta.merge_key_names(false)),
    }
}
