//! Writes a suite with a single case that has a given number of cells, to measure the speed of runs:
//!
//! ```text
//! mkdir -p /tmp/matrix && cargo run --release -p skewer --example matrix -- 1000000 > /tmp/matrix/generated.yaml
//! /usr/bin/time -v target/release/skewer run --corpus /tmp/matrix --report json=/tmp/matrix.json
//! ```
//!
//! The axes are ten clients, ten servers, five requests, and as many intents as necessary. Every cell runs all steps of
//! a scenario, with a union and a list that is merged by key.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

const HEAD: &str = "\
suite: generated
about: A matrix with a given number of cells.
level: required
schema:
  go: |
    type Root struct {
      Strategy Strategy `json:\"strategy\" patchStrategy:\"retainKeys\"`
      Items    []Item   `json:\"items,omitempty\" patchStrategy:\"merge\" patchMergeKey:\"name\"`
    }
    type Strategy struct {
      Type string `json:\"type\"`
      Foo  *Foo   `json:\"foo,omitempty\"`
      Bar  *Bar   `json:\"bar,omitempty\"`
    }
    type Foo struct {
      X int `json:\"x\"`
    }
    type Bar struct {
      Y int `json:\"y\"`
    }
    type Item struct {
      Name string `json:\"name\"`
      Size int    `json:\"size,omitempty\"`
    }
  root: Root
cases:
  - id: switch
    live: {strategy: {type: foo, foo: {x: 1}}, items: [{name: a, size: 1}, {name: b, size: 2}]}
    last-applied: {strategy: {type: foo, foo: {x: 1}}, items: [{name: a, size: 1}, {name: b, size: 2}]}
    intent:
      choose: [{at: strategy, fields: {type: bar, bar: {y: 1}}}]
";

/// An expectation that every outcome satisfies, because only the duration is of interest.
const EXPECT: &str = "    expect:
      - any-of: [{outcome: intended}, {outcome: as-before}, {outcome: refused}, {outcome: ignored},
                 {outcome: leftover}, {outcome: lost}, {outcome: diverged}]
";

const CLIENTS: [&str; 10] = [
    "{}",
    "{without: [$retainKeys]}",
    "{without: [$setElementOrder]}",
    "{unstructured: true}",
    "{without: [Strategy.bar]}",
    "{without: [Strategy.foo]}",
    "{profile: kubernetes-1.4}",
    "{profile: kubernetes-1.6}",
    "{profile: proposed}",
    "{unstructured: true, without: [$retainKeys]}",
];

const SERVERS: [&str; 10] = [
    "{}",
    "{without: [$retainKeys]}",
    "{without: [$setElementOrder]}",
    "{strict: true}",
    "{without: [Strategy.bar]}",
    "{without: [Strategy.foo]}",
    "{profile: kubernetes-1.4}",
    "{profile: kubernetes-1.6}",
    "{profile: proposed}",
    "{strict: true, without: [$retainKeys]}",
];

const REQUESTS: [&str; 5] =
    ["update", "json-merge-patch", "strategic-merge-patch", "client-side-apply", "strategic-merge-patch"];

fn write(cells: usize) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    out.write_all(HEAD.as_bytes())?;
    writeln!(out, "    axes:")?;
    for (axis, values) in [("client", CLIENTS), ("server", SERVERS)] {
        writeln!(out, "      {axis}:")?;
        for (index, value) in values.iter().enumerate() {
            writeln!(out, "        {axis}-{index}: {value}")?;
        }
    }
    writeln!(out, "      way:")?;
    for (index, request) in REQUESTS.iter().enumerate() {
        writeln!(out, "        way-{index}: {{request: {request}}}")?;
    }
    writeln!(out, "      size:")?;
    for size in 0..cells.div_ceil(CLIENTS.len() * SERVERS.len() * REQUESTS.len()) {
        writeln!(
            out,
            "        \"{size}\": {{intent: {{set: {{items: [{{name: b, size: {}}}]}}}}}}",
            size + 3
        )?;
    }
    out.write_all(EXPECT.as_bytes())?;
    out.flush()
}

#[expect(clippy::print_stderr, reason = "the error of a program")]
fn main() -> ExitCode {
    let Some(cells) = std::env::args().nth(1).and_then(|cells| cells.parse().ok()) else {
        eprintln!("usage: matrix CELLS");
        return ExitCode::from(2);
    };
    match write(cells) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("matrix: {error}");
            ExitCode::FAILURE
        }
    }
}
