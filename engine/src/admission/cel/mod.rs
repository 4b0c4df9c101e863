//! Validation rules of custom resources (`x-kubernetes-validations`), which are expressions in CEL.
//!
//! The feature `cel` of this crate simulates them. Without it, each rule is reported as not simulated. The parser and the
//! functions of the Kubernetes libraries are those of the crates `cel` and `kube-cel`; types and evaluation follow
//! cel-go, with which `testdata/pairs.json` was compared.
//!
//! Not simulated: the cost of rules, for which an API server refuses definitions and objects, and what the release of a
//! server changes. All functions of the newest release are available.
//!
//! Upstream: `apiextensions-apiserver`, package `pkg/apiserver/schema/cel`.

use super::not_simulated::NotSimulated;
use super::structural::{NestedValidation, StructuralSchema, ValidationRule};
use crate::document::OwnedDoc;
use crate::error::Error;
use crate::field_path::{FieldPath, PathSegment};

#[cfg(feature = "cel")]
mod check;
#[cfg(feature = "cel")]
mod convert;
#[cfg(feature = "cel")]
mod eval;
#[cfg(feature = "cel")]
mod expression;
#[cfg(feature = "cel")]
mod functions;
#[cfg(feature = "cel")]
mod operators;
#[cfg(feature = "cel")]
mod rules;
#[cfg(feature = "cel")]
mod standard;
#[cfg(all(test, feature = "cel"))]
mod tests;
#[cfg(feature = "cel")]
mod types;
#[cfg(feature = "cel")]
mod value;
#[cfg(feature = "cel")]
mod walk;

/// The compiled rules of a schema.
#[derive(Debug, Default)]
pub struct CompiledRules {
    #[cfg(feature = "cel")]
    rules: rules::Rules,
}

/// How rules are evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Whether a rule that does not hold is only a warning if the value did not change.
    pub ratcheting: bool,
}

impl Options {
    /// Sets whether a rule that does not hold is only a warning if the value did not change.
    #[must_use]
    pub fn with_ratcheting(mut self, ratcheting: bool) -> Self {
        self.ratcheting = ratcheting;
        self
    }
}

impl CompiledRules {
    /// Compiles the rules of the schema of a custom resource. Also returns the rules that are not simulated, and the
    /// errors of rules because of which an API server refuses the definition. The paths of both are in the schema.
    #[must_use]
    pub fn compile(schema: &StructuralSchema) -> (CompiledRules, Vec<NotSimulated>, Vec<Error>) {
        #[cfg(feature = "cel")]
        {
            let (rules, not_simulated, errors) = rules::compile(schema);
            (CompiledRules { rules }, not_simulated, errors)
        }
        #[cfg(not(feature = "cel"))]
        {
            let mut not_simulated = Vec::new();
            for_each_rule(schema, &mut |path, rule| {
                let reason = "the program was built without the feature `cel`";
                not_simulated.push(NotSimulated::new(path.clone(), rule.rule.clone(), reason));
            });
            (CompiledRules::default(), not_simulated, Vec::new())
        }
    }

    /// Evaluates the rules on an object. `old` is the object before an update. Returns errors and warnings.
    ///
    /// The object has its defaults and is valid except for its rules: an API server does not evaluate rules after other
    /// errors about types, required fields, enums and sizes.
    #[must_use]
    pub fn evaluate(
        &self,
        new: &OwnedDoc,
        old: Option<&OwnedDoc>,
        options: Options,
    ) -> (Vec<Error>, Vec<Error>) {
        #[cfg(feature = "cel")]
        return walk::evaluate(&self.rules, new, old, options);
        #[cfg(not(feature = "cel"))]
        {
            let _ = (new, old, options);
            (Vec::new(), Vec::new())
        }
    }
}

/// Calls a function with the path in the schema of each rule.
#[cfg_attr(feature = "cel", expect(dead_code, reason = "The rules are compiled in a traversal of its own."))]
fn for_each_rule(schema: &StructuralSchema, visit: &mut impl FnMut(&FieldPath, &ValidationRule)) {
    let mut path = FieldPath::root();
    each_rule(schema, &mut path, visit);
}

