//! Converts a case as written to the checked model.

use std::ops::RangeInclusive;
use std::sync::Arc;

use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::PatchContext;
use skewer_engine::profile::Profile;
use skewer_engine::server_side_apply::Resource;
use skewer_yaml::{Diagnostics, Node, ParsedFile, Spanned};

use super::axes::{CaseAxes, resolve_axes, resolve_condition, resolve_overlays};
use super::cell_count::CellCount;
use super::completeness::{check_cells, check_documents};
use super::contributions::Contributions;
use super::documents::{CaseNodes, CheckedDocuments, check_api_versions, check_document_types};
use super::expectation::ExpectationResolver;
use super::operation::resolve_operation;
use super::schemas::{self, Schemas};
use super::unused_edits::check_edits;
use super::unused_keys::{CaseKeys, check_used_keys};
use super::versions::{check_sent_versions, resolve_versions};
use crate::design_documents;
use crate::format::{
    CaseSpec, OneOrMore, OrderedMap, PartySpec, SchemaSpec, SettingSpec, SourceSpec, SuiteSpec, VersionSpec,
};
use crate::model::{Case, CaseOperation, Citation, CompatibilityPromise, KepRow};
use crate::names::{report_unknown, resolve_profile};
use crate::setting::{CaseTypes, Setting, Views};

/// The rows of the KEP's test matrix.
const KEP_ROWS: RangeInclusive<u32> = 1..=39;

/// Converts the cases of one suite to the checked model.
pub(super) struct CaseResolver<'a> {
    pub(super) suite: &'a SuiteSpec,
    pub(super) file_name: Arc<str>,
    /// The directives of the engine.
    pub(super) all_directives: &'a DirectiveSet,
    /// The number of cells of all suites that are loaded together.
    pub(super) cell_count: &'a CellCount,
    pub(super) file: &'a ParsedFile,
    /// Whether the file was decoded without an error.
    pub(super) decoded_without_error: bool,
    pub(super) diagnostics: &'a Diagnostics,
}

