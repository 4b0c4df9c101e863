//! The report as data.

use serde::Serialize;
use skewer_results::vocabulary::Outcome;

/// The outcomes of the matrix of the KEP, by policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KepReport {
    /// Name of the implementation that was run.
    pub target: String,
    /// Number of cells of the matrix, over all policies.
    pub cells: usize,
    /// Number of points. A point is an operation, the party that does it, and the object; it has no policy.
    pub points: usize,
    /// Number of distinct behaviours: at each point, the number of distinct outcomes. A point at which all policies have
    /// the same outcome is one behaviour.
    pub behaviours: usize,
    /// Number of cells that do not do what the corpus expects.
    pub failed: usize,
    /// Number of cells without an outcome. They are counted nowhere else.
    pub not_run: usize,
    /// Policies, in the order of the design.
    pub policies: Vec<String>,
    /// Counts for all unions together, and for each kind of union.
    pub tables: Vec<PolicyTable>,
    /// Rows of the KEP's own table, as sets of points of the matrix.
    pub sheet: Vec<SheetRow>,
    /// Cases about single rows of the KEP's own table.
    pub rows: Vec<CitedRow>,
    /// Built-in types and custom resources, point by point.
    pub types: TypeComparison,
    /// Conclusions of the KEP, each with a status.
    pub conclusions: Vec<Conclusion>,
    /// Comparisons of `kep-1027` with each of the other policies, point by point.
    #[serde(rename = "against")]
    pub comparisons: Vec<PolicyComparison>,
    /// Points at which the policies differ.
    pub differences: Vec<PolicyDifference>,
}

/// The counts over the cells of some unions, by policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyTable {
    /// Description of the unions, in a few words.
    pub unions: String,
    /// Counts for each policy.
    pub policies: Vec<PolicyCounts>,
}

/// Counts of cells under one policy, by outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyCounts {
    /// Name of the policy.
    pub policy: String,
    /// Number of cells that were run.
    pub cells: usize,
    /// Cells in which the ideal is stored.
    pub intended: usize,
    /// Cells in which the ideal is a refusal, and the request is refused for the same reason.
    pub rejected: usize,
    /// Cells in which the request is refused: the user sees an error, and the stored object is unchanged.
    pub refused: usize,
    /// Silent cells in which the request is accepted, and nothing changed.
    pub ignored: usize,
    /// Silent cells in which the request is accepted, and something remains that should be gone.
    pub leftover: usize,
    /// Silent cells in which the request is accepted, and something is missing.
    pub lost: usize,
    /// Silent cells in which the request is accepted, and the object differs from the ideal in another way.
    pub diverged: usize,
    /// Silent cells in which the request is accepted, although the ideal is a refusal.
    pub wrongly_accepted: usize,
}

impl PolicyCounts {
    /// Returns the number of cells in which the request was accepted although the result is not the ideal.
    #[must_use]
    pub fn silent(&self) -> usize {
        self.ignored + self.leftover + self.lost + self.diverged + self.wrongly_accepted
    }

    /// Returns the number of cells with the ideal as final state.
    #[must_use]
    pub fn ideal(&self) -> usize {
        self.intended + self.rejected
    }

    /// Returns the outcomes that occur, with their counts: `2 intended, 1 refused`.
    #[must_use]
    pub fn description(&self) -> String {
        let kinds = [
            (self.intended, "intended"),
            (self.rejected, "rejected"),
            (self.refused, "refused"),
            (self.ignored, "ignored"),
            (self.leftover, "leftover"),
            (self.lost, "lost"),
            (self.diverged, "diverged"),
            (self.wrongly_accepted, "wrongly accepted"),
        ];
        let found: Vec<String> = kinds
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        if found.is_empty() { "none run".to_owned() } else { found.join(", ") }
    }
}

