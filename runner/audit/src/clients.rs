//! The clients that write objects, as a user declares them.

use super::situation::ClientStyle;

/// A set of client styles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clients([bool; ClientStyle::ALL.len()]);

/// Names for several styles. Every style is a name, too.
const GROUPS: [(&str, &[ClientStyle]); 4] = [
    ("typed-controller", &[ClientStyle::TypedUpdate, ClientStyle::TypedPatch]),
    ("untyped-controller", &[ClientStyle::UntypedUpdate, ClientStyle::UntypedPatch]),
    ("kubectl", &[ClientStyle::ClientSideApply, ClientStyle::UntypedUpdate, ClientStyle::UntypedPatch]),
    ("ssa", &[ClientStyle::ServerSideApply]),
];

impl Clients {
    /// Returns all names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        GROUPS.into_iter().map(|(name, _)| name).chain(ClientStyle::ALL.into_iter().map(ClientStyle::name))
    }

    /// Adds the styles of a name. Returns false if there is no such name.
    pub fn add(&mut self, name: &str) -> bool {
        let group = GROUPS.into_iter().find(|(known, _)| *known == name).map(|(_, styles)| styles.to_vec());
        let one = || ClientStyle::ALL.into_iter().find(|style| style.name() == name).map(|style| vec![style]);
        let styles = group.or_else(one).unwrap_or_default();
        for (known, is_declared) in ClientStyle::ALL.into_iter().zip(&mut self.0) {
            *is_declared |= styles.contains(&known);
        }
        !styles.is_empty()
    }

    /// Returns true if a client of a style is declared.
    #[must_use]
    pub fn has(self, style: ClientStyle) -> bool {
        ClientStyle::ALL.into_iter().zip(self.0).any(|(known, is_declared)| known == style && is_declared)
    }
}
