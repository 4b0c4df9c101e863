//! Blocks of program output in the documentation. Each follows a comment with its name.

use std::path::Path;

/// Asserts that the fenced block after `<!-- NAME -->` in a file of the repository has the expected content.
/// `SKEWER_UPDATE=1` rewrites the block.
pub(crate) fn assert_block_is_current(file: &str, name: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    let (start, end) =
        block_span(&text, name).unwrap_or_else(|| panic!("{file} has no block after <!-- {name} -->"));
    if text[start..end] == *expected {
        return;
    }
    if std::env::var_os("SKEWER_UPDATE").is_some() {
        let written = std::fs::write(&path, [&text[..start], expected, &text[end..]].concat());
        return written.unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    panic!(
        "the block after <!-- {name} --> in {file} is stale: run the test with SKEWER_UPDATE=1. Expected:\n{expected}"
    );
}

/// Returns the start and end offsets of the lines of a block. Its fence can have more than three backticks.
fn block_span(text: &str, name: &str) -> Option<(usize, usize)> {
    let after = text.find(&format!("<!-- {name} -->"))?;
    let fence = after + text[after..].find("\n```")? + 1;
    let ticks = text[fence..].chars().take_while(|c| *c == '`').count();
    let start = fence + text[fence..].find('\n')? + 1;
    let end = start + text[start..].find(&format!("{}\n", "`".repeat(ticks)))?;
    Some((start, end))
}
