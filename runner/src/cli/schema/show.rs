//! `skewer schema show`.

use std::fmt::Write;

use clap::Args;
use skewer_cases::Types;
use skewer_cases::yaml::nearest;
use skewer_engine::schema::union::Union;
use skewer_engine::schema::{
    Field, FieldMeta, ListType, PatchStrategy, Required, ScalarType, Shape, StructType, Type, TypeExpr,
    TypeId,
};

use super::super::{Failure, Result, output};
use super::source::SourceArguments;
use super::table::table;
use crate::exit::Exit;

/// The arguments of `skewer schema show`.
#[derive(Debug, Args)]
pub(super) struct ShowArguments {
    /// A type: apps/v1/Deployment, core/v1.PodSpec, or Deployment and PodSpec where only one can be meant.
    #[arg(value_name = "TYPE")]
    name: String,
    /// A field of it, whose type is shown instead: spec.template.spec.containers.
    #[arg(value_name = "FIELD")]
    path: Option<String>,
    #[command(flatten)]
    source: SourceArguments,
    /// How many levels of fields are shown.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u8).range(1..=16))]
    depth: u8,
}

/// Carries the command out.
pub(super) fn show(arguments: &ShowArguments) -> Result {
    let types = arguments.source.load()?;
    let failure = |error: skewer_engine::Error| Failure::new(Exit::CouldNotRun, error.message());
    let name = types.resolve(&arguments.name).map_err(failure)?;
    let Some(root) = types.schema().named(name) else {
        return Err(Failure::new(Exit::CouldNotRun, format!("{} has no type {name}", types.display_name())));
    };
    let view = View { types: &types, rows: Vec::new(), cut: false };
    let text = match &arguments.path {
        None => view.text(name, root, arguments.depth),
        Some(path) => {
            let (shown, ty) = view.walk(name, root, path)?;
            view.text(&shown, ty, arguments.depth)
        }
    };
    output::print(&text)?;
    Ok(Exit::Ok)
}

/// More rows than anybody reads; types that contain each other could fill any memory.
const MAX_ROWS: usize = 5_000;

struct View<'t> {
    types: &'t Types,
    rows: Vec<Vec<String>>,
    cut: bool,
}

impl<'t> View<'t> {
    /// The type of a field, and what leads to it, in words.
    fn walk(&self, name: &str, root: TypeId, path: &str) -> Result<(String, TypeId)> {
        let schema = self.types.schema();
        let mut shown = name.to_owned();
        let mut ty = root;
        for part in path.split('.') {
            let Some(held) = self.struct_behind(ty) else {
                return Err(Failure::new(
                    Exit::CouldNotRun,
                    format!("{shown} has no fields, and so no `{part}`"),
                ));
            };
            let Some(field) = held.field(part) else {
                let near = nearest(part, held.fields().map(|field| field.name.as_str()));
                let hint = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
                let message = format!("{} has no field `{part}`{hint}", held.name);
                return Err(Failure::new(Exit::CouldNotRun, message));
            };
            ty = field.ty;
            let _ = write!(shown, ".{part}");
        }
        Ok(match schema.get(ty) {
            Type::Struct(held) => (format!("{shown}: {}", held.name), ty),
            _ => (shown, ty),
        })
    }

