//! The types of random expressions, with the expressions that have them.

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int,
    Double,
    Text,
    Bytes,
    Time,
    Duration,
    Quantity,
    IntList,
    TextList,
    ObjectList,
    IntMap,
    Object,
    Item,
    OptionalInt,
    OptionalText,
    Dyn,
}

impl Kind {
    pub(super) const ALL: [Kind; 17] = [
        Kind::Bool,
        Kind::Int,
        Kind::Double,
        Kind::Text,
        Kind::Bytes,
        Kind::Time,
        Kind::Duration,
        Kind::Quantity,
        Kind::IntList,
        Kind::TextList,
        Kind::ObjectList,
        Kind::IntMap,
        Kind::Object,
        Kind::Item,
        Kind::OptionalInt,
        Kind::OptionalText,
        Kind::Dyn,
    ];

    /// Returns the name in a template.
    const fn name(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::Int => "int",
            Kind::Double => "double",
            Kind::Text => "text",
            Kind::Bytes => "bytes",
            Kind::Time => "time",
            Kind::Duration => "duration",
            Kind::Quantity => "quantity",
            Kind::IntList => "int list",
            Kind::TextList => "text list",
            Kind::ObjectList => "object list",
            Kind::IntMap => "int map",
            Kind::Object => "object",
            Kind::Item => "item",
            Kind::OptionalInt => "optional int",
            Kind::OptionalText => "optional text",
            Kind::Dyn => "dyn",
        }
    }

    pub(super) fn of_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether a template can have a name in angle brackets. Others are operators.
    pub(super) fn is_name(name: &str) -> bool {
        Kind::of_name(name.strip_prefix("variable ").unwrap_or(name)).is_some()
    }

    /// Returns fields and literals.
    pub(super) const fn leaves(self) -> &'static [&'static str] {
        match self {
            Kind::Bool => {
                &["true", "false", "self.b", "has(self.b)", "has(self.o)", "has(self.li)", "has(self.n)"]
            }
            Kind::Int => {
                &["0", "1", "-1", "2", "3", "self.i", "self.i", "self.o.a", "9223372036854775807", "0x1F"]
            }
            Kind::Double => &["0.0", "1.5", "-2.25", "1e3", "self.n", "self.n", "2.0"],
            Kind::Text => &[
                "''",
                "'a'",
                "'abc'",
                "\"x y\"",
                "'äöü'",
                "'1'",
                "'2.5'",
                "r'a\\b'",
                "'\\u00e4\\n'",
                "self.s",
                "self.s",
                "self.e",
                "self.o.b",
                "'P'",
                "'true'",
                "self.namespace",
                "self.nu",
            ],
            Kind::Bytes => &["b''", "b'abc'", "self.y", "b'\\xff'"],
            Kind::Time => &[
                "self.t",
                "timestamp('2024-02-29T10:00:00Z')",
                "timestamp('1970-01-01T00:00:00+01:00')",
                "timestamp(0)",
            ],
            Kind::Duration => {
                &["self.d", "duration('1h')", "duration('90s')", "duration('-1.5s')", "duration('0')"]
            }
            Kind::Quantity => &[
                "quantity('1')",
                "quantity('1500m')",
                "quantity('2Ki')",
                "quantity('-1')",
                "quantity(self.q)",
            ],
            Kind::IntList => &["self.li", "self.li", "[]", "[1, 2]", "[3, 1, 2, 1]"],
            Kind::TextList => &["self.ls", "self.ls", "['a']", "['b', 'a', 'a']", "self.m.map(k, k)"],
            Kind::ObjectList => &["self.lo"],
            Kind::IntMap => &["self.m", "self.m", "{'a': 1}", "{}", "{'a': 1, 'b': 2}"],
            Kind::Object => &["self.o"],
            Kind::Item => &["self.lo[0]", "self.lo[1]"],
            Kind::OptionalInt => {
                &["optional.none()", "self.?i", "self.?o.?a", "optional.of(1)", "self.m[?'a']", "self.li[?0]"]
            }
            Kind::OptionalText => {
                &["self.?s", "self.?o.?b", "optional.of('a')", "optional.none()", "self.ls[?1]"]
            }
            Kind::Dyn => &["self.x", "self.x", "dyn(1)", "dyn('a')", "dyn(self.s)", "null"],
        }
    }

    /// Returns expressions with other expressions in them, as `<kind>`, and with the variables of macros, as `<variable kind>`.
    pub(super) const fn templates(self) -> &'static [&'static str] {
        match self {
            Kind::Bool => BOOL,
            Kind::Int => INT,
            Kind::Double => DOUBLE,
            Kind::Text => TEXT,
            Kind::Bytes => &["bytes(<text>)", "<bytes> + <bytes>", "(<bool> ? <bytes> : <bytes>)"],
            Kind::Time => &[
                "timestamp(<text>)",
                "(<time> + <duration>)",
                "(<duration> + <time>)",
                "(<time> - <duration>)",
                "timestamp(<int>)",
                "(<bool> ? <time> : <time>)",
            ],
            Kind::Duration => &[
                "duration(<text>)",
                "(<time> - <time>)",
                "(<duration> + <duration>)",
                "(<duration> - <duration>)",
                "(<bool> ? <duration> : <duration>)",
            ],
            Kind::Quantity => &[
                "quantity(<text>)",
                "<quantity>.add(<quantity>)",
                "<quantity>.sub(<quantity>)",
                "<quantity>.add(<int>)",
                "<quantity>.sub(<int>)",
            ],
            Kind::IntList => INT_LIST,
            Kind::TextList => TEXT_LIST,
            Kind::ObjectList => {
                &["<object list>.filter(<variable item>, <bool>)", "(<bool> ? <object list> : <object list>)"]
            }
            Kind::IntMap => {
                &["{<text>: <int>}", "{<text>: <int>, <text>: <int>}", "(<bool> ? <int map> : <int map>)"]
            }
            Kind::Object => &["(<bool> ? <object> : <object>)"],
            Kind::Item => &["<object list>[<int>]", "<object list>.filter(<variable item>, <bool>)[0]"],
            Kind::OptionalInt => &[
                "optional.of(<int>)",
                "optional.ofNonZeroValue(<int>)",
                "<optional int>.or(<optional int>)",
                "<optional int>.optMap(<variable int>, <int>)",
                "<optional int>.optFlatMap(<variable int>, <optional int>)",
                "<int list>[?<int>]",
                "<int map>[?<text>]",
                "<int list>.first()",
                "<int list>.last()",
            ],
            Kind::OptionalText => &[
                "optional.of(<text>)",
                "optional.ofNonZeroValue(<text>)",
                "<optional text>.or(<optional text>)",
                "<optional text>.optMap(<variable text>, <text>)",
                "<text list>[?<int>]",
                "<object>.?b",
                "<item>.?k",
            ],
            Kind::Dyn => &[
                "dyn(<int>)",
                "dyn(<text>)",
                "dyn(<double>)",
                "dyn(<int list>)",
                "dyn(<bool>)",
                "(<bool> ? <dyn> : <dyn>)",
            ],
        }
    }
}

