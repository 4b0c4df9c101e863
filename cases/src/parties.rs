//! Parties of a case: what is said of them, and the views that come of it.

use std::collections::HashMap;
use std::sync::Arc;

use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::Knowledge;
use skewer_engine::profile::Profile;
use skewer_engine::schema::{Lack, Schema};
use skewer_engine::union::policy;

use crate::format::PartyFile;
use crate::model::PartySpec;
use crate::plan::PlanError;
use crate::yaml::Diagnostics;

/// The schema of a case as each of its parties sees it, each view made once.
#[derive(Debug)]
pub(crate) struct Views {
    everything: Knowledge,
    profile: Profile,
    /// The directives that there are.
    all: DirectiveSet,
    cut: HashMap<Vec<Lack>, Arc<Schema>>,
}

impl Views {
    /// `schema` is that of a case, `all` are the directives that there are.
    pub(crate) fn new(schema: Knowledge, profile: Profile, all: DirectiveSet) -> Self {
        let everything = Knowledge { directives: profile.directives_among(&all), ..schema };
        Views { everything, profile, all, cut: HashMap::new() }
    }

    /// The view of somebody up to date.
    pub(crate) fn everything(&self) -> &Knowledge {
        &self.everything
    }

    /// Makes the view of a party; an error when it lacks what there is not.
    pub(crate) fn prepare(&mut self, party: &PartySpec) -> skewer_engine::Result<()> {
        if !party.lacks.is_empty() && !self.cut.contains_key(&party.lacks) {
            let cut = self.everything.schema.without(&party.lacks)?;
            self.cut.insert(party.lacks.clone(), Arc::new(cut));
        }
        Ok(())
    }

    /// What a party knows. A directive that it is to be without must be one that the engine has.
    pub(crate) fn knowledge(&self, party: &PartySpec) -> Result<Knowledge, PlanError> {
        let mut knowledge = self.everything.clone();
        if !party.lacks.is_empty() {
            let Some(schema) = self.cut.get(&party.lacks) else { return Err(PlanError::UnknownView) };
            knowledge.schema = Arc::clone(schema);
        }
        knowledge.directives = party.profile.unwrap_or(self.profile).directives_among(&self.all);
        for name in &party.lacks_directives {
            if !self.all.knows(name) {
                return Err(PlanError::UnknownDirective(name.to_string()));
            }
            knowledge.directives = knowledge.directives.without(name);
        }
        Ok(knowledge)
    }
}

/// Reads what is said of a party.
pub(crate) fn resolve(party: &PartyFile, diagnostics: &Diagnostics) -> PartySpec {
    let mut spec =
        PartySpec { unstructured: party.unstructured, strict: party.strict, ..PartySpec::default() };
    for lack in &party.without {
        if lack.starts_with('$') {
            spec.lacks_directives.push(lack.value.as_str().into());
            continue;
        }
        match lack.parse() {
            Ok(lack) => spec.lacks.push(lack),
            Err(error) => {
                diagnostics.error(lack.span, skewer_engine::Error::to_string(&error));
            }
        }
    }
    // Views are found by what they lack, in order, as `overlay` keeps it.
    spec.lacks.sort();
    spec.lacks.dedup();
    spec.policy = party.policy.as_ref().and_then(|name| {
        let found = policy::by_name(name);
        if found.is_none() {
            let names = policy::REGISTRY.iter().map(|policy| policy.name());
            crate::axes::unknown(name, "policy", names, diagnostics);
        }
        found
    });
    spec.profile = party.profile.as_ref().and_then(|name| crate::resolve::profile(name, diagnostics));
    spec
}

impl PartySpec {
    /// Lays a piece over what is said already: lacks add up, the rest is overridden.
    pub(crate) fn overlay(&mut self, piece: &PartySpec) {
        self.lacks.extend(piece.lacks.iter().cloned());
        self.lacks.sort();
        self.lacks.dedup();
        self.lacks_directives.extend(piece.lacks_directives.iter().cloned());
        self.profile = piece.profile.or(self.profile);
        self.unstructured = piece.unstructured.or(self.unstructured);
        self.strict = piece.strict.or(self.strict);
        self.policy = piece.policy.or(self.policy);
    }
}
