//! The names of suites, directives and adapters, and their forms.

use crate::cli::failure::{Failure, Result};

/// Words that cannot be the name of a module, because they are keywords of Rust.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];

/// The name of a directive, in the forms that its files have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DirectiveName {
    /// The name in camel case, without the dollar sign: `appendOnly`.
    pub(super) camel_case: String,
    /// The name of the type: `AppendOnly`.
    pub(super) type_name: String,
    /// The name of the module: `append_only`.
    pub(super) module: String,
    /// The name of the folder of suites: `append-only`.
    pub(super) folder: String,
}

/// Checks the name of a suite: words of lower-case letters and digits, joined by hyphens, below folders.
pub(super) fn check_suite(name: &str) -> Result<()> {
    if name.split('/').all(is_kebab_case) {
        return Ok(());
    }
    Err(invalid(
        "a suite",
        name,
        "lower-case letters, digits and hyphens, with a slash after each folder: widgets or my-team/widgets",
    ))
}

/// Checks the name of an adapter.
pub(super) fn check_adapter(name: &str) -> Result<()> {
    if is_kebab_case(name) {
        return Ok(());
    }
    Err(invalid("an adapter", name, "lower-case letters, digits and hyphens: my-library"))
}

impl DirectiveName {
    /// Reads the name of a directive in camel case. The dollar sign can be omitted.
    pub(super) fn parse(name: &str) -> Result<Self> {
        let camel_case = name.strip_prefix('$').unwrap_or(name);
        let is_valid = camel_case.starts_with(|c: char| c.is_ascii_lowercase())
            && camel_case.chars().all(|c| c.is_ascii_alphanumeric());
        if !is_valid {
            return Err(invalid(
                "a directive",
                name,
                "a word in camel case, with or without a dollar sign: appendOnly",
            ));
        }
        let module = snake_case(camel_case);
        if KEYWORDS.contains(&module.as_str()) {
            return Err(invalid(
                "a directive",
                name,
                "a word that is no keyword of Rust, because its module has its name",
            ));
        }
        let mut type_name = camel_case.to_owned();
        type_name[..1].make_ascii_uppercase();
        let folder = module.replace('_', "-");
        Ok(DirectiveName { camel_case: camel_case.to_owned(), type_name, module, folder })
    }
}

/// Returns true for words of lower-case letters and digits, joined by hyphens.
fn is_kebab_case(name: &str) -> bool {
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.split('-').all(is_word)
}

/// Converts camel case to snake case. A run of capitals is one word: `patchURL` is `patch_url`.
fn snake_case(camel_case: &str) -> String {
    let mut name = String::new();
    let mut was_capital = false;
    for c in camel_case.chars() {
        if c.is_ascii_uppercase() && !was_capital {
            name.push('_');
        }
        was_capital = c.is_ascii_uppercase();
        name.push(c.to_ascii_lowercase());
    }
    name
}

fn invalid(noun: &str, name: &str, expected: &str) -> Failure {
    Failure::could_not_run(format!("`{name}` cannot be the name of {noun}: expected {expected}"))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("appendOnly", "AppendOnly", "append_only", "append-only")]
    #[case("$guard", "Guard", "guard", "guard")]
    #[case("patchURL", "PatchURL", "patch_url", "patch-url")]
    fn a_directive_has_a_name_for_each_file(
        #[case] name: &str,
        #[case] type_name: &str,
        #[case] module: &str,
        #[case] folder: &str,
    ) {
        let parsed = DirectiveName::parse(name).unwrap();
        assert_eq!(parsed.camel_case, name.trim_start_matches('$'));
        assert_eq!((parsed.type_name.as_str(), parsed.module.as_str()), (type_name, module));
        assert_eq!(parsed.folder, folder);
    }

    #[rstest]
    #[case::kebab_case("append-only")]
    #[case::capital("AppendOnly")]
    #[case::keyword("$match")]
    #[case::path("../x")]
    #[case::nothing("$")]
    #[case::other_letters("größe")]
    fn other_names_of_directives_are_refused(#[case] name: &str) {
        let failure = DirectiveName::parse(name).unwrap_err();
        assert!(
            failure.message().starts_with(&format!("`{name}` cannot be the name of a directive: expected "))
        );
    }

    #[rstest]
    #[case("widgets", true)]
    #[case("my-team/widgets-2", true)]
    #[case("", false)]
    #[case("/widgets", false)]
    #[case("../widgets", false)]
    #[case("my team", false)]
    #[case("Widgets", false)]
    #[case("widgets.yaml", false)]
    #[case("a--b", false)]
    fn names_of_suites_are_paths_of_lower_case_words(#[case] name: &str, #[case] is_valid: bool) {
        assert_eq!(check_suite(name).is_ok(), is_valid);
        assert_eq!(check_adapter(name).is_ok(), is_valid && !name.contains('/'));
    }
}
