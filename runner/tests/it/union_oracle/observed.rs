//! The cells of the corpus as plain JSON: what the server had read, what it was about to store, and what it did.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};
use skewer_cases::{Cell, Corpus, Plan};
use skewer_engine::document::{from_json, to_json};
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::union::{Cardinality, DeclarationForm, Union};
use skewer_engine::schema::{Field, ListType, PatchStrategy, Schema, StructType, Type, TypeId};
use skewer_engine::{ErrorKind, OwnedDoc};
use skewer_skew::{Decoder, FinalState, Request, Scenario, StepName, UnknownFieldHandling};

/// A cell whose server follows the KEP.
pub(super) struct Observation {
    pub(super) cell: String,
    pub(super) policy: &'static str,
    pub(super) is_create: bool,
    /// The written object as the server decodes it, before its unions are normalized.
    pub(super) new: Json,
    /// All unions of the object, outer structs first.
    pub(super) sites: Vec<Site>,
    pub(super) actual: Actual,
    /// The types of an up-to-date party.
    types: PatchContext,
}

/// The answer of the server.
#[derive(Debug, PartialEq)]
pub(super) enum Actual {
    Stored(Json),
    /// The id of the error kind, and the path of the field.
    Refused(String, String),
}

/// A union of one struct of an object.
pub(super) struct Site {
    /// The keys and indices that lead to the struct.
    pub(super) path: Vec<Step>,
    pub(super) discriminator: Option<Discriminator>,
    pub(super) members: Vec<Member>,
    /// Whether a union without a discriminator must have a member.
    pub(super) is_needed: bool,
    pub(super) old: Option<Map<String, Json>>,
    /// Members and values of the union that a party knows which is up to date.
    pub(super) known_values: Vec<String>,
    /// Whether the client knows all members that are stored.
    pub(super) client_knows_stored: bool,
    /// Whether the request has a member that the server does not know.
    pub(super) has_unknown_member: bool,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

/// The names that the declaration of a discriminator has.
pub(super) struct Discriminator {
    pub(super) field: String,
    /// The valid values; `None` if all are valid.
    pub(super) values: Option<Vec<String>>,
    pub(super) default: String,
}

/// The names that the declaration of a member has.
pub(super) struct Member {
    pub(super) field: String,
    pub(super) value: String,
    pub(super) is_optional: bool,
    /// Whether its Go type cannot tell the zero value from a missing one. The declaration says so only for tags of
    /// declarative validation.
    pub(super) zero_is_unset: bool,
}

/// The observations of a corpus.
#[derive(Default)]
pub(super) struct Observations {
    pub(super) all: Vec<Observation>,
    /// The cells whose request was refused before the server looked at unions: their number for each case.
    pub(super) too_early: BTreeMap<String, usize>,
}

impl Observations {
    /// Observes all cells of a corpus whose server follows the KEP.
    pub(super) fn of(corpus: &Corpus) -> Self {
        let mut observations = Observations::default();
        for cell in corpus.cells() {
            let Ok(Plan::Skew(plan)) = cell.plan() else { continue };
            // Other policies with rules of the KEP have more than the decision table says.
            if ["kep-1027", "kep-1027-ratcheting"].contains(&plan.server.policy.name()) {
                if let Some(observation) = Observation::of(&cell, &plan) {
                    observations.all.push(observation);
                } else {
                    let case = format!("{}/{}", cell.case.suite, cell.case.id);
                    *observations.too_early.entry(case).or_default() += 1;
                }
            }
        }
        observations
    }
}

impl Observation {
    /// Returns the observation of a cell whose server follows the KEP. Returns `None` if the request did not get as far
    /// as the unions.
    fn of(cell: &Cell<'_>, plan: &Scenario) -> Option<Self> {
        let policy = plan.server.policy.name();
        let (mut read, mut merged) = (None, None);
        let mut record = |step: StepName, document: &OwnedDoc| match step {
            // The server compares the merged object with the stored one, which others can have changed since the read.
            StepName::Read | StepName::Meanwhile => read = Some(document.clone()),
            // The unions are those after the mutating webhook.
            StepName::Merged | StepName::Mutated => merged = Some(document.clone()),
            _ => {}
        };
        let state = skewer_skew::run_built_in(plan, &mut record).ok()?;
        let (read, merged) = (read?, merged?);
        let decoding =
            if plan.server.strict { UnknownFieldHandling::Refuse } else { UnknownFieldHandling::Drop };
        let new = json(&skewer_skew::convert(&plan.server.context, &merged, Decoder::Json, decoding).ok()?);
        let actual = match state {
            FinalState::Stored(document) => Actual::Stored(json(&document)),
            // The structural validation of a custom resource refuses the value of a member.
            FinalState::Refused(error) if error.kind() == ErrorKind::InvalidValue => return None,
            FinalState::Refused(error) => {
                Actual::Refused(error.kind().id().to_owned(), error.path().to_string())
            }
        };
        // An apply also creates an object that does not exist.
        let is_create = plan.request == Request::Create || read.is_null();
        let old = (!is_create).then(|| json(&read));
        let mut walk = Walk { plan, path: Vec::new(), sites: Vec::new() };
        walk.visit(plan.server.context.root, None, (old.as_ref(), &new, &json(&merged)));
        let types = plan.full_context.clone();
        Some(Observation { cell: cell.id(), policy, is_create, new, sites: walk.sites, actual, types })
    }

