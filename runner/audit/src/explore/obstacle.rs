//! Why a server refuses an object, as far as the definition says it.

use std::fmt;

use skewer_admission::structural::{StructuralSchema, ValidationRule};
use skewer_engine::{Error, ErrorKind, FieldPath, PathSegment};

use crate::sample::element;
use crate::schema_path::{SchemaPath, SchemaStep};

/// The reason for which a server refuses an object.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Obstacle {
    /// A rule does not hold.
    Rule {
        /// The value with the rule.
        path: SchemaPath,
        /// The expression.
        rule: String,
    },
    /// A value is not valid otherwise.
    Error(Error),
    /// The rule is not simulated.
    NotSimulated,
}

/// Describes the obstacle for the owner of the definition.
impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Rule { path, rule } => {
                let rule = shortened_rule(rule);
                let path = if path.steps().is_empty() { "the object".to_owned() } else { path.to_string() };
                write!(f, "the rule `{rule}` of {path} refuses all that were tried")
            }
            Obstacle::NotSimulated => f.write_str("the rule is not simulated"),
            Obstacle::Error(error) => write!(f, "all that were tried are refused ({error})"),
        }
    }
}

/// Returns a rule in one line, which is not too long.
pub(crate) fn shortened_rule(rule: &str) -> String {
    /// The most characters of a rule.
    const LONGEST: usize = 160;
    let mut rule = rule.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = rule.char_indices().nth(LONGEST) {
        rule.truncate(end);
        rule.push('…');
    }
    rule
}

impl Obstacle {
    /// Returns the reasons for errors. Each is there once.
    pub(crate) fn all(schema: &StructuralSchema, errors: &[Error]) -> Vec<Self> {
        let mut refusals: Vec<Obstacle> = Vec::new();
        for error in errors {
            let refusal = match failed_rule(schema, error) {
                Some((path, rule)) => Obstacle::Rule { path, rule: rule.rule.trim().to_owned() },
                None => Obstacle::Error(error.clone()),
            };
            if !refusals.contains(&refusal) {
                refusals.push(refusal);
            }
        }
        refusals
    }
}

/// Returns the path of the element that a path in an object is an instance of. It ends where the schema ends.
pub(super) fn schema_path_of(schema: &StructuralSchema, path: &FieldPath) -> SchemaPath {
    let mut found = SchemaPath::default();
    for segment in path.segments() {
        let steps = match segment {
            PathSegment::Key(key) => vec![SchemaStep::Field(key.to_string()), SchemaStep::Values],
            PathSegment::Index(_) => vec![SchemaStep::Items],
        };
        let mut next = steps.into_iter().map(|step| found.child(step));
        match next.find(|next| element(schema, next.steps()).is_some()) {
            Some(next) => found = next,
            None => break,
        }
    }
    found
}

/// Returns the rule that reports an error, and the path of its value. An error of a rule can be at a field of the value.
pub(super) fn failed_rule<'s>(
    schema: &'s StructuralSchema,
    error: &Error,
) -> Option<(SchemaPath, &'s ValidationRule)> {
    let rules_at = |at: &SchemaPath| element(schema, at.steps()).map_or(&[][..], |schema| &schema.rules);
    let own = schema_path_of(schema, error.path());
    let mut path = Some(own.clone());
    while let Some(at) = path {
        if let Some(rule) = rules_at(&at).iter().find(|rule| reports(rule, error.message())) {
            return Some((at, rule));
        }
        path = at.parent();
    }
    // The message of such a rule is not known.
    let computed = rules_at(&own).iter().find(|rule| rule.message_expression.is_some());
    computed.filter(|_| error.kind() == ErrorKind::InvalidValue).map(|rule| (own, rule))
}

fn reports(rule: &ValidationRule, message: &str) -> bool {
    let own = rule.message.as_deref().map(str::trim).filter(|own| !own.is_empty());
    own.map_or_else(|| format!("failed rule: {}", rule.rule.trim()), str::to_owned) == message
}
