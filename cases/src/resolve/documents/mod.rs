//! Checks the documents and paths of a case against its types.
//!
//! Every party drops a field that it does not know, so a typo would change no outcome. A value of the wrong type would
//! fail every cell. Both are therefore errors of the file, unless the case lists the path as deliberate.

mod edits;
mod roots;
mod walk;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use skewer_engine::OwnedDoc;
use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Schema, TypeId};
use skewer_skew::{PatchFormat, ResultKind, Role, Selector};
use skewer_yaml::{Diagnostics, Node, NodeData, ParsedFile, Span, Spanned, write_flow_string};

use self::edits::{check_intent, check_selected, has_free_keys};
use self::roots::{Contributor, PossibleRoots};
use self::walk::{DollarKeys, Finding, FindingKind, Types, Walk, is_known_path, items, root_types};
use crate::format::{CaseSpec, DocumentKey};
use crate::model::{Case, CaseOperation};
use crate::setting::TypesName;

const UNKNOWN_FIELDS: &str = "unknown-fields";
const WRONG_TYPES: &str = "wrong-types";

/// The findings in the axes and overlays of a suite. All cases of the suite share them, so each document is checked only
/// once for the same types.
#[derive(Default)]
pub(super) struct CheckedDocuments {
    findings: HashMap<CheckKey, Rc<Vec<Finding>>>,
}

/// The node of a contribution, and the properties of a case on which the findings in the node depend: the types, the
/// meaning of `$` keys, whether the patch is a JSON patch, whether the operation has a field manager, and whether a client is
/// unstructured.
type CheckKey = (Span, Vec<(usize, TypeId)>, DollarKeys, [bool; 3]);

/// The nodes of a case and of its suite in the file.
#[derive(Clone, Copy)]
pub(super) struct CaseNodes<'a> {
    pub(super) case: &'a Node,
    pub(super) suite: &'a Node,
}

/// Checks the documents of a case against the types of the points at which they are used.
pub(super) fn check_document_types(
    case: &Case,
    spec: &CaseSpec,
    nodes: CaseNodes<'_>,
    checked: &mut CheckedDocuments,
    diagnostics: &Diagnostics,
) {
    if matches!(case.operation, CaseOperation::Declare(_)) {
        return;
    }
    let roots = PossibleRoots::of(case);
    let mut findings: Vec<Rc<Vec<Finding>>> = Vec::new();
    // With several root types, it is not known which of them the objects have to which a pinned state applies.
    let is_only_root = roots.all().count() == 1;
    for root in roots.all() {
        let types = types_of(case, root);
        let check = DocumentCheck::new(case, types);
        findings.push(Rc::new(check.of_setting(nodes.case)));
        findings.push(Rc::new(
            check.of_operands(nodes.case, is_only_root, |index| roots.has_expectation(index, root)),
        ));
        if case.operation == CaseOperation::Skew && is_only_root {
            let ideals = [nodes.case, nodes.suite].into_iter().flat_map(|node| items(node.get("ideals")));
            findings.push(Rc::new(check.of_ideals(ideals)));
        }
        for (node, is_shared) in contribution_nodes(case, nodes, |uses| roots.uses(uses, root)) {
            let find = || Rc::new(check.of_setting(node));
            findings.push(if is_shared {
                Rc::clone(checked.findings.entry(check.key(node)).or_insert_with(find))
            } else {
                find()
            });
        }
    }
    let mut all: Vec<&Finding> = Vec::new();
    let mut known = HashSet::new();
    // A document that is used with several root types can have the same finding for each of them.
    all.extend(
        findings
            .iter()
            .flat_map(|found| found.iter())
            .filter(|finding| known.insert((finding.span, finding.kind, finding.path.as_str()))),
    );
    let types: Vec<_> = roots.all().flat_map(|root| types_of(case, root)).collect();
    report(&all, &types, spec, diagnostics);
}

/// Returns the types of the objects of a case with this root: those of all parties, and of all versions that the case
/// declares.
fn types_of<'a>(case: &'a Case, root: &TypesName) -> Types<'a> {
    let mut types = root_types(&case.views.full_contexts(root));
    let versions = case.resource.iter().flat_map(|resource| &resource.versions);
    types.extend(versions.map(|version| (&*version.schema, version.root)));
    types
}

/// Returns true if objects of a type have a field at the path.
pub(super) fn has_path(path: &str, schema: &Schema, root: TypeId) -> bool {
    is_known_path(path, &vec![(schema, root)])
}

