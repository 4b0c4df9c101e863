//! The costs of calls. Upstream: `functionCost` (cel-go, `checker`), `EstimateCallCost` (k8s.io/apiserver,
//! `pkg/cel/library`), and the estimators of cel-go's `ext`.

use cel::common::ast::{Expr, IdedExpr, LiteralValue, operators};

use super::size::{NEW_LIST, PER_CHARACTER, Size, scaled, size_at};
use crate::cel::declared::Declared;
use crate::cel::types::Ty;

/// The factor of the length of a regular expression. Upstream: `RegexStringLengthCostFactor`.
const PER_REGEX_CHARACTER: f64 = 0.25;

/// Upstream: `MaxFormatSize`.
const LONGEST_FORMAT: u64 = 64;

/// Upstream: `MaxNameFormatRegexSize`.
const LONGEST_REGEX_OF_FORMAT: f64 = 128.0;

/// The cost of comparing two addresses of up to 16 bytes.
const COMPARE_ADDRESSES: u64 = 4;

/// An argument of a call, or its receiver.
pub(super) struct Argument<'e> {
    pub(super) expression: &'e IdedExpr,
    /// Empty if the value is not that of a field.
    pub(super) path: Vec<String>,
    pub(super) ty: Ty,
    pub(super) size: Option<Size>,
}

impl Argument<'_> {
    fn size(&self) -> Size {
        self.size.unwrap_or(Size::UNKNOWN)
    }

    fn can_be(&self, ty: &Ty) -> bool {
        ty.join(&self.ty).is_some()
    }

    /// Whether the type is not known yet. It becomes that of the first overload. Upstream: `resolveOverload`.
    fn is_open(&self) -> bool {
        self.ty == Ty::Open
    }

    /// Returns a literal number. Upstream: `nodeAsUintValue`.
    fn number(&self) -> Option<u64> {
        match &self.expression.expr {
            Expr::Literal(LiteralValue::Int(number)) => Some(u64::try_from(*number.inner()).unwrap_or(0)),
            _ => None,
        }
    }

    /// Returns the type and the size of the items of a list. Upstream: `listElementNode`.
    fn item(&self, variable: &Declared) -> Option<(Ty, Size)> {
        let ty = match &self.ty {
            Ty::List(ty, _) | Ty::Map(ty, _) | Ty::Optional(ty) => ty.as_ref().clone(),
            _ => return None,
        };
        let mut path = self.path.clone();
        path.push("@items".to_owned());
        let size = size_at(variable, &path).filter(|_| !self.path.is_empty());
        Some((ty, size.unwrap_or(Size::UNKNOWN)))
    }
}

/// The cost of an overload of a function, apart from its arguments.
#[derive(Default)]
pub(super) struct Overload {
    pub(super) cost: u64,
    /// The size of the result.
    pub(super) size: Option<Size>,
    /// The step from the path of a container to that of an item.
    pub(super) step: Option<&'static str>,
    /// Whether the items of the result are those of both arguments.
    pub(super) is_sum: bool,
}

fn cost(cost: u64) -> Overload {
    Overload { cost, ..Overload::default() }
}

fn with_size(cost: u64, size: Size) -> Overload {
    Overload { cost, size: Some(size), ..Overload::default() }
}

