//! The report as data.

use serde::Serialize;

/// The verdicts on the sentences of all documents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DocumentsReport {
    /// The documents, in order.
    pub documents: Vec<DocumentVerdicts>,
}

/// The verdicts on the sentences of one document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DocumentVerdicts {
    /// The name of the document in cases.
    pub name: &'static str,
    /// The title of the document.
    pub title: &'static str,
    /// The public address of the document.
    pub address: Option<&'static str>,
    /// The sentences, examples and other items, in order.
    pub sentences: Vec<SentenceRow>,
}

/// One item of a document, with its verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SentenceRow {
    /// The id of the item.
    pub id: &'static str,
    /// The heading of the section.
    pub section: &'static str,
    /// The kind of the item.
    pub kind: &'static str,
    /// The words of the item that cases quote, or else its first words.
    pub text: String,
    /// Whether the item holds.
    pub verdict: SentenceVerdict,
    /// Number of cells in which the item holds.
    pub supporting: usize,
    /// Number of cells in which the item does not hold.
    pub contradicting: usize,
    /// The axes each of which tells the cells in which the item holds from the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// The cell with the shortest id that shows the verdict: one in which the item does not hold, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<String>,
    /// The reason, if no cell decides the item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<&'static str>,
}

/// Whether an item holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SentenceVerdict {
    /// The item holds in all cells that decide it.
    Holds,
    /// The item holds in some of the cells that decide it.
    InPart,
    /// The item holds in no cell that decides it.
    DoesNotHold,
    /// No cell decides the item.
    NotDecided,
    /// The item claims nothing.
    NoClaim,
}

impl SentenceVerdict {
    /// All verdicts, in the order of reports.
    pub const ALL: [SentenceVerdict; 5] = [
        SentenceVerdict::Holds,
        SentenceVerdict::InPart,
        SentenceVerdict::DoesNotHold,
        SentenceVerdict::NotDecided,
        SentenceVerdict::NoClaim,
    ];

    /// Returns the verdict that follows from the numbers of cells.
    #[must_use]
    pub fn of_counts(supporting: usize, contradicting: usize) -> Self {
        match (supporting, contradicting) {
            (0, 0) => SentenceVerdict::NotDecided,
            (_, 0) => SentenceVerdict::Holds,
            (0, _) => SentenceVerdict::DoesNotHold,
            (_, _) => SentenceVerdict::InPart,
        }
    }

    /// Returns the words for the verdict.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            SentenceVerdict::Holds => "holds",
            SentenceVerdict::InPart => "in part",
            SentenceVerdict::DoesNotHold => "does not hold",
            SentenceVerdict::NotDecided => "not decided",
            SentenceVerdict::NoClaim => "no claim",
        }
    }
}

impl SentenceRow {
    /// Returns true if cells decide the item.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        !matches!(self.verdict, SentenceVerdict::NotDecided | SentenceVerdict::NoClaim)
    }

    /// Describes the verdict with the numbers of cells, such as `in part: 57 of 72 cells`.
    #[must_use]
    pub fn description(&self) -> String {
        let (label, cells) = (self.verdict.label(), self.supporting + self.contradicting);
        match self.verdict {
            SentenceVerdict::NotDecided | SentenceVerdict::NoClaim => label.to_owned(),
            SentenceVerdict::InPart => format!("{label}: {} of {cells} cells", self.supporting),
            SentenceVerdict::Holds | SentenceVerdict::DoesNotHold if cells == 1 => format!("{label}: 1 cell"),
            SentenceVerdict::Holds | SentenceVerdict::DoesNotHold => format!("{label}: {cells} cells"),
        }
    }
}
