//! `skewer-lab clients`.

use clap::Args;
use skewer_engine::schema::builtin;
use skewer_reports::style::Style;
use skewer_reports::terminal;

use crate::clients::ClientCounts;
use crate::preflight::{ObjectNumbers, generated_kinds};
use skewer::cli::arguments::target::TargetArguments;
use skewer::cli::failure::{Failure, Result};
use skewer::cli::output;
use skewer::exit::Exit;

/// The arguments of `skewer-lab clients`.
#[derive(Debug, Args)]
pub(super) struct ClientsArguments {
    #[command(flatten)]
    objects: ObjectNumbers,
    #[command(flatten)]
    target: TargetArguments,
}

/// Runs the command. Prints the smallest case of each difference, as a suite.
pub(super) fn clients(arguments: &ClientsArguments) -> Result {
    let target = arguments.target.open(1)?;
    let minor = target.live().map_or(builtin::newest().minor(), |servers| servers.newest().minor());
    let release = builtin::releases().iter().find(|release| release.minor() == minor).ok_or_else(|| {
        Failure::could_not_run(format!("the types of kubernetes-1.{minor} are not embedded"))
    })?;
    let kinds = generated_kinds(release).map_err(Failure::could_not_run)?;
    let compared = ClientCounts::of_cases(&*target, &kinds, arguments.objects);
    target.stop();
    let (counts, different) =
        compared.map_err(|why| Failure::new(Exit::TargetFailed, format!("the target {why}")))?;
    for difference in different {
        output::print(&format!("DIFFERS object {} and {} more\n", difference.number, difference.count - 1))?;
        output::print(&terminal::failure(&difference.cell, Style::default()))?;
        output::print(&difference.suite)?;
    }
    output::print(&counts.text())?;
    Ok(if counts.different > 0 { Exit::CellFailed } else { Exit::Ok })
}
