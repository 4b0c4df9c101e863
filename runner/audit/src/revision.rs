//! One version of the audited types.

use std::sync::Arc;

use skewer_admission::Admission;
use skewer_admission::structural::StructuralSchema;
use skewer_engine::patch::PatchContext;
use skewer_engine::union::policy;
use skewer_engine::{Doc, Error, ErrorKind, OwnedDoc};
use skewer_skew::{BuiltInDefaults, Client, Decoding, ServedResource, Server};

use super::renames::{DeclaredRename, FieldRename, conversion_of, renames_of_versions};

/// The old or the new version of the audited types.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Revision {
    /// The name in reports, such as `v1`.
    pub name: String,
    /// The shape of the objects.
    pub schema: Arc<StructuralSchema>,
    /// The admission of custom resources. `None` for built-in types and other declared types.
    pub admission: Option<Arc<Admission>>,
    /// Whether the type is that of whole objects, which have metadata.
    pub is_object: bool,
    /// The types of a server with this version.
    pub context: PatchContext,
    /// The types of a client that knows this version.
    pub client_context: PatchContext,
}

/// One of the two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The version before the change.
    Old,
    /// The version after the change.
    New,
}

impl Side {
    /// Returns the name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Side::Old => "old",
            Side::New => "new",
        }
    }

    /// Returns the other side.
    #[must_use]
    pub(super) const fn other(self) -> Side {
        match self {
            Side::Old => Side::New,
            Side::New => Side::Old,
        }
    }
}

/// The two versions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Revisions {
    /// The version before the change.
    pub old: Revision,
    /// The version after the change.
    pub new: Revision,
}

impl Revisions {
    /// Returns one of the versions.
    #[must_use]
    pub fn get(&self, side: Side) -> &Revision {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }
}

impl Revisions {
    /// Returns true if the conversion between versions moves fields.
    #[must_use]
    pub fn moves_fields(&self) -> bool {
        let moves = |revision: &Revision| revision.admission.as_ref().is_some_and(|a| a.moves_fields());
        moves(&self.old) || moves(&self.new)
    }

    /// Returns the same versions on a server of the Kubernetes release `1.minor`.
    #[must_use]
    pub fn on_release(&self, minor: u32) -> Self {
        Revisions { old: self.old.on_release(minor), new: self.new.on_release(minor) }
    }

    /// Returns the same versions, each with storage of its own: nothing is converted.
    #[must_use]
    pub fn without_conversion(&self) -> Self {
        Revisions { old: self.old.without_conversion(), new: self.new.without_conversion() }
    }
}

impl Revision {
    /// Returns the same version on a server of the Kubernetes release `1.minor`.
    #[must_use]
    pub fn on_release(&self, minor: u32) -> Self {
        let of = |admission: &Arc<Admission>| Arc::new(Admission::clone(admission).on_release(minor));
        Revision { admission: self.admission.as_ref().map(of), ..self.clone() }
    }

    /// Returns the version on a server whose conversion to the version in which objects are stored moves the fields
    /// that are declared as renamed. `kind` has the group, too.
    #[must_use]
    pub fn with_renames(mut self, renames: &[DeclaredRename], kind: &str) -> Self {
        let mut fields = self.renames_to_storage(renames, kind);
        if let Some(admission) = self.admission.as_ref().filter(|it| it.storage_version().is_none()) {
            // Requests in the stored version need no conversion, but those in other versions do.
            let versions = admission.resource_definition().map_or(&[][..], |it| &it.versions);
            let of_others = versions
                .iter()
                .map(|other| renames_of_versions(renames, kind, [&other.schema, self.schema()]));
            fields = of_others.into_iter().find(|fields| !fields.is_empty()).unwrap_or_default();
        }
        // Other renames were refused before.
        if let (Some(admission), Ok(moved)) = (&self.admission, conversion_of(&fields))
            && !moved.is_empty()
        {
            self.admission = Some(Arc::new(Admission::clone(admission).with_moved_fields(moved)));
        }
        self
    }

