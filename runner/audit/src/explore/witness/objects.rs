//! The objects of a search, and edits of them.

use std::sync::LazyLock;

use skewer_admission::structural::{AdditionalProperties, StructuralSchema, ValueType};
use skewer_engine::{Doc, FieldPath, OwnedDoc, PathSegment};

use crate::effect::{value_at, value_at_mut};
use crate::sample::Sampler;
use crate::schema_path::{SchemaPath, SchemaStep};

/// An object that a rule is evaluated on, and the object that it replaces, if it replaces one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Objects {
    /// The object of the request.
    pub new: OwnedDoc,
    /// The stored object.
    pub old: Option<OwnedDoc>,
}

/// A place of a value in one of the two objects.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) is_in_old: bool,
    pub(super) path: FieldPath,
}

impl Place {
    pub(super) fn inner(&self, segment: PathSegment) -> Place {
        let mut path = self.path.clone();
        path.push(segment);
        Place { path, ..*self }
    }
}

impl Objects {
    fn object(&self, is_old: bool) -> Option<&OwnedDoc> {
        if is_old { self.old.as_ref() } else { Some(&self.new) }
    }

    pub(super) fn value(&self, place: &Place) -> Option<&OwnedDoc> {
        value_at(self.object(place.is_in_old)?, &place.path)
    }

    /// Returns the objects with a value at a place. What contains the value is added if it is absent. `None` if the place
    /// is in an item that does not exist.
    pub(super) fn with(&self, schema: &StructuralSchema, place: &Place, value: OwnedDoc) -> Option<Objects> {
        let object = with_value(schema, self.object(place.is_in_old)?, &place.path, value)?;
        Some(self.replaced(place, object))
    }

    /// Returns the objects without a value. `None` if they do not have it.
    pub(super) fn without(&self, place: &Place) -> Option<Objects> {
        let object = without_value(self.object(place.is_in_old)?, &place.path)?;
        Some(self.replaced(place, object))
    }

    fn replaced(&self, place: &Place, object: OwnedDoc) -> Objects {
        if place.is_in_old {
            Objects { new: self.new.clone(), old: Some(object) }
        } else {
            Objects { new: object, old: self.old.clone() }
        }
    }

    /// Returns the number of values in the objects.
    pub(super) fn size(&self) -> usize {
        count(&self.new) + self.old.as_ref().map_or(0, count)
    }
}

/// Returns the number of values in a value.
pub(super) fn count(value: &OwnedDoc) -> usize {
    match value {
        Doc::List(items) => 1 + items.iter().map(count).sum::<usize>(),
        Doc::Map(map) => 1 + map.iter().map(|(_, value)| count(value)).sum::<usize>(),
        _ => 1,
    }
}

/// Returns an object with a value at a path. What contains the value is added if it is absent. `None` if the path is in an item
/// that does not exist, or if the value is none of the enum.
pub(crate) fn with_value(
    schema: &StructuralSchema,
    object: &OwnedDoc,
    path: &FieldPath,
    value: OwnedDoc,
) -> Option<OwnedDoc> {
    let values = &schema_at(schema, path.segments())?.validation.enum_values;
    if !values.is_empty() && !values.contains(&value) {
        return None;
    }
    let mut changed = object.clone();
    set(schema, &mut changed, path.segments(), value)?;
    Some(changed)
}

/// Returns an object without a value. `None` if it does not have the value.
pub(crate) fn without_value(object: &OwnedDoc, path: &FieldPath) -> Option<OwnedDoc> {
    let (last, parents) = path.segments().split_last()?;
    let mut changed = object.clone();
    match (last, value_at_mut(&mut changed, parents)?) {
        (PathSegment::Key(key), Doc::Map(map)) => drop(map.remove(key)?),
        (PathSegment::Index(index), Doc::List(items)) if *index < items.len() => drop(items.remove(*index)),
        _ => return None,
    }
    Some(changed)
}

