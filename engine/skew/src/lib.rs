//! A simulation of version skew: a client and a server of different versions change one stored object.
//!
//! [`run`] performs the steps of a [`Scenario`]: read, decode, edit, request, merge, convert, store. [`judge`] compares
//! the final state with the ideal. The simulation has no rule for skew as such. Skew shows because each party treats
//! what it does not know as real parties do: unknown fields are dropped on conversion, and an unknown directive is an
//! ordinary field.

mod apply_tool;
mod built_in;
mod built_in_defaults;
mod built_in_kind;
mod checks;
mod convert;
mod endpoint;
mod exchange;
mod intent;
mod judge;
mod operations;
mod owner_entry;
mod party;
mod request;
mod role_reconciliation;
mod run;
mod scenario;
mod selector;
mod served_resource;
mod simulated_server;
mod step;
mod store;
mod stored_object;
mod tool_course;
mod tool_metadata;

pub use apply_tool::{
    ApplyTool, ClientSideApply, KUBECTL_CLIENT_SIDE, LAST_APPLIED_ANNOTATION, ManagerPrefix, ManifestRequest,
    Migration, Sending, ServerAccess, tools,
};
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
pub use owner_entry::{OwnerEntry, entries, owners, with_entries};
pub use party::{BuiltInDefaults, Client, Decoding, Server, Webhook, first_error};
pub use request::{Request, RequestOptions, RequestType};
pub use run::{run, run_built_in, run_live};
pub use scenario::{OtherRequest, Scenario};
pub use selector::{Selector, SelectorStep};
pub use served_resource::ServedResource;
pub use step::StepName;
pub use store::{AppliedManifest, LiveRequest, LiveServer, ReadObject};
pub use stored_object::without_managed_fields;
pub use tool_course::{ManifestApply, SendRequest, ToolChange, ToolRequest, last_applied};

#[cfg(test)]
mod test_support;
#[cfg(test)]
mod tests;
