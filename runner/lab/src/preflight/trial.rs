//! One object: its history on servers, and three steps.

use std::collections::BTreeMap;
use std::ops::Range;

use clap::Args;
use skewer_engine::schema::builtin::Release;
use skewer_engine::{Doc, OwnedDoc};
use skewer_preflight::confirm::{AskedServers, StepConfirmation, StepDifference};
use skewer_preflight::course::Applied;
use skewer_preflight::dump::DumpSource;
use skewer_preflight::finding::RepairedObjects;
use skewer_preflight::preflight::{PreflightInput, PreflightStep, preflight};
use skewer_preflight::redact::Redaction;
use skewer_preflight::request::StepServers;
use skewer_preflight::taken_step::{StepTwice, TakenStep, take_on_servers};
use skewer_preflight::verdict::Tools;
use skewer_reports::audit::Severity;
use skewer_skew::owners;
use skewer_trials::random_testing::Random;

use super::kinds::{GeneratedKind, definitions};

/// Purpose of the [`Random`] generators.
const PURPOSE: u64 = 0x7072_6566;

/// The tools that create objects.
pub(crate) const TOOLS: [&str; 13] = [
    "kubectl",
    "kubectl-csa",
    "helm3",
    "helm4",
    "helm4-csa",
    "flux",
    "argocd",
    "argocd-ssa",
    "argocd-3.0-ssa",
    "controller-update",
    "controller-replace",
    "controller-patch",
    "controller-apply",
];

/// The other managers: a tool, and the name.
const OTHERS: [(&str, &str); 6] = [
    ("controller-update", "kubectl-edit"),
    ("controller-patch", "ops-hotfix"),
    ("controller-apply", "operator"),
    ("controller-update", "webhook"),
    ("kubectl", "kubectl"),
    ("kubectl-csa", "kubectl-client-side-apply"),
];

/// Maximum number of requests to an object after its creation.
const MAX_CHANGES: usize = 5;

/// The numbers of generated objects. The seed and the number determine an object, its history and what is done with it then.
#[derive(Args, Clone, Copy, Debug)]
pub struct ObjectNumbers {
    /// Number of objects.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub count: u64,
    /// Number of the first object. The seed and the number determine an object, its history and its next manifests.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub first: u64,
    /// Seed of the objects.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
}

impl ObjectNumbers {
    /// Returns the numbers.
    #[must_use]
    pub fn range(self) -> Range<u64> {
        self.first..self.first + self.count
    }
}

/// The trials of a run.
#[derive(Clone, Copy, Debug)]
pub struct TrialPlan {
    /// The release of the servers.
    pub release: &'static Release,
    /// The numbers of the trials.
    pub objects: ObjectNumbers,
}

/// A part of a history, or a step.
#[derive(Clone, Debug)]
struct Apply {
    by: String,
    tools: Tools,
    manifest: OwnedDoc,
    previous: Option<OwnedDoc>,
}

/// An object that servers have after a history, and the steps that come next.
pub struct Trial<'k> {
    kind: &'k GeneratedKind,
    release: &'static Release,
    live: OwnedDoc,
    number: u64,
    steps: Vec<Apply>,
}

/// A step that was taken.
#[derive(Clone, Debug)]
pub struct TrialStep {
    /// The number of the trial, the kind and the tools.
    pub title: String,
    /// The object before.
    pub before: OwnedDoc,
    /// The manifest. Null if the definition changes.
    pub manifest: OwnedDoc,
    /// The step in the simulation. `None` if the definition changes.
    pub simulated: Option<TakenStep>,
    /// The step on the server. `None` if it was not run.
    pub live: Option<TakenStep>,
    /// The comparison.
    pub confirmation: StepConfirmation,
}

/// The generator of the applies of one object.
struct Generator<'k> {
    kind: &'k GeneratedKind,
    random: Random,
    name: String,
    /// The options of the last manifest.
    options: Vec<usize>,
    /// The last manifest of each tool.
    manifests: BTreeMap<String, OwnedDoc>,
}

