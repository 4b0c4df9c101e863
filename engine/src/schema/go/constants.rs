//! Constants, which are the values of string types.

use std::collections::HashMap;

use tree_sitter::Node;

use super::errors::Position;
use super::markers::{CommentedNode, PositionedMarker};
use super::string_literal::unquote;
use super::syntax_tree::{children, inner_node, position_of, text_of};
use super::types::{TypeReader, predeclared_scalar};

/// Maximum length of a constant, in bytes. Without a limit, constants that consist of other constants could double in
/// length with every line.
pub const MAX_CONSTANT: usize = 64 << 10;

/// Maximum total length of the constants of a text, in bytes. Without a limit, many short lines could each copy a long
/// constant.
pub const MAX_CONSTANTS: usize = 16 << 20;

/// Maximum nesting of the expression of a constant. The expressions of the constants to which it refers count too.
const MAX_DEPTH: usize = 64;

/// A constant of the text that is not evaluated yet.
pub(super) struct ParsedConstant<'t> {
    pub(super) name: String,
    pub(super) position: Position,
    pub(super) ty: Option<Node<'t>>,
    value: Option<Node<'t>>,
    /// The type of the last typed constant that precedes this constant in its block.
    pub(super) preceding_type: Option<Node<'t>>,
    pub(super) markers: Vec<PositionedMarker>,
}

/// Parses the constants of one `const` declaration.
pub(super) fn parse_constants<'t>(
    reader: &mut TypeReader<'_>,
    specs: &[CommentedNode<'t>],
    constants: &mut Vec<ParsedConstant<'t>>,
) {
    let mut preceding_type = None;
    // The type and the values of the last line that has values.
    let mut repeated: (Option<Node<'t>>, Vec<Node<'t>>) = (None, Vec::new());
    for CommentedNode { node: spec, comments } in specs {
        let markers = reader.unclaimed_markers.claim(comments);
        if spec.has_error() {
            continue;
        }
        let names: Vec<_> = children(*spec).into_iter().filter(|c| c.kind() == "identifier").collect();
        let shared = comments.iter().map(|comment| comment.byte_range().len()).sum();
        if !reader.can_copy(names.len(), shared, position_of(*spec)) {
            continue;
        }
        let ty = spec.child_by_field_name("type");
        // In Go, a line without values repeats the type and the values of the line above.
        if let Some(values) = spec.child_by_field_name("value") {
            let values = children(values).into_iter().filter(|c| c.is_named() && !c.is_extra()).collect();
            repeated = (ty, values);
        }
        for (i, name) in names.into_iter().enumerate() {
            constants.push(ParsedConstant {
                name: reader.text(name).to_owned(),
                position: position_of(name),
                ty: ty.or(repeated.0),
                value: repeated.1.get(i).copied(),
                preceding_type,
                markers: markers.clone(),
            });
        }
        preceding_type = ty.or(preceding_type);
    }
}

/// The value of a constant.
#[derive(Clone, Debug)]
pub(super) enum ConstantValue {
    /// A string, with the type of its expression if that is a named type.
    Text { ty: Option<String>, text: String },
    /// The value is not a string, so that documents do not contain it.
    Other,
    /// The value could not be determined, for this reason.
    Unknown(String),
}

/// Evaluates each constant once.
pub(super) struct ConstantEvaluator<'a, 't> {
    source: &'a str,
    constants: &'a [ParsedConstant<'t>],
    index_by_name: HashMap<&'a str, usize>,
    /// The values of the constants by index. An entry is `None` while the constant is being evaluated.
    values: HashMap<usize, Option<ConstantValue>>,
    /// The number of bytes that constants can still take before they exceed [`MAX_CONSTANTS`].
    bytes_left: usize,
}

