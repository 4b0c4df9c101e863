//! `skewer schema show`.

use std::collections::HashMap;
use std::fmt::Write;

use clap::Args;
use skewer_cases::Types;
use skewer_cases::yaml::nearest;
use skewer_engine::schema::union::Union;
use skewer_engine::schema::{
    Declarations, Field, FieldMeta, ListType, PatchStrategy, Required, ScalarType, Shape, StructType, Type,
    TypeDecl, TypeExpr, TypeId,
};

use crate::cli::arguments::type_source::TypeSourceArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output;
use crate::cli::table::render_table;

/// The arguments of `skewer schema show`.
#[derive(Debug, Args)]
pub(super) struct ShowArguments {
    /// Name of a type: apps/v1/Deployment, core/v1.PodSpec, or an unambiguous short name (Deployment, PodSpec).
    #[arg(value_name = "TYPE")]
    name: String,
    /// Field path in the type: spec.template.spec.containers. Shows the type of this field instead.
    #[arg(value_name = "FIELD")]
    path: Option<String>,
    #[command(flatten)]
    source: TypeSourceArguments,
    /// Number of levels of nested fields to show.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u8).range(1..=16))]
    depth: u8,
}

pub(super) fn show(arguments: &ShowArguments) -> Result {
    let types = arguments.source.load()?;
    let failure = |error: skewer_engine::Error| Failure::could_not_run(error.message());
    let name = types.resolve(&arguments.name).map_err(failure)?;
    let Some(root) = types.schema().named(name) else {
        return Err(Failure::could_not_run(format!("{} has no type {name}", types.display_name())));
    };
    let declarations = types.declarations();
    let fields = FieldTable::new(&types, &declarations);
    let text = match &arguments.path {
        None => fields.render(name, root, arguments.depth),
        Some(path) => {
            let (description, ty) = fields.resolve_field(name, root, path)?;
            fields.render(&description, ty, arguments.depth)
        }
    };
    output::print(&text).map(|()| Exit::Ok)
}

/// Maximum number of rows. Types that refer to each other can have an exponential number of nested fields.
const MAX_ROWS: usize = 5_000;

/// Maximum depth of nested lists and maps.
const MAX_NESTING: usize = 128;

struct FieldTable<'t> {
    types: &'t Types,
    declarations: HashMap<&'t str, &'t TypeDecl>,
    /// The declared types of fields, by the name of the struct and the name of the field.
    declared_types: HashMap<&'t str, HashMap<&'t str, &'t TypeExpr>>,
    rows: Vec<Vec<String>>,
    is_truncated: bool,
}

impl<'t> FieldTable<'t> {
    fn new(types: &'t Types, declarations: &'t Declarations) -> Self {
        let declarations = declarations.types.iter().map(|ty| (ty.name.as_str(), ty)).collect();
        FieldTable {
            types,
            declarations,
            declared_types: HashMap::new(),
            rows: Vec::new(),
            is_truncated: false,
        }
    }

    /// Returns a description of a field path, and the type of that field.
    fn resolve_field(&self, name: &str, root: TypeId, path: &str) -> Result<(String, TypeId)> {
        let schema = self.types.schema();
        let mut description = name.to_owned();
        let mut ty = root;
        for part in path.split('.') {
            let Some(struct_type) = self.innermost_struct(ty) else {
                return Err(Failure::could_not_run(format!(
                    "{description} has no field `{part}`: it is not a struct"
                )));
            };
            let Some(field) = struct_type.field(part) else {
                let near = nearest(part, struct_type.fields().map(|field| field.name.as_str()));
                let hint = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
                let message = format!("{} has no field `{part}`{hint}", struct_type.name);
                return Err(Failure::could_not_run(message));
            };
            ty = field.ty;
            let _ = write!(description, ".{part}");
        }
        Ok(match schema.get(ty) {
            Type::Struct(struct_type) => (format!("{description}: {}", struct_type.name), ty),
            _ => (description, ty),
        })
    }

