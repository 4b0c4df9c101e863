//! `skewer explain`.

mod example;
mod terms;
mod words;

use std::fmt::Write;

use clap::Args;
use skewer_cases::yaml::nearest;
use skewer_reports::style::wrap;

use self::words::{Word, WordKind};
use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output::{self, Stream};
use crate::cli::progress::Progress;

/// The arguments of `skewer explain`.
#[derive(Debug, Args)]
pub(super) struct ExplainArguments {
    /// Word to explain: an outcome (lost), a status (not-asked), an error kind (missing-merge-key), a directive
    /// (retainKeys; `$` can be omitted), a union policy, a request, a law, an exit code, a term (ideal) or a key of case files
    /// (configuration). Without it, the words are listed.
    word: Option<String>,
    #[command(flatten)]
    corpus: CorpusArguments,
}

pub(super) fn explain(arguments: &ExplainArguments) -> Result {
    let words = words::all()?;
    let width = Stream::Output.style().text_width();
    let Some(text) = &arguments.word else {
        output::print(&list(&words, width))?;
        return Ok(Exit::Ok);
    };
    let named = |text: &str| -> Vec<&Word> { words.iter().filter(|word| word.is_named(text)).collect() };
    let named = match (named(text), text.strip_suffix('s')) {
        // Outputs have plurals, too.
        (exact, Some(singular)) if exact.is_empty() => named(singular),
        (exact, _) => exact,
    };
    if named.is_empty() {
        return Err(unknown_word(text, &words));
    }
    let mut explained = Vec::new();
    for word in named {
        let example = if word.kind.has_examples() { Some(find_example(word, arguments)?) } else { None };
        explained.push(describe(word, example.as_deref(), width));
    }
    output::print(&explained.join("\n")).map(|()| Exit::Ok)
}

/// Returns the command that shows a cell with a word, or says that there is none.
fn find_example(word: &Word, arguments: &ExplainArguments) -> Result<String> {
    let progress = Progress::of_activity("searching for an example");
    let corpus = arguments.corpus.load()?;
    let command = example::find(word, &corpus).map(|cell| arguments.corpus.show_command(&cell.id()));
    drop(progress);
    Ok(command.unwrap_or_else(|| "none: no cell of the corpus shows it on the built-in engine".to_owned()))
}

/// Renders the words of each kind as a list.
fn list(words: &[Word], width: usize) -> String {
    let mut text = String::new();
    for kind in WordKind::ALL {
        let names: Vec<&str> =
            words.iter().filter(|word| word.kind == kind).map(|word| word.name.as_str()).collect();
        let _ = writeln!(text, "{}", kind.heading());
        text.push_str(&wrap(&names.join(", "), "  ", "  ", width));
        text.push('\n');
    }
    text + "explain one: skewer explain WORD\n"
}

/// Renders a word with its meaning, its properties and an example.
fn describe(word: &Word, example: Option<&str>, width: usize) -> String {
    const LABEL_WIDTH: usize = 15;
    let mut text = format!("{} ({})\n", word.name, word.kind.name());
    text.push_str(&wrap(&word.about, "  ", "  ", width));
    let indent = " ".repeat(LABEL_WIDTH + 2);
    for (label, fact) in &word.facts {
        text.push_str(&wrap(fact, &format!("  {label:LABEL_WIDTH$}"), &indent, width));
    }
    if let Some(example) = example {
        // A command stays on one line, so that it can be copied.
        let _ = writeln!(text, "  {:LABEL_WIDTH$}{example}", "example");
    }
    text
}

fn unknown_word(text: &str, words: &[Word]) -> Failure {
    if text.is_empty() {
        let message = "the word is empty: put a directive into single quotes, for example '$retainKeys'";
        return Failure::could_not_run(message);
    }
    let names = words.iter().flat_map(|word| [word.name.as_str(), word.name.trim_start_matches('$')]);
    let hint = nearest(text, names)
        .map_or("`skewer explain` lists the words".to_owned(), |near| format!("did you mean `{near}`?"));
    Failure::could_not_run(format!("there is no explanation of `{text}`: {hint}"))
}
