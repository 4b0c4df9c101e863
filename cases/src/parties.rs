//! Parties of a case: what is said of them, and the views that come of it.

use std::collections::HashMap;
use std::sync::Arc;

use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::PatchContext;
use skewer_engine::profile::Profile;
use skewer_engine::schema::SchemaElement;
use skewer_engine::schema::builtin::{self, Release};
use skewer_engine::union::policy;
use skewer_engine::{Error, ErrorKind};

use crate::format::PartyFile;
use crate::model::PartySpec;
use crate::plan::PlanError;
use crate::types::Types;
use crate::yaml::Diagnostics;

/// The schema of a case as each of its parties sees it, each view made once.
#[derive(Clone, Debug)]
pub(crate) struct Views {
    everything: PatchContext,
    profile: Profile,
    /// The directives that there are.
    all: DirectiveSet,
    /// What a release calls the type of the objects, where the case is of built-in types.
    builtin_root: Option<String>,
    made: HashMap<View, PatchContext>,
}

/// What tells one view from another: the release whose types it has, if it is not the case's own, and what is
/// missing of them.
type View = (Option<&'static str>, Vec<SchemaElement>);

impl PartySpec {
    fn view(&self) -> View {
        (self.release.map(Release::name), self.lacks.clone())
    }

    /// Does it see the types of the case as they are?
    pub(crate) fn sees_everything(&self) -> bool {
        self.release.is_none() && self.lacks.is_empty()
    }
}

impl Views {
    /// `schema` is that of a case, `all` are the directives that there are.
    pub(crate) fn new(schema: PatchContext, profile: Profile, all: DirectiveSet) -> Self {
        let everything = PatchContext { directives: profile.directives_among(&all), ..schema };
        Views { everything, profile, all, builtin_root: None, made: HashMap::new() }
    }

    /// The same for built-in types: parties can have those of another release.
    pub(crate) fn with_builtin_root(self, root: Option<String>) -> Self {
        Views { builtin_root: root, ..self }
    }

    /// The view of somebody up to date.
    pub(crate) fn everything(&self) -> &PatchContext {
        &self.everything
    }

    /// Makes the view of a party; an error when it lacks what there is not.
    pub(crate) fn prepare(&mut self, party: &PartySpec) -> skewer_engine::Result<()> {
        if party.sees_everything() || self.made.contains_key(&party.view()) {
            return Ok(());
        }
        let mut context = match party.release {
            None => self.everything.clone(),
            Some(release) => {
                let Some(root) = &self.builtin_root else {
                    let why = format!(
                        "{} is a release of the built-in types, and the schema is not `builtin`",
                        release.name()
                    );
                    return Err(Error::new(ErrorKind::InvalidSchema, why));
                };
                Types::from(release).context(root)?
            }
        };
        if !party.lacks.is_empty() {
            context.schema = Arc::new(context.schema.without(&party.lacks)?);
        }
        self.made.insert(party.view(), context);
        Ok(())
    }

    /// What a party knows. A directive that it is to be without must be one that the engine has.
    pub(crate) fn context(&self, party: &PartySpec) -> Result<PatchContext, PlanError> {
        let mut context = if party.sees_everything() {
            self.everything.clone()
        } else {
            self.made.get(&party.view()).ok_or(PlanError::UnknownView)?.clone()
        };
        let of_release = party.release.map(|release| Profile::Release(release.minor()));
        context.directives = party.profile.or(of_release).unwrap_or(self.profile).directives_among(&self.all);
        for name in &party.lacks_directives {
            if !self.all.knows(name) {
                return Err(PlanError::UnknownDirective(name.to_string()));
            }
            context.directives = context.directives.without(name);
        }
        Ok(context)
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
                diagnostics.error(lack.span, Error::to_string(&error));
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
    spec.release = party.release.as_ref().and_then(|name| match builtin::release(name) {
        Ok(release) => Some(release),
        Err(error) => {
            diagnostics.error(name.span, error.message());
            None
        }
    });
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
        self.release = piece.release.or(self.release);
        self.unstructured = piece.unstructured.or(self.unstructured);
        self.strict = piece.strict.or(self.strict);
        self.policy = piece.policy.or(self.policy);
    }
}
