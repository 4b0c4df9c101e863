//! Type expressions: `[]*Volume`, `map[string]metav1.Time`.

use std::collections::{BTreeSet, HashMap};

use tree_sitter::Node;

use super::errors::{GoErrorKind, Position};
use super::parse::{inner, position, text_of};
use super::read::{Form, Reader};
use super::scan::MAX_NESTING;
use super::wellknown::{self, Known};
use crate::schema::{ScalarType, TypeExpr};

/// The names that a text declares, and the well-known ones that it needs.
#[derive(Default)]
pub(super) struct Names<'s> {
    pub(super) declared: HashMap<&'s str, Position>,
    pub(super) needed: BTreeSet<&'static str>,
    /// The names of the types that the text is laid over.
    pub(super) outside: Option<&'s dyn Fn(&str) -> bool>,
    suggested: usize,
}

/// "ChangeKind you mean" costs time for every declared name: after this many, errors go without.
const MAX_SUGGESTIONS: usize = 50;
/// Names longer than this are not compared.
const MAX_COMPARED: usize = 100;

impl Names<'_> {
    fn suggestion(&mut self, name: &str) -> String {
        self.suggested += 1;
        if self.suggested > MAX_SUGGESTIONS || name.len() > MAX_COMPARED {
            return String::new();
        }
        let near = |candidate: &str| {
            let distance = strsim::damerau_levenshtein(name, candidate);
            // One slip in a short name, up to three in a long one.
            (distance <= 1 + name.len() / 6 && distance <= 3).then_some(distance)
        };
        let declared = self.declared.keys().copied().filter(|c| c.len() <= MAX_COMPARED);
        let known = wellknown::names().chain(BUILTIN.iter().map(|(name, _)| (*name).to_owned()));
        let best = declared
            .map(str::to_owned)
            .chain(known)
            .filter_map(|candidate| near(&candidate).map(|distance| (distance, candidate)))
            .min();
        best.map(|(_, candidate)| format!(": did you mean `{candidate}`?")).unwrap_or_default()
    }
}

/// Predeclared types of Go that have a form in documents.
const BUILTIN: [(&str, ScalarType); 16] = [
    ("string", ScalarType::String),
    ("bool", ScalarType::Boolean),
    ("int", ScalarType::Integer),
    ("int8", ScalarType::Integer),
    ("int16", ScalarType::Integer),
    ("int32", ScalarType::Integer),
    ("int64", ScalarType::Integer),
    ("uint", ScalarType::Integer),
    ("uint8", ScalarType::Integer),
    ("uint16", ScalarType::Integer),
    ("uint32", ScalarType::Integer),
    ("uint64", ScalarType::Integer),
    ("byte", ScalarType::Integer),
    ("rune", ScalarType::Integer),
    ("float32", ScalarType::Number),
    ("float64", ScalarType::Number),
];

/// The scalar that a predeclared type is.
pub(super) fn builtin(name: &str) -> Option<ScalarType> {
    BUILTIN.iter().find(|(known, _)| *known == name).map(|(_, scalar)| *scalar)
}

