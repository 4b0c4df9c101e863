//! Checks the documents and paths of a case against its types.
//!
//! Every party drops a field that it does not know, so a typo would change no outcome. A value of the wrong type would
//! fail every cell. Both are therefore errors of the file, unless the case lists the path as deliberate.

mod walk;

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use skewer_engine::OwnedDoc;
use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::TypeId;
use skewer_engine::skew::{PatchFormat, ResultKind, Role, Selector};
use skewer_yaml::{Diagnostics, Node, Spanned};

use self::walk::{
    DollarKeys, Finding, FindingKind, Types, Walk, field_types, is_known_path, item_types, root_types,
};
use crate::format::{CaseSpec, DocumentKey};
use crate::model::{Case, CaseOperation};

const UNKNOWN_FIELDS: &str = "unknown-fields";
const WRONG_TYPES: &str = "wrong-types";

/// The findings in the axes of a suite. All cases of the suite share the axes, so each document is checked only once
/// for the same types.
#[derive(Default)]
pub(super) struct CheckedAxes {
    findings: HashMap<AxisKey, Rc<Vec<Finding>>>,
}

/// The properties of a case on which the findings in the axes depend: the types, the meaning of `$` keys, and whether
/// the patch is a JSON patch.
type AxisKey = (Vec<(usize, TypeId)>, DollarKeys, bool);

/// Checks the documents of a case. `case_node` is the node of the case in the file, and `suite_axes` is the node of the
/// suite's axes.
pub(super) fn check_document_types(
    case: &Case,
    spec: &CaseSpec,
    (case_node, suite_axes): (&Node, Option<&Node>),
    checked_axes: &mut CheckedAxes,
    diagnostics: &Diagnostics,
) {
    if matches!(case.operation, CaseOperation::Declare(_)) {
        return;
    }
    let root = root_types(&case.views.full_contexts());
    let check = DocumentCheck::new(case, root.clone());
    let mut findings = check.of_setting(case_node);
    findings.extend(case_node.get("axes").map(|axes| check.of_axes(axes)).unwrap_or_default());
    findings.extend(check.of_operands(case_node));
    let shared = suite_axes.map(|axes| {
        let schemas = root.iter().map(|(schema, ty)| (std::ptr::from_ref(*schema).addr(), *ty)).collect();
        let key = (schemas, check.patch, check.is_json_patch);
        Rc::clone(checked_axes.findings.entry(key).or_insert_with(|| Rc::new(check.of_axes(axes))))
    });
    let all: Vec<&Finding> = findings.iter().chain(shared.iter().flat_map(|shared| shared.iter())).collect();
    report(&all, &root, spec, diagnostics);
}

/// Reports findings that the case does not list as deliberate, and listed paths for which there is no finding.
fn report(findings: &[&Finding], root: &Types<'_>, spec: &CaseSpec, diagnostics: &Diagnostics) {
    let listed = |kind| match kind {
        FindingKind::UnknownField => Some((&spec.unknown_fields, UNKNOWN_FIELDS)),
        FindingKind::WrongType => Some((&spec.wrong_types, WRONG_TYPES)),
        FindingKind::NotAUnion => None,
    };
    for finding in findings {
        let Some((paths, key)) = listed(finding.kind) else {
            diagnostics.error(finding.span, finding.message.as_str());
            continue;
        };
        if paths.iter().any(|path| path.value == finding.path) {
            continue;
        }
        diagnostics
            .error(finding.span, finding.message.as_str())
            .help(format!("if it is deliberate, add to the case: `{key}: [{}]`", quoted_path(&finding.path)));
    }
    for kind in [FindingKind::UnknownField, FindingKind::WrongType] {
        let Some((paths, key)) = listed(kind) else { continue };
        for path in paths {
            let is_found = |finding: &&Finding| finding.kind == kind && finding.path == path.value;
            if !findings.iter().copied().any(|finding| is_found(&finding)) {
                report_unused(path, (kind, key), root, diagnostics);
            }
        }
    }
}

fn report_unused(
    path: &Spanned<String>,
    (kind, key): (FindingKind, &str),
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
        FindingKind::WrongType | FindingKind::NotAUnion => {
            format!("the types of the case have no field `{path}`")
        }
    };
    diagnostics.error(path.span, message).help(format!(
        "remove or correct the path in `{key}`; items of a list are written `[]`, as in `ports[].name`"
    ));
}

/// Renders the lines `unknown-fields` and `wrong-types` that a case with these documents needs. Returns an empty text
/// if there are no such paths. Programs use this to write cases whose documents are wrong on purpose. Only `patches`
/// can have directives.
#[must_use]
pub fn deliberate_paths(
    context: &PatchContext,
    directives: &DirectiveSet,
    (objects, patches): (&[&OwnedDoc], &[&OwnedDoc]),
) -> String {
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
    let mut text = String::new();
    for (kind, key) in [(FindingKind::UnknownField, UNKNOWN_FIELDS), (FindingKind::WrongType, WRONG_TYPES)] {
        let found = walk.findings.iter().filter(|finding| finding.kind == kind);
        let paths: BTreeSet<String> = found.map(|finding| quoted_path(&finding.path)).collect();
        if !paths.is_empty() {
            let paths: Vec<String> = paths.into_iter().collect();
            text.extend(["    ", key, ": [", &paths.join(", "), "]\n"]);
        }
    }
    text
}

