//! The model of a union: its members, its discriminator, and the selection of a member by an object.

use crate::document::{Doc, DocKind, OwnedMap, OwnedText, Text};

/// A union: a set of fields of one struct, of which at most one or exactly one can be set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Union {
    /// The name from `+k8s:unionMember(union: "…")` or `+k8s:ifMode(modality: "…")`. Empty in the other forms of declarations.
    pub name: OwnedText,
    /// The field that selects a member, or `None` if the union has no discriminator.
    pub discriminator: Option<Discriminator>,
    /// The members, in the order of their declaration.
    pub members: Vec<Member>,
    /// The form of the declaration.
    pub form: DeclarationForm,
    /// Whether a member must be set. Used only for unions without a discriminator. With a discriminator,
    /// [`Union::cardinality`] depends on its values.
    pub(super) required: bool,
}

/// The field that selects a member of a union.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Discriminator {
    /// The key in documents.
    pub field: OwnedText,
    /// The name of the enum type that lists the values, or `None` if the type of the discriminator is not an enum.
    pub enum_type: Option<OwnedText>,
    /// The valid values, or `None` if any string is valid. The latter occurs in unions of declarative validation.
    pub values: Option<Vec<OwnedText>>,
    /// The value of `+default`, which a document without the field has.
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
    /// Whether the member need not be set when the discriminator selects it (`+unionMember,optional`).
    pub optional: bool,
    /// Whether generated Go code treats the zero value as "not set". This is true for scalars, lists and maps that are
    /// not pointers. Only tags of declarative validation set this flag, because KEP-1027 is defined on documents.
    pub zero_is_unset: bool,
    /// The rules of a modal union, each with the value of the discriminator for which it holds. The member is forbidden
    /// for a value without a rule. Empty in all other unions.
    pub modes: Vec<(OwnedText, ModeRule)>,
}

/// The rule for a member of a modal union while the discriminator has a certain value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModeRule {
    /// The member must be set.
    Required,
    /// The member can be set.
    Optional,
    /// The member must not be set.
    Forbidden,
}

/// The form in which a union is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeclarationForm {
    /// The form of KEP-1027: `+unionDiscriminator` and `+unionMember`, or `x-kubernetes-unions` on the discriminator.
    Kep,
    /// The form of the revision of 2019: a list `x-kubernetes-unions` on the struct.
    List {
        /// The flag `deduceInvalidDiscriminator`, which determines whether a server may write the discriminator, or
        /// `None` if the extension does not have the flag. Only upstream's code has the flag. The document of 2019 does
        /// not mention it, and lets servers write the discriminator.
        deduce: Option<bool>,
    },
    /// The tags of declarative validation: `+k8s:unionDiscriminator`, `+k8s:unionMember`, `+k8s:zeroOrOneOfMember`.
    Declarative,
    /// The tags of declarative validation for modal unions: `+k8s:modeDiscriminator` and `+k8s:ifMode`, which are
    /// `+k8s:discriminator` and `+k8s:member` in Kubernetes 1.36. The value of the discriminator decides for each member
    /// whether it is required, optional or forbidden, so that several members can be set. [`Member::modes`] has the
    /// rules. Only declarative validation has rules for these unions.
    Modal,
    /// No marker declares the union. A program adds it to the type.
    Legacy,
}

/// The number of members that an object must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cardinality {
    /// At most one member.
    AtMostOne,
    /// Exactly one member.
    ExactlyOne,
}

/// The selection of a member by the discriminator of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnionSelection<'u> {
    /// The discriminator selects this member.
    Member(&'u Member),
    /// The discriminator has a valid value that selects no member.
    NoMember,
    /// The discriminator has neither a value nor a default.
    Unset,
    /// The discriminator has this value, which is not valid.
    Unknown(OwnedText),
    /// The value of the discriminator has this kind, which is not a string.
    NotAString(DocKind),
}

impl Discriminator {
    /// Returns the value of an object without the field. By convention, the empty string means "none".
    fn default_value(&self) -> &str {
        self.default.as_deref().unwrap_or_default()
    }

    fn has_value(&self, value: &str) -> bool {
        self.values.as_ref().is_some_and(|values| values.iter().any(|v| v == value))
    }

