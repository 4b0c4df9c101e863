//! Rule 7: only the file of a directive, a policy or a target knows its name.

use std::collections::BTreeMap;

use syn::{Expr, ImplItem, Item, ItemImpl, Lit, Stmt};

use crate::violation::RuleViolation;
use crate::workspace::{RustFile, Workspace};

const RULE: &str = "registries";

/// The registry of the targets, which names all of them.
const REGISTRY_OF_TARGETS: &str = "spec.rs";

/// A registry of things that have a file or a folder each.
struct Registry {
    thing: &'static str,
    /// The folder of the files.
    folder: &'static str,
    /// Where else the name could be, and must not.
    scope: &'static str,
    names: fn(&RustFile) -> Vec<String>,
    /// Whether a literal contains the name.
    is_use: fn(literal: &str, name: &str) -> bool,
}

const REGISTRIES: &[Registry] = &[
    Registry {
        thing: "directive",
        folder: "engine/src/directive/",
        scope: "engine/src/",
        names: directive_names,
        is_use: |literal, name| {
            literal.split(|c: char| !c.is_alphanumeric() && c != '$').any(|word| word == name)
        },
    },
    Registry {
        thing: "policy",
        folder: "engine/src/union/policy/",
        scope: "engine/src/union/",
        names: |file| trait_names(file, "Policy"),
        is_use: |literal, name| literal == name,
    },
    Registry {
        thing: "target",
        folder: "runner/targets/src/",
        scope: "runner/",
        names: target_schemes,
        is_use: has_scheme,
    },
];

pub(super) fn check(workspace: &Workspace) -> Vec<RuleViolation> {
    REGISTRIES.iter().flat_map(|registry| check_registry(workspace, registry)).collect()
}

fn check_registry(workspace: &Workspace, registry: &Registry) -> Vec<RuleViolation> {
    let Registry { thing, folder, scope, names, is_use } = registry;
    let mut homes: BTreeMap<String, String> = BTreeMap::new();
    for file in workspace.files.iter().filter(|file| file.path.starts_with(folder)) {
        for name in names(file) {
            homes.insert(name, home(&file.path, folder));
        }
    }
    let mut violations = Vec::new();
    for file in workspace.files.iter().filter(|file| file.path.starts_with(scope)) {
        for literal in &file.literals {
            let is_foreign = |(name, home): &(&String, &String)| {
                is_use(&literal.text, name)
                    && !file.path.starts_with(home.as_str())
                    && file.path != format!("{folder}{REGISTRY_OF_TARGETS}")
            };
            if let Some((name, home)) = homes.iter().find(is_foreign) {
                violations.push(RuleViolation {
                    rule: RULE,
                    path: file.path.clone(),
                    line: literal.line,
                    what: format!("the name of the {thing} `{name}` is written here"),
                    expected: format!("expected it only in {home}"),
                });
            }
        }
    }
    violations
}

/// Returns the file, or the folder of several files, in which a path below a folder is.
fn home(path: &str, folder: &str) -> String {
    let below = path.strip_prefix(folder).unwrap_or(path);
    match below.split_once('/') {
        Some((first, _)) => format!("{folder}{first}/"),
        None => path.to_owned(),
    }
}

/// Returns the value of `const NAME`, if it is the key of a directive.
fn directive_names(file: &RustFile) -> Vec<String> {
    constants(file, "NAME").filter(|name| name.starts_with('$')).collect()
}

/// Returns the scheme of the target to which a file belongs. The registry of the targets (`spec.rs`) can name all.
fn target_schemes(file: &RustFile) -> Vec<String> {
    let schemes = [("/exec/", "exec"), ("/apiserver/", "apiserver"), ("/live/", "kube")];
    let scheme = schemes.iter().find(|(folder, _)| file.path.contains(&format!("targets/src{folder}")));
    scheme.map(|(_, scheme)| (*scheme).to_owned()).into_iter().collect()
}

fn has_scheme(literal: &str, scheme: &str) -> bool {
    let after = |start: usize| literal[start + scheme.len()..].starts_with(':');
    let is_word = |start: usize| !literal[..start].ends_with(|c: char| c.is_alphanumeric() || c == '-');
    literal.match_indices(scheme).any(|(start, _)| after(start) && is_word(start))
}

