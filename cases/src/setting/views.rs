use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use skewer_admission::Admission;
use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::{PatchContext, SpareCapacity};
use skewer_engine::profile::Profile;
use skewer_engine::schema::SchemaElement;
use skewer_engine::schema::builtin::Release;
use skewer_engine::{Error, ErrorKind};

use super::party::PartySetting;
use super::types_name::TypesName;
use crate::format::SchemaName;
use crate::types::{PartyTypes, RootTypes, Types};

/// The schema views of the parties of a case. Each distinct view is built once.
#[derive(Clone, Debug)]
pub(crate) struct Views {
    profile: Profile,
    all_directives: DirectiveSet,
    /// The root types of the case. The first is the root type of the schema.
    roots: Vec<RootView>,
    by_key: HashMap<ViewKey, PartyTypes>,
}

/// The view of an up-to-date party for one root type.
#[derive(Clone, Debug)]
struct RootView {
    /// The name of the types in the case file.
    name: TypesName,
    types: RootTypes,
    up_to_date: PartyTypes,
    /// The types before the change, if the case has two schemas.
    old: Option<RootTypes>,
    /// The name of the root type in the releases. It is `None` if the case declares its types itself.
    builtin_name: Option<String>,
}

/// The key of a view: the types of the objects, the release that they come from (`None` for the types of the case), the
/// schema of the case, and the missing schema elements.
type ViewKey = (TypesName, Option<&'static str>, SchemaName, Vec<SchemaElement>);

fn key_of(name: &TypesName, party: &PartySetting) -> ViewKey {
    let schema = party.schema.unwrap_or_default();
    (name.clone(), party.release.map(Release::name), schema, party.missing_elements.clone())
}

/// The types of a case with one root type.
#[derive(Clone, Debug)]
pub(crate) struct CaseTypes {
    /// The types after the change, which an up-to-date party has. Without a change, these are all types.
    pub(crate) new: RootTypes,
    /// The types before the change, if the case has two schemas.
    pub(crate) old: Option<RootTypes>,
    /// The name of the root type in the releases, if the types are those of a release. Without it, no party can have the
    /// types of another release.
    pub(crate) builtin_name: Option<String>,
}

impl Views {
    /// Creates the views of a case with these types. `all_directives` are the directives of the engine.
    pub(crate) fn new(types: CaseTypes, profile: Profile, all_directives: DirectiveSet) -> Self {
        let views = Views { profile, all_directives, roots: Vec::new(), by_key: HashMap::new() };
        views.with_root(TypesName::default(), types)
    }

    /// Adds another root type, which some points of the matrix have. A root type that was added before is not changed.
    pub(crate) fn with_root(mut self, name: TypesName, types: CaseTypes) -> Self {
        if !self.roots.iter().any(|root| root.name == name) {
            let mut up_to_date = types.new.complete();
            for context in [&mut up_to_date.server, &mut up_to_date.client] {
                context.directives = self.profile.directives_among(&self.all_directives);
                context.library = self.profile.library();
            }
            let CaseTypes { new, old, builtin_name } = types;
            self.roots.push(RootView { name, types: new, up_to_date, old, builtin_name });
        }
        self
    }

    /// Iterates over the names of the types of all points.
    pub(crate) fn names(&self) -> impl Iterator<Item = &TypesName> {
        self.roots.iter().map(|root| &root.name)
    }

    fn root(&self, name: &TypesName) -> Option<&RootView> {
        self.roots.iter().find(|root| root.name == *name)
    }

    /// Returns the patch context of an up-to-date party. Returns `None` if the case does not have the root type.
    pub(crate) fn up_to_date(&self, name: &TypesName) -> Option<&PatchContext> {
        self.root(name).map(|root| &root.up_to_date.server)
    }

    /// Returns patch contexts that together contain every type known to any party of the points with the root type: the
    /// context of an up-to-date party, and the contexts of parties with the types of another release or with the schema
    /// before the change. Views that lack elements are left out, because they contain no further types.
    pub(crate) fn full_contexts(&self, name: &TypesName) -> Vec<&PatchContext> {
        let of_releases =
            self.by_key.iter().filter(|((of_types, release, ..), _)| of_types == name && release.is_some());
        let old = self.root(name).and_then(|view| view.old.as_ref()).map(|old| &old.context);
        let of_releases = of_releases.map(|(_, types)| &types.server);
        self.up_to_date(name).into_iter().chain(old).chain(of_releases).collect()
    }

    /// Returns the directives of the engine.
    pub(crate) fn all_directives(&self) -> &DirectiveSet {
        &self.all_directives
    }

    /// Builds the view of a party for objects of a root type. Fails if the party is to lack a schema element that does
    /// not exist.
    pub(crate) fn prepare(&mut self, name: &TypesName, party: &PartySetting) -> skewer_engine::Result<()> {
        if party.has_full_view() || self.by_key.contains_key(&key_of(name, party)) {
            return Ok(());
        }
        let types = self.types_with_all_elements(name, party)?;
        let types = if party.missing_elements.is_empty() {
            types.complete()
        } else {
            types.without(&party.missing_elements)?
        };
        self.by_key.insert(key_of(name, party), types);
        Ok(())
    }

    /// Returns the types of the schema or the release of a party, also with the elements that the party does not know.
    fn types_with_all_elements(
        &self,
        name: &TypesName,
        party: &PartySetting,
    ) -> skewer_engine::Result<Cow<'_, RootTypes>> {
        let Some(view) = self.root(name) else {
            return Err(Error::new(ErrorKind::InvalidSchema, "the root type was not added to the views"));
        };
        match party.release {
            None if party.schema == Some(SchemaName::Old) => {
                view.old.as_ref().map(Cow::Borrowed).ok_or_else(|| {
                    let message =
                        "a party with `schema: old` needs a schema that consists of `old` and `new`";
                    Error::new(ErrorKind::InvalidSchema, message)
                })
            }
            None => Ok(Cow::Borrowed(&view.types)),
            Some(release) => {
                let Some(name) = &view.builtin_name else {
                    let message =
                        format!("a party with the types of {} needs a `builtin` schema", release.name());
                    return Err(Error::new(ErrorKind::InvalidSchema, message));
                };
                Ok(Cow::Owned(RootTypes::from(Types::from(release).context(name)?)))
            }
        }
    }

    /// Returns the view of a party that has exactly the types of a release. Returns `None` if the release does not have the
    /// root type.
    fn of_release(&self, name: &TypesName, party: &PartySetting) -> Option<PartyTypes> {
        let release = party.release.filter(|_| party.missing_elements.is_empty())?;
        let types =
            RootTypes::from(Types::from(release).context(self.root(name)?.builtin_name.as_ref()?).ok()?);
        Some(types.complete())
    }

    /// Returns the types of a party for objects of a root type. Returns `None` if [`Views::prepare`] was not called for them,
    /// unless the party has exactly the types of a release.
    fn types(&self, name: &TypesName, party: &PartySetting) -> Option<Cow<'_, PartyTypes>> {
        if party.has_full_view() {
            return Some(Cow::Borrowed(&self.root(name)?.up_to_date));
        }
        let prepared = self.by_key.get(&key_of(name, party)).map(Cow::Borrowed);
        prepared.or_else(|| self.of_release(name, party).map(Cow::Owned))
    }

    /// Returns the patch context of a server, or of a client without structs, for objects of a root type. Returns `None` if
    /// [`Views::prepare`] was not called for them, unless the party has exactly the types of a release.
    pub(crate) fn context(&self, name: &TypesName, party: &PartySetting) -> Option<PatchContext> {
        Some(self.with_behaviour(self.types(name, party)?.server.clone(), party))
    }

    /// Returns the patch context of a server that processes requests, as [`Views::context`] does for other parties. It
    /// merges patches into the lists of its structs.
    pub(crate) fn server_context(&self, name: &TypesName, party: &PartySetting) -> Option<PatchContext> {
        let spare_capacity = party.spare_capacity.unwrap_or(SpareCapacity::None);
        Some(PatchContext { spare_capacity, ..self.context(name, party)? })
    }

    /// Returns the patch context of a client, as [`Views::context`] does for a server.
    pub(crate) fn client_context(&self, name: &TypesName, party: &PartySetting) -> Option<PatchContext> {
        Some(self.with_behaviour(self.types(name, party)?.client.clone(), party))
    }

    /// Returns a client in the version that it negotiates with a server, for objects of a root type.
    pub(crate) fn negotiated(
        &self,
        name: &TypesName,
        client: &PartySetting,
        server: &PartySetting,
    ) -> PartySetting {
        let mut version = client.negotiated_with(server, self.profile);
        let is_of_party = |party: &PartySetting| key_of(name, party) == key_of(name, &version);
        if is_of_party(client) || is_of_party(server) {
            return version;
        }
        let Ok(types) = self.types_with_all_elements(name, &version) else { return version };
        // The older types need not have what a party with the newer ones lacks, and what one party lacks can be a part of
        // what the other party lacks.
        let mut missing: Vec<SchemaElement> = Vec::new();
        for element in std::mem::take(&mut version.missing_elements) {
            missing.push(element);
            if types.without(&missing).is_err() {
                missing.pop();
            }
        }
        PartySetting { missing_elements: missing, ..version }
    }

    /// Returns the admission of custom resources on a server. Returns `None` if the objects are no custom resources.
    pub(crate) fn admission(&self, name: &TypesName, party: &PartySetting) -> Option<Arc<Admission>> {
        self.types(name, party)?.admission(party.minor().or(self.minor()))
    }

    /// Returns the admission of custom resources on an up-to-date server.
    pub(crate) fn up_to_date_admission(&self, name: &TypesName) -> Option<Arc<Admission>> {
        self.root(name)?.up_to_date.admission(self.minor())
    }

    /// Returns the minor version of the release that is up to date, if the profile of the case is a release.
    fn minor(&self) -> Option<u32> {
        match self.profile {
            Profile::Release(minor) => Some(minor),
            _ => None,
        }
    }

    /// Gives types the directives and the patch library of a party.
    fn with_behaviour(&self, mut context: PatchContext, party: &PartySetting) -> PatchContext {
        let of_release = party.release.map(|release| Profile::Release(release.minor()));
        let profile = party.profile.or(of_release).unwrap_or(self.profile);
        context.directives = profile.directives_among(&self.all_directives);
        context.library = profile.library();
        context.spare_capacity = party.spare_capacity.unwrap_or(context.spare_capacity);
        for name in &party.missing_directives {
            context.directives = context.directives.without(name);
        }
        context
    }
}
