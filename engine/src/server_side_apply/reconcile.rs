//! Reconciliation of field sets with a changed schema. Upstream: `ReconcileFieldSetWithSchema`.

use super::field_set::{FieldSet, PathElement};
use super::topology::{ItemIdentity, TypePosition};

/// Changes a field set that was written when the types had another topology to what it is under the topology of today.
///
/// If a granular list or map became atomic, its owner owns the whole, and none of the fields below. The other direction
/// is not reconciled: the owner of what was atomic keeps that one path.
pub(super) fn reconcile(set: &mut FieldSet<'_>, place: TypePosition<'_>) {
    let topology = place.topology();
    let inner_place = |element: &PathElement<'_>| match (topology.map, topology.scalar, topology.list) {
        (Some(map_type), _, _) => match element {
            PathElement::Field(name) => map_type.field(name).place,
            _ => map_type.values,
        },
        (None, None, Some(list)) => Some(list.items),
        _ => None,
    };
    // Upstream does not reconcile objects without a schema. Only the object itself can be atomic here.
    if topology.map.is_some_and(|map_type| map_type.is_untyped() || map_type.is_atomic) {
        return;
    }
    for node in set.nodes_mut().iter_mut().filter(|node| !node.children.is_empty()) {
        match inner_place(&node.element) {
            Some(place) if is_atomic(place) => {
                node.is_member = true;
                node.children = FieldSet::new();
            }
            Some(place) => reconcile(&mut node.children, place),
            None => {}
        }
    }
}

fn is_atomic(place: TypePosition<'_>) -> bool {
    let topology = place.topology();
    match (topology.map, topology.scalar, topology.list) {
        (Some(map_type), _, _) => map_type.is_atomic && !map_type.is_untyped(),
        (None, None, Some(list)) => list.identity == ItemIdentity::Atomic,
        _ => false,
    }
}
