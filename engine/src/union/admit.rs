//! The admission of an object under a union policy. Unions can be at any depth, also in maps and in lists.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::implementation::{EngineOnly, UnionImplementation, UnionRequest, changes_between};
use super::policy::{Change, Policy, UnionOperation, WriteKind};
use super::types;
use crate::document::{Doc, MAX_DEPTH, OwnedDoc, OwnedMap, OwnedText};
use crate::error::{Error, ErrorKind};
use crate::field_path::{FieldPath, PathSegment};
use crate::patch::PatchContext;
use crate::schema::union::Union;
use crate::schema::{FieldMeta, ListType, PatchStrategy, Schema, StructType, Type, TypeId};

/// An object that a server accepted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Admitted {
    /// The normalized object, as the server stores it.
    pub object: OwnedDoc,
    /// The changes that normalization made. Those to an outer struct come before those to the structs in it.
    pub changes: Vec<Change>,
    /// Number of unions in the object for which the policy has rules. Zero if another implementation admitted the object.
    pub unions: usize,
}

impl Admitted {
    /// Returns the object that another implementation made of `new`. Its changes are those of whole fields.
    #[must_use]
    pub fn by_implementation(new: &OwnedDoc, object: OwnedDoc) -> Self {
        let changes = match (new, &object) {
            (Doc::Map(before), Doc::Map(after)) => changes_between(before, after, None),
            _ => Vec::new(),
        };
        Admitted { object, changes, unions: 0 }
    }
}

/// Normalizes and validates the unions of an object, as a server does that knows the types of `context`.
///
/// `old` is the stored object, or `None` if the object is created. `new` is the merged object.
///
/// The policy compares each struct with its stored version. Struct fields and map values are paired by name. List items
/// are paired by their keys if the list is merged by keys or has the list type `map`, otherwise by index.
///
/// For each struct, all unions are normalized first and validated second. Admission then descends into the fields that
/// are left after normalization, if their types can have unions. A value that does not have the type of the schema is
/// skipped, because decoding refuses it.
///
/// # Errors
///
/// All errors of the object with their paths, outer structs first. The kinds are those whose ids begin with `union-`,
/// [`ErrorKind::UnknownEnumValue`] from the policy `declarative`, and [`ErrorKind::TooDeep`].
///
/// ```
/// # #[cfg(feature = "go")] {
/// use std::sync::Arc;
/// use skewer_engine::patch::PatchContext;
/// use skewer_engine::schema::{Schema, go};
/// use skewer_engine::union::{admit, policy};
/// use skewer_engine::document::from_json;
///
/// let declarations = go::read(
///     r#"
///     type Action struct {
///         // +unionDiscriminator
///         Type ActionType `json:"type"`
///         // +unionMember
///         // +optional
///         Exec *Exec `json:"exec,omitempty"`
///         // +unionMember
///         // +optional
///         Http *Http `json:"http,omitempty"`
///     }
///     // +enum
///     type ActionType string
///     const (
///         ActionExec ActionType = "Exec"
///         ActionHttp ActionType = "Http"
///     )
///     type Exec struct{}
///     type Http struct{}
///     "#,
/// )
/// .unwrap();
/// let action = PatchContext::of(Arc::new(Schema::compile(&declarations).unwrap()), "Action")?;
/// let old = from_json(br#"{"type":"Exec","exec":{}}"#)?;
/// // A client that does not know `exec` sets `http` and does not remove `exec`.
/// let new = from_json(br#"{"type":"Http","exec":{},"http":{}}"#)?;
/// let admitted = admit(&action, policy::by_name("kep-1027").expect("a registered policy"), Some(&old), new).unwrap();
/// assert_eq!(admitted.object.to_string(), r#"{"http":{},"type":"Http"}"#);
/// # }
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn admit(
    context: &PatchContext,
    policy: &dyn Policy,
    old: Option<&OwnedDoc>,
    new: OwnedDoc,
) -> Result<Admitted, Vec<Error>> {
    admit_with(context, policy, &mut EngineOnly, old, new)
}

/// Admits an object like [`admit`]. The implementation decides on unions instead of the policy.
///
/// # Errors
///
/// Those of [`admit`], and those of the implementation.
pub fn admit_with(
    context: &PatchContext,
    policy: &dyn Policy,
    implementation: &mut dyn UnionImplementation,
    old: Option<&OwnedDoc>,
    new: OwnedDoc,
) -> Result<Admitted, Vec<Error>> {
    let (admitted, errors) = review_with(context, policy, implementation, old, new);
    if errors.is_empty() { Ok(admitted) } else { Err(errors) }
}

