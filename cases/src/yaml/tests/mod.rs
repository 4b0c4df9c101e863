mod never_panics;
mod round_trip;
mod spans;
mod text;
mod types;

use super::{CaseFileErrors, parse};

/// The first lines of each error, without the source: `1:4: message`.
fn heads(errors: &CaseFileErrors) -> Vec<String> {
    let head = |d: &super::Diagnostic| format!("{}: {}", errors.lines().position(d.span.offset), d.message);
    errors.diagnostics().iter().map(head).collect()
}

/// The errors of a text alone.
fn refused(bytes: &[u8]) -> Vec<String> {
    parse("x.yaml", bytes).map_or_else(|errors| heads(&errors), |_| Vec::new())
}
