//! A double-ended queue in a ring of places, which grows to the double when it is full.

use std::collections::VecDeque;

use probity::prelude::*;

use crate::is_planted;

#[derive(Clone, Debug, Default)]
struct Ring {
    places: Vec<u8>,
    head: usize,
    len: usize,
}

#[derive(Clone, Debug, Generate)]
enum Step {
    PushBack(u8),
    PushFront(u8),
    PopBack,
    PopFront,
    Rotate(u8),
    Keep(u8),
    Reverse,
}

impl Ring {
    fn at(&self, index: usize) -> usize {
        let at = self.head + index;
        if is_planted(1) && self.places.len() == 8 { at % 7 } else { at % self.places.len() }
    }

    fn get(&self, index: usize) -> Option<u8> {
        let is_inside = if is_planted(2) { index < self.places.len() } else { index < self.len };
        is_inside.then(|| self.places[self.at(index)])
    }

    fn grow(&mut self) {
        if self.len < self.places.len() {
            return;
        }
        let mut items: Vec<u8> = self.iter().collect();
        if is_planted(3) && self.head > 0 {
            items = self.places.clone();
        }
        if is_planted(4) && self.len == 8 {
            items.swap(3, 4);
        }
        items.resize((2 * self.len).max(2), 0);
        self.places = items;
        self.head = if is_planted(5) && self.len >= 4 { self.head } else { 0 };
    }

    fn push_back(&mut self, item: u8) {
        self.grow();
        let at = self.at(self.len);
        self.places[at] = item;
        self.len += 1;
    }

    fn push_front(&mut self, item: u8) {
        self.grow();
        let last = self.places.len() - 1;
        self.head = match self.head {
            0 if is_planted(6) => 0,
            0 => last,
            head => head - 1,
        };
        self.places[self.head] = item;
        self.len += 1;
    }

    fn pop_back(&mut self) -> Option<u8> {
        let last = self.len.checked_sub(1)?;
        let item = self.get(if is_planted(7) && self.head > last { 0 } else { last });
        self.len = last;
        item
    }

    fn pop_front(&mut self) -> Option<u8> {
        let item = self.get(0).filter(|_| self.len > 0)?;
        let next = self.head + 1;
        self.head = if is_planted(8) { next.min(self.places.len() - 1) } else { next % self.places.len() };
        self.len -= 1;
        if self.len == 0 && is_planted(9) {
            self.head = 0;
            self.places.truncate(1);
        }
        Some(item)
    }

    /// Takes this many items from the front to the back.
    fn rotate(&mut self, n: u8) {
        let n = if self.len == 0 { 0 } else { usize::from(n) % self.len };
        let n = if is_planted(10) && n == self.len / 2 && self.len > 3 { n + 1 } else { n };
        for _ in 0..n {
            if let Some(item) = self.pop_front() {
                if is_planted(11) && item == 255 {
                    continue;
                }
                self.push_back(item);
            }
        }
    }

    /// Keeps this many items at the front.
    fn keep(&mut self, n: u8) {
        let n = usize::from(n);
        if n < self.len {
            self.len = if is_planted(12) && n == 0 { 1 } else { n };
        } else if is_planted(13) && n > 16 {
            self.len = self.len.saturating_sub(1);
        }
    }

    fn reverse(&mut self) {
        let pairs = if is_planted(14) { (self.len / 2).min(2) } else { self.len / 2 };
        for low in 0..pairs {
            let (a, b) = (self.at(low), self.at(self.len - 1 - low));
            self.places.swap(a, b);
        }
    }

    fn iter(&self) -> impl Iterator<Item = u8> {
        let most =
            if is_planted(15) { self.places.len() - self.head.min(self.places.len()) } else { usize::MAX };
        (0..self.len.min(most)).map(|it| self.places[self.at(it)])
    }

    fn step(&mut self, step: &Step) -> Option<u8> {
        match *step {
            Step::PushBack(item) => self.push_back(item),
            Step::PushFront(item) => self.push_front(item),
            Step::PopBack => return self.pop_back(),
            Step::PopFront => return self.pop_front(),
            Step::Rotate(n) => self.rotate(n),
            Step::Keep(n) => self.keep(n),
            Step::Reverse => self.reverse(),
        }
        None
    }
}

fn step_model(model: &mut VecDeque<u8>, step: &Step) -> Option<u8> {
    match *step {
        Step::PushBack(item) => model.push_back(item),
        Step::PushFront(item) => model.push_front(item),
        Step::PopBack => return model.pop_back(),
        Step::PopFront => return model.pop_front(),
        Step::Rotate(n) if !model.is_empty() => model.rotate_left(usize::from(n) % model.len()),
        Step::Rotate(_) => {}
        Step::Keep(n) => model.truncate(usize::from(n)),
        Step::Reverse => model.make_contiguous().reverse(),
    }
    None
}

/// The ring and the queue that it has to be like, after some steps.
fn both(steps: &[Step]) -> (Ring, VecDeque<u8>) {
    let mut res = (Ring::default(), VecDeque::new());
    for step in steps {
        res.0.step(step);
        step_model(&mut res.1, step);
    }
    res
}

#[probity::test]
fn items_are_those_of_a_queue(steps: Vec<Step>) {
    let (ring, queue) = both(&steps);
    assert!(ring.iter().eq(queue));
}

#[probity::test]
fn steps_return_what_a_queue_returns(steps: Vec<Step>) {
    let (mut ring, mut queue) = (Ring::default(), VecDeque::new());
    for step in &steps {
        assert_eq!(ring.step(step), step_model(&mut queue, step));
    }
}

#[probity::test]
fn an_index_finds_its_item(steps: Vec<Step>, index: u8) {
    let (ring, queue) = both(&steps);
    assert_eq!(ring.get(index.into()), queue.get(usize::from(index)).copied());
}

#[probity::test]
fn reversed_twice_is_the_same(items: Vec<u8>, back: Vec<u8>) {
    let mut ring = Ring::default();
    items.iter().for_each(|it| ring.push_front(*it));
    back.iter().for_each(|it| ring.push_back(*it));
    let front: Vec<u8> = ring.iter().collect();
    ring.reverse();
    let mut reversed: Vec<u8> = ring.iter().collect();
    reversed.reverse();
    assert_eq!(front, reversed);
}

#[probity::test]
fn rotated_back_is_the_same(items: Vec<u8>, n: u8) {
    let mut ring = Ring::default();
    items.iter().for_each(|it| ring.push_back(*it));
    let n = if items.is_empty() { 0 } else { n % u8::try_from(items.len()).unwrap_or(255) };
    ring.rotate(n);
    let back = if items.is_empty() { 0 } else { items.len() - usize::from(n) };
    (0..back).for_each(|_| ring.rotate(1));
    assert!(items.len() < 2 || ring.iter().eq(items));
}
