//! Rule 4: a public type has a name of its own, and GLOSSARY.md names types that exist.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{
    Fields, ImplItem, Item, ItemEnum, ItemImpl, ItemMod, ItemStruct, ItemTrait, ItemType, TraitItem, Type,
};

use super::exceptions::Exceptions;
use crate::violation::RuleViolation;
use crate::workspace::{Visibility, Workspace, defined_types, visibility};

const RULE: &str = "words";
const GLOSSARY: &str = "GLOSSARY.md";

/// A definition of a type.
struct Definition {
    path: String,
    line: usize,
}

pub(super) fn check(workspace: &Workspace) -> Vec<RuleViolation> {
    let exceptions = Exceptions::of(workspace, RULE, "homonyms");
    let homonyms = homonyms(workspace);
    let mut violations = exceptions.violations(|name| homonyms.contains_key(name));
    for (name, definitions) in homonyms.iter().filter(|(name, _)| !exceptions.has(name)) {
        violations.extend(definitions.iter().map(|Definition { path, line }| RuleViolation {
            rule: RULE,
            path: path.clone(),
            line: *line,
            what: format!("`{name}` is the name of {} types", definitions.len()),
            expected: "expected one type for one word".to_owned(),
        }));
    }
    violations.extend(check_glossary(workspace));
    violations
}

/// Returns the names of several public types.
fn homonyms(workspace: &Workspace) -> BTreeMap<String, Vec<Definition>> {
    let mut definitions: BTreeMap<String, Vec<Definition>> = BTreeMap::new();
    for file in &workspace.files {
        let mut found = Definitions::default();
        found.visit_file(&file.syntax);
        for (name, line) in found.public {
            definitions.entry(name).or_default().push(Definition { path: file.path.clone(), line });
        }
    }
    definitions.retain(|_, definitions| definitions.len() > 1);
    definitions
}

/// Returns the number of names that several types have.
pub(crate) fn count_homonyms(workspace: &Workspace) -> usize {
    homonyms(workspace).len()
}

/// Checks that the Rust names in the last column of the glossary exist.
fn check_glossary(workspace: &Workspace) -> Vec<RuleViolation> {
    let mut known = Definitions::default();
    for file in &workspace.files {
        known.visit_file(&file.syntax);
        known.names.extend(file.module.iter().cloned());
    }
    known.names.extend(workspace.roots.iter().filter_map(|root| root.library.clone()));
    let mut violations = Vec::new();
    for (index, line) in workspace.document(GLOSSARY).lines().enumerate() {
        let Some(cell) = line.strip_prefix('|').and_then(|row| row.trim_end_matches('|').rsplit('|').next())
        else {
            continue;
        };
        for name in cell.split('`').skip(1).step_by(2).filter(|name| is_path(name)) {
            let name = name.split('<').next().unwrap_or(name);
            if let Some(missing) = name.split("::").find(|part| !known.names.contains(*part)) {
                violations.push(RuleViolation {
                    rule: RULE,
                    path: GLOSSARY.to_owned(),
                    line: index + 1,
                    what: format!("there is no `{missing}` in the code (`{name}`)"),
                    expected: "expected the name of a type".to_owned(),
                });
            }
        }
    }
    violations
}

/// Returns true if a text is a type, or a path with `::`.
fn is_path(text: &str) -> bool {
    let is_name = text.chars().all(|c| c.is_alphanumeric() || "_:<>'".contains(c));
    is_name && (text.contains("::") || text.starts_with(char::is_uppercase))
}

