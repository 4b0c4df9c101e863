//! Unions that no marker declares, put on a schema by a program.

use super::model::Union;
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{Schema, Type};

impl Schema {
    /// The schema with one more union on a struct type: how a legacy union, or one that is to be migrated, is
    /// declared for types that come without markers. The discriminator's values follow its enum type in views.
    ///
    /// [`ErrorKind::InvalidSchema`] when there is no such struct, or it lacks a field of the union.
    pub fn with_union(mut self, of: &str, mut union: Union) -> Result<Schema> {
        let invalid = |message: String| Error::new(ErrorKind::InvalidSchema, message);
        let missing = || invalid(format!("the schema has no struct {of} that could have a union"));
        let ty = self.named(of).ok_or_else(missing)?;
        let discriminator = union.discriminator.as_ref().map(|d| &d.field);
        let mut fields = discriminator.into_iter().chain(union.members.iter().map(|member| &member.field));
        if let Some(missing) = fields.find(|field| self.field(ty, field).is_none()) {
            return Err(invalid(format!("{of} has no field {missing} that a union could be made of")));
        }
        if let Some(discriminator) = &mut union.discriminator
            && let Some(Type::Enum(e)) = self.field(ty, &discriminator.field).map(|field| self.get(field.ty))
        {
            discriminator.of = Some(e.name.clone());
        }
        if self.attach(ty, &union) { Ok(self) } else { Err(missing()) }
    }
}