/// Admits an object like [`admit`], and then validates it against its types.
///
/// The validation covers enum values (including those of discriminators), required fields, and the kinds of values.
/// Each server performs it, independently of its union policy. The exception are discriminators on a server whose gate is off
/// ([`Policy::gates`]), which stores any string in them.
///
/// # Errors
///
/// All errors of the object: first those of [`admit`], then those of the types. Of the latter, an error is left out if
/// the policy reported one at the same path, or if the stored object has the same error and the policy tolerates it
/// ([`Policy::tolerates_stored_errors`]). The kinds are those of [`admit`], [`ErrorKind::UnknownEnumValue`],
/// [`ErrorKind::RequiredFieldMissing`], [`ErrorKind::Undecodable`] and [`ErrorKind::TooDeep`].
pub fn admit_and_validate_types(
    context: &PatchContext,
    policy: &dyn Policy,
    old: Option<&OwnedDoc>,
    new: OwnedDoc,
) -> Result<Admitted, Vec<Error>> {
    let (admitted, mut errors) = review(context, policy, old, new);
    let stored = old.filter(|_| policy.tolerates_stored_errors());
    let mut tolerated = stored.map(|old| types::errors(context, policy, old)).unwrap_or_default();
    // A value of a wrong kind cannot be decoded, whether or not it is stored.
    tolerated.retain(|error| error.kind() != ErrorKind::Undecodable);
    let mut type_errors = types::errors(context, policy, &admitted.object);
    type_errors.retain(|error| {
        !tolerated.contains(error) && !errors.iter().any(|other| other.path() == error.path())
    });
    errors.extend(type_errors);
    if errors.is_empty() { Ok(admitted) } else { Err(errors) }
}

/// Normalizes and validates unions like [`admit`], and returns the normalized object also if it has errors.
pub fn review(
    context: &PatchContext,
    policy: &dyn Policy,
    old: Option<&OwnedDoc>,
    new: OwnedDoc,
) -> (Admitted, Vec<Error>) {
    review_with(context, policy, &mut EngineOnly, old, new)
}

/// Returns the normalized object together with the errors of its unions.
fn review_with(
    context: &PatchContext,
    policy: &dyn Policy,
    implementation: &mut dyn UnionImplementation,
    old: Option<&OwnedDoc>,
    mut new: OwnedDoc,
) -> (Admitted, Vec<Error>) {
    let mut admission = Admission {
        schema: &context.schema,
        policy,
        implementation,
        write: if old.is_some() { WriteKind::Update } else { WriteKind::Create },
        path: FieldPath::root(),
        changes: Vec::new(),
        errors: Vec::new(),
        unions: 0,
    };
    if context.schema.reaches_union(context.root) {
        admission.admit_value(context.root, &FieldMeta::default(), old, &mut new);
    }
    let Admission { changes, errors, unions, .. } = admission;
    (Admitted { object: new, changes, unions }, errors)
}

/// The traversal of one object during admission.
struct Admission<'a> {
    schema: &'a Schema,
    policy: &'a dyn Policy,
    implementation: &'a mut dyn UnionImplementation,
    write: WriteKind,
    path: FieldPath,
    changes: Vec<Change>,
    errors: Vec<Error>,
    unions: usize,
}

impl<'a> Admission<'a> {
    fn admit_value(&mut self, ty: TypeId, meta: &FieldMeta, old: Option<&OwnedDoc>, new: &mut OwnedDoc) {
        if self.path.segments().len() > MAX_DEPTH {
            let message = format!("nested too deeply: at most {MAX_DEPTH} levels are validated");
            self.errors.push(Error::new(ErrorKind::TooDeep, message).at_path(&self.path));
            return;
        }
        match (self.schema.get(ty), new) {
            (Type::Struct(s), Doc::Map(new)) => self.admit_fields(s, old.and_then(Doc::as_map), new),
            (Type::Map(ty), Doc::Map(new)) if self.can_have_unions(*ty) => {
                let old = old.and_then(Doc::as_map);
                for (key, value) in new.iter_mut() {
                    let old = old.and_then(|old| old.get(key));
                    let segment = PathSegment::Key(key.clone());
                    self.at(segment, |inner| inner.admit_value(*ty, &FieldMeta::default(), old, value));
                }
            }
            (Type::List(ty), Doc::List(new)) if self.can_have_unions(*ty) => {
                let mut stored_items = StoredItems::new(meta, old.and_then(Doc::as_list).unwrap_or_default());
                for (index, item) in new.iter_mut().enumerate() {
                    let old = stored_items.take_match(index, item);
                    let segment = PathSegment::Index(index);
                    self.at(segment, |inner| inner.admit_value(*ty, &FieldMeta::default(), old, item));
                }
            }
            _ => {}
        }
    }

    /// Admits a part of the object.
    fn at(&mut self, segment: PathSegment, admit: impl FnOnce(&mut Self)) {
        self.path.push(segment);
        admit(self);
        self.path.pop();
    }

