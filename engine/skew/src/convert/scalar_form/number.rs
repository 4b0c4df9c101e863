//! The text of a float in JSON.

/// Returns the text that `encoding/json` writes for a `float64`: the shortest digits, with an exponent below 1e-6 and
/// from 1e21.
pub(crate) fn go_float_text(float: f64) -> String {
    let magnitude = float.abs();
    if magnitude != 0.0 && !(1e-6..1e21).contains(&magnitude) {
        let text = format!("{float:e}");
        if magnitude < 1.0 { text } else { text.replace('e', "e+") }
    } else {
        float.to_string()
    }
}

/// Returns the integer to which Go converts a whole float on amd64. A float that no 64-bit integer equals becomes the
/// smallest one.
pub(crate) fn go_float_to_integer(float: f64) -> i64 {
    // 2^63, the first float above all 64-bit integers.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&float) {
        #[expect(clippy::cast_possible_truncation, reason = "the float is whole, and in the range")]
        let integer = float as i64;
        integer
    } else {
        i64::MIN
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// Observed with `json.Marshal` of Go 1.26.
    #[rstest]
    #[case(1.0, "1")]
    #[case(-0.5, "-0.5")]
    #[case(1e20, "100000000000000000000")]
    #[case(1e21, "1e+21")]
    #[case(-1.5e300, "-1.5e+300")]
    #[case(1e-6, "0.000001")]
    #[case(1.25e-7, "1.25e-7")]
    #[case(-0.0, "-0")]
    fn floats_are_written_as_go_writes_them(#[case] float: f64, #[case] expected: &str) {
        assert_eq!(go_float_text(float), expected);
    }

    /// Observed with `int64(float)` of Go 1.26 on amd64.
    #[rstest]
    #[case(-3.0, -3)]
    #[case(9_223_372_036_854_774_784.0, 9_223_372_036_854_774_784)]
    #[case(9_223_372_036_854_775_808.0, i64::MIN)]
    #[case(-1e300, i64::MIN)]
    fn whole_floats_become_the_integers_of_go(#[case] float: f64, #[case] expected: i64) {
        assert_eq!(go_float_to_integer(float), expected);
    }
}
