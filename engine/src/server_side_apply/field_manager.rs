//! The field manager of a server: requests that write an object, and the managed fields of the result.
//!
//! Upstream builds a field manager from layers, of which each changes the request or the result of the next one. Here
//! they are functions of [`FieldManager`], named after what they do.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::conflict::Refusal;
use super::last_applied;
use super::managed_fields::{ManagedFields, ManagedFieldsValue, set, without_managed_fields};
use super::managers::{ManagerId, OwnedFields};
use super::resource::{Resource, ResourceVersion};
use super::time::Timestamp;
use super::updater::{Claim, Force, Updater};
use super::validate::{Duplicates, validate};
use super::{PathElement, old_updaters};
use crate::document::{
    Arena, Doc, Map, OwnedDoc, OwnedText, Text, from_json_in, in_document, to_json_with_capacity,
};
use crate::error::{Error, ErrorKind, ManagerOperation, Result};
use crate::patch::{LibraryChange, PatchLibrary};
use crate::server_side_apply::FieldSet;

/// The field manager of one resource. Upstream: `managedfields.FieldManager`.
#[derive(Clone, Copy, Debug)]
pub struct FieldManager<'a> {
    /// The resource, with all its versions.
    pub resource: &'a Resource,
    /// The API version of the request.
    pub api_version: &'a str,
    /// The name of the subresource. Empty for the main resource.
    pub subresource: &'a str,
    /// The libraries of the server.
    pub library: PatchLibrary,
}

/// The properties of a request that writes an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteRequest<'a> {
    /// The name of the manager. An empty name counts as `unknown`.
    pub manager: &'a str,
    /// Whether an apply request takes fields from other managers.
    pub force: bool,
    /// The time of the request in RFC 3339. Without a time, the entry of the manager has none, and comes after all
    /// others of its operation.
    pub time: Option<&'a str>,
}

/// The manager who owns the fields that an object had before its first apply request.
pub const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// The only manager that takes over the fields that `kubectl apply` has set on the client side.
const KUBECTL: &str = "kubectl";

impl<'a> FieldManager<'a> {
    /// Applies a configuration to the live object, and returns the object with its managed fields. `live` is `None` if
    /// the object does not exist. Upstream: `FieldManager.Apply`.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::Conflict`] if other managers own fields that the configuration changes, unless the request is
    ///   forced
    /// - [`ErrorKind::WrongApiVersion`] if the configuration has another version or kind than the live object
    /// - [`ErrorKind::InvalidManagedFields`] if the managed fields cannot be read, or if the configuration has some
    /// - [`ErrorKind::FieldNotDeclared`], [`ErrorKind::WrongKind`], [`ErrorKind::DuplicateListItem`],
    ///   [`ErrorKind::MissingListKeys`], [`ErrorKind::InvalidListItem`] or [`ErrorKind::IndistinctNumbers`] if the
    ///   configuration or the live object does not fit its type
    /// - [`ErrorKind::ConversionFailed`] if an object cannot be converted to a version in which it has an owner
    pub fn apply(
        &self,
        live: Option<&Doc<'_>>,
        configuration: &Doc<'_>,
        request: WriteRequest<'_>,
    ) -> Result<OwnedDoc> {
        match live {
            Some(live) => self.apply_to(live, configuration, request).map(|object| object.to_static()),
            None => self.apply(Some(&self.empty_object(configuration)), configuration, request),
        }
    }

    /// Applies a configuration as [`FieldManager::apply`] does. Takes and returns JSON text.
    ///
    /// # Errors
    ///
    /// The errors of [`FieldManager::apply`]. [`ErrorKind::InvalidDocument`] and [`ErrorKind::TooDeep`] if a text cannot
    /// be read.
    pub fn apply_json(
        &self,
        live: Option<&[u8]>,
        configuration: &[u8],
        request: WriteRequest<'_>,
    ) -> Result<Vec<u8>> {
        let length = live.map_or(0, <[u8]>::len) + configuration.len();
        let arena = Arena::for_text_of(length);
        let configuration = from_json_in(configuration, &arena).map_err(in_document("the configuration"))?;
        let live = self.live_object(live, &configuration, &arena)?;
        self.apply_to(&live, &configuration, request).map(|object| to_json_with_capacity(&object, length))
    }

