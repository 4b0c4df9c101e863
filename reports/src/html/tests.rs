use rstest::rstest;

use super::page::{PAGE, SCRIPTS, STYLE};
use super::write;
use crate::model::Results;
use crate::samples;

fn page(results: &Results) -> String {
    let mut bytes = Vec::new();
    write(results, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// The JSON in a page, found as a browser finds it: up to the first end of a script element.
fn data_of(page: &str) -> serde_json::Value {
    let (_, after) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    let (json, _) = after.split_once("</script").unwrap();
    serde_json::from_str(json).unwrap()
}

#[test]
fn the_page_holds_the_results() {
    let results = samples::results();
    let data = data_of(&page(&results));
    assert_eq!(data["results"], serde_json::to_value(&results).unwrap());
    assert_eq!(data["summaries"][0]["groups"][2]["counts"]["state"], "not run");
    assert_eq!(data["not_run"], serde_json::json!(["proposals/patch-merge-key"]));
}

#[test]
fn nothing_in_any_field_gets_out_of_the_data() {
    let harmless = page(&Results::new(samples::run_info(), Vec::new()));
    let hostile = page(&samples::hostile());
    for sign in ["<", ">", "&", "-->", "\u{2028}", "\u{2029}", "\u{1b}"] {
        assert_eq!(hostile.matches(sign).count(), harmless.matches(sign).count(), "{sign:?}");
    }
    let results = serde_json::to_value(samples::hostile()).unwrap();
    assert_eq!(data_of(&hostile)["results"], results);
}

/// A field that the hostile sample forgets would not be tested above.
#[test]
fn the_hostile_sample_has_every_text_of_the_schema() {
    let cell = serde_json::to_value(&samples::hostile().cells[0]).unwrap();
    let schema = serde_json::to_value(crate::model::schema()).unwrap();
    let harmless = ["kep", "covers", "duration_us"];
    for name in schema["$defs"]["Cell"]["properties"].as_object().unwrap().keys() {
        assert!(harmless.contains(&name.as_str()) || cell.get(name).is_some(), "{name}");
    }
}

#[rstest]
#[case::results(samples::results())]
#[case::empty(Results::new(samples::run_info(), Vec::new()))]
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
    assert!(PAGE.contains("default-src 'none'"));
    assert!(!PAGE.contains("src=") && !STYLE.contains("url(") && !STYLE.contains("@import"));
}
