//! Functions that use much of the standard library.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, VecDeque};
use std::fmt::Write;
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};
use std::panic::catch_unwind;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use probity_testkit::Stream;

type Function = fn(u64) -> u64;

/// All of them, by name.
pub(crate) const ALL: &[(&str, Function)] = &[
    ("arithmetic", arithmetic),
    ("sorting", sorting),
    ("btree", btree),
    ("hash_map", hash_map),
    ("random_state", random_state),
    ("formatting", formatting),
    ("parsing", parsing),
    ("wide", wide),
    ("panics", panics),
    ("nested_panics", nested_panics),
    ("objects", objects),
    ("iterators", iterators),
    ("texts", texts),
    ("thread_locals", thread_locals),
    ("big_arrays", big_arrays),
    ("recursion", recursion),
    ("floats", floats),
    ("single_floats", single_floats),
    ("bits", bits),
    ("atomics", atomics),
    ("deques", deques),
    ("narrow", narrow),
    ("divisions", divisions),
    ("switch", switch),
    ("growth", growth),
    ("clock", clock),
    ("environment", environment),
];

fn digest(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn arithmetic(x: u64) -> u64 {
    x.wrapping_mul(31) ^ 0x5bd1_e995
}

fn sorting(x: u64) -> u64 {
    let mut values: Vec<i32> = Stream::new(x).take(80).map(|it| it as i32).collect();
    let mut texts: Vec<String> = values.iter().map(|it| it.to_string()).collect();
    values.sort_unstable();
    texts.sort();
    texts.dedup();
    digest((values, texts))
}

fn btree(x: u64) -> u64 {
    let mut map = BTreeMap::new();
    for it in Stream::new(x).take(120) {
        *map.entry(it % 40).or_insert(0) += it;
        if it % 3 == 0 {
            map.remove(&(it % 17));
        }
    }
    let set: BTreeSet<_> = map.range(5..30).map(|(k, v)| k ^ v).collect();
    digest((map, set))
}

fn hash_map(x: u64) -> u64 {
    let mut map: HashMap<String, u64, BuildHasherDefault<DefaultHasher>> = HashMap::default();
    for it in Stream::new(x).take(60) {
        map.insert(format!("k{}", it % 50), it);
    }
    map.retain(|_, v| *v % 5 != 0);
    map.iter().fold(0, |a, (k, v)| a.wrapping_mul(31) ^ digest(k) ^ v)
}

fn random_state(x: u64) -> u64 {
    let mut map = HashMap::new();
    for it in Stream::new(x).take(40) {
        map.insert(it % 25, it);
    }
    let mut all: Vec<_> = map.into_iter().collect();
    all.sort();
    digest(all)
}

fn formatting(x: u64) -> u64 {
    let mut text = String::new();
    let float = f64::from_bits(x.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let small = (x as f64 - 20.0) / 7.0;
    write!(text, "{x:>8}|{x:#x}|{:?}|{:e}|{float:?}|{small:.3}|{small}", Some((x, "t\n")), x as f32 / 3.0)
        .unwrap();
    write!(text, "|{:5}|{:<4}|{:+}|{:?}", 'é', true, x as i16, f32::from_bits(x as u32 * 77_777_777))
        .unwrap();
    digest(text)
}

fn parsing(x: u64) -> u64 {
    let number = Stream::new(x).word() >> (x % 64);
    let text = format!("{number}");
    let float: f64 = format!("{}.{}e{}", x, number % 1000, x % 40).parse().unwrap();
    let bad = format!("{text}z").parse::<u64>().is_err();
    let signed: Result<i8, _> = format!("-{}", x * 3).parse();
    digest((
        text.parse::<u64>().ok(),
        float.to_bits(),
        bad,
        signed.ok(),
        u128::from_str_radix(&text, 16).ok(),
    ))
}

fn wide(x: u64) -> u64 {
    let mut numbers = Stream::new(x);
    let mut next = || u128::from(numbers.word()) << 64 | u128::from(numbers.word());
    let (a, b) = (next(), next() >> (x % 100));
    let c = a.wrapping_mul(b) ^ (a / (b | 1)) ^ (a % (b | 1)) ^ a.rotate_left(x as u32);
    let d = (a as i128).wrapping_sub(b as i128) / 1_000_003;
    digest((c, d, a.checked_add(b), a.leading_zeros(), a.cmp(&b), (a as f64).to_bits()))
}

fn panics(x: u64) -> u64 {
    let values = [1u64, 2, 3, 4, 5];
    let index = std::hint::black_box(x as usize % 8);
    let it = catch_unwind(|| values[index] + 1);
    it.unwrap_or_else(|payload| payload.downcast_ref::<String>().map_or(7, digest))
}

struct Noisy(Rc<Cell<u64>>);

impl Drop for Noisy {
    fn drop(&mut self) {
        self.0.set(self.0.get() * 3 + 1);
    }
}

fn nested_panics(x: u64) -> u64 {
    let drops = Rc::new(Cell::new(1));
    for n in 0..x % 4 {
        let it = std::panic::AssertUnwindSafe(Rc::clone(&drops));
        let result = catch_unwind(move || {
            let it = it;
            let _one = Noisy(Rc::clone(&it.0));
            let _two = [Noisy(Rc::clone(&it.0)), Noisy(Rc::clone(&it.0))];
            assert!(n % 2 == 0, "odd {n}");
            n.checked_sub(1).unwrap()
        });
        drops.set(drops.get() + u64::from(result.is_ok()));
    }
    if x % 5 == 4 {
        panic!("all the way: {x}");
    }
    drops.get()
}

trait Shape {
    fn area(&self) -> f64;
    fn name(&self) -> String {
        "shape".to_owned()
    }
}

struct Square(f64);
struct Circle(f64);

impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}

impl Shape for Circle {
    fn area(&self) -> f64 {
        std::f64::consts::PI * self.0.powi(2)
    }

    fn name(&self) -> String {
        format!("circle {}", self.0)
    }
}

fn objects(x: u64) -> u64 {
    let shapes: Vec<Box<dyn Shape>> = Stream::new(x)
        .take(12)
        .map(|it| -> Box<dyn Shape> {
            if it & 1 == 0 {
                Box::new(Square((it >> 40) as f64))
            } else {
                Box::new(Circle((it >> 44) as f64))
            }
        })
        .collect();
    let shared = Rc::new(RefCell::new(Vec::new()));
    let push = {
        let shared = Rc::clone(&shared);
        move |it: &dyn Shape| shared.borrow_mut().push((it.area().to_bits(), it.name()))
    };
    shapes.iter().for_each(|it| push(it.as_ref()));
    digest((shared.borrow().clone(), Rc::strong_count(&shared)))
}

fn iterators(x: u64) -> u64 {
    let values: Vec<u64> = Stream::new(x).take(60).collect();
    let a: u64 = values
        .iter()
        .zip(values.iter().skip(1))
        .filter(|(a, b)| a < b)
        .map(|(a, b)| a ^ b)
        .fold(0, |a, b| a ^ b);
    let b: Vec<u64> = values.chunks(7).flat_map(|it| it.iter().rev().step_by(2).copied()).collect();
    let c: u64 = values.windows(3).map(|it| it.iter().max().unwrap() >> 5).sum();
    let d = values.iter().map(|it| *it as u8).position(|it| it == 77);
    let e: Vec<u8> = values.iter().map(|it| (*it as u8).wrapping_add(3)).collect();
    digest((a, b, c, d, e))
}

fn texts(x: u64) -> u64 {
    let text: String = Stream::new(x).take(50).filter_map(|it| char::from_u32(it as u32 % 0x3000)).collect();
    let upper = text.to_uppercase();
    let words: Vec<_> =
        text.split(|it: char| it.is_ascii_digit() || it > '\u{1000}').map(str::trim).collect();
    let bytes: Vec<u8> = Stream::new(x).take(40).map(|it| it as u8).collect();
    let lossy = String::from_utf8_lossy(&bytes).into_owned();
    let found = "a needle in a haystack of needles".find(&"needles"[..3 + x as usize % 5]);
    let counts = text.chars().filter(|it| it.is_alphabetic()).count()
        + text.char_indices().last().map_or(0, |it| it.0);
    digest((upper, words, lossy, found, counts, text.to_lowercase(), text.replace('a', "bb")))
}

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(5) };
    static NAMES: RefCell<Vec<String>> = RefCell::new(vec!["first".to_owned()]);
}

