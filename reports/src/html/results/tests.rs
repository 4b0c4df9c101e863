use std::collections::BTreeMap;

use rstest::rstest;
use serde::Deserialize;
use serde_json::{Value, json};
use skewer_results::control_characters::is_hidden;
use skewer_results::model::{Cell, Owner, Results, Step};
use skewer_results::owners;
use skewer_results::vocabulary::Status;

use super::page::{SCRIPTS, STYLE, TEMPLATE};
use super::page::{write, write_comparison};
use crate::test_support;
use crate::{EarlierRun, RunReport};

fn page(results: &Results) -> String {
    let mut bytes = Vec::new();
    write(&test_support::run_report(results), &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Returns the JSON in a page. The JSON ends at the first end tag of a script element, as in a browser.
fn data_of(page: &str) -> Value {
    let (_, after) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    let (json, _) = after.split_once("</script").unwrap();
    serde_json::from_str(json).unwrap()
}

/// Returns the cells, decoded from the columns in the same way as in the scripts of the page.
fn unpacked(data: &Value) -> Value {
    let table = Unpacker { table: &data["cells"], columns: columns(&data["cells"]) };
    let count = usize::try_from(data["cells"]["count"].as_u64().unwrap()).unwrap();
    (0..count).map(|at| table.cell(at)).collect()
}

fn columns(table: &Value) -> BTreeMap<&str, Vec<usize>> {
    let numbers = |values: &Value| -> Vec<usize> {
        values
            .as_array()
            .unwrap()
            .iter()
            .map(|value| usize::try_from(value.as_u64().unwrap()).unwrap())
            .collect()
    };
    let columns = table["columns"].as_object().unwrap().iter();
    let column = |values: &Value| match values.get("runs") {
        Some(runs) => numbers(runs).chunks(2).flat_map(|run| std::iter::repeat_n(run[0], run[1])).collect(),
        None => numbers(values),
    };
    columns.map(|(name, values)| (name.as_str(), column(values))).collect()
}

struct Unpacker<'a> {
    table: &'a Value,
    columns: BTreeMap<&'a str, Vec<usize>>,
}

impl<'a> Unpacker<'a> {
    fn number(&self, column: &str, at: usize) -> usize {
        self.columns.get(column).map_or(0, |numbers| numbers[at])
    }

    fn text(&self, column: &str, at: usize) -> Option<&'a str> {
        self.table["texts"][self.number(column, at)].as_str()
    }

    fn list(&self, column: &str, at: usize) -> Vec<&'a Value> {
        let list = self.table["lists"][self.number(column, at)].as_array().unwrap();
        list.iter()
            .map(|number| &self.table["texts"][usize::try_from(number.as_u64().unwrap()).unwrap()])
            .collect()
    }

    fn steps(&self, at: usize) -> Value {
        let index = |number: &Value| usize::try_from(number.as_u64().unwrap()).unwrap();
        let list = |number: usize| self.table["lists"][number].as_array().unwrap();
        let step = |number: &Value| {
            let texts: Vec<&Value> =
                list(index(number)).iter().map(|text| &self.table["texts"][index(text)]).collect();
            let mut step = without_nulls(json!({"name": texts[0], "note": texts[1], "document": texts[2]}));
            if let Some(owners) = texts.get(3) {
                step["owners"] = (*owners).clone();
            }
            step
        };
        list(self.number("steps", at)).iter().map(step).collect()
    }

    fn cell(&self, at: usize) -> Value {
        let text = |column: &str| self.text(column, at);
        let axes: Vec<(&str, &str)> = self
            .list("axes", at)
            .into_iter()
            .map(|name| name.as_str().unwrap())
            .map(|name| (name, text(&format!("axis.{name}")).unwrap()))
            .collect();
        let point: Vec<String> = axes.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let point = if point.is_empty() { String::new() } else { format!("[{}]", point.join(",")) };
        let usual = format!("{}/{}{point}", text("suite").unwrap(), text("case").unwrap());
        let id = text("id").map_or(usual, str::to_owned);
        let rerun: Vec<&str> = self.list("rerun", at).into_iter().filter_map(Value::as_str).collect();
        let kep: Vec<u64> =
            self.list("kep", at).into_iter().map(|row| row.as_str().unwrap().parse().unwrap()).collect();
        let object = |value: Value| Some(value).filter(|value| !value.as_object().unwrap().is_empty());
        let mut cell = json!({
            "axes": axes.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect::<serde_json::Map<_, _>>(),
            "source": object(without_nulls(json!({"document": text("document"), "section": text("section")}))),
            "deviation": object(without_nulls(json!({"reason": text("deviation"), "link": text("deviation_link")}))),
            "location": text("file").map(|file| json!({"file": file, "line": self.number("line", at)})),
            "rerun": (!rerun.is_empty()).then(|| rerun.join(&id)),
            "kep": kep, "issue": self.list("issue", at), "paths": self.list("paths", at),
            "steps": self.steps(at),
            "duration_us": Some(self.number("took", at)).filter(|took| *took > 0),
            "id": id,
        });
        for name in [
            "suite",
            "case",
            "level",
            "status",
            "outcome",
            "covers",
            "about",
            "target",
            "expected",
            "actual",
            "because",
            "message",
            "conflicts",
            "expected_document",
            "actual_document",
        ] {
            cell[name] = json!(text(name));
        }
        without_nulls(cell)
    }
}

