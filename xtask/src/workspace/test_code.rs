//! Removal of the items that only tests compile.

use std::ops::RangeInclusive;

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, ImplItem, Item, Meta, Token};

/// Removes the items that only tests compile, and returns their lines.
pub(super) fn remove(file: &mut syn::File) -> Vec<RangeInclusive<usize>> {
    let mut lines = Vec::new();
    remove_items(&mut file.items, &mut lines);
    lines
}

fn remove_items(items: &mut Vec<Item>, lines: &mut Vec<RangeInclusive<usize>>) {
    items.retain(|item| keep(is_test(attributes(item)), item, lines));
    for item in items {
        match item {
            Item::Mod(module) => {
                if let Some((_, items)) = &mut module.content {
                    remove_items(items, lines);
                }
            }
            Item::Impl(block) => block.items.retain(|item| match item {
                ImplItem::Fn(function) => keep(is_test(&function.attrs), item, lines),
                ImplItem::Const(constant) => keep(is_test(&constant.attrs), item, lines),
                _ => true,
            }),
            _ => {}
        }
    }
}

fn keep(is_test: bool, item: &impl Spanned, lines: &mut Vec<RangeInclusive<usize>>) -> bool {
    if is_test {
        let span = item.span();
        lines.push(span.start().line..=span.end().line);
    }
    !is_test
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.parse_args::<Meta>().is_ok_and(|condition| needs_test(&condition))
    })
}

/// Returns true if the condition of a `cfg` holds only for tests.
fn needs_test(condition: &Meta) -> bool {
    let parts = |list: &syn::MetaList| {
        let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
        parts.map(|parts| parts.into_iter().collect::<Vec<_>>()).unwrap_or_default()
    };
    match condition {
        Meta::Path(path) => path.is_ident("test") || path.is_ident("doctest"),
        Meta::List(list) if list.path.is_ident("all") => parts(list).iter().any(needs_test),
        Meta::List(list) if list.path.is_ident("any") => parts(list).iter().all(needs_test),
        _ => false,
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_no_other_build_has_is_removed() {
        let text = "#[cfg(test)] fn a() {}
            #[cfg(all(test, feature = \"go\"))] mod b {}
            #[cfg(any(test, feature = \"go\"))] fn c() {}
            #[cfg(not(test))] fn d() {}
            impl E { #[cfg(test)] fn e() {} fn f() {} }
            mod g { #[test] fn h() {} }";
        let mut file = syn::parse_file(text).unwrap();
        assert_eq!(remove(&mut file), [1..=1, 2..=2, 5..=5, 6..=6]);
        assert_eq!(file.items.len(), 4);
    }
}
