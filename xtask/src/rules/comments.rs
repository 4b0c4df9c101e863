//! Rule 8: the documentation of a private item says something that its declaration does not.
//!
//! That a reason stands at the line that it is about cannot be checked here.

use std::collections::BTreeSet;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Expr, Field, FnArg, ImplItemConst, ImplItemFn, ItemConst, ItemEnum, ItemFn, ItemImpl, ItemMod,
    ItemStatic, ItemStruct, ItemTrait, ItemType, Lit, Meta, Pat, Signature, Type,
};

use crate::violation::RuleViolation;
use crate::workspace::{RustFile, Visibility, Workspace, visibility};

const RULE: &str = "comments";

/// Words that say nothing by themselves.
const EMPTY_WORDS: &[&str] = &[
    "a", "all", "an", "and", "are", "as", "at", "be", "by", "for", "from", "given", "has", "if", "in",
    "into", "is", "it", "its", "of", "on", "one", "or", "return", "that", "the", "their", "them", "there",
    "this", "to", "true", "what", "whether", "which", "with",
];

pub(super) fn check(workspace: &Workspace) -> Vec<RuleViolation> {
    let mut violations = Vec::new();
    for file in &workspace.files {
        let mut comments = Comments { file, violations: Vec::new() };
        comments.visit_file(&file.syntax);
        violations.append(&mut comments.violations);
    }
    violations
}

struct Comments<'f> {
    file: &'f RustFile,
    violations: Vec<RuleViolation>,
}

impl Comments<'_> {
    /// Compares the documentation of an item with the words of its declaration.
    fn compare(&mut self, attributes: &[Attribute], name: &syn::Ident, declaration: &[String]) {
        let said = documentation(attributes);
        let known: BTreeSet<String> =
            declaration.iter().chain([&name.to_string()]).flat_map(|name| words(name)).collect();
        let is_known = |word: &String| EMPTY_WORDS.contains(&word.as_str()) || known.contains(word);
        if said.trim().is_empty() || !words(&said).iter().all(is_known) {
            return;
        }
        self.violations.push(RuleViolation {
            rule: RULE,
            path: self.file.path.clone(),
            line: attributes.first().map_or(0, |attribute| attribute.span().start().line),
            what: format!("the comment repeats the declaration of `{name}`"),
            expected: "expected something else, or nothing".to_owned(),
        });
    }
}

fn is_private(vis: &syn::Visibility) -> bool {
    visibility(vis) == Visibility::Private
}

/// Returns the text of the documentation of an item.
fn documentation(attributes: &[Attribute]) -> String {
    let mut text = String::new();
    for attribute in attributes {
        if let Meta::NameValue(value) = &attribute.meta
            && value.path.is_ident("doc")
            && let Expr::Lit(literal) = &value.value
            && let Lit::Str(line) = &literal.lit
        {
            text.push_str(&line.value());
            text.push('\n');
        }
    }
    text
}

/// Returns the words of a text, where names are split into words, in lower case and without common endings.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lowercase = false;
    for c in text.chars() {
        let starts_word = c.is_uppercase() && was_lowercase;
        if (!c.is_alphanumeric() || starts_word) && !word.is_empty() {
            words.push(stem(&word));
            word.clear();
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        was_lowercase = c.is_lowercase() || c.is_numeric();
    }
    if !word.is_empty() {
        words.push(stem(&word));
    }
    words
}

/// Returns a word without the ending of a plural, a third person or a past tense.
fn stem(word: &str) -> String {
    if EMPTY_WORDS.contains(&word) {
        return word.to_owned();
    }
    for (ending, replacement) in [("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")] {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.len() >= 3
        {
            return format!("{stem}{replacement}");
        }
    }
    word.to_owned()
}

fn names_in(parameter: &Type) -> Vec<String> {
    struct Names(Vec<String>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_ident(&mut self, ident: &'ast syn::Ident) {
            self.0.push(ident.to_string());
        }
    }
    let mut names = Names(Vec::new());
    names.visit_type(parameter);
    names.0
}

