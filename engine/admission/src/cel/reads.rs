//! The fields of a value that an expression reads. Only they are converted: the conversion of a large value takes longer than most
//! evaluations.

use cel::Value;
use cel::common::ast::{EntryExpr, Expr, IdedExpr};
use skewer_engine::document::OwnedDoc;

use super::value::{fields_from_doc, from_doc};
use crate::structural::StructuralSchema;

/// The part of a variable that an expression reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    /// The value as a whole, such as its size.
    Whole,
    /// Only fields, by their names in CEL.
    Fields(Vec<String>),
}

impl Reads {
    /// Returns what some expressions together read of a variable.
    pub(super) fn of<'e>(expressions: impl IntoIterator<Item = &'e IdedExpr>, variable: &str) -> Self {
        let mut fields = Vec::new();
        let is_read_by_fields =
            expressions.into_iter().all(|expression| collect(expression, variable, &mut fields));
        if is_read_by_fields { Reads::Fields(fields) } else { Reads::Whole }
    }

    /// Converts what is read of a value.
    pub(super) fn value(&self, doc: &OwnedDoc, schema: &StructuralSchema, is_resource_root: bool) -> Value {
        match self {
            Reads::Whole => from_doc(doc, schema, is_resource_root),
            Reads::Fields(names) => fields_from_doc(doc, schema, is_resource_root, names),
        }
    }
}

/// Collects the fields of a variable that an expression selects. Returns false if it reads the variable in another way.
fn collect(expression: &IdedExpr, variable: &str, fields: &mut Vec<String>) -> bool {
    let mut all = |inner: &[&IdedExpr]| inner.iter().all(|inner| collect(inner, variable, fields));
    match &expression.expr {
        Expr::Ident(name) => name != variable,
        Expr::Select(select) => match &select.operand.expr {
            Expr::Ident(name) if name == variable => {
                if !fields.contains(&select.field) {
                    fields.push(select.field.clone());
                }
                true
            }
            _ => all(&[&select.operand]),
        },
        Expr::Call(call) => {
            call.target.iter().all(|target| all(&[target])) && call.args.iter().all(|arg| all(&[arg]))
        }
        Expr::List(list) => list.elements.iter().all(|element| all(&[element])),
        Expr::Map(map) => map.entries.iter().all(|entry| match &entry.expr {
            EntryExpr::MapEntry(entry) => all(&[&entry.key, &entry.value]),
            EntryExpr::StructField(_) => false,
        }),
        Expr::Comprehension(loop_) => {
            all(&[&loop_.iter_range, &loop_.accu_init, &loop_.loop_cond, &loop_.loop_step, &loop_.result])
        }
        Expr::Literal(_) => true,
        Expr::Struct(_) | Expr::Unspecified => false,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::cel::parser::parse;
    use crate::cel::release::RuleRelease;

    #[rstest]
    #[case::fields("self.a.b == 1 && has(self.c)", Some("a c"))]
    #[case::in_a_macro("self.l.all(x, x == self.a)", Some("l a"))]
    #[case::of_another_variable("oldSelf.a == 1", Some(""))]
    #[case::the_size("size(self) == 1", None)]
    #[case::an_optional_field("self.?a.hasValue()", None)]
    #[case::a_key("self['a'] == 1", None)]
    #[case::equality("self == oldSelf", None)]
    fn an_expression_reads_fields_or_the_whole_value(#[case] text: &str, #[case] fields: Option<&str>) {
        let expected = fields.map_or(Reads::Whole, |fields| {
            Reads::Fields(fields.split_whitespace().map(str::to_owned).collect())
        });
        let tree = parse(text, RuleRelease::of_minor(37)).expect("an expression");
        assert_eq!(Reads::of([&tree], "self"), expected);
    }
}