const BOOL: &[&str] = &[
    "(<bool> && <bool>)",
    "(<bool> || <bool>)",
    "!<bool>",
    "(<bool> ? <bool> : <bool>)",
    "<int> < <int>",
    "<int> <= <int>",
    "<int> == <int>",
    "<int> != <int>",
    "<int> >= <double>",
    "<double> < <int>",
    "<double> > <double>",
    "<double> == <double>",
    "<text> < <text>",
    "<text> == <text>",
    "<text> != <text>",
    "<bytes> == <bytes>",
    "<bytes> < <bytes>",
    "<time> < <time>",
    "<time> == <time>",
    "<duration> >= <duration>",
    "<duration> == <duration>",
    "<bool> == <bool>",
    "<bool> < <bool>",
    "<int list> == <int list>",
    "<text list> == <text list>",
    "<object list> == <object list>",
    "<int map> == <int map>",
    "<object> == <object>",
    "<item> == <item>",
    "<item> in <object list>",
    "<dyn> == <dyn>",
    "<dyn> == <int>",
    "<dyn> < <int>",
    "<dyn> != <text>",
    "type(<dyn>) == int",
    "type(<dyn>) == string",
    "type(<text>) == type(<dyn>)",
    "<object> == null",
    "<time> != null",
    "<int> in <int list>",
    "<text> in <text list>",
    "<text> in <int map>",
    "<int> in <int map>",
    "<text>.startsWith(<text>)",
    "<text>.endsWith(<text>)",
    "<text>.contains(<text>)",
    "<text>.matches('^[a-c]+$')",
    "<text>.matches('[0-9]{2}')",
    "matches(<text>, 'x.')",
    "<text>.matches(<text>)",
    "<int list>.all(<variable int>, <bool>)",
    "<int list>.exists(<variable int>, <bool>)",
    "<int list>.exists_one(<variable int>, <bool>)",
    "<text list>.all(<variable text>, <bool>)",
    "<text list>.exists(<variable text>, <bool>)",
    "<object list>.all(<variable item>, <bool>)",
    "<object list>.exists(<variable item>, <bool>)",
    "<int map>.all(<variable text>, <bool>)",
    "<int map>.exists(<variable text>, <bool>)",
    "<int list>.isSorted()",
    "<text list>.isSorted()",
    "sets.contains(<int list>, <int list>)",
    "sets.equivalent(<text list>, <text list>)",
    "sets.intersects(<int list>, <int list>)",
    "<optional int>.hasValue()",
    "<optional text>.hasValue()",
    "<optional int> == <optional int>",
    "isQuantity(<text>)",
    "<quantity>.isGreaterThan(<quantity>)",
    "<quantity>.isLessThan(<quantity>)",
    "<quantity>.isInteger()",
    "<quantity> == <quantity>",
    "isIP(<text>)",
    "isSemver(<text>)",
    "bool(<text>)",
    "has(<object>.a)",
    "has(<item>.v)",
    "has(<int map>.a)",
    "undefined",
    "self.undefined",
    "(<bool>",
    "<text>.undefined()",
];

