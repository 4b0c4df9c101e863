//! Sets of fields. Upstream: `fieldpath.Set`.

mod fields_v1;
mod path_element;
mod value_order;

use std::cmp::Ordering;

use super::topology::TypePosition;
use crate::patch::LibraryChange;

pub use path_element::{ItemKeys, PathElement};
pub(super) use value_order::{as_float, equals};

/// A set of fields of an object, as a tree.
///
/// ```
/// use skewer_engine::server_side_apply::FieldSet;
///
/// let set = FieldSet::from_json(r#"{"f:spec":{"f:ports":{"k:{\"port\":53}":{".":{},"f:port":{}}}}}"#)?;
/// assert_eq!(set.paths(), [".spec.ports[port=53]", ".spec.ports[port=53].port"]);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldSet<'a> {
    /// The nodes, sorted by element. Each is a member or has members below it.
    nodes: Vec<Node<'a>>,
}

/// A node of a field set.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node<'a> {
    pub(super) element: PathElement<'a>,
    /// Whether the field itself is a member of the set.
    pub(super) is_member: bool,
    /// The members below the field.
    pub(super) children: FieldSet<'a>,
}

impl<'a> Node<'a> {
    pub(super) fn member(element: PathElement<'a>) -> Self {
        Node { element, is_member: true, children: FieldSet::default() }
    }

    fn is_empty(&self) -> bool {
        !self.is_member && self.children.nodes.is_empty()
    }
}

/// The nodes of a set that follow the element that was looked up last.
struct SortedNodes<'s, 'a>(&'s [Node<'a>]);

impl<'s, 'a> SortedNodes<'s, 'a> {
    fn of(set: &'s FieldSet<'a>) -> Self {
        SortedNodes(&set.nodes)
    }

    /// Returns the node of an element that is greater than all elements before.
    fn find(&mut self, element: &PathElement<'_>) -> Option<&'s Node<'a>> {
        while let [first, rest @ ..] = self.0 {
            match first.element.cmp(element) {
                Ordering::Less => self.0 = rest,
                Ordering::Equal => {
                    self.0 = rest;
                    return Some(first);
                }
                Ordering::Greater => return None,
            }
        }
        None
    }
}

/// A path in a field set.
pub type Path<'a> = Vec<PathElement<'a>>;

impl<'a> FieldSet<'a> {
    /// Creates an empty set.
    #[must_use]
    pub const fn new() -> Self {
        FieldSet { nodes: Vec::new() }
    }

    /// Creates a set from nodes in any order. Nodes without members are left out, and those of one element are united.
    pub(super) fn from_nodes(mut nodes: Vec<Node<'a>>) -> Self {
        nodes.retain(|node| !node.is_empty());
        if !nodes.is_sorted_by(|a, b| a.element < b.element) {
            nodes.sort_by(|a, b| a.element.cmp_exactly(&b.element));
            nodes.dedup_by(|later, kept| {
                let is_same = later.element == kept.element;
                if is_same {
                    kept.is_member |= later.is_member;
                    kept.children =
                        std::mem::take(&mut kept.children).union(std::mem::take(&mut later.children));
                }
                is_same
            });
        }
        FieldSet { nodes }
    }

    /// Creates a set from nodes that are sorted by element. Nodes without members are left out.
    pub(super) fn from_sorted(nodes: impl IntoIterator<Item = Node<'a>>) -> Self {
        let nodes: Vec<_> = nodes.into_iter().filter(|node| !node.is_empty()).collect();
        #[cfg(test)]
        assert!(nodes.is_sorted_by(|a, b| a.element < b.element));
        FieldSet { nodes }
    }

    /// Returns the nodes for a change that leaves each of them with members.
    pub(super) fn nodes_mut(&mut self) -> &mut [Node<'a>] {
        &mut self.nodes
    }

