//! The arguments OLD and NEW.

use std::ops::Range;
use std::path::Path;
use std::str::FromStr;

use skewer_admission::AdmissionOptions;
use skewer_audit::explore::ExploreOptions;
use skewer_audit::input::documents::definitions;
use skewer_audit::input::pairs::{DefinitionPair, pair_definitions};
use skewer_audit::input::source::{InputFiles, InputLocation, SourceFile};
use skewer_audit::input::{AuditedTypes, DefinitionFile};
use skewer_audit::renames::ComparedTypes;
use skewer_audit::run::{AuditsOfRelease, across_releases, audit_definitions, audit_version, audit_versions};
use skewer_cases::yaml::{self, nearest};
use skewer_cases::{SchemaFormat, Types};
use skewer_engine::Doc;
use skewer_engine::schema::builtin::{self, Release};
use skewer_reports::audit::{Audit, AuditFinding, Severity};

use super::config::Declared;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::schema::{refusals_of_established, warn_of_reading};

/// One of the two inputs: a release, or a location and optionally a version.
#[derive(Clone, Debug)]
pub(super) struct InputArgument {
    text: String,
    source: InputSource,
    version: Option<String>,
}

#[derive(Clone, Debug)]
enum InputSource {
    Release(&'static Release),
    Location(InputLocation),
}

impl FromStr for InputArgument {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let argument = |source, version| InputArgument { text: text.to_owned(), source, version };
        match builtin::release(text) {
            Ok(release) => return Ok(argument(InputSource::Release(release), None)),
            // A file with the name of a release is less likely than a misspelt release.
            Err(error) if text.starts_with("kubernetes-") && !Path::new(text).exists() => {
                return Err(error.message().to_owned());
            }
            Err(_) => {}
        }
        let (location, version) = match text.rsplit_once('#') {
            // The name of a file can contain the character.
            Some((location, version)) if !Path::new(text).exists() => (location, Some(version)),
            _ => (text, None),
        };
        if location.is_empty() {
            return Err("expected a file, a folder, git:REF:PATH, or an embedded release".to_owned());
        }
        if version == Some("") {
            return Err(format!("expected the name of a version after #, such as {location}#v1"));
        }
        Ok(argument(InputSource::Location(InputLocation::parse(location)?), version.map(str::to_owned)))
    }
}

/// The old or the new types.
pub(super) enum Input {
    /// The definitions of custom resources; at least one.
    Definitions(Vec<DefinitionFile>),
    /// Other types.
    Types(Box<AuditedTypes>),
}

impl InputArgument {
    /// Returns the folder of the input, if it is a file or a folder.
    pub(super) fn folder(&self) -> Option<&Path> {
        match &self.source {
            InputSource::Location(InputLocation::Path(path)) if path.is_dir() => Some(path),
            InputSource::Location(InputLocation::Path(path)) => path.parent(),
            _ => None,
        }
    }

    /// Reads the types.
    pub(super) fn read(&self) -> Result<Input> {
        let types = |types: Types, text: Option<String>| {
            Input::Types(Box::new(AuditedTypes { name: types.display_name().to_owned(), types, text }))
        };
        let location = match &self.source {
            InputSource::Release(release) => return Ok(types(Types::from(*release), None)),
            InputSource::Location(location) => location,
        };
        let source = location.read().map_err(Failure::could_not_run)?;
        match source {
            InputFiles::File(file) => self.read_file(&file, types),
            InputFiles::Folder(files) => read_folder(location, &files),
        }
    }

    fn read_file(
        &self,
        file: &SourceFile,
        of_types: impl Fn(Types, Option<String>) -> Input,
    ) -> Result<Input> {
        let found = definitions(&file.name, &file.bytes)?;
        found.iter().for_each(warn_of_reading);
        if !found.is_empty() {
            return Ok(Input::Definitions(found));
        }
        match Types::read(&file.name, &file.bytes) {
            Ok(types) if types.format() != SchemaFormat::CustomResourceDefinition => {
                return match &self.version {
                    Some(version) => {
                        let message = format!("{}: only a CustomResourceDefinition has versions", file.name);
                        Err(Failure::could_not_run(format!("{message} (#{version})")))
                    }
                    None => Ok(of_types(types, Some(String::from_utf8_lossy(&file.bytes).into_owned()))),
                };
            }
            Err(errors) if declares_types(file) => {
                return Err(Failure::from(errors));
            }
            _ => {}
        }
        // The reader of definitions says what the file should have been.
        let definition = DefinitionFile::read(&file.name, &file.bytes)?;
        Ok(Input::Definitions(vec![definition]))
    }
}

/// Returns true if a file was meant to declare types in Go or in `OpenAPI`, whatever its errors are.
fn declares_types(file: &SourceFile) -> bool {
    let is_go = Path::new(&file.name).extension().is_some_and(|extension| extension == "go");
    let is_open_api = || {
        let document = yaml::read_document(&file.name, &file.bytes).ok();
        let has = |key| document.as_ref().and_then(Doc::as_map).is_some_and(|map| map.contains_key(key));
        ["openapi", "swagger", "components", "definitions"].into_iter().any(has)
    };
    is_go || is_open_api()
}

