//! `skewer preflight`.

mod cluster;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::{ArgAction, Args, ValueEnum};
use skewer_engine::FieldPath;
use skewer_engine::schema::builtin::{self, Release};
use skewer_preflight::confirm::AskedServers;
use skewer_preflight::dump::DumpSource;
use skewer_preflight::finding::RepairedObjects;
use skewer_preflight::preflight::{ApplyStep, ClientTypes, PreflightInput, PreflightStep, preflight};
use skewer_preflight::redact::Redaction;
use skewer_preflight::suite::{CaseValues, suite_file};
use skewer_preflight::verdict::Tools;
use skewer_reports::audit::Severity;
use skewer_reports::preflight::{self as reports, Preflight};
use skewer_targets::Target;

use self::cluster::{ClusterArguments, Confirming};
use crate::cli::arguments::target::open_servers;
use crate::cli::audit::write_suite_file;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::{InputFile, check_standard_input, is_standard_input};
use crate::cli::output::{self, Stream, counted};
use crate::cli::progress::Progress;

/// The arguments of `skewer preflight`.
#[derive(Debug, Args)]
#[command(
    after_help = "The objects are those of `kubectl get KINDS -A -o yaml --show-managed-fields`. Each request is simulated. \
                  A cluster that is named gets reads, and with --confirm dry-run also dry runs; nothing is ever written to \
                  it. Values of Secrets are replaced while they are read.\n\n\
                  Tools: kubectl, kubectl-csa (client-side), helm3, helm4, flux, argocd, argocd-ssa, argocd-3.0-ssa, \
                  controller-update, controller-replace, controller-patch, controller-apply.\n\n\
                  Exits with 1 if there is a finding that --fail-on names."
)]
pub(super) struct PreflightArguments {
    /// The objects: files and folders with YAML or JSON, or standard input (-). Lists and several documents in one file are
    /// read object by object.
    #[arg(required_unless_present = "kind", conflicts_with = "kind", value_name = "OBJECTS")]
    objects: Vec<PathBuf>,
    /// A file or a folder with definitions of custom resources. Alone, they are the step: they replace those among the
    /// objects. With another step, the server has them.
    #[arg(long, value_name = "PATH")]
    crds: Vec<PathBuf>,
    /// The definitions before --crds, if they are not among the objects.
    #[arg(long, value_name = "PATH", requires = "crds", conflicts_with_all = ["remove_version", "manifests"])]
    old_crds: Vec<PathBuf>,
    /// The release of the server. Its types are those of built-in kinds. Default: 1.37, or that
    /// of --confirm or --kind.
    #[arg(long, value_name = "1.N")]
    server: Option<String>,
    /// Also takes the step on real API servers. kube:R is one of this machine (`skewer target install` builds it), which gets
    /// each object. `dry-run` is the cluster of --context, which has the objects: it gets the first request of each course,
    /// as a dry run. Exits with 1 if an object does not end as simulated.
    #[arg(long, value_name = "TARGET|dry-run")]
    confirm: Option<Confirming>,
    #[command(flatten)]
    cluster: ClusterArguments,
    /// The step: this version of a custom resource is removed from its definition (GROUP/VERSION).
    #[arg(long, value_name = "GROUP/VERSION", conflicts_with = "manifests")]
    remove_version: Option<String>,
    /// The step: a tool applies the manifests of a file or a folder.
    #[arg(long, value_name = "PATH", requires = "by")]
    manifests: Option<PathBuf>,
    /// The manifests of the same tool before. Helm 3 creates its patches from them.
    #[arg(long, value_name = "PATH", requires = "manifests")]
    previous: Option<PathBuf>,
    /// The tool that applies, or the tools before and after a change: helm3..helm4.
    #[arg(long, value_name = "TOOL", requires = "manifests")]
    by: Option<String>,
    /// The field manager, or those before and after: OLD..NEW. Default: that of the tool.
    #[arg(long, value_name = "NAME", requires = "by")]
    manager: Option<String>,
    /// An earlier manager from which a controller takes over before its first apply (`csaupgrade` of client-go).
    #[arg(long, value_name = "NAME", requires = "by")]
    takes_over: Vec<String>,
    /// The release whose built-in types Argo CD has, which compares an object with its manifest before it applies (1.N). Default:
    /// that of the server.
    #[arg(long, value_name = "1.N", requires = "by")]
    client_release: Option<String>,
    /// A file or a folder with the definitions that Argo CD has read before. Default: those of the server.
    #[arg(long, value_name = "PATH", requires = "by")]
    client_crds: Vec<PathBuf>,
    /// The path of a field whose values are replaced, too, while they are read. It goes through lists: spec.users.password.
    #[arg(long, value_name = "FIELD")]
    redact: Vec<FieldPath>,
    /// Shows the first object of a finding, step by step.
    #[arg(long, value_name = "ID")]
    explain: Option<String>,
    /// Writes the repairs that are commands of kubectl into a new or empty folder: a script for each object. None is run.
    #[arg(long, value_name = "FOLDER")]
    write_repairs: Option<PathBuf>,
    /// Writes a suite file: a case with the request that shows a finding, reduced to the fields that it needs. `skewer run` runs
    /// it. Secret values are never in it, and neither are names and values of objects, unless --anonymous is false.
    #[arg(long, value_name = "FILE")]
    write_suite: Option<PathBuf>,
    /// Whether names and values are replaced in the cases of --write-suite. Definitions of custom resources stay as they are,
    /// without their descriptions.
    #[arg(
        long,
        value_name = "true|false",
        requires = "write_suite",
        default_value_t = true,
        action = ArgAction::Set,
        num_args = 0..=1,
        default_missing_value = "true"
    )]
    anonymous: bool,
    /// The findings for which the exit code is 1.
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Never)]
    fail_on: FailOn,
    /// Output format.
    #[arg(long, value_enum, default_value_t = FormatArgument::Text)]
    format: FormatArgument,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FailOn {
    /// Data is lost or wrong, and every request succeeds.
    Silent,
    /// Also requests that are refused.
    Loud,
    /// All findings.
    Note,
    /// No finding.
    Never,
}

