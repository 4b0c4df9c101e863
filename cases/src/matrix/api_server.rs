//! Plans of cells for API servers of Kubernetes releases: the server of the cell is such a server.

use std::fmt;
use std::sync::Arc;

use skewer_engine::patch::SpareCapacity;
use skewer_engine::profile::Profile;
use skewer_engine::schema::builtin::{self, Release, ReleaseKind};
use skewer_engine::union::policy;
use skewer_skew::OperationKind;

use super::cells::Cell;
use super::plan::Plan;
use crate::model::CaseOperation;
use crate::setting::{PartySetting, PlanError, TypesName};

/// The plan of a cell whose server is the API server of a release.
#[derive(Clone, Debug)]
pub struct ApiServerPlan {
    /// The plan. The server has the types and the behaviour of the release.
    pub plan: Plan,
    /// Whether the cell itself says that its server is of this release. Otherwise, the server of the cell is up to date,
    /// and the expectation of the cell can differ from what the release does.
    pub is_release_of_cell: bool,
}

/// The reason why a cell has no plan for an API server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoApiServerPlan {
    /// The cell is not about such a server.
    NotAbout(NotAboutServer),
    /// The cell cannot be run.
    Invalid(PlanError),
}

impl From<PlanError> for NoApiServerPlan {
    fn from(error: PlanError) -> Self {
        NoApiServerPlan::Invalid(error)
    }
}

/// The reason why a cell is not about an API server of a release. It displays as a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAboutServer {
    /// The cell performs this operation, and sends no request.
    Operation(OperationKind),
    /// The server of the cell is of the release with this name.
    OtherRelease(&'static str),
    /// There are no types of the release 1.X.
    NoTypes(u32),
    /// The release 1.X does not have the type of the object.
    NoType(u32),
    /// Another reason.
    Other(&'static str),
}

impl fmt::Display for NotAboutServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAboutServer::Operation(kind) => {
                write!(f, "an API server processes whole requests, not `{kind}`")
            }
            NotAboutServer::OtherRelease(name) => write!(f, "the server of the cell is {name}"),
            NotAboutServer::NoTypes(minor) => {
                write!(f, "Skewer has no types of kubernetes-1.{minor} to compare with")
            }
            NotAboutServer::NoType(minor) => {
                write!(f, "kubernetes-1.{minor} does not have the type of the object")
            }
            NotAboutServer::Other(why) => f.write_str(why),
        }
    }
}

fn not_about(why: &'static str) -> NoApiServerPlan {
    NoApiServerPlan::NotAbout(NotAboutServer::Other(why))
}

impl Cell<'_> {
    /// Returns the plan of the cell with an API server of the Kubernetes release 1.`minor`.
    ///
    /// # Errors
    /// Returns [`NoApiServerPlan::NotAbout`] if the server of the cell is another one: it has types of its own, lacks
    /// fields or directives, or validates unions.
    pub fn plan_for_api_server(&self, minor: u32) -> Result<ApiServerPlan, NoApiServerPlan> {
        match &self.case.operation {
            CaseOperation::Skew => {}
            CaseOperation::Patch(operation) if operation.kind.declaration().is_request() => {}
            CaseOperation::Patch(operation) => {
                return Err(NoApiServerPlan::NotAbout(NotAboutServer::Operation(operation.kind)));
            }
            CaseOperation::Declare(_) => return Err(not_about("an API server reads no type declarations")),
        }
        let release = builtin::release(&format!("kubernetes-1.{minor}"))
            .map_err(|_| NoApiServerPlan::NotAbout(NotAboutServer::NoTypes(minor)))?;
        let point = self.point();
        self.check_types(&self.case.types(&point))?;
        let mut setting = self.case.setting_of_cell(&point);
        if setting.negotiations().next().is_some() {
            return Err(not_about("API servers negotiate no version of patches"));
        }
        if setting.webhook.is_some() {
            return Err(not_about("the cluster of the cell has a webhook"));
        }
        let is_release_of_cell = setting.server.release.is_some();
        become_api_server(&mut setting.server, release)?;
        for other in setting.history.iter_mut().chain(&mut setting.meanwhile) {
            let Some(server) = &mut Arc::make_mut(other).server else { continue };
            if server.release.is_none() {
                return Err(not_about("another client sends its request to another server"));
            }
            become_api_server(server, release)?;
        }
        let plan = self.case.plan_with(setting).map_err(|error| {
            if self.plan().is_ok() {
                NoApiServerPlan::NotAbout(NotAboutServer::NoType(minor))
            } else {
                NoApiServerPlan::Invalid(error)
            }
        })?;
        Ok(ApiServerPlan { plan, is_release_of_cell })
    }

    /// Checks that the types of the case are those of a release, and that the objects are of a kind.
    fn check_types(&self, types: &TypesName) -> Result<(), NoApiServerPlan> {
        let context = self.case.views.up_to_date(types).ok_or(PlanError::without("root type"))?;
        if builtin::release_of_schema(&context.schema).is_none() {
            return Err(not_about("the types of the case are not those of a Kubernetes release"));
        }
        if ReleaseKind::of(&context.schema, context.root).is_none() {
            return Err(not_about("the type of the case is no kind: an API server stores whole objects"));
        }
        Ok(())
    }
}

fn become_api_server(server: &mut PartySetting, release: &'static Release) -> Result<(), NoApiServerPlan> {
    let has_other_profile = match server.profile {
        None | Some(Profile::Today) => false,
        Some(Profile::Release(minor)) => minor != release.minor(),
        Some(_) => true,
    };
    if !server.missing_elements.is_empty() {
        return Err(not_about("the server of the cell lacks elements of its types"));
    }
    if !server.missing_directives.is_empty() || has_other_profile {
        return Err(not_about("the server of the cell has other directives"));
    }
    if server.spare_capacity.is_some_and(|of_cell| of_cell != SpareCapacity::None) {
        return Err(not_about("the server of the cell merges into decoded lists"));
    }
    if server.policy.is_some_and(|of_cell| of_cell.name() != policy::NONE.name()) {
        return Err(not_about(
            "the server of the cell validates unions, and the request handlers validate nothing",
        ));
    }
    match server.release {
        Some(of_cell) if of_cell.minor() != release.minor() => {
            Err(NoApiServerPlan::NotAbout(NotAboutServer::OtherRelease(of_cell.name())))
        }
        _ => {
            (server.release, server.profile) = (Some(release), None);
            Ok(())
        }
    }
}