fn read_folder(location: &InputLocation, files: &[SourceFile]) -> Result<Input> {
    let mut found = Vec::new();
    for file in files {
        let definitions = definitions(&file.name, &file.bytes)?;
        definitions.iter().for_each(warn_of_reading);
        found.extend(definitions);
    }
    if found.is_empty() {
        let files = match files.len() {
            0 => "it has no *.yaml, *.yml or *.json".to_owned(),
            1 => "1 file was read".to_owned(),
            count => format!("{count} files were read"),
        };
        let message = format!("{location}: no CustomResourceDefinition in the folder ({files})");
        return Err(Failure::could_not_run(message));
    }
    Ok(Input::Definitions(found))
}

/// Compares the definitions of two inputs.
/// The servers on which definitions are audited.
pub(super) struct Servers<'a> {
    /// The minor versions of their releases. Only servers of the newest one if there are none.
    pub(super) releases: Range<u32>,
    pub(super) options: ExploreOptions<'a>,
}

/// Reads a release, such as `1.30`, or the first and the last one, such as `1.28..1.36`. Returns the minor versions.
pub(super) fn parse_releases(text: &str) -> std::result::Result<Range<u32>, String> {
    const OLDEST: u32 = 17;
    let newest = AdmissionOptions::NEWEST.minor;
    let minor = |text: &str| {
        let minor = text.strip_prefix("1.")?.parse::<u32>().ok()?;
        (OLDEST..=newest).contains(&minor).then_some(minor)
    };
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    match (minor(first), minor(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..last + 1),
        _ => Err(format!(
            "expected a release from 1.{OLDEST} to 1.{newest}, such as 1.30, or two, such as 1.28..1.36"
        )),
    }
}

pub(super) fn audit_inputs(
    arguments: [&InputArgument; 2],
    [old, new]: [Vec<DefinitionFile>; 2],
    declared: &Declared,
    Servers { releases, options }: Servers<'_>,
) -> Result<Vec<Audit>> {
    let pairs = pair_definitions(old, new).map_err(Failure::could_not_run)?;
    let selection = Selection { arguments };
    selection.check(&pairs)?;
    check_definitions(&pairs)?;
    if !options.renames.is_empty() {
        declared.check_renames(&compared_types(&pairs))?;
    }
    declared.check_samples(&pairs)?;
    let mut audits = Vec::new();
    for pair in &pairs {
        match pair {
            DefinitionPair::Both(old, new) if releases.is_empty() => {
                audits.extend(selection.audit(old, new, options)?);
            }
            DefinitionPair::Both(old, new) => {
                let of_release = |minor: u32| {
                    let options = ExploreOptions { release: Some(minor), ..options };
                    Ok(AuditsOfRelease { minor, audits: selection.audit(old, new, options)? })
                };
                let all = releases.clone().map(of_release).collect::<Result<Vec<_>>>()?;
                audits.extend(across_releases(all));
            }
            DefinitionPair::Removed(file) => audits.push(removed(file, arguments)),
            DefinitionPair::Added(file) => audits.push(added(file, arguments)),
        }
    }
    Ok(audits)
}

/// Returns the types between which a field can be renamed: the versions that two definitions have in common, and the
/// versions of each definition.
fn compared_types(pairs: &[DefinitionPair]) -> Vec<ComparedTypes<'_>> {
    let mut compared = Vec::new();
    for pair in pairs {
        let DefinitionPair::Both(old, new) = pair else { continue };
        for first in &old.definition.versions {
            for second in new.definition.versions.iter().filter(|second| second.name == first.name) {
                compared.push((new.qualified_kind(), false, [(&**old, first), (&**new, second)]));
            }
        }
        for file in [old, new] {
            let versions = &file.definition.versions;
            for (index, first) in versions.iter().enumerate() {
                let others = versions[index + 1..].iter();
                compared.extend(
                    others.map(|second| (file.qualified_kind(), true, [(&**file, first), (&**file, second)])),
                );
            }
        }
    }
    compared
        .into_iter()
        .map(|(kind, are_versions, sides)| ComparedTypes {
            kind,
            names: sides.map(|(file, version)| format!("{}#{}", file.file.name(), version.name)),
            schemas: sides.map(|(_, version)| &version.schema),
            are_versions,
        })
        .collect()
}

/// Checks that an API server accepts the old definitions, and the new ones in place of them. A version in which objects are
/// stored and that the new definition lacks is a finding, and no reason to look no further.
fn check_definitions(pairs: &[DefinitionPair]) -> Result<()> {
    let refused = pairs.iter().flat_map(|pair| match pair {
        DefinitionPair::Both(old, new) => {
            let errors = refusals_of_established(old);
            let is_read = errors.is_empty();
            let of_update = if is_read { new.refusals(Some(&old.definition)) } else { Vec::new() };
            vec![(old, errors), (new, of_update)]
        }
        DefinitionPair::Removed(file) => vec![(file, refusals_of_established(file))],
        DefinitionPair::Added(file) => vec![(file, file.refusals(None))],
    });
    let refused = refused.filter(|(_, errors)| !errors.is_empty()).map(|(file, errors)| file.errors(&errors));
    let refused: Vec<_> = refused.collect();
    if refused.is_empty() { Ok(()) } else { Err(Failure::of_files(Exit::CouldNotRun, &refused)) }
}