impl FailOn {
    const fn includes(self, severity: Severity) -> bool {
        match self {
            FailOn::Silent => matches!(severity, Severity::Silent),
            FailOn::Loud => matches!(severity, Severity::Silent | Severity::Loud),
            FailOn::Note => true,
            FailOn::Never => false,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatArgument {
    /// For a terminal.
    Text,
    /// For programs.
    Json,
    /// For a pull request.
    Markdown,
    /// A page for browsers, in one file.
    Html,
}

pub(super) fn run(arguments: &PreflightArguments) -> Result {
    let sources = [arguments.manifests.as_ref(), arguments.previous.as_ref()];
    let all = arguments
        .objects
        .iter()
        .chain(&arguments.crds)
        .chain(&arguments.old_crds)
        .chain(&arguments.client_crds)
        .chain(sources.into_iter().flatten());
    check_standard_input(all.map(PathBuf::as_path), "input")?;
    if let (Some(Confirming::Own(_)), Some(server)) = (&arguments.confirm, &arguments.server) {
        let message = format!("--server {server}: the release is that of --confirm");
        return Err(Failure::could_not_run(message));
    }
    let own = match &arguments.confirm {
        Some(Confirming::Own(target)) => Some(open_servers(target)?),
        _ => None,
    };
    let own = own.as_deref().and_then(Target::live);
    let cluster = arguments.cluster.connect(arguments.confirm.as_ref())?;
    let in_cluster = cluster.as_ref().map(|cluster| arguments.cluster.sources(cluster)).transpose()?;
    let in_cluster = in_cluster.unwrap_or_default();
    let read_all = |paths: &[PathBuf]| paths.iter().map(|path| source(path)).collect::<Result<Vec<_>>>();
    let asked = match (&arguments.confirm, &cluster, own) {
        (Some(Confirming::DryRuns), Some(cluster), _) => Some(AskedServers::DryRuns(cluster)),
        (_, _, own) => own.map(|servers| AskedServers::Own(servers)),
    };
    let further = if arguments.replaces_definitions() { &arguments.old_crds } else { &arguments.crds };
    let minor = own.map(|own| own.newest().minor());
    let minor = minor.or(cluster.as_ref().map(|cluster| cluster.cluster().minor()));
    let input = PreflightInput {
        dumps: read_all(&arguments.objects)?.into_iter().chain(in_cluster.dumps).collect(),
        definitions: in_cluster.definitions.into_iter().chain(read_all(further)?).collect(),
        release: arguments.release(minor)?,
        asked,
        cases: arguments.write_suite.is_some().then_some(if arguments.anonymous {
            CaseValues::Anonymous
        } else {
            CaseValues::OfObjects
        }),
        repaired: if arguments.write_repairs.is_some() {
            RepairedObjects::All
        } else {
            RepairedObjects::First
        },
        redaction: Redaction::new(&arguments.redact),
    };
    let (step, name) = arguments.step()?;
    let progress = Progress::of_activity("simulating requests");
    let report = preflight(&input, &step, name).map_err(Failure::could_not_run)?;
    drop(progress);
    if let Some(folder) = &arguments.write_repairs {
        write_repairs(&report, folder)?;
    }
    if let Some(path) = &arguments.write_suite {
        write_suite_file(&suite_file(&report, path), path)?;
    }
    if let Some(id) = &arguments.explain {
        return explain(&report, id);
    }
    match arguments.format {
        FormatArgument::Text => output::print(&reports::text(&report, width()))?,
        FormatArgument::Json => output::print_json(&report)?,
        FormatArgument::Markdown => output::print_document(&reports::markdown(&report))?,
        FormatArgument::Html => output::print_document(&reports::html(&report))?,
    }
    if report.confirmation.as_ref().is_some_and(|confirmation| !confirmation.different.is_empty()) {
        output::error(match arguments.confirm {
            Some(Confirming::DryRuns) => {
                "the cluster does not do what the simulation predicts: a webhook or an admission plugin, which are not simulated, \
                 or a defect of Skewer"
            }
            _ => "a real server does not do what the simulation predicts: this is a defect of Skewer",
        });
        return Ok(Exit::CellFailed);
    }
    let fails = report.findings.iter().any(|finding| arguments.fail_on.includes(finding.severity));
    Ok(if fails { Exit::CellFailed } else { Exit::Ok })
}

impl PreflightArguments {
    /// Returns the release of the server. `minor` is that of real servers.
    fn release(&self, minor: Option<u32>) -> Result<&'static Release> {
        let of_servers = minor.map(|minor| format!("1.{minor}"));
        let Some(wanted) = self.server.clone().or(of_servers) else { return Ok(builtin::newest()) };
        known_release("--server", &wanted)
    }

    /// Returns true if the definitions of `--crds` are the step.
    const fn replaces_definitions(&self) -> bool {
        self.remove_version.is_none() && self.manifests.is_none()
    }

    /// Returns the step, and the step in words.
    fn step(&self) -> Result<(PreflightStep, String)> {
        if self.replaces_definitions() {
            if self.crds.is_empty() {
                let message = "no step: expected --manifests PATH --by TOOL, --remove-version GROUP/VERSION, or --crds PATH";
                return Err(Failure::could_not_run(message));
            }
            let sources = self.crds.iter().map(|path| source(path)).collect::<Result<_>>()?;
            return Ok((PreflightStep::ReplaceDefinitions(sources), "the definitions change".to_owned()));
        }
        let (Some(manifests), Some(by)) = (&self.manifests, &self.by) else {
            let version = self.remove_version.clone().unwrap_or_default();
            return Ok((PreflightStep::RemoveVersion(version.clone()), format!("{version} is removed")));
        };
        let tools =
            Tools::parse(by, self.manager.as_deref(), &self.takes_over).map_err(Failure::could_not_run)?;
        let previous = self.previous.as_deref().map(source).transpose()?;
        let release = self.client_release.as_deref();
        let client = ClientTypes {
            release: release.map(|release| known_release("--client-release", release)).transpose()?,
            definitions: self.client_crds.iter().map(|path| source(path)).collect::<Result<_>>()?,
        };
        let step = ApplyStep { manifests: source(manifests)?, previous, tools, client };
        Ok((PreflightStep::Apply(Box::new(step)), format!("{by} applies {}", manifests.display())))
    }
}

fn known_release(option: &str, wanted: &str) -> Result<&'static Release> {
    builtin::release(&format!("kubernetes-{wanted}")).map_err(|_| {
        let names =
            builtin::releases().iter().map(|release| release.name().trim_start_matches("kubernetes-"));
        let names: Vec<&str> = names.collect();
        let message =
            format!("{option} {wanted}: expected a release whose types are known: {}", names.join(", "));
        Failure::could_not_run(message)
    })
}

/// Returns the source of objects at a path. Standard input is read to its end, since it is read twice.
fn source(path: &Path) -> Result<DumpSource> {
    if !is_standard_input(path) {
        return Ok(DumpSource::Path(path.to_owned()));
    }
    let InputFile { name, bytes } = InputFile::read(path)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::could_not_run(format!("{name}: expected text in UTF-8")))?;
    Ok(DumpSource::Text(name, text))
}

