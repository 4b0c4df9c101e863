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
}

impl Knowledge {
    /// Knows the named type of the schema, and every directive.
    ///
    /// [`ErrorKind::InvalidSchema`] when the schema has no such type.
    pub fn of(schema: Arc<Schema>, root: &str) -> Result<Self> {
        let Some(id) = schema.named(root) else {
            return Err(Error::new(
                ErrorKind::InvalidSchema,
                format!("the schema has no type {root}; it has {}", schema.names().join(", ")),
            ));
        };
        Ok(Knowledge { schema, root: id, directives: DirectiveSet::all() })
    }
}
