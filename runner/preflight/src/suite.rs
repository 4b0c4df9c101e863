//! The suite that `skewer preflight --write-suite` writes: a case for each finding, whose expectation is what happens.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use skewer_audit::suite::{SuiteFile, observed_answer};
use skewer_cases::format::{CaseSpec, ExpectationSpec, PartySpec, SchemaSpec, SettingSpec, SuiteSpec};
use skewer_cases::yaml::OptionalField;
use skewer_cases::{Corpus, CorpusFile, LoadError};
use skewer_engine::document::from_json;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::builtin::ReleaseKind;
use skewer_engine::schema::{Type, TypeId};
use skewer_engine::{Doc, OwnedDoc, OwnedMap, Text};
use skewer_execute::execute::{ObservedStates, observe_states};
use skewer_reports::preflight::{Preflight, PreflightFinding, RequestCase};
use skewer_skew::{Edit, FinalState, Intent, Outcome, Request, Role, Server, without_managed_fields};
use skewer_targets::BuiltInTarget;

use crate::anonymous::{Numbers, anonymous, with_other_managers};
use crate::effect::ObjectEffect;
use crate::request::Answered;
use crate::served::ServedKind;
use crate::shown_request::{EffectsOf, ShownRequest};
use crate::verdict::comparable;

/// The names and values in cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseValues {
    /// Others, so that a case can be shown to anybody.
    Anonymous,
    /// Those of the objects. Secret values are replaced all the same.
    OfObjects,
}

/// Returns the case of an effect: the first request of a course that shows it by itself, reduced. `None` if no request does, or if
/// a case cannot say what the server is.
pub(crate) fn case_of(
    served: &ServedKind,
    shown: ShownRequest,
    effect: &ObjectEffect,
    values: CaseValues,
    effects_of: &EffectsOf<'_>,
) -> Option<RequestCase> {
    let reduced = shown.reduced(effect, effects_of);
    let shown = match values {
        CaseValues::OfObjects => reduced,
        CaseValues::Anonymous => with_other_managers(
            [Numbers::Replaced, Numbers::Kept]
                .map(|numbers| anonymous(&reduced, served, numbers))
                .into_iter()
                // The path and the sentences have other names.
                .find(|shown| effects_of(shown).iter().any(|other| other.cause == effect.cause))?,
        ),
    };
    let ShownRequest { request, live, .. } = shown;
    let end = Answered::simulate(request.clone(), served, live.as_ref()).end;
    let start = match request.request {
        Request::ClientSideApply => request.last_applied.clone(),
        _ => live.clone().map(without_managed_fields),
    };
    let is_apply = request.request == Request::ServerSideApply;
    let context = &served.server.context;
    let documents_of_case = [live.as_ref(), Some(&request.document), request.last_applied.as_ref()];
    let mut unknown_fields = BTreeSet::new();
    for document in documents_of_case.into_iter().flatten() {
        undeclared(context, document, Some(context.root), "", &mut |path| {
            unknown_fields.insert(path);
        });
    }
    // Without an apply, a case has no managed fields.
    let live = if is_apply { live } else { live.map(without_managed_fields) };
    let documents = [
        live.map(|live| (Role::Live, live)),
        request.last_applied.clone().map(|document| (Role::LastApplied, document)),
        is_apply.then(|| (Role::Configuration, request.document.clone())),
    ];
    let case = CaseSpec {
        setting: SettingSpec {
            schema: Some(schema_of(served)?.into()),
            request: Some(request.request.into()),
            client: Some(PartySpec {
                unstructured: Some(true.into()),
                manager: Some(request.manager.clone().into()),
                force: request.force.then(|| true.into()),
                ..PartySpec::default()
            }),
            server: request
                .is_strict
                .then(|| PartySpec { strict: Some(true.into()), ..PartySpec::default() }),
            documents: documents.into_iter().flatten().collect(),
            intent: (!is_apply).then(|| (&intent(start.as_ref(), &request.document)).into()),
            ..SettingSpec::default()
        },
        unknown_fields: unknown_fields.into_iter().map(Into::into).collect(),
        ..CaseSpec::default()
    };
    let end = end
        .map(|object| comparable(served, &object).to_string())
        .map_err(|error| error.kind().id().to_owned());
    Some(RequestCase { case, end })
}

