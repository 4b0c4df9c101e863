//! The file `skewer-audit.yaml`, and the options that replace or extend it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use skewer_audit::clients::Clients;
use skewer_audit::config::{Accepted, Config, FILE_NAME, unknown_client, with_accepted};
use skewer_audit::input::pairs::DefinitionPair;
use skewer_audit::input::samples::{SampleObject, check_samples, count_kinds, read_samples};
use skewer_audit::input::source::{InputFiles, InputLocation};
use skewer_audit::renames::{ComparedTypes, DeclaredRename, FieldRename, check_renames};
use skewer_reports::audit::{AcceptedFindings, Audit, AuditFinding, FindingGroup, Severity};
use skewer_results::control_characters::escape_line;

use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::InputFile;
use crate::cli::output;

/// The declarations of the user.
#[derive(Debug, Args)]
pub(super) struct ConfigArguments {
    /// A YAML file {clients: [typed-controller, ssa], accepted: [{id: A-1234, because: text}], renames: [{from:
    /// spec.url, to: spec.endpoint}], samples: folder}. Default: the file skewer-audit.yaml next to the new types, if
    /// it exists.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The clients that write objects: typed-controller, strict-controller (Rust, Java), untyped-controller, kubectl, ssa,
    /// or a client of --table.
    /// Default: those of the file. Without both, all clients.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    clients: Vec<String>,
    /// A field that was renamed (spec.url=spec.endpoint; items of lists: spec.hosts[].url=spec.hosts[].address).
    /// Between two versions of a definition, it stands for the conversion webhook. Repeat it for more fields.
    #[arg(long = "rename", value_name = "OLD=NEW")]
    renames: Vec<FieldRename>,
    /// A folder, or a file, with objects of the kinds (YAML). They are used as stored objects before generated ones.
    /// Default: that of the file.
    #[arg(long, value_name = "FOLDER")]
    samples: Option<String>,
    /// Accepts a finding, or the findings of a group: each is written to the file with the reason, and no longer fails.
    #[arg(long, value_name = "ID", requires = "because")]
    accept: Option<String>,
    /// Why the finding is accepted.
    #[arg(long, value_name = "TEXT", requires = "accept")]
    because: Option<String>,
}

/// A configuration, and the file in which it is.
pub(super) struct Declared {
    path: Option<PathBuf>,
    config: Config,
    /// The renames of the file, and then those of the options.
    renames: Vec<DeclaredRename>,
    samples: Vec<SampleObject>,
}

fn failure(message: impl AsRef<str>) -> Failure {
    Failure::could_not_run(message)
}

impl ConfigArguments {
    /// Reads the configuration. Its default is the file in the folder of the new types.
    pub(super) fn read(&self, folder: Option<&Path>) -> Result<Declared> {
        let path = self.config.clone().or_else(|| Some(folder?.join(FILE_NAME)));
        let read = match &path {
            // A file that is named must exist, unless it is written now.
            Some(path) if path.exists() || (self.config.is_some() && self.accept.is_none()) => {
                let file = InputFile::read(path)?;
                Config::read(&file.name, &file.bytes)
            }
            _ => Ok(Config::default()),
        };
        let mut config = read?;
        if !self.clients.is_empty() {
            let mut clients = Clients::default();
            for name in &self.clients {
                if !clients.add(name) {
                    return Err(failure(format!("--clients: {}", unknown_client(name))));
                }
            }
            config.clients = Some(clients);
        }
        let of_options = self.renames.iter().map(|field| DeclaredRename::new(None, field.clone()));
        let renames = config.renames.iter().cloned().chain(of_options).collect();
        let samples = self.read_samples(path.as_deref(), &config)?;
        Ok(Declared { path, config, renames, samples })
    }

