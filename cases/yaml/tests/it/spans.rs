//! Source spans of nodes and keys, and positions of offsets.

use rstest::rstest;

use skewer_yaml::{LineIndex, Node, NodeData, Position, Span, parse};

fn node_at<'a>(root: &'a Node, path: &str) -> &'a Node {
    path.split('.').filter(|step| !step.is_empty()).fold(root, |node, step| match &node.data {
        NodeData::List(items) => &items[step.parse::<usize>().unwrap()],
        _ => node.get(step).unwrap(),
    })
}

#[rstest]
#[case::plain("a: bcd\n", "a", "bcd")]
#[case::quoted("a: 'b c' # d\n", "a", "'b c'")]
#[case::quotes_in_quotes("a: 'it''s' # '\n", "a", "'it''s'")]
#[case::escapes_in_quotes("a: \"b\\\" c\" # d\n", "a", "\"b\\\" c\"")]
#[case::list_of_negative_numbers("a:\n- -1\n", "a", "- -1")]
#[case::behind_wide_characters("日本: {\u{1f600}: x}\n", "日本.\u{1f600}", "x")]
#[case::in_a_flow_list("a: [b, [c, d]]\n", "a.1", "[c, d]")]
#[case::flow_map("a: {b: {c: 1}}\n", "a.b", "{c: 1}")]
#[case::block_map("a:\n  b: 1\n  c: d\ne: f\n", "a", "b: 1\n  c: d")]
#[case::block_list("a:\n  - b\n  - c: d\ne: f\n", "a", "- b\n  - c: d")]
#[case::list_without_indentation("a:\n- b\n- c\ne: f\n", "a", "- b\n- c")]
#[case::map_in_a_list("- a: 1\n  b: 2\n- c\n", "0", "a: 1\n  b: 2")]
#[case::windows_line_ends("a: 1\r\nb: é\r\nc: xyz\r\n", "c", "xyz")]
#[case::block_text("a: |\n  x\n  y\nb: 1\n", "a", "x\n  y")]
#[case::flow_list_with_spaces_behind_it("a: [b, c] # d\n", "a", "[b, c]")]
#[case::block_text_at_the_end("a: |\n  x\n  y", "a", "x\n  y")]
#[case::anchored("a: &x b\n", "a", "b")]
#[case::anchored_map("a: &x\n  b: 1\n", "a", "b: 1")]
#[case::anchored_list("a: &x\n- b\n", "a", "- b")]
#[case::unbreakable_space("a: \u{a0}\n", "a", "\u{a0}")]
#[case::alias("a: &x {b: 1}\nc: *x\n", "c", "*x")]
#[case::inside_an_alias("a: &x {b: 123}\nc: *x\n", "c.b", "123")]
#[case::byte_order_mark("\u{feff}a: b\n", "a", "b")]
fn a_node_has_the_span_of_its_text(#[case] text: &str, #[case] path: &str, #[case] expected: &str) {
    let file = parse("x.yaml", text.as_bytes()).unwrap();
    let span = node_at(file.root(), path).span;
    assert_eq!(&file.text()[span.offset..span.end()], expected);
}

#[test]
fn keys_have_spans_of_their_own() {
    let file = parse("x.yaml", "é: 1\n\"b c\": 2\n".as_bytes()).unwrap();
    let NodeData::Map(entries) = &file.root().data else { panic!("a map") };
    let keys: Vec<_> = entries.iter().map(|e| &file.text()[e.key.span.offset..e.key.span.end()]).collect();
    assert_eq!(keys, ["é", "\"b c\""]);
}

#[rstest]
#[case::start(0, 1, 1)]
#[case::behind_two_bytes(2, 1, 2)]
#[case::in_a_character(1, 1, 1)]
#[case::line_break(3, 1, 3)]
#[case::second_line(4, 2, 1)]
#[case::end(7, 3, 1)]
#[case::behind_the_end(99, 3, 1)]
fn any_offset_has_a_position(#[case] offset: usize, #[case] line: usize, #[case] column: usize) {
    let lines = LineIndex::new("éx\nab\n".into());
    assert_eq!(lines.position(offset), Position { line, column });
}

#[rstest]
#[case(Position { line: 1, column: 2 }, 2)]
#[case(Position { line: 2, column: 1 }, 4)]
#[case::column_beyond_the_line(Position { line: 1, column: 9 }, 3)]
#[case::line_beyond_the_text(Position { line: 9, column: 1 }, 7)]
#[case::nowhere(Position { line: 0, column: 0 }, 7)]
fn any_position_has_an_offset(#[case] position: Position, #[case] offset: usize) {
    let lines = LineIndex::new("éx\nab\n".into());
    assert_eq!(lines.offset(position), offset);
}

#[test]
fn two_spans_join_to_the_shortest_that_contains_both() {
    assert_eq!(Span::new(4, 2).to(Span::new(1, 1)), Span::new(1, 5));
}