    /// Returns the value that an object contains. Returns `None` if the value is missing, null or the empty string.
    ///
    /// # Errors
    ///
    /// The kind of the value if it is neither a string nor null.
    pub fn explicit_value<'a>(&self, object: &'a OwnedMap) -> Result<Option<&'a str>, DocKind> {
        match object.get(&self.field) {
            None | Some(Doc::Null) => Ok(None),
            Some(Doc::String(value)) => Ok(Some(value.as_str()).filter(|value| !value.is_empty())),
            Some(other) => Err(other.kind()),
        }
    }

    /// Returns the value that an object contains, or the default. As in Go, an empty string counts as missing, unless
    /// the enum lists it.
    ///
    /// # Errors
    ///
    /// The kind of the value if it is neither a string nor null.
    pub fn effective_value<'a>(&'a self, object: Option<&'a OwnedMap>) -> Result<&'a str, DocKind> {
        match object.and_then(|object| object.get(&self.field)) {
            None | Some(Doc::Null) => Ok(self.default_value()),
            Some(Doc::String(value)) if value.is_empty() && !self.has_value("") => Ok(self.default_value()),
            Some(Doc::String(value)) => Ok(value),
            Some(other) => Err(other.kind()),
        }
    }

    /// Returns the value of a modal discriminator, which is a string or a boolean, as a string.
    #[must_use]
    pub fn mode<'a>(&'a self, object: &'a OwnedMap) -> &'a str {
        match object.get(&self.field) {
            Some(Doc::String(value)) => value,
            Some(Doc::Bool(true)) => "true",
            Some(Doc::Bool(false)) => "false",
            _ => self.default.as_deref().unwrap_or_default(),
        }
    }
}

impl Member {
    /// Creates a member that must be set when it is selected, and whose zero value counts as set.
    #[must_use]
    pub fn new(field: &str, value: &str) -> Self {
        Member {
            field: field.into(),
            value: value.into(),
            optional: false,
            zero_is_unset: false,
            modes: Vec::new(),
        }
    }

    /// Marks the member as optional: it need not be set when it is selected.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// Returns true if the object has the member. A null counts as missing.
    #[must_use]
    pub fn is_set(&self, object: &OwnedMap) -> bool {
        object.get(&self.field).is_some_and(|value| !value.is_null())
    }

    /// Returns true if the member is set after the object is decoded into Go types. As in the accessors of generated
    /// validation code, a pointer is set if it is not nil, a list or a map if it is not empty, and a scalar if it is
    /// not zero.
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
    /// Creates a union without a discriminator. Built-in types have such unions, and handwritten code validates them.
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

    /// Creates a union with a discriminator. `values` has all valid values of the discriminator, including those that
    /// select no member.
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

    /// Returns the members that are set in an object.
    #[must_use]
    pub fn set_members(&self, object: &OwnedMap) -> Vec<&Member> {
        self.members.iter().filter(|member| member.is_set(object)).collect()
    }

    /// Returns the values of the discriminator that select no member. They mean "none" or a choice without
    /// configuration.
    pub fn empty_values(&self) -> impl Iterator<Item = &str> {
        let values = self.discriminator.as_ref().and_then(|d| d.values.as_deref()).unwrap_or_default();
        values.iter().map(Text::as_str).filter(|value| self.member_selected_by(value).is_none())
    }

    /// Returns the number of members that an object must have. With a discriminator, this is exactly one if the valid
    /// values are known and each of them selects a member that is not optional.
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

    /// Returns the selection by the discriminator of an object. Returns `None` for a union without a discriminator.
    #[must_use]
    pub fn selection(&self, object: &OwnedMap) -> Option<UnionSelection<'_>> {
        let discriminator = self.discriminator.as_ref()?;
        let value = match discriminator.effective_value(Some(object)) {
            Ok(value) => value,
            Err(kind) => return Some(UnionSelection::NotAString(kind)),
        };
        Some(match (self.member_selected_by(value), &discriminator.values) {
            (Some(member), _) if discriminator.values.is_none() || discriminator.has_value(value) => {
                UnionSelection::Member(member)
            }
            (None, _) if discriminator.has_value(value) => UnionSelection::NoMember,
            (_, None) => UnionSelection::NoMember,
            _ if value.is_empty() => UnionSelection::Unset,
            _ => UnionSelection::Unknown(Text::from(value)),
        })
    }

    /// Removes a field that a party does not know. Returns false if the union has no fields left.
    pub(crate) fn remove_field(&mut self, field: &str) -> bool {
        let required = self.cardinality() == Cardinality::ExactlyOne;
        if self.discriminator.take_if(|discriminator| discriminator.field == field).is_some() {
            self.required = required;
        }
        self.members.retain(|member| member.field != field);
        self.discriminator.is_some() || !self.members.is_empty()
    }

    /// Returns true if the union has a discriminator of this enum type.
    pub(crate) fn is_discriminated_by(&self, enum_type: &str) -> bool {
        self.discriminator.as_ref().is_some_and(|d| d.enum_type.as_deref() == Some(enum_type))
    }

    /// Removes a value that an enum type does not have in the schema view of a party.
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
        for member in &mut self.members {
            member.modes.retain(|(mode, _)| mode != value);
        }
    }
}
