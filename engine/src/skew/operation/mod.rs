//! The operations on patches. The run of a scenario consists of operations, which an implementation performs.

mod api_request;
mod declaration;
mod field_manager;
mod kind;

use std::convert::Infallible;
use std::fmt;

use self::declaration::Execution;
use crate::document::{Doc, Map, OwnedDoc, OwnedMap};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::{Overwrite, PatchContext, Precondition};
use crate::union::UnionRequest;
use crate::union::policy::Violation;

pub use api_request::{ApiRequestOptions, RequestType};
pub use declaration::{
    OperandDeclaration, OperationDeclaration, PatchFormat, PatchFormatDeclaration, Performer, Presence,
    ResultKind, Role, RoleDeclaration,
};
pub use field_manager::{FieldManagerOptions, untyped_context};
pub use kind::{OperationKind, UnknownOperation};

/// An operation with its operands and options.
#[derive(Clone, Copy, Debug)]
pub struct Operation<'a> {
    kind: OperationKind,
    context: Option<&'a PatchContext>,
    /// The operands, by role. An entry is `None` if the operand is left out, or if the operation does not have it.
    operands: [Option<Operand<'a>>; Role::ALL.len()],
    options: OperationOptions<'a>,
}

/// A document or a list of documents that plays a role in an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand<'a> {
    /// One document.
    Document(&'a OwnedDoc),
    /// A list of documents.
    List(&'a [OwnedDoc]),
}

impl<'a> From<&'a OwnedDoc> for Operand<'a> {
    fn from(document: &'a OwnedDoc) -> Self {
        Operand::Document(document)
    }
}

/// The options of an operation.
#[derive(Clone, Copy, Debug)]
pub struct OperationOptions<'a> {
    /// Whether the patch may overwrite fields that somebody else has changed in the live object.
    pub overwrite: Overwrite,
    /// Conditions on the patch, for example that it does not change a key.
    pub preconditions: &'a [Precondition],
    /// The field manager of the request, and the resource that it writes.
    pub field_manager: FieldManagerOptions<'a>,
    /// The type and the endpoint of a whole request.
    pub request: ApiRequestOptions<'a>,
}

impl Default for OperationOptions<'_> {
    fn default() -> Self {
        OperationOptions {
            overwrite: Overwrite::No,
            preconditions: &[],
            field_manager: FieldManagerOptions::default(),
            request: ApiRequestOptions::default(),
        }
    }
}

/// The document that counts as the operand if an operand is left out.
static EMPTY: OwnedDoc = Doc::Map(Map::new());

