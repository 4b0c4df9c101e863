//! Schemas as upstream's own documents contain them, with the result of upstream's parsers.

use std::path::{Path, PathBuf};

use rstest::rstest;

use super::*;
use crate::document::from_json;
use crate::schema::{ScalarType, Schema};

const V2: &str = r#"{"swagger":"2.0","definitions":{"T":{"type":"object","properties":{"a":SCHEMA}},"U":{"type":"object","properties":{"x":{"type":"string"}}}}}"#;

fn in_v2(schema: &str) -> OwnedDoc {
    json(&V2.replace("SCHEMA", schema).replace("PREFIX", "#/definitions/"))
}

fn in_v3(schema: &str) -> OwnedDoc {
    let schemas = format!(
        r#"{{"T":{{"type":"object","properties":{{"a":{schema}}}}},"U":{{"type":"object","properties":{{"x":{{"type":"string"}}}}}}}}"#
    );
    v3(&schemas.replace("PREFIX", "#/components/schemas/"))
}

/// Upstream: `ParseSchema` and `ParseSchemaV3` of kube-openapi, package proto; for `allOf` in v3, `resolve` of
/// `PatchMetaFromOpenAPIV3`, which uses the first schema of `allOf`. The file `swagger-merge-item.json` of
/// strategicpatch has such schemas.
#[rstest]
#[case::items_without_a_type(r#"{"items":{"type":"string"}}"#, TypeExpr::Any, TypeExpr::Any)]
#[case::values_without_a_type(r#"{"additionalProperties":{"type":"string"}}"#, TypeExpr::Any, TypeExpr::Any)]
#[case::nothing("{}", TypeExpr::Any, TypeExpr::Any)]
#[case::a_description(r#"{"description":"a"}"#, TypeExpr::Any, TypeExpr::Any)]
#[case::properties_without_a_type(r#"{"properties":{"x":{"type":"string"}}}"#, named("T.a"), named("T.a"))]
#[case::a_reference(r#"{"$ref":"PREFIXU"}"#, named("U"), named("U"))]
#[case::a_reference_with_metadata(
    r#"{"$ref":"PREFIXU","description":"u","x-kubernetes-patch-strategy":"merge"}"#,
    named("U"),
    named("U")
)]
#[case::all_of_a_reference(r#"{"allOf":[{"$ref":"PREFIXU"}],"default":{}}"#, TypeExpr::Any, named("U"))]
#[case::all_of_a_scalar(
    r#"{"allOf":[{"type":"string"}]}"#,
    TypeExpr::Any,
    TypeExpr::Scalar(ScalarType::String)
)]
#[case::all_of_an_object(
    r#"{"allOf":[{"type":"object","properties":{"x":{"type":"string"}}}]}"#,
    TypeExpr::Any,
    named("T.a")
)]
fn schemas_without_a_type_are_read_as_upstream_does(
    #[case] schema: &str,
    #[case] v2: TypeExpr,
    #[case] v3: TypeExpr,
) {
    assert_eq!(field(&ok(&in_v2(schema)), "T", "a").ty, v2, "in v2");
    assert_eq!(field(&ok(&in_v3(schema)), "T", "a").ty, v3, "in v3");
}

#[test]
fn metadata_beside_a_reference_belongs_to_the_property() {
    let schema =
        r#"{"$ref":"PREFIXU","x-kubernetes-patch-strategy":"merge","x-kubernetes-patch-merge-key":"x"}"#;
    for document in [in_v2(schema), in_v3(schema)] {
        let declarations = ok(&document);
        let patch = &field(&declarations, "T", "a").patch;
        assert_eq!(
            (&patch.strategies[..], &patch.merge_key[..]),
            (&["merge".to_owned()][..], &["x".to_owned()][..])
        );
    }
}

#[expect(clippy::print_stderr, reason = "what is skipped must be visible")]
fn say_skipped(what: &str) {
    eprintln!("skipped: {what}");
}

/// Reads the documents with which upstream tests strategic merge patch, managed fields and the parsing of schemas. They
/// are in the module cache of Go. The tests above cover the special schemas of these documents without needing Go.
#[test]
fn documents_of_upstreams_tests_can_be_read() {
    let documents = upstream_documents();
    if documents.is_empty() {
        say_skipped(
            "there are no modules k8s.io/apimachinery and k8s.io/kube-openapi in a module cache of Go",
        );
    }
    for path in documents {
        // Upstream reads the documents as YAML, which allows a trailing comma. A document with one is skipped here.
        let Ok(document) = from_json(&std::fs::read(&path).unwrap()) else {
            say_skipped(&format!("{} is not JSON", path.display()));
            continue;
        };
        let declarations = read(&document).unwrap_or_else(|errors| panic!("{}: {errors:#?}", path.display()));
        Schema::compile(&declarations).unwrap_or_else(|errors| panic!("{}: {errors:#?}", path.display()));
    }
}

fn upstream_documents() -> Vec<PathBuf> {
    const FOLDERS: [&str; 7] = [
        "pkg/util/strategicpatch/testdata",
        "pkg/util/managedfields/internal/testdata",
        "pkg/util/proto/testdata",
        "pkg/util/proto/testdata/openapi_v3_0_0",
        "pkg/util/proto/testdata/openapi_v3_0_0/apps",
        "pkg/schemaconv/testdata",
        "pkg/openapiconv/testdata_generated_from_k8s",
    ];
    let cache = std::env::var_os("GOMODCACHE").map(PathBuf::from).or_else(|| {
        let home = std::env::var_os("GOPATH").map(PathBuf::from);
        Some(home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join("go")))?.join("pkg/mod"))
    });
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
    };
    let mut documents = Vec::new();
    for module in entries(&cache.unwrap_or_default().join("k8s.io")) {
        let is_one_of_them = module
            .file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.starts_with("apimachinery@") || name.starts_with("kube-openapi@"));
        for folder in FOLDERS.iter().filter(|_| is_one_of_them) {
            let json = entries(&module.join(folder)).into_iter();
            documents
                .extend(json.filter(|path| path.extension().is_some_and(|extension| extension == "json")));
        }
    }
    documents
}
