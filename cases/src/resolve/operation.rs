//! Determines the operation of a case from the documents that the case has.

use std::collections::BTreeSet;

use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::{Overwrite, Precondition};
use skewer_skew::{
    OperandDeclaration, OperationDeclaration, OperationKind, PatchFormat, Presence, RequestType, Role,
};
use skewer_yaml::{Diagnostics, Span, Spanned};

use super::contributions::Contributions;
use super::unused_keys::CaseKeys;
use crate::format::{CaseSpec, DeclareSpec, DocumentKey, RequestName, ThreeWaySpec};
use crate::model::{CaseOperation, PatchOperation, PatchOptions};
use crate::setting::Setting;
use crate::types::{Declaration, DeclarationText};

/// Determines the operation of a case, and checks the request and the number of documents.
pub(super) fn resolve_operation(
    case_keys: CaseKeys<'_>,
    contributions: &Contributions,
    all_directives: &DirectiveSet,
    diagnostics: &Diagnostics,
) -> Option<CaseOperation> {
    let spec = case_keys.spec;
    let written = WrittenKeys { case_keys, spec, contributions };
    let is_skew = written.is_skew();
    let mut candidates = written.candidates();
    if is_skew {
        // The configuration belongs to the request of the client.
        candidates.retain(|kind| *kind != OperationKind::ServerSideApply);
    }
    let required_keys: BTreeSet<Vec<DocumentKey>> =
        candidates.iter().map(|kind| keys_of(*kind, OperandDeclaration::is_required).collect()).collect();
    let count = required_keys.len() + usize::from(is_skew) + usize::from(spec.declare.is_some());
    if count != 1 {
        let mut started: Vec<(Span, &str)> = written.started_by(&candidates);
        started.sort_unstable_by_key(|(span, _)| span.offset);
        let (span, why) = match started.as_slice() {
            [] => (spec.id.span, "does nothing".to_owned()),
            [.., (_, first), (span, second)] => {
                (*span, format!("does several things: `{second}` does not go with `{first}`"))
            }
            [_] => (spec.id.span, "does several things".to_owned()),
        };
        diagnostics
            .error(span, format!("the case `{}` {why}", spec.id))
            .help(format!("a case has {}", documents_of_operations()));
        return None;
    }
    let kind = if is_skew { None } else { written.choose(&candidates) };
    if kind == Some(OperationKind::Request) {
        check_request_types(spec, contributions, diagnostics);
    } else {
        let formats = (!is_skew).then_some(&candidates[..]);
        check_request(case_keys, contributions, formats, diagnostics);
    }
    check_field_manager(spec, kind, is_skew, diagnostics);
    if let Some(declare) = &spec.declare {
        return resolve_declaration(declare, spec, all_directives, diagnostics).map(CaseOperation::Declare);
    }
    if is_skew {
        return Some(CaseOperation::Skew);
    }
    let kind = kind?;
    let list = spec.setting.documents.lists.get(&kind).cloned().unwrap_or_default();
    if let Some(operand) = kind.declaration().list_operand()
        && let Err(error) = operand.check_length(kind, list.len())
    {
        diagnostics.error(spec.id.span, error.to_string());
        return None;
    }
    let options = patch_options(spec, spec.three_way.clone().unwrap_or_default());
    Some(CaseOperation::Patch(PatchOperation { kind, list, options }))
}

fn keys_of(
    kind: OperationKind,
    is_wanted: fn(&OperandDeclaration) -> bool,
) -> impl Iterator<Item = DocumentKey> {
    let operands = kind.declaration().operands.iter().filter(move |operand| is_wanted(operand));
    operands.map(move |operand| DocumentKey::of_operand(kind, operand.role))
}