/// Calls `found` with the path of each field that the types do not have.
fn undeclared(
    context: &PatchContext,
    value: &OwnedDoc,
    ty: Option<TypeId>,
    path: &str,
    found: &mut dyn FnMut(String),
) {
    let Some(ty) = ty else { return };
    match (value, context.schema.get(ty)) {
        (Doc::Map(map), Type::Struct(declared)) => {
            for (key, value) in map.iter() {
                let below = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
                let is_of_object =
                    path.is_empty() && matches!(key.as_str(), "apiVersion" | "kind" | "metadata");
                match declared.field(key) {
                    _ if is_of_object => {}
                    Some(field) => undeclared(context, value, Some(field.ty), &below, found),
                    None => found(below),
                }
            }
        }
        (Doc::Map(map), Type::Map(item)) => {
            for (key, value) in map.iter() {
                undeclared(context, value, Some(*item), &format!("{path}.{key}"), found);
            }
        }
        (Doc::List(items), Type::List(item)) => {
            for value in items {
                undeclared(context, value, Some(*item), &format!("{path}[]"), found);
            }
        }
        _ => {}
    }
}

/// Returns the types of a server. Descriptions in a definition are left out.
fn schema_of(served: &ServedKind) -> Option<SchemaSpec> {
    let Server { admission, context, .. } = &served.server;
    if let Some(admission) = admission {
        let definition = admission.definition()?;
        let root = format!("{}/{}/{}", definition.group, admission.version.name, definition.kind);
        let mut document = definition.document().clone();
        remove_descriptions(&mut document);
        if let Some(map) = document.as_map_mut() {
            map.remove("status");
            let name = [(Text::from_static("name"), Doc::from(definition.name.clone()))];
            map.insert("metadata".into(), Doc::Map(name.into_iter().collect::<OwnedMap>()));
        }
        let crd = OptionalField::Given(document.into());
        return Some(SchemaSpec { crd, root: Some(root.into()), ..SchemaSpec::default() });
    }
    let kind = ReleaseKind::of(&context.schema, context.root)?;
    let root = format!("{}/{}", kind.api_version, kind.kind);
    Some(SchemaSpec {
        builtin: Some(kind.release.name().to_owned().into()),
        root: Some(root.into()),
        ..SchemaSpec::default()
    })
}

fn remove_descriptions(value: &mut OwnedDoc) {
    match value {
        Doc::Map(map) => {
            // A property can have this name, too: its value is a map.
            if map.get("description").is_some_and(|text| text.as_str().is_some()) {
                map.remove("description");
            }
            map.iter_mut().for_each(|(_, value)| remove_descriptions(value));
        }
        Doc::List(items) => items.iter_mut().for_each(remove_descriptions),
        _ => {}
    }
}