/// Removes the fields that a results file leaves out.
fn without_nulls(mut object: Value) -> Value {
    object.as_object_mut().unwrap().retain(|_, value| !value.is_null() && *value != json!([]));
    object
}

/// Returns cells with the texts that the page has in place of values.
fn with_texts(cells: &[Cell]) -> Value {
    let texts = cells.iter().map(|cell| {
        let mut value = serde_json::to_value(cell).unwrap();
        value["expected"] = json!(cell.expected_text());
        value["actual"] = json!(cell.actual_text());
        value["message"] = json!(cell.message_text());
        for name in ["reference", "reasons"] {
            value.as_object_mut().unwrap().remove(name);
        }
        without_nulls(value)
    });
    with_owners_as_text(texts.collect())
}

/// Replaces the owners in cells by their text.
fn with_owners_as_text(mut cells: Value) -> Value {
    let replace = |owners: &mut Value| {
        *owners = json!(owners::text(&Vec::<Owner>::deserialize(&*owners).unwrap()));
    };
    for cell in cells.as_array_mut().unwrap() {
        cell.get_mut("conflicts").map(replace);
        for step in cell.get_mut("steps").and_then(Value::as_array_mut).into_iter().flatten() {
            step.get_mut("owners").map(replace);
        }
    }
    cells
}

#[test]
fn every_change_of_a_comparison_is_in_the_page() {
    let (old, new) = test_support::sample_runs();
    let comparison = test_support::compared(&old, &new);
    let mut bytes = Vec::new();
    write_comparison(&comparison, &mut bytes).unwrap();
    let data = data_of(std::str::from_utf8(&bytes).unwrap());
    let table = Unpacker { table: &data["cells"], columns: columns(&data["cells"]) };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for at in 0..new.cells.len() + comparison.gone.len() {
        *counts.entry(table.text("change", at).unwrap()).or_default() += 1;
    }
    let worse = comparison.worse.len() + 1;
    let expected = [("better", 1), ("changed", 1), ("gone", 1), ("new", 1), ("same", 6), ("worse", worse)];
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected, "one renamed cell got worse");
    let moved = (0..new.cells.len()).find(|at| table.text("was.id", *at).is_some()).unwrap();
    assert_eq!(table.text("was.id", moved), Some("errata/printed-examples/second-container"));
    assert_eq!(table.text("was.status", moved), Some("pass"));
}

#[test]
fn the_page_holds_the_results() {
    let results = test_support::sample_results();
    let data = data_of(&page(&results));
    assert_eq!(unpacked(&data), test_support::visible(with_texts(&results.cells)));
    assert_eq!(data["summaries"][0]["groups"][2]["counts"]["state"], "not run");
    let text = "no cell was run of proposals/patch-merge-key";
    assert_eq!(data["problems"], json!([{"kind": "not-run", "text": text, "fails": false}]));
    assert_eq!(data["state"], "FAILED");
}

