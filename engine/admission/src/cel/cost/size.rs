//! Ranges of sizes. Upstream: `SizeEstimate` (cel-go, `checker`).

use crate::cel::declared::Declared;
use crate::cel::types::Ty;

/// The cost of a new list. Upstream: `ListCreateBaseCost`.
pub(super) const NEW_LIST: u64 = 10;

/// The factor of the length of a text that is read once. Upstream: `StringTraversalCostFactor`.
pub(super) const PER_CHARACTER: f64 = 0.1;

/// The smallest and the largest size of a text, a list or a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) min: u64,
    pub(super) max: u64,
}

impl Size {
    pub(super) const UNKNOWN: Size = Size { min: 0, max: u64::MAX };

    pub(super) const fn of(size: u64) -> Size {
        Size { min: size, max: size }
    }

    pub(super) fn add(self, other: Size) -> Size {
        Size { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    pub(super) fn multiply(self, other: Size) -> Size {
        Size { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    pub(super) fn union(self, other: Size) -> Size {
        Size { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Returns the cost of reading a text of this size.
    pub(super) fn reading(self) -> u64 {
        scaled(self.max, PER_CHARACTER)
    }
}

/// Multiplies a size by a factor, and rounds up. Upstream: `multiplyByCostFactor`.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "Upstream converts the numbers in the same way, and a number that is too large saturates."
)]
pub(super) fn scaled(size: u64, factor: f64) -> u64 {
    (size as f64 * factor).ceil() as u64
}

/// Returns the size of the values at a path. The first name of the path does not count, whatever it is. Upstream:
/// `sizeEstimator.EstimateSize` (k8s.io/apiextensions-apiserver).
pub(super) fn size_at(variable: &Declared, path: &[String]) -> Option<Size> {
    let (_, names) = path.split_first()?;
    let mut declared = variable;
    for (position, name) in names.iter().enumerate() {
        declared = match name.as_str() {
            "@items" | "@values" => declared.element.as_deref()?,
            // The keys are texts, of which upstream knows no size.
            "@keys" => {
                let is_map = matches!(declared.ty, Ty::Map(..));
                return (is_map && position + 1 == names.len()).then(|| Size::of(0));
            }
            name => declared.fields.get(name)?,
        };
    }
    Some(Size { min: 0, max: declared.max_elements })
}
