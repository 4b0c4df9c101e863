//! The preflight of a dump: each object is judged on its own.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use skewer_engine::schema::builtin::Release;
use skewer_engine::server_side_apply::check_typed_value;
use skewer_engine::{Doc, OwnedDoc, Text};
use skewer_reports::preflight::Preflight;
use skewer_skew::{Request, without_managed_fields};

use crate::confirm::AskedServers;
use crate::course::{Applied, Course};
use crate::definitions::ChangedKinds;
use crate::dump::{DumpPart, DumpSource, DumpedObject, ObjectId};
use crate::effect::{EffectCause, ObjectEffect};
use crate::evidence::changes_without_object;
use crate::finding::{Findings, JudgedObject, RepairedObjects};
use crate::probe::{has_broken_entries, probe};
use crate::redact::Redaction;
use crate::refused::check_definitions;
use crate::repair::Repaired;
use crate::request::Answered;
use crate::served::{KindVersion, ServedKind, ServedKinds};
use crate::shown_request::{CourseStart, ShownRequest};
use crate::suite::{CaseValues, case_of};
use crate::taken_step::{DryRunConfirmation, StepTwice, TakenStep, take};
use crate::verdict::{Tools, verdict};

/// The objects, and the types of the server.
pub struct PreflightInput<'a> {
    /// The objects.
    pub dumps: Vec<DumpSource>,
    /// Further definitions of custom resources. Those in the dumps count, too.
    pub definitions: Vec<DumpSource>,
    /// The release of the server.
    pub release: &'static Release,
    /// The replacement of secret values.
    pub redaction: Redaction,
    /// The servers that are asked, too.
    pub asked: Option<AskedServers<'a>>,
    /// The objects of a finding whose repairs are looked for.
    pub repaired: RepairedObjects,
    /// The names and values of cases. `None` if no cases are made.
    pub cases: Option<CaseValues>,
}

/// A step that is taken with the objects.
pub enum PreflightStep {
    /// A version of a custom resource is removed from its definition.
    RemoveVersion(String),
    /// Definitions of custom resources are replaced.
    ReplaceDefinitions(Vec<DumpSource>),
    /// A tool applies manifests.
    Apply(Box<ApplyStep>),
}

/// Manifests, and the tool that applies them.
pub struct ApplyStep {
    /// The manifests.
    pub manifests: DumpSource,
    /// The manifests before, if they are known.
    pub previous: Option<DumpSource>,
    /// The tools.
    pub tools: Tools,
    /// The types with which a tool compares an object and its manifest, as far as they are not those of the server.
    pub client: ClientTypes,
}

/// Types of a tool: those that were compiled into it, or that it has read from the server before.
#[derive(Default)]
pub struct ClientTypes {
    /// The release of its built-in kinds.
    pub release: Option<&'static Release>,
    /// Its definitions of custom resources.
    pub definitions: Vec<DumpSource>,
}

/// The kinds of objects that change requests on a server.
const WEBHOOKS: [&str; 4] = [
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
    "MutatingAdmissionPolicy",
    "ValidatingAdmissionPolicy",
];

/// Takes a step with the objects of a dump. `name` is the step in words.
///
/// # Errors
///
/// Returns a message if a file cannot be read, if a definition is not valid, or if the step is not possible.
pub fn preflight(
    input: &PreflightInput<'_>,
    step: &PreflightStep,
    name: String,
) -> Result<Preflight, String> {
    let mut findings = Findings::of(input.asked, input.repaired);
    check_definitions(&input.definitions, None)?;
    let kinds = input.kinds(&mut findings)?;
    match step {
        PreflightStep::RemoveVersion(version) => {
            let mut after = kinds.clone();
            after.remove_version(version)?;
            let removed = Some(version.clone());
            input.change_kinds(
                &mut ChangedKinds { before: kinds, after, removed, asked: input.asked, cases: input.cases },
                &mut findings,
            )?;
        }
        PreflightStep::ReplaceDefinitions(sources) => {
            check_definitions(sources, Some(&kinds))?;
            let mut after = ServedKinds::of(input.release);
            input.define(&mut after, sources, &mut findings)?;
            let mut changed =
                ChangedKinds { before: kinds, after, removed: None, asked: input.asked, cases: input.cases };
            input.change_kinds(&mut changed, &mut findings)?;
            let shown = |kind: &str, is_of: &dyn Fn(&str) -> bool| findings.has_path(kind, is_of);
            let ChangedKinds { before, after, .. } = &changed;
            findings.without_object = changes_without_object(before, after, input.release, &shown);
        }
        PreflightStep::Apply(step) => {
            check_definitions(&step.client.definitions, None)?;
            apply_manifests(input, kinds, step, &mut findings)?;
        }
    }
    Ok(findings.into_report(name))
}

