//! Embedded structs. As in `encoding/json`, the fields of an embedded struct belong to the struct that embeds it.

use std::cmp::Ordering;

use rustc_hash::{FxHashMap, FxHashSet};

use super::declarations::{FieldDecl, TypeDecl};
use super::resolution::{DeclarationIndex, describe_cycle};

/// Maximum depth to which structs can embed other structs.
pub const MAX_EMBEDDING_DEPTH: usize = 32;

/// Maximum number of embedded structs and their fields, summed over all structs of a schema. Each struct has copies of
/// the fields that it embeds. Without a limit, a short source could use up all memory.
pub const MAX_EMBEDDED: usize = 200_000;

/// The embedded structs of all structs.
pub(super) struct Embedding<'i, 'd> {
    index: &'i DeclarationIndex<'d>,
    /// The embedded structs, by the index of the declaration that embeds them. Structs without embedded structs are
    /// left out.
    embedded: FxHashMap<usize, EmbeddedStructs>,
    errors: Vec<String>,
}

/// The structs that a struct embeds at any depth, by the index of their declaration.
type EmbeddedStructs = FxHashMap<usize, EmbeddedStruct>;

#[derive(Clone, Copy)]
struct EmbeddedStruct {
    /// The smallest depth at which the struct is embedded. A directly embedded struct has depth 1.
    depth: usize,
    /// Whether the struct is embedded several times at this depth.
    is_repeated: bool,
}

/// A field with the struct that declares it.
pub(super) struct FlattenedField<'d> {
    pub(super) field: &'d FieldDecl,
    pub(super) declared_in: &'d str,
    /// Whether the struct of the field is embedded by a pointer, directly or through another embedded struct.
    pub(super) is_embedded_by_pointer: bool,
    depth: usize,
    /// The struct and the line of another field with the same name and depth, if there is one.
    pub(super) duplicate: Option<(&'d str, u32)>,
}

impl<'i, 'd> Embedding<'i, 'd> {
    /// Collects the embedded structs of all structs. Structs with errors are left out. [`Embedding::take_errors`]
    /// returns the errors.
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
                    "{}: the structs of this schema embed more than {MAX_EMBEDDED} structs and fields in all",
                    subject(index.get(ty))
                ));
                break;
            };
            embedding.embedded.insert(ty, embedded);
        }
        embedding
    }

    /// Removes and returns the errors about structs that embed themselves, types that are not structs, or too many
    /// structs.
    pub(super) fn take_errors(&mut self) -> Vec<String> {
        std::mem::take(&mut self.errors)
    }

    /// Returns a struct and the structs that it embeds at any depth, in the order of the source.
    pub(super) fn structs(&self, ty: usize) -> Vec<usize> {
        let mut structs = vec![ty];
        self.visit(ty, &mut |visited| {
            if let Visited::Struct(entered) = visited {
                structs.push(entered);
            }
        });
        structs
    }

    /// Returns the fields of a struct in the order of the source, including those of embedded structs. If several
    /// fields have the same name, the field with the smallest depth is returned.
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
        // The path from the outermost struct to the current one. Each struct has an iterator over its remaining fields.
        let mut open = vec![(ty, fields_of(ty), false)];
        while let Some((declaring, fields, by_pointer)) = open.last_mut() {
            let (declaring, is_embedded_by_pointer) = (*declaring, *by_pointer);
            let Some(field) = fields.next() else {
                open.pop();
                continue;
            };
            let depth = open.len() - 1;
            if !field.inline {
                let is_repeated = embedded.get(&declaring).is_some_and(|embedded| embedded.is_repeated);
                let declared_in = self.index.get(declaring).name.as_str();
                let field =
                    FlattenedField { field, declared_in, is_embedded_by_pointer, depth, duplicate: None };
                enter(Visited::Field(field, is_repeated));
                continue;
            }
            let Some(target) = self.index.resolve_struct(&field.ty) else { continue };
            // The fields of a struct that is embedded several times are visited once, at the smallest depth.
            let is_nearest = embedded.get(&target).is_some_and(|embedded| embedded.depth == depth + 1);
            if is_nearest && entered.insert(target) {
                enter(Visited::Struct(target));
                let by_pointer = is_embedded_by_pointer || self.index.resolve(&field.ty).is_pointer;
                open.push((target, fields_of(target), by_pointer));
            }
        }
    }
}

/// Returns the name of a type for an error message, with its line if the line is known.
fn subject(decl: &TypeDecl) -> String {
    if decl.line == 0 { decl.name.clone() } else { format!("{}, line {}", decl.name, decl.line) }
}

/// A field or an embedded struct that is visited.
enum Visited<'d> {
    /// The index of the declaration of an embedded struct.
    Struct(usize),
    /// A field. The flag is true if the struct of the field is embedded several times at the same depth.
    Field(FlattenedField<'d>, bool),
}

/// Returns the indices of the declarations that a struct embeds directly.
fn direct_targets(index: &DeclarationIndex<'_>, ty: usize, errors: &mut Vec<String>) -> Vec<usize> {
    let mut targets = Vec::new();
    for field in index.struct_fields(ty).unwrap_or_default().iter().filter(|field| field.inline) {
        match index.resolve_struct(&field.ty) {
            Some(target) => targets.push(target),
            None => errors.push(format!(
                "{}, line {}: only a struct can be inlined, but {} is not a struct",
                index.get(ty).name,
                field.line,
                if field.go_name.is_empty() { &field.name } else { &field.go_name },
            )),
        }
    }
    targets
}

/// Returns the structs that a struct embeds at any depth. Subtracts the number of these structs and their fields from
/// the budget. Returns `None` if the budget is exceeded.
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

/// The length of the longest chain of structs that a struct embeds, by the index of its declaration.
struct Heights(FxHashMap<usize, usize>);

impl Heights {
    /// Computes the lengths of these chains. Adds an error for each struct that embeds itself, and for each chain that
    /// is too long.
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
            // The path from `start` to the current struct. Each struct has its remaining targets and its height so far.
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
                // An error is reported only for the first struct of a chain that exceeds the limit. The errors of
                // structs that embed this struct would be consequences.
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
