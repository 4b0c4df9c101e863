//! Causes: changes that belong together, and so have one finding.

mod rename;
mod title;
mod union_member;

use std::collections::{BTreeMap, BTreeSet};

use skewer_engine::{Doc, ErrorKind, OwnedDoc};

use super::change::PropertyChange;
use super::effect::SkewEffect;
use super::facts::{Facts, Property};
use super::renames::FieldRename;
use super::schema_path::{SchemaPath, SchemaStep};
use rename::{declared_groups, declared_title, renames};
use title::title_of;
use union_member::{belongs_to_member, is_in_exclusive_object, union_member};

pub use union_member::UnionMember;

/// One or more changes that only make sense together.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Cause {
    /// The element that the reports name.
    pub path: SchemaPath,
    /// The description of the change, such as `list type atomic -> map[name]`.
    pub title: String,
    /// The changes. The first is that of `path`.
    pub changes: Vec<PropertyChange>,
    /// The union to which the cause adds a member, if it does.
    pub union_member: Option<UnionMember>,
    /// The declared renames. Empty if none is declared, even if the title says that a field was probably renamed.
    pub renamed: Vec<FieldRename>,
}

/// The field of the status.
const STATUS: &str = "status";

/// The suffix of the title of a rename that is not declared.
const GUESS: &str = "? (a guess)";

impl Cause {
    /// Returns what identifies the cause in ids of findings. A rename has the same id before and after it is declared.
    #[must_use]
    pub fn title_for_id(&self) -> String {
        match self.renamed.as_slice() {
            [rename] if rename.from.parent() == rename.to.parent() => format!("{}{GUESS}", self.title),
            _ => self.title.clone(),
        }
    }

    /// Returns true if an object that kept unknown fields is a map with values of one type now.
    #[must_use]
    pub fn is_typed_map(&self) -> bool {
        let is_map_now = |change: &PropertyChange| {
            let type_of = |value: &Option<OwnedDoc>| value.as_ref().and_then(Doc::as_str).map(str::to_owned);
            change.property == Property::Type
                && (type_of(&change.old).as_deref(), type_of(&change.new).as_deref())
                    == (Some("object"), Some("map"))
        };
        (self.has(Property::UnknownFields) || self.changes.iter().any(is_map_now))
            && self.changes.iter().any(PropertyChange::is_added_values)
    }

    /// Returns the changed elements: that of the cause, and the new names of renamed fields.
    pub(crate) fn elements(&self) -> impl Iterator<Item = &SchemaPath> {
        let declared = self.renamed.iter().map(|rename| &rename.to);
        std::iter::once(&self.path).chain(declared).chain(self.guessed_name())
    }

    /// Returns the new name of a field that was probably renamed.
    pub(crate) fn guessed_name(&self) -> Option<&SchemaPath> {
        let is_guess = self.renamed.is_empty() && self.changes[0].is_removed_field();
        let added = self.changes.iter().find(|change| is_guess && change.is_added_field());
        added.map(|change| &change.path)
    }

    /// Returns fields beside a value whose default changed, of those with these names: the objects of situations can have one of
    /// them. There are none if the change is about something else.
    pub(crate) fn fields_beside_default<'n>(&self, names: impl Iterator<Item = &'n str>) -> Vec<SchemaPath> {
        /// The most fields that are tried beside the value.
        const MAX_OTHERS: usize = 3;
        let own = self.path.field_name().filter(|_| self.has(Property::Default));
        let Some((own, parent)) = own.zip(self.path.parent()) else { return Vec::new() };
        let names: BTreeSet<&str> = names.filter(|name| *name != own).collect();
        let of_name = |name: &str| parent.child(SchemaStep::Field(name.to_owned()));
        names.into_iter().take(MAX_OTHERS).map(of_name).collect()
    }

    /// Returns true if one of the changes can have an effect.
    #[must_use]
    pub fn can_have(&self, effect: &SkewEffect) -> bool {
        self.changes.iter().any(|change| can_have(change.property, effect))
    }

    /// Returns true if no request can use the version any more.
    #[must_use]
    pub fn ends_serving(&self) -> bool {
        self.changes.iter().any(|change| change.property == Property::Served && change.new.is_none())
    }

    /// Returns true if the changes are not those of a schema.
    #[must_use]
    pub fn is_of_whole_version(&self) -> bool {
        let of_version = [Property::Served, Property::StatusSubresource, Property::ScaleSubresource];
        of_version.into_iter().any(|property| self.has(property))
    }

    /// Returns true if the changed element is the status, or in it.
    #[must_use]
    pub fn is_in_status(&self) -> bool {
        matches!(self.path.steps().first(), Some(SchemaStep::Field(name)) if name == STATUS)
    }

    /// Returns true if one of the changes is of a property.
    #[must_use]
    pub fn has(&self, property: Property) -> bool {
        self.changes.iter().any(|change| change.property == property)
    }
}

