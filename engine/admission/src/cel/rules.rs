//! The compilation of the rules of a schema. Upstream: `NewValidator`, `Compile`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use cel::Context;
use kube_cel::KubeCelExt;
use skewer_engine::error::{Error, ErrorKind};
use skewer_engine::field_path::{FieldPath, PathSegment};

use super::declared::Declared;
use super::expression::Expression;
use super::problem::Problem;
use super::reads::Reads;
use super::release::RuleRelease;
use super::types::{Ty, escape};
use crate::not_simulated::NotSimulated;
use crate::structural::visit::within;
use crate::structural::{AdditionalProperties, NestedValidation, RuleCost, StructuralSchema, ValidationRule};

/// The rules of a schema, and the schema.
#[derive(Debug, Default)]
pub(super) struct Rules {
    pub(super) schema: StructuralSchema,
    pub(super) root: Node,
    pub(super) costs: Vec<RuleCost>,
    pub(super) libraries: Libraries,
}

/// The functions of the Kubernetes libraries.
pub(super) struct Libraries(pub(super) Context<'static>);

impl Default for Libraries {
    fn default() -> Self {
        Libraries(Context::default().with_all())
    }
}

impl fmt::Debug for Libraries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Libraries")
    }
}

/// The rules at one place of a schema, and below it.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub(super) rules: Vec<Rule>,
    pub(super) properties: BTreeMap<String, Node>,
    pub(super) additional_properties: Option<Box<Node>>,
    pub(super) items: Option<Box<Node>>,
    pub(super) all_of: Vec<Node>,
    pub(super) is_resource_root: bool,
}

/// A compiled rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) source: ValidationRule,
    pub(super) expression: Expression,
    pub(super) message: Option<Expression>,
    /// The names of `fieldPath`.
    pub(super) field_path: Vec<String>,
    /// The parts of `self` and of `oldSelf` that the rule and its message read.
    pub(super) reads: [Reads; 2],
}

/// The position of rules, apart from the schema of their values: in the schema itself, or below `allOf`.
#[derive(Clone, Copy)]
enum Source<'a> {
    Schema(&'a StructuralSchema),
    Nested(&'a NestedValidation),
}

/// Why rules are compiled, which decides on the types of their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To check a definition, with the costs of rules. A schema outside of others with rules has its own type. Upstream:
    /// `CELSchemaContext`.
    Definition,
    /// To evaluate the rules of a definition. The types are those of its check.
    Objects,
    /// To evaluate the rules of a default. The type of a value is a part of that of the value around it. Upstream:
    /// `NewValidator`.
    Default,
}

struct Compiler {
    release: RuleRelease,
    purpose: Purpose,
    /// Whether a schema around has rules.
    has_rules: bool,
    path: FieldPath,
    not_simulated: Vec<NotSimulated>,
    errors: Vec<Error>,
    costs: Vec<RuleCost>,
}

/// Compiles the rules of a schema. `is_root` says whether it is that of an object.
pub(super) fn compile(
    schema: &StructuralSchema,
    is_root: bool,
    release: RuleRelease,
    purpose: Purpose,
) -> (Rules, Vec<NotSimulated>, Vec<Error>) {
    let mut compiler = Compiler {
        release,
        purpose,
        has_rules: false,
        path: FieldPath::default(),
        not_simulated: Vec::new(),
        errors: Vec::new(),
        costs: Vec::new(),
    };
    let declared = Declared::of_schema(schema, is_root);
    let root = compiler.node(Source::Schema(schema), schema, is_root, declared.as_deref());
    let (schema, costs) = (schema.clone(), compiler.costs);
    let rules = Rules { schema, root, costs, libraries: Libraries::default() };
    (rules, compiler.not_simulated, compiler.errors)
}

