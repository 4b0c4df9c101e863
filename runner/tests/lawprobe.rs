use skewer::laws::*;
#[test]
fn scratch() {
    let n: u64 = std::env::var("N").map(|n| n.parse().unwrap()).unwrap_or(300);
    let seeds: Vec<u64> = std::env::var("SEEDS").unwrap().split(',').map(|n| n.parse().unwrap()).collect();
    let corpus = skewer_cases::Corpus::embedded().unwrap_or_else(|e| panic!("{e}"));
    let mut s = situation::of_corpus(&corpus);
    for seed in seeds { s.extend(generate::situations(seed, n)); }
    let s = Prepared::new(s);
    let only = std::env::var("D").unwrap_or_default();
    for subject in proposals::all().into_iter().filter(|s| s.name.contains(&only)) {
        for v in verdict::examine(&subject, &s) {
            println!("{} {} {:?} {:?}", subject.name, v.law.name(), v.word(), v.among);
        }
        if !only.is_empty() { for among in subject.among.clone() {
            let subject = Subject { among: vec![among], ..subject.clone() };
            for v in verdict::examine(&subject, &s) { if v.word() == Word::Broken {
                for e in v.examples(&subject, &s) { println!("{among:?}: {}\n{}", e.why, render::suite(&subject, &e)); }
            }}
        }}
    }
}
