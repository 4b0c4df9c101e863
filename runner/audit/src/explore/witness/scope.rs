//! A rule on objects: its variables, and the values and places of its parts.

use std::cell::Cell;
use std::rc::Rc;

use skewer_admission::cel::CompiledRules;
use skewer_admission::cel::parts::{CompiledRule, PartKind, RulePart, ValueStep, Variable, field_of};
use skewer_admission::structural::StructuralSchema;
use skewer_engine::{Doc, FieldPath, OwnedDoc, PathSegment};

use super::objects::{Objects, Place, count, schema_at};
use crate::schema_path::SchemaStep;

/// The number of values that evaluations can read before a search ends.
pub(crate) type Budget = Rc<Cell<usize>>;

/// A rule that is evaluated on a value of objects.
#[derive(Clone)]
pub(super) struct Scope<'a> {
    pub(super) rule: CompiledRule<'a>,
    /// All rules of the schema.
    pub(super) rules: &'a CompiledRules,
    /// The schema of the whole objects.
    pub(super) schema: &'a StructuralSchema,
    /// The schema of the server that has to accept the objects.
    pub(super) accepting: &'a StructuralSchema,
    /// Whether the rule is to hold.
    pub(super) goal: bool,
    /// The texts and numbers that the rule names.
    pub(super) literals: Rc<[OwnedDoc]>,
    variables: Vec<(&'a str, Bound)>,
    /// The number of evaluations that are left.
    budget: Budget,
}

/// The value or the key that a variable stands for.
#[derive(Clone)]
pub(super) enum Bound {
    /// A value of the objects.
    Place(Place),
    /// A key of a map.
    Key(OwnedDoc),
}

impl<'a> Scope<'a> {
    /// The rule is evaluated on the value at a path, and has to hold.
    pub(super) fn new(
        schema: &'a StructuralSchema,
        rules: &'a CompiledRules,
        rule: CompiledRule<'a>,
        path: &FieldPath,
        budget: &Budget,
    ) -> Self {
        let place = |is_in_old| Bound::Place(Place { is_in_old, path: path.clone() });
        let mut literals = Vec::new();
        collect_literals(rule.condition(), &mut literals);
        Scope {
            rule,
            rules,
            schema,
            accepting: schema,
            goal: true,
            literals: literals.into(),
            variables: vec![("self", place(false)), ("oldSelf", place(true))],
            budget: Rc::clone(budget),
        }
    }

    /// Returns the scope of another rule, which has to hold, with the same budget.
    pub(super) fn of_rule(&self, rule: CompiledRule<'a>, path: &FieldPath) -> Self {
        Scope::new(self.schema, self.rules, rule, path, &self.budget)
    }

    /// Returns the scope in which the rule has to refuse a value that another server accepts.
    pub(super) fn refusing(mut self, accepting: &'a StructuralSchema) -> Self {
        self.accepting = accepting;
        self.goal = false;
        self
    }

    /// Returns the scope of the body of a macro.
    pub(super) fn with(&self, variable: &'a str, bound: Bound) -> Self {
        let mut inner = self.clone();
        inner.variables.push((variable, bound));
        inner
    }

    /// Whether a condition holds for an item.
    pub(super) fn holds_for(
        &self,
        objects: &Objects,
        condition: ItemCondition<'a>,
        item: &Bound,
    ) -> Option<bool> {
        self.with(condition.variable, item.clone()).holds(objects, condition.body)
    }

    /// Returns true until the budget is spent.
    pub(super) fn spend(&self, values: usize) -> bool {
        let left = self.budget.get();
        self.budget.set(left.saturating_sub(values));
        left > 0
    }

    pub(super) fn holds(&self, objects: &Objects, part: RulePart<'_>) -> Option<bool> {
        match self.value(objects, part)? {
            Doc::Bool(holds) => Some(holds),
            _ => None,
        }
    }

    pub(super) fn value(&self, objects: &Objects, part: RulePart<'_>) -> Option<OwnedDoc> {
        let mut variables = self.variables(objects);
        variables.retain(|variable| part.mentions(variable.name));
        let read = variables.iter().filter_map(|variable| variable.value).map(count).sum::<usize>();
        self.spend(1 + read).then(|| self.rule.evaluate(part, &variables)).flatten()
    }

