//! Regular expressions in the syntax of Go: what Go refuses is refused with the words of Go, and the rest is translated for the
//! crate `regex`. Upstream: `regexp.Compile`, which reads with the flags `syntax.Perl`.

mod class;
mod limits;
mod not_compiled;
mod parser;

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;

use regex::{Error, Regex};

use parser::translate;

pub(super) use not_compiled::NotCompiled;

/// A compiled regular expression.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    text: String,
    regex: Regex,
}

/// Two patterns with the same text are equal.
impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Pattern {
    pub(super) fn compile(text: &str) -> Result<Pattern, NotCompiled> {
        Ok(Pattern { text: text.to_owned(), regex: compile(text)? })
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        // `is_match` of the crate gives up at a `\B` inside of a character of several bytes.
        self.regex.is_match(text) || (!text.is_ascii() && self.regex.find(text).is_some())
    }

    #[cfg(any(test, feature = "cel"))]
    /// Returns the parts of a text that match.
    pub(super) fn find_all<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a str> {
        self.regex.find_iter(text).map(|found| found.as_str())
    }
}

thread_local! {
    /// The expressions that were compiled last. The same ones come again: in rules, which are evaluated often, and in
    /// definitions that differ little.
    static COMPILED: RefCell<HashMap<String, Regex>> = RefCell::default();
}

/// The most expressions that are kept.
const MAX_COMPILED: usize = 512;

fn compile(text: &str) -> Result<Regex, NotCompiled> {
    if let Some(known) = COMPILED.with_borrow(|compiled| compiled.get(text).cloned()) {
        return Ok(known);
    }
    let regex = Regex::new(&translate(text)?).map_err(|error| match error {
        Error::CompiledTooBig(_) => NotCompiled::NotSimulated("it is too large"),
        // The limit of the crate is a quarter of Go's or less. It protects the stack.
        _ => NotCompiled::NotSimulated("it nests too deeply"),
    })?;
    COMPILED.with_borrow_mut(|compiled| {
        if compiled.len() >= MAX_COMPILED {
            compiled.clear();
        }
        compiled.insert(text.to_owned(), regex.clone());
    });
    Ok(regex)
}

/// Translates a regular expression of Go to one of the crate `regex`, without its groups' names. `None` if Go cannot read the
/// expression, or if it is not simulated.
#[must_use]
pub fn rust_syntax(pattern: &str) -> Option<String> {
    translate(pattern).ok()
}

#[cfg(test)]
mod tests;
