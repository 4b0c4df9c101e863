//! The argument that names a deviation file.

use std::path::PathBuf;

use clap::Args;
use skewer_cases::MAX_CASE_FILE;

use super::corpus::CorpusArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::InputFile;
use crate::deviations::{Deviations, embedded_for_target};
use crate::targets::Target;

/// The choice of the deviation file.
#[derive(Debug, Args)]
pub(in crate::cli) struct DeviationArguments {
    /// The file with the known deviations of the target (- is standard input), or `none`. Without it, the built-in corpus is held
    /// against the built-in file for the target, if there is one.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) deviations: Option<PathBuf>,
}

impl DeviationArguments {
    /// Reads the known deviations of a target.
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
            // The built-in file speaks of the cells of the built-in corpus.
            None if corpus.corpus.is_some() => None,
            None => embedded_for_target(&target.info().name),
        };
        let Some(read) = read else { return Ok(None) };
        let deviations = read.map_err(|errors| Failure::of_files(Exit::CouldNotRun, [&errors]))?;
        let name = target.info().name;
        if deviations.target != name {
            let file = deviations.document().name();
            let message =
                format!("{file} has the deviations of {}, and the target is {name}", deviations.target);
            return Err(Failure::new(Exit::CouldNotRun, message));
        }
        Ok(Some(deviations))
    }
}
