//! The definitions in a file, which can have several YAML documents, or lists of definitions.

use std::ops::Range;
use std::sync::Arc;

use skewer_cases::yaml::{self, FileErrors, ParsedFile};
use skewer_engine::{Doc, FieldPath, OwnedDoc, PathSegment};

use super::{DefinitionFile, is_definition};

/// The kind of the documents that are read. A document without this word is not parsed.
const KIND: &str = "CustomResourceDefinition";

/// Maximum number of documents that are read from a file. Each of them is parsed with the line breaks of all documents
/// before it, so that the time grows with the square of their number.
const MAX_DOCUMENTS: usize = 1000;

/// Returns the definitions in a file, in the order of the file. Other documents are ignored. The list can be empty.
///
/// # Errors
///
/// Returns all errors of the first document with errors. A document without the word `CustomResourceDefinition` has no
/// errors.
pub fn definitions(name: &str, bytes: &[u8]) -> Result<Vec<DefinitionFile>, FileErrors> {
    let mut definitions = Vec::new();
    if std::str::from_utf8(bytes).is_err() && !contains(bytes, KIND) {
        return Ok(definitions);
    }
    each_document(name, bytes, &|text| text.contains(KIND), &mut |file| {
        let root = file.root().to_doc();
        read_definitions(&file, &FieldPath::root(), &root, &mut definitions)
    })?;
    Ok(definitions)
}

/// Parses the documents of a file, except for empty ones, in the order of the file.
///
/// # Errors
///
/// Returns all errors of the first document with errors.
pub fn parsed_documents(name: &str, bytes: &[u8]) -> Result<Vec<Arc<ParsedFile>>, FileErrors> {
    let is_content = |line: &str| !line.trim().is_empty() && !line.trim().starts_with('#');
    let mut files = Vec::new();
    each_document(name, bytes, &|text| text.lines().any(is_content), &mut |file| {
        files.push(file);
        Ok(())
    })?;
    Ok(files)
}

/// Parses the wanted documents of a file, one after the other.
fn each_document(
    name: &str,
    bytes: &[u8],
    is_wanted: &dyn Fn(&str) -> bool,
    read: &mut dyn FnMut(Arc<ParsedFile>) -> Result<(), FileErrors>,
) -> Result<(), FileErrors> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        // The YAML reader names the place.
        return yaml::parse_manifest(name, bytes).map(|_| ());
    };
    let documents = documents(text).into_iter().filter(|document| is_wanted(&text[document.clone()]));
    for (count, document) in documents.enumerate() {
        let lines_before = text[..document.start].bytes().filter(|byte| *byte == b'\n').count();
        if count == MAX_DOCUMENTS {
            let span = yaml::Span::new(document.start, 0);
            let message = format!("more than {MAX_DOCUMENTS} documents in one file");
            return Err(FileErrors::new(name, text.into(), vec![yaml::Diagnostic::new(span, message)]));
        }
        let padded = format!("{}{}", "\n".repeat(lines_before), &text[document]);
        read(Arc::new(yaml::parse_manifest(name, padded.as_bytes())?))?;
    }
    Ok(())
}

/// Reads a definition, or the definitions of a list such as that of `kubectl get crd -o yaml`.
fn read_definitions(
    file: &Arc<ParsedFile>,
    base: &FieldPath,
    document: &OwnedDoc,
    definitions: &mut Vec<DefinitionFile>,
) -> Result<(), FileErrors> {
    if is_definition(document) {
        definitions.push(DefinitionFile::of(Arc::clone(file), base.clone(), document)?);
        return Ok(());
    }
    let kind = document.as_map().and_then(|map| map.get("kind")).and_then(Doc::as_str);
    let is_list = matches!(kind, Some("List" | "CustomResourceDefinitionList")) && base.segments().is_empty();
    let items = document.as_map().and_then(|map| map.get("items")).and_then(Doc::as_list);
    for (index, item) in items.filter(|_| is_list).unwrap_or_default().iter().enumerate() {
        let mut path = base.clone();
        path.push(PathSegment::Key("items".into()));
        path.push(PathSegment::Index(index));
        read_definitions(file, &path, item, definitions)?;
    }
    Ok(())
}

/// Returns the ranges of the YAML documents of a text. A line that begins with `---` separates documents even inside of
/// a scalar (YAML 1.2.2, section 9.1.2).
fn documents(text: &str) -> Vec<Range<usize>> {
    let mut documents = Vec::new();
    let (mut start, mut offset) = (0, 0);
    for line in text.split_inclusive('\n') {
        let is_marker = line
            .strip_prefix("---")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
        if is_marker {
            documents.push(start..offset);
            // The rest of the line belongs to the next document.
            start = offset + "---".len();
        }
        offset += line.len();
        if line.trim_end() == "..." {
            documents.push(start..offset - line.len());
            start = offset;
        }
    }
    documents.push(start..text.len());
    documents
}

fn contains(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|window| window == word.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(kind: &str, extra: &str) -> String {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  group: example.com\n  \
             names: {{kind: {kind}}}\n  versions:\n    - name: v1\n      served: true\n      storage: true\n      \
             schema: {{openAPIV3Schema: {{type: object{extra}}}}}\n"
        )
    }

    fn kinds(text: &str) -> Vec<(String, String)> {
        let definitions = definitions("crd.yaml", text.as_bytes()).expect("valid definitions");
        definitions.iter().map(|file| (file.definition.kind.clone(), file.place())).collect()
    }

    fn pair(kind: &str, place: &str) -> (String, String) {
        (kind.to_owned(), place.to_owned())
    }

    #[test]
    fn each_document_has_the_lines_of_the_file() {
        let text = format!(
            "# A comment.\n---\n{}---\nkind: Namespace\n--- # B\n{}...\n",
            definition("A", ""),
            definition("B", "")
        );
        assert_eq!(kinds(&text), [pair("A", "crd.yaml:3"), pair("B", "crd.yaml:16")]);
    }

    #[test]
    fn a_document_without_a_definition_is_not_parsed() {
        let text = format!("{{{{ template }}}}\n---\n{}", definition("A", ""));
        assert_eq!(kinds(&text), [pair("A", "crd.yaml:3")]);
    }

    #[test]
    fn the_items_of_a_list_are_definitions() {
        let text = r#"{"kind": "List", "items": [{"kind": "Pod"},
            {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
             "spec": {"group": "example.com", "names": {"kind": "A"},
                      "versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"type": "object"}}}]}}]}"#;
        assert_eq!(kinds(text), [pair("A", "crd.yaml:2")]);
    }

    #[test]
    fn an_error_in_the_second_document_has_its_line() {
        let text = format!("{}---\n{}", definition("A", ""), definition("B", ", properties: {a: 1}"));
        let errors = definitions("crd.yaml", text.as_bytes()).expect_err("an error");
        let diagnostic = &errors.diagnostics()[0];
        assert_eq!(errors.lines().position(diagnostic.span.offset).line, 21);
    }
}