/// The versions that are compared.
struct Selection<'a> {
    arguments: [&'a InputArgument; 2],
}

impl Selection<'_> {
    fn versions(&self) -> [Option<&str>; 2] {
        self.arguments.map(|argument| argument.version.as_deref())
    }

    /// Checks that the versions exist.
    fn check(&self, pairs: &[DefinitionPair]) -> Result<()> {
        let both: Vec<[&DefinitionFile; 2]> = pairs
            .iter()
            .filter_map(|pair| match pair {
                DefinitionPair::Both(old, new) => Some([&**old, &**new]),
                DefinitionPair::Removed(_) | DefinitionPair::Added(_) => None,
            })
            .collect();
        let [old, new] = self.versions();
        for (side, version) in [old.or(new), new.or(old)].into_iter().enumerate() {
            let Some(version) = version else { continue };
            if both.iter().any(|files| has_version(files[side], version)) {
                continue;
            }
            let files = both.iter().map(|files| {
                let file = files[side];
                let names: Vec<&str> = file.definition.versions.iter().map(|v| v.name.as_str()).collect();
                let near = nearest(version, names.iter().copied());
                let hint = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
                format!(
                    "{}: {} has no version {version} (it has {}){hint}",
                    file.place(),
                    file.subject(),
                    names.join(", ")
                )
            });
            let message = files.collect::<Vec<_>>().join("\n");
            return Err(Failure::could_not_run(message));
        }
        Ok(())
    }

    fn audit(
        &self,
        old: &DefinitionFile,
        new: &DefinitionFile,
        options: ExploreOptions<'_>,
    ) -> Result<Vec<Audit>> {
        let audits = match self.versions() {
            [None, None] => audit_definitions(old, new, options),
            [Some(first), Some(second)] if first != second => {
                // In a folder, only some of the definitions have the versions.
                if !has_version(old, first) || !has_version(new, second) {
                    return Ok(Vec::new());
                }
                check_one_definition(old, new)?;
                check_served(new, first)?;
                check_served(new, second)?;
                audit_versions(new, [first, second], options).map(|audit| vec![audit])
            }
            [first, second] => {
                let version = first.or(second).unwrap_or_default();
                if !has_version(old, version) || !has_version(new, version) {
                    return Ok(Vec::new());
                }
                audit_version(old, new, version, options).map(|audit| vec![audit])
            }
        };
        audits.map_err(Failure::from)
    }
}

fn has_version(file: &DefinitionFile, version: &str) -> bool {
    file.definition.versions.iter().any(|known| known.name == version)
}

/// Checks that two versions are versions of one definition: a server has only one.
fn check_one_definition(old: &DefinitionFile, new: &DefinitionFile) -> Result<()> {
    if old.document == new.document {
        return Ok(());
    }
    let message = format!(
        "{} and {} are two definitions of {}; a server has one of them. Name the same file twice to compare two \
         versions, or the same version twice to compare two definitions",
        old.place(),
        new.place(),
        new.subject()
    );
    Err(Failure::could_not_run(message))
}

fn check_served(file: &DefinitionFile, name: &str) -> Result<()> {
    if file.definition.versions.iter().any(|version| version.name == name && version.served) {
        return Ok(());
    }
    let message = format!("{}: {} does not serve version {name}", file.place(), file.subject());
    Err(Failure::could_not_run(message))
}

/// Reports a definition that only the old input has.
fn removed(file: &DefinitionFile, arguments: [&InputArgument; 2]) -> Audit {
    let finding = one_sided(file, Severity::Loud, "definition removed");
    let effects = vec![
        "refused (not-found): every request, if the definition is deleted from the cluster".to_owned(),
        "all objects are deleted with the definition".to_owned(),
    ];
    let advice =
        vec!["keep the definition until no object is left, or check that the file only moved".to_owned()];
    audit_of(file, arguments, AuditFinding { effects, advice, ..finding })
}

/// Reports a definition that only the new input has.
fn added(file: &DefinitionFile, arguments: [&InputArgument; 2]) -> Audit {
    let finding = one_sided(file, Severity::Note, "definition added");
    let effects = vec!["refused (not-found): every request to a server without the definition".to_owned()];
    audit_of(file, arguments, AuditFinding { effects, ..finding })
}

fn one_sided(file: &DefinitionFile, severity: Severity, change: &str) -> AuditFinding {
    let id = skewer_audit::finding::id_of(&file.subject(), change);
    AuditFinding { place: file.place(), ..AuditFinding::new(id, severity, change.to_owned()) }
}

fn audit_of(file: &DefinitionFile, [old, new]: [&InputArgument; 2], finding: AuditFinding) -> Audit {
    Audit {
        definition: file.subject(),
        old: old.text.clone(),
        new: new.text.clone(),
        changes: 1,
        findings: vec![finding],
        ..Audit::default()
    }
}
