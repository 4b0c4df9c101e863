//! Proofs that a rule has the same result for all values that a schema permits.
//!
//! There are two kinds: the rule reads only values of which there are few, and all of them are tried; or it is about one text,
//! and automata decide whether there is a text with the other result.

use skewer_admission::cel::parts::{
    CompiledRule, LoopKind, PartKind, RuleComparison, RulePart, Variable, field_of,
};
use skewer_admission::structural::{AdditionalProperties, StructuralSchema, ValueType};
use skewer_engine::schema::ListType;
use skewer_engine::{Doc, OwnedDoc, OwnedMap};

use super::implication::is_implied;
use super::texts::{Around, TextConditions, pattern};
use crate::explore::obstacle::shortened_rule;
use crate::sample::{RefusedText, Sampler};
use crate::schema_path::SchemaPath;

/// The most values that are tried.
const MAX_VALUES: usize = 20_000;

/// The most items or keys of a value.
const MAX_SIZE: usize = 64;

/// The most alternatives of the conditions of a text.
const MAX_ALTERNATIVES: usize = 64;

/// Returns the reason why a rule has a result for all values. `schema` is that of the values, and `rule_schema` that of the
/// values of the rule. The values satisfy some other rules: `known`. `None` if there can be another result.
pub(super) fn proof(
    rule: CompiledRule<'_>,
    [schema, rule_schema]: [&StructuralSchema; 2],
    known: &[CompiledRule<'_>],
    result: bool,
) -> Option<String> {
    let condition = rule.condition();
    let (text, of_text, texts) = match (condition.kind(), &schema.items) {
        (PartKind::Loop { kind: LoopKind::All, range, variable, body }, Some(items))
            if result && is_variable(range, "self") =>
        {
            (variable, body, &**items)
        }
        _ => ("self", condition, schema),
    };
    if let Some(alternatives) = text_alternatives(of_text, text, !result).filter(|_| is_text(texts)) {
        let is_none = |conditions: &TextConditions| conditions.text(texts) == RefusedText::None;
        return alternatives
            .iter()
            .all(is_none)
            .then(|| "automata read all texts that the schema permits".to_owned());
    }
    if result && compares_keys(condition, schema) == Some(true) {
        return Some("the keys, or the items, of the list are unique".to_owned());
    }
    if rule.source().optional_old_self {
        return None;
    }
    // The values with the other rules are the same only if both servers set the same defaults.
    let [own, other] = [schema, rule_schema].map(without_rules);
    let known = if own == other { known } else { &[] };
    if result && let Some(why) = form(rule, [schema, rule_schema], known) {
        return Some(why);
    }
    let mut read = [Read::default(), Read::default()];
    collect(condition, rule_schema, &mut read)?;
    let mut values = all_values(&read, [schema, rule_schema], rule)?;
    let mut filters = Vec::new();
    for known in known.iter().filter(|known| !known.uses_old_self() && !known.source().optional_old_self) {
        // A rule that reads too much tells nothing.
        let mut more = read.clone();
        if collect(known.condition(), schema, &mut more).is_some()
            && let Some(more_values) = all_values(&more, [schema, rule_schema], rule)
        {
            (read, values) = (more, more_values);
            filters.push(known);
        }
    }
    let holds = |rule: &CompiledRule<'_>, schema, value: &Option<OwnedDoc>, old: &Option<OwnedDoc>| {
        let variable = |name, value| Variable { name, value, schema: Some(schema) };
        let variables = [variable("self", value.as_ref()), variable("oldSelf", old.as_ref())];
        rule.holds(rule.condition(), &variables)
    };
    let is_valid = |value: &Option<OwnedDoc>| {
        filters.iter().all(|known| value.is_none() || holds(known, schema, value, &None) == Some(true))
    };
    let [mut values, mut old_values] = values;
    values.retain(is_valid);
    old_values.retain(is_valid);
    let mut pairs = values.iter().flat_map(|value| old_values.iter().map(move |old| (value, old)));
    let count = values.len() * old_values.len();
    if count == 0 {
        return None;
    }
    let number =
        if count == 1 { "the only combination".to_owned() } else { format!("all {count} combinations") };
    let verb = if count == 1 { "was" } else { "were" };
    pairs
        .all(|(value, old)| holds(&rule, rule_schema, value, old) == Some(result))
        .then(|| format!("{number} of the values that the rule reads {verb} tried"))
}

