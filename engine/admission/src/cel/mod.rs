//! Validation rules of custom resources (`x-kubernetes-validations`), which are expressions in CEL.
//!
//! The feature `cel` of this crate simulates them. Without it, each rule is reported as not simulated. The values and some
//! functions of the Kubernetes libraries are those of the crates `cel` and `kube-cel`; parser, types and evaluation follow
//! cel-go, with which `testdata/pairs.json` was compared.
//!
//! Not simulated: the cost of evaluations, for which an API server refuses objects.
//!
//! Upstream: `apiextensions-apiserver`, package `pkg/apiserver/schema/cel`.

#[cfg(feature = "cel")]
use self::release::RuleRelease;
#[cfg(feature = "cel")]
use self::rules::Purpose;
use super::not_simulated::NotSimulated;
use super::options::AdmissionOptions;
#[cfg(not(feature = "cel"))]
use super::structural::visit::visit;
use super::structural::{RuleCost, StructuralSchema};
use skewer_engine::document::OwnedDoc;
use skewer_engine::error::Error;
#[cfg(not(feature = "cel"))]
use skewer_engine::field_path::PathSegment;

#[cfg(feature = "cel")]
mod check;
#[cfg(feature = "cel")]
mod constants;
#[cfg(feature = "cel")]
mod convert;
#[cfg(feature = "cel")]
mod cost;
#[cfg(feature = "cel")]
mod declared;
#[cfg(feature = "cel")]
mod equality;
#[cfg(feature = "cel")]
mod eval;
#[cfg(feature = "cel")]
mod expression;
#[cfg(feature = "cel")]
mod format;
#[cfg(feature = "cel")]
mod functions;
#[cfg(feature = "cel")]
mod inner_types;
#[cfg(feature = "cel")]
mod lexer;
#[cfg(feature = "cel")]
mod lists;
#[cfg(feature = "cel")]
mod macros;
#[cfg(feature = "cel")]
mod named_format;
#[cfg(feature = "cel")]
mod network;
#[cfg(feature = "cel")]
mod operator_types;
#[cfg(feature = "cel")]
mod operators;
#[cfg(feature = "cel")]
mod origins;
#[cfg(feature = "cel")]
mod parser;
#[cfg(feature = "cel")]
pub mod parts;
#[cfg(feature = "cel")]
mod problem;
#[cfg(feature = "cel")]
mod quantity;
#[cfg(feature = "cel")]
mod reads;
#[cfg(feature = "cel")]
mod release;
#[cfg(feature = "cel")]
mod rules;
#[cfg(feature = "cel")]
mod semver;
#[cfg(feature = "cel")]
mod standard;
#[cfg(feature = "cel")]
mod strings;
#[cfg(all(test, feature = "cel"))]
mod tests;
#[cfg(feature = "cel")]
mod type_names;
#[cfg(feature = "cel")]
mod types;
#[cfg(feature = "cel")]
mod url;
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

/// Whether the costs of rules are estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleCosts {
    Estimated,
    Unknown,
}

/// How rules are evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleOptions {
    /// Whether a rule that does not hold is only a warning if the value did not change.
    pub ratcheting: bool,
}

impl RuleOptions {
    /// Sets whether a rule that does not hold is only a warning if the value did not change.
    #[must_use]
    pub fn with_ratcheting(mut self, ratcheting: bool) -> Self {
        self.ratcheting = ratcheting;
        self
    }
}

impl CompiledRules {
    /// Compiles the rules of the schema of a custom resource, as a server reads them that is sent the definition. Also returns
    /// the rules that are not simulated, and the errors of rules because of which the server refuses the definition. The paths
    /// of both are in the schema.
    #[must_use]
    pub fn compile(
        schema: &StructuralSchema,
        options: AdmissionOptions,
    ) -> (CompiledRules, Vec<NotSimulated>, Vec<Error>) {
        CompiledRules::compile_definition(schema, options, RuleCosts::Unknown)
    }

