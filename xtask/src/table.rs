//! The tables of `xtask/*.toml`: sections of `"key" = value`, where a value is a number or a text. This is a subset of
//! TOML.

use std::collections::BTreeMap;

/// The entries of each section.
pub(crate) type Table<V> = BTreeMap<String, BTreeMap<String, V>>;

/// Reads the file `name`.
///
/// # Errors
///
/// A line is neither empty, nor a comment, nor a section, nor an entry; or a value is not read by `value`.
pub(crate) fn read<V>(name: &str, text: &str, value: impl Fn(&str) -> Option<V>) -> Result<Table<V>, String> {
    let mut table: Table<V> = BTreeMap::new();
    let mut section = String::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.clone_into(&mut section);
            continue;
        }
        let entry = line.split_once('=').and_then(|(key, text)| {
            let key = key.trim().trim_matches('"').to_owned();
            Some((key, value(text.trim())?))
        });
        let (key, value) =
            entry.ok_or_else(|| format!("{name}:{}: expected `\"key\" = value`", index + 1))?;
        table.entry(section.clone()).or_default().insert(key, value);
    }
    Ok(table)
}

/// Reads a text in quotation marks.
pub(crate) fn quoted(text: &str) -> Option<String> {
    Some(text.strip_prefix('"')?.strip_suffix('"')?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_and_entries_are_read() {
        let text = "# comment\n[files]\n\"a/b.rs\" = 3\n\n[words]\nName = 1\n";
        let table = read("x.toml", text, |value| value.parse::<usize>().ok()).unwrap();
        assert_eq!(table["files"]["a/b.rs"], 3);
        assert_eq!(table["words"]["Name"], 1);
    }

    #[test]
    fn a_wrong_value_has_its_line() {
        let problem = read("x.toml", "[files]\na = b\n", |value| value.parse::<usize>().ok()).unwrap_err();
        assert_eq!(problem, "x.toml:2: expected `\"key\" = value`");
        assert_eq!(quoted("\"a reason\"").as_deref(), Some("a reason"));
        assert_eq!(quoted("reason"), None);
    }
}