impl<'a> Operation<'a> {
    /// Creates an operation without options. Operands that the operation does not have are ignored. The context is
    /// ignored if the operation needs no types.
    ///
    /// ```
    /// use skewer_engine::Doc;
    /// use skewer_engine::document::from_json;
    /// use skewer_engine::skew::{BuiltIn, Operand, Operation, OperationKind, Role};
    ///
    /// let live = from_json(br#"{"a":1}"#)?;
    /// let patch = from_json(br#"{"a":null,"b":2}"#)?;
    /// let operands = [(Role::Live, Operand::from(&live)), (Role::Patch, Operand::from(&patch))];
    /// let operation = Operation::new(OperationKind::JsonMergeApply, None, operands)?;
    /// assert_eq!(BuiltIn::execute(&operation)?.to_string(), r#"{"b":2}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// - [`InvalidOperation::NoTypes`] if the operation needs types and there is no context.
    /// - [`InvalidOperation::Missing`] if a required operand is missing, or if an operand is a list instead of a
    ///   document or the other way round.
    /// - [`InvalidOperation::WrongLength`] if a list has the wrong number of documents.
    pub fn new(
        kind: OperationKind,
        context: Option<&'a PatchContext>,
        operands: impl IntoIterator<Item = (Role, Operand<'a>)>,
    ) -> Result<Self, InvalidOperation> {
        let declaration = kind.declaration();
        if declaration.needs_types() && context.is_none() {
            return Err(InvalidOperation::NoTypes(kind));
        }
        let mut by_role = [None; Role::ALL.len()];
        for (role, operand) in operands {
            by_role[role as usize] = Some(operand);
        }
        let mut operation = Operation {
            kind,
            context: context.filter(|_| declaration.needs_types()),
            operands: [None; Role::ALL.len()],
            options: OperationOptions::default(),
        };
        for declared in declaration.operands {
            let operand = by_role[declared.role as usize];
            match operand {
                None if declared.is_required() => return Err(InvalidOperation::Missing(declared.role)),
                Some(operand) => declared.check(kind, operand)?,
                None => {}
            }
            operation.operands[declared.role as usize] = operand;
        }
        Ok(operation)
    }

    /// Creates an operation without options. The documents are its operands, in the order of the declaration. If the
    /// operation has a list operand, the list contains all documents.
    ///
    /// # Errors
    ///
    /// The errors of [`Operation::new`].
    pub fn of_documents(
        kind: OperationKind,
        context: &'a PatchContext,
        documents: &'a [OwnedDoc],
    ) -> Result<Self, InvalidOperation> {
        let declaration = kind.declaration();
        let list = declaration.list_operand().map(|operand| (operand.role, Operand::List(documents)));
        let single =
            declaration.document_roles().zip(documents).map(|(role, document)| (role, document.into()));
        Operation::new(kind, Some(context), single.chain(list))
    }

    /// Sets the options. Options that the operation does not have are ignored.
    #[must_use]
    pub fn with_options(mut self, options: OperationOptions<'a>) -> Self {
        let declaration = self.kind.declaration();
        if declaration.takes_overwrite {
            self.options.overwrite = options.overwrite;
        }
        if declaration.takes_preconditions {
            self.options.preconditions = options.preconditions;
        }
        if declaration.takes_field_manager {
            let force = options.field_manager.force && declaration.takes_force();
            let csa_managers =
                if declaration.takes_csa_managers() { options.field_manager.csa_managers } else { &[] };
            self.options.field_manager = FieldManagerOptions { force, csa_managers, ..options.field_manager };
        }
        if declaration.is_request() {
            self.options.request = options.request;
        }
        self
    }

    /// Replaces the context. Does nothing if the operation needs no types.
    #[must_use]
    pub fn with_context(self, context: &'a PatchContext) -> Self {
        Operation { context: self.context.map(|_| context), ..self }
    }

    /// Returns the kind of the operation.
    #[must_use]
    pub const fn kind(&self) -> OperationKind {
        self.kind
    }

    /// Returns the context of the party. Returns `None` if the operation needs no types.
    #[must_use]
    pub const fn context(&self) -> Option<&'a PatchContext> {
        self.context
    }

    /// Returns the options.
    #[must_use]
    pub const fn options(&self) -> OperationOptions<'a> {
        self.options
    }

    /// Returns the operand with this role, or `None` if it was left out.
    #[must_use]
    pub const fn operand(&self, role: Role) -> Option<Operand<'a>> {
        self.operands[role as usize]
    }

    /// Returns the document with this role. Returns an empty object if the operand was left out.
    #[must_use]
    pub fn document(&self, role: Role) -> &'a OwnedDoc {
        match self.operands[role as usize] {
            Some(Operand::Document(document)) => document,
            Some(Operand::List(_)) | None => &EMPTY,
        }
    }

    /// Returns the document with this role. Returns `None` if the operand was left out or is null.
    #[must_use]
    pub fn document_if_any(&self, role: Role) -> Option<&'a OwnedDoc> {
        match self.operands[role as usize] {
            Some(Operand::Document(document)) => Some(document).filter(|document| !document.is_null()),
            Some(Operand::List(_)) | None => None,
        }
    }

    /// Returns the list of documents with this role. Returns an empty list if the operand was left out.
    #[must_use]
    pub fn documents(&self, role: Role) -> &'a [OwnedDoc] {
        match self.operands[role as usize] {
            Some(Operand::List(documents)) => documents,
            Some(Operand::Document(_)) | None => &[],
        }
    }

    /// Returns the operands that were not left out, in the order of [`Role::ALL`].
    pub fn operands(&self) -> impl Iterator<Item = (Role, Operand<'a>)> + use<'a> {
        let operands = self.operands;
        Role::ALL.iter().zip(operands).filter_map(|(role, operand)| Some((*role, operand?)))
    }
}

