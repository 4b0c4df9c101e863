//! The time of reading and compiling a schema grows linearly with its size, even if all of its declarations are
//! invalid.
//!
//! The tests compare the times of two schemas, like the test of long lists. Other tests check limits on schemas.

use std::fmt::Write;
use std::time::Duration;

use rstest::rstest;
use skewer_engine::OwnedDoc;
use skewer_engine::document::from_json;
use skewer_engine::schema::{Kinds, MAX_ERRORS, Schema, go, openapi};

use crate::helpers::thread_time;

/// Repeats a line `n` times. In the line, `{i}` is replaced by its number and `{j}` by the next number.
fn lines(n: usize, line: &str) -> String {
    (0..n).fold(String::new(), |mut text, i| {
        let numbered = line.replace("{i}", &i.to_string()).replace("{j}", &(i + 1).to_string());
        let _ = writeln!(text, "{numbered}");
        text
    })
}

/// Returns Go declarations that contain `n` of the named construct.
fn go_text(construct: &str, n: usize) -> String {
    let end = |text: &str| format!("{text}type A{n} struct {{\n X int `json:\"x\"`\n}}\n");
    let in_struct = |text: &str| format!("type A struct {{\n{text} Last int `json:\"last\"`\n}}\n");
    match construct {
        "embedding chain" => end(&lines(n, "type A{i} struct { A{j} `json:\",inline\"` }")),
        "embedding diamonds" => {
            let level = "type A{i} struct {\n *B{i} `json:\",inline\"`\n *C{i} `json:\",inline\"`\n}\ntype B{i} struct {\n \
                         A{j} `json:\",inline\"`\n}\ntype C{i} struct {\n A{j} `json:\",inline\"`\n}";
            end(&lines(n, level))
        }
        "structs that embed one" => {
            format!(
                "type M struct {{\n X int `json:\"x\"`\n}}\n{}",
                lines(n, "type A{i} struct { M `json:\",inline\"` }")
            )
        }
        "embedded structs" => {
            let types = lines(n, "type B{i} struct {\n X int `json:\"x{i}\"`\n}");
            format!("{}{types}", in_struct(&lines(n, " B{i} `json:\",inline\"`")))
        }
        "alias chain" => end(&lines(n, "type A{i} A{j}")),
        "fields" => in_struct(&lines(n, " F{i} int `json:\"f{i}\"`")),
        "types" => lines(n, "type A{i} struct {\n X int `json:\"x\"`\n}"),
        "constants" => format!("// +enum\ntype E string\nconst (\n{})\n", lines(n, " V{i} E = \"v{i}\"")),
        "constants of constants" => {
            format!("type E string\nconst V0 E = \"v\"\n{}", lines(n, "const V{j} E = V{i}"))
        }
        "markers" => in_struct(&lines(n, " // +k8s:x{i}=1")),
        "list map keys" => in_struct(&format!(" // +listType=map\n{}", lines(n, " // +listMapKey=k{i}"))),
        "union members" => format!(
            "// +enum\ntype E string\nconst (\n{})\ntype A struct {{\n // +unionDiscriminator\n // +required\n \
             Type E `json:\"type\"`\n{}}}\n",
            lines(n, " V{i} E = \"F{i}\""),
            lines(n, " // +unionMember\n // +optional\n F{i} *int `json:\"f{i},omitempty\"`")
        ),
        "unions" => in_struct(&lines(
            n,
            " // +k8s:zeroOrOneOfMember(union: \"u{i}\")\n F{i} *int `json:\"f{i},omitempty\"`",
        )),
        "unknown types" => in_struct(&lines(n, " F{i} Strng{i} `json:\"f{i}\"`")),
        "duplicate fields" => in_struct(&lines(n, " F{i} int `json:\"f\"`")),
        other => panic!("{other}"),
    }
}

/// Repeats a member of a JSON object or an item of a JSON list `n` times, numbered as in [`lines`].
fn members(n: usize, member: &str) -> String {
    lines(n, member).trim_end().replace('\n', ",")
}

fn object(properties: &str, rest: &str) -> String {
    format!(r#"{{"definitions":{{"D":{{"type":"object","properties":{{{properties}}}{rest}}}}}}}"#)
}

fn custom_resource(properties: &str) -> String {
    format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{{"group":"example.com","names":{{"kind":"Tab"}},"versions":[{{"name":"v1","schema":{{"openAPIV3Schema":{{"type":"object","properties":{{"spec":{{"type":"object","properties":{{{properties}}}}}}}}}}}}}]}}}}"#
    )
}

