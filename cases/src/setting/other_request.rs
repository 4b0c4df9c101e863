use std::sync::Arc;

use skewer_engine::directive::DirectiveSet;
use skewer_engine::{OwnedDoc, OwnedText};
use skewer_skew::{Intent, Request};
use skewer_yaml::{Diagnostics, Spanned};

use super::intent::resolve_intent;
use super::party::PartySetting;
use crate::format::OtherRequestSpec;

/// A request of another client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OtherRequestSetting {
    pub(crate) client: PartySetting,
    /// The server that processes the request. `None` stands for the server of the cell.
    pub(crate) server: Option<PartySetting>,
    pub(crate) request: Request,
    /// The subresource to which the request is sent. `None` stands for the main resource.
    pub(crate) subresource: Option<OwnedText>,
    /// The document that the client edits. `None` stands for the object that the client reads.
    pub(crate) document: Option<Arc<OwnedDoc>>,
    pub(crate) intent: Arc<Intent>,
}

impl OtherRequestSetting {
    /// Converts the requests of a `history`, or those that are sent `meanwhile`. Requests with an error are left out.
    pub(super) fn resolve_all(
        specs: &[Spanned<OtherRequestSpec>],
        all_directives: &DirectiveSet,
        diagnostics: &Diagnostics,
    ) -> impl Iterator<Item = Self> {
        specs.iter().filter_map(|spec| Self::resolve(spec, all_directives, diagnostics))
    }

    fn resolve(
        spec: &Spanned<OtherRequestSpec>,
        all_directives: &DirectiveSet,
        diagnostics: &Diagnostics,
    ) -> Option<Self> {
        let client = spec.client.clone().unwrap_or_default();
        let request = resolve_request(spec, diagnostics)?;
        if let Some(force) = client.force.as_ref().filter(|_| !request.takes_fields()) {
            diagnostics
                .error(force.span, format!("`force` has no effect on the request `{}`", request.name()))
                .help("only a `server-side-apply` or an `apply-manifest` can have conflicts with other managers: remove `force`");
        }
        check_document(spec, request, diagnostics);
        let resolve = |server| PartySetting::resolve_server(server, all_directives, diagnostics);
        Some(OtherRequestSetting {
            client: PartySetting::resolve_client(&client, all_directives, diagnostics),
            server: spec.server.as_ref().map(resolve),
            request,
            subresource: spec.subresource.as_ref().map(|name| name.value.as_str().into()),
            document: spec.document.as_ref().map(|document| Arc::new(document.value.clone())),
            intent: Arc::new(
                spec.intent.as_ref().map(|intent| resolve_intent(intent, diagnostics)).unwrap_or_default(),
            ),
        })
    }
}

/// Returns the request. Reports a request that no other client can send.
fn resolve_request(spec: &OtherRequestSpec, diagnostics: &Diagnostics) -> Option<Request> {
    let why = match spec.request.request() {
        Some(Request::ClientSideApply) => "an earlier request has no last-applied document",
        Some(request) => return Some(request),
        None => "no client creates this request from documents",
    };
    let is_possible = |request: &Request| *request != Request::ClientSideApply;
    let names: Vec<_> = Request::ALL.into_iter().filter(is_possible).map(Request::name).collect();
    diagnostics
        .error(
            spec.request.span,
            format!("`{}` cannot be the request of another client", spec.request.name()),
        )
        .help(format!("{why}: write one of {}", names.join(", ")));
    None
}

/// Reports a document that the request cannot have, and a request that writes nothing.
fn check_document(spec: &Spanned<OtherRequestSpec>, request: Request, diagnostics: &Diagnostics) {
    let name = request.name();
    let takes_document = request.is_whole_object() || request.takes_fields();
    match spec.document.as_ref() {
        Some(document) if !takes_document => {
            diagnostics
                .error(document.span, format!("a `{name}` has no `document`"))
                .help("the patch is created from the object that the client reads: write the changes as an `intent`");
        }
        None if spec.intent.is_none() => {
            let help = match request {
                Request::ServerSideApply => "add the apply configuration (`document`)",
                Request::ApplyManifest => {
                    "add the manifest (`document`), or an `intent` that edits the manifest before"
                }
                Request::Create => "add the whole object (`document`)",
                Request::Update => {
                    "add the whole object (`document`) or an `intent`; `intent: {}` sends back what the client has read"
                }
                _ => "add an `intent`",
            };
            diagnostics.error(spec.span, format!("this `{name}` writes nothing")).help(help);
        }
        _ => {}
    }
}
