use std::collections::HashMap;
use std::sync::Arc;

use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::PatchContext;
use skewer_engine::profile::Profile;
use skewer_engine::schema::SchemaElement;
use skewer_engine::schema::builtin::Release;
use skewer_engine::{Error, ErrorKind};

use super::party::PartySetting;
use crate::types::Types;

/// The schema views of the parties of a case. Each distinct view is built once.
#[derive(Clone, Debug)]
pub(crate) struct Views {
    /// The patch context of an up-to-date party.
    up_to_date: PatchContext,
    /// The profile of an up-to-date party.
    profile: Profile,
    all_directives: DirectiveSet,
    /// The type of the objects, by its name in the releases. It is `None` if the case declares its types itself.
    builtin_root: Option<String>,
    by_key: HashMap<ViewKey, PatchContext>,
}

/// The key of a view: the release that the types come from (`None` for the types of the case), and the missing schema
/// elements.
type ViewKey = (Option<&'static str>, Vec<SchemaElement>);

fn key_of(party: &PartySetting) -> ViewKey {
    (party.release.map(Release::name), party.missing_elements.clone())
}

impl Views {
    /// Creates the views of a case with this schema. `all_directives` are the directives of the engine.
    pub(crate) fn new(schema: PatchContext, profile: Profile, all_directives: DirectiveSet) -> Self {
        let up_to_date = PatchContext { directives: profile.directives_among(&all_directives), ..schema };
        Views { up_to_date, profile, all_directives, builtin_root: None, by_key: HashMap::new() }
    }

    /// Sets the name of the objects' type in the releases. Without this name, no party can have the types of another
    /// release.
    pub(crate) fn with_builtin_root(self, root: Option<String>) -> Self {
        Views { builtin_root: root, ..self }
    }

    /// Returns the patch context of an up-to-date party.
    pub(crate) fn up_to_date(&self) -> &PatchContext {
        &self.up_to_date
    }

    /// Returns patch contexts that together contain every type known to any party of the case: the context of an
    /// up-to-date party, and the contexts of parties with the types of another release. Views that lack elements are
    /// left out, because they contain no further types.
    pub(crate) fn full_contexts(&self) -> Vec<&PatchContext> {
        let of_releases = self.by_key.iter().filter(|((release, _), _)| release.is_some());
        std::iter::once(&self.up_to_date).chain(of_releases.map(|(_, context)| context)).collect()
    }

    /// Returns the directives of the engine.
    pub(crate) fn all_directives(&self) -> &DirectiveSet {
        &self.all_directives
    }

    /// Builds the view of a party. Fails if the party is to lack a schema element that does not exist.
    pub(crate) fn prepare(&mut self, party: &PartySetting) -> skewer_engine::Result<()> {
        if party.has_full_view() || self.by_key.contains_key(&key_of(party)) {
            return Ok(());
        }
        let mut context = match party.release {
            None => self.up_to_date.clone(),
            Some(release) => {
                let Some(root) = &self.builtin_root else {
                    let message =
                        format!("a party with the types of {} needs a `builtin` schema", release.name());
                    return Err(Error::new(ErrorKind::InvalidSchema, message));
                };
                Types::from(release).context(root)?
            }
        };
        if !party.missing_elements.is_empty() {
            context.schema = Arc::new(context.schema.without(&party.missing_elements)?);
        }
        self.by_key.insert(key_of(party), context);
        Ok(())
    }

    /// Returns the patch context of a party. Returns `None` if [`Views::prepare`] was not called for the party.
    pub(crate) fn context(&self, party: &PartySetting) -> Option<PatchContext> {
        let mut context = if party.has_full_view() {
            self.up_to_date.clone()
        } else {
            self.by_key.get(&key_of(party))?.clone()
        };
        let of_release = party.release.map(|release| Profile::Release(release.minor()));
        let profile = party.profile.or(of_release).unwrap_or(self.profile);
        context.directives = profile.directives_among(&self.all_directives);
        for name in &party.missing_directives {
            context.directives = context.directives.without(name);
        }
        Some(context)
    }
}
