//! The files of a crate, without test code.

use proc_macro2::{LexError, TokenStream};
use syn::Item;

use super::literals::{self, Literal};
use super::test_code;

/// The root file of a library, a program or a build script.
#[derive(Clone)]
pub(crate) struct CrateRoot {
    pub(crate) package: String,
    /// The name in paths. Programs and build scripts have none.
    pub(crate) library: Option<String>,
    /// The path of the file.
    pub(super) path: String,
}

/// A Rust file without its test code.
pub(crate) struct RustFile {
    /// The path from the root of the workspace.
    pub(crate) path: String,
    /// The index of the crate root.
    pub(crate) root: usize,
    pub(crate) module: Vec<String>,
    pub(crate) syntax: syn::File,
    pub(crate) literals: Vec<Literal>,
    /// The number of lines, with tests.
    pub(crate) lines: usize,
    /// The number of lines of tests.
    pub(crate) test_lines: usize,
}

impl CrateRoot {
    pub(crate) fn new(package: &str, library: Option<String>, path: &str) -> Self {
        Self { package: package.to_owned(), library, path: path.to_owned() }
    }
}

impl RustFile {
    /// Returns the module of the crate in which a file is: `lib`, `main` or `build` for the file of a crate root.
    pub(crate) fn top_level_module(&self) -> &str {
        self.module.first().map_or_else(|| file_stem(&self.path), String::as_str)
    }
}

/// Reads the files of a crate.
///
/// # Errors
///
/// A file is missing or is not Rust.
pub(super) fn read_crate(
    root: &CrateRoot,
    index: usize,
    read: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<RustFile>, String> {
    let mut files = Vec::new();
    read_file(&Location { root: index, path: root.path.clone(), module: Vec::new() }, read, &mut files)?;
    Ok(files)
}

/// Where a file is, and which module it is.
struct Location {
    root: usize,
    path: String,
    module: Vec<String>,
}

/// Reads a file and the files of its modules. Modules of tests are left out.
fn read_file(
    location: &Location,
    read: &dyn Fn(&str) -> Option<String>,
    files: &mut Vec<RustFile>,
) -> Result<(), String> {
    let path = &location.path;
    let text = read(path).ok_or_else(|| format!("{path}: no such file"))?;
    let describe = |error: syn::Error| format!("{path}:{}: {error}", error.span().start().line);
    let tokens: TokenStream = text.parse().map_err(|error| describe(LexError::into(error)))?;
    let mut syntax: syn::File = syn::parse2(tokens.clone()).map_err(describe)?;
    let test_code = test_code::remove(&mut syntax);
    let mut modules = Vec::new();
    modules_in_files(&syntax.items, location, &folder_of_modules(location), &mut modules);
    files.push(RustFile {
        path: path.clone(),
        root: location.root,
        module: location.module.clone(),
        literals: literals::of(tokens, &test_code),
        syntax,
        lines: text.lines().count(),
        test_lines: test_code.iter().map(|lines| lines.end() - lines.start() + 1).sum(),
    });
    for (module, folder) in modules {
        let name = module.last().map_or("", String::as_str);
        let candidates = [format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")];
        let path = candidates
            .into_iter()
            .find(|path| read(path).is_some())
            .ok_or_else(|| format!("{path}: there is no file of the module {name}"))?;
        read_file(&Location { root: location.root, path, module }, read, files)?;
    }
    Ok(())
}

/// Appends the modules that have files of their own, each with the folder of its file.
fn modules_in_files(
    items: &[Item],
    parent: &Location,
    folder: &str,
    modules: &mut Vec<(Vec<String>, String)>,
) {
    for item in items {
        let Item::Mod(item) = item else { continue };
        let name = item.ident.to_string();
        let mut module = parent.module.clone();
        module.push(name.clone());
        match &item.content {
            None => modules.push((module, folder.to_owned())),
            Some((_, items)) => {
                let inline = Location { root: parent.root, path: parent.path.clone(), module };
                modules_in_files(items, &inline, &format!("{folder}/{name}"), modules);
            }
        }
    }
}

/// Returns the folder in which the modules of a file are.
fn folder_of_modules(location: &Location) -> String {
    let (folder, _) = location.path.rsplit_once('/').unwrap_or((".", &location.path));
    let stem = file_stem(&location.path);
    if location.module.is_empty() || stem == "mod" { folder.to_owned() } else { format!("{folder}/{stem}") }
}

fn file_stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".rs").unwrap_or(name)
}
