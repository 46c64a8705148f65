//! Models as users write them: plain, async, on threads.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::task::{Context, Poll, Waker};

/// A queue that keeps at most this many items.
#[derive(Debug)]
struct Queue {
    items: VecDeque<String>,
    most: usize,
}

impl Queue {
    fn put(&mut self, item: &str, times: usize) -> bool {
        let fits = self.items.len() + times <= self.most;
        if fits {
            self.items.extend((0..times).map(|_| item.to_string()));
        }
        fits
    }

    fn take(&mut self) -> Option<String> {
        self.items.pop_front()
    }

    fn nth(&self, at: usize) -> String {
        self.items[at].clone()
    }
}

#[derive(Default)]
struct QueueModel(Vec<String>);

#[probity::model(Queue, new = Queue { items: VecDeque::new(), most: 4 }, cases = 300, steps = ..=20)]
impl QueueModel {
    #[weight(2)]
    fn put(&mut self, item: &str, #[from(1..=2)] times: usize) -> bool {
        let fits = self.0.len() + times <= 4;
        if fits {
            self.0.extend(vec![item.to_string(); times]);
        }
        fits
    }

    #[when(!self.0.is_empty())]
    fn take(&mut self) -> Option<String> {
        Some(self.0.remove(0))
    }

    #[when(!self.0.is_empty())]
    fn nth(&self, #[from(0..self.0.len())] at: usize) -> String {
        self.0[at].clone()
    }

    #[invariant]
    fn is_as_long(&self, queue: &Queue) -> bool {
        self.0.len() == queue.items.len()
    }

    #[invariant]
    fn is_short(&self) {
        assert!(self.0.len() <= 4);
    }
}

#[derive(Default)]
struct Later(u32);

impl Later {
    async fn add(&mut self, n: u32) -> u32 {
        self.0 = std::future::ready(self.0.wrapping_add(n)).await;
        self.0
    }

    fn get(&self) -> u32 {
        self.0
    }
}

#[derive(Default)]
struct LaterModel(u32);

#[probity::model(Later, block_on = block_on, cases = 100)]
impl LaterModel {
    async fn add(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_add(n);
        self.0
    }

    fn get(&self) -> u32 {
        self.0
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(it) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return it;
        }
    }
}

#[derive(Default)]
struct Account {
    balance: AtomicU64,
    names: Mutex<Vec<String>>,
}

impl Account {
    fn pay_in(&self, n: u64) {
        self.balance.fetch_add(n, SeqCst);
    }

    fn pay_out(&self, n: u64) {
        let old = self.balance.fetch_sub(n, SeqCst);
        assert!(old >= n, "it is guarded");
    }

    fn sign(&self, name: String) -> usize {
        let mut names = self.names.lock().unwrap();
        names.push(name);
        names.len()
    }
}

#[derive(Clone, Default, PartialEq)]
struct AccountModel(u64, usize);

#[probity::model(Account, real_threads = 3, calls = ..=2, cases = 50)]
impl AccountModel {
    fn pay_in(&mut self, #[from(1..=3)] n: u64) {
        self.0 += n;
    }

    #[when(self.0 >= n)]
    fn pay_out(&mut self, #[from(1..=3)] n: u64) {
        self.0 -= n;
    }

    fn sign(&mut self, _name: String) -> usize {
        self.1 += 1;
        self.1
    }

    #[invariant]
    fn is_balanced(&self, account: &Account) {
        assert_eq!(account.balance.load(SeqCst), self.0);
    }
}
