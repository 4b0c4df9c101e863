//! The layout of files that are formatted.

use rstest::rstest;
use skewer_yaml::format;

#[rstest]
#[case::comments_above_and_beside(
    "# File.\n\n# First.\na: 1 # one\n#Second.\n\n\n\nb:   # two\n      - x   # three\n      # Third.\n      - y\n  # End.\n",
    "# File.\n\n# First.\na: 1 # one\n#Second.\n\nb: # two\n  - x # three\n  # Third.\n  - y\n# End.\n"
)]
#[case::comments_in_flow_style(
    "a: [1, # one\n  2]\nb: {c: {d: 1 # two\n  }}\n",
    "a:\n  - 1 # one\n  - 2\nb:\n  c:\n    d: 1 # two\n"
)]
#[case::comment_before_the_first_key(
    "- # c\n  a: 1\n- b:\n    # d\n    c: 1\n",
    "# c\n- a: 1\n- b:\n    # d\n    c: 1\n"
)]
#[case::comment_of_a_block_scalar(
    "a: | # c\n  x\n\n  y\nb: >\n  x\n  y\n\n  z\n",
    "a: | # c\n  x\n\n  y\nb: >\n  x y\n\n  z\n"
)]
#[case::anchors(
    "a: &x   {b: 1}\nc: [*x, &y z]\nd:\n- &z\n  e: 1\n- *z\n",
    "a: &x {b: 1}\nc: [*x, &y z]\nd:\n  - &z\n    e: 1\n  - *z\n"
)]
#[case::quotes(
    "'a':   'it''s'\n\"b\": \"\\u00e4\"\nc:\nd: a\n   b\n",
    "'a': 'it''s'\n\"b\": \"\\u00e4\"\nc:\nd: >-\n  a b\n"
)]
#[case::nested_lists("-   - 1\n    - [ ]\n-   a:  { }\n", "- - 1\n  - []\n- a: {}\n")]
#[case::trailing_line_breaks("a: |+\n  x\n\nb: 1\n", "a: \"x\\n\\n\"\n\nb: 1\n")]
fn files_are_formatted(#[case] text: &str, #[case] expected: &str) {
    let formatted = format("x.yaml", text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(formatted, expected);
    assert_eq!(format("x.yaml", formatted.as_bytes()).unwrap(), formatted);
}

#[test]
fn collections_that_do_not_fit_have_a_line_for_each_part() {
    let word = "w".repeat(50);
    let text = format!("a: {{b: {word}, c: [{word}, {word}], d: {{e: 1}}}}\n");
    let expected = format!("a:\n  b: {word}\n  c: [{word}, {word}]\n  d: {{e: 1}}\n");
    assert_eq!(format("x.yaml", text.as_bytes()).unwrap(), expected);
}

#[test]
fn errors_of_the_text_are_returned() {
    let errors = format("x.yaml", b"a: 1\na: 2\n").unwrap_err();
    assert!(errors.to_string().starts_with("x.yaml:2:1: "), "{errors}");
}
