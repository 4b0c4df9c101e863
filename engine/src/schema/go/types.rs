//! Types: their names, type expressions (`[]*Volume`, `map[string]metav1.Time`) and the fields of structs.

use std::collections::{BTreeSet, HashMap};

use tree_sitter::Node;

use super::errors::{GoError, GoErrorKind, Position};
use super::markers::{DefaultText, PendingComments, PositionedMarker, UnclaimedMarkers, apply_field_markers};
use super::struct_tag::{StructTag, parse_tag};
use super::syntax_tree::{MAX_NESTING, children, inner_node, position_of, text_of};
use super::well_known::{self, WellKnownType};
use crate::schema::well_known::with_references;
use crate::schema::{FieldDecl, MetadataTags, PatchMeta, ScalarType, TypeDecl, TypeExpr};

/// A parsed type declaration of the text.
pub(super) struct ParsedType {
    pub(super) name: String,
    pub(super) position: Position,
    pub(super) markers: Vec<PositionedMarker>,
    /// Whether the declaration has the form `type A = B`.
    pub(super) is_alias: bool,
    pub(super) body: TypeBody,
}

/// The right side of a type declaration.
pub(super) enum TypeBody {
    Struct(Vec<ParsedField>),
    Expr(TypeExpr),
}

/// A parsed field. Its options and its default are applied later, because they depend on other types.
pub(super) struct ParsedField {
    pub(super) declaration: FieldDecl,
    pub(super) position: Position,
    pub(super) default: Option<DefaultText>,
    /// Whether the tag has `json:",string"`.
    pub(super) has_string_option: bool,
    /// Whether the tag has `json:",inline"`. False for a struct that is only embedded in Go.
    pub(super) has_inline_option: bool,
}

/// Looks up type names. A name can refer to a type of the text, to a base type of the overlay, or to a well-known type.
pub(super) struct NameResolver<'s> {
    declared: HashMap<&'s str, Position>,
    /// The type whose right side is being read. In `type List metav1.List`, the right side refers to the type of the
    /// other package.
    declaring: Option<&'s str>,
    /// A function that returns true for the name of a type on which the text is an overlay.
    is_base_type: &'s dyn Fn(&str) -> bool,
    /// The well-known types that the text refers to, by canonical name.
    used_well_known: BTreeSet<&'static str>,
    suggestions: usize,
}

/// Maximum number of errors with a suggestion. A suggestion takes time for every declared name.
const MAX_SUGGESTIONS: usize = 50;
/// Maximum number of bytes that are copied in a text for field declarations with several names, such as `A, B int`.
/// Each name gets a copy of the type, the tag and the markers.
pub const MAX_COPIED: usize = 16 << 20;
/// Maximum length of the names that suggestions compare.
const MAX_COMPARED: usize = 100;

impl<'s> NameResolver<'s> {
    pub(super) fn new(is_base_type: &'s dyn Fn(&str) -> bool) -> Self {
        NameResolver {
            declared: HashMap::new(),
            declaring: None,
            is_base_type,
            used_well_known: BTreeSet::new(),
            suggestions: 0,
        }
    }

    /// Declares a type. If the name was declared before, returns the position of the first declaration as an error.
    pub(super) fn declare(&mut self, name: &'s str, position: Position) -> Result<(), Position> {
        if let Some(first) = self.declared.get(name) {
            return Err(*first);
        }
        self.declared.insert(name, position);
        Ok(())
    }