/// Returns the reason why a rule holds by its form, and by that of another one.
fn form(
    rule: CompiledRule<'_>,
    schemas: [&StructuralSchema; 2],
    known: &[CompiledRule<'_>],
) -> Option<String> {
    if is_implied(None, rule, schemas) {
        return Some("it follows from the presence, the defaults and the limits of the values".to_owned());
    }
    let is_evaluated = |known: &&CompiledRule<'_>| {
        !known.source().optional_old_self
            && (rule.uses_old_self() || !known.uses_old_self())
            && known.source().rule.trim() != rule.source().rule.trim()
    };
    let by = known.iter().filter(is_evaluated).find(|known| is_implied(Some(**known), rule, schemas))?;
    Some(format!("it follows from the rule `{}`", shortened_rule(&by.source().rule)))
}

/// Returns a schema without the rules of its values.
fn without_rules(schema: &StructuralSchema) -> StructuralSchema {
    fn remove(schema: &mut StructuralSchema) {
        schema.rules.clear();
        schema.properties.values_mut().for_each(remove);
        schema.items.as_deref_mut().into_iter().for_each(remove);
        if let Some(AdditionalProperties::Schema(values)) = &mut schema.additional_properties {
            remove(values);
        }
    }
    let mut schema = schema.clone();
    remove(&mut schema);
    schema
}

/// Returns all values of the new and of the old object, as far as they are read.
fn all_values(
    read: &[Read; 2],
    schemas: [&StructuralSchema; 2],
    rule: CompiledRule<'_>,
) -> Option<[Vec<Option<OwnedDoc>>; 2]> {
    let [new, old] = read;
    let values = new.values(schemas, true)?;
    let old = if rule.uses_old_self() { old.values(schemas, true)? } else { vec![None] };
    let count = values.len().checked_mul(old.len())?;
    (count <= MAX_VALUES).then_some([values, old])
}

/// Returns true if a condition only says that no two items of a set are equal, or no two items of a list in some fields, and these
/// have the keys of the list. `None` if it has another form.
fn compares_keys(condition: RulePart<'_>, schema: &StructuralSchema) -> Option<bool> {
    let items = schema.items.as_deref()?;
    let (range, one, body) = match condition.kind() {
        PartKind::Loop { kind: LoopKind::All, range, variable, body } => (range, variable, body),
        // No item is there more than once.
        PartKind::Compare(RuleComparison::Equal, sides) => {
            let (filter, 0) = measured(sides)? else { return None };
            let PartKind::Loop { kind: LoopKind::Filter, range, variable, body } = filter.kind() else {
                return None;
            };
            let is_set = schema.list_type == Some(ListType::Set);
            return Some(is_self(range) && is_set && counts_equal(body, variable)?);
        }
        _ => return None,
    };
    let PartKind::Loop { kind: LoopKind::ExistsOne, range: other_range, variable: other, body } = body.kind()
    else {
        return None;
    };
    if compares(body, [one, other]) {
        let is_set = schema.list_type == Some(ListType::Set);
        return Some(is_self(range) && is_self(other_range) && is_set);
    }
    let equalities = match body.kind() {
        PartKind::And(parts) => parts,
        _ => vec![body],
    };
    let field = |part: RulePart<'_>, of: &str| match part.kind() {
        PartKind::Field(inner, name) if matches!(inner.kind(), PartKind::Variable(own) if own == of) => {
            field_of(items, name).map(str::to_owned)
        }
        _ => None,
    };
    let compared = equalities.into_iter().map(|equality| match equality.kind() {
        PartKind::Compare(RuleComparison::Equal, [a, b]) => {
            let pair = field(a, one).zip(field(b, other)).or_else(|| field(a, other).zip(field(b, one)));
            pair.filter(|(a, b)| a == b).map(|(field, _)| field)
        }
        _ => None,
    });
    let compared = compared.collect::<Option<Vec<String>>>()?;
    // An absent field is an error, and not equal to itself.
    let is_present = |field: &String| {
        items.validation.required.contains(field)
            || items.properties.get(field).is_some_and(|field| field.default.is_some())
    };
    let keys = &schema.list_map_keys;
    let has_keys = !keys.is_empty() && keys.iter().all(|key| compared.contains(key));
    Some(is_self(range) && is_self(other_range) && has_keys && compared.iter().all(is_present))
}

