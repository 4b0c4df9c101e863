//! Bytes (`[]byte`), which are base64 text in documents. Upstream: `base64.StdEncoding`.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Decodes base64 text. Line breaks in it are ignored, and the unused bits of the last character can have any value.
/// Returns `None` for other text, for example without the padding.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut digits: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    if !digits.len().is_multiple_of(4) {
        return None;
    }
    let padding = digits.iter().rev().take(2).take_while(|byte| **byte == b'=').count();
    digits.truncate(digits.len() - padding);
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        let mut bits = 0_u32;
        for digit in group {
            bits = bits << 6 | value_of(*digit)?;
        }
        bits <<= 6 * (4 - group.len());
        let [_, decoded @ ..] = bits.to_be_bytes();
        bytes.extend_from_slice(&decoded[..group.len() - 1]);
    }
    Some(bytes)
}

/// Encodes bytes as base64 text with padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for index in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * index) & 63) as usize];
            text.push(if index <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

fn value_of(digit: u8) -> Option<u32> {
    let value = match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    /// Observed with `base64.StdEncoding.DecodeString` and `EncodeToString` of Go 1.26.
    #[rstest]
    #[case::nothing("", Some(""))]
    #[case::one_byte("YQ==", Some("YQ=="))]
    #[case::two_bytes("aGk=", Some("aGk="))]
    #[case::three_bytes("+/9z", Some("+/9z"))]
    #[case::line_breaks("aG\nk\r=\n", Some("aGk="))]
    #[case::unused_bits("aGl=", Some("aGk="))]
    #[case::no_padding("aGk", None)]
    #[case::too_much_padding("a===", None)]
    #[case::padding_alone("====", None)]
    #[case::padding_inside("YQ==YQ==", None)]
    #[case::other_alphabet("-_9z", None)]
    #[case::a_space("aG k", None)]
    fn text_is_decoded_as_go_decodes_it(#[case] text: &str, #[case] expected: Option<&str>) {
        assert_eq!(decode(text).map(|bytes| encode(&bytes)).as_deref(), expected);
    }

    proptest! {
        #[test]
        fn encoded_bytes_are_decoded_to_the_same_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..50)) {
            prop_assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
    }
}
