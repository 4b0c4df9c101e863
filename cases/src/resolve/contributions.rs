//! The contributions to the points of a case's matrix, before the case is complete: those of the case itself, of its axis
//! values, and of its overlays.

use skewer_skew::Request;

use crate::format::RequestName;
use crate::model::{Axis, Overlay, Point};
use crate::setting::{OtherRequestSetting, PartySetting, Setting, TypesName};

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

    /// Iterates over the requests that the client of the case can send.
    pub(super) fn requests(&self) -> impl Iterator<Item = Request> {
        self.all().filter_map(|setting| setting.request.and_then(RequestName::request))
    }

    /// Returns true if the client of the case, or another client, can send a server-side apply. Otherwise, managed
    /// fields have no effect.
    pub(super) fn has_server_side_apply(&self) -> bool {
        self.all().any(Setting::has_server_side_apply)
    }

    /// Lists every party that a point of the matrix can have, each with the types of the point, so that the view of
    /// each party is built before the run.
    pub(super) fn possible_parties(&self) -> Vec<(TypesName, PartySetting)> {
        let mut parties = self.parties_of_side(|setting| &setting.client);
        parties.extend(self.parties_of_side(|setting| &setting.server));
        for settings in self.combinations(|setting| setting.webhook.is_some()) {
            let types = self.types_of(&settings);
            let webhooks =
                std::iter::once(&self.base).chain(settings).filter_map(|setting| setting.webhook.as_ref());
            parties.extend(webhooks.map(|webhook| (types.clone(), webhook.party.clone())));
        }
        parties.extend(self.parties_of_other_requests(|other| Some(&other.client)));
        parties.extend(self.parties_of_other_requests(|other| other.server.as_ref()));
        parties
    }

    /// Lists every server that a point of the matrix can have, each with the types of the point.
    pub(super) fn possible_servers(&self) -> Vec<(TypesName, PartySetting)> {
        let mut servers = self.parties_of_side(|setting| &setting.server);
        servers.extend(self.parties_of_other_requests(|other| other.server.as_ref()));
        servers
    }

    fn parties_of_side(&self, side: fn(&Setting) -> &PartySetting) -> Vec<(TypesName, PartySetting)> {
        let party_at = |settings: Vec<&Setting>| {
            let mut party = side(&self.base).clone();
            for setting in &settings {
                party.overlay(side(setting));
            }
            (self.types_of(&settings), party)
        };
        let is_relevant =
            |setting: &Setting| !side(setting).has_full_view() || side(setting).minor().is_some();
        self.combinations(is_relevant).into_iter().map(party_at).collect()
    }

    fn parties_of_other_requests(
        &self,
        side: impl Fn(&OtherRequestSetting) -> Option<&PartySetting>,
    ) -> Vec<(TypesName, PartySetting)> {
        let mut parties = Vec::new();
        for settings in self.combinations(|setting| setting.other_requests().next().is_some()) {
            let types = self.types_of(&settings);
            let settings = std::iter::once(&self.base).chain(settings);
            let of_requests = settings.flat_map(Setting::other_requests).filter_map(&side);
            parties.extend(of_requests.map(|party| (types.clone(), party.clone())));
        }
        parties
    }

    /// Lists the types of all points of the matrix, each once.
    pub(super) fn possible_types(&self) -> Vec<TypesName> {
        let mut all = Vec::new();
        for settings in self.combinations(|_| false) {
            let types = self.types_of(&settings);
            if !all.contains(&types) {
                all.push(types);
            }
        }
        all
    }

    /// Returns the types of a point with these contributions.
    fn types_of(&self, settings: &[&Setting]) -> TypesName {
        let mut types = self.base.types.clone();
        for setting in settings {
            types.overlay(&setting.types);
        }
        types
    }

    /// Returns all combinations of contributions that occur at one point, as far as they satisfy `is_relevant` or
    /// choose other types. The contribution of the case itself is left out.
    fn combinations(&self, is_relevant: impl Fn(&Setting) -> bool) -> Vec<Vec<&Setting>> {
        let is_relevant = |setting: &Setting| setting.types.is_chosen() || is_relevant(setting);
        let overlays: Vec<&Overlay> =
            self.overlays.iter().filter(|overlay| is_relevant(&overlay.setting)).collect();
        let is_in_condition =
            |axis: usize| overlays.iter().any(|overlay| overlay.condition.0.iter().any(|of| of.axis == axis));
        let relevant_axes: Vec<usize> = (0..self.axes.len())
            .filter(|axis| {
                is_in_condition(*axis)
                    || self.axes[*axis].values.iter().any(|(_, setting)| is_relevant(setting))
            })
            .collect();
        // All other axes keep their first value: their contributions are not relevant.
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
        let contributions_at = |point: &Point| {
            let of_axes = relevant_axes.iter().map(|axis| &self.axes[*axis].values[point.0[*axis]].1);
            let overlays = overlays.iter().filter(|overlay| overlay.condition.matches(point));
            of_axes.chain(overlays.map(|overlay| &overlay.setting)).collect()
        };
        points.iter().map(contributions_at).collect()
    }
}