    /// Returns the well-known types to which the text refers, directly or through other well-known types.
    pub(super) fn used_well_known(&self) -> Vec<&'static TypeDecl> {
        with_references(self.used_well_known.iter().copied())
    }

    /// Looks up a type name. The order is: types of the text, predeclared types of Go, base types, well-known types.
    fn resolve(&mut self, package: Option<&str>, name: &str) -> Result<TypeExpr, (GoErrorKind, String)> {
        let can_be_declared = package.is_none() || self.declaring != Some(name);
        if can_be_declared && self.declared.contains_key(name) {
            return Ok(TypeExpr::Named(name.to_owned()));
        }
        if package.is_none() {
            if let Some(scalar) = predeclared_scalar(name) {
                return Ok(TypeExpr::Scalar(scalar));
            }
            if name == "any" {
                return Ok(TypeExpr::Any);
            }
            if matches!(name, "complex64" | "complex128" | "uintptr" | "error") {
                return Err((GoErrorKind::UnsupportedType, format!("`{name}` has no form in JSON")));
            }
        }
        let full = package.map_or_else(|| name.to_owned(), |package| format!("{package}.{name}"));
        if (self.is_base_type)(&full) {
            return Ok(TypeExpr::Named(full));
        }
        match well_known::find(package, name) {
            Some(WellKnownType::Expr(ty)) => Ok(ty),
            Some(WellKnownType::Declared(canonical)) => {
                self.used_well_known.insert(canonical);
                Ok(TypeExpr::Named(canonical.to_owned()))
            }
            None => {
                let suggestion = self.suggestion(&full);
                let message = format!("the type `{full}` is not declared{suggestion}");
                Err((GoErrorKind::UnresolvedType, message))
            }
        }
    }

    fn suggestion(&mut self, name: &str) -> String {
        self.suggestions += 1;
        if self.suggestions > MAX_SUGGESTIONS || name.len() > MAX_COMPARED {
            return String::new();
        }
        let distance_to = |candidate: &str| {
            // The edit distance is at least the difference of the lengths.
            if candidate.len().abs_diff(name.len()) > 12 {
                return None;
            }
            let distance = strsim::damerau_levenshtein(name, candidate);
            // Allows one typing error in a short name, and up to three in a long name.
            (distance <= 1 + name.len() / 6 && distance <= 3).then_some(distance)
        };
        let declared = self.declared.keys().copied().filter(|c| c.len() <= MAX_COMPARED);
        let predeclared = PREDECLARED.iter().map(|(name, _)| *name);
        let scored =
            |candidate: &str| distance_to(candidate).map(|distance| (distance, candidate.to_owned()));
        let in_text = declared.chain(predeclared).filter_map(scored);
        let nearest = in_text.chain(well_known::names().filter_map(|candidate| scored(&candidate))).min();
        nearest.map(|(_, candidate)| format!(": did you mean `{candidate}`?")).unwrap_or_default()
    }
}

/// Predeclared types of Go that can occur in documents.
const PREDECLARED: [(&str, ScalarType); 16] = [
    ("string", ScalarType::String),
    ("bool", ScalarType::Boolean),
    ("int", ScalarType::Integer),
    ("int8", ScalarType::Integer),
    ("int16", ScalarType::Integer),
    ("int32", ScalarType::Int32),
    ("int64", ScalarType::Integer),
    ("uint", ScalarType::Integer),
    ("uint8", ScalarType::Integer),
    ("uint16", ScalarType::Integer),
    ("uint32", ScalarType::Integer),
    ("uint64", ScalarType::Integer),
    ("byte", ScalarType::Integer),
    ("rune", ScalarType::Int32),
    ("float32", ScalarType::Number),
    ("float64", ScalarType::Number),
];

/// Returns the scalar type that a predeclared type has in documents.
pub(super) fn predeclared_scalar(name: &str) -> Option<ScalarType> {
    PREDECLARED.iter().find(|(predeclared, _)| *predeclared == name).map(|(_, scalar)| *scalar)
}

/// The state of reading the types of one text.
pub(super) struct TypeReader<'s> {
    pub(super) source: &'s str,
    pub(super) errors: Vec<GoError>,
    pub(super) unclaimed_markers: UnclaimedMarkers,
    pub(super) names: NameResolver<'s>,
    /// The metadata tags that directives declare.
    tags: &'s MetadataTags,
    pub(super) types: Vec<ParsedType>,
    /// The types of map keys with their positions. They must be string types, which is checked later.
    pub(super) map_keys: Vec<(TypeExpr, Position)>,
    /// The nesting of the type expression that is being read.
    depth: usize,
    /// The number of bytes that can still be copied before [`MAX_COPIED`] is exceeded.
    copies_left: usize,
}