/// The kinds of union in the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnionKind {
    /// Unions without a discriminator, with at most one set member.
    PlainOptional,
    /// Unions without a discriminator, with exactly one set member.
    PlainRequired,
    /// Unions with a discriminator, one value of which selects no member.
    DiscriminatedOptional,
    /// Unions with a discriminator, each value of which selects a member.
    DiscriminatedRequired,
}

impl UnionKind {
    /// All kinds of union.
    pub const ALL: [UnionKind; 4] = [
        UnionKind::PlainOptional,
        UnionKind::PlainRequired,
        UnionKind::DiscriminatedOptional,
        UnionKind::DiscriminatedRequired,
    ];

    /// Returns the name of the kind. A suite of the corpus has this name, or a case in a suite that contains all kinds.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            UnionKind::PlainOptional => "plain-optional",
            UnionKind::PlainRequired => "plain-required",
            UnionKind::DiscriminatedOptional => "discriminated-optional",
            UnionKind::DiscriminatedRequired => "discriminated-required",
        }
    }

    /// Returns a description of the kind in a few words.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            UnionKind::PlainOptional => "no discriminator, optional",
            UnionKind::PlainRequired => "no discriminator, required",
            UnionKind::DiscriminatedOptional => "discriminator, optional",
            UnionKind::DiscriminatedRequired => "discriminator, required",
        }
    }

    /// Returns true if unions of this kind have a discriminator.
    #[must_use]
    pub const fn has_discriminator(self) -> bool {
        matches!(self, UnionKind::DiscriminatedOptional | UnionKind::DiscriminatedRequired)
    }
}

/// The properties by which the rows of the KEP's table differ: the kind of the union, and axes of the matrix.
pub const SHEET_DIMENSIONS: [&str; 7] =
    ["union", "client", "decoding", "server", "live", "operation", "request"];

/// A row of the KEP's table, as a set of points of the matrix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SheetRow {
    /// Number of the row.
    pub row: u32,
    /// The types of the objects. Those of the matrix are built in.
    pub types: RowTypes,
    /// Whether the KEP cites the row. Otherwise, it is reconstructed.
    #[serde(rename = "cited")]
    pub is_cited: bool,
    /// Number of points.
    pub points: usize,
    /// The values of the points, in the order of [`SHEET_DIMENSIONS`]: `old or new`.
    pub dimensions: Vec<String>,
    /// Counts for each policy.
    pub policies: Vec<PolicyCounts>,
}

/// A case about a row of the KEP's table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CitedRow {
    /// Number of the row.
    pub row: u32,
    /// The types of the objects.
    pub types: RowTypes,
    /// The case, with the values of its axes other than the policy: `row-34[live=known]`.
    pub case: String,
    /// Description of the case.
    pub about: String,
    /// Outcome under each policy; `None` if the cell was not run.
    pub outcomes: Vec<Option<Outcome>>,
}

/// The types of the objects of a case about a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowTypes {
    /// Types in Go, as those of the matrix. A server checks nothing of a union that its policy does not check.
    BuiltIn,
    /// A custom resource. The server also validates it by the schema of its definition.
    CustomResource,
}

impl RowTypes {
    /// Both kinds of types.
    pub const ALL: [RowTypes; 2] = [RowTypes::BuiltIn, RowTypes::CustomResource];

    /// Returns the words in tables.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            RowTypes::BuiltIn => "built-in",
            RowTypes::CustomResource => "custom resource",
        }
    }
}

/// A row whose outcome depends on the types of the objects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TypeDependence {
    /// Number of the row.
    pub row: u32,
    /// The policy of the server.
    pub policy: String,
    /// Outcomes with built-in types.
    pub built_in: Vec<Outcome>,
    /// Outcomes with custom resources.
    pub custom_resources: Vec<Outcome>,
}

impl TypeDependence {
    /// Describes the outcomes.
    pub(super) fn text(&self) -> String {
        let words = |outcomes: &[Outcome]| {
            outcomes.iter().map(|outcome| outcome.as_str()).collect::<Vec<_>>().join(" or ")
        };
        let (built_in, custom) = (words(&self.built_in), words(&self.custom_resources));
        format!(
            "row {} under {}: {built_in} with built-in types, {custom} with custom resources",
            self.row, self.policy
        )
    }
}

