//! The words of a result: status, outcome and level. Each word has one spelling in all reports.

/// The error for a word that is not one of the allowed words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is not a {kind} (expected {expected})")]
pub struct UnknownWord {
    /// Kind of the allowed words, such as `status` or `level`.
    pub kind: &'static str,
    /// The word that is not allowed.
    pub word: String,
    /// The allowed words as a list: `a, b or c`.
    pub expected: String,
}

impl UnknownWord {
    /// Makes the error for a word.
    #[must_use]
    pub fn new(kind: &'static str, word: &str, allowed: &[&str]) -> Self {
        let expected = match allowed {
            [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
            _ => allowed.join(", "),
        };
        UnknownWord { kind, word: word.to_owned(), expected }
    }
}

/// Defines an enum whose values are words: how each is displayed, read and listed, and what it means.
#[macro_export]
macro_rules! word_enum {
    ($(#[$meta:meta])* $kind:literal $name:ident {
        $($(#[doc = $doc:literal])+ $variant:ident = $word:literal $(as $attribute:meta)?,)+
    }) => {
        $(#[$meta])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        pub enum $name {
            $($(#[doc = $doc])+ $(#[$attribute])? #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// All words, in the order of reports.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the word.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// Returns the meaning of the word, in a sentence.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!($($doc),+).trim(),)+
                }
            }

            /// Returns the position of the word in [`Self::ALL`].
            #[must_use]
            pub const fn index(self) -> usize {
                self as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::vocabulary::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|known| known.as_str() == word).ok_or_else(|| {
                    let allowed: Vec<&str> = Self::ALL.iter().map(|known| known.as_str()).collect();
                    $crate::vocabulary::UnknownWord::new($kind, word, &allowed)
                })
            }
        }
    };
}

word_enum! {
    /// The status of a cell, which the runner decides.
    "status" Status {
        /// The result is the expected one.
        Pass = "pass",
        /// The result differs from the expected one.
        Fail = "fail",
        /// The result differs from the expected one, and the deviation file of the target explains why.
        Deviation = "deviation",
        /// The result is the expected one, although the deviation file says that it differs.
        UnexpectedPass = "unexpected-pass",
        /// The target does not support the cell.
        Unsupported = "unsupported",
        /// The user left the cell out.
        Skipped = "skipped",
        /// The outcome needed no answer from the target, so that the cell says nothing about the target.
        NotAsked = "not-asked",
        /// The target was given up before the cell was run.
        NotRun = "not-run",
        /// The case or Skewer is wrong, so that the cell says nothing about the target.
        Error = "error",
        /// The target crashed while it ran the cell, or the built-in engine panicked.
        Crash = "crash",
        /// The target did not answer in time.
        Timeout = "timeout",
    }
}

word_enum! {
    /// The outcome of a cell: the judged final state (skew cases), or the comparison of the result with the expected
    /// one (patch cases).
    "outcome" Outcome {
        /// The stored object is the ideal.
        Intended = "intended",
        /// The ideal is a refusal, and the request is refused with an error of the same kind at the same field path.
        Rejected = "rejected",
        /// The stored object is the same as with the old client and the old server.
        AsBefore = "as-before",
        /// The request is refused, although the ideal is a stored object or a refusal for another reason.
        Refused = "refused",
        /// The request is accepted, but nothing changed although a change was intended.
        Ignored = "ignored",
        /// The request is accepted, but something remains that should be gone.
        Leftover = "leftover",
        /// The request is accepted, but something is missing.
        Lost = "lost",
        /// The request is accepted, but the stored object differs from the ideal in another way.
        Diverged = "diverged",
        /// The ideal is a refusal, but the request is accepted.
        WronglyAccepted = "wrongly-accepted",
        /// The result of a patch case is the expected one.
        Match = "match",
        /// The result of a patch case is not the expected one.
        Mismatch = "mismatch",
        /// A failed cell stored a directive of its patch as data: the result has the directive as a key, and neither the
        /// live object nor the expected result has it there.
        Leaked = "leaked",
    }
}

word_enum! {
    /// The kind of a difference between the expected and the actual document.
    "kind of difference" DifferenceKind {
        /// The actual document lacks fields.
        MissingFields = "missing-fields",
        /// The actual document has more fields.
        AdditionalFields = "additional-fields",
        /// The actual document has more fields, with the value null.
        AdditionalNulls = "additional-nulls",
        /// A list of the actual document lacks items.
        MissingItems = "missing-items",
        /// A list of the actual document has more items.
        AdditionalItems = "additional-items",
        /// A list of the actual document has the same items in another order.
        OtherOrder = "another-order",
        /// A value differs.
        OtherValues = "other-values",
    }
}

word_enum! {
    /// The kind of a problem of a run that belongs to no cell.
    "kind of problem" ProblemKind {
        /// The target failed for good, and the run went on without it.
        Target = "target",
        /// An entry of the target's deviation file is wrong: it excuses no cell, names no cell, or has no explanation.
        Deviations = "deviations",
        /// Nobody has given a reason for the final states of an expectation, which `skewer run --accept` wrote.
        Unreviewed = "unreviewed",
    }
}

word_enum! {
    /// The level of an expectation: how binding it is.
    #[derive(Default)]
    "level" Level {
        /// Every conforming implementation meets the expectation.
        Required = "required" as default,
        /// A conforming implementation should meet the expectation.
        Recommended = "recommended",
        /// A proposal makes the expectation, and no released implementation meets it.
        Proposed = "proposed",
        /// A document contradicts itself or the shipped behaviour, and the cell shows the contradiction.
        Erratum = "erratum",
    }
}

impl Status {
    /// Returns true if the cell makes a run fail.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        match self {
            Self::Fail | Self::UnexpectedPass | Self::Error | Self::Crash | Self::Timeout => true,
            Self::Pass
            | Self::Deviation
            | Self::Unsupported
            | Self::Skipped
            | Self::NotAsked
            | Self::NotRun => false,
        }
    }

