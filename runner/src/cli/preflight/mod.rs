//! `skewer preflight`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use skewer_engine::FieldPath;
use skewer_engine::schema::builtin::{self, Release};
use skewer_execute::targets::live::LiveServers;
use skewer_execute::targets::{Target, TargetSpec};
use skewer_preflight::dump::DumpSource;
use skewer_preflight::preflight::{ApplyStep, PreflightInput, PreflightStep, preflight};
use skewer_preflight::redact::Redaction;
use skewer_preflight::verdict::Tools;
use skewer_reports::audit::Severity;
use skewer_reports::preflight::{self as reports, Preflight};

use crate::cli::arguments::target::open_servers;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::{InputFile, check_standard_input, is_standard_input};
use crate::cli::output::{self, Stream};
use crate::cli::progress::Progress;

/// The arguments of `skewer preflight`.
#[derive(Debug, Args)]
#[command(
    after_help = "The objects are those of `kubectl get KINDS -A -o yaml --show-managed-fields`. Each request is simulated, \
                  and nothing is sent to a cluster. Values of Secrets are replaced while they are read.\n\n\
                  Tools: kubectl, kubectl-csa (client-side), helm3, helm4, flux, argocd, argocd-ssa, argocd-3.0-ssa, \
                  controller-update, controller-replace, controller-patch, controller-apply.\n\n\
                  Exits with 1 if there is a finding that --fail-on names."
)]
pub(super) struct PreflightArguments {
    /// The objects: files and folders with YAML or JSON, or standard input (-). Lists and several documents in one file are
    /// read object by object.
    #[arg(required = true, value_name = "OBJECTS")]
    objects: Vec<PathBuf>,
    /// A file or a folder with definitions of custom resources. Alone, they are the step: they replace those among the
    /// objects. With another step, the server has them.
    #[arg(long, value_name = "PATH")]
    crds: Vec<PathBuf>,
    /// The definitions before --crds, if they are not among the objects.
    #[arg(long, value_name = "PATH", requires = "crds", conflicts_with_all = ["remove_version", "manifests"])]
    old_crds: Vec<PathBuf>,
    /// The release of the server. Its types are those of built-in kinds. Default: 1.37, or that of --confirm.
    #[arg(long, value_name = "1.N", conflicts_with = "confirm")]
    server: Option<String>,
    /// Also takes the step on a real API server, with each object: kube:R (`skewer target install` builds it). Exits with 1 if
    /// an object does not end as simulated.
    #[arg(long, value_name = "TARGET")]
    confirm: Option<TargetSpec>,
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
    /// The path of a field whose values are replaced, too, while they are read. It goes through lists: spec.users.password.
    #[arg(long, value_name = "FIELD")]
    redact: Vec<FieldPath>,
    /// Shows the first object of a finding, step by step.
    #[arg(long, value_name = "ID")]
    explain: Option<String>,
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
        .chain(sources.into_iter().flatten());
    check_standard_input(all.map(PathBuf::as_path), "input")?;
    let target = arguments.confirm.as_ref().map(open_servers).transpose()?;
    let servers = target.as_deref().and_then(Target::live);
    let read_all = |paths: &[PathBuf]| paths.iter().map(|path| source(path)).collect::<Result<_>>();
    let input = PreflightInput {
        dumps: read_all(&arguments.objects)?,
        definitions: read_all(if arguments.replaces_definitions() {
            &arguments.old_crds
        } else {
            &arguments.crds
        })?,
        release: arguments.release(servers)?,
        servers,
        redaction: Redaction::new(&arguments.redact),
    };
    let (step, name) = arguments.step()?;
    let progress = Progress::of_activity("simulating requests");
    let report = preflight(&input, &step, name).map_err(Failure::could_not_run)?;
    drop(progress);
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
        output::error("a real server does not do what the simulation predicts: this is a defect of Skewer");
        return Ok(Exit::CellFailed);
    }
    let fails = report.findings.iter().any(|finding| arguments.fail_on.includes(finding.severity));
    Ok(if fails { Exit::CellFailed } else { Exit::Ok })
}

impl PreflightArguments {
    fn release(&self, servers: Option<&LiveServers>) -> Result<&'static Release> {
        let confirming = servers.map(|servers| format!("1.{}", servers.newest().minor()));
        let Some(wanted) = self.server.clone().or(confirming) else { return Ok(builtin::newest()) };
        builtin::release(&format!("kubernetes-{wanted}")).map_err(|_| {
            let names =
                builtin::releases().iter().map(|release| release.name().trim_start_matches("kubernetes-"));
            let names: Vec<&str> = names.collect();
            let message =
                format!("--server {wanted}: expected a release whose types are known: {}", names.join(", "));
            Failure::could_not_run(message)
        })
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
        let step = ApplyStep { manifests: source(manifests)?, previous, tools };
        Ok((PreflightStep::Apply(Box::new(step)), format!("{by} applies {}", manifests.display())))
    }
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