/// Returns an OpenAPI document that contains `n` of the named construct.
fn document(construct: &str, n: usize) -> OwnedDoc {
    let reference = r##""D{i}":{"$ref":"#/definitions/D{j}"}"##;
    let text = match construct {
        "chain of references" => {
            format!(
                r#"{{"definitions":{{{},"D{n}":{{"type":"object","properties":{{}}}}}}}}"#,
                members(n, reference)
            )
        }
        "cycle of references" => {
            let back = format!(r##""D{n}":{{"$ref":"#/definitions/D0"}}"##);
            format!(r#"{{"definitions":{{{},{back}}}}}"#, members(n, reference))
        }
        "definitions" => {
            let definition = r#""D{i}":{"type":"object","properties":{"x":{"type":"string"}}}"#;
            format!(r#"{{"definitions":{{{}}}}}"#, members(n, definition))
        }
        "properties" => object(&members(n, r#""p{i}":{"type":"string"}"#), ""),
        "required properties" => {
            let required = format!(r#","required":[{}]"#, members(n, r#""p{i}""#));
            object(&members(n, r#""p{i}":{"type":"string"}"#), &required)
        }
        "objects" => {
            object(&members(n, r#""p{i}":{"type":"object","properties":{"x":{"type":"string"}}}"#), "")
        }
        "wrong properties" => object(&members(n, r#""p{i}":{"type":"strng"}"#), ""),
        "unions" => {
            let unions = members(n, r#"{"fields-to-discriminateBy":{"p{i}":"P{i}"}}"#);
            object(
                &members(n, r#""p{i}":{"type":"string"}"#),
                &format!(r#","x-kubernetes-unions":[{unions}]"#),
            )
        }
        "discriminators" => {
            let property = r#""t{i}":{"type":"string","x-kubernetes-unions":{"fieldMembers":{"p{i}":{"name":"p{i}"}}}},"p{i}":{"type":"string"}"#;
            let required = format!(r#","required":[{}]"#, members(n, r#""t{i}""#));
            object(&members(n, property), &required)
        }
        "properties of a custom resource" => custom_resource(&members(n, r#""p{i}":{"type":"string"}"#)),
        "wrong properties of a custom resource" => custom_resource(&members(n, r#""p{i}":{"type":"strng"}"#)),
        other => panic!("{other}"),
    };
    from_json(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

/// Asserts that `work` takes linear time: its time for 1,000 constructs is compared with that for 10,000. Of up to
/// three measurements the shortest counts.
#[track_caller]
fn assert_linear<I>(input: impl Fn(usize) -> I, work: impl Fn(&I)) {
    const N: usize = 1_000;
    let (few, many) = (input(N), input(10 * N));
    let mut quickest = [Duration::MAX; 2];
    let mut ratio = f64::INFINITY;
    for _ in 0..3 {
        for (quickest, input) in quickest.iter_mut().zip([&few, &many]) {
            let started = thread_time();
            work(input);
            *quickest = (*quickest).min(thread_time().saturating_sub(started));
        }
        // The clock may have a resolution of only four milliseconds, and only the small input fits into the caches.
        // Linear work therefore takes up to twenty times as long, quadratic work a hundred times.
        ratio = quickest[1].as_secs_f64() / quickest[0].max(Duration::from_millis(4)).as_secs_f64();
        if ratio < 30.0 {
            return;
        }
    }
    panic!(
        "{N} constructs take {:?}, ten times as many take {:?}, which is {ratio} times as long",
        quickest[0], quickest[1]
    );
}

#[rstest]
fn time_grows_linearly_with_the_size_of_go_declarations(
    #[values(
        "embedding chain",
        "embedding diamonds",
        "structs that embed one",
        "embedded structs",
        "alias chain",
        "fields",
        "types",
        "constants",
        "constants of constants",
        "markers",
        "list map keys",
        "union members",
        "unions",
        "unknown types",
        "duplicate fields"
    )]
    construct: &str,
) {
    assert_linear(
        |n| go_text(construct, n),
        |text| {
            let errors = match go::read(text) {
                Ok(declarations) => Schema::compile(&declarations).err().map_or(0, |errors| errors.len()),
                Err(errors) => errors.len(),
            };
            assert!(errors <= MAX_ERRORS + 1, "{errors} errors");
        },
    );
}

#[rstest]
fn time_grows_linearly_with_the_size_of_openapi_documents(
    #[values(
        "chain of references",
        "cycle of references",
        "definitions",
        "properties",
        "required properties",
        "objects",
        "wrong properties",
        "unions",
        "discriminators",
        "properties of a custom resource",
        "wrong properties of a custom resource"
    )]
    construct: &str,
) {
    assert_linear(
        |n| document(construct, n),
        |document| {
            let errors = match openapi::read(document) {
                Ok(declarations) => {
                    Kinds::of(&declarations).resolve("NoSuchType", "the document").unwrap_err();
                    let _ = openapi::write_v3(&declarations);
                    Schema::compile(&declarations).err().map_or(0, |errors| errors.len())
                }
                Err(errors) => errors.len(),
            };
            assert!(errors <= MAX_ERRORS + 1, "{errors} errors");
        },
    );
}

/// The last error counts the errors beyond the limit. It has the path of the first of them.
#[test]
fn the_number_of_reported_errors_is_limited() {
    let document = document("wrong properties", MAX_ERRORS + 5);
    let errors = openapi::read(&document).unwrap_err();
    assert_eq!(errors.len(), MAX_ERRORS + 1);
    let last = errors.last().unwrap().to_string();
    assert!(last.starts_with("definitions.D.properties.p"), "{last}");
    assert!(last.ends_with("5 more errors are not listed"), "{last}");
}

/// The shortest declarations take many times as much memory as text. Their number is therefore limited.
#[test]
fn the_number_of_declarations_is_limited() {
    let values = |n: usize| {
        let values = vec![r#""v""#; n].join(",");
        let text = format!(r#"{{"definitions":{{"E":{{"type":"string","enum":[{values}]}}}}}}"#);
        openapi::read(&from_json(text.as_bytes()).unwrap())
    };
    // The enum type counts as a declaration, in addition to its values.
    assert!(values(openapi::MAX_DECLARED - 1).is_ok());
    let errors = values(openapi::MAX_DECLARED + 9).unwrap_err();
    let messages: Vec<_> = errors.iter().map(ToString::to_string).collect();
    let expected = "definitions.E.enum[500000]: the document declares more than 500000 types, fields and enum values in total";
    assert_eq!(messages, [expected]);
}

/// Chains of references may have any length. They are resolved when the schema is compiled.
#[test]
fn a_chain_of_references_resolves_to_its_last_type() {
    let document = document("chain of references", 1_000);
    let schema = Schema::compile(&openapi::read(&document).unwrap()).unwrap();
    assert_eq!(schema.named("D0"), schema.named("D1000"));
}

#[test]
fn a_cycle_of_references_is_reported_as_one_error() {
    let errors = |n| {
        let declarations = openapi::read(&document("cycle of references", n)).unwrap();
        Schema::compile(&declarations).unwrap_err().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(errors(2), ["aliases or references lead only to each other: D0, D1, D2, D0"]);

    assert_eq!(errors(100).len(), 1);
    assert!(errors(100)[0].ends_with(", …, D0"), "{:?}", errors(100));
}

/// Each discriminator has a copy of the values of its enum. Text of 2n lines can therefore produce n² values.
#[test]
fn the_total_size_of_discriminator_values_is_limited() {
    let text = |n: usize| {
        let values = lines(n, " V{i} E = \"value-{i}-with-more-than-24-bytes\"");
        let unions = lines(
            n,
            "type U{i} struct {\n // +k8s:unionDiscriminator(union: \"u\")\n Type E `json:\"type\"`\n \
             // +k8s:unionMember(union: \"u\")\n A *int `json:\"a,omitempty\"`\n}",
        );
        format!("// +enum\ntype E string\nconst (\n{values})\n{unions}")
    };
    let compile = |n| Schema::compile(&go::read(&text(n)).unwrap());
    assert!(compile(100).is_ok());
    let errors = compile(1_000).unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:?}");
    let message = errors[0].to_string();
    assert!(
        message.contains("the names and values in the unions of this schema have more than"),
        "{message}"
    );
}

/// A constant without a value repeats the value of the previous one. A line of three bytes can thus copy a long
/// constant.
#[test]
fn the_total_length_of_repeated_constants_is_limited() {
    let long = "x".repeat(go::MAX_CONSTANT - 1);
    let text = format!("type E string\nconst (\n V E = \"{long}\"\n{})\n", lines(1_000, " V{i}"));
    let errors = go::read(&text).unwrap_err();
    assert!(
        errors[0].message.contains("the constants of this text are longer than"),
        "{}",
        errors[0].message
    );
}

/// Each name in a declaration of several names gets a copy of its type, its tag and its markers.
#[test]
fn the_total_size_of_declarations_with_several_names_is_limited() {
    let names = (0..10_000).map(|i| format!("F{i}")).collect::<Vec<_>>().join(", ");
    let text = format!("type A struct {{\n{} {names} int\n}}\n", lines(1_000, " // +marker{i}"));
    let errors = go::read(&text).unwrap_err();
    let message = &errors[0].message;
    assert!(message.starts_with("declarations of several names copy more than"), "{message}");
}
