//! From text to syntax tree, and what the parser could not make sense of.

use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, Parser, Tree};

use super::errors::{GoError, GoErrorKind, Position};

/// How many rounds of the parser's progress callback a byte of source may cost. Go text takes a small fraction of
/// it; a text made to keep the parser guessing ends here instead of running on.
const ROUNDS_PER_BYTE: usize = 4;
const FREE_ROUNDS: usize = 10_000;

/// The position of a node's first byte.
pub(super) fn position(node: Node<'_>) -> Position {
    let start = node.start_position();
    let from_one = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).saturating_add(1);
    Position { line: from_one(start.row), column: from_one(start.column) }
}

/// The text of a node.
pub(super) fn text_of<'s>(source: &'s str, node: Node<'_>) -> &'s str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// All children, comments and punctuation included. Through a cursor: asking for the n-th child is linear in n.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.children(&mut node.walk()).collect()
}

/// The first named child that is not a comment: the inner type of `(T)` and `*T`.
pub(super) fn inner(node: Node<'_>) -> Option<Node<'_>> {
    node.named_children(&mut node.walk()).find(|child| !child.is_extra())
}

/// Parses Go. `None` when the parser gave up.
pub(super) fn parse(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_go::LANGUAGE.into()).ok()?;
    let mut rounds = FREE_ROUNDS.saturating_add(text.len().saturating_mul(ROUNDS_PER_BYTE));
    let mut progress = |_: &tree_sitter::ParseState| {
        rounds = rounds.saturating_sub(1);
        if rounds == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| text.as_bytes().get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}

/// Goes through the whole tree, in source order and without recursion. `enter` says whether to go into the node.
pub(super) fn walk<'t>(root: Node<'t>, mut enter: impl FnMut(Node<'t>) -> bool) {
    let mut cursor = root.walk();
    loop {
        if enter(cursor.node()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// What is not Go in this tree: everything that the parser skipped or had to invent.
pub(super) fn syntax_errors(root: Node<'_>, text: &str, errors: &mut Vec<GoError>) {
    walk(root, |node| {
        if node.is_missing() {
            let message = format!("`{}` is missing here", node.kind());
            errors.push(position(node).error(GoErrorKind::Syntax, message));
        } else if node.is_error() {
            let broken = first_broken(node);
            let rest = text.get(broken.start_byte()..node.end_byte()).unwrap_or_default();
            errors.push(position(broken).error(GoErrorKind::Syntax, not_go(rest)));
            return false;
        }
        node.has_error()
    });
}

/// Where the trouble begins: the parser may put whole declarations into the node of an error that follows them.
fn first_broken(error: Node<'_>) -> Node<'_> {
    let complete = |node: &Node<'_>| {
        let whole =
            node.kind().ends_with("_declaration") || matches!(node.kind(), "package_clause" | "comment");
        (whole && !node.has_error()) || matches!(node.kind(), "\n" | ";")
    };
    children(error).into_iter().find(|node| !complete(node)).unwrap_or(error)
}

fn not_go(text: &str) -> String {
    const SHOWN: usize = 40;
    let line = text.lines().next().unwrap_or_default().trim();
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("this is not a Go declaration: `{}…`", &line[..end]),
        None if line.is_empty() => "the Go declaration breaks off here".to_owned(),
        None => format!("this is not a Go declaration: `{line}`"),
    }
}
