//! The benchmarks of BENCHMARKS.md.
//!
//! `cargo bench -p skewer-engine` runs all of them. `engine/benches/compare-go.sh` runs those that are compared with
//! the Go library.

mod documents;

fn main() {
    divan::main();
}

/// Operations from bytes to bytes on a Deployment with 5 containers of 20 environment variables each.
mod deployment {
    use divan::{Bencher, black_box};
    use skewer_engine::document::{from_json, from_json_borrowed, to_json};
    use skewer_engine::patch::Overwrite;
    use skewer_engine::patch::bytes::{self, ThreeWayTexts};

    use crate::documents::{APPLIER, Deployment, UPDATER, context, deployments, field_manager};

    #[divan::bench]
    fn apply_small(bencher: Bencher<'_, '_>) {
        let (context, d) = (context(), Deployment::new());
        bencher.bench_local(|| drop(black_box(bytes::apply(&context, &d.live, &d.small_patch))));
    }

    #[divan::bench]
    fn apply(bencher: Bencher<'_, '_>) {
        let (context, d) = (context(), Deployment::new());
        bencher.bench_local(|| drop(black_box(bytes::apply(&context, &d.live, &d.patch))));
    }

    #[divan::bench]
    fn two_way(bencher: Bencher<'_, '_>) {
        let (context, d) = (context(), Deployment::new());
        bencher.bench_local(|| drop(black_box(bytes::two_way(&context, &d.live, &d.modified))));
    }

    #[divan::bench]
    fn three_way(bencher: Bencher<'_, '_>) {
        let (context, d) = (context(), Deployment::new());
        let documents = ThreeWayTexts { last_applied: &d.last_applied, modified: &d.modified, live: &d.live };
        bencher.bench_local(|| {
            drop(black_box(bytes::three_way(&context, documents, Overwrite::Yes, &[])));
        });
    }

    /// Measures an apply request that takes over a field, changes some, and removes a list item.
    #[divan::bench]
    fn server_side_apply(bencher: Bencher<'_, '_>) {
        let (resource, d) = (deployments(), Deployment::new());
        let manager = field_manager(&resource);
        bencher.bench_local(|| {
            let result = manager.apply_json(Some(&d.managed_live), &d.modified, APPLIER);
            drop(black_box(result.expect("the configuration is valid")));
        });
    }

    /// Measures an update that changes fields of another manager and removes a list item.
    #[divan::bench]
    fn managed_update(bencher: Bencher<'_, '_>) {
        let (resource, d) = (deployments(), Deployment::new());
        let manager = field_manager(&resource);
        bencher.bench_local(|| {
            let result = manager.update_json(Some(&d.managed_live), &d.managed_new, UPDATER);
            drop(black_box(result.expect("the object is valid")));
        });
    }

    /// Measures the part of `server_side_apply` that reads both documents and writes the result.
    #[divan::bench]
    fn read_and_write_managed(bencher: Bencher<'_, '_>) {
        let d = Deployment::new();
        let result = from_json(&d.managed_live).expect("live is JSON");
        bencher.bench_local(|| {
            drop((black_box(from_json(&d.managed_live)), black_box(from_json(&d.modified))));
            drop(black_box(to_json(&result)));
        });
    }

    /// Measures the part of `apply` that reads both documents and writes the result.
    #[divan::bench]
    fn read_and_write(bencher: Bencher<'_, '_>) {
        let (context, d) = (context(), Deployment::new());
        let result = from_json(&bytes::apply(&context, &d.live, &d.patch).expect("the patch is valid"));
        let result = result.expect("the result is JSON");
        bencher.bench_local(|| {
            drop((black_box(from_json_borrowed(&d.live)), black_box(from_json_borrowed(&d.patch))));
            drop(black_box(to_json(&result)));
        });
    }

    #[divan::bench]
    fn read_and_write_small(bencher: Bencher<'_, '_>) {
        let (context, d) = (context(), Deployment::new());
        let result = from_json(&bytes::apply(&context, &d.live, &d.small_patch).expect("the patch is valid"));
        let result = result.expect("the result is JSON");
        bencher.bench_local(|| {
            drop((black_box(from_json_borrowed(&d.live)), black_box(from_json_borrowed(&d.small_patch))));
            drop(black_box(to_json(&result)));
        });
    }

