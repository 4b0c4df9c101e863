//! The cells of a case that have the same ideal.

use skewer_skew::Request;

use super::cells::Cell;
use crate::format::RequestName;
use crate::model::{AllowedValues, Axis, Case};
use crate::setting::{PartySetting, Setting};

/// The values of the axes of a case, in classes: if a value is replaced by another one of its class, the ideal stays the
/// same. Two values are in one class if they differ only in what an up-to-date party does not lack, such as the fields
/// that a client knows.
///
/// The classes are a cautious estimate: values of different classes can have the same ideal, too.
#[derive(Debug)]
pub struct IdealClasses {
    /// For each axis, the first value of the class of each value.
    first_values: Vec<Vec<usize>>,
}

/// Maximum number of classes of an axis with which a value is compared, so that the time is linear in the values.
const MAX_COMPARED: usize = 64;

impl IdealClasses {
    /// Returns the classes of a case.
    #[must_use]
    pub fn of(case: &Case) -> Self {
        let axes = case.axes.iter().enumerate();
        IdealClasses { first_values: axes.map(|(index, axis)| first_values(case, index, axis)).collect() }
    }

    /// Returns the number of the first point of the matrix that has the same ideal as a cell of the case. The point can be
    /// an excluded one.
    #[must_use]
    pub fn first_point(&self, cell: &Cell<'_>) -> usize {
        cell.point().number_with(&self.first_values)
    }
}

/// Returns the first value of the class of each value of an axis.
fn first_values(case: &Case, axis: usize, Axis { values, .. }: &Axis) -> Vec<usize> {
    let parts: Vec<IdealPart> = values.iter().map(|(_, setting)| IdealPart::of(setting)).collect();
    // The overlays that contribute to the ideal: a class has only values that are alike to their conditions.
    let nothing = IdealPart::of(&Setting::default());
    let overlays = case.overlays.iter().filter(|overlay| IdealPart::of(&overlay.setting) != nothing);
    let conditions = overlays.flat_map(|overlay| &overlay.condition.0).filter(|of| of.axis == axis);
    let conditions: Vec<&AllowedValues> = conditions.collect();
    let is_same = |a: usize, b: usize| {
        parts[a] == parts[b] && conditions.iter().all(|condition| condition.allows(a) == condition.allows(b))
    };
    let mut classes: Vec<usize> = Vec::new();
    let class_of = |value: usize| {
        let class = classes.iter().take(MAX_COMPARED).copied().find(|first| is_same(*first, value));
        class.unwrap_or_else(|| {
            classes.push(value);
            value
        })
    };
    (0..values.len()).map(class_of).collect()
}

/// The part of a contribution that has an effect on the ideal.
#[derive(Debug, PartialEq)]
struct IdealPart {
    /// The request that the client of the ideal sends. A server-side apply stays one, although that of the ideal is an update
    /// if there is an intent.
    request: Option<Request>,
    /// Everything else.
    setting: Setting,
}

impl IdealPart {
    fn of(setting: &Setting) -> Self {
        // The parties of the ideal are up to date. A server of a release can validate less strictly.
        let client = PartySetting {
            schema: None,
            missing_elements: Vec::new(),
            missing_directives: Vec::new(),
            profile: None,
            release: None,
            ..setting.client.clone()
        };
        let server = PartySetting {
            schema: None,
            missing_elements: Vec::new(),
            missing_directives: Vec::new(),
            ..setting.server.clone()
        };
        IdealPart {
            request: setting.request.and_then(RequestName::request).map(|request| request.of_ideal(true)),
            setting: Setting { client, server, request: None, level: None, ..setting.clone() },
        }
    }
}
