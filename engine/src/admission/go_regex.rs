//! Regular expressions in the syntax of Go.

use regex::{Error, Regex};

/// Compiles a regular expression of Go. Go's classes `\d`, `\s` and `\w` have ASCII characters only, and `[` has no
/// meaning inside of a class.
pub(super) fn compile(text: &str) -> Result<Regex, Error> {
    Regex::new(&translate(text))
}

fn translate(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('d') => result.push_str("[0-9]"),
                Some('D') => result.push_str("[^0-9]"),
                Some('w') => result.push_str("[0-9A-Za-z_]"),
                Some('W') => result.push_str("[^0-9A-Za-z_]"),
                Some('s') => result.push_str(r"[\t\n\f\r ]"),
                Some('S') => result.push_str(r"[^\t\n\f\r ]"),
                Some('b') if !in_class => result.push_str(r"(?-u:\b)"),
                Some('B') if !in_class => result.push_str(r"(?-u:\B)"),
                Some(other) => result.extend(['\\', other]),
                None => result.push('\\'),
            },
            '[' if !in_class => {
                in_class = true;
                result.push('[');
                if chars.next_if_eq(&'^').is_some() {
                    result.push('^');
                }
                if chars.next_if_eq(&']').is_some() {
                    result.push_str(r"\]");
                }
            }
            '[' if chars.peek() == Some(&':') => {
                // A named class, such as `[:alpha:]`, up to its end.
                result.push('[');
                for c in chars.by_ref() {
                    result.push(c);
                    if c == ']' {
                        break;
                    }
                }
            }
            // Rust has operators of two such characters in classes.
            '[' | '&' | '~' if in_class => result.extend(['\\', c]),
            ']' if in_class => {
                in_class = false;
                result.push(']');
            }
            c => result.push(c),
        }
    }
    result
}
