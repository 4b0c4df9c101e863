//! The types that macros define.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::ItemMacro;

/// Returns the names of the types in a macro at the level of items: `enum Name`, and `Name {…}` or
/// `Name declared as Declaration {…}` in the arguments of an invocation.
pub(crate) fn defined_types(item: &ItemMacro) -> Vec<Ident> {
    let mut types = Vec::new();
    collect(item.mac.tokens.clone(), item.ident.is_none(), &mut types);
    types
}

fn collect(tokens: TokenStream, is_invocation: bool, types: &mut Vec<Ident>) {
    // The identifiers since the last other token.
    let mut idents: Vec<Ident> = Vec::new();
    let mut is_declared = false;
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => {
                if is_declared {
                    types.push(ident.clone());
                }
                is_declared = ["enum", "struct", "trait"].iter().any(|keyword| ident == keyword);
                idents.push(ident);
                continue;
            }
            TokenTree::Group(group) => {
                let is_body = is_invocation && group.delimiter() == Delimiter::Brace;
                // `Name declared as Declaration { … }`
                let is_described = idents.iter().rev().nth(1).is_some_and(|ident| ident == "as");
                let name = if is_described { idents.first() } else { idents.last() };
                let name = name.filter(|name| is_body && name.to_string().starts_with(char::is_uppercase));
                types.extend(name.filter(|name| !types.contains(name)).cloned());
                collect(group.stream(), false, types);
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
        idents.clear();
        is_declared = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(text: &str) -> Vec<String> {
        let item: ItemMacro = syn::parse_str(text).unwrap();
        defined_types(&item).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn types_in_invocations_and_definitions_are_found() {
        assert_eq!(types("words! { \"status\" Status { Passed = \"passed\" } }"), ["Status"]);
        assert_eq!(types("declared_enum! { Role declared as RoleDeclaration { Live = X } }"), ["Role"]);
        assert_eq!(types("declared! { pub enum Kind { A { b: u8 } } }"), ["Kind"]);
        assert_eq!(
            types("macro_rules! kinds { ($a:ident) => { pub enum ErrorKind { $a } enum $a { X { y } } } }"),
            ["ErrorKind"]
        );
        assert!(types("registry! { patch::Patch, }").is_empty());
    }
}