impl OperandDeclaration {
    /// Checks that an operand is a document or a list, as its role requires, and that a list has the right length.
    fn check(&self, kind: OperationKind, operand: Operand<'_>) -> Result<(), InvalidOperation> {
        match (operand, self.role.declaration().is_list) {
            (Operand::List(documents), true) => self.check_length(kind, documents.len()),
            (Operand::Document(_), false) => Ok(()),
            (Operand::List(_), false) | (Operand::Document(_), true) => {
                Err(InvalidOperation::Missing(self.role))
            }
        }
    }

    /// Checks the number of documents of a list.
    ///
    /// # Errors
    ///
    /// [`InvalidOperation::WrongLength`] if the operand has a fixed number of documents and this number differs.
    pub fn check_length(&self, kind: OperationKind, length: usize) -> Result<(), InvalidOperation> {
        match self.length {
            Some(expected) if expected != length => {
                Err(InvalidOperation::WrongLength { kind, role: self.role, expected })
            }
            _ => Ok(()),
        }
    }
}

/// The reason why an operation cannot be created from some operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidOperation {
    /// The operation needs types, but there is no context.
    NoTypes(OperationKind),
    /// A required operand is missing, or an operand is a list instead of a document or the other way round.
    Missing(Role),
    /// A list has the wrong number of documents.
    WrongLength {
        /// The operation.
        kind: OperationKind,
        /// The role of the list.
        role: Role,
        /// The expected number of documents.
        expected: usize,
    },
}

impl fmt::Display for InvalidOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidOperation::NoTypes(kind) => write!(f, "`{kind}` needs a `schema`"),
            InvalidOperation::Missing(role) => write!(f, "the document `{role}` is missing"),
            InvalidOperation::WrongLength { kind, role, expected } => {
                write!(f, "`{kind}` needs exactly {expected} {role}")
            }
        }
    }
}

impl std::error::Error for InvalidOperation {}

impl From<InvalidOperation> for Error {
    fn from(invalid: InvalidOperation) -> Self {
        Error::new(ErrorKind::InvalidDocument, invalid.to_string())
    }
}

/// The reason why an operation has no result. `F` describes how an implementation failed to answer, for example because
/// its process crashed. An implementation that always answers can use any `F`.
#[derive(Clone, Debug, PartialEq)]
pub enum OperationError<F> {
    /// The implementation returned an error about the documents.
    Refused(Error),
    /// The implementation did not answer.
    NoAnswer(F),
}

impl<F> From<Error> for OperationError<F> {
    fn from(error: Error) -> Self {
        OperationError::Refused(error)
    }
}

/// An implementation of the operations. `F` describes how it failed to answer: see [`OperationError`].
pub trait Operations<F> {
    /// Performs one operation.
    ///
    /// # Errors
    ///
    /// [`OperationError::Refused`] if the implementation refuses the documents. [`OperationError::NoAnswer`] if it does
    /// not answer.
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError<F>>;

    /// Normalizes a union as a server does that stores the object, with the policy of
    /// [`UnionOperation::Normalize`](crate::union::policy::UnionOperation). Returns `None` if the implementation has no
    /// unions, so that the policy of the engine decides.
    ///
    /// # Errors
    ///
    /// As [`perform`](Operations::perform). The path of a refusal starts at the struct with the union.
    fn normalize_union(&self, _request: &UnionRequest<'_>) -> Option<Result<OwnedMap, OperationError<F>>> {
        None
    }