/// Returns true if the change of a property can have an effect.
fn can_have(property: Property, effect: &SkewEffect) -> bool {
    let is_limit = matches!(
        property,
        Property::Required
            | Property::Enum
            | Property::Bound(_)
            | Property::Pattern
            | Property::Format
            | Property::Alternatives(_)
            | Property::Rules
    );
    match effect {
        SkewEffect::Refused(error) => match error.kind() {
            ErrorKind::RequiredFieldMissing => matches!(property, Property::Required | Property::Field),
            ErrorKind::UnknownEnumValue => property == Property::Enum || !is_limit,
            ErrorKind::InvalidValue => property != Property::Required,
            _ => !is_limit,
        },
        // A limit refuses values, and changes none. A typed client always writes a required field.
        _ => !is_limit || property == Property::Required,
    }
}

/// Groups changes into causes.
///
/// - The list type and the keys of a list are one cause.
/// - The subresource of the status, and the field for it that comes or goes with it, are one cause.
/// - Another type, and the limits, the fields, the items or the values that come or go with it, are one cause.
/// - A field and the value of the discriminator that selects it are one cause: a member of a union. The rules and
///   alternatives of the object that name the field belong to it, too. A field of an object that can have only one field is
///   a member, too.
/// - The default of an element, and what else an element without a value depends on, are one cause. The default of an
///   object that contains the element changes with it.
/// - The fields that an object gets when it no longer keeps unknown fields belong to that change: it kept them before. So do the
///   objects in a definition that keeps none any more.
/// - A field that was removed and a field that was added in the same object are one cause if they are equal but for
///   their names, and no other pair is: the field was renamed. This is a guess. A rename that is declared is none: what
///   was removed and added with the two fields is one cause, whatever else changed in them.
#[must_use]
pub fn causes(
    changes: &[PropertyChange],
    old: &BTreeMap<SchemaPath, Facts>,
    new: &BTreeMap<SchemaPath, Facts>,
    declared: &[FieldRename],
) -> Vec<Cause> {
    let mut grouping = Grouping { changes, is_taken: vec![false; changes.len()], causes: Vec::new() };
    for (group, renamed) in declared_groups(changes, declared) {
        grouping.take(&group, declared_title(&renamed), None);
        if let Some(cause) = grouping.causes.last_mut() {
            cause.renamed = renamed;
        }
    }
    for (removed, added) in renames(changes, old, new) {
        if grouping.is_taken[removed] || grouping.is_taken[added] {
            continue;
        }
        let name = changes[added].path.field_name().unwrap_or_default();
        grouping.take(&[removed, added], format!("field renamed to {name}{GUESS}"), None);
    }
    grouping.union_members(old, new);
    grouping.defaults_of_containers();
    for anchor in 0..changes.len() {
        let group = grouping.group(anchor);
        if !group.is_empty() {
            let members: Vec<&PropertyChange> = group.iter().map(|at| &changes[*at]).collect();
            let title = title_of(&members, new);
            grouping.take(&group, title, None);
        }
    }
    let mut causes = grouping.causes;
    causes.sort_by(|a, b| (&a.path, &a.title).cmp(&(&b.path, &b.title)));
    causes
}

struct Grouping<'c> {
    changes: &'c [PropertyChange],
    /// Whether a change is part of a cause.
    is_taken: Vec<bool>,
    causes: Vec<Cause>,
}

