//! The KEP's four conclusions, and the check of each against the counts.

use skewer_reports::kep::{
    CitedRow, Conclusion, ConclusionFinding, ConclusionStatus, PolicyCounts, UnionKind,
};

use super::matrix::{Matrix, Point};
use super::policies::{KEP_POLICY, count_by_policy};
use super::types;

/// An outcome that the KEP claims for every cell at some points.
#[derive(Clone, Copy)]
enum Claim {
    Intended,
    NotIntended,
    Silent,
    NotSilent,
    Refused,
}

impl Claim {
    /// Returns the number of cells for which the claim is true.
    fn count(self, counts: &PolicyCounts) -> usize {
        match self {
            Claim::Intended => counts.ideal(),
            Claim::NotIntended => counts.cells - counts.ideal(),
            Claim::Silent => counts.silent(),
            Claim::NotSilent => counts.cells - counts.silent(),
            Claim::Refused => counts.refused + counts.rejected,
        }
    }

    /// Returns true if there are cells, and the claim is true for all of them.
    fn is_true_of_all(self, counts: &PolicyCounts) -> bool {
        counts.cells > 0 && self.count(counts) == counts.cells
    }

    /// Describes the counts that decide whether the claim is true. For a negative claim, these are the counts of the
    /// cells that refute it.
    fn describe(self, counts: &PolicyCounts) -> String {
        let (count, words) = match self {
            Claim::Intended | Claim::NotIntended => (counts.ideal(), "as intended"),
            Claim::Silent | Claim::NotSilent => (counts.silent(), "silently wrong"),
            Claim::Refused => (counts.refused + counts.rejected, "refused"),
        };
        format!("{count} of {} cells are {words}", counts.cells)
    }
}

/// A conclusion as the KEP states it, and the outcomes that it claims.
struct ConclusionSpec {
    cited: [u32; 2],
    about: &'static str,
    says: &'static str,
    note: Option<&'static str>,
    when: &'static [(&'static str, &'static str)],
    /// Claim about unions without a discriminator, under every policy except `excepted_policy`.
    claim_without: Claim,
    excepted_policy: Option<&'static str>,
    /// Claim about unions with a discriminator, under the policy of the KEP.
    claim_with: Claim,
    /// Whether the KEP makes the claim about required unions, too.
    applies_to_required: bool,
}

/// "The major conclusions are as follows (along with the test case number from the test matrix)."
const CONCLUSIONS: [ConclusionSpec; 4] = [
    ConclusionSpec {
        cited: [22, 27],
        about: "to clear a union whose set member the client does not know",
        says: "If an unstructured client is unaware of field on the union, but wants to clear the union entirely \
               (assuming the union is optional), it will have no way of doing so without a discriminator. With a \
               discriminator, the client can express its intention by setting the discriminator to the empty value \
               and the server can respect its intentions and clear any fields the client is unaware of.",
        note: None,
        when: &[
            ("members", "required"),
            ("client", "unaware"),
            ("decoding", "unstructured"),
            ("server", "aware"),
            ("live", "new"),
            ("operation", "clear"),
        ],
        claim_without: Claim::NotIntended,
        excepted_policy: None,
        claim_with: Claim::Intended,
        applies_to_required: false,
    },
    ConclusionSpec {
        cited: [12, 16],
        about: "to echo a union whose set member the client does not know",
        says: "If a structured client is unaware of a field in the union that is set and it just wants to echo back \
               the union it received in a get request, a client without a discriminator will silently drop the \
               currently set field, while a client with the discriminator will not change the discriminator value, \
               indicating to the server that no changes are desired in the union.",
        note: Some(
            "The KEP does not say what becomes of such a request. By its rules the member is not kept, as the conclusion \
             may be read, but the request is refused: the member that the discriminator selects is empty. Nothing is \
             lost, and the client cannot update other parts of the object either.",
        ),
        when: &[
            ("members", "required"),
            ("client", "unaware"),
            ("decoding", "structured"),
            ("server", "aware"),
            ("live", "new"),
            ("operation", "echo"),
            ("request", "update"),
        ],
        claim_without: Claim::Silent,
        excepted_policy: None,
        claim_with: Claim::NotSilent,
        applies_to_required: true,
    },
    ConclusionSpec {
        cited: [34, 39],
        about: "to set a member that the server does not know",
        says: "If a client sets a union field that the server is not aware of, the server will silently drop it and \
               attempt to clear the object of the union field. With a discriminator, the server will see the \
               unrecognized discriminator value and can fail loudly.",
        note: None,
        when: &[
            ("members", "required"),
            ("client", "aware"),
            ("server", "unaware"),
            ("operation", "set-new"),
        ],
        claim_without: Claim::Silent,
        excepted_policy: None,
        claim_with: Claim::Refused,
        applies_to_required: true,
    },
    ConclusionSpec {
        cited: [23, 28],
        about: "to set a known member while an unknown one is set",
        says: "When a client goes to set a field it knows of, but a separate field it doesn't know about is currently \
               set, the server can simply know to always respect the discriminator. Without a discriminator, the \
               server will have to do convoluted logic to detect that the previously set field has not been modified \
               and that only one of the other union fields has been.",
        note: None,
        when: &[
            ("members", "required"),
            ("client", "unaware"),
            ("decoding", "unstructured"),
            ("server", "aware"),
            ("live", "new"),
            ("operation", "set-known"),
        ],
        claim_without: Claim::NotIntended,
        // This policy contains the "convoluted logic".
        excepted_policy: Some("deduce"),
        claim_with: Claim::Intended,
        applies_to_required: true,
    },
];

