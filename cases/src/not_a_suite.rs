//! Files that are no case files: the message says what a file is, and what was expected.

use std::sync::Arc;

use serde::de::IgnoredAny;
use skewer_yaml::{Diagnostic, FileErrors, Node, NodeData, ParsedFile, Span, nearest};

use crate::case_files::CorpusFile;

/// Keys of a suite that other YAML files rarely have.
const KEYS_OF_SUITES: [&str; 3] = ["suite", "about", "cases"];

/// Maximum number of keys of an unknown file that the message names.
const MAX_KEYS: usize = 4;

/// Returns the error for a manifest that was named as a case file. The file need not be valid YAML: it can contain
/// several documents.
pub(crate) fn manifest_error(file: &CorpusFile) -> FileErrors {
    let text = String::from_utf8_lossy(&file.content);
    let kind = text.lines().find_map(|line| line.strip_prefix("kind:")).map(str::trim).unwrap_or_default();
    let first = text.find(|c: char| !c.is_whitespace()).unwrap_or_default();
    let diagnostic = error_at(Span::new(first, 0), &describe_manifest(kind), advice_on_kind(kind));
    FileErrors::new(&file.display_name, Arc::from(&*text), vec![diagnostic])
}

/// Returns the error for a file that is no case file, or the errors of its text. Returns `None` for a file with a key of
/// a suite, even if the key is misspelt.
pub(crate) fn error_of_other_file(file: &ParsedFile) -> Option<FileErrors> {
    let root = file.root();
    let is_key_of_suites = |name: &str| {
        KEYS_OF_SUITES.contains(&name) || nearest(name, ["suite", "cases"]).is_some_and(|_| name.len() > 3)
    };
    if root.entries().iter().any(|entry| is_key_of_suites(entry.name())) {
        return None;
    }
    // Other errors of the text, such as a number that no reader accepts, are more than a wrong choice of the file.
    if let Err(errors) = file.decode::<IgnoredAny>() {
        return Some(errors);
    }
    let (what, help) = describe(root);
    let start = root.entries().first().map_or(root.span.offset, |entry| entry.key.span.offset);
    let diagnostic = error_at(Span::new(start, 0), &what, help);
    Some(FileErrors::new(file.name(), Arc::from(file.text()), vec![diagnostic]))
}

fn error_at(span: Span, what: &str, help: Option<&str>) -> Diagnostic {
    let message = format!(
        "this is {what}, and no case file: expected a map with the keys `suite`, `about` and `cases`"
    );
    Diagnostic { help: help.map(str::to_owned), ..Diagnostic::new(span, message) }
}

/// Describes a file with an article. The second text is advice.
fn describe(root: &Node) -> (String, Option<&'static str>) {
    let has = |keys: &[&str]| keys.iter().all(|key| root.get(key).is_some());
    match &root.data {
        NodeData::List(items) => {
            let manifests = items.iter().filter(|item| item.get("kind").is_some()).count();
            let of = if manifests == items.len() && manifests > 0 { "Kubernetes manifests" } else { "items" };
            (format!("a list of {} {of}", items.len()), Some("a case file contains one suite"))
        }
        NodeData::Map(_) if has(&["apiVersion", "kind"]) => {
            let kind = root.get("kind").and_then(Node::as_str).unwrap_or_default();
            (describe_manifest(kind), advice_on_kind(kind))
        }
        NodeData::Map(_) if has(&["run", "cells"]) => (
            "a results file".to_owned(),
            Some("`skewer report FILE` and `skewer list --results FILE` read it"),
        ),
        NodeData::Map(_) if has(&["target", "deviations"]) => {
            ("a deviation file".to_owned(), Some("`skewer run --deviations FILE` reads it"))
        }
        NodeData::Map(_) if has(&["resources"]) || has(&["patches"]) => ("a kustomization".to_owned(), None),
        NodeData::Map(entries) if !entries.is_empty() => {
            let names: Vec<String> =
                entries.iter().take(MAX_KEYS).map(|entry| format!("`{}`", entry.name())).collect();
            let more = if entries.len() > MAX_KEYS { ", …" } else { "" };
            (format!("a map with {}{more}", names.join(", ")), None)
        }
        _ => (root.describe(), None),
    }
}

fn describe_manifest(kind: &str) -> String {
    let is_name = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_name { format!("a Kubernetes manifest of kind {kind}") } else { "a Kubernetes manifest".to_owned() }
}

fn advice_on_kind(kind: &str) -> Option<&'static str> {
    match kind {
        "CustomResourceDefinition" => Some(
            "a suite names the definition (`schema: {crd: FILE}`), and `skewer audit OLD NEW` compares two definitions",
        ),
        _ => None,
    }
}
