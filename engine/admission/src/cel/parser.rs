//! The parser. Upstream: cel-go, `parser`.
//!
//! The parser of the crate `cel` comes from a generator, and needs 20 times more stack for each bracket. It also reads
//! `br'a'`, `--1`, `existsOne` and reserved names in another way than cel-go.

use cel::common::ast::{
    CallExpr, EntryExpr, Expr, IdedEntryExpr, IdedExpr, ListExpr, LiteralValue, MapEntryExpr, MapExpr,
    SelectExpr, StructExpr, StructFieldExpr, operators,
};

use super::lexer::{Kind, Token, tokens, unescaped_bytes, unescaped_text};
use super::problem::{Checked, Problem, invalid};
use super::release::RuleRelease;
use super::type_names::qualified_type;
use super::types::RESERVED;

/// The longest expression, in characters. Upstream: `expressionSizeCodePointLimit`.
const MAX_LENGTH: usize = 100_000;

/// The deepest nesting of expressions in brackets and the like. The parser is recursive: on a thread with 2 MiB of stack, a
/// debug build reads 198 pairs of brackets of every kind. Upstream has a limit of 250 (`maxRecursionDepth`).
const MAX_NESTING: usize = 100;

/// The deepest tree: that of `a + b + c` is as deep as it has operators, and a macro adds two or three. The checker and the
/// evaluation are recursive, too: the same build evaluates trees of a depth of 320.
const MAX_DEPTH: usize = 160;

/// The operators with two operands, from those that bind the weakest.
const LEVELS: [&[(&str, &str)]; 5] = [
    &[("||", operators::LOGICAL_OR)],
    &[("&&", operators::LOGICAL_AND)],
    &[
        ("==", operators::EQUALS),
        ("!=", operators::NOT_EQUALS),
        ("<=", operators::LESS_EQUALS),
        (">=", operators::GREATER_EQUALS),
        ("<", operators::LESS),
        (">", operators::GREATER),
        ("in", operators::IN),
    ],
    &[("+", operators::ADD), ("-", operators::SUBSTRACT)],
    &[("*", operators::MULTIPLY), ("/", operators::DIVIDE), ("%", operators::MODULO)],
];

/// The level of `==`. The operators of the levels before it have trees of the smallest depth.
const COMPARISONS: usize = 2;

/// An expression, and the depth of its tree.
pub(super) struct Tree {
    pub(super) expression: IdedExpr,
    depth: usize,
}

pub(super) struct Parser<'t> {
    pub(super) release: RuleRelease,
    tokens: Vec<Token<'t>>,
    at: usize,
    next_id: u64,
    nesting: usize,
    /// The names that stand for no variable of a macro: those after a dot, and those with which the name of a type begins.
    pub(super) global_names: Vec<&'t str>,
    /// The variables of macros.
    pub(super) variables: Vec<String>,
}

/// Parses an expression.
pub(super) fn parse(text: &str, release: RuleRelease) -> Checked<IdedExpr> {
    let length = text.chars().count();
    if length > MAX_LENGTH {
        let message = format!("expression code point size exceeds limit: size: {length}, limit {MAX_LENGTH}");
        return Err(invalid(&message));
    }
    let mut parser = Parser {
        release,
        tokens: tokens(text),
        at: 0,
        next_id: 1,
        nesting: 0,
        global_names: Vec::new(),
        variables: Vec::new(),
    };
    let tree = parser.expression()?;
    let token = parser.token();
    match token.kind {
        Kind::End => {}
        Kind::Unknown => return Err(parser.unexpected()),
        _ => {
            let is_last = matches!(parser.tokens[parser.at + 1].kind, Kind::End | Kind::Unknown);
            let problem = if is_last { "extraneous" } else { "mismatched" };
            return Err(invalid(&format!("Syntax error: {problem} input '{}' expecting <EOF>", token.text)));
        }
    }
    let hides = |name: &&&str| parser.variables.iter().any(|variable| variable == **name);
    match parser.global_names.iter().find(hides) {
        Some(name) => Err(Problem::NotSimulated {
            construct: (*name).to_owned(),
            reason: "a name that is also a variable of a macro",
        }),
        None => Ok(tree.expression),
    }
}

