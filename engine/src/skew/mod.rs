//! Version skew: a client and a server of different versions at work on one stored object.
//!
//! [`run`] takes a [`Scenario`] through the steps of the design (read, decode, edit, request, merge, convert,
//! store); [`judge`] compares its final state with the ideal. What a party does not know takes effect by mechanism
//! alone: unknown fields are dropped on conversion, unknown directives are fields like any other.

mod convert;
mod intent;
mod judge;
mod operation;
mod party;
mod run;
mod selector;

pub use convert::{UnknownFieldHandling, convert};
pub use intent::{Edit, Intent};
pub use judge::{FinalState, Judgement, Outcome, differing_paths, judge};
pub use operation::{
    BuiltIn, InvalidOperation, Operand, OperandDeclaration, Operation, OperationDeclaration, OperationError,
    OperationKind, OperationOptions, Operations, PatchFormat, PatchFormatDeclaration, Performer, Presence,
    ResultKind, Role, RoleDeclaration, UnknownOperation,
};
pub use party::{Client, Decoding, Server};
pub use run::{Request, Scenario, StepName, run, run_built_in};
pub use selector::{Selector, SelectorStep};

#[cfg(test)]
mod tests;
