//! `skewer-lab reach`.

use std::path::PathBuf;

use clap::Args;
use rayon::prelude::*;
use skewer_audit::explore::{Obstacle, object_with};
use skewer_audit::facts::facts_of;
use skewer_audit::input::revision;
use skewer_audit::schema_path::SchemaPath;
use skewer_engine::OwnedDoc;
use skewer_targets::{Target, TargetSpec};

use super::recall::read_definitions;
use crate::one_version::{OneVersion, admit};
use skewer::cli::arguments::target::TargetProcessOptions;
use skewer::cli::failure::{Failure, Result};
use skewer::cli::output;
use skewer::cli::progress::Progress;
use skewer::exit::Exit;

/// The arguments of `skewer-lab reach`.
#[derive(Debug, Args)]
pub(super) struct ReachArguments {
    /// Files with one CustomResourceDefinition each.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// An API server that checks the objects.
    #[arg(long, value_name = "TARGET")]
    target: Option<TargetSpec>,
    #[command(flatten)]
    options: TargetProcessOptions,
}

/// Runs the command. Prints each element without an object, and each object that the target refuses.
pub(super) fn reach(arguments: &ReachArguments) -> Result {
    let target = arguments.target.as_ref().map(|target| arguments.options.open(target, 2)).transpose()?;
    let files = read_definitions(&arguments.files)?;
    let (mut reached, mut not_reached, mut refused) = (0, 0, 0);
    let progress = Progress::of(files.len() as u64, "definitions");
    for file in &files {
        for version in file.definition.versions.iter().filter(|version| version.served) {
            let version = OneVersion { file, name: &version.name };
            for (path, found) in objects_of(version)? {
                let place = format!("{} {} {path}", file.file.name(), version.name);
                let found = found.map_err(|obstacles| obstacles.first().map(Obstacle::to_string));
                match found.map(|object| is_refused(version, target.as_deref(), &object)) {
                    Ok(None) => reached += 1,
                    Ok(Some(error)) => {
                        refused += 1;
                        output::print(&format!("REFUSED {place}: {error}\n"))?;
                    }
                    Err(obstacle) => {
                        not_reached += 1;
                        output::print(&format!("NO OBJECT {place}: {}\n", obstacle.unwrap_or_default()))?;
                    }
                }
            }
        }
        progress.add(1);
    }
    drop(progress);
    let all = reached + not_reached + refused;
    output::print(&format!(
        "{all} elements: {reached} in an object, {not_reached} in none that was found, {refused} in one that the target refuses\n"
    ))?;
    Ok(if refused > 0 { Exit::CellFailed } else { Exit::Ok })
}

/// An element, and an object that has it, or what is in the way.
type Reached = (SchemaPath, std::result::Result<OwnedDoc, Vec<Obstacle>>);

/// Looks for an object with each element of a version.
fn objects_of(version: OneVersion<'_>) -> Result<Vec<Reached>> {
    let read = revision(&version.file.document, version.name)
        .map_err(|errors| Failure::of_files(Exit::CouldNotRun, &[version.file.errors(&errors)]))?
        .without_conversion();
    let facts =
        version.file.definition.versions.iter().find(|known| known.name == version.name).map(facts_of);
    let paths: Vec<SchemaPath> = facts.unwrap_or_default().into_keys().collect();
    Ok(paths
        .into_par_iter()
        .map(|path| {
            let found = object_with(&read, &path);
            (path, found)
        })
        .collect())
}

fn is_refused(version: OneVersion<'_>, target: Option<&dyn Target>, object: &OwnedDoc) -> Option<String> {
    admit(target?, &version.definition(), &version.object(object), None).err()
}
