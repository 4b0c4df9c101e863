//! Schema views. A view is a schema without the elements that one party does not know.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::compiled::{EnumType, Schema, StructType, Type};
use super::metadata_tag::{MetadataTag, MetadataTags, join_words};
use crate::document::{OwnedText, Text};
use crate::error::{Error, ErrorKind, Result};

/// An element of a schema that a view can leave out: a field (`Strategy.bar`), a value of an enum
/// (`StrategyType=Bar`), metadata of a field (`Holder.strategy:patchStrategy`, `Holder.ports:listType`), or metadata of
/// a type (`Strategy:structType`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SchemaElement {
    /// The field of a type.
    Field {
        /// The name of the struct that has the field.
        type_name: OwnedText,
        /// The key of the field in documents.
        field: OwnedText,
    },
    /// A value of an enum type.
    EnumValue {
        /// The name of the enum type.
        type_name: OwnedText,
        /// The value in documents.
        value: OwnedText,
    },
    /// One tag of the metadata of a field. If the schema does not have the field, and has a type whose name is that of
    /// the type and the field with a dot in between (`core/v1.ObjectReference:structType`), the tag of that type.
    Metadata {
        /// The name of the struct that has the field.
        type_name: OwnedText,
        /// The key of the field in documents.
        field: OwnedText,
        /// The tag of the field.
        tag: MetadataTag,
    },
    /// One tag of a type.
    TypeMetadata {
        /// The name of the type.
        type_name: OwnedText,
        /// The tag of the type. It is one of the tags for server-side apply.
        tag: MetadataTag,
    },
}

impl SchemaElement {
    /// Returns the name of the declared type that the element belongs to.
    #[must_use]
    pub fn type_name(&self) -> &OwnedText {
        match self {
            SchemaElement::Field { type_name, .. }
            | SchemaElement::EnumValue { type_name, .. }
            | SchemaElement::Metadata { type_name, .. }
            | SchemaElement::TypeMetadata { type_name, .. } => type_name,
        }
    }

    /// Returns the same element of another type.
    #[must_use]
    pub fn with_type_name(mut self, name: OwnedText) -> Self {
        match &mut self {
            SchemaElement::Field { type_name, .. }
            | SchemaElement::EnumValue { type_name, .. }
            | SchemaElement::Metadata { type_name, .. }
            | SchemaElement::TypeMetadata { type_name, .. } => *type_name = name,
        }
        self
    }
}

impl fmt::Display for SchemaElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchemaElement::Field { type_name, field } => write!(f, "{type_name}.{field}"),
            SchemaElement::EnumValue { type_name, value } => write!(f, "{type_name}={value}"),
            SchemaElement::Metadata { type_name, field, tag } => {
                write!(f, "{type_name}.{field}:{}", tag.name())
            }
            SchemaElement::TypeMetadata { type_name, tag } => write!(f, "{type_name}:{}", tag.name()),
        }
    }
}

impl FromStr for SchemaElement {
    type Err = Error;

    /// Parses an element as [`SchemaElement::parse`] does, with the metadata tags of the registered directives.
    fn from_str(text: &str) -> Result<Self> {
        SchemaElement::parse(text, &MetadataTags::registered())
    }
}

impl SchemaElement {
    /// Parses an element from one of the forms that [`SchemaElement`] shows. `tags` are the metadata tags that
    /// directives declare.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidSchema`] if the text has none of these forms.
    pub fn parse(text: &str, tags: &MetadataTags) -> Result<Self> {
        if let Some((type_name, value)) = text.split_once('=') {
            return Ok(SchemaElement::EnumValue { type_name: type_name.into(), value: value.into() });
        }
        let (field_part, tag) = match text.split_once(':') {
            Some((field_part, tag)) => (field_part, Some(tag)),
            None => (text, None),
        };
        let tag = tag.map(|tag| parse_tag(tag, tags)).transpose()?;
        if let Some(tag) = tag.filter(|tag| tag.is_of_types() && !field_part.contains('.')) {
            return Ok(SchemaElement::TypeMetadata { type_name: field_part.into(), tag });
        }
        // The last dot separates type and field, because type names can contain dots: `core/v1.PodSpec.volumes`.
        let Some((type_name, field)) = field_part
            .rsplit_once('.')
            .filter(|(type_name, field)| !type_name.is_empty() && !field.is_empty())
        else {
            return Err(Error::new(
                ErrorKind::InvalidSchema,
                format!(
                    "{text:?} names nothing that a party can lack: expected Type.field, Type=value, \
                     Type.field:tag, or a directive"
                ),
            ));
        };
        let (type_name, field) = (Text::from(type_name), Text::from(field));
        Ok(match tag {
            Some(tag) => SchemaElement::Metadata { type_name, field, tag },
            None => SchemaElement::Field { type_name, field },
        })
    }
}

fn parse_tag(name: &str, tags: &MetadataTags) -> Result<MetadataTag> {
    let known = tags.all();
    known.iter().find(|known| known.name() == name).copied().ok_or_else(|| {
        let names: Vec<&str> = known.into_iter().map(MetadataTag::name).collect();
        let message = format!("{name:?} is not a tag of a field: expected {}", join_words(&names, "or"));
        Error::new(ErrorKind::InvalidSchema, message)
    })
}