/// Adds the identifiers in a macro: it can define a variant or a function of any of these names.
fn add_identifiers(tokens: TokenStream, names: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => _ = names.insert(ident.to_string()),
            TokenTree::Group(group) => add_identifiers(group.stream(), names),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The types, and the names of all types, variants, fields, functions and modules.
#[derive(Default)]
struct Definitions {
    public: Vec<(String, usize)>,
    names: BTreeSet<String>,
}

impl Definitions {
    fn add(&mut self, vis: &syn::Visibility, ident: &syn::Ident) {
        if visibility(vis) == Visibility::Public {
            self.public.push((ident.to_string(), ident.span().start().line));
        }
        self.names.insert(ident.to_string());
    }

    fn add_fields(&mut self, fields: &Fields) {
        self.names.extend(fields.iter().filter_map(|field| field.ident.as_ref()).map(ToString::to_string));
    }
}

impl<'ast> Visit<'ast> for Definitions {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Fn(function) => _ = self.names.insert(function.sig.ident.to_string()),
            Item::Macro(item) => {
                for name in defined_types(item) {
                    self.public.push((name.to_string(), name.span().start().line));
                    self.names.insert(name.to_string());
                }
                add_identifiers(item.mac.tokens.clone(), &mut self.names);
            }
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        self.names.insert(item.ident.to_string());
        visit::visit_item_mod(self, item);
    }

    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        self.add(&item.vis, &item.ident);
        self.add_fields(&item.fields);
    }

    fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
        self.add(&item.vis, &item.ident);
        for variant in &item.variants {
            self.names.insert(variant.ident.to_string());
            self.add_fields(&variant.fields);
        }
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        self.add(&item.vis, &item.ident);
        for item in &item.items {
            if let TraitItem::Fn(function) = item {
                self.names.insert(function.sig.ident.to_string());
            }
        }
    }

    /// An alias is a word, but no type of its own: it can have the name of the type that it stands for.
    fn visit_item_type(&mut self, item: &'ast ItemType) {
        self.names.insert(item.ident.to_string());
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if let Type::Path(_) = &*item.self_ty {
            for item in &item.items {
                match item {
                    ImplItem::Fn(function) => self.names.insert(function.sig.ident.to_string()),
                    ImplItem::Const(constant) => self.names.insert(constant.ident.to_string()),
                    _ => false,
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{crate_of, lines, workspace};

    #[test]
    fn types_with_names_of_their_own_are_fine() {
        assert!(check(&crate_of("pub struct A; pub enum B {} pub(crate) trait C {} type D = A;")).is_empty());
    }

    #[test]
    fn a_name_of_two_public_types_is_a_violation() {
        let text = "pub struct A;\nmod b {\n    pub(crate) enum A {}\n}";
        assert_eq!(
            lines(&check(&crate_of(text))),
            ["1: `A` is the name of 2 types", "3: `A` is the name of 2 types"]
        );
    }

    #[test]
    fn private_types_can_have_any_name() {
        assert!(
            check(&crate_of("pub struct A;\nmod b { struct A; pub(super) struct B; }\npub struct B;"))
                .is_empty()
        );
    }

    #[test]
    fn a_homonym_can_have_a_reason() {
        let with = |exceptions: &str| {
            let text = "pub struct A; mod b { pub struct A; }";
            lines(&check(&workspace(&[
                ("engine/src/lib.rs", text),
                (super::super::exceptions::PATH, exceptions),
            ])))
        };
        assert!(with("[homonyms]\nA = \"one for each format\"").is_empty());
        assert_eq!(with("[homonyms]\nA = \"\"").len(), 1);
        assert_eq!(with("[homonyms]\nA = \"a reason\"\nB = \"a reason\"").len(), 1);
    }

    #[test]
    fn a_type_from_a_macro_has_a_name_of_its_own() {
        assert_eq!(check(&crate_of("pub struct A; words! { A { B } }")).len(), 2);
    }

    #[test]
    fn the_glossary_names_what_exists() {
        let text = "pub mod a { pub struct A { b: u8 } impl A { fn c(&self) {} } pub enum D { E } }";
        let with = |names: &str| {
            let glossary = format!("| term | meaning | Rust |\n|---|---|---|\n| word | `Q` | {names} |\n");
            lines(&check(&workspace(&[("engine/src/lib.rs", text), (GLOSSARY, &glossary)])))
        };
        assert!(with("`A`, `a::A::c` and `D::E` in `runner/adapters/`, `A<'a>`, `live`").is_empty());
        assert_eq!(with("`A`, `a::Missing`"), ["3: there is no `Missing` in the code (`a::Missing`)"]);
    }
}