/// The keys that are written in a case, or in any of its axis values or overlays.
struct WrittenKeys<'a> {
    case_keys: CaseKeys<'a>,
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
            DocumentKey::List(kind) => self.spec.setting.documents.lists.contains_key(&kind),
        }
    }

    /// Returns true if a client sends a request in the case. A `server-side-apply` of a configuration can also be an
    /// operation: then the case has no client, and expects nothing that only a request of a client has.
    fn is_skew(&self) -> bool {
        let has_client_work =
            |setting: &Setting| setting.intent.is_some() || setting.other_requests().next().is_some();
        // A webhook alone does not make a skew case of a patch case.
        let has_webhook = || {
            let is_other = |kind: &OperationKind| *kind != OperationKind::ServerSideApply;
            self.any_setting(|setting| setting.webhook.is_some()) && !self.candidates().iter().any(is_other)
        };
        let expects_skew = || {
            self.spec.expect.iter().any(|expectation| {
                let mut answers = expectation.any_of.iter();
                expectation.outcome.is_some()
                    || expectation.owners.is_some()
                    || answers.any(|answer| answer.outcome.is_some() || answer.owners.is_some())
            })
        };
        self.any_setting(has_client_work)
            || has_webhook()
            || self.has(DocumentKey::Role(Role::Configuration))
                && (self.spec.setting.client.is_some() || expects_skew())
    }

    /// Returns the operations for which the case has all required operands.
    fn candidates(&self) -> Vec<OperationKind> {
        let has_required = |kind: &OperationKind| {
            let takes_csa_managers = kind.declaration().takes_csa_managers();
            (!takes_csa_managers || self.spec.csa_managers.is_some())
                && keys_of(*kind, OperandDeclaration::is_required).all(|key| self.has(key))
        };
        OperationKind::ALL.iter().copied().filter(has_required).collect()
    }

    /// Lists the keys of the case that each make it a case about something else, with their spans.
    fn started_by(&self, candidates: &[OperationKind]) -> Vec<(Span, &'static str)> {
        let mut skew = ["intent", "history", "meanwhile", "webhook"].into_iter();
        let skew = skew.find(|key| self.case_keys.has(key)).or(self.is_skew().then_some("intent"));
        let of_candidates = candidates.iter().filter_map(|kind| {
            let required = keys_of(*kind, OperandDeclaration::is_required).next().map(DocumentKey::name);
            if kind.declaration().takes_csa_managers() { Some("csa-managers") } else { required }
        });
        let names: BTreeSet<&str> = skew
            .into_iter()
            .chain(of_candidates)
            .chain(self.spec.declare.as_ref().map(|_| "declare"))
            .collect();
        names.into_iter().map(|name| (self.case_keys.key(name), name)).collect()
    }

    /// Chooses one of several operations that require the same operands. The choice depends on the patch format that
    /// the case requests, and on the optional operands that the case has and that only one of the operations takes.
    fn choose(&self, candidates: &[OperationKind]) -> Option<OperationKind> {
        let format_of = |kind: &OperationKind| kind.declaration().format;
        let asked = self.contributions.base.request.and_then(RequestName::format);
        let is_available = |format: &PatchFormat| candidates.iter().any(|kind| format_of(kind) == *format);
        let format = asked.filter(is_available).or_else(|| candidates.first().map(format_of));
        let distinctive = |kind: OperationKind| {
            keys_of(kind, |operand| operand.presence == Presence::Distinctive).map(|key| self.has(key))
        };
        let of_format = candidates.iter().copied().filter(|kind| Some(format_of(kind)) == format);
        of_format
            .filter(|kind| distinctive(*kind).all(|has| has))
            .max_by_key(|kind| distinctive(*kind).count())
    }
}

/// Lists the documents of each operation, for an error message.
fn documents_of_operations() -> String {
    // The operations of the other formats have the same documents as those of strategic merge patches.
    let has_own_documents =
        |kind: &&OperationKind| kind.is_strategic() || kind.declaration().takes_field_manager;
    let of_patches = OperationKind::ALL.iter().filter(has_own_documents).map(|kind| {
        let mut names: Vec<_> = keys_of(*kind, |_| true).map(|key| format!("`{}`", key.name())).collect();
        if kind.declaration().takes_csa_managers() {
            names.push("`csa-managers`".to_owned());
        }
        match (kind.declaration().list_operand(), names.as_slice()) {
            (None, [others @ .., last]) => format!("{} and {last} ({kind})", others.join(", ")),
            _ => names.join(", "),
        }
    });
    let skew = "`live` and `intent` (skew)".to_owned();
    let all: Vec<String> = std::iter::once(skew).chain(of_patches).collect();
    format!("{}, or `declare`", all.join(", "))
}

/// Lists the documents that a case can have if its patch format is the format of this request.
fn documents_of_request(request: RequestName) -> String {
    let kind = OperationKind::ALL.iter().find(|kind| Some(kind.declaration().format) == request.format());
    let names =
        kind.map(|kind| keys_of(*kind, |_| true).map(|key| format!("`{}`", key.name())).collect::<Vec<_>>());
    names.unwrap_or_default().join(" and ")
}

/// Reports the options of a field manager in a case whose operation does not have them.
fn check_field_manager(
    spec: &CaseSpec,
    kind: Option<OperationKind>,
    is_skew: bool,
    diagnostics: &Diagnostics,
) {
    type Takes = fn(&OperationDeclaration) -> bool;
    let has_manager: Takes = |declaration| declaration.takes_field_manager;
    let options: [(&str, Option<Span>, Takes); 5] = [
        ("manager", spec.manager.as_ref().map(|manager| manager.span), has_manager),
        ("force", spec.force.as_ref().map(|force| force.span), OperationDeclaration::takes_force),
        (
            "subresource",
            spec.setting.subresource.as_ref().filter(|_| !is_skew).map(|subresource| subresource.span),
            has_manager,
        ),
        (
            "versions",
            spec.versions.as_ref().map(|versions| versions.span),
            OperationDeclaration::takes_versions,
        ),
        (
            "csa-managers",
            spec.csa_managers.as_ref().map(|managers| managers.span),
            OperationDeclaration::takes_csa_managers,
        ),
    ];
    for (name, span, takes) in options {
        let Some(span) = span.filter(|_| !kind.is_some_and(|kind| takes(kind.declaration()))) else {
            continue;
        };
        let kinds = OperationKind::ALL.iter().filter(|kind| takes(kind.declaration()));
        let names: Vec<String> = kinds
            .map(|kind| {
                let is_request = kind.declaration().is_request();
                if is_request { "a case with a `body`".to_owned() } else { format!("`{kind}`") }
            })
            .collect();
        let (why, help) = match name {
            "manager" | "force" if is_skew => (
                "in a skew case, it is an option of a client".to_owned(),
                "write it in the `client` of the case",
            ),
            _ => (format!("`{name}` is for {}", names.join(", ")), "remove it, or correct the documents"),
        };
        diagnostics.error(span, format!("`{name}` does not belong here: {why}")).help(help);
    }
}

