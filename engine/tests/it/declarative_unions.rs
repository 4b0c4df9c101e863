//! A comparison of the policy `declarative` with `k8s.io/apimachinery/pkg/api/validate`, on generated unions and
//! updates.
//!
//! Needs the Go adapter. `SKEWER_UNION_CASES` sets the number of cases.

use std::collections::HashMap;

use serde_json::{Value as Json, json};
use skewer_engine::document::{from_json, to_json};
use skewer_engine::schema::union::{Cardinality, Member, Union};
use skewer_engine::union::policy::{self, WriteKind};
use skewer_engine::{Doc, ErrorKind, Map, OwnedDoc, OwnedMap, OwnedText, Text};

use crate::go_adapter::{self, Adapter};

const DEFAULT_CASES: usize = 20_000;

/// A random number generator (`SplitMix64`) with a fixed seed, so that every run has the same cases.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(n).unwrap()).unwrap()
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

const FIELDS: [&str; 6] = ["a", "b", "c", "data", "e f", "x.y"];
const VALUES: [&str; 7] = ["A", "B", "C", "Data", "", "a", "Größe \"1\""];

struct UnionCase {
    union: Union,
    kind: &'static str,
    path: &'static str,
    old: Option<OwnedMap>,
    new: OwnedMap,
}

fn case(random: &mut Random) -> UnionCase {
    let fields = &FIELDS[..random.below(FIELDS.len() + 1)];
    let kind = random.pick(&["discriminated", "discriminated", "exactly-one", "zero-or-one"]);
    let union = match kind {
        "exactly-one" => Union::legacy(fields.iter().copied(), Cardinality::ExactlyOne),
        "zero-or-one" => Union::legacy(fields.iter().copied(), Cardinality::AtMostOne),
        // Two members can have the same value. Upstream accepts that.
        _ => {
            let members = fields.iter().map(|field| Member::new(field, random.pick(&VALUES))).collect();
            Union::discriminated("type", VALUES, members)
        }
    };
    let new = object(random);
    let old = match random.below(5) {
        0 => None,
        1 => Some(new.clone()),
        2 => Some(changed(new.clone(), random)),
        _ => Some(object(random)),
    };
    UnionCase { union, kind, path: random.pick(&["", "spec", "spec.strategy"]), old, new }
}

fn object(random: &mut Random) -> OwnedMap {
    let mut object = Map::new();
    let density = 1 + random.below(4);
    for field in FIELDS {
        if random.one_in(density) {
            object.insert(Text::from(field), value(random));
        }
    }
    if !random.one_in(4) {
        object.insert(Text::from("type"), discriminator(random));
    }
    if random.one_in(4) {
        object.insert(Text::from("other"), value(random));
    }
    object
}

/// Returns the object with one field changed, added or removed.
fn changed(mut object: OwnedMap, random: &mut Random) -> OwnedMap {
    let field = random.pick(&["a", "b", "c", "type", "other"]);
    if random.one_in(2) {
        object.remove(field);
    } else {
        let value = if field == "type" { discriminator(random) } else { value(random) };
        object.insert(Text::from(field), value);
    }
    object
}

fn discriminator(random: &mut Random) -> OwnedDoc {
    if random.one_in(8) { value(random) } else { Doc::from(random.pick(&VALUES)) }
}

fn value(random: &mut Random) -> OwnedDoc {
    match random.below(8) {
        0 => Doc::Null,
        1 => Doc::Map(Map::new()),
        2 => Doc::List(Vec::new()),
        3 => Doc::from(""),
        4 => Doc::Bool(random.one_in(2)),
        5 => Doc::Float(0.5),
        _ => Doc::Int(i64::try_from(random.below(2)).unwrap()),
    }
}

/// Returns the violations that the engine reports, in order: the kind and the field path of each.
fn engine_violations(case: &UnionCase) -> Vec<(ErrorKind, String)> {
    let write = if case.old.is_some() { WriteKind::Update } else { WriteKind::Create };
    let declarative = policy::by_name("declarative").unwrap();
    let violations = declarative.validate(write, case.old.as_ref(), &case.new, &case.union);
    let field_path = |field: Option<OwnedText>| match (case.path, field) {
        (path, None) => path.to_owned(),
        ("", Some(field)) => field.to_string(),
        (path, Some(field)) => format!("{path}.{field}"),
    };
    violations.into_iter().map(|violation| (violation.kind, field_path(violation.field))).collect()
}

