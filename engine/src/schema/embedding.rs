//! Embedded structs: the structs whose fields belong to the one that embeds them, as in `encoding/json`.

use std::cmp::Ordering;

use rustc_hash::{FxHashMap, FxHashSet};

use super::declarations::{FieldDecl, TypeDecl};
use super::resolution::{DeclarationIndex, describe_cycle};

/// Maximum length of a chain of structs that embed each other.
pub const MAX_EMBEDDING_DEPTH: usize = 32;

/// Maximum number of structs and fields that all structs of a schema together get by embedding. Each gets copies of
/// them, so that a few lines could otherwise fill any memory.
pub const MAX_EMBEDDED: usize = 200_000;

/// The embedded structs of every struct.
pub(super) struct Embedding<'i, 'd> {
    index: &'i DeclarationIndex<'d>,
    /// By the index of the declaration; structs that embed none are left out.
    embedded: FxHashMap<usize, EmbeddedStructs>,
    errors: Vec<String>,
}

/// The structs that a struct embeds, at any depth, by the index of their declaration.
type EmbeddedStructs = FxHashMap<usize, EmbeddedStruct>;

#[derive(Clone, Copy)]
struct EmbeddedStruct {
    /// The least depth at which it is embedded; from 1.
    depth: usize,
    /// Whether it is embedded several times at this depth.
    is_repeated: bool,
}

/// A field with the struct that declares it.
pub(super) struct FlattenedField<'d> {
    pub(super) field: &'d FieldDecl,
    pub(super) declared_in: &'d str,
    depth: usize,
    /// The struct and the line of another field of the same name and depth.
    pub(super) duplicate: Option<(&'d str, u32)>,
}

impl<'i, 'd> Embedding<'i, 'd> {
    /// Finds the embedded structs of all structs. Errors leave structs out; see [`Embedding::errors`].
    pub(super) fn new(index: &'i DeclarationIndex<'d>, types: usize) -> Self {
        let mut edges: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        let mut errors = Vec::new();
        for ty in 0..types {
            let targets = direct_targets(index, ty, &mut errors);
            if !targets.is_empty() {
                edges.insert(ty, targets);
            }
        }
        let heights = Heights::new(index, &edges, types, &mut errors);
        let mut embedding = Embedding { index, embedded: FxHashMap::default(), errors };
        let mut budget = MAX_EMBEDDED;
        for ty in 0..types {
            if !edges.contains_key(&ty) || heights.of(ty) > MAX_EMBEDDING_DEPTH {
                continue;
            }
            let Some(embedded) = embedded_in(ty, &edges, index, &mut budget) else {
                embedding.errors.push(format!(
                    "{}: with it embedding gives the structs of this schema more than {MAX_EMBEDDED} structs and fields",
                    subject(index.get(ty))
                ));
                break;
            };
            embedding.embedded.insert(ty, embedded);
        }
        embedding
    }

    /// Removes and returns the errors: structs that embed themselves, something else than a struct, or too many.
    pub(super) fn take_errors(&mut self) -> Vec<String> {
        std::mem::take(&mut self.errors)
    }

    /// Returns the structs whose fields a struct has: itself, and those that it embeds, in the order of the source.
    pub(super) fn structs(&self, ty: usize) -> Vec<usize> {
        let mut structs = vec![ty];
        self.visit(ty, &mut |visited| {
            if let Visited::Struct(entered) = visited {
                structs.push(entered);
            }
        });
        structs
    }

    /// Returns the fields of a struct in the order of the source, those of embedded structs included. Of several with
    /// one name the one with the least depth counts.
    pub(super) fn fields(&self, ty: usize) -> Vec<FlattenedField<'d>> {
        let own = self.index.struct_fields(ty).unwrap_or_default();
        let mut fields: Vec<FlattenedField<'d>> = Vec::with_capacity(own.len());
        let mut index_by_name: FxHashMap<&'d str, usize> = FxHashMap::default();
        index_by_name.reserve(own.len());
        self.visit(ty, &mut |visited| {
            let Visited::Field(mut field, is_repeated) = visited else { return };
            if is_repeated {
                field.duplicate = Some((field.declared_in, field.field.line));
            }
            let Some(&known) = index_by_name.get(field.field.name.as_str()) else {
                index_by_name.insert(&field.field.name, fields.len());
                fields.push(field);
                return;
            };
            let known = &mut fields[known];
            match known.depth.cmp(&field.depth) {
                Ordering::Less => {}
                Ordering::Equal => known.duplicate = Some((field.declared_in, field.field.line)),
                Ordering::Greater => *known = field,
            }
        });
        fields
    }

    /// Calls `enter` for each field and each embedded struct of a struct, in the order of the source.
    fn visit(&self, ty: usize, enter: &mut impl FnMut(Visited<'d>)) {
        let fields_of = |ty: usize| self.index.struct_fields(ty).unwrap_or_default().iter();
        let none = EmbeddedStructs::default();
        let embedded = self.embedded.get(&ty).unwrap_or(&none);
        let mut entered = FxHashSet::default();
        // The structs on the way to the present one, each with its remaining fields.
        let mut open = vec![(ty, fields_of(ty))];
        while let Some((declaring, fields)) = open.last_mut() {
            let declaring = *declaring;
            let Some(field) = fields.next() else {
                open.pop();
                continue;
            };
            let depth = open.len() - 1;
            if !field.inline {
                let is_repeated = embedded.get(&declaring).is_some_and(|embedded| embedded.is_repeated);
                let declared_in = self.index.get(declaring).name.as_str();
                let field = FlattenedField { field, declared_in, depth, duplicate: None };
                enter(Visited::Field(field, is_repeated));
                continue;
            }
            let Some(target) = self.index.resolve_struct(&field.ty) else { continue };
            // A struct that is embedded several times has its fields once: where its depth is least.
            let is_nearest = embedded.get(&target).is_some_and(|embedded| embedded.depth == depth + 1);
            if is_nearest && entered.insert(target) {
                enter(Visited::Struct(target));
                open.push((target, fields_of(target)));
            }
        }
    }
}

