//! Why an expression cannot be used.

use super::types::Ty;

/// The reason why an expression cannot be used.
#[derive(Debug, PartialEq)]
pub(super) enum Problem {
    /// An API server refuses the definition.
    Invalid(String),
    /// The construct is not simulated.
    NotSimulated { construct: String, reason: &'static str },
}

pub(super) type Checked<T = Ty> = Result<T, Problem>;

pub(super) fn not_simulated(construct: &str, reason: &'static str) -> Problem {
    Problem::NotSimulated { construct: construct.to_owned(), reason }
}

/// Returns the problem of an expression that servers cannot parse.
pub(super) fn invalid(message: &str) -> Problem {
    Problem::Invalid(format!("compilation failed: {message}"))
}

pub(super) fn undeclared(name: &str) -> Problem {
    Problem::Invalid(undeclared_reference(name))
}

pub(super) fn undeclared_reference(name: &str) -> String {
    format!("undeclared reference to '{name}' (in container '')")
}

/// Returns the problem of a rule that is valid on later servers.
pub(super) fn later(message: &str, introduced: u32) -> Problem {
    Problem::Invalid(format!("{message}: new rules can use it from 1.{}", introduced + 1))
}

pub(super) fn no_overload(name: &str, args: &[Ty]) -> Problem {
    let args: Vec<String> = args.iter().map(ToString::to_string).collect();
    Problem::Invalid(format!("found no matching overload for '{name}' applied to '({})'", args.join(", ")))
}