/// Reports a request that does not fit the operation. A skew case needs a request that a client can create from
/// documents. In a patch case, the request must be a format of the operations that the documents allow; `candidates` are
/// these.
fn check_request(
    keys: CaseKeys<'_>,
    contributions: &Contributions,
    candidates: Option<&[OperationKind]>,
    diagnostics: &Diagnostics,
) {
    let CaseKeys { spec, .. } = keys;
    let is_skew = candidates.is_none();
    let mut requests = contributions.all().filter_map(|setting| setting.request);
    if let Some(request) = requests.find(|request| is_skew && request.request().is_none()) {
        let message =
            format!("`{}` is not a request that the skew case `{}` can have", request.name(), spec.id);
        diagnostics.error(spec.id.span, message).help(format!(
            "no client creates this request from documents: write it in a case with {}",
            documents_of_request(request)
        ));
    }
    // An axis of the suite is also that of its skew cases.
    let of_axes = spec.axes.0.iter().flat_map(|(_, values)| values.0.iter().map(|(_, setting)| setting));
    let mut of_case = of_axes.chain(spec.overlays.iter().map(|overlay| &overlay.setting));
    if !is_skew && of_case.any(|setting| setting.request.is_some()) {
        let message = format!(
            "an axis or an overlay of the patch case `{}` has a `request`, but its cells have one patch format",
            spec.id
        );
        diagnostics.error(spec.id.span, message).help(
            "write the format as the `request` of the case, and a case for each format; an axis of requests is for \
             skew cases, which have an `intent`",
        );
    }
    let Some((request, candidates)) = spec.setting.request.zip(candidates) else { return };
    let mut formats: Vec<PatchFormat> = candidates.iter().map(|kind| kind.declaration().format).collect();
    formats.dedup();
    if !formats.iter().any(|format| request.format() == Some(*format)) {
        let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
        let documents: Vec<String> = candidates.first().map_or_else(Vec::new, |kind| {
            keys_of(*kind, |_| true).map(|key| format!("`{}`", key.name())).collect()
        });
        let expected = match names.as_slice() {
            [] => "no request".to_owned(),
            [others @ .., last] if !others.is_empty() => {
                format!("the request `{}` or `{last}`", others.join("`, `"))
            }
            [name, ..] => format!("the request `{name}`"),
        };
        let documents = documents.join(" and ");
        let documents = if documents.is_empty() { "`declare`" } else { &documents };
        diagnostics
            .error(
                keys.value("request"),
                format!("`{}` does not belong here: a case with {documents} has {expected}", request.name()),
            )
            .help(
                "correct or remove `request`; the requests of clients are for skew cases, which have an `intent`",
            );
    }
}

/// Reports the requests of a case with a `body` that no client sends to a server.
fn check_request_types(spec: &CaseSpec, contributions: &Contributions, diagnostics: &Diagnostics) {
    let mut requests = contributions.all().filter_map(|setting| setting.request);
    if let Some(request) = requests.find(|request| request.request_type().is_none()) {
        let names = RequestType::ALL.map(RequestType::name).join(", ");
        diagnostics
            .error(
                spec.id.span,
                format!("`{}` is not a request that the case `{}` can have", request.name(), spec.id),
            )
            .help(format!("a case with a `body` has one of the requests {names}"));
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

fn patch_options(case: &CaseSpec, spec: ThreeWaySpec) -> PatchOptions {
    let keys = spec.keys_unchanged.into_iter().map(|key| Precondition::KeyUnchanged(key.into()));
    let metadata =
        spec.metadata_keys_unchanged.into_iter().map(|key| Precondition::MetadataKeyUnchanged(key.into()));
    let overwrite = if spec.overwrite { Overwrite::Yes } else { Overwrite::No };
    let text =
        |text: &Option<Spanned<String>>| text.as_ref().map(|text| text.value.clone()).unwrap_or_default();
    PatchOptions {
        overwrite,
        preconditions: keys.chain(metadata).collect(),
        manager: text(&case.manager),
        force: case.force.as_ref().is_some_and(|force| force.value),
        csa_managers: case.csa_managers.as_ref().map(|managers| managers.value.clone()).unwrap_or_default(),
    }
}
