//! Checks that the keys of a case have an effect: its documents, the options of its operation, and those of its parties. A
//! `manager` can also only name who acted: without a server-side apply, it has no effect.

use skewer_skew::{OperationDeclaration, Request, Role};
use skewer_yaml::{Diagnostics, Node, Span};

use super::contributions::Contributions;
use crate::format::{CaseSpec, IntentSpec, PartySpec, SettingSpec};
use crate::model::{CaseOperation, PatchOperation};
use crate::setting::{request_options, server_options};

/// The keys of a case, with their source spans.
#[derive(Clone, Copy)]
pub(super) struct CaseKeys<'a> {
    pub(super) spec: &'a CaseSpec,
    /// The node of the case. `None` if the file was not decoded without an error.
    pub(super) node: Option<&'a Node>,
}

impl CaseKeys<'_> {
    /// Returns true if the case itself has the key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.node.is_some_and(|node| node.get(key).is_some())
    }

    /// Returns the span of a key of the case. A key that only an axis value or an overlay has counts as the id.
    pub(super) fn key(&self, key: &str) -> Span {
        let mut entries = self.node.map_or(&[][..], Node::entries).iter();
        entries.find(|entry| entry.name() == key).map_or(self.spec.id.span, |entry| entry.key.span)
    }

    /// Returns the span of the value of a key of the case.
    pub(super) fn value(&self, key: &str) -> Span {
        self.node.and_then(|node| node.get(key)).map_or(self.spec.id.span, |value| value.span)
    }

    /// Iterates over the settings that the case, its axis values and its overlays have, each with the span of the value or
    /// the overlay. Those of the suite are left out, because several cases share them.
    fn settings(&self) -> impl Iterator<Item = (&SettingSpec, Option<Span>)> {
        let of_axes = self.spec.axes.0.iter().flat_map(|(_, values)| &values.0);
        let of_axes = of_axes.map(|(value, setting)| (setting, Some(value.span)));
        let of_overlays = self.spec.overlays.iter().map(|overlay| (&overlay.setting, Some(overlay.span)));
        std::iter::once((&self.spec.setting, None)).chain(of_axes).chain(of_overlays)
    }

    /// Iterates over the intents of the client and of other clients.
    pub(super) fn intents(&self) -> impl Iterator<Item = &IntentSpec> {
        self.settings().flat_map(|(setting, _)| {
            let others = setting.history.iter().chain(&setting.meanwhile);
            setting.intent.iter().chain(others.filter_map(|other| other.intent.as_ref()))
        })
    }

    fn parties(&self, of: fn(&SettingSpec) -> Option<&PartySpec>) -> impl Iterator<Item = &PartySpec> {
        self.settings().filter_map(move |(setting, _)| of(setting))
    }
}

/// Reports keys of a case, its axis values and its overlays that have no effect on any cell.
pub(super) fn check_used_keys(
    keys: CaseKeys<'_>,
    contributions: &Contributions,
    operation: &CaseOperation,
    diagnostics: &Diagnostics,
) {
    for (setting, span) in keys.settings() {
        for role in setting.documents.by_role.keys() {
            if let Some((why, help)) = unused_document(*role, contributions, operation) {
                let span = span.unwrap_or_else(|| keys.key(role.name()));
                diagnostics.error(span, format!("`{role}` has no effect: {why}")).help(help);
            }
        }
    }
    match operation {
        CaseOperation::Skew => check_requests(keys, contributions, diagnostics),
        _ => check_without_clients(keys, operation, diagnostics),
    }
    check_three_way(keys, operation, diagnostics);
}