const INT: &[&str] = &[
    "(<int> + <int>)",
    "(<int> - <int>)",
    "<int> * <int>",
    "<int> / <int>",
    "<int> % <int>",
    "-<int>",
    "size(<text>)",
    "<text>.size()",
    "size(<int list>)",
    "<object list>.size()",
    "size(<int map>)",
    "size(<bytes>)",
    "int(<double>)",
    "int(<text>)",
    "int(<time>)",
    "<int list>[<int>]",
    "<int map>[<text>]",
    "<int map>.a",
    "<int list>.sum()",
    "<int list>.min()",
    "<int list>.max()",
    "<int list>.indexOf(<int>)",
    "<text list>.lastIndexOf(<text>)",
    "<text>.indexOf(<text>)",
    "<text>.indexOf(<text>, <int>)",
    "<text>.lastIndexOf(<text>)",
    "<text>.lastIndexOf(<text>, <int>)",
    "<time>.getFullYear()",
    "<time>.getMonth()",
    "<time>.getDayOfYear()",
    "<time>.getDayOfWeek()",
    "<time>.getHours()",
    "<duration>.getSeconds()",
    "<duration>.getHours()",
    "<optional int>.orValue(<int>)",
    "<optional int>.value()",
    "<quantity>.asInteger()",
    "<quantity>.sign()",
    "<quantity>.compareTo(<quantity>)",
    "<object>.a",
    "<item>.v",
    "(<bool> ? <int> : <int>)",
    "<dyn>",
];

const DOUBLE: &[&str] = &[
    "(<double> + <double>)",
    "(<double> - <double>)",
    "<double> * <double>",
    "<double> / <double>",
    "-<double>",
    "double(<int>)",
    "double(<text>)",
    "<quantity>.asApproximateFloat()",
    "(<bool> ? <double> : <double>)",
];

const TEXT: &[&str] = &[
    "(<text> + <text>)",
    "string(<int>)",
    "string(<double>)",
    "string(<bool>)",
    "string(<bytes>)",
    "string(<time>)",
    "string(<duration>)",
    "<text>.substring(<int>)",
    "<text>.substring(<int>, <int>)",
    "<text>.charAt(<int>)",
    "<text>.lowerAscii()",
    "<text>.upperAscii()",
    "<text>.trim()",
    "<text>.replace(<text>, <text>)",
    "<text>.replace(<text>, <text>, <int>)",
    "<text list>.join()",
    "<text list>.join(<text>)",
    "<text list>[<int>]",
    "<text>.find('[a-z]+')",
    "'%s %d'.format([<text>, <int>])",
    "'%s'.format([<dyn>])",
    "'%s'.format([<int list>])",
    "'%.2f|%e'.format([<double>, <double>])",
    "'%x %b %o'.format([<int>, <int>, <int>])",
    "<optional text>.orValue(<text>)",
    "<optional text>.value()",
    "<object>.b",
    "<item>.k",
    "(<bool> ? <text> : <text>)",
    "<dyn>",
];

const INT_LIST: &[&str] = &[
    "[<int>]",
    "[<int>, <int>]",
    "(<int list> + <int list>)",
    "<int list>.filter(<variable int>, <bool>)",
    "<int list>.map(<variable int>, <int>)",
    "<int list>.map(<variable int>, <bool>, <int>)",
    "<object list>.map(<variable item>, <int>)",
    "<int list>.slice(<int>, <int>)",
    "<int list>.distinct()",
    "<int list>.reverse()",
    "<int list>.sort()",
    "lists.range(<int>)",
    "(<bool> ? <int list> : <int list>)",
];

const TEXT_LIST: &[&str] = &[
    "[<text>, <text>]",
    "(<text list> + <text list>)",
    "<text>.split(<text>)",
    "<text>.split(<text>, <int>)",
    "<text list>.filter(<variable text>, <bool>)",
    "<text list>.map(<variable text>, <text>)",
    "<int map>.map(<variable text>, <text>)",
    "<object list>.map(<variable item>, <text>)",
    "<text>.findAll('[a-z]')",
    "<text>.findAll('.', <int>)",
    "<text list>.distinct()",
    "<text list>.sort()",
    "<text list>.reverse()",
    "(<bool> ? <text list> : <text list>)",
];
