//! String literals of Go: `"a\n"` and `` `a` ``.

/// Returns the value of a string literal, which includes its quotes. Returns an error message if the literal is
/// invalid.
pub(super) fn unquote(literal: &str) -> Result<String, String> {
    if let Some(raw) = literal.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) {
        // Go drops carriage returns from raw strings.
        return Ok(raw.replace('\r', ""));
    }
    let Some(body) = literal.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return Err("not a string literal".to_owned());
    };
    let mut bytes = Vec::with_capacity(body.len());
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            read_escape(&mut chars, &mut bytes)?;
        } else {
            push_char(&mut bytes, c);
        }
    }
    String::from_utf8(bytes).map_err(|_| "the string is not UTF-8".to_owned())
}

fn push_char(bytes: &mut Vec<u8>, c: char) {
    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Reads an escape sequence, without its backslash. Source: the Go specification, "Rune literals".
fn read_escape(chars: &mut std::str::Chars<'_>, bytes: &mut Vec<u8>) -> Result<(), String> {
    let c = chars.next().ok_or("a backslash at the end of the string")?;
    match c {
        'a' => bytes.push(7),
        'b' => bytes.push(8),
        'f' => bytes.push(12),
        'n' => bytes.push(b'\n'),
        'r' => bytes.push(b'\r'),
        't' => bytes.push(b'\t'),
        'v' => bytes.push(11),
        '\\' | '"' => push_char(bytes, c),
        'x' => bytes.push(to_byte(read_digits(chars, 2, 16)?)?),
        'u' => push_char(bytes, to_char(read_digits(chars, 4, 16)?)?),
        'U' => push_char(bytes, to_char(read_digits(chars, 8, 16)?)?),
        '0'..='7' => {
            let first = c.to_digit(8).unwrap_or_default();
            bytes.push(to_byte(first * 64 + read_digits(chars, 2, 8)?)?);
        }
        other => return Err(format!("`\\{other}` is not an escape of Go")),
    }
    Ok(())
}

fn read_digits(chars: &mut std::str::Chars<'_>, count: usize, radix: u32) -> Result<u32, String> {
    let mut number = 0_u32;
    for _ in 0..count {
        let digit = chars.next().and_then(|c| c.to_digit(radix)).ok_or("an escape with too few digits")?;
        number = number.wrapping_mul(radix) | digit;
    }
    Ok(number)
}

fn to_byte(number: u32) -> Result<u8, String> {
    u8::try_from(number).map_err(|_| "an octal escape beyond \\377".to_owned())
}

fn to_char(number: u32) -> Result<char, String> {
    char::from_u32(number).ok_or_else(|| "an escape that is not a Unicode character".to_owned())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::unquote;

    #[rstest]
    #[case::raw(r"`a\n`", r"a\n")]
    #[case::raw_carriage_return("`a\r\nb`", "a\nb")]
    #[case::plain(r#""a b""#, "a b")]
    #[case::escapes(r#""\"\\\n\t""#, "\"\\\n\t")]
    #[case::bytes_that_make_a_character(r#""\xc3\xa9""#, "é")]
    #[case::octal(r#""\101""#, "A")]
    #[case::unicode(r#""\u00e9\U0001F600""#, "é😀")]
    fn literals_have_the_value_that_go_gives_them(#[case] literal: &str, #[case] value: &str) {
        assert_eq!(unquote(literal).unwrap(), value);
    }

    #[rstest]
    #[case::not_utf8(r#""\xff""#)]
    #[case::unknown_escape(r#""\q""#)]
    #[case::rune_escape(r#""\'""#)]
    #[case::short_escape(r#""\u12""#)]
    #[case::surrogate(r#""\ud800""#)]
    #[case::octal_out_of_range(r#""\777""#)]
    #[case::unclosed("\"a")]
    #[case::one_quote("\"")]
    #[case::one_backtick("`")]
    #[case::empty("")]
    fn other_literals_are_refused(#[case] literal: &str) {
        assert!(unquote(literal).is_err());
    }
}
