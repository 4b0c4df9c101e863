//! Operations: functions on documents that one party performs.

use std::fmt;

use skewer_engine::document::{Doc, Map, OwnedDoc};
use skewer_engine::error::{Error, ErrorKind};
use skewer_engine::patch::PatchContext;

use super::declaration::{OperandDeclaration, Role};
use super::kind::OperationKind;
use super::options::{FieldManagerOptions, OperationOptions};

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

/// The document that counts as the operand if an operand is left out.
static EMPTY: OwnedDoc = Doc::Map(Map::new());

impl<'a> Operation<'a> {
    /// Creates an operation without options. Operands that the operation does not have are ignored. The context is
    /// ignored if the operation needs no types.
    ///
    /// ```
    /// use skewer_engine::Doc;
    /// use skewer_engine::document::from_json;
    /// use skewer_skew::{BuiltIn, Operand, Operation, OperationKind, Role};
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
