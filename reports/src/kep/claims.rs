//! The KEP's four conclusions, and the counts from which they follow.

use serde::Serialize;

use super::matrix::{Matrix, Point, Union};
use super::policies::{KEP, Tally, tallies};

/// A conclusion of the KEP, held against the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Conclusion {
    /// The rows that the KEP cites, without and with a discriminator.
    pub cited: [u32; 2],
    /// What it is about, in a few words.
    pub about: String,
    /// What the KEP says.
    pub says: String,
    /// What is to be said of it besides.
    pub note: Option<String>,
    /// Which points of the matrix it speaks of.
    pub when: Vec<[String; 2]>,
    /// What is found at them.
    pub findings: Vec<Finding>,
}

/// What is found for optional, or for required unions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Unions without a discriminator, by policy.
    pub without: Vec<Tally>,
    /// Unions with one, by policy.
    pub with: Vec<Tally>,
    /// `optional` or `required`.
    pub unions: String,
    /// Does the conclusion follow?
    pub verdict: Verdict,
    /// From which counts it follows, or why it does not.
    pub why: String,
}

/// What the counts say of a conclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All that is claimed is so.
    Follows,
    /// Unions with a discriminator do as claimed, and some policies do as well without one.
    InPart,
    /// It is not so.
    DoesNotFollow,
    /// The KEP does not speak of these unions: it assumes that the union is optional.
    NotClaimed,
}

impl Verdict {
    /// In words.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Verdict::Follows => "follows",
            Verdict::InPart => "follows in part",
            Verdict::DoesNotFollow => "does not follow",
            Verdict::NotClaimed => "not claimed",
        }
    }
}

impl Conclusion {
    /// Does it follow for optional or for required unions, and is it refuted for neither?
    #[must_use]
    pub fn follows(&self) -> bool {
        let has = |verdict| self.findings.iter().any(|finding| finding.verdict == verdict);
        has(Verdict::Follows) && !has(Verdict::DoesNotFollow)
    }
}

/// A question that is answered by yes when it is so of every cell.
#[derive(Clone, Copy)]
enum Every {
    Intended,
    NotIntended,
    Silent,
    NotSilent,
    Refused,
}

impl Every {
    fn count(self, tally: &Tally) -> usize {
        match self {
            Every::Intended => tally.intended,
            Every::NotIntended => tally.cells - tally.intended,
            Every::Silent => tally.silent(),
            Every::NotSilent => tally.cells - tally.silent(),
            Every::Refused => tally.refused,
        }
    }

    fn is_so(self, tally: &Tally) -> bool {
        tally.cells > 0 && self.count(tally) == tally.cells
    }

    /// In words, with the count of those that are, or are not, as the claim says.
    fn described(self, tally: &Tally) -> String {
        let (count, what) = match self {
            Every::Intended | Every::NotIntended => (tally.intended, "as intended"),
            Every::Silent | Every::NotSilent => (tally.silent(), "silently wrong"),
            Every::Refused => (tally.refused, "refused"),
        };
        format!("{count} of {} cells are {what}", tally.cells)
    }
}

struct Claim {
    cited: [u32; 2],
    about: &'static str,
    says: &'static str,
    note: Option<&'static str>,
    when: &'static [(&'static str, &'static str)],
    /// What is claimed of every policy where there is no discriminator, but for the one that the KEP excepts.
    without: Every,
    except: Option<&'static str>,
    /// What is claimed of the KEP's policy where there is one.
    with: Every,
    /// Is it claimed of required unions as well?
    of_required: bool,
}

