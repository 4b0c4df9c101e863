//! Plans: everything that a runner needs to run a cell.

use std::collections::BTreeMap;
use std::sync::Arc;

use skewer_admission::Admission;
use skewer_engine::patch::PatchContext;
use skewer_engine::server_side_apply::Resource;
use skewer_engine::{Doc, OwnedDoc, OwnedText};
use skewer_skew::{
    InvalidOperation, Operand, Operation, OperationDeclaration, Performer, RequestType, Role, Scenario,
    ServedResource,
};

use super::cells::Cell;
use crate::format::RequestName;
use crate::model::{Case, CaseOperation, PatchOperation, Point};
use crate::setting::{PlanError, Setting};
use crate::types::Declaration;

/// The plan of a cell: what to run, with all data that the run needs.
#[derive(Clone, Debug)]
pub enum Plan {
    /// A scenario to run.
    Skew(Box<Scenario>),
    /// An operation on patches to perform.
    Patch(PatchPlan),
    /// Type declarations to read.
    Declare(Declaration),
}

/// An operation on patches, with its documents.
#[derive(Clone, Debug)]
pub struct PatchPlan {
    /// The operation, with its list of documents and its options.
    pub operation: PatchOperation,
    /// The patch context of the party that performs the operation; `None` if the operation needs no types.
    pub context: Option<PatchContext>,
    /// The resource with the versions that the case declares, or that the types declare. `None` stands for a resource with
    /// one version.
    pub resource: Option<Arc<Resource>>,
    /// The admission of the server, if the operation is a whole request and the objects are custom resources.
    pub admission: Option<Arc<Admission>>,
    /// The subresource to which the request is sent. Empty for the main resource.
    pub subresource: OwnedText,
    /// The documents by role.
    pub documents: BTreeMap<Role, Arc<OwnedDoc>>,
    /// The type of the request, if the operation is a whole request to a server.
    pub request_type: RequestType,
    /// Whether the server validates fields strictly. Only a whole request depends on it.
    pub strict: bool,
}

impl PatchPlan {
    /// Returns the declaration of the operation.
    #[must_use]
    pub fn declaration(&self) -> &'static OperationDeclaration {
        self.operation.kind.declaration()
    }

    /// Returns the operation to perform.
    ///
    /// # Errors
    /// Returns an error if the plan has the wrong operands. Plans from [`Cell::plan`] have the right operands.
    pub fn operation(&self) -> Result<Operation<'_>, InvalidOperation> {
        let documents = self.documents.iter().map(|(role, document)| (*role, (&**document).into()));
        let list = self.declaration().list_operand();
        let list = list.map(|operand| (operand.role, Operand::List(&self.operation.list)));
        let operation = Operation::new(self.operation.kind, self.context.as_ref(), documents.chain(list))?;
        let mut options = self.operation.options.as_operation_options();
        options.field_manager.resource = self.resource.as_deref();
        options.request.request_type = self.request_type;
        options.request.strict = self.strict;
        options.request.admission = self.admission.as_ref();
        options.field_manager.subresource = &self.subresource;
        Ok(operation.with_options(options))
    }
}

impl Cell<'_> {
    /// Returns the plan of the cell.
    ///
    /// # Errors
    /// Returns an error if the cell lacks a part. Loading a suite rules this out.
    pub fn plan(&self) -> Result<Plan, PlanError> {
        self.case.plan_with(self.case.setting_of_cell(&self.point()))
    }

    /// Returns the plan of the old client on the old server. Returns `None` if no compatibility promise covers the
    /// cell.
    #[must_use]
    pub fn plan_before(&self) -> Option<Result<Plan, PlanError>> {
        let promise = self.case.promise.as_ref()?;
        Some(self.case.plan_at(&promise.before(&self.point())))
    }
}

impl Case {
    fn plan_at(&self, point: &Point) -> Result<Plan, PlanError> {
        self.plan_with(self.setting(point))
    }

    /// Returns the plan of a point with this setting.
    pub(super) fn plan_with(&self, setting: Setting) -> Result<Plan, PlanError> {
        match &self.operation {
            CaseOperation::Skew => {
                setting.scenario(&self.views).map(|scenario| Plan::Skew(Box::new(scenario)))
            }
            CaseOperation::Patch(operation) => self.patch_plan(operation, setting).map(Plan::Patch),
            CaseOperation::Declare(declaration) => Ok(Plan::Declare(declaration.clone())),
        }
    }

    fn patch_plan(&self, operation: &PatchOperation, mut setting: Setting) -> Result<PatchPlan, PlanError> {
        let declaration = operation.kind.declaration();
        let party = match declaration.performer {
            Performer::Client => &setting.client,
            Performer::Server => &setting.server,
        };
        let types = &setting.types;
        let context = declaration.needs_types().then(|| {
            let context = if declaration.is_request() {
                self.views.server_context(types, party)
            } else {
                self.views.context(types, party)
            };
            context.ok_or(PlanError::NO_VIEW)
        });
        let context = context.transpose()?;
        let admission = self.views.admission(types, party);
        let subresource = setting.subresource.take().unwrap_or_default();
        let resource = match (&self.resource, &context) {
            (Some(resource), _) => Some(Arc::clone(resource)),
            (None, Some(context)) if declaration.takes_versions() => {
                let mut roles = [Role::Configuration, Role::New].into_iter();
                let version =
                    |role| setting.documents.get(&role)?.as_map()?.get("apiVersion").and_then(Doc::as_str);
                let sent = roles.find_map(version).unwrap_or_default();
                let served = ServedResource::new(context, admission.as_deref());
                // A list that server-side apply does not understand is refused by the operation.
                served.resource(sent, &subresource).ok().flatten().map(Arc::new)
            }
            (None, _) => None,
        };
        let mut documents = BTreeMap::new();
        let request_type = setting.request.and_then(RequestName::request_type);
        for role in declaration.document_roles() {
            match setting.documents.remove(&role) {
                Some(document) => {
                    documents.insert(role, document);
                }
                // A request that creates the object needs no live object.
                None if declaration.is_request() && role == Role::Live => {}
                None => return Err(PlanError::without(role.name())),
            }
        }
        Ok(PatchPlan {
            operation: operation.clone(),
            context,
            resource,
            admission: admission.filter(|_| declaration.is_request()),
            subresource,
            documents,
            request_type: if declaration.is_request() {
                request_type.ok_or(PlanError::without("request"))?
            } else {
                RequestType::default()
            },
            strict: setting.server.validates_strictly(),
        })
    }
}
