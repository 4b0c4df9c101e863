//! Random types with all kinds of topology for server-side apply.

use std::borrow::Cow;

use skewer_engine::schema::{ListType, MapType, ScalarType};

use super::resource::plain_field;
use crate::differential::types::{TrialField, TrialStruct, TrialTopology, TrialType};
use crate::random_testing::Random;

/// Names of the fields that can be keys of lists.
const KEY_NAMES: [&str; 3] = ["name", "port", "protocol"];

/// Names of other fields.
const FIELD_NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "spec", "status", "f.g"];

/// Generates structs. The first one is the type of the object.
pub(crate) fn random_structs(random: &mut Random) -> Vec<TrialStruct> {
    let count = 2 + random.below(3);
    let mut structs: Vec<TrialStruct> = (0..count).map(|index| random_struct(random, index, count)).collect();
    let metadata = plain_field("metadata", TrialType::ObjectMeta);
    structs[0].fields.push(metadata);
    if random.chance(500) {
        add_spec_and_status(random, &mut structs);
    }
    structs
}

/// Makes the fields `spec` and `status` of the object structs, as those of most kinds are.
fn add_spec_and_status(random: &mut Random, structs: &mut [TrialStruct]) {
    for name in ["spec", "status"] {
        structs[0].fields.retain(|field| field.name != name);
        let index = 1 + random.below(structs.len() - 1);
        structs[0].fields.push(plain_field(name, TrialType::Struct(index)));
    }
}

fn random_struct(random: &mut Random, index: usize, count: usize) -> TrialStruct {
    let mut fields = Vec::new();
    if index > 0 {
        for (name, chance) in KEY_NAMES.into_iter().zip([950, 600, 350]) {
            if random.chance(chance) {
                fields.push(key_field(random, name));
            }
        }
    }
    let mut names = FIELD_NAMES;
    random.shuffle(&mut names);
    for name in &names[..2 + random.below(4)] {
        fields.push(random_field(random, name, index, count));
    }
    TrialStruct { fields, topology: random_struct_topology(random, index) }
}

fn random_struct_topology(random: &mut Random, index: usize) -> TrialTopology {
    TrialTopology {
        map_type: match random.below(100) {
            0..=9 if index > 0 => Some(MapType::Atomic),
            10..=14 => Some(MapType::Granular),
            _ => None,
        },
        keeps_unknown_fields: random.chance(60),
        ..TrialTopology::NONE
    }
}

/// Creates a field that can be a key. Some have a default.
fn key_field(random: &mut Random, name: &'static str) -> TrialField {
    let (scalar, default) = match name {
        "port" => (ScalarType::Integer, "1"),
        "protocol" => (ScalarType::String, "\"a\""),
        _ if random.chance(30) => (ScalarType::Boolean, "true"),
        _ if random.chance(30) => (ScalarType::Number, "1"),
        _ if random.chance(30) => (ScalarType::IntOrString, "1"),
        _ => (ScalarType::String, "\"a\""),
    };
    let has_default = random.chance(if name == "protocol" { 600 } else { 60 });
    let topology =
        TrialTopology { default: has_default.then_some(Cow::Borrowed(default)), ..TrialTopology::NONE };
    TrialField { topology, ..plain_field(name, TrialType::Scalar(scalar)) }
}

fn random_field(random: &mut Random, name: &'static str, index: usize, count: usize) -> TrialField {
    let ty = random_type(random, index, count);
    let mut field = plain_field(name, ty);
    choose_topology(random, &mut field);
    field
}

fn random_type(random: &mut Random, index: usize, count: usize) -> TrialType {
    let has_next = index + 1 < count;
    let nested = |random: &mut Random| TrialType::Struct(index + 1 + random.below(count - index - 1));
    let list = |item: TrialType| TrialType::List(Box::new(item));
    let map = |value: TrialType| TrialType::Map(Box::new(value));
    match random.below(100) {
        0..=17 if has_next => nested(random),
        18..=44 if has_next => list(nested(random)),
        45..=59 => list(random_scalar(random)),
        60..=70 => map(random_scalar(random)),
        71..=74 if has_next => map(nested(random)),
        75..=76 => map(list(TrialType::STRING)),
        77..=79 => {
            let item = random_scalar(random);
            map(named(random, list(item)))
        }
        80..=81 => list(list(random_scalar(random))),
        82..=83 => list(named(random, list(TrialType::STRING))),
        84..=85 => list(map(TrialType::STRING)),
        86..=87 => map(named(random, map(TrialType::STRING))),
        88..=90 => TrialType::Any,
        _ => random_scalar(random),
    }
}

/// Gives a list or map type a name with a topology of its own.
fn named(random: &mut Random, ty: TrialType) -> TrialType {
    let topology = match &ty {
        TrialType::List(_) => TrialTopology {
            list_type: Some(*random.pick(&[ListType::Set, ListType::Atomic])),
            ..TrialTopology::NONE
        },
        _ => TrialTopology {
            map_type: Some(*random.pick(&[MapType::Atomic, MapType::Granular])),
            ..TrialTopology::NONE
        },
    };
    TrialType::Named(Box::new(ty), topology)
}

fn random_scalar(random: &mut Random) -> TrialType {
    let scalars = [
        (45, ScalarType::String),
        (22, ScalarType::Integer),
        (12, ScalarType::Number),
        (7, ScalarType::Boolean),
        (9, ScalarType::IntOrString),
        (5, ScalarType::Time),
    ];
    TrialType::Scalar(*random.pick_weighted(&scalars))
}

/// Chooses the topology of a field at random. Called again, it changes the topology of the same field.
pub(crate) fn choose_topology(random: &mut Random, field: &mut TrialField) {
    field.topology = TrialTopology { default: field.topology.default.take(), ..TrialTopology::NONE };
    (field.strategy, field.merge_key) = ("", "");
    match &field.ty {
        TrialType::List(item) if matches!(**item, TrialType::Struct(_)) => choose_keys(random, field),
        TrialType::List(item) => {
            let is_scalar = !matches!(**item, TrialType::List(_) | TrialType::Map(_) | TrialType::Named(..));
            match random.below(100) {
                0..=49 if is_scalar => field.topology.list_type = Some(ListType::Set),
                50..=64 if is_scalar => field.strategy = "merge",
                65..=79 => field.topology.list_type = Some(ListType::Atomic),
                _ => {}
            }
        }
        TrialType::Map(_) | TrialType::Struct(_) => {
            field.topology.map_type = match random.below(100) {
                0..=14 => Some(MapType::Atomic),
                15..=24 => Some(MapType::Granular),
                _ => None,
            };
        }
        _ => {}
    }
}

/// Chooses the topology of a list of structs.
fn choose_keys(random: &mut Random, field: &mut TrialField) {
    let keys: &[&'static str] = match random.below(10) {
        0..=4 => &["name"],
        5..=6 => &["name", "port"],
        7 => &["port", "protocol"],
        8 => &["port"],
        _ => &["name", "port", "protocol"],
    };
    match random.below(100) {
        0..=64 => {
            field.topology.list_type = Some(ListType::Map);
            field.topology.list_map_keys = keys.to_vec();
        }
        65..=79 => (field.strategy, field.merge_key) = ("merge", *random.pick(&["name", "name", "port"])),
        80..=89 => field.topology.list_type = Some(ListType::Atomic),
        _ => {}
    }
}
