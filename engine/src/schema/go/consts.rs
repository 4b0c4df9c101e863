//! Constants: the values of string types.

use std::collections::HashMap;

use tree_sitter::Node;

use super::comments::MarkerAt;
use super::errors::{GoErrorKind, Position};
use super::literal::unquote;
use super::parse::{children, inner, position, text_of};
use super::read::{ConstSpec, Reader};
use super::types::builtin;

/// The longest constant, in bytes: constants made of constants could otherwise double without end.
pub const MAX_CONSTANT: usize = 64 << 10;

/// How deep the expression of a constant, and the constants that it is made of, may nest.
const MAX_DEPTH: usize = 64;

/// A constant as it stands in the text.
pub(super) struct Const<'t> {
    pub(super) name: String,
    pub(super) at: Position,
    pub(super) ty: Option<Node<'t>>,
    value: Option<Node<'t>>,
    /// The type of the last typed constant before it in its block.
    pub(super) preceding: Option<Node<'t>>,
    pub(super) markers: Vec<MarkerAt>,
}

impl Reader<'_> {
    /// Takes the constants of one block.
    pub(super) fn collect_consts<'t>(&mut self, specs: &[ConstSpec<'t>], consts: &mut Vec<Const<'t>>) {
        let mut preceding = None;
        let mut repeated: (Option<Node<'t>>, Vec<Node<'t>>) = (None, Vec::new());
        for ConstSpec { spec, comments } in specs {
            let markers = self.unclaimed.claim(comments);
            if spec.has_error() {
                continue;
            }
            let names = children(*spec).into_iter().filter(|c| c.kind() == "identifier");
            let ty = spec.child_by_field_name("type");
            // Go: a line without a value repeats the one above, with its type.
            if let Some(values) = spec.child_by_field_name("value") {
                let values = children(values).into_iter().filter(|c| c.is_named() && !c.is_extra()).collect();
                repeated = (ty, values);
            }
            for (i, name) in names.enumerate() {
                consts.push(Const {
                    name: self.text(name).to_owned(),
                    at: position(name),
                    ty: ty.or(repeated.0),
                    value: repeated.1.get(i).copied(),
                    preceding,
                    markers: markers.clone(),
                });
            }
            preceding = ty.or(preceding);
        }
    }
}

/// What a constant is.
#[derive(Clone, Debug)]
pub(super) enum Evaluated {
    /// A string, and the type that its expression gives it.
    Text { ty: Option<String>, text: String },
    /// No string: of no concern to documents.
    Other,
    /// It cannot be told, because of this.
    Unknown(String),
}

/// Evaluates constants, each once.
pub(super) struct Evaluator<'a, 't> {
    source: &'a str,
    consts: &'a [Const<'t>],
    index: HashMap<&'a str, usize>,
    /// `None` while a constant is being evaluated.
    done: HashMap<usize, Option<Evaluated>>,
}

