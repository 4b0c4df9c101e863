//! The KEP's four conclusions, and the counts from which they follow.

use serde::Serialize;

use super::matrix::{Matrix, Point, UnionKind};
use super::policies::{KEP_POLICY, PolicyCounts, count_by_policy};

/// A conclusion of the KEP, held against the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Conclusion {
    /// The rows that the KEP cites, without and with a discriminator.
    pub cited: [u32; 2],
    /// The subject, in a few words.
    pub about: String,
    /// The words of the KEP.
    pub says: String,
    /// A remark.
    pub note: Option<String>,
    /// The points of the matrix that it is about, as pairs of axis and value.
    pub when: Vec<[String; 2]>,
    /// The findings at these points.
    pub findings: Vec<Finding>,
}

/// The counts for optional, or for required unions, and whether the conclusion follows from them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Unions without a discriminator, by policy.
    pub without: Vec<PolicyCounts>,
    /// Unions with one, by policy.
    pub with: Vec<PolicyCounts>,
    /// `optional` or `required`.
    pub unions: String,
    /// Whether the conclusion follows.
    #[serde(rename = "verdict")]
    pub status: ConclusionStatus,
    /// From which counts it follows, or why it does not.
    pub why: String,
}

/// Whether a conclusion follows from the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConclusionStatus {
    /// All that is claimed is so.
    Follows,
    /// Unions with a discriminator do as claimed, and some policies do as well without one.
    InPart,
    /// It is not so.
    DoesNotFollow,
    /// The KEP does not speak of these unions: it assumes that the union is optional.
    NotClaimed,
}

impl ConclusionStatus {
    /// In words.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            ConclusionStatus::Follows => "follows",
            ConclusionStatus::InPart => "follows in part",
            ConclusionStatus::DoesNotFollow => "does not follow",
            ConclusionStatus::NotClaimed => "not claimed",
        }
    }
}

impl Conclusion {
    /// Whether it follows for optional or for required unions, and is refuted for neither.
    #[must_use]
    pub fn follows(&self) -> bool {
        let has = |status| self.findings.iter().any(|finding| finding.status == status);
        has(ConclusionStatus::Follows) && !has(ConclusionStatus::DoesNotFollow)
    }
}

/// The outcome that is expected of every cell.
#[derive(Clone, Copy)]
enum ExpectedOutcome {
    Intended,
    NotIntended,
    Silent,
    NotSilent,
    Refused,
}

impl ExpectedOutcome {
    fn count(self, counts: &PolicyCounts) -> usize {
        match self {
            ExpectedOutcome::Intended => counts.intended,
            ExpectedOutcome::NotIntended => counts.cells - counts.intended,
            ExpectedOutcome::Silent => counts.silent(),
            ExpectedOutcome::NotSilent => counts.cells - counts.silent(),
            ExpectedOutcome::Refused => counts.refused,
        }
    }

    fn is_true_of_all(self, counts: &PolicyCounts) -> bool {
        counts.cells > 0 && self.count(counts) == counts.cells
    }

    /// In words, with the count of those that are, or are not, as the claim says.
    fn described(self, counts: &PolicyCounts) -> String {
        let (count, what) = match self {
            ExpectedOutcome::Intended | ExpectedOutcome::NotIntended => (counts.intended, "as intended"),
            ExpectedOutcome::Silent | ExpectedOutcome::NotSilent => (counts.silent(), "silently wrong"),
            ExpectedOutcome::Refused => (counts.refused, "refused"),
        };
        format!("{count} of {} cells are {what}", counts.cells)
    }
}

/// A conclusion as the KEP states it, and the outcomes that it claims.
struct ConclusionSpec {
    cited: [u32; 2],
    about: &'static str,
    says: &'static str,
    note: Option<&'static str>,
    when: &'static [(&'static str, &'static str)],
    /// The claim on unions without a discriminator, under every policy but the excepted one.
    expected_without: ExpectedOutcome,
    excepted_policy: Option<&'static str>,
    /// The claim on unions with a discriminator, under the policy of the KEP.
    expected_with: ExpectedOutcome,
    /// Whether the claim is made of required unions as well.
    applies_to_required: bool,
}

