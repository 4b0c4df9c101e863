//! Texts that one schema permits and another one refuses, or that there are none.
//!
//! Patterns, lengths and the values of an enum are decided exactly: as automata that read a text together, the shortest text
//! first.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use regex_automata::dfa::dense::{Builder, Config, DFA};
use regex_automata::dfa::{Automaton, StartKind};
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};
use rustc_hash::FxHashMap;
use skewer_admission::structural::ValueValidation;
use skewer_admission::{format_expression, rust_syntax};
use skewer_engine::Doc;

/// The answer to the question for a text that one schema permits and another one refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefusedText {
    /// The shortest one.
    Found(String),
    /// There is none.
    None,
    /// The automata are too large, or a pattern has no automaton.
    Undecided,
}

/// The most bytes of an automaton.
const MAX_BYTES: usize = 2 << 20;

/// The most pairs of states that are visited, each with a length.
const MAX_VISITED: usize = 400_000;

/// The most states of several automata that are visited for one text of many that a search tries.
const MAX_VISITED_OF_MANY: usize = 40_000;

/// The limits of a text: the pattern, the format, the lengths and the values of the enum.
type Limits = ([Option<String>; 2], [Option<i64>; 2], Vec<String>);

/// The limits of a text, the required patterns, and the forbidden ones.
type Conditions = (Limits, Vec<String>, Vec<String>);

thread_local! {
    /// The decisions of before: the fields of a definition have few patterns, and each is asked for often.
    static DECIDED: RefCell<HashMap<[Limits; 2], RefusedText>> = RefCell::default();
    /// The texts of before with several conditions.
    static FOUND: RefCell<HashMap<Conditions, RefusedText>> = RefCell::default();
    /// The automata of before, without lengths: expressions are slow to compile.
    static AUTOMATA: RefCell<HashMap<String, Option<Rc<Reader>>>> = RefCell::default();
}

/// Looks for the shortest text that the pattern, the lengths and the enum of a schema permit, that matches all of the required
/// patterns, and none of the forbidden ones. The patterns have the syntax of Go.
#[must_use]
pub fn text_with(permitting: &ValueValidation, required: &[String], forbidden: &[String]) -> RefusedText {
    let question = (limits_of(permitting), required.to_vec(), forbidden.to_vec());
    if let Some(known) = FOUND.with_borrow(|found| found.get(&question).cloned()) {
        return known;
    }
    let found = find_text(permitting, required, forbidden);
    FOUND.with_borrow_mut(|known| known.insert(question, found.clone()));
    found
}

fn find_text(permitting: &ValueValidation, required: &[String], forbidden: &[String]) -> RefusedText {
    let sets = |patterns: &[String]| -> Option<Vec<TextSet>> {
        patterns.iter().map(|pattern| TextSet::of_texts(pattern)).collect()
    };
    let enumerated = (!permitting.enum_values.is_empty()).then(|| TextSet::of_enum(permitting));
    let within =
        [Some(TextSet::of_pattern(permitting)), TextSet::of_format(permitting).map(Some), enumerated];
    let within = within.into_iter().flatten();
    match (within.collect::<Option<Vec<_>>>(), sets(required), sets(forbidden)) {
        (Some(mut within), Some(required), Some(outside)) => {
            within.extend(required);
            Search { within: within.iter().collect(), outside: outside.iter().collect() }
                .run(MAX_VISITED_OF_MANY)
        }
        _ => RefusedText::Undecided,
    }
}

/// Returns true if the pattern, the lengths or the enum of a schema refuse a text.
#[must_use]
pub fn refuses_constant(validation: &ValueValidation, text: &str) -> bool {
    let pattern = validation.pattern.as_deref().and_then(rust_syntax);
    let is_refused = |pattern: String| regex::Regex::new(&pattern).is_ok_and(|regex| !regex.is_match(text));
    let count = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    pattern.is_some_and(is_refused)
        || validation.min_length.is_some_and(|least| count < least)
        || validation.max_length.is_some_and(|most| count > most)
        || (!validation.enum_values.is_empty() && !texts_of_enum(validation).any(|known| known == text))
}

/// Looks for a text that the pattern, the lengths and the enum of a schema permit, and that those of another schema refuse.
/// Alternatives are ignored, and so are most formats: the text can be one that they refuse, and if there is none, they change
/// nothing.
#[must_use]
pub fn refused_text(permitting: &ValueValidation, refusing: &ValueValidation) -> RefusedText {
    let limits = [permitting, refusing].map(limits_of);
    if let Some(known) = DECIDED.with_borrow(|decided| decided.get(&limits).cloned()) {
        return known;
    }
    let decision = decide(permitting, refusing);
    DECIDED.with_borrow_mut(|decided| decided.insert(limits, decision.clone()));
    decision
}

