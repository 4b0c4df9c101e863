//! The argument `--deviations`.

use std::path::PathBuf;

use clap::Args;
use skewer_cases::MAX_CASE_FILE;
use skewer_execute::deviations::{Deviations, embedded_for_target};
use skewer_targets::{Target, TargetInfo};

use super::corpus::CorpusArguments;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::InputFile;

/// The argument that selects the deviation file.
#[derive(Debug, Args)]
pub(in crate::cli) struct DeviationArguments {
    /// File with the known deviations of the target (- is standard input), or `none`. Default: with the built-in
    /// corpus, the built-in file for the target, if there is one; with another corpus, `none`. With --client-target and
    /// --server-target, the file is that of the client or of the server.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) deviations: Option<PathBuf>,
}

/// Returns the name and the version of a target, and those of its sides.
fn infos(target: &dyn Target) -> impl Iterator<Item = TargetInfo> {
    std::iter::once(target.info()).chain(target.sides())
}

impl DeviationArguments {
    /// Reads the known deviations of a target. Returns `None` if there is no deviation file.
    pub(in crate::cli) fn load(
        &self,
        target: &dyn Target,
        corpus: &CorpusArguments,
    ) -> Result<Option<Deviations>> {
        let read = match &self.deviations {
            Some(path) if path.as_os_str() == "none" => return Ok(None),
            Some(path) => {
                let file = InputFile::read_within(path, MAX_CASE_FILE)?;
                Some(Deviations::read(&file.name, &file.bytes))
            }
            // The built-in file names cells of the built-in corpus only.
            None if corpus.corpus.is_some() => None,
            None => infos(target).find_map(|info| embedded_for_target(&info)),
        };
        let Some(read) = read else { return Ok(None) };
        let deviations = read?;
        let info = target.info();
        if deviations.is_for(&info) {
            return Ok(Some(deviations));
        }
        if infos(target).any(|side| deviations.is_for(&side)) {
            return Ok(Some(deviations.of_one_side()));
        }
        let file = deviations.document().name();
        let versioned = |name: &str, version: Option<&str>| match version {
            Some(version) if deviations.version.is_some() => format!("{name} {version}"),
            _ => name.to_owned(),
        };
        let expected = versioned(&deviations.target, deviations.version.as_deref());
        let actual = versioned(&info.name, info.version.as_deref());
        let message = format!("{file} lists the deviations of {expected}, but the target is {actual}");
        Err(Failure::could_not_run(message))
    }
}
