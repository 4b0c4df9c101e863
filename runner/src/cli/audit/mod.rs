//! `skewer audit`.

mod config;
mod inputs;

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use skewer_audit::explore::ExploreOptions;
use skewer_audit::input::AuditedTypes;
use skewer_audit::renames::ComparedTypes;
use skewer_audit::run::{ComparedKind, audit_kind, audit_kinds, compared_kinds};
use skewer_audit::suite::{SuiteFile, suite_file};
use skewer_reports::audit::{self as reports, Audit, Fold, Severity};
use skewer_targets::{Target, TargetSpec};

use crate::cli::arguments::target::open_servers;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output::{self, Stream, counted};
use crate::cli::progress::Progress;
use config::ConfigArguments;
use inputs::{Input, InputArgument, Servers, audit_inputs, parse_releases};

/// The arguments of `skewer audit`.
#[derive(Debug, Args)]
#[command(
    after_help = "Every finding comes from simulated requests: an object is stored, a client of another version writes \
                  it, and the result is compared with that of the same request without version skew.\n\n\
                  Exits with 1 if there is a change that was not judged, or a finding that --fail-on names, and that is \
                  not accepted."
)]
pub(super) struct AuditArguments {
    /// The types before the change: a file with custom resource definitions, Go types or an OpenAPI document; a folder;
    /// git:REF:PATH; or a Kubernetes release (kubernetes-1.30). Append #VERSION for one version of a definition.
    old: InputArgument,
    /// The types after the change. Two versions of one definition (crd.yaml#v1 crd.yaml#v2) are compared on one server.
    new: InputArgument,
    /// The kind, or another type, to audit (apps/v1/Deployment, `PodSpec`). Default: all kinds.
    #[arg(long, value_name = "TYPE")]
    kind: Option<String>,
    /// Shows the smallest example of a finding, step by step.
    #[arg(long, value_name = "ID")]
    explain: Option<String>,
    /// Shows all findings and paths. Without it, the text has at most 15 findings on a kind, the worst, and some of their
    /// paths.
    #[arg(long)]
    all: bool,
    /// Also shows whether each client preserves the data, as a table.
    #[arg(long)]
    table: bool,
    /// Also runs situations in which the change is reverted after objects were created.
    #[arg(long)]
    rollback: bool,
    /// The releases of the simulated servers: one (1.30), or the first and the last (1.28..1.36). A sentence of a finding
    /// that is not true on all of them says where it is. They admit objects as the release; all else is as by the newest.
    #[arg(long, value_name = "RELEASES", value_parser = parse_releases, conflicts_with_all = ["confirm", "write_suite"])]
    servers: Option<Range<u32>>,
    /// Writes a suite file with a case for each effect of each finding. Its expectations are what happens, so that
    /// `skewer run --corpus FILE` passes until the types change again. Definitions are referred to by their files, if
    /// possible.
    #[arg(long, value_name = "FILE")]
    write_suite: Option<PathBuf>,
    /// Also runs the situations of the findings on a real API server: kube:R (`skewer target install` builds it). The
    /// definitions are installed there in a group of their own. Exits with 1 if a situation does not end as simulated.
    #[arg(long, value_name = "TARGET")]
    confirm: Option<TargetSpec>,
    /// The findings for which the exit code is 1.
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::NotJudged)]
    fail_on: FailOn,
    #[command(flatten)]
    config: ConfigArguments,
    /// Output format.
    #[arg(long, value_enum, default_value_t = FormatArgument::Text)]
    format: FormatArgument,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Data is lost or wrong, and every request succeeds; or a change was not judged, so that this can be.
    Silent,
    /// Also requests that are refused.
    Loud,
    /// Only changes that were not judged.
    NotJudged,
    /// All findings.
    #[value(alias = "any")]
    Note,
    /// No finding.
    Never,
}

