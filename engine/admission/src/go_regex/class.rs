//! Sets of characters: classes in brackets, and the sets that have a name.
//!
//! Go 1.26 has Unicode 15, and the crate `regex` a later version. Beside characters that are new there, three pairs of letters
//! (such as U+0390 and U+1FD3) are equal without case only in the crate, U+019B and U+0264 have a capital letter, and U+1171E is
//! in another category. In Go alone, `(?i)\p{LC}` does not have U+0345.

use super::not_compiled::{INVALID_RANGE, MISSING_BRACKET, NotCompiled, Parsed};
use super::parser::{Parser, escaped};

/// The names of categories as `canonical_name` returns them. Upstream: `unicode.Categories`, `unicode.CategoryAliases`.
const CATEGORIES: &str = "\
    C Cc Cf Cn Co Cs L Lc Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs Casedletter \
    Closepunctuation Cntrl Combiningmark Connectorpunctuation Control Currencysymbol Dashpunctuation Decimalnumber Digit \
    Enclosingmark Finalpunctuation Format Initialpunctuation Letter Letternumber Lineseparator Lowercaseletter Mark Mathsymbol \
    Modifierletter Modifiersymbol Nonspacingmark Number Openpunctuation Other Otherletter Othernumber Otherpunctuation \
    Othersymbol Paragraphseparator Privateuse Punct Punctuation Separator Spaceseparator Spacingmark Surrogate Symbol \
    Titlecaseletter Unassigned Uppercaseletter";

/// The names of scripts in Go 1.26, with Unicode 15. Those of two words are missing: Go looks for them without `_`, and does not
/// find them. Upstream: `unicode.Scripts`.
const SCRIPTS: &str = "\
    Adlam Ahom Arabic Armenian Avestan Balinese Bamum Batak Bengali Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid \
    Carian Chakma Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot Cyrillic Deseret Devanagari Dogra Duployan \
    Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gurmukhi Han Hangul Hanunoo Hatran Hebrew \
    Hiragana Inherited Javanese Kaithi Kannada Katakana Kawi Kharoshthi Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Lisu \
    Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen Medefaidrin Miao Modi Mongolian Mro Multani \
    Myanmar Nabataean Nandinagari Newa Nko Nushu Ogham Oriya Osage Osmanya Palmyrene Phoenician Rejang Runic Samaritan \
    Saurashtra Sharada Shavian Siddham Sinhala Sogdian Soyombo Sundanese Syriac Tagalog Tagbanwa Takri Tamil Tangsa Tangut \
    Telugu Thaana Thai Tibetan Tifinagh Tirhuta Toto Ugaritic Vai Vithkuqi Wancho Yezidi Yi";

/// The names of classes such as `[:alpha:]`. Upstream: `posixGroup`.
const POSIX_CLASSES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

impl Parser<'_> {
    /// Reads a class in brackets. Upstream: `parseClass`.
    pub(super) fn read_class(&mut self) -> Parsed<()> {
        let whole = self.rest;
        self.take();
        let mut class = "[".to_owned();
        if self.rest.starts_with('^') {
            self.take();
            class.push('^');
        }
        let mut is_first = true;
        while is_first || !self.rest.starts_with(']') {
            is_first = false;
            let set = match self.read_posix_class()? {
                Some(set) => Some(set),
                None => self.read_named_set()?,
            };
            match set {
                Some(set) => class.push_str(&set),
                None => class.push_str(&self.read_range(whole)?),
            }
        }
        self.take();
        class.push(']');
        self.push_folded(&class)
    }

    /// Reads a character or a range of a class.
    fn read_range(&mut self, class: &str) -> Parsed<String> {
        let at = self.rest;
        let first = self.read_class_character(class)?;
        let Some(rest) =
            self.rest.strip_prefix('-').filter(|rest| !rest.is_empty() && !rest.starts_with(']'))
        else {
            return Ok(escaped(first));
        };
        self.rest = rest;
        let last = self.read_class_character(class)?;
        if last < first {
            return Err(self.error(INVALID_RANGE, at));
        }
        Ok(format!("{}-{}", escaped(first), escaped(last)))
    }

    fn read_class_character(&mut self, class: &str) -> Parsed<char> {
        if self.rest.starts_with('\\') {
            return self.read_escape();
        }
        self.take().ok_or_else(|| NotCompiled::invalid(MISSING_BRACKET, class))
    }

    /// Reads a class such as `[:alpha:]` inside of another one. Upstream: `parseNamedClass`.
    fn read_posix_class(&mut self) -> Parsed<Option<String>> {
        let Some((name, rest)) = self.rest.strip_prefix("[:").and_then(|text| text.split_once(":]")) else {
            return Ok(None);
        };
        let at = self.rest;
        self.rest = rest;
        if !POSIX_CLASSES.contains(&name.strip_prefix('^').unwrap_or(name)) {
            return Err(self.error(INVALID_RANGE, at));
        }
        Ok(Some(format!("[:{name}:]")))
    }

    /// Reads the escape of a set of characters, such as `\d` or `\pL`, if there is one. Upstream: `parsePerlClassEscape`,
    /// `parseUnicodeClass`.
    pub(super) fn read_named_set(&mut self) -> Parsed<Option<String>> {
        let set = match self.rest.as_bytes() {
            [b'\\', b'p' | b'P', ..] => return self.read_property().map(Some),
            [b'\\', b'd', ..] => "[0-9]",
            [b'\\', b'D', ..] => "[^0-9]",
            [b'\\', b's', ..] => r"[\t\n\f\r ]",
            [b'\\', b'S', ..] => r"[^\t\n\f\r ]",
            [b'\\', b'w', ..] => "[0-9A-Za-z_]",
            [b'\\', b'W', ..] => "[^0-9A-Za-z_]",
            _ => return Ok(None),
        };
        self.rest = &self.rest[2..];
        Ok(Some(set.to_owned()))
    }

    fn read_property(&mut self) -> Parsed<String> {
        let at = self.rest;
        let is_negated = at.starts_with(r"\P");
        self.rest = &at[2..];
        let name = match self.take() {
            Some('{') => {
                let (name, rest) =
                    self.rest.split_once('}').ok_or_else(|| NotCompiled::invalid(INVALID_RANGE, at))?;
                self.rest = rest;
                name
            }
            _ => &at[2..at.len() - self.rest.len()],
        };
        let (name, is_negated) =
            name.strip_prefix('^').map_or((name, is_negated), |name| (name, !is_negated));
        let property = property(name).ok_or_else(|| self.error(INVALID_RANGE, at))?;
        Ok(match property.as_str() {
            // No text has such a character, and the crate does not know the category.
            "gc=Cs" | "gc=Surrogate" => if is_negated { r"\p{Any}" } else { r"\P{Any}" }.to_owned(),
            _ => format!(r"\{}{{{property}}}", if is_negated { 'P' } else { 'p' }),
        })
    }
}

/// Returns the property of the crate `regex` for a name. Upstream: `unicodeTable`.
fn property(name: &str) -> Option<String> {
    let name = canonical_name(name);
    let is_in = |names: &str| names.split_ascii_whitespace().any(|known| known == name);
    if is_in("Any Assigned Ascii") {
        Some(name)
    } else if is_in(CATEGORIES) {
        Some(format!("gc={name}"))
    } else {
        is_in(SCRIPTS).then(|| format!("sc={name}"))
    }
}

/// Returns a name with one capital letter at its beginning, without the characters between words. Upstream: `canonicalName`.
fn canonical_name(name: &str) -> String {
    let mut letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters.map(|c| c.to_ascii_lowercase())).collect()
}
