//! Less of the types.

use skewer_engine::schema::{Declarations, SchemaElement, Shape, TypeDecl, TypeExpr};
use skewer_engine::{OwnedText, Text};

use super::Situation;

/// A field goes that no merge key names, and types go that no field has any more.
pub(super) fn fields(situation: &Situation, number: usize) -> Option<Situation> {
    let needed = merge_keys(situation);
    let mut less = situation.clone();
    let mut left = number;
    for declared in &mut less.types.types {
        let Shape::Struct(fields) = &mut declared.shape else { continue };
        let mut places = (0..fields.len()).filter(|at| !needed.contains(&Text::from(&fields[*at].name)));
        let free = places.clone().count();
        if let Some(at) = places.nth(left) {
            let gone = SchemaElement::Field {
                type_name: Text::from(&declared.name),
                field: Text::from(&fields[at].name),
            };
            fields.remove(at);
            for lacks in [&mut less.client_lacks, &mut less.server_lacks] {
                lacks.retain(|lack| *lack != gone);
            }
            remove_unused(&mut less);
            return Some(less);
        }
        left -= free;
    }
    None
}

/// The merge keys of all lists.
fn merge_keys(situation: &Situation) -> Vec<OwnedText> {
    let mut needed = Vec::new();
    for declared in &situation.types.types {
        let Shape::Struct(fields) = &declared.shape else { continue };
        for patch in fields.iter().map(|field| &field.patch) {
            let keys = patch.merge_key.iter().chain(&patch.recommended_merge_key).chain(&patch.list_map_keys);
            needed.extend(keys.map(Text::from));
        }
    }
    needed
}

fn remove_unused(situation: &mut Situation) {
    let types = &mut situation.types;
    loop {
        let used: Vec<String> = types.types.iter().flat_map(named_in).collect();
        let before = types.types.len();
        types.types.retain(|declared| declared.name == situation.root || used.contains(&declared.name));
        if types.types.len() == before {
            break;
        }
    }
    for lacks in [&mut situation.client_lacks, &mut situation.server_lacks] {
        lacks.retain(|lack| types.get(of(lack)).is_some());
    }
}

/// The type that a lack speaks of.
fn of(lack: &SchemaElement) -> &OwnedText {
    let (SchemaElement::Field { type_name: of, .. }
    | SchemaElement::EnumValue { type_name: of, .. }
    | SchemaElement::Metadata { type_name: of, .. }) = lack;
    of
}

/// The types that a declaration needs, itself not counted.
fn named_in(declared: &TypeDecl) -> Vec<String> {
    let mut found = Vec::new();
    each_expr(&mut declared.clone(), &mut |name| found.push(name.clone()));
    found.retain(|name| *name != declared.name);
    found
}

/// Every name in the types of a declaration.
fn each_expr(declared: &mut TypeDecl, change: &mut dyn FnMut(&mut String)) {
    fn visit(ty: &mut TypeExpr, change: &mut dyn FnMut(&mut String)) {
        match ty {
            TypeExpr::Named(name) => change(name),
            TypeExpr::List(inner) | TypeExpr::Map(inner) | TypeExpr::Pointer(inner) => visit(inner, change),
            TypeExpr::Scalar(_) | TypeExpr::Any => {}
        }
    }
    match &mut declared.shape {
        Shape::Struct(fields) => fields.iter_mut().for_each(|field| visit(&mut field.ty, change)),
        Shape::Alias(ty) => visit(ty, change),
        Shape::Enum { .. } => {}
    }
}

/// A tag goes from a field.
pub(super) fn metadata(situation: &Situation, number: usize) -> Option<Situation> {
    let mut less = situation.clone();
    let mut left = number;
    for declared in &mut less.types.types {
        let Shape::Struct(fields) = &mut declared.shape else { continue };
        for patch in fields.iter_mut().map(|field| &mut field.patch) {
            let strategies = patch.strategies.len();
            let cuts = strategies + 3;
            if left >= cuts {
                left -= cuts;
                continue;
            }
            match left.checked_sub(strategies) {
                None => {
                    // A merge key is for lists that merge, and lists of maps merge by one.
                    if patch.strategies.remove(left) == "merge" {
                        patch.merge_key.clear();
                    }
                }
                Some(0) => {
                    patch.merge_key.clear();
                    patch.strategies.retain(|strategy| strategy != "merge");
                }
                Some(1) => patch.recommended_merge_key.clear(),
                Some(_) => {
                    patch.list_type = None;
                    patch.list_map_keys.clear();
                }
            }
            return Some(less);
        }
    }
    None
}

/// The same with types whose names have no numbers that nobody needs any more.
pub(super) fn renamed(situation: &Situation) -> Situation {
    let mut tidy = situation.clone();
    let names: Vec<String> = tidy.types.types.iter().map(|declared| declared.name.clone()).collect();
    for old in names {
        let new = old.trim_end_matches(char::is_numeric);
        if new != old && tidy.types.get(new).is_none() {
            rename(&mut tidy.types, &old, new);
            for lack in tidy.client_lacks.iter_mut().chain(&mut tidy.server_lacks) {
                let (SchemaElement::Field { type_name: of, .. }
                | SchemaElement::EnumValue { type_name: of, .. }
                | SchemaElement::Metadata { type_name: of, .. }) = lack;
                if *of == old {
                    *of = Text::from(new);
                }
            }
        }
    }
    tidy
}

fn rename(types: &mut Declarations, old: &str, new: &str) {
    let mut change = |name: &mut String| {
        if name == old {
            new.clone_into(name);
        }
    };
    for declared in &mut types.types {
        change(&mut declared.name);
        each_expr(declared, &mut change);
    }
}
