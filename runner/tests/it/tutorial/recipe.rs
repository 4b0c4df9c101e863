//! The recipes of CONTRIBUTING.md, as their blocks.

use std::path::Path;

/// A block of a recipe that belongs to a file: its fence names the file after the language.
pub(super) struct Block {
    pub(super) language: String,
    pub(super) path: String,
    pub(super) text: String,
}

/// Reads CONTRIBUTING.md.
pub(super) fn contributing() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../CONTRIBUTING.md");
    std::fs::read_to_string(path).expect("CONTRIBUTING.md can be read")
}

/// Returns the blocks of the section with this heading.
#[track_caller]
pub(super) fn recipe(contributing: &str, heading: &str) -> Vec<Block> {
    let begin = format!("\n## {heading}\n");
    let (_, section) = contributing
        .split_once(&begin)
        .unwrap_or_else(|| panic!("CONTRIBUTING.md has no section {heading:?}"));
    let mut blocks = Vec::new();
    let mut lines = section.lines();
    while let Some(line) = lines.next().filter(|line| !line.starts_with("## ")) {
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
