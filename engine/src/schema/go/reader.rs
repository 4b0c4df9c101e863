//! The reader, which turns a text into declarations in three passes. The first pass collects the names of all types.
//! The second pass reads every type and looks up the type names in it. The third pass builds the declarations and
//! checks what depends on several types.

use tree_sitter::Node;

use super::constants::{ParsedConstant, parse_constants};
use super::declarations::build_declarations;
use super::errors::{GoError, GoErrorKind, Position};
use super::markers::{CommentedNode, PendingComments};
use super::syntax_tree::{
    MAX_SOURCE, children, end_of, parse, position_of, report_syntax_errors, scan, walk,
};
use super::types::{NameResolver, TypeReader};
use crate::schema::error_limit::limit_errors;
use crate::schema::{Declarations, MetadataTags};

/// Reads Go type declarations. The documentation of the module lists what is read and what is refused.
///
/// The result has the types in the order of the text. The well-known types to which the text refers, such as
/// `metav1.ObjectMeta`, follow.
///
/// # Errors
///
/// All errors of the text, in the order of the text, up to [`MAX_ERRORS`](crate::schema::MAX_ERRORS).
pub fn read(source: &str) -> Result<Declarations, Vec<GoError>> {
    read_overlay(source, &|_| false)
}

/// Reads a text that is an [overlay](Declarations::overlaid_with) of other types. The text can also refer to the types
/// for whose names `is_base_type` returns true. The names have the form that they have in the text, such as
/// `metav1.LabelSelector`.
///
/// # Errors
///
/// The errors of [`read`].
pub fn read_overlay(source: &str, is_base_type: &dyn Fn(&str) -> bool) -> Result<Declarations, Vec<GoError>> {
    read_with_tags(source, is_base_type, &MetadataTags::registered())
}

/// Reads a text as [`read_overlay`] does, with the given metadata tags. The functions `read` and `read_overlay` use the
/// tags that the registered directives declare.
///
/// # Errors
///
/// The errors of [`read`].
pub fn read_with_tags(
    source: &str,
    is_base_type: &dyn Fn(&str) -> bool,
    tags: &MetadataTags,
) -> Result<Declarations, Vec<GoError>> {
    let scanned = scan(source);
    if !scanned.is_parseable {
        return Err(scanned.errors);
    }
    let mut errors = scanned.errors;
    let names = NameResolver::new(is_base_type);
    let declarations = read_scanned(&scanned.text, names, tags, &mut errors);
    if errors.is_empty() {
        return Ok(declarations);
    }
    // The parsed text has a line break at its end, after which the source has no line.
    let end = end_of(source);
    for error in errors.iter_mut().filter(|error| error.line > end.line) {
        (error.line, error.column) = (end.line, end.column);
    }
    errors.sort_by_key(|error| (error.line, error.column, error.kind));
    errors.dedup();
    limit_errors(&mut errors, |first, message| GoError { message, ..first });
    Err(errors)
}

fn read_scanned<'s>(
    text: &'s str,
    names: NameResolver<'s>,
    tags: &'s MetadataTags,
    errors: &mut Vec<GoError>,
) -> Declarations {
    let start_of_text = Position { line: 1, column: 1 };
    let Some(tree) = parse(text) else {
        let message = format!("the text is too far from Go to be parsed (limits: {MAX_SOURCE} bytes)");
        errors.push(start_of_text.error(GoErrorKind::Syntax, message));
        return Declarations::default();
    };
    let root = tree.root_node();
    let errors_before = errors.len();
    report_syntax_errors(root, text, errors);
    let has_syntax_errors = errors.len() > errors_before;

    let mut reader = TypeReader::new(text, names, tags);
    walk(root, |node| {
        if node.kind() == "comment" {
            reader.unclaimed_markers.add(node, text);
        }
        true
    });
    let declarations = collect_declarations(&mut reader, root);
    declare_names(&mut reader, &declarations);
    let constants = read_declarations(&mut reader, &declarations);
    let result = build_declarations(&mut reader, &constants);
    let TypeReader { errors: mut reader_errors, unclaimed_markers, .. } = reader;
    reader_errors.extend(unclaimed_markers.into_errors());
    if has_syntax_errors {
        // Errors that can be consequences of a declaration that could not be read are left out.
        reader_errors.retain(|error| !can_be_consequence(error.kind));
    }
    errors.append(&mut reader_errors);
    if errors.is_empty() && result.types.is_empty() {
        errors.push(start_of_text.error(GoErrorKind::Empty, "the text declares no type"));
    }
    result
}

/// Returns true for errors that a syntax error elsewhere in the text can cause.
fn can_be_consequence(kind: GoErrorKind) -> bool {
    use GoErrorKind as K;
    matches!(
        kind,
        K::UnresolvedType
            | K::BadEnum
            | K::BadConstant
            | K::MisplacedMarker
            | K::UnsupportedDeclaration
            | K::MapKey
    )
}

