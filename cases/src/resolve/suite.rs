//! Converts a suite file to the checked model.

use std::collections::{HashMap, HashSet};

use skewer_engine::directive::DirectiveSet;
use skewer_yaml::{Diagnostics, Node, ParsedFile, Position};

use super::case::CaseResolver;
use super::cell_count::CellCount;
use super::declared_directives::declared_directives;
use super::documents::CheckedDocuments;
use super::old_names::hints_about_old_names;
use super::reference_case::resolve_reference_case;
use super::schemas::Schemas;
use super::type_reader::TypeReader;
use crate::case_files::CorpusFile;
use crate::format::{CaseSpec, SuiteSpec};
use crate::model::{Case, Suite};
use crate::names::check_characters;
use crate::references::References;

/// The inputs that all suites of one load share.
pub(crate) struct LoadContext<'a> {
    pub(crate) references: References,
    /// The directives of the engine.
    pub(crate) all_directives: &'a DirectiveSet,
    pub(crate) cell_count: CellCount,
}

/// Converts a suite as written to the checked model. All errors are reported, and the cases without errors are
/// returned.
pub(crate) fn resolve_suite(
    spec: &SuiteSpec,
    source: &CorpusFile,
    context: &LoadContext<'_>,
    file: &ParsedFile,
    diagnostics: &Diagnostics,
) -> Suite {
    let LoadContext { references, all_directives, cell_count } = context;
    if spec.about.trim().is_empty() && diagnostics.is_empty() {
        diagnostics.error(spec.suite.span, "the `about` of the suite is empty").help("write its subject");
    }
    let declared_directives = declared_directives(spec, diagnostics);
    let all_directives = &DirectiveSet::of(all_directives.iter().chain(declared_directives.iter().copied()));
    let decoded_without_error = diagnostics.is_empty();
    let resolver = CaseResolver {
        suite: spec,
        file_name: source.display_name.as_str().into(),
        all_directives,
        cell_count,
        file,
        decoded_without_error,
        diagnostics,
    };
    for case in &spec.cases {
        let name = || format!("{}: {}/{}", file.location(case.id.span), spec.suite, case.id);
        cell_count.add(written_size(spec, case), name);
    }
    let mut schemas = Schemas::new(TypeReader::new(all_directives, file, diagnostics), source, references);
    let mut cases: Vec<Case> = Vec::new();
    let mut ids = HashMap::new();
    // The cases correspond to the nodes by index only if no case was left out because of an error.
    let nodes = file.root().get("cases").filter(|_| decoded_without_error).map_or(&[][..], Node::items);
    let mut checked_documents = CheckedDocuments::default();
    for (index, case) in spec.cases.iter().enumerate() {
        check_characters(&case.id, "a case", diagnostics);
        if let Some(first) = ids.insert(case.id.as_str(), case.id.span) {
            let Position { line, column } = file.position(first);
            diagnostics
                .error(case.id.span, format!("the case `{}` is in the suite twice", case.id))
                .help(format!("the first one is at line {line}, column {column}"));
            continue;
        }
        if let Some(resolved) = resolver.resolve(case, nodes.get(index), &mut schemas, &mut checked_documents)
        {
            // If there are too many cells, none of them is run, and their reference cells are not needed.
            let reference_case = (!cell_count.is_exceeded())
                .then(|| resolve_reference_case(case, &resolved, &cases, diagnostics))
                .flatten();
            cases.push(Case { reference_case: reference_case.map(Box::new), ..resolved });
        }
    }
    if diagnostics.is_empty() && !cell_count.is_exceeded() {
        report_empty_rows(spec, &cases, diagnostics);
    }
    // Cases with errors were left out.
    if spec.cases.is_empty() && decoded_without_error {
        diagnostics.error(spec.suite.span, "the suite has no cases");
    }
    let mut hints = hints_about_old_names(&source.display_name, file);
    hints.append(&mut schemas.definitions.hints);
    if !diagnostics.is_empty() {
        diagnostics.extend(schemas.definitions.warnings);
    }
    Suite {
        name: spec.suite.value.clone(),
        about: spec.about.clone(),
        declared_directives,
        file: source.display_name.clone(),
        hints,
        cases,
    }
}

/// Reports rows of the KEP's matrix that have no cell in any case of the suite.
fn report_empty_rows(spec: &SuiteSpec, cases: &[Case], diagnostics: &Diagnostics) {
    if spec.kep_rows.is_empty() {
        return;
    }
    let cells = cases.iter().flat_map(Case::cells);
    let numbers: HashSet<u32> = cells.flat_map(|cell| cell.kep_rows()).collect();
    let written = spec.kep_rows.iter().flat_map(|group| (group.first..).zip(&group.rows));
    for (number, row) in written.filter(|(number, _)| !numbers.contains(number)) {
        diagnostics.error(row.span, format!("row {number} has no cell")).help("remove or correct it");
    }
}

/// Returns the number of points of a case's matrix, computed from the written axes. The limit for a single case is
/// checked later.
fn written_size(suite: &SuiteSpec, case: &CaseSpec) -> usize {
    let is_overridden = |name: &str| case.axes.0.iter().any(|(other, _)| other.value == name);
    let of_suite = suite.axes.0.iter().filter(|(name, _)| !is_overridden(name));
    let axes = of_suite.chain(&case.axes.0);
    axes.fold(1, |size: usize, (_, values)| size.saturating_mul(values.0.len()))
}
