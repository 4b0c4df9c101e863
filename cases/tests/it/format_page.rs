//! The page of the guide about the case format. Its tables follow from the JSON Schema, and its examples are suites that load.
//!
//! A comment `<!-- keys: DEFINITION KEY… -->` is followed by a table of these keys, or of all keys of the definition,
//! `<!-- words: DEFINITION… -->` by a table of the words of these definitions, and `<!-- policies -->` and
//! `<!-- releases -->` by tables of the union policies and of the embedded releases. `SKEWER_UPDATE=1` writes the tables.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

use serde_json::{Map, Value};
use skewer_cases::format::part_name;
use skewer_cases::{Corpus, CorpusFile, format};
use skewer_engine::schema::builtin;
use skewer_engine::union::policy;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../guide/src/reference/case-format.md");

/// The definition of a suite is the JSON Schema itself.
const SUITE: &str = "SuiteFile";

fn definition<'s>(schema: &'s Value, name: &str) -> &'s Value {
    let definition = if name == SUITE { schema } else { &schema["$defs"][name] };
    assert!(definition.is_object(), "the JSON Schema has no definition {name}");
    definition
}

fn properties(definition: &Value) -> &Map<String, Value> {
    definition["properties"].as_object().expect("a definition with keys")
}

/// Returns the form of a value in a file.
fn form(schema: &Value, value: &Value) -> String {
    if let Some(reference) = value["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap();
        let target = definition(schema, name);
        let has_keys = target["properties"].is_object() || name == "Axes";
        return if has_keys {
            format!("[{}](#{})", part_name(name), part_name(name))
        } else {
            "[a word](#words)".to_owned()
        };
    }
    let alternatives = value["anyOf"].as_array().or(value["oneOf"].as_array());
    if let Some(alternatives) = alternatives {
        let forms = alternatives.iter().filter(|alternative| alternative["type"] != "null");
        return forms.map(|alternative| form(schema, alternative)).collect::<Vec<_>>().join(" or ");
    }
    if let Some(words) = value["enum"].as_array() {
        let words = words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`"));
        return words.collect::<Vec<_>>().join(", ");
    }
    let types = match &value["type"] {
        Value::String(name) => vec![name.as_str()],
        Value::Array(names) => {
            names.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect()
        }
        _ => Vec::new(),
    };
    match types[..] {
        ["array"] => match form(schema, &value["items"]).as_str() {
            "a document" => "a list of documents".to_owned(),
            "text" => "a list of texts".to_owned(),
            "a number" => "a list of numbers".to_owned(),
            items => format!("a list of {items}"),
        },
        ["object"] => match form(schema, &value["additionalProperties"]).as_str() {
            "a document" => "a map".to_owned(),
            values => format!("a map of {values}"),
        },
        ["string"] => "text".to_owned(),
        ["boolean"] => "`true` or `false`".to_owned(),
        ["integer"] => "a number".to_owned(),
        [] => "a document".to_owned(),
        _ => types.join(" or "),
    }
}

/// Returns the text of a description for a cell of a table.
fn prose(value: &Value) -> String {
    value["description"].as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|")
}

fn table_of_keys(schema: &Value, name: &str, keys: &[&str]) -> String {
    let definition = definition(schema, name);
    let required =
        |key: &str| definition["required"].as_array().is_some_and(|keys| keys.contains(&key.into()));
    let mut table = "| key | value | |\n|---|---|---|\n".to_owned();
    for key in keys {
        let value = properties(definition).get(*key).unwrap_or_else(|| panic!("{name} has no key {key}"));
        let form = form(schema, value);
        let required = if required(key) { ", required" } else { "" };
        let _ = writeln!(table, "| `{key}` | {form}{required} | {} |", prose(value));
    }
    table
}

fn table_of_words(schema: &Value, name: &str) -> String {
    let mut table = format!("| {} | |\n|---|---|\n", part_name(name));
    for word in definition(schema, name)["oneOf"].as_array().expect("words") {
        let _ = writeln!(table, "| `{}` | {} |", word["const"].as_str().unwrap(), prose(word));
    }
    table
}

fn table_of_policies() -> String {
    let mut table = "| policy | |\n|---|---|\n".to_owned();
    for policy in policy::REGISTRY {
        let _ = writeln!(table, "| `{}` | {} |", policy.name(), policy.about());
    }
    table
}

fn table_of_releases() -> String {
    let names: Vec<String> =
        builtin::releases().iter().map(|release| format!("`{}`", release.name())).collect();
    format!("| releases |\n|---|\n| {} |\n", names.join(", "))
}

/// Returns the page with current tables, and the keys that they have: `CaseFile id`.
fn with_current_tables(page: &str, schema: &Value) -> (String, BTreeSet<String>) {
    let (mut written, mut shown) = (String::new(), BTreeSet::new());
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        let _ = writeln!(written, "{line}");
        let Some(comment) = line.strip_prefix("<!-- ").and_then(|line| line.strip_suffix(" -->")) else {
            continue;
        };
        let tables: Vec<String> = if let Some(names) = comment.strip_prefix("words: ") {
            names.split(' ').map(|name| table_of_words(schema, name)).collect()
        } else if comment == "policies" {
            vec![table_of_policies()]
        } else if comment == "releases" {
            vec![table_of_releases()]
        } else if let Some(names) = comment.strip_prefix("keys: ") {
            let mut names = names.split(' ');
            let name = names.next().unwrap();
            let mut keys: Vec<&str> = names.collect();
            if keys.is_empty() {
                keys = properties(definition(schema, name)).keys().map(String::as_str).collect();
            }
            shown.extend(keys.iter().map(|key| format!("{name} {key}")));
            vec![table_of_keys(schema, name, &keys)]
        } else {
            continue;
        };
        let _ = write!(written, "\n{}", tables.join("\n"));
        // The old tables are the lines up to the next that is neither empty nor part of a table.
        while lines.next_if(|line| line.is_empty() || line.starts_with('|')).is_some() {}
        if lines.peek().is_some() {
            written.push('\n');
        }
    }
    (written, shown)
}

#[test]
fn the_tables_are_those_of_the_json_schema() {
    let schema = serde_json::to_value(format::json_schema()).unwrap();
    let page = fs::read_to_string(PAGE).unwrap();
    let (current, shown) = with_current_tables(&page, &schema);
    if std::env::var_os("SKEWER_UPDATE").is_some() {
        fs::write(PAGE, &current).unwrap();
    } else {
        assert!(page == current, "{PAGE} is stale: run SKEWER_UPDATE=1 cargo test -p skewer-cases");
    }
    // Every key is on the page. An axis value and an overlay have the keys of a case.
    let definitions = schema["$defs"].as_object().unwrap().keys().map(String::as_str).chain([SUITE]);
    let with_keys = definitions.filter(|name| definition(&schema, name)["properties"].is_object());
    for name in with_keys.filter(|name| !["Axes", "SettingFile", "OverlayFile"].contains(name)) {
        for key in properties(definition(&schema, name)).keys() {
            assert!(shown.contains(&format!("{name} {key}")), "the page lacks the key `{key}` of {name}");
        }
    }
}

#[test]
fn the_examples_are_suites_without_errors() {
    let page = fs::read_to_string(PAGE).unwrap();
    let blocks: Vec<&str> =
        page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    // A block that is no suite is a part of one.
    let suites: Vec<&str> = blocks.into_iter().filter(|block| block.contains("\nsuite: ")).collect();
    assert!(suites.len() >= 5, "{}", suites.len());
    for block in suites {
        let name = block.lines().find_map(|line| line.strip_prefix("suite: ")).expect("a suite");
        let file = CorpusFile {
            path: format!("{name}.yaml"),
            display_name: format!("{name}.yaml"),
            content: block.as_bytes().to_vec(),
            folder: None,
        };
        let corpus = Corpus::load(vec![file]).unwrap_or_else(|error| panic!("{error}"));
        assert!(corpus.cells().count() > 0, "{name}");
    }
}
