//! What one party does not know of a schema.

use std::fmt;
use std::str::FromStr;

use super::compiled::{Schema, Type};
use super::field_meta::{FieldMeta, PatchStrategy};
use crate::document::{OwnedText, Text};
use crate::error::{Error, ErrorKind, Result};

/// One thing that a party lacks: a field (`Strategy.bar`), a value of an enum (`StrategyType=Bar`), or patch
/// metadata of a field (`Holder.strategy:patchStrategy`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SchemaElement {
    /// The field of a type.
    Field {
        /// The declared type.
        of: OwnedText,
        /// The field's key in documents.
        field: OwnedText,
    },
    /// A value of an enum type.
    EnumValue {
        /// The declared enum type.
        of: OwnedText,
        /// The value in documents.
        value: OwnedText,
    },
    /// One tag of a field's patch metadata.
    Metadata {
        /// The declared type.
        of: OwnedText,
        /// The field's key in documents.
        field: OwnedText,
        /// Which tag.
        tag: MetadataTag,
    },
}

/// The tags of patch metadata that a party can lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MetadataTag {
    /// All of `patchStrategy`.
    PatchStrategy,
    /// Only `retainKeys` in `patchStrategy`.
    RetainKeys,
    /// `patchMergeKey`.
    PatchMergeKey,
    /// `recommendedPatchMergeKey`.
    RecommendedPatchMergeKey,
}

impl MetadataTag {
    const ALL: [(MetadataTag, &'static str); 4] = [
        (MetadataTag::PatchStrategy, "patchStrategy"),
        (MetadataTag::RetainKeys, "retainKeys"),
        (MetadataTag::PatchMergeKey, "patchMergeKey"),
        (MetadataTag::RecommendedPatchMergeKey, "recommendedPatchMergeKey"),
    ];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(tag, _)| *tag == self).map_or("", |(_, name)| name)
    }

    fn take(self, meta: &mut FieldMeta) {
        match self {
            MetadataTag::PatchStrategy => {
                meta.strategy = PatchStrategy::Unset;
                meta.retain_keys = false;
            }
            MetadataTag::RetainKeys => meta.retain_keys = false,
            MetadataTag::PatchMergeKey => meta.forget_merge_key(),
            MetadataTag::RecommendedPatchMergeKey => meta.recommended_merge_key.clear(),
        }
    }
}

impl fmt::Display for SchemaElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchemaElement::Field { of, field } => write!(f, "{of}.{field}"),
            SchemaElement::EnumValue { of, value } => write!(f, "{of}={value}"),
            SchemaElement::Metadata { of, field, tag } => write!(f, "{of}.{field}:{}", tag.name()),
        }
    }
}

impl FromStr for SchemaElement {
    type Err = Error;

    /// Reads the three forms above. [`ErrorKind::InvalidSchema`] for anything else.
    fn from_str(text: &str) -> Result<Self> {
        if let Some((of, value)) = text.split_once('=') {
            return Ok(SchemaElement::EnumValue { of: of.into(), value: value.into() });
        }
        let (place, tag) = match text.split_once(':') {
            Some((place, tag)) => (place, Some(tag)),
            None => (text, None),
        };
        // Type names of the embedded releases hold dots themselves: `core/v1.PodSpec.volumes`.
        let Some((of, field)) =
            place.rsplit_once('.').filter(|(of, field)| !of.is_empty() && !field.is_empty())
        else {
            return Err(Error::new(
                ErrorKind::InvalidSchema,
                format!(
                    "{text:?} names nothing that a party can lack: expected Type.field, Type=value, \
                     Type.field:tag, or a directive"
                ),
            ));
        };
        let (of, field) = (Text::from(of), Text::from(field));
        let Some(tag) = tag else { return Ok(SchemaElement::Field { of, field }) };
        match MetadataTag::ALL.iter().find(|(_, name)| *name == tag) {
            Some((tag, _)) => Ok(SchemaElement::Metadata { of, field, tag: *tag }),
            None => Err(Error::new(
                ErrorKind::InvalidSchema,
                format!(
                    "{tag:?} is no patch metadata: expected patchStrategy, retainKeys, patchMergeKey or \
                     recommendedPatchMergeKey"
                ),
            )),
        }
    }
}

