//! Generated situations: types with all kinds of patch metadata, objects of them, and what somebody wants.
//!
//! A situation follows from the seed and its number alone, so that it is found again whatever the count.

mod intents;
mod types;
mod values;

use std::sync::Arc;

use skewer_engine::Text;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Declarations, FieldMeta, Schema, SchemaElement, Shape};
use skewer_engine::skew::Decoding;

use self::values::Values;
use super::situation::{Content, Origin, Situation};
use crate::random::Random;

/// What sets the numbers of situations apart from others of the same seed.
const SITUATIONS: u64 = 1;

/// The situations with the numbers from 0 to `count`, less those that make no sense.
#[must_use]
pub fn situations(seed: u64, count: u64) -> Vec<Situation> {
    (0..count).filter_map(|number| situation(seed, number)).collect()
}

/// The situation with this number; `None` where what came out is no intent.
#[must_use]
pub fn situation(seed: u64, number: u64) -> Option<Situation> {
    let mut random = Random::new(seed, SITUATIONS, number);
    let types = types::types(&mut random);
    let schema = Schema::compile(&types).ok()?;
    let context = PatchContext::of(Arc::new(schema), "Object").ok()?;
    let client_lacks = lacks(&mut random, &types);
    let decoding = if random.often(150) { Decoding::Unstructured } else { Decoding::Structured };
    let mut values = Values { random: &mut random, context: &context };
    let stored = values.of(context.root, &FieldMeta::NONE);
    let applies = values.random.often(500);
    let last_applied = applies.then(|| values.part_of(&stored, context.root, &FieldMeta::NONE));
    let intent = intents::intent(&mut values, last_applied.as_ref().unwrap_or(&stored));
    Some(Situation {
        origin: Origin::Generated { seed, number },
        types,
        root: "Object".to_owned(),
        client_lacks,
        server_lacks: Vec::new(),
        decoding,
        content: Content::Intent { stored, last_applied, intent, has_ideal: true },
    })
}

/// A field that the client does not know, in some situations.
fn lacks(random: &mut Random, types: &Declarations) -> Vec<SchemaElement> {
    if !random.often(300) {
        return Vec::new();
    }
    let mut fields = Vec::new();
    for declared in &types.types {
        let Shape::Struct(held) = &declared.shape else { continue };
        // Without its merge keys an item is nothing.
        for field in held.iter().filter(|field| field.name != "name" && field.name != "kind") {
            fields.push(SchemaElement::Field {
                type_name: Text::from(&declared.name),
                field: Text::from(&field.name),
            });
        }
    }
    if fields.is_empty() { Vec::new() } else { vec![random.pick(&fields).clone()] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_compile_and_situations_are_the_same_again() {
        for number in 0..200 {
            let mut random = Random::new(7, SITUATIONS, number);
            let types = types::types(&mut random);
            Schema::compile(&types).unwrap_or_else(|errors| panic!("{errors:?}"));
            let text = |situation: Option<Situation>| format!("{situation:?}");
            assert_eq!(text(situation(7, number)), text(situation(7, number)));
        }
    }
}
