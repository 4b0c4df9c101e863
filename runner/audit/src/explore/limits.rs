//! Values at the limits that a change sets, and just beyond them.

use skewer_admission::Admission;
use skewer_admission::structural::{NestedValidation, StructuralSchema, ValueType, ValueValidation};
use skewer_engine::{Doc, Error, ErrorKind, OwnedDoc};

use super::obstacle::schema_path_of;
use crate::cause::Cause;
use crate::change::PropertyChange;
use crate::effect::value_at;
use crate::facts::Property;
use crate::revision::{Revision, Revisions, Side};
use crate::sample::{
    RefusedText, Sampler, element, permits_text, refused_text, regex_of, text_of_length, texts_near,
};
use crate::schema_path::SchemaPath;

/// The most items or keys of a generated list or map. Requests with more take seconds.
pub const MAX_SIZE: usize = 1_024;

/// The longest generated text.
pub const MAX_LENGTH: usize = 66_000;

/// The number of texts that a new pattern refuses.
const MAX_TEXTS: usize = 3;

/// A value of the changed element to try.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Limit {
    /// A list with this number of items, or a map or an object with this number of fields.
    Size(usize),
    /// A scalar.
    Value(OwnedDoc),
}

impl Limit {
    /// Returns values of an element with this schema.
    pub(super) fn values(&self, schema: &StructuralSchema) -> Vec<OwnedDoc> {
        /// The number of values of one size.
        const PER_SIZE: usize = 2;
        let size = match self {
            Limit::Value(value) => return vec![value.clone()],
            Limit::Size(size) => *size,
        };
        // The element of the other side can have another size.
        let mut schema = schema.clone();
        let ValueValidation { min_items, max_items, min_properties, max_properties, .. } =
            &mut schema.validation;
        for bound in [min_items, max_items, min_properties, max_properties] {
            *bound = None;
        }
        let sampler = Sampler::default().with_size(size);
        sampler.samples(&schema, vec![SchemaPath::default()]).take(PER_SIZE).collect()
    }
}

/// Returns values of the changed element at the limits of before and after the change, and beyond them.
pub(super) fn limits_of(revisions: &Revisions, cause: &Cause) -> Vec<Limit> {
    let schemas =
        [Side::Old, Side::New].map(|side| element(revisions.get(side).schema(), cause.path.steps()));
    let [Some(old), Some(new)] = schemas else { return Vec::new() };
    let mut limits = texts_that_differ(old, new, cause);
    for change in &cause.changes {
        let keyword = match change.property {
            Property::Bound(keyword) => keyword,
            property => {
                limits.extend(values_against(property, old, new));
                continue;
            }
        };
        for (schema, value) in [(old, &change.old), (new, &change.new)] {
            for limit in limits_of_keyword(keyword, value.as_ref(), schema) {
                if !limits.contains(&limit) {
                    limits.push(limit);
                }
            }
        }
    }
    limits
}

/// Returns the shortest texts that only one of the schemas permits. The first is refused by no other limit, if there is one.
fn texts_that_differ(old: &StructuralSchema, new: &StructuralSchema, cause: &Cause) -> Vec<Limit> {
    if !is_about_texts(old, new, cause) {
        return Vec::new();
    }
    let without = with_limits_of(cause, new, old);
    let pairs = [(&without, new), (old, new), (new, old)]
        .map(|(permitting, refusing)| refused_text(&permitting.validation, &refusing.validation));
    let found = pairs.into_iter().filter_map(|refused| match refused {
        RefusedText::Found(text) => Some(Limit::Value(Doc::from(text))),
        RefusedText::None | RefusedText::Undecided => None,
    });
    found.collect()
}

/// A function that copies a limit.
type CopyLimit = fn(&ValueValidation, &mut ValueValidation);

/// All limits of a value that one keyword sets, except `pattern`.
const LIMITS: [(Property, CopyLimit); 14] = [
    (Property::Enum, |from, to| to.enum_values.clone_from(&from.enum_values)),
    (Property::Format, |from, to| to.format.clone_from(&from.format)),
    (Property::Bound("maximum"), |from, to| to.maximum = from.maximum),
    (Property::Bound("exclusiveMaximum"), |from, to| to.exclusive_maximum = from.exclusive_maximum),
    (Property::Bound("minimum"), |from, to| to.minimum = from.minimum),
    (Property::Bound("exclusiveMinimum"), |from, to| to.exclusive_minimum = from.exclusive_minimum),
    (Property::Bound("multipleOf"), |from, to| to.multiple_of = from.multiple_of),
    (Property::Bound("maxLength"), |from, to| to.max_length = from.max_length),
    (Property::Bound("minLength"), |from, to| to.min_length = from.min_length),
    (Property::Bound("maxItems"), |from, to| to.max_items = from.max_items),
    (Property::Bound("minItems"), |from, to| to.min_items = from.min_items),
    (Property::Bound("uniqueItems"), |from, to| to.unique_items = from.unique_items),
    (Property::Bound("maxProperties"), |from, to| to.max_properties = from.max_properties),
    (Property::Bound("minProperties"), |from, to| to.min_properties = from.min_properties),
];