    /// Compiles rules like [`CompiledRules::compile`], and estimates their costs on request.
    pub(crate) fn compile_definition(
        schema: &StructuralSchema,
        options: AdmissionOptions,
        costs: RuleCosts,
    ) -> (CompiledRules, Vec<NotSimulated>, Vec<Error>) {
        #[cfg(feature = "cel")]
        {
            let purpose = match costs {
                RuleCosts::Estimated => Purpose::Definition,
                RuleCosts::Unknown => Purpose::Objects,
            };
            let release = RuleRelease::of_minor(options.minor);
            let (rules, not_simulated, errors) = rules::compile(schema, true, release, purpose);
            (CompiledRules { rules }, not_simulated, errors)
        }
        #[cfg(not(feature = "cel"))]
        {
            let _ = (options, costs);
            let mut not_simulated = Vec::new();
            visit(schema, &mut |path, part| {
                for (i, rule) in part.rules.iter().enumerate() {
                    let mut path = path.clone();
                    path.push(PathSegment::Key("x-kubernetes-validations".into()));
                    path.push(PathSegment::Index(i));
                    let reason = "the program was built without the feature `cel`";
                    not_simulated.push(NotSimulated::new(path, rule.rule.clone(), reason));
                }
            });
            (CompiledRules::default(), not_simulated, Vec::new())
        }
    }

    /// Returns the costs of the rules of a definition. Those in `allOf` have none.
    pub(crate) fn costs(&self) -> &[RuleCost] {
        #[cfg(feature = "cel")]
        return &self.rules.costs;
        #[cfg(not(feature = "cel"))]
        {
            let _ = self;
            &[]
        }
    }

    /// Compiles the rules of the schema of a value with a default. Also returns the rules that are not simulated, and the errors
    /// of rules that are not compiled, which do not hold. `is_root` says whether the value has an API version, a kind and metadata.
    #[must_use]
    pub(super) fn compile_value(
        schema: &StructuralSchema,
        is_root: bool,
        options: AdmissionOptions,
    ) -> (CompiledRules, Vec<NotSimulated>, Vec<Error>) {
        #[cfg(feature = "cel")]
        {
            let release = RuleRelease::of_minor(options.minor);
            let (rules, not_simulated, errors) = rules::compile(schema, is_root, release, Purpose::Default);
            (CompiledRules { rules }, not_simulated, errors)
        }
        #[cfg(not(feature = "cel"))]
        {
            let _ = (schema, is_root, options);
            (CompiledRules::default(), Vec::new(), Vec::new())
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
        options: RuleOptions,
    ) -> (Vec<Error>, Vec<Error>) {
        #[cfg(feature = "cel")]
        return walk::evaluate(&self.rules, new, old, options.ratcheting);
        #[cfg(not(feature = "cel"))]
        {
            let _ = (new, old, options);
            (Vec::new(), Vec::new())
        }
    }
}

#[cfg(all(test, not(feature = "cel")))]
mod without_feature {
    use super::CompiledRules;
    use crate::AdmissionOptions;
    use crate::structural::{NestedValidation, StructuralSchema, ValidationRule};

    #[test]
    fn each_rule_is_reported() {
        let rules = || vec![ValidationRule { rule: "true".to_owned(), ..ValidationRule::default() }];
        let mut schema = StructuralSchema { rules: rules(), ..StructuralSchema::default() };
        let item = StructuralSchema { rules: rules(), ..StructuralSchema::default() };
        let list = StructuralSchema { items: Some(Box::new(item)), ..StructuralSchema::default() };
        schema.properties.insert("a".to_owned(), list);
        schema.validation.all_of = vec![NestedValidation { rules: rules(), ..NestedValidation::default() }];
        let (_, not_simulated, errors) = CompiledRules::compile(&schema, AdmissionOptions::NEWEST);
        let paths: Vec<String> = not_simulated.iter().map(|rule| rule.path.to_string()).collect();
        let expected = [
            "x-kubernetes-validations[0]",
            "properties.a.items.x-kubernetes-validations[0]",
            "allOf[0].x-kubernetes-validations[0]",
        ];
        assert_eq!((paths.as_slice(), errors.len()), (expected.map(str::to_owned).as_slice(), 0));
    }
}
