//! `skewer run --watch`.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use rustix::process::Signal;

use crate::helpers::processes::LONG;
use crate::helpers::{folder_with, send_signal};

const SUITE: &str = "suite: small\nabout: x\nschema: {go: \"type T struct { Name string `json:\\\"name\\\"` }\", root: T}\n\
    cases:\n- {id: c, live: {name: a}, patch: {name: b}, expect: [{result: {name: b}}]}\n";

/// A running `skewer run --watch`, with its output by lines.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    fn start(corpus: &Path) -> Self {
        // Both streams in one, so that the lines are in the order in which they were printed.
        let mut command = Command::new("sh");
        command
            .env_remove("CARGO_TERM_COLOR")
            .env_remove("COLUMNS")
            .args(["-c", "exec \"$0\" run --watch --corpus \"$1\" 2>&1"])
            .arg(env!("CARGO_BIN_EXE_skewer"))
            .arg(corpus);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Watch { child, lines }
    }

    /// Returns the lines up to the one that says that a change is awaited.
    fn one_run(&self) -> String {
        let mut text = String::new();
        while let Ok(line) = self.lines.recv_timeout(LONG) {
            text.push_str(&line);
            text.push('\n');
            if line.starts_with("waiting for a change") {
                return text;
            }
        }
        panic!("no run ended: {text}");
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // A process that ended already cannot be killed.
        let _ = self.child.kill();
    }
}

#[test]
fn a_change_of_a_case_file_runs_the_cells_again_until_an_interrupt() {
    let folder = folder_with(&[("small.yaml", SUITE)]);
    let write = |text: &str| std::fs::write(folder.path().join("small.yaml"), text).unwrap();
    let mut watch = Watch::start(folder.path());
    let first = watch.one_run();
    assert!(first.contains("total\n  ok, cells 1, pass 1, match 1\n"), "{first}");

    write(&SUITE.replace("result: {name: b}", "result: {name: other}"));
    let failed = watch.one_run();
    assert!(failed.contains("── changed: ") && failed.contains("small.yaml\n"), "{failed}");
    assert!(failed.contains("FAIL small/c") && failed.contains("-name: other"), "{failed}");

    write(&SUITE.replace("cases:", "cases: ["));
    let broken = watch.one_run();
    assert!(broken.contains("small.yaml:4:") || broken.contains("not valid YAML"), "{broken}");

    write(SUITE);
    std::fs::write(folder.path().join("second.yaml"), SUITE.replace("small", "second")).unwrap();
    let mut both = watch.one_run();
    if both.contains("cells 1") {
        // A run began between the two writes.
        both = watch.one_run();
    }
    assert!(both.contains("total\n  ok, cells 2, pass 2, match 2\n"), "{both}");

    send_signal(watch.child.id(), Signal::INT);
    assert_eq!(watch.child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_definition_outside_of_a_single_case_file_is_watched() {
    let definition = |kind: &str| {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: things.example.com}}\n\
             spec:\n  group: example.com\n  scope: Namespaced\n  names: {{plural: things, singular: thing, kind: Thing, listKind: ThingList}}\n  \
             versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        \
             properties: {{spec: {{type: object, properties: {{size: {{type: {kind}}}}}}}}}\n"
        )
    };
    let suite = "suite: small\nabout: x\nschema: {crd: crd.yaml}\ncases:\n- {id: c, live: {spec: {size: 1}}, intent: {set: {spec: {size: 2}}}, \
                 request: update, expect: [{outcome: intended}]}\n";
    let folder = folder_with(&[("small.yaml", suite), ("crd.yaml", &definition("integer"))]);
    let mut watch = Watch::start(&folder.path().join("small.yaml"));
    let first = watch.one_run();
    assert!(first.contains("cells 1"), "{first}");
    std::fs::write(folder.path().join("crd.yaml"), definition("number")).unwrap();
    let second = watch.one_run();
    assert!(second.contains("── changed: ") && second.contains("crd.yaml\n"), "{second}");
    send_signal(watch.child.id(), Signal::TERM);
    assert_eq!(watch.child.wait().unwrap().code(), Some(130));
}