    /// Reads the sample objects of the option, or of the file.
    fn read_samples(&self, path: Option<&Path>, config: &Config) -> Result<Vec<SampleObject>> {
        let location = match (&self.samples, &config.samples) {
            (Some(argument), _) => {
                InputLocation::parse(argument).map_err(|message| failure(format!("--samples: {message}")))?
            }
            (None, Some(samples)) => {
                let folder = path.and_then(Path::parent).unwrap_or(Path::new(""));
                InputLocation::Path(folder.join(samples))
            }
            (None, None) => return Ok(Vec::new()),
        };
        let files = match location.read().map_err(|message| failure(format!("samples: {message}")))? {
            InputFiles::File(file) => vec![file],
            InputFiles::Folder(files) => files,
        };
        let samples = read_samples(&files)?;
        if samples.is_empty() {
            return Err(failure(format!("samples: {location} has no objects (*.yaml, *.yml or *.json)")));
        }
        Ok(samples)
    }

    /// Writes a finding that is accepted now to the file.
    pub(super) fn accept(&self, declared: &mut Declared, audits: &[Audit]) -> Result<()> {
        let (Some(id), Some(because)) = (&self.accept, &self.because) else { return Ok(()) };
        let findings = with_id(audits, id)?;
        if because.trim().is_empty() {
            return Err(failure("--because: expected a reason"));
        }
        let known = findings.iter().find_map(|finding| declared.accepted(&finding.id));
        if let Some(known) = known.filter(|_| findings.len() == 1) {
            return Err(failure(format!("{} is already accepted in {}", known.id, known.place)));
        }
        let Some(path) = &declared.path else {
            return Err(failure("name the file for accepted findings with --config"));
        };
        let name = path.display().to_string();
        let mut text = if path.exists() { read_text(path)? } else { String::new() };
        for finding in findings.iter().filter(|finding| declared.accepted(&finding.id).is_none()) {
            text = with_accepted(&text, &finding.id, because)
                .map_err(|error| failure(format!("{name}: {error}")))?;
        }
        // The file is only written if it can be read again.
        declared.config.accepted = Config::read(&name, text.as_bytes())?.accepted;
        fs::write(path, text).map_err(|error| failure(format!("cannot write {name}: {error}")))
    }
}

/// Returns the findings with an id: one, or those of a group.
pub(super) fn with_id<'a>(audits: &'a [Audit], id: &str) -> Result<Vec<&'a AuditFinding>> {
    let groups = FindingGroup::all(audits);
    if let Some(group) = groups.iter().find(|group| group.id().eq_ignore_ascii_case(id)) {
        return Ok(group.findings().collect());
    }
    let mut findings = audits.iter().flat_map(|audit| &audit.findings);
    if let Some(finding) = findings.find(|finding| finding.id.eq_ignore_ascii_case(id)) {
        return Ok(vec![finding]);
    }
    let ids: Vec<String> = groups.iter().map(FindingGroup::id).collect();
    let message = match ids.as_slice() {
        [] => format!("the audit has no finding {id}: it has none"),
        ids => format!("the audit has no finding {id} (expected one of {})", ids.join(", ")),
    };
    Err(Failure::new(Exit::NothingSelected, message))
}

fn read_text(path: &Path) -> Result<String> {
    let file = InputFile::read(path)?;
    String::from_utf8(file.bytes).map_err(|_| failure(format!("{} is not UTF-8", file.name)))
}

impl Declared {
    /// Returns the clients, if they are declared.
    pub(super) fn clients(&self) -> Option<Clients> {
        self.config.clients
    }

    /// Returns the renames.
    pub(super) fn renames(&self) -> &[DeclaredRename] {
        &self.renames
    }

    /// Returns the sample objects.
    pub(super) fn samples(&self) -> &[SampleObject] {
        &self.samples
    }