    fn struct_behind(&self, mut ty: TypeId) -> Option<&'t StructType> {
        let schema = self.types.schema();
        loop {
            match schema.get(ty) {
                Type::Struct(held) => return Some(held),
                Type::List(item) | Type::Map(item) => ty = *item,
                _ => return None,
            }
        }
    }

    fn text(mut self, name: &str, ty: TypeId, depth: u8) -> String {
        let mut text = format!("{name} ({})\n", self.types.display_name());
        let kinds = self.types.kinds().sorted();
        for (kind, _) in kinds.iter().filter(|(_, of)| *of == name) {
            let _ = writeln!(text, "kind: {kind}");
        }
        let Some(held) = self.struct_behind(ty) else {
            let _ = writeln!(text, "type: {}", self.described(ty));
            return text;
        };
        if !matches!(self.types.schema().get(ty), Type::Struct(_)) {
            let _ = writeln!(text, "type: {}", self.described(ty));
        }
        for union in held.unions() {
            let _ = writeln!(text, "{}", union_text(union));
        }
        text.push('\n');
        self.fields(held, depth, &mut Vec::new());
        text.push_str(&table(&["FIELD", "TYPE", "", "PATCH", "LIST"], &self.rows));
        if self.cut {
            let _ = writeln!(text, "… and more: say a FIELD, or a smaller --depth");
        }
        if self.rows.iter().any(|row| row[1].starts_with("[]")) {
            text.push_str("\nA list without a patch strategy is replaced as a whole; objects merge.\n");
        }
        text
    }

    /// Adds the fields of a struct; `above` are the structs around it.
    fn fields(&mut self, held: &'t StructType, depth: u8, above: &mut Vec<&'t str>) {
        let indent = "  ".repeat(above.len());
        for field in held.fields() {
            if self.rows.len() == MAX_ROWS {
                self.cut = true;
                return;
            }
            let required = if field.required == Required::Yes { "required" } else { "" };
            self.rows.push(vec![
                format!("{indent}{}", field.name),
                self.type_of(field),
                required.to_owned(),
                patch_text(&field.meta),
                list_text(&field.meta),
            ]);
            let inner = self.struct_behind(field.ty).filter(|inner| {
                depth > 1 && inner.name != held.name && !above.contains(&inner.name.as_str())
            });
            if let Some(inner) = inner {
                above.push(held.name.as_str());
                self.fields(inner, depth - 1, above);
                above.pop();
            }
        }
    }

    /// The type of a field as it was declared, with the values of a short enum.
    fn type_of(&self, field: &Field) -> String {
        const SHOWN: usize = 4;
        let declared = self.types.declarations().get(&field.declared_in);
        let declared = declared.and_then(|ty| match &ty.shape {
            Shape::Struct(fields) => fields.iter().find(|held| held.name == field.name.as_str()),
            _ => None,
        });
        let text = declared.map_or_else(|| self.described(field.ty), |held| expression(&held.ty));
        match self.types.schema().get(field.ty) {
            Type::Enum(values) if values.values.len() <= SHOWN => {
                format!("{text} ({})", values.values.join("|"))
            }
            _ => text,
        }
    }

    fn described(&self, ty: TypeId) -> String {
        match self.types.schema().get(ty) {
            Type::Scalar(scalar) => scalar_text(*scalar).to_owned(),
            Type::Enum(values) => {
                let open = if values.closed { "" } else { ", and others" };
                format!("{} ({}{open})", values.name, values.values.join(", "))
            }
            Type::List(item) => format!("[]{}", self.described(*item)),
            Type::Map(value) => format!("map[string]{}", self.described(*value)),
            Type::Struct(held) => held.name.to_string(),
            Type::Any => "any".to_owned(),
        }
    }
}

fn scalar_text(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::String => "string",
        ScalarType::Integer => "integer",
        ScalarType::Number => "number",
        ScalarType::Boolean => "boolean",
        ScalarType::Bytes => "bytes",
        ScalarType::IntOrString => "integer or string",
    }
}

fn expression(ty: &TypeExpr) -> String {
    match ty {
        TypeExpr::Scalar(scalar) => scalar_text(*scalar).to_owned(),
        TypeExpr::Named(name) => name.clone(),
        TypeExpr::List(item) => format!("[]{}", expression(item)),
        TypeExpr::Map(value) => format!("map[string]{}", expression(value)),
        TypeExpr::Pointer(target) => expression(target),
        TypeExpr::Any => "any".to_owned(),
    }
}

/// `merge by name, retainKeys; recommended: name,type`.
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
    if meta.retain_keys {
        text.push_str(if text.is_empty() { "retainKeys" } else { ", retainKeys" });
    }
    if !meta.recommended_merge_key.is_empty() {
        let _ = write!(text, "; recommended: {}", meta.recommended_merge_key.join(","));
    }
    text
}

/// What server-side apply takes a list for.
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
        Some(discriminator) => format!("union: {members}, told by {}", discriminator.field),
        None => format!("union: {members}"),
    }
}