fn limits_of(validation: &ValueValidation) -> Limits {
    let lengths = [validation.min_length, validation.max_length];
    let texts = [validation.pattern.clone(), validation.format.clone()];
    (texts, lengths, texts_of_enum(validation).map(str::to_owned).collect())
}

fn texts_of_enum(validation: &ValueValidation) -> impl Iterator<Item = &str> {
    validation.enum_values.iter().filter_map(Doc::as_str)
}

fn decide(permitting: &ValueValidation, refusing: &ValueValidation) -> RefusedText {
    let Some(permitted) = TextSet::of_pattern(permitting) else { return RefusedText::Undecided };
    let format = TextSet::of_format(permitting);
    let against = |set: Option<TextSet>| match set {
        None => RefusedText::Undecided,
        Some(other) if permitting.enum_values.is_empty() => {
            let within = std::iter::once(&permitted).chain(&format).collect();
            Search { within, outside: vec![&other] }.run(MAX_VISITED)
        }
        Some(other) => {
            let refused =
                texts_of_enum(permitting).find(|text| permitted.contains(text) && !other.contains(text));
            refused.map_or(RefusedText::None, |text| RefusedText::Found(text.to_owned()))
        }
    };
    let by_pattern = against(TextSet::of_pattern(refusing));
    if refusing.enum_values.is_empty() || matches!(by_pattern, RefusedText::Found(_)) {
        return by_pattern;
    }
    match (by_pattern, against(TextSet::of_enum(refusing))) {
        (RefusedText::Undecided, RefusedText::None) => RefusedText::Undecided,
        (_, by_enum) => by_enum,
    }
}

/// An automaton that reads texts.
struct Reader {
    automaton: DFA<Vec<u32>>,
    start: StateID,
}

/// Texts, as an automaton that reads them, and the numbers of their characters.
struct TextSet {
    reader: Rc<Reader>,
    /// The smallest number of characters.
    shortest: usize,
    /// The largest number of characters, if there is one.
    longest: Option<usize>,
}

impl Reader {
    fn of_expression(expression: &str) -> Option<Self> {
        let config = Config::new()
            .dfa_size_limit(Some(MAX_BYTES))
            .determinize_size_limit(Some(MAX_BYTES))
            .match_kind(MatchKind::All)
            .start_kind(StartKind::Anchored);
        let automaton = Builder::new().configure(config).build(expression).ok()?;
        let start = automaton.start_state(&start::Config::new().anchored(Anchored::Yes)).ok()?;
        Some(Reader { automaton, start })
    }
}

impl TextSet {
    /// Returns the texts that a pattern and lengths permit. `None` if the pattern has no automaton, or one that is too large.
    fn of_pattern(validation: &ValueValidation) -> Option<Self> {
        let length = |length: Option<i64>| length.and_then(|length| usize::try_from(length).ok());
        let set = TextSet::of_texts(validation.pattern.as_deref().unwrap_or_default())?;
        Some(TextSet {
            shortest: length(validation.min_length).unwrap_or_default(),
            longest: length(validation.max_length),
            ..set
        })
    }

    /// Returns the texts in which a pattern is found.
    fn of_texts(pattern: &str) -> Option<Self> {
        let pattern = rust_syntax(pattern)?;
        // The automaton reads whole texts, and accepts only valid UTF-8.
        TextSet::of_expression(format!(r"\A(?s:.)*(?:{pattern})(?s:.)*\z"))
    }

    /// Returns the texts of a format. `None` if the format is no regular expression.
    fn of_format(validation: &ValueValidation) -> Option<Self> {
        let expression = format_expression(validation.format.as_deref()?)?;
        TextSet::of_expression(format!(r"\A(?:{expression})\z"))
    }

    fn of_enum(validation: &ValueValidation) -> Option<Self> {
        let texts = texts_of_enum(validation).map(regex::escape);
        TextSet::of_expression(format!(r"\A(?:{})\z", texts.collect::<Vec<_>>().join("|")))
    }

    fn of_expression(expression: String) -> Option<Self> {
        let reader = AUTOMATA.with_borrow_mut(|known| {
            if let Some(reader) = known.get(&expression) {
                reader.clone()
            } else {
                let reader = Reader::of_expression(&expression).map(Rc::new);
                known.insert(expression, reader.clone());
                reader
            }
        });
        reader.map(|reader| TextSet { reader, shortest: 0, longest: None })
    }

    fn contains(&self, text: &str) -> bool {
        let read = |state, byte| self.reader.automaton.next_state(state, byte);
        let end = text.bytes().fold(self.reader.start, read);
        self.contains_text_of(end, text.chars().count())
    }

