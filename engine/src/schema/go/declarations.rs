//! Builds declarations from parsed types. This includes the checks that need all types of a text.

use std::collections::HashMap;

use super::constants::{ConstantEvaluator, ConstantValue, ParsedConstant};
use super::errors::{GoErrorKind, Position};
use super::markers::{DefaultText, closes_enum};
use super::syntax_tree::{MAX_NESTING, position_of, text_of};
use super::types::{ParsedField, ParsedType, TypeBody, TypeReader, predeclared_scalar};
use super::underlying_types::{Underlying, UnderlyingTypes};
use crate::document::{Doc, OwnedDoc, from_json};
use crate::schema::{Declarations, EnumValue, FieldDecl, ScalarType, Shape, TypeDecl, TypeExpr};

/// Checks the parsed types and constants, and builds their declarations. Errors are added to the reader.
pub(super) fn build_declarations(
    reader: &mut TypeReader<'_>,
    constants: &[ParsedConstant<'_>],
) -> Declarations {
    let underlying = UnderlyingTypes::new(&reader.types);
    let evaluator = ConstantEvaluator::new(reader.source, constants);
    let mut builder = Builder { reader, underlying, evaluator };
    builder.check_map_keys();
    builder.underlying.report_recursion(&builder.reader.types, &mut builder.reader.errors);
    let mut enum_values = builder.enum_values(constants);
    let types = std::mem::take(&mut builder.reader.types);
    let mut declarations = Vec::with_capacity(types.len());
    for ty in types {
        let values = enum_values.remove(&ty.name).unwrap_or_default();
        declarations.push(builder.build_type(ty, values));
    }
    for well_known in builder.reader.names.used_well_known() {
        let mut decl = well_known.clone();
        add_enum_values(&mut decl, enum_values.remove(&well_known.name).unwrap_or_default());
        declarations.push(decl);
    }
    Declarations { types: declarations }
}

/// The state of building the declarations of one text.
struct Builder<'r, 's, 't> {
    reader: &'r mut TypeReader<'s>,
    underlying: UnderlyingTypes,
    evaluator: ConstantEvaluator<'r, 't>,
}

