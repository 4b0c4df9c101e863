//! The recipes of the guide, as their blocks.

use std::path::Path;

/// A block of a recipe that belongs to a file: its fence names the file after the language.
pub(super) struct Block {
    pub(super) language: String,
    pub(super) path: String,
    pub(super) text: String,
}

/// Returns the blocks of a page in `guide/src/contribute/`.
#[track_caller]
pub(super) fn recipe(page: &str) -> Vec<Block> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guide/src/contribute").join(page);
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{page}: {error}"));
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if let Some((language, path)) = info.split_once(' ') {
            blocks.push(Block {
                language: language.to_owned(),
                path: path.to_owned(),
                text: inside.join("\n") + "\n",
            });
        }
    }
    blocks
}

/// Returns the files that a recipe edits, each once.
pub(super) fn edited_files(blocks: &[Block]) -> Vec<&str> {
    let mut paths: Vec<&str> = blocks.iter().map(|block| block.path.as_str()).collect();
    paths.dedup();
    paths
}