/// Returns the overloads of a function that the arguments fit, which are several only for values of any type.
pub(super) fn overloads(
    name: &str,
    target: Option<&Argument<'_>>,
    arguments: &[Argument<'_>],
    variable: &Declared,
) -> Vec<Overload> {
    if let Some(overload) = of_library(name, target, arguments, variable) {
        return vec![overload];
    }
    let mut overloads = match (name, target, arguments) {
        (operators::ADD, None, [a, b]) => sums(a, b),
        (operators::EQUALS | operators::NOT_EQUALS, None, [a, b]) => vec![comparison(a, b)],
        (
            operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS,
            None,
            [a, b],
        ) => {
            let is = |ty: &Ty| a.can_be(ty) && b.can_be(ty);
            let are_texts =
                (is(&Ty::String) || is(&Ty::Bytes)) && !(is(&Ty::Bool) && (a.is_open() || b.is_open()));
            let are_others = is(&Ty::Int) || !are_texts;
            let texts = are_texts.then(|| comparison(a, b));
            texts.into_iter().chain(are_others.then(|| cost(1))).collect()
        }
        (operators::IN, None, [_, container]) => match &container.ty {
            Ty::Map(..) => vec![cost(1)],
            Ty::List(..) => vec![cost(container.size().max)],
            _ => vec![cost(container.size().max), cost(1)],
        },
        (operators::INDEX, None, [container, _]) => {
            let step = |step| Overload { step: Some(step), ..cost(1) };
            match &container.ty {
                Ty::List(..) => vec![step("@items")],
                Ty::Map(..) => vec![step("@values")],
                Ty::Optional(_) => vec![cost(1)],
                _ => vec![step("@items"), step("@values")],
            }
        }
        ("format", Some(text), _) | ("startsWith" | "endsWith", Some(_), [text]) => {
            vec![cost(text.size().reading())]
        }
        ("contains", Some(text), [part]) => {
            vec![cost(text.size().reading().saturating_mul(part.size().reading()))]
        }
        ("matches", Some(text), [regex]) | ("matches", None, [text, regex]) => {
            vec![cost(search(text.size(), regex.size()))]
        }
        ("bytes", None, [text]) if text.can_be(&Ty::String) && !text.is_open() => {
            let size = text.size();
            vec![with_size(size.reading(), Size { min: size.min, max: size.max.wrapping_mul(4) })]
        }
        ("string", None, [bytes]) if bytes.can_be(&Ty::Bytes) && !bytes.is_open() => {
            let size = bytes.size();
            vec![with_size(size.reading(), Size { min: size.min / 4, max: size.max })]
        }
        _ => Vec::new(),
    };
    if overloads.is_empty() {
        overloads.push(cost(1));
    }
    overloads
}

/// Returns the overloads of `+` that are not about numbers and times.
fn sums(a: &Argument<'_>, b: &Argument<'_>) -> Vec<Overload> {
    let is = |ty: &Ty| a.can_be(ty) && b.can_be(ty);
    let size = a.size().add(b.size());
    let list = Ty::plain_list(Ty::Dyn);
    let sum = |cost| Overload { is_sum: true, ..with_size(cost, size) };
    let texts = (is(&Ty::String) || is(&Ty::Bytes)).then(|| sum(size.reading()));
    let lists = is(&list).then(|| sum(1));
    let others = is(&Ty::Int).then(|| cost(1));
    texts.into_iter().chain(lists).chain(others).collect()
}

/// Returns the cost of comparing texts. Values of which one has no size cost nothing.
fn comparison(a: &Argument<'_>, b: &Argument<'_>) -> Overload {
    cost(scaled(a.size().max.min(b.size().max), PER_CHARACTER))
}

/// Returns the cost of a regular expression.
fn search(text: Size, regex: Size) -> u64 {
    let text = text.add(Size::of(1)).reading();
    text.saturating_mul(scaled(regex.max, PER_REGEX_CHARACTER))
}

/// Returns the cost of a function of the libraries. `None` for other functions, or other arguments.
fn of_library(
    name: &str,
    target: Option<&Argument<'_>>,
    arguments: &[Argument<'_>],
    variable: &Declared,
) -> Option<Overload> {
    Some(match (name, target, arguments) {
        (operators::EQUALS, None, [a, b]) if matches!(a.ty, Ty::Opaque(_)) && a.ty == b.ty => {
            cost(match a.ty {
                // The size of the first URL does not count.
                Ty::Opaque("url") => b.size.unwrap_or(Size::of(1)).reading(),
                Ty::Opaque("format") => Size::of(LONGEST_FORMAT).reading(),
                _ => 1,
            })
        }
        ("isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf", Some(of), _) => {
            let size = of.size();
            match of.item(variable) {
                Some((Ty::String | Ty::Bytes, item)) => {
                    cost(size.max.saturating_mul(item.reading().saturating_add(1)))
                }
                Some(_) => cost(size.max),
                None => cost(size.reading()),
            }
        }
        ("lowerAscii" | "upperAscii" | "substring" | "trim", Some(text), _) => {
            with_size(text.size().reading(), text.size())
        }
        ("validate", Some(_), [text]) => {
            cost(scaled(text.size().reading(), LONGEST_REGEX_OF_FORMAT * PER_REGEX_CHARACTER))
        }
        ("url", None, [text]) => with_size(text.size().reading(), text.size()),
        ("replace", Some(text), [old, new, ..]) => {
            let size = replaced(text.size(), old.size(), new.size());
            with_size(scaled(text.size().max, 2.0 * PER_CHARACTER), size)
        }
        ("split", Some(text), _) => {
            let max = match arguments.get(1).map(|count| &count.expression.expr) {
                #[expect(clippy::cast_sign_loss, reason = "Upstream converts the number in the same way.")]
                Some(Expr::Literal(LiteralValue::Int(count))) => *count.inner() as u64,
                _ => text.size().max,
            };
            with_size(scaled(text.size().max, 2.0 * PER_CHARACTER), Size { min: 0, max })
        }
        ("join", Some(list), _) => {
            let count = list.size();
            let items = list.item(variable).map_or(Size::of(0), |(_, item)| count.multiply(item));
            let gaps = Size { min: count.min.saturating_sub(1), max: count.max.saturating_sub(1) };
            let size = arguments.first().map_or(items, |gap| items.add(gap.size().multiply(gaps)));
            with_size(size.reading(), size)
        }
        ("find" | "findAll", Some(text), [regex, ..]) => {
            with_size(search(text.size(), regex.size()), Size { min: 0, max: text.size().max })
        }
        (
            "cidr" | "isIP" | "isCIDR" | "ip" | "quantity" | "isQuantity" | "semver" | "isSemver",
            None,
            [text, ..],
        ) => cost(text.size().reading()),
        ("ip.isCanonical", None, [text]) => cost(scaled(text.size().max, 2.0 * PER_CHARACTER)),
        ("containsIP" | "containsCIDR", Some(_), [of]) => {
            let text = if of.can_be(&Ty::String) { of.size().reading() } else { 0 };
            // The network is masked, and the lengths of the prefixes are compared.
            let mask = if name == "containsCIDR" { 3 } else { 0 };
            cost(text.saturating_add(COMPARE_ADDRESSES + mask))
        }
        ("sets.contains" | "sets.intersects" | "sets.equivalent", None, [a, b]) => {
            let factor = if name == "sets.equivalent" { 2.0 } else { 1.0 };
            cost(scaled(a.size().multiply(b.size()).max, factor).saturating_add(1))
        }
        ("slice", Some(list), [start, end]) => {
            let end = end.number().unwrap_or(list.size().max);
            new_list(1.0, Size::of(end.wrapping_sub(start.number().unwrap_or(0))))
        }
        ("lists.range", None, [count]) => new_list(1.0, Size::of(count.number().unwrap_or(u64::MAX))),
        ("reverse", Some(list), []) => new_list(1.0, list.size()),
        ("distinct", Some(list), []) => new_list(2.0, list.size().multiply(list.size())),
        ("sort", Some(list), []) => {
            let item = list.item(variable).map_or(Ty::Dyn, |(ty, _)| ty);
            let has_texts = matches!(item, Ty::String | Ty::Bytes | Ty::Dyn | Ty::Open);
            let factor = if has_texts { 2.0 + PER_CHARACTER } else { 2.0 };
            new_list(factor, list.size().multiply(list.size()))
        }
        _ => return None,
    })
}

/// Returns the cost of a function that returns a new list. Upstream: `estimateAllocatingListCall`.
fn new_list(factor: f64, size: Size) -> Overload {
    with_size(scaled(size.max, factor).saturating_add(1 + NEW_LIST), size)
}

/// Returns the size of the result of `replace`.
fn replaced(text: Size, old: Size, new: Size) -> Size {
    let (max_count, max_kept) = match old.min {
        0 => (text.max.saturating_add(1), text.max),
        min if new.max <= min => (0, text.max),
        min => (text.max.div_ceil(min), 0),
    };
    let (min_count, min_kept) = match old.max {
        0 => (text.min.saturating_add(1), text.min),
        max if max <= new.min => (0, text.min),
        max => (text.min.div_ceil(max), 0),
    };
    let kept = Size { min: min_kept, max: max_kept };
    Size { min: min_count, max: max_count }.multiply(new).add(kept)
}