impl FailOn {
    /// Returns true if a finding that is not accepted fails. What was not judged can be anything.
    const fn includes(self, severity: Severity) -> bool {
        match severity {
            Severity::NotJudged => !matches!(self, FailOn::Never),
            Severity::Silent => matches!(self, FailOn::Silent | FailOn::Loud | FailOn::Note),
            Severity::Loud => matches!(self, FailOn::Loud | FailOn::Note),
            Severity::Note => matches!(self, FailOn::Note),
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
    /// Annotations of GitHub Actions.
    Github,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
}

/// The last line below findings.
const HOW_TO_EXPLAIN: &str =
    "\nexplain: skewer audit OLD NEW --explain ID; a word of it: skewer explain WORD\n";

pub(super) fn audit(arguments: &AuditArguments) -> Result {
    let mut declared = arguments.config.read(arguments.new.folder())?;
    let target = arguments.confirm.as_ref().map(open_servers).transpose()?;
    let options = ExploreOptions {
        rollback: arguments.rollback,
        clients: declared.clients(),
        cases: arguments.write_suite.is_some(),
        renames: declared.renames(),
        samples: declared.samples(),
        servers: target.as_deref().and_then(Target::live),
        ..ExploreOptions::default()
    };
    let progress = Progress::of_activity("simulating requests");
    let audits = match (arguments.old.read()?, arguments.new.read()?) {
        (Input::Definitions(old), Input::Definitions(new)) => {
            let releases = arguments.servers.clone().unwrap_or_default();
            let servers = Servers { releases, options };
            audit_inputs([&arguments.old, &arguments.new], [old, new], &declared, servers)?
        }
        (Input::Types(old), Input::Types(new)) => {
            let kind = arguments.kind.as_deref();
            if arguments.servers.is_some() {
                let message = "--servers is about CustomResourceDefinitions, and the inputs are other types";
                return Err(Failure::could_not_run(message));
            }
            if !declared.samples().is_empty() {
                let message =
                    "samples are objects of CustomResourceDefinitions, and the inputs are other types";
                return Err(Failure::could_not_run(message));
            }
            if !options.renames.is_empty() {
                let compared = compared_kinds(&old, &new, kind).map_err(could_not_run)?;
                let compared: Vec<ComparedTypes<'_>> = compared.iter().map(ComparedKind::types).collect();
                declared.check_renames(&compared)?;
            }
            audit_types(&old, &new, kind, options)?
        }
        _ => {
            let message = "one of the inputs is a CustomResourceDefinition, and the other is not";
            return Err(Failure::could_not_run(message));
        }
    };
    drop(progress);
    if let Some(id) = &arguments.explain {
        return explain(&audits, id);
    }
    arguments.config.accept(&mut declared, &audits)?;
    if let Some(path) = &arguments.write_suite {
        write_suite(&audits, path)?;
    }
    declared.warn_of_stale(&audits);
    match arguments.format {
        FormatArgument::Text => {
            let fold = if arguments.all { Fold::Nothing } else { Fold::Long };
            output::print(&reports::text(&audits, width(), fold))?;
            for audit in audits.iter().filter(|_| arguments.table) {
                let table = reports::preserved_table(audit, width());
                output::print(&format!("\n{}\n{table}", audit.subject()))?;
            }
            if audits.is_empty() {
                output::print("no change, no finding\n")?;
            }
            if audits.iter().any(|audit| !audit.findings.is_empty()) {
                declared.print_accepted(&audits)?;
                output::print(HOW_TO_EXPLAIN)?;
                let open = declared.severities_not_accepted(&audits);
                output::print(&exit_code_line(&open, arguments.fail_on))?;
            }
        }
        FormatArgument::Json => output::print_json(&audits)?,
        FormatArgument::Markdown => {
            output::print_document(&reports::markdown(&audits, &declared.accepted_findings(&audits)))?;
        }
        FormatArgument::Html => {
            output::print_document(&reports::html(&audits, &declared.accepted_findings(&audits)))?;
        }
        FormatArgument::Github => {
            output::print_document(&reports::github(&audits, &declared.accepted_findings(&audits)))?;
        }
        FormatArgument::Sarif => {
            output::print_json(&reports::sarif(&audits, &declared.accepted_findings(&audits)))?;
        }
    }
    let is_disproved = |finding: &reports::AuditFinding| {
        finding.confirmation.as_ref().is_some_and(|confirmation| !confirmation.different.is_empty())
    };
    if audits.iter().flat_map(|audit| &audit.findings).any(is_disproved) {
        output::error("a real server does not do what the simulation predicts: this is a defect of Skewer");
        return Ok(Exit::CellFailed);
    }
    let open = declared.severities_not_accepted(&audits);
    if open.contains(&Severity::NotJudged) && arguments.fail_on.includes(Severity::NotJudged) {
        output::error(
            "not every change was judged, so that the exit code is 1 (`--accept ID --because TEXT` accepts one, \
             `--fail-on never` all)",
        );
    }
    let fails = open.into_iter().any(|severity| arguments.fail_on.includes(severity));
    Ok(if fails { Exit::CellFailed } else { Exit::Ok })
}

/// Says what the exit code means. Empty if a change that was not judged decides on it, which is an error of its own.
fn exit_code_line(open: &BTreeSet<Severity>, fail_on: FailOn) -> String {
    if open.contains(&Severity::NotJudged) && fail_on.includes(Severity::NotJudged) {
        return String::new();
    }
    let fails = open.iter().any(|severity| fail_on.includes(*severity));
    let why = match fail_on {
        FailOn::NotJudged => "to fail on findings: --fail-on silent, loud or note".to_owned(),
        other => {
            let value = other.to_possible_value();
            format!("--fail-on {}", value.as_ref().map(PossibleValue::get_name).unwrap_or_default())
        }
    };
    format!("exit code: {} ({why})\n", i32::from(fails))
}

fn audit_types(
    old: &AuditedTypes,
    new: &AuditedTypes,
    kind: Option<&str>,
    options: ExploreOptions<'_>,
) -> Result<Vec<Audit>> {
    let audits = match kind {
        Some(kind) => audit_kind(old, new, kind, options).map(|audit| vec![audit]),
        None => audit_kinds(old, new, options),
    };
    audits.map_err(could_not_run)
}

#[expect(clippy::needless_pass_by_value, reason = "it is the argument of `map_err`")]
fn could_not_run(error: skewer_engine::Error) -> Failure {
    Failure::could_not_run(error.to_string())
}

fn write_suite(audits: &[Audit], path: &Path) -> Result<()> {
    if audits.iter().all(|audit| audit.findings.iter().all(|finding| finding.cases.is_empty())) {
        output::error(&format!("{}: not written, because no finding has a case", path.display()));
        return Ok(());
    }
    let suite = suite_file(audits, path).map_err(|error| Failure::could_not_run(error.to_string()))?;
    write_suite_file(&suite, path)
}

/// Writes a suite of findings, and says which of them have no case.
pub(super) fn write_suite_file(suite: &SuiteFile, path: &Path) -> Result<()> {
    fs::write(path, &suite.text)
        .map_err(|error| Failure::could_not_run(format!("cannot write {}: {error}", path.display())))?;
    for finding in &suite.without_case {
        output::error(&format!("no case: {finding}"));
    }
    let (cases, path) = (counted(suite.cases, "case"), path.display());
    output::error(&format!("{path} written: {cases}; `skewer run --corpus {path}` runs it"));
    Ok(())
}

fn explain(audits: &[Audit], id: &str) -> Result {
    let finding = config::with_id(audits, id)?[0];
    output::print(&reports::explain(finding, width())).map(|()| Exit::Ok)
}

/// The width of the report if neither `COLUMNS` nor a terminal has one.
const DEFAULT_WIDTH: usize = 80;

fn width() -> usize {
    Stream::Output.style().width.unwrap_or(DEFAULT_WIDTH)
}
