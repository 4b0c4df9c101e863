//! The functions that rules can call, and their types. A few that API servers have are not simulated: only their types are checked.

use std::sync::Arc;

use cel::Value;

use super::release::RuleRelease;
use super::types::{MESSAGES, Ty};

/// The type of a parameter or a result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum P {
    Dyn,
    Bool,
    Int,
    Uint,
    Double,
    Str,
    Bytes,
    Dur,
    Time,
    Type,
    /// Any type, the same one at each place.
    A,
    ListA,
    /// A list whose items can be added.
    ListSum,
    /// A list whose items can be ordered.
    ListOrdered,
    ListStr,
    ListInt,
    ListDyn,
    ListListA,
    ListOptA,
    MapA,
    /// A map from texts to lists of texts.
    MapListStr,
    OptA,
    OptFormat,
    OptMessages,
    Opaque(&'static str),
}

struct Overload {
    name: &'static str,
    /// Whether the first parameter is written before the dot.
    is_method: bool,
    params: &'static [P],
    result: P,
}

const fn method(name: &'static str, params: &'static [P], result: P) -> Overload {
    Overload { name, is_method: true, params, result }
}

const fn global(name: &'static str, params: &'static [P], result: P) -> Overload {
    Overload { name, is_method: false, params, result }
}

const QUANTITY: P = P::Opaque("quantity");
const SEMVER: P = P::Opaque("semver");
const IP: P = P::Opaque("ip");
const CIDR: P = P::Opaque("cidr");
const URL: P = P::Opaque("url");
const FORMAT: P = P::Opaque("format");

/// The functions of the language, which all releases have. Upstream: cel-go, `common/stdlib`.
const STANDARD: &[Overload] = &[
    global("size", &[P::Str], P::Int),
    global("size", &[P::Bytes], P::Int),
    global("size", &[P::ListA], P::Int),
    global("size", &[P::MapA], P::Int),
    method("size", &[P::Str], P::Int),
    method("size", &[P::Bytes], P::Int),
    method("size", &[P::ListA], P::Int),
    method("size", &[P::MapA], P::Int),
    method("startsWith", &[P::Str, P::Str], P::Bool),
    method("endsWith", &[P::Str, P::Str], P::Bool),
    method("contains", &[P::Str, P::Str], P::Bool),
    method("matches", &[P::Str, P::Str], P::Bool),
    global("matches", &[P::Str, P::Str], P::Bool),
    global("type", &[P::A], P::Type),
    global("dyn", &[P::A], P::Dyn),
    global("bool", &[P::Bool], P::Bool),
    global("bool", &[P::Str], P::Bool),
    global("int", &[P::Int], P::Int),
    global("int", &[P::Uint], P::Int),
    global("int", &[P::Double], P::Int),
    global("int", &[P::Str], P::Int),
    global("int", &[P::Time], P::Int),
    global("int", &[P::Dur], P::Int),
    global("uint", &[P::Uint], P::Uint),
    global("uint", &[P::Int], P::Uint),
    global("uint", &[P::Double], P::Uint),
    global("uint", &[P::Str], P::Uint),
    global("double", &[P::Double], P::Double),
    global("double", &[P::Int], P::Double),
    global("double", &[P::Uint], P::Double),
    global("double", &[P::Str], P::Double),
    global("string", &[P::Str], P::Str),
    global("string", &[P::Bool], P::Str),
    global("string", &[P::Int], P::Str),
    global("string", &[P::Uint], P::Str),
    global("string", &[P::Double], P::Str),
    global("string", &[P::Bytes], P::Str),
    global("string", &[P::Time], P::Str),
    global("string", &[P::Dur], P::Str),
    global("bytes", &[P::Bytes], P::Bytes),
    global("bytes", &[P::Str], P::Bytes),
    global("duration", &[P::Dur], P::Dur),
    global("duration", &[P::Str], P::Dur),
    global("timestamp", &[P::Time], P::Time),
    global("timestamp", &[P::Str], P::Time),
    global("timestamp", &[P::Int], P::Time),
    method("getFullYear", &[P::Time], P::Int),
    method("getMonth", &[P::Time], P::Int),
    method("getDate", &[P::Time], P::Int),
    method("getDayOfMonth", &[P::Time], P::Int),
    method("getDayOfWeek", &[P::Time], P::Int),
    method("getDayOfYear", &[P::Time], P::Int),
    method("getHours", &[P::Time], P::Int),
    method("getHours", &[P::Dur], P::Int),
    method("getMinutes", &[P::Time], P::Int),
    method("getMinutes", &[P::Dur], P::Int),
    method("getSeconds", &[P::Time], P::Int),
    method("getSeconds", &[P::Dur], P::Int),
];

