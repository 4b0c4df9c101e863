//! Scenarios, from the stored object to the final state: `cargo bench -p skewer-skew`.

use std::sync::Arc;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use skewer_engine::OwnedDoc;
use skewer_engine::document::from_json;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Schema, go};
use skewer_engine::union::policy::NONE;
use skewer_skew::{Client, Decoding, Edit, Intent, Request, Scenario, Server, run_built_in};

fn main() {
    divan::main();
}

/// Measures a change from one member of a union to another. The cells combine clients and servers with and without
/// `$retainKeys` with all kinds of requests.
#[divan::bench]
fn cells(bencher: Bencher<'_, '_>) {
    let skew = Skew::new();
    let scenarios = skew.scenarios();
    bencher.counter(ItemsCount::new(scenarios.len())).bench_local(|| {
        for scenario in &scenarios {
            let final_state = run_built_in(scenario, &mut |name, document| {
                black_box((name, document));
            });
            drop(black_box(final_state));
        }
    });
}

const UNION_TYPES: &str = r#"
type Holder struct {
  Strategy Strategy `json:"strategy" patchStrategy:"retainKeys"`
  Volumes  []Volume `json:"volumes,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
}
type Strategy struct {
  Type string `json:"type"`
  Foo  *Foo   `json:"foo,omitempty"`
  Bar  *Bar   `json:"bar,omitempty"`
}
type Foo struct {
  X int `json:"x"`
}
type Bar struct {
  Y int `json:"y"`
}
type Volume struct {
  Name string `json:"name"`
  Path string `json:"path,omitempty"`
}
"#;

/// Parties, a live object and an intent like those in the KEP's matrix.
struct Skew {
    stored: Arc<OwnedDoc>,
    last_applied: Arc<OwnedDoc>,
    intent: Arc<Intent>,
    full_context: PatchContext,
    clients: Vec<Client>,
    servers: Vec<Server>,
}

impl Skew {
    fn new() -> Self {
        let declarations = go::read(UNION_TYPES).expect("the declarations are valid Go");
        let schema = Schema::compile(&declarations).expect("the types compile");
        let full_context = PatchContext::of(Arc::new(schema), "Holder").expect("Holder is declared");
        let old = PatchContext {
            directives: full_context.directives.without("$retainKeys"),
            ..full_context.clone()
        };
        let parties = [old, full_context.clone()];
        let value = |text: &str| from_json(text.as_bytes()).expect("the text is JSON");
        let fields = value(r#"{"type":"bar","bar":{"y":2}}"#);
        let fields = fields.as_map().expect("the document is a map").clone();
        let selector = "strategy".parse().expect("the selector is valid");
        Skew {
            stored: Arc::new(value(
                r#"{"strategy":{"type":"foo","foo":{"x":1}},"volumes":[{"name":"a","path":"/a"}]}"#,
            )),
            last_applied: Arc::new(value(r#"{"strategy":{"type":"foo","foo":{"x":1}}}"#)),
            intent: Arc::new(Intent(vec![Edit::Choose { selector, fields }])),
            clients: parties
                .iter()
                .map(|context| Client::new(context.clone(), Decoding::Structured))
                .collect(),
            servers: parties
                .map(|context| Server {
                    context,
                    strict: false,
                    policy: NONE,
                    admission: None,
                    defaults: skewer_skew::BuiltInDefaults::NotSimulated,
                })
                .into(),
            full_context,
        }
    }

    /// Combines all clients, servers and kinds of requests.
    fn scenarios(&self) -> Vec<Scenario> {
        let mut scenarios = Vec::new();
        for client in &self.clients {
            for server in &self.servers {
                scenarios.extend(Request::ALL.map(|request| Scenario {
                    last_applied: Some(Arc::clone(&self.last_applied)),
                    intent: Arc::clone(&self.intent),
                    client: client.clone(),
                    server: server.clone(),
                    request,
                    ..Scenario::up_to_date(Arc::clone(&self.stored), self.full_context.clone())
                }));
            }
        }
        scenarios
    }
}
