//! Types with all kinds of patch metadata.

use skewer_engine::schema::{Declarations, FieldDecl, PatchMeta, ScalarType, Shape, TypeDecl, TypeExpr};

use crate::random_testing::Random;

/// How deep structs nest below the root.
const DEPTH: usize = 2;

/// Makes a set of types whose root is `Object`.
pub(super) fn types(random: &mut Random) -> Declarations {
    let mut maker = Maker { random, types: Vec::new() };
    maker.structure("Object", 0, Vec::new());
    let mut types = maker.types;
    // The root first, as one reads it.
    types.reverse();
    Declarations { types }
}

struct Maker<'a> {
    random: &'a mut Random,
    types: Vec<TypeDecl>,
}

/// The fields that a struct can get: each at most once, so that names differ.
const KINDS: [Kind; 8] = [
    Kind::Text,
    Kind::Number,
    Kind::Labels,
    Kind::Union,
    Kind::Scalars,
    Kind::Items,
    Kind::Items,
    Kind::Inner,
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Labels,
    Union,
    Scalars,
    Items,
    Inner,
}

impl Maker<'_> {
    /// A struct with these fields and some more; returns its name.
    fn structure(&mut self, name: &str, depth: usize, mut fields: Vec<FieldDecl>) -> String {
        let mut kinds = KINDS;
        self.random.shuffle(&mut kinds);
        let wanted = 1 + self.random.below(3);
        for kind in kinds {
            if fields.len() >= wanted + 2 {
                break;
            }
            if let Some(field) = self.field(kind, depth)
                && fields.iter().all(|held| held.name != field.name)
            {
                fields.push(field);
            }
        }
        let taken = self.types.iter().filter(|ty| ty.name.trim_end_matches(char::is_numeric) == name).count();
        let name = if taken == 0 { name.to_owned() } else { format!("{name}{}", taken + 1) };
        let shape = Shape::Struct(fields);
        self.types.push(TypeDecl { name: name.clone(), shape, markers: Vec::new(), line: 0 });
        name
    }

    fn field(&mut self, kind: Kind, depth: usize) -> Option<FieldDecl> {
        if depth >= DEPTH && !matches!(kind, Kind::Text | Kind::Number | Kind::Scalars) {
            return None;
        }
        Some(match kind {
            Kind::Text => field("note", text(), PatchMeta::default()),
            Kind::Number => field("size", TypeExpr::Scalar(ScalarType::Integer), PatchMeta::default()),
            Kind::Labels => field("labels", TypeExpr::Map(Box::new(text())), PatchMeta::default()),
            Kind::Union => self.union(depth),
            Kind::Scalars => {
                let merge = self.random.chance(750);
                field("tags", TypeExpr::List(Box::new(text())), meta(if merge { &["merge"] } else { &[] }))
            }
            Kind::Items => self.items(depth),
            Kind::Inner => {
                let name = self.structure("Inner", depth + 1, Vec::new());
                field("inner", pointer(name), PatchMeta::default())
            }
        })
    }

    /// A discriminated union, mostly tagged so that it is cleared.
    fn union(&mut self, depth: usize) -> FieldDecl {
        let mut fields = vec![field("type", text(), PatchMeta::default())];
        for member in ["foo", "bar"] {
            let name = self.structure("Member", depth + 1, Vec::new());
            fields.push(field(member, pointer(name), PatchMeta::default()));
        }
        let name = self.structure("Union", depth + 1, fields);
        let strategies: &[&str] = if self.random.chance(700) { &["retainKeys"] } else { &[] };
        field("union", pointer(name), meta(strategies))
    }

    /// A list of maps: merging by one key or by several, replaced, or replaced with recommended keys.
    fn items(&mut self, depth: usize) -> FieldDecl {
        let keys =
            vec![field("name", text(), PatchMeta::default()), field("kind", text(), PatchMeta::default())];
        let item = self.structure("Item", depth + 1, keys);
        let mut patch = PatchMeta::default();
        if self.random.chance(800) {
            let tagged = self.random.chance(300);
            patch = meta(if tagged { &["merge", "retainKeys"] } else { &["merge"] });
            patch.merge_key = vec!["name".to_owned()];
        }
        let recommended: &[&str] = match self.random.below(4) {
            0 => &["name"],
            1 => &["name", "kind"],
            _ => &[],
        };
        patch.recommended_merge_key = recommended.iter().map(|key| (*key).to_owned()).collect();
        field("items", TypeExpr::List(Box::new(TypeExpr::Named(item))), patch)
    }
}

fn text() -> TypeExpr {
    TypeExpr::Scalar(ScalarType::String)
}

fn pointer(name: String) -> TypeExpr {
    TypeExpr::Pointer(Box::new(TypeExpr::Named(name)))
}

fn meta(strategies: &[&str]) -> PatchMeta {
    PatchMeta { strategies: strategies.iter().map(|s| (*s).to_owned()).collect(), ..PatchMeta::default() }
}

fn field(name: &str, ty: TypeExpr, patch: PatchMeta) -> FieldDecl {
    FieldDecl {
        name: name.to_owned(),
        go_name: String::new(),
        ty,
        inline: false,
        omit_empty: true,
        omit_zero: false,
        required: None,
        default: None,
        patch,
        markers: Vec::new(),
        line: 0,
    }
}