    /// Returns true if the target ran the cell.
    #[must_use]
    pub const fn was_run(self) -> bool {
        !matches!(self, Self::Unsupported | Self::Skipped | Self::NotAsked | Self::NotRun)
    }
}

impl DifferenceKind {
    /// Returns the words for the kind: `missing fields`.
    #[must_use]
    pub fn words(self) -> String {
        self.as_str().replace('-', " ")
    }
}

impl Outcome {
    /// Returns true if the request is accepted although the result differs from the ideal, so that the user sees no
    /// error.
    ///
    /// `as-before` is not silent, because a compatibility promise permits it. It is not good either: reports count it
    /// separately, with the outcome that it covers.
    #[must_use]
    pub const fn is_silent(self) -> bool {
        match self {
            Self::Ignored
            | Self::Leftover
            | Self::Lost
            | Self::Diverged
            | Self::WronglyAccepted
            | Self::Leaked => true,
            Self::Intended
            | Self::Rejected
            | Self::AsBefore
            | Self::Refused
            | Self::Match
            | Self::Mismatch => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_back_and_is_its_json() {
        for status in Status::ALL {
            assert_eq!(status.as_str().parse::<Status>(), Ok(*status));
            assert_eq!(serde_json::to_string(status).unwrap(), format!("\"{status}\""));
            assert_eq!(Status::ALL[status.index()], *status);
        }
        for outcome in Outcome::ALL {
            assert_eq!(outcome.as_str().parse::<Outcome>(), Ok(*outcome));
            assert_eq!(serde_json::to_string(outcome).unwrap(), format!("\"{outcome}\""));
        }
        for level in Level::ALL {
            assert_eq!(level.as_str().parse::<Level>(), Ok(*level));
        }
    }

    #[test]
    fn the_error_of_an_unknown_word_lists_the_allowed_words() {
        let error = "mandatory".parse::<Level>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "`mandatory` is not a level (expected required, recommended, proposed or erratum)"
        );
    }
}
