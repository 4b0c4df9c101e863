//! Shrinking of the types of a situation.

use skewer_engine::schema::{Declarations, SchemaElement, Shape, TypeDecl, TypeExpr};
use skewer_engine::{OwnedText, Text};

use crate::laws::situation::LawSituation;

/// Removes a field that is not a merge key, and the types that are no longer referenced.
pub(super) fn drop_field(situation: &LawSituation, index: usize) -> Option<LawSituation> {
    let merge_keys = all_merge_keys(situation);
    let mut smaller = situation.clone();
    let mut indexes_left = index;
    for declared in &mut smaller.types.types {
        let Shape::Struct(fields) = &mut declared.shape else { continue };
        let mut indexes = (0..fields.len())
            .filter(|field_index| !merge_keys.contains(&Text::from(&fields[*field_index].name)));
        let removable = indexes.clone().count();
        if let Some(field_index) = indexes.nth(indexes_left) {
            let removed = SchemaElement::Field {
                type_name: Text::from(&declared.name),
                field: Text::from(&fields[field_index].name),
            };
            fields.remove(field_index);
            for missing in [&mut smaller.missing_in_client, &mut smaller.missing_in_server] {
                missing.retain(|element| *element != removed);
            }
            remove_unused(&mut smaller);
            return Some(smaller);
        }
        indexes_left -= removable;
    }
    None
}

fn all_merge_keys(situation: &LawSituation) -> Vec<OwnedText> {
    let mut merge_keys = Vec::new();
    for declared in &situation.types.types {
        let Shape::Struct(fields) = &declared.shape else { continue };
        for patch in fields.iter().map(|field| &field.patch) {
            let keys =
                patch.merge_key.iter().chain(patch.tags.values().flatten()).chain(&patch.list_map_keys);
            merge_keys.extend(keys.map(Text::from));
        }
    }
    merge_keys
}

fn remove_unused(situation: &mut LawSituation) {
    let types = &mut situation.types;
    loop {
        let used: Vec<String> = types.types.iter().flat_map(referenced_types).collect();
        let before = types.types.len();
        types.types.retain(|declared| declared.name == situation.root_type || used.contains(&declared.name));
        if types.types.len() == before {
            break;
        }
    }
    for missing in [&mut situation.missing_in_client, &mut situation.missing_in_server] {
        missing.retain(|element| types.get(element.type_name()).is_some());
    }
}

/// Returns the names of the types to which a declaration refers, except its own name.
fn referenced_types(declared: &TypeDecl) -> Vec<String> {
    let mut names = Vec::new();
    visit_type_names(&mut declared.clone(), &mut |name| names.push(name.clone()));
    names.retain(|name| *name != declared.name);
    names
}

/// Calls a function for every type name to which a declaration refers.
fn visit_type_names(declared: &mut TypeDecl, visit: &mut dyn FnMut(&mut String)) {
    fn visit_expr(ty: &mut TypeExpr, visit: &mut dyn FnMut(&mut String)) {
        match ty {
            TypeExpr::Named(name) => visit(name),
            TypeExpr::List(inner) | TypeExpr::Map(inner) | TypeExpr::Pointer(inner) => {
                visit_expr(inner, visit);
            }
            TypeExpr::Scalar(_) | TypeExpr::Any | TypeExpr::RawExtension => {}
        }
    }
    match &mut declared.shape {
        Shape::Struct(fields) => fields.iter_mut().for_each(|field| visit_expr(&mut field.ty, visit)),
        Shape::Alias(ty) => visit_expr(ty, visit),
        Shape::Enum { .. } => {}
    }
}

/// Removes one tag of patch metadata from a field.
pub(super) fn drop_metadata_tag(situation: &LawSituation, index: usize) -> Option<LawSituation> {
    let mut smaller = situation.clone();
    let mut indexes_left = index;
    for declared in &mut smaller.types.types {
        let Shape::Struct(fields) = &mut declared.shape else { continue };
        for patch in fields.iter_mut().map(|field| &mut field.patch) {
            let strategies = patch.strategies.len();
            let removable = strategies + 3;
            if indexes_left >= removable {
                indexes_left -= removable;
                continue;
            }
            match indexes_left.checked_sub(strategies) {
                None => {
                    // A list without the merge strategy needs no merge key.
                    if patch.strategies.remove(indexes_left) == "merge" {
                        patch.merge_key.clear();
                    }
                }
                Some(0) => {
                    patch.merge_key.clear();
                    patch.strategies.retain(|strategy| strategy != "merge");
                }
                Some(1) => patch.tags.clear(),
                Some(_) => {
                    patch.list_type = None;
                    patch.list_map_keys.clear();
                }
            }
            return Some(smaller);
        }
    }
    None
}

/// Returns the situation without the numbers at the end of type names, unless another type has the shorter name.
pub(super) fn without_number_suffixes(situation: &LawSituation) -> LawSituation {
    let mut renamed = situation.clone();
    let names: Vec<String> = renamed.types.types.iter().map(|declared| declared.name.clone()).collect();
    for old in names {
        let new = old.trim_end_matches(char::is_numeric);
        if new != old && renamed.types.get(new).is_none() {
            rename(&mut renamed.types, &old, new);
            for element in renamed.missing_in_client.iter_mut().chain(&mut renamed.missing_in_server) {
                if *element.type_name() == old {
                    *element = element.clone().with_type_name(Text::from(new));
                }
            }
        }
    }
    renamed
}

fn rename(types: &mut Declarations, old: &str, new: &str) {
    let mut rename_type = |name: &mut String| {
        if name == old {
            new.clone_into(name);
        }
    };
    for declared in &mut types.types {
        rename_type(&mut declared.name);
        visit_type_names(declared, &mut rename_type);
    }
}
