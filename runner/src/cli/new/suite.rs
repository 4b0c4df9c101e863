//! `skewer new suite`.

use std::borrow::Cow;
use std::path::PathBuf;

use clap::Args;

use super::files::{NewFile, create};
use super::names::check_suite;
use crate::cli::arguments::corpus::program;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output;

const TEMPLATE: &str = include_str!("../../../templates/suite.yaml");

/// The arguments of `skewer new suite`.
#[derive(Debug, Args)]
pub(in crate::cli) struct SuiteArguments {
    /// Name of the suite, which is also its path below the folder of the corpus: widgets, my-team/widgets.
    name: String,
    /// Folder of the corpus. Default: the current folder, and the suite is run from its file.
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
}

pub(super) fn suite(arguments: &SuiteArguments) -> Result {
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