impl<'s> TypeReader<'s> {
    pub(super) fn new(source: &'s str, names: NameResolver<'s>, tags: &'s MetadataTags) -> Self {
        TypeReader {
            tags,
            source,
            errors: Vec::new(),
            unclaimed_markers: UnclaimedMarkers::default(),
            names,
            types: Vec::new(),
            map_keys: Vec::new(),
            depth: 0,
            copies_left: MAX_COPIED,
        }
    }

    pub(super) fn text(&self, node: Node<'_>) -> &'s str {
        text_of(self.source, node)
    }

    pub(super) fn error(&mut self, node: Node<'_>, kind: GoErrorKind, message: impl Into<String>) {
        self.errors.push(position_of(node).error(kind, message));
    }

    /// Reads a `type_spec` or a `type_alias`.
    pub(super) fn read_declaration(&mut self, spec: Node<'_>, comments: &[Node<'_>]) {
        let markers = self.unclaimed_markers.claim(comments);
        let (Some(name), Some(ty)) = (spec.child_by_field_name("name"), spec.child_by_field_name("type"))
        else {
            return;
        };
        if let Some(parameters) = spec.child_by_field_name("type_parameters") {
            self.error(parameters, GoErrorKind::UnsupportedType, "generic types cannot be read");
            return;
        }
        let text = self.text(name);
        let index = self.begin_type(ParsedType {
            name: text.to_owned(),
            position: position_of(name),
            markers,
            is_alias: spec.kind() == "type_alias",
            body: TypeBody::Expr(TypeExpr::Any),
        });
        self.types[index].body = if ty.kind() == "struct_type" {
            TypeBody::Struct(self.read_fields(ty, text))
        } else {
            self.names.declaring = Some(text);
            let body = TypeBody::Expr(self.read_expr(ty, &format!("{text}.Item")));
            self.names.declaring = None;
            body
        };
    }

    /// Adds a type before its body is read, so that it precedes the anonymous structs in its body. Returns its index.
    fn begin_type(&mut self, ty: ParsedType) -> usize {
        self.types.push(ty);
        self.types.len() - 1
    }

    /// Looks up a type name. If it is not declared, reports an error and returns the type of any JSON value.
    pub(super) fn resolve(&mut self, package: Option<&str>, name: &str, position: Position) -> TypeExpr {
        self.names.resolve(package, name).unwrap_or_else(|(kind, message)| {
            self.errors.push(position.error(kind, message));
            TypeExpr::Any
        })
    }

    /// Reads a type expression. `parent` is the name for an anonymous struct in the expression. If the expression
    /// cannot be read, reports an error and returns the type of any JSON value. That type is never used, because a text
    /// with errors has no declarations.
    fn read_expr(&mut self, node: Node<'_>, parent: &str) -> TypeExpr {
        if self.depth >= MAX_NESTING {
            let message = format!("the type nests deeper than {MAX_NESTING} levels");
            self.error(node, GoErrorKind::TooDeep, message);
            return TypeExpr::Any;
        }
        self.depth += 1;
        let ty = self.read_expr_node(node, parent);
        self.depth -= 1;
        ty
    }

    fn read_expr_node(&mut self, node: Node<'_>, parent: &str) -> TypeExpr {
        match node.kind() {
            "type_identifier" => self.resolve(None, self.text(node), position_of(node)),
            "qualified_type" => self.read_qualified_name(node),
            "pointer_type" => self
                .read_inner(node, parent)
                .map_or(TypeExpr::Any, |target| TypeExpr::Pointer(Box::new(target))),
            "parenthesized_type" => self.read_inner(node, parent).unwrap_or(TypeExpr::Any),
            "slice_type" if self.is_bytes(node) => TypeExpr::Scalar(ScalarType::Bytes),
            "slice_type" | "array_type" => match node.child_by_field_name("element") {
                Some(element) => TypeExpr::List(Box::new(self.read_expr(element, parent))),
                None => TypeExpr::Any,
            },
            "map_type" => self.read_map(node, parent),
            "struct_type" => self.read_anonymous_struct(node, parent),
            "interface_type" if inner_node(node).is_none() => TypeExpr::Any,
            kind => {
                let message = unsupported_type_message(kind, self.text(node));
                self.error(node, GoErrorKind::UnsupportedType, message);
                TypeExpr::Any
            }
        }
    }