impl Schema {
    /// Returns the view of a party that does not know these elements.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidSchema`] if the schema does not have an element. A view that does not differ from the schema
    /// would be a mistake of the caller.
    ///
    /// ```
    /// # #[cfg(feature = "builtin")] {
    /// use skewer_engine::schema::{SchemaElement, builtin};
    ///
    /// let release = builtin::newest();
    /// let element: SchemaElement = "core/v1.ServicePort.appProtocol".parse()?;
    /// let old = release.schema().without([&element])?;
    /// let port = old.named("core/v1.ServicePort").expect("the type is still there");
    /// assert!(old.field(port, "appProtocol").is_none());
    /// # }
    /// # Ok::<(), skewer_engine::Error>(())
    /// ```
    pub fn without<'a>(&self, elements: impl IntoIterator<Item = &'a SchemaElement>) -> Result<Schema> {
        let mut view = self.clone();
        for element in elements {
            if !view.remove(element) {
                return Err(Error::new(
                    ErrorKind::InvalidSchema,
                    format!("the schema has no {element}, which the view is to lack"),
                ));
            }
        }
        Ok(view)
    }

    /// Returns the view of a party that does not know this tag, whatever field or type has it.
    #[must_use]
    pub fn without_tag(&self, tag: MetadataTag) -> Schema {
        let mut view = self.clone();
        let has_tag = |s: &StructType| s.fields().any(|field| field.meta.has_metadata(tag));
        view.edit_structs(has_tag, |s| {
            for field in s.fields_mut().filter(|field| field.meta.has_metadata(tag)) {
                Arc::make_mut(&mut field.meta).remove_tag(tag);
            }
        });
        if tag.is_of_types() {
            for topology in Arc::make_mut(&mut view.topologies).values_mut() {
                topology.remove_tag(tag);
            }
        }
        view
    }

    fn remove(&mut self, element: &SchemaElement) -> bool {
        match element {
            SchemaElement::TypeMetadata { type_name, tag } => self.remove_type_metadata(type_name, *tag),
            SchemaElement::Metadata { type_name, field, tag } if tag.is_of_types() => {
                self.remove_declared(element)
                    || self.remove_type_metadata(&format!("{type_name}.{field}"), *tag)
            }
            _ => self.remove_declared(element),
        }
    }

    /// Removes an element of a struct or an enum.
    fn remove_declared(&mut self, element: &SchemaElement) -> bool {
        let type_name = element.type_name();
        // If the element names an alias, use the name of the aliased type, because the element must be removed from
        // every copy of the type.
        let name = match self.named(type_name).map(|id| self.get(id)) {
            Some(Type::Struct(s)) => s.name.clone(),
            Some(Type::Enum(e)) => e.name.clone(),
            _ => return false,
        };
        match element {
            SchemaElement::Field { field, .. } => self.remove_field(&name, field),
            SchemaElement::EnumValue { value, .. } => self.remove_enum_value(&name, value),
            SchemaElement::Metadata { field, tag, .. } => self.remove_metadata(&name, field, *tag),
            SchemaElement::TypeMetadata { .. } => false,
        }
    }

    fn remove_type_metadata(&mut self, type_name: &str, tag: MetadataTag) -> bool {
        let Some(ty) = self.named(type_name) else { return false };
        let Some(topology) = Arc::make_mut(&mut self.topologies).get_mut(&ty) else { return false };
        let before = topology.clone();
        topology.remove_tag(tag);
        *topology != before
    }

    /// Removes a field from a struct and from the structs that embed it.
    fn remove_field(&mut self, type_name: &str, field: &str) -> bool {
        self.edit_structs(|s| s.declared_field(type_name, field).is_some(), |s| s.remove_field(field))
    }

    fn remove_enum_value(&mut self, type_name: &str, value: &str) -> bool {
        let has_value = |e: &EnumType| e.name == *type_name && e.values.iter().any(|v| v == value);
        let is_removed = self.edit_enums(has_value, |e| e.values.retain(|v| v != value));
        self.remove_from_unions(type_name, value);
        is_removed
    }

    fn remove_metadata(&mut self, type_name: &str, field: &str, tag: MetadataTag) -> bool {
        let has_tag = |s: &StructType| {
            s.declared_field(type_name, field).is_some_and(|field| field.meta.has_metadata(tag))
        };
        self.edit_structs(has_tag, |s| {
            if let Some(field) = s.field_mut(field) {
                Arc::make_mut(&mut field.meta).remove_tag(tag);
            }
        })
    }

    /// Removes a value from the discriminators of this enum type.
    fn remove_from_unions(&mut self, type_name: &str, value: &str) {
        self.edit_structs(
            |s| s.unions().iter().any(|union| union.is_discriminated_by(type_name)),
            |s| s.unions_mut().iter_mut().for_each(|union| union.remove_value(type_name, value)),
        );
    }
}
