//! The contributions to the points of a case's matrix, before the case is complete: those of the case itself, of its axis
//! values, and of its overlays.

use skewer_engine::OwnedText;

use crate::model::{Axis, Overlay, PartySetting, Point, Setting};

/// The contributions to the points of a case's matrix.
pub(super) struct Contributions {
    pub(super) base: Setting,
    pub(super) axes: Vec<Axis>,
    pub(super) overlays: Vec<Overlay>,
}

impl Contributions {
    /// Iterates over all contributions.
    pub(super) fn all(&self) -> impl Iterator<Item = &Setting> {
        std::iter::once(&self.base).chain(self.of_matrix())
    }

    /// Iterates over the contributions of the axis values and of the overlays.
    pub(super) fn of_matrix(&self) -> impl Iterator<Item = &Setting> {
        let of_axes = self.axes.iter().flat_map(|axis| axis.values.iter().map(|(_, setting)| setting));
        of_axes.chain(self.overlays.iter().map(|overlay| &overlay.setting))
    }

    /// Lists every party that a point of the matrix can have, each with the root type of the point, so that the view of
    /// each party is built before the run.
    pub(super) fn possible_parties(&self) -> Vec<(Option<OwnedText>, PartySetting)> {
        let mut parties = self.parties_of_side(|setting| &setting.client);
        parties.extend(self.parties_of_side(|setting| &setting.server));
        parties
    }

    fn parties_of_side(&self, side: fn(&Setting) -> &PartySetting) -> Vec<(Option<OwnedText>, PartySetting)> {
        let is_relevant = |setting: &Setting| setting.root.is_some() || !side(setting).has_full_view();
        let overlays: Vec<&Overlay> =
            self.overlays.iter().filter(|overlay| is_relevant(&overlay.setting)).collect();
        let is_in_condition = |axis: usize| {
            overlays.iter().any(|overlay| overlay.condition.0.iter().any(|(of, _)| *of == axis))
        };
        let relevant_axes: Vec<usize> = (0..self.axes.len())
            .filter(|axis| {
                is_in_condition(*axis)
                    || self.axes[*axis].values.iter().any(|(_, setting)| is_relevant(setting))
            })
            .collect();
        // All other axes keep their first value: they change neither the root type nor the view of the party.
        let mut points = vec![Point(vec![0; self.axes.len()])];
        for axis in &relevant_axes {
            let with_value = |point: &Point, value: usize| {
                let mut point = point.clone();
                point.0[*axis] = value;
                point
            };
            let values = 0..self.axes[*axis].values.len();
            points = points
                .iter()
                .flat_map(|point| values.clone().map(move |value| with_value(point, value)))
                .collect();
        }
        let party_at = |point: &Point| {
            let mut root = self.base.root.clone();
            let mut party = side(&self.base).clone();
            let of_axes = relevant_axes.iter().map(|axis| &self.axes[*axis].values[point.0[*axis]].1);
            let overlays = overlays.iter().filter(|overlay| overlay.condition.matches(point));
            for setting in of_axes.chain(overlays.map(|overlay| &overlay.setting)) {
                root = setting.root.clone().or(root);
                party.overlay(side(setting));
            }
            (root, party)
        };
        points.iter().map(party_at).collect()
    }
}
