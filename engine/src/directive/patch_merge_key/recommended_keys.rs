//! The merge keys that the proposal of `$patchMergeKey` recommends for types of Kubernetes.

use crate::schema::{Declarations, FieldDecl, Shape};

/// The lists in the section "Impacted APIs" of the proposal, as type, field and merge keys. The default merge key comes
/// first, as the proposal requires.
///
/// For the ports of a service, the section has the name instead of the protocol. Renaming a port would then create
/// another port. The keys here are those of the sections "API Change - Multi-Fields Merge Key" and "Motivation".
const IMPACTED_LISTS: &[(&str, &str, &[&str])] = &[
    ("core/v1.Container", "ports", &["containerPort", "name"]),
    ("core/v1.ServiceSpec", "ports", &["port", "protocol"]),
    ("core/v1.NodeSelectorTerm", "matchExpressions", &["key"]),
    ("core/v1.NodeSpec", "taints", &["key"]),
    ("core/v1.PodSpec", "tolerations", &["key"]),
];

/// Sets the recommended merge keys of all lists.
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
    meta.recommended_merge_key = match impacted {
        Some(keys) => keys.iter().map(|key| (*key).to_owned()).collect(),
        // "For the others, the recommended merge keys will be the same as the default merge key."
        None => meta.merge_key.clone(),
    };
}

#[cfg(test)]
#[cfg(feature = "builtin")]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::schema::{Schema, builtin};

    #[test]
    fn every_release_has_the_impacted_lists_and_compiles_with_their_keys() {
        for release in builtin::releases() {
            let mut types = release.declarations().clone();
            add_recommended_keys(&mut types);
            let schema = Schema::compile(&types).unwrap();
            for (of, field, keys) in IMPACTED_LISTS {
                let of = schema.named(of).unwrap_or_else(|| panic!("{} has no {of}", release.name()));
                assert_eq!(schema.field(of, field).unwrap().meta.recommended_merge_key, *keys);
            }
        }
    }

    #[test]
    fn other_lists_are_recommended_their_default_key() {
        let release = builtin::newest();
        let mut types = release.declarations().clone();
        add_recommended_keys(&mut types);
        let changed: BTreeSet<String> = types
            .types
            .iter()
            .filter_map(|ty| if let Shape::Struct(fields) = &ty.shape { Some((ty, fields)) } else { None })
            .flat_map(|(ty, fields)| fields.iter().map(move |field| (ty, field)))
            .filter(|(_, field)| field.patch.recommended_merge_key != field.patch.merge_key)
            .map(|(ty, field)| format!("{}.{}", ty.name, field.name))
            .collect();
        let impacted: BTreeSet<String> =
            IMPACTED_LISTS.iter().map(|(of, field, _)| format!("{of}.{field}")).collect();
        assert_eq!(changed, impacted);
    }
}