/// Functions that servers got together.
struct Library {
    /// The minor version of the first release with the functions.
    introduced: u32,
    functions: &'static [Overload],
    not_simulated: &'static [Overload],
}

/// The functions of the Kubernetes libraries. Upstream: `k8s.io/apiserver/pkg/cel/environment`, `baseOpts`.
const LIBRARIES: &[Library] = &[
    // `ext.Strings`, `library.URLs`, `library.Regex`, `library.Lists`.
    Library {
        introduced: 0,
        functions: &[
            method("charAt", &[P::Str, P::Int], P::Str),
            method("indexOf", &[P::Str, P::Str], P::Int),
            method("indexOf", &[P::Str, P::Str, P::Int], P::Int),
            method("indexOf", &[P::ListA, P::A], P::Int),
            method("lastIndexOf", &[P::Str, P::Str], P::Int),
            method("lastIndexOf", &[P::Str, P::Str, P::Int], P::Int),
            method("lastIndexOf", &[P::ListA, P::A], P::Int),
            method("lowerAscii", &[P::Str], P::Str),
            method("upperAscii", &[P::Str], P::Str),
            method("trim", &[P::Str], P::Str),
            method("replace", &[P::Str, P::Str, P::Str], P::Str),
            method("replace", &[P::Str, P::Str, P::Str, P::Int], P::Str),
            method("split", &[P::Str, P::Str], P::ListStr),
            method("split", &[P::Str, P::Str, P::Int], P::ListStr),
            method("substring", &[P::Str, P::Int], P::Str),
            method("substring", &[P::Str, P::Int, P::Int], P::Str),
            method("join", &[P::ListStr], P::Str),
            method("join", &[P::ListStr, P::Str], P::Str),
            method("find", &[P::Str, P::Str], P::Str),
            method("findAll", &[P::Str, P::Str], P::ListStr),
            method("findAll", &[P::Str, P::Str, P::Int], P::ListStr),
            method("isSorted", &[P::ListOrdered], P::Bool),
            method("sum", &[P::ListSum], P::A),
            method("min", &[P::ListOrdered], P::A),
            method("max", &[P::ListOrdered], P::A),
            global("url", &[P::Str], URL),
            global("isURL", &[P::Str], P::Bool),
            method("getScheme", &[URL], P::Str),
            method("getHost", &[URL], P::Str),
            method("getHostname", &[URL], P::Str),
            method("getPort", &[URL], P::Str),
            method("getEscapedPath", &[URL], P::Str),
            method("getQuery", &[URL], P::MapListStr),
        ],
        not_simulated: &[
            method("getMilliseconds", &[P::Time], P::Int),
            method("getMilliseconds", &[P::Dur], P::Int),
        ],
    },
    // `cel.OptionalTypes`, `library.Quantity`.
    Library {
        introduced: 28,
        functions: &[
            global("optional.of", &[P::A], P::OptA),
            global("optional.none", &[], P::OptA),
            global("optional.ofNonZeroValue", &[P::A], P::OptA),
            method("hasValue", &[P::OptA], P::Bool),
            method("value", &[P::OptA], P::A),
            method("or", &[P::OptA, P::OptA], P::OptA),
            method("orValue", &[P::OptA, P::A], P::A),
            global("quantity", &[P::Str], QUANTITY),
            global("isQuantity", &[P::Str], P::Bool),
            method("isInteger", &[QUANTITY], P::Bool),
            method("asInteger", &[QUANTITY], P::Int),
            method("asApproximateFloat", &[QUANTITY], P::Double),
            // Not a method, whatever the documentation says.
            global("sign", &[QUANTITY], P::Int),
            method("add", &[QUANTITY, QUANTITY], QUANTITY),
            method("add", &[QUANTITY, P::Int], QUANTITY),
            method("sub", &[QUANTITY, QUANTITY], QUANTITY),
            method("sub", &[QUANTITY, P::Int], QUANTITY),
            method("isGreaterThan", &[QUANTITY, QUANTITY], P::Bool),
            method("isLessThan", &[QUANTITY, QUANTITY], P::Bool),
            method("compareTo", &[QUANTITY, QUANTITY], P::Int),
        ],
        not_simulated: &[],
    },
    // The second version of `ext.Strings`, `ext.Sets`.
    Library {
        introduced: 29,
        functions: &[
            method("format", &[P::Str, P::ListA], P::Str),
            global("sets.contains", &[P::ListA, P::ListA], P::Bool),
            global("sets.equivalent", &[P::ListA, P::ListA], P::Bool),
            global("sets.intersects", &[P::ListA, P::ListA], P::Bool),
        ],
        not_simulated: &[global("strings.quote", &[P::Str], P::Str)],
    },
    // `library.IP`, `library.CIDR`.
    Library {
        introduced: 30,
        functions: &[
            global("string", &[IP], P::Str),
            global("string", &[CIDR], P::Str),
            global("ip", &[P::Str], IP),
            global("isIP", &[P::Str], P::Bool),
            global("ip.isCanonical", &[P::Str], P::Bool),
            method("family", &[IP], P::Int),
            method("isUnspecified", &[IP], P::Bool),
            method("isLoopback", &[IP], P::Bool),
            method("isLinkLocalMulticast", &[IP], P::Bool),
            method("isLinkLocalUnicast", &[IP], P::Bool),
            method("isGlobalUnicast", &[IP], P::Bool),
            global("cidr", &[P::Str], CIDR),
            global("isCIDR", &[P::Str], P::Bool),
            method("containsIP", &[CIDR, IP], P::Bool),
            method("containsIP", &[CIDR, P::Str], P::Bool),
            method("containsCIDR", &[CIDR, CIDR], P::Bool),
            method("containsCIDR", &[CIDR, P::Str], P::Bool),
            method("ip", &[CIDR], IP),
            method("masked", &[CIDR], CIDR),
            method("prefixLength", &[CIDR], P::Int),
        ],
        not_simulated: &[],
    },
    // `library.Format`.
    Library {
        introduced: 31,
        functions: &[
            global("format.named", &[P::Str], P::OptFormat),
            global("format.dns1123Label", &[], FORMAT),
            global("format.dns1123Subdomain", &[], FORMAT),
            global("format.dns1035Label", &[], FORMAT),
            global("format.dns1123LabelPrefix", &[], FORMAT),
            global("format.dns1123SubdomainPrefix", &[], FORMAT),
            global("format.dns1035LabelPrefix", &[], FORMAT),
            global("format.labelValue", &[], FORMAT),
            global("format.qualifiedName", &[], FORMAT),
            global("format.uri", &[], FORMAT),
            global("format.uuid", &[], FORMAT),
            global("format.byte", &[], FORMAT),
            global("format.date", &[], FORMAT),
            global("format.datetime", &[], FORMAT),
            method("validate", &[FORMAT, P::Str], P::OptMessages),
        ],
        not_simulated: &[],
    },
    // 1.33 is the first release with cel-go 0.23, whose optional types have these functions.
    Library {
        introduced: 32,
        functions: &[method("first", &[P::ListA], P::OptA), method("last", &[P::ListA], P::OptA)],
        not_simulated: &[
            global("optional.unwrap", &[P::ListOptA], P::ListA),
            method("unwrapOpt", &[P::ListOptA], P::ListA),
        ],
    },
    // `library.SemverLib`.
    Library {
        introduced: 33,
        functions: &[
            global("semver", &[P::Str], SEMVER),
            global("semver", &[P::Str, P::Bool], SEMVER),
            global("isSemver", &[P::Str], P::Bool),
            global("isSemver", &[P::Str, P::Bool], P::Bool),
            method("major", &[SEMVER], P::Int),
            method("minor", &[SEMVER], P::Int),
            method("patch", &[SEMVER], P::Int),
            method("isGreaterThan", &[SEMVER, SEMVER], P::Bool),
            method("isLessThan", &[SEMVER, SEMVER], P::Bool),
            method("compareTo", &[SEMVER, SEMVER], P::Int),
        ],
        not_simulated: &[],
    },
    // `ext.Lists`.
    Library {
        introduced: 34,
        functions: &[
            method("slice", &[P::ListA, P::Int, P::Int], P::ListA),
            method("distinct", &[P::ListA], P::ListA),
            method("reverse", &[P::ListA], P::ListA),
            method("sort", &[P::ListOrdered], P::ListA),
            global("lists.range", &[P::Int], P::ListInt),
        ],
        not_simulated: &[
            method("flatten", &[P::ListListA], P::ListA),
            method("flatten", &[P::ListDyn, P::Int], P::ListDyn),
        ],
    },
];

