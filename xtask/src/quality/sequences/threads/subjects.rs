//! Counters, stacks and queues, each with a fault and without, beside their models.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64 as PlainU64, Ordering::Relaxed};

use probity::threads::{ArmSet, Call, ModelCommand, ModelTest};
use probity_core::Source;
use shuttle::sync::Mutex;
use shuttle::sync::atomic::{AtomicU64, Ordering::SeqCst};

pub(super) type CaseFn = Box<dyn FnMut(&mut Source)>;

pub(super) fn lost_update() -> CaseFn {
    counters(LostUpdate::default, 2)
}

pub(super) fn three_threads() -> CaseFn {
    counters(LostUpdate::default, 3)
}

pub(super) fn counter() -> CaseFn {
    counters(AtomicCounter::default, 2)
}

pub(super) fn aba_stack() -> CaseFn {
    stacks(|| Stack::new(false))
}

pub(super) fn stack() -> CaseFn {
    stacks(|| Stack::new(true))
}

pub(super) fn lossy_queue() -> CaseFn {
    queues(LossyQueue::new)
}

pub(super) fn queue() -> CaseFn {
    queues(LockedQueue::default)
}

trait Counter: Send + Sync + 'static {
    fn add(&self, n: u64) -> u64;
    fn get(&self) -> u64;
}

fn counters<S: Counter>(system: fn() -> S, threads: usize) -> CaseFn {
    static NAMES: ArmSet = ArmSet::new(&["get", "add"], &[1, 1]);
    let commands: &'static [ModelCommand<u64, S>] = Box::leak(Box::new([
        ModelCommand::new(
            |_| true,
            |_, _| Call::new((), |_| vec![], |_, _| true, |model, ()| *model, |system: &S, ()| system.get()),
        ),
        ModelCommand::new(
            |_| true,
            |_, src| {
                Call::new(
                    src.draw(1..=3),
                    |n| vec![n.to_string()],
                    |_, _| true,
                    |model, n| {
                        *model += n;
                        *model - n
                    },
                    |system: &S, n| system.add(n),
                )
            },
        ),
    ]));
    run(ModelTest::new(&NAMES, commands, || 0, system).compared_by(Some(PartialEq::eq)), threads)
}

trait Pile: Send + Sync + 'static {
    fn put(&self, item: u64);
    fn take(&self) -> Option<u64>;
}

/// What is put goes to the front, or to the back; what is taken comes from the front.
#[derive(Clone, Default, PartialEq)]
struct PileModel<const IS_STACK: bool>(VecDeque<u64>);

fn stacks<S: Pile>(system: fn() -> S) -> CaseFn {
    piles::<true, S>(system)
}

fn queues<S: Pile>(system: fn() -> S) -> CaseFn {
    piles::<false, S>(system)
}

fn piles<const IS_STACK: bool, S: Pile>(system: fn() -> S) -> CaseFn {
    static NAMES: ArmSet = ArmSet::new(&["put", "take"], &[1, 1]);
    let commands: &'static [ModelCommand<PileModel<IS_STACK>, S>] = Box::leak(Box::new([
        ModelCommand::new(
            |_| true,
            |_, src| {
                Call::new(
                    src.draw(0..=9),
                    |item| vec![item.to_string()],
                    |_, _| true,
                    |PileModel(items), item| {
                        if IS_STACK { items.push_front(item) } else { items.push_back(item) }
                    },
                    |system: &S, item| system.put(item),
                )
            },
        ),
        ModelCommand::new(
            |_| true,
            |_, _| {
                Call::new(
                    (),
                    |_| vec![],
                    |_, _| true,
                    |PileModel(items), ()| items.pop_front(),
                    |system: &S, ()| system.take(),
                )
            },
        ),
    ]));
    run(ModelTest::new(&NAMES, commands, PileModel::default, system).compared_by(Some(PartialEq::eq)), 2)
}

fn run<M, S>(test: ModelTest<M, S>, threads: usize) -> CaseFn
where
    M: Clone + Send + Sync + 'static,
    S: Send + Sync + 'static,
{
    Box::new(move |source: &mut Source| test.in_parallel(source, threads))
}

/// Reads, then writes.
#[derive(Default)]
struct LostUpdate(AtomicU64);

