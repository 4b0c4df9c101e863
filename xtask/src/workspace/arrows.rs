//! Arrows: which file uses an item of which other file.

use std::collections::HashSet;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, ItemMod, ItemUse, LitStr, Macro, Meta, Path};

use super::names::{Names, Resolved, used_names};
use super::source::RustFile;

/// A use of an item of another file. Re-exports are no uses, but are followed: the arrow leads to the definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Arrow {
    /// The index of the file with the use.
    pub(crate) from: usize,
    /// The index of the file with the definition.
    pub(crate) to: usize,
    /// The line of the first use.
    pub(crate) line: usize,
}

/// Returns one arrow for each pair of files.
pub(super) fn collect(files: &[RustFile], names: &Names) -> Vec<Arrow> {
    let mut arrows = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let mut uses = Uses {
            names,
            module: names.module_of(file),
            file: index,
            seen: HashSet::new(),
            arrows: Vec::new(),
        };
        uses.visit_file(&file.syntax);
        arrows.append(&mut uses.arrows);
    }
    arrows
}

struct Uses<'n> {
    names: &'n Names,
    module: usize,
    file: usize,
    seen: HashSet<usize>,
    arrows: Vec<Arrow>,
}

impl Uses<'_> {
    fn add(&mut self, path: &[String], line: usize) {
        if let Some(Resolved::Item { file }) = self.names.resolve(self.module, path)
            && file != self.file
            && self.seen.insert(file)
        {
            self.arrows.push(Arrow { from: self.file, to: file, line });
        }
    }

    /// Adds the paths in the tokens of a macro.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let mut path = Vec::new();
        let mut line = 0;
        let mut is_member = false;
        let mut colons = 0;
        for token in tokens {
            match &token {
                TokenTree::Ident(ident) if path.is_empty() || colons == 2 => {
                    line = ident.span().start().line;
                    path.push(ident.to_string());
                    colons = 0;
                    continue;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() && colons < 2 => {
                    colons += 1;
                    continue;
                }
                _ => {}
            }
            self.finish(&mut path, line, is_member);
            colons = 0;
            is_member = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
            match token {
                TokenTree::Ident(ident) => {
                    line = ident.span().start().line;
                    path.push(ident.to_string());
                }
                TokenTree::Group(group) => self.add_tokens(group.stream()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
        self.finish(&mut path, line, is_member);
    }

    /// Adds a path of tokens, which is a field or a method if it follows a dot.
    fn finish(&mut self, path: &mut Vec<String>, line: usize, is_member: bool) {
        if !path.is_empty() && !is_member {
            self.add(path, line);
        }
        path.clear();
    }
}

impl<'ast> Visit<'ast> for Uses<'_> {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if matches!(item.vis, syn::Visibility::Inherited) {
            for used in used_names(&item.tree) {
                self.add(&used.path, used.line);
            }
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let outer = self.module;
        if let Some(inner) = self.names.inner(outer, &item.ident.to_string()) {
            self.module = inner;
            visit::visit_item_mod(self, item);
            self.module = outer;
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let line = path.segments.first().map_or(0, |segment| segment.ident.span().start().line);
        self.add(&segments, line);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        self.visit_path(&item.path);
        self.add_tokens(item.tokens.clone());
    }

    /// Most names in attributes are those of lints, or belong to derive macros. Only a path in quotes is a use, such as that
    /// of a function which serde calls.
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Meta::List(list) = &attribute.meta {
            for literal in literals(list.tokens.clone()) {
                let path = literal.parse::<Path>().ok().filter(|path| path.segments.len() > 1);
                if let Some(path) = path {
                    let segments: Vec<String> =
                        path.segments.iter().map(|segment| segment.ident.to_string()).collect();
                    self.add(&segments, literal.span().start().line);
                }
            }
        }
    }
}

/// Returns the strings in the tokens of an attribute.
fn literals(tokens: TokenStream) -> Vec<LitStr> {
    let literal = |token| match token {
        TokenTree::Literal(literal) => syn::parse2::<LitStr>(TokenTree::Literal(literal).into()).ok(),
        _ => None,
    };
    tokens.into_iter().filter_map(literal).collect()
}

#[cfg(test)]
mod tests {
    use crate::test_support::workspace;

    fn arrows(files: &[(&str, &str)]) -> Vec<String> {
        let workspace = workspace(files);
        let name = |file: usize| workspace.files[file].path.rsplit('/').next().unwrap_or_default();
        workspace.arrows.iter().map(|arrow| format!("{} -> {}", name(arrow.from), name(arrow.to))).collect()
    }

    #[test]
    fn a_function_that_an_attribute_names_is_used() {
        let files = [
            ("engine/src/lib.rs", "mod a; mod b;"),
            ("engine/src/a.rs", "use crate::b; #[x(with = \"b::f\", c = \"not a path\")] pub struct A;"),
            ("engine/src/b.rs", "pub fn f() {}"),
        ];
        assert_eq!(arrows(&files), ["a.rs -> b.rs"]);
    }

    #[test]
    fn a_use_through_a_re_export_leads_to_the_definition() {
        let files = [
            ("engine/src/lib.rs", "mod a; mod b; pub use a::Thing;"),
            ("engine/src/a.rs", "pub struct Thing;"),
            ("engine/src/b.rs", "fn f(thing: crate::Thing) {}"),
        ];
        assert_eq!(arrows(&files), ["b.rs -> a.rs"]);
    }

    #[test]
    fn paths_in_macros_and_functions_are_uses_and_members_are_not() {
        let files = [
            ("engine/src/lib.rs", "mod a; mod b; mod c;"),
            ("engine/src/a.rs", "pub const A: u8 = 1; pub fn field() {}"),
            ("engine/src/b.rs", "fn f() { assert_eq!(1, crate::a::A); }"),
            ("engine/src/c.rs", "use crate::b; fn f(x: X) { g!(x.field); h!(x.crate::a::A) }"),
        ];
        assert_eq!(arrows(&files), ["b.rs -> a.rs"]);
    }

    #[test]
    fn test_code_has_no_arrows() {
        let files = [
            ("engine/src/lib.rs", "mod a; mod b;"),
            ("engine/src/a.rs", "pub struct A;"),
            ("engine/src/b.rs", "#[cfg(test)] mod tests { use crate::a::A; }"),
        ];
        assert!(arrows(&files).is_empty());
    }
}
