//! Where something stands in a document: `spec.ports[1]`.

use std::fmt;

use crate::value::Str;

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Segment {
    /// A key of a map.
    Key(Str),
    /// An item of a list, from 0.
    Index(usize),
}

/// A place in a document. The empty path is the document itself, written `.`.
///
/// ```
/// use skewer_engine::{Path, Segment};
///
/// let mut path = Path::root();
/// path.push(Segment::Key("ports".into()));
/// path.push(Segment::Index(0));
/// assert_eq!(path.to_string(), "ports[0]");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path(Vec<Segment>);

impl Path {
    /// The document itself.
    #[must_use]
    pub fn root() -> Self {
        Path(Vec::new())
    }

    /// The steps from the root.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// Goes one step down.
    pub fn push(&mut self, segment: Segment) {
        self.0.push(segment);
    }

    /// Goes one step up.
    pub fn pop(&mut self) {
        self.0.pop();
    }

    /// Puts a step in front. Errors collect their path this way while they travel up, so that success costs
    /// nothing.
    pub(crate) fn prepend(&mut self, segment: Segment) {
        self.0.insert(0, segment);
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(".");
        }
        for (i, segment) in self.0.iter().enumerate() {
            match segment {
                // Annotation keys hold dots and slashes: quoted, the path stays readable.
                Segment::Key(key) if key.is_empty() || key.contains(['.', '[', ']', '"']) => {
                    write!(f, "[{key:?}]")?;
                }
                Segment::Key(key) if i == 0 => f.write_str(key)?,
                Segment::Key(key) => write!(f, ".{key}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}
