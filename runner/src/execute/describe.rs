//! The steps of a cell in words.

use skewer_cases::{Cell, Operands, Plan};
use skewer_engine::directive::DirectiveSet;
use skewer_engine::skew::{Decoding, StepName};
use skewer_engine::{Doc, OwnedDoc};

/// What a step's document is; for a request, which of its directives each side knows.
pub(super) fn step(cell: &Cell<'_>, name: StepName, document: &OwnedDoc) -> String {
    let patch_case = cell.case.operands != Operands::Skew;
    let plan = cell.plan();
    match (&plan, name) {
        (Ok(Plan::Skew(plan)), StepName::Request) => format!(
            "what the client sends, as {}; {}",
            plan.request.name(),
            directives(document, &plan.server.context.directives, "the server")
        ),
        (Ok(Plan::Skew(plan)), StepName::Decoded) => match plan.client.decoding {
            Decoding::Structured => {
                "what the client holds of it: its types have no place for the rest".to_owned()
            }
            Decoding::Unstructured => "what the client holds of it: raw maps, all of it".to_owned(),
        },
        (Ok(Plan::Apply { context: Some(context), .. }), StepName::Request) => {
            format!("the patch; {}", directives(document, &context.directives, "the server"))
        }
        (_, StepName::Request) if patch_case => "the patch".to_owned(),
        (_, StepName::Result) if patch_case => "what comes of it".to_owned(),
        (_, StepName::Decoded) if patch_case => "the document that the patch is created from".to_owned(),
        (_, StepName::Edited) if patch_case => "the document that the patch is created for".to_owned(),
        (_, name) => name.about().to_owned(),
    }
}

fn directives(document: &OwnedDoc, known: &DirectiveSet, who: &str) -> String {
    let mut recognised = Vec::new();
    let mut fields = Vec::new();
    collect(document, &mut |key| {
        if key.starts_with('$') {
            let list = if known.directive_for_key(key).is_some() { &mut recognised } else { &mut fields };
            if !list.iter().any(|held| held == key) {
                list.push(key.to_owned());
            }
        }
    });
    let mut parts = Vec::new();
    if !recognised.is_empty() {
        parts.push(format!("directives that {who} knows: {}", recognised.join(", ")));
    }
    if !fields.is_empty() {
        parts.push(format!("fields to {who}, which knows no such directive: {}", fields.join(", ")));
    }
    if parts.is_empty() { "it has no directives".to_owned() } else { parts.join("; ") }
}

fn collect(value: &OwnedDoc, found: &mut dyn FnMut(&str)) {
    match value {
        Doc::Map(map) => {
            for (key, value) in map.iter() {
                found(key);
                collect(value, found);
            }
        }
        Doc::List(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}