impl<'a, 't> Evaluator<'a, 't> {
    pub(super) fn new(source: &'a str, consts: &'a [Const<'t>]) -> Self {
        let mut index = HashMap::new();
        for (i, constant) in consts.iter().enumerate() {
            index.entry(constant.name.as_str()).or_insert(i);
        }
        Evaluator { source, consts, index, done: HashMap::new() }
    }

    /// The string that a name of this text stands for.
    pub(super) fn named(&mut self, name: &str) -> Option<String> {
        let index = *self.index.get(name)?;
        match self.constant(index, 0) {
            Evaluated::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The value of the constant at this place.
    pub(super) fn constant(&mut self, index: usize, depth: usize) -> Evaluated {
        match self.done.get(&index) {
            Some(Some(done)) => return done.clone(),
            Some(None) => return Evaluated::Unknown("it refers to itself".to_owned()),
            None => {}
        }
        self.done.insert(index, None);
        let constant = &self.consts[index];
        let mut value = match constant.value {
            Some(value) => self.expression(value, depth + 1),
            None => Evaluated::Unknown("it has no value".to_owned()),
        };
        if let (Evaluated::Text { ty, .. }, Some(declared)) = (&mut value, constant.ty) {
            *ty = Some(text_of(self.source, declared).to_owned());
        }
        self.done.insert(index, Some(value.clone()));
        value
    }

    fn expression(&mut self, node: Node<'t>, depth: usize) -> Evaluated {
        if depth > MAX_DEPTH {
            return Evaluated::Unknown(format!("it is made of more than {MAX_DEPTH} steps"));
        }
        match node.kind() {
            "interpreted_string_literal" | "raw_string_literal" => {
                match unquote(text_of(self.source, node)) {
                    Ok(text) => Evaluated::Text { ty: None, text },
                    Err(why) => Evaluated::Unknown(why),
                }
            }
            "parenthesized_expression" => self.inner(node, depth),
            "binary_expression" => self.binary(node, depth),
            "identifier" => self.identifier(node, depth),
            "call_expression" => self.call(node, depth),
            "int_literal" | "float_literal" | "imaginary_literal" | "rune_literal" | "true" | "false"
            | "iota" | "unary_expression" => Evaluated::Other,
            _ => unknown(text_of(self.source, node)),
        }
    }

    fn inner(&mut self, node: Node<'t>, depth: usize) -> Evaluated {
        match inner(node) {
            Some(node) => self.expression(node, depth + 1),
            None => Evaluated::Unknown("it has no value".to_owned()),
        }
    }

    fn identifier(&mut self, node: Node<'t>, depth: usize) -> Evaluated {
        let name = text_of(self.source, node);
        match self.index.get(name) {
            Some(&index) => self.constant(index, depth + 1),
            None => unknown(name),
        }
    }

    /// `"a" + B`; all other operators give numbers or booleans.
    fn binary(&mut self, node: Node<'t>, depth: usize) -> Evaluated {
        let part = |name| node.child_by_field_name(name);
        let (Some(left), Some(right), Some(operator)) = (part("left"), part("right"), part("operator"))
        else {
            return unknown(text_of(self.source, node));
        };
        if operator.kind() != "+" {
            return Evaluated::Other;
        }
        match (self.expression(left, depth + 1), self.expression(right, depth + 1)) {
            (Evaluated::Text { ty, text }, Evaluated::Text { ty: other, text: more }) => {
                if text.len() + more.len() > MAX_CONSTANT {
                    return Evaluated::Unknown(format!("it is longer than {MAX_CONSTANT} bytes"));
                }
                Evaluated::Text { ty: ty.or(other), text: text + &more }
            }
            (unknown @ Evaluated::Unknown(_), _) | (_, unknown @ Evaluated::Unknown(_)) => unknown,
            _ => Evaluated::Other,
        }
    }

    /// `Type("text")`.
    fn call(&mut self, node: Node<'t>, depth: usize) -> Evaluated {
        let function =
            node.child_by_field_name("function").map(|f| text_of(self.source, f)).unwrap_or_default();
        let Some(arguments) = node.child_by_field_name("arguments") else {
            return unknown(function);
        };
        if function != "string" && builtin(function).is_some() || matches!(function, "len" | "cap") {
            return Evaluated::Other;
        }
        match self.inner(arguments, depth) {
            Evaluated::Text { text, .. } => Evaluated::Text { ty: Some(function.to_owned()), text },
            other => other,
        }
    }
}

fn unknown(text: &str) -> Evaluated {
    Evaluated::Unknown(format!("`{text}` is not a string, nor a constant of this text"))
}

/// The message for a constant whose value cannot be told.
pub(super) fn cannot_be_told(name: &str, why: &str) -> (GoErrorKind, String) {
    (GoErrorKind::BadConstant, format!("the value of the constant `{name}` cannot be told: {why}"))
}
