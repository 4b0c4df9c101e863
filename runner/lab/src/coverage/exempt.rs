//! Reasons why no case expects an error kind. A reason is a fault if a case expects the error.

use skewer_engine::ErrorKind;

/// The error kinds that no case has to expect.
pub const ERRORS: &[(ErrorKind, &str)] = &[
    (
        ErrorKind::Unclassified,
        "stands for an unrecognized error message of another implementation; the engine never returns it",
    ),
    (
        ErrorKind::BadStrategy,
        "other implementations return it when they reach the field; the engine refuses such types when it reads them \
         (invalid-schema, rule bad-strategy)",
    ),
    (
        ErrorKind::UnionDiscriminatorNotAString,
        "a discriminator is declared as a string, and a server decodes an object before it checks unions \
         (undecodable): only a direct call of a union policy with a document that was not decoded returns it",
    ),
    (
        ErrorKind::InvalidIntent,
        "an intent that cannot be applied is a mistake in the case (the status of the cell is error), not a behaviour",
    ),
];
