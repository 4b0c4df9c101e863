//! Overlays: declarations that change base declarations. A case uses an overlay, for example, to migrate a union.

use std::collections::{HashMap, HashSet};

use super::type_topology::{declares_list_map_key, declares_list_type, declares_map_type};
use super::{Declarations, FieldDecl, Marker, PatchMeta, Shape, TypeDecl, TypeExpr};
use crate::error::{Error, ErrorKind};

/// A declaration of an overlay that contradicts the base declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OverlayConflict {
    /// The line of the declaration in the text of the overlay.
    pub line: u32,
    /// A description of the contradiction.
    pub message: String,
}

impl From<OverlayConflict> for Error {
    fn from(conflict: OverlayConflict) -> Self {
        Error::new(ErrorKind::InvalidSchema, format!("line {}: {}", conflict.line, conflict.message))
    }
}

impl Declarations {
    /// Merges an overlay into these base declarations. The result contains only the types that can be reached from the
    /// type `root`.
    ///
    /// `base_name` maps the name of a type in the overlay to its name in the base. It returns `None` for new types.
    ///
    /// A struct keeps the fields of the base. A field that the overlay declares again gets the markers, tags and line
    /// of the overlay. The struct tags, the list type (with its keys) and the map type are kept if the overlay does not
    /// declare them again. New fields come after the fields of the base. An enum has the values of both declarations, and
    /// is closed if one of them is closed.
    ///
    /// # Errors
    ///
    /// An [`OverlayConflict`] for each type or field that the overlay declares with another type than the base.
    pub fn overlaid_with(
        &self,
        overlay: &Declarations,
        root: &str,
        base_name: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Declarations, Vec<OverlayConflict>> {
        let mut merged: HashMap<&str, TypeDecl> = HashMap::new();
        let mut added = Vec::new();
        let mut conflicts = Vec::new();
        let mut base_by_name: HashMap<&str, &TypeDecl> = HashMap::with_capacity(self.types.len());
        for base in &self.types {
            base_by_name.entry(&base.name).or_insert(base);
        }
        for declaration in &overlay.types {
            let mut declaration = declaration.clone();
            use_base_names(&mut declaration, base_name);
            let Some(base) = base_by_name.get(declaration.name.as_str()).copied() else {
                added.push(declaration);
                continue;
            };
            let base = merged.entry(&base.name).or_insert_with(|| base.clone());
            merge_type(base, declaration, &mut conflicts);
        }
        if !conflicts.is_empty() {
            return Err(conflicts);
        }
        // Only the reachable types are copied, because they are a small part of a release.
        let base = self.types.iter().map(|base| merged.get(base.name.as_str()).unwrap_or(base));
        let all: Vec<&TypeDecl> = base.chain(&added).collect();
        let needed = reachable_from(root, &all);
        let needed_types = all.into_iter().filter(|ty| needed.contains(ty.name.as_str())).cloned();
        Ok(Declarations { types: needed_types.collect() })
    }
}

/// Returns the names of all types that can be reached from the root, including the root.
fn reachable_from<'a>(root: &'a str, types: &[&'a TypeDecl]) -> HashSet<&'a str> {
    let by_name: HashMap<&str, &TypeDecl> = types.iter().map(|ty| (ty.name.as_str(), *ty)).collect();
    let mut reachable = HashSet::new();
    let mut queue = vec![root];
    while let Some(name) = queue.pop() {
        let Some(ty) = by_name.get(name) else { continue };
        if reachable.insert(name) {
            match &ty.shape {
                Shape::Struct(fields) => {
                    queue.extend(fields.iter().filter_map(|field| field.ty.referenced_name()));
                }
                Shape::Alias(target) => queue.extend(target.referenced_name()),
                Shape::Enum { .. } => {}
            }
        }
    }
    reachable
}

/// Replaces the type names in a declaration of the overlay by their names in the base.
fn use_base_names(declaration: &mut TypeDecl, base_name: &dyn Fn(&str) -> Option<String>) {
    if let Some(name) = base_name(&declaration.name) {
        declaration.name = name;
    }
    match &mut declaration.shape {
        Shape::Struct(fields) => {
            for field in fields {
                use_base_names_in(&mut field.ty, base_name);
            }
        }
        Shape::Alias(target) => use_base_names_in(target, base_name),
        Shape::Enum { .. } => {}
    }
}

fn use_base_names_in(ty: &mut TypeExpr, base_name: &dyn Fn(&str) -> Option<String>) {
    match ty {
        TypeExpr::Named(name) => {
            if let Some(in_base) = base_name(name) {
                *name = in_base;
            }
        }
        TypeExpr::List(inner) | TypeExpr::Map(inner) | TypeExpr::Pointer(inner) => {
            use_base_names_in(inner, base_name);
        }
        TypeExpr::Scalar(_) | TypeExpr::Any | TypeExpr::RawExtension => {}
    }
}

fn merge_type(base: &mut TypeDecl, overlay: TypeDecl, conflicts: &mut Vec<OverlayConflict>) {
    base.line = overlay.line;
    merge_markers(&mut base.markers, overlay.markers);
    match (&mut base.shape, overlay.shape) {
        (Shape::Struct(base_fields), Shape::Struct(fields)) => {
            let mut index_by_name: HashMap<String, usize> = HashMap::with_capacity(base_fields.len());
            for (index, field) in base_fields.iter().enumerate() {
                index_by_name.entry(field_key(field)).or_insert(index);
            }
            for field in fields {
                let known = index_by_name.get(&field_key(&field)).copied();
                match known.and_then(|index| base_fields.get_mut(index)) {
                    None => {
                        index_by_name.insert(field_key(&field), base_fields.len());
                        base_fields.push(field);
                    }
                    Some(base_field) if base_field.ty == field.ty => merge_field(base_field, field),
                    Some(base_field) => conflicts.push(OverlayConflict {
                        line: field.line,
                        message: format!(
                            "the field {}.{} has the type {} in the base, not {}",
                            base.name,
                            field.name,
                            go_syntax(&base_field.ty),
                            go_syntax(&field.ty)
                        ),
                    }),
                }
            }
        }
        (Shape::Enum { values, closed }, Shape::Enum { values: more, closed: more_closed }) => {
            *closed |= more_closed;
            let mut known: HashSet<String> = values.iter().map(|known| known.value.clone()).collect();
            values.extend(more.into_iter().filter(|value| known.insert(value.value.clone())));
        }
        (Shape::Alias(target), Shape::Alias(overlay)) if *target == overlay => {}
        _ => conflicts.push(OverlayConflict {
            line: overlay.line,
            message: format!("the type {} has another definition in the base", base.name),
        }),
    }
}

/// Returns the key by which a field is matched. The key of an embedded struct is its type.
fn field_key(field: &FieldDecl) -> String {
    if field.inline { format!(" {}", go_syntax(&field.ty)) } else { field.name.clone() }
}

fn merge_field(base: &mut FieldDecl, overlay: FieldDecl) {
    base.line = overlay.line;
    base.omit_empty = overlay.omit_empty;
    base.omit_zero = overlay.omit_zero;
    base.required = overlay.required.or(base.required);
    base.default = overlay.default.or_else(|| base.default.take());
    merge_patch_meta(&mut base.patch, overlay.patch);
    merge_markers(&mut base.markers, overlay.markers);
}

/// Merges the patch metadata of a field. The struct tags and the list type (with its keys) are each replaced as a whole
/// if the overlay declares them.
fn merge_patch_meta(base: &mut PatchMeta, overlay: PatchMeta) {
    let PatchMeta { strategies, merge_key, tags, list_type, list_map_keys } = overlay;
    if !strategies.is_empty() || !merge_key.is_empty() || !tags.is_empty() {
        (base.strategies, base.merge_key, base.tags) = (strategies, merge_key, tags);
    }
    if list_type.is_some() {
        base.list_type = list_type;
    }
    if list_type.is_some() || !list_map_keys.is_empty() {
        base.list_map_keys = list_map_keys;
    }
}

/// Adds markers. Markers for the same property of server-side apply are replaced.
fn merge_markers(base: &mut Vec<Marker>, overlay: Vec<Marker>) {
    let declares = |is_replaced: fn(&Marker) -> bool| overlay.iter().any(is_replaced);
    let (list_type, keys) = (declares(declares_list_type), declares(declares_list_map_key));
    let map_type = declares(declares_map_type);
    base.retain(|marker| {
        !(list_type && declares_list_type(marker)
            || (list_type || keys) && declares_list_map_key(marker)
            || map_type && declares_map_type(marker))
    });
    base.extend(overlay);
}

fn go_syntax(ty: &TypeExpr) -> String {
    match ty {
        TypeExpr::Named(name) => name.clone(),
        TypeExpr::List(item) => format!("[]{}", go_syntax(item)),
        TypeExpr::Map(value) => format!("map[string]{}", go_syntax(value)),
        TypeExpr::Pointer(target) => format!("*{}", go_syntax(target)),
        TypeExpr::Scalar(scalar) => format!("{scalar:?}").to_lowercase(),
        TypeExpr::Any => "any".to_owned(),
        TypeExpr::RawExtension => "runtime.RawExtension".to_owned(),
    }
}

#[cfg(test)]
#[cfg(feature = "go")]
mod tests;
