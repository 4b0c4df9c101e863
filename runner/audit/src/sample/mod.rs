//! Small values that a schema permits.
//!
//! A [`Sampler`] builds the smallest object that contains a wanted element. Where several values are possible (the
//! values of an enum, the alternatives of `oneOf`), it makes a choice. [`Sampler::next_combination`] makes the next combination of
//! choices, so that a caller can try objects until a server accepts one: a sampler does not know CEL.

mod matching_text;
mod near_text;
mod scalar;
mod strings;
mod trial;

use skewer_admission::structural::{AdditionalProperties, NestedValidation, StructuralSchema, ValueType};
use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap};

pub(crate) use self::near_text::regex_of;
pub use self::near_text::{permits_text, text_of_length, texts_like, texts_near};
pub use self::strings::{RefusedText, refused_text, refuses_constant, text_with};
pub use self::trial::{decoded, encoded, values_to_try};

use self::scalar::{extremes, minimum, scalar};
use super::schema_path::{SchemaPath, SchemaStep};

/// The number of objects that a caller should try.
pub const MAX_TRIED: usize = 64;

/// Returns the schema of an element.
#[must_use]
pub fn element<'s>(schema: &'s StructuralSchema, steps: &[SchemaStep]) -> Option<&'s StructuralSchema> {
    steps.iter().try_fold(schema, |schema, step| match step {
        SchemaStep::Field(name) => schema.properties.get(name),
        SchemaStep::Items => schema.items.as_deref(),
        SchemaStep::Values => match &schema.additional_properties {
            Some(AdditionalProperties::Schema(values)) => Some(&**values),
            Some(AdditionalProperties::Any) | None => None,
        },
    })
}

/// Returns a value that differs from the given one in one place, and that its schema permits. `None` if no such value is
/// known.
#[must_use]
pub fn other_value(schema: &StructuralSchema, value: &OwnedDoc) -> Option<OwnedDoc> {
    match value {
        Doc::Map(map) => map.iter().find_map(|(key, inner)| {
            let field = [SchemaStep::Field(key.to_string())];
            let schema = element(schema, &field).or_else(|| element(schema, &[SchemaStep::Values]))?;
            let mut changed = map.clone();
            changed.insert(key.clone(), other_value(schema, inner)?);
            Some(Doc::Map(changed))
        }),
        Doc::List(items) if !items.is_empty() => {
            let mut changed = items.clone();
            let last = changed.last_mut()?;
            *last = other_value(schema.items.as_deref()?, last)?;
            Some(Doc::List(changed))
        }
        _ => {
            let mut sampler = Sampler::default();
            // The first values can be those of other items of a list.
            (3..11).find_map(|index| {
                sampler.position = 0;
                sampler.value(schema, &[], index).filter(|other| other != value)
            })
        }
    }
}

fn fits(schema: &StructuralSchema, literal: &OwnedDoc) -> bool {
    match literal {
        Doc::String(_) => schema.int_or_string || schema.ty == Some(ValueType::String),
        Doc::Int(_) => {
            schema.int_or_string || matches!(schema.ty, Some(ValueType::Integer | ValueType::Number))
        }
        _ => false,
    }
}

/// Adds the members that an object inside of an object needs.
fn add_identity(object: &mut OwnedMap) {
    for (key, value) in [("apiVersion", "v1"), ("kind", "Example")] {
        if !object.contains_key(key) {
            object.insert(key.into(), Doc::from(value));
        }
    }
    if !object.contains_key("metadata") {
        let mut metadata = OwnedMap::new();
        metadata.insert("name".into(), Doc::from("example"));
        object.insert("metadata".into(), Doc::Map(metadata));
    }
}

/// Builds objects. Each combination of choices gives one object.
#[derive(Debug, Default)]
pub struct Sampler {
    /// The choices of the current object: the chosen option, and the number of options.
    choices: Vec<(usize, usize)>,
    /// The number of choices made so far.
    position: usize,
    /// The state of the generator of random choices, if choices are random.
    random: Option<u64>,
    /// Values to try for wanted scalars.
    literals: Vec<OwnedDoc>,
    /// The number of items, keys or fields of wanted lists, maps and objects. `None` if several are tried.
    size: Option<usize>,
    /// Whether a scalar for which no valid value is known gets another value.
    has_invalid_scalars: bool,
    /// Whether the optional fields of wanted objects are lists with an item, if they are lists.
    has_items: bool,
}

