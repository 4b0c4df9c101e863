//! The reader: from a text to declarations, in three passes. First all names are collected, then every type is
//! read with its names resolved, then what depends on several types is checked.

use std::collections::HashMap;

use tree_sitter::Node;

use super::check;
use super::comments::{MarkerAt, Pending, Unclaimed};
use super::consts::Const;
use super::errors::{GoError, GoErrorKind, Position};
use super::parse::{self, children, position, text_of};
use super::scan::{self, scan};
use super::structs::Field;
use super::types::Names;
use super::wellknown;
use crate::schema::{Declarations, TypeExpr};

/// Reads Go type declarations; see the module for what is read and what is refused.
///
/// All errors are returned at once, in the order of the text. The types come out in its order too; well-known
/// types that it refers to (`metav1.ObjectMeta`) follow, with their own fields.
pub fn read(source: &str) -> Result<Declarations, Vec<GoError>> {
    read_over(source, &|_| false)
}

/// The same for a text that is [laid over](Declarations::laid_over) other types: it may refer to those for which
/// `outside` is true, by the names as written (`metav1.LabelSelector`).
pub fn read_over(source: &str, outside: &dyn Fn(&str) -> bool) -> Result<Declarations, Vec<GoError>> {
    let scanned = scan(source);
    if !scanned.parseable {
        return Err(scanned.errors);
    }
    let mut errors = scanned.errors;
    let result = read_scanned(&scanned.text, outside, &mut errors);
    if errors.is_empty() {
        return Ok(result);
    }
    errors.sort_by_key(|error| (error.line, error.column, error.kind));
    errors.dedup();
    Err(errors)
}

fn read_scanned(text: &str, outside: &dyn Fn(&str) -> bool, errors: &mut Vec<GoError>) -> Declarations {
    let Some(tree) = parse::parse(text) else {
        let message =
            format!("the text is too far from Go to be parsed (limits: {} bytes)", scan::MAX_SOURCE);
        errors.push(Position { line: 1, column: 1 }.error(GoErrorKind::Syntax, message));
        return Declarations::default();
    };
    let root = tree.root_node();
    let before = errors.len();
    parse::syntax_errors(root, text, errors);
    let broken = errors.len() > before;

    let mut reader = Reader::new(text);
    reader.names.outside = Some(outside);
    parse::walk(root, |node| {
        if node.kind() == "comment" {
            reader.unclaimed.add(node, text);
        }
        true
    });
    let items = reader.items(root);
    reader.collect_names(&items);
    let consts = reader.read_items(&items);
    let result = check::finish(&mut reader, &consts);
    reader.errors.extend(reader.unclaimed.errors());
    if broken {
        // What follows from a declaration that could not be read would only distract from it.
        reader.errors.retain(|error| !follows_from_others(error.kind));
    }
    errors.append(&mut reader.errors);
    if errors.is_empty() && result.types.is_empty() {
        errors.push(Position { line: 1, column: 1 }.error(GoErrorKind::Empty, "the text declares no type"));
    }
    result
}

fn follows_from_others(kind: GoErrorKind) -> bool {
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

/// A type that has been read.
pub(super) struct Type {
    pub(super) name: String,
    pub(super) at: Position,
    pub(super) markers: Vec<MarkerAt>,
    /// `type A = B`.
    pub(super) alias: bool,
    pub(super) form: Form,
}

/// What stands on the right of a type declaration.
pub(super) enum Form {
    Struct(Vec<Field>),
    Other(TypeExpr),
}

/// A declaration of the text, with the comments above it.
enum Item<'t> {
    Type { spec: Node<'t>, comments: Vec<Node<'t>> },
    Consts(Vec<ConstSpec<'t>>),
}

/// A line of a `const` block.
pub(super) struct ConstSpec<'t> {
    pub(super) spec: Node<'t>,
    pub(super) comments: Vec<Node<'t>>,
}

/// The state of reading one text.
pub(super) struct Reader<'s> {
    pub(super) source: &'s str,
    pub(super) errors: Vec<GoError>,
    pub(super) unclaimed: Unclaimed,
    pub(super) names: Names<'s>,
    pub(super) types: Vec<Type>,
    /// Types of map keys; they must turn out to be strings.
    pub(super) map_keys: Vec<(TypeExpr, Position)>,
    /// The type whose right side is being read: `type List metav1.List` means the other package's.
    pub(super) declaring: Option<&'s str>,
    /// How deep the type that is being read nests.
    pub(super) depth: usize,
}

impl<'s> Reader<'s> {
    fn new(source: &'s str) -> Self {
        Reader {
            source,
            errors: Vec::new(),
            unclaimed: Unclaimed::default(),
            names: Names::default(),
            types: Vec::new(),
            map_keys: Vec::new(),
            declaring: None,
            depth: 0,
        }
    }

