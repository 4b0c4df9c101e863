//! Loads a case file and plans its cells.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skewer_cases::{Corpus, CorpusFile, UserProfile};

fuzz_target!(|data: &[u8]| {
    let _ = UserProfile::read("profile.yaml", data);
    let (path, content) = ("a.yaml".to_owned(), data.to_vec());
    let file = CorpusFile { display_name: path.clone(), path, content, folder: None };
    if let Ok(corpus) = Corpus::load(vec![file]) {
        for cell in corpus.cells().take(100) {
            let _ = (cell.id(), cell.plan(), cell.plan_before());
        }
    }
});
