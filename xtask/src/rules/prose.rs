//! Rule 2: no function takes a message for people apart.
//!
//! Such messages are the fields `message`, `actual`, `expected` and `reason`, parameters of these names with the type of a
//! text, and errors as text (`error.to_string()`); and what is bound to a part of them in the same function. A message
//! that goes to another function under another name is not followed.

use std::collections::BTreeSet;

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Expr, ExprClosure, ExprLet, ExprMatch, ExprMethodCall, FnArg, Ident, ImplItemFn, Item, ItemFn, Local,
    Macro, Member, Pat, Signature, Token, Type,
};

use crate::violation::RuleViolation;
use crate::workspace::{RustFile, Workspace};

const RULE: &str = "prose";

/// Files that may take texts apart, each with its reason.
const ALLOWED: &[(&str, &str)] = &[
    ("reports/src/terminal/", "a renderer breaks texts into lines"),
    ("reports/src/markdown/", "a renderer escapes texts"),
    ("reports/src/html/", "a renderer escapes texts"),
    ("reports/src/blocks/", "the renderers of blocks"),
    ("reports/src/junit.rs", "a renderer breaks texts into lines"),
    ("reports/src/github.rs", "a renderer escapes texts"),
    ("reports/results/src/json/v1.rs", "results files of version 1 have only texts"),
    ("xtask/", "the rules read sources"),
];

const MESSAGES: &[&str] = &["message", "actual", "expected", "reason"];
const ERRORS: &[&str] = &["error", "err", "e"];

/// Methods that take a text apart.
const PARSING: &[&str] = &[
    "contains",
    "ends_with",
    "find",
    "match_indices",
    "matches",
    "parse",
    "rfind",
    "rsplit",
    "rsplit_once",
    "rsplitn",
    "split",
    "split_at",
    "split_inclusive",
    "split_once",
    "split_whitespace",
    "splitn",
    "starts_with",
    "strip_prefix",
    "strip_suffix",
    "trim_end_matches",
    "trim_matches",
    "trim_start_matches",
];

/// Methods with the text, or a part of it, as their result.
const TRANSPARENT: &[&str] = &[
    "as_deref",
    "as_ref",
    "as_str",
    "borrow",
    "clone",
    "cloned",
    "deref",
    "expect",
    "into_owned",
    "next",
    "to_lowercase",
    "to_owned",
    "to_string",
    "trim",
    "trim_end",
    "trim_start",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
];

/// The term of the glossary for texts of other implementations. Their type cannot be taken apart by accident.
const FOREIGN_TEXT: &str = "foreign text";

pub(super) fn check(workspace: &Workspace) -> Vec<RuleViolation> {
    let is_allowed = |file: &&RustFile| ALLOWED.iter().any(|(path, _)| file.path.starts_with(path));
    let mut violations = Vec::new();
    for file in workspace.files.iter().filter(|file| !is_allowed(file)) {
        let mut functions = Functions { path: &file.path, messages: BTreeSet::new(), violations: Vec::new() };
        functions.visit_file(&file.syntax);
        violations.append(&mut functions.violations);
    }
    violations.extend(check_foreign_text(workspace));
    violations
}

/// Returns the implementations by which a text of another implementation would be a `str`.
fn check_foreign_text(workspace: &Workspace) -> Vec<RuleViolation> {
    let rows = workspace.document("GLOSSARY.md").lines();
    let types: Vec<&str> = rows
        .filter(|row| row.trim_start_matches('|').trim_start().starts_with(FOREIGN_TEXT))
        .filter_map(|row| row.trim_end_matches('|').rsplit('|').next())
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    let mut violations = Vec::new();
    for file in &workspace.files {
        for item in &file.syntax.items {
            let Item::Impl(block) = item else { continue };
            let (Some((_, path, _)), Type::Path(of)) = (&block.trait_, &*block.self_ty) else { continue };
            let (Some(name), Some(of)) = (path.segments.last(), of.path.segments.last()) else { continue };
            let is_text = ["Deref", "AsRef", "Borrow"].iter().any(|conversion| name.ident == conversion);
            if is_text && types.iter().any(|name| of.ident == name) {
                violations.push(RuleViolation {
                    rule: RULE,
                    path: file.path.clone(),
                    line: block.span().start().line,
                    what: format!("`{}` implements `{}`", of.ident, name.ident),
                    expected: "expected a text that cannot be taken apart".to_owned(),
                });
            }
        }
    }
    violations
}

struct Functions<'f> {
    path: &'f str,
    /// The names that are bound to messages.
    messages: BTreeSet<String>,
    violations: Vec<RuleViolation>,
}

impl Functions<'_> {
    /// Returns true if an expression is a message, or a part of one.
    fn is_message(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Field(field) => {
                matches!(&field.member, Member::Named(name) if MESSAGES.iter().any(|message| name == message))
            }
            Expr::Path(path) => {
                path.path.get_ident().is_some_and(|name| self.messages.contains(&name.to_string()))
            }
            Expr::MethodCall(call) if call.method == "to_string" && is_error(&call.receiver) => true,
            Expr::MethodCall(call) => {
                let is_part = [PARSING, TRANSPARENT, &["lines", "iter"]]
                    .iter()
                    .any(|methods| methods.iter().any(|method| call.method == method));
                is_part && self.is_message(&call.receiver)
            }
            Expr::Reference(inner) => self.is_message(&inner.expr),
            Expr::Unary(inner) => self.is_message(&inner.expr),
            Expr::Paren(inner) => self.is_message(&inner.expr),
            Expr::Try(inner) => self.is_message(&inner.expr),
            Expr::Index(index) => self.is_message(&index.expr),
            _ => false,
        }
    }

    fn bind(&mut self, pattern: &Pat) {
        struct Bindings<'b>(&'b mut BTreeSet<String>);
        impl<'ast> Visit<'ast> for Bindings<'_> {
            fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
                self.0.insert(pattern.ident.to_string());
            }
        }
        Bindings(&mut self.messages).visit_pat(pattern);
    }

    /// Begins a function: its parameters with the names of messages are messages.
    fn begin(&mut self, signature: &Signature) {
        self.messages.clear();
        for input in &signature.inputs {
            let FnArg::Typed(parameter) = input else { continue };
            let Pat::Ident(name) = &*parameter.pat else { continue };
            if MESSAGES.iter().any(|message| name.ident == message) && is_text(&parameter.ty) {
                self.messages.insert(name.ident.to_string());
            }
        }
    }
}