/// Returns the reason why a document has no effect, with advice.
fn unused_document(
    role: Role,
    contributions: &Contributions,
    operation: &CaseOperation,
) -> Option<(String, &'static str)> {
    let sends = |is_wanted: fn(Request) -> bool| contributions.requests().any(is_wanted);
    let reads_last_applied = |request: Request| request == Request::ClientSideApply || request.takes_fields();
    match operation {
        CaseOperation::Skew => match role {
            Role::Live => None,
            Role::LastApplied if sends(reads_last_applied) => None,
            Role::Configuration if sends(Request::takes_fields) => None,
            Role::LastApplied => Some((
                "no request of the client is a `client-side-apply` or a `server-side-apply`".to_owned(),
                "remove it, or write `request: client-side-apply`",
            )),
            Role::Configuration => Some((
                "no request of the client is a `server-side-apply` or an `apply-manifest`".to_owned(),
                "remove it, or write `request: server-side-apply`",
            )),
            _ => Some((
                "a skew case has `live`, `last-applied` and `configuration`".to_owned(),
                "remove it, or remove the `intent`",
            )),
        },
        CaseOperation::Patch(PatchOperation { kind, .. }) => {
            let roles: Vec<Role> = kind.declaration().document_roles().collect();
            let names: Vec<String> = roles.iter().map(|role| format!("`{role}`")).collect();
            let help = match role {
                Role::Live => {
                    "remove it; a patch that is created from three documents has `last-applied`, `modified` and `live`"
                }
                _ => "remove it",
            };
            (!roles.contains(&role)).then(|| {
                let why = format!("a case that {} has {}", kind.declaration().about, names.join(" and "));
                (why, help)
            })
        }
        CaseOperation::Declare(_) => Some(("the types of `declare` are only read".to_owned(), "remove it")),
    }
}

/// Reports options of the requests of a skew case that have no effect.
fn check_requests(keys: CaseKeys<'_>, contributions: &Contributions, diagnostics: &Diagnostics) {
    let applies = contributions.requests().any(Request::takes_fields);
    for (name, span) in keys.parties(|setting| setting.client.as_ref()).flat_map(request_options) {
        if name == "force" && !applies {
            diagnostics
                .error(span, "`force` has no effect: no request of the client is a `server-side-apply` or an `apply-manifest`")
                .help("remove `force`: only they can have conflicts with other managers");
        } else if name == "tool" && !contributions.requests().any(|request| request == Request::ApplyManifest)
        {
            diagnostics
                .error(span, "`tool` has no effect: no request of the client is an `apply-manifest`")
                .help("remove `tool`, or write `request: apply-manifest`");
        }
    }
}

/// Reports keys of a skew case in another case.
fn check_without_clients(keys: CaseKeys<'_>, operation: &CaseOperation, diagnostics: &Diagnostics) {
    for (name, span) in keys.parties(|setting| setting.client.as_ref()).flat_map(request_options) {
        diagnostics.error(span, format!("`{name}` of a client is for skew cases")).help(
            if matches!(name, "resource-version" | "negotiates" | "tool") {
                "remove it: in this case, no client sends a request"
            } else {
                "write it in the case itself if the operation has it: no client sends a request"
            },
        );
    }
    let is_request = operation.declaration().is_some_and(OperationDeclaration::is_request);
    for (name, span) in keys.parties(|setting| setting.server.as_ref()).flat_map(server_options) {
        if !(is_request && name == "strict") {
            diagnostics
                .error(span, format!("`{name}` of a server is for skew cases"))
                .help("remove it: in this case, it has no effect");
        }
    }
    for (setting, span) in keys.settings().filter(|(setting, _)| setting.webhook.is_some()) {
        let span = span.or(setting.webhook.as_ref().map(|_| keys.key("webhook")));
        diagnostics
            .error(span.unwrap_or_default(), "`webhook` is for skew cases")
            .help("remove it: in this case, no server calls a webhook");
    }
    if let Some(ideal) = keys.spec.ideals.first() {
        diagnostics.error(ideal.span, "`ideals` is for skew cases").help("remove it: this case has no ideal");
    }
}

/// Reports options of the creation of a patch that the operation of the case does not have.
fn check_three_way(keys: CaseKeys<'_>, operation: &CaseOperation, diagnostics: &Diagnostics) {
    let Some(options) = &keys.spec.three_way else { return };
    let declaration = operation.declaration();
    let takes_overwrite = declaration.is_some_and(|declaration| declaration.takes_overwrite);
    let takes_preconditions = declaration.is_some_and(|declaration| declaration.takes_preconditions);
    let has_preconditions =
        !(options.keys_unchanged.is_empty() && options.metadata_keys_unchanged.is_empty());
    if !takes_preconditions {
        diagnostics
            .error(keys.key("three-way"), "`three-way` has no effect: the operation of the case creates no patch with options")
            .help("remove it; a patch that is created from three documents has `last-applied`, `modified` and `live`");
    } else if !takes_overwrite && (options.overwrite || !has_preconditions) {
        diagnostics
            .error(
                keys.key("three-way"),
                "`three-way` has no effect: only a strategic merge patch of three documents has `overwrite`",
            )
            .help("remove it; `last-applied`, `modified` and `live` are the three documents");
    }
}
