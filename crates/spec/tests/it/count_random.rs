//! 500 random recursive types with requirements over measures: what is counted is what brute force finds.

use std::collections::BTreeSet;

use probity_core::{Generator, Random, Source, Verdict, run_case};
use probity_spec::draw::drawn;
use probity_spec::{CountedModels, Value};

use crate::random_types::RandomTypes;

#[test]
fn what_is_counted_is_what_brute_force_finds() {
    let (mut largest, mut drawn_values) = (0, 0);
    for (ty, seed) in RandomTypes::new(20).take(500).zip(1..) {
        let (spec, more) = (&ty.spec, &ty.more);
        let counted = CountedModels::new(spec, more, ty.depth).unwrap_or_else(|it| panic!("{it}\n{spec}"));
        let found: Vec<Value> = (0..counted.total()).filter_map(|it| counted.nth(it)).collect();
        assert_eq!(found.len(), ty.models.len(), "{spec} {more:?}");
        assert!(found.iter().cloned().collect::<BTreeSet<_>>() == ty.models, "{spec} {more:?}");
        largest = largest.max(found.len());
        if ty.models.is_empty() {
            continue;
        }
        let generator = drawn(ty.whole());
        let mut source = Source::new(Box::new(Random::new(seed)));
        for _ in 0..20 {
            let mut test =
                |src: &mut Source| assert!(ty.models.contains(generator.generate(src).field("it").unwrap()));
            let case = run_case(&mut source, &mut test).unwrap();
            assert!(case.verdict == Verdict::Pass, "{:?}", case.verdict);
            drawn_values += 1;
        }
    }
    assert!(largest > 1_000 && drawn_values > 5_000, "{largest} {drawn_values}");
}