impl Sampler {
    /// Returns the smallest object that has values at all of the wanted paths. `None` if there is none, for example
    /// because no value for a `pattern` is known.
    pub fn sample(&mut self, schema: &StructuralSchema, wanted: &[SchemaPath]) -> Option<OwnedDoc> {
        self.position = 0;
        let wanted: Vec<&[SchemaStep]> = wanted.iter().map(SchemaPath::steps).collect();
        let object = self.value(schema, &wanted, 0);
        self.choices.truncate(self.position);
        object
    }

    /// Returns the objects of one combination of choices after another, as [`Sampler::sample`] does.
    pub fn samples(
        mut self,
        schema: &StructuralSchema,
        wanted: Vec<SchemaPath>,
    ) -> impl Iterator<Item = OwnedDoc> {
        let mut has_more = true;
        let samples = std::iter::from_fn(move || {
            has_more.then(|| {
                let sample = self.sample(schema, &wanted);
                has_more = self.next_combination();
                sample
            })
        });
        samples.take(MAX_TRIED).flatten()
    }

    /// Creates a sampler that makes random choices. Each object that it builds is another one. The same seed gives the same
    /// objects.
    #[must_use]
    pub fn random(seed: u64) -> Self {
        Sampler { random: Some(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1), ..Sampler::default() }
    }

    /// Sets values to try for wanted scalars, such as those that a rule names.
    #[must_use]
    pub fn with_literals(mut self, literals: Vec<OwnedDoc>) -> Self {
        self.literals = literals;
        self
    }

    /// Sets the number of items, keys or fields of wanted lists, maps and objects, such as one beyond a limit.
    #[must_use]
    pub fn with_size(mut self, size: usize) -> Self {
        self.size = Some(size);
        self
    }

    /// Also builds objects with a scalar for which no valid value is known. The value is then not valid.
    #[must_use]
    pub fn with_invalid_scalars(mut self) -> Self {
        self.has_invalid_scalars = true;
        self
    }

    /// Gives the lists that are fields of wanted objects an item. Typed clients write an empty list as no list, so that it shows
    /// nothing about the object.
    #[must_use]
    pub fn with_items(mut self) -> Self {
        self.has_items = true;
        self
    }

    /// Goes on to the next combination of choices. Returns false after the last one.
    pub fn next_combination(&mut self) -> bool {
        while let Some((chosen, count)) = self.choices.pop() {
            if chosen + 1 < count {
                self.choices.push((chosen + 1, count));
                return true;
            }
        }
        false
    }

    /// Returns the choice among this number of options.
    pub fn choose(&mut self, count: usize) -> usize {
        if count < 2 {
            return 0;
        }
        if let Some(state) = &mut self.random {
            // Xorshift: the choices need no quality, and must be the same everywhere.
            *state ^= *state << 13;
            *state ^= *state >> 7;
            *state ^= *state << 17;
            return usize::try_from((*state >> 33) % count as u64).unwrap_or(0);
        }
        if self.position == self.choices.len() {
            self.choices.push((0, count));
        }
        let (chosen, _) = self.choices[self.position];
        self.position += 1;
        chosen.min(count - 1)
    }

    /// Returns a value. `index` distinguishes the items of a list.
    fn value(
        &mut self,
        schema: &StructuralSchema,
        wanted: &[&[SchemaStep]],
        index: usize,
    ) -> Option<OwnedDoc> {
        let is_itself_wanted = wanted.iter().any(|steps| steps.is_empty());
        if wanted.is_empty()
            && index == 0
            && let Some(default) = &schema.default
            // Go types have empty defaults that their enums do not have.
            && (schema.validation.enum_values.is_empty() || schema.validation.enum_values.contains(default))
        {
            return Some(default.clone());
        }
        let values = &schema.validation.enum_values;
        if !values.is_empty() {
            let chosen = self.choose(values.len());
            return values.get((chosen + index) % values.len()).cloned();
        }
        if is_itself_wanted && (index == 0 || self.random.is_some()) {
            if let Some(literal) = self.literal(schema) {
                return Some(literal);
            }
            let values = extremes(schema);
            if !values.is_empty() {
                let chosen = self.choose(values.len());
                return values.into_iter().nth(chosen);
            }
            if schema.nullable && self.choose(2) == 1 {
                return Some(Doc::Null);
            }
        }
        match schema.ty {
            Some(ValueType::Object) => self.object(schema, wanted, index),
            Some(ValueType::Array) => self.list(schema, wanted),
            _ if schema.int_or_string => scalar(ValueType::Integer, &schema.validation, index),
            Some(scalar_type) => scalar(scalar_type, &schema.validation, index)
                .or_else(|| self.has_invalid_scalars.then(|| Doc::from("example"))),
            None if schema.preserve_unknown_fields => self.object(schema, wanted, index),
            None => Some(Doc::Map(Map::new())),
        }
    }