/// Writes a script for each object and repair. A repair of several findings is written once.
fn write_repairs(report: &Preflight, folder: &Path) -> Result<()> {
    let failed = |path: &Path, error: io::Error| {
        Failure::could_not_run(format!("cannot write {}: {error}", path.display()))
    };
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    // The scripts of another run are for other objects.
    if fs::read_dir(folder).map_err(|error| failed(folder, error))?.next().is_some() {
        let message = format!("--write-repairs {}: expected a new or empty folder", folder.display());
        return Err(Failure::could_not_run(message));
    }
    let mut written = BTreeSet::new();
    let repairs = report
        .findings
        .iter()
        .flat_map(|finding| finding.repairs.iter().map(move |repair| (finding, repair)));
    for (finding, repair) in repairs {
        if written.insert((&finding.kind, &repair.object, &repair.command.line)) {
            let object = format!("{}-{}", finding.kind.to_lowercase(), repair.object.replace('/', "-"));
            let path = folder.join(format!("{}-{object}.sh", finding.id));
            fs::write(&path, reports::repair_script(finding, repair))
                .map_err(|error| failed(&path, error))?;
        }
    }
    let (scripts, folder) = (counted(written.len(), "script"), folder.display());
    output::error(&format!("{folder} written: {scripts}; `sh FILE --context NAME` runs one"));
    Ok(())
}

fn explain(report: &Preflight, id: &str) -> Result {
    let Some(finding) = report.findings.iter().find(|finding| finding.id.eq_ignore_ascii_case(id)) else {
        let ids: Vec<&str> = report.findings.iter().map(|finding| finding.id.as_str()).collect();
        let message = match ids.as_slice() {
            [] => format!("the preflight has no finding {id}: it has none"),
            ids => format!("the preflight has no finding {id} (expected one of {})", ids.join(", ")),
        };
        return Err(Failure::new(Exit::NothingSelected, message));
    };
    output::print(&reports::explain(finding, width())).map(|()| Exit::Ok)
}

/// The width of the report if neither `COLUMNS` nor a terminal has one.
const DEFAULT_WIDTH: usize = 80;

fn width() -> usize {
    Stream::Output.style().width.unwrap_or(DEFAULT_WIDTH)
}