fn request(case: &UnionCase) -> Json {
    let document = |map: &Map| serde_json::from_slice::<Json>(&to_json(&Doc::Map(map.clone()))).unwrap();
    let members: Vec<Json> = case
        .union
        .members
        .iter()
        .map(|m| json!({"field": m.field.as_str(), "value": m.value.as_str()}))
        .collect();
    let mut union = json!({"kind": case.kind, "path": case.path, "members": members});
    if case.union.discriminator.is_some() {
        union["discriminator"] = json!("type");
    }
    let mut documents = json!({"new": document(&case.new)});
    if let Some(old) = &case.old {
        documents["old"] = document(old);
    }
    json!({"operation": "validate-union", "union": union, "documents": documents})
}

/// Returns the violations that upstream reports. The beginning of upstream's message determines the kind of a
/// violation.
fn upstream_violations(reply: &Json) -> Vec<(ErrorKind, String)> {
    assert_eq!(reply["kind"], "result", "{reply}");
    let errors = reply["result"].as_array().unwrap();
    let kinds = [
        ("must specify one of:", ErrorKind::UnionNoMember),
        ("must specify exactly one of:", ErrorKind::UnionSeveralMembers),
        ("must specify at most one of:", ErrorKind::UnionSeveralMembers),
        ("may only be specified when", ErrorKind::UnionUnselectedMemberSet),
        ("must be specified when", ErrorKind::UnionSelectedMemberEmpty),
    ];
    errors
        .iter()
        .map(|error| {
            let message = error["message"].as_str().unwrap();
            let kind = kinds.iter().find(|(beginning, _)| message.starts_with(beginning));
            let kind = kind.unwrap_or_else(|| panic!("unexpected upstream message {message:?}")).1;
            assert_eq!(error["type"], "FieldValueInvalid");
            (kind, error["field"].as_str().unwrap().to_owned())
        })
        .collect()
}

/// The result of the comparison so far.
#[derive(Default)]
struct Tally {
    compared: usize,
    accepted: usize,
    by_kind: HashMap<ErrorKind, usize>,
    different: Vec<String>,
}

impl Tally {
    fn compare(&mut self, case: &UnionCase, reply: &Json) {
        let (engine, upstream) = (engine_violations(case), upstream_violations(reply));
        self.compared += 1;
        self.accepted += usize::from(upstream.is_empty());
        for (kind, _) in &upstream {
            *self.by_kind.entry(*kind).or_default() += 1;
        }
        if engine != upstream {
            let old = case.old.clone().map(Doc::Map);
            self.different.push(format!(
                "{:?}\nold {old:?}\nnew {}\nengine {engine:?}\nupstream {upstream:?}",
                case.union,
                Doc::Map(case.new.clone())
            ));
        }
    }
}

#[test]
#[expect(
    clippy::print_stderr,
    reason = "the test prints whether it was skipped, or how many cases it compared"
)]
fn declarative_policy_agrees_with_upstream() {
    let Some(program) = go_adapter::program("declarative_unions") else { return };
    let cases = std::env::var("SKEWER_UNION_CASES").map_or(DEFAULT_CASES, |n| n.parse().unwrap());
    let mut adapter = Adapter::start(&program, "validate-union");
    let mut random = Random(1027);
    let mut tally = Tally::default();
    let cases: Vec<UnionCase> = (0..cases).map(|_| case(&mut random)).collect();
    let replies = adapter.run(cases.iter().map(request).collect());
    for (case, reply) in cases.iter().zip(&replies) {
        tally.compare(case, reply);
    }
    adapter.stop();
    let mut kinds: Vec<(&str, usize)> = tally.by_kind.iter().map(|(kind, n)| (kind.id(), *n)).collect();
    kinds.sort_unstable();
    eprintln!(
        "{} unions compared, {} accepted, {} different; errors: {kinds:?}",
        tally.compared,
        tally.accepted,
        tally.different.len()
    );
    assert!(
        tally.different.is_empty(),
        "{} of {}:\n{}",
        tally.different.len(),
        tally.compared,
        tally.different[0]
    );
    assert_eq!(kinds.len(), 4, "the cases do not cover all kinds of violations");
}

#[test]
fn generated_documents_are_read_back_unchanged() {
    let mut random = Random(3);
    for _ in 0..1000 {
        let document = Doc::Map(object(&mut random));
        assert_eq!(from_json(&to_json(&document)).unwrap(), document);
    }
}
