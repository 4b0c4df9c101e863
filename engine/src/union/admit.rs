//! A whole object through a policy: unions at any depth, in maps and in lists.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::policy::{Change, Policy, Write, at_path};
use crate::error::{Error, ErrorKind};
use crate::patch::Knowledge;
use crate::path::{Path, Segment};
use crate::schema::{FieldMeta, ListType, Schema, Strategy, StructType, Type, TypeId};
use crate::value::{MAX_DEPTH, Map, Str, Value};

/// An object that a server accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct Admitted {
    /// As it is stored.
    pub object: Value,
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
/// use skewer_engine::patch::Knowledge;
/// use skewer_engine::schema::{Schema, go};
/// use skewer_engine::union::{admit, policy};
/// use skewer_engine::value::from_json;
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
/// let action = Knowledge::of(Arc::new(Schema::compile(&declarations).unwrap()), "Action")?;
/// let old = from_json(br#"{"type":"Exec","exec":{}}"#)?;
/// // Somebody who does not know `exec` sets the other member.
/// let new = from_json(br#"{"type":"Http","exec":{},"http":{}}"#)?;
/// let admitted = admit(&action, policy::by_name("kep-1027").expect("it exists"), Some(&old), new).unwrap();
/// assert_eq!(admitted.object.to_string(), r#"{"http":{},"type":"Http"}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn admit(
    knowledge: &Knowledge,
    policy: &dyn Policy,
    old: Option<&Value>,
    mut new: Value,
) -> Result<Admitted, Vec<Error>> {
    let mut admission = Admission {
        schema: &knowledge.schema,
        policy,
        write: if old.is_some() { Write::Update } else { Write::Create },
        at: Path::root(),
        changes: Vec::new(),
        errors: Vec::new(),
    };
    if knowledge.schema.has_unions() {
        admission.value((knowledge.root, &FieldMeta::default()), old, &mut new);
    }
    let Admission { changes, errors, .. } = admission;
    if errors.is_empty() { Ok(Admitted { object: new, changes }) } else { Err(errors) }
}

struct Admission<'a> {
    schema: &'a Schema,
    policy: &'a dyn Policy,
    write: Write,
    at: Path,
    changes: Vec<Change>,
    errors: Vec<Error>,
}

impl<'a> Admission<'a> {
    fn value(&mut self, (ty, meta): (TypeId, &FieldMeta), old: Option<&Value>, new: &mut Value) {
        if self.at.segments().len() > MAX_DEPTH {
            let message = format!("nested too deeply: at most {MAX_DEPTH} levels are looked at");
            self.errors.push(at_path(Error::new(ErrorKind::TooDeep, message), &self.at));
            return;
        }
        match (self.schema.get(ty), new) {
            (Type::Struct(s), Value::Map(new)) => self.fields(s, old.and_then(Value::as_map), new),
            (Type::Map(of), Value::Map(new)) if self.can_hold_unions(*of) => {
                let old = old.and_then(Value::as_map);
                for (key, value) in new.iter_mut() {
                    let old = old.and_then(|old| old.get(key));
                    self.below(Segment::Key(key.clone()), (*of, &FieldMeta::default()), old, value);
                }
            }
            (Type::List(of), Value::List(new)) if self.can_hold_unions(*of) => {
                let mut stored = Stored::of(meta, old.and_then(Value::as_list).unwrap_or_default());
                for (index, item) in new.iter_mut().enumerate() {
                    let old = stored.of_item(index, item);
                    self.below(Segment::Index(index), (*of, &FieldMeta::default()), old, item);
                }
            }
            _ => {}
        }
    }

    fn below(&mut self, step: Segment, ty: (TypeId, &FieldMeta), old: Option<&Value>, new: &mut Value) {
        self.at.push(step);
        self.value(ty, old, new);
        self.at.pop();
    }

    fn can_hold_unions(&self, ty: TypeId) -> bool {
        matches!(self.schema.get(ty), Type::Struct(_) | Type::Map(_) | Type::List(_))
    }

    fn fields(&mut self, s: &'a StructType, old: Option<&Map>, new: &mut Map) {
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
                self.below(Segment::Key(key.clone()), (field.ty, &field.meta), old, value);
            }
        }
    }
}

/// The stored items of a list, found by the items that come in.
enum Stored<'v> {
    ByPlace(&'v [Value]),
    /// Items of equal keys are taken in their order.
    ByKeys {
        keys: &'v [Str],
        items: FxHashMap<String, VecDeque<&'v Value>>,
    },
}

impl<'v> Stored<'v> {
    fn of(meta: &'v FieldMeta, old: &'v [Value]) -> Self {
        let keys = keys(meta);
        if keys.is_empty() {
            return Stored::ByPlace(old);
        }
        let mut items: FxHashMap<String, VecDeque<&Value>> = FxHashMap::default();
        for item in old {
            if let Some(identity) = identity(keys, item) {
                items.entry(identity).or_default().push_back(item);
            }
        }
        Stored::ByKeys { keys, items }
    }

    fn of_item(&mut self, index: usize, item: &Value) -> Option<&'v Value> {
        match self {
            Stored::ByPlace(old) => old.get(index),
            Stored::ByKeys { keys, items } => items.get_mut(&identity(keys, item)?)?.pop_front(),
        }
    }
}

/// By which keys the items of a list are told apart; none when only their place does.
fn keys(meta: &FieldMeta) -> &[Str] {
    if meta.list_type == Some(ListType::Map) && !meta.list_map_keys.is_empty() {
        &meta.list_map_keys
    } else if meta.strategy != Strategy::Merge {
        &[]
    } else if meta.recommended_merge_key.is_empty() {
        &meta.merge_key
    } else {
        &meta.recommended_merge_key
    }
}

/// The keys' values as JSON, in which no line break stands for itself; `None` for an item that has none of them.
fn identity(keys: &[Str], item: &Value) -> Option<String> {
    let map = item.as_map()?;
    keys.iter().any(|key| map.contains_key(key)).then(|| {
        let parts: Vec<String> =
            keys.iter().map(|key| map.get(key).map(Value::to_string).unwrap_or_default()).collect();
        parts.join("\n")
    })
}
