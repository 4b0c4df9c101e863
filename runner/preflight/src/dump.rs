//! The objects of a dump: files, folders or standard input.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skewer_audit::input::is_definition;
use skewer_cases::{MAX_DOCUMENT, read_limited, yaml};
use skewer_engine::{Doc, OwnedDoc};
use skewer_targets::live::{ClusterKind, NotLive, ObservedCluster};

use crate::object_text::{ObjectText, each_object_text};
use crate::redact::Redaction;

/// The identity of an object in a cluster. The versions of a kind have the same objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId {
    /// The API group. Empty for the core group.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The namespace. Empty for an object of the cluster, and for a manifest that does not say it.
    pub namespace: String,
    /// The name.
    pub name: String,
}

impl ObjectId {
    /// Returns the name in reports, such as `shop/cart`.
    #[must_use]
    pub fn name_in_cluster(&self) -> String {
        if self.namespace.is_empty() {
            self.name.clone()
        } else {
            format!("{}/{}", self.namespace, self.name)
        }
    }
}

/// An object of a dump, or a manifest. Its secret values are replaced.
#[derive(Clone, Debug, PartialEq)]
pub struct DumpedObject {
    /// The file and the line, such as `objects.yaml:12`.
    pub place: String,
    /// The identity.
    pub id: ObjectId,
    /// The API version, such as `apps/v1`.
    pub api_version: String,
    /// The object, with its managed fields.
    pub object: OwnedDoc,
    /// Whether a secret value was replaced.
    pub is_redacted: bool,
}

/// A part of a dump: an object, or a text that is none.
#[derive(Clone, Debug, PartialEq)]
pub enum DumpPart {
    /// An object.
    Object(Box<DumpedObject>),
    /// The message about a text that cannot be read, with its place. It quotes nothing, since any text can be secret.
    Unreadable(String),
}

/// A source of objects.
#[derive(Clone, Debug)]
pub enum DumpSource {
    /// A file, or a folder with YAML and JSON files.
    Path(PathBuf),
    /// Text that was read before, such as standard input, with its name.
    Text(String, String),
    /// The objects of a kind in a cluster.
    Cluster(Arc<ObservedCluster>, ClusterKind),
}

/// The YAML and JSON files of a folder and of its folders, without hidden ones, sorted by name.
fn files_of(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let is_hidden =
        |path: &Path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let mut paths: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?;
    paths.sort();
    let mut files = Vec::new();
    for path in paths.into_iter().filter(|path| !is_hidden(path)) {
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() {
            files.extend(files_of(&path)?);
        } else if matches!(extension, Some("yaml" | "yml" | "json")) {
            files.push(path);
        }
    }
    Ok(files)
}

impl DumpSource {
    /// Reads the files of the source whole, with their names. The objects of a cluster are none.
    ///
    /// # Errors
    ///
    /// Returns a message if a file cannot be read.
    pub(crate) fn texts(&self) -> Result<Vec<(String, Vec<u8>)>, String> {
        let failed = |path: &Path, error: io::Error| format!("cannot read {}: {error}", path.display());
        let read = |path: PathBuf| {
            let bytes = File::open(&path).and_then(|file| read_limited(file, MAX_DOCUMENT));
            let bytes = bytes.map_err(|error| failed(&path, error))?;
            Ok((path.display().to_string(), bytes))
        };
        match self {
            DumpSource::Path(path) => {
                let files = files_of(path).map_err(|error| failed(path, error))?;
                files.into_iter().map(read).collect()
            }
            DumpSource::Text(name, text) => Ok(vec![(name.clone(), text.clone().into_bytes())]),
            DumpSource::Cluster(..) => Ok(Vec::new()),
        }
    }

    /// Reads the parts of the source one by one. The memory is that of the largest object.
    ///
    /// # Errors
    ///
    /// Returns a message if a file cannot be read, or if its objects cannot be told apart.
    pub fn each_part(&self, redaction: &Redaction, read: &mut dyn FnMut(DumpPart)) -> Result<(), String> {
        let failed = |name: &str, error: io::Error| format!("cannot read {name}: {error}");
        match self {
            DumpSource::Text(name, text) => {
                read_parts(name, text.as_bytes(), redaction, read).map_err(|error| failed(name, error))
            }
            DumpSource::Path(path) => {
                let files = files_of(path).map_err(|error| failed(&path.display().to_string(), error))?;
                for file in files {
                    let name = file.display().to_string();
                    File::open(&file)
                        .and_then(|opened| read_parts(&name, opened, redaction, read))
                        .map_err(|error| failed(&name, error))?;
                }
                Ok(())
            }
            DumpSource::Cluster(cluster, kind) => {
                let mut read_object = |object| read(part_of_object(&kind.name(), object, redaction));
                cluster.each_object(kind, &mut read_object).map_err(NotLive::why)
            }
        }
    }
}

fn read_parts(
    name: &str,
    from: impl Read,
    redaction: &Redaction,
    read: &mut dyn FnMut(DumpPart),
) -> io::Result<()> {
    each_object_text(BufReader::new(from), &mut |text| {
        if let Some(part) = part_of(name, &text, redaction) {
            read(part);
        }
    })
}