    /// Chooses whether a wanted scalar is one of the literals, and which.
    fn literal(&mut self, schema: &StructuralSchema) -> Option<OwnedDoc> {
        let fitting: Vec<OwnedDoc> =
            self.literals.iter().filter(|literal| fits(schema, literal)).cloned().collect();
        if fitting.is_empty() || self.choose(2) == 0 {
            return None;
        }
        let chosen = self.choose(fitting.len());
        fitting.into_iter().nth(chosen)
    }

    fn object(
        &mut self,
        schema: &StructuralSchema,
        wanted: &[&[SchemaStep]],
        index: usize,
    ) -> Option<OwnedDoc> {
        let mut object = OwnedMap::new();
        let wanted_field = |name: &str| -> Vec<&[SchemaStep]> {
            let is_in = |steps: &&[SchemaStep]| matches!(steps.first(), Some(SchemaStep::Field(field)) if field == name);
            wanted.iter().filter(|steps| is_in(steps)).map(|steps| &steps[1..]).collect()
        };
        let mut required: Vec<&str> = schema.validation.required.iter().map(String::as_str).collect();
        required.extend(self.required_by_alternatives(schema, wanted));
        let mut extra = Vec::new();
        if wanted.iter().any(|steps| steps.is_empty()) {
            extra = self.extra_fields(schema, &required);
            required.extend(&extra);
        }
        let is_added = |name: &str| required.contains(&name) || !wanted_field(name).is_empty();
        for (name, property) in schema.properties.iter().filter(|(name, _)| is_added(name)) {
            let mut value = self.value(property, &wanted_field(name), index)?;
            if self.has_items && extra.contains(&name.as_str()) {
                value = self.with_an_item(property, value);
            }
            object.insert(name.clone().into(), value);
        }
        let wanted_values: Vec<&[SchemaStep]> = wanted
            .iter()
            .filter(|steps| steps.first() == Some(&SchemaStep::Values))
            .map(|steps| &steps[1..])
            .collect();
        if schema.preserve_unknown_fields && wanted.iter().any(|steps| steps.is_empty()) {
            let mut inner = OwnedMap::new();
            inner.insert("key".into(), Doc::from("value"));
            let value = [Doc::from("value"), Doc::Map(inner)].into_iter().nth(self.choose(2))?;
            object.insert("unknown".into(), value);
        }
        if let Some(additional) = &schema.additional_properties {
            let is_itself_wanted = wanted.iter().any(|steps| steps.is_empty());
            let wanted_count = if is_itself_wanted {
                self.size.unwrap_or(2)
            } else {
                usize::from(!wanted_values.is_empty())
            };
            for key in
                (0..minimum(schema.validation.min_properties).max(wanted_count)).map(|at| format!("key-{at}"))
            {
                let value = match additional {
                    AdditionalProperties::Any => Doc::from("value"),
                    AdditionalProperties::Schema(values) => self.value(values, &wanted_values, index)?,
                };
                object.insert(key.into(), value);
            }
        } else {
            self.fill(schema, &mut object, index)?;
        }
        if schema.embedded_resource {
            add_identity(&mut object);
        }
        Some(Doc::Map(object))
    }