    /// Returns true if a document is the stored object. With or without the zero values of Go types, it is the same
    /// object, and final states are compared without them.
    pub(super) fn is_stored_object(&self, document: &Json, stored: &Json) -> bool {
        let document = from_json(document.to_string().as_bytes()).unwrap();
        json(&skewer_skew::without_unset_fields(&self.types, document)) == *stored
    }

    /// Returns true if the server refused the object for a reason that is none of its unions.
    pub(super) fn is_refused_elsewhere(&self) -> bool {
        let kind = match &self.actual {
            Actual::Refused(kind, _) => ErrorKind::from_id(kind),
            Actual::Stored(_) => None,
        };
        matches!(kind, Some(ErrorKind::UnknownEnumValue | ErrorKind::RequiredFieldMissing))
    }
}

fn json(document: &OwnedDoc) -> Json {
    serde_json::from_slice(&to_json(document)).unwrap()
}

/// The search for the unions of an object.
struct Walk<'p> {
    plan: &'p Scenario,
    path: Vec<Step>,
    sites: Vec<Site>,
}

/// A value as stored, as decoded by the server, and as in the request.
type Versions<'j> = (Option<&'j Json>, &'j Json, &'j Json);

impl Walk<'_> {
    fn visit(&mut self, ty: TypeId, field: Option<&Field>, (old, new, sent): Versions<'_>) {
        let schema = self.plan.server.context.schema.clone();
        match (schema.get(ty), new) {
            (Type::Struct(s), Json::Object(map)) => {
                // The KEP has no modal unions, in which several members can be set.
                for union in s.unions().iter().filter(|union| union.form != DeclarationForm::Modal) {
                    let site = self.site(s, union, old, sent);
                    self.sites.push(site);
                }
                for (key, value) in map {
                    if let Some(field) = s.field(key) {
                        let old = old.and_then(|old| old.get(key));
                        self.step(Step::Key(key.clone()), field.ty, Some(field), (old, value, &sent[key]));
                    }
                }
            }
            (Type::Map(ty), Json::Object(map)) => {
                for (key, value) in map {
                    let old = old.and_then(|old| old.get(key));
                    self.step(Step::Key(key.clone()), *ty, None, (old, value, &sent[key]));
                }
            }
            (Type::List(ty), Json::Array(items)) => {
                let keys = field.map(keys_of).unwrap_or_default();
                for (index, item) in items.iter().enumerate() {
                    let old = stored_item(old, index, item, &keys);
                    self.step(Step::Index(index), *ty, None, (old, item, &sent[index]));
                }
            }
            _ => {}
        }
    }

    fn step(&mut self, step: Step, ty: TypeId, field: Option<&Field>, versions: Versions<'_>) {
        self.path.push(step);
        self.visit(ty, field, versions);
        self.path.pop();
    }

    fn site(&self, s: &StructType, union: &Union, old: Option<&Json>, sent: &Json) -> Site {
        let is_set = |object: &Json, field: &str| object.get(field).is_some_and(|value| !value.is_null());
        let member_fields = |schema: &Schema| -> Vec<String> {
            let ty = schema.named(&s.name).and_then(|ty| schema.as_struct(ty));
            let members = ty.into_iter().flat_map(StructType::unions).flat_map(|union| &union.members);
            members.map(|member| member.field.to_string()).collect()
        };
        let everything = &self.plan.full_context.schema;
        let all_fields = member_fields(everything);
        let client_fields = member_fields(&self.plan.client.context.schema);
        let server_fields = member_fields(&self.plan.server.context.schema);
        let full = everything.named(&s.name).map(|ty| everything.unions(ty)).unwrap_or_default();
        let known_values = full.iter().filter_map(|union| union.discriminator.as_ref()?.values.as_ref());
        Site {
            path: self.path.clone(),
            discriminator: union.discriminator.as_ref().map(|discriminator| Discriminator {
                field: discriminator.field.to_string(),
                values: discriminator
                    .values
                    .as_ref()
                    .map(|values| values.iter().map(ToString::to_string).collect()),
                default: discriminator.default.as_deref().unwrap_or_default().to_owned(),
            }),
            members: union
                .members
                .iter()
                .map(|member| Member {
                    field: member.field.to_string(),
                    value: member.value.to_string(),
                    is_optional: member.optional,
                    zero_is_unset: member.zero_is_unset,
                })
                .collect(),
            is_needed: union.discriminator.is_none() && union.cardinality() == Cardinality::ExactlyOne,
            old: old.and_then(Json::as_object).cloned(),
            known_values: known_values.flatten().map(ToString::to_string).collect(),
            client_knows_stored: old.is_none_or(|old| {
                all_fields
                    .iter()
                    .filter(|field| is_set(old, field))
                    .all(|field| client_fields.contains(field))
            }),
            has_unknown_member: all_fields
                .iter()
                .any(|field| is_set(sent, field) && !server_fields.contains(field)),
        }
    }
}

/// Returns the keys that pair the items of a list with the stored ones.
fn keys_of(field: &Field) -> Vec<String> {
    let meta = &field.meta;
    let keys = match (meta.list_type, meta.strategy) {
        (Some(ListType::Map), _) if !meta.list_map_keys.is_empty() => &meta.list_map_keys[..],
        (_, PatchStrategy::Merge) => &meta.merge_key[..],
        _ => &[],
    };
    keys.iter().map(ToString::to_string).collect()
}

fn stored_item<'j>(old: Option<&'j Json>, index: usize, item: &Json, keys: &[String]) -> Option<&'j Json> {
    let old = old?.as_array()?;
    if keys.is_empty() {
        return old.get(index);
    }
    old.iter().find(|stored| keys.iter().all(|key| stored.get(key) == item.get(key)))
}
