//! Checks that the edits of a skew case can change something. An edit of an item that no document has would change nothing, so
//! that a misspelt value would be a case that passes.

use skewer_engine::{Doc, Map, OwnedDoc, OwnedText};
use skewer_skew::{Edit, Intent, Selector, SelectorStep};
use skewer_yaml::{Diagnostics, Span, Spanned};

use super::unused_keys::CaseKeys;
use crate::format::IntentSpec;
use crate::model::Case;
use crate::setting::Setting;

/// Reports edits of the case, its axis values and its overlays that change nothing at any point.
pub(super) fn check_edits(keys: CaseKeys<'_>, case: &Case, diagnostics: &Diagnostics) {
    let report_at = |span: Span, why: String| {
        diagnostics
            .error(span, format!("the edit changes nothing: {why}"))
            .help("correct or remove it; an `intent: {}` sends back what the client has read");
    };
    let report = |at: &Spanned<String>, why: String| report_at(at.span, why);
    for intent in keys.intents() {
        if let Some(set) = intent.set.as_ref()
            && set.as_map().is_some_and(Map::is_empty)
        {
            report_at(set.span, "it sets no field".to_owned());
        }
        for at in intent.remove.iter().filter(|at| at.value == ".") {
            report(at, "a client cannot remove the whole object".to_owned());
        }
        for increment in intent.increment.iter().filter(|increment| increment.by == 0) {
            report(&increment.at, "the number to add is 0".to_owned());
        }
        for at in paths(intent) {
            let Ok(selector) = at.parse::<Selector>() else { continue };
            for step in selector.steps() {
                let (is_there, text) = match step {
                    SelectorStep::Matching(conditions) => {
                        let has = |document: &OwnedDoc| has_item(document, &|item| matches(item, conditions));
                        (any_document(case, &has), text(conditions))
                    }
                    SelectorStep::Index(index) => {
                        (any_document(case, &|document| has_list(document, *index)), index.to_string())
                    }
                    SelectorStep::Key(_) => continue,
                };
                if !is_there {
                    report(at, format!("no document of the case has an item `[{text}]`"));
                }
            }
        }
        for order in &intent.order {
            let is_in_list = |wanted: &OwnedDoc, item: &OwnedDoc| match (item, wanted) {
                // An item with several merge keys is named by a map of them.
                (Doc::Map(fields), Doc::Map(keys)) => {
                    keys.iter().all(|(key, value)| fields.get(key) == Some(value))
                }
                // Any other map is named by the value of its merge key, which can be any of its fields.
                (Doc::Map(fields), _) => fields.iter().any(|(_, value)| value == wanted),
                (item, _) => item == wanted,
            };
            let is_unknown = |wanted: &&OwnedDoc| {
                let has = |document: &OwnedDoc| has_item(document, &|item| is_in_list(wanted, item));
                !any_document(case, &has)
            };
            if let Some(unknown) = order.order.iter().find(is_unknown) {
                report(&order.at, format!("no document of the case has an item `{unknown}`"));
            }
        }
    }
}

/// Lists the paths of edits of items that must exist.
fn paths(intent: &IntentSpec) -> impl Iterator<Item = &Spanned<String>> {
    let of_orders = intent.order.iter().map(|order| &order.at);
    intent.remove.iter().chain(&intent.clear).chain(of_orders)
}

fn text(conditions: &[(OwnedText, OwnedDoc)]) -> String {
    let conditions = conditions.iter().map(|(key, value)| match value.as_str() {
        Some(text) => format!("{key}={text}"),
        None => format!("{key}={value}"),
    });
    conditions.collect::<Vec<_>>().join(",")
}

fn matches(item: &OwnedDoc, conditions: &[(OwnedText, OwnedDoc)]) -> bool {
    conditions.iter().all(|(key, value)| {
        if key.is_empty() { item == value } else { item.as_map().and_then(|map| map.get(key)) == Some(value) }
    })
}

/// Returns true if a list anywhere in the document has such an item.
fn has_item(document: &OwnedDoc, is_wanted: &dyn Fn(&OwnedDoc) -> bool) -> bool {
    match document {
        Doc::List(items) => items.iter().any(|item| is_wanted(item) || has_item(item, is_wanted)),
        Doc::Map(map) => map.iter().any(|(_, value)| has_item(value, is_wanted)),
        _ => false,
    }
}

/// Returns true if a list anywhere in the document has an item with an index.
fn has_list(document: &OwnedDoc, index: usize) -> bool {
    match document {
        Doc::List(items) => items.len() > index || items.iter().any(|item| has_list(item, index)),
        Doc::Map(map) => map.iter().any(|(_, value)| has_list(value, index)),
        _ => false,
    }
}

/// Returns true if a document of the case, or a value that an edit writes, satisfies a condition.
fn any_document(case: &Case, is_wanted: &dyn Fn(&OwnedDoc) -> bool) -> bool {
    let is_written = |intent: &Intent| {
        intent.0.iter().any(|edit| match edit {
            Edit::Set(value) | Edit::Select { value, .. } => is_wanted(value),
            Edit::Choose { fields, .. } => fields.iter().any(|(_, value)| is_wanted(value)),
            Edit::Add { item, .. } => is_wanted(&Doc::List(vec![item.clone()])),
            _ => false,
        })
    };
    let has = |setting: &Setting| {
        let mut others = setting.other_requests();
        setting.documents.values().any(|document| is_wanted(document))
            || setting.intent.as_ref().is_some_and(|intent| is_written(intent))
            || setting.webhook.as_ref().is_some_and(|webhook| is_written(&webhook.intent))
            // The defaults of a server can have items.
            || setting.server.defaults == Some(true)
            || others.any(|other| {
                other.document.as_ref().is_some_and(|document| is_wanted(document)) || is_written(&other.intent)
            })
    };
    case.settings().any(has)
}