/// Returns the names in the parameters and the result of a function.
fn names_in_signature(signature: &Signature) -> Vec<String> {
    let mut names = Vec::new();
    for input in &signature.inputs {
        if let FnArg::Typed(parameter) = input {
            if let Pat::Ident(pattern) = &*parameter.pat {
                names.push(pattern.ident.to_string());
            }
            names.extend(names_in(&parameter.ty));
        }
    }
    if let syn::ReturnType::Type(_, result) = &signature.output {
        names.extend(names_in(result));
    }
    names
}

impl<'ast> Visit<'ast> for Comments<'_> {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if is_private(&item.vis) {
            self.compare(&item.attrs, &item.sig.ident, &names_in_signature(&item.sig));
        }
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        if is_private(&item.vis) {
            self.compare(&item.attrs, &item.sig.ident, &names_in_signature(&item.sig));
        }
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_impl_item_const(&mut self, item: &'ast ImplItemConst) {
        if is_private(&item.vis) {
            self.compare(&item.attrs, &item.ident, &names_in(&item.ty));
        }
    }

    fn visit_item_const(&mut self, item: &'ast ItemConst) {
        if is_private(&item.vis) {
            self.compare(&item.attrs, &item.ident, &names_in(&item.ty));
        }
    }

    fn visit_item_static(&mut self, item: &'ast ItemStatic) {
        if is_private(&item.vis) {
            self.compare(&item.attrs, &item.ident, &names_in(&item.ty));
        }
    }

    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        if is_private(&item.vis) {
            let fields = item.fields.iter().filter_map(|field| field.ident.as_ref()).map(ToString::to_string);
            self.compare(&item.attrs, &item.ident, &fields.collect::<Vec<_>>());
        }
        visit::visit_item_struct(self, item);
    }

    fn visit_field(&mut self, field: &'ast Field) {
        if let (true, Some(name)) = (is_private(&field.vis), &field.ident) {
            self.compare(&field.attrs, name, &names_in(&field.ty));
        }
    }

    fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
        if is_private(&item.vis) {
            let names: Vec<String> = item.variants.iter().map(|variant| variant.ident.to_string()).collect();
            self.compare(&item.attrs, &item.ident, &names);
            for variant in &item.variants {
                self.compare(&variant.attrs, &variant.ident, &[item.ident.to_string()]);
            }
        }
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        if is_private(&item.vis) {
            self.compare(&item.attrs, &item.ident, &[]);
        }
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast ItemType) {
        if is_private(&item.vis) {
            self.compare(&item.attrs, &item.ident, &names_in(&item.ty));
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if is_private(&item.vis) && item.content.is_some() {
            self.compare(&item.attrs, &item.ident, &[]);
        }
        visit::visit_item_mod(self, item);
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        // The functions of a trait are as visible as the trait.
        if item.trait_.is_none() {
            visit::visit_item_impl(self, item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{crate_of, lines};

    #[test]
    fn comments_that_repeat_the_declaration_are_violations() {
        let text = "\
/// Returns the field paths of a map.
fn field_paths(map: &Map) -> Vec<FieldPath> {}
/// A merged item.
struct MergedItem {
    /// The index.
    index: usize,
}
/// The maximum of lines.
const MAXIMUM_LINES: usize = 500;
impl A {
    /// Whether it is empty.
    fn is_empty(&self) -> bool {}
}
/// The kinds.
enum Kind {
    /// The first.
    First,
}
";
        let violations = lines(&check(&crate_of(text)));
        let starts: Vec<&str> = violations.iter().filter_map(|line| line.split(':').next()).collect();
        assert_eq!(starts, ["1", "3", "5", "8", "11", "14", "16"]);
    }

    #[test]
    fn comments_that_say_more_are_fine() {
        let text = "\
/// Returns the field paths of a map, sorted.
fn field_paths(map: &Map) -> Vec<FieldPath> {}
struct Item {
    /// Counted from 1.
    index: usize,
}
";
        assert!(check(&crate_of(text)).is_empty());
    }

    #[test]
    fn public_items_are_documented_in_any_case() {
        let text = "/// An item.\npub struct Item { /** The index. */ pub index: usize }\n/// The item.\npub(crate) fn item() {}";
        assert!(check(&crate_of(text)).is_empty());
    }

    #[test]
    fn endings_do_not_matter() {
        assert_eq!(words("merges MergedItems merge_item"), ["merg", "merg", "item", "merg", "item"]);
    }
}