impl Schema {
    /// The schema as somebody sees it who lacks these things. A lack that names nothing of the schema is an
    /// error ([`ErrorKind::InvalidSchema`]): a view that differs in nothing tests nothing.
    ///
    /// ```
    /// use skewer_engine::schema::{SchemaElement, builtin};
    ///
    /// let release = builtin::newest();
    /// let lacks: SchemaElement = "core/v1.ServicePort.appProtocol".parse()?;
    /// let old = release.schema().without([&lacks])?;
    /// let port = old.named("core/v1.ServicePort").expect("the type is still there");
    /// assert!(old.field(port, "appProtocol").is_none());
    /// # Ok::<(), skewer_engine::Error>(())
    /// ```
    pub fn without<'a>(&self, lacks: impl IntoIterator<Item = &'a SchemaElement>) -> Result<Schema> {
        let mut view = self.clone();
        for lack in lacks {
            if !view.take(lack) {
                return Err(Error::new(
                    ErrorKind::InvalidSchema,
                    format!("the schema has no {lack}: nothing to be without"),
                ));
            }
        }
        Ok(view)
    }

    /// The schema as somebody sees it to whom a tag means nothing, wherever it stands.
    #[must_use]
    pub fn without_tag(&self, tag: MetadataTag) -> Schema {
        let mut view = self.clone();
        for s in view.structs_mut() {
            s.metas_mut().for_each(|meta| tag.take(meta));
        }
        view
    }

    fn take(&mut self, lack: &SchemaElement) -> bool {
        let (SchemaElement::Field { of, .. }
        | SchemaElement::EnumValue { of, .. }
        | SchemaElement::Metadata { of, .. }) = lack;
        // The name of the type itself where an alias of it is named: each alias has a copy, and all lack the same.
        let name = match self.named(of).map(|id| self.get(id)) {
            Some(Type::Struct(s)) => s.name.clone(),
            Some(Type::Enum(e)) => e.name.clone(),
            _ => return false,
        };
        match lack {
            SchemaElement::Field { field, .. } => self.take_field(&name, field),
            SchemaElement::EnumValue { value, .. } => self.take_value(&name, value),
            SchemaElement::Metadata { field, tag, .. } => self.take_metadata(&name, field, *tag),
        }
    }

    /// A struct that embeds this one has its fields, and lacks them with it.
    fn take_field(&mut self, of: &str, field: &str) -> bool {
        let mut taken = false;
        for s in self.structs_mut() {
            let declared_here = s.name == of || s.field(field).is_some_and(|f| f.declared_in == of);
            taken |= declared_here && s.remove(field);
        }
        taken
    }

    fn take_value(&mut self, of: &str, value: &str) -> bool {
        let mut taken = false;
        for ty in self.types_mut() {
            if let Type::Enum(e) = ty
                && e.name == of
            {
                let before = e.values.len();
                e.values.retain(|v| v != value);
                taken |= e.values.len() < before;
            }
        }
        self.forget_in_unions(of, value);
        taken
    }

    /// The same, of a field that stays.
    fn take_metadata(&mut self, of: &str, field: &str, tag: MetadataTag) -> bool {
        let mut taken = false;
        for s in self.structs_mut() {
            let is_named = s.name == of;
            let Some(field) = s.field_mut(field).filter(|f| is_named || f.declared_in == of) else {
                continue;
            };
            let before = field.meta.clone();
            tag.take(&mut field.meta);
            taken |= field.meta != before;
        }
        taken
    }

    /// The discriminators of this enum type lose the value too.
    fn forget_in_unions(&mut self, of: &str, value: &str) {
        for ty in self.types_mut() {
            if let Type::Struct(s) = ty {
                s.unions_mut().iter_mut().for_each(|union| union.forget_value(of, value));
            }
        }
    }
}
