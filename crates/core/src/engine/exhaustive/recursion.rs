//! Types that contain themselves through collections: the size budget of random cases bounds none of them.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, LinkedList, VecDeque};
use std::rc::Rc;

use crate::{
    Annealing, Bounds, Budget, Combine, Ended, Exhaustive, Generate, Generator, Lazy, Source, Space, any,
    btree_map, from, hash_map, lazy, one_of, recursive, sample, search, search_adaptive, search_exhaustive,
    string, vec, vec_deque,
};

const CATALAN: [u64; 10] = [1, 1, 2, 5, 14, 42, 132, 429, 1430, 4862];

fn budget(cases: u64) -> Budget<'static> {
    Budget { cases, rejects: 10, go_on: Box::leak(Box::new(|_| true)), progress: Default::default() }
}

/// A type that contains itself through a collection, by how many nodes a value has.
macro_rules! roses {
    ($($name:ident($inner:ty) |$it:ident| $nodes:expr;)+) => {$(
        #[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
        struct $name($inner);
        impl Generate for $name {
            fn generate(source: &mut Source) -> Self {
                source.nest(stringify!($name), |src| $name(Generate::generate(src)))
            }
            fn space(spaces: &mut crate::Spaces) -> crate::Part {
                spaces.named(stringify!($name), |spaces| {
                    let inner = <$inner as Generate>::space(spaces);
                    spaces.nest(inner)
                })
            }
        }
        impl $name {
            fn nodes(&self) -> usize {
                let $it = &self.0;
                1 + $nodes
            }
        }
    )+};
}

roses! {
    Rose(Vec<Rose>) |it| it.iter().map(Rose::nodes).sum::<usize>();
    Slice(Box<[Slice]>) |it| it.iter().map(Slice::nodes).sum::<usize>();
    SharedRecorder(Rc<[SharedRecorder]>) |it| it.iter().map(SharedRecorder::nodes).sum::<usize>();
    Queue(VecDeque<Queue>) |it| it.iter().map(Queue::nodes).sum::<usize>();
    Linked(LinkedList<Linked>) |it| it.iter().map(Linked::nodes).sum::<usize>();
    Boxed(Vec<Box<(Boxed, [(); 2])>>) |it| it.iter().map(|it| it.0.nodes()).sum::<usize>();
    Read(Lazy<Vec<Read>>) |it| it.iter().map(Read::nodes).sum::<usize>();
    Items(Vec<Lazy<Items>>) |it| it.iter().map(|it| it.nodes()).sum::<usize>();
}

/// How many values of up to this many nodes are visited, where each node is one more of size.
fn by_nodes(nodes: &dyn Fn(&mut Source) -> usize, nodes_max: usize) -> Vec<u64> {
    let bounds = Bounds { size: Some(nodes_max as u64 - 1), inputs: None };
    let mut counts = [vec![0; nodes_max], vec![0; nodes_max]];
    let [fast, recorded] = &mut counts;
    let finding = search_exhaustive(
        bounds,
        &mut |src: &mut Source| {
            let n = nodes(src);
            fast[n - 1] += 1;
        },
        budget(u64::MAX),
    )
    .unwrap();
    let reach = finding.evidence.reach.unwrap();
    assert!(finding.ended == Ended::Complete && !reach.all && reach.cut.is_none(), "{reach:?}");
    let mut test = |src: &mut Source| {
        let n = nodes(src);
        recorded[n - 1] += 1;
    };
    search(Box::new(Exhaustive::new(bounds)), &mut test, budget(u64::MAX)).unwrap();
    let [fast, recorded] = counts;
    assert_eq!(fast, recorded);
    fast
}

