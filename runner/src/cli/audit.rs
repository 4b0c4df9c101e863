//! `skewer audit`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use skewer_reports::audit::{self as reports, Audit, Severity};

use crate::audit::explore::ExploreOptions;
use crate::audit::input::DefinitionFile;
use crate::audit::run::audit_definitions;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::InputFile;
use crate::cli::output;

/// The arguments of `skewer audit`.
#[derive(Debug, Args)]
#[command(
    after_help = "Every finding comes from simulated requests: an object is stored, a client of another version writes \
                  it, and the result is compared with that of the same request without version skew.\n\n\
                  Exits with 1 if there is a finding that --fail-on names."
)]
pub(super) struct AuditArguments {
    /// The CustomResourceDefinition before the change.
    old: PathBuf,
    /// The CustomResourceDefinition after the change.
    new: PathBuf,
    /// Shows the smallest example of a finding, step by step.
    #[arg(long, value_name = "ID")]
    explain: Option<String>,
    /// Also runs situations in which the change is reverted after objects were created.
    #[arg(long)]
    rollback: bool,
    /// The findings for which the exit code is 1.
    #[arg(long, value_enum, value_name = "SEVERITY")]
    fail_on: Option<FailOn>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = FormatArgument::Text)]
    format: FormatArgument,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Data is lost or wrong, and every request succeeds.
    Silent,
    /// Also requests that are refused.
    Loud,
    /// Also notes.
    Any,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatArgument {
    /// For a terminal.
    Text,
    /// For programs.
    Json,
}

/// Runs the command.
pub(super) fn audit(arguments: &AuditArguments) -> Result {
    let read = |path: &PathBuf| {
        let file = InputFile::read(path)?;
        DefinitionFile::read(&file.name, &file.bytes)
            .map_err(|errors| Failure::of_files(Exit::CouldNotRun, [&errors]))
    };
    let (old, new) = (read(&arguments.old)?, read(&arguments.new)?);
    let audits = audit_definitions(&old, &new, ExploreOptions { rollback: arguments.rollback })
        .map_err(|errors| Failure::of_files(Exit::CouldNotRun, [&errors]))?;
    if let Some(id) = &arguments.explain {
        return explain(&audits, id);
    }
    match arguments.format {
        FormatArgument::Text => {
            for audit in &audits {
                output::print(&reports::text(audit))?;
            }
        }
        FormatArgument::Json => output::print_json(&audits)?,
    }
    let worst = audits.iter().flat_map(|audit| &audit.findings).map(|finding| finding.severity).min();
    let fails = match (arguments.fail_on, worst) {
        (None, _) | (_, None) => false,
        (Some(FailOn::Silent), Some(worst)) => worst == Severity::Silent,
        (Some(FailOn::Loud), Some(worst)) => worst <= Severity::Loud,
        (Some(FailOn::Any), Some(_)) => true,
    };
    Ok(if fails { Exit::CellFailed } else { Exit::Ok })
}

fn explain(audits: &[Audit], id: &str) -> Result {
    let mut findings = audits.iter().flat_map(|audit| &audit.findings);
    let Some(finding) = findings.find(|finding| finding.id.eq_ignore_ascii_case(id)) else {
        let ids: Vec<&str> =
            audits.iter().flat_map(|audit| &audit.findings).map(|finding| finding.id.as_str()).collect();
        let message = format!("the audit has no finding {id} (expected one of {})", ids.join(", "));
        return Err(Failure::new(Exit::NothingSelected, message));
    };
    output::print(&reports::explain(finding))?;
    Ok(Exit::Ok)
}
