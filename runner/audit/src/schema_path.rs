//! Paths of elements of a schema: `spec.endpoints[].weight`.

use std::fmt;
use std::str::FromStr;

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

impl FromStr for SchemaPath {
    type Err = String;

    /// Reads a path as it is displayed: `spec.endpoints[].weight`, `spec.labels.*`, `spec["a.b"]`.
    fn from_str(text: &str) -> Result<Self, String> {
        let malformed = || format!("expected a path such as spec.endpoints[].url, found {text:?}");
        let mut steps = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix("[]") {
                steps.push(SchemaStep::Items);
                rest = after;
            } else if let Some(quoted) = rest.strip_prefix("[\"") {
                let (name, after) = quoted.split_once("\"]").ok_or_else(malformed)?;
                steps.push(SchemaStep::Field(name.to_owned()));
                rest = after;
            } else {
                // Only the first name has no dot before it.
                let name = if steps.is_empty() { Some(rest) } else { rest.strip_prefix('.') };
                let name = name.ok_or_else(malformed)?;
                let (name, after) = name.split_at(name.find(['.', '[']).unwrap_or(name.len()));
                steps.push(match name {
                    "" => return Err(malformed()),
                    "*" => SchemaStep::Values,
                    name => SchemaStep::Field(name.to_owned()),
                });
                rest = after;
            }
        }
        if steps.is_empty() { Err(malformed()) } else { Ok(SchemaPath(steps)) }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("spec.endpoints[].weight")]
    #[case("spec.matrix[][].a")]
    #[case("spec.labels.*.a")]
    #[case("spec[\"example.com/a\"].b")]
    fn a_displayed_path_can_be_read(#[case] text: &str) {
        let path: SchemaPath = text.parse().expect("a path");
        assert_eq!(path.to_string(), text);
        assert!(path.steps().len() > 2, "{path:?}");
    }

    #[rstest]
    #[case("")]
    #[case(".spec")]
    #[case("spec.")]
    #[case("spec..a")]
    #[case("spec[0]")]
    #[case("spec[]a")]
    fn a_malformed_path_is_refused(#[case] text: &str) {
        assert!(text.parse::<SchemaPath>().is_err());
    }
}
