//! Generation of scalars. Go decodes some into types of their own: quantities, times, durations, bytes and 32-bit integers.

use skewer_engine::schema::ScalarType;
use skewer_engine::{Doc, OwnedDoc};

use super::documents::{DocumentGenerator, FLOATS, INTEGERS, STRINGS};

/// Quantities, most of them as Go writes them.
const QUANTITIES: [&str; 8] = ["1", "100m", "1Gi", "500Mi", "0", "2", "1500m", "10k"];
/// Quantities that Go writes in another form, and quantities at the limits of 64-bit integers.
const RARE_QUANTITIES: [&str; 16] = [
    "1.5",
    "0.5",
    "1000m",
    "1024Ki",
    "1e3",
    "1E3",
    "12e6",
    "-1",
    "+5",
    "1.0",
    "0.1m",
    "1000000n",
    "9223372036854775807",
    "1.5Gi",
    ".5",
    "00",
];
const MALFORMED_QUANTITIES: [&str; 6] = ["", "a", "1.2.3", "1 ", "1KI", "0x1"];

const BYTES: [&str; 4] = ["YQ==", "aGVsbG8=", "AAECAw==", ""];
const MALFORMED_BYTES: [&str; 4] = ["a", "YQ", "YQ=", "*"];

const TIMES: [&str; 3] = ["2024-01-02T03:04:05Z", "2023-12-31T23:59:59Z", "2024-02-29T00:00:00Z"];
const RARE_TIMES: [&str; 5] = [
    "2024-01-02T05:04:05+02:00",
    "2024-01-02T03:04:05.678Z",
    "0001-01-01T00:00:00Z",
    "1969-12-31T19:00:00-05:00",
    "9999-12-31T23:59:59Z",
];
const MALFORMED_TIMES: [&str; 6] =
    ["", "a", "2024-01-02", "2024-01-02T03:04:05", "2023-02-29T00:00:00Z", "2024-01-02 03:04:05Z"];

const MICRO_TIMES: [&str; 3] =
    ["2024-01-02T03:04:05.000000Z", "2024-01-02T03:04:05.123456Z", "2023-12-31T23:59:59.999999Z"];
const RARE_MICRO_TIMES: [&str; 2] = ["2024-01-02T05:04:05.000001+02:00", "0001-01-01T00:00:00.000000Z"];
const MALFORMED_MICRO_TIMES: [&str; 5] =
    ["", "2024-01-02T03:04:05Z", "2024-01-02T03:04:05.123Z", "2024-01-02T03:04:05.1234567Z", "a"];

const DURATIONS: [&str; 4] = ["1s", "15m0s", "1h30m0s", "0s"];
const RARE_DURATIONS: [&str; 7] = ["1h", "1.5h", "-1s", "100ms", "1us", "0", "90m"];
const MALFORMED_DURATIONS: [&str; 4] = ["", "1", "a", "1d"];

const SMALL_INTEGERS: [i64; 7] = [0, 1, 2, 3, 80, 8080, -1];
const RARE_INT32: [i64; 4] = [0, 2_147_483_647, -2_147_483_648, 1_000_000];
const RARE_INT64: [i64; 6] = [0, i64::MAX, i64::MIN, 9_007_199_254_740_993, 2_147_483_648, 10_000_000_000];
const RARE_FLOATS: [f64; 6] = [0.0, 1.0, 0.1, 1e21, 1e-7, 1e300];
const RARE_INT_OR_STRINGS: [&str; 4] = ["", "100%", "http", "1"];
/// Strings in other scripts, and strings with characters that JSON escapes.
const RARE_STRINGS: [&str; 8] = ["", "é", "e\u{301}", "日本", "😀", "<a>&", "\t\"\\", "\u{2028}"];

impl DocumentGenerator<'_> {
    /// Generates a scalar that Go can decode, and that Go usually writes as it is.
    pub(super) fn usual_scalar(&mut self, scalar: ScalarType) -> OwnedDoc {
        let texts: &[&str] = match scalar {
            ScalarType::Number if self.random.chance(700) => {
                return Doc::Float(*self.random.pick(&FLOATS));
            }
            ScalarType::Integer | ScalarType::Number => return Doc::Int(*self.random.pick(&INTEGERS)),
            ScalarType::Boolean => return Doc::Bool(self.random.chance(500)),
            ScalarType::IntOrString if self.random.chance(500) => {
                return Doc::Int(*self.random.pick(&INTEGERS));
            }
            ScalarType::String | ScalarType::IntOrString => &STRINGS,
            ScalarType::Int32 => return Doc::Int(*self.random.pick(&SMALL_INTEGERS)),
            ScalarType::Quantity if self.random.chance(200) => return Doc::Int(1),
            ScalarType::Quantity => &QUANTITIES,
            ScalarType::Bytes => &BYTES,
            ScalarType::Time => &TIMES,
            ScalarType::MicroTime => &MICRO_TIMES,
            ScalarType::Duration => &DURATIONS,
        };
        Doc::from(*self.random.pick(texts))
    }

    /// Generates a rare scalar that Go can decode into the type.
    pub(super) fn rare_decodable_scalar(&mut self, scalar: ScalarType) -> OwnedDoc {
        let texts: &[&str] = match scalar {
            ScalarType::Integer => return Doc::Int(*self.random.pick(&RARE_INT64)),
            ScalarType::Number => return Doc::Float(*self.random.pick(&RARE_FLOATS)),
            ScalarType::Boolean => return Doc::Bool(self.random.chance(500)),
            ScalarType::IntOrString if self.random.chance(500) => {
                return Doc::Int(*self.random.pick(&RARE_INT32));
            }
            ScalarType::IntOrString => &RARE_INT_OR_STRINGS,
            ScalarType::Int32 => return Doc::Int(*self.random.pick(&RARE_INT32)),
            ScalarType::Quantity if self.random.chance(200) => {
                return Doc::Float(*self.random.pick(&[0.5, 1.0, 1.25, 0.001]));
            }
            ScalarType::Quantity => &RARE_QUANTITIES,
            ScalarType::Bytes => &BYTES,
            ScalarType::Time => &RARE_TIMES,
            ScalarType::MicroTime => &RARE_MICRO_TIMES,
            ScalarType::Duration => &RARE_DURATIONS,
            ScalarType::String => &RARE_STRINGS,
        };
        Doc::from(*self.random.pick(texts))
    }

    /// Generates a value that Go cannot decode into a scalar with a type of its own.
    pub(super) fn malformed_value(&mut self, scalar: ScalarType) -> OwnedDoc {
        let texts: &[&str] = match scalar {
            ScalarType::Quantity => &MALFORMED_QUANTITIES,
            ScalarType::Bytes => &MALFORMED_BYTES,
            ScalarType::Time => &MALFORMED_TIMES,
            ScalarType::MicroTime => &MALFORMED_MICRO_TIMES,
            ScalarType::Duration => &MALFORMED_DURATIONS,
            _ => {
                let values = [Doc::Int(2_147_483_648), Doc::Float(1.5), Doc::from("1"), Doc::Float(1.0)];
                return self.random.pick(&values).clone();
            }
        };
        Doc::from(*self.random.pick(texts))
    }
}
