//! Tests of sequences with a planted fault, whose shortest sequences are known: ten, and those of the file system.

use std::collections::BTreeMap;

use probity_core::{Pool, Source, steps};

use super::files::{FileFault, harness};

/// A test that fails, and the shortest sequence that shows it.
pub(super) struct PlantedFault {
    pub(super) name: &'static str,
    pub(super) test: fn(&mut Source),
    /// As the inputs are rendered.
    pub(super) least: &'static str,
}

pub(super) const ALL: &[PlantedFault] = &[
    PlantedFault { name: "stack of four", test: deep_stack, least: "push; push; push; push" },
    PlantedFault { name: "ring that grows while it wraps", test: ring, least: "push; push; pop; push; push" },
    PlantedFault { name: "balance below zero after a refund", test: account, least: "deposit(1); refund" },
    PlantedFault {
        name: "key that was removed and is back",
        test: map,
        least: "insert(0); remove(0); insert(0)",
    },
    PlantedFault {
        name: "closed twice (pool)",
        test: closed_twice,
        least: "let fd0 = open; close(fd0); close(fd0)",
    },
    PlantedFault {
        name: "write after rename (pool)",
        test: renamed,
        least: "let doc0 = make; rename(doc0); write(doc0)",
    },
    PlantedFault {
        name: "cycle of three (pool)",
        test: cycle,
        least: "let node0 = node; let node1 = node; let node2 = node; \
                link(node0, node1); link(node1, node2); link(node2, node0)",
    },
    PlantedFault { name: "commit in a commit (guard)", test: commit, least: "begin; write; begin; commit" },
    PlantedFault { name: "door that opens in motion (guard)", test: elevator, least: "close; start; open" },
    PlantedFault { name: "batch of three (nested loop)", test: batches, least: "batch(put, put, put)" },
    PlantedFault {
        name: "files: open a directory",
        test: |src| harness(src, FileFault::OpenDir),
        least: "let path0 = path(\"a\"); mkdir(path0); open(path0)",
    },
    PlantedFault {
        name: "files: write after unlink",
        test: |src| harness(src, FileFault::WriteGone),
        least: "let path0 = path(\"a\"); let fd0 = open(path0); unlink(path0); write(fd0)",
    },
    PlantedFault {
        name: "files: eight are open",
        test: |src| harness(src, FileFault::TableFull),
        least: "let path0 = path(\"a\"); let fd0 = open(path0); let fd1 = open(path0); let fd2 = open(path0); \
                let fd3 = open(path0); let fd4 = open(path0); let fd5 = open(path0); let fd6 = open(path0); open(path0)",
    },
];

/// A stack with room for three.
fn deep_stack(src: &mut Source) {
    let mut n = 0;
    steps!(src, ..=30, {
        look => (),
        pop => n -= i32::from(n > 0),
        push => { n += 1; assert!(n < 4, "there is no room") }
        clear => n = 0,
    });
}

/// A ring of two that forgets where it begins when it grows.
fn ring(src: &mut Source) {
    let (mut items, mut head, mut capacity) = (0, 0, 2);
    steps!(src, ..=30, {
        push => {
            if items == capacity {
                assert!(head == 0, "the ring is copied from its middle");
                capacity *= 2;
            }
            items += 1;
        }
        pop => if items > 0 { items -= 1; head = (head + 1) % capacity },
        look => (),
    });
}

/// An account whose refunds are not looked at.
fn account(src: &mut Source) {
    let (mut balance, mut paid) = (0_i32, 0);
    steps!(src, ..=30, {
        look => (),
        deposit => { let n = src.draw(1..100); balance += n; paid += n }
        withdraw => { let n = src.draw(1..100); if n <= balance { balance -= n } }
        refund => { balance -= 2 * paid; paid = 0; assert!(balance >= 0, "below zero") }
    });
}

/// A map that keeps the mark of what was removed.
fn map(src: &mut Source) {
    let mut marks: BTreeMap<u8, bool> = BTreeMap::new();
    steps!(src, ..=30, {
        insert => { let key = src.any(); assert!(marks.insert(key, true) != Some(false), "it is still marked") }
        remove => { let key = src.any(); if let Some(it) = marks.get_mut(&key) { *it = false } }
        look => { let key: u8 = src.any(); marks.get(&key); }
    });
}

/// Numbers of files can be closed twice.
fn closed_twice(src: &mut Source) {
    let (mut files, mut closed) = (Pool::new("fd"), Vec::new());
    steps!(src, ..=30, {
        open => files.add(files.len()),
        write if !files.is_empty() => _ = src.draw(&files),
        close if !files.is_empty() => {
            let it = *src.draw(&files);
            assert!(!closed.contains(&it), "closed twice");
            closed.push(it);
        }
    });
}

/// Documents lose their content with their name.
fn renamed(src: &mut Source) {
    let (mut docs, mut gone) = (Pool::new("doc"), Vec::new());
    steps!(src, ..=30, {
        make => docs.add(docs.len()),
        read if !docs.is_empty() => _ = src.draw(&docs),
        rename if !docs.is_empty() => gone.push(*src.draw(&docs)),
        write if !docs.is_empty() => assert!(!gone.contains(src.draw(&docs)), "there is nothing to write to"),
        restore if !docs.is_empty() => { let it = *src.draw(&docs); gone.retain(|gone| *gone != it) }
    });
}

/// Three nodes that point to each other are never let go.
fn cycle(src: &mut Source) {
    let (mut nodes, mut links) = (Pool::new("node"), BTreeMap::new());
    steps!(src, ..=30, {
        node => nodes.add(nodes.len()),
        link if !nodes.is_empty() => {
            let (from, to) = (*src.draw(&nodes), *src.draw(&nodes));
            links.insert(from, to);
            let second = links.get(&to).filter(|it| **it != from && **it != to);
            let third = second.and_then(|it| links.get(it));
            assert!(from == to || third != Some(&from), "a cycle");
        }
        unlink if !nodes.is_empty() => { let it = src.draw(&nodes); links.remove(it); }
    });
}

/// The inner of two transactions commits what the outer has written.
fn commit(src: &mut Source) {
    let (mut depth, mut written) = (0, Vec::new());
    steps!(src, ..=30, {
        begin if depth < 3 => { depth += 1; written.push(0) }
        write if depth > 0 => written[depth - 1] += 1,
        abort if depth > 0 => { depth -= 1; written.pop(); }
        commit if depth > 0 => {
            depth -= 1;
            written.pop();
            assert!(written.iter().sum::<u32>() == 0, "the outer one is not done");
        }
    });
}

/// An elevator whose door looks at nothing.
fn elevator(src: &mut Source) {
    let (mut is_open, mut moves) = (true, false);
    steps!(src, ..=30, {
        wait => (),
        open if !is_open => { assert!(!moves, "it moves"); is_open = true }
        close if is_open => is_open = false,
        start if !is_open && !moves => moves = true,
        stop if moves => moves = false,
    });
}

/// Batches of more than two do not fit.
fn batches(src: &mut Source) {
    steps!(src, ..=10, {
        look => (),
        batch => {
            let mut n = 0;
            steps!(src, ..=10, {
                skip => (),
                put => { n += 1; assert!(n < 3, "it does not fit") }
                clear => n = 0,
            });
        }
    });
}
