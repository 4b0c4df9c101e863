//! Checks that all documents of a case have an `apiVersion`, or none has.

use skewer_yaml::{Diagnostics, Node, NodeData, ParsedFile};

use super::{CaseNodes, contribution_nodes, items};
use crate::model::Case;

/// Reports the first document without an `apiVersion` beside one that has it. A server that keeps managed fields takes the two
/// for versions of the resource, and drops the owners of fields in a version that does not exist.
pub(in crate::resolve) fn check_api_versions(
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
