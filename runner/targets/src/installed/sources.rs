//! The sources of the adapters, embedded so that an installed Skewer can build them without the repository.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use skewer_adapters::FILES;

use super::installable::Installable;

/// Returns the path of a file relative to a folder that contains the file.
fn path_below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// Returns the files that a program is built from.
fn files_of(program: Installable) -> impl Iterator<Item = (&'static str, &'static [u8])> {
    FILES.iter().copied().filter(move |(path, _)| {
        if program.shared_folders().iter().any(|folder| path_below(path, folder).is_some()) {
            return !path.contains("/releases/");
        }
        // Of the releases of a program, only the one that is built is needed.
        path_below(path, program.folder()).is_some_and(|rest| {
            rest.strip_prefix("releases/").is_none_or(|file| {
                let release = file.rsplit_once('.').map(|(release, _)| release);
                release.is_some() && release == program.release()
            })
        })
    })
}

/// Returns true if the program contains the sources of a target. A package of Cargo contains no folder with another
/// `Cargo.toml`, and so lacks the adapters in Rust.
pub(super) fn has_sources_of(program: Installable) -> bool {
    let has = |folder: &str| FILES.iter().any(|(path, _)| path_below(path, folder).is_some());
    has(program.folder()) && program.shared_folders().iter().all(|folder| has(folder))
}

/// Returns a text that changes when the sources of a program change. The scripts that build it are among them.
///
/// The hash is FNV-1a: it detects builds of other versions of Skewer, and does not protect against manipulation.
pub(super) fn fingerprint(program: Installable) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut feed = |bytes: &[u8]| {
        for byte in bytes.iter().chain(&[0]) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for (path, content) in files_of(program) {
        feed(path.as_bytes());
        feed(content);
    }
    for word in program.script() {
        feed(word.as_bytes());
    }
    format!("{hash:016x}")
}

/// Writes the sources of a program below a folder.
///
/// # Errors
/// Errors of the file system.
pub(super) fn write(folder: &Path, program: Installable) -> io::Result<()> {
    const EXECUTABLE: u32 = 0o755;
    for (path, content) in files_of(program) {
        let path = folder.join(path);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(&path, content)?;
        if path.extension().is_some_and(|extension| extension == "sh") {
            fs::set_permissions(&path, fs::Permissions::from_mode(EXECUTABLE))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