fn is_error(expression: &Expr) -> bool {
    let is_name = |name: &Ident| ERRORS.iter().any(|error| name == error);
    match expression {
        Expr::Path(path) => path.path.get_ident().is_some_and(is_name),
        Expr::Field(field) => matches!(&field.member, Member::Named(name) if is_name(name)),
        Expr::Reference(inner) => is_error(&inner.expr),
        _ => false,
    }
}

/// Returns true for `&str`, `String`, and types around them.
fn is_text(parameter: &Type) -> bool {
    struct Texts(bool);
    impl<'ast> Visit<'ast> for Texts {
        fn visit_ident(&mut self, ident: &'ast Ident) {
            self.0 |= ident == "str" || ident == "String";
        }
    }
    let mut texts = Texts(false);
    texts.visit_type(parameter);
    texts.0
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.begin(&item.sig);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.begin(&item.sig);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_local(&mut self, local: &'ast Local) {
        if local.init.as_ref().is_some_and(|init| self.is_message(&init.expr)) {
            self.bind(&local.pat);
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_let(&mut self, condition: &'ast ExprLet) {
        if self.is_message(&condition.expr) {
            self.bind(&condition.pat);
        }
        visit::visit_expr_let(self, condition);
    }

    fn visit_expr_match(&mut self, expression: &'ast ExprMatch) {
        if self.is_message(&expression.expr) {
            expression.arms.iter().for_each(|arm| self.bind(&arm.pat));
        }
        visit::visit_expr_match(self, expression);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if self.is_message(&call.receiver) {
            if PARSING.iter().any(|method| call.method == method) && !is_iterator(&call.receiver) {
                self.violations.push(RuleViolation {
                    rule: RULE,
                    path: self.path.to_owned(),
                    line: call.method.span().start().line,
                    what: format!("`{}` takes a message apart", call.method),
                    expected: "expected a value".to_owned(),
                });
            }
            for argument in &call.args {
                if let Expr::Closure(ExprClosure { inputs, .. }) = argument {
                    inputs.iter().for_each(|input| self.bind(input));
                }
            }
        }
        visit::visit_expr_method_call(self, call);
    }

    /// The arguments of most macros are expressions.
    fn visit_macro(&mut self, item: &'ast Macro) {
        if let Ok(arguments) = item.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            arguments.iter().for_each(|argument| visit::visit_expr(self, argument));
        }
    }
}

/// Returns true if the method that follows is one of an iterator.
fn is_iterator(receiver: &Expr) -> bool {
    matches!(receiver, Expr::MethodCall(call) if call.method == "iter" || call.method == "lines" || call.method == "split")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{crate_of, lines, workspace};

    fn check_function(body: &str) -> Vec<String> {
        lines(&check(&crate_of(&format!("fn f(cell: &Cell, message: &str, other: &str) {{ {body} }}"))))
    }

    #[test]
    fn messages_are_not_taken_apart() {
        for body in [
            "cell.message.split_once(':');",
            "cell.actual.as_deref().unwrap_or_default().starts_with(\"x\")",
            "message.contains(\"x\")",
            "let text = cell.expected.as_deref(); if let Some(part) = text { part.strip_prefix(\"x\"); }",
            "cell.message.as_deref().is_some_and(|text| text.ends_with(\"x\"))",
            "error.to_string().contains(\"x\")",
            "format!(\"{}\", cell.reason.trim_start_matches('x'))",
            "match &cell.message { Some(text) => text.find('x'), None => None }",
        ] {
            assert_eq!(check_function(body).len(), 1, "{body}");
        }
    }

    #[test]
    fn other_texts_and_whole_messages_are_free() {
        for body in [
            "other.split_once(':');",
            "cell.message.len(); cell.message == other",
            "cell.expected.iter().find(|answer| answer.is_it())",
            "let message = other; g(cell.message.clone())",
        ] {
            assert!(check_function(body).is_empty(), "{body}");
        }
    }

    #[test]
    fn renderers_break_lines() {
        let files = [
            ("reports/src/lib.rs", "mod terminal;"),
            ("reports/src/terminal/mod.rs", "fn f(cell: &Cell) { cell.message.split(' ') }"),
        ];
        assert!(check(&workspace(&files)).is_empty());
    }

    #[test]
    fn a_foreign_text_is_no_str() {
        let with = |code: &str| {
            let glossary = "| foreign text | text of a target | `ForeignText` |\n";
            lines(&check(&workspace(&[("engine/src/lib.rs", code), ("GLOSSARY.md", glossary)])))
        };
        let expected = ["1: `ForeignText` implements `Deref`"];
        assert_eq!(with("impl std::ops::Deref for ForeignText { type Target = str; }"), expected);
        assert!(with("impl Display for ForeignText {} impl Deref for Other {}").is_empty());
    }
}