    /// Chooses optional fields of an object: one, none, or two of them. A rule on an object is often about two fields. One
    /// comes first: what happens to an object without fields is seldom of interest.
    fn extra_fields<'s>(&mut self, schema: &'s StructuralSchema, required: &[&str]) -> Vec<&'s str> {
        /// The number of fields of which pairs are tried.
        const PAIRED: usize = 6;
        let optional: Vec<&str> = schema
            .properties
            .keys()
            .map(String::as_str)
            .filter(|name| !required.contains(name) && !matches!(*name, "apiVersion" | "kind" | "metadata"))
            .collect();
        if let Some(size) = self.size {
            return optional.into_iter().take(size.saturating_sub(required.len())).collect();
        }
        let paired = optional.len().min(PAIRED);
        let pairs = (0..paired).flat_map(|a| (a + 1..paired).map(move |b| [a, b]));
        let singles = (0..optional.len()).map(|a| vec![a]);
        let pairs = pairs.map(|pair| pair.to_vec());
        let options: Vec<Vec<usize>> = singles.chain([Vec::new()]).chain(pairs).collect();
        let chosen = self.choose(options.len());
        options[chosen].iter().map(|index| optional[*index]).collect()
    }

    /// Adds an item to an empty list, if the list can have one.
    fn with_an_item(&mut self, schema: &StructuralSchema, value: OwnedDoc) -> OwnedDoc {
        let is_empty = matches!(&value, Doc::List(items) if items.is_empty());
        let can_have_one = schema.validation.max_items.is_none_or(|most| most > 0);
        let items = schema.items.as_deref().filter(|_| is_empty && can_have_one);
        let item = items.and_then(|items| self.value(items, &[], 0));
        item.map_or(value, |item| Doc::List(vec![item]))
    }

    /// Adds fields until the object has as many as it needs.
    fn fill(&mut self, schema: &StructuralSchema, object: &mut OwnedMap, index: usize) -> Option<()> {
        for (name, property) in &schema.properties {
            if object.len() >= minimum(schema.validation.min_properties) {
                break;
            }
            if !object.contains_key(name) {
                let value = self.value(property, &[], index)?;
                object.insert(name.clone().into(), value);
            }
        }
        Some(())
    }

    /// Returns the fields that the chosen alternatives of `oneOf` and `anyOf` require. An alternative that requires a
    /// wanted field comes first.
    fn required_by_alternatives<'s>(
        &mut self,
        schema: &'s StructuralSchema,
        wanted: &[&[SchemaStep]],
    ) -> Vec<&'s str> {
        let is_wanted = |name: &str| {
            wanted
                .iter()
                .any(|steps| matches!(steps.first(), Some(SchemaStep::Field(field)) if field == name))
        };
        let mut required = Vec::new();
        for alternatives in [&schema.validation.one_of, &schema.validation.any_of] {
            let mut alternatives: Vec<&NestedValidation> = alternatives.iter().collect();
            let requires_wanted =
                |nested: &NestedValidation| nested.validation.required.iter().any(|name| is_wanted(name));
            alternatives.sort_by_key(|nested| !requires_wanted(nested));
            if !alternatives.is_empty() {
                let chosen = alternatives[self.choose(alternatives.len())];
                required.extend(chosen.validation.required.iter().map(String::as_str));
            }
        }
        let all_of = schema.validation.all_of.iter();
        required.extend(all_of.flat_map(|nested| nested.validation.required.iter().map(String::as_str)));
        required
    }

    fn list(&mut self, schema: &StructuralSchema, wanted: &[&[SchemaStep]]) -> Option<OwnedDoc> {
        let items = schema.items.as_deref()?;
        let wanted_items: Vec<&[SchemaStep]> = wanted
            .iter()
            .filter(|steps| steps.first() == Some(&SchemaStep::Items))
            .map(|steps| &steps[1..])
            .collect();
        // A change of the list itself shows in a list from which an item can be removed.
        let is_itself_wanted = wanted.iter().any(|steps| steps.is_empty());
        let wanted_count = if is_itself_wanted {
            /// More items than most limits that somebody adds to a list.
            const MANY: usize = 20;
            match self.size {
                Some(size) => size,
                None => [2, 1, 0, MANY][self.choose(4)],
            }
        } else if self.random.is_some() && !wanted_items.is_empty() {
            1 + self.choose(3)
        } else {
            usize::from(!wanted_items.is_empty())
        };
        let most = schema.validation.max_items.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(0));
        let count = minimum(schema.validation.min_items).max(wanted_count).min(most);
        let item = |sampler: &mut Self, index| {
            // Random items can be equal.
            let is_repeated = sampler.random.is_some() && sampler.choose(3) == 0;
            sampler.value(items, &wanted_items, if is_repeated { 0 } else { index })
        };
        (0..count).map(|index| item(self, index)).collect::<Option<Vec<_>>>().map(Doc::List)
    }
}
