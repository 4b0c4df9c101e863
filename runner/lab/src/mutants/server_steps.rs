//! Mutants of the steps of a scenario: conversion, normalization, validation, strictness and decoding.
//!
//! The engine sets no default values, so that there is no such step to leave out.

use skewer_engine::patch::{PatchContext, SpareCapacity};
use skewer_engine::schema::Schema;
use skewer_execute::execute::prepared::{Parties, PartyChange};
use skewer_skew::Decoding;

use super::facts::{Facts, ServerFacts};
use super::schemas::EditedSchemas;
use super::wrapped_policy::{Rule, without_rule};
use super::{Family, Mutant, Mutation};

/// Changes the parties. The context is that of a party that is up to date.
type StepChange = dyn Fn(&mut Parties, &PatchContext) + Send + Sync;

struct Step {
    change: Box<StepChange>,
    affects: fn(&ServerFacts) -> bool,
}

impl PartyChange for Step {
    fn change_context(&self, _context: &mut PatchContext) {}

    fn change_parties(&self, parties: &mut Parties, full_context: &PatchContext) {
        (self.change)(parties, full_context);
    }
}

impl Mutation for Step {
    fn affects(&self, facts: &Facts) -> bool {
        facts.server.as_ref().is_some_and(self.affects)
    }
}

/// Returns the mutants of all steps.
pub(super) fn mutants() -> Vec<Mutant> {
    let decode_as =
        |decoding| move |parties: &mut Parties, _: &PatchContext| parties.client.decoding = decoding;
    let set_strict = |strict| move |parties: &mut Parties, _: &PatchContext| parties.server.strict = strict;
    let without = |rule| {
        move |parties: &mut Parties, _: &PatchContext| {
            parties.server.policy = without_rule(parties.server.policy, rule);
        }
    };
    vec![
        mutant(
            "server/pruning-off",
            "the server keeps fields that its types do not have",
            keep_all_fields,
            |_| true,
        ),
        mutant(
            "server/omission-off",
            "the server keeps empty values that its types omit",
            edit_stored_types(Schema::without_omission),
            |_| true,
        ),
        mutant("server/normalization-off", "no policy normalizes", without(Rule::Normalization), |server| {
            server.has_unions
        }),
        mutant("server/validation-off", "no policy validates", without(Rule::Validation), |server| {
            server.has_unions
        }),
        mutant(
            "server/enum-check-off",
            "the server accepts every value of an enum that is no discriminator",
            edit_stored_types(Schema::with_open_enums),
            |_| true,
        ),
        mutant("server/strict-as-lax", "a strict server drops unknown fields", set_strict(false), |server| {
            server.strict
        }),
        mutant("server/lax-as-strict", "a lax server refuses unknown fields", set_strict(true), |server| {
            !server.strict
        }),
        mutant(
            "server/lists-as-decoded",
            "the lists that the server merges have the spare capacity of decoded lists",
            |parties, _| parties.merging.spare_capacity = SpareCapacity::AsDecoded,
            |_| true,
        ),
        mutant(
            "client/structured-as-unstructured",
            "a client with structs keeps unknown fields",
            decode_as(Decoding::Unstructured),
            |server| server.decoding == Decoding::Structured,
        ),
        mutant(
            "client/unstructured-as-structured",
            "a client with raw maps drops unknown fields",
            decode_as(Decoding::Structured),
            |server| server.decoding == Decoding::Unstructured,
        ),
    ]
}

fn mutant(
    name: &str,
    about: &str,
    change: impl Fn(&mut Parties, &PatchContext) + Send + Sync + 'static,
    affects: fn(&ServerFacts) -> bool,
) -> Mutant {
    Mutant::new(name.to_owned(), about.to_owned(), Family::Step, Step { change: Box::new(change), affects })
}

/// The server converts objects to the types of a server that is up to date. It still merges patches with its own types.
fn keep_all_fields(parties: &mut Parties, full_context: &PatchContext) {
    let directives = parties.server.context.directives.clone();
    parties.server.context = PatchContext { directives, ..full_context.clone() };
}

/// The server converts and validates objects with edited types. It still merges patches with its own types.
fn edit_stored_types(edit: fn(&Schema) -> Schema) -> impl Fn(&mut Parties, &PatchContext) + Send + Sync {
    let edited = EditedSchemas::default();
    move |parties: &mut Parties, _: &PatchContext| {
        let schema = &mut parties.server.context.schema;
        *schema = edited.get_or_edit(schema, edit);
    }
}
