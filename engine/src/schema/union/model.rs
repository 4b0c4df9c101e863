//! The model of a union: its members, its discriminator, and the member that an object selects.

use crate::document::{Doc, DocKind, OwnedMap, OwnedText, Text};

/// A set of fields of one struct of which at most one, or exactly one, is set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Union {
    /// The name that `+k8s:unionMember(union: "…")` gives; empty in the other forms.
    pub name: OwnedText,
    /// The field that selects a member, if there is one.
    pub discriminator: Option<Discriminator>,
    /// The members, in the order of their declaration.
    pub members: Vec<Member>,
    /// How the union was declared.
    pub form: DeclarationForm,
    /// Whether a member must be set, for unions without a discriminator. With one that depends on its values: see
    /// [`Union::cardinality`].
    pub(super) required: bool,
}

/// The field that selects a member of a union.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Discriminator {
    /// The key in documents.
    pub field: OwnedText,
    /// The enum type that lists the values, where there is one.
    pub enum_type: Option<OwnedText>,
    /// The valid values; `None` when any string is valid, as in unions of declarative validation.
    pub values: Option<Vec<OwnedText>>,
    /// The value that a document without the field has: `+default`.
    pub default: Option<OwnedText>,
}

/// A field that is a member of a union.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// The key in documents.
    pub field: OwnedText,
    /// The value of the discriminator that selects the member.
    pub value: OwnedText,
    /// The discriminator may select the member while the field is not set: `+unionMember,optional`.
    pub optional: bool,
    /// Whether the zero value counts as "not set" in generated Go code: the field is a scalar, a list or a map, and no
    /// pointer. Only tags of declarative validation imply this; the KEP was to be implemented on documents.
    pub zero_is_unset: bool,
}

/// How a union was declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeclarationForm {
    /// KEP-1027: `+unionDiscriminator` and `+unionMember`, or `x-kubernetes-unions` on the discriminator.
    Kep,
    /// The revision of 2019: a list `x-kubernetes-unions` on the object.
    List {
        /// `deduceInvalidDiscriminator`: may a server write the discriminator? The document of 2019 says that
        /// it does; the flag came with the code, and is `None` where it is not given.
        deduce: Option<bool>,
    },
    /// Declarative validation: `+k8s:unionDiscriminator`, `+k8s:unionMember`, `+k8s:zeroOrOneOfMember`.
    Declarative,
    /// Declared by a program, for a union that no marker declares yet.
    Legacy,
}

/// How many members an object must have set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cardinality {
    /// None, or one.
    AtMostOne,
    /// One.
    ExactlyOne,
}

/// The member that the discriminator of an object selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection<'u> {
    /// This member.
    Member(&'u Member),
    /// No member: the value belongs to an empty member, or to the author's "none".
    NoMember,
    /// There is no value, and no default.
    Unset,
    /// The value is none of the valid ones.
    Unknown(OwnedText),
    /// The value is not a string.
    NotAString(DocKind),
}

impl Discriminator {
    /// Returns the value of an object without the field; the empty string means "none" by convention.
    fn default_value(&self) -> &str {
        self.default.as_deref().unwrap_or_default()
    }

    fn has_value(&self, value: &str) -> bool {
        self.values.as_ref().is_some_and(|values| values.iter().any(|v| v == value))
    }

    /// Returns the value that is written in an object: not missing, null or the empty string.
    ///
    /// # Errors
    ///
    /// The kind of a value that is not a string.
    pub fn explicit_value<'a>(&self, object: &'a OwnedMap) -> Result<Option<&'a str>, DocKind> {
        match object.get(&self.field) {
            None | Some(Doc::Null) => Ok(None),
            Some(Doc::String(value)) => Ok(Some(value.as_str()).filter(|value| !value.is_empty())),
            Some(other) => Err(other.kind()),
        }
    }

    /// Returns the value in an object, or the default. In Go an empty string is no value: it means the default unless
    /// the author of the type listed it.
    ///
    /// # Errors
    ///
    /// The kind of a value that is not a string.
    pub fn effective_value<'a>(&'a self, object: Option<&'a OwnedMap>) -> Result<&'a str, DocKind> {
        match object.and_then(|object| object.get(&self.field)) {
            None | Some(Doc::Null) => Ok(self.default_value()),
            Some(Doc::String(value)) if value.is_empty() && !self.has_value("") => Ok(self.default_value()),
            Some(Doc::String(value)) => Ok(value),
            Some(other) => Err(other.kind()),
        }
    }
}

impl Member {
    /// Returns a member whose document form has no zero value.
    #[must_use]
    pub fn new(field: &str, value: &str) -> Self {
        Member { field: field.into(), value: value.into(), optional: false, zero_is_unset: false }
    }

    /// Returns this member, which may be selected without being set.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// Returns true if the document has the member. A null counts as absent.
    #[must_use]
    pub fn is_set(&self, object: &OwnedMap) -> bool {
        object.get(&self.field).is_some_and(|value| !value.is_null())
    }

