//! The string literals of a file, also those inside macros. Documentation has none.

use std::ops::RangeInclusive;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::Lit;

/// A string literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    pub(crate) text: String,
    pub(crate) line: usize,
}

/// Returns the string literals of a Rust text, without those on the given lines.
pub(super) fn of(text: TokenStream, without: &[RangeInclusive<usize>]) -> Vec<Literal> {
    let mut literals = Vec::new();
    collect(text, &mut literals);
    literals.retain(|literal| !without.iter().any(|lines| lines.contains(&literal.line)));
    literals
}

fn collect(tokens: TokenStream, literals: &mut Vec<Literal>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let is_attribute = group.delimiter() == Delimiter::Bracket;
                if !(is_attribute && is_documentation(&group.stream())) {
                    collect(group.stream(), literals);
                }
            }
            TokenTree::Literal(literal) => {
                let line = literal.span().start().line;
                if let Lit::Str(text) = Lit::new(literal) {
                    literals.push(Literal { text: text.value(), line });
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

fn is_documentation(attribute: &TokenStream) -> bool {
    matches!(attribute.clone().into_iter().next(), Some(TokenTree::Ident(name)) if name == "doc")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_in_macros_are_found_and_documentation_is_not() {
        let text = "/// \"a\"\nfn f() {\n    println!(\"b {}\", \"c\");\n}\nconst D: &str = r\"d\";";
        let literals = of(text.parse().unwrap(), &[5..=5]);
        let texts: Vec<&str> = literals.iter().map(|literal| literal.text.as_str()).collect();
        assert_eq!(texts, ["b {}", "c"]);
        assert_eq!(literals[0].line, 3);
    }
}
