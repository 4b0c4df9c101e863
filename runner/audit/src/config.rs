//! The file `skewer-audit.yaml`: what the authors of an API know about its clients, and the findings that they accept.

use std::sync::Arc;

use serde::Deserialize;
use skewer_cases::yaml::{self, Diagnostic, FileErrors, ParsedFile, Span, Spanned};

use super::clients::Clients;
use super::renames::{DeclaredRename, FieldRename};

/// The name of the file next to the new types.
pub const FILE_NAME: &str = "skewer-audit.yaml";

/// A configuration, as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ConfigFile {
    clients: Option<Vec<Spanned<String>>>,
    accepted: Vec<AcceptedFile>,
    renames: Vec<Spanned<RenameFile>>,
    samples: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RenameFile {
    #[serde(default)]
    kind: Option<String>,
    from: String,
    to: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AcceptedFile {
    id: Spanned<String>,
    because: Spanned<String>,
}

/// A configuration.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Config {
    /// The clients that write objects. `None` if they are not declared.
    pub clients: Option<Clients>,
    /// The findings that are accepted.
    pub accepted: Vec<Accepted>,
    /// The renames that are declared.
    pub renames: Vec<DeclaredRename>,
    /// The folder with sample objects, relative to the folder of the file.
    pub samples: Option<String>,
    /// The file, and the places of the renames in it.
    source: Option<(Arc<ParsedFile>, Vec<Span>)>,
}

/// A finding that is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Accepted {
    /// The id of the finding.
    pub id: String,
    /// The reason.
    pub because: String,
    /// The file and the line.
    pub place: String,
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Returns all errors of the file, with their lines.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, FileErrors> {
        let is_content = |line: &[u8]| !line.trim_ascii().is_empty() && !line.trim_ascii().starts_with(b"#");
        if !bytes.split(|byte| *byte == b'\n').any(is_content) {
            return Ok(Config::default());
        }
        let file = yaml::parse_lenient(name, bytes)?;
        let read: ConfigFile = file.decode()?;
        let mut errors = Vec::new();
        let clients = read.clients.map(|names| clients_of(&names, &mut errors));
        let accepted =
            read.accepted.iter().map(|accepted| accepted_of(accepted, &file, &mut errors)).collect();
        let renames = read.renames.iter().filter_map(|rename| rename_of(rename, &mut errors)).collect();
        if errors.is_empty() {
            let spans = read.renames.iter().map(|rename| rename.span).collect();
            let samples = read.samples.map(Spanned::into_inner);
            Ok(Config { clients, accepted, renames, samples, source: Some((Arc::new(file), spans)) })
        } else {
            Err(FileErrors::new(name, file.text().into(), errors))
        }
    }

    /// Returns errors of renames of the file, which are named by their indexes, with their lines.
    #[must_use]
    pub fn rename_errors(&self, errors: &[(usize, String)]) -> Option<FileErrors> {
        let (file, spans) = self.source.as_ref()?;
        let diagnostics: Vec<Diagnostic> = errors
            .iter()
            .filter_map(|(index, message)| Some(Diagnostic::new(*spans.get(*index)?, message.clone())))
            .collect();
        (!diagnostics.is_empty()).then(|| FileErrors::new(file.name(), file.text().into(), diagnostics))
    }
}

fn rename_of(rename: &Spanned<RenameFile>, errors: &mut Vec<Diagnostic>) -> Option<DeclaredRename> {
    match FieldRename::read(&rename.value.from, &rename.value.to) {
        Ok(field) => Some(DeclaredRename::new(rename.value.kind.clone(), field)),
        Err(message) => {
            errors.push(Diagnostic::new(rename.span, message));
            None
        }
    }
}

fn clients_of(names: &[Spanned<String>], errors: &mut Vec<Diagnostic>) -> Clients {
    let mut clients = Clients::default();
    for name in names {
        if !clients.add(&name.value) {
            errors.push(Diagnostic::new(name.span, unknown_client(&name.value)));
        }
    }
    clients
}

/// Returns the message for a name that no client has.
#[must_use]
pub fn unknown_client(name: &str) -> String {
    let names: Vec<&str> = Clients::names().collect();
    format!("unknown client {name:?} (expected one of {})", names.join(", "))
}