impl Reader<'_> {
    /// Reads a type. `holder` names an anonymous struct in it. What cannot be read is reported, and any JSON
    /// stands in for it: with an error noted no declaration comes out.
    pub(super) fn type_expr(&mut self, node: Node<'_>, holder: &str) -> TypeExpr {
        if self.depth >= MAX_NESTING {
            let message = format!("the type nests deeper than {MAX_NESTING} levels");
            self.error(node, GoErrorKind::TooDeep, message);
            return TypeExpr::Any;
        }
        self.depth += 1;
        let ty = self.type_at(node, holder);
        self.depth -= 1;
        ty
    }

    fn type_at(&mut self, node: Node<'_>, holder: &str) -> TypeExpr {
        match node.kind() {
            "type_identifier" => self.named(None, self.text(node), position(node)),
            "qualified_type" => self.qualified(node),
            "pointer_type" => self.within(node, holder, |ty| TypeExpr::Pointer(Box::new(ty))),
            "parenthesized_type" => self.within(node, holder, |ty| ty),
            "slice_type" if self.is_bytes(node) => TypeExpr::Scalar(ScalarType::Bytes),
            "slice_type" | "array_type" => match node.child_by_field_name("element") {
                Some(element) => TypeExpr::List(Box::new(self.type_expr(element, holder))),
                None => TypeExpr::Any,
            },
            "map_type" => self.map(node, holder),
            "struct_type" => self.anonymous_struct(node, holder),
            "interface_type" if inner(node).is_none() => TypeExpr::Any,
            kind => {
                let message = unsupported(kind, self.text(node));
                self.error(node, GoErrorKind::UnsupportedType, message);
                TypeExpr::Any
            }
        }
    }

    fn within(&mut self, node: Node<'_>, holder: &str, wrap: fn(TypeExpr) -> TypeExpr) -> TypeExpr {
        inner(node).map_or(TypeExpr::Any, |target| wrap(self.type_expr(target, holder)))
    }

    fn qualified(&mut self, node: Node<'_>) -> TypeExpr {
        let part = |name| node.child_by_field_name(name).map(|n| text_of(self.source, n)).unwrap_or_default();
        self.named(Some(part("package")), part("name"), position(node))
    }

    /// `[]byte`, unless the text declares a `byte` of its own.
    fn is_bytes(&self, slice: Node<'_>) -> bool {
        let element = slice.child_by_field_name("element").map(|e| self.text(e));
        element.is_some_and(|e| matches!(e, "byte" | "uint8") && !self.names.declared.contains_key(e))
    }

    fn map(&mut self, node: Node<'_>, holder: &str) -> TypeExpr {
        let (Some(key), Some(value)) = (node.child_by_field_name("key"), node.child_by_field_name("value"))
        else {
            return TypeExpr::Any;
        };
        let key_type = self.type_expr(key, holder);
        self.map_keys.push((key_type, position(key)));
        TypeExpr::Map(Box::new(self.type_expr(value, holder)))
    }

    /// A struct without a name gets one from where it stands: `Parent.Field`.
    fn anonymous_struct(&mut self, node: Node<'_>, holder: &str) -> TypeExpr {
        let index = self.begin_type(holder.to_owned(), position(node), Vec::new(), false);
        let fields = self.struct_fields(node, holder);
        self.types[index].form = Form::Struct(fields);
        TypeExpr::Named(holder.to_owned())
    }

    /// Resolves a name: declared in this text, predeclared by Go, or well known, in this order.
    pub(super) fn named(&mut self, package: Option<&str>, name: &str, at: Position) -> TypeExpr {
        let own = package.is_none() || self.declaring != Some(name);
        if own && self.names.declared.contains_key(name) {
            return TypeExpr::Named(name.to_owned());
        }
        if package.is_none() {
            if let Some(scalar) = builtin(name) {
                return TypeExpr::Scalar(scalar);
            }
            if name == "any" {
                return TypeExpr::Any;
            }
            if matches!(name, "complex64" | "complex128" | "uintptr" | "error") {
                self.errors
                    .push(at.error(GoErrorKind::UnsupportedType, format!("`{name}` has no form in JSON")));
                return TypeExpr::Any;
            }
        }
        let full = package.map_or_else(|| name.to_owned(), |package| format!("{package}.{name}"));
        if self.names.outside.is_some_and(|is_outside| is_outside(&full)) {
            return TypeExpr::Named(full);
        }
        match wellknown::find(package, name) {
            Some(Known::Is(ty)) => ty,
            Some(Known::Declared(canonical)) => {
                self.names.needed.insert(canonical);
                TypeExpr::Named(canonical.to_owned())
            }
            None => {
                let suggestion = self.names.suggestion(&full);
                let message = format!("the type `{full}` is declared nowhere{suggestion}");
                self.errors.push(at.error(GoErrorKind::UnresolvedType, message));
                TypeExpr::Any
            }
        }
    }
}

fn unsupported(kind: &str, text: &str) -> String {
    let what = match kind {
        "channel_type" => "a channel",
        "function_type" => "a function",
        "interface_type" => "an interface with methods",
        "generic_type" => "a generic type",
        _ => return format!("the type `{text}` is not understood"),
    };
    format!("{what} has no form in JSON that could be read from its declaration")
}
