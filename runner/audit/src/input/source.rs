//! The source of an input: a file, a folder, or a revision of a Git repository.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use skewer_cases::{MAX_DOCUMENT, read_limited};

/// Maximum number of files that are read from a folder.
const MAX_FILES: usize = 10_000;

/// Maximum depth of folders in a folder.
const MAX_FOLDERS: usize = 64;

/// A file or a folder that was named on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputLocation {
    /// A file or a folder.
    Path(PathBuf),
    /// A file or a folder in a Git repository: `git:REF:PATH`. The path is relative to the current folder.
    Git {
        /// A commit, a branch or a tag.
        revision: String,
        /// The file or the folder.
        path: String,
    },
}

/// A file of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The name in messages.
    pub name: String,
    /// The content.
    pub bytes: Vec<u8>,
}

/// The files at a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputFiles {
    /// One file.
    File(SourceFile),
    /// The YAML and JSON files of a folder, sorted by name.
    Folder(Vec<SourceFile>),
}

impl InputLocation {
    /// Reads a location from an argument.
    ///
    /// # Errors
    ///
    /// Returns a message if the argument begins with `git:` but is not `git:REF:PATH`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some(rest) = text.strip_prefix("git:") else {
            return Ok(InputLocation::Path(PathBuf::from(text)));
        };
        match rest.split_once(':') {
            // Git would take a revision that begins with a hyphen as an option.
            Some((revision, path))
                if !revision.is_empty() && !path.is_empty() && !revision.starts_with('-') =>
            {
                Ok(InputLocation::Git { revision: revision.to_owned(), path: path.to_owned() })
            }
            _ => Err(format!("expected git:REF:PATH, such as git:main:config/crd, found {text}")),
        }
    }

    /// Reads the file, or the files of the folder.
    ///
    /// # Errors
    ///
    /// Returns a message if the location does not exist or cannot be read.
    pub fn read(&self) -> Result<InputFiles, String> {
        match self {
            InputLocation::Path(path) if path.is_dir() => read_folder(path),
            InputLocation::Path(path) => read_file(path).map(InputFiles::File),
            InputLocation::Git { revision, path } => read_git(revision, path),
        }
    }
}

impl fmt::Display for InputLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputLocation::Path(path) => path.display().fmt(f),
            InputLocation::Git { revision, path } => write!(f, "git:{revision}:{path}"),
        }
    }
}

fn read_file(path: &Path) -> Result<SourceFile, String> {
    let name = path.display().to_string();
    let bytes = if path == Path::new("-") {
        return match read_limited(io::stdin().lock(), MAX_DOCUMENT) {
            Ok(bytes) => Ok(SourceFile { name: "standard input".to_owned(), bytes }),
            Err(error) => Err(format!("cannot read standard input: {error}")),
        };
    } else {
        fs::File::open(path).and_then(|file| read_limited(file, MAX_DOCUMENT))
    };
    match bytes {
        Ok(bytes) => Ok(SourceFile { name, bytes }),
        Err(error) => Err(format!("cannot read {name}: {error}")),
    }
}

/// Returns true if a file of a folder can have definitions.
fn is_input(name: &str) -> bool {
    let extension = Path::new(name).extension().and_then(OsStr::to_str);
    extension.is_some_and(|extension| matches!(extension, "yaml" | "yml" | "json"))
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

fn too_many_files(folder: &dyn fmt::Display) -> String {
    format!("{folder} has more than {MAX_FILES} YAML and JSON files: name a smaller folder")
}

fn read_folder(folder: &Path) -> Result<InputFiles, String> {
    let mut paths = Vec::new();
    list_files(folder, 0, &mut paths)
        .map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    if paths.len() > MAX_FILES {
        return Err(too_many_files(&folder.display()));
    }
    paths.sort();
    paths.iter().map(|path| read_file(path)).collect::<Result<_, _>>().map(InputFiles::Folder)
}

/// Lists the YAML and JSON files of a folder and of its folders. Hidden files, and links to folders, are left out.
fn list_files(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if paths.len() > MAX_FILES || is_hidden(&path) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            if depth < MAX_FOLDERS {
                list_files(&path, depth + 1, paths)?;
            }
        } else if path.to_str().is_some_and(is_input) && is_file_or_broken_link(&path) {
            paths.push(path);
        }
    }
    Ok(())
}