    /// Validates which members of a union are set, with the policy of
    /// [`UnionOperation::Validate`](crate::union::policy::UnionOperation). Returns `None` if the implementation does
    /// not validate unions, so that the policy of the engine decides.
    ///
    /// # Errors
    ///
    /// As [`perform`](Operations::perform).
    fn validate_union(
        &self,
        _request: &UnionRequest<'_>,
    ) -> Option<Result<Vec<Violation>, OperationError<F>>> {
        None
    }

    /// Returns true if the implementation is an API server: [`run`](super::run()) then sends it whole requests
    /// ([`OperationKind::Request`]) instead of simulating the server.
    fn is_api_server(&self) -> bool {
        false
    }
}

/// Returns the refusal of an implementation that always answers.
pub(super) fn infallible(error: OperationError<Infallible>) -> Error {
    match error {
        OperationError::Refused(error) => error,
        OperationError::NoAnswer(never) => match never {},
    }
}

/// The engine of this crate.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltIn;

impl BuiltIn {
    /// Performs one operation with the engine.
    ///
    /// # Errors
    ///
    /// The errors of the function in [`crate::patch`] that performs the operation: [`crate::patch::apply`],
    /// [`crate::patch::combine`], [`crate::patch::two_way`], [`crate::patch::three_way`],
    /// [`crate::patch::have_conflicts`], or a function of [`crate::patch::json_merge`], [`crate::patch::json_patch`] or
    /// [`FieldManager`](crate::server_side_apply::FieldManager).
    /// [`ErrorKind::PreconditionFailed`] if a precondition of a two-way patch does not hold.
    pub fn execute(operation: &Operation<'_>) -> Result<OwnedDoc> {
        match (operation.kind.declaration().execution, operation.context) {
            (Execution::WithTypes(execute), Some(context)) => execute(context, operation),
            (Execution::WithoutTypes(execute), _) => execute(operation),
            // `Operation::new` refuses to create such an operation.
            (Execution::WithTypes(_), None) => Err(InvalidOperation::NoTypes(operation.kind).into()),
        }
    }
}

impl<F> Operations<F> for BuiltIn {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError<F>> {
        BuiltIn::execute(operation).map_err(OperationError::Refused)
    }
}

#[cfg(test)]
#[cfg(feature = "go")]
mod tests {
    use super::*;
    use crate::test_support::{context_of, json};

    const TYPES: &str = r#"
        type Root struct {
            APIVersion string            `json:"apiVersion,omitempty"`
            Kind       string            `json:"kind,omitempty"`
            Metadata   map[string]string `json:"metadata,omitempty"`
            Name       string            `json:"name,omitempty"`
        }
    "#;

