//! E-mail addresses, which can have a name, and can be a group of one address. Upstream: `mail.ParseAddress`.

use std::net::IpAddr;

/// Returns whether a text is one address.
pub(super) fn is_address(text: &str) -> bool {
    let mut parser = Parser { rest: text };
    parser.addresses(true) == Some(1) && parser.skip_comments().is_some() && parser.rest.is_empty()
}

/// A parser. `None` is an error.
struct Parser<'t> {
    rest: &'t str,
}

impl<'t> Parser<'t> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    fn consume(&mut self, c: char) -> bool {
        let after = self.rest.strip_prefix(c);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// Reads an address or a group, and returns the number of addresses. Upstream: `parseAddress`.
    fn addresses(&mut self, can_be_group: bool) -> Option<usize> {
        self.skip_space();
        let start = self.rest;
        if self.address().is_some() {
            self.skip_space();
            if self.consume('(') {
                self.comment()?;
            }
            return Some(1);
        }
        self.rest = start;
        if self.rest.is_empty() {
            return None;
        }
        if !self.rest.starts_with('<') {
            self.phrase()?;
        }
        self.skip_space();
        if can_be_group && self.consume(':') {
            return self.group();
        }
        (self.consume('<') && self.address().is_some() && self.consume('>')).then_some(1)
    }

    /// Upstream: `consumeGroupList`.
    fn group(&mut self) -> Option<usize> {
        self.skip_space();
        let mut count = 0;
        if self.consume(';') {
            self.skip_comments()?;
            return Some(count);
        }
        loop {
            self.skip_space();
            count += self.addresses(false)?;
            self.skip_comments()?;
            if self.consume(';') {
                self.skip_comments()?;
                return Some(count);
            }
            if !self.consume(',') {
                return None;
            }
        }
    }

    /// Reads an address such as `a@example.com`. Upstream: `consumeAddrSpec`.
    fn address(&mut self) -> Option<()> {
        self.skip_space();
        if self.rest.starts_with('"') {
            self.quoted().filter(|text| !text.is_empty())?;
        } else {
            self.atom().filter(|atom| has_good_dots(atom))?;
        }
        if !self.consume('@') {
            return None;
        }
        self.skip_space();
        if self.consume('[') {
            let (literal, rest) = self.rest.split_once(']')?;
            self.rest = rest;
            return literal.parse::<IpAddr>().ok().map(|_| ());
        }
        self.atom().filter(|atom| has_good_dots(atom)).map(|_| ())
    }

    /// Reads at least one word. Upstream: `consumePhrase`.
    fn phrase(&mut self) -> Option<()> {
        let mut has_words = false;
        loop {
            if has_words {
                self.skip_comments()?;
            }
            self.skip_space();
            let word =
                if self.rest.starts_with('"') { self.quoted().map(|_| ()) } else { self.atom().map(|_| ()) };
            match word {
                Some(()) => has_words = true,
                None => return has_words.then_some(()),
            }
        }
    }

    /// Reads a text in quotes. Stays where it is if there is an error. Upstream: `consumeQuotedString`.
    fn quoted(&mut self) -> Option<&'t str> {
        let text = self.rest.strip_prefix('"')?;
        let mut is_escaped = false;
        for (i, c) in text.char_indices() {
            let is_visible = is_visible(c) || matches!(c, ' ' | '\t');
            match c {
                _ if is_escaped && is_visible => is_escaped = false,
                '"' if !is_escaped => {
                    self.rest = &text[i + 1..];
                    return Some(&text[..i]);
                }
                '\\' if !is_escaped => is_escaped = true,
                _ if !is_visible => return None,
                _ => {}
            }
        }
        None
    }

    /// Reads characters of a word, and dots. Upstream: `consumeAtom`.
    fn atom(&mut self) -> Option<&'t str> {
        let is_atom = |c: char| is_visible(c) && !"()<>[]:;@\\,\"".contains(c);
        let end = self.rest.find(|c| !is_atom(c)).unwrap_or(self.rest.len());
        let (atom, rest) = self.rest.split_at(end);
        self.rest = rest;
        (end > 0).then_some(atom)
    }

    /// Upstream: `skipCFWS`.
    fn skip_comments(&mut self) -> Option<()> {
        self.skip_space();
        while self.consume('(') {
            self.comment()?;
            self.skip_space();
        }
        Some(())
    }

    /// Skips a comment after its first bracket. Upstream: `consumeComment`.
    fn comment(&mut self) -> Option<()> {
        let mut depth = 1;
        let mut chars = self.rest.chars();
        while depth > 0 {
            match chars.next()? {
                '\\' => drop(chars.next()),
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
        }
        self.rest = chars.as_str();
        Some(())
    }
}

fn is_visible(c: char) -> bool {
    matches!(c, '!'..='~') || !c.is_ascii()
}

fn has_good_dots(atom: &str) -> bool {
    !atom.starts_with('.') && !atom.ends_with('.') && !atom.contains("..")
}
