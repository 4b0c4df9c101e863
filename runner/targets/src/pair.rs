//! Two implementations in one cell: one is the client, and another one the server.

use skewer_admission::{AdmitRequest, DefinitionRequest};
use skewer_engine::OwnedDoc;
use skewer_engine::union::Admitted;
use skewer_skew::{
    ManifestRequest, Operation, OperationKind, Operations, Performer, ServerAccess, UnionWrite,
};

use super::{BuiltInTarget, OperationError, Target, TargetFailure, TargetInfo};
#[cfg(feature = "servers")]
use crate::live::LiveServers;

/// Two targets: one performs the operations of clients, and the other those of servers. The built-in engine is the side
/// that is not named, and is then not under test.
pub struct PairTarget {
    client: Option<Box<dyn Target>>,
    server: Option<Box<dyn Target>>,
}

impl PairTarget {
    /// Combines two targets.
    #[must_use]
    pub fn new(client: Option<Box<dyn Target>>, server: Option<Box<dyn Target>>) -> Self {
        PairTarget { client, server }
    }

    fn client(&self) -> &dyn Target {
        self.client.as_deref().unwrap_or(&BuiltInTarget)
    }

    fn server(&self) -> &dyn Target {
        self.server.as_deref().unwrap_or(&BuiltInTarget)
    }

    fn both(&self) -> [(&'static str, &dyn Target); 2] {
        [("client", self.client()), ("server", self.server())]
    }

    fn performer(&self, operation: &Operation<'_>) -> &dyn Target {
        match operation.kind().declaration().performer {
            Performer::Client => self.client(),
            Performer::Server => self.server(),
        }
    }
}

impl Target for PairTarget {
    /// Returns the names and versions of both: `go to kube-apiserver`, `1.37.2 to 1.36.3`.
    fn info(&self) -> TargetInfo {
        let (client, server) = (self.client().info(), self.server().info());
        let versions = [&client.version, &server.version].map(|v| v.as_deref().unwrap_or("unknown"));
        TargetInfo {
            name: format!("{} to {}", client.name, server.name),
            version: Some(versions.join(" to ")),
            language: None,
        }
    }

    fn sides(&self) -> Vec<TargetInfo> {
        [&self.client, &self.server].into_iter().flatten().map(|target| target.info()).collect()
    }

    fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
        self
    }

    fn performs_client_operations(&self) -> bool {
        self.client.is_some()
    }

    fn tested_parties(&self) -> &'static [Performer] {
        match (&self.client, &self.server) {
            (Some(_), Some(_)) => &[Performer::Client, Performer::Server],
            (Some(_), None) => &[Performer::Client],
            (None, Some(_)) => &[Performer::Server],
            (None, None) => &[],
        }
    }

    fn has_lossy_floats(&self, operation: &Operation<'_>) -> bool {
        self.performer(operation).has_lossy_floats(operation)
    }

    fn is_cheap_to_rerun(&self) -> bool {
        self.both().iter().all(|(_, target)| target.is_cheap_to_rerun())
    }

    fn performs_server_steps(&self) -> bool {
        self.server.as_deref().is_some_and(Target::performs_server_steps)
    }

    fn leaves_to_engine(&self, operation: OperationKind) -> bool {
        match operation.declaration().performer {
            Performer::Client => self.client().leaves_to_engine(operation),
            Performer::Server => self.server().leaves_to_engine(operation),
        }
    }

    fn kubernetes_release(&self) -> Option<u32> {
        self.server().kubernetes_release()
    }

    #[cfg(feature = "servers")]
    fn live(&self) -> Option<&LiveServers> {
        self.server().live()
    }

    fn has_declared_directive(&self, name: &str) -> bool {
        self.both().iter().any(|(_, target)| target.has_declared_directive(name))
    }

    fn permanent_failure(&self) -> Option<String> {
        self.both()
            .iter()
            .find_map(|(role, target)| target.permanent_failure().map(|why| format!("({role}) {why}")))
    }

    fn admit(&self, request: &AdmitRequest<'_>) -> Result<OwnedDoc, OperationError> {
        self.server().admit(request)
    }

    fn validate_definition(&self, request: &DefinitionRequest<'_>) -> Result<OwnedDoc, OperationError> {
        self.server().validate_definition(request)
    }

    fn stop(&self) {
        for (_, target) in self.both() {
            target.stop();
        }
    }

    fn warnings(&self) -> Vec<String> {
        let of = |(role, target): (&str, &dyn Target)| {
            let warnings = target.warnings().into_iter();
            warnings.map(|warning| format!("{role}: {warning}")).collect::<Vec<_>>()
        };
        self.both().into_iter().flat_map(of).collect()
    }
}

impl Operations<TargetFailure> for PairTarget {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
        self.performer(operation).operations().perform(operation)
    }

    fn apply_manifest(
        &self,
        request: &ManifestRequest<'_>,
        server: ServerAccess<'_>,
    ) -> Option<Result<OwnedDoc, OperationError>> {
        self.client().operations().apply_manifest(request, server)
    }

    fn tools(&self) -> Option<Vec<String>> {
        self.client().operations().tools()
    }

    fn admit_unions(&self, write: &UnionWrite<'_>) -> Option<Result<Admitted, OperationError>> {
        self.server().operations().admit_unions(write)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_engine::document::from_json;
    use skewer_skew::{OperationKind, Role, untyped_context};

    use super::*;

    /// A target that returns its name.
    struct Named(&'static str);

    impl Target for Named {
        fn info(&self) -> TargetInfo {
            TargetInfo { name: self.0.to_owned(), version: None, language: None }
        }

        fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
            self
        }

        fn warnings(&self) -> Vec<String> {
            vec!["w".to_owned()]
        }
    }

    impl Operations<TargetFailure> for Named {
        fn perform(&self, _operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
            Ok(self.0.into())
        }
    }

    #[test]
    fn each_side_performs_its_operations() {
        let pair = PairTarget::new(Some(Box::new(Named("c"))), Some(Box::new(Named("s"))));
        let context = untyped_context().unwrap();
        let document = from_json(b"{}").unwrap();
        let perform = |kind, roles: [Role; 2]| {
            let operands = roles.map(|role| (role, (&document).into()));
            let operation = Operation::new(kind, Some(&context), operands).unwrap();
            pair.perform(&operation).unwrap().as_str().map(str::to_owned)
        };
        let created = perform(OperationKind::JsonMergeTwoWay, [Role::Original, Role::Modified]);
        let applied = perform(OperationKind::JsonMergeApply, [Role::Live, Role::Patch]);
        assert_eq!((created.as_deref(), applied.as_deref()), (Some("c"), Some("s")));
        assert_eq!(pair.warnings(), ["client: w", "server: w"]);
        assert_eq!(pair.info().name, "c to s");
    }

    #[rstest]
    #[case::a_client(true, false, "c to builtin", &[Performer::Client])]
    #[case::a_server(false, true, "builtin to s", &[Performer::Server])]
    #[case::both(true, true, "c to s", &[Performer::Client, Performer::Server])]
    fn the_named_sides_are_tested(
        #[case] client: bool,
        #[case] server: bool,
        #[case] name: &str,
        #[case] expected: &[Performer],
    ) {
        let named = |is_named: bool, name| is_named.then(|| Box::new(Named(name)) as Box<dyn Target>);
        let pair = PairTarget::new(named(client, "c"), named(server, "s"));
        assert_eq!(pair.tested_parties(), expected);
        assert_eq!(pair.performs_client_operations(), client);
        assert_eq!(pair.info().name, name);
    }
}