/// "The major conclusions are as follows (along with the test case number from the test matrix)."
const CONCLUSIONS: [ConclusionSpec; 4] = [
    ConclusionSpec {
        cited: [22, 27],
        about: "to clear a union of which the set member is unknown",
        says: "If an unstructured client is unaware of field on the union, but wants to clear the union entirely \
               (assuming the union is optional), it will have no way of doing so without a discriminator. With a \
               discriminator, the client can express its intention by setting the discriminator to the empty value \
               and the server can respect its intentions and clear any fields the client is unaware of.",
        note: None,
        when: &[
            ("client", "unaware"),
            ("holding", "unstructured"),
            ("server", "aware"),
            ("live", "new"),
            ("do", "clear"),
        ],
        expected_without: ExpectedOutcome::NotIntended,
        excepted_policy: None,
        expected_with: ExpectedOutcome::Intended,
        applies_to_required: false,
    },
    ConclusionSpec {
        cited: [12, 16],
        about: "to echo a union of which the set member is unknown",
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
            ("client", "unaware"),
            ("holding", "structured"),
            ("server", "aware"),
            ("live", "new"),
            ("do", "echo"),
            ("request", "update"),
        ],
        expected_without: ExpectedOutcome::Silent,
        excepted_policy: None,
        expected_with: ExpectedOutcome::NotSilent,
        applies_to_required: true,
    },
    ConclusionSpec {
        cited: [34, 39],
        about: "to set a member that the server does not know",
        says: "If a client sets a union field that the server is not aware of, the server will silently drop it and \
               attempt to clear the object of the union field. With a discriminator, the server will see the \
               unrecognized discriminator value and can fail loudly.",
        note: None,
        when: &[("client", "aware"), ("server", "unaware"), ("do", "set-new")],
        expected_without: ExpectedOutcome::Silent,
        excepted_policy: None,
        expected_with: ExpectedOutcome::Refused,
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
            ("client", "unaware"),
            ("holding", "unstructured"),
            ("server", "aware"),
            ("live", "new"),
            ("do", "set-known"),
        ],
        expected_without: ExpectedOutcome::NotIntended,
        // The "convoluted logic" is what this policy has.
        excepted_policy: Some("deduce"),
        expected_with: ExpectedOutcome::Intended,
        applies_to_required: true,
    },
];

pub(super) fn conclusions(matrix: &Matrix) -> Vec<Conclusion> {
    let conclusion = |spec: &ConclusionSpec| Conclusion {
        cited: spec.cited,
        about: spec.about.to_owned(),
        says: spec.says.to_owned(),
        note: spec.note.map(str::to_owned),
        when: spec.when.iter().map(|(axis, value)| [(*axis).to_owned(), (*value).to_owned()]).collect(),
        findings: vec![
            finding(matrix, spec, [UnionKind::PlainOptional, UnionKind::DiscriminatedOptional], true),
            finding(
                matrix,
                spec,
                [UnionKind::PlainRequired, UnionKind::DiscriminatedRequired],
                spec.applies_to_required,
            ),
        ],
    };
    CONCLUSIONS.iter().map(conclusion).collect()
}

fn finding(
    matrix: &Matrix,
    spec: &ConclusionSpec,
    [plain, discriminated]: [UnionKind; 2],
    claimed: bool,
) -> Finding {
    let of = |union: UnionKind| {
        count_by_policy(matrix, |point: &Point| point.union == union && point.has_values(spec.when))
    };
    let (without, with) = (of(plain), of(discriminated));
    let (status, why) = judge(spec, &without, &with);
    let status = if claimed { status } else { ConclusionStatus::NotClaimed };
    let unions = if plain == UnionKind::PlainOptional { "optional" } else { "required" };
    Finding { without, with, unions: unions.to_owned(), status, why }
}

fn judge(
    spec: &ConclusionSpec,
    without: &[PolicyCounts],
    with: &[PolicyCounts],
) -> (ConclusionStatus, String) {
    let (excepted, asked): (Vec<&PolicyCounts>, Vec<&PolicyCounts>) =
        without.iter().partition(|counts| Some(counts.policy.as_str()) == spec.excepted_policy);
    let (so, not): (Vec<&PolicyCounts>, Vec<&PolicyCounts>) =
        asked.into_iter().partition(|counts| spec.expected_without.is_true_of_all(counts));
    let mut parts = Vec::new();
    if let Some(first) = so.first() {
        let whose = if not.is_empty() && excepted.is_empty() { "every policy" } else { &list_policies(&so) };
        parts.push(format!(
            "Without a discriminator {} under {whose}.",
            spec.expected_without.described(first)
        ));
    }
    if let Some(first) = not.first() {
        let alike = not.iter().all(|counts| counts.description() == first.description());
        let how = if alike { first.description() } else { "otherwise".to_owned() };
        parts.push(format!("But {how} under {}, without a discriminator as well.", list_policies(&not)));
    }
    for counts in excepted {
        parts.push(format!(
            "The logic that the KEP calls convoluted is {}: {}.",
            counts.policy,
            counts.description()
        ));
    }
    let kep = with.iter().find(|counts| counts.policy == KEP_POLICY);
    if let Some(counts) = kep {
        let kinds = format!(" ({})", counts.description());
        let told = matches!(spec.expected_with, ExpectedOutcome::Intended | ExpectedOutcome::Refused)
            && spec.expected_with.is_true_of_all(counts);
        let kinds = if told { "" } else { &kinds };
        parts.push(format!("With one {} under {KEP_POLICY}{kinds}.", spec.expected_with.described(counts)));
    }
    let as_claimed = kep.is_some_and(|counts| spec.expected_with.is_true_of_all(counts));
    let status = match (so.is_empty(), not.is_empty(), as_claimed) {
        (false, true, true) => ConclusionStatus::Follows,
        (false, false, true) => ConclusionStatus::InPart,
        _ => ConclusionStatus::DoesNotFollow,
    };
    (status, parts.join(" "))
}

fn list_policies(counts: &[&PolicyCounts]) -> String {
    counts.iter().map(|counts| counts.policy.as_str()).collect::<Vec<_>>().join(", ")
}