/// Returns the nodes of the axis values and overlays of a case that contribute to points of interest. The flag is true if
/// the node belongs to the suite.
fn contribution_nodes<'a>(
    case: &Case,
    nodes: CaseNodes<'a>,
    is_wanted: impl Fn(Contributor) -> bool,
) -> Vec<(&'a Node, bool)> {
    let mut wanted = Vec::new();
    for (index, axis) in case.axes.iter().enumerate() {
        if matches!(axis.name.as_str(), "client" | "server" | "request") {
            continue;
        }
        let of_case = nodes.case.get("axes").and_then(|axes| axes.get(&axis.name));
        let of_suite = || nodes.suite.get("axes").and_then(|axes| axes.get(&axis.name));
        let Some(values) = of_case.or_else(of_suite) else { continue };
        let used = values
            .entries()
            .iter()
            .enumerate()
            .filter(|(value, _)| is_wanted(Contributor::Axis(index, *value)));
        wanted.extend(used.map(|(_, entry)| (&entry.value, of_case.is_none())));
    }
    let of_suite = items(nodes.suite.get("overlays")).iter().map(|node| (node, true));
    let of_case = items(nodes.case.get("overlays")).iter().map(|node| (node, false));
    let overlays = of_suite.chain(of_case).enumerate();
    wanted
        .extend(overlays.filter(|(index, _)| is_wanted(Contributor::Overlay(*index))).map(|(_, node)| node));
    wanted
}

/// Reports findings that the case does not list as deliberate, and listed paths for which there is no finding.
fn report(findings: &[&Finding], root: &Types<'_>, spec: &CaseSpec, diagnostics: &Diagnostics) {
    let listed = |kind| match kind {
        FindingKind::UnknownField => Some((&spec.unknown_fields, UNKNOWN_FIELDS)),
        FindingKind::WrongType => Some((&spec.wrong_types, WRONG_TYPES)),
        FindingKind::ImpossibleEdit => None,
    };
    for finding in findings {
        let listed = listed(finding.kind);
        if listed.is_some_and(|(paths, _)| paths.iter().any(|path| path.value == finding.path)) {
            continue;
        }
        let deliberate = || {
            let (_, key) = listed?;
            Some(format!("if it is deliberate, add to the case: `{key}: [{}]`", quoted_path(&finding.path)))
        };
        let added = diagnostics.error(finding.span, finding.message.as_str());
        if let Some(help) = finding.help.clone().or_else(deliberate) {
            added.help(help);
        }
    }
    for kind in [FindingKind::UnknownField, FindingKind::WrongType] {
        let Some((paths, key)) = listed(kind) else { continue };
        for path in paths {
            let is_found = |finding: &&Finding| finding.kind == kind && finding.path == path.value;
            if !findings.iter().copied().any(|finding| is_found(&finding)) {
                report_unused(path, kind, key, root, diagnostics);
            }
        }
    }
}

fn report_unused(
    path: &Spanned<String>,
    kind: FindingKind,
    key: &str,
    root: &Types<'_>,
    diagnostics: &Diagnostics,
) {
    let is_known = is_known_path(path, root);
    let message = match kind {
        FindingKind::UnknownField if is_known => format!("the types of the case have the field `{path}`"),
        FindingKind::UnknownField => format!("no document of the case has the field `{path}`"),
        FindingKind::WrongType if is_known => {
            format!("no document of the case has a value of the wrong type at `{path}`")
        }
        FindingKind::WrongType | FindingKind::ImpossibleEdit => {
            format!("the types of the case have no field `{path}`")
        }
    };
    diagnostics.error(path.span, message).help(format!(
        "remove or correct the path in `{key}`; items of a list are written `[]`, as in `ports[].name`"
    ));
}

/// Returns the paths in `unknown-fields` and `wrong-types`, in this order, that a case with these documents needs. Programs use this to write cases whose documents are wrong on purpose. Only `patches`
/// can have directives. `json_patch` is the JSON patch that is the body of a request.
#[must_use]
pub fn deliberate_paths(
    context: &PatchContext,
    directives: &DirectiveSet,
    objects: &[&OwnedDoc],
    patches: &[&OwnedDoc],
    json_patch: Option<&OwnedDoc>,
) -> [Vec<Spanned<String>>; 2] {
    let root = root_types(&[context]);
    let mut walk = Walk::new(directives);
    let objects = objects.iter().map(|object| (object, DollarKeys::AreFields));
    let patches = patches.iter().map(|patch| (patch, DollarKeys::AreDirectives));
    for (document, dollar_keys) in objects.chain(patches) {
        // The check walks over nodes, so the document is read back as YAML. JSON is valid YAML within the limits of the
        // YAML reader.
        if let Ok(file) = skewer_yaml::parse("", document.to_string().as_bytes()) {
            walk.check(file.root(), &root, dollar_keys);
        }
    }
    if let Some(Ok(file)) = json_patch.map(|patch| skewer_yaml::parse("", patch.to_string().as_bytes())) {
        for operation in file.root().items() {
            walk.check_json_patch_operation(operation, &root);
        }
    }
    [FindingKind::UnknownField, FindingKind::WrongType].map(|kind| {
        let found = walk.findings.iter().filter(|finding| finding.kind == kind);
        let paths: BTreeSet<&str> = found.map(|finding| finding.path.as_str()).collect();
        paths.into_iter().map(Into::into).collect()
    })
}

