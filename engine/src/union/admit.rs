//! A whole object through a policy: unions at any depth, in maps and in lists.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::policy::{Change, Policy, WriteKind, at_path};
use crate::document::{Doc, MAX_DEPTH, OwnedDoc, OwnedMap, OwnedText};
use crate::error::{Error, ErrorKind};
use crate::field_path::{FieldPath, PathSegment};
use crate::patch::PatchContext;
use crate::schema::{FieldMeta, ListType, PatchStrategy, Schema, StructType, Type, TypeId};

/// An object that a server accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct Admitted {
    /// As it is stored.
    pub object: OwnedDoc,
    /// What normalization did to it, from the outside in.
    pub changes: Vec<Change>,
}

/// Normalizes and validates the unions of an object as a server does that knows these types. `old` is what is stored
/// (`None`: the object is created), `new` what comes in, merged.
///
/// Every struct with unions is held against its stored self: fields against fields of the same name, values of maps
/// likewise, items of lists by their keys where the list merges by keys or is one of type `map`, else by their
/// place. In each struct all unions are normalized, then all are validated, then its fields are gone into; a member
/// that was cleared is not.
///
/// All errors come at once, in the order of the walk, each with its path: the kinds that begin with `union-`, of
/// [`ErrorKind`], and [`ErrorKind::TooDeep`]. What is not of the type that the schema gives is left to the decoder.
///
/// ```
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
/// // Somebody who does not know `exec` sets the other member.
/// let new = from_json(br#"{"type":"Http","exec":{},"http":{}}"#)?;
/// let admitted = admit(&action, policy::by_name("kep-1027").expect("it exists"), Some(&old), new).unwrap();
/// assert_eq!(admitted.object.to_string(), r#"{"http":{},"type":"Http"}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn admit(
    context: &PatchContext,
    policy: &dyn Policy,
    old: Option<&OwnedDoc>,
    mut new: OwnedDoc,
) -> Result<Admitted, Vec<Error>> {
    let mut admission = Admission {
        schema: &context.schema,
        policy,
        write: if old.is_some() { WriteKind::Update } else { WriteKind::Create },
        at: FieldPath::root(),
        changes: Vec::new(),
        errors: Vec::new(),
    };
    if context.schema.has_unions() {
        admission.value((context.root, &FieldMeta::default()), old, &mut new);
    }
    let Admission { changes, errors, .. } = admission;
    if errors.is_empty() { Ok(Admitted { object: new, changes }) } else { Err(errors) }
}

struct Admission<'a> {
    schema: &'a Schema,
    policy: &'a dyn Policy,
    write: WriteKind,
    at: FieldPath,
    changes: Vec<Change>,
    errors: Vec<Error>,
}

impl<'a> Admission<'a> {
    fn value(&mut self, (ty, meta): (TypeId, &FieldMeta), old: Option<&OwnedDoc>, new: &mut OwnedDoc) {
        if self.at.segments().len() > MAX_DEPTH {
            let message = format!("nested too deeply: at most {MAX_DEPTH} levels are looked at");
            self.errors.push(at_path(Error::new(ErrorKind::TooDeep, message), &self.at));
            return;
        }
        match (self.schema.get(ty), new) {
            (Type::Struct(s), Doc::Map(new)) => self.fields(s, old.and_then(Doc::as_map), new),
            (Type::Map(of), Doc::Map(new)) if self.can_hold_unions(*of) => {
                let old = old.and_then(Doc::as_map);
                for (key, value) in new.iter_mut() {
                    let old = old.and_then(|old| old.get(key));
                    self.below(PathSegment::Key(key.clone()), (*of, &FieldMeta::default()), old, value);
                }
            }
            (Type::List(of), Doc::List(new)) if self.can_hold_unions(*of) => {
                let mut stored = Stored::of(meta, old.and_then(Doc::as_list).unwrap_or_default());
                for (index, item) in new.iter_mut().enumerate() {
                    let old = stored.of_item(index, item);
                    self.below(PathSegment::Index(index), (*of, &FieldMeta::default()), old, item);
                }
            }
            _ => {}
        }
    }

    fn below(
        &mut self,
        step: PathSegment,
        ty: (TypeId, &FieldMeta),
        old: Option<&OwnedDoc>,
        new: &mut OwnedDoc,
    ) {
        self.at.push(step);
        self.value(ty, old, new);
        self.at.pop();
    }

    fn can_hold_unions(&self, ty: TypeId) -> bool {
        matches!(self.schema.get(ty), Type::Struct(_) | Type::Map(_) | Type::List(_))
    }

    fn fields(&mut self, s: &'a StructType, old: Option<&OwnedMap>, new: &mut OwnedMap) {
        for union in s.unions() {
            let changes = self.policy.normalize(self.write, old, new, union);
            self.changes.extend(changes.into_iter().map(|change| change.under(&self.at)));
        }
        for union in s.unions() {
            let violations = self.policy.validate(self.write, old, new, union);
            self.errors.extend(violations.into_iter().map(|violation| violation.into_error(&self.at)));
        }
        for (key, value) in new.iter_mut() {
            if let Some(field) = s.field(key).filter(|field| self.can_hold_unions(field.ty)) {
                let old = old.and_then(|old| old.get(key));
                self.below(PathSegment::Key(key.clone()), (field.ty, &field.meta), old, value);
            }
        }
    }
}

/// The stored items of a list, found by the items that come in.
enum Stored<'v> {
    ByPlace(&'v [OwnedDoc]),
    /// Items of equal keys are taken in their order.
    ByKeys {
        keys: &'v [OwnedText],
        items: FxHashMap<String, VecDeque<&'v OwnedDoc>>,
    },
}

impl<'v> Stored<'v> {
    fn of(meta: &'v FieldMeta, old: &'v [OwnedDoc]) -> Self {
        let keys = keys(meta);
        if keys.is_empty() {
            return Stored::ByPlace(old);
        }
        let mut items: FxHashMap<String, VecDeque<&OwnedDoc>> = FxHashMap::default();
        for item in old {
            if let Some(identity) = identity(keys, item) {
                items.entry(identity).or_default().push_back(item);
            }
        }
        Stored::ByKeys { keys, items }
    }

    fn of_item(&mut self, index: usize, item: &OwnedDoc) -> Option<&'v OwnedDoc> {
        match self {
            Stored::ByPlace(old) => old.get(index),
            Stored::ByKeys { keys, items } => items.get_mut(&identity(keys, item)?)?.pop_front(),
        }
    }
}

/// By which keys the items of a list are told apart; none when only their place does.
fn keys(meta: &FieldMeta) -> &[OwnedText] {
    if meta.list_type == Some(ListType::Map) && !meta.list_map_keys.is_empty() {
        &meta.list_map_keys
    } else if meta.strategy != PatchStrategy::Merge {
        &[]
    } else if meta.recommended_merge_key.is_empty() {
        &meta.merge_key
    } else {
        &meta.recommended_merge_key
    }
}

/// The keys' values as JSON, in which no line break stands for itself; `None` for an item that has none of them.
fn identity(keys: &[OwnedText], item: &OwnedDoc) -> Option<String> {
    let map = item.as_map()?;
    keys.iter().any(|key| map.contains_key(key)).then(|| {
        let parts: Vec<String> =
            keys.iter().map(|key| map.get(key).map(Doc::to_string).unwrap_or_default()).collect();
        parts.join("\n")
    })
}
