//! Documents in one line of YAML.

use skewer_engine::{Doc, OwnedDoc};

use super::read_value;

/// A document in one line of YAML that reads back as the same value: with as few quotes as that takes, or as JSON.
#[must_use]
pub fn flow(value: &OwnedDoc) -> String {
    let text = written(value);
    match read_value("", text.as_bytes()) {
        Ok(read) if read == *value => text,
        _ => value.to_string(),
    }
}

fn written(value: &OwnedDoc) -> String {
    match value {
        Doc::Map(map) => {
            let entries: Vec<String> =
                map.iter().map(|(key, value)| format!("{}: {}", word(key), written(value))).collect();
            format!("{{{}}}", entries.join(", "))
        }
        Doc::List(items) => format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(", ")),
        Doc::String(text) => word(text),
        other => other.to_string(),
    }
}

/// A text without quotes where it is plainly one.
#[must_use]
pub fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./$".contains(c);
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '$');
    let means_more = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word));
    if begins && text.chars().all(plain) && !means_more {
        text.to_owned()
    } else {
        Doc::from(text).to_string()
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_engine::document::from_json;

    use super::*;

    #[rstest]
    #[case(r#"{"a":[1,"x",null]}"#, "{a: [1, x, null]}")]
    #[case(r#"{"$setElementOrder/a":["b"]}"#, "{$setElementOrder/a: [b]}")]
    #[case(r#"{"true":"no","1":"1","e":""}"#, r#"{"1": "1", e: "", "true": "no"}"#)]
    #[case(r##"["a: b","#c","1.0"]"##, r##"["a: b", "#c", "1.0"]"##)]
    fn documents_are_written_with_few_quotes(#[case] json: &str, #[case] expected: &str) {
        let value = from_json(json.as_bytes()).unwrap();
        assert_eq!(flow(&value), expected);
    }
}