/// Quotes a path for a YAML flow list, in which brackets have a special meaning, and a number is no string.
fn quoted_path(path: &str) -> String {
    let is_plain = write_flow_string(path) == path;
    if is_plain { path.to_owned() } else { format!("'{}'", path.replace('\'', "''")) }
}

/// The inputs for checking the documents of one case: its types, and the meaning of `$` keys in its documents.
struct DocumentCheck<'a> {
    case: &'a Case,
    root: Types<'a>,
    /// The meaning of `$` keys in patches and in expected results.
    patch: DollarKeys,
    is_json_patch: bool,
    takes_field_manager: bool,
    /// Whether a client of the case keeps objects as raw maps, in which a value can have any type.
    has_unstructured_client: bool,
}

impl<'a> DocumentCheck<'a> {
    fn new(case: &'a Case, root: Types<'a>) -> Self {
        let declaration = case.operation.declaration();
        let takes_field_manager =
            declaration.is_some_and(|of| of.takes_field_manager) || case.has_server_side_apply();
        let format = declaration.map(|declaration| declaration.format);
        let patch = match format {
            Some(PatchFormat::StrategicMergePatch | PatchFormat::OfRequest) => DollarKeys::AreDirectives,
            _ => DollarKeys::AreFields,
        };
        let is_json_patch = format == Some(PatchFormat::JsonPatch);
        let has_unstructured_client = case.has_unstructured_client();
        DocumentCheck { case, root, patch, is_json_patch, takes_field_manager, has_unstructured_client }
    }

