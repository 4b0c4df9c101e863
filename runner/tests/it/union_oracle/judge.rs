//! The interpreter of the decision table: it reads discriminators and members from plain JSON, and predicts what a
//! server does that follows the KEP.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};

use super::observed::{Actual, Discriminator, Member, Observation, Site, Step};
use super::table::{At, Facts, Phase, Table, Then};

/// The prediction for one cell.
#[derive(Debug)]
pub(super) struct Prediction {
    /// The object that is stored, if it is not refused.
    stored: Json,
    refusals: Vec<Refusal>,
    /// The indices of the rows that decided.
    pub(super) rows: BTreeSet<usize>,
    /// Phases with facts for which no row decides, or several rows of which only one may.
    undecided: Vec<String>,
}

/// A reason for which an object is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Refusal {
    kind: String,
    path: String,
    /// The value or the members that are in conflict.
    involved: BTreeSet<String>,
}

impl Prediction {
    /// Returns how what happened differs from the prediction. Returns `None` if it does not.
    pub(super) fn difference(&self, observation: &Observation) -> Option<String> {
        let agrees = self.undecided.is_empty()
            && match &observation.actual {
                Actual::Stored(object) => {
                    self.refusals.is_empty() && observation.is_stored_object(&self.stored, object)
                }
                Actual::Refused(kind, path) => {
                    // Several rules can be broken, and the document does not say which is reported.
                    self.refusals.iter().any(|refusal| refusal.kind == *kind && refusal.path == *path)
                        || (self.refusals.is_empty() && observation.is_refused_elsewhere())
                }
            };
        (!agrees).then(|| format!("{}: {:?}\npredicted {self:?}", observation.cell, observation.actual))
    }
}

impl Prediction {
    /// Returns true if both predict the same normalized object, and the same reasons for a refusal.
    pub(super) fn agrees_with(&self, other: &Prediction) -> bool {
        (&self.stored, &self.refusals) == (&other.stored, &other.refusals)
    }

    /// Returns true if both predict a refusal, and have a reason for it in common.
    pub(super) fn shares_a_reason_with(&self, other: &Prediction) -> bool {
        self.refusals.iter().any(|refusal| other.refusals.contains(refusal))
    }
}

/// Predicts the final state of a cell from what the server read and from what it was about to store.
pub(super) fn predict(table: &Table, observation: &Observation) -> Prediction {
    let mut prediction = Prediction {
        stored: observation.new.clone(),
        refusals: Vec::new(),
        rows: BTreeSet::new(),
        undecided: Vec::new(),
    };
    for site in &observation.sites {
        // Normalization of an outer union can have cleared the member with this one.
        let Some(object) = at_path(&mut prediction.stored, &site.path) else { continue };
        let mut object = std::mem::take(object);
        let mut judge = Judge { table, site, is_create: observation.is_create, prediction: &mut prediction };
        judge.normalize(&mut object);
        let refusals = judge.refusals_of(&object, judge.discriminator_fact(&object));
        let stored = judge.stored_refusals();
        for refusal in refusals {
            if !judge.is_tolerated(observation.policy, &refusal, stored.as_deref()) {
                judge.prediction.refusals.push(refusal);
            }
        }
        if let Some(place) = at_path(&mut prediction.stored, &site.path) {
            *place = object;
        }
    }
    prediction
}

fn at_path<'j>(object: &'j mut Json, path: &[Step]) -> Option<&'j mut Map<String, Json>> {
    let mut value = object;
    for step in path {
        value = match step {
            Step::Key(key) => value.get_mut(key)?,
            Step::Index(index) => value.get_mut(index)?,
        };
    }
    value.as_object_mut()
}

struct Judge<'a> {
    table: &'a Table,
    site: &'a Site,
    is_create: bool,
    prediction: &'a mut Prediction,
}

