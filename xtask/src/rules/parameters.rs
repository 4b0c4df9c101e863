//! Rule 5: no tuple is a parameter, no result is changed through a parameter, and a function has at most 5 parameters.

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{FnArg, ImplItem, ItemImpl, Signature, Token, Type};

use crate::violation::RuleViolation;
use crate::workspace::{Resolved, RustFile, Workspace};

const RULE: &str = "parameters";
const MAX_PARAMETERS: usize = 5;

/// Where the types of results are defined.
const RESULTS: &[&str] = &["reports/results/src/model/"];

/// What is wrong with a parameter list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParameterProblem {
    Tuple,
    Result,
    TooMany,
}

pub(super) fn check(workspace: &Workspace) -> Vec<RuleViolation> {
    problems(workspace)
        .into_iter()
        .map(|Found { problem, path, line, function }| {
            let (what, expected) = match problem {
                ParameterProblem::Tuple => {
                    (format!("`{function}` has a tuple as parameter"), "expected two parameters, or a struct")
                }
                ParameterProblem::Result => (
                    format!("`{function}` changes a result in a parameter"),
                    "expected that it returns a value",
                ),
                ParameterProblem::TooMany => {
                    (format!("`{function}` has more than {MAX_PARAMETERS} parameters"), "expected a struct")
                }
            };
            RuleViolation { rule: RULE, path, line, what, expected: expected.to_owned() }
        })
        .collect()
}

/// Returns the number of functions with a problem.
pub(crate) fn count(workspace: &Workspace, problem: ParameterProblem) -> usize {
    problems(workspace).iter().filter(|found| found.problem == problem).count()
}

struct Found {
    problem: ParameterProblem,
    path: String,
    line: usize,
    function: String,
}

fn problems(workspace: &Workspace) -> Vec<Found> {
    let mut found = Vec::new();
    for file in &workspace.files {
        let mut signatures = Signatures { workspace, file, found: Vec::new() };
        signatures.visit_file(&file.syntax);
        found.append(&mut signatures.found);
    }
    found
}

struct Signatures<'w> {
    workspace: &'w Workspace,
    file: &'w RustFile,
    found: Vec<Found>,
}

impl Signatures<'_> {
    fn is_result(&self, parameter: &Type) -> bool {
        let Type::Reference(reference) = parameter else { return false };
        let (Some(_), Type::Path(path)) = (&reference.mutability, &*reference.elem) else { return false };
        let path: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let names = &self.workspace.names;
        match names.resolve(names.module_of(self.file), &path) {
            Some(Resolved::Item { file }) => {
                RESULTS.iter().any(|folder| self.workspace.files[file].path.starts_with(folder))
            }
            _ => false,
        }
    }
}

impl<'ast> Visit<'ast> for Signatures<'_> {
    fn visit_signature(&mut self, signature: &'ast Signature) {
        let types = types(&signature.inputs);
        let problems = [
            (ParameterProblem::Tuple, types.iter().any(|parameter| is_tuple(parameter))),
            (ParameterProblem::Result, types.iter().any(|parameter| self.is_result(parameter))),
            (ParameterProblem::TooMany, signature.inputs.len() > MAX_PARAMETERS),
        ];
        for (problem, _) in problems.into_iter().filter(|(_, is_found)| *is_found) {
            let function = signature.ident.to_string();
            let line = signature.span().start().line;
            self.found.push(Found { problem, path: self.file.path.clone(), line, function });
        }
    }

    /// The parameters in the implementation of a trait are those of the trait.
    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if item.trait_.is_none() {
            return visit::visit_item_impl(self, item);
        }
        for item in &item.items {
            if let ImplItem::Fn(function) = item {
                self.visit_block(&function.block);
            }
        }
    }
}

fn types(inputs: &Punctuated<FnArg, Token![,]>) -> Vec<&Type> {
    let typed = inputs.iter().filter_map(|input| match input {
        FnArg::Typed(parameter) => Some(&*parameter.ty),
        FnArg::Receiver(_) => None,
    });
    typed.collect()
}

/// Returns true for a tuple with elements, and for a reference to one.
fn is_tuple(parameter: &Type) -> bool {
    match parameter {
        Type::Tuple(tuple) => !tuple.elems.is_empty(),
        Type::Reference(reference) => is_tuple(&reference.elem),
        Type::Paren(inner) => is_tuple(&inner.elem),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{crate_of, lines, workspace};

    #[test]
    fn tuples_are_violations_also_behind_references() {
        let text = "fn a((x, y): (u8, u8)) {}\nimpl A { fn b(&self, pair: &(u8, u8)) {} }\ntrait B { fn c(p: (u8,)); }";
        let violations = lines(&check(&crate_of(text)));
        assert_eq!(violations.len(), 3, "{violations:?}");
        assert_eq!(violations[0], "1: `a` has a tuple as parameter");
    }

    #[test]
    fn closures_units_and_implementations_of_traits_are_free() {
        let text = "fn a(unit: ()) { map(|(x, y)| x) }\nimpl From<(u8, u8)> for A { fn from(pair: (u8, u8)) -> A { A } }";
        assert!(check(&crate_of(text)).is_empty());
    }

    #[test]
    fn six_parameters_are_too_many() {
        assert!(check(&crate_of("fn a(a: u8, b: u8, c: u8, d: u8, e: u8) {}")).is_empty());
        let violations = lines(&check(&crate_of("fn a(&self, b: u8, c: u8, d: u8, e: u8, f: u8) {}")));
        assert_eq!(violations, ["1: `a` has more than 5 parameters"]);
    }

    #[test]
    fn a_result_is_not_changed_through_a_parameter() {
        let check_function = |function: &str| {
            let files = [
                ("reports/results/src/lib.rs", "pub mod model;"),
                ("reports/results/src/model/mod.rs", "pub struct Cell;"),
                ("runner/src/lib.rs", function),
            ];
            lines(&check(&workspace(&files)))
        };
        let violations = check_function("use reports_results::model::Cell;\nfn judge(cell: &mut Cell) {}");
        assert_eq!(violations, ["2: `judge` changes a result in a parameter"]);
        assert!(check_function("struct Cell; fn judge(cell: &mut Cell) {}").is_empty());
        assert!(check_function("use reports_results::model::Cell; fn judge(cell: &Cell) {}").is_empty());
    }
}