impl Builder<'_, '_, '_> {
    fn report(&mut self, position: Position, kind: GoErrorKind, message: impl Into<String>) {
        self.reader.errors.push(position.error(kind, message));
    }

    fn check_map_keys(&mut self) {
        for (ty, position) in std::mem::take(&mut self.reader.map_keys) {
            let is_pointer = matches!(ty, TypeExpr::Pointer(_));
            if is_pointer || self.underlying.of(&ty) != Underlying::Scalar(ScalarType::String) {
                let message = "the keys of a map must be strings: a document has no other keys";
                self.report(position, GoErrorKind::MapKey, message);
            }
        }
    }

    /// Returns the values of the string types, by the name of the type.
    fn enum_values(&mut self, constants: &[ParsedConstant<'_>]) -> HashMap<String, Vec<EnumValue>> {
        let mut values: HashMap<String, Vec<EnumValue>> = HashMap::new();
        let mut declared: HashMap<&str, Position> = HashMap::new();
        for (i, constant) in constants.iter().enumerate() {
            if constant.name == "_" {
                continue;
            }
            if let Some(first) = declared.insert(&constant.name, constant.position) {
                let message = format!(
                    "the constant `{}` is declared twice, first in line {}",
                    constant.name, first.line
                );
                self.report(constant.position, GoErrorKind::DuplicateConstant, message);
                continue;
            }
            let value = self.evaluator.evaluate(i);
            let Some(ty) = self.string_type_of(constant, &value) else { continue };
            let reason = match value {
                ConstantValue::Text { text, .. } => {
                    let markers = constant.markers.iter().map(|found| found.marker.clone()).collect();
                    let line = constant.position.line;
                    let value = EnumValue { name: constant.name.clone(), value: text, markers, line };
                    values.entry(ty).or_default().push(value);
                    continue;
                }
                ConstantValue::Other => format!("`{ty}` is a string, and it is not"),
                ConstantValue::Unknown(reason) => reason,
            };
            let message = format!("the constant `{}` cannot be evaluated: {reason}", constant.name);
            self.report(constant.position, GoErrorKind::BadConstant, message);
        }
        values
    }

    /// Returns the string type that a constant belongs to, if it belongs to one.
    ///
    /// KEP-1027 has `Beta = "BETA"` below a typed constant of the same block. In Go, this constant has no type. The KEP
    /// means the type of the constant above, so that this function returns that type.
    fn string_type_of(&mut self, constant: &ParsedConstant<'_>, value: &ConstantValue) -> Option<String> {
        let type_of_expression = match value {
            ConstantValue::Text { ty: Some(ty), .. } => Some((ty.clone(), constant.position)),
            _ => None,
        };
        let source = self.reader.source;
        let type_name = |node| (text_of(source, node).to_owned(), position_of(node));
        let (name, position) = constant.ty.map(type_name).or(type_of_expression).or_else(|| match value {
            ConstantValue::Other => None,
            _ => constant.preceding_type.map(type_name),
        })?;
        if predeclared_scalar(&name).is_some() && self.underlying.index(&name).is_none() {
            return None;
        }
        let (package, unqualified) =
            name.split_once('.').map_or((None, name.as_str()), |(p, n)| (Some(p), n));
        let ty = self.reader.resolve(package, unqualified, position);
        (self.underlying.of(&ty) == Underlying::Scalar(ScalarType::String)).then_some(())?;
        match ty {
            TypeExpr::Named(name) => Some(self.follow_aliases(name)),
            _ => None,
        }
    }

    /// Follows aliases to the type that they name. If `type A = B` is declared, a constant of A is a constant of B.
    fn follow_aliases(&self, mut name: String) -> String {
        for _ in 0..MAX_NESTING {
            let declared = self.underlying.index(&name).map(|i| &self.reader.types[i]);
            let Some(ty) = declared.filter(|ty| ty.is_alias) else { break };
            let TypeBody::Expr(TypeExpr::Named(target)) = &ty.body else { break };
            name.clone_from(target);
        }
        name
    }

    fn build_type(&mut self, ty: ParsedType, values: Vec<EnumValue>) -> TypeDecl {
        let ParsedType { name, position, markers, body, is_alias } = ty;
        let enum_marker = markers.iter().find(|m| closes_enum(&m.marker)).map(|m| m.position);
        let shape = match body {
            TypeBody::Struct(fields) => {
                self.refuse_enum_marker(enum_marker);
                Shape::Struct(self.build_fields(fields))
            }
            TypeBody::Expr(ty) => {
                let underlying = self.underlying.of(&ty);
                if underlying != Underlying::Scalar(ScalarType::String) {
                    // The underlying type is unknown if an alias refers to an undeclared type. The error about that
                    // type is enough.
                    self.refuse_enum_marker(
                        enum_marker.filter(|_| !is_alias || underlying != Underlying::Any),
                    );
                } else if let Some(position) = enum_marker.filter(|_| values.is_empty() && !is_alias) {
                    // The constants of an alias belong to the aliased type.
                    let message = format!("`{name}` is marked +enum and has no constants");
                    self.report(position, GoErrorKind::BadEnum, message);
                }
                Shape::Alias(ty)
            }
        };
        let markers = markers.into_iter().map(|m| m.marker).collect();
        let mut decl = TypeDecl { name, shape, markers, line: position.line };
        add_enum_values(&mut decl, values);
        decl
    }

    fn refuse_enum_marker(&mut self, enum_marker: Option<Position>) {
        if let Some(position) = enum_marker {
            self.report(position, GoErrorKind::BadEnum, "+enum is on a type that is not a string type");
        }
    }

    fn build_fields(&mut self, fields: Vec<ParsedField>) -> Vec<FieldDecl> {
        let mut line_by_name: HashMap<String, u32> = HashMap::new();
        let mut declarations = Vec::with_capacity(fields.len());
        for mut field in fields {
            let underlying = self.underlying.of(&field.declaration.ty);
            self.check_inline(&mut field, underlying);
            if field.has_string_option {
                self.apply_string_option(&mut field, underlying);
            }
            if let Some(default) = field.default.take() {
                let underlying = self.underlying.of(&field.declaration.ty);
                field.declaration.default = self.parse_default(default, underlying);
            }
            if !field.declaration.inline {
                let name = field.declaration.name.clone();
                if let Some(first) = line_by_name.insert(name.clone(), field.position.line) {
                    let message =
                        format!("two fields have the JSON name {name:?}, the first in line {first}");
                    self.report(field.position, GoErrorKind::DuplicateField, message);
                }
            }
            declarations.push(field.declaration);
        }
        declarations
    }

    /// Turns an embedded type that is not a struct into a named field, because encoding/json writes it under the name
    /// of the type.
    fn check_inline(&mut self, field: &mut ParsedField, underlying: Underlying) {
        if !field.declaration.inline || matches!(underlying, Underlying::Struct | Underlying::Cyclic) {
            return;
        }
        if field.has_inline_option {
            let message = format!("`,inline` on `{}`, which is not a struct", field.declaration.go_name);
            self.report(field.position, GoErrorKind::BadInline, message);
        }
        field.declaration.inline = false;
        field.declaration.name.clone_from(&field.declaration.go_name);
    }

    /// Applies the JSON option `,string`, which makes Go write a number or a boolean as a string.
    fn apply_string_option(&mut self, field: &mut ParsedField, underlying: Underlying) {
        use ScalarType::{Boolean, Int32, Integer, Number};
        if !matches!(underlying, Underlying::Scalar(Integer | Int32 | Number | Boolean)) {
            let message = "the JSON option `string` applies only to strings, numbers and booleans";
            self.report(field.position, GoErrorKind::BadJsonOption, message);
            return;
        }
        let string = TypeExpr::Scalar(ScalarType::String);
        field.declaration.ty = match field.declaration.ty {
            TypeExpr::Pointer(_) => TypeExpr::Pointer(Box::new(string)),
            _ => string,
        };
    }

    /// Parses the value of `+default=…`. It is JSON or `ref(Constant)`. The default of a string can also be text
    /// without quotes.
    fn parse_default(&mut self, default: DefaultText, underlying: Underlying) -> Option<OwnedDoc> {
        let DefaultText { text, position } = default;
        if let Some(name) = text.strip_prefix("ref(").and_then(|rest| rest.strip_suffix(')')) {
            let unqualified = name.rsplit('.').next().unwrap_or_default();
            let value = self.evaluator.evaluate_named(unqualified).map(Doc::from);
            if value.is_none() {
                let message =
                    format!("+default refers to `{name}`, which is not a string constant of this text");
                self.report(position, GoErrorKind::BadMarker, message);
            }
            return value;
        }
        let value = default_value(&text, underlying);
        if value.is_none() {
            let expected = expected_default(underlying);
            self.report(position, GoErrorKind::BadMarker, format!("+default={text}: expected {expected}"));
        }
        value
    }
}