fn set(schema: &StructuralSchema, value: &mut OwnedDoc, path: &[PathSegment], new: OwnedDoc) -> Option<()> {
    let Some((segment, rest)) = path.split_first() else {
        *value = new;
        return Some(());
    };
    let inner = schema_in(schema, segment)?;
    match (segment, value) {
        (PathSegment::Key(key), Doc::Map(map)) => {
            if !map.contains_key(key) {
                let wanted: SchemaPath = rest.iter().map(step_of).collect();
                let wanted = if rest.is_empty() { Vec::new() } else { vec![wanted] };
                let mut sampler = Sampler::default().with_invalid_scalars();
                map.insert(key.clone(), sampler.sample(inner, &wanted).unwrap_or(Doc::Null));
            }
            set(inner, map.get_mut(key)?, rest, new)
        }
        (PathSegment::Index(index), Doc::List(items)) => {
            if *index == items.len() {
                items.push(Sampler::default().with_invalid_scalars().sample(inner, &[])?);
            }
            set(inner, items.get_mut(*index)?, rest, new)
        }
        _ => None,
    }
}

fn step_of(segment: &PathSegment) -> SchemaStep {
    match segment {
        PathSegment::Key(key) => SchemaStep::Field(key.to_string()),
        PathSegment::Index(_) => SchemaStep::Items,
    }
}

/// Returns the schema of the value at a path. Also that of the name of an object, which schemas do not have to declare.
pub(crate) fn schema_at<'s>(
    schema: &'s StructuralSchema,
    path: &[PathSegment],
) -> Option<&'s StructuralSchema> {
    path.iter().try_fold(schema, schema_in)
}

fn schema_in<'s>(schema: &'s StructuralSchema, segment: &PathSegment) -> Option<&'s StructuralSchema> {
    static TEXT: LazyLock<StructuralSchema> = LazyLock::new(|| {
        let mut text = StructuralSchema::default();
        text.ty = Some(ValueType::String);
        text
    });
    static METADATA: LazyLock<StructuralSchema> = LazyLock::new(|| {
        let mut metadata = StructuralSchema::default();
        metadata.ty = Some(ValueType::Object);
        metadata.properties.insert("name".to_owned(), TEXT.clone());
        metadata
    });
    match segment {
        PathSegment::Key(key) => match (schema.properties.get(&**key), &schema.additional_properties) {
            (Some(field), _) if &**key != "metadata" || !field.properties.is_empty() => Some(field),
            (_, Some(AdditionalProperties::Schema(values))) => Some(values),
            _ => (&**key == "metadata").then_some(&METADATA),
        },
        PathSegment::Index(_) => schema.items.as_deref(),
    }
}

/// The most values with the rule that are tried in one object.
const MAX_INSTANCES: usize = 2;

/// Returns the first paths in an object that are instances of an element of a schema.
pub(super) fn instances(object: &OwnedDoc, steps: &[SchemaStep]) -> Vec<FieldPath> {
    fn collect(value: &OwnedDoc, steps: &[SchemaStep], path: &mut FieldPath, found: &mut Vec<FieldPath>) {
        let Some((step, rest)) = steps.split_first() else {
            found.push(path.clone());
            return;
        };
        let mut inside = |segment: PathSegment, inner: &OwnedDoc| {
            if found.len() < MAX_INSTANCES {
                path.push(segment);
                collect(inner, rest, path, found);
                path.pop();
            }
        };
        match (step, value) {
            (SchemaStep::Field(name), Doc::Map(map)) => {
                if let Some(inner) = map.get(name) {
                    inside(PathSegment::Key(name.clone().into()), inner);
                }
            }
            (SchemaStep::Items, Doc::List(items)) => {
                items.iter().enumerate().for_each(|(at, item)| inside(PathSegment::Index(at), item));
            }
            (SchemaStep::Values, Doc::Map(map)) => {
                map.iter().for_each(|(key, inner)| inside(PathSegment::Key(key.clone()), inner));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    collect(object, steps, &mut FieldPath::root(), &mut found);
    found.retain(|path| value_at(object, path).is_some_and(|value| !value.is_null()));
    found
}