impl<'a, 't> ConstantEvaluator<'a, 't> {
    pub(super) fn new(source: &'a str, constants: &'a [ParsedConstant<'t>]) -> Self {
        let mut index_by_name = HashMap::new();
        for (i, constant) in constants.iter().enumerate() {
            index_by_name.entry(constant.name.as_str()).or_insert(i);
        }
        ConstantEvaluator {
            source,
            constants,
            index_by_name,
            values: HashMap::new(),
            bytes_left: MAX_CONSTANTS,
        }
    }

    /// Returns the value of the string constant with this name.
    pub(super) fn evaluate_named(&mut self, name: &str) -> Option<String> {
        let index = *self.index_by_name.get(name)?;
        match self.evaluate(index) {
            ConstantValue::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Returns the value of the constant with this index.
    pub(super) fn evaluate(&mut self, index: usize) -> ConstantValue {
        self.constant(index, 0)
    }

    fn constant(&mut self, index: usize, depth: usize) -> ConstantValue {
        match self.values.get(&index) {
            Some(Some(value)) => return value.clone(),
            Some(None) => return ConstantValue::Unknown("it refers to itself".to_owned()),
            None => {}
        }
        self.values.insert(index, None);
        let constant = &self.constants[index];
        let mut value = match constant.value {
            Some(value) => self.expression(value, depth + 1),
            None => ConstantValue::Unknown("it has no value".to_owned()),
        };
        if let ConstantValue::Text { text, .. } = &value
            && !self.spend(text.len())
        {
            value = too_large();
        }
        if let (ConstantValue::Text { ty, .. }, Some(declared)) = (&mut value, constant.ty) {
            *ty = Some(text_of(self.source, declared).to_owned());
        }
        self.values.insert(index, Some(value.clone()));
        value
    }

    fn expression(&mut self, node: Node<'t>, depth: usize) -> ConstantValue {
        // Every step takes bytes, because a line without values evaluates the expression of the line above again.
        let written = if node.kind().ends_with("_literal") { node.byte_range().len() } else { 1 };
        if !self.spend(written) {
            return too_large();
        }
        if depth > MAX_DEPTH {
            return ConstantValue::Unknown(format!("its evaluation takes more than {MAX_DEPTH} steps"));
        }
        match node.kind() {
            "interpreted_string_literal" | "raw_string_literal" => {
                match unquote(text_of(self.source, node)) {
                    Ok(text) => ConstantValue::Text { ty: None, text },
                    Err(reason) => ConstantValue::Unknown(reason),
                }
            }
            "parenthesized_expression" => self.inner_expression(node, depth),
            "binary_expression" => self.binary(node, depth),
            "identifier" => self.identifier(node, depth),
            "call_expression" => self.call(node, depth),
            "int_literal" | "float_literal" | "imaginary_literal" | "rune_literal" | "true" | "false"
            | "iota" | "unary_expression" => ConstantValue::Other,
            _ => not_a_string(text_of(self.source, node)),
        }
    }

    /// Subtracts bytes from the remaining number. Returns false if too few bytes remain.
    fn spend(&mut self, bytes: usize) -> bool {
        let left = self.bytes_left.checked_sub(bytes);
        self.bytes_left = left.unwrap_or(0);
        left.is_some()
    }

    fn inner_expression(&mut self, node: Node<'t>, depth: usize) -> ConstantValue {
        match inner_node(node) {
            Some(node) => self.expression(node, depth + 1),
            None => ConstantValue::Unknown("it has no value".to_owned()),
        }
    }

    fn identifier(&mut self, node: Node<'t>, depth: usize) -> ConstantValue {
        let name = text_of(self.source, node);
        match self.index_by_name.get(name) {
            Some(&index) => self.constant(index, depth + 1),
            None => not_a_string(name),
        }
    }

    /// Evaluates a sum such as `"a" + B`. All other operators return numbers or booleans.
    fn binary(&mut self, node: Node<'t>, depth: usize) -> ConstantValue {
        let part = |name| node.child_by_field_name(name);
        let (Some(left), Some(right), Some(operator)) = (part("left"), part("right"), part("operator"))
        else {
            return not_a_string(text_of(self.source, node));
        };
        if operator.kind() != "+" {
            return ConstantValue::Other;
        }
        match (self.expression(left, depth + 1), self.expression(right, depth + 1)) {
            (ConstantValue::Text { ty, text }, ConstantValue::Text { ty: other, text: more }) => {
                if text.len() + more.len() > MAX_CONSTANT {
                    return ConstantValue::Unknown(format!("it is longer than {MAX_CONSTANT} bytes"));
                }
                ConstantValue::Text { ty: ty.or(other), text: text + &more }
            }
            (unknown @ ConstantValue::Unknown(_), _) | (_, unknown @ ConstantValue::Unknown(_)) => unknown,
            _ => ConstantValue::Other,
        }
    }

    /// Evaluates `Type("text")`.
    fn call(&mut self, node: Node<'t>, depth: usize) -> ConstantValue {
        let function =
            node.child_by_field_name("function").map(|f| text_of(self.source, f)).unwrap_or_default();
        let Some(arguments) = node.child_by_field_name("arguments") else {
            return not_a_string(function);
        };
        if function != "string" && predeclared_scalar(function).is_some() || matches!(function, "len" | "cap")
        {
            return ConstantValue::Other;
        }
        match self.inner_expression(arguments, depth) {
            ConstantValue::Text { text, .. } => ConstantValue::Text { ty: Some(function.to_owned()), text },
            other => other,
        }
    }
}

fn too_large() -> ConstantValue {
    ConstantValue::Unknown(format!("the constants of this text are longer than {MAX_CONSTANTS} bytes in all"))
}

fn not_a_string(text: &str) -> ConstantValue {
    ConstantValue::Unknown(format!("`{text}` is neither a string nor a constant of this text"))
}
