//! Resolves a suite.

use skewer_engine::directive::DirectiveSet;
use skewer_yaml::{Diagnostics, NodeData, ParsedFile};

use super::case::CaseResolver;
use super::documents::CheckedAxes;
use super::names::check_characters;
use super::reference_case::resolve_reference_case;
use super::schemas::Schemas;
use crate::format::SuiteSpec;
use crate::model::{Case, Suite};

/// Resolves a suite. All errors are reported; the parts that could be resolved are returned.
pub(crate) fn resolve_suite(
    spec: &SuiteSpec,
    file_name: &str,
    all_directives: &DirectiveSet,
    file: &ParsedFile,
    diagnostics: &Diagnostics,
) -> Suite {
    let decoded_without_error = diagnostics.is_empty();
    let resolver = CaseResolver {
        suite: spec,
        file_name: file_name.into(),
        all_directives,
        file,
        decoded_without_error,
        diagnostics,
    };
    let mut schemas = Schemas::default();
    let mut cases: Vec<Case> = Vec::new();
    // Without errors, the cases and their nodes are the same.
    let nodes = match file.root().get("cases").map(|cases| &cases.data) {
        Some(NodeData::List(nodes)) if decoded_without_error => nodes.as_slice(),
        _ => &[],
    };
    let mut checked_axes = CheckedAxes::default();
    for (index, case) in spec.cases.iter().enumerate() {
        check_characters(&case.id, "a case", diagnostics);
        if cases.iter().any(|other| *other.id == *case.id.value) {
            diagnostics.error(case.id.span, format!("the case `{}` is in the suite twice", case.id));
            continue;
        }
        if let Some(resolved) = resolver.resolve(case, nodes.get(index), (&mut schemas, &mut checked_axes)) {
            let reference_case = resolve_reference_case(case, &resolved, &cases, diagnostics);
            cases.push(Case { reference_case: reference_case.map(Box::new), ..resolved });
        }
    }
    if spec.cases.is_empty() {
        diagnostics.error(spec.suite.span, "the suite has no cases");
    }
    Suite { name: spec.suite.value.clone(), about: spec.about.clone(), file: file_name.to_owned(), cases }
}
