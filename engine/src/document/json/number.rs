//! The syntax of JSON numbers.

/// Returns true for an integer and false for any other JSON number. Returns `None` if the text is not a JSON number.
pub(super) fn is_json_integer(text: &[u8]) -> Option<bool> {
    let skip_digits = |text: &mut &[u8]| {
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        *text = &text[digits..];
        (digits > 0).then_some(())
    };
    let mut rest = text.strip_prefix(b"-").unwrap_or(text);
    match rest {
        [b'0', after @ ..] => rest = after,
        _ => skip_digits(&mut rest)?,
    }
    let is_integer = rest.is_empty();
    if let [b'.', after @ ..] = rest {
        rest = after;
        skip_digits(&mut rest)?;
    }
    if let [b'e' | b'E', after @ ..] = rest {
        rest = after.strip_prefix(b"+").or_else(|| after.strip_prefix(b"-")).unwrap_or(after);
        skip_digits(&mut rest)?;
    }
    rest.is_empty().then_some(is_integer)
}

/// Shortens a long number to its first digits, for messages.
pub(super) fn shorten_number(number: &str) -> String {
    const MAX_LENGTH: usize = 40;
    match number.get(..MAX_LENGTH) {
        Some(beginning) if number.len() > MAX_LENGTH => format!("{beginning}…"),
        _ => number.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_more_than_forty_characters_is_shortened() {
        let (forty, more) = ("1".repeat(40), "1".repeat(41));
        assert_eq!(shorten_number("1e999"), "1e999");
        assert_eq!(shorten_number(&forty), forty);
        assert_eq!(shorten_number(&more), format!("{forty}…"));
    }
}
