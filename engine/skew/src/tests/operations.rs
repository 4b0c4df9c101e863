//! Tests of the operations, and of the engine that performs them.

use skewer_engine::document::{Doc, OwnedDoc};
use skewer_engine::error::ErrorKind;
use skewer_engine::patch::{Overwrite, Precondition};

use crate::test_support::{context_of, json};
use crate::{
    BuiltIn, FieldManagerOptions, InvalidOperation, Operand, OperandDeclaration, Operation, OperationKind,
    OperationOptions, PatchFormat, ResultKind, Role,
};

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
    let wrong_length =
        InvalidOperation::WrongLength { kind: OperationKind::Conflicts, role: Role::Patches, expected: 2 };
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
