//! `skewer union …`: unions by hand.

mod admit;
mod check;

use clap::Subcommand;

use crate::cli::failure::Result;

/// Unions: find them in types, and see what a server's policy makes of an object.
#[derive(Debug, Subcommand)]
pub(super) enum UnionCommand {
    /// The unions that types declare, and the rules of declaring them that are broken.
    Check(check::CheckArguments),
    /// The object as a server stores it, and what was done to it and why.
    Normalize(admit::AdmitArguments),
    /// Does a server accept the object? If not, why? Beside the unions, the values of enums, required fields and the kinds
    /// of values are looked at, under every policy.
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