    /// Returns true if the set has no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.iter().map(|node| usize::from(node.is_member) + node.children.len()).sum()
    }

    /// Adds a field. The fields above it are not added. The empty path is ignored.
    pub fn insert(&mut self, path: &[PathElement<'a>]) {
        let Some((first, rest)) = path.split_first() else { return };
        let index = match self.find(first) {
            Ok(index) => index,
            Err(index) => {
                let node = Node { is_member: false, ..Node::member(first.clone()) };
                self.nodes.insert(index, node);
                index
            }
        };
        if rest.is_empty() {
            self.nodes[index].is_member = true;
        } else {
            self.nodes[index].children.insert(rest);
        }
    }

    fn find(&self, element: &PathElement<'_>) -> Result<usize, usize> {
        let index = self.nodes.partition_point(|node| node.element.cmp(element).is_lt());
        match self.nodes.get(index) {
            Some(node) if node.element == *element => Ok(index),
            _ => Err(index),
        }
    }

    pub(super) fn node(&self, element: &PathElement<'_>) -> Option<&Node<'a>> {
        self.find(element).ok().map(|index| &self.nodes[index])
    }

    /// Returns the node of a field of a struct or a key of a map.
    pub(super) fn node_of_field(&self, name: &str) -> Option<&Node<'a>> {
        let is_before = |node: &Node<'_>| node.element.as_field().is_some_and(|other| other < name);
        let node = self.nodes.get(self.nodes.partition_point(is_before))?;
        (node.element.as_field() == Some(name)).then_some(node)
    }

    /// Copies the set into one that borrows nothing.
    #[must_use]
    pub fn to_static(&self) -> FieldSet<'static> {
        let nodes = self.nodes.iter().map(|node| Node {
            element: node.element.to_static(),
            is_member: node.is_member,
            children: node.children.to_static(),
        });
        FieldSet { nodes: nodes.collect() }
    }

    /// Returns true if the field is a member of the set.
    #[must_use]
    pub fn contains(&self, path: &[PathElement<'_>]) -> bool {
        let Some((first, rest)) = path.split_first() else { return false };
        let Some(node) = self.node(first) else { return false };
        if rest.is_empty() { node.is_member } else { node.children.contains(rest) }
    }

    /// Returns the fields that are members of one of the sets.
    #[must_use]
    pub fn union(self, other: FieldSet<'a>) -> FieldSet<'a> {
        if self.is_empty() || other.is_empty() {
            return if self.is_empty() { other } else { self };
        }
        let mut nodes = Vec::with_capacity(self.nodes.len().max(other.nodes.len()));
        let mut others = other.nodes.into_iter().peekable();
        for mut node in self.nodes {
            while let Some(other) = others.next_if(|other| other.element < node.element) {
                nodes.push(other);
            }
            if let Some(other) = others.next_if(|other| other.element == node.element) {
                node.is_member |= other.is_member;
                node.children = node.children.union(other.children);
            }
            nodes.push(node);
        }
        nodes.extend(others);
        FieldSet { nodes }
    }

    /// Returns the fields that are members of both sets.
    #[must_use]
    pub fn intersection(&self, other: &FieldSet<'_>) -> FieldSet<'a> {
        let mut others = SortedNodes::of(other);
        let nodes = self.nodes.iter().filter_map(|node| {
            let other = others.find(&node.element)?;
            let node = Node {
                element: node.element.clone(),
                is_member: node.is_member && other.is_member,
                children: node.children.intersection(&other.children),
            };
            (!node.is_empty()).then_some(node)
        });
        FieldSet { nodes: nodes.collect() }
    }

    /// Returns the fields that are members of this set and not of the other. Fields below a member of the other set
    /// remain.
    #[must_use]
    pub fn difference(mut self, other: &FieldSet<'_>) -> FieldSet<'a> {
        let mut others = SortedNodes::of(other);
        self.nodes.retain_mut(|node| {
            if let Some(other) = others.find(&node.element) {
                node.is_member &= !other.is_member;
                node.children = std::mem::take(&mut node.children).difference(&other.children);
            }
            !node.is_empty()
        });
        self
    }

    /// Returns the fields of this set that are neither members of the other set nor below one of its members.
    #[must_use]
    pub fn recursive_difference(mut self, other: &FieldSet<'_>) -> FieldSet<'a> {
        let mut others = SortedNodes::of(other);
        self.nodes.retain_mut(|node| {
            if let Some(other) = others.find(&node.element) {
                if other.is_member {
                    return false;
                }
                node.children = std::mem::take(&mut node.children).recursive_difference(&other.children);
            }
            !node.is_empty()
        });
        self
    }

    /// Returns the members that have no members below them.
    #[must_use]
    pub fn leaves(&self) -> FieldSet<'a> {
        let leaf = |node: &Node<'a>| Node {
            element: node.element.clone(),
            is_member: node.is_member && node.children.is_empty(),
            children: node.children.leaves(),
        };
        FieldSet::from_nodes(self.nodes.iter().map(leaf).collect())
    }

    /// Returns the set with those declared fields added that have members below them, unless the library lacks
    /// [`LibraryChange::FieldsPruned`]. Upstream: `EnsureNamedFieldsAreMembers`.
    pub(super) fn with_declared_fields(mut self, place: Option<TypePosition<'_>>) -> FieldSet<'a> {
        if place.is_some_and(|place| !place.library().has(LibraryChange::FieldsPruned)) {
            return self;
        }
        let topology = place.map(|place| place.topology()).unwrap_or_default();
        for node in self.nodes.iter_mut().filter(|node| !node.children.is_empty()) {
            let mut inner = None;
            match (&node.element, topology.map, topology.list) {
                (PathElement::Field(name), Some(map), _) => {
                    let field = map.field(name);
                    inner = field.place;
                    node.is_member |= field.is_declared;
                }
                (PathElement::Key(_), _, Some(list)) => inner = Some(list.items),
                _ => {}
            }
            node.children = std::mem::take(&mut node.children).with_declared_fields(inner);
        }
        self
    }

    /// Calls a function with the path of each member. The members at one level precede those below it, as upstream's
    /// `Set.Iterate` visits them.
    pub fn for_each(&self, mut visit: impl FnMut(&[&PathElement<'a>])) {
        self.visit_members(&mut Vec::new(), &mut visit);
    }

    fn visit_members<'s>(
        &'s self,
        path: &mut Vec<&'s PathElement<'a>>,
        visit: &mut dyn FnMut(&[&PathElement<'a>]),
    ) {
        for node in self.nodes.iter().filter(|node| node.is_member) {
            path.push(&node.element);
            visit(path);
            path.pop();
        }
        for node in &self.nodes {
            path.push(&node.element);
            node.children.visit_members(path, visit);
            path.pop();
        }
    }

    /// Returns the paths of all members, as text.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.for_each(|path| paths.push(path.iter().map(ToString::to_string).collect()));
        paths
    }
}

#[cfg(test)]
mod tests;
