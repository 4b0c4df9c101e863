//! The words of a text, as they are compared with those of a quotation.

/// Number of words of a window. A quotation needs at least as many words to be checked.
pub const WINDOW: usize = 3;

/// The hash of [`WINDOW`] consecutive words.
pub type Window = u32;

/// Returns the words of a text in lower case.
///
/// A word consists of letters and digits, with a dollar sign before it or not: `$patchMergeKey` and `patchMergeKey` are
/// two words. Apostrophes are dropped, so that `don't` is one word. All other characters separate words: line breaks,
/// punctuation, quotation marks and the marks of Markdown. The address of a Markdown link is dropped.
///
/// ```
/// use skewer_cases::design_documents::words;
///
/// assert_eq!(words("**It** doesn't use [`$patch`](https://x.y)."), ["it", "doesnt", "use", "$patch"]);
/// ```
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\'' | '’' => {}
            '$' if word.is_empty() => word.push(c),
            _ if c.is_alphanumeric() => word.extend(c.to_lowercase()),
            _ => {
                finish(&mut word, &mut words);
                if c == '$' {
                    word.push(c);
                } else if c == ']' && rest.peek() == Some(&'(') {
                    rest.by_ref().find(|&c| c == ')');
                }
            }
        }
    }
    finish(&mut word, &mut words);
    words
}

fn finish(word: &mut String, words: &mut Vec<String>) {
    let word = std::mem::take(word);
    if !word.is_empty() && word != "$" {
        words.push(word);
    }
}

/// Hashes each run of [`WINDOW`] consecutive words with FNV-1a. The number of hashes is smaller than that of the words
/// by `WINDOW - 1`.
#[must_use]
pub fn windows(words: &[String]) -> Vec<Window> {
    let hash = |window: &[String]| {
        let bytes = window.iter().flat_map(|word| word.bytes().chain([b' ']));
        bytes.fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    };
    words.windows(WINDOW).map(hash).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_case_and_marks_of_markdown_do_not_matter() {
        let plain = words("The patch has a directive retainKeys");
        assert_eq!(words("the  **patch** \"has\" a\n`directive` (retainKeys)."), plain);
        assert_ne!(words("the patch has a directive $retainKeys"), plain);
    }

    #[test]
    fn a_dollar_sign_begins_a_word() {
        assert_eq!(words("a$b $ $setElementOrder/x"), ["a", "$b", "$setelementorder", "x"]);
    }

    #[test]
    fn each_word_changes_the_hashes_of_the_windows_around_it() {
        let (old, new) = (windows(&words("a b c d e f g")), windows(&words("a b c X e f g")));
        let same: Vec<bool> = old.iter().zip(&new).map(|(old, new)| old == new).collect();
        assert_eq!(same, [true, false, false, false, true]);
    }
}
