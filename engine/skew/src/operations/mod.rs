//! The operations on patches. The run of a scenario consists of operations, which an implementation performs.

mod declaration;
mod implementation;
mod kind;
mod operation;
mod options;

pub use declaration::{
    OperandDeclaration, OperationDeclaration, PatchFormat, PatchFormatDeclaration, Performer, Presence,
    ResultKind, Role, RoleDeclaration,
};
pub(super) use implementation::infallible;
pub use implementation::{OperationError, Operations, UnionWrite};
pub use kind::{OperationKind, UnknownOperation};
pub use operation::{InvalidOperation, Operand, Operation};
pub use options::{ApiRequestOptions, FieldManagerOptions, OperationOptions};