    /// Checks that a server with the old definitions creates the sample objects. Warns of objects of other kinds.
    pub(super) fn check_samples(&self, pairs: &[DefinitionPair]) -> Result<()> {
        let mut others: Vec<&SampleObject> = self.samples.iter().collect();
        let mut errors = Vec::new();
        for pair in pairs {
            let DefinitionPair::Both(old, new) = pair else { continue };
            let kind = old.qualified_kind();
            let (of_kind, rest): (Vec<_>, Vec<_>) =
                others.into_iter().partition(|sample| sample.qualified_kind() == kind);
            others = rest;
            errors.extend(check_samples(&of_kind, old, new).err().into_iter().flatten());
        }
        if !errors.is_empty() {
            return Err(Failure::of_files(Exit::CouldNotRun, &errors));
        }
        if !others.is_empty() {
            let counts = count_kinds(others.iter().copied()).join(", ");
            let (unused, all) = (others.len(), self.samples.len());
            let objects = if all == 1 { "object is" } else { "objects are" };
            output::error(&format!(
                "warning: {unused} of {all} sample {objects} of no compared kind: {counts}"
            ));
        }
        Ok(())
    }

    /// Checks that each rename is one between two of the compared types.
    pub(super) fn check_renames(&self, compared: &[ComparedTypes<'_>]) -> Result<()> {
        let of_file = self.config.renames.len();
        let (in_file, in_options): (Vec<_>, Vec<_>) =
            check_renames(&self.renames, compared).into_iter().partition(|(index, _)| *index < of_file);
        let in_file = self.config.rename_errors(&in_file);
        let in_file = in_file.map(Failure::from);
        let in_options = in_options.into_iter().map(|(index, message)| {
            let FieldRename { from, to, .. } = &self.renames[index].field;
            failure(format!("--rename {from}={to}: {message}"))
        });
        Failure::join(in_file.into_iter().chain(in_options)).map_or(Ok(()), Err)
    }

    fn accepted(&self, id: &str) -> Option<&Accepted> {
        self.config.accepted.iter().find(|accepted| accepted.id.eq_ignore_ascii_case(id))
    }

    /// Returns the findings that are accepted, and the reasons.
    pub(super) fn accepted_findings(&self, audits: &[Audit]) -> AcceptedFindings {
        let findings = audits.iter().flat_map(|audit| &audit.findings);
        findings
            .filter_map(|finding| Some((finding.id.clone(), self.accepted(&finding.id)?.because.clone())))
            .collect()
    }

    /// Returns the severities of the findings that are not accepted.
    pub(super) fn severities_not_accepted(&self, audits: &[Audit]) -> BTreeSet<Severity> {
        let findings = audits.iter().flat_map(|audit| &audit.findings);
        let open = findings.filter(|finding| self.accepted(&finding.id).is_none());
        open.map(|finding| finding.severity).collect()
    }

    /// Prints which findings are accepted, and why.
    pub(super) fn print_accepted(&self, audits: &[Audit]) -> Result<()> {
        let findings: Vec<&AuditFinding> = audits.iter().flat_map(|audit| &audit.findings).collect();
        let accepted: Vec<(&&AuditFinding, &Accepted)> =
            findings.iter().filter_map(|finding| Some((finding, self.accepted(&finding.id)?))).collect();
        if accepted.is_empty() {
            return Ok(());
        }
        // The heading counts the same change of several paths as one finding. Each path is accepted on its own.
        let mut text = "\naccepted:\n".to_owned();
        for (finding, Accepted { because, place, .. }) in accepted {
            let change = [finding.path.as_str(), &finding.change].join(" ");
            let line = format!("{}  {}: {because} ({place})", finding.id, change.trim());
            text.push_str("  ");
            text.push_str(&escape_line(&line));
            text.push('\n');
        }
        output::print(&text)
    }

    /// Warns of accepted findings that no longer exist.
    pub(super) fn warn_of_stale(&self, audits: &[Audit]) {
        let ids: BTreeSet<String> = audits
            .iter()
            .flat_map(|audit| &audit.findings)
            .map(|finding| finding.id.to_lowercase())
            .collect();
        for accepted in
            self.config.accepted.iter().filter(|accepted| !ids.contains(&accepted.id.to_lowercase()))
        {
            output::error(&format!(
                "warning: {}: accepted finding {} no longer exists",
                accepted.place, accepted.id
            ));
        }
    }
}
