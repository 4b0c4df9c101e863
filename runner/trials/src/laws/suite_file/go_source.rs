//! Rendering of declarations as Go source for the schema of a case.

use std::fmt::Write;

use skewer_engine::schema::{Declarations, FieldDecl, Shape, TypeDecl, TypeExpr};

use crate::differential::types::go_scalar;

/// Renders declarations as Go source. It supports the declarations of [`corpus`](super::super::corpus) and
/// [`generate`](super::super::generate), which have no embedded structs, and only the markers of list types.
pub(super) fn go_source(types: &Declarations) -> String {
    let mut text = String::new();
    for declared in &types.types {
        write_declaration(declared, &mut text);
    }
    text
}

fn write_declaration(declared: &TypeDecl, text: &mut String) {
    let name = &declared.name;
    match &declared.shape {
        Shape::Alias(ty) => {
            let _ = writeln!(text, "type {name} {}", go_type(ty));
        }
        Shape::Enum { values, closed } => {
            let marker = if *closed { "// +enum\n" } else { "" };
            let _ = writeln!(text, "{marker}type {name} string\nconst (");
            for (index, value) in values.iter().enumerate() {
                let _ = writeln!(text, "  {name}{index} {name} = {:?}", value.value);
            }
            text.push_str(")\n");
        }
        Shape::Struct(fields) => {
            let _ = writeln!(text, "type {name} struct {{");
            write_fields(fields, text);
            text.push_str("}\n");
        }
    }
}

/// Writes fields in aligned columns, like gofmt.
fn write_fields(fields: &[FieldDecl], text: &mut String) {
    let rows: Vec<[String; 2]> =
        fields.iter().map(|field| [exported_name(&field.name), go_type(&field.ty)]).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let (names, types) = (width(0), width(1));
    for (field, [name, ty]) in fields.iter().zip(&rows) {
        write_markers(field, text);
        let _ = writeln!(text, "  {name:names$} {ty:types$} `{}`", field_tags(field));
    }
}

fn write_markers(field: &FieldDecl, text: &mut String) {
    if let Some(list_type) = field.patch.list_type {
        let _ = writeln!(text, "  // +listType={}", list_type.name());
    }
    for key in &field.patch.list_map_keys {
        let _ = writeln!(text, "  // +listMapKey={key}");
    }
}

fn field_tags(field: &FieldDecl) -> String {
    let omit = if field.omit_empty { ",omitempty" } else { "" };
    let mut tags = format!("json:\"{}{omit}\"", field.name);
    let patch = &field.patch;
    let core = [("patchStrategy", &patch.strategies), ("patchMergeKey", &patch.merge_key)];
    let declared = patch.tags.iter().map(|(tag, values)| (tag.as_str(), values));
    for (tag, values) in core.into_iter().chain(declared) {
        if !values.is_empty() {
            let _ = write!(tags, " {tag}:\"{}\"", values.join(","));
        }
    }
    tags
}

fn exported_name(name: &str) -> String {
    let alphanumeric: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let mut letters = alphanumeric.chars();
    match letters.next() {
        Some(first) if first.is_ascii_alphabetic() => {
            first.to_ascii_uppercase().to_string() + letters.as_str()
        }
        _ => format!("F{alphanumeric}"),
    }
}

fn go_type(ty: &TypeExpr) -> String {
    match ty {
        TypeExpr::Named(name) => name.clone(),
        TypeExpr::Pointer(inner) => format!("*{}", go_type(inner)),
        TypeExpr::List(item) => format!("[]{}", go_type(item)),
        TypeExpr::Map(value) => format!("map[string]{}", go_type(value)),
        TypeExpr::Any => "any".to_owned(),
        TypeExpr::RawExtension => "runtime.RawExtension".to_owned(),
        TypeExpr::Scalar(scalar) => go_scalar(*scalar).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use skewer_engine::schema::go;

    use super::*;
    use crate::laws::generate;

    /// Removes the line numbers and Go names, which only the Go reader sets.
    fn without_source_positions(types: &Declarations) -> Declarations {
        let mut types = types.clone();
        for declared in &mut types.types {
            declared.line = 0;
            if let Shape::Struct(fields) = &mut declared.shape {
                for field in fields {
                    (field.line, field.go_name) = (0, String::new());
                }
            }
        }
        types
    }

    #[test]
    fn rendered_declarations_parse_to_the_same_declarations() {
        for situation in generate::situations(3, 200) {
            let text = go_source(&situation.types);
            let read = go::read(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
            assert_eq!(without_source_positions(&read), without_source_positions(&situation.types), "{text}");
        }
    }

    #[test]
    fn every_kind_of_type_is_rendered() {
        let text = "\
// +enum
type Mode string
const (
  Mode0 Mode = \"a\"
)
type Root map[string]Item
type Item struct {
  Mode Mode               `json:\"mode\"`
  Any  any                `json:\"any,omitempty\"`
  Port intstr.IntOrString `json:\"port,omitempty\"`
  // +listType=map
  // +listMapKey=mode
  Rest []Item             `json:\"rest,omitempty\" patchStrategy:\"merge,retainKeys\" patchMergeKey:\"mode\"`
}
";
        let read = go::read(text).unwrap();
        let is_in_text = |declared: &&TypeDecl| ["Mode", "Root", "Item"].contains(&declared.name.as_str());
        let types: Vec<_> = read.types.iter().filter(is_in_text).cloned().collect();
        assert_eq!(go_source(&Declarations::new(types)), text);
    }
}
