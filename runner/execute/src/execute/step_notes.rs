//! The notes that explain the documents of the steps of a cell.

use skewer_cases::{CaseOperation, Cell, PatchPlan, Plan, PlanError};
use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::PatchContext;
use skewer_engine::{Doc, OwnedDoc};
use skewer_skew::{Client, Decoding, Intent, Request, ResultKind, Scenario, StepName};

/// The plan of a cell, from which the notes on its steps are made.
pub(super) struct StepNotes<'c> {
    cell: &'c Cell<'c>,
    plan: Result<Plan, PlanError>,
}

impl<'c> StepNotes<'c> {
    /// Creates the notes of a cell.
    pub(super) fn of(cell: &'c Cell<'c>) -> Self {
        StepNotes { cell, plan: cell.plan() }
    }

    /// Describes the document of a step. For a request, also lists which of its directives the server knows, and which
    /// not. `index` is the number of earlier steps with this name.
    pub(super) fn describe(&self, name: StepName, index: usize, document: &OwnedDoc) -> String {
        match (&self.plan, name) {
            (Ok(Plan::Skew(plan)), StepName::Earlier | StepName::Meanwhile) => {
                describe_other(name, plan, index)
            }
            (plan, name) => describe_step(self.cell, plan.as_ref(), name, document),
        }
    }
}

/// Describes the stored object after a request of another client. `index` is the number of such requests before it. The
/// name of the step says when the requests were sent.
fn describe_other(name: StepName, plan: &Scenario, index: usize) -> String {
    let others = if name == StepName::Earlier { &plan.history } else { &plan.meanwhile };
    let full = &plan.full_context;
    let Some(other) = others.get(index) else { return name.about().to_owned() };
    let (request, manager) = (other.request.name(), other.options.manager.as_str());
    let force = if other.options.force { ", with force" } else { "" };
    let (number, count) = (index + 1, others.len());
    let lost = match &other.document {
        Some(document) => describe_lost(&other.client, document, &other.intent, full),
        None => String::new(),
    };
    format!("the stored object after request {number} of {count}: {request} by {manager:?}{force}{lost}")
}

/// Describes what a client loses of its own document after the edits of its intent. Empty if it sends everything.
fn describe_lost(client: &Client, document: &OwnedDoc, intent: &Intent, full: &PatchContext) -> String {
    let mut edited = document.clone();
    if intent.edit(&mut edited, &client.context, full).is_err() {
        return String::new();
    }
    let lost: Vec<String> = client.lost_fields(&edited).iter().map(ToString::to_string).collect();
    if lost.is_empty() {
        return String::new();
    }
    format!("; the client loses a part of its document, which its types cannot hold: {}", lost.join(", "))
}

fn describe_step(
    cell: &Cell<'_>,
    plan: Result<&Plan, &PlanError>,
    name: StepName,
    document: &OwnedDoc,
) -> String {
    let patch_case = cell.case.operation != CaseOperation::Skew;
    match (plan, name) {
        (Ok(Plan::Skew(plan)), StepName::Request) if plan.request == Request::ServerSideApply => {
            let force = if plan.options.force { ", with force" } else { "" };
            let manager = plan.options.manager.as_str();
            let configuration = plan.configuration.as_deref().or(plan.last_applied.as_deref());
            let lost = configuration.map(|configuration| {
                describe_lost(&plan.client, configuration, &plan.intent, &plan.full_context)
            });
            let lost = lost.unwrap_or_default();
            format!("the apply configuration that the client sends as {manager:?}{force}{lost}")
        }
        (Ok(Plan::Skew(plan)), StepName::Request) => {
            let (version, merging) = match plan.client.negotiated.as_deref() {
                Some(negotiated) => (" of the negotiated version", negotiated),
                None => ("", &plan.server.context),
            };
            format!(
                "the body of the client's request, as {}{version}; {}",
                plan.request.name(),
                describe_directives(document, &merging.directives, "the server")
            )
        }
        (Ok(Plan::Skew(plan)), StepName::Edited) if plan.request == Request::ClientSideApply => {
            let lost = plan
                .last_applied
                .as_deref()
                .map(|applied| describe_lost(&plan.client, applied, &plan.intent, &plan.full_context));
            format!("{}{}", name.about(), lost.unwrap_or_default())
        }
        (Ok(Plan::Skew(plan)), StepName::Decoded) => match plan.client.decoding {
            Decoding::Structured => {
                "the object that the client has decoded: fields that its types do not have are dropped"
                    .to_owned()
            }
            Decoding::Unstructured => {
                "the object that the client has decoded: raw maps, which have all fields".to_owned()
            }
        },
        (Ok(Plan::Patch(plan)), StepName::Request) if plan.declaration().takes_field_manager => {
            let mut operands = plan.declaration().operands.iter();
            let sent = operands.find(|operand| operand.step == StepName::Request);
            sent.map_or(name.about(), |operand| operand.role.declaration().about).to_owned()
        }
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
