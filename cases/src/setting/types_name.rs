//! The names of the types of points: a schema and a root type.

use skewer_engine::OwnedText;
use skewer_yaml::Span;

/// The types of the objects at a point of the matrix.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct TypesName {
    /// The source span of the schema that an axis value or an overlay chooses. `None` stands for the schema of the case.
    pub(crate) schema: Option<Span>,
    /// The root type. `None` stands for that of the schema.
    pub(crate) root: Option<OwnedText>,
}

impl TypesName {
    /// Overlays the contribution of an axis value. Another schema has other root types.
    pub(crate) fn overlay(&mut self, contribution: &TypesName) {
        if contribution.schema.is_some() {
            self.clone_from(contribution);
        } else if contribution.root.is_some() {
            self.root.clone_from(&contribution.root);
        }
    }

    /// Returns true if the contribution of an axis value chooses other types.
    pub(crate) fn is_chosen(&self) -> bool {
        *self != TypesName::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_schema_replaces_the_root_type_and_another_root_type_keeps_the_schema() {
        let name = |schema: Option<usize>, root: Option<&str>| TypesName {
            schema: schema.map(|offset| Span { offset, ..Span::default() }),
            root: root.map(Into::into),
        };
        let mut types = name(None, Some("A"));
        types.overlay(&name(Some(7), None));
        assert_eq!(types, name(Some(7), None));
        types.overlay(&name(None, Some("B")));
        types.overlay(&name(None, None));
        assert_eq!(types, name(Some(7), Some("B")));
    }
}