    /// Unwraps nested lists and maps, and returns the struct type inside. Returns `None` if it is not a struct.
    fn innermost_struct(&self, mut ty: TypeId) -> Option<&'t StructType> {
        let schema = self.types.schema();
        // A list type can be recursive: `type A []A`.
        for _ in 0..MAX_NESTING {
            match schema.get(ty) {
                Type::Struct(struct_type) => return Some(struct_type),
                Type::List(item) | Type::Map(item) => ty = *item,
                _ => return None,
            }
        }
        None
    }

    fn render(mut self, name: &str, ty: TypeId, depth: u8) -> String {
        let mut text = format!("{name} ({})\n", self.types.display_name());
        let kinds = self.types.kinds().sorted();
        for (kind, _) in kinds.iter().filter(|(_, of)| *of == name) {
            let _ = writeln!(text, "kind: {kind}");
        }
        let Some(struct_type) = self.innermost_struct(ty) else {
            let _ = writeln!(text, "type: {}", self.describe_type(ty));
            return text;
        };
        if !matches!(self.types.schema().get(ty), Type::Struct(_)) {
            let _ = writeln!(text, "type: {}", self.describe_type(ty));
        }
        for union in struct_type.unions() {
            let _ = writeln!(text, "{}", union_text(union));
        }
        text.push('\n');
        self.add_fields(struct_type, depth, &mut Vec::new());
        text.push_str(&render_table(&["FIELD", "TYPE", "", "PATCH", "LIST"], &self.rows));
        if self.is_truncated {
            let _ = writeln!(text, "… and more: name a FIELD, or reduce --depth");
        }
        if self.rows.iter().any(|row| row[1].starts_with("[]")) {
            text.push_str("\nA list without a patch strategy is replaced as a whole; objects merge.\n");
        }
        text
    }

    /// Adds rows for the fields of a struct. `enclosing` has the names of the structs that contain this struct.
    fn add_fields(&mut self, struct_type: &'t StructType, depth: u8, enclosing: &mut Vec<&'t str>) {
        let indent = "  ".repeat(enclosing.len());
        for field in struct_type.fields() {
            if self.rows.len() == MAX_ROWS {
                self.is_truncated = true;
                return;
            }
            let required = if field.required == Required::Yes { "required" } else { "" };
            let declared_type = self.declared_type(field);
            self.rows.push(vec![
                format!("{indent}{}", field.name),
                declared_type,
                required.to_owned(),
                patch_text(&field.meta),
                list_text(&field.meta),
            ]);
            let inner = self.innermost_struct(field.ty).filter(|inner| {
                depth > 1 && inner.name != struct_type.name && !enclosing.contains(&inner.name.as_str())
            });
            if let Some(inner) = inner {
                enclosing.push(struct_type.name.as_str());
                self.add_fields(inner, depth - 1, enclosing);
                enclosing.pop();
            }
        }
    }

    /// Describes the declared type of a field. A short enum is described with its values.
    fn declared_type(&mut self, field: &'t Field) -> String {
        const MAX_VALUES: usize = 4;
        let declarations = &self.declarations;
        let of_struct = self
            .declared_types
            .entry(&*field.declared_in)
            .or_insert_with(|| declared_types(declarations.get(&*field.declared_in).copied()));
        let declared = of_struct.get(field.name.as_str()).copied();
        let text = declared.map_or_else(|| self.describe_type(field.ty), type_expression);
        match self.types.schema().get(field.ty) {
            Type::Enum(values) if values.values.len() <= MAX_VALUES => {
                format!("{text} ({})", values.values.join("|"))
            }
            _ => text,
        }
    }

    fn describe_type(&self, ty: TypeId) -> String {
        self.describe_nested(ty, MAX_NESTING)
    }

    fn describe_nested(&self, ty: TypeId, levels: usize) -> String {
        if levels == 0 {
            return "…".to_owned();
        }
        match self.types.schema().get(ty) {
            Type::Scalar(scalar) => scalar_text(*scalar).to_owned(),
            Type::Enum(values) => {
                let open = if values.closed { "" } else { ", and others" };
                format!("{} ({}{open})", values.name, values.values.join(", "))
            }
            Type::List(item) => format!("[]{}", self.describe_nested(*item, levels - 1)),
            Type::Map(value) => format!("map[string]{}", self.describe_nested(*value, levels - 1)),
            Type::Struct(struct_type) => struct_type.name.to_string(),
            Type::Any => "any".to_owned(),
        }
    }
}

fn declared_types(declaration: Option<&TypeDecl>) -> HashMap<&str, &TypeExpr> {
    match declaration.map(|ty| &ty.shape) {
        Some(Shape::Struct(fields)) => fields.iter().map(|field| (field.name.as_str(), &field.ty)).collect(),
        _ => HashMap::new(),
    }
}

fn scalar_text(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::String | ScalarType::Time | ScalarType::MicroTime | ScalarType::Duration => "string",
        ScalarType::Integer | ScalarType::Int32 => "integer",
        ScalarType::Number => "number",
        ScalarType::Boolean => "boolean",
        ScalarType::Bytes => "bytes",
        ScalarType::IntOrString | ScalarType::Quantity => "integer or string",
    }
}

fn type_expression(ty: &TypeExpr) -> String {
    match ty {
        TypeExpr::Scalar(scalar) => scalar_text(*scalar).to_owned(),
        TypeExpr::Named(name) => name.clone(),
        TypeExpr::List(item) => format!("[]{}", type_expression(item)),
        TypeExpr::Map(value) => format!("map[string]{}", type_expression(value)),
        TypeExpr::Pointer(target) => type_expression(target),
        TypeExpr::Any | TypeExpr::RawExtension => "any".to_owned(),
    }
}

/// Describes the patch metadata of a field: `merge by name, retainKeys; recommendedPatchMergeKey: name,type`.
fn patch_text(meta: &FieldMeta) -> String {
    let keys = meta.merge_key.join(",");
    let strategy = match meta.strategy {
        PatchStrategy::Unset => "",
        PatchStrategy::Merge => "merge",
        PatchStrategy::Replace => "replace",
    };
    let mut text = match (strategy, keys.as_str()) {
        ("", "") => String::new(),
        ("", keys) => format!("key {keys}"),
        (strategy, "") => strategy.to_owned(),
        (strategy, keys) => format!("{strategy} by {keys}"),
    };
    for word in meta.strategy_words() {
        text.push_str(if text.is_empty() { "" } else { ", " });
        text.push_str(word);
    }
    for (tag, values) in meta.own_tags() {
        let _ = write!(text, "; {tag}: {}", values.join(","));
    }
    text
}

/// Describes the list type for server-side apply.
fn list_text(meta: &FieldMeta) -> String {
    match meta.list_type {
        None => String::new(),
        Some(ListType::Atomic) => "atomic".to_owned(),
        Some(ListType::Set) => "set".to_owned(),
        Some(ListType::Map) => format!("map by {}", meta.list_map_keys.join(",")),
    }
}

fn union_text(union: &Union) -> String {
    let members: Vec<&str> = union.members.iter().map(|member| member.field.as_str()).collect();
    let members = members.join(", ");
    match &union.discriminator {
        Some(discriminator) => format!("union: {members}, discriminator {}", discriminator.field),
        None => format!("union: {members}"),
    }
}