impl Compiler {
    fn node(
        &mut self,
        source: Source<'_>,
        schema: &StructuralSchema,
        is_resource_root: bool,
        of: Option<&Declared>,
    ) -> Node {
        let mut node = Node { is_resource_root, ..Node::default() };
        node.rules = self.rules(source, schema, of);
        let has_rules = self.has_rules;
        self.has_rules |= !source.rules().is_empty();
        let around = of.filter(|_| self.purpose == Purpose::Default || self.has_rules);
        for (name, property) in source.properties() {
            if let Some(declared) = schema.properties.get(name) {
                let of = self.property_type(name, declared, around);
                if of.is_none() && self.purpose == Purpose::Default {
                    continue;
                }
                let is_root = declared.embedded_resource;
                let child = self
                    .within(&["properties", name], |c| c.node(property, declared, is_root, of.as_deref()));
                node.properties.extend(child.has_rules().then(|| (name.to_owned(), child)));
            }
        }
        if let (Some(values), Some(AdditionalProperties::Schema(declared))) =
            (source.additional_properties(), &schema.additional_properties)
        {
            let is_root = declared.embedded_resource;
            let element = self.element_type(declared, around);
            let child = self
                .within(&["additionalProperties"], |c| c.node(values, declared, is_root, element.as_deref()));
            node.additional_properties = child.has_rules().then(|| Box::new(child));
        }
        if let (Some(items), Some(declared)) = (source.items(), &schema.items) {
            let is_root = declared.embedded_resource;
            let element = self.element_type(declared, around);
            let child = self.within(&["items"], |c| c.node(items, declared, is_root, element.as_deref()));
            node.items = child.has_rules().then(|| Box::new(child));
        }
        self.has_rules = has_rules;
        for (i, nested) in source.all_of().iter().enumerate() {
            let child = self.within(&["allOf"], |c| {
                c.path.push(PathSegment::Index(i));
                let child = c.node(Source::Nested(nested), schema, is_resource_root, of);
                c.path.pop();
                child
            });
            node.all_of.extend(child.has_rules().then_some(child));
        }
        node
    }

    fn within<T>(&mut self, keys: &[&str], then: impl FnOnce(&mut Self) -> T) -> T {
        let mut path = std::mem::take(&mut self.path);
        let result = within(&mut path, keys, |path| {
            self.path = std::mem::take(path);
            let result = then(self);
            *path = std::mem::take(&mut self.path);
            result
        });
        self.path = path;
        result
    }

    fn rules(&mut self, source: Source<'_>, schema: &StructuralSchema, of: Option<&Declared>) -> Vec<Rule> {
        self.within(&["x-kubernetes-validations"], |compiler| {
            let mut compiled = Vec::new();
            for (i, rule) in source.rules().iter().enumerate() {
                compiler.path.push(PathSegment::Index(i));
                match compiler.compile_rule(rule, schema, of) {
                    Ok(rule) => {
                        if let (Source::Schema(_), Purpose::Definition, Some(of), Some(rule)) =
                            (source, compiler.purpose, of, &rule)
                        {
                            compiler.costs.push(RuleCost {
                                path: compiler.path.clone(),
                                rule: rule.expression.cost,
                                max_values: of.max_cardinality(),
                                message: rule.message.as_ref().map(|message| message.cost),
                            });
                        }
                        compiled.extend(rule);
                    }
                    Err(problem) => compiler.report(problem),
                }
                compiler.path.pop();
            }
            compiled
        })
    }

    /// Returns the type of a property of a value. A name that CEL cannot have is not part of the type of the object.
    fn property_type(
        &self,
        name: &str,
        schema: &StructuralSchema,
        of: Option<&Declared>,
    ) -> Option<Arc<Declared>> {
        let name = escape(name);
        let known = match (&name, of) {
            (Some(name), Some(Declared { ty: Ty::Object(_), fields, .. })) => {
                fields.get(name.as_ref()).cloned()
            }
            _ => None,
        };
        match known {
            None if name.is_some() && self.purpose == Purpose::Default => None,
            // No value has this property, or CEL cannot have its name, but the rule is compiled.
            None => Declared::of_schema(schema, schema.embedded_resource),
            known => known,
        }
    }

    /// Returns the type of the items or the values of a value. In a definition, those of a value of another type are compiled
    /// with the type of their own schema.
    fn element_type(&self, schema: &StructuralSchema, of: Option<&Declared>) -> Option<Arc<Declared>> {
        match of.and_then(|of| of.element.clone()) {
            None if self.purpose != Purpose::Default => Declared::of_schema(schema, schema.embedded_resource),
            element => element,
        }
    }