    /// Measures `read_and_write` with `serde_json::Value`, for comparison with our own document type.
    #[divan::bench]
    fn read_and_write_serde_json(bencher: Bencher<'_, '_>) {
        let d = Deployment::new();
        let read = |text: &[u8]| serde_json::from_slice::<serde_json::Value>(text);
        let result = read(&d.live).expect("the document is JSON");
        bencher.bench_local(|| {
            drop((black_box(read(&d.live)), black_box(read(&d.patch))));
            drop(black_box(serde_json::to_vec(&result)));
        });
    }
}

/// Operations on documents in memory, with lists of n items that are merged by key.
mod lists {
    use divan::{Bencher, black_box};
    use skewer_engine::patch::{self, Overwrite, ThreeWay};

    use crate::documents::Lists;

    const SIZES: [i64; 2] = [1_000, 10_000];

    #[divan::bench(args = SIZES)]
    fn apply(bencher: Bencher<'_, '_>, n: i64) {
        let l = Lists::new(n);
        bencher.bench_local(|| drop(black_box(patch::apply(&l.context, &l.original, &l.patch))));
    }

    #[divan::bench(args = SIZES)]
    fn two_way(bencher: Bencher<'_, '_>, n: i64) {
        let l = Lists::new(n);
        bencher.bench_local(|| drop(black_box(patch::two_way(&l.context, &l.original, &l.modified))));
    }

    #[divan::bench(args = SIZES)]
    fn three_way(bencher: Bencher<'_, '_>, n: i64) {
        let l = Lists::new(n);
        let documents = ThreeWay { last_applied: &l.original, modified: &l.modified, live: &l.original };
        bencher.bench_local(|| {
            drop(black_box(patch::three_way(&l.context, documents, Overwrite::Yes, &[])));
        });
    }
}

/// Patch requests to an object with n unions of 30 members each, from bytes to bytes: merging, admission, and writing. The ratio
/// of the policies is the cost of unions to a request.
mod unions {
    use divan::{Bencher, black_box};
    use skewer_engine::document::{from_json, to_json};
    use skewer_engine::patch;
    use skewer_engine::union::{admit, policy};

    use crate::documents::Volumes;

    const NUMBERS: [usize; 3] = [1, 10, 100];

    /// Measures the request on a server whose types declare no union.
    #[divan::bench(args = NUMBERS)]
    fn types_without_unions(bencher: Bencher<'_, '_>, n: usize) {
        request(bencher, &Volumes::new(n, false), "none");
    }

    /// Measures the request on a server that does not admit unions.
    #[divan::bench(args = NUMBERS)]
    fn policy_none(bencher: Bencher<'_, '_>, n: usize) {
        request(bencher, &Volumes::new(n, true), "none");
    }

    #[divan::bench(args = NUMBERS)]
    fn policy_kep_1027(bencher: Bencher<'_, '_>, n: usize) {
        request(bencher, &Volumes::new(n, true), "kep-1027");
    }

    #[divan::bench(args = NUMBERS)]
    fn policy_kep_1027_ratcheting(bencher: Bencher<'_, '_>, n: usize) {
        request(bencher, &Volumes::new(n, true), "kep-1027-ratcheting");
    }

    fn request(bencher: Bencher<'_, '_>, volumes: &Volumes, policy: &str) {
        let policy = policy::by_name(policy).expect("a registered policy");
        let is_normalized = matches!(policy.gates(), Some(gates) if gates.unions);
        let run = || {
            let live = from_json(&volumes.live).expect("live is JSON");
            let patch = from_json(&volumes.patch).expect("the patch is JSON");
            let merged = patch::apply(&volumes.context, &live, &patch).expect("the patch is valid");
            let admitted = admit(&volumes.context, policy, Some(&live), merged).expect("the object is valid");
            (to_json(&admitted.object), admitted.changes.len())
        };
        // The old member is cleared, so that what is measured is what the KEP says.
        assert_eq!(run().1, usize::from(is_normalized));
        bencher.bench_local(|| drop(black_box(run())));
    }
}
