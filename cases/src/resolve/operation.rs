//! Resolves the operation of a case, which follows from the documents that it has.

use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::Precondition;
use skewer_yaml::Diagnostics;

use crate::format::{CaseSpec, DeclareSpec, RequestName, ThreeWaySpec};
use crate::model::{Axis, CaseOperation, Setting, ThreeWayOptions};
use crate::types::{Declaration, DeclarationText};

/// Resolves the operation of a case.
pub(super) fn resolve_operation(
    spec: &CaseSpec,
    axes: &[Axis],
    base: &Setting,
    all_directives: &DirectiveSet,
    diagnostics: &Diagnostics,
) -> Option<CaseOperation> {
    let any = |has: fn(&Setting) -> bool| {
        has(base) || axes.iter().any(|axis| axis.values.iter().any(|(_, setting)| has(setting)))
    };
    let is_skew = any(|s| s.intent.is_some());
    let is_apply = any(|s| s.patch.is_some());
    let is_diff = any(|s| s.modified.is_some());
    let is_json_merge = base.request == Some(RequestName::JsonMergePatch);
    let count =
        [is_skew, is_apply, is_diff, spec.merge.is_some(), spec.conflicts.is_some(), spec.declare.is_some()]
            .iter()
            .filter(|is| **is)
            .count();
    if count != 1 {
        let what = if count == 0 { "does nothing" } else { "does several things" };
        diagnostics.error(spec.id.span, format!("the case `{}` {what}", spec.id)).help(
            "it has `live` and `intent` (skew), `live` and `patch` (apply), `original` and `modified` (two-way), \
             `last-applied`, `modified` and `live` (three-way), `merge`, `conflicts`, or `declare`",
        );
        return None;
    }
    check_request(spec, axes, is_skew, diagnostics);
    if let Some(declare) = &spec.declare {
        return resolve_declaration(declare, spec, all_directives, diagnostics).map(CaseOperation::Declare);
    }
    if is_apply && base.request == Some(RequestName::JsonPatch) {
        return Some(CaseOperation::JsonPatchApply);
    }
    let options = || three_way_options(spec.three_way.clone().unwrap_or_default());
    let is_three_way = is_diff && any(|s| s.last_applied.is_some());
    if let Some(conflicts) = &spec.conflicts {
        let [left, right] = conflicts.as_slice() else {
            diagnostics.error(spec.id.span, "`conflicts` compares two patches");
            return None;
        };
        return Some(CaseOperation::Conflicts(left.clone(), right.clone()));
    }
    Some(match (is_skew, is_apply, is_three_way, is_json_merge) {
        (true, ..) => CaseOperation::Skew,
        (_, true, _, false) => CaseOperation::Apply,
        (_, true, _, true) => CaseOperation::JsonMergeApply,
        (_, _, true, false) => CaseOperation::ThreeWay(options()),
        (_, _, true, true) => CaseOperation::JsonMergeThreeWay(options()),
        _ if is_diff && is_json_merge => CaseOperation::JsonMergeTwoWay,
        _ if is_diff => CaseOperation::TwoWay,
        _ => CaseOperation::Merge(spec.merge.clone().unwrap_or_default()),
    })
}

/// Reports a request that does not fit the operation: a skew case sends a request that a client can create from documents;
/// the request of a patch case is the format of the patch.
fn check_request(spec: &CaseSpec, axes: &[Axis], is_skew: bool, diagnostics: &Diagnostics) {
    let in_axes = axes.iter().flat_map(|axis| axis.values.iter().filter_map(|(_, s)| s.request));
    if is_skew && spec.request.into_iter().chain(in_axes).any(|request| request.request().is_none()) {
        diagnostics
            .error(spec.id.span, format!("`json-patch` is no request of the skew case `{}`", spec.id))
            .help("no client makes one from documents: write the patch, in a case with `live` and `patch`");
    }
    let formats = [RequestName::StrategicMergePatch, RequestName::JsonMergePatch, RequestName::JsonPatch];
    if let Some(request) = spec.request.filter(|request| !is_skew && !formats.contains(request)) {
        let message = format!("`{}` is no format of the patch in the case `{}`", request.name(), spec.id);
        diagnostics.error(spec.id.span, message).help(
            "there is strategic-merge-patch (the default), json-merge-patch and json-patch; `update`, `create` and \
             `apply` are for skew cases, which have an `intent`",
        );
    }
}

fn resolve_declaration(
    declare: &DeclareSpec,
    spec: &CaseSpec,
    all_directives: &DirectiveSet,
    diagnostics: &Diagnostics,
) -> Option<Declaration> {
    let text = match (&declare.go, declare.openapi.as_ref()) {
        (Some(text), None) => Some(DeclarationText::Go(text.value.clone())),
        (None, Some(document)) => Some(DeclarationText::OpenApi(document.value.clone())),
        _ => {
            diagnostics
                .error(spec.id.span, "types are declared by `go` or by `openapi`")
                .help("say exactly one of them under `declare`");
            None
        }
    };
    text.map(|text| Declaration { text, tags: all_directives.metadata_tags() })
}

fn three_way_options(spec: ThreeWaySpec) -> ThreeWayOptions {
    let keys = spec.keys_unchanged.into_iter().map(|key| Precondition::KeyUnchanged(key.into()));
    let metadata =
        spec.metadata_keys_unchanged.into_iter().map(|key| Precondition::MetadataKeyUnchanged(key.into()));
    ThreeWayOptions { overwrite: spec.overwrite, preconditions: keys.chain(metadata).collect() }
}
