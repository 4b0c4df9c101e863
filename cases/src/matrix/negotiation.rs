//! Clients that negotiate the version of types and directives with their server, at the points of a matrix.

use skewer_engine::Result;
use skewer_skew::Request;

use super::cells::{Cell, MAX_CELLS};
use super::plan::Plan;
use crate::format::RequestName;
use crate::model::{Case, Point};
use crate::setting::Setting;

impl Case {
    /// Returns the same case with a client that negotiates at every point, or `None` if the case has no patch of a client. Only the
    /// client of the case negotiates: other clients, and the client of a compatibility promise, stay as they are.
    ///
    /// # Errors
    /// Returns an error if the negotiated types cannot be built: the older schema lacks an element that a party does not
    /// know.
    pub fn negotiating(&self) -> Result<Option<Case>> {
        let requests = self.settings().filter_map(|setting| setting.request.and_then(RequestName::request));
        if !requests.into_iter().any(Request::is_patch) {
            return Ok(None);
        }
        let mut case = Case { client_negotiates: true, reference_case: None, ..self.clone() };
        case.prepare_negotiations()?;
        Ok(Some(case))
    }

    /// Builds the views of the clients that negotiate.
    pub(crate) fn prepare_negotiations(&mut self) -> Result<()> {
        let negotiates = |setting: &Setting| setting.negotiations().next().is_some();
        if !self.client_negotiates && !self.settings().any(negotiates) {
            return Ok(());
        }
        for number in 0..self.matrix_size().unwrap_or(0).min(MAX_CELLS) {
            let point = self.point(number);
            if self.is_excluded(&point) {
                continue;
            }
            let setting = self.setting_of_cell(&point);
            for (client, server) in setting.negotiations() {
                let version = self.views.negotiated(&setting.types, client, server);
                self.views.prepare(&setting.types, &version)?;
            }
        }
        Ok(())
    }

    /// Returns the setting of the cell at a point. Unlike [`Case::setting`], it is not that of a compatibility promise.
    pub(super) fn setting_of_cell(&self, point: &Point) -> Setting {
        let mut setting = self.setting(point);
        if self.client_negotiates {
            setting.client.negotiates = Some(true);
        }
        setting
    }
}

impl Cell<'_> {
    /// Returns true if the client of the cell sends a patch, which depends on the version that the client speaks.
    #[must_use]
    pub fn sends_patch(&self) -> bool {
        matches!(self.plan(), Ok(Plan::Skew(plan)) if plan.request.is_patch())
    }
}
