//! The rules of one version of a definition, each with an object on which it holds and one that it refuses.

use std::sync::Arc;

use skewer_admission::structural::{AdditionalProperties, StructuralSchema};
use skewer_admission::{Admission, AdmissionOptions};
use skewer_engine::{Doc, Error, FieldPath, OwnedDoc};

use super::broken::{RuleToBreak, Unbroken};
use super::objects::{Objects, instances, with_value};
use super::satisfying::store;
use crate::effect::value_at;
use crate::explore::{Obstacle, find_object};
use crate::input::revision;
use crate::revision::{Revision, Revisions, Side};
use crate::sample::{Sampler, element};
use crate::schema_path::{SchemaPath, SchemaStep};

/// A rule of a definition, with what was found about it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RuleWitnesses {
    /// The element with the rule.
    pub path: SchemaPath,
    /// The index of the rule.
    pub index: usize,
    /// The expression.
    pub rule: String,
    /// An object that has the element, and that the server accepts.
    pub satisfied: Decision<OwnedDoc>,
    /// Objects that only this rule refuses.
    pub broken: Decision<Objects>,
    /// The place of the value that the rule refuses, in the objects that it refuses.
    pub refused: FieldPath,
    /// The message with which the server refuses them, if the rule has one of its own.
    pub message: Option<String>,
}

impl RuleWitnesses {
    /// Returns the first value with the rule in the object on which the rule holds.
    #[must_use]
    pub fn satisfied_value(&self) -> Option<&OwnedDoc> {
        let Decision::Found(object) = &self.satisfied else { return None };
        value_at(object, instances(object, self.path.steps()).first()?)
    }

    /// Returns the value that the rule refuses, and the one that it replaces if the rule compares them.
    #[must_use]
    pub fn broken_values(&self) -> Option<(&OwnedDoc, Option<&OwnedDoc>)> {
        let Decision::Found(Objects { new, old }) = &self.broken else { return None };
        let old = old.as_ref().and_then(|old| value_at(old, &self.refused));
        Some((value_at(new, &self.refused)?, old))
    }
}

/// Whether there is an object of a kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision<T> {
    /// There is: this one.
    Found(T),
    /// There is none, for this reason.
    None(String),
    /// None was found. The reason says what stood against it.
    Undecided(Vec<Obstacle>),
}

/// Looks for witnesses of the rules of a version.
///
/// # Errors
///
/// Returns the errors of the types, which the reader of the definition did not find.
pub fn witnesses(document: &OwnedDoc, version: &str) -> Result<Vec<RuleWitnesses>, Vec<Error>> {
    let whole = revision(document, version)?;
    let mut places = Vec::new();
    collect(whole.schema(), &SchemaPath::default(), &mut places);
    let rules = places.into_iter().filter_map(|(path, index)| of_rule(&whole, path, index));
    if is_served(document, version) {
        return Ok(rules.collect());
    }
    let none = || "no request has a version that is not served".to_owned();
    let unserved =
        |rule| RuleWitnesses { satisfied: Decision::None(none()), broken: Decision::None(none()), ..rule };
    Ok(rules.map(unserved).collect())
}

fn is_served(document: &OwnedDoc, version: &str) -> bool {
    let versions = member(document, "spec").and_then(|spec| member(spec, "versions"));
    let is_unserved = |known: &OwnedDoc| {
        member(known, "name").and_then(Doc::as_str) == Some(version)
            && member(known, "served") == Some(&Doc::Bool(false))
    };
    !versions.and_then(Doc::as_list).unwrap_or_default().iter().any(is_unserved)
}

fn member<'d>(document: &'d OwnedDoc, key: &str) -> Option<&'d OwnedDoc> {
    document.as_map()?.get(key)
}