/// A declaration of the text, with the comments above it.
enum DeclarationNode<'t> {
    Type(CommentedNode<'t>),
    /// The lines of a `const` declaration.
    Constants(Vec<CommentedNode<'t>>),
}

/// Collects the declarations of types and constants. Other declarations are checked and left out.
fn collect_declarations<'t>(reader: &mut TypeReader<'_>, root: Node<'t>) -> Vec<DeclarationNode<'t>> {
    let mut declarations = Vec::new();
    let mut pending = PendingComments::default();
    let mut previous_row = None;
    for node in children(root) {
        match node.kind() {
            "comment" => {
                pending.push(node, previous_row);
                continue;
            }
            // Markers above these declarations concern the whole package, so that they are not misplaced.
            "package_clause" | "import_declaration" | "function_declaration" | "var_declaration" => {
                reader.unclaimed_markers.discard(0, node.end_byte());
            }
            "type_declaration" => {
                if node.has_error() {
                    // The syntax error is reported elsewhere. The rest of the broken declaration is ignored, because it
                    // is not reliable.
                    reader.unclaimed_markers.discard(node.start_byte(), node.end_byte());
                }
                let specs = collect_specs(node, &mut pending, SpecKind::Type);
                let intact = specs.into_iter().filter(|spec| !spec.node.has_error());
                declarations.extend(intact.map(DeclarationNode::Type));
            }
            "const_declaration" => {
                let specs = collect_specs(node, &mut pending, SpecKind::Constant);
                declarations.push(DeclarationNode::Constants(specs));
            }
            "method_declaration" => {
                check_method(reader, node);
                reader.unclaimed_markers.discard(node.start_byte(), node.end_byte());
            }
            _ if node.is_error() => reader.unclaimed_markers.discard(node.start_byte(), node.end_byte()),
            _ if !node.is_named() => continue,
            _ => {
                let message = "this declares neither a type nor a constant: remove it";
                reader.error(node, GoErrorKind::UnsupportedDeclaration, message);
            }
        }
        pending = PendingComments::default();
        previous_row = Some(node.end_position().row);
    }
    declarations
}

/// The kind of the entries in a declaration.
#[derive(Clone, Copy, PartialEq)]
enum SpecKind {
    Type,
    Constant,
}

/// Collects the entries of a declaration with their comments. A declaration has one entry, or several in parentheses.
fn collect_specs<'t>(
    declaration: Node<'t>,
    comments_above: &mut PendingComments<'t>,
    kind: SpecKind,
) -> Vec<CommentedNode<'t>> {
    // The node kinds are `type_spec` and `type_alias` for types, and `const_spec` for constants.
    let prefix = if kind == SpecKind::Type { "type_" } else { "const_spec" };
    let across_blank_lines = kind == SpecKind::Type;
    let parts = children(declaration);
    let is_group = parts.iter().any(|part| part.kind() == "(");
    let mut specs = Vec::new();
    let mut comments_inside = PendingComments::default();
    let mut previous_row = Some(declaration.start_position().row);
    for part in parts {
        if part.kind() == "comment" {
            comments_inside.push(part, previous_row);
        } else if part.is_named() && part.kind().starts_with(prefix) {
            let comments = if is_group {
                comments_inside.take_for(part, across_blank_lines)
            } else {
                comments_above.take_for(declaration, across_blank_lines)
            };
            specs.push(CommentedNode { node: part, comments });
            previous_row = Some(part.end_position().row);
        }
    }
    specs
}

/// Refuses methods that write JSON or text. Other methods do not affect documents.
fn check_method(reader: &mut TypeReader<'_>, node: Node<'_>) {
    let name = node.child_by_field_name("name").map(|n| reader.text(n)).unwrap_or_default();
    if matches!(name, "MarshalJSON" | "UnmarshalJSON" | "MarshalText" | "UnmarshalText") {
        let message =
            format!("the method {name}: a type that writes itself cannot be read from its declaration");
        reader.error(node, GoErrorKind::UnsupportedDeclaration, message);
    }
}

fn declare_names(reader: &mut TypeReader<'_>, declarations: &[DeclarationNode<'_>]) {
    for declaration in declarations {
        let DeclarationNode::Type(spec) = declaration else { continue };
        let Some(name) = spec.node.child_by_field_name("name") else { continue };
        let text = reader.text(name);
        if let Err(first) = reader.names.declare(text, position_of(name)) {
            let message = format!("the type `{text}` is declared twice, first in line {}", first.line);
            reader.error(name, GoErrorKind::DuplicateType, message);
        }
    }
}

fn read_declarations<'t>(
    reader: &mut TypeReader<'_>,
    declarations: &[DeclarationNode<'t>],
) -> Vec<ParsedConstant<'t>> {
    let mut constants = Vec::new();
    for declaration in declarations {
        match declaration {
            DeclarationNode::Type(spec) => reader.read_declaration(spec.node, &spec.comments),
            DeclarationNode::Constants(specs) => parse_constants(reader, specs, &mut constants),
        }
    }
    constants
}