/// Whether the functions of a name are simulated.
pub(super) fn is_simulated(name: &str, is_method: bool) -> bool {
    overloads(name, is_method).all(|known| known.is_simulated)
}

/// Returns the minor version of the first release with a function of this name. `is_method` tells `a.f(b)` from `f(a, b)`.
pub(super) fn known_since(name: &str, is_method: bool) -> Option<u32> {
    overloads(name, is_method).next().map(|known| known.introduced)
}

/// Returns the type of the result, or `None` if no overload of a release takes arguments of these types. The receiver of a
/// method is the first argument.
pub(super) fn result_type(name: &str, is_method: bool, args: &[Ty], release: RuleRelease) -> Option<Ty> {
    let known = overloads(name, is_method).filter(|known| release.can_use(known.introduced));
    let results: Vec<Ty> = known.filter_map(|known| known.overload.apply(args)).collect();
    let (first, rest) = results.split_first()?;
    // Several overloads fit only if an argument is `dyn`. Upstream: `resolveOverload`.
    Some(if rest.iter().all(|other| other == first) { first.clone() } else { Ty::Dyn })
}

/// Whether an overload takes values. The receiver of a method is the first one. Upstream: cel-go, `interpreter`, which dispatches
/// calls with arguments of the type `dyn` by their values.
pub(super) fn takes(name: &str, is_method: bool, args: &[Value]) -> bool {
    let types: Vec<Ty> = args.iter().map(Ty::of_value).collect();
    // Of the items of a list, only the first one counts. Upstream: `defaultIsAssignableRuntimeType`.
    let fits = |(param, arg): (&P, &Value)| match (param, arg) {
        (P::ListStr, Value::List(items)) => matches!(items.first(), None | Some(Value::String(_))),
        _ => true,
    };
    overloads(name, is_method).any(|known| {
        known.overload.apply(&types).is_some() && known.overload.params.iter().zip(args).all(fits)
    })
}