#[test]
fn trees_are_as_many_as_there_are() {
    fn check<T: Generate>(nodes: fn(&T) -> usize) {
        let name = std::any::type_name::<T>();
        assert_eq!(by_nodes(&|src| nodes(&T::generate(src)), 10), CATALAN, "{name}");
        if let Ok(mut space) = Space::of(&any::<T>()) {
            for (size, n) in CATALAN.into_iter().enumerate() {
                assert_eq!(space.count(size as u64), Some(n.into()), "{name} of size {size}");
            }
            assert!(space.total().is_none() && !space.is_whole(), "{name}");
        }
    }
    check(Rose::nodes);
    check(Slice::nodes);
    check(SharedRecorder::nodes);
    check(Queue::nodes);
    check(Linked::nodes);
    check(Boxed::nodes);
    check(Read::nodes);
    check(Items::nodes);
    // The same by generators rather than types.
    fn rose(src: &mut Source) -> usize {
        1 + src.draw(vec(rose, 0..)).iter().sum::<usize>()
    }
    fn queue(src: &mut Source) -> usize {
        1 + src.draw(vec_deque(queue, 0..)).iter().sum::<usize>()
    }
    fn late(src: &mut Source) -> usize {
        1 + src.draw(vec(lazy(late), 0..)).iter().map(|it| **it).sum::<usize>()
    }
    for nodes in [rose, queue, late] {
        assert_eq!(by_nodes(&nodes, 10), CATALAN);
    }
    let knot = recursive(from(1..=1usize), |it| vec(it, 0..).map(|it| 1 + it.iter().sum::<usize>()));
    let counts = by_nodes(&|src| knot.generate(src), 9);
    // A branch costs one more than a leaf, so the same trees come at greater sizes: chains of branches too.
    assert!(counts.iter().sum::<u64>() > 200, "{counts:?}");
}