impl PreflightInput<'_> {
    /// Reads the definitions of the dumps, and the further ones.
    fn kinds(&self, findings: &mut Findings) -> Result<ServedKinds, String> {
        let mut kinds = ServedKinds::of(self.release);
        self.define(&mut kinds, &self.dumps, findings)?;
        self.define(&mut kinds, &self.definitions, findings)?;
        Ok(kinds)
    }

    /// Adds the definitions in some sources. The texts that cannot be read are noted.
    fn define(
        &self,
        kinds: &mut ServedKinds,
        sources: &[DumpSource],
        findings: &mut Findings,
    ) -> Result<(), String> {
        let mut invalid = Vec::new();
        // The definitions of a cluster are texts.
        for source in sources.iter().filter(|source| !matches!(source, DumpSource::Cluster(..))) {
            source.each_part(&self.redaction, &mut |part| match part {
                DumpPart::Object(object) if object.is_definition() => {
                    invalid.extend(kinds.define(&object).err());
                }
                DumpPart::Object(_) => {}
                DumpPart::Unreadable(message) => findings.unreadable.push(message),
            })?;
        }
        invalid.into_iter().next().map_or(Ok(()), Err)
    }

    /// Judges each object under a change of definitions.
    fn change_kinds(&self, kinds: &mut ChangedKinds, findings: &mut Findings) -> Result<(), String> {
        self.each_object(&mut |object| kinds.judge(&object, findings))
    }

    /// Calls `judge` with each object of the dumps, except for definitions.
    fn each_object(&self, judge: &mut dyn FnMut(DumpedObject)) -> Result<(), String> {
        for source in &self.dumps {
            source.each_part(&self.redaction, &mut |part| match part {
                DumpPart::Object(object) if !object.is_definition() => judge(*object),
                _ => {}
            })?;
        }
        Ok(())
    }

    /// Reads manifests by their identity.
    fn manifests(
        &self,
        source: &DumpSource,
        findings: &mut Findings,
    ) -> Result<BTreeMap<ObjectId, DumpedObject>, String> {
        let mut manifests = BTreeMap::new();
        source.each_part(&self.redaction, &mut |part| match part {
            DumpPart::Object(object) => {
                manifests.insert(object.id.clone(), *object);
            }
            DumpPart::Unreadable(message) => findings.unreadable.push(message),
        })?;
        Ok(manifests)
    }
}

/// Returns the manifest of an object. One that says no namespace is that of any namespace.
fn manifest_of<'m>(
    manifests: &'m BTreeMap<ObjectId, DumpedObject>,
    id: &ObjectId,
) -> Option<&'m DumpedObject> {
    manifests.get(id).or_else(|| manifests.get(&ObjectId { namespace: String::new(), ..id.clone() }))
}