    /// Returns operands that an operation of this kind accepts.
    fn documents(kind: OperationKind) -> Vec<OwnedDoc> {
        let list = json("[]");
        let document = |role: Role| match kind.declaration().format {
            PatchFormat::JsonPatch if role.declaration().is_patch => list.clone(),
            _ => json(r#"{"apiVersion":"example.com/v1","kind":"Root","name":"x"}"#),
        };
        let operands = kind.declaration().operands.iter();
        operands
            .flat_map(|operand| {
                let length = if operand.role.declaration().is_list { operand.length.unwrap_or(3) } else { 1 };
                vec![document(operand.role); length]
            })
            .collect()
    }

    #[test]
    fn every_operation_is_performed_as_it_is_declared() {
        let context = context_of(TYPES, "Root");
        for kind in OperationKind::ALL {
            let documents = documents(*kind);
            let operation = Operation::of_documents(*kind, &context, &documents).unwrap();
            let operands: Vec<Role> = operation.operands().map(|(role, _)| role).collect();
            let has = |operand: &OperandDeclaration| operands.contains(&operand.role);
            assert!(kind.declaration().operands.iter().all(has), "{kind}: {operands:?}");
            let result = BuiltIn::execute(&operation).unwrap_or_else(|error| panic!("{kind}: {error}"));
            let is_boolean = kind.declaration().result == ResultKind::Boolean;
            assert_eq!(matches!(result, Doc::Bool(_)), is_boolean, "{kind}");
            assert_eq!(kind.name().parse(), Ok(*kind));
        }
    }

    #[test]
    fn an_operation_without_types_or_a_required_operand_is_an_error() {
        let context = context_of(TYPES, "Root");
        for kind in OperationKind::ALL {
            let documents = documents(*kind);
            let operation = Operation::of_documents(*kind, &context, &documents).unwrap();
            let needs_types = kind.declaration().needs_types();
            assert_eq!(operation.context().is_some(), needs_types, "{kind}");
            let without_types = Operation::new(*kind, None, operation.operands());
            assert_eq!(without_types.err(), needs_types.then_some(InvalidOperation::NoTypes(*kind)));
            for operand in kind.declaration().operands {
                let others = operation.operands().filter(|(role, _)| *role != operand.role);
                let missing = operand.is_required().then_some(InvalidOperation::Missing(operand.role));
                assert_eq!(Operation::new(*kind, Some(&context), others).err(), missing, "{kind}");
            }
        }
    }

    #[test]
    fn an_operand_must_be_a_document_or_a_list_as_its_role_requires() {
        let context = context_of(TYPES, "Root");
        let documents = [json("{}"), json("{}"), json("{}")];
        let make = |kind, role, operand| Operation::new(kind, Some(&context), [(role, operand)]).err();
        let wrong_length = InvalidOperation::WrongLength {
            kind: OperationKind::Conflicts,
            role: Role::Patches,
            expected: 2,
        };
        let list = Operand::List(&documents);
        assert_eq!(make(OperationKind::Conflicts, Role::Patches, list), Some(wrong_length));
        assert_eq!(make(OperationKind::Merge, Role::Patches, list), None);
        let (one, missing) = (Operand::from(&documents[0]), InvalidOperation::Missing);
        assert_eq!(make(OperationKind::Merge, Role::Patches, one), Some(missing(Role::Patches)));
        assert_eq!(make(OperationKind::Apply, Role::Patch, list), Some(missing(Role::Patch)));
    }

    #[test]
    fn options_that_an_operation_does_not_have_are_ignored() {
        let context = context_of(TYPES, "Root");
        let preconditions = [Precondition::KeyUnchanged("name".into())];
        let csa_managers = ["c".to_owned()];
        for kind in OperationKind::ALL {
            let documents = documents(*kind);
            let operation = Operation::of_documents(*kind, &context, &documents).unwrap();
            let options = OperationOptions {
                overwrite: Overwrite::Yes,
                preconditions: &preconditions,
                field_manager: FieldManagerOptions {
                    manager: "m",
                    force: true,
                    csa_managers: &csa_managers,
                    ..Default::default()
                },
                ..OperationOptions::default()
            };
            let options = operation.with_options(options).options();
            let FieldManagerOptions { manager, force, csa_managers, .. } = options.field_manager;
            assert_eq!(!csa_managers.is_empty(), kind.declaration().takes_csa_managers(), "{kind}");
            assert_eq!(manager == "m", kind.declaration().takes_field_manager, "{kind}");
            assert_eq!(force, kind.declaration().takes_force(), "{kind}");
            assert_eq!(options.overwrite == Overwrite::Yes, kind.declaration().takes_overwrite, "{kind}");
            assert_eq!(!options.preconditions.is_empty(), kind.declaration().takes_preconditions, "{kind}");
        }
    }

    #[test]
    fn the_preconditions_of_a_two_way_patch_are_checked() {
        let context = context_of(TYPES, "Root");
        let documents = [json("{}"), json(r#"{"name":"x"}"#)];
        let operation = Operation::of_documents(OperationKind::TwoWay, &context, &documents).unwrap();
        assert!(BuiltIn::execute(&operation).is_ok());
        let preconditions = [Precondition::KeyUnchanged("name".into())];
        let options = OperationOptions { preconditions: &preconditions, ..OperationOptions::default() };
        let error = BuiltIn::execute(&operation.with_options(options)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PreconditionFailed);
    }
}