    /// Returns true if the set has the texts of a length that end in a state.
    fn contains_text_of(&self, state: StateID, length: usize) -> bool {
        let automaton = &self.reader.automaton;
        automaton.is_match_state(automaton.next_eoi_state(state))
            && length >= self.shortest
            && self.longest.is_none_or(|longest| length <= longest)
    }
}

/// The states of all automata after the beginning of a text.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Beginning {
    states: Vec<StateID>,
    /// The number of characters. All numbers above the limits are equal.
    length: usize,
}

/// The beginnings that were reached, each with the beginning before it, and the byte between them.
type Reached = FxHashMap<Beginning, Option<(Beginning, u8)>>;

/// Looks for the shortest text that all of some sets have, and none of others.
struct Search<'a> {
    within: Vec<&'a TextSet>,
    outside: Vec<&'a TextSet>,
}

impl<'a> Search<'a> {
    fn sets(&self) -> impl Iterator<Item = &'a TextSet> {
        self.within.iter().chain(&self.outside).copied()
    }

    fn run(&self, most: usize) -> RefusedText {
        let limits = self.sets().map(|set| set.longest.map_or(set.shortest, |longest| longest + 1));
        let above_limits = limits.max().unwrap_or_default();
        let longest = self.within.iter().filter_map(|set| set.longest).min();
        let alphabet = self.alphabet();
        let first = Beginning { states: self.sets().map(|set| set.reader.start).collect(), length: 0 };
        let mut reached = Reached::from_iter([(first.clone(), None)]);
        let mut next = first.clone();
        let mut waiting = VecDeque::from([first]);
        while let Some(beginning) = waiting.pop_front() {
            if self.has(&beginning) {
                return text_of(&beginning, &reached).map_or(RefusedText::Undecided, RefusedText::Found);
            }
            for byte in &alphabet {
                let is_continuation = byte >> 6 == 0b10;
                let read =
                    |(set, state): (&TextSet, &StateID)| set.reader.automaton.next_state(*state, *byte);
                next.states.clear();
                next.states.extend(self.sets().zip(&beginning.states).map(read));
                next.length = (beginning.length + usize::from(!is_continuation)).min(above_limits);
                let is_too_long = longest.is_some_and(|longest| next.length > longest);
                let is_dead =
                    |(set, state): (&&TextSet, &StateID)| set.reader.automaton.is_dead_state(*state);
                if !is_too_long
                    && !self.within.iter().zip(&next.states).any(is_dead)
                    && !reached.contains_key(&next)
                {
                    reached.insert(next.clone(), Some((beginning.clone(), *byte)));
                    waiting.push_back(next.clone());
                }
            }
            if reached.len() > most {
                return RefusedText::Undecided;
            }
        }
        RefusedText::None
    }

    /// Returns true if a text is one that is looked for.
    fn has(&self, text: &Beginning) -> bool {
        let is_in = |(at, set): (usize, &&TextSet)| set.contains_text_of(text.states[at], text.length);
        let (within, outside) = (self.within.iter().enumerate(), self.outside.iter().enumerate());
        within.into_iter().all(is_in) && !outside.map(|(at, set)| (at + self.within.len(), set)).any(is_in)
    }

    /// Returns one byte of each kind that the automata distinguish: one that can be read, if there is one.
    fn alphabet(&self) -> Vec<u8> {
        let mut kinds = HashSet::new();
        let mut alphabet = Vec::new();
        for byte in b"a1A-/:.".iter().copied().chain(b'!'..=b'~').chain(0..=u8::MAX) {
            let classes = self.sets().map(|set| set.reader.automaton.byte_classes().get(byte));
            let kind = (classes.collect::<Vec<_>>(), byte >> 6 == 0b10);
            if kinds.insert(kind) {
                alphabet.push(byte);
            }
        }
        alphabet
    }
}

