//! The crates of the workspace, from `cargo metadata`.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::CrateRoot;

/// Returns the libraries, programs and build scripts of a workspace.
///
/// # Errors
///
/// `cargo metadata` fails.
pub(super) fn crate_roots(folder: &Path) -> Result<Vec<CrateRoot>, String> {
    let metadata = metadata(folder)?;
    let mut roots = Vec::new();
    for package in values(&metadata, "packages") {
        for target in values(package, "targets") {
            let kind = target["kind"][0].as_str().unwrap_or_default();
            let path = Path::new(target["src_path"].as_str().unwrap_or_default());
            let path = path.strip_prefix(folder).map_err(|error| format!("{}: {error}", path.display()))?;
            let name = target["name"].as_str().unwrap_or_default();
            if matches!(kind, "lib" | "bin" | "custom-build") {
                let package = package["name"].as_str().unwrap_or_default();
                let library = (kind == "lib").then(|| name.replace('-', "_"));
                roots.push(CrateRoot::new(package, library, &path.to_string_lossy().replace('\\', "/")));
            }
        }
    }
    Ok(roots)
}

/// Returns the packages of a workspace: the folder of each, relative to that of the workspace, and its name.
///
/// # Errors
///
/// `cargo metadata` fails.
pub(crate) fn packages(folder: &Path) -> Result<Vec<(String, String)>, String> {
    let metadata = metadata(folder)?;
    let mut packages = Vec::new();
    for package in values(&metadata, "packages") {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let of_package = manifest.parent().and_then(|parent| parent.strip_prefix(folder).ok());
        let name = package["name"].as_str().unwrap_or_default();
        packages.extend(of_package.map(|path| (path.to_string_lossy().into_owned(), name.to_owned())));
    }
    Ok(packages)
}

fn metadata(folder: &Path) -> Result<Value, String> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(folder)
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

fn values<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}