fn accepted_of(accepted: &AcceptedFile, file: &ParsedFile, errors: &mut Vec<Diagnostic>) -> Accepted {
    if accepted.because.value.trim().is_empty() {
        errors.push(Diagnostic::new(accepted.because.span, "expected a reason"));
    }
    Accepted {
        id: accepted.id.value.clone(),
        because: accepted.because.value.clone(),
        place: format!("{}:{}", file.name(), file.position(accepted.id.span).line),
    }
}

/// Returns the text of a file with one more accepted finding. Comments are kept: a line is inserted, and nothing is
/// rewritten.
///
/// # Errors
///
/// Returns a message if the list of accepted findings is written in flow style, so that a line cannot be added to it.
pub fn with_accepted(text: &str, id: &str, because: &str) -> Result<String, String> {
    let entry =
        format!("{{id: {}, because: {}}}", yaml::write_flow_string(id), yaml::write_flow_string(because));
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let Some(key) = lines.iter().position(|line| line.starts_with("accepted:")) else {
        lines.push("accepted:".to_owned());
        lines.push(format!("  - {entry}"));
        return Ok(lines.join("\n") + "\n");
    };
    let rest = lines[key]["accepted:".len()..].trim();
    if rest == "[]" {
        "accepted:".clone_into(&mut lines[key]);
    } else if !rest.is_empty() && !rest.starts_with('#') {
        return Err("`accepted` is written in one line: write its findings in lines of their own".to_owned());
    }
    // The new finding is the first of the list, and is indented like the one that was the first.
    let first = lines[key + 1..].iter().find(|line| line.trim_start().starts_with('-'));
    let indent = first.map_or(2, |line| line.len() - line.trim_start().len());
    lines.insert(key + 1, format!("{}- {entry}", " ".repeat(indent)));
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::clients::ClientStyle;

    #[test]
    fn a_name_can_stand_for_several_clients() {
        let config = Config::read("c.yaml", b"clients: [typed-controller, ssa]").expect("a valid file");
        let clients = config.clients.expect("clients");
        let declared: Vec<&str> =
            ClientStyle::ALL.into_iter().filter(|style| clients.has(*style)).map(ClientStyle::name).collect();
        assert_eq!(declared, ["typed-update", "typed-patch", "server-side-apply"]);
    }

    #[rstest]
    #[case("clients: [typed-controller,\n  kubctl]", 2, "unknown client \"kubctl\"")]
    #[case("accepted:\n  - id: A-1234\n", 2, "because")]
    #[case("accepted:\n  - id: A-1234\n    because: ''\n", 3, "expected a reason")]
    #[case("client: [ssa]", 1, "client")]
    fn an_error_has_its_line(#[case] text: &str, #[case] line: usize, #[case] message: &str) {
        let errors = Config::read("c.yaml", text.as_bytes()).expect_err("an error");
        let diagnostic = &errors.diagnostics()[0];
        assert_eq!(errors.lines().position(diagnostic.span.offset).line, line, "{diagnostic:?}");
        assert!(diagnostic.message.contains(message), "{diagnostic:?}");
    }

    #[rstest]
    #[case::missing("")]
    #[case::only_a_comment("# Nothing yet.\n")]
    #[case::comment("# Our clients.\nclients: [ssa] # all\n")]
    #[case::empty("accepted: []\n")]
    #[case::list("accepted: # reviewed\n- id: A-0001\n  because: x # y\nclients: [ssa]\n")]
    #[case::indented("accepted:\n\n    # first\n    - {id: A-0001, because: x}\n")]
    fn an_accepted_finding_is_added_and_comments_are_kept(#[case] before: &str) {
        let text = with_accepted(before, "A-12ab", "it: is # fine").expect("a text");
        let (old, new) = (Config::read("c.yaml", before.as_bytes()), Config::read("c.yaml", text.as_bytes()));
        let (old, new) = (old.expect("a valid file"), new.expect("a valid file"));
        assert_eq!(new.accepted.len(), old.accepted.len() + 1, "{text}");
        let added = new.accepted.iter().find(|accepted| accepted.id == "A-12ab");
        assert_eq!(added.map(|added| added.because.as_str()), Some("it: is # fine"), "{text}");
        assert!(before.lines().filter(|line| line.contains('#')).all(|line| text.contains(line)), "{text}");
    }
}
