//! Short texts that a regular expression matches.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use regex::Regex;
use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind};
use skewer_admission::rust_syntax;

const MAX_LENGTHS: usize = 300;

thread_local! {
    /// The texts of the patterns of a definition: they are looked for once, because expressions are slow to compile.
    static TEXTS: RefCell<HashMap<String, Rc<[String]>>> = RefCell::default();
}

/// Returns texts that a pattern matches, the shortest first. There are none if the pattern is not a regular expression, or
/// matches no text that can be found by repeating its parts equally often.
pub(super) fn matching_texts(pattern: &str) -> Rc<[String]> {
    TEXTS.with_borrow_mut(|known| {
        if let Some(texts) = known.get(pattern) {
            return Rc::clone(texts);
        }
        let texts: Rc<[String]> = find_texts(pattern).into();
        known.insert(pattern.to_owned(), Rc::clone(&texts));
        texts
    })
}

fn find_texts(pattern: &str) -> Vec<String> {
    let parse = |pattern: String| regex_syntax::parse(&pattern).ok().zip(Regex::new(&pattern).ok());
    let Some((hir, regex)) = rust_syntax(pattern).and_then(parse) else { return Vec::new() };
    let mut texts: Vec<String> = Vec::new();
    for repetitions in 0..MAX_LENGTHS {
        let mut text = String::new();
        // Boundaries and anchors in the middle of a pattern are ignored while a text is built.
        if append(&hir, repetitions, &mut text).is_some()
            && texts.last() != Some(&text)
            && regex.is_match(&text)
        {
            texts.push(text);
        }
    }
    texts
}

/// Appends a text that matches an expression. A part that can be repeated without a limit is repeated this often, or as
/// often as it needs.
fn append(hir: &Hir, repetitions: usize, text: &mut String) -> Option<()> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(()),
        HirKind::Literal(literal) => {
            text.push_str(std::str::from_utf8(&literal.0).ok()?);
            Some(())
        }
        HirKind::Class(class) => {
            text.push(readable_member(class)?);
            Some(())
        }
        HirKind::Repetition(repetition) => {
            let least = usize::try_from(repetition.min).ok()?;
            let most = repetition.max.map_or(usize::MAX, |most| most as usize);
            let count = repetitions.max(least).min(most);
            let inner = if most == 1 { repetitions } else { 0 };
            (0..count).try_for_each(|_| append(&repetition.sub, inner, text))
        }
        HirKind::Capture(capture) => append(&capture.sub, repetitions, text),
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| append(part, repetitions, text)),
        HirKind::Alternation(alternatives) => {
            append(&alternatives[repetitions % alternatives.len()], repetitions, text)
        }
    }
}

/// Returns a character of a class, a letter or a digit if the class has one.
fn readable_member(class: &Class) -> Option<char> {
    let contains = |c: char| match class {
        Class::Unicode(class) => {
            class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&c))
        }
        Class::Bytes(class) => u8::try_from(c).is_ok_and(|byte| {
            class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&byte))
        }),
    };
    let first = match class {
        Class::Unicode(class) => class.ranges().first().map(ClassUnicodeRange::start),
        Class::Bytes(class) => class.ranges().first().map(|range| char::from(range.start())),
    };
    ['a', '1', 'A', '-', '/'].into_iter().find(|c| contains(*c)).or(first)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::name("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", &["a", "aaa"])]
    #[case::duration("^([0-9]+(s|m|h))+$", &["1h"])]
    #[case::bounded("^v[0-9]{1,2}$", &["v1", "v11"])]
    #[case::alternatives("^(http|https)://", &["http://"])]
    #[case::no_expression("(", &[])]
    #[case::matches_nothing("a^b", &[])]
    fn texts_match_the_pattern_and_the_shortest_comes_first(
        #[case] pattern: &str,
        #[case] expected: &[&str],
    ) {
        let texts = matching_texts(pattern);
        assert_eq!(&texts[..expected.len().max(1).min(texts.len())], expected);
    }
}
