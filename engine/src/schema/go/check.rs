//! What can only be settled when all types are known, and the declarations that come of it.

use std::collections::HashMap;

use super::comments::MarkerAt;
use super::consts::{Const, Evaluated, Evaluator, cannot_be_told};
use super::defaults::default;
use super::errors::{GoErrorKind, Position};
use super::markers::closes_enum;
use super::parse::{position, text_of};
use super::read::{Form, Reader, Type};
use super::roots::{Root, Roots, recursion};
use super::structs::Field;
use super::types::builtin;
use super::wellknown;
use crate::schema::{Declarations, EnumValue, FieldDecl, ScalarType, Shape, TypeDecl, TypeExpr};

/// Checks what has been read, and makes the declarations of it.
pub(super) fn finish(reader: &mut Reader<'_>, consts: &[Const<'_>]) -> Declarations {
    let roots = Roots::new(reader);
    check_map_keys(reader, &roots);
    recursion(reader, &roots.index);
    let source = reader.source;
    let mut evaluator = Evaluator::new(source, consts);
    let mut values = constants(reader, &roots, consts, &mut evaluator);
    let types = std::mem::take(&mut reader.types);
    let mut finished = Vec::with_capacity(types.len());
    for ty in types {
        let constants = values.remove(&ty.name).unwrap_or_default();
        finished.push(finish_type(reader, &roots, ty, constants, &mut evaluator));
    }
    for name in reader.needed() {
        let Some(decl) = wellknown::get(name) else { continue };
        let mut decl = decl.clone();
        add_constants(&mut decl, values.remove(name).unwrap_or_default());
        finished.push(decl);
    }
    Declarations { types: finished }
}

fn check_map_keys(reader: &mut Reader<'_>, roots: &Roots) {
    for (ty, at) in std::mem::take(&mut reader.map_keys) {
        if matches!(ty, TypeExpr::Pointer(_)) || roots.of(&ty) != Root::Scalar(ScalarType::String) {
            let message = "the keys of a map must be strings: a document has no other keys";
            reader.errors.push(at.error(GoErrorKind::MapKey, message));
        }
    }
}

