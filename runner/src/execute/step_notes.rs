//! The notes that explain the documents of the steps of a cell.

use skewer_cases::{CaseOperation, Cell, PatchPlan, Plan};
use skewer_engine::directive::DirectiveSet;
use skewer_engine::skew::{Decoding, ResultKind, StepName};
use skewer_engine::{Doc, OwnedDoc};

/// Describes the document of a step. For a request, also lists which of its directives the server knows, and which not.
pub(super) fn describe_step(cell: &Cell<'_>, name: StepName, document: &OwnedDoc) -> String {
    let patch_case = cell.case.operation != CaseOperation::Skew;
    let plan = cell.plan();
    match (&plan, name) {
        (Ok(Plan::Skew(plan)), StepName::Request) => format!(
            "the body of the client's request, as {}; {}",
            plan.request.name(),
            describe_directives(document, &plan.server.context.directives, "the server")
        ),
        (Ok(Plan::Skew(plan)), StepName::Decoded) => match plan.client.decoding {
            Decoding::Structured => {
                "the object that the client has decoded: fields that its types do not have are dropped"
                    .to_owned()
            }
            Decoding::Unstructured => {
                "the object that the client has decoded: raw maps, which have all fields".to_owned()
            }
        },
        (Ok(Plan::Patch(PatchPlan { context: Some(context), operation, .. })), StepName::Request)
            if operation.kind.declaration().result == ResultKind::Object =>
        {
            format!("the patch; {}", describe_directives(document, &context.directives, "the server"))
        }
        (_, StepName::Request) if patch_case => "the patch".to_owned(),
        (_, StepName::Result) if patch_case => "the result of the operation".to_owned(),
        (_, StepName::Decoded) if patch_case => "the document that the patch is created from".to_owned(),
        (_, StepName::Edited) if patch_case => "the document that the patch is created for".to_owned(),
        (_, name) => name.about().to_owned(),
    }
}

fn describe_directives(document: &OwnedDoc, directives: &DirectiveSet, party: &str) -> String {
    let mut recognised = Vec::new();
    let mut fields = Vec::new();
    visit_keys(document, &mut |key| {
        if key.starts_with('$') {
            let list =
                if directives.directive_for_key(key).is_some() { &mut recognised } else { &mut fields };
            if !list.iter().any(|listed| listed == key) {
                list.push(key.to_owned());
            }
        }
    });
    let mut notes = Vec::new();
    if !recognised.is_empty() {
        notes.push(format!("directives that {party} knows: {}", recognised.join(", ")));
    }
    if !fields.is_empty() {
        notes.push(format!("fields to {party}, which knows no such directive: {}", fields.join(", ")));
    }
    if notes.is_empty() { "it has no directives".to_owned() } else { notes.join("; ") }
}

fn visit_keys(value: &OwnedDoc, visit: &mut dyn FnMut(&str)) {
    match value {
        Doc::Map(map) => {
            for (key, value) in map.iter() {
                visit(key);
                visit_keys(value, visit);
            }
        }
        Doc::List(items) => items.iter().for_each(|item| visit_keys(item, visit)),
        _ => {}
    }
}