/// Returns the text that leads to a state.
fn text_of(end: &Beginning, reached: &Reached) -> Option<String> {
    let mut bytes = Vec::new();
    let mut at = end;
    while let Some(Some((before, byte))) = reached.get(at) {
        bytes.push(*byte);
        at = before;
    }
    bytes.reverse();
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn of_pattern(pattern: &str) -> ValueValidation {
        let mut validation = ValueValidation::default();
        validation.pattern = (!pattern.is_empty()).then(|| pattern.to_owned());
        validation
    }

    /// Reads `pattern`, `pattern 1..5` or `[a, b]`.
    fn validation(text: &str) -> ValueValidation {
        let mut validation = ValueValidation::default();
        if let Some(values) = text.strip_prefix('[') {
            let values = values.trim_end_matches(']').split(", ");
            validation.enum_values = values.map(Doc::from).collect();
            return validation;
        }
        let (pattern, lengths) = text.split_once(' ').unwrap_or((text, ""));
        validation = of_pattern(pattern);
        if let Some((shortest, longest)) = lengths.split_once("..") {
            validation.min_length = shortest.parse().ok();
            validation.max_length = longest.parse().ok();
        }
        validation
    }

    #[rstest]
    #[case::any_to_pattern("", "^x", Some(""))]
    #[case::narrowed("^https?://.+$", "^https://.+$", Some("http://a"))]
    #[case::widened("^http(s)?://.+$", "^(http|https|socks5)://.+$", None)]
    #[case::widened_back("^(http|https|socks5)://.+$", "^http(s)?://.+$", Some("socks5://a"))]
    #[case::written_in_another_way("^[a-z]+$", "^[a-z][a-z]*$", None)]
    #[case::unanchored("a", "^a", Some("1a"))]
    #[case::line_end("^a.*$", "^a(?s:.)*$", None)]
    #[case::line_end_back("^a(?s:.)*$", "^a.*$", Some("a\n"))]
    #[case::shorter("^[a-z]+$", "^[a-z]+$ 0..3", Some("aaaa"))]
    #[case::never_as_long("^[a-z]{1,3}$", " 0..3", None)]
    #[case::never_empty("^[a-z]+$", " 1..", None)]
    #[case::empty("^[a-z]*$", " 1..", Some(""))]
    #[case::characters_are_counted_and_not_bytes("^é{2}$", " 0..2", None)]
    #[case::characters_back("^é{3}$", " 0..2", Some("ééé"))]
    #[case::long(" 0..300", " 0..253", Some("LONG"))]
    #[case::enum_of_longer_texts("[System, Other]", " 1..253", None)]
    #[case::enum_against_a_pattern("[System, other]", "^[A-Z]", Some("other"))]
    #[case::enum_value_removed("[a, b]", "[a]", Some("b"))]
    #[case::enum_added("^[ab]$", "[a]", Some("b"))]
    #[case::enum_of_all_texts("^[ab]$", "[a, b]", None)]
    #[case::ascii_digits(r"^\d$", "^[0-9]$", None)]
    fn texts_that_are_refused_are_found(
        #[case] permitting: &str,
        #[case] refusing: &str,
        #[case] expected: Option<&str>,
    ) {
        let expected = match expected {
            None => RefusedText::None,
            Some("LONG") => RefusedText::Found("a".repeat(254)),
            Some(text) => RefusedText::Found(text.to_owned()),
        };
        assert_eq!(refused_text(&validation(permitting), &validation(refusing)), expected);
    }

    #[rstest]
    #[case::too_large("", "^(a|b)*a(a|b){40}$")]
    #[case::no_expression("", "(")]
    fn what_is_too_large_is_not_decided(#[case] permitting: &str, #[case] refusing: &str) {
        assert_eq!(refused_text(&validation(permitting), &validation(refusing)), RefusedText::Undecided);
    }

    /// Patterns of real definitions, and some that are written in another way.
    const PATTERNS: [&str; 12] = [
        "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
        r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
        "^[-._a-zA-Z0-9]+$",
        "^https?://.+$",
        "^(http|https|socks5)://.+$",
        r"^((0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?))$",
        "^([0-9]{1,5}(h|m|s|ms)){1,4}$",
        r"^\[[0-9]+-[0-9]+\]$",
        "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
        "^[^/]+$",
        "[a-z]",
        "^$|^[a-z]+$",
    ];

    /// The engine for expressions agrees: with each text that was found, and with random ones where there is none.
    #[test]
    fn no_text_contradicts_a_decision() {
        let regexes = PATTERNS.map(|pattern| regex::Regex::new(&rust_syntax(pattern).unwrap()).unwrap());
        let letters: Vec<char> = "aZ09-._:/[]hms5 é\n".chars().collect();
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % below
        };
        let mut decided = [0, 0];
        for (permitting, old) in PATTERNS.iter().zip(&regexes) {
            for (refusing, new) in PATTERNS.iter().zip(&regexes) {
                match refused_text(&of_pattern(permitting), &of_pattern(refusing)) {
                    RefusedText::Found(text) => {
                        assert!(
                            old.is_match(&text) && !new.is_match(&text),
                            "{permitting} {refusing} {text:?}"
                        );
                        decided[0] += 1;
                    }
                    RefusedText::None => {
                        for _ in 0..2_000 {
                            let text: String =
                                (0..random(8)).map(|_| letters[random(letters.len())]).collect();
                            assert!(
                                !old.is_match(&text) || new.is_match(&text),
                                "{permitting} {refusing} {text:?}"
                            );
                        }
                        decided[1] += 1;
                    }
                    RefusedText::Undecided => panic!("{permitting} {refusing}"),
                }
            }
        }
        assert!(decided[0] > 100 && decided[1] >= PATTERNS.len(), "{decided:?}");
    }
}