fn constants<'f>(file: &'f RustFile, name: &'f str) -> impl Iterator<Item = String> + 'f {
    file.syntax.items.iter().filter_map(move |item| match item {
        Item::Const(constant) if constant.ident == name => text(&constant.expr),
        _ => None,
    })
}

/// Returns the texts that the function `name` of implementations of a trait returns.
fn trait_names(file: &RustFile, name: &str) -> Vec<String> {
    let is_implementation = |block: &&ItemImpl| {
        let path = block.trait_.as_ref().map(|(_, path, _)| path);
        path.and_then(|path| path.segments.last()).is_some_and(|segment| segment.ident == name)
    };
    let blocks = file.syntax.items.iter().filter_map(|item| match item {
        Item::Impl(block) => Some(block),
        _ => None,
    });
    let functions =
        blocks.filter(is_implementation).flat_map(|block| &block.items).filter_map(|item| match item {
            ImplItem::Fn(function) if function.sig.ident == "name" => Some(&function.block),
            _ => None,
        });
    let names = functions.filter_map(|block| match block.stmts.as_slice() {
        [Stmt::Expr(value, None)] => text(value),
        _ => None,
    });
    names.collect()
}

fn text(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{lines, workspace};

    fn check_in(other: &str) -> Vec<String> {
        let files = [
            ("engine/src/lib.rs", "mod directive; mod union; mod patch;"),
            ("engine/src/directive/mod.rs", "mod retain_keys; mod order;"),
            ("engine/src/directive/retain_keys.rs", "const NAME: &str = \"$retainKeys\";"),
            ("engine/src/directive/order/mod.rs", "mod apply; const NAME: &str = \"$order\";"),
            ("engine/src/directive/order/apply.rs", "const PREFIX: &str = \"$order/\";"),
            ("engine/src/union/mod.rs", "mod policy; const POLICY: &str = \"other\";"),
            ("engine/src/union/policy/mod.rs", "mod legacy;"),
            (
                "engine/src/union/policy/legacy.rs",
                "impl Policy for Legacy { fn name(&self) -> &'static str { \"legacy\" } }",
            ),
            ("engine/src/patch.rs", other),
        ];
        lines(&check(&workspace(&files)))
    }

    #[test]
    fn names_in_their_own_files_are_fine() {
        assert!(check_in("/// `$retainKeys`\nconst OTHER: &str = \"$retainKeysOther\";").is_empty());
    }

    #[test]
    fn the_key_of_a_directive_elsewhere_is_a_violation() {
        let expected = ["1: the name of the directive `$order` is written here"];
        assert_eq!(check_in("const A: &str = \"$order/ports\";"), expected);
        let expected = ["2: the name of the directive `$retainKeys` is written here"];
        assert_eq!(check_in("fn f() {\n    g!(\"a $retainKeys b\");\n}"), expected);
    }

    #[test]
    fn the_name_of_a_policy_elsewhere_is_a_violation() {
        let files = [
            ("engine/src/lib.rs", "mod union;"),
            ("engine/src/union/mod.rs", "mod policy;\nconst P: &str = \"legacy\";"),
            ("engine/src/union/policy/mod.rs", "mod legacy;"),
            (
                "engine/src/union/policy/legacy.rs",
                "impl super::Policy for Legacy { fn name(&self) -> &'static str { \"legacy\" } }",
            ),
        ];
        assert_eq!(lines(&check(&workspace(&files))), ["2: the name of the policy `legacy` is written here"]);
    }

    #[test]
    fn the_scheme_of_a_target_elsewhere_is_a_violation() {
        let with = |cli: &str| {
            let files = [
                ("runner/src/lib.rs", "mod cli;"),
                ("runner/targets/src/lib.rs", "mod exec; mod spec;"),
                ("runner/targets/src/exec/mod.rs", "const NAME: &str = \"exec:cat\";"),
                ("runner/targets/src/spec.rs", "const NAME: &str = \"exec:\";"),
                ("runner/src/cli.rs", cli),
            ];
            lines(&check(&workspace(&files)))
        };
        assert!(with("const HELP: &str = \"no-exec: execute\";").is_empty());
        assert_eq!(with("const HELP: &str = \"exec:COMMAND\";").len(), 1);
    }
}
