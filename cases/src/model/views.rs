use std::collections::HashMap;
use std::sync::Arc;

use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::PatchContext;
use skewer_engine::profile::Profile;
use skewer_engine::schema::SchemaElement;
use skewer_engine::schema::builtin::Release;
use skewer_engine::{Error, ErrorKind, OwnedText};

use super::party::PartySetting;
use crate::types::Types;

/// The schema views of the parties of a case. Each distinct view is built once.
#[derive(Clone, Debug)]
pub(crate) struct Views {
    /// The profile of an up-to-date party.
    profile: Profile,
    all_directives: DirectiveSet,
    /// The root types of the case. The first is the root type of the schema.
    roots: Vec<RootView>,
    by_key: HashMap<ViewKey, PatchContext>,
}

/// The view of an up-to-date party for one root type.
#[derive(Clone, Debug)]
struct RootView {
    /// The name of the root type in the case file. `None` stands for the root type of the schema.
    name: Option<OwnedText>,
    up_to_date: PatchContext,
    /// The name of the root type in the releases. It is `None` if the case declares its types itself.
    builtin_name: Option<String>,
}

/// The key of a view: the root type (`None` for that of the schema), the release that the types come from (`None` for
/// the types of the case), and the missing schema elements.
type ViewKey = (Option<OwnedText>, Option<&'static str>, Vec<SchemaElement>);

fn key_of(root: Option<&OwnedText>, party: &PartySetting) -> ViewKey {
    (root.cloned(), party.release.map(Release::name), party.missing_elements.clone())
}

impl Views {
    /// Creates the views of a case whose schema has this root type. `builtin_name` is the name of the root type in the
    /// releases; without it, no party can have the types of another release. `all_directives` are the directives of the
    /// engine.
    pub(crate) fn new(
        root: PatchContext,
        builtin_name: Option<String>,
        profile: Profile,
        all_directives: DirectiveSet,
    ) -> Self {
        let views = Views { profile, all_directives, roots: Vec::new(), by_key: HashMap::new() };
        views.with_root(None, root, builtin_name)
    }

    /// Adds another root type, which some points of the matrix have. A root type that was added before is not changed.
    pub(crate) fn with_root(
        mut self,
        name: Option<OwnedText>,
        context: PatchContext,
        builtin_name: Option<String>,
    ) -> Self {
        if !self.roots.iter().any(|root| root.name == name) {
            let directives = self.profile.directives_among(&self.all_directives);
            let up_to_date = PatchContext { directives, library: self.profile.library(), ..context };
            self.roots.push(RootView { name, up_to_date, builtin_name });
        }
        self
    }

    fn root(&self, name: Option<&OwnedText>) -> Option<&RootView> {
        self.roots.iter().find(|root| root.name.as_ref() == name)
    }

    /// Returns the patch context of an up-to-date party. Returns `None` if the case does not have the root type.
    pub(crate) fn up_to_date(&self, root: Option<&OwnedText>) -> Option<&PatchContext> {
        self.root(root).map(|root| &root.up_to_date)
    }

    /// Returns patch contexts that together contain every type known to any party of the points with the root type: the
    /// context of an up-to-date party, and the contexts of parties with the types of another release. Views that lack
    /// elements are left out, because they contain no further types.
    pub(crate) fn full_contexts(&self, root: Option<&OwnedText>) -> Vec<&PatchContext> {
        let of_releases = self
            .by_key
            .iter()
            .filter(|((of_root, release, _), _)| of_root.as_ref() == root && release.is_some());
        self.up_to_date(root).into_iter().chain(of_releases.map(|(_, context)| context)).collect()
    }

    /// Returns the directives of the engine.
    pub(crate) fn all_directives(&self) -> &DirectiveSet {
        &self.all_directives
    }

    /// Builds the view of a party for objects of a root type. Fails if the party is to lack a schema element that does
    /// not exist.
    pub(crate) fn prepare(
        &mut self,
        root: Option<&OwnedText>,
        party: &PartySetting,
    ) -> skewer_engine::Result<()> {
        if party.has_full_view() || self.by_key.contains_key(&key_of(root, party)) {
            return Ok(());
        }
        let Some(view) = self.root(root) else {
            return Err(Error::new(ErrorKind::InvalidSchema, "the root type was not added to the views"));
        };
        let mut context = match party.release {
            None => view.up_to_date.clone(),
            Some(release) => {
                let Some(name) = &view.builtin_name else {
                    let message =
                        format!("a party with the types of {} needs a `builtin` schema", release.name());
                    return Err(Error::new(ErrorKind::InvalidSchema, message));
                };
                Types::from(release).context(name)?
            }
        };
        if !party.missing_elements.is_empty() {
            context.schema = Arc::new(context.schema.without(&party.missing_elements)?);
        }
        self.by_key.insert(key_of(root, party), context);
        Ok(())
    }

    /// Returns the view of a party that has exactly the types of a release. Returns `None` if the release does not have the
    /// root type.
    fn of_release(&self, root: Option<&OwnedText>, party: &PartySetting) -> Option<PatchContext> {
        let release = party.release.filter(|_| party.missing_elements.is_empty())?;
        Types::from(release).context(self.root(root)?.builtin_name.as_ref()?).ok()
    }

    /// Returns the patch context of a party for objects of a root type. Returns `None` if [`Views::prepare`] was not
    /// called for them, unless the party has exactly the types of a release.
    pub(crate) fn context(&self, root: Option<&OwnedText>, party: &PartySetting) -> Option<PatchContext> {
        let mut context = if party.has_full_view() {
            self.up_to_date(root)?.clone()
        } else {
            match self.by_key.get(&key_of(root, party)) {
                Some(context) => context.clone(),
                None => self.of_release(root, party)?,
            }
        };
        let of_release = party.release.map(|release| Profile::Release(release.minor()));
        let profile = party.profile.or(of_release).unwrap_or(self.profile);
        context.directives = profile.directives_among(&self.all_directives);
        context.library = profile.library();
        context.spare_capacity = party.spare_capacity.unwrap_or(context.spare_capacity);
        for name in &party.missing_directives {
            context.directives = context.directives.without(name);
        }
        Some(context)
    }
}