fn is_self(part: RulePart<'_>) -> bool {
    is_variable(part, "self")
}

/// Returns true if a condition only says that two variables are equal.
fn compares(condition: RulePart<'_>, [a, b]: [&str; 2]) -> bool {
    let PartKind::Compare(RuleComparison::Equal, sides) = condition.kind() else { return false };
    [[a, b], [b, a]].contains(&sides.map(|side| variable_of(side).unwrap_or_default()))
}

/// Returns true if a condition only says that more than one item of the list is equal to an item.
fn counts_equal(condition: RulePart<'_>, item: &str) -> Option<bool> {
    let PartKind::Compare(RuleComparison::Order, [count, least]) = condition.kind() else { return None };
    let names = ["self", item].map(|name| (name, name.to_owned()));
    if !condition.canonical(&names)?.starts_with("_>_(") {
        return None;
    }
    let (PartKind::Call("size", args), PartKind::Literal(Doc::Int(1))) = (count.kind(), least.kind()) else {
        return None;
    };
    let PartKind::Loop { kind: LoopKind::Filter, range, variable, body } = args.first()?.kind() else {
        return None;
    };
    Some(is_self(range) && compares(body, [item, variable]))
}

fn is_text(schema: &StructuralSchema) -> bool {
    schema.ty == Some(ValueType::String) && schema.validation.format.is_none() && !schema.nullable
}

/// The part of a value that a rule reads: the whole value, or some of its fields.
#[derive(Clone, Debug, Default)]
struct Read {
    /// Whether the value itself is read, and not only whether it is there.
    is_value: bool,
    /// The numbers with which the size of the value is compared.
    sizes: Vec<i64>,
    fields: Vec<(String, Read)>,
}

impl Read {
    fn at(&mut self, path: &[String]) -> &mut Read {
        let Some((name, rest)) = path.split_first() else { return self };
        let position = self.fields.iter().position(|(known, _)| known == name);
        let position = position.unwrap_or_else(|| {
            self.fields.push((name.clone(), Read::default()));
            self.fields.len() - 1
        });
        self.fields[position].1.at(rest)
    }

    /// Returns all values of a schema, as far as they are read. `None` among them stands for an absent one. `None` if there
    /// are too many. The second schema is the one whose rule reads the values.
    fn values(
        &self,
        [schema, rule_schema]: [&StructuralSchema; 2],
        is_required: bool,
    ) -> Option<Vec<Option<OwnedDoc>>> {
        let mut values: Vec<Option<OwnedDoc>> = Vec::new();
        let is_present = is_required || rule_schema.default.is_some();
        if !is_present || schema.nullable {
            values.push(None);
        }
        if self.is_value {
            let all = match schema.ty {
                _ if schema.int_or_string => return None,
                _ if !schema.validation.enum_values.is_empty() => schema.validation.enum_values.clone(),
                Some(ValueType::Boolean) => [true, false].map(Doc::Bool).to_vec(),
                _ => return None,
            };
            values.extend(all.into_iter().map(Some));
        } else if !self.sizes.is_empty() {
            values.extend(self.of_sizes(schema)?.into_iter().map(Some));
        } else if self.fields.is_empty() {
            values.push(Some(Sampler::default().with_invalid_scalars().sample(schema, &[])?));
        } else {
            let mut objects = vec![OwnedMap::new()];
            for (name, read) in &self.fields {
                let is_required = schema.validation.required.contains(name);
                let of_field = match schema.properties.get(name) {
                    Some(field) => {
                        let rule_field = rule_schema.properties.get(name).unwrap_or(field);
                        read.values([field, rule_field], is_required)?
                    }
                    // A server drops what the schema does not have, and sets what has a default.
                    None if !schema.preserve_unknown_fields
                        && schema.additional_properties.is_none()
                        && rule_schema.properties.get(name).is_none_or(|field| field.default.is_none()) =>
                    {
                        vec![None]
                    }
                    None => return None,
                };
                objects.len().checked_mul(of_field.len()).filter(|count| *count <= MAX_VALUES)?;
                let with = |(object, value): (&OwnedMap, &Option<OwnedDoc>)| {
                    let mut object = object.clone();
                    if let Some(value) = value {
                        object.insert(name.clone().into(), value.clone());
                    }
                    object
                };
                let pairs =
                    objects.iter().flat_map(|object| of_field.iter().map(move |value| (object, value)));
                objects = pairs.map(with).collect();
            }
            values.extend(objects.into_iter().map(|object| Some(Doc::Map(object))));
        }
        Some(values)
    }
}