    /// Applies a configuration to a live object. The result borrows from both.
    fn apply_to<'d>(
        &self,
        live: &'d Doc<'_>,
        configuration: &'d Doc<'_>,
        request: WriteRequest<'_>,
    ) -> Result<Doc<'d>>
    where
        'a: 'd,
    {
        let read_managed = || ManagedFields::read(ManagedFieldsValue::of(live)).map_err(Error::in_base);
        let managed = read_managed()?;
        self.check_kind(live, configuration)?;
        let apply = |managed, force| {
            self.apply_as_manager(live, configuration, managed, WriteRequest { force, ..request })
        };
        let is_kubectl = request.manager == KUBECTL && self.library.has(LibraryChange::ClientSideOwnersTaken);
        let (mut object, entries) = match apply(managed, request.force) {
            Err(Refusal::Conflicts(conflicts)) if is_kubectl => {
                let converted = self.resource.convert_unchecked(live, self.version()?)?;
                match last_applied::remaining_conflicts(self.version()?, &converted, conflicts) {
                    conflicts if conflicts.is_empty() => apply(read_managed()?, true)?,
                    conflicts => return Err(Refusal::Conflicts(conflicts).into()),
                }
            }
            result => result?,
        };
        if is_kubectl {
            last_applied::update(&mut object, configuration);
        }
        set(&mut object, entries);
        Ok(object)
    }

    /// Records the owners of the fields that a create, update or patch request changes, and returns the new object with
    /// its managed fields. `live` is `None` if the object is created. Upstream: `FieldManager.Update`.
    ///
    /// An API server ignores the error and keeps the managed fields of the live object (`UpdateNoErrors`).
    ///
    /// # Errors
    ///
    /// As [`FieldManager::apply`], without conflicts. Managed fields that cannot be read are no error: those of the live
    /// object count instead.
    pub fn update(
        &self,
        live: Option<&Doc<'_>>,
        new: &Doc<'_>,
        request: WriteRequest<'_>,
    ) -> Result<OwnedDoc> {
        match live {
            Some(live) => self.update_of(live, new, request).map(|object| object.to_static()),
            None => self.update(Some(&self.empty_object(new)), new, request),
        }
    }

    /// Records owners as [`FieldManager::update`] does. Takes and returns JSON text.
    ///
    /// # Errors
    ///
    /// The errors of [`FieldManager::update`]. [`ErrorKind::InvalidDocument`] and [`ErrorKind::TooDeep`] if a text cannot
    /// be read.
    pub fn update_json(&self, live: Option<&[u8]>, new: &[u8], request: WriteRequest<'_>) -> Result<Vec<u8>> {
        let length = live.map_or(0, <[u8]>::len) + new.len();
        let arena = Arena::for_text_of(length);
        let new = from_json_in(new, &arena).map_err(in_document("the new object"))?;
        let live = self.live_object(live, &new, &arena)?;
        self.update_of(&live, &new, request).map(|object| to_json_with_capacity(&object, length))
    }

    /// Records the owners of the fields that an update of a live object changes. The result borrows from the new object.
    fn update_of<'d>(&self, live: &Doc<'_>, new: &'d Doc<'_>, request: WriteRequest<'_>) -> Result<Doc<'d>> {
        let managed = self.managed_fields_of_update(live, new);
        let mut object = without_managed_fields(new);
        let is_new = || self.library.has(LibraryChange::CreationsTracked) && !has_uid(live);
        if !managed.managers.is_empty() || is_new() {
            // Upstream converts both objects before it checks one of them.
            let (new, live) = (self.versioned(&object)?, self.versioned(live).map_err(Error::in_base)?);
            let entries = self.update_as_manager(&live, &new, managed, request)?.entries();
            drop(new);
            set(&mut object, entries);
        }
        Ok(object)
    }

    /// Reads the live object. Without one, an object of the kind of `sent` that has no fields counts.
    fn live_object<'d>(&self, live: Option<&'d [u8]>, sent: &Doc<'_>, arena: &'d Arena) -> Result<Doc<'d>> {
        match live {
            Some(live) => from_json_in(live, arena).map_err(in_document("the live object")),
            None => Ok(self.empty_object(sent)),
        }
    }

    /// Returns an object that has only an API version and a kind.
    fn empty_object(&self, like: &Doc<'_>) -> OwnedDoc {
        let kind = like.as_map().and_then(|map| map.get("kind")).map(Doc::to_static);
        let api_version = Doc::from(self.api_version);
        let entries = [("apiVersion", Some(api_version)), ("kind", kind)];
        let entries = entries.into_iter().filter_map(|(key, value)| Some((Text::from_static(key), value?)));
        Doc::Map(entries.collect::<Map<'_>>())
    }

    fn version(&self) -> Result<&'a ResourceVersion> {
        self.resource.version(self.api_version).ok_or_else(|| {
            let message = format!("the resource has no version {}", self.api_version);
            Error::new(ErrorKind::WrongApiVersion, message)
        })
    }

    /// Refuses a configuration of another version or kind than the request.
    fn check_kind(&self, live: &Doc<'_>, configuration: &Doc<'_>) -> Result<()> {
        let member = |object: &Doc<'_>, key: &str| -> OwnedText {
            let value = object.as_map().and_then(|map| map.get(key)).and_then(Doc::as_str);
            value.map(Text::from).unwrap_or_default()
        };
        let (version, kind) = (member(configuration, "apiVersion"), member(configuration, "kind"));
        let expected_kind = member(live, "kind");
        if version == *self.api_version && kind == expected_kind {
            return Ok(());
        }
        let message = format!(
            "the configuration has apiVersion {version} and kind {kind}: expected {} and {expected_kind}",
            self.api_version
        );
        Err(Error::new(ErrorKind::WrongApiVersion, message))
    }

    /// Returns the managed fields with which an update starts. Those of the request count if there are any, so that
    /// clients can change them. Upstream: `decodeLiveOrNew`.
    fn managed_fields_of_update<'d>(&self, live: &'d Doc<'_>, new: &'d Doc<'_>) -> ManagedFields<'d> {
        let of_live = || ManagedFields::read(ManagedFieldsValue::of(live)).unwrap_or_default();
        let in_request = ManagedFieldsValue::of(new);
        if !self.subresource.is_empty() && self.library.has(LibraryChange::OwnersOfMainResource) {
            of_live()
        } else if in_request.is_reset() && self.library.has(LibraryChange::OwnersReset) {
            ManagedFields::default()
        } else {
            match ManagedFields::read(in_request) {
                Ok(managed) if !managed.managers.is_empty() => managed,
                _ => of_live(),
            }
        }
    }

    fn manager_id(&self, manager: &str, operation: ManagerOperation) -> ManagerId {
        ManagerId {
            manager: Text::from(if manager.is_empty() { "unknown" } else { manager }),
            operation,
            api_version: match operation {
                ManagerOperation::Apply => OwnedText::default(),
                ManagerOperation::Update => Text::from(self.api_version),
            },
            subresource: if self.library.has(LibraryChange::SubresourcesRecorded) {
                Text::from(self.subresource)
            } else {
                OwnedText::default()
            },
        }
    }

    /// Checks an object in the version of the request. Objects with several list items of one identity are valid, unless
    /// the library lacks [`LibraryChange::DuplicatesAllowed`]. `valid` is an object that is known to be valid.
    fn validate_versioned(&self, object: &Doc<'_>, valid: Option<&Doc<'_>>) -> Result<()> {
        let is_allowed = self.library.has(LibraryChange::DuplicatesAllowed);
        let duplicates = if is_allowed { Duplicates::Allowed } else { Duplicates::Refused };
        validate(self.version()?.place_in(self.library), object, valid, duplicates)
    }

    /// Returns an object in the version of the request.
    fn versioned<'d>(&self, object: &'d Doc<'_>) -> Result<Cow<'d, Doc<'d>>> {
        self.resource.convert_unchecked(object, self.version()?)
    }

    /// Returns the managed fields of an object before its first apply request.
    fn managed_before_first_apply(
        &self,
        live: &Doc<'_>,
        empty: &Doc<'_>,
        request: WriteRequest<'_>,
    ) -> Result<ManagedFields<'static>> {
        let request = WriteRequest { manager: BEFORE_FIRST_APPLY, ..request };
        let (live, empty) = (self.versioned(live)?, self.versioned(empty)?);
        let managed = self.update_as_manager(&empty, &live, ManagedFields::default(), request)?;
        Ok(managed.to_static())
    }

    /// Records an update, and returns the managed fields. The objects have the version of the request.
    fn update_as_manager<'d>(
        &self,
        live: &'d Doc<'_>,
        new: &'d Doc<'_>,
        managed: ManagedFields<'d>,
        request: WriteRequest<'_>,
    ) -> Result<ManagedFields<'d>>
    where
        'a: 'd,
    {
        self.validate_versioned(new, None)?;
        self.validate_versioned(live, Some(new)).map_err(Error::in_base)?;
        let updater = Updater { resource: self.resource, version: self.version()?, library: self.library };
        // Upstream records the changes under another name first: they are taken from the manager's own entries, too.
        let current = self.manager_id("current-operation", ManagerOperation::Update);
        let mut managers = updater.update(live, new, managed.managers, &current)?;
        let changes = managers.remove(&current).map(|owned| without_stripped_fields(owned.fields));
        let mut times = managed.times;
        if let Some(changes) = changes.filter(|changes| !changes.is_empty()) {
            let id = self.manager_id(request.manager, ManagerOperation::Update);
            let previous = managers.remove(&id).map(|owned| owned.fields).unwrap_or_default();
            let owned = OwnedFields { fields: changes.union(previous), api_version: self.api_version.into() };
            managers.insert(id.clone(), owned);
            times.insert(id, request.time());
        }
        let mut managed = ManagedFields { managers, times };
        old_updaters::merge_old_updaters(&mut managed);
        Ok(managed)
    }

    /// Applies a configuration. Returns the object without managed fields, and the entries of its managed fields.
    fn apply_as_manager<'d>(
        &self,
        live: &'d Doc<'_>,
        configuration: &'d Doc<'_>,
        mut managed: ManagedFields<'d>,
        request: WriteRequest<'_>,
    ) -> Result<(Doc<'d>, Vec<OwnedDoc>), Refusal>
    where
        'a: 'd,
    {
        if managed.managers.is_empty() {
            let empty = self.empty_object(configuration);
            managed = self.managed_before_first_apply(live, &empty, request).map_err(Error::in_base)?;
        }
        let version = self.version()?;
        if ManagedFieldsValue::of(configuration) != ManagedFieldsValue::Absent {
            let message = "an apply configuration has no managed fields: remove metadata.managedFields";
            let error = Error::new(ErrorKind::InvalidManagedFields, message);
            return Err(error.at("managedFields").at("metadata").into());
        }
        let versioned = self.versioned(live).map_err(Error::in_base)?;
        validate(version.place_in(self.library), configuration, None, Duplicates::Refused)?;
        self.validate_versioned(&versioned, Some(configuration)).map_err(Error::in_base)?;
        let (object, entries) = match versioned {
            Cow::Borrowed(live) => self.merged(live, configuration, managed, request)?,
            Cow::Owned(converted) => {
                let (object, entries) = self.merged(&converted, configuration, managed, request)?;
                (object.map(|object| object.to_static()), entries)
            }
        };
        let mut object = object.unwrap_or_else(|| live.borrowed());
        set(&mut object, Vec::new());
        Ok((object, entries))
    }

    /// Merges a valid configuration into a valid object of the same version. Returns the merged object, unless it equals
    /// the live one, and the entries of its managed fields.
    fn merged<'d>(
        &self,
        live: &'d Doc<'_>,
        configuration: &'d Doc<'_>,
        managed: ManagedFields<'d>,
        request: WriteRequest<'_>,
    ) -> Result<(Option<Doc<'d>>, Vec<OwnedDoc>), Refusal>
    where
        'a: 'd,
    {
        let updater = Updater { resource: self.resource, version: self.version()?, library: self.library };
        let id = self.manager_id(request.manager, ManagerOperation::Apply);
        let force = if request.force { Force::Yes } else { Force::No };
        let claim = Claim { manager: &id, force };
        let applied = updater.apply(live, configuration, managed.managers, claim)?;
        let mut times = managed.times;
        if applied.object.is_some() {
            times.insert(id.clone(), request.time());
        }
        let managers = applied.managers.into_iter().filter_map(|(other, owned)| {
            let fields = if other == id { without_stripped_fields(owned.fields) } else { owned.fields };
            (!fields.is_empty()).then_some((other, OwnedFields { fields, api_version: owned.api_version }))
        });
        let managers = managers.collect();
        Ok((applied.object, ManagedFields { managers, times }.entries()))
    }
}