fn apply_manifests(
    input: &PreflightInput<'_>,
    mut kinds: ServedKinds,
    step: &ApplyStep,
    findings: &mut Findings,
) -> Result<(), String> {
    let manifests = input.manifests(&step.manifests, findings)?;
    let previous = match &step.previous {
        Some(source) => input.manifests(source, findings)?,
        None => BTreeMap::new(),
    };
    let mut client = match step.client.release {
        Some(release) => kinds.clone().of_release(release),
        None => kinds.clone(),
    };
    input.define(&mut client, &step.client.definitions, findings)?;
    let client = RefCell::new(client);
    let client = &client;
    let mut is_missing: BTreeMap<&ObjectId, bool> = manifests.keys().map(|id| (id, true)).collect();
    let mut webhooks = 0;
    input.each_object(&mut |object| {
        webhooks += usize::from(WEBHOOKS.contains(&object.id.kind.as_str()));
        let Some(manifest) = manifest_of(&manifests, &object.id) else {
            findings.add_not_concerned();
            return;
        };
        is_missing.insert(&manifest.id, false);
        let previous = manifest_of(&previous, &object.id);
        ManifestStep { step, manifest, previous, input, client }.judge(&mut kinds, Some(&object), findings);
    })?;
    for (id, _) in is_missing.into_iter().filter(|(_, is_missing)| *is_missing) {
        let step = ManifestStep { step, manifest: &manifests[id], previous: None, input, client };
        step.judge(&mut kinds, None, findings);
    }
    for _ in 0..webhooks {
        findings.add_not_judged("admission webhooks and policies in the dump".to_owned());
    }
    Ok(())
}

/// The apply of one manifest.
struct ManifestStep<'a> {
    step: &'a ApplyStep,
    manifest: &'a DumpedObject,
    previous: Option<&'a DumpedObject>,
    input: &'a PreflightInput<'a>,
    /// The kinds as the tool knows them.
    client: &'a RefCell<ServedKinds>,
}

impl ManifestStep<'_> {
    fn judge(&self, kinds: &mut ServedKinds, object: Option<&DumpedObject>, findings: &mut Findings) {
        let tools = &self.step.tools;
        let id = object.map_or(&self.manifest.id, |object| &object.id);
        let stored = object.map_or(&self.manifest.api_version, |object| &object.api_version);
        let version = KindVersion {
            request: self.manifest.api_version.clone(),
            kind: id.kind.clone(),
            stored: stored.clone(),
        };
        let served = match kinds.get(&version) {
            Ok(served) => served,
            Err(reason) => return findings.add_not_judged(reason),
        };
        if tools.tool.needs_previous() && object.is_some() && self.previous.is_none() {
            return findings.add_not_judged(format!(
                "{} creates patches from the manifests before (--previous), which have no {}",
                tools.tool.name, id.kind
            ));
        }
        for part in &served.not_simulated {
            findings.add_not_judged(part.clone());
        }
        // The client reads the namespace from its context.
        let mut manifest = self.manifest.object.clone();
        let metadata = manifest.as_map_mut().and_then(|map| map.get_mut("metadata")?.as_map_mut());
        if let (Some(metadata), false) = (metadata, id.namespace.is_empty()) {
            metadata.insert("namespace".into(), Doc::String(Text::from(id.namespace.clone())));
        }
        let live = object.map(|object| served.completed(&object.object));
        let live = live.as_ref();
        let applied = Applied {
            served: &served,
            live,
            manifest: &manifest,
            previous: self.previous.map(|previous| &previous.object),
        };
        let taken = match self.input.asked {
            None => take(tools, applied),
            Some(AskedServers::Own(servers)) => {
                let twice = StepTwice::take(servers, tools, applied);
                findings.add_confirmation(id, twice.confirmation);
                twice.simulated
            }
            Some(AskedServers::DryRuns(cluster)) => {
                let taken = take(tools, applied);
                let is_redacted =
                    self.manifest.is_redacted || object.is_some_and(|object| object.is_redacted);
                let confirmed = if is_redacted {
                    DryRunConfirmation::not_run("its secret values were replaced while they were read")
                } else {
                    taken.confirm_by_dry_run(cluster, applied)
                };
                findings.add_confirmation(id, confirmed.first);
                confirmed.later.into_iter().for_each(|later| findings.add_not_judged(later));
                taken
            }
        };
        let TakenStep { verdict: mut found, requests, .. } = taken;
        if let Some(object) = object.filter(|_| tools.tool.compares_types) {
            // The tool uses the types of the server for a kind that it does not know.
            let client = self.client.borrow_mut().get(&version);
            let client = client.unwrap_or_else(|_| Arc::clone(&served));
            found.effects.extend(not_comparable(tools.tool.name, &client, &object.object, &manifest));
        }
        if let Some(live) = live.filter(|live| has_broken_entries(live)) {
            found.effects.extend(broken_entries(&served, live));
        }
        if version.request != version.stored {
            let sentence = format!(
                "the manifest has {}, and the object was read in {}: a tool that compares the two documents sees a \
                 difference for ever",
                version.request, version.stored
            );
            found.effects.push(ObjectEffect::new(EffectCause::OtherVersion, String::new(), sentence));
        }
        for effect in found.effects.iter_mut().filter(|effect| findings.needs_repair(&id.kind, effect)) {
            effect.repair = Repaired { tools, applied, id, source: self.manifest }.of(effect);
        }
        if let Some(values) = self.input.cases {
            let start = CourseStart { live: applied.live, previous: applied.previous };
            let effects_of = |shown: &ShownRequest| effects_of_request(tools, &served, &manifest, shown);
            for effect in found.effects.iter_mut().filter(|effect| findings.needs_case(&id.kind, effect)) {
                let shown = ShownRequest::find(&requests, start, effect, &effects_of);
                effect.case = shown.and_then(|shown| case_of(&served, shown, effect, values, &effects_of));
            }
        }
        findings.add(&JudgedObject {
            id,
            end: Some(found.end),
            effects: found.effects,
            before: object.map(|object| &object.object),
            requests: &requests,
        });
    }
}

