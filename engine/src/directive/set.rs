use super::{Directive, REGISTRY};
use crate::value::Map;

/// The directives that one party knows, in the registry's order.
#[derive(Clone, Debug)]
pub struct DirectiveSet {
    known: Vec<&'static dyn Directive>,
    /// Some directive acts without a key of its own, so that every map must be asked.
    implicit: bool,
}

impl DirectiveSet {
    /// Every registered directive.
    #[must_use]
    pub fn all() -> Self {
        Self::of(REGISTRY.iter().copied())
    }

    /// Just these, in the order given.
    pub fn of(known: impl IntoIterator<Item = &'static dyn Directive>) -> Self {
        let known: Vec<_> = known.into_iter().collect();
        let implicit = known.iter().any(|d| d.is_asked(&Map::new()));
        DirectiveSet { known, implicit }
    }

    /// The same without the directive of this name.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        Self::of(self.known.iter().copied().filter(|d| d.name() != name))
    }

    /// Is the directive of this name known?
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        self.known.iter().any(|d| d.name() == name)
    }

    /// The directives, in order.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn Directive> {
        self.known.iter().copied()
    }

    /// The directive that a key of a patch belongs to.
    #[must_use]
    pub fn owner(&self, key: &str) -> Option<&'static dyn Directive> {
        if !key.starts_with('$') {
            return None;
        }
        self.iter().find(|d| d.owns(key))
    }

    /// The directives that a patch map asks for. Costs one comparison when it has none.
    pub(crate) fn asked<'a>(&'a self, patch: &Map) -> &'a [&'static dyn Directive] {
        if self.implicit || patch.dollar_keys().next().is_some() { &self.known } else { &[] }
    }
}
