//! Generation of random types: structs with all kinds of fields that patches treat differently.

use skewer_engine::patch::PatchContext;
use skewer_engine::schema::ScalarType;

use crate::differential::types::{TrialField, TrialStruct, TrialTopology, TrialType, TrialTypes};
use crate::random_testing::Random;

/// Names of fields. Merge keys come first, because the first names are used by most structs.
const FIELD_NAMES: [&str; 10] = ["name", "port", "a", "b", "c", "d", "e", "f", "spec", "metadata"];

/// Generates types. Fails if the engine cannot read them, which is a bug.
pub(super) fn random_types(random: &mut Random) -> Result<TrialTypes, String> {
    let count = 2 + random.below(3);
    let structs = (0..count).map(|index| random_struct(random, index, count)).collect();
    let types = TrialTypes::from_structs(structs)?;
    // Types of custom resources are rare, because every strategic merge patch of a custom resource is refused.
    let custom_resource = random.chance(4);
    Ok(TrialTypes { context: PatchContext { custom_resource, ..types.context }, ..types })
}

fn random_struct(random: &mut Random, index: usize, count: usize) -> TrialStruct {
    let mut names = FIELD_NAMES;
    // The structs of list items begin with merge keys. The root can begin with any field.
    let key_count = if index == 0 { 0 } else { 1 + random.below(2) };
    random.shuffle(&mut names[key_count..]);
    let field_count = 3 + random.below(4);
    let mut fields: Vec<TrialField> =
        names[..field_count].iter().map(|name| random_field(random, name, index, count)).collect();
    for field in &mut fields[..key_count] {
        // Merge keys are rarely not scalars.
        if random.chance(970) {
            *field = TrialField { ty: random_scalar(random), strategy: "", merge_key: "", ..field.clone() };
        }
    }
    TrialStruct { fields, topology: TrialTopology::NONE }
}

#[derive(Clone, Copy)]
enum FieldShape {
    Scalar,
    Struct,
    ListOfStructs,
    ListOfScalars,
    ListOfLists,
    ListOfMaps,
    Map,
    Any,
}

fn random_field(random: &mut Random, name: &'static str, index: usize, count: usize) -> TrialField {
    let has_next_struct = index + 1 < count;
    let shapes = [
        (25, FieldShape::Scalar),
        (if has_next_struct { 20 } else { 0 }, FieldShape::Struct),
        (if has_next_struct { 25 } else { 0 }, FieldShape::ListOfStructs),
        (15, FieldShape::ListOfScalars),
        (2, FieldShape::ListOfLists),
        (2, FieldShape::ListOfMaps),
        (8, FieldShape::Map),
        (3, FieldShape::Any),
    ];
    let shape = *random.pick_weighted(&shapes);
    let nested = |random: &mut Random| TrialType::Struct(index + 1 + random.below(count - index - 1));
    let list = |item: TrialType| TrialType::List(Box::new(item));
    let ty = match shape {
        FieldShape::Scalar => random_scalar(random),
        FieldShape::Struct => nested(random),
        FieldShape::ListOfStructs => list(nested(random)),
        FieldShape::ListOfScalars => list(random_scalar(random)),
        FieldShape::ListOfLists => list(list(random_scalar(random))),
        FieldShape::ListOfMaps => list(TrialType::Map(Box::new(TrialType::STRING))),
        FieldShape::Map if has_next_struct && random.chance(400) => TrialType::Map(Box::new(nested(random))),
        FieldShape::Map if random.chance(200) => TrialType::Map(Box::new(list(TrialType::STRING))),
        FieldShape::Map => TrialType::Map(Box::new(random_scalar(random))),
        FieldShape::Any => TrialType::Any,
    };
    let (strategy, merge_key) = random_metadata(random, shape);
    TrialField { name, ty, strategy, merge_key, leads_to_merge: false, topology: TrialTopology::NONE }
}

fn random_metadata(random: &mut Random, shape: FieldShape) -> (&'static str, &'static str) {
    // Only the proposal splits "name,port" into two keys. For released directives, the text is one field name.
    let key = *random.pick_weighted(&[(80, "name"), (15, "port"), (4, "zone"), (1, "name,port")]);
    match shape {
        FieldShape::Scalar | FieldShape::Any => ("", ""),
        FieldShape::Struct | FieldShape::Map => {
            (*random.pick_weighted(&[(55, ""), (30, "retainKeys"), (12, "replace"), (3, "merge")]), "")
        }
        FieldShape::ListOfScalars | FieldShape::ListOfLists => {
            let strategy =
                *random.pick_weighted(&[(60, "merge"), (30, ""), (7, "replace"), (3, "retainKeys")]);
            // A merge key has no meaning for a list of scalars, unless the scalars are taken for maps.
            (strategy, if random.chance(40) { key } else { "" })
        }
        FieldShape::ListOfStructs | FieldShape::ListOfMaps => {
            let strategies =
                [(60, "merge"), (17, "merge,retainKeys"), (3, "retainKeys,merge"), (14, ""), (6, "replace")];
            let strategy = *random.pick_weighted(&strategies);
            let keyless_chance = if strategy.contains("merge") { 50 } else { 500 };
            (strategy, if random.chance(keyless_chance) { "" } else { key })
        }
    }
}

fn random_scalar(random: &mut Random) -> TrialType {
    let scalars = [
        (60, ScalarType::String),
        (20, ScalarType::Integer),
        (5, ScalarType::Number),
        (5, ScalarType::Boolean),
        (10, ScalarType::IntOrString),
    ];
    TrialType::Scalar(*random.pick_weighted(&scalars))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_types_are_valid() {
        for number in 0..500 {
            let types = random_types(&mut Random::new(1, 2, number));
            assert!(types.is_ok(), "{types:?}");
        }
    }
}