/// Checks the conclusions of the KEP against the outcomes.
pub(super) fn conclusions(matrix: &Matrix, rows: &[CitedRow]) -> Vec<Conclusion> {
    let conclusion = |spec: &ConclusionSpec| Conclusion {
        cited: spec.cited,
        about: spec.about.to_owned(),
        says: spec.says.to_owned(),
        note: spec.note.map(str::to_owned),
        when: spec.when.iter().map(|(axis, value)| [(*axis).to_owned(), (*value).to_owned()]).collect(),
        findings: findings(matrix, spec, Requests::WithoutManagers),
        server_side_apply: findings(matrix, spec, Requests::ServerSideApply)
            .into_iter()
            .filter(|finding| finding.without.iter().chain(&finding.with).any(|counts| counts.cells > 0))
            .collect(),
        types: types::dependences(rows, &matrix.policies, spec.cited),
    };
    CONCLUSIONS.iter().map(conclusion).collect()
}

/// The requests that are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Requests {
    /// Updates and patches. The conclusions of the KEP are about these.
    WithoutManagers,
    /// Server-side apply, whose conflicts between field managers the KEP does not consider.
    ServerSideApply,
}

impl Requests {
    fn contain(self, point: &Point) -> bool {
        point.has_values(&[("request", "server-side-apply")]) == (self == Requests::ServerSideApply)
    }
}

/// Returns the findings for optional and for required unions.
fn findings(matrix: &Matrix, spec: &ConclusionSpec, requests: Requests) -> Vec<ConclusionFinding> {
    let optional = [UnionKind::PlainOptional, UnionKind::DiscriminatedOptional];
    let required = [UnionKind::PlainRequired, UnionKind::DiscriminatedRequired];
    [optional, required].map(|unions| finding(matrix, spec, requests, unions)).into()
}

fn finding(
    matrix: &Matrix,
    spec: &ConclusionSpec,
    requests: Requests,
    [plain, discriminated]: [UnionKind; 2],
) -> ConclusionFinding {
    let counts_of = |union: UnionKind| {
        count_by_policy(matrix, |point: &Point| {
            point.union == union && requests.contain(point) && point.has_values(spec.when)
        })
    };
    let (without, with) = (counts_of(plain), counts_of(discriminated));
    let check = ClaimCheck::new(spec, &without, &with);
    let is_optional = plain == UnionKind::PlainOptional;
    let status =
        if is_optional || spec.applies_to_required { check.status() } else { ConclusionStatus::NotClaimed };
    let why = check.explain();
    let unions = if is_optional { "optional" } else { "required" };
    ConclusionFinding { without, with, unions: unions.to_owned(), status, why }
}

