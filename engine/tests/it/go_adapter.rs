//! The Go adapter (`runner/adapters/apimachinery`) as a reference for unions.
//!
//! The environment variable `SKEWER_GO_ADAPTER` names the program. Tests that need it print that they are skipped if
//! the variable is not set.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, BufWriter, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value as Json, json};

/// Number of requests that are sent before their replies are read. It is so small that neither side blocks on a full
/// pipe.
const BATCH: usize = 200;

/// Returns the program of the Go adapter. Without one, prints that a test is skipped.
pub(crate) fn program(test: &str) -> Option<String> {
    let program = std::env::var("SKEWER_GO_ADAPTER").ok();
    if program.is_none() {
        // The test harness captures the output of `eprintln!` and hides it when the test passes.
        let _ = writeln!(std::io::stderr(), "skipped {test}: SKEWER_GO_ADAPTER does not name the Go adapter");
    }
    program
}

/// A running Go adapter.
pub(crate) struct Adapter {
    child: Child,
    input: BufWriter<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_seq: u64,
}

impl Adapter {
    /// Starts the adapter. Panics if it does not support the operation.
    pub(crate) fn start(program: &str, operation: &str) -> Self {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start the adapter {program}: {error}"));
        let input = BufWriter::new(child.stdin.take().unwrap());
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut adapter = Adapter { child, input, output, next_seq: 0 };
        adapter.send(&json!({"kind": "start", "protocol": 1}));
        let started = adapter.receive();
        let operations = started["supports"]["operations"].as_array().cloned().unwrap_or_default();
        assert!(
            operations.contains(&json!(operation)),
            "the adapter does not support {operation}: {started}"
        );
        adapter
    }

    /// Runs requests and returns their replies in the same order. The requests need no `kind` and no `seq`.
    pub(crate) fn run(&mut self, requests: Vec<Json>) -> Vec<Json> {
        let mut replies = Vec::with_capacity(requests.len());
        let mut requests = requests.into_iter();
        loop {
            let batch: Vec<Json> = requests.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                return replies;
            }
            replies.extend(self.run_batch(batch));
        }
    }

    fn run_batch(&mut self, batch: Vec<Json>) -> Vec<Json> {
        let first = self.next_seq;
        for mut request in batch {
            request["kind"] = json!("run");
            request["seq"] = json!(self.next_seq);
            self.next_seq += 1;
            self.send(&request);
        }
        let mut replies: HashMap<u64, Json> = HashMap::new();
        for _ in first..self.next_seq {
            let reply = self.receive();
            replies.insert(reply["seq"].as_u64().unwrap(), reply);
        }
        (first..self.next_seq).map(|seq| replies.remove(&seq).expect("a reply to each request")).collect()
    }

    fn send(&mut self, message: &Json) {
        writeln!(self.input, "{message}").unwrap();
        self.input.flush().unwrap();
    }

    fn receive(&mut self) -> Json {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("the adapter sent an invalid reply {line:?}: {error}"))
    }

    /// Stops the adapter. Panics if it does not end with success.
    pub(crate) fn stop(mut self) {
        self.send(&json!({"kind": "stop"}));
        drop(self.input);
        assert!(self.child.wait().unwrap().success());
    }
}
