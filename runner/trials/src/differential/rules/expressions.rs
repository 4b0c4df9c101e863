//! Random expressions in CEL.

use super::kind::Kind;
use crate::random_testing::Random;

/// The deepest nesting of calls. Limits of the parser are not what is compared.
const MAX_DEPTH: usize = 4;

/// How many of 1000 expressions have another type than that which is expected.
const MISTAKES: usize = 12;

/// A variable of a macro.
struct Variable {
    name: String,
    kind: Kind,
}

/// Makes expressions. Variables of macros are in scope while the body of the macro is made.
pub(super) struct Expressions<'r> {
    random: &'r mut Random,
    variables: Vec<Variable>,
}

impl<'r> Expressions<'r> {
    pub(super) fn new(random: &'r mut Random) -> Self {
        Expressions { random, variables: Vec::new() }
    }

    /// Makes a rule.
    pub(super) fn rule(&mut self) -> String {
        self.make(Kind::Bool, 0)
    }

    fn make(&mut self, kind: Kind, depth: usize) -> String {
        let kind = if self.random.chance(MISTAKES) { *self.random.pick(&Kind::ALL) } else { kind };
        let of_kind: Vec<&Variable> =
            self.variables.iter().filter(|variable| variable.kind == kind).collect();
        if !of_kind.is_empty() && self.random.chance(400) {
            return self.random.pick(&of_kind).name.clone();
        }
        if depth >= MAX_DEPTH || self.random.chance(250) {
            return self.leaf(kind);
        }
        let template = self.random.pick_text(kind.templates());
        self.fill(template, depth + 1)
    }

    /// Returns a field, or a literal.
    fn leaf(&mut self, kind: Kind) -> String {
        let leaf = self.random.pick_text(kind.leaves());
        if self.random.chance(60) { leaf.replace("self", "oldSelf") } else { leaf.to_owned() }
    }

    /// Replaces each kind in angle brackets by an expression. In `<list int>.all(v, <bool>)`, the expressions after the name
    /// `v` can use the variable.
    fn fill(&mut self, template: &str, depth: usize) -> String {
        let mut text = String::new();
        let mut rest = template;
        let known = self.variables.len();
        while let Some((before, after)) = rest.split_once('<') {
            let Some((name, after)) = after.split_once('>').filter(|(name, _)| Kind::is_name(name)) else {
                text.push_str(before);
                text.push('<');
                rest = after;
                continue;
            };
            text.push_str(before);
            if let Some(kind) = name.strip_prefix("variable ") {
                text.push_str(&self.declare(kind));
            } else {
                let kind = Kind::of_name(name).unwrap_or(Kind::Bool);
                text.push_str(&self.make(kind, depth));
            }
            rest = after;
        }
        text.push_str(rest);
        self.variables.truncate(known);
        text
    }

    fn declare(&mut self, kind: &str) -> String {
        let name = format!("v{}", self.variables.len());
        let kind = Kind::of_name(kind).unwrap_or(Kind::Bool);
        self.variables.push(Variable { name: name.clone(), kind });
        name
    }
}
