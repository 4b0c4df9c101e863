//! A comparison with the library that API servers use: see `testdata.json`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::TextFormat;

#[derive(Deserialize)]
struct Data {
    formats: BTreeMap<String, Texts>,
}

#[derive(Deserialize)]
struct Texts {
    valid: Vec<String>,
    invalid: Vec<String>,
}

#[test]
fn each_text_is_judged_as_upstream_does() {
    let data: Data = serde_json::from_str(include_str!("testdata.json")).expect("valid JSON");
    assert!(data.formats.len() > 20, "{} formats", data.formats.len());
    let mut wrong = Vec::new();
    for (name, texts) in &data.formats {
        let format = TextFormat::of_strings(name, true).expect("a known format");
        let valid = texts.valid.iter().map(|text| (text, true));
        let all = valid.chain(texts.invalid.iter().map(|text| (text, false)));
        let all = all.filter(|(text, valid)| format.permits(text) != *valid);
        wrong.extend(all.map(|(text, valid)| format!("{name} {text:?} {valid}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn an_unknown_format_is_ignored() {
    assert!(TextFormat::of_strings("color", true).is_none());
}
