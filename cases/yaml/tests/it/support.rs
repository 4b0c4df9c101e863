use skewer_yaml::{Diagnostic, FileErrors, parse};

/// Formats the position and the message of each error without the source line: `1:4: message`.
pub(crate) fn messages(errors: &FileErrors) -> Vec<String> {
    let message = |d: &Diagnostic| format!("{}: {}", errors.lines().position(d.span.offset), d.message);
    errors.diagnostics().iter().map(message).collect()
}

/// Returns the errors of a text that are found before it is decoded into a type.
pub(crate) fn parse_errors(bytes: &[u8]) -> Vec<String> {
    parse("x.yaml", bytes).map_or_else(|errors| messages(&errors), |_| Vec::new())
}