/// Reads an object. Returns `None` for a list, whose items are read on their own.
fn part_of(file: &str, text: &ObjectText, redaction: &Redaction) -> Option<DumpPart> {
    let line = text.lines_before + 1;
    let object = match yaml::read_manifest(file, text.text.as_bytes()) {
        Ok(object) => object,
        Err(errors) => {
            let first = errors.diagnostics().first();
            let position = first.map(|diagnostic| errors.lines().position(diagnostic.span.offset));
            let (line, column) = position.map_or((line, 1), |at| (text.lines_before + at.line, at.column));
            return Some(DumpPart::Unreadable(format!(
                "{file}:{line}:{column}: expected an object in YAML or JSON; the object is left out"
            )));
        }
    };
    let member = |key: &str| object.as_map().and_then(|map| map.get(key));
    let is_list = member("kind").and_then(Doc::as_str).is_some_and(|kind| kind.ends_with("List"));
    let has_name = || member("metadata").is_some_and(|metadata| !text_of(metadata, "name").is_empty());
    if is_list && member("items").is_some() && !has_name() {
        return None;
    }
    Some(part_of_object(&format!("{file}:{line}"), object, redaction))
}

fn text_of<'d>(value: &'d OwnedDoc, key: &str) -> &'d str {
    value.as_map().and_then(|map| map.get(key)?.as_str()).unwrap_or_default()
}

/// Reads an object. `place` is where it comes from.
fn part_of_object(place: &str, mut object: OwnedDoc, redaction: &Redaction) -> DumpPart {
    let (api_version, kind) =
        (text_of(&object, "apiVersion").to_owned(), text_of(&object, "kind").to_owned());
    let metadata = |key: &str| {
        let metadata = object.as_map().and_then(|map| map.get("metadata"));
        metadata.map(|metadata| text_of(metadata, key).to_owned()).unwrap_or_default()
    };
    let name = metadata("name");
    let missing = [("apiVersion", &api_version), ("kind", &kind), ("metadata.name", &name)];
    if let Some((missing, _)) = missing.into_iter().find(|(_, value)| value.is_empty()) {
        return DumpPart::Unreadable(format!(
            "{place}:1: expected an object with {missing}; the document is left out"
        ));
    }
    let group = api_version.rsplit_once('/').map_or_else(String::new, |(group, _)| group.to_owned());
    let id = ObjectId { group, kind, namespace: metadata("namespace"), name };
    let is_redacted = redaction.redact(&mut object);
    DumpPart::Object(Box::new(DumpedObject { place: place.to_owned(), id, api_version, object, is_redacted }))
}

impl DumpedObject {
    /// Returns true if the object is the definition of a kind.
    #[must_use]
    pub fn is_definition(&self) -> bool {
        is_definition(&self.object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str, redacted: &[&str]) -> Vec<DumpPart> {
        let paths: Vec<_> = redacted.iter().map(|path| path.parse().unwrap()).collect();
        let mut parts = Vec::new();
        let source = DumpSource::Text("dump".to_owned(), text.to_owned());
        source.each_part(&Redaction::new(&paths), &mut |part| parts.push(part)).unwrap();
        parts
    }

    #[test]
    fn an_object_that_cannot_be_read_costs_one_line() {
        let dump = "items:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n- kind: \"S3CRET\n  x: \n- \
                    apiVersion: v1\n  kind: Pod\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: b, namespace: ns}\n\
                    kind: List\n";
        let found: Vec<String> = parts(dump, &[])
            .iter()
            .map(|part| match part {
                DumpPart::Object(object) => format!("{} {}", object.place, object.id.name_in_cluster()),
                DumpPart::Unreadable(message) => message.clone(),
            })
            .collect();
        assert_eq!(
            found,
            [
                "dump:2 a",
                "dump:5:9: expected an object in YAML or JSON; the object is left out",
                "dump:7:1: expected an object with metadata.name; the document is left out",
                "dump:9 ns/b",
            ]
        );
    }

    #[test]
    fn secret_values_are_nowhere_in_an_object() {
        let dump = r#"
apiVersion: v1
kind: Secret
metadata:
  name: a
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"v1","kind":"Secret","data":{"k":"UzNDUkVU"},"stringData":{"k":"S3CRET"}}
data: {k: UzNDUkVU}
stringData: {k: S3CRET}
---
apiVersion: example.com/v1
kind: Login
metadata:
  name: b
  managedFields:
    - manager: m
      operation: Update
      apiVersion: example.com/v1
      fieldsType: FieldsV1
      fieldsV1: {'f:spec': {'f:tokens': {'v:"S3CRET"': {}}, 'f:users': {'k:{"password":"S3CRET"}': {'f:password': {}}}}}
spec: {tokens: [S3CRET], users: [{name: u, password: S3CRET}], shown: yes-this}
"#;
        let parts = parts(dump, &["spec.tokens", "spec.users.password"]);
        let text = format!("{parts:?}");
        assert!(!text.contains("S3CRET") && !text.contains("UzNDUkVU"), "{text}");
        assert!(text.contains("yes-this") && parts.len() == 2, "{text}");
        let DumpPart::Object(secret) = &parts[0] else { panic!("{parts:?}") };
        let data = secret.object.as_map().and_then(|object| object.get("data")).unwrap().to_string();
        let applied = text.split("\\\"data\\\":").count();
        assert!(data.len() == r#"{"k":""}"#.len() + 32 && applied >= 1, "{data}");
    }

    #[test]
    fn equal_values_have_equal_digests_and_others_have_others() {
        let dump = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {a: eA==, b: eA==, c: eQ==}\n";
        let parts = parts(dump, &[]);
        let DumpPart::Object(secret) = &parts[0] else { panic!("{parts:?}") };
        let data = secret.object.as_map().and_then(|object| object.get("data")?.as_map()).unwrap();
        assert!(data.get("a") == data.get("b") && data.get("a") != data.get("c"), "{data:?}");
    }
}
