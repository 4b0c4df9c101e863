//! Changes of definitions. Most are mistakes.

use serde_json::{Value, json};

use super::places::{Place, find};
use crate::differential::admission::values::odd_values;
use crate::random_testing::Random;

/// The changes of one place. Each is a JSON merge patch.
struct Edit {
    name: &'static str,
    place: Place,
    changes: &'static [&'static str],
}

const fn edit(name: &'static str, place: Place, changes: &'static [&'static str]) -> Edit {
    Edit { name, place, changes }
}

/// The changes, in the order of the checks of `ValidateCustomResourceDefinition`.
static EDITS: &[Edit] = &[
    edit(
        "metadata",
        Place::At("/metadata"),
        &[
            r#"{"name":null}"#,
            r#"{"name":"other.example.com"}"#,
            r#"{"name":"Tabs.example.com"}"#,
            r#"{"namespace":"d"}"#,
            r#"{"generateName":"tabs-"}"#,
            r#"{"labels":{"not a key":"x"}}"#,
            r#"{"labels":{"k":"not a value"}}"#,
            r#"{"annotations":{"not a key":"x"}}"#,
            r#"{"finalizers":["not a name"]}"#,
            r#"{"finalizers":["orphan","foregroundDeletion"]}"#,
            r#"{"ownerReferences":[{"apiVersion":"a/b/c","kind":"K"}]}"#,
            r#"{"generation":-1}"#,
        ],
    ),
    edit(
        "group",
        Place::At(""),
        &[
            r#"{"spec":{"group":null}}"#,
            r#"{"spec":{"group":"Example"}}"#,
            r#"{"spec":{"group":"example"}}"#,
            r#"{"spec":{"group":"other.com"},"metadata":{"name":"tabs.other.com"}}"#,
        ],
    ),
    edit(
        "approval",
        Place::At(""),
        &[
            r#"{"spec":{"group":"x.k8s.io"},"metadata":{"name":"tabs.x.k8s.io"}}"#,
            r#"{"spec":{"group":"k8s.io"},"metadata":{"name":"tabs.k8s.io","annotations":{"api-approved.kubernetes.io":"yes"}}}"#,
            r#"{"spec":{"group":"x.kubernetes.io"},"metadata":{"name":"tabs.x.kubernetes.io","annotations":{"api-approved.kubernetes.io":"https://x.dev/1"}}}"#,
            r#"{"metadata":{"annotations":{"api-approved.kubernetes.io":"unapproved, x"}}}"#,
            r#"{"metadata":{"annotations":{"api-approved.kubernetes.io":"a:b"}}}"#,
        ],
    ),
    edit(
        "scope",
        Place::At("/spec"),
        &[r#"{"scope":null}"#, r#"{"scope":"Cluster"}"#, r#"{"scope":"Galaxy"}"#],
    ),
    edit(
        "names",
        Place::At("/spec/names"),
        &[
            r#"{"plural":null}"#,
            r#"{"plural":"Tabs"}"#,
            r#"{"plural":"-"}"#,
            r#"{"kind":null}"#,
            r#"{"kind":"no kind"}"#,
            r#"{"kind":"Other"}"#,
            r#"{"kind":"K0123456789012345678901234567890123456789012345678901234567890"}"#,
            r#"{"singular":"Tab"}"#,
            r#"{"listKind":"Tab"}"#,
            r#"{"listKind":"1"}"#,
            r#"{"shortNames":["t","T",""]}"#,
            r#"{"categories":["all","a b"]}"#,
        ],
    ),
    edit(
        "preserveUnknownFields",
        Place::At("/spec"),
        &[r#"{"preserveUnknownFields":true}"#, r#"{"preserveUnknownFields":false}"#],
    ),
    edit(
        "conversion",
        Place::At("/spec"),
        &[
            r#"{"conversion":{}}"#,
            r#"{"conversion":{"strategy":"None"}}"#,
            r#"{"conversion":{"strategy":"Other"}}"#,
            r#"{"conversion":{"strategy":"Webhook"}}"#,
            r#"{"conversion":{"strategy":"None","webhook":{"conversionReviewVersions":["v1"]}}}"#,
            r#"{"conversion":{"strategy":"None","webhook":{"clientConfig":{"url":"https://x.dev"},"conversionReviewVersions":[]}}}"#,
            r#"{"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{},"conversionReviewVersions":["v2"]}}}"#,
            r#"{"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://x.dev/c"},"conversionReviewVersions":["v1","v1","V"]}}}"#,
        ],
    ),
    edit(
        "webhooks",
        Place::At("/spec"),
        &[
            r#"{"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"http://u:p@x.dev/?q#f"},"conversionReviewVersions":["v1"]}}}"#,
            r#"{"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://"},"conversionReviewVersions":["v1beta1"]}}}"#,
            r#"{"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"://x"},"conversionReviewVersions":["v1"]}}}"#,
            r#"{"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://x y"},"conversionReviewVersions":["v1"]}}}"#,
            r#"{"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"x.dev/c"},"conversionReviewVersions":["v1"]}}}"#,
            r#"{"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://x.dev","service":{"name":"s","namespace":"n"}},"conversionReviewVersions":["v1"]}}}"#,
            r#"{"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"service":{"name":"s","namespace":"n","path":"/c/d","port":8443},"caBundle":"eA=="},"conversionReviewVersions":["v1"]}}}"#,
            r#"{"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"service":{"name":"s","path":"c//D","port":0}},"conversionReviewVersions":["v1"]}}}"#,
            r#"{"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"service":{"namespace":"n","path":"//","port":70000}},"conversionReviewVersions":["v1"]}}}"#,
            r#"{"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://x.dev","caBundle":"not base64"},"conversionReviewVersions":["v1"]}}}"#,
        ],
    ),
    edit("versions", Place::At("/spec"), &[r#"{"versions":[]}"#, r#"{"versions":null}"#]),
    edit(
        "version",
        Place::Version,
        &[
            r#"{"name":null}"#,
            r#"{"name":"V1"}"#,
            r#"{"name":"v2"}"#,
            r#"{"storage":false}"#,
            r#"{"storage":true}"#,
            r#"{"served":false}"#,
            r#"{"schema":null}"#,
            r#"{"schema":{"openAPIV3Schema":null}}"#,
        ],
    ),
    edit(
        "deprecation warning",
        Place::Version,
        &[
            r#"{"deprecationWarning":"x"}"#,
            r#"{"deprecated":true,"deprecationWarning":""}"#,
            r#"{"deprecated":true,"deprecationWarning":"ä \" '"}"#,
            r#"{"deprecated":true,"deprecationWarning":"a\tb"}"#,
            r#"{"deprecated":true,"deprecationWarning":"a\u00a0\u200b"}"#,
        ],
    ),
    edit(
        "subresources",
        Place::Version,
        &[
            r#"{"subresources":null}"#,
            r#"{"subresources":{"status":{}}}"#,
            r#"{"subresources":{"status":null}}"#,
            r#"{"subresources":{"scale":{}}}"#,
            r#"{"subresources":{"scale":{"specReplicasPath":"spec.a","statusReplicasPath":".spec.a","labelSelectorPath":".x"}}}"#,
            r#"{"subresources":{"scale":{"specReplicasPath":".spec.a","statusReplicasPath":".status.a","labelSelectorPath":""}}}"#,
        ],
    ),
    edit(
        "printer columns",
        Place::Version,
        &[
            r#"{"additionalPrinterColumns":[{}]}"#,
            r#"{"additionalPrinterColumns":[{"name":"A","type":"string","jsonPath":".spec.a"}]}"#,
            r#"{"additionalPrinterColumns":[{"name":"A","type":"text","format":"x","jsonPath":"spec.a"},null]}"#,
        ],
    ),
    edit(
        "selectable fields",
        Place::Version,
        &[
            r#"{"selectableFields":[{}]}"#,
            r#"{"selectableFields":[{"jsonPath":".spec.a"},{"jsonPath":".spec.b"}]}"#,
            r#"{"selectableFields":[{"jsonPath":".spec.c"},{"jsonPath":".spec.c"}]}"#,
            r#"{"selectableFields":[{"jsonPath":"spec.a"},{"jsonPath":".spec['a']"}]}"#,
            r#"{"selectableFields":[{"jsonPath":"."},{"jsonPath":".metadata.name"},{"jsonPath":".spec."}]}"#,
            r#"{"selectableFields":[{"jsonPath":".s1"},{"jsonPath":".s2"},{"jsonPath":".s3"},{"jsonPath":".s4"},{"jsonPath":".s5"},{"jsonPath":".s6"},{"jsonPath":".s7"},{"jsonPath":".s8"},{"jsonPath":".s9"}],"schema":{"openAPIV3Schema":{"properties":{"s1":{"type":"string"},"s2":{"type":"string"},"s3":{"type":"string"},"s4":{"type":"string"},"s5":{"type":"string"},"s6":{"type":"string"},"s7":{"type":"string"},"s8":{"type":"string"},"s9":{"type":"string"}}}}}"#,
        ],
    ),
    edit(
        "root",
        Place::Root,
        &[
            r#"{"type":null}"#,
            r#"{"type":"array"}"#,
            r#"{"type":"string","enum":["x"]}"#,
            r#"{"nullable":true}"#,
            r#"{"additionalProperties":true}"#,
            r#"{"default":{}}"#,
            r#"{"default":{"apiVersion":"v1","kind":"K"}}"#,
            r#"{"maxProperties":5}"#,
            r#"{"x-kubernetes-map-type":"atomic"}"#,
            r#"{"not":{"required":["spec"]}}"#,
            r#"{"x-kubernetes-embedded-resource":true}"#,
            r#"{"x-kubernetes-int-or-string":true}"#,
            r#"{"x-kubernetes-preserve-unknown-fields":true}"#,
            r#"{"title":"t","description":"d","minimum":0}"#,
            r#"{"anyOf":[{"properties":{"z":{"minLength":1}}}]}"#,
            r#"{"allOf":[{"properties":{"spec":{"properties":{"z":{}},"items":{}}}}]}"#,
        ],
    ),
    edit(
        "fields of objects",
        Place::Root,
        &[
            r#"{"properties":{"kind":{"type":"integer"}}}"#,
            r#"{"properties":{"apiVersion":{}}}"#,
            r#"{"properties":{"apiVersion":{"type":"string","default":"v1"}}}"#,
            r#"{"properties":{"metadata":{"type":"string"}}}"#,
            r#"{"properties":{"metadata":{"type":"object","description":"x"}}}"#,
            r#"{"properties":{"metadata":{"type":"object","properties":{"name":{"type":"string","maxLength":5,"default":"x"}}}}}"#,
            r#"{"properties":{"metadata":{"type":"object","properties":{"labels":{"type":"object","additionalProperties":{"type":"string","default":"x"}}}}}}"#,
        ],
    ),
    edit(
        "embedded objects",
        Place::Schema,
        &[
            r#"{"x-kubernetes-embedded-resource":true}"#,
            r#"{"x-kubernetes-embedded-resource":true,"type":null}"#,
            r#"{"x-kubernetes-embedded-resource":true,"additionalProperties":true}"#,
            r#"{"x-kubernetes-embedded-resource":true,"properties":{"kind":{"type":"string","default":"not a kind"},"apiVersion":{"type":"string","default":"a/b/c"}}}"#,
            r#"{"x-kubernetes-embedded-resource":true,"properties":{"metadata":{"type":"object","x-kubernetes-embedded-resource":true}}}"#,
            r#"{"x-kubernetes-embedded-resource":true,"properties":{"metadata":{"type":"object","properties":{"name":{"type":"string","default":"a/b"}}}}}"#,
            r#"{"x-kubernetes-embedded-resource":true,"properties":{"metadata":{"type":"object","properties":{"labels":{"type":"object","additionalProperties":{"type":"string","default":"x"},"default":{"a b":"c"}}}}}}"#,
            r#"{"x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true,"type":"object","default":{"kind":"K","x":1}}"#,
        ],
    ),
    edit(
        "types",
        Place::Schema,
        &[
            r#"{"type":null}"#,
            r#"{"type":"null"}"#,
            r#"{"type":"int"}"#,
            r#"{"type":"string"}"#,
            r#"{"type":"array"}"#,
            r#"{"type":"object"}"#,
            r#"{"type":"integer"}"#,
            r#"{"nullable":true}"#,
            r#"{"x-kubernetes-int-or-string":true}"#,
        ],
    ),
    edit(
        "keywords that are not supported",
        Place::Schema,
        &[
            r#"{"id":"x"}"#,
            r#"{"$schema":"x"}"#,
            r#"{"$ref":""}"#,
            r##"{"$ref":"#/x"}"##,
            r#"{"additionalItems":false}"#,
            r#"{"additionalItems":{}}"#,
            r#"{"patternProperties":{"x":{}}}"#,
            r#"{"definitions":{"x":{"type":"y"}}}"#,
            r#"{"dependencies":{"a":["b"],"c":{"uniqueItems":true}}}"#,
            r#"{"uniqueItems":true}"#,
            r#"{"x-kubernetes-preserve-unknown-fields":false}"#,
            r#"{"items":[{"type":"string"}]}"#,
            r#"{"items":[]}"#,
        ],
    ),
    edit(
        "structural schemas",
        Place::Schema,
        &[
            r#"{"additionalProperties":false}"#,
            r#"{"additionalProperties":true}"#,
            r#"{"additionalProperties":{"type":"string"}}"#,
            r#"{"properties":{"p":{}}}"#,
            r#"{"properties":{"p":{"type":"string","default":1}}}"#,
            r#"{"items":{}}"#,
            r#"{"items":{"type":"string"}}"#,
            r#"{"items":null}"#,
            r#"{"x-kubernetes-preserve-unknown-fields":true,"x-kubernetes-int-or-string":true}"#,
            r#"{"x-kubernetes-int-or-string":true,"type":null,"anyOf":[{"type":"integer"},{"type":"string"}]}"#,
            r#"{"x-kubernetes-int-or-string":true,"type":null,"allOf":[{"anyOf":[{"type":"integer"},{"type":"string"}]},{"pattern":"^x"}]}"#,
            r#"{"x-kubernetes-int-or-string":true,"type":null,"allOf":[{"pattern":"^x"},{"anyOf":[{"type":"integer"},{"type":"string"}]}]}"#,
        ],
    ),
    edit(
        "alternatives",
        Place::Schema,
        &[
            r#"{"allOf":[{"type":"string"}]}"#,
            r#"{"oneOf":[{"default":1,"title":"t","description":"d","nullable":true}]}"#,
            r#"{"not":{"additionalProperties":{}}}"#,
            r#"{"not":{"additionalProperties":false}}"#,
            r#"{"anyOf":[{"x-kubernetes-list-type":"","x-kubernetes-map-type":"atomic","x-kubernetes-list-map-keys":["a"]}]}"#,
            r#"{"allOf":[{"x-kubernetes-validations":[{"rule":"true"}],"x-kubernetes-int-or-string":true,"x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}]}"#,
            r#"{"anyOf":[{"properties":{"metadata":{"minLength":1},"a":{"type":"string"}}},{"items":{"pattern":"["}}]}"#,
            r#"{"allOf":[null,{"allOf":[{"not":{"items":{"nullable":true}}}]}]}"#,
        ],
    ),
    edit(
        "patterns",
        Place::Schema,
        &[
            r#"{"pattern":"["}"#,
            r#"{"pattern":"a{2,1}"}"#,
            r#"{"pattern":"(?=a)"}"#,
            r#"{"pattern":"\\p{Greek}+"}"#,
            r#"{"pattern":"a**"}"#,
            r#"{"pattern":"\\z\\8"}"#,
            r#"{"pattern":"x{1001}"}"#,
        ],
    ),
    edit(
        "list types",
        Place::Schema,
        &[
            r#"{"x-kubernetes-list-type":"set"}"#,
            r#"{"x-kubernetes-list-type":"map"}"#,
            r#"{"x-kubernetes-list-type":"other"}"#,
            r#"{"x-kubernetes-list-type":""}"#,
            r#"{"type":"array","x-kubernetes-list-type":"set","items":{"type":"object"}}"#,
            r#"{"type":"array","x-kubernetes-list-type":"set","items":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"}}"#,
            r#"{"type":"array","x-kubernetes-list-type":"set","items":{"type":"array","items":{"type":"string"}}}"#,
            r#"{"type":"array","x-kubernetes-list-type":"set","items":{"nullable":true}}"#,
            r#"{"x-kubernetes-map-type":"atomic"}"#,
            r#"{"x-kubernetes-map-type":"other"}"#,
            r#"{"x-kubernetes-map-type":"granular"}"#,
        ],
    ),
    edit(
        "map keys",
        Place::Schema,
        &[
            r#"{"x-kubernetes-list-map-keys":["name"]}"#,
            r#"{"x-kubernetes-list-map-keys":["name","name"]}"#,
            r#"{"x-kubernetes-list-map-keys":["zz",null]}"#,
            r#"{"x-kubernetes-list-map-keys":[]}"#,
            r#"{"x-kubernetes-list-type":"map","type":"array","x-kubernetes-list-map-keys":["a"],"items":{"type":"object","nullable":true,"properties":{"a":{"type":"object","nullable":true}}}}"#,
            r#"{"x-kubernetes-list-type":"map","type":"array","x-kubernetes-list-map-keys":["a"],"items":{"properties":{"a":{"type":"string","default":"x"}}}}"#,
            r#"{"items":{"required":null}}"#,
            r#"{"items":{"properties":{"name":{"nullable":true}}}}"#,
        ],
    ),
    edit(
        "defaults",
        Place::Schema,
        &[
            r#"{"default":1}"#,
            r#"{"default":"x"}"#,
            r#"{"default":[]}"#,
            r#"{"default":{}}"#,
            r#"{"default":{"a":1,"zz":2}}"#,
            r#"{"default":["x","x"]}"#,
            r#"{"default":true}"#,
            r#"{"default":1.5}"#,
            r#"{"default":"abcdefgh","maxLength":3}"#,
            r#"{"type":"object","default":{"a":1},"maxProperties":0,"required":["q"]}"#,
            r#"{"type":"array","items":{"type":"string","enum":["x"]},"default":["x","y","z"],"maxItems":2}"#,
            r#"{"type":"array","items":{"type":"object","properties":{"k":{"type":"string"}},"required":["k"]},"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"default":[{"k":"a"},{"k":"a"}]}"#,
        ],
    ),
    edit(
        "texts of rules",
        Place::Schema,
        &[
            r#"{"x-kubernetes-validations":[{"rule":" "}]}"#,
            r#"{"x-kubernetes-validations":[{}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"true","message":" "}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"true","message":"a\nb"}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"true\n|| false"}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"true\n|| false","message":"m"}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"true","messageExpression":" "}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"true","reason":"Other"}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"true","reason":""}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"true","fieldPath":" "}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"true","fieldPath":".a\n"}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"true","fieldPath":".zz"}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"true","fieldPath":"['a']"}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"true","fieldPath":"a"}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"true","fieldPath":".a["}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"true","fieldPath":".a.b"}]}"#,
        ],
    ),
    edit(
        "old values",
        Place::Schema,
        &[
            r#"{"x-kubernetes-validations":[{"rule":"self == oldSelf"}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"true","optionalOldSelf":true}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"true","optionalOldSelf":false}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"oldSelf.hasValue() || true","optionalOldSelf":true}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"'oldSelf' != ''","optionalOldSelf":true}]}"#,
        ],
    ),
    edit(
        "expressions",
        Place::Schema,
        &[
            r#"{"x-kubernetes-validations":[{"rule":"1"}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"self."}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"other"}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"true","messageExpression":"1"}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"true","messageExpression":"'a' + 'b'"}]}"#,
            r#"{"x-kubernetes-validations":[{"rule":"false"}],"default":"x"}"#,
            r#"{"x-kubernetes-validations":[{"rule":"self.zz == 1"},{"rule":"true"}]}"#,
        ],
    ),
];

/// Returns the names of all changes.
#[cfg(test)]
pub(super) fn names() -> Vec<&'static str> {
    EDITS.iter().map(|edit| edit.name).chain(["second version", "any value"]).collect()
}

/// Makes a random change, and returns its name.
pub(super) fn change(random: &mut Random, definition: &mut Value) -> &'static str {
    match random.below(EDITS.len() + 4) {
        0 | 1 => {
            add_version(random, definition);
            "second version"
        }
        2 | 3 => {
            if let Some(value) = find(random, definition, Place::Value) {
                *value = random.pick(&odd_values()).clone();
            }
            "any value"
        }
        index => {
            let Edit { name, place, changes } = &EDITS[index - 4];
            let patch = serde_json::from_str(random.pick_text(changes)).unwrap_or_default();
            if let Some(value) = find(random, definition, *place) {
                merge(value, &patch);
            }
            name
        }
    }
}

/// Adds a version that is a copy of the first, apart from its name.
fn add_version(random: &mut Random, definition: &mut Value) {
    let Some(versions) = definition.pointer_mut("/spec/versions").and_then(Value::as_array_mut) else {
        return;
    };
    let Some(mut version) = versions.first().cloned().filter(Value::is_object) else { return };
    let name = random.pick_text(&["v2", "v2", "v1beta1", "v1"]);
    merge(&mut version, &json!({"name": name, "storage": random.chance(200)}));
    if random.chance(300) {
        merge(&mut version, &json!({"schema": {"openAPIV3Schema": {"description": "other"}}}));
    }
    versions.push(version);
}

/// Applies a JSON merge patch. It is put into a value that is no map.
fn merge(value: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else { return value.clone_from(patch) };
    if !value.is_object() {
        *value = json!({});
    }
    let Some(map) = value.as_object_mut() else { return };
    for (key, patch) in patch {
        if patch.is_null() {
            map.remove(key);
        } else {
            merge(map.entry(key).or_insert(Value::Null), patch);
        }
    }
}