/// The counts for a conclusion, separated by whether the claims of the conclusion are true for them.
struct ClaimCheck<'c> {
    spec: &'c ConclusionSpec,
    /// Counts by policy, for the policies under which the claim about unions without a discriminator is true.
    agreeing: Vec<&'c PolicyCounts>,
    /// Counts by policy, for the policies under which this claim is false.
    disagreeing: Vec<&'c PolicyCounts>,
    /// Counts for the policy about which the KEP does not make this claim.
    excepted: Option<&'c PolicyCounts>,
    /// Counts of unions with a discriminator under the policy of the KEP.
    kep: Option<&'c PolicyCounts>,
}

impl<'c> ClaimCheck<'c> {
    fn new(spec: &'c ConclusionSpec, without: &'c [PolicyCounts], with: &'c [PolicyCounts]) -> Self {
        let is_excepted = |counts: &&PolicyCounts| Some(counts.policy.as_str()) == spec.excepted_policy;
        let (agreeing, disagreeing) = without
            .iter()
            .filter(|counts| !is_excepted(counts))
            .partition(|counts| spec.claim_without.is_true_of_all(counts));
        ClaimCheck {
            spec,
            agreeing,
            disagreeing,
            excepted: without.iter().find(is_excepted),
            kep: with.iter().find(|counts| counts.policy == KEP_POLICY),
        }
    }

    fn status(&self) -> ConclusionStatus {
        let is_true_with = self.kep.is_some_and(|counts| self.spec.claim_with.is_true_of_all(counts));
        match (self.agreeing.is_empty(), self.disagreeing.is_empty(), is_true_with) {
            (false, true, true) => ConclusionStatus::Follows,
            (false, false, true) => ConclusionStatus::InPart,
            _ => ConclusionStatus::DoesNotFollow,
        }
    }

    /// Returns the counts that lead to the status, in sentences.
    fn explain(&self) -> String {
        let mut parts = Vec::new();
        if let Some(first) = self.agreeing.first() {
            let is_every = self.disagreeing.is_empty() && self.excepted.is_none();
            let policies = if is_every { "every policy".to_owned() } else { list_policies(&self.agreeing) };
            let counts = self.spec.claim_without.describe(first);
            parts.push(format!("Without a discriminator {counts} under {policies}."));
        }
        if let Some(first) = self.disagreeing.first() {
            let description = first.description();
            let is_same = self.disagreeing.iter().all(|counts| counts.description() == description);
            let counts = if is_same { description } else { "other outcomes".to_owned() };
            let policies = list_policies(&self.disagreeing);
            parts.push(format!("But under {policies}, without a discriminator as well: {counts}."));
        }
        parts.extend(self.excepted.map(|counts| {
            let (policy, description) = (&counts.policy, counts.description());
            format!("The logic that the KEP calls convoluted is {policy}: {description}.")
        }));
        parts.extend(self.kep.map(|counts| self.explain_kep(counts)));
        parts.join(" ")
    }

    /// Describes the counts of unions with a discriminator. The list of all counts is left out if the rest of the
    /// sentence already contains them.
    fn explain_kep(&self, counts: &PolicyCounts) -> String {
        let claim = self.spec.claim_with;
        let names_outcome = matches!(claim, Claim::Intended | Claim::Refused);
        let description = if names_outcome && claim.is_true_of_all(counts) {
            String::new()
        } else {
            format!(" ({})", counts.description())
        };
        format!("With one {} under {KEP_POLICY}{description}.", claim.describe(counts))
    }
}

fn list_policies(counts: &[&PolicyCounts]) -> String {
    counts.iter().map(|counts| counts.policy.as_str()).collect::<Vec<_>>().join(", ")
}