/// Quotes a path for a YAML flow list, in which brackets have a special meaning.
fn quoted_path(path: &str) -> String {
    if path.contains(['[', ']', '"', ',', '{', '}', '#', ':']) {
        format!("'{path}'")
    } else {
        path.to_owned()
    }
}

/// The inputs for checking the documents of one case: its types, and the meaning of `$` keys in its documents.
struct DocumentCheck<'a> {
    case: &'a Case,
    root: Types<'a>,
    /// The meaning of `$` keys in patches and in expected results.
    patch: DollarKeys,
    is_json_patch: bool,
}

impl<'a> DocumentCheck<'a> {
    fn new(case: &'a Case, root: Types<'a>) -> Self {
        let format = case.operation.declaration().map(|declaration| declaration.format);
        let patch = match format {
            Some(PatchFormat::StrategicMergePatch) => DollarKeys::AreDirectives,
            _ => DollarKeys::AreFields,
        };
        DocumentCheck { case, root, patch, is_json_patch: format == Some(PatchFormat::JsonPatch) }
    }

    fn walk(&self) -> Walk<'a> {
        Walk::new(self.case.views.all_directives())
    }

    /// Checks the documents and the intent that a case or an axis value contributes.
    fn of_setting(&self, setting: &Node) -> Vec<Finding> {
        let mut walk = self.walk();
        for role in Role::ALL.iter().filter(|role| !role.declaration().is_list) {
            let is_patch = role.declaration().is_patch;
            match setting.get(role.name()) {
                None => {}
                Some(object) if !is_patch => walk.check(object, &self.root, DollarKeys::AreFields),
                Some(patch) if self.is_json_patch => {
                    for operation in items(Some(patch)) {
                        walk.check_json_patch_operation(operation, &self.root);
                    }
                }
                Some(patch) => walk.check(patch, &self.root, self.patch),
            }
        }
        if let Some(intent) = setting.get("intent") {
            self.check_intent(intent, &mut walk);
        }
        walk.findings
    }

    fn of_axes(&self, axes: &Node) -> Vec<Finding> {
        let axes = axes.entries().iter();
        let values = axes.filter(|axis| !matches!(axis.name(), "client" | "server" | "request"));
        let values = values.flat_map(|axis| axis.value.entries());
        values.flat_map(|value| self.of_setting(&value.value)).collect()
    }

    /// Checks the documents that can only be written in the case itself: lists of operands, and results.
    fn of_operands(&self, case: &Node) -> Vec<Finding> {
        let mut walk = self.walk();
        for document in DocumentKey::of_lists().flat_map(|key| items(case.get(key.name()))) {
            walk.check(document, &self.root, self.patch);
        }
        let result = self.case.operation.declaration().map(|declaration| declaration.result);
        if result == Some(ResultKind::Boolean) {
            return walk.findings;
        }
        for expectation in items(case.get("expect")) {
            let answers = std::iter::once(expectation).chain(items(expectation.get("any-of")));
            for result in answers.filter_map(|answer| answer.get("result")) {
                walk.check(result, &self.root, self.patch);
            }
        }
        walk.findings
    }

    fn check_intent(&self, intent: &Node, walk: &mut Walk<'a>) {
        if let Some(values) = intent.get("set") {
            walk.check(values, &self.root, DollarKeys::AreFields);
        }
        for edit in items(intent.get("choose")) {
            self.check_selected(edit.get("at"), walk, |types, walk| {
                if let Some(fields) = edit.get("fields") {
                    walk.check(fields, types, DollarKeys::AreFields);
                }
            });
        }
        for edit in items(intent.get("select")) {
            self.check_selected(edit.get("at"), walk, |types, walk| {
                let Some(member) = edit.get("member") else { return };
                let name = member.as_str().unwrap_or_default();
                let member_types = field_types(types, name);
                if member_types.is_empty() {
                    walk.report_unknown_field(name, member.span, types);
                    return;
                }
                walk.check_union(Some(name), member.span, types);
                if let Some(value) = edit.get("value") {
                    walk.check(value, &member_types, DollarKeys::AreFields);
                }
            });
        }
        for edit in items(intent.get("add")) {
            self.check_selected(edit.get("at"), walk, |types, walk| {
                if let (Some(item), Some(at)) = (edit.get("item"), edit.get("at")) {
                    walk.check_list(at.span, types);
                    walk.check(item, &item_types(types), DollarKeys::AreFields);
                }
            });
        }
        for at in items(intent.get("clear")) {
            self.check_selected(Some(at), walk, |types, walk| walk.check_union(None, at.span, types));
        }
        for at in items(intent.get("remove")) {
            self.check_selected(Some(at), walk, |_, _| {});
        }
        for edit in items(intent.get("order")) {
            self.check_selected(edit.get("at"), walk, |types, walk| {
                walk.check_list(edit.get("at").map_or(edit.span, |at| at.span), types);
            });
        }
    }

    /// Checks the path of a selector, and then the edit of the value that it selects.
    fn check_selected(
        &self,
        at: Option<&Node>,
        walk: &mut Walk<'a>,
        check: impl FnOnce(&Types<'a>, &mut Walk<'a>),
    ) {
        let Some(at) = at else { return };
        let Some(selector) = at.as_str().and_then(|text| text.parse::<Selector>().ok()) else { return };
        if let Some(types) = walk.check_selector(&selector, at.span, &self.root) {
            check(&types, walk);
        }
        walk.leave();
    }
}

/// Returns the items of a list. Returns an empty slice if the node is not a list or is absent.
fn items(node: Option<&Node>) -> &[Node] {
    node.map_or(&[], Node::items)
}
