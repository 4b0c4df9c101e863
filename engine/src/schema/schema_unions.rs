//! The unions of a schema: which types have one, and from which types one can be reached.

use std::sync::Arc;

use super::compiled::{Schema, Type, TypeId};
use super::union::Union;
use crate::error::{Error, ErrorKind, Result};

impl Schema {
    /// Returns true if a type of the schema has a union. A view returns the answer of the schema from which it was
    /// created.
    #[must_use]
    pub fn has_unions(&self) -> bool {
        !self.reaches_union.is_empty()
    }

    /// Returns true if objects of a type can have a union at any depth. A view can also return the answer of the schema from
    /// which it was created.
    pub(crate) fn reaches_union(&self, ty: TypeId) -> bool {
        self.reaches_union.get(ty.0 as usize).copied().unwrap_or(false)
    }

    /// Computes from which types unions can be reached.
    pub(super) fn find_unions(types: &[Arc<Type>]) -> Arc<[bool]> {
        let has_union = |ty: &Arc<Type>| matches!(&**ty, Type::Struct(s) if !s.unions().is_empty());
        let mut found: Vec<bool> = types.iter().map(has_union).collect();
        if !found.contains(&true) {
            return Arc::from([]);
        }
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for (index, ty) in types.iter().enumerate() {
                let is_found = |ty: &TypeId| found[ty.0 as usize];
                let reaches = match &**ty {
                    Type::Struct(s) => s.fields().any(|field| is_found(&field.ty)),
                    Type::Map(ty) | Type::List(ty) => is_found(ty),
                    _ => false,
                };
                if reaches && !found[index] {
                    found[index] = true;
                    is_changed = true;
                }
            }
        }
        found.into()
    }

    /// Adds a union to a struct type and its aliases. Returns false if the type is not a struct.
    pub(crate) fn add_union(&mut self, ty: TypeId, union: &Union) -> bool {
        let Some(name) = self.as_struct(ty).map(|s| s.name.clone()) else { return false };
        self.edit_structs(|s| s.name == name, |s| s.unions_mut().push(union.clone()));
        self.reaches_union = Schema::find_unions(&self.types);
        true
    }

    /// Adds a union to a struct type. A caller uses this for a type without markers, to declare a legacy union or a
    /// union that is to be migrated. The discriminator is bound to the enum type of its field, so that its values
    /// depend on the schema view.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidSchema`] if the schema has no struct with this name, or if the struct does not have a field
    /// of the union.
    pub fn with_union(mut self, type_name: &str, mut union: Union) -> Result<Schema> {
        let invalid = |message: String| Error::new(ErrorKind::InvalidSchema, message);
        let no_struct =
            || invalid(format!("the schema has no struct {type_name} to which a union could be added"));
        let ty = self.named(type_name).ok_or_else(no_struct)?;
        let discriminator = union.discriminator.as_ref().map(|d| &d.field);
        let mut fields = discriminator.into_iter().chain(union.members.iter().map(|member| &member.field));
        if let Some(missing) = fields.find(|field| self.field(ty, field).is_none()) {
            return Err(invalid(format!("{type_name} has no field {missing}, which the union contains")));
        }
        if let Some(discriminator) = &mut union.discriminator {
            let discriminator_type = self.field(ty, &discriminator.field).map(|field| self.get(field.ty));
            if let Some(Type::Enum(e)) = discriminator_type {
                discriminator.enum_type = Some(e.name.clone());
            }
        }
        if self.add_union(ty, &union) { Ok(self) } else { Err(no_struct()) }
    }
}