/// Returns an element with the limits that a cause changes as in another version of the element.
pub(super) fn with_limits_of(
    cause: &Cause,
    element: &StructuralSchema,
    other: &StructuralSchema,
) -> StructuralSchema {
    let mut changed = element.clone();
    // Only the other version has its pattern compiled.
    let is_of_pattern = cause.has(Property::Pattern);
    if is_of_pattern {
        changed.validation = other.validation.clone();
    }
    let from = if is_of_pattern { &element.validation } else { &other.validation };
    for (_, copy) in LIMITS.into_iter().filter(|(limit, _)| cause.has(*limit) != is_of_pattern) {
        copy(from, &mut changed.validation);
    }
    if LIST_TYPE.into_iter().any(|property| cause.has(property)) {
        changed.list_type = other.list_type;
        changed.list_map_keys.clone_from(&other.list_map_keys);
    }
    changed
}

/// The properties that limit a list to items which are not equal.
const LIST_TYPE: [Property; 2] = [Property::ListType, Property::ListMapKeys];

/// Returns true if the limits of one side that a cause changes refuse no value at a path of an object: another limit of the
/// element does.
pub(super) fn another_limit_refuses(
    [accepting, refusing]: [&Revision; 2],
    cause: &Cause,
    object: &OwnedDoc,
    error: &Error,
) -> bool {
    const FIELD: &str = "value";
    let path = error.path();
    let is_limit = |change: &PropertyChange| match change.property {
        Property::Pattern => true,
        // A merge by keys that items do not have is refused for another reason than a value.
        property if LIST_TYPE.contains(&property) => error.kind() == ErrorKind::InvalidValue,
        property => LIMITS.iter().any(|(limit, _)| *limit == property),
    };
    let elements = [accepting, refusing].map(|side| element(side.schema(), cause.path.steps()));
    let version = accepting.admission.as_ref().map(|admission| &admission.version);
    let ([Some(element), Some(changed)], Some(version), Some(value)) =
        (elements, version, value_at(object, path))
    else {
        return false;
    };
    if !cause.changes.iter().all(is_limit) || schema_path_of(refusing.schema(), path) != cause.path {
        return false;
    }
    let mut version = version.clone();
    version.schema = StructuralSchema::default();
    version.schema.ty = Some(ValueType::Object);
    version.schema.properties.insert(FIELD.to_owned(), with_limits_of(cause, element, changed));
    let object = Doc::Map([(FIELD.into(), value.clone())].into_iter().collect());
    Admission::new(version).review(None, object).errors.is_empty()
}

/// Returns why no value of the changed element is known to be valid: it has a pattern that is not simulated. `None` if the change is
/// not only about limits of values.
pub(super) fn pattern_not_simulated(revisions: &Revisions, cause: &Cause) -> Option<String> {
    let is_limit = |change: &PropertyChange| match change.property {
        Property::Pattern | Property::Format | Property::Bound(_) | Property::Alternatives(_) => true,
        // The values of an enum were meant to be valid.
        Property::Enum => change.old.is_none(),
        _ => false,
    };
    if !cause.changes.iter().all(is_limit) {
        return None;
    }
    [Side::New, Side::Old].into_iter().find_map(|side| {
        let revision = revisions.get(side);
        let found = not_simulated_in(&element(revision.schema(), cause.path.steps())?.validation)?;
        let parts = revision.admission.iter().flat_map(|admission| admission.not_simulated());
        let why = parts.into_iter().find(|part| part.construct == found).map(|part| part.reason.as_str());
        let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
        let pattern = OwnedDoc::from(found.to_owned());
        Some(format!("the pattern {pattern} is not simulated{why}, so that no value is known to be valid"))
    })
}

/// Returns a pattern that is not simulated, of a value or of an alternative.
fn not_simulated_in(validation: &ValueValidation) -> Option<&str> {
    fn of_nested(nested: &NestedValidation) -> Option<&str> {
        let inner = nested.items.iter().chain(&nested.additional_properties).map(|inner| &**inner);
        not_simulated_in(&nested.validation)
            .or_else(|| inner.chain(nested.properties.values()).find_map(of_nested))
    }
    let ValueValidation { pattern, all_of, any_of, one_of, not, .. } = validation;
    let nested = all_of.iter().chain(any_of).chain(one_of).chain(not.as_deref());
    let own = pattern.as_deref().filter(|pattern| regex_of(pattern).is_none());
    own.or_else(|| nested.into_iter().find_map(of_nested))
}