impl Grouping<'_> {
    fn take(&mut self, group: &[usize], title: String, union_member: Option<UnionMember>) {
        for at in group {
            self.is_taken[*at] = true;
        }
        let mut changes: Vec<PropertyChange> = group.iter().map(|at| self.changes[*at].clone()).collect();
        let path = match changes[0].property {
            Property::StatusSubresource => SchemaPath::from_iter([SchemaStep::Field(STATUS.to_owned())]),
            _ => changes[0].path.clone(),
        };
        if changes.iter().any(|change| change.property == Property::Default) {
            changes.extend(self.changes.iter().filter(|other| contains_default(other, &path)).cloned());
        }
        self.causes.push(Cause { path, title, changes, union_member, renamed: Vec::new() });
    }

    /// Takes the members that were added to unions.
    fn union_members(&mut self, old: &BTreeMap<SchemaPath, Facts>, new: &BTreeMap<SchemaPath, Facts>) {
        for (index, change) in self.changes.iter().enumerate() {
            if self.is_taken[index] || !change.is_added_field() {
                continue;
            }
            let others = (0..self.changes.len()).filter(|at| !self.is_taken[*at] && *at != index);
            let belonging: Vec<usize> =
                others.filter(|at| belongs_to_member(&self.changes[*at], change)).collect();
            let is_selected = belonging.iter().any(|at| self.changes[*at].property != Property::Rules);
            if !is_selected && !is_in_exclusive_object(change, old) {
                continue;
            }
            let union = union_member(change, belonging.iter().map(|at| &self.changes[*at]), new);
            let group: Vec<usize> = std::iter::once(index).chain(belonging).collect();
            self.take(&group, "union member added".to_owned(), Some(union));
        }
    }

    /// Takes the defaults of objects and lists that follow those of elements in them.
    fn defaults_of_containers(&mut self) {
        for (index, change) in self.changes.iter().enumerate() {
            let follows = |inner: &PropertyChange| {
                inner.property == Property::Default && contains_default(change, &inner.path)
            };
            if self.changes.iter().any(follows) {
                self.is_taken[index] = true;
            }
        }
    }

    /// Returns a change and those that belong to it. Empty if the change is part of a cause.
    fn group(&self, anchor: usize) -> Vec<usize> {
        if self.is_taken[anchor] {
            return Vec::new();
        }
        let mut group = vec![anchor];
        let mut next = 0;
        while next < group.len() {
            let member = &self.changes[group[next]];
            let is_new = |at: &usize| !self.is_taken[*at] && !group.contains(at);
            let belonging = (0..self.changes.len())
                .filter(is_new)
                .filter(|at| belong_together(member, &self.changes[*at]));
            group.extend(belonging.collect::<Vec<_>>());
            next += 1;
        }
        // The change that says most comes first.
        let rank = |property: Property| match property {
            Property::UnknownFields => 0,
            Property::Type => 1,
            _ => 2,
        };
        group.sort_by_key(|at| (rank(self.changes[*at].property), *at));
        group
    }
}

/// Returns true if two changes only make sense together.
fn belong_together(a: &PropertyChange, b: &PropertyChange) -> bool {
    let is = |change: &PropertyChange, properties: &[Property]| properties.contains(&change.property);
    let either = |of_one: &[Property], of_other: &[Property]| {
        (is(a, of_one) && is(b, of_other)) || (is(b, of_one) && is(a, of_other))
    };
    // The limits, the fields, the items and the values of another type come with the type.
    let is_part_of_type = |inner: &PropertyChange, outer: &PropertyChange| {
        let is_inside = inner.path.parent().as_ref() == Some(&outer.path);
        outer.property == Property::Type
            && outer.old.is_some()
            && outer.new.is_some()
            && (inner.path == outer.path || (is_inside && inner.property == Property::Field))
    };
    if is_part_of_type(a, b) || is_part_of_type(b, a) {
        return true;
    }
    let is_status = |change: &PropertyChange| {
        change.property == Property::Field
            && matches!(change.path.steps(), [SchemaStep::Field(name)] if name == STATUS)
    };
    if (is_status(a) && is(b, &[Property::StatusSubresource]))
        || (is_status(b) && is(a, &[Property::StatusSubresource]))
    {
        return a.new.is_some() == b.new.is_some();
    }
    if a.path == b.path {
        return either(&[Property::ListType], &[Property::ListMapKeys])
            || either(&[Property::UnknownFields], &[Property::Type])
            || either(&[Property::PatchStrategy], &[Property::MergeKey, Property::PatchDirectives])
            || either(&[Property::ListType], &[Property::PatchStrategy, Property::MergeKey])
            || either(&[Property::Default], &[Property::Required, Property::Enum, Property::Nullable]);
    }
    let is_field_of = |inner: &PropertyChange, outer: &PropertyChange| {
        outer.property == Property::UnknownFields
            && inner.is_added_field()
            && inner.path.parent().as_ref() == Some(&outer.path)
    };
    // A definition that does not keep unknown fields any more changes all of its objects.
    let is_of_all = is(a, &[Property::UnknownFields])
        && is(b, &[Property::UnknownFields])
        && a.new.is_some() == b.new.is_some()
        && [a, b].iter().any(|change| change.path.steps().is_empty());
    is_of_all || is_field_of(a, b) || is_field_of(b, a)
}

/// Returns true if a change is that of the default of an object that contains an element.
fn contains_default(outer: &PropertyChange, path: &SchemaPath) -> bool {
    outer.property == Property::Default && outer.path != *path && path.is_within(&outer.path)
}
