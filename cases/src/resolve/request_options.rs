//! Checks that the options of requests have an effect: `force` and `resource-version` of clients. A `manager` can also only name
//! who acted: without a server-side apply, it has no effect.

use skewer_skew::Request;
use skewer_yaml::Diagnostics;

use super::contributions::Contributions;
use crate::format::{CaseSpec, PartySpec};
use crate::model::CaseOperation;
use crate::setting::request_options;

/// Reports options that a case sets for a client and that have no effect on any cell. Clients of the suite are not
/// checked, because several cases share them.
pub(super) fn check_request_options(
    spec: &CaseSpec,
    contributions: &Contributions,
    operation: Option<&CaseOperation>,
    diagnostics: &Diagnostics,
) {
    let Some(operation) = operation else { return };
    let applies = contributions.requests().any(Request::takes_fields);
    for (name, span) in clients(spec).flat_map(request_options) {
        if *operation != CaseOperation::Skew {
            diagnostics.error(span, format!("`{name}` of a client is for skew cases")).help(
                if name == "resource-version" {
                    "remove it: in this case, no client sends a request"
                } else {
                    "write it in the case itself if the operation has it: no client sends a request"
                },
            );
        } else if name == "force" && !applies {
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

/// Iterates over the clients that the case, its axis values and its overlays describe.
fn clients(spec: &CaseSpec) -> impl Iterator<Item = &PartySpec> {
    let of_axes = spec.axes.0.iter().flat_map(|(_, values)| &values.0).map(|(_, setting)| &setting.client);
    let of_overlays = spec.overlays.iter().map(|overlay| &overlay.setting.client);
    std::iter::once(&spec.setting.client).chain(of_axes).chain(of_overlays).flatten()
}