fn each_rule(
    schema: &StructuralSchema,
    path: &mut FieldPath,
    visit: &mut impl FnMut(&FieldPath, &ValidationRule),
) {
    own_rules(&schema.rules, path, visit);
    for (name, property) in &schema.properties {
        within(path, &["properties", name], |path| each_rule(property, path, visit));
    }
    if let Some(super::structural::AdditionalProperties::Schema(values)) = &schema.additional_properties {
        within(path, &["additionalProperties"], |path| each_rule(values, path, visit));
    }
    if let Some(items) = &schema.items {
        within(path, &["items"], |path| each_rule(items, path, visit));
    }
    each_all_of(&schema.validation.all_of, path, visit);
}

fn each_all_of(
    all_of: &[NestedValidation],
    path: &mut FieldPath,
    visit: &mut impl FnMut(&FieldPath, &ValidationRule),
) {
    for (i, nested) in all_of.iter().enumerate() {
        within(path, &["allOf"], |path| {
            path.push(PathSegment::Index(i));
            each_nested_rule(nested, path, visit);
            path.pop();
        });
    }
}

fn each_nested_rule(
    nested: &NestedValidation,
    path: &mut FieldPath,
    visit: &mut impl FnMut(&FieldPath, &ValidationRule),
) {
    own_rules(&nested.rules, path, visit);
    for (name, property) in &nested.properties {
        within(path, &["properties", name], |path| each_nested_rule(property, path, visit));
    }
    if let Some(values) = &nested.additional_properties {
        within(path, &["additionalProperties"], |path| each_nested_rule(values, path, visit));
    }
    if let Some(items) = &nested.items {
        within(path, &["items"], |path| each_nested_rule(items, path, visit));
    }
    each_all_of(&nested.validation.all_of, path, visit);
}

fn own_rules(
    rules: &[ValidationRule],
    path: &mut FieldPath,
    visit: &mut impl FnMut(&FieldPath, &ValidationRule),
) {
    within(path, &["x-kubernetes-validations"], |path| {
        for (i, rule) in rules.iter().enumerate() {
            path.push(PathSegment::Index(i));
            visit(path, rule);
            path.pop();
        }
    });
}

/// Calls a function with a longer path.
fn within<T>(path: &mut FieldPath, keys: &[&str], then: impl FnOnce(&mut FieldPath) -> T) -> T {
    for key in keys {
        path.push(PathSegment::Key((*key).into()));
    }
    let result = then(path);
    for _ in keys {
        path.pop();
    }
    result
}

#[cfg(all(test, not(feature = "cel")))]
mod without_feature {
    use super::CompiledRules;
    use crate::admission::structural::{NestedValidation, StructuralSchema, ValidationRule};

    #[test]
    fn each_rule_is_reported() {
        let rules = || vec![ValidationRule { rule: "true".to_owned(), ..ValidationRule::default() }];
        let mut schema = StructuralSchema { rules: rules(), ..StructuralSchema::default() };
        let item = StructuralSchema { rules: rules(), ..StructuralSchema::default() };
        let list = StructuralSchema { items: Some(Box::new(item)), ..StructuralSchema::default() };
        schema.properties.insert("a".to_owned(), list);
        schema.validation.all_of = vec![NestedValidation { rules: rules(), ..NestedValidation::default() }];
        let (_, not_simulated, errors) = CompiledRules::compile(&schema);
        let paths: Vec<String> = not_simulated.iter().map(|rule| rule.path.to_string()).collect();
        let expected = [
            "x-kubernetes-validations[0]",
            "properties.a.items.x-kubernetes-validations[0]",
            "allOf[0].x-kubernetes-validations[0]",
        ];
        assert_eq!((paths.as_slice(), errors.len()), (expected.map(str::to_owned).as_slice(), 0));
    }
}