    fn read_inner(&mut self, node: Node<'_>, parent: &str) -> Option<TypeExpr> {
        inner_node(node).map(|inner| self.read_expr(inner, parent))
    }

    fn read_qualified_name(&mut self, node: Node<'_>) -> TypeExpr {
        let part = |name| node.child_by_field_name(name).map(|n| text_of(self.source, n)).unwrap_or_default();
        self.resolve(Some(part("package")), part("name"), position_of(node))
    }

    /// Returns true for `[]byte`, unless the text declares a type `byte`.
    fn is_bytes(&self, slice: Node<'_>) -> bool {
        let element = slice.child_by_field_name("element").map(|e| self.text(e));
        element.is_some_and(|e| matches!(e, "byte" | "uint8") && !self.names.declared.contains_key(e))
    }

    fn read_map(&mut self, node: Node<'_>, parent: &str) -> TypeExpr {
        let (Some(key), Some(value)) = (node.child_by_field_name("key"), node.child_by_field_name("value"))
        else {
            return TypeExpr::Any;
        };
        let key_type = self.read_expr(key, parent);
        self.map_keys.push((key_type, position_of(key)));
        TypeExpr::Map(Box::new(self.read_expr(value, parent)))
    }

    /// Reads an anonymous struct. Its name is made from the struct and the field that contain it: `Parent.Field`.
    fn read_anonymous_struct(&mut self, node: Node<'_>, parent: &str) -> TypeExpr {
        let index = self.begin_type(ParsedType {
            name: parent.to_owned(),
            position: position_of(node),
            markers: Vec::new(),
            is_alias: false,
            body: TypeBody::Expr(TypeExpr::Any),
        });
        let fields = self.read_fields(node, parent);
        self.types[index].body = TypeBody::Struct(fields);
        TypeExpr::Named(parent.to_owned())
    }

    fn read_fields(&mut self, node: Node<'_>, parent: &str) -> Vec<ParsedField> {
        let mut fields = Vec::new();
        let Some(list) = children(node).into_iter().find(|child| child.kind() == "field_declaration_list")
        else {
            return fields;
        };
        let mut pending = PendingComments::default();
        let mut previous_row = Some(list.start_position().row);
        for child in children(list) {
            match child.kind() {
                "comment" => pending.push(child, previous_row),
                "field_declaration" => {
                    let comments = pending.take_for(child, false);
                    self.read_field(child, &comments, parent, &mut fields);
                    previous_row = Some(child.end_position().row);
                }
                _ => {}
            }
        }
        fields
    }

