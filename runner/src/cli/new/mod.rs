//! `skewer new`: writes the files with which a suite, a directive or an adapter begins. The templates are in
//! `runner/templates`.

mod adapter;
mod directive;
mod files;
mod names;

use std::borrow::Cow;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use self::files::{NewFile, create};
use self::names::check_suite;
use crate::cli::arguments::corpus::program;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output;

/// The subcommands of `skewer new`.
#[derive(Debug, Subcommand)]
pub(super) enum NewCommand {
    /// Write a suite that passes, with comments that say what to edit.
    Suite(SuiteArguments),
    /// Write a suite that declares a directive and an adapter that has it; with --in-engine, a directive of the engine.
    Directive(directive::DirectiveArguments),
    /// Write an adapter for an implementation in another language, and a file of its known deviations.
    Adapter(adapter::AdapterArguments),
}

pub(super) fn new(command: &NewCommand) -> Result {
    match command {
        NewCommand::Suite(arguments) => suite(arguments),
        NewCommand::Directive(arguments) => directive::directive(arguments),
        NewCommand::Adapter(arguments) => adapter::adapter(arguments),
    }
}

const TEMPLATE: &str = include_str!("../../../templates/suite.yaml");

/// The arguments of `skewer new suite`.
#[derive(Debug, Args)]
pub(super) struct SuiteArguments {
    /// Name of the suite, which is also its path below the folder of the corpus: widgets, my-team/widgets.
    name: String,
    /// Folder of the corpus. Default: the current folder, and the suite is run from its file.
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
}

fn suite(arguments: &SuiteArguments) -> Result {
    let name = &arguments.name;
    check_suite(name)?;
    if let Some(folder) = arguments.corpus.as_ref().filter(|folder| !folder.is_dir()) {
        let message = format!("{} is no folder: create it first, or leave out --corpus", folder.display());
        return Err(Failure::could_not_run(message));
    }
    let path = arguments.corpus.clone().unwrap_or_default().join(format!("{name}.yaml"));
    // A suite in a corpus is selected by its name.
    let (corpus, pattern) = match &arguments.corpus {
        Some(folder) => (folder, format!(" {name}/")),
        None => (&path, String::new()),
    };
    let corpus = corpus.display().to_string();
    // A path with a null character cannot be quoted, and does not exist.
    let corpus = shlex::try_quote(&corpus).map_or(corpus.clone(), Cow::into_owned);
    let content =
        TEMPLATE.replace("suite: example/suite", &format!("suite: {name}")).replace("PATH", &corpus);
    create(&[NewFile { path: path.clone(), content }])?;
    output::print(&format!(
        "created {}\n\nnext:\n  {} run --corpus {corpus}{pattern}\n",
        path.display(),
        program()
    ))?;
    Ok(Exit::Ok)
}