/// The values of string types, by the type.
fn constants(
    reader: &mut Reader<'_>,
    roots: &Roots,
    consts: &[Const<'_>],
    evaluator: &mut Evaluator<'_, '_>,
) -> HashMap<String, Vec<EnumValue>> {
    let mut values: HashMap<String, Vec<EnumValue>> = HashMap::new();
    let mut seen: HashMap<&str, Position> = HashMap::new();
    for (i, constant) in consts.iter().enumerate() {
        if constant.name == "_" {
            continue;
        }
        if let Some(first) = seen.insert(&constant.name, constant.at) {
            let message =
                format!("the constant `{}` is declared twice, first in line {}", constant.name, first.line);
            reader.errors.push(constant.at.error(GoErrorKind::DuplicateConstant, message));
            continue;
        }
        let value = evaluator.constant(i, 0);
        let Some(ty) = type_of(reader, roots, constant, &value) else { continue };
        let problem = match value {
            Evaluated::Text { text, .. } => {
                let markers = constant.markers.iter().map(|found| found.marker.clone()).collect();
                let value =
                    EnumValue { name: constant.name.clone(), value: text, markers, line: constant.at.line };
                values.entry(ty).or_default().push(value);
                continue;
            }
            Evaluated::Other => cannot_be_told(&constant.name, &format!("`{ty}` is a string, and it is not")),
            Evaluated::Unknown(why) => cannot_be_told(&constant.name, &why),
        };
        reader.errors.push(constant.at.error(problem.0, problem.1));
    }
    values
}

/// The string type that a constant belongs to, if it belongs to one.
///
/// The KEP prints `Beta = "BETA"` below a typed constant of the same block. In Go that constant has no type; the
/// document means the type above it, so that is what we read.
fn type_of(
    reader: &mut Reader<'_>,
    roots: &Roots,
    constant: &Const<'_>,
    value: &Evaluated,
) -> Option<String> {
    let from_expression = match value {
        Evaluated::Text { ty: Some(ty), .. } => Some((ty.clone(), constant.at)),
        _ => None,
    };
    let source = reader.source;
    let written = |node| (text_of(source, node).to_owned(), position(node));
    let (name, at) = constant.ty.map(written).or(from_expression).or_else(|| match value {
        Evaluated::Other => None,
        _ => constant.preceding.map(written),
    })?;
    if builtin(&name).is_some() && !roots.index.contains_key(&name) {
        return None;
    }
    let (package, last) = name.split_once('.').map_or((None, name.as_str()), |(p, n)| (Some(p), n));
    let ty = reader.named(package, last, at);
    (roots.of(&ty) == Root::Scalar(ScalarType::String)).then_some(())?;
    match ty {
        TypeExpr::Named(name) => Some(through_aliases(reader, roots, name)),
        _ => None,
    }
}

/// `type A = B`: a constant of A is one of B.
fn through_aliases(reader: &Reader<'_>, roots: &Roots, mut name: String) -> String {
    for _ in 0..super::scan::MAX_NESTING {
        let Some(ty) = roots.index.get(&name).map(|&i| &reader.types[i]).filter(|ty| ty.alias) else { break };
        let Form::Other(TypeExpr::Named(target)) = &ty.form else { break };
        name.clone_from(target);
    }
    name
}

fn finish_type(
    reader: &mut Reader<'_>,
    roots: &Roots,
    ty: Type,
    constants: Vec<EnumValue>,
    evaluator: &mut Evaluator<'_, '_>,
) -> TypeDecl {
    let Type { name, at, markers, form, alias } = ty;
    let closed = markers.iter().find(|found| closes_enum(&found.marker)).map(|found| found.at);
    let shape = match form {
        Form::Struct(fields) => {
            not_an_enum(reader, closed);
            Shape::Struct(finish_fields(reader, roots, fields, evaluator))
        }
        Form::Other(ty) => {
            let root = roots.of(&ty);
            if root != Root::Scalar(ScalarType::String) {
                // What an alias of an unresolved type is, nobody knows; that error is enough.
                not_an_enum(reader, closed.filter(|_| !alias || root != Root::Any));
            } else if let Some(at) = closed.filter(|_| constants.is_empty() && !alias) {
                // The constants of an alias are those of the type that it stands for.
                let message = format!("`{name}` is marked +enum and has no constants");
                reader.errors.push(at.error(GoErrorKind::BadEnum, message));
            }
            Shape::Alias(ty)
        }
    };
    let markers = markers.into_iter().map(|found: MarkerAt| found.marker).collect();
    let mut decl = TypeDecl { name, shape, markers, line: at.line };
    add_constants(&mut decl, constants);
    decl
}

fn not_an_enum(reader: &mut Reader<'_>, closed: Option<Position>) {
    if let Some(at) = closed {
        reader.errors.push(at.error(GoErrorKind::BadEnum, "+enum stands on a type that is not a string"));
    }
}

/// A string type with constants is an enum.
fn add_constants(decl: &mut TypeDecl, mut constants: Vec<EnumValue>) {
    match &mut decl.shape {
        Shape::Enum { values, .. } => values.append(&mut constants),
        Shape::Alias(_) if !constants.is_empty() => {
            let closed = decl.markers.iter().any(closes_enum);
            decl.shape = Shape::Enum { values: constants, closed };
        }
        _ => {}
    }
}

fn finish_fields(
    reader: &mut Reader<'_>,
    roots: &Roots,
    fields: Vec<Field>,
    evaluator: &mut Evaluator<'_, '_>,
) -> Vec<FieldDecl> {
    let mut seen: HashMap<String, u32> = HashMap::new();
    let mut finished = Vec::with_capacity(fields.len());
    for mut field in fields {
        let root = roots.of(&field.decl.ty);
        inline(reader, &mut field, root);
        if field.as_string {
            as_string(reader, &mut field, root);
        }
        if let Some((text, at)) = field.default.take() {
            field.decl.default = default(reader, roots.of(&field.decl.ty), (text, at), evaluator);
        }
        if !field.decl.inline {
            let name = field.decl.name.clone();
            if let Some(first) = seen.insert(name.clone(), field.at.line) {
                let message = format!("two fields have the JSON name {name:?}, the first in line {first}");
                reader.errors.push(field.at.error(GoErrorKind::DuplicateField, message));
            }
        }
        finished.push(field.decl);
    }
    finished
}

/// Only structs are inlined; encoding/json writes another embedded type under the type's name.
fn inline(reader: &mut Reader<'_>, field: &mut Field, root: Root) {
    if !field.decl.inline || matches!(root, Root::Struct | Root::Cyclic) {
        return;
    }
    if field.says_inline {
        let message = format!("`,inline` on `{}`, which is not a struct", field.decl.go_name);
        reader.errors.push(field.at.error(GoErrorKind::BadInline, message));
    }
    field.decl.inline = false;
    field.decl.name.clone_from(&field.decl.go_name);
}

/// `,string` writes a number or a boolean as a string.
fn as_string(reader: &mut Reader<'_>, field: &mut Field, root: Root) {
    if !matches!(root, Root::Scalar(ScalarType::Integer | ScalarType::Number | ScalarType::Boolean)) {
        let message = "the JSON option `string` applies to numbers and booleans";
        reader.errors.push(field.at.error(GoErrorKind::BadJsonOption, message));
        return;
    }
    let text = TypeExpr::Scalar(ScalarType::String);
    field.decl.ty = match field.decl.ty {
        TypeExpr::Pointer(_) => TypeExpr::Pointer(Box::new(text)),
        _ => text,
    };
}