    /// Returns true if the member is set once the document is decoded into Go types, as the accessors of generated
    /// validation determine it: a pointer is not nil, a list or a map is not empty, a scalar is not zero.
    #[must_use]
    pub fn is_set_when_decoded(&self, object: &OwnedMap) -> bool {
        object.get(&self.field).is_some_and(|value| match value {
            Doc::Null => false,
            value if !self.zero_is_unset => !value.is_null(),
            Doc::Bool(b) => *b,
            Doc::Int(i) => *i != 0,
            Doc::Float(f) => *f != 0.0,
            Doc::String(s) => !s.is_empty(),
            Doc::List(items) => !items.is_empty(),
            Doc::Map(map) => !map.is_empty(),
        })
    }
}

impl Union {
    /// Returns a union without a discriminator, whose server checks it by hand, as built-in types do today.
    #[must_use]
    pub fn legacy<'a>(fields: impl IntoIterator<Item = &'a str>, cardinality: Cardinality) -> Self {
        Union {
            name: Text::default(),
            discriminator: None,
            members: fields.into_iter().map(|field| Member::new(field, field)).collect(),
            form: DeclarationForm::Legacy,
            required: cardinality == Cardinality::ExactlyOne,
        }
    }

    /// Returns a union with a discriminator. `values` are all that are valid; those that select no member are empty
    /// members.
    ///
    /// ```
    /// use skewer_engine::schema::union::{Cardinality, Member, Union};
    ///
    /// let union = Union::discriminated(
    ///     "type",
    ///     ["Recreate", "RollingUpdate"],
    ///     vec![Member::new("rollingUpdate", "RollingUpdate")],
    /// );
    /// assert_eq!(union.cardinality(), Cardinality::AtMostOne);
    /// ```
    #[must_use]
    pub fn discriminated<'a>(
        field: &str,
        values: impl IntoIterator<Item = &'a str>,
        members: Vec<Member>,
    ) -> Self {
        let discriminator = Discriminator {
            field: field.into(),
            enum_type: None,
            values: Some(values.into_iter().map(Text::from).collect()),
            default: None,
        };
        Union::new(Some(discriminator), members, DeclarationForm::Kep)
    }

    pub(super) fn new(
        discriminator: Option<Discriminator>,
        members: Vec<Member>,
        form: DeclarationForm,
    ) -> Self {
        Union { name: Text::default(), discriminator, members, form, required: false }
    }

    /// Returns the member with this field.
    #[must_use]
    pub fn member(&self, field: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.field == field)
    }

    /// Returns the member that a value of the discriminator selects.
    #[must_use]
    pub fn member_selected_by(&self, value: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.value == value)
    }

    /// Returns the members that a document has set.
    #[must_use]
    pub fn set_members(&self, object: &OwnedMap) -> Vec<&Member> {
        self.members.iter().filter(|member| member.is_set(object)).collect()
    }

    /// Returns the values of the discriminator that select no member: "none", and members without configuration.
    pub fn empty_values(&self) -> impl Iterator<Item = &str> {
        let values = self.discriminator.as_ref().and_then(|d| d.values.as_deref()).unwrap_or_default();
        values.iter().map(Text::as_str).filter(|value| self.member_selected_by(value).is_none())
    }

    /// Returns how many members must be set. With a discriminator of known values: exactly one, if every value selects
    /// a member that is not optional.
    #[must_use]
    pub fn cardinality(&self) -> Cardinality {
        let exactly = match &self.discriminator {
            None => self.required,
            Some(discriminator) => discriminator.values.as_ref().is_some_and(|values| {
                values
                    .iter()
                    .all(|value| self.member_selected_by(value).is_some_and(|member| !member.optional))
            }),
        };
        if exactly { Cardinality::ExactlyOne } else { Cardinality::AtMostOne }
    }

    /// Returns the member that the discriminator of an object selects; `None` for a union without discriminator.
    #[must_use]
    pub fn selection(&self, object: &OwnedMap) -> Option<Selection<'_>> {
        let discriminator = self.discriminator.as_ref()?;
        let value = match discriminator.effective_value(Some(object)) {
            Ok(value) => value,
            Err(kind) => return Some(Selection::NotAString(kind)),
        };
        Some(match (self.member_selected_by(value), &discriminator.values) {
            (Some(member), _) if discriminator.values.is_none() || discriminator.has_value(value) => {
                Selection::Member(member)
            }
            (None, _) if discriminator.has_value(value) => Selection::NoMember,
            (_, None) => Selection::NoMember,
            _ if value.is_empty() => Selection::Unset,
            _ => Selection::Unknown(Text::from(value)),
        })
    }

    /// Removes a field that a party does not know. Returns false when no union remains.
    pub(crate) fn remove_field(&mut self, field: &str) -> bool {
        let required = self.cardinality() == Cardinality::ExactlyOne;
        if self.discriminator.take_if(|discriminator| discriminator.field == field).is_some() {
            self.required = required;
        }
        self.members.retain(|member| member.field != field);
        self.discriminator.is_some() || !self.members.is_empty()
    }

    /// Removes a value that the enum of a party does not have.
    pub(crate) fn remove_value(&mut self, enum_type: &str, value: &str) {
        let Some(discriminator) =
            self.discriminator.as_mut().filter(|d| d.enum_type.as_deref() == Some(enum_type))
        else {
            return;
        };
        if let Some(values) = &mut discriminator.values {
            values.retain(|v| v != value);
        }
        discriminator.default.take_if(|default| default == value);
    }
}