/// Returns the intent that makes a document of another one: each member that differs is exchanged, in metadata one level below.
fn intent(from: Option<&OwnedDoc>, to: &OwnedDoc) -> Intent {
    let empty = Doc::Map(OwnedMap::new());
    let mut set = OwnedMap::new();
    let mut edits = Vec::new();
    let (from, to) = (from.unwrap_or(&empty), without_managed_fields(to.clone()));
    let to = without_bookkeeping(&to);
    for (key, value) in to.as_map().into_iter().flat_map(OwnedMap::iter) {
        let before = from.as_map().and_then(|from| from.get(key));
        match (before, value) {
            (Some(before), value) if before == value => {}
            (Some(Doc::Map(_)), Doc::Map(fields)) if key != "metadata" => {
                edits.extend(
                    key.parse().ok().map(|selector| Edit::Choose { selector, fields: fields.clone() }),
                );
            }
            (Some(Doc::Map(before)), Doc::Map(members)) => {
                let differs = |(key, value): &(&Text<'static>, &OwnedDoc)| before.get(key) != Some(*value);
                let members = members.iter().filter(differs);
                let members = members.map(|(key, value)| (key.clone(), value.clone()));
                set.insert(key.clone(), Doc::Map(members.collect()));
            }
            _ => drop(set.insert(key.clone(), value.clone())),
        }
    }
    if !set.is_empty() {
        edits.insert(0, Edit::Set(Doc::Map(set)));
    }
    let gone = from.as_map().into_iter().flat_map(OwnedMap::keys).filter(|key| {
        !matches!(key.as_str(), "apiVersion" | "kind" | "metadata")
            && to.as_map().is_some_and(|to| !to.contains_key(key))
    });
    edits.extend(gone.filter_map(|key| key.parse().ok()).map(Edit::Remove));
    Intent(edits)
}

/// Returns a document without the metadata of a server, which a case does not have.
fn without_bookkeeping(object: &OwnedDoc) -> OwnedDoc {
    let mut object = object.clone();
    if let Some(Doc::Map(metadata)) = object.as_map_mut().and_then(|map| map.get_mut("metadata")) {
        metadata.retain(|key, _| !skewer_targets::live::METADATA_OF_SERVER.contains(&key.as_str()));
    }
    object
}

/// Renders the suite of a preflight. `path` is its file, whose name the suite has.
#[must_use]
pub fn suite_file(report: &Preflight, path: &Path) -> SuiteFile {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let findings = report.findings.iter().filter(|finding| finding.case.is_some());
    let (mut kept, mut states) = (Vec::new(), BTreeMap::new());
    // A case that cannot be read would hide the others.
    for finding in findings {
        let Ok(Some(observed)) = observe(&name, finding) else { continue };
        kept.push(finding);
        states.insert(finding.id.clone(), observed);
    }
    let is_without = |finding: &&PreflightFinding| !states.contains_key(&finding.id);
    let title = |finding: &PreflightFinding| format!("{} {} {}", finding.id, finding.cause, finding.path);
    SuiteFile {
        text: suite(&name, &kept, &states).print(),
        cases: kept.len(),
        without_case: report.findings.iter().filter(is_without).map(title).collect(),
    }
}

/// Runs the case of a finding. `None` if the cell does not end as the preflight found.
fn observe(name: &str, finding: &PreflightFinding) -> Result<Option<ObservedStates>, LoadError> {
    let file = CorpusFile {
        path: format!("{name}.yaml"),
        display_name: finding.id.clone(),
        content: suite(name, &[finding], &BTreeMap::new()).print().into_bytes(),
        folder: None,
    };
    let corpus = Corpus::load(vec![file])?;
    let observed = corpus.cells().next().and_then(|cell| observe_states(&cell, &BuiltInTarget));
    let Some(case) = &finding.case else { return Ok(None) };
    let is_same = |observed: &ObservedStates| match (&observed.final_state, &case.end) {
        (FinalState::Refused(error), Err(kind)) => error.kind().id() == kind,
        // A cell has no defaults of built-in kinds, which the end has.
        (FinalState::Stored(object), Ok(end)) => {
            from_json(end.as_bytes()).is_ok_and(|end| is_part(&without_bookkeeping(object), &end))
        }
        _ => false,
    };
    Ok(observed.filter(is_same))
}

/// Returns true if a document has no member and no value that another one lacks.
fn is_part(document: &OwnedDoc, of: &OwnedDoc) -> bool {
    match (document, of) {
        (Doc::Map(part), Doc::Map(whole)) => part.iter().all(|(key, value)| {
            let is_comparable = key != "status" && key != skewer_skew::LAST_APPLIED_ANNOTATION;
            let is_empty = value.as_map().is_some_and(OwnedMap::is_empty);
            !is_comparable || whole.get(key).map_or(is_empty, |of| is_part(value, of))
        }),
        (Doc::List(part), Doc::List(whole)) => {
            part.len() == whole.len() && part.iter().zip(whole).all(|(part, whole)| is_part(part, whole))
        }
        (part, whole) => part == whole,
    }
}

fn suite(name: &str, findings: &[&PreflightFinding], states: &BTreeMap<String, ObservedStates>) -> SuiteSpec {
    let case = |finding: &&PreflightFinding| {
        let case = finding.case.as_ref()?;
        let effect = format!("{} finding of skewer preflight: {}.", finding.severity.name(), finding.cause);
        let expectation = match states.get(&finding.id) {
            Some(states) => ExpectationSpec { because: Some(effect.clone()), ..observed_answer(states) },
            None => ExpectationSpec { outcome: Some(Outcome::Intended.into()), ..ExpectationSpec::default() },
        };
        Some(CaseSpec {
            id: finding.id.to_lowercase().into(),
            about: Some(format!("A request to an object of the kind {}: {}.", finding.kind, finding.cause)),
            expect: vec![expectation.into()],
            ..case.case.clone()
        })
    };
    let about = "What the next requests do to objects of a cluster. Written by skewer preflight. The expectations are what \
                 happens today, also where it is not what users want.";
    SuiteSpec {
        suite: name.to_owned().into(),
        about: about.to_owned(),
        cases: findings.iter().filter_map(case).collect(),
        ..SuiteSpec::default()
    }
}