/// An overload, and the release that introduced it.
struct Known {
    introduced: u32,
    is_simulated: bool,
    overload: &'static Overload,
}

fn overloads(name: &str, is_method: bool) -> impl Iterator<Item = Known> {
    let standard = STANDARD.iter().map(|overload| Known { introduced: 0, is_simulated: true, overload });
    let in_library = |library: &'static Library| {
        let known =
            |is_simulated| move |overload| Known { introduced: library.introduced, is_simulated, overload };
        library.functions.iter().map(known(true)).chain(library.not_simulated.iter().map(known(false)))
    };
    let all = standard.chain(LIBRARIES.iter().flat_map(in_library));
    all.filter(move |known| known.overload.name == name && known.overload.is_method == is_method)
}

impl Overload {
    fn apply(&self, args: &[Ty]) -> Option<Ty> {
        if self.params.len() != args.len() {
            return None;
        }
        let mut a = Ty::Open;
        for (param, arg) in self.params.iter().zip(args) {
            param.accept(arg, &mut a)?;
        }
        // There is an overload for each type of items, and the results of those that fit are different.
        if a == Ty::Dyn && self.params.contains(&P::ListOrdered) && self.result == P::ListA {
            return Some(Ty::Dyn);
        }
        Some(self.result.ty(a))
    }
}