#[test]
fn the_page_has_the_results_of_other_runs_and_the_directives() {
    let mut results = test_support::sample_results();
    let mut earlier = results.clone();
    earlier.cells.remove(0);
    earlier.cells[0].status = Status::Crash;
    results.cells[0].about = Some("With $retainKeys.".into());
    let mut bytes = Vec::new();
    let mut report = test_support::run_report(&results);
    report.page.earlier_runs.push(EarlierRun::new("monday.json".into(), &earlier));
    write(&report, &mut bytes).unwrap();
    let data = data_of(std::str::from_utf8(&bytes).unwrap());
    let table = Unpacker { table: &data["cells"], columns: columns(&data["cells"]) };
    assert_eq!([0, 1].map(|at| table.text("run.0.status", at)), [None, Some("crash")]);
    assert_eq!(table.text("run.0.outcome", 1), table.text("outcome", 1));
    assert_eq!(table.list("directives", 0), ["$retainKeys"]);
    assert_eq!(data["earlier_runs"][0]["name"], "monday.json");
    let counted = data["earlier_runs"][0]["results"].as_array().unwrap().iter();
    let cells: u64 = counted.map(|result| result[2].as_u64().unwrap()).sum();
    assert_eq!(cells, earlier.cells.len() as u64);
}

#[test]
fn owners_are_in_the_page_as_text() {
    let owner = |manager: &str| Owner {
        manager: manager.into(),
        operation: "Apply".into(),
        api_version: Some("v1".into()),
        subresource: None,
        fields: vec![".spec".into(), ".spec.x".into()],
        absent_fields: vec![".spec.x".into()],
    };
    let step = |name: &str, owners| Step {
        name: name.into(),
        note: None,
        document: Some("spec: {}\n".into()),
        owners,
    };
    let cell = Cell {
        conflicts: vec![owner("c")],
        steps: vec![step("stored", Vec::new()), step("result", vec![owner("a"), owner("b")])],
        ..Cell::new("s/c", "s", "c", Status::Fail)
    };
    let data = data_of(&page(&Results::new(test_support::run_info(), vec![cell])));
    let cell = &unpacked(&data)[0];
    let text = |manager: &str| format!("{manager} (Apply, v1)\n  .spec\n  .spec.x (not in the object)\n");
    assert_eq!(cell["conflicts"], text("c"));
    assert_eq!(cell["steps"][0]["owners"], json!(null));
    assert_eq!(cell["steps"][1]["owners"], text("a") + &text("b"));
}

#[test]
fn no_text_ends_the_data_of_the_page() {
    let harmless = page(&Results::new(test_support::run_info(), Vec::new()));
    let results = test_support::hostile_results();
    let mut bytes = Vec::new();
    let options = test_support::hostile_page_options(&results);
    write(&RunReport { page: options, ..test_support::run_report(&results) }, &mut bytes).unwrap();
    let hostile = String::from_utf8(bytes).unwrap();
    for sign in ["<", ">", "&", "-->", "\u{2028}", "\u{2029}", "\u{1b}"] {
        assert_eq!(hostile.matches(sign).count(), harmless.matches(sign).count(), "{sign:?}");
    }
    assert_eq!(hostile.chars().find(|c| is_hidden(*c) && *c != '\n'), None);
    let cells = with_texts(&test_support::hostile_results().cells);
    assert_eq!(unpacked(&data_of(&hostile)), test_support::visible(cells));
}

/// The test above covers only the fields that the hostile sample contains.
#[test]
fn the_hostile_sample_has_every_text_of_the_schema() {
    let cell = serde_json::to_value(&test_support::hostile_results().cells[0]).unwrap();
    let schema = serde_json::to_value(skewer_results::model::schema()).unwrap();
    let harmless = ["kep", "covers", "duration_us"];
    for name in schema["$defs"]["Cell"]["properties"].as_object().unwrap().keys() {
        assert!(harmless.contains(&name.as_str()) || cell.get(name).is_some(), "{name}");
    }
}

#[rstest]
#[case::results(test_support::sample_results())]
#[case::empty(Results::new(test_support::run_info(), Vec::new()))]
fn the_template_is_filled_and_the_same_results_give_the_same_page(#[case] results: Results) {
    let text = page(&results);
    assert!(!text.contains("{{") && text.ends_with("</html>\n"));
    assert_eq!(text, page(&results));
}

#[test]
fn scripts_put_text_in_as_text_only_and_load_nothing() {
    for script in SCRIPTS {
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "</script",
        ] {
            assert!(!script.contains(word), "{word}");
        }
        for word in ["fetch(", "XMLHttpRequest", "WebSocket", "import(", "sendBeacon", "new Image"] {
            assert!(!script.contains(word), "{word}");
        }
    }
    assert!(page(&test_support::sample_results()).contains("default-src 'none'"));
    assert!(!TEMPLATE.contains("src=") && !STYLE.contains("url(") && !STYLE.contains("@import"));
}