/// Returns the reason why a tool cannot compare an object with its manifest. Upstream: `structuredMergeDiff`
/// (github.com/argoproj/gitops-engine, pkg/diff): the object comes first.
fn not_comparable(
    tool: &str,
    client: &ServedKind,
    object: &OwnedDoc,
    manifest: &OwnedDoc,
) -> Option<ObjectEffect> {
    let object = without_managed_fields(object.clone());
    let check = |what: &str, value: &OwnedDoc| {
        let error = check_typed_value(client.place(), value).err()?;
        let sentence = format!(
            "{tool} cannot compare the two: error building typed value from {what} resource: {}; its state is Unknown, and \
             nothing is synced automatically",
            error.message()
        );
        Some(ObjectEffect::new(EffectCause::NotComparable, error.path().to_string(), sentence))
    };
    check("live", &object).or_else(|| check("config", manifest))
}

/// Returns the effects of a single request of a tool.
fn effects_of_request(
    tools: &Tools,
    served: &ServedKind,
    manifest: &OwnedDoc,
    shown: &ShownRequest,
) -> Vec<ObjectEffect> {
    let ShownRequest { request, live, previous } = shown;
    let answered = Answered::simulate(request.clone(), served, live.as_ref());
    let object = answered.end.as_ref().ok().or(live.as_ref()).cloned();
    let refusal = answered.end.as_ref().err().cloned();
    // The request can have less than the manifest of the object.
    let manifest = match request.request {
        Request::Update | Request::JsonMergePatch => manifest,
        _ => &request.document,
    };
    let applied = Applied { served, live: live.as_ref(), manifest, previous: previous.as_ref() };
    verdict(tools, applied, &Course { requests: vec![answered], object, refusal }).effects
}

/// Returns what a server does with managed fields that it does not write.
fn broken_entries(served: &ServedKind, live: &OwnedDoc) -> Vec<ObjectEffect> {
    let mut effects = probe(served, live).effects(live);
    for effect in &mut effects {
        if let Some(sentence) = effect.sentences.first_mut() {
            *sentence = format!("broken managed fields: {sentence}");
        }
    }
    effects
}