/// Adds constants to a type. A string type with constants is an enum.
fn add_enum_values(decl: &mut TypeDecl, mut constants: Vec<EnumValue>) {
    match &mut decl.shape {
        Shape::Enum { values, .. } => values.append(&mut constants),
        Shape::Alias(_) if !constants.is_empty() => {
            let closed = decl.markers.iter().any(closes_enum);
            decl.shape = Shape::Enum { values: constants, closed };
        }
        _ => {}
    }
}

/// Parses a default value. Returns `None` if a field of this type cannot have this value.
fn default_value(text: &str, underlying: Underlying) -> Option<OwnedDoc> {
    let value = from_json(text.as_bytes());
    if matches!(underlying, Underlying::Scalar(scalar) if scalar.is_always_text()) {
        return match value {
            Ok(value @ Doc::String(_)) => Some(value),
            // A text that begins with a quote but is not a JSON string is a typing error.
            _ if text.starts_with('"') => None,
            _ => Some(Doc::from(text)),
        };
    }
    let value = match value {
        Ok(value) => value,
        Err(_) if can_be_bare(underlying) && !text.starts_with(['{', '[', '"']) => Doc::from(text),
        Err(_) => return None,
    };
    is_default_of(&value, underlying).then_some(value)
}

/// Returns true if a default of this type can be text without quotes, although the type is not a string.
fn can_be_bare(underlying: Underlying) -> bool {
    matches!(underlying, Underlying::Any | Underlying::Scalar(ScalarType::IntOrString | ScalarType::Quantity))
}

fn is_default_of(value: &OwnedDoc, underlying: Underlying) -> bool {
    match underlying {
        Underlying::Any | Underlying::Cyclic => true,
        Underlying::Struct | Underlying::Map => matches!(value, Doc::Map(_)),
        Underlying::List => matches!(value, Doc::List(_)),
        Underlying::Scalar(ScalarType::Boolean) => matches!(value, Doc::Bool(_)),
        Underlying::Scalar(ScalarType::Integer | ScalarType::Int32) => matches!(value, Doc::Int(_)),
        Underlying::Scalar(ScalarType::Number) => matches!(value, Doc::Int(_) | Doc::Float(_)),
        Underlying::Scalar(ScalarType::IntOrString | ScalarType::Quantity) => {
            matches!(value, Doc::Int(_) | Doc::Float(_) | Doc::String(_))
        }
        Underlying::Scalar(
            ScalarType::String
            | ScalarType::Bytes
            | ScalarType::Time
            | ScalarType::MicroTime
            | ScalarType::Duration,
        ) => matches!(value, Doc::String(_)),
    }
}

/// Describes the defaults that a field of this type can have, for error messages.
fn expected_default(underlying: Underlying) -> &'static str {
    match underlying {
        Underlying::Struct | Underlying::Map => "a JSON object",
        Underlying::List => "a JSON list",
        Underlying::Scalar(ScalarType::Boolean) => "true or false",
        Underlying::Scalar(ScalarType::Integer | ScalarType::Int32) => "a whole number",
        Underlying::Scalar(ScalarType::Number) => "a number",
        Underlying::Scalar(
            ScalarType::String
            | ScalarType::Bytes
            | ScalarType::Time
            | ScalarType::MicroTime
            | ScalarType::Duration,
        ) => "a string",
        Underlying::Scalar(ScalarType::IntOrString | ScalarType::Quantity) => "a number or a string",
        Underlying::Any | Underlying::Cyclic => "JSON",
    }
}
