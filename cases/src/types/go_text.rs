//! Reads Go type declarations and checks their unions. The declarations are complete, or are overlaid on a release.

use skewer_engine::schema::builtin::Release;
use skewer_engine::schema::union::{UnionError, Unions};
use skewer_engine::schema::{Declarations, MetadataTags, OverlayConflict, go};

/// An error in Go source text. The line and the column count from 1.
pub(crate) struct GoTextError {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: String,
    /// The id of the rule that the text violates.
    pub(crate) rule: &'static str,
}

/// Parses the type declarations in Go source text, and checks the unions that they declare.
pub(crate) fn parse_go(text: &str, tags: &MetadataTags) -> Result<Declarations, Vec<GoTextError>> {
    let declarations = go::read_with_tags(text, &|_| false, tags).map_err(go_text_errors)?;
    check_unions(&declarations, text)?;
    Ok(declarations)
}

fn go_text_errors(errors: Vec<go::GoError>) -> Vec<GoTextError> {
    let to_error = |error: go::GoError| GoTextError {
        line: error.line as usize,
        column: error.column as usize,
        message: error.message,
        rule: error.kind.id(),
    };
    errors.into_iter().map(to_error).collect()
}

/// Returns the column of the first non-blank character of a line. The parser records only the line of a marker or
/// field, so errors are reported at this column.
fn first_column(text: &str, line: u32) -> usize {
    let line = text.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default();
    line.chars().take_while(|char| char.is_whitespace()).count() + 1
}

fn check_unions(declarations: &Declarations, text: &str) -> Result<(), Vec<GoTextError>> {
    let to_error = |error: UnionError| GoTextError {
        line: (error.line as usize).max(1),
        column: first_column(text, error.line),
        message: format!("{}: {} [{}]", error.subject, error.message, error.kind.id()),
        rule: error.kind.id(),
    };
    match Unions::declared(declarations) {
        Ok(_) => Ok(()),
        Err(errors) => Err(errors.into_iter().map(to_error).collect()),
    }
}

/// The markers that a suite can have. Upstream sources have others, which mean nothing here.
const MARKERS: [&str; 14] = [
    "unionDiscriminator",
    "unionMember",
    "unionDiscriminatedBy",
    "k8s:unionDiscriminator",
    "k8s:unionMember",
    "k8s:zeroOrOneOfMember",
    "enum",
    "required",
    "optional",
    "default",
    "listType",
    "listMapKey",
    "mapType",
    "structType",
];

/// Returns errors for markers that would be ignored: those that differ from a known one in the case of letters or in dashes
/// only, and those of lists without their counterpart.
pub(crate) fn ignored_markers(text: &str) -> Vec<GoTextError> {
    let plain = |name: &str| name.replace(['-', '_'], "").to_lowercase();
    let mut errors = Vec::new();
    let mut report = |line: u32, message: String| {
        let column = first_column(text, line);
        errors.push(GoTextError { line: line as usize, column, message, rule: "bad-marker" });
    };
    // The lines of the markers `+listType=map` and `+listMapKey` above the next declaration.
    let (mut map_type, mut map_key) = (None, None);
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        let Some(comment) = line.strip_prefix("//") else {
            match (map_type.take(), map_key.take()) {
                (Some(of_type), None) => report(of_type, "+listType=map needs +listMapKey=FIELD".to_owned()),
                (None, Some(of_key)) => report(of_key, "+listMapKey needs +listType=map".to_owned()),
                _ => {}
            }
            continue;
        };
        let Some(marker) = comment.trim_start().strip_prefix('+') else { continue };
        let name = marker.split(['=', ',', ' ', '(']).next().unwrap_or_default();
        if let Some(known) = MARKERS.iter().find(|known| plain(known) == plain(name) && **known != name) {
            report(number, format!("unknown marker `+{name}`: did you mean `+{known}`?"));
        }
        match name {
            "listType" if marker.trim_end() == "listType=map" => map_type = Some(number),
            "listMapKey" => map_key = Some(number),
            _ => {}
        }
    }
    errors
}

/// Overlays Go declarations on the declarations of a release. The result contains the types that the type `root` refers to;
/// see [`Declarations::overlaid_with`].
///
/// A type name in the Go text refers to the type of the release with the same name. If several packages have a type
/// with that name, the one in the package of `root` is meant.
pub(crate) fn overlay_release(
    release: &'static Release,
    declarations: &Declarations,
    text: &str,
    root: &str,
    tags: &MetadataTags,
) -> Result<Declarations, Vec<GoTextError>> {
    let package = root.rsplit_once('.').map_or("", |(package, _)| package);
    let resolve_name = |name: &str| {
        let bare_name = name.rsplit('.').next().unwrap_or(name);
        let kinds = release.kinds();
        let in_package = kinds.look_up(&format!("{package}.{bare_name}"));
        in_package.or_else(|| kinds.look_up(bare_name)).map(str::to_owned)
    };
    let is_base_type = |name: &str| resolve_name(name).is_some();
    let overlay = go::read_with_tags(text, &is_base_type, tags).map_err(go_text_errors)?;
    let overlaid = declarations.overlaid_with(&overlay, root, &resolve_name).map_err(|conflicts| {
        let to_error = |conflict: OverlayConflict| GoTextError {
            line: (conflict.line as usize).max(1),
            column: first_column(text, conflict.line),
            message: conflict.message,
            rule: "misfit",
        };
        conflicts.into_iter().map(to_error).collect::<Vec<_>>()
    })?;
    check_unions(&overlaid, text)?;
    Ok(overlaid)
}