impl WriteRequest<'_> {
    fn time(&self) -> Timestamp {
        self.time.and_then(Timestamp::parse).unwrap_or_else(Timestamp::newest)
    }
}

fn has_uid(object: &Doc<'_>) -> bool {
    let metadata = object.as_map().and_then(|map| map.get("metadata")).and_then(Doc::as_map);
    metadata.and_then(|map| map.get("uid")).and_then(Doc::as_str).is_some_and(|uid| !uid.is_empty())
}

/// Removes the fields that nobody owns. Upstream: `stripMetaManager`.
fn without_stripped_fields(fields: FieldSet<'_>) -> FieldSet<'_> {
    fields.difference(&STRIPPED)
}

/// The fields that nobody owns.
static STRIPPED: LazyLock<FieldSet<'static>> = LazyLock::new(|| {
    const IN_METADATA: [&str; 9] = [
        "name",
        "namespace",
        "creationTimestamp",
        "selfLink",
        "uid",
        "clusterName",
        "generation",
        "managedFields",
        "resourceVersion",
    ];
    let field = |name: &'static str| PathElement::Field(Text::from_static(name));
    let mut stripped = FieldSet::new();
    for name in ["apiVersion", "kind", "metadata"] {
        stripped.insert(&[field(name)]);
    }
    for name in IN_METADATA {
        stripped.insert(&[field("metadata"), field(name)]);
    }
    stripped
});