    /// Returns true if a value of the type can have unions. Most of an object cannot, and is not visited.
    fn can_have_unions(&self, ty: TypeId) -> bool {
        self.schema.reaches_union(ty)
    }

    fn admit_fields(&mut self, s: &'a StructType, old: Option<&OwnedMap>, new: &mut OwnedMap) {
        let policy = self.policy;
        let unions = || s.unions().iter().filter(|union| policy.has_rules_for(union));
        self.unions += unions().count();
        let left: Vec<&Union> = unions().filter(|union| !self.normalize(old, new, union)).collect();
        for union in left {
            self.validate(old, new, union);
        }
        for (key, value) in new.iter_mut() {
            if let Some(field) = s.field(key).filter(|field| self.can_have_unions(field.ty)) {
                let old = old.and_then(|old| old.get(key));
                let segment = PathSegment::Key(key.clone());
                self.at(segment, |inner| inner.admit_value(field.ty, &field.meta, old, value));
            }
        }
    }
}

impl Admission<'_> {
    /// Normalizes a union. Returns true if it needs no validation, because another implementation decided on it.
    fn normalize(&mut self, old: Option<&OwnedMap>, new: &mut OwnedMap, union: &Union) -> bool {
        let is_asked = self.policy.operation() == Some(UnionOperation::Normalize);
        let request = UnionRequest { union, path: &self.path, old, new };
        let answer = if is_asked { self.implementation.normalize(&request) } else { None };
        let is_decided = answer.is_some();
        let changes = match answer {
            None => self.policy.normalize(self.write, old, new, union),
            Some(Ok(normalized)) => {
                let changes = changes_between(new, &normalized, union.discriminator.as_ref());
                *new = normalized;
                changes
            }
            Some(Err(error)) => {
                self.errors.push(error.at_path(&self.path));
                Vec::new()
            }
        };
        self.changes.extend(changes.into_iter().map(|change| change.with_prefix(&self.path)));
        is_decided
    }

    fn validate(&mut self, old: Option<&OwnedMap>, new: &OwnedMap, union: &Union) {
        let is_asked = self.policy.operation() == Some(UnionOperation::Validate);
        let request = UnionRequest { union, path: &self.path, old, new };
        let answer = if is_asked { self.implementation.validate(&request) } else { None };
        let violations = match answer {
            None => self.policy.validate(self.write, old, new, union),
            Some(mut violations) => {
                violations.extend(self.policy.validate_values(old, new, union));
                violations
            }
        };
        self.errors.extend(violations.into_iter().map(|violation| violation.into_error(&self.path)));
    }
}

/// The stored items of a list, in a form in which the counterpart of an incoming item can be looked up.
enum StoredItems<'v> {
    ByIndex(&'v [OwnedDoc]),
    /// If several stored items have the same keys, they are paired with incoming items in list order.
    ByKeys {
        keys: &'v [OwnedText],
        items: FxHashMap<String, VecDeque<&'v OwnedDoc>>,
    },
}

impl<'v> StoredItems<'v> {
    fn new(meta: &'v FieldMeta, old: &'v [OwnedDoc]) -> Self {
        let keys = item_keys(meta);
        if keys.is_empty() {
            return StoredItems::ByIndex(old);
        }
        let mut items: FxHashMap<String, VecDeque<&OwnedDoc>> = FxHashMap::default();
        for item in old {
            if let Some(key_values) = key_values(keys, item) {
                items.entry(key_values).or_default().push_back(item);
            }
        }
        StoredItems::ByKeys { keys, items }
    }

    /// Returns the stored counterpart of an incoming item. With keys, each stored item is returned only once.
    fn take_match(&mut self, index: usize, item: &OwnedDoc) -> Option<&'v OwnedDoc> {
        match self {
            StoredItems::ByIndex(old) => old.get(index),
            StoredItems::ByKeys { keys, items } => items.get_mut(&key_values(keys, item)?)?.pop_front(),
        }
    }
}

/// Returns the keys that identify the items of a list. The result is empty if only the index identifies them.
fn item_keys(meta: &FieldMeta) -> &[OwnedText] {
    if meta.list_type == Some(ListType::Map) && !meta.list_map_keys.is_empty() {
        &meta.list_map_keys
    } else if meta.strategy != PatchStrategy::Merge {
        &[]
    } else {
        meta.identifying_keys()
    }
}

/// Returns the values of an item's keys as JSON, one per line. Compact JSON has no line breaks, so that different
/// values give different texts. Returns `None` if the item has none of the keys.
fn key_values(keys: &[OwnedText], item: &OwnedDoc) -> Option<String> {
    let map = item.as_map()?;
    keys.iter().any(|key| map.contains_key(key)).then(|| {
        let parts: Vec<String> =
            keys.iter().map(|key| map.get(key).map(Doc::to_string).unwrap_or_default()).collect();
        parts.join("\n")
    })
}
