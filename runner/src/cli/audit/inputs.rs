//! The inputs of `skewer audit`: files, folders, files of a git commit, versions of a definition, and Kubernetes releases.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::str::FromStr;

use skewer_cases::yaml::FileErrors;
use skewer_cases::{SchemaFormat, Types};
use skewer_engine::schema::builtin;

use crate::audit::input::DefinitionFile;
use crate::audit::run::AuditedTypes;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::InputFile;

/// An argument that names types: `crd.yaml`, `crd.yaml#v1`, `config/crd/`, `git:main:config/crd/`, `kubernetes-1.30`.
#[derive(Clone, Debug)]
pub(super) struct Source {
    text: String,
    /// The version of the definition, after `#`.
    pub(super) version: Option<String>,
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (text, version) = match text.rsplit_once('#') {
            Some((text, version)) if !version.is_empty() => (text, Some(version.to_owned())),
            _ => (text, None),
        };
        if text.is_empty() {
            return Err("expected a file, a folder, git:COMMIT:PATH, or an embedded release".to_owned());
        }
        Ok(Source { text: text.to_owned(), version })
    }
}

/// The old or the new types.
pub(super) enum Input {
    /// `CustomResourceDefinition`s, sorted by kind and group.
    Definitions(Vec<DefinitionFile>),
    /// Other types.
    Types(Box<AuditedTypes>),
}

impl Input {
    pub(super) fn read(source: &Source) -> Result<Self> {
        let text = source.text.as_str();
        if text == "newest" || (text.starts_with("kubernetes-") && !Path::new(text).exists()) {
            let release = builtin::release(text).map_err(|error| failure(error.message()))?;
            return Ok(Input::Types(Box::new(AuditedTypes {
                name: text.to_owned(),
                types: Types::from(release),
            })));
        }
        let files = match text.strip_prefix("git:") {
            Some(place) => git_files(place)?,
            None if Path::new(text).is_dir() => files_of_folder(Path::new(text))?,
            None => vec![InputFile::read(Path::new(text))?],
        };
        let mut definitions = Vec::new();
        for file in &files {
            let read = DefinitionFile::read_all(&file.name, &file.bytes);
            match (read, files.as_slice()) {
                (Ok(read), _) => definitions.extend(read),
                // A single file can have other types.
                (Err(errors), [file]) => return other_types(file, &errors),
                (Err(errors), _) => return Err(Failure::of_files(Exit::CouldNotRun, [&errors])),
            }
        }
        if let (true, [file]) = (definitions.is_empty(), files.as_slice()) {
            return types(file);
        }
        if definitions.is_empty() {
            return Err(failure(format!("{text} has no CustomResourceDefinition")));
        }
        let key = |file: &DefinitionFile| (file.definition.kind.clone(), file.definition.group.clone());
        definitions.sort_by_key(key);
        Ok(Input::Definitions(definitions))
    }
}

fn failure(message: impl Into<String>) -> Failure {
    Failure::new(Exit::CouldNotRun, message.into())
}

/// Reads a file that is no valid definition.
fn other_types(file: &InputFile, errors: &FileErrors) -> Result<Input> {
    match Types::read(&file.name, &file.bytes) {
        Ok(types) if types.format() != SchemaFormat::CustomResourceDefinition => types_of(file, types),
        _ => Err(Failure::of_files(Exit::CouldNotRun, [errors])),
    }
}

fn types(file: &InputFile) -> Result<Input> {
    match Types::read(&file.name, &file.bytes) {
        Ok(types) => types_of(file, types),
        Err(errors) => Err(Failure::of_files(Exit::CouldNotRun, [&errors])),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the callers return the result")]
fn types_of(file: &InputFile, types: Types) -> Result<Input> {
    Ok(Input::Types(Box::new(AuditedTypes { name: file.name.clone(), types })))
}

/// Returns true if a file can have definitions.
fn is_manifest(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["yaml", "yml", "json"].contains(&extension))
}

/// Reads the manifests of a folder and of the folders in it.
fn files_of_folder(folder: &Path) -> Result<Vec<InputFile>> {
    let unreadable = |error: std::io::Error| failure(format!("cannot read {}: {error}", folder.display()));
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        paths.push(entry.map_err(unreadable)?.path());
    }
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(files_of_folder(&path)?);
        } else if is_manifest(&path) {
            files.push(InputFile::read(&path)?);
        }
    }
    Ok(files)
}

/// Reads a file or a folder of a git commit: `COMMIT:PATH`.
fn git_files(place: &str) -> Result<Vec<InputFile>> {
    let Some((commit, path)) = place.split_once(':') else {
        return Err(failure(format!("git:{place}: expected git:COMMIT:PATH, such as git:main:config/crd/")));
    };
    let listed = git(&["ls-tree", "-r", "--name-only", "-z", commit, "--", path])?;
    let names = String::from_utf8_lossy(&listed).into_owned();
    let names = names.split('\0').filter(|name| !name.is_empty());
    let wanted: Vec<&str> = names.filter(|name| *name == path || is_manifest(Path::new(name))).collect();
    if wanted.is_empty() {
        return Err(failure(format!(
            "git:{place}: the commit has no such file, or no manifests in the folder"
        )));
    }
    wanted
        .into_iter()
        .map(|name| {
            // A name that starts with ./ is relative to the current folder, as in `git ls-tree`.
            let bytes = git(&["show", &format!("{commit}:./{name}")])?;
            Ok(InputFile { name: format!("git:{commit}:{name}"), bytes })
        })
        .collect()
}

fn git(arguments: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new("git").args(arguments).output();
    let output = output.map_err(|error| failure(format!("cannot run git: {error}")))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(failure(format!("git {}: {}", arguments.join(" "), message.trim())))
}