    fn variables<'v>(&'v self, objects: &'v Objects) -> Vec<Variable<'v>> {
        let variable = |(name, bound): &'v (&'a str, Bound)| match bound {
            Bound::Place(place) => {
                let value = objects.value(place).filter(|value| !value.is_null());
                Variable { name, value, schema: self.schema_of(place) }
            }
            Bound::Key(key) => Variable { name, value: Some(key), schema: None },
        };
        self.variables.iter().map(variable).collect()
    }

    pub(super) fn schema_of(&self, place: &Place) -> Option<&'a StructuralSchema> {
        schema_at(self.schema, place.path.segments())
    }

    /// Returns the place whose value a part is, or becomes by a conversion.
    pub(super) fn place(&self, objects: &Objects, part: RulePart<'a>) -> Option<Place> {
        match part.kind() {
            PartKind::Variable(name) => {
                let (_, bound) = self.variables.iter().rev().find(|(known, _)| *known == name)?;
                match bound {
                    Bound::Place(place) => Some(place.clone()),
                    Bound::Key(_) => None,
                }
            }
            PartKind::Field(inner, name) => {
                let inner = self.place(objects, inner)?;
                let name = self.field(&inner, name);
                Some(inner.inner(PathSegment::Key(name.to_owned().into())))
            }
            PartKind::Index([inner, index]) => {
                let inner = self.place(objects, inner)?;
                match self.value(objects, index)? {
                    Doc::Int(index) => Some(inner.inner(PathSegment::Index(usize::try_from(index).ok()?))),
                    Doc::String(key) => Some(inner.inner(PathSegment::Key(key))),
                    _ => None,
                }
            }
            PartKind::Call("orValue" | "value" | "string" | "dyn", args) => {
                self.place(objects, *args.first()?)
            }
            _ => None,
        }
    }

    /// Returns the name of the field that a rule calls by a name.
    pub(super) fn field<'n>(&self, inner: &Place, name: &'n str) -> &'n str
    where
        'a: 'n,
    {
        self.schema_of(inner).and_then(|schema| field_of(schema, name)).unwrap_or(name)
    }

    /// Returns the rules of the values that contain a place, and of the value at the place, each with the path of its value.
    pub(super) fn rules_around(&self, place: &Place) -> Vec<(CompiledRule<'a>, FieldPath)> {
        let segments = place.path.segments();
        let mut path = FieldPath::root();
        let mut found = Vec::new();
        for next in segments.iter().map(Some).chain([None]) {
            let rules = rules_at(self.rules, self.schema, &path);
            found.extend(rules.into_iter().map(|rule| (rule, path.clone())));
            if let Some(segment) = next {
                path.push(segment.clone());
            }
        }
        found
    }
}

/// A condition of the items of a list, or of the keys of a map.
#[derive(Clone, Copy)]
pub(super) struct ItemCondition<'a> {
    /// The variable for the items.
    pub(super) variable: &'a str,
    pub(super) body: RulePart<'a>,
}

/// Returns the values of a list or map that a macro goes through.
pub(super) fn bounds(objects: &Objects, range: &Place) -> Vec<Bound> {
    match objects.value(range) {
        Some(Doc::List(items)) => {
            (0..items.len()).map(|at| Bound::Place(range.inner(PathSegment::Index(at)))).collect()
        }
        Some(Doc::Map(map)) => map.keys().map(|key| Bound::Key(Doc::String(key.clone()))).collect(),
        _ => Vec::new(),
    }
}

/// Returns the rules of the value at a path in an object.
pub(super) fn rules_at<'r>(
    rules: &'r CompiledRules,
    schema: &StructuralSchema,
    path: &FieldPath,
) -> Vec<CompiledRule<'r>> {
    let mut at = schema;
    let mut steps = Vec::new();
    for segment in path.segments() {
        let step = match segment {
            PathSegment::Key(key) if at.properties.contains_key(&**key) => ValueStep::Field(key),
            PathSegment::Key(_) => ValueStep::Value,
            PathSegment::Index(_) => ValueStep::Item,
        };
        let Some(inner) = schema_at(at, std::slice::from_ref(segment)) else { return Vec::new() };
        at = inner;
        steps.push(step);
    }
    rules.of_value(steps)
}

/// Returns the rules of an element of a schema.
pub(super) fn rules_of<'r>(rules: &'r CompiledRules, steps: &[SchemaStep]) -> Vec<CompiledRule<'r>> {
    rules.of_value(steps.iter().map(|step| match step {
        SchemaStep::Field(name) => ValueStep::Field(name),
        SchemaStep::Items => ValueStep::Item,
        SchemaStep::Values => ValueStep::Value,
    }))
}

/// Collects the texts and the numbers that a rule names. A number is often a limit, so that the next one is a value to try, too.
pub(super) fn collect_literals(part: RulePart<'_>, literals: &mut Vec<OwnedDoc>) {
    if let PartKind::Literal(literal) = part.kind() {
        let next = match literal {
            Doc::Int(number) => Some(Doc::Int(number.saturating_add(1))),
            _ => None,
        };
        literals.extend([literal].into_iter().chain(next));
    }
    part.inner().into_iter().for_each(|inner| collect_literals(inner, literals));
}