impl P {
    /// Checks that an argument has this type. `a` is the type that `A` stands for.
    fn accept(self, arg: &Ty, a: &mut Ty) -> Option<()> {
        match (self, arg) {
            (P::A, arg) => *a = a.bind(arg)?,
            (P::ListA, Ty::List(item, _)) => *a = a.bind(item)?,
            (P::ListListA, Ty::List(item, _)) => P::ListA.accept(item, a)?,
            (P::ListOptA, Ty::List(item, _)) => P::OptA.accept(item, a)?,
            (P::ListSum | P::ListOrdered, Ty::List(item, _)) => *a = self.item(item)?,
            // The overloads have different results.
            (P::ListSum | P::ListOrdered, Ty::Dyn) => *a = Ty::Dyn,
            (P::OptA, Ty::Optional(inner)) => *a = a.bind(inner)?,
            (P::MapA, Ty::Map(..)) | (_, Ty::Dyn | Ty::Open) => {}
            (param, arg) => {
                param.ty(Ty::Open).join(arg)?;
            }
        }
        Some(())
    }

    /// Returns the type of the items of a list that a function sums or orders. There is an overload for each type: the first is
    /// that of integers. Upstream: `summableTypes`, `comparableTypes`.
    fn item(self, item: &Ty) -> Option<Ty> {
        let can_be_added = matches!(item, Ty::Int | Ty::Uint | Ty::Double | Ty::Duration);
        let can_be_ordered =
            can_be_added || matches!(item, Ty::Bool | Ty::Timestamp | Ty::String | Ty::Bytes);
        match item {
            Ty::Open => Some(Ty::Int),
            // Null is a value of two types: those of durations and times.
            Ty::Dyn | Ty::Null => Some(Ty::Dyn),
            item => (can_be_added || can_be_ordered && self == P::ListOrdered).then(|| item.clone()),
        }
    }

    fn ty(self, a: Ty) -> Ty {
        match self {
            P::Dyn => Ty::Dyn,
            P::Bool => Ty::Bool,
            P::Int => Ty::Int,
            P::Uint => Ty::Uint,
            P::Double => Ty::Double,
            P::Str => Ty::String,
            P::Bytes => Ty::Bytes,
            P::Dur => Ty::Duration,
            P::Time => Ty::Timestamp,
            P::Type => Ty::Type,
            P::A => a,
            P::ListA | P::ListSum | P::ListOrdered => Ty::plain_list(a),
            P::ListStr => Ty::plain_list(Ty::String),
            P::ListInt => Ty::plain_list(Ty::Int),
            P::ListDyn => Ty::plain_list(Ty::Dyn),
            P::ListListA => Ty::plain_list(Ty::plain_list(a)),
            P::ListOptA => Ty::plain_list(P::OptA.ty(a)),
            P::MapA => Ty::Map(Arc::new(Ty::Open), Arc::new(a)),
            P::MapListStr => Ty::Map(Arc::new(Ty::String), Arc::new(P::ListStr.ty(a))),
            P::OptA => Ty::Optional(Arc::new(a)),
            P::OptFormat => P::OptA.ty(FORMAT.ty(a)),
            P::OptMessages => P::OptA.ty(Ty::Opaque(MESSAGES)),
            P::Opaque(name) => Ty::Opaque(name),
        }
    }
}