impl Read {
    /// Returns a list, a map or a text of each size that makes a difference.
    fn of_sizes(&self, schema: &StructuralSchema) -> Option<Vec<OwnedDoc>> {
        if !self.fields.is_empty() {
            return None;
        }
        let validation = &schema.validation;
        let [least, most] = match schema.ty {
            Some(ValueType::Array) => [validation.min_items, validation.max_items],
            Some(ValueType::Object) => [validation.min_properties, validation.max_properties],
            _ => return None,
        };
        let near = self.sizes.iter().flat_map(|size| [size - 1, *size, size + 1]);
        let mut sizes: Vec<i64> = near.chain([least.unwrap_or(0)]).collect();
        sizes.retain(|size| *size >= least.unwrap_or(0) && most.is_none_or(|most| *size <= most));
        sizes.sort_unstable();
        sizes.dedup();
        let of_size = |size: i64| {
            let size = usize::try_from(size).ok().filter(|size| *size <= MAX_SIZE)?;
            let mut sampler = Sampler::default().with_size(size).with_invalid_scalars();
            let value = sampler.sample(schema, &[SchemaPath::default()])?;
            let actual = value.as_list().map(<[_]>::len).or_else(|| value.as_map().map(OwnedMap::len));
            (actual == Some(size)).then_some(value)
        };
        sizes.into_iter().map(of_size).collect()
    }
}

/// Returns the place of `size(place)`, if the other side of a comparison is a number.
fn measured<'r>([a, b]: [RulePart<'r>; 2]) -> Option<(RulePart<'r>, i64)> {
    let of = |size: RulePart<'r>, number: RulePart<'r>| match (size.kind(), number.kind()) {
        (PartKind::Call("size", args), PartKind::Literal(Doc::Int(number))) => Some((*args.first()?, number)),
        _ => None,
    };
    of(a, b).or_else(|| of(b, a))
}

/// Collects what a part reads of the new and of the old value. `None` if it reads values of which there are many.
fn collect(part: RulePart<'_>, schema: &StructuralSchema, read: &mut [Read; 2]) -> Option<()> {
    match part.kind() {
        PartKind::Has(inner, name) => {
            let (root, mut path) = fields(inner, schema)?;
            path.push(name_of(schema, &path, name)?);
            read[root].at(&path);
            Some(())
        }
        PartKind::Variable("self" | "oldSelf") | PartKind::Field(..) => {
            let (root, path) = fields(part, schema)?;
            read[root].at(&path).is_value = true;
            Some(())
        }
        // Other sizes are those of lists that the rule makes.
        PartKind::Compare(_, sides)
            if measured(sides).is_some_and(|(place, _)| fields(place, schema).is_some()) =>
        {
            let (place, number) = measured(sides)?;
            let (root, path) = fields(place, schema)?;
            read[root].at(&path).sizes.push(number);
            Some(())
        }
        PartKind::Other => None,
        _ => part.inner().into_iter().try_for_each(|inner| collect(inner, schema, read)),
    }
}

/// Returns the variable and the fields of a chain such as `self.a.b`: 0 for the new value, 1 for the old one.
fn fields(part: RulePart<'_>, schema: &StructuralSchema) -> Option<(usize, Vec<String>)> {
    match part.kind() {
        PartKind::Variable("self") => Some((0, Vec::new())),
        PartKind::Variable("oldSelf") => Some((1, Vec::new())),
        PartKind::Field(inner, name) => {
            let (root, mut path) = fields(inner, schema)?;
            path.push(name_of(schema, &path, name)?);
            Some((root, path))
        }
        _ => None,
    }
}

fn name_of(schema: &StructuralSchema, path: &[String], name: &str) -> Option<String> {
    let inner = path.iter().try_fold(schema, |schema, name| schema.properties.get(name))?;
    field_of(inner, name).map(str::to_owned)
}

