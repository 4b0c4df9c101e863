use skewer_cases::{Corpus, CorpusFile};

/// Makes a file of a corpus; messages call it `display_name`.
pub(crate) fn corpus_file(path: &str, display_name: &str, text: &str) -> CorpusFile {
    CorpusFile { path: path.to_owned(), display_name: display_name.to_owned(), content: text.into() }
}

/// Loads a corpus of one file; the error is the text of all messages.
pub(crate) fn load(path: &str, display_name: &str, text: &str) -> Result<Corpus, String> {
    Corpus::load(vec![corpus_file(path, display_name, text)]).map_err(|error| error.to_string())
}