    /// Returns the error of a client whose types have only the values of the version: an enum is a type with these values, and
    /// a required field is always there. `None` if the client can decode the object.
    #[must_use]
    pub fn undecodable_value(&self, object: &OwnedDoc) -> Option<Error> {
        let reviewed = self.admission.as_ref()?.review(None, object.clone());
        let is_of_types = |error: &&Error| {
            matches!(error.kind(), ErrorKind::UnknownEnumValue | ErrorKind::RequiredFieldMissing)
        };
        let error = reviewed.errors.iter().find(is_of_types)?;
        Some(Error::new(ErrorKind::Undecodable, error.message()).at_path(error.path()))
    }

    /// Returns the same version on a server whose objects were stored in it, and that stores objects in another version now.
    #[must_use]
    pub(crate) fn with_older_objects(&self) -> Self {
        let of = |admission: &Arc<Admission>| Arc::new(Admission::clone(admission).with_older_objects());
        Revision { admission: self.admission.as_ref().map(of), ..self.clone() }
    }

    /// Returns the same version, with storage of its own.
    #[must_use]
    pub fn without_conversion(&self) -> Self {
        let own =
            |admission: &Arc<Admission>| Arc::new(Admission::clone(admission).without_storage_version());
        Revision { admission: self.admission.as_ref().map(own), ..self.clone() }
    }

    /// Returns the declared renames from this version to the one in which objects are stored.
    #[must_use]
    pub fn renames_to_storage(&self, renames: &[DeclaredRename], kind: &str) -> Vec<FieldRename> {
        let storage = self.admission.as_ref().and_then(|admission| admission.storage_version());
        let schemas = storage.map(|storage| [self.schema(), &storage.version.schema]);
        schemas.map(|schemas| renames_of_versions(renames, kind, schemas)).unwrap_or_default()
    }

    /// Moves the renamed fields of an object of this version to their places in the version in which objects are
    /// stored.
    pub fn move_to_storage(&self, object: &mut OwnedDoc) {
        if let Some(admission) = &self.admission {
            admission.move_to_storage(object);
        }
    }

    /// Moves the renamed fields of a stored object to their places in this version.
    pub fn move_from_storage(&self, object: &mut OwnedDoc) {
        if let Some(admission) = &self.admission {
            admission.move_from_storage(object);
        }
    }

    /// Returns the schema of the objects.
    #[must_use]
    pub fn schema(&self) -> &StructuralSchema {
        &self.schema
    }

    /// Returns a server with the types of this version.
    #[must_use]
    pub fn server(&self) -> Server {
        Server {
            context: self.context.clone(),
            strict: false,
            policy: policy::NONE,
            admission: self.admission.clone(),
            defaults: BuiltInDefaults::NotSimulated,
        }
    }

    /// Returns true if the status of objects is written through a subresource of its own.
    #[must_use]
    pub fn has_status_subresource(&self) -> bool {
        ServedResource::new(&self.context, self.admission.as_deref()).has_status_subresource()
    }

    /// Returns an object without the fields that a client of this version does not know.
    #[must_use]
    pub fn known_part(&self, object: &OwnedDoc) -> OwnedDoc {
        fn known(schema: &StructuralSchema, value: &OwnedDoc) -> OwnedDoc {
            match value {
                Doc::Map(map) => {
                    let is_open = schema.properties.is_empty();
                    let fields = map.iter().filter_map(|(key, value)| match schema.field(key) {
                        Some(field) => Some((key.clone(), known(field, value))),
                        None => is_open.then(|| (key.clone(), value.clone())),
                    });
                    Doc::Map(fields.collect())
                }
                Doc::List(items) => match &schema.items {
                    Some(schema) => Doc::List(items.iter().map(|item| known(schema, item)).collect()),
                    None => value.clone(),
                },
                scalar => scalar.clone(),
            }
        }
        let mut part = known(&self.schema, object);
        // The schema of a definition does not have to declare the metadata.
        if let (Some(part), Some(metadata)) =
            (part.as_map_mut(), object.as_map().and_then(|map| map.get("metadata")))
        {
            part.insert("metadata".into(), metadata.clone());
        }
        part
    }

    /// Returns a client with the types of this version.
    #[must_use]
    pub fn client(&self, decoding: Decoding) -> Client {
        Client::new(self.client_context.clone(), decoding)
    }
}