/// Returns true if it is proven that a change refuses no value that was valid before.
pub(super) fn refuses_nothing(revisions: &Revisions, cause: &Cause) -> bool {
    permits_all_texts_of_before(revisions, cause)
        || requires_what_has_a_default(revisions, cause)
        || requires_as_many_fields(revisions, cause)
}

/// Returns true if the change requires a field, and refuses no object, because the field has a default.
fn requires_what_has_a_default(revisions: &Revisions, cause: &Cause) -> bool {
    let field = element(revisions.new.schema(), cause.path.steps());
    cause.changes.iter().all(|change| matches!(change.property, Property::Required | Property::Default))
        && field.is_some_and(|field| field.default.is_some())
}

/// Returns true if an object must have a number of fields since the change, and must have had as many of those that both sides
/// know.
fn requires_as_many_fields(revisions: &Revisions, cause: &Cause) -> bool {
    let schemas =
        [Side::Old, Side::New].map(|side| element(revisions.get(side).schema(), cause.path.steps()));
    let [Some(old), Some(new)] = schemas else { return false };
    let required = old.validation.required.iter().filter(|name| new.properties.contains_key(*name)).count();
    let least = new.validation.min_properties.and_then(|least| usize::try_from(least).ok());
    cause.changes.iter().all(|change| change.property == Property::Bound("minProperties"))
        && least.is_some_and(|least| required >= least)
}

/// Returns true if the pattern, the lengths or the enum of a text changed, and it is proven that every text that was valid
/// before is still valid.
fn permits_all_texts_of_before(revisions: &Revisions, cause: &Cause) -> bool {
    let schemas =
        [Side::Old, Side::New].map(|side| element(revisions.get(side).schema(), cause.path.steps()));
    let [Some(old), Some(new)] = schemas else { return false };
    is_about_texts(old, new, cause) && refused_text(&old.validation, &new.validation) == RefusedText::None
}

pub(super) fn is_about_texts(old: &StructuralSchema, new: &StructuralSchema, cause: &Cause) -> bool {
    let is_text = |schema: &StructuralSchema| schema.ty == Some(ValueType::String) && !schema.int_or_string;
    let is_decided = |property: Property| {
        matches!(property, Property::Pattern | Property::Enum | Property::Bound("minLength" | "maxLength"))
    };
    is_text(old) && is_text(new) && cause.changes.iter().all(|change| is_decided(change.property))
}

/// Returns values that the old schema permits, and that a new keyword other than a bound can refuse.
fn values_against(property: Property, old: &StructuralSchema, new: &StructuralSchema) -> Vec<Limit> {
    let is_text = old.ty == Some(ValueType::String);
    let texts = |texts: Vec<String>| texts.into_iter().map(|text| Limit::Value(Doc::from(text))).collect();
    match property {
        Property::Enum => {
            let removed =
                old.validation.enum_values.iter().filter(|value| !new.validation.enum_values.contains(value));
            removed.cloned().map(Limit::Value).collect()
        }
        Property::Format => vec![Limit::Value(Doc::Int(i64::from(i32::MAX) + 1))],
        Property::Pattern if is_text => {
            let refused = texts_near(old).into_iter().filter(|text| !permits_text(new, text));
            texts(refused.take(MAX_TEXTS).collect())
        }
        _ => Vec::new(),
    }
}

fn limits_of_keyword(keyword: &str, value: Option<&OwnedDoc>, schema: &StructuralSchema) -> Vec<Limit> {
    let number = match value {
        Some(Doc::Int(number)) => Some(*number),
        Some(Doc::Float(number)) => integer(Some(*number)),
        _ => None,
    };
    let near = |number: Option<i64>| -> Vec<i64> {
        number
            .map_or_else(Vec::new, |number| vec![number.saturating_add(1), number, number.saturating_sub(1)])
    };
    let counts = || near(number).into_iter().filter_map(|number| usize::try_from(number).ok());
    match keyword {
        "maxItems" | "minItems" | "maxProperties" | "minProperties" => {
            counts().filter(|size| *size <= MAX_SIZE).map(Limit::Size).collect()
        }
        "maxLength" | "minLength" => counts()
            .filter(|length| *length <= MAX_LENGTH)
            .filter_map(|length| text_of_length(schema, length))
            .map(|text| Limit::Value(Doc::from(text)))
            .collect(),
        "exclusiveMaximum" => values(near(integer(schema.validation.maximum))),
        "exclusiveMinimum" => values(near(integer(schema.validation.minimum))),
        _ => values(near(number)),
    }
}

fn values(numbers: Vec<i64>) -> Vec<Limit> {
    numbers.into_iter().map(|number| Limit::Value(Doc::Int(number))).collect()
}

#[allow(clippy::cast_possible_truncation)] // Limits of numbers in schemas are far below 2^53.
fn integer(number: Option<f64>) -> Option<i64> {
    number.filter(|number| number.fract() == 0.0).map(|number| number as i64)
}
