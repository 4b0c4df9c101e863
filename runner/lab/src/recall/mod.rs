//! The recall of `skewer audit`: known changes are made at random places of real definitions, and the audit must find each,
//! or say that it did not judge it.

mod kind;
mod render;

use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde::Serialize;
use skewer_audit::effect::value_at_mut;
use skewer_audit::explore::ExploreOptions;
use skewer_audit::input::DefinitionFile;
use skewer_audit::run::audit_definitions;
use skewer_engine::{Doc, FieldPath, OwnedDoc, OwnedMap, PathSegment};
use skewer_reports::audit::{Audit, Severity};
use skewer_trials::random_testing::Random;

pub use kind::KnownChangeKind;

/// The purpose of the random numbers, which keeps them apart from those of other commands.
const RANDOM_PURPOSE: u64 = 0x7265_6361;

/// How often another place is drawn for a change that no server would accept.
const MAX_DRAWS: usize = 200;

/// The answer of the audit to a known change.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "answer")]
#[non_exhaustive]
pub enum AuditAnswer {
    /// There is a finding.
    Found {
        /// The most severe one.
        severity: Severity,
    },
    /// The change is named as one that was not judged.
    Named {
        /// Why.
        reason: String,
    },
    /// There is neither a finding nor a word.
    Missed,
}

/// A change of a definition, and what the audit says of it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct KnownChange {
    /// The file of the definition.
    pub file: String,
    /// The place of the changed schema in the definition.
    pub place: String,
    /// The name of the kind of change.
    pub kind: &'static str,
    /// The description of the change.
    pub change: String,
    /// The answer of the audit.
    pub answer: AuditAnswer,
    /// The time that the audit took, in milliseconds.
    pub milliseconds: u128,
}

/// The answers to all changes.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Recall {
    /// The changes, in the order in which they were drawn.
    pub changes: Vec<KnownChange>,
}

impl Recall {
    /// Makes changes to definitions, and audits each. The same seed makes the same changes. Each of the kinds gets the same
    /// number of changes. A change that no place allows is left out.
    #[must_use]
    pub fn measure(
        files: &[DefinitionFile],
        kinds: &[KnownChangeKind],
        count: u64,
        seed: u64,
        done: impl Fn() + Sync,
    ) -> Self {
        let run = |index: u64| {
            let mut random = Random::new(seed, RANDOM_PURPOSE, index);
            // Kinds take turns.
            #[allow(clippy::cast_possible_truncation)]
            let kind = kinds[index as usize % kinds.len()];
            let drawn = draw(files, kind, &mut random);
            let change = drawn.map(Drawn::audited);
            done();
            change
        };
        Recall { changes: (0..count).into_par_iter().filter_map(run).collect() }
    }

    /// Returns true if the audit missed a change.
    #[must_use]
    pub fn has_missed(&self) -> bool {
        self.changes.iter().any(|change| change.answer == AuditAnswer::Missed)
    }
}

/// A changed definition.
struct Drawn<'f> {
    old: &'f DefinitionFile,
    new: DefinitionFile,
    kind: KnownChangeKind,
    place: String,
    change: String,
}

impl Drawn<'_> {
    fn audited(self) -> KnownChange {
        let start = Instant::now();
        let answer = match audit_definitions(self.old, &self.new, ExploreOptions::default()) {
            Ok(audits) => answer(&audits),
            Err(errors) => AuditAnswer::Named { reason: errors.to_string() },
        };
        let time: Duration = start.elapsed();
        KnownChange {
            file: self.old.file.name().to_owned(),
            place: self.place,
            kind: self.kind.name,
            change: self.change,
            answer,
            milliseconds: time.as_millis(),
        }
    }
}