impl<'t> Parser<'t> {
    fn token(&self) -> Token<'t> {
        // The last token ends the text, and is never passed.
        self.tokens.get(self.at).copied().unwrap_or(Token { kind: Kind::End, text: "" })
    }

    fn is_at(&self, at: usize, symbol: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Symbol && token.text == symbol)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let is_next = self.is_at(self.at, symbol);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, symbol: &str) -> Checked<()> {
        if self.take(symbol) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn unexpected(&self) -> Problem {
        let Token { kind, text } = self.token();
        let text = text.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t");
        invalid(&match kind {
            Kind::End => "Syntax error: the expression ends too early".to_owned(),
            Kind::Unknown => format!("Syntax error: token recognition error at: '{text}'"),
            _ => format!("Syntax error: unexpected '{text}'"),
        })
    }

    fn expression(&mut self) -> Checked<Tree> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(too_deep());
        }
        let mut tree = self.operands(0)?;
        if self.take("?") {
            let yes = self.operands(0)?;
            self.expect(":")?;
            let no = self.expression()?;
            tree = self.operator(operators::CONDITIONAL, vec![tree, yes, no])?;
        }
        self.nesting -= 1;
        Ok(tree)
    }

    /// Parses operands with operators of a level, or of those after it.
    fn operands(&mut self, level: usize) -> Checked<Tree> {
        let mut left = self.signed()?;
        while let Some((level, name)) = self.next_operator(level) {
            let symbol = self.token().text;
            if level < COMPARISONS {
                let mut terms = vec![left];
                while self.take(symbol) {
                    terms.push(self.operands(level + 1)?);
                }
                left = self.balanced(name, terms)?;
            } else {
                self.at += 1;
                let right = self.operands(level + 1)?;
                left = self.operator(name, vec![left, right])?;
            }
        }
        Ok(left)
    }

    fn next_operator(&self, level: usize) -> Option<(usize, &'static str)> {
        let is_next = |(symbol, _): &&(&str, &str)| self.is_at(self.at, symbol);
        let operator = |level: usize| Some((level, LEVELS[level].iter().find(is_next)?.1));
        (level..LEVELS.len()).find_map(operator)
    }

    /// Joins the operands of `&&` or `||`. Upstream: `balancer`.
    fn balanced(&mut self, name: &str, mut terms: Vec<Tree>) -> Checked<Tree> {
        let right = terms.split_off(terms.len().div_ceil(2));
        match (right.is_empty(), terms.pop()) {
            (true, Some(term)) => Ok(term),
            (_, last) => {
                terms.extend(last);
                let operands = vec![self.balanced(name, terms)?, self.balanced(name, right)?];
                self.operator(name, operands)
            }
        }
    }

    /// Parses an operand with its signs, of which two are none.
    fn signed(&mut self) -> Checked<Tree> {
        let (symbol, name) = match self.token() {
            Token { kind: Kind::Symbol, text: "!" } => ("!", operators::LOGICAL_NOT),
            Token { kind: Kind::Symbol, text: "-" } if !self.is_number(self.at + 1) => {
                ("-", operators::NEGATE)
            }
            _ => return self.member(),
        };
        let mut signs = 0;
        while self.take(symbol) {
            signs += 1;
        }
        if symbol == "-" && self.is_at(self.at, "-") {
            return Err(self.unexpected());
        }
        let operand = self.member()?;
        if signs % 2 == 0 { Ok(operand) } else { self.operator(name, vec![operand]) }
    }

    fn is_number(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| matches!(token.kind, Kind::Int | Kind::Double))
    }

    /// Parses an operand with the fields, calls and indexes after it.
    fn member(&mut self) -> Checked<Tree> {
        let mut tree = self.primary()?;
        loop {
            tree = if self.take(".") {
                self.field(tree)?
            } else if self.take("[") {
                let is_optional = self.take_optional("[?")?;
                let index = self.expression()?;
                self.expect("]")?;
                self.operator(
                    if is_optional { operators::OPT_INDEX } else { operators::INDEX },
                    vec![tree, index],
                )?
            } else {
                return Ok(tree);
            };
        }
    }

    /// Parses a question mark. `syntax` is what it belongs to.
    fn take_optional(&mut self, syntax: &str) -> Checked<bool> {
        match self.take("?") {
            true if !self.release.has_optionals() => Err(invalid(&format!("unsupported syntax '{syntax}'"))),
            is_optional => Ok(is_optional),
        }
    }

    fn field(&mut self, operand: Tree) -> Checked<Tree> {
        let is_optional = self.take_optional(".?")?;
        let is_call = self.token().kind == Kind::Name && self.is_at(self.at + 1, "(") && !is_optional;
        let name = self.field_name()?;
        if is_call {
            self.at += 1;
            let args = self.arguments()?;
            return self.method_or_macro(operand, name, args);
        }
        if is_optional {
            let name = self.node(Expr::Literal(LiteralValue::String(name.into())), &[])?;
            return self.operator(operators::OPT_SELECT, vec![operand, name]);
        }
        if let Some(ty) = qualified_type(&operand.expression, name) {
            self.global_names.extend(ty.split('.').next());
            return self.node(Expr::Ident(ty.to_owned()), &[]);
        }
        let depths = [operand.depth];
        let operand = Box::new(operand.expression);
        self.node(Expr::Select(SelectExpr { operand, field: name.to_owned(), test: false }), &depths)
    }

    fn field_name(&mut self) -> Checked<&'t str> {
        let token = self.token();
        let name = match token.kind {
            Kind::Name => token.text,
            Kind::Quoted if self.release.has_quoted_names() => &token.text[1..token.text.len() - 1],
            Kind::Quoted => return Err(invalid("unsupported syntax: '`'")),
            _ => return Err(self.unexpected()),
        };
        self.at += 1;
        Ok(name)
    }

    /// Parses the arguments of a call after the bracket.
    fn arguments(&mut self) -> Checked<Vec<Tree>> {
        let mut args = Vec::new();
        if self.take(")") {
            return Ok(args);
        }
        loop {
            args.push(self.expression()?);
            if !self.take(",") {
                self.expect(")")?;
                return Ok(args);
            }
        }
    }

    fn primary(&mut self) -> Checked<Tree> {
        let token = self.token();
        let is_name = |at: usize| self.tokens.get(at).is_some_and(|token| token.kind == Kind::Name);
        match (token.kind, token.text) {
            (Kind::Name, _) => self.name(None),
            (Kind::Symbol, ".") if is_name(self.at + 1) => {
                self.at += 1;
                let name = self.token().text;
                self.name(Some(name))
            }
            (Kind::Symbol, "(") => {
                self.at += 1;
                let tree = self.expression()?;
                self.expect(")")?;
                Ok(tree)
            }
            (Kind::Symbol, "[") => self.list(),
            (Kind::Symbol, "{") => self.map(),
            _ => {
                let value = self.literal()?;
                self.node(Expr::Literal(value), &[])
            }
        }
    }

    /// Parses what begins with a name: a variable, a call or a message. `global` is the name after a dot.
    fn name(&mut self, global: Option<&'t str>) -> Checked<Tree> {
        let name = self.token().text;
        let mut end = self.at + 1;
        while self.is_at(end, ".") && self.tokens.get(end + 1).is_some_and(|token| token.kind == Kind::Name) {
            end += 2;
        }
        if self.is_at(end, "{") {
            let names: Vec<&str> = self.tokens[self.at..end].iter().map(|token| token.text).collect();
            self.at = end + 1;
            return self.message(names.concat());
        }
        if RESERVED.contains(&name) {
            return Err(invalid(&format!("reserved identifier: {name}")));
        }
        self.at += 1;
        if !self.take("(") {
            self.global_names.extend(global);
            return self.node(Expr::Ident(name.to_owned()), &[]);
        }
        let args = self.arguments()?;
        if name == operators::HAS && args.len() == 1 && global.is_none() {
            return self.has(args);
        }
        self.operator(name, args)
    }

    /// Expands the macro `has(a.b)`.
    fn has(&mut self, args: Vec<Tree>) -> Checked<Tree> {
        let depths: Vec<usize> = args.iter().map(|arg| arg.depth).collect();
        match args.into_iter().next().map(|arg| arg.expression.expr) {
            Some(Expr::Select(select)) => {
                self.node(Expr::Select(SelectExpr { test: true, ..select }), &depths)
            }
            _ => Err(invalid("invalid argument to has() macro")),
        }
    }

    fn literal(&mut self) -> Checked<LiteralValue> {
        let is_negative = self.is_at(self.at, "-") && self.is_number(self.at + 1);
        self.at += usize::from(is_negative);
        let Token { kind, text } = self.token();
        let sign = if is_negative { "-" } else { "" };
        let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |digits| (digits, 16));
        let value = match (kind, text) {
            (Kind::Int, _) => i64::from_str_radix(&format!("{sign}{digits}"), radix)
                .map(|int| LiteralValue::Int(int.into()))
                .map_err(|_| "invalid int literal"),
            (Kind::Uint, _) => u64::from_str_radix(&digits[..digits.len() - 1], radix)
                .map(|uint| LiteralValue::UInt(uint.into()))
                .map_err(|_| "invalid uint literal"),
            (Kind::Double, _) => match format!("{sign}{text}").parse::<f64>() {
                Ok(double) if double.is_finite() => Ok(LiteralValue::Double(double.into())),
                _ => Err("invalid double literal"),
            },
            (Kind::String, _) => unescaped_text(text).map(|text| LiteralValue::String(text.into())),
            (Kind::Bytes, _) => unescaped_bytes(text).map(|bytes| LiteralValue::Bytes(bytes.into())),
            (Kind::Symbol, "true") => Ok(LiteralValue::Boolean(true.into())),
            (Kind::Symbol, "false") => Ok(LiteralValue::Boolean(false.into())),
            (Kind::Symbol, "null") => Ok(LiteralValue::Null),
            _ => return Err(self.unexpected()),
        };
        self.at += 1;
        value.map_err(invalid)
    }

    fn list(&mut self) -> Checked<Tree> {
        self.at += 1;
        let (mut elements, mut depths, mut optional_indices) = (Vec::new(), Vec::new(), Vec::new());
        while !self.ends_with("]", elements.is_empty())? {
            if self.take_optional("?")? {
                optional_indices.push(elements.len());
            }
            let element = self.expression()?;
            depths.push(element.depth);
            elements.push(element.expression);
        }
        self.node(Expr::List(ListExpr { elements, optional_indices }), &depths)
    }

    fn map(&mut self) -> Checked<Tree> {
        self.at += 1;
        let (mut entries, mut depths) = (Vec::new(), Vec::new());
        while !self.ends_with("}", entries.is_empty())? {
            let optional = self.take_optional("?")?;
            let key = self.expression()?;
            self.expect(":")?;
            let value = self.expression()?;
            depths.extend([key.depth, value.depth]);
            let (key, value) = (key.expression, value.expression);
            let expr = EntryExpr::MapEntry(MapEntryExpr { key, value, optional });
            entries.push(IdedEntryExpr { id: self.id(), expr });
        }
        self.node(Expr::Map(MapExpr { entries }), &depths)
    }

    fn message(&mut self, type_name: String) -> Checked<Tree> {
        let (mut entries, mut depths) = (Vec::new(), Vec::new());
        while !self.ends_with("}", entries.is_empty())? {
            let optional = self.take_optional("?")?;
            let field = self.field_name()?.to_owned();
            self.expect(":")?;
            let value = self.expression()?;
            depths.push(value.depth);
            let expr = EntryExpr::StructField(StructFieldExpr { field, value: value.expression, optional });
            entries.push(IdedEntryExpr { id: self.id(), expr });
        }
        self.node(Expr::Struct(StructExpr { type_name, entries }), &depths)
    }

    /// Parses the comma between items, or the bracket after the last one, before which there can be a comma.
    fn ends_with(&mut self, bracket: &str, is_first: bool) -> Checked<bool> {
        let has_comma = self.take(",");
        if self.take(bracket) {
            return Ok(true);
        }
        if has_comma == is_first { Err(self.unexpected()) } else { Ok(false) }
    }

    /// Creates the call of an operator or a function.
    pub(super) fn operator(&mut self, name: &str, args: Vec<Tree>) -> Checked<Tree> {
        self.call(None, name, args)
    }

    pub(super) fn call(&mut self, target: Option<Tree>, name: &str, args: Vec<Tree>) -> Checked<Tree> {
        let depths: Vec<usize> = target.iter().chain(&args).map(|arg| arg.depth).collect();
        let call = CallExpr {
            func_name: name.to_owned(),
            target: target.map(|target| Box::new(target.expression)),
            args: args.into_iter().map(|arg| arg.expression).collect(),
        };
        self.node(Expr::Call(call), &depths)
    }

    /// Creates an expression. `depths` are those of the expressions in it.
    pub(super) fn node(&mut self, expr: Expr, depths: &[usize]) -> Checked<Tree> {
        let depth = 1 + depths.iter().max().copied().unwrap_or(0);
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        Ok(Tree { expression: IdedExpr { id: self.id(), expr }, depth })
    }

    fn id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }
}

fn too_deep() -> Problem {
    Problem::NotSimulated { construct: "the expression".to_owned(), reason: "it nests too deeply" }
}

impl Tree {
    pub(super) fn depth(&self) -> usize {
        self.depth
    }
}