impl Counter for LostUpdate {
    fn add(&self, n: u64) -> u64 {
        let old = self.0.load(SeqCst);
        self.0.store(old + n, SeqCst);
        old
    }

    fn get(&self) -> u64 {
        self.0.load(SeqCst)
    }
}

#[derive(Default)]
struct AtomicCounter(AtomicU64);

impl Counter for AtomicCounter {
    fn add(&self, n: u64) -> u64 {
        self.0.fetch_add(n, SeqCst)
    }

    fn get(&self) -> u64 {
        self.0.load(SeqCst)
    }
}

/// Treiber's stack, with nodes that are used again, the oldest first. Its head has a version, or none: then a node that
/// went and came back is taken for one that stayed.
struct Stack {
    /// The node on top and, above 32 bits, the version.
    head: AtomicU64,
    /// Each with its item and the node below.
    nodes: Vec<(PlainU64, AtomicU64)>,
    /// Nodes that were used, and how many were not. No point where threads are switched lies within its lock.
    free: std::sync::Mutex<(VecDeque<u64>, u64)>,
    has_versions: bool,
}

const NONE: u64 = u32::MAX as u64;
/// More than there are calls.
const NODES: u64 = 16;

impl Stack {
    fn new(has_versions: bool) -> Stack {
        Stack {
            head: AtomicU64::new(NONE),
            nodes: (0..NODES).map(|_| (PlainU64::new(0), AtomicU64::new(NONE))).collect(),
            free: std::sync::Mutex::default(),
            has_versions,
        }
    }

    fn free_node(&self) -> u64 {
        let (used, fresh) = &mut *self.free.lock().expect("nobody panics");
        used.pop_front().unwrap_or_else(|| {
            *fresh += 1;
            *fresh - 1
        })
    }

    fn replace_head(&self, old: u64, node: u64) -> bool {
        let version = if self.has_versions { (old >> 32) + 1 } else { 0 };
        self.head.compare_exchange(old, version << 32 | node, SeqCst, SeqCst).is_ok()
    }
}

impl Pile for Stack {
    fn put(&self, item: u64) {
        let at = self.free_node();
        let (place, below) = &self.nodes[at as usize];
        place.store(item, Relaxed);
        loop {
            let head = self.head.load(SeqCst);
            below.store(head & NONE, SeqCst);
            if self.replace_head(head, at) {
                return;
            }
        }
    }

    fn take(&self) -> Option<u64> {
        loop {
            let head = self.head.load(SeqCst);
            let (item, below) = self.nodes.get((head & NONE) as usize)?;
            let below = below.load(SeqCst);
            if self.replace_head(head, below) {
                let item = item.load(Relaxed);
                self.free.lock().expect("nobody panics").0.push_back(head & NONE);
                return Some(item);
            }
        }
    }
}

/// Two who put at the same time put into the same place.
struct LossyQueue {
    head: AtomicU64,
    tail: AtomicU64,
    items: Vec<AtomicU64>,
}

impl LossyQueue {
    fn new() -> LossyQueue {
        let items = (0..NODES).map(|_| AtomicU64::new(0)).collect();
        LossyQueue { head: AtomicU64::new(0), tail: AtomicU64::new(0), items }
    }
}

impl Pile for LossyQueue {
    fn put(&self, item: u64) {
        let tail = self.tail.load(SeqCst);
        self.items[tail as usize].store(item, SeqCst);
        self.tail.store(tail + 1, SeqCst);
    }

    fn take(&self) -> Option<u64> {
        loop {
            let head = self.head.load(SeqCst);
            if head >= self.tail.load(SeqCst) {
                return None;
            }
            let item = self.items[head as usize].load(SeqCst);
            if self.head.compare_exchange(head, head + 1, SeqCst, SeqCst).is_ok() {
                return Some(item);
            }
        }
    }
}

#[derive(Default)]
struct LockedQueue(Mutex<VecDeque<u64>>);

impl Pile for LockedQueue {
    fn put(&self, item: u64) {
        self.0.lock().expect("nobody panics").push_back(item);
    }

    fn take(&self) -> Option<u64> {
        self.0.lock().expect("nobody panics").pop_front()
    }
}
