//! Determines the operation of a case from the documents that the case has.

use std::collections::BTreeSet;

use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::{Overwrite, Precondition};
use skewer_engine::skew::{OperandDeclaration, OperationKind, PatchFormat, Presence};
use skewer_yaml::Diagnostics;

use super::contributions::Contributions;
use crate::format::{CaseSpec, DeclareSpec, DocumentKey, RequestName, ThreeWaySpec};
use crate::model::{CaseOperation, PatchOperation, PatchOptions, Setting};
use crate::types::{Declaration, DeclarationText};

/// Determines the operation of a case, and checks the request and the number of documents.
pub(super) fn resolve_operation(
    spec: &CaseSpec,
    contributions: &Contributions,
    all_directives: &DirectiveSet,
    diagnostics: &Diagnostics,
) -> Option<CaseOperation> {
    let written = WrittenKeys { spec, contributions };
    let is_skew = written.any_setting(|setting| setting.intent.is_some());
    let candidates = written.candidates();
    let required_keys: BTreeSet<Vec<DocumentKey>> =
        candidates.iter().map(|kind| keys(*kind, OperandDeclaration::is_required).collect()).collect();
    let count = required_keys.len() + usize::from(is_skew) + usize::from(spec.declare.is_some());
    if count != 1 {
        let what = if count == 0 { "does nothing" } else { "does several things" };
        diagnostics
            .error(spec.id.span, format!("the case `{}` {what}", spec.id))
            .help(format!("a case has {}", documents_of_operations()));
        return None;
    }
    check_request(spec, contributions, is_skew, diagnostics);
    if let Some(declare) = &spec.declare {
        return resolve_declaration(declare, spec, all_directives, diagnostics).map(CaseOperation::Declare);
    }
    if is_skew {
        return Some(CaseOperation::Skew);
    }
    let kind = written.choose(&candidates)?;
    let list = spec.documents.lists.get(&kind).cloned().unwrap_or_default();
    if let Some(operand) = kind.declaration().list_operand() {
        if let Err(error) = operand.check_length(kind, list.len()) {
            diagnostics.error(spec.id.span, error.to_string());
            return None;
        }
    }
    let options = patch_options(spec.three_way.clone().unwrap_or_default());
    Some(CaseOperation::Patch(PatchOperation { kind, list, options }))
}

/// Returns the keys of the operands that satisfy `is_wanted`.
fn keys(
    kind: OperationKind,
    is_wanted: fn(&OperandDeclaration) -> bool,
) -> impl Iterator<Item = DocumentKey> {
    let operands = kind.declaration().operands.iter().filter(move |operand| is_wanted(operand));
    operands.map(move |operand| DocumentKey::of_operand(kind, operand.role))
}

/// The keys that are written in a case, or in any of its axis values or overlays.
struct WrittenKeys<'a> {
    spec: &'a CaseSpec,
    contributions: &'a Contributions,
}

impl WrittenKeys<'_> {
    fn any_setting(&self, has: impl Fn(&Setting) -> bool) -> bool {
        self.contributions.all().any(has)
    }

    fn has(&self, key: DocumentKey) -> bool {
        match key {
            DocumentKey::Role(role) => self.any_setting(|setting| setting.documents.contains_key(&role)),
            DocumentKey::List(kind) => self.spec.documents.lists.contains_key(&kind),
        }
    }

    /// Returns the operations for which the case has all required operands.
    fn candidates(&self) -> Vec<OperationKind> {
        let has_required =
            |kind: &OperationKind| keys(*kind, OperandDeclaration::is_required).all(|key| self.has(key));
        OperationKind::ALL.iter().copied().filter(has_required).collect()
    }

    /// Chooses one of several operations that require the same operands. The choice depends on the patch format that
    /// the case requests, and on the optional operands that the case has and that only one of the operations takes.
    fn choose(&self, candidates: &[OperationKind]) -> Option<OperationKind> {
        let format_of = |kind: &OperationKind| kind.declaration().format;
        let asked = self.contributions.base.request.and_then(RequestName::format);
        let is_available = |format: &PatchFormat| candidates.iter().any(|kind| format_of(kind) == *format);
        let format = asked.filter(is_available).or_else(|| candidates.first().map(format_of));
        let distinctive = |kind: OperationKind| {
            keys(kind, |operand| operand.presence == Presence::Distinctive).map(|key| self.has(key))
        };
        let of_format = candidates.iter().copied().filter(|kind| Some(format_of(kind)) == format);
        of_format
            .filter(|kind| distinctive(*kind).all(|has| has))
            .max_by_key(|kind| distinctive(*kind).count())
    }
}

/// Lists the documents of each operation, for an error message.
fn documents_of_operations() -> String {
    let default_format =
        |kind: &&OperationKind| kind.declaration().format == PatchFormat::StrategicMergePatch;
    let of_patches = OperationKind::ALL.iter().filter(default_format).map(|kind| {
        let names: Vec<_> = keys(*kind, |_| true).map(|key| format!("`{}`", key.name())).collect();
        match (kind.declaration().list_operand(), names.as_slice()) {
            (None, [others @ .., last]) => format!("{} and {last} ({kind})", others.join(", ")),
            _ => names.join(", "),
        }
    });
    let skew = "`live` and `intent` (skew)".to_owned();
    let all: Vec<String> = std::iter::once(skew).chain(of_patches).collect();
    format!("{}, or `declare`", all.join(", "))
}

/// Reports a request that does not fit the operation. A skew case needs a request that a client can create from
/// documents. In a patch case, the request must be a patch format.
fn check_request(spec: &CaseSpec, contributions: &Contributions, is_skew: bool, diagnostics: &Diagnostics) {
    let mut requests = contributions.all().filter_map(|setting| setting.request);
    if let Some(request) = requests.find(|request| is_skew && request.request().is_none()) {
        let message =
            format!("`{}` is not a request that the skew case `{}` can have", request.name(), spec.id);
        diagnostics
            .error(spec.id.span, message)
            .help("no client creates a patch of this format from documents: write the patch, in a case with `live` and `patch`");
    }
    if let Some(request) = spec.request.filter(|request| !is_skew && request.format().is_none()) {
        let message = format!(
            "the request of the patch case `{}` must be a patch format, not `{}`",
            spec.id,
            request.name()
        );
        let formats = PatchFormat::ALL.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ");
        diagnostics.error(spec.id.span, message).help(format!(
            "the patch formats are {formats}, and the first is the default; `update`, `create` and `client-side-apply` are for skew \
             cases, which have an `intent`"
        ));
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
                .error(spec.id.span, "`declare` needs either `go` or `openapi`")
                .help("write exactly one of the two keys");
            None
        }
    };
    text.map(|text| Declaration { text, tags: all_directives.metadata_tags() })
}

fn patch_options(spec: ThreeWaySpec) -> PatchOptions {
    let keys = spec.keys_unchanged.into_iter().map(|key| Precondition::KeyUnchanged(key.into()));
    let metadata =
        spec.metadata_keys_unchanged.into_iter().map(|key| Precondition::MetadataKeyUnchanged(key.into()));
    let overwrite = if spec.overwrite { Overwrite::Yes } else { Overwrite::No };
    PatchOptions { overwrite, preconditions: keys.chain(metadata).collect() }
}
