//! The elements of a schema in an object.

use skewer_engine::{Doc, FieldPath, OwnedDoc, PathSegment};

use crate::cause::Cause;
use crate::effect::{value_at, value_at_mut};
use crate::facts::Property;
use crate::schema_path::{SchemaPath, SchemaStep};
use crate::situation::{ClientEdit, SkewSituation};

/// An element that an object must have, with its value if that matters.
pub(crate) type Wanted = (SchemaPath, Option<OwnedDoc>);

/// Returns true if an object has these elements.
pub(super) fn has_wanted(object: &OwnedDoc, wanted: &[Wanted]) -> bool {
    wanted.iter().all(|(path, value)| {
        let found = concrete(object, path.steps());
        found.is_some_and(|found| value.as_ref().is_none_or(|value| value_at(object, &found) == Some(value)))
    })
}

/// Sets the values of elements that an object has.
pub(super) fn with_values(mut object: OwnedDoc, values: &[(&SchemaPath, &OwnedDoc)]) -> OwnedDoc {
    for (path, value) in values {
        let Some(path) = concrete(&object, path.steps()) else { continue };
        object = with_value(object, &path, (*value).clone());
    }
    object
}

pub(super) fn with_value(mut object: OwnedDoc, path: &FieldPath, value: OwnedDoc) -> OwnedDoc {
    let place = value_at_mut(&mut object, path.segments());
    if let Some(place) = place {
        *place = value;
    }
    object
}

/// Returns the first path in an object that is an instance of a schema path. Not every item of a list has every field.
pub(super) fn concrete(object: &OwnedDoc, steps: &[SchemaStep]) -> Option<FieldPath> {
    fn find(value: &OwnedDoc, steps: &[SchemaStep], path: &mut FieldPath) -> bool {
        let Some((step, rest)) = steps.split_first() else { return true };
        let mut descend = |segment: PathSegment, inner: &OwnedDoc| {
            path.push(segment);
            let is_found = find(inner, rest, path);
            if !is_found {
                path.pop();
            }
            is_found
        };
        match (step, value) {
            (SchemaStep::Field(name), Doc::Map(map)) => {
                map.get(name).is_some_and(|inner| descend(PathSegment::Key(name.clone().into()), inner))
            }
            (SchemaStep::Items, Doc::List(items)) => {
                items.iter().enumerate().any(|(index, item)| descend(PathSegment::Index(index), item))
            }
            (SchemaStep::Values, Doc::Map(map)) => {
                map.iter().any(|(key, inner)| descend(PathSegment::Key(key.clone()), inner))
            }
            _ => false,
        }
    }
    let mut path = FieldPath::root();
    find(object, steps, &mut path).then_some(path)
}

/// Returns true if the object of a situation shows the change of a cause: it has the changed element. A change of what an
/// object must have, or of what it gets by default, shows in an object without the element.
pub(super) fn touches(situation: &SkewSituation, cause: &Cause) -> bool {
    let change = &cause.changes[0];
    let has = |path: &SchemaPath| concrete(&situation.object, path.steps()).is_some();
    let is_absent = || {
        if matches!(change.path.steps().last(), Some(SchemaStep::Items | SchemaStep::Values)) {
            let value = concrete(&situation.object, change.path.steps());
            return value.is_some_and(|path| value_at(&situation.object, &path).is_some_and(Doc::is_null));
        }
        let is_removed = matches!(&situation.edit, ClientEdit::Remove(path)
            if concrete(&situation.object, change.path.steps()).as_ref() == Some(path));
        change.path.parent().is_none_or(|parent| has(&parent)) && (is_removed || !has(&change.path))
    };
    match change.property {
        Property::Required if change.new.is_none() => change.path.parent().is_none_or(|parent| has(&parent)),
        Property::Required | Property::Default => is_absent(),
        _ => has(&change.path) || cause.renamed.iter().any(|rename| has(&rename.from) || has(&rename.to)),
    }
}