fn of_rule(whole: &Revision, path: SchemaPath, index: usize) -> Option<RuleWitnesses> {
    let admission = whole.admission.as_deref()?;
    let source = element(&admission.version.schema, path.steps())?.rules.get(index)?;
    let has_message = source.message.is_some() || source.message_expression.is_some();
    let rule = source.rule.trim().to_owned();
    let without = without_rule(admission, &path, index)?;
    let revisions = Revisions {
        old: Revision { admission: Some(Arc::new(without)), ..whole.clone() },
        new: whole.clone(),
    };
    let wanted = [(path.clone(), None)];
    let satisfied = find_object(&revisions, Side::New, &wanted, &[]);
    let start = match &satisfied {
        Ok(object) => Some(object.clone()),
        Err(_) => find_object(&revisions, Side::Old, &wanted, &[]).ok(),
    };
    let broken = RuleToBreak {
        accepting: revisions.old.admission.as_deref()?,
        refusing: admission,
        path: &path,
        rule: &rule,
    };
    if broken.compiled().is_none() {
        let undecided = || vec![Obstacle::NotSimulated];
        let (satisfied, broken) = (Decision::Undecided(undecided()), Decision::Undecided(undecided()));
        let refused = FieldPath::root();
        return Some(RuleWitnesses { path, index, rule, satisfied, broken, refused, message: None });
    }
    let satisfied = match satisfied {
        Ok(object) => Decision::Found(object),
        Err(obstacles) => broken.proof(false).map_or(Decision::Undecided(obstacles), Decision::None),
    };
    let found = broken.broken(start.as_slice());
    let refused = found.as_ref().ok().and_then(|found| broken.place(found)).unwrap_or_default();
    let message = found.as_ref().ok().filter(|_| has_message).and_then(|found| {
        let errors = store(admission, found.old.as_ref(), &found.new).err()?;
        errors.first().map(|error| error.message().to_owned())
    });
    let broken = match found {
        Ok(objects) => Decision::Found(objects),
        Err(why) => broken.proof(true).map_or_else(|| Decision::Undecided(in_the_way(why)), Decision::None),
    };
    Some(RuleWitnesses { path, index, rule, satisfied, broken, refused, message })
}

/// Returns what refuses the objects that a rule refuses, too.
fn in_the_way(why: Unbroken) -> Vec<Obstacle> {
    match why {
        Unbroken::RefusedWithoutIt(obstacles) => obstacles,
        _ => Vec::new(),
    }
}

/// Looks for an object that contradicts the proof that nothing breaks a rule, among random ones.
#[must_use]
pub fn counterexample(
    document: &OwnedDoc,
    version: &str,
    rule: &RuleWitnesses,
    count: u64,
) -> Option<OwnedDoc> {
    let whole = revision(document, version).ok()?;
    let admission = whole.admission.as_deref()?;
    let without = without_rule(admission, &rule.path, rule.index)?;
    let Decision::Found(start) = &rule.satisfied else { return None };
    let at = instances(start, rule.path.steps()).into_iter().next()?;
    let schema = element(&without.version.schema, rule.path.steps())?;
    let wanted: Vec<SchemaPath> = schema
        .properties
        .keys()
        .map(|name| [SchemaStep::Field(name.clone())].into_iter().collect())
        .chain([SchemaPath::default()])
        .collect();
    let object = |seed| {
        let mut sampler = Sampler::random(seed);
        let mut some = wanted.clone();
        some.retain(|_| sampler.choose(2) == 0);
        let value = sampler.sample(schema, &some)?;
        with_value(&without.version.schema, start, &at, value)
    };
    // A rule about changes needs a stored object.
    let is_change = rule.rule.contains("oldSelf");
    let stored = |seed: u64| is_change.then(|| object(seed.wrapping_add(count))).flatten();
    let is_refused = |(old, new): &(Option<OwnedDoc>, OwnedDoc)| {
        old.as_ref().is_none_or(|old| store(&without, None, old).is_ok())
            && store(&without, old.as_ref(), new).is_ok()
            && store(admission, old.as_ref(), new).is_err()
    };
    let mut pairs = (1..=count).filter_map(|seed| Some((stored(seed), object(seed)?)));
    pairs.find(is_refused).map(|(_, new)| new)
}

fn without_rule(admission: &Admission, path: &SchemaPath, index: usize) -> Option<Admission> {
    let mut version = admission.version.clone();
    let schema = path.steps().iter().try_fold(&mut version.schema, |schema, step| match step {
        SchemaStep::Field(name) => schema.properties.get_mut(name),
        SchemaStep::Items => schema.items.as_deref_mut(),
        SchemaStep::Values => match &mut schema.additional_properties {
            Some(AdditionalProperties::Schema(values)) => Some(&mut **values),
            _ => None,
        },
    });
    schema?.rules.remove(index);
    Some(Admission::with_options(version, AdmissionOptions::NEWEST))
}

/// Collects the places of all rules, with their index.
fn collect(schema: &StructuralSchema, path: &SchemaPath, places: &mut Vec<(SchemaPath, usize)>) {
    places.extend((0..schema.rules.len()).map(|index| (path.clone(), index)));
    for (name, field) in &schema.properties {
        collect(field, &path.child(SchemaStep::Field(name.clone())), places);
    }
    if let Some(items) = &schema.items {
        collect(items, &path.child(SchemaStep::Items), places);
    }
    if let Some(AdditionalProperties::Schema(values)) = &schema.additional_properties {
        collect(values, &path.child(SchemaStep::Values), places);
    }
}
