//! The versions of libraries, in the files that pin them.

use skewer_adapters::FILES;

use super::tool::Tool;

/// Returns the text of a file of the adapters. It is empty if there is no such file.
pub(super) fn text_of(path: &str) -> &'static str {
    let found = FILES.binary_search_by(|(known, _)| (*known).cmp(path));
    found.ok().and_then(|index| std::str::from_utf8(FILES[index].1).ok()).unwrap_or_default()
}

/// Returns the name of the file that pins the version of a library.
pub(super) fn pinning_file(tool: Tool) -> &'static str {
    match tool {
        Tool::Go => "go.mod",
        Tool::Cargo => "Cargo.lock",
        Tool::Python => "requirements.txt",
        Tool::Maven => "pom.xml",
    }
}

/// Returns the version of a library that the text of such a file pins.
pub(super) fn pinned_version(tool: Tool, library: &str, text: &'static str) -> Option<&'static str> {
    match tool {
        Tool::Go => required_modules(text).find(|module| module.path == library).map(|module| module.version),
        Tool::Cargo => {
            let after = text.split_once(&format!("name = \"{library}\"\nversion = \""))?.1;
            Some(after.split_once('"')?.0)
        }
        Tool::Python => text
            .lines()
            .find_map(|line| line.strip_prefix(library)?.strip_prefix("==")?.split([' ', ';', '\\']).next()),
        Tool::Maven => {
            let after = text.split_once(&format!("<artifactId>{library}</artifactId>"))?.1;
            Some(after.split_once("<version>")?.1.split_once("</version>")?.0.trim())
        }
    }
}

/// A Go module in a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Module {
    pub(super) path: &'static str,
    pub(super) version: &'static str,
}

/// Returns the modules that a `go.mod` requires, except those that are embedded in this program.
pub(super) fn required_modules(go_mod: &'static str) -> impl Iterator<Item = Module> {
    let requirements = go_mod.lines().filter_map(|line| {
        let mut words = line.trim().trim_start_matches("require ").split_whitespace();
        Some(Module { path: words.next()?, version: words.next()? })
    });
    // Embedded modules have the version v0.0.0, and are replaced by a folder.
    requirements.filter(|module| {
        let is_version =
            module.version.strip_prefix('v').is_some_and(|rest| rest.starts_with(char::is_numeric));
        is_version && !module.path.starts_with("skewer.dev/")
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(
        Tool::Go,
        "sigs.k8s.io/yaml",
        "go 1.26.0\nrequire sigs.k8s.io/yaml v1.6.0 // indirect\n",
        "v1.6.0"
    )]
    #[case(
        Tool::Go,
        "sigs.k8s.io/yaml",
        "require (\n\tsigs.k8s.io/yaml/v2 v2.0.0\n\tsigs.k8s.io/yaml v1.6.0\n)\n",
        "v1.6.0"
    )]
    #[case(
        Tool::Cargo,
        "kube",
        "[[package]]\nname = \"kube\"\nversion = \"4.2.0\"\nsource = \"\"\n",
        "4.2.0"
    )]
    #[case(Tool::Python, "oper8", "oper8-x==2\noper8==0.1.40 \\\n    --hash=sha256:1b\n", "0.1.40")]
    #[case(
        Tool::Maven,
        "kubernetes-client",
        "<dependency>\n<artifactId>kubernetes-client</artifactId>\n<version>7.4.0</version>\n",
        "7.4.0"
    )]
    fn the_version_of_a_library_is_found(
        #[case] tool: Tool,
        #[case] library: &str,
        #[case] text: &'static str,
        #[case] expected: &str,
    ) {
        assert_eq!(pinned_version(tool, library, text), Some(expected));
        assert_eq!(pinned_version(tool, "other", text), None);
    }

    #[test]
    fn embedded_modules_are_not_downloaded() {
        let text = "require (\n\tskewer.dev/conversation v0.0.0-00010101000000-000000000000\n\ta.b/c v1.0.0\n)\n\
                    replace skewer.dev/conversation => ../conversation\n";
        let modules: Vec<Module> = required_modules(text).collect();
        assert_eq!(modules, [Module { path: "a.b/c", version: "v1.0.0" }]);
    }
}