/// Returns alternative conditions of a text: one of them holds if a part does not have the other result. The part then has this
/// result, or cannot be evaluated. `None` if the part is about something else.
fn text_alternatives(part: RulePart<'_>, text: &str, result: bool) -> Option<Vec<TextConditions>> {
    let one = |pattern: String, is_required| Some(vec![TextConditions::one(pattern, is_required)]);
    let is_text = |part: RulePart<'_>| is_variable(part, text);
    match part.kind() {
        PartKind::Not(inner) => text_alternatives(inner, text, !result),
        PartKind::And(parts) if result => all(&parts, text, true),
        PartKind::Or(parts) if !result => all(&parts, text, false),
        PartKind::And(parts) | PartKind::Or(parts) => {
            let alternatives: Option<Vec<_>> =
                parts.into_iter().map(|part| text_alternatives(part, text, result)).collect();
            alternatives.map(|alternatives| alternatives.concat())
        }
        // A condition that cannot be evaluated has neither branch.
        PartKind::If([condition, yes, no]) if !has_parts_of_texts(condition) => {
            let branch = |holds, branch| {
                let chosen = text_alternatives(condition, text, holds)?;
                Some(combined(&chosen, &text_alternatives(branch, text, result)?))
            };
            Some([branch(true, yes)?, branch(false, no)?].concat())
        }
        PartKind::Literal(Doc::Bool(value)) => {
            Some(if value == result { vec![TextConditions::default()] } else { Vec::new() })
        }
        PartKind::Compare(
            comparison @ (RuleComparison::Equal | RuleComparison::NotEqual),
            [compared, constant],
        ) if is_text(compared) => {
            let PartKind::Literal(Doc::String(constant)) = constant.kind() else { return None };
            one(exactly(&[&constant]), result == (comparison == RuleComparison::Equal))
        }
        PartKind::In([item, list]) if is_text(item) => {
            let PartKind::List(items) = list.kind() else { return None };
            let texts = items.iter().map(|item| match item.kind() {
                PartKind::Literal(Doc::String(text)) => Some(text.to_string()),
                _ => None,
            });
            let texts = texts.collect::<Option<Vec<String>>>()?;
            one(exactly(&texts.iter().map(String::as_str).collect::<Vec<_>>()), result)
        }
        PartKind::Call(name, args) if args.len() == 2 && is_text(args[0]) => {
            let PartKind::Literal(Doc::String(constant)) = args[1].kind() else { return None };
            one(pattern(name, &constant)?, result)
        }
        PartKind::Call(name, args) if args.len() == 2 => {
            let PartKind::Call("substring", part) = args[0].kind() else { return None };
            let [of, start] = *part else { return None };
            let (PartKind::Literal(Doc::Int(start)), PartKind::Literal(Doc::String(constant))) =
                (start.kind(), args[1].kind())
            else {
                return None;
            };
            let start = usize::try_from(start).ok().filter(|_| is_text(of))?;
            let mut alternatives = one(Around::after(start).pattern(name, &constant)?, result)?;
            if result && start > 0 {
                // Shorter texts do not have the part.
                alternatives.extend(one(format!(r"\A[\s\S]{{0,{}}}\z", start - 1), true)?);
            }
            Some(alternatives)
        }
        _ => None,
    }
}

fn is_variable(part: RulePart<'_>, name: &str) -> bool {
    variable_of(part) == Some(name)
}

fn variable_of(part: RulePart<'_>) -> Option<&str> {
    match part.kind() {
        PartKind::Variable(name) => Some(name),
        _ => None,
    }
}

/// Returns true if a part reads a part of a text, which a text can lack.
fn has_parts_of_texts(part: RulePart<'_>) -> bool {
    matches!(part.kind(), PartKind::Call("substring", _)) || part.inner().into_iter().any(has_parts_of_texts)
}

fn all(parts: &[RulePart<'_>], text: &str, result: bool) -> Option<Vec<TextConditions>> {
    parts.iter().try_fold(vec![TextConditions::default()], |found, part| {
        let combined = combined(&found, &text_alternatives(*part, text, result)?);
        (combined.len() <= MAX_ALTERNATIVES).then_some(combined)
    })
}

fn combined(a: &[TextConditions], b: &[TextConditions]) -> Vec<TextConditions> {
    a.iter().flat_map(|a| b.iter().map(|b| a.clone().and(b.clone()))).collect()
}

fn exactly(texts: &[&str]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| regex::escape(text)).collect();
    format!(r"\A(?:{})\z", texts.join("|"))
}
