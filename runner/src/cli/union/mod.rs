//! `skewer union`: the unions that types declare, and their normalization and validation in objects.

mod admit;
mod check;

use clap::Subcommand;

use crate::cli::failure::Result;

/// List the unions of types, and apply a union policy to an object.
#[derive(Debug, Subcommand)]
pub(super) enum UnionCommand {
    /// List the unions that types declare, and report invalid declarations.
    Check(check::CheckArguments),
    /// Print the object as the server would store it, and the changes that the policy made.
    Normalize(admit::AdmitArguments),
    /// Check whether the server would accept the object. Every policy also checks enum values, required fields and the
    /// types of values.
    Validate(admit::AdmitArguments),
}

/// Carries a command out.
pub(super) fn union(command: &UnionCommand) -> Result {
    match command {
        UnionCommand::Check(arguments) => check::check(arguments),
        UnionCommand::Normalize(arguments) => admit::normalize(arguments),
        UnionCommand::Validate(arguments) => admit::validate(arguments),
    }
}
