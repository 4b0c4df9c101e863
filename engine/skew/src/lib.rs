//! A simulation of version skew: a client and a server of different versions change one stored object.
//!
//! [`run`] performs the steps of a [`Scenario`]: read, decode, edit, request, merge, convert, store. [`judge`] compares
//! the final state with the ideal. The simulation has no rule for skew as such. Skew shows because each party treats
//! what it does not know as real parties do: unknown fields are dropped on conversion, and an unknown directive is an
//! ordinary field.

mod built_in;
mod built_in_kind;
mod checks;
mod convert;
mod endpoint;
mod exchange;
mod intent;
mod judge;
mod operations;
mod party;
mod request;
mod run;
mod scenario;
mod selector;
mod served_resource;
mod simulated_server;
mod step;
mod store;
mod stored_object;

pub use built_in::{BuiltIn, untyped_context};
pub use convert::{Decoder, UnknownFieldHandling, convert, with_empty_structs, without_unset_fields};
pub use intent::{Edit, Intent};
pub use judge::{FinalState, Judgement, Outcome, differing_paths, judge};
pub use operations::{
    ApiRequestOptions, FieldManagerOptions, InvalidOperation, Operand, OperandDeclaration, Operation,
    OperationDeclaration, OperationError, OperationKind, OperationOptions, Operations, PatchFormat,
    PatchFormatDeclaration, Performer, Presence, ResultKind, Role, RoleDeclaration, UnionWrite,
    UnknownOperation,
};
pub use party::{Client, Decoding, Server};
pub use request::{Request, RequestOptions, RequestType};
pub use run::{run, run_built_in, run_live};
pub use scenario::{OtherRequest, Scenario};
pub use selector::{Selector, SelectorStep};
pub use served_resource::ServedResource;
pub use step::StepName;
pub use store::{LiveRequest, LiveServer, ReadObject};
pub use stored_object::without_managed_fields;

#[cfg(test)]
mod test_support;
#[cfg(test)]
mod tests;