/// What else contains itself: values of each size, compared with a recurrence written down by hand.
#[test]
fn sets_maps_and_options_are_not_cut_either() {
    /// A map from one of two keys; `f(s)` of size `s`.
    fn map(src: &mut Source) -> u32 {
        src.nest("map", |src| 1 + src.draw(btree_map(0..=1u8, map, 0..)).values().sum::<u32>())
    }
    fn hashed(src: &mut Source) -> u32 {
        src.nest("map", |src| 1 + src.draw(hash_map(0..=1u8, hashed, 0..)).values().sum::<u32>())
    }
    fn count(test: fn(&mut Source) -> u32, size: u64) -> Vec<u64> {
        let mut by_size = Vec::new();
        for size in 0..=size {
            let bounds = Bounds { size: Some(size), inputs: None };
            let found =
                search_exhaustive(bounds, &mut |src: &mut Source| _ = test(src), budget(u64::MAX)).unwrap();
            by_size.push(found.tally.cases);
        }
        by_size.windows(2).map(|it| it[1] - it[0]).collect()
    }
    // m(s) = [s = 0] + m(s-1) + m(s-2) + sum of m(a) m(b) for a + b = s - 3: none, {0}, {1}, both.
    let mut m = vec![1u64];
    for s in 1..=9usize {
        let one = m[s - 1] + if s >= 2 { m[s - 2] } else { 0 };
        let both =
            (0..=s.saturating_sub(3)).map(|a| if s >= 3 { m[a] * m[s - 3 - a] } else { 0 }).sum::<u64>();
        m.push(one + both);
    }
    assert_eq!(count(map, 9), m[1..]);
    assert_eq!(count(hashed, 9), m[1..]);

    fn depth_of_sets(src: &mut Source) -> u32 {
        #[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
        struct Sets(BTreeSet<Sets>);
        impl Generate for Sets {
            fn generate(src: &mut Source) -> Self {
                src.nest("Sets", |src| Sets(Generate::generate(src)))
            }
        }
        fn depth(it: &Sets) -> u32 {
            it.0.iter().map(|it| 1 + depth(it)).max().unwrap_or(0)
        }
        depth(&Sets::generate(src))
    }
    fn depth_of_heaps(src: &mut Source) -> u32 {
        #[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
        struct Heap(Vec<Heap>);
        impl Generate for Heap {
            fn generate(src: &mut Source) -> Self {
                src.nest("Heap", |src| Heap(BinaryHeap::generate(src).into_sorted_vec()))
            }
        }
        fn depth(it: &Heap) -> u32 {
            it.0.iter().map(|it| 1 + depth(it)).max().unwrap_or(0)
        }
        depth(&Heap::generate(src))
    }
    fn depth_of_named(src: &mut Source) -> u32 {
        #[derive(Debug)]
        struct Named(#[allow(dead_code)] HashMap<String, Named>, BTreeMap<(), Option<Vec<Named>>>);
        impl Generate for Named {
            fn generate(src: &mut Source) -> Self {
                src.nest("Named", |src| Named(HashMap::default(), Generate::generate(src)))
            }
        }
        fn depth(it: &Named) -> u32 {
            it.1.values().flatten().flatten().map(|it| 1 + depth(it)).max().unwrap_or(0)
        }
        depth(&Named::generate(src))
    }
    fn depth_of_texts(src: &mut Source) -> u32 {
        src.nest("texts", |src| {
            let named = src.draw(hash_map(string('a'..='b', 0..), depth_of_texts, 0..));
            named.values().map(|it| it + 1).max().unwrap_or(0)
        })
    }
    for (depth, size) in
        [(depth_of_sets as fn(&mut Source) -> u32, 8), (depth_of_heaps, 8), (depth_of_texts, 8)]
    {
        let mut deepest = 0;
        let bounds = Bounds { size: Some(size), inputs: None };
        search_exhaustive(
            bounds,
            &mut |src: &mut Source| deepest = depth(src).max(deepest),
            budget(u64::MAX),
        )
        .unwrap();
        assert_eq!(deepest, size as u32, "one deeper costs one");
    }
    let mut deepest = 0;
    let bounds = Bounds { size: Some(30), inputs: None };
    let mut test = |src: &mut Source| deepest = depth_of_named(src).max(deepest);
    search_exhaustive(bounds, &mut test, budget(20_000)).unwrap();
    assert!(deepest >= 5, "three for each level: {deepest}");
}

/// A list that is nested in itself has one value of each size, so it becomes deep until something gives: never the
/// stack, and never without a word.
#[test]
fn what_is_too_deep_is_said() {
    fn nested(src: &mut Source) -> u32 {
        src.nest("nested", |src| src.draw(vec(nested, 0..=1)).first().map_or(0, |it| it + 1))
    }
    fn plain(src: &mut Source) -> u32 {
        src.draw(vec(plain, 0..=1)).first().map_or(0, |it| it + 1)
    }
    fn option(src: &mut Source) -> u32 {
        src.draw(crate::optional(option)).map_or(0, |it| it + 1)
    }
    for (test, least) in [(nested as fn(&mut Source) -> u32, 255), (plain, 300), (option, 300)] {
        let mut deepest = 0;
        let mut run = |src: &mut Source| deepest = test(src).max(deepest);
        let finding = search_exhaustive(Bounds::default(), &mut run, budget(100_000)).unwrap();
        let reach = finding.evidence.reach.unwrap();
        assert!(finding.ended == Ended::Exhausted && !reach.all && finding.tally.overruns == 1);
        assert_eq!(reach.cut, Some(u64::from(deepest) + 1));
        assert!(deepest >= least, "{deepest}");
    }
}

#[test]
fn lists_without_a_bound_have_no_last_one() {
    let mut longest = 0;
    let mut test = |src: &mut Source| longest = src.any::<Vec<()>>().len();
    let finding = search_exhaustive(Bounds::default(), &mut test, budget(1_000)).unwrap();
    let reach = finding.evidence.reach.unwrap();
    assert!((finding.ended, longest, reach.all) == (Ended::Budget, 999, false));
    assert!(Space::of(&any::<Vec<()>>()).unwrap().total().is_none_or(|it| it >= 1 << 32));
    // But of a few values there are few sets, and all of them are visited.
    let mut test = |src: &mut Source| _ = src.any::<BTreeSet<bool>>();
    let finding = search_exhaustive(Bounds::default(), &mut test, budget(1_000)).unwrap();
    let reach = finding.evidence.reach.unwrap();
    assert!((finding.ended, finding.tally.cases, reach.all) == (Ended::Complete, 4, true));
}

#[test]
fn what_ends_by_the_size_budget_is_not_complete() {
    fn chain(src: &mut Source) -> u32 {
        src.nest("chain", |src| if src.size() > 0 && src.bool() { 1 + chain(src) } else { 0 })
    }
    let mut test = |src: &mut Source| _ = chain(src);
    let finding = search_exhaustive(Bounds::default(), &mut test, budget(1_000)).unwrap();
    let reach = finding.evidence.reach.unwrap();
    assert!(
        (finding.ended, finding.tally.cases, reach.all, reach.sized) == (Ended::Exhausted, 7, false, true)
    );
    let finding = search(Box::new(Exhaustive::new(Bounds::default())), &mut test, budget(1_000)).unwrap();
    assert_eq!(finding.ended, Ended::Exhausted);
    let mut test = |src: &mut Source| _ = *src.draw(lazy(chain));
    let finding = search_exhaustive(Bounds::default(), &mut test, budget(1_000)).unwrap();
    let reach = finding.evidence.reach.unwrap();
    assert!((finding.ended, reach.sized) == (Ended::Exhausted, true));
    // At the beginning of a case it is always the same.
    let mut test = |src: &mut Source| _ = src.draw(crate::sized(|size| 0..size));
    let finding = search_exhaustive(Bounds::default(), &mut test, budget(1_000)).unwrap();
    let reach = finding.evidence.reach.unwrap();
    assert!((finding.ended, finding.tally.cases, reach.all) == (Ended::Complete, 100, true));
}

#[test]
fn random_values_end() {
    for seed in 0..2_000 {
        let nodes = sample(&any::<Rose>(), seed).nodes() + sample(&any::<Slice>(), seed).nodes();
        assert!(nodes < 10_000, "{nodes}");
    }
}

/// Moves lead beyond what the size budget leaves to random cases.
#[test]
fn climbs_are_not_bounded_by_the_size_budget() {
    fn depth(it: &Rose) -> u32 {
        it.0.iter().map(|it| 1 + depth(it)).max().unwrap_or(0)
    }
    fn chain(src: &mut Source) -> u32 {
        src.nest("chain", |src| {
            let leaf_or_link = if src.budget() == 0 { [1, 0] } else { [1, 1] };
            if src.pick_weighted(&leaf_or_link) == 0 { 0 } else { 1 + chain(src) }
        })
    }
    let knot =
        recursive(from(0..=0u32), |it| one_of([from(it).map(|it| it + 1).boxed(), from(0..=0).boxed()]));
    type Score = Box<dyn Fn(&mut Source) -> u32>;
    let tests: [(&str, Score, u32); 4] = [
        ("rose", Box::new(|src| depth(&Rose::generate(src))), 20),
        ("chain", Box::new(chain), 20),
        ("knot", Box::new(move |src| knot.generate(src)), 20),
        ("list", Box::new(|src| src.any::<Vec<u8>>().len() as u32), 250),
    ];
    for (name, draw, goal) in tests {
        let mut test = |src: &mut Source| {
            let score = draw(src);
            crate::context::maximize("score", score.into());
        };
        let annealing = Annealing { cases: 10_000, goal: Some(goal.into()), ..Annealing::default() };
        let climb = search_adaptive(Default::default(), 7, annealing, &mut test, budget(1_000))
            .unwrap()
            .evidence
            .climb;
        let best = climb.unwrap().best[0].scores[0];
        assert!(best >= goal.into(), "{name}: {best} of {goal}");
    }
}