impl<'a> Judge<'a> {
    fn normalize(&mut self, object: &mut Map<String, Json>) {
        let facts = self.facts(object, self.discriminator_fact(object));
        let then = self.decide_once(Phase::Normalize, &facts);
        let keep = match then {
            Some(Then::ClearOthers) => self.named(object).map(|member| member.field.as_str()),
            Some(Then::ClearAll) => None,
            _ => return,
        };
        for member in &self.site.members {
            if Some(member.field.as_str()) != keep {
                object.remove(&member.field);
            }
        }
    }

    /// Returns the refusals of an object.
    fn refusals_of(&mut self, object: &Map<String, Json>, discriminator: &'static str) -> Vec<Refusal> {
        let facts = self.facts(object, discriminator);
        let rows = self.table.applying(Phase::Validate, &facts);
        if rows.is_empty() {
            self.prediction.undecided.push(format!("validate {facts:?}"));
        }
        self.prediction.rows.extend(&rows);
        let mut refusals = Vec::new();
        for row in rows {
            if let Then::RefuseWith(kind, at) = &self.table.rows[row].then {
                refusals.extend(self.refusals_at(kind, *at, object));
            }
        }
        refusals
    }

    fn refusals_at(&self, kind: &str, at: At, object: &Map<String, Json>) -> Vec<Refusal> {
        let refusal = |field: Option<&str>, involved: Vec<&str>| Refusal {
            kind: kind.to_owned(),
            path: path_text(&self.site.path, field),
            involved: involved.into_iter().map(str::to_owned).collect(),
        };
        let value = self.value(object);
        let set = self.set(object);
        let named = self.named(object).map(|member| member.field.as_str());
        match at {
            At::Struct => vec![refusal(None, set)],
            At::Discriminator => {
                let field =
                    self.site.discriminator.as_ref().map(|discriminator| discriminator.field.as_str());
                vec![refusal(field, vec![value])]
            }
            At::Named => vec![refusal(named, vec![value])],
            At::Others => {
                let others = set.into_iter().filter(|field| Some(*field) != named);
                others.map(|field| refusal(Some(field), vec![value])).collect()
            }
        }
    }

    /// Returns the refusals that the stored object would meet if it were written unchanged. Returns `None` if there is
    /// no stored object.
    fn stored_refusals(&mut self) -> Option<Vec<Refusal>> {
        let old = self.site.old.as_ref().filter(|_| !self.is_create)?;
        let rows = self.prediction.rows.clone();
        let refusals = self.refusals_of(old, "unmodified");
        // The rows are of use only if they decide on what is written.
        self.prediction.rows = rows;
        Some(refusals)
    }

    fn is_tolerated(&mut self, policy: &'static str, refusal: &Refusal, stored: Option<&[Refusal]>) -> bool {
        let is_same = |before: &Refusal| {
            (&before.kind, &before.path) == (&refusal.kind, &refusal.path)
                && refusal.involved.is_subset(&before.involved)
        };
        let stored = match stored {
            None => "absent",
            Some([]) => "valid",
            Some(before) if before.iter().any(is_same) => "same-reason",
            Some(_) => "other-reason",
        };
        let facts = Facts::from([("policy", policy), ("stored", stored)]);
        self.decide_once(Phase::Stored, &facts) == Some(&Then::Tolerate)
    }

