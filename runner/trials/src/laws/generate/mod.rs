//! Generation of situations: types with all kinds of patch metadata, objects of these types, and intents.
//!
//! The seed and the number of a situation determine the situation.

mod declarations;
mod intents;
mod objects;

use std::sync::Arc;

use skewer_engine::Text;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Declarations, FieldMeta, Schema, SchemaElement, Shape};
use skewer_skew::Decoding;

use self::objects::ObjectGenerator;
use super::situation::{ClientIntent, PatchSource, Situation, SituationOrigin};
use crate::random_testing::Random;

/// Purpose of the [`Random`] generators, which makes them independent of other generators with the same seed.
const SITUATIONS_PURPOSE: u64 = 1;

/// Generates the situations with the numbers below `count`. Situations with invalid types are dropped.
#[must_use]
pub fn situations(seed: u64, count: u64) -> Vec<Situation> {
    (0..count).filter_map(|number| generate_situation(seed, number, Others::None)).collect()
}

/// Generates as many situations in which another client changes the object between the client's read and its patch.
#[must_use]
pub fn concurrent_situations(seed: u64, count: u64) -> Vec<Situation> {
    (0..count).filter_map(|number| generate_situation(seed, number, Others::Meanwhile)).collect()
}

/// The requests of other clients in a situation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// None.
    None,
    /// Another client changes the object between the client's read and its patch.
    Meanwhile,
}

/// Generates the situation with a number. Returns `None` if its types are invalid.
#[must_use]
pub fn generate_situation(seed: u64, number: u64, others: Others) -> Option<Situation> {
    let mut random = Random::new(seed, SITUATIONS_PURPOSE, number);
    let types = declarations::generate_declarations(&mut random);
    let schema = Schema::compile(&types).ok()?;
    let context = PatchContext::of(Arc::new(schema), "Object").ok()?;
    let missing_in_client = pick_missing_field(&mut random, &types);
    let decoding = if random.chance(150) { Decoding::Unstructured } else { Decoding::Structured };
    let mut generator = ObjectGenerator { random: &mut random, context: &context };
    let live = generator.generate_value(context.root, &FieldMeta::NONE);
    let applies = generator.random.chance(500);
    let last_applied = applies.then(|| generator.partial_copy(&live, context.root, &FieldMeta::NONE));
    let mut intent = intents::generate_intent(&mut generator, last_applied.as_ref().unwrap_or(&live));
    let is_concurrent = others == Others::Meanwhile;
    let meanwhile = is_concurrent.then(|| intents::generate_meanwhile(&mut generator, &live, &mut intent));
    Some(Situation {
        origin: SituationOrigin::Generated { seed, number, is_concurrent },
        types,
        root_type: "Object".to_owned(),
        missing_in_client,
        missing_in_server: Vec::new(),
        decoding,
        patch_source: PatchSource::Intent(ClientIntent {
            live,
            last_applied,
            intent,
            has_ideal: true,
            meanwhile,
        }),
    })
}

/// Picks a field that the client does not know, or none.
fn pick_missing_field(random: &mut Random, types: &Declarations) -> Vec<SchemaElement> {
    if !random.chance(300) {
        return Vec::new();
    }
    let mut fields = Vec::new();
    for declared in &types.types {
        let Shape::Struct(declared_fields) = &declared.shape else { continue };
        // The client always knows merge keys.
        for field in declared_fields.iter().filter(|field| field.name != "name" && field.name != "kind") {
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
    fn generated_types_are_valid_and_situations_are_reproducible() {
        for number in 0..200 {
            let mut random = Random::new(7, SITUATIONS_PURPOSE, number);
            let types = declarations::generate_declarations(&mut random);
            Schema::compile(&types).unwrap_or_else(|errors| panic!("{errors:?}"));
            let debug_text = |situation: Option<Situation>| format!("{situation:?}");
            for others in [Others::None, Others::Meanwhile] {
                let generate = || generate_situation(7, number, others);
                assert_eq!(debug_text(generate()), debug_text(generate()));
                assert!(generate().is_none_or(|it| it.is_concurrent() == (others == Others::Meanwhile)));
            }
        }
    }
}
