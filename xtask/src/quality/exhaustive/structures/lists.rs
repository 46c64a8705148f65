//! Sorted lists and heaps in arrays.

use probity_core::{Combine, Generator, Lazy, Recursive, Source, from, lazy, recursive, vec};

use super::Visit;

#[derive(Debug)]
enum List {
    End,
    Item { head: Lazy<i8>, tail: Lazy<List> },
}

fn lists(head: impl Generator<Value = i8> + 'static) -> Recursive<'static, List> {
    recursive(
        |_: &mut Source| List::End,
        |list| from((lazy(head), lazy(list))).map(|(head, tail)| List::Item { head, tail }),
    )
}

/// Strictly increasing, with at most `n` items of `-n..=n`.
pub(super) fn increasing_list(n: u8) -> Visit {
    let end = n as i8;
    let lists = lists(-end..=end).such_that(move |it| rises(it, i8::MIN, n, |a, b| a < b).is_some());
    Box::new(move |src| _ = src.draw(lists.by_ref()))
}

/// With just `n` items of `1..=n`.
pub(super) fn non_decreasing_list(n: u8) -> Visit {
    let lists = lists(1..=n as i8).such_that(move |it| rises(it, 0, n, |a, b| a <= b) == Some(0));
    Box::new(move |src| _ = src.draw(lists.by_ref()))
}

/// How much room is left, where every item `follows` the one before.
fn rises(list: &List, before: i8, room: u8, follows: fn(i8, i8) -> bool) -> Option<u8> {
    match list {
        List::End => Some(room),
        List::Item { head, tail } => {
            let room = room.checked_sub(1)?;
            if follows(before, **head) { rises(tail, **head, room, follows) } else { None }
        }
    }
}

/// An array of 0 to `n` places, the first `len` of which hold a heap of `0..=n`.
#[derive(Debug)]
struct HeapArray {
    len: usize,
    places: Vec<Lazy<u8>>,
}

pub(super) fn heap_array(n: u8) -> Visit {
    let item = lazy(0..=n);
    let arrays = move |src: &mut Source| {
        let room = src.int(0, usize::from(n));
        HeapArray { len: src.int(0, room), places: vec(item.clone(), room).generate(src) }
    };
    let heaps = from(arrays).such_that(|it| is_heap(&it.places[..it.len]));
    Box::new(move |src| _ = src.draw(heaps.by_ref()))
}

/// Of just `n` items of `1..=n`.
pub(super) fn max_heap(n: u8) -> Visit {
    let heaps = vec(lazy(1..=n), usize::from(n)).such_that(|it| is_heap(it));
    Box::new(move |src| _ = src.draw(heaps.by_ref()))
}

fn is_heap(items: &[Lazy<u8>]) -> bool {
    // The first item of the heap is read even where it is the only one.
    items.iter().enumerate().all(|(at, it)| **it <= *items[at.saturating_sub(1) / 2])
}