fn thread_locals(x: u64) -> u64 {
    COUNT.set(COUNT.get() + x);
    NAMES.with_borrow_mut(|it| it.push(format!("n{x}")));
    let result = digest(NAMES.with_borrow(|it| it.clone())) ^ COUNT.get();
    COUNT.set(5);
    NAMES.with_borrow_mut(|it| it.truncate(1));
    result
}

fn big_arrays(x: u64) -> u64 {
    let mut a = [x; 600];
    a[x as usize * 7 % 600] = 3;
    let mut b = std::hint::black_box(a);
    b.copy_within(100..400, 150);
    b[..90].fill(x ^ 1);
    let same = a == b;
    let c = b.to_vec();
    digest((a, c, same, b[50..200] < a[50..200]))
}

fn recursion(x: u64) -> u64 {
    fn ackermann(m: u64, n: u64) -> u64 {
        match (m, n) {
            (0, n) => n + 1,
            (m, 0) => ackermann(m - 1, 1),
            (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
        }
    }
    ackermann(2, x % 9)
}

fn floats(x: u64) -> u64 {
    let f = x as f64 / 3.0 - 5.0;
    let all = [
        f.sin(),
        f.cos(),
        f.exp(),
        f.abs().ln(),
        f.powf(1.5),
        f.sqrt(),
        f.floor(),
        f.ceil(),
        f.round(),
        f.trunc(),
        f.atan2(2.0),
        f.tanh(),
        f.mul_add(2.0, 0.1),
        f % 0.7,
        f.max(1.0),
        f.min(f64::NAN),
        f.signum(),
        f.fract(),
        (f as i32) as f64,
        (f as u8) as f64,
        f.hypot(3.0),
        f.cbrt(),
        f.copysign(-1.0),
    ];
    digest((all.map(f64::to_bits), f.total_cmp(&1.0), f.partial_cmp(&f64::NAN), f as u64, (f * 1e30) as i64))
}

fn single_floats(x: u64) -> u64 {
    let values: Vec<f32> = Stream::new(x).take(40).map(|it| (it >> 40) as f32 / 1000.0).collect();
    let sum: f32 = values.iter().sum();
    let dot: f32 = values.iter().zip(values.iter().rev()).map(|(a, b)| a * b - 1.5).sum();
    let scaled: Vec<u32> = values.iter().map(|it| (it * 1.25).sqrt().to_bits()).collect();
    digest((sum.to_bits(), dot.to_bits(), scaled, values.iter().map(|it| *it as i32).max()))
}

fn bits(x: u64) -> u64 {
    let mut sum = 0u64;
    for it in Stream::new(x).take(30) {
        sum = sum.rotate_left(7)
            ^ u64::from(it.count_ones() + it.leading_zeros() * 3 + it.trailing_zeros() * 5)
            ^ it.swap_bytes()
            ^ it.reverse_bits()
            ^ (it >> (it % 64))
            ^ ((it as i64) >> (it % 60)) as u64
            ^ u64::from((it as u16).rotate_right(3))
            ^ u64::from((it as u32) << (it % 32))
            ^ u64::from(it.is_power_of_two())
            ^ it.saturating_mul(it);
    }
    sum
}

fn atomics(x: u64) -> u64 {
    let a = AtomicU64::new(x);
    let b =
        a.fetch_add(5, Ordering::SeqCst) ^ a.fetch_xor(9, Ordering::SeqCst) ^ a.swap(77, Ordering::SeqCst);
    let c = a.compare_exchange(77, x, Ordering::SeqCst, Ordering::SeqCst);
    let d = a.compare_exchange(78, x, Ordering::SeqCst, Ordering::SeqCst);
    let shared = Arc::new(Mutex::new(vec![x]));
    Arc::clone(&shared).lock().unwrap().push(b);
    digest((
        b,
        c,
        d,
        shared.lock().unwrap().clone(),
        Arc::strong_count(&shared),
        a.fetch_max(4, Ordering::SeqCst),
    ))
}

fn deques(x: u64) -> u64 {
    let mut deque = VecDeque::new();
    let mut heap = BinaryHeap::new();
    for it in Stream::new(x).take(70) {
        if it & 1 == 0 {
            deque.push_front(it)
        } else {
            deque.push_back(it)
        }
        if it % 5 == 0 {
            heap.extend(deque.pop_front());
        }
    }
    digest((deque, heap.into_sorted_vec()))
}

fn narrow(x: u64) -> u64 {
    let mut a = x as u8;
    let mut b = x as i16;
    let mut c = x as i32;
    for it in Stream::new(x).take(20) {
        a = a.wrapping_mul(it as u8 | 1).wrapping_add(3) ^ a.rotate_left(3);
        b = b.wrapping_sub(it as i16).wrapping_neg() >> (it % 5);
        c = c.wrapping_mul(b.into()).saturating_add(a.into()) ^ c.checked_abs().unwrap_or(3);
    }
    digest((a, b, c, a.checked_add(b as u8), b.overflowing_mul(77), c.checked_shl(a.into())))
}

fn divisions(x: u64) -> u64 {
    let mut sum = 0u64;
    for it in Stream::new(x).take(20) {
        let d = it >> 50 | 1;
        sum ^= (it / d) ^ (it % d) ^ ((it as i64) / (d as i64 - 2000)) as u64;
        sum ^=
            u64::from((it as u8) / (d as u8 | 1)) ^ u64::from((it as i16).wrapping_rem(d as i16 | 1) as u16);
        sum = sum.wrapping_mul(3)
            ^ u64::from(it as u32 / (d as u32))
            ^ it.div_ceil(7)
            ^ it.rem_euclid(1_000_003);
    }
    sum
}

fn switch(x: u64) -> u64 {
    match std::hint::black_box(x % 12) {
        0 => 5,
        1 => x * 3,
        2 => x ^ 99,
        3 => digest(x),
        4 => 1,
        5 => x.pow(3),
        6 => 77,
        7 => x << 5,
        8 => !x,
        9 => x - 1,
        _ => 1000 + x,
    }
}

fn growth(x: u64) -> u64 {
    let mut all = Vec::new();
    let mut lists: Vec<Vec<u8>> = Vec::new();
    for it in 0..200 + x {
        all.push(it * x);
        if it % 16 == 0 {
            lists.push(vec![0; it as usize + 5]);
        }
    }
    all.shrink_to_fit();
    let zeroed = vec![0u64; 500];
    digest((all, lists.concat(), zeroed))
}

fn clock(x: u64) -> u64 {
    let now = std::time::Instant::now();
    x + u64::from(now.elapsed().as_secs() > 1000)
}

fn environment(x: u64) -> u64 {
    digest((std::env::var("PATH").ok(), std::env::args().count(), x, std::thread::current().id()))
}