fn answer(audits: &[Audit]) -> AuditAnswer {
    let findings = || audits.iter().flat_map(|audit| &audit.findings);
    let found = findings().filter(|finding| finding.severity != Severity::NotJudged);
    if let Some(finding) = found.min_by_key(|finding| finding.severity.rank()) {
        return AuditAnswer::Found { severity: finding.severity };
    }
    match findings().next() {
        Some(not_judged) => AuditAnswer::Named { reason: not_judged.effects.join("; ") },
        None => AuditAnswer::Missed,
    }
}

/// Changes a random element of a random definition, so that a server accepts the update of the definition.
fn draw<'f>(files: &'f [DefinitionFile], kind: KnownChangeKind, random: &mut Random) -> Option<Drawn<'f>> {
    (0..MAX_DRAWS).find_map(|_| {
        let old = random.pick(files);
        let mut document = old.document.clone();
        let mut elements = Vec::new();
        collect(&document, !kind.is_about_owners, &mut elements);
        random.shuffle(&mut elements);
        let (element, change) = elements.into_iter().find_map(|element| {
            let changed = (kind.change)(map_at(&mut document, &element)?, random)?;
            Some((element, changed))
        })?;
        let new = DefinitionFile::read(old.file.name(), document.to_string().as_bytes()).ok()?;
        let is_accepted = new.definition.check_update(&old.definition).is_empty();
        let mut place = FieldPath::root();
        for segment in element {
            place.push(segment);
        }
        let place = place.to_string();
        is_accepted.then_some(Drawn { old, new, kind, place, change })
    })
}

/// Collects the paths of the versions, and of the schemas below the fields of the object. `in_atomic` says whether those
/// inside of atomic lists and maps are among them.
fn collect(document: &OwnedDoc, in_atomic: bool, found: &mut Vec<Vec<PathSegment>>) {
    let key = |name: &str| PathSegment::Key(name.to_owned().into());
    let versions = document.as_map().and_then(|map| map.get("spec")?.as_map()?.get("versions")?.as_list());
    for (index, version) in versions.unwrap_or_default().iter().enumerate() {
        let mut path = vec![key("spec"), key("versions"), PathSegment::Index(index)];
        found.push(path.clone());
        let fields = version.as_map().and_then(|map| {
            map.get("schema")?.as_map()?.get("openAPIV3Schema")?.as_map()?.get("properties")?.as_map()
        });
        for (name, schema) in fields.iter().flat_map(|fields| fields.iter()) {
            // A server has its own schema for these.
            if !["apiVersion", "kind", "metadata"].contains(&&**name) {
                let depth = path.len();
                path.extend(["schema", "openAPIV3Schema", "properties", name].map(key));
                collect_schemas(schema, in_atomic, &mut path, found);
                path.truncate(depth);
            }
        }
    }
}

fn collect_schemas(
    schema: &OwnedDoc,
    in_atomic: bool,
    path: &mut Vec<PathSegment>,
    found: &mut Vec<Vec<PathSegment>>,
) {
    let Some(map) = schema.as_map() else { return };
    // The fields of a resource in a field are known to the server.
    if map.contains_key("x-kubernetes-embedded-resource") {
        return;
    }
    found.push(path.clone());
    if kind::is_atomic(map) && !in_atomic {
        return;
    }
    let mut inner = |steps: &[&str], schema: &OwnedDoc| {
        let depth = path.len();
        path.extend(steps.iter().map(|step| PathSegment::Key((*step).to_owned().into())));
        collect_schemas(schema, in_atomic, path, found);
        path.truncate(depth);
    };
    let fields = map.get("properties").and_then(Doc::as_map);
    let fields = fields.iter().flat_map(|fields| fields.iter());
    fields.for_each(|(name, schema)| inner(&["properties", name], schema));
    for keyword in ["items", "additionalProperties"] {
        if let Some(schema) = map.get(keyword) {
            inner(&[keyword], schema);
        }
    }
}

fn map_at<'d>(document: &'d mut OwnedDoc, path: &[PathSegment]) -> Option<&'d mut OwnedMap> {
    let found = value_at_mut(document, path);
    found?.as_map_mut()
}
