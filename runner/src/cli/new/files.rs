//! The files that `skewer new` creates and edits.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use skewer_results::file::write_atomically;

use crate::cli::failure::{Failure, Result};

pub(super) struct NewFile {
    pub(super) path: PathBuf,
    pub(super) content: String,
}

/// Creates files, and the folders that contain them. Writes nothing if one of the files exists.
///
/// # Errors
/// Fails if a file exists or cannot be written.
pub(super) fn create(files: &[NewFile]) -> Result<()> {
    if let Some(file) = files.iter().find(|file| file.path.symlink_metadata().is_ok()) {
        let message = format!("{} exists: choose another name, or remove it", file.path.display());
        return Err(Failure::could_not_run(message));
    }
    for file in files {
        create_file(file).map_err(|error| cannot_write(&file.path, &error))?;
    }
    Ok(())
}

fn create_file(file: &NewFile) -> std::io::Result<()> {
    if let Some(folder) = file.path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::File::create_new(&file.path)?.write_all(file.content.as_bytes())
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::could_not_run(format!("cannot write {}: {error}", path.display()))
}

pub(super) fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path)
        .map_err(|error| Failure::could_not_run(format!("cannot read {}: {error}", path.display())))
}

/// Replaces the content of a file. If that fails, the file is unchanged.
pub(super) fn replace(path: &Path, content: &str) -> Result<()> {
    write_atomically(path, |out| out.write_all(content.as_bytes()))
        .map_err(|error| cannot_write(path, &error))
}
