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
    Url,
    Format,
    IntList,
    TextList,
    ObjectList,
    DoubleList,
    TimeList,
    Lists,
    KeyList,
    IntMap,
    Object,
    Item,
    OptionalInt,
    OptionalText,
    Dyn,
}

impl Kind {
    pub(super) const ALL: [Kind; 23] = [
        Kind::Bool,
        Kind::Int,
        Kind::Double,
        Kind::Text,
        Kind::Bytes,
        Kind::Time,
        Kind::Duration,
        Kind::Quantity,
        Kind::Url,
        Kind::Format,
        Kind::IntList,
        Kind::TextList,
        Kind::ObjectList,
        Kind::DoubleList,
        Kind::TimeList,
        Kind::Lists,
        Kind::KeyList,
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
            Kind::Url => "url",
            Kind::Format => "format",
            Kind::IntList => "int list",
            Kind::TextList => "text list",
            Kind::ObjectList => "object list",
            Kind::DoubleList => "double list",
            Kind::TimeList => "time list",
            Kind::Lists => "lists",
            Kind::KeyList => "key list",
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
            Kind::Format => &[
                "format.dns1123Label()",
                "format.dns1123LabelPrefix()",
                "format.dns1123Subdomain()",
                "format.dns1123SubdomainPrefix()",
                "format.dns1035Label()",
                "format.dns1035LabelPrefix()",
                "format.qualifiedName()",
                "format.labelValue()",
                "format.uri()",
                "format.uuid()",
                "format.byte()",
                "format.date()",
                "format.datetime()",
                "format.named('dns1123Label').value()",
            ],
            Kind::Url => &[
                "url('https://u:p@a.example:8080/b%20c d?k=1&k=2&a=%41#f')",
                "url('/a/b?a=b')",
                "url('http://[::1]:80')",
                "url('a:b')",
                "url(self.s)",
                "url('HTTP://' + self.s)",
            ],
            Kind::IntList => &["self.li", "self.li", "[]", "[1, 2]", "[3, 1, 2, 1]"],
            Kind::TextList => &["self.ls", "self.ls", "['a']", "['b', 'a', 'a']", "self.m.map(k, k)"],
            Kind::ObjectList => &["self.lo"],
            Kind::DoubleList => &["self.sn", "self.sn", "[1.0, 1.5]", "[1.5, 3.0, 0.0]"],
            Kind::TimeList => &["self.st", "self.st", "[self.t]", "[timestamp('2024-02-29T10:00:00Z')]"],
            Kind::Lists => &["self.ll", "self.ll", "[self.li]", "[[1], [1, 2]]"],
            Kind::KeyList => &["self.lk"],
            Kind::IntMap => &["self.m", "self.m", "{'a': 1}", "{}", "{'a': 1, 'b': 2}"],
            Kind::Object => &["self.o"],
            Kind::Item => &["self.lo[0]", "self.lo[1]"],
            Kind::OptionalInt => {
                &["optional.none()", "self.?i", "self.?o.?a", "optional.of(1)", "self.m[?'a']", "self.li[?0]"]
            }
            Kind::OptionalText => {
                &["self.?s", "self.?o.?b", "optional.of('a')", "optional.none()", "self.ls[?1]"]
            }
            Kind::Dyn => &[
                "self.x",
                "self.x",
                "dyn(1)",
                "dyn('a')",
                "dyn(self.s)",
                "null",
                "dyn(self.on)",
                "dyn(self.lo)",
            ],
        }
    }
}