impl CaseResolver<'_> {
    /// Converts the case of a suite file to the model, but does not look up the reference case that it names. Returns `None` if an error makes the case unusable.
    pub(super) fn resolve(
        &self,
        spec: &CaseSpec,
        node: Option<&Node>,
        schemas: &mut Schemas<'_>,
        checked_documents: &mut CheckedDocuments,
    ) -> Option<Case> {
        let errors_before = self.diagnostics.len();
        let contributions = self.contributions(spec);
        let keys = CaseKeys { spec, node };
        let axes = CaseAxes { case: &spec.id, axes: &contributions.axes };
        let operation = resolve_operation(keys, &contributions, self.all_directives, self.diagnostics);
        if let Some(operation) = &operation {
            check_used_keys(keys, &contributions, operation, self.diagnostics);
        }
        self.check_labels(keys);
        let mut exclusions = Vec::new();
        for exclusion in self.suite.exclude.iter().chain(&spec.exclude) {
            exclusions.push(resolve_condition(&exclusion.when.value, axes, self.diagnostics));
        }
        let kep_rows = self.kep_rows(axes);
        let promise = self.promise(spec, axes, operation.as_ref());
        let expectation_resolver = ExpectationResolver {
            axes,
            operation: operation.as_ref(),
            has_server_side_apply: contributions.has_server_side_apply(),
            has_promise: !(spec.before.0.is_empty() && self.suite.before.0.is_empty()),
            all_directives: self.all_directives,
            file_name: &self.file_name,
            file: self.file,
            diagnostics: self.diagnostics,
        };
        let expectations: Vec<_> =
            spec.expect.iter().map(|expectation| expectation_resolver.resolve(expectation)).collect();
        let ideals = spec.ideals.iter().chain(&self.suite.ideals);
        let ideals = match operation {
            Some(CaseOperation::Skew) => {
                ideals.filter_map(|ideal| expectation_resolver.resolve_ideal(ideal)).collect()
            }
            _ => Vec::new(),
        };
        let views = self.views(spec, operation.as_ref(), &contributions, schemas)?;
        let resource = match &spec.versions {
            Some(versions) => {
                let up_to_date = views.up_to_date(&contributions.base.types);
                let resource = self.resource(versions, spec, up_to_date, schemas)?;
                check_sent_versions(versions, &contributions, self.diagnostics);
                Some(resource)
            }
            None => None,
        };
        let source = self.citation(spec.source.as_ref().or(self.suite.source.as_ref()));
        let Contributions { base, axes, overlays } = contributions;
        let mut case = Case {
            suite: self.suite.suite.value.as_str().into(),
            id: spec.id.value.as_str().into(),
            about: spec.about.as_deref().unwrap_or(&self.suite.about).into(),
            level: spec.setting.level.or(self.suite.level).unwrap_or_default(),
            source,
            kep: spec.kep.clone(),
            kep_rows,
            issue: spec.issue.clone(),
            resource,
            operation: operation?,
            axes,
            promise,
            ideals,
            expectations,
            reference_case: None,
            exclusions,
            overlays,
            base,
            views,
            client_negotiates: false,
        };
        if let Err(error) = case.prepare_negotiations() {
            let message = format!("a client of the case `{}` that negotiates: {error}", spec.id);
            self.diagnostics.error(spec.id.span, message);
            return None;
        }
        // Documents and expectations are checked for completeness only if there was no error. Otherwise, most of what
        // is missing would be a consequence of that error.
        if self.decoded_without_error && self.diagnostics.len() == errors_before {
            check_documents(&case, spec, self.diagnostics);
            check_cells(&case, spec, self.cell_count, self.diagnostics);
            if let Some(node) = node {
                let nodes = CaseNodes { case: node, suite: self.file.root() };
                check_document_types(&case, spec, nodes, checked_documents, self.diagnostics);
                check_api_versions(&case, nodes, self.file, self.diagnostics);
                // A misspelt path is reported as such.
                if case.operation == CaseOperation::Skew && self.diagnostics.len() == errors_before {
                    check_edits(keys, &case, self.diagnostics);
                }
            }
        }
        Some(case)
    }

    /// Reports rows that the KEP's matrix does not have, and texts that name no issue.
    fn check_labels(&self, keys: CaseKeys<'_>) {
        for row in keys.spec.kep.iter().filter(|row| !KEP_ROWS.contains(*row)) {
            let (first, last) = (KEP_ROWS.start(), KEP_ROWS.end());
            self.diagnostics
                .error(keys.value("kep"), format!("the KEP's test matrix has no row {row}"))
                .help(format!("write rows from {first} to {last}"));
        }
        let is_issue = |text: &str| {
            let number = text.rsplit_once('#').filter(|(repository, _)| repository.contains('/'));
            text.starts_with("https://")
                || number.is_some_and(|(_, number)| number.parse::<u32>().is_ok_and(|number| number > 0))
        };
        for issue in keys.spec.issue.iter().filter(|issue| !is_issue(issue)) {
            self.diagnostics
                .error(keys.value("issue"), format!("`{issue}` is no issue"))
                .help("write `OWNER/REPOSITORY#NUMBER`, such as `kubernetes/kubernetes#39188`");
        }
        for exclusion in keys.spec.exclude.iter().filter(|exclusion| exclusion.because.trim().is_empty()) {
            self.diagnostics
                .error(exclusion.when.span, "the `because` of the exclusion is empty")
                .help("write the reason why these cells are impossible");
        }
    }

    fn contributions(&self, spec: &CaseSpec) -> Contributions {
        let axes = resolve_axes(&self.suite.axes, &spec.axes, self.all_directives, self.diagnostics);
        let mut base = Setting::resolve(&spec.setting, self.all_directives, self.diagnostics);
        // The schema of the case itself is that of all points for which no other is chosen.
        base.types.schema = None;
        let named = CaseAxes { case: &spec.id, axes: &axes };
        let (of_suite, of_case) = (&self.suite.overlays, &spec.overlays);
        let overlays = resolve_overlays(of_suite, of_case, named, self.all_directives, self.diagnostics);
        Contributions { base, axes, overlays }
    }

    /// Converts the rows of the suite. Each row of a group has the condition of the group and its own.
    fn kep_rows(&self, axes: CaseAxes<'_>) -> Vec<KepRow> {
        let mut rows = Vec::new();
        for group in &self.suite.kep_rows {
            let shared = resolve_condition(&group.when, axes, self.diagnostics);
            for (number, when) in (group.first..).zip(&group.rows) {
                let mut condition = shared.clone();
                condition.0.extend(resolve_condition(when, axes, self.diagnostics).0);
                let is_cited = group.cited.iter().any(|cited| cited.value == number);
                rows.push(KepRow { number, is_cited, condition });
            }
            let numbers = group.first..group.first + u32::try_from(group.rows.len()).unwrap_or(0);
            for cited in group.cited.iter().filter(|cited| !numbers.contains(&cited.value)) {
                self.diagnostics
                    .error(cited.span, format!("row {} is not in this group of rows", cited.value))
                    .help("the rows of a group have consecutive numbers, beginning with `first`");
            }
        }
        rows
    }

    /// Builds the views of all parties that can occur in the case.
    fn views(
        &self,
        spec: &CaseSpec,
        operation: Option<&CaseOperation>,
        contributions: &Contributions,
        schemas: &mut Schemas<'_>,
    ) -> Option<Views> {
        let chosen = settings_of_matrix(self.suite, spec).filter_map(|setting| setting.schema.as_ref());
        let chosen: Vec<&Spanned<SchemaSpec>> = chosen.collect();
        let of_case = spec.setting.schema.as_ref().or(self.suite.schema.as_ref());
        let Some(schema) = of_case.or(chosen.first().copied()) else {
            if operation.is_some_and(needs_no_schema) {
                let types =
                    CaseTypes { new: schemas::any_type_context()?.into(), old: None, builtin_name: None };
                return Some(Views::new(types, Profile::Today, self.all_directives.clone()));
            }
            self.diagnostics
                .error(spec.id.span, format!("the case `{}` has no schema", spec.id))
                .help("add a `schema:` to the suite or to the case");
            return None;
        };
        let types = schemas.resolve(schema, None)?;
        let profile = spec.profile.as_ref().or(self.suite.profile.as_ref());
        let profile = profile.map_or(Some(Profile::Today), |name| resolve_profile(name, self.diagnostics))?;
        let mut views = Views::new(types, profile, self.all_directives.clone());
        let roots = settings_of_matrix(self.suite, spec).chain([&spec.setting]);
        let roots: Vec<&Spanned<String>> = roots.filter_map(|setting| setting.root.as_ref()).collect();
        for name in contributions.possible_types() {
            let schema = chosen.iter().find(|schema| Some(schema.span) == name.schema).unwrap_or(&schema);
            let root = roots.iter().find(|root| name.root.as_deref() == Some(root.value.as_str())).copied();
            let types = schemas.resolve(schema, root)?;
            views = views.with_root(name, types);
        }
        for (types, party) in contributions.possible_parties() {
            if let Err(error) = views.prepare(&types, &party) {
                let is_wrong =
                    |written: &&Spanned<String>| error.message().contains(&format!("`{}`", written.value));
                let parties = written_parties(self.suite, spec);
                let elements = parties.iter().flat_map(|party| &party.without);
                let of_element = elements.into_iter().find(is_wrong).map(|written| written.span);
                // Without a wrong element, the types of the party are wrong.
                let types = parties.iter().find_map(|written| {
                    let release = written.release.as_ref().filter(|_| party.release.is_some());
                    let schema = written.schema.as_ref().filter(|schema| Some(schema.value) == party.schema);
                    release.map(|release| release.span).or(schema.map(|schema| schema.span))
                });
                match of_element.or(types) {
                    Some(span) => self.diagnostics.error(span, error.message()),
                    None => self
                        .diagnostics
                        .error(spec.id.span, format!("a party of the case `{}`: {error}", spec.id)),
                };
                return None;
            }
        }
        for (types, server) in contributions.possible_servers() {
            let admission = views.admission(&types, &server);
            let Some(admission) = admission else { continue };
            let Some(refused) = admission.refused_rules().first() else { continue };
            let minor = admission.options.minor;
            let message =
                format!("a server of 1.{minor} refuses the definition of the case `{}`: {refused}", spec.id);
            self.diagnostics.error(spec.id.span, message);
            return None;
        }
        Some(views)
    }

    /// Converts the versions that the case declares. `up_to_date` is the context of a version that names no type.
    /// Returns `None` after reporting an error.
    fn resource(
        &self,
        versions: &Spanned<Vec<VersionSpec>>,
        spec: &CaseSpec,
        up_to_date: Option<&PatchContext>,
        schemas: &mut Schemas<'_>,
    ) -> Option<Arc<Resource>> {
        let schema = spec.setting.schema.as_ref().or(self.suite.schema.as_ref());
        let context_of = |root: Option<&Spanned<String>>| match (root, schema) {
            (Some(root), Some(schema)) => {
                let types = schemas.resolve(schema, Some(root))?;
                Some(types.new.context)
            }
            (Some(root), None) => {
                self.diagnostics
                    .error(root.span, format!("there is no type `{root}`: the case has no schema"))
                    .help("add a `schema:`, or remove `root`");
                None
            }
            (None, _) => up_to_date.cloned(),
        };
        resolve_versions(versions, context_of, self.diagnostics).map(Arc::new)
    }

    fn citation(&self, spec: Option<&SourceSpec>) -> Option<Citation> {
        let spec = spec?;
        let citation = || Citation {
            document: spec.document.value.as_str().into(),
            section: spec.section.value.as_str().into(),
        };
        let Some(document) = design_documents::by_name(&spec.document) else {
            // The headings of documents at other addresses are not known, so the section is not checked.
            if spec.document.starts_with("https://") || spec.document.starts_with("http://") {
                return Some(citation());
            }
            let names = design_documents::DESIGN_DOCUMENTS.iter().map(|d| d.name);
            report_unknown(&spec.document, "document", names, self.diagnostics);
            return None;
        };
        if !document.sections.contains(&spec.section.as_str()) {
            let what = format!("section of {}", document.name);
            report_unknown(&spec.section, &what, document.sections.iter().copied(), self.diagnostics);
        }
        Some(citation())
    }

    /// Finds the compatibility promise of a case. The promise of a suite covers only the skew cases of the suite, not
    /// its patch cases.
    fn promise(
        &self,
        spec: &CaseSpec,
        axes: CaseAxes<'_>,
        operation: Option<&CaseOperation>,
    ) -> Option<CompatibilityPromise> {
        if matches!(operation, Some(CaseOperation::Skew) | None) {
            let before = if spec.before.0.is_empty() { &self.suite.before } else { &spec.before };
            return self.promise_of_point(before, axes);
        }
        if let Some((name, _)) = spec.before.0.first() {
            let message = "`before` is for skew cases: no compatibility promise covers a patch case";
            self.diagnostics.error(name.span, message).help("remove `before`");
        }
        None
    }

    fn promise_of_point(
        &self,
        before: &OrderedMap<Spanned<String>>,
        axes: CaseAxes<'_>,
    ) -> Option<CompatibilityPromise> {
        let mut before_values = Vec::new();
        for (name, value) in &before.0 {
            let when = OrderedMap(vec![(name.clone(), OneOrMore(vec![value.clone()]))]);
            let condition = resolve_condition(&when, axes, self.diagnostics);
            before_values.extend(condition.0.iter().filter_map(|of| Some((of.axis, of.first_allowed()?))));
        }
        (!before_values.is_empty()).then_some(CompatibilityPromise { before_values })
    }
}