    pub(super) fn text(&self, node: Node<'_>) -> &'s str {
        text_of(self.source, node)
    }

    pub(super) fn error(&mut self, node: Node<'_>, kind: GoErrorKind, message: impl Into<String>) {
        self.errors.push(position(node).error(kind, message));
    }

    /// Begins a type, so that it stands before the anonymous structs in it.
    pub(super) fn begin_type(
        &mut self,
        name: String,
        at: Position,
        markers: Vec<MarkerAt>,
        alias: bool,
    ) -> usize {
        self.types.push(Type { name, at, markers, alias, form: Form::Other(TypeExpr::Any) });
        self.types.len() - 1
    }

    /// The declarations at the top of the text. All that declares no type and no constant is settled here.
    fn items<'t>(&mut self, root: Node<'t>) -> Vec<Item<'t>> {
        let mut items = Vec::new();
        let mut pending = Pending::default();
        let mut previous_row = None;
        for node in children(root) {
            match node.kind() {
                "comment" => {
                    pending.push(node, previous_row);
                    continue;
                }
                "package_clause" | "import_declaration" => {
                    // Markers above them speak of the package.
                    self.unclaimed.discard(0, node.end_byte());
                }
                "type_declaration" => self.type_items(node, &mut pending, &mut items),
                "const_declaration" => items.push(Item::Consts(group(node, &mut pending, "const_spec"))),
                "function_declaration" | "var_declaration" => self.unclaimed.discard(0, node.end_byte()),
                "method_declaration" => {
                    self.method(node);
                    self.unclaimed.discard(node.start_byte(), node.end_byte());
                }
                _ if node.is_error() => self.unclaimed.discard(node.start_byte(), node.end_byte()),
                _ if !node.is_named() => continue,
                _ => {
                    let message = "this declares neither a type nor a constant: remove it";
                    self.error(node, GoErrorKind::UnsupportedDeclaration, message);
                }
            }
            pending = Pending::default();
            previous_row = Some(node.end_position().row);
        }
        items
    }

    fn type_items<'t>(&mut self, node: Node<'t>, pending: &mut Pending<'t>, items: &mut Vec<Item<'t>>) {
        if node.has_error() {
            // Reported where the error stands; half a declaration says nothing reliable.
            self.unclaimed.discard(node.start_byte(), node.end_byte());
        }
        for ConstSpec { spec, comments } in group(node, pending, "type_") {
            if !spec.has_error() {
                items.push(Item::Type { spec, comments });
            }
        }
    }

    /// Functions and methods have no part in documents, unless they are the ones that JSON asks.
    fn method(&mut self, node: Node<'_>) {
        let name = node.child_by_field_name("name").map(|n| self.text(n)).unwrap_or_default();
        if matches!(name, "MarshalJSON" | "UnmarshalJSON" | "MarshalText" | "UnmarshalText") {
            let message =
                format!("the method {name}: a type that writes itself cannot be read from its declaration");
            self.error(node, GoErrorKind::UnsupportedDeclaration, message);
        }
    }

    fn collect_names(&mut self, items: &[Item<'_>]) {
        for item in items {
            let Item::Type { spec, .. } = item else { continue };
            let Some(name) = spec.child_by_field_name("name") else { continue };
            let at = position(name);
            if let Some(first) = self.names.declared.get(self.text(name)) {
                let message =
                    format!("the type `{}` is declared twice, first in line {}", self.text(name), first.line);
                self.errors.push(at.error(GoErrorKind::DuplicateType, message));
            } else {
                self.names.declared.insert(self.text(name), at);
            }
        }
    }

    fn read_items<'t>(&mut self, items: &[Item<'t>]) -> Vec<Const<'t>> {
        let mut consts = Vec::new();
        for item in items {
            match item {
                Item::Type { spec, comments } => self.type_spec(*spec, comments),
                Item::Consts(specs) => self.collect_consts(specs, &mut consts),
            }
        }
        consts
    }

    fn type_spec(&mut self, spec: Node<'_>, comments: &[Node<'_>]) {
        let markers = self.unclaimed.claim(comments);
        let (Some(name), Some(ty)) = (spec.child_by_field_name("name"), spec.child_by_field_name("type"))
        else {
            return;
        };
        if let Some(parameters) = spec.child_by_field_name("type_parameters") {
            self.error(parameters, GoErrorKind::UnsupportedType, "generic types cannot be read");
            return;
        }
        let text = self.text(name);
        let index = self.begin_type(text.to_owned(), position(name), markers, spec.kind() == "type_alias");
        self.types[index].form = if ty.kind() == "struct_type" {
            Form::Struct(self.struct_fields(ty, text))
        } else {
            self.declaring = Some(text);
            let form = Form::Other(self.type_expr(ty, &format!("{text}.Item")));
            self.declaring = None;
            form
        };
    }

    /// Which well-known types the text needs, with those that they need themselves.
    pub(super) fn needed(&self) -> Vec<&'static str> {
        wellknown::closure(&self.names.needed)
    }

    /// The place of every type by name; of two with one name the first.
    pub(super) fn index(&self) -> HashMap<String, usize> {
        let mut index = HashMap::with_capacity(self.types.len());
        for (i, ty) in self.types.iter().enumerate() {
            index.entry(ty.name.clone()).or_insert(i);
        }
        index
    }
}

/// The specs of a declaration, single or in parentheses, with their comments. `prefix` is that of their kinds.
fn group<'t>(node: Node<'t>, above: &mut Pending<'t>, prefix: &str) -> Vec<ConstSpec<'t>> {
    let across = prefix == "type_";
    let parts = children(node);
    let grouped = parts.iter().any(|part| part.kind() == "(");
    let mut specs = Vec::new();
    let mut pending = Pending::default();
    let mut previous_row = Some(node.start_position().row);
    for part in parts {
        if part.kind() == "comment" {
            pending.push(part, previous_row);
        } else if part.is_named() && part.kind().starts_with(prefix) {
            let comments = if grouped { pending.above(part, across) } else { above.above(node, across) };
            specs.push(ConstSpec { spec: part, comments });
            previous_row = Some(part.end_position().row);
        }
    }
    specs
}
