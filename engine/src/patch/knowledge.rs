use std::sync::Arc;

use crate::directive::DirectiveSet;
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{Schema, TypeId};

/// What a party brings to a patch: the type of the object as it knows it, and the directives that it knows.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// The types.
    pub schema: Arc<Schema>,
    /// The type of the object.
    pub root: TypeId,
    /// The directives.
    pub directives: DirectiveSet,
    /// The object is a custom resource, for which servers have no strategic merge patch: it is refused with
    /// [`ErrorKind::UnsupportedPatchFormat`], and a JSON merge patch takes its place.
    pub custom_resource: bool,
}

impl Knowledge {
    /// Knows the named type of the schema, as that of built-in objects, and every directive.
    ///
    /// [`ErrorKind::InvalidSchema`] when the schema has no such type.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use skewer_engine::patch::{self, Knowledge};
    /// # use skewer_engine::schema::builtin;
    /// # use skewer_engine::value::from_json;
    /// # let release = builtin::newest();
    /// // A client that does not know `$retainKeys` yet.
    /// let mut client = Knowledge::of(Arc::clone(release.schema()), release.resolve("Deployment")?)?;
    /// client.directives = client.directives.without("$retainKeys");
    /// assert!(!client.directives.knows("$retainKeys"));
    /// # Ok::<(), skewer_engine::Error>(())
    /// ```
    pub fn of(schema: Arc<Schema>, root: &str) -> Result<Self> {
        let Some(id) = schema.named(root) else {
            return Err(Error::new(
                ErrorKind::InvalidSchema,
                format!("the schema has no type {root}; it has {}", schema.names().join(", ")),
            ));
        };
        Ok(Knowledge { schema, root: id, directives: DirectiveSet::all(), custom_resource: false })
    }

    /// Is there a strategic merge patch for the object? Upstream: `StrategicMergeMapPatch`, which refuses to
    /// apply one to what is decoded as `Unstructured`; nobody creates one for it either.
    pub(super) fn require_strategic(&self) -> Result<()> {
        if self.custom_resource {
            return Err(Error::new(
                ErrorKind::UnsupportedPatchFormat,
                "a custom resource has no strategic merge patch: use a JSON merge patch",
            ));
        }
        Ok(())
    }
}