/// The outcomes of points with built-in types and with custom resources.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TypeComparison {
    /// Number of points that were run with both.
    pub points: usize,
    /// The points at which the outcomes differ.
    pub differences: Vec<TypeDifference>,
}

/// Points at which built-in types and custom resources have different outcomes. They differ in the request and in the live
/// object alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TypeDifference {
    /// The kind of the union.
    pub union: String,
    /// The client.
    pub client: String,
    /// Whether the server knows all members.
    pub server: String,
    /// The operation.
    pub operation: String,
    /// The policy of the server.
    pub policy: String,
    /// The releases of the servers with custom resources that differ from built-in types.
    pub releases: Vec<String>,
    /// Outcome with built-in types.
    pub built_in: Outcome,
    /// Outcome with custom resources.
    pub custom_resource: Outcome,
    /// Number of points.
    pub points: usize,
}

/// A conclusion of the KEP, checked against the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Conclusion {
    /// Rows that the KEP cites: one without and one with a discriminator.
    pub cited: [u32; 2],
    /// Subject of the conclusion, in a few words.
    pub about: String,
    /// Text of the conclusion in the KEP.
    pub says: String,
    /// A remark on the conclusion.
    pub note: Option<String>,
    /// Conditions for the points of the matrix to which the conclusion applies, as pairs of axis and value.
    pub when: Vec<[String; 2]>,
    /// Findings at the points that meet these conditions, for all requests except `server-side-apply`. Each group of
    /// unions has one finding.
    pub findings: Vec<ConclusionFinding>,
    /// The same for the request `server-side-apply`. Empty if no cell has it.
    pub server_side_apply: Vec<ConclusionFinding>,
    /// The outcomes of the cited rows that depend on the types of the objects.
    pub types: Vec<TypeDependence>,
}

/// The evidence for a conclusion, for optional or for required unions: the counts of cells, and whether the conclusion
/// follows from them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConclusionFinding {
    /// Counts of unions without a discriminator, by policy.
    pub without: Vec<PolicyCounts>,
    /// Counts of unions with a discriminator, by policy.
    pub with: Vec<PolicyCounts>,
    /// The unions that were counted: `optional` or `required`.
    pub unions: String,
    /// Status of the conclusion.
    #[serde(rename = "verdict")]
    pub status: ConclusionStatus,
    /// The counts that lead to the status, in sentences.
    pub why: String,
}

/// Whether a conclusion of the KEP follows from the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConclusionStatus {
    /// The whole claim is true.
    Follows,
    /// The claim on unions with a discriminator is true, but under some policies unions without a discriminator do as
    /// well.
    InPart,
    /// The claim is false.
    DoesNotFollow,
    /// The KEP claims nothing about unions that are required, because it assumes that unions are optional.
    NotClaimed,
}

impl ConclusionStatus {
    /// Returns the words for the status in reports.
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

/// The policy of the KEP compared with another one, point by point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyComparison {
    /// Name of the other policy.
    pub policy: String,
    /// Number of points at which `kep-1027` does better.
    pub better: usize,
    /// Number of points at which neither policy does better.
    pub same: usize,
    /// Number of points at which `kep-1027` does worse.
    pub worse: usize,
}

/// Points at which the policies differ from each other, described by one list of conditions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyDifference {
    /// Kind of union.
    pub union: UnionKind,
    /// Conditions on the axes. An axis that is not named can have any value.
    pub when: Vec<AxisCondition>,
    /// Number of points.
    pub points: usize,
    /// Outcome of each of these points under each policy; `None` if the cells were not run.
    pub outcomes: Vec<Option<Outcome>>,
}

/// A condition on one axis: the values that fulfil it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AxisCondition {
    /// Name of the axis.
    pub axis: String,
    /// Values, any of which fulfils the condition.
    pub values: Vec<String>,
}