impl<'k> Trial<'k> {
    /// Generates an object, and lets a server process its history. Returns `None` if the server does not have the object then.
    #[must_use]
    pub fn generate(
        servers: &dyn StepServers,
        kinds: &'k [GeneratedKind],
        plan: TrialPlan,
        number: u64,
    ) -> Option<Trial<'k>> {
        let mut random = Random::new(plan.objects.seed, PURPOSE, number);
        let kind = random.pick(kinds);
        let options = kind.some_options(&mut random);
        let mut generator =
            Generator { kind, random, name: format!("o{number}"), options, manifests: BTreeMap::new() };
        let creator = generator.random.pick_text(&TOOLS);
        let mut live = None;
        let mut changes: Vec<Apply> = generator.next(creator, None).into_iter().collect();
        for _ in 0..generator.random.below(MAX_CHANGES + 1) {
            for apply in changes.drain(..) {
                live = apply.on_servers(servers, kind, live);
            }
            let object = live.as_ref()?;
            let apply = if generator.random.chance(300) {
                generator.vary();
                generator.next(creator, None)
            } else {
                generator.other(object)
            };
            changes.extend(apply);
        }
        for apply in changes {
            live = apply.on_servers(servers, kind, live);
        }
        let live = live?;
        let mut steps = Vec::new();
        generator.vary();
        steps.extend(generator.next(creator, None));
        let next = generator.random.pick_text(&TOOLS);
        steps.extend(generator.next(next, Some(creator)));
        steps.extend(if generator.random.chance(500) {
            let third = generator.random.pick_text(&TOOLS);
            generator.vary();
            generator.next(third, None)
        } else {
            generator.other(&live)
        });
        Some(Trial { kind, release: plan.release, live, number, steps })
    }

    /// Returns the number of managers of the object.
    #[must_use]
    pub fn managers(&self) -> usize {
        owners(&self.live).len()
    }

    /// Returns the kind of the object.
    #[must_use]
    pub fn kind_name(&self) -> &str {
        &self.kind.name
    }

    /// Takes the steps, each with the same object.
    #[must_use]
    pub fn steps(&self, servers: &dyn StepServers) -> Vec<TrialStep> {
        let step = |apply: &Apply| {
            let applied = apply.applied(self.kind, Some(&self.live));
            let StepTwice { simulated, live, confirmation } = StepTwice::take(servers, &apply.tools, applied);
            TrialStep {
                title: format!("{} {} {}", self.number, self.kind.name, apply.by),
                before: self.live.clone(),
                manifest: apply.manifest.clone(),
                simulated: Some(simulated),
                live,
                confirmation,
            }
        };
        let mut steps: Vec<TrialStep> = self.steps.iter().map(step).collect();
        if let Some(change) = self.kind.change_of_definition() {
            // There are three steps.
            steps.pop();
            steps.push(self.change_definition(servers, &change));
        }
        steps
    }

    /// Changes the definition of the object.
    fn change_definition(&self, servers: &dyn StepServers, change: &PreflightStep) -> TrialStep {
        let confirmation = self.confirm_change(servers, change).unwrap_or_else(StepConfirmation::NotRun);
        TrialStep {
            title: format!("{} {} the definition changes", self.number, self.kind.name),
            before: self.live.clone(),
            manifest: Doc::Null,
            simulated: None,
            live: None,
            confirmation,
        }
    }

    fn confirm_change(
        &self,
        servers: &dyn StepServers,
        change: &PreflightStep,
    ) -> Result<StepConfirmation, String> {
        let input = PreflightInput {
            dumps: vec![DumpSource::Text("dump".to_owned(), self.live.to_string())],
            definitions: vec![definitions()],
            release: self.release,
            redaction: Redaction::new(&[]),
            asked: Some(AskedServers::Own(servers)),
            repaired: RepairedObjects::First,
            cases: None,
        };
        let report = preflight(&input, change, String::new())?;
        let confirmation = report.confirmation.ok_or("nothing was confirmed")?;
        Ok(if let Some(how) = confirmation.different.into_iter().next() {
            let is_safe = report.findings.iter().all(|finding| finding.severity == Severity::Note);
            StepConfirmation::Different(StepDifference { how, is_false_safe: is_safe })
        } else if confirmation.same > 0 {
            StepConfirmation::Same
        } else if let Some(why) = confirmation.not_run.into_iter().next() {
            StepConfirmation::NotRun(why)
        } else {
            StepConfirmation::NotRun("the change does not concern the object".to_owned())
        })
    }
}

impl Apply {
    fn applied<'a>(&'a self, kind: &'a GeneratedKind, live: Option<&'a OwnedDoc>) -> Applied<'a> {
        Applied { served: &kind.served, live, manifest: &self.manifest, previous: self.previous.as_ref() }
    }

    /// Returns the object after the apply, which is the one before if a server refuses it.
    fn on_servers(
        &self,
        servers: &dyn StepServers,
        kind: &GeneratedKind,
        live: Option<OwnedDoc>,
    ) -> Option<OwnedDoc> {
        match take_on_servers(servers, &self.tools, self.applied(kind, live.as_ref())) {
            Ok(taken) => taken.object,
            Err(_) => live,
        }
    }
}

impl Generator<'_> {
    /// Changes the options of the next manifest.
    fn vary(&mut self) {
        self.options = self.kind.vary(std::mem::take(&mut self.options), &mut self.random);
    }

    /// Returns the apply of the next manifest by a tool. `before` is the tool that applied before, if tools change.
    fn next(&mut self, tool: &str, before: Option<&str>) -> Option<Apply> {
        let by = before.map_or_else(|| tool.to_owned(), |before| format!("{before}..{tool}"));
        let manifest = self.kind.manifest(&self.name, &self.options).ok()?;
        let previous = self.manifests.get(before.unwrap_or(tool)).or_else(|| self.manifests.values().next());
        let previous = previous.cloned();
        if before.is_none() {
            self.manifests.insert(tool.to_owned(), manifest.clone());
        }
        Some(Apply { tools: Tools::parse(&by, None, &[]).ok()?, by, manifest, previous })
    }

    /// Returns a change by somebody else.
    fn other(&mut self, live: &OwnedDoc) -> Option<Apply> {
        let (tool, manager) = *self.random.pick(&OTHERS);
        let option = self.random.below(self.kind.options.len());
        let manifest = if tool == "controller-apply" || tool == "kubectl" {
            self.kind.fragment(&self.name, option)
        } else {
            self.kind.changed(live, &self.name, option).ok()?
        };
        let tools = Tools::parse(tool, Some(manager), &[]).ok()?;
        Some(Apply { tools, by: format!("{tool} as {manager}"), manifest, previous: None })
    }
}