/// Returns the name of a type in messages, with its line where the source has lines.
fn subject(decl: &TypeDecl) -> String {
    if decl.line == 0 { decl.name.clone() } else { format!("{}, line {}", decl.name, decl.line) }
}

/// A part of a struct.
enum Visited<'d> {
    /// An embedded struct, by the index of its declaration.
    Struct(usize),
    /// A field, and whether its struct is embedded several times at one depth.
    Field(FlattenedField<'d>, bool),
}

/// Returns the structs that a struct embeds itself, by the index of their declaration.
fn direct_targets(index: &DeclarationIndex<'_>, ty: usize, errors: &mut Vec<String>) -> Vec<usize> {
    let mut targets = Vec::new();
    for field in index.struct_fields(ty).unwrap_or_default().iter().filter(|field| field.inline) {
        match index.resolve_struct(&field.ty) {
            Some(target) => targets.push(target),
            None => errors.push(format!(
                "{}, line {}: only a struct can be inlined, and {} is none",
                index.get(ty).name,
                field.line,
                if field.go_name.is_empty() { &field.name } else { &field.go_name },
            )),
        }
    }
    targets
}

/// Returns the structs that a struct embeds at any depth; `None` when that takes more than the budget.
fn embedded_in(
    ty: usize,
    edges: &FxHashMap<usize, Vec<usize>>,
    index: &DeclarationIndex<'_>,
    budget: &mut usize,
) -> Option<EmbeddedStructs> {
    let mut embedded = EmbeddedStructs::default();
    let mut level = vec![ty];
    let mut depth = 0;
    while !level.is_empty() {
        depth += 1;
        let mut next = Vec::new();
        for target in level.iter().filter_map(|ty| edges.get(ty)).flatten() {
            if *target == ty {
                continue;
            }
            if let Some(known) = embedded.get_mut(target) {
                known.is_repeated |= known.depth == depth;
                continue;
            }
            let fields = index.struct_fields(*target).unwrap_or_default().len();
            *budget = budget.checked_sub(1 + fields)?;
            embedded.insert(*target, EmbeddedStruct { depth, is_repeated: false });
            next.push(*target);
        }
        level = next;
    }
    Some(embedded)
}

/// The lengths of the longest chains of embedded structs, by the index of the declaration.
struct Heights(FxHashMap<usize, usize>);

impl Heights {
    /// Reports structs that embed themselves, and the ends of chains that are too long.
    fn new(
        index: &DeclarationIndex<'_>,
        edges: &FxHashMap<usize, Vec<usize>>,
        types: usize,
        errors: &mut Vec<String>,
    ) -> Self {
        let no_targets = Vec::new();
        let targets_of = |ty: usize| edges.get(&ty).unwrap_or(&no_targets).iter();
        let mut heights: FxHashMap<usize, usize> = FxHashMap::default();
        let mut position_on_path: FxHashMap<usize, usize> = FxHashMap::default();
        for start in (0..types).filter(|ty| edges.contains_key(ty)) {
            if heights.contains_key(&start) {
                continue;
            }
            // Each struct on the path with its remaining targets and its height so far.
            let mut path = vec![(start, targets_of(start), 0)];
            position_on_path.insert(start, 0);
            while let Some((ty, targets, height)) = path.last_mut() {
                if let Some(&target) = targets.next() {
                    if let Some(first) = position_on_path.get(&target) {
                        let cycle: Vec<usize> = path[*first..].iter().map(|(ty, ..)| *ty).collect();
                        let subject = subject(index.get(target));
                        let cycle = describe_cycle(index, &cycle);
                        errors.push(format!("{subject}: the struct embeds itself: {cycle}"));
                    } else if let Some(below) = heights.get(&target) {
                        *height = (*height).max(below + 1);
                    } else {
                        position_on_path.insert(target, path.len());
                        path.push((target, targets_of(target), 0));
                    }
                    continue;
                }
                let (ty, height) = (*ty, *height);
                // Longer chains are consequences.
                if height == MAX_EMBEDDING_DEPTH + 1 {
                    errors.push(format!(
                        "{}: the struct embeds a chain of more than {MAX_EMBEDDING_DEPTH} structs",
                        subject(index.get(ty))
                    ));
                }
                heights.insert(ty, height);
                position_on_path.remove(&ty);
                path.pop();
                if let Some((_, _, above)) = path.last_mut() {
                    *above = (*above).max(height + 1);
                }
            }
        }
        Heights(heights)
    }

    fn of(&self, ty: usize) -> usize {
        self.0.get(&ty).copied().unwrap_or_default()
    }
}