fn needs_no_schema(operation: &CaseOperation) -> bool {
    match operation {
        CaseOperation::Skew => false,
        CaseOperation::Patch(operation) => !operation.kind.declaration().needs_schema(),
        CaseOperation::Declare(_) => true,
    }
}

/// Returns the settings of the axis values and overlays of a case, as written. An axis of the suite that an axis of the case
/// replaces is left out.
fn settings_of_matrix<'a>(suite: &'a SuiteSpec, case: &'a CaseSpec) -> impl Iterator<Item = &'a SettingSpec> {
    let is_replaced = |name: &str| case.axes.0.iter().any(|(of_case, _)| of_case.value == name);
    let of_suite = suite.axes.0.iter().filter(move |(name, _)| !is_replaced(name));
    let of_axes = of_suite.chain(&case.axes.0).flat_map(|(_, values)| &values.0).map(|(_, setting)| setting);
    of_axes.chain(suite.overlays.iter().chain(&case.overlays).map(|overlay| &overlay.setting))
}

/// Returns the parties that a case can have, as written.
fn written_parties<'a>(suite: &'a SuiteSpec, case: &'a CaseSpec) -> Vec<&'a PartySpec> {
    let axes = suite.axes.0.iter().chain(&case.axes.0).flat_map(|(_, values)| &values.0);
    let overlays = suite.overlays.iter().chain(&case.overlays).map(|overlay| &overlay.setting);
    let settings: Vec<&SettingSpec> = axes.map(|(_, setting)| setting).chain(overlays).collect();
    let of_settings = settings.iter().flat_map(|setting| [&setting.client, &setting.server]);
    let histories = settings.iter().flat_map(|setting| [&setting.history, &setting.meanwhile]);
    let others = histories.chain([&case.setting.history, &case.setting.meanwhile]).flatten();
    let of_others = others.flat_map(|other| [&other.client, &other.server]);
    let webhooks =
        settings.iter().copied().chain([&case.setting]).filter_map(|setting| setting.webhook.as_ref());
    let parties = of_settings.chain([&case.setting.client, &case.setting.server]).chain(of_others);
    parties.chain(webhooks.map(|webhook| &webhook.party)).flatten().collect()
}