/// "The major conclusions are as follows (along with the test case number from the test matrix)."
const CLAIMS: [Claim; 4] = [
    Claim {
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
        without: Every::NotIntended,
        except: None,
        with: Every::Intended,
        of_required: false,
    },
    Claim {
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
        without: Every::Silent,
        except: None,
        with: Every::NotSilent,
        of_required: true,
    },
    Claim {
        cited: [34, 39],
        about: "to set a member that the server does not know",
        says: "If a client sets a union field that the server is not aware of, the server will silently drop it and \
               attempt to clear the object of the union field. With a discriminator, the server will see the \
               unrecognized discriminator value and can fail loudly.",
        note: None,
        when: &[("client", "aware"), ("server", "unaware"), ("do", "set-new")],
        without: Every::Silent,
        except: None,
        with: Every::Refused,
        of_required: true,
    },
    Claim {
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
        without: Every::NotIntended,
        // The "convoluted logic" is what this policy has.
        except: Some("deduce"),
        with: Every::Intended,
        of_required: true,
    },
];

pub(super) fn conclusions(matrix: &Matrix) -> Vec<Conclusion> {
    let conclusion = |claim: &Claim| Conclusion {
        cited: claim.cited,
        about: claim.about.to_owned(),
        says: claim.says.to_owned(),
        note: claim.note.map(str::to_owned),
        when: claim.when.iter().map(|(axis, value)| [(*axis).to_owned(), (*value).to_owned()]).collect(),
        findings: vec![
            finding(matrix, claim, [Union::PlainOptional, Union::DiscriminatedOptional], true),
            finding(matrix, claim, [Union::PlainRequired, Union::DiscriminatedRequired], claim.of_required),
        ],
    };
    CLAIMS.iter().map(conclusion).collect()
}

fn finding(matrix: &Matrix, claim: &Claim, [plain, discriminated]: [Union; 2], claimed: bool) -> Finding {
    let of = |union: Union| tallies(matrix, |point: &Point| point.union == union && point.is(claim.when));
    let (without, with) = (of(plain), of(discriminated));
    let (verdict, why) = judged(claim, &without, &with);
    let verdict = if claimed { verdict } else { Verdict::NotClaimed };
    let unions = if plain == Union::PlainOptional { "optional" } else { "required" };
    Finding { without, with, unions: unions.to_owned(), verdict, why }
}

fn judged(claim: &Claim, without: &[Tally], with: &[Tally]) -> (Verdict, String) {
    let (excepted, asked): (Vec<&Tally>, Vec<&Tally>) =
        without.iter().partition(|tally| Some(tally.policy.as_str()) == claim.except);
    let (so, not): (Vec<&Tally>, Vec<&Tally>) =
        asked.into_iter().partition(|tally| claim.without.is_so(tally));
    let mut parts = Vec::new();
    if let Some(first) = so.first() {
        let whose = if not.is_empty() && excepted.is_empty() { "every policy" } else { &listed(&so) };
        parts.push(format!("Without a discriminator {} under {whose}.", claim.without.described(first)));
    }
    if let Some(first) = not.first() {
        let alike = not.iter().all(|tally| tally.described() == first.described());
        let how = if alike { first.described() } else { "otherwise".to_owned() };
        parts.push(format!("But {how} under {}, without a discriminator as well.", listed(&not)));
    }
    for tally in excepted {
        parts.push(format!(
            "The logic that the KEP calls convoluted is {}: {}.",
            tally.policy,
            tally.described()
        ));
    }
    let kep = with.iter().find(|tally| tally.policy == KEP);
    if let Some(tally) = kep {
        let kinds = format!(" ({})", tally.described());
        let told = matches!(claim.with, Every::Intended | Every::Refused) && claim.with.is_so(tally);
        let kinds = if told { "" } else { &kinds };
        parts.push(format!("With one {} under {KEP}{kinds}.", claim.with.described(tally)));
    }
    let as_claimed = kep.is_some_and(|tally| claim.with.is_so(tally));
    let verdict = match (so.is_empty(), not.is_empty(), as_claimed) {
        (false, true, true) => Verdict::Follows,
        (false, false, true) => Verdict::InPart,
        _ => Verdict::DoesNotFollow,
    };
    (verdict, parts.join(" "))
}

fn listed(tallies: &[&Tally]) -> String {
    tallies.iter().map(|tally| tally.policy.as_str()).collect::<Vec<_>>().join(", ")
}
