//! The metadata tag for recommended merge keys, and the keys that the proposal recommends for types of Kubernetes.

use skewer_engine::schema::{Declarations, FieldDecl, PatchMeta, Shape, TagDeclaration};

/// `recommendedPatchMergeKey:"port,protocol"`: the merge keys of a list, beginning with the default merge key.
pub(super) const TAG: TagDeclaration = TagDeclaration::merge_keys("recommendedPatchMergeKey")
    .checked("recommended-key-mismatch", recommended_keys_error);

/// Returns a message if the recommended merge keys contradict the default merge key. Source: patch-merge-key.md,
/// "Requirements for the recommended merge keys to keep backward compatibility".
fn recommended_keys_error(meta: &PatchMeta) -> Option<String> {
    let (default, first) = (meta.merge_key.first()?, meta.tag_values(TAG.name).first()?);
    (default != first).then(|| {
        format!("the first recommended merge key must be the default merge key {default:?}, not {first:?}")
    })
}

/// The lists in the section "Impacted APIs" of the proposal. Each entry has a type, a field and the recommended merge
/// keys of the field. The first of these keys is the default merge key, as the proposal requires.
///
/// For the ports of a service, "Impacted APIs" has the key `name` instead of `protocol`. With that key, renaming a port
/// would create another port. The entry here therefore has the keys from the sections "API Change - Multi-Fields Merge
/// Key" and "Motivation".
const IMPACTED_LISTS: &[(&str, &str, &[&str])] = &[
    ("core/v1.Container", "ports", &["containerPort", "name"]),
    ("core/v1.ServiceSpec", "ports", &["port", "protocol"]),
    ("core/v1.NodeSelectorTerm", "matchExpressions", &["key"]),
    ("core/v1.NodeSpec", "taints", &["key"]),
    ("core/v1.PodSpec", "tolerations", &["key"]),
];

/// Sets the recommended merge keys of every list that has a default merge key.
pub(super) fn add_recommended_keys(types: &mut Declarations) {
    for ty in &mut types.types {
        let Shape::Struct(fields) = &mut ty.shape else { continue };
        for field in fields {
            let impacted = IMPACTED_LISTS
                .iter()
                .find(|(type_name, field_name, _)| *type_name == ty.name && *field_name == field.name);
            set_recommended_keys(field, impacted.map(|(_, _, keys)| *keys));
        }
    }
}

fn set_recommended_keys(field: &mut FieldDecl, impacted: Option<&[&str]>) {
    let meta = &mut field.patch;
    let keys = match impacted {
        Some(keys) => keys.iter().map(|key| (*key).to_owned()).collect(),
        // "For the others, the recommended merge keys will be the same as the default merge key."
        None => meta.merge_key.clone(),
    };
    meta.set_tag(TAG.name, keys);
}

#[cfg(test)]
#[cfg(feature = "builtin")]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use skewer_engine::schema::{Schema, builtin};

    #[test]
    fn every_release_has_the_impacted_lists_and_compiles_with_their_keys() {
        for release in builtin::releases() {
            let mut types = Declarations::clone(&release.declarations());
            add_recommended_keys(&mut types);
            let schema = Schema::compile(&types).unwrap();
            for (of, field, keys) in IMPACTED_LISTS {
                let of = schema.named(of).unwrap_or_else(|| panic!("{} has no {of}", release.name()));
                assert_eq!(schema.field(of, field).unwrap().meta.tag_values(TAG.name), *keys);
            }
        }
    }

    #[test]
    fn other_lists_are_recommended_their_default_key() {
        let release = builtin::newest();
        let mut types = Declarations::clone(&release.declarations());
        add_recommended_keys(&mut types);
        let changed: BTreeSet<String> = types
            .types
            .iter()
            .filter_map(|ty| if let Shape::Struct(fields) = &ty.shape { Some((ty, fields)) } else { None })
            .flat_map(|(ty, fields)| fields.iter().map(move |field| (ty, field)))
            .filter(|(_, field)| field.patch.tag_values(TAG.name) != field.patch.merge_key)
            .map(|(ty, field)| format!("{}.{}", ty.name, field.name))
            .collect();
        let impacted: BTreeSet<String> =
            IMPACTED_LISTS.iter().map(|(of, field, _)| format!("{of}.{field}")).collect();
        assert_eq!(changed, impacted);
    }
}
