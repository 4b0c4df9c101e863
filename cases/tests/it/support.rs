use skewer_cases::{Corpus, CorpusFile};

/// Creates a file of a corpus. `display_name` is its name in messages.
pub(crate) fn corpus_file(path: &str, display_name: &str, text: &str) -> CorpusFile {
    CorpusFile {
        path: path.to_owned(),
        display_name: display_name.to_owned(),
        content: text.into(),
        folder: None,
    }
}

/// Loads a corpus of one file. The error is the text of all messages.
pub(crate) fn load(path: &str, display_name: &str, text: &str) -> Result<Corpus, String> {
    Corpus::load(vec![corpus_file(path, display_name, text)]).map_err(|error| error.to_string())
}