    fn read_field(
        &mut self,
        node: Node<'_>,
        comments: &[Node<'_>],
        parent: &str,
        fields: &mut Vec<ParsedField>,
    ) {
        let markers = self.unclaimed_markers.claim(comments);
        let tag = node.child_by_field_name("tag");
        let tag = tag
            .map(|tag| parse_tag(self.text(tag), position_of(tag), self.tags, &mut self.errors))
            .unwrap_or_default();
        let Some(type_node) = node.child_by_field_name("type") else { return };
        if tag.json.is_ignored {
            // The type does not matter, because documents do not contain the field.
            return;
        }
        let names: Vec<Node<'_>> =
            children(node).into_iter().filter(|c| c.kind() == "field_identifier").collect();
        if names.is_empty() {
            let mut field = self.embedded_field(node, type_node, &tag, parent);
            field.default = apply_field_markers(markers, &mut field.declaration, &mut self.errors);
            fields.push(field);
            return;
        }
        let shared = comments.iter().map(|comment| comment.byte_range().len()).sum::<usize>()
            + node.end_byte().saturating_sub(type_node.start_byte());
        if !self.can_copy(names.len(), shared, position_of(node)) {
            return;
        }
        let first = self.text(names[0]);
        let ty = self.read_expr(type_node, &format!("{parent}.{first}"));
        for name in names {
            let mut field = self.named_field(name, ty.clone(), &tag);
            field.default = apply_field_markers(markers.clone(), &mut field.declaration, &mut self.errors);
            fields.push(field);
        }
    }

    /// Returns true if each name can get a copy of the shared type, tag and markers. Reports an error if the copies
    /// would exceed [`MAX_COPIED`].
    pub(super) fn can_copy(&mut self, names: usize, shared_bytes: usize, position: Position) -> bool {
        let copied = names.saturating_sub(1).saturating_mul(shared_bytes);
        if let Some(left) = self.copies_left.checked_sub(copied) {
            self.copies_left = left;
            return true;
        }
        let message = format!(
            "declarations of several names copy more than {MAX_COPIED} bytes of types, tags and markers: declare fewer \
             names at once"
        );
        self.errors.push(position.error(GoErrorKind::TooLarge, message));
        false
    }

    fn named_field(&mut self, name: Node<'_>, ty: TypeExpr, tag: &StructTag) -> ParsedField {
        let go_name = self.text(name);
        if !is_exported(go_name) {
            let message = format!(
                "the field `{go_name}` is not exported, so encoding/json would leave it out: export it or remove it"
            );
            self.error(name, GoErrorKind::UnexportedField, message);
        }
        if tag.json.inline {
            let message = format!(
                "`,inline` on the named field `{go_name}`: encoding/json inlines only embedded structs; remove the name"
            );
            self.error(name, GoErrorKind::BadInline, message);
        }
        let json_name = tag.json.name.clone().unwrap_or_else(|| go_name.to_owned());
        new_field(json_name, go_name, ty, tag, position_of(name))
    }

    fn embedded_field(
        &mut self,
        node: Node<'_>,
        type_node: Node<'_>,
        tag: &StructTag,
        parent: &str,
    ) -> ParsedField {
        let go_name = self.text(type_node).rsplit('.').next().unwrap_or_default().trim();
        let mut ty = self.read_expr(type_node, &format!("{parent}.{go_name}"));
        if children(node).iter().any(|child| child.kind() == "*") {
            ty = TypeExpr::Pointer(Box::new(ty));
        }
        if let Some(name) = tag.json.name.as_ref().filter(|_| tag.json.inline) {
            let message =
                format!("the JSON tag names the field {name:?} and inlines it: expected only one of the two");
            self.error(node, GoErrorKind::BadInline, message);
        }
        let json_name = tag.json.name.clone().unwrap_or_default();
        let mut field = new_field(json_name, go_name, ty, tag, position_of(node));
        field.declaration.inline = tag.json.name.is_none();
        field
    }
}

fn new_field(name: String, go_name: &str, ty: TypeExpr, tag: &StructTag, position: Position) -> ParsedField {
    let declaration = FieldDecl {
        go_name: go_name.to_owned(),
        omit_empty: tag.json.omit_empty,
        omit_zero: tag.json.omit_zero,
        patch: PatchMeta::clone(&tag.patch),
        line: position.line,
        ..FieldDecl::new(name, ty)
    };
    ParsedField {
        declaration,
        position,
        default: None,
        has_string_option: tag.json.as_string,
        has_inline_option: tag.json.inline,
    }
}

/// Returns true if Go exports a field of this name: exported names begin with an upper-case letter.
fn is_exported(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// Returns the error message for a type that cannot occur in documents.
fn unsupported_type_message(kind: &str, text: &str) -> String {
    let description = match kind {
        "channel_type" => "a channel",
        "function_type" => "a function",
        "interface_type" => "an interface with methods",
        "generic_type" => "a generic type",
        _ => return format!("the type `{text}` is not understood"),
    };
    format!("{description} has no form in JSON that could be read from its declaration")
}