/// Returns true if a path is a file, or a link that leads nowhere: reading it says so. A pipe or a device is no input.
fn is_file_or_broken_link(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |metadata| metadata.is_file())
}

/// Reads a file or a folder of a Git repository.
fn read_git(revision: &str, path: &str) -> Result<InputFiles, String> {
    let name = |path: &str| format!("git:{revision}:{path}");
    let tree = format!("{revision}^{{tree}}");
    let tree = git(&["rev-parse", "--verify", "--end-of-options", &tree])
        .map_err(|error| format!("cannot read {}: {}", name(path), error.of_revision(revision)))?;
    let tree = String::from_utf8_lossy(&tree).trim().to_owned();
    // Without a hyphen at its start, and without magic characters, a path is only a path.
    let relative =
        if path.starts_with("./") || path.starts_with("../") { path.to_owned() } else { format!("./{path}") };
    let list = git(&["--literal-pathspecs", "ls-tree", "-r", "-z", &tree, "--", &relative])
        .map_err(|error| format!("cannot read {}: {error}", name(path)))?;
    let list = String::from_utf8_lossy(&list);
    let mut files: Vec<(&str, &str)> = list.split('\0').filter_map(blob).collect();
    let is_file = |listed: &str| Path::new(listed) == Path::new(path.trim_start_matches("./"));
    if let [(only, id)] = files.as_slice()
        && is_file(only)
    {
        return Ok(InputFiles::File(SourceFile { name: name(path), bytes: read_blob(id, &name(path))? }));
    }
    if files.is_empty() {
        return Err(format!("cannot read {}: {revision} has no file or folder {path}", name(path)));
    }
    let folder = path.trim_start_matches("./");
    // A hidden folder is read only if it is named.
    let is_hidden = |listed: &str| {
        let below = Path::new(listed).strip_prefix(folder).unwrap_or(Path::new(listed));
        below.ancestors().any(is_hidden)
    };
    files.retain(|(listed, _)| is_input(listed) && !is_hidden(listed));
    if files.len() > MAX_FILES {
        return Err(too_many_files(&name(path)));
    }
    files.sort_unstable();
    let files = files.into_iter().map(|(listed, id)| {
        let name = name(listed);
        let bytes = read_blob(id, &name)?;
        Ok(SourceFile { name, bytes })
    });
    files.collect::<Result<_, _>>().map(InputFiles::Folder)
}

/// Reads a line of `git ls-tree`: the path and the id of a file. Links and submodules are left out.
fn blob(line: &str) -> Option<(&str, &str)> {
    let (about, path) = line.split_once('\t')?;
    let mut words = about.split(' ');
    let (mode, kind, id) = (words.next()?, words.next()?, words.next()?);
    (kind == "blob" && mode != "120000").then_some((path, id))
}

fn read_blob(id: &str, name: &str) -> Result<Vec<u8>, String> {
    let bytes = git(&["cat-file", "blob", id]).map_err(|error| format!("cannot read {name}: {error}"))?;
    read_limited(bytes.as_slice(), MAX_DOCUMENT).map_err(|error| format!("cannot read {name}: {error}"))
}

enum GitError {
    NotStarted(io::Error),
    /// The program failed with this text.
    Failed(String),
}

impl GitError {
    /// Describes the error of looking up a revision.
    fn of_revision(&self, revision: &str) -> String {
        match self {
            GitError::Failed(text) if text.contains("Needed a single revision") => {
                format!("the repository has no revision {revision}")
            }
            _ => self.to_string(),
        }
    }
}

impl fmt::Display for GitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GitError::NotStarted(error) if error.kind() == io::ErrorKind::NotFound => {
                f.write_str("the program git is not installed")
            }
            GitError::NotStarted(error) => write!(f, "cannot run git: {error}"),
            GitError::Failed(text) => f.write_str(text.trim().trim_start_matches("fatal: ")),
        }
    }
}

/// Runs `git`, and returns its output.
fn git(arguments: &[&str]) -> Result<Vec<u8>, GitError> {
    // The messages of git are compared, so that they must not be translated.
    let output =
        Command::new("git").args(arguments).env("LC_ALL", "C").output().map_err(GitError::NotStarted)?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(GitError::Failed(String::from_utf8_lossy(&output.stderr).into_owned()))
    }
}
