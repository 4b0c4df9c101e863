//! Paths of elements of a schema: `spec.endpoints[].weight`.

use std::fmt;

/// One step of a [`SchemaPath`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SchemaStep {
    /// A field of an object.
    Field(String),
    /// The items of a list.
    Items,
    /// The values of a map.
    Values,
}

/// A path of an element of a schema. The empty path is the whole object. A path sorts before the paths of what it
/// contains.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SchemaPath(Vec<SchemaStep>);

impl SchemaPath {
    /// Returns the steps, starting at the root.
    #[must_use]
    pub fn steps(&self) -> &[SchemaStep] {
        &self.0
    }

    /// Returns the path with one more step.
    #[must_use]
    pub fn child(&self, step: SchemaStep) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        SchemaPath(steps)
    }

    /// Returns the path of the element that contains this one. `None` for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let (_, before) = self.0.split_last()?;
        Some(SchemaPath(before.to_vec()))
    }

    /// Returns the name of the field, if the path ends with one.
    #[must_use]
    pub fn field_name(&self) -> Option<&str> {
        match self.0.last() {
            Some(SchemaStep::Field(name)) => Some(name),
            _ => None,
        }
    }

    /// Returns true if the path is that of `other`, or of an element in it.
    #[must_use]
    pub fn is_within(&self, other: &SchemaPath) -> bool {
        self.0.starts_with(&other.0)
    }
}

impl FromIterator<SchemaStep> for SchemaPath {
    fn from_iter<I: IntoIterator<Item = SchemaStep>>(steps: I) -> Self {
        SchemaPath(steps.into_iter().collect())
    }
}

impl fmt::Display for SchemaPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(".");
        }
        for (index, step) in self.0.iter().enumerate() {
            match step {
                SchemaStep::Field(name) if name.contains(['.', '[', '*']) => write!(f, "[{name:?}]")?,
                SchemaStep::Field(name) if index == 0 => f.write_str(name)?,
                SchemaStep::Field(name) => write!(f, ".{name}")?,
                SchemaStep::Items => f.write_str("[]")?,
                SchemaStep::Values if index == 0 => f.write_str("*")?,
                SchemaStep::Values => f.write_str(".*")?,
            }
        }
        Ok(())
    }
}