    /// Compiles a rule. Returns `None` if the rule is empty, or if the server knows no rules.
    fn compile_rule(
        &self,
        rule: &ValidationRule,
        schema: &StructuralSchema,
        of: Option<&Declared>,
    ) -> Result<Option<Rule>, Problem> {
        let release = self.release;
        let Some(rule) = release.read(rule) else { return Ok(None) };
        let Some(of) = of else {
            let message = "failed to convert to declType for CEL validation rules".to_owned();
            return Err(Problem::Invalid(message));
        };
        if rule.rule.trim().is_empty() {
            return Ok(None);
        }
        let ty = &of.ty;
        let with_cost = Some(of).filter(|_| self.purpose == Purpose::Definition);
        let old = if rule.optional_old_self { Ty::Optional(ty.clone().into()) } else { ty.clone() };
        let variables = || vec![("self".to_owned(), ty.clone()), ("oldSelf".to_owned(), old.clone())];
        let expression = Expression::compile(&rule.rule, variables(), &Ty::Bool, release, with_cost)?;
        let message = rule.message_expression.as_deref().filter(|text| !text.is_empty());
        let message = message
            .map(|text| Expression::compile(text, variables(), &Ty::String, release, with_cost))
            .transpose()?;
        let field_path = match rule.field_path.as_deref().filter(|path| !path.is_empty()) {
            Some(path) => field_path(path, schema)
                .ok_or_else(|| Problem::Invalid(format!("invalid fieldPath {path}")))?,
            None => Vec::new(),
        };
        let trees = || std::iter::once(&expression).chain(&message).map(Expression::tree);
        let reads = ["self", "oldSelf"].map(|variable| Reads::of(trees(), variable));
        Ok(Some(Rule { source: rule, expression, message, field_path, reads }))
    }

    fn report(&mut self, problem: Problem) {
        match problem {
            Problem::Invalid(message) => {
                let error = Error::new(ErrorKind::InvalidSchema, message);
                self.errors.push(error.with_path(Some(self.path.clone())));
            }
            Problem::NotSimulated { construct, reason } => {
                self.not_simulated.push(NotSimulated::new(self.path.clone(), construct, reason));
            }
        }
    }
}

impl Node {
    fn has_rules(&self) -> bool {
        let children = [&self.additional_properties, &self.items];
        !self.rules.is_empty()
            || !self.properties.is_empty()
            || !self.all_of.is_empty()
            || children.iter().any(|child| child.is_some())
    }
}

impl<'a> Source<'a> {
    fn rules(self) -> &'a [ValidationRule] {
        match self {
            Source::Schema(schema) => &schema.rules,
            Source::Nested(nested) => &nested.rules,
        }
    }

    fn properties(self) -> Vec<(&'a str, Source<'a>)> {
        match self {
            Source::Schema(schema) => schema
                .properties
                .iter()
                .map(|(name, schema)| (name.as_str(), Source::Schema(schema)))
                .collect(),
            Source::Nested(nested) => nested
                .properties
                .iter()
                .map(|(name, nested)| (name.as_str(), Source::Nested(nested)))
                .collect(),
        }
    }

    fn additional_properties(self) -> Option<Source<'a>> {
        match self {
            Source::Schema(schema) => match &schema.additional_properties {
                Some(AdditionalProperties::Schema(values)) => Some(Source::Schema(values)),
                _ => None,
            },
            Source::Nested(nested) => nested.additional_properties.as_deref().map(Source::Nested),
        }
    }

    fn items(self) -> Option<Source<'a>> {
        match self {
            Source::Schema(schema) => schema.items.as_deref().map(Source::Schema),
            Source::Nested(nested) => nested.items.as_deref().map(Source::Nested),
        }
    }

    fn all_of(self) -> &'a [NestedValidation] {
        match self {
            Source::Schema(schema) => &schema.validation.all_of,
            Source::Nested(nested) => &nested.validation.all_of,
        }
    }
}

/// Parses `fieldPath`: names after dots, or in brackets and single quotes. Upstream: `ValidFieldPath`.
fn field_path(text: &str, schema: &StructuralSchema) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut rest = text;
    let mut schema = schema;
    while !rest.is_empty() {
        let name = if let Some(tail) = rest.strip_prefix("['") {
            let end = tail.find("']")?;
            rest = tail.get(end + 2..)?;
            tail.get(..end)?.replace(r"\'", "'").replace(r"\\", r"\")
        } else {
            let tail = rest.strip_prefix('.')?;
            let end = tail.find(['.', '[']).unwrap_or(tail.len());
            rest = tail.get(end..)?;
            tail.get(..end)?.to_owned()
        };
        schema = match (&schema.additional_properties, schema.properties.is_empty()) {
            (Some(AdditionalProperties::Schema(values)), true) => values,
            _ => schema.properties.get(&name)?,
        };
        names.push(name);
    }
    Some(names)
}
