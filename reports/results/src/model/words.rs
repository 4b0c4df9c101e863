//! Values that version 1 of the results model has as words. `json/v1.rs` takes the words apart.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::answer::Answer;
use super::reason::Reason;

/// A value that version 1 has as words.
pub(super) trait InWords: Sized {
    /// Makes the value from the words, which are not taken apart yet.
    fn in_words(words: String) -> Self;
}

impl InWords for Vec<Answer> {
    fn in_words(words: String) -> Self {
        vec![Answer::of_words(words)]
    }
}

impl InWords for Vec<Reason> {
    fn in_words(words: String) -> Self {
        vec![Reason::Told(words.into())]
    }
}

/// Deserializes a list, or the words of version 1 in place of it.
pub(super) fn list_or_words<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
    Vec<T>: InWords,
{
    struct ListOrWords<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for ListOrWords<T>
    where
        Vec<T>: InWords,
    {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Vec<T>, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(list))
        }

        fn visit_str<E>(self, words: &str) -> Result<Vec<T>, E> {
            Ok(Vec::in_words(words.to_owned()))
        }
    }

    deserializer.deserialize_any(ListOrWords(PhantomData))
}

/// Deserializes an answer, or the words of version 1 in place of it.
pub(super) fn answer_or_words<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Answer>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum AnswerOrWords {
        Words(String),
        Answer(Box<Answer>),
    }

    Ok(Option::deserialize(deserializer)?.map(|read| match read {
        AnswerOrWords::Words(words) => Answer::of_words(words),
        AnswerOrWords::Answer(answer) => *answer,
    }))
}