    /// Returns the decision of the only row that applies.
    fn decide_once(&mut self, phase: Phase, facts: &Facts) -> Option<&'a Then> {
        let table = self.table;
        let [row] = table.applying(phase, facts)[..] else {
            self.prediction.undecided.push(format!("{phase:?} {facts:?}"));
            return None;
        };
        self.prediction.rows.insert(row);
        Some(&table.rows[row].then)
    }

    fn facts(&self, object: &Map<String, Json>, discriminator: &'static str) -> Facts {
        let yes_no = |condition| if condition { "yes" } else { "no" };
        let named = self.named(object);
        let set = self.set(object);
        let others = set.iter().filter(|field| named.is_none_or(|named| named.field != **field)).count();
        let mut facts = Facts::from([
            ("write", if self.is_create { "create" } else { "update" }),
            ("client", if self.site.client_knows_stored { "knows" } else { "lacks" }),
            ("sent", if self.site.has_unknown_member { "unknown" } else { "known" }),
            ("set", count(set.len())),
            ("others", count(others)),
        ]);
        if let Some(declared) = &self.site.discriminator {
            let value = self.value(object);
            facts.extend([
                ("union", "discriminated"),
                ("discriminator", discriminator),
                ("names", names(declared, named, value)),
                ("value-exists", yes_no(self.site.known_values.iter().any(|known| known == value))),
            ]);
            if let Some(named) = named {
                facts.insert("named", if set.contains(&named.field.as_str()) { "set" } else { "empty" });
                facts.insert("optional", yes_no(named.is_optional));
            }
        } else {
            facts.extend([("union", "plain"), ("needed", yes_no(self.site.is_needed))]);
        }
        facts
    }

    fn discriminator_fact(&self, object: &Map<String, Json>) -> &'static str {
        let before = self.site.old.as_ref().map_or(self.default_value(), |old| self.value(old));
        if self.value(object) == before { "unmodified" } else { "modified" }
    }

    fn default_value(&self) -> &'a str {
        self.site.discriminator.as_ref().map_or("", |discriminator| &discriminator.default)
    }

    /// Returns the value of the discriminator. A missing one has its default, and so has an empty one, as Go does not
    /// tell them apart, unless the empty value is a valid one.
    fn value<'j>(&self, object: &'j Map<String, Json>) -> &'j str
    where
        'a: 'j,
    {
        let Some(declared) = &self.site.discriminator else { return "" };
        let is_valid = || declared.values.as_ref().is_some_and(|values| values.iter().any(String::is_empty));
        match object.get(&declared.field).and_then(Json::as_str) {
            Some(value) if !value.is_empty() || is_valid() => value,
            _ => self.default_value(),
        }
    }

    /// Returns the member that the discriminator names, if its value is valid.
    fn named(&self, object: &Map<String, Json>) -> Option<&'a Member> {
        let value = self.value(object);
        let declared = self.site.discriminator.as_ref()?;
        let is_valid =
            declared.values.as_ref().is_none_or(|values| values.iter().any(|known| known == value));
        self.site.members.iter().find(|member| is_valid && member.value == value)
    }

    /// Returns the fields of the members that are set.
    fn set(&self, object: &Map<String, Json>) -> Vec<&'a str> {
        let is_plain = self.site.discriminator.is_none();
        let is_set = |member: &&Member| match object.get(&member.field) {
            None | Some(Json::Null) => false,
            Some(value) => !(is_plain && member.zero_is_unset && is_zero(value)),
        };
        self.site.members.iter().filter(is_set).map(|member| member.field.as_str()).collect()
    }
}

fn names(declared: &Discriminator, named: Option<&Member>, value: &str) -> &'static str {
    let is_listed = declared.values.as_ref().is_none_or(|values| values.iter().any(|known| known == value));
    match (named, is_listed, value.is_empty()) {
        (Some(_), ..) => "member",
        (None, true, true) => "none",
        (None, true, false) => "no-member",
        (None, false, true) => "missing",
        (None, false, false) => "unknown",
    }
}

fn count(number: usize) -> &'static str {
    match number {
        0 => "none",
        1 => "one",
        _ => "several",
    }
}

fn is_zero(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::Bool(value) => !value,
        Json::Number(number) => number.as_f64() == Some(0.0),
        Json::String(text) => text.is_empty(),
        Json::Array(items) => items.is_empty(),
        Json::Object(map) => map.is_empty(),
    }
}

fn path_text(path: &[Step], field: Option<&str>) -> String {
    let mut text = String::new();
    let field = field.map(|field| Step::Key(field.to_owned()));
    for step in path.iter().chain(field.as_ref()) {
        match step {
            Step::Key(key) if text.is_empty() => text.push_str(key),
            Step::Key(key) => text.extend([".", key]),
            Step::Index(index) => text.extend(["[", &index.to_string(), "]"]),
        }
    }
    if text.is_empty() { ".".to_owned() } else { text }
}