    fn walk(&self) -> Walk<'a> {
        let walk = Walk::new(self.case.views.all_directives());
        let walk = if self.case.operation == CaseOperation::Skew { walk.with_clients() } else { walk };
        if self.takes_field_manager { walk.with_object_metadata() } else { walk }
    }

    /// Checks the documents and the intents that a case or an axis value contributes.
    fn of_setting(&self, setting: &Node) -> Vec<Finding> {
        let mut walk = self.walk();
        for role in Role::ALL.iter().filter(|role| !role.declaration().is_list) {
            let is_patch = role.declaration().is_patch;
            match setting.get(role.name()) {
                None => {}
                Some(object) if !is_patch => walk.check(object, &self.root, DollarKeys::AreFields),
                // The text of a body can have any form.
                Some(text) if *role == Role::Body && text.as_str().is_some() => {}
                Some(patch) if self.is_json_patch || *role == Role::Body && patch.is_list() => {
                    for operation in items(Some(patch)) {
                        walk.check_json_patch_operation(operation, &self.root);
                    }
                }
                Some(patch) => walk.check(patch, &self.root, self.patch),
            }
        }
        let others = ["history", "meanwhile"].into_iter().flat_map(|key| items(setting.get(key)));
        for object in others.clone().filter_map(|other| other.get("document")) {
            walk.check(object, &self.root, DollarKeys::AreFields);
        }
        let webhook = setting.get("webhook");
        let others_found = walk.findings.len();
        for intent in others.chain([setting]).chain(webhook).filter_map(|node| node.get("intent")) {
            check_intent(intent, &self.root, &mut walk);
        }
        // A client with types cannot have a value of another type.
        let of_edits = walk.findings.iter_mut().skip(others_found);
        for finding in of_edits.filter(|finding| finding.kind == FindingKind::WrongType) {
            if !self.has_unstructured_client {
                finding.kind = FindingKind::ImpossibleEdit;
                let help = "correct the path or the value: only an `unstructured` client can hold a value of another type";
                finding.help.get_or_insert_with(|| help.to_owned());
            }
        }
        walk.findings
    }

    /// Returns the key of a contribution's findings.
    fn key(&self, node: &Node) -> CheckKey {
        let types = self.root.iter().map(|(schema, ty)| (std::ptr::from_ref(*schema).addr(), *ty)).collect();
        let flags = [self.is_json_patch, self.takes_field_manager, self.has_unstructured_client];
        (node.span, types, self.patch, flags)
    }

    /// Checks the documents that can only be written in the case itself: lists of operands, and the results of the
    /// expectations that `has_expectation` selects by index. Final states are checked if the case has one root type.
    fn of_operands(
        &self,
        case: &Node,
        is_only_root: bool,
        has_expectation: impl Fn(usize) -> bool,
    ) -> Vec<Finding> {
        let mut walk = self.walk();
        for document in DocumentKey::of_lists().flat_map(|key| items(case.get(key.name()))) {
            walk.check(document, &self.root, self.patch);
        }
        let result = self.case.operation.declaration().map(|declaration| declaration.result);
        if result == Some(ResultKind::Boolean) {
            return walk.findings;
        }
        let expectations = items(case.get("expect")).iter().enumerate();
        for (_, expectation) in expectations.filter(|(index, _)| has_expectation(*index)) {
            let answers = std::iter::once(expectation).chain(items(expectation.get("any-of")));
            for answer in answers {
                if let Some(result) = answer.get("result") {
                    walk.check(result, &self.root, self.patch);
                }
                let conflicts =
                    items(answer.get("conflicts")).iter().filter_map(|conflict| conflict.get("path"));
                let owners = items(answer.get("owners")).iter().flat_map(|owner| items(owner.get("fields")));
                for path in conflicts.chain(owners) {
                    self.check_field_set_path(path, &mut walk);
                }
            }
            if is_only_root {
                self.check_states(items(expectation.get("final-states")).iter(), &mut walk);
            }
        }
        walk.findings
    }

    /// Checks ideals that are written by hand.
    fn of_ideals<'n>(&self, ideals: impl Iterator<Item = &'n Node>) -> Vec<Finding> {
        let mut walk = self.walk();
        self.check_states(ideals, &mut walk);
        walk.findings
    }

    /// Checks the documents and paths of final states or ideals.
    fn check_states<'n>(&self, states: impl Iterator<Item = &'n Node>, walk: &mut Walk<'a>) {
        for state in states {
            if let Some(result) = state.get("result") {
                walk.check(result, &self.root, DollarKeys::AreFields);
            }
            for entry in state.get("set").map_or(&[][..], Node::entries) {
                check_selected(Some(&entry.key), &self.root, walk, |types, walk| {
                    walk.check(&entry.value, types, DollarKeys::AreFields);
                });
            }
            for path in items(state.get("remove")) {
                check_selected(Some(path), &self.root, walk, |_, _| {});
            }
        }
    }

    /// Checks a path in the notation of field sets. The keys of a map with free keys are not quoted there, so that a path
    /// through such a map cannot be read.
    fn check_field_set_path(&self, path: &Node, walk: &mut Walk<'a>) {
        let text = path.as_str().and_then(|text| text.strip_prefix('.'));
        let Some(selector) = text.and_then(|text| text.parse::<Selector>().ok()) else { return };
        if !has_free_keys(&selector, &self.root) {
            walk.check_selector(&selector, path.span, &self.root);
            walk.leave();
        }
    }
}

/// Reports the first document without an `apiVersion` beside one that has it. A server that keeps managed fields takes the two
/// for versions of the resource, and drops the owners of fields in a version that does not exist.
pub(super) fn check_api_versions(
    case: &Case,
    nodes: CaseNodes<'_>,
    file: &ParsedFile,
    diagnostics: &Diagnostics,
) {
    if !case.has_server_side_apply() {
        return;
    }
    let contributions: Vec<&Node> =
        contribution_nodes(case, nodes, |_| true).into_iter().map(|(node, _)| node).collect();
    // A document of the case that a contribution is laid over can get its `apiVersion` from there.
    let is_complete = |role: &&str| contributions.iter().all(|node| node.get(role).is_none());
    let own =
        ["live", "configuration"].into_iter().filter(is_complete).filter_map(|role| nodes.case.get(role));
    let of_others = contributions.iter().copied().chain([nodes.case]).flat_map(|node| {
        let others = ["history", "meanwhile"].into_iter().flat_map(|key| items(node.get(key)));
        others.filter_map(|other| other.get("document"))
    });
    let is_object = |node: &&Node| matches!(&node.data, NodeData::Map(entries) if !entries.is_empty());
    let (with, without): (Vec<&Node>, Vec<&Node>) =
        own.chain(of_others).filter(is_object).partition(|document| document.get("apiVersion").is_some());
    if let (Some(with), Some(without)) = (with.first(), without.first()) {
        let line = file.position(with.span).line;
        diagnostics
            .error(without.span, format!("the document has no `apiVersion`, and the one in line {line} has"))
            .help("write `apiVersion` into all documents of a case, or into none");
    }
}
