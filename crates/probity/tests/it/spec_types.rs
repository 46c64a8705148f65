//! `#[derive(Spec)]`, `spec!` and patterns: what is drawn meets what is declared, by every engine.

use std::collections::BTreeSet;

use probity::engine::{Bounds, Budget, search_exhaustive};
use probity::prelude::*;
use probity::spec::{Date, Declared, Shape, Spec, Value};

const LIMIT: u8 = 7;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Spec)]
enum Color {
    Red,
    #[spec(skip)]
    #[allow(dead_code)]
    Infrared,
    Green,
    Blue,
}

#[derive(Debug, Spec)]
#[spec(require = start < end && end as i32 - 3 <= LIMIT as i32)]
#[spec(require = "color != Color::Blue")]
struct Stay {
    #[spec(matches = "[A-Z][a-z]{2,8}")]
    guest: String,
    #[spec(range = 0..=LIMIT)]
    start: u8,
    #[spec(range = ..=20)]
    end: u8,
    #[spec(len = 1..=3, range = 1..100)]
    rooms: Vec<u16>,
    #[spec(range = start..=20)]
    late: Option<u8>,
    color: Color,
    #[spec(skip)]
    note: String,
    #[spec(range = "2024-02-01"..="2024-03-01", require = it.day() > 27)]
    date: Date,
}

#[probity::test]
fn stays_are_as_declared(stay: Stay) {
    let Stay { guest, start, end, rooms, late, color, note, date } = stay;
    assert!(late.is_none_or(|it| start <= it && it <= 20), "{start} {late:?}");
    assert!(start < end && start <= LIMIT && end <= 10, "{start} {end}");
    assert!((3..=9).contains(&guest.len()) && guest.starts_with(|it: char| it.is_ascii_uppercase()));
    assert!((1..=3).contains(&rooms.len()) && rooms.iter().all(|it| (1..100).contains(it)));
    assert!(matches!(color, Color::Red | Color::Green) && note.is_empty());
    assert!(["2024-02-28", "2024-02-29"].contains(&&*date.to_string()), "{date}");
}

#[derive(Debug, Spec)]
enum Payment {
    Cash,
    #[spec(require = months >= 12 || rate == 0)]
    Loan {
        #[spec(range = 1..=24)]
        months: u32,
        #[spec(range = 0..=9)]
        rate: u32,
    },
    Card(#[spec(matches = "[0-9]{4}")] String, Box<Option<Payment>>),
}

#[derive(Debug, Spec)]
#[spec(require = matches!(payment, Payment::Cash | Payment::Loan { .. }) || total > 10)]
#[spec(require = !(payment == Payment::Cash && total % 2 == 1))]
struct Order<T> {
    #[spec(range = 0..=20)]
    total: u8,
    payment: Payment,
    extra: (T, [bool; 2]),
}

fn is_good(payment: &Payment) -> bool {
    match payment {
        Payment::Cash => true,
        Payment::Loan { months, rate } => (1..=24).contains(months) && (*months >= 12 || *rate == 0),
        Payment::Card(digits, next) => digits.len() == 4 && next.iter().all(is_good),
    }
}

#[probity::test]
fn orders_are_as_declared(order: Order<char>) {
    let Order { total, payment, extra: (_, bits) } = order;
    assert!(is_good(&payment) && bits.len() == 2);
    assert!(!matches!(payment, Payment::Card(..)) || total > 10);
    assert!(!matches!(payment, Payment::Cash) || total % 2 == 0);
}

#[derive(Debug, Spec)]
#[spec(require = self.sum == self.parts.iter().sum::<u32>() && parts.is_sorted())]
#[spec(require = parts.iter().any(|it| it > 2) && !parts.contains(&3))]
#[spec(require = if sum > 5 { word.len() == 2 } else { word.is_empty() })]
#[spec(require = word.min(word).len() + { i64::from(LIMIT) } >= -sum / 2 && sum.rem_euclid(2) == 0)]
struct Parts {
    #[spec(range = 0..=9)]
    sum: u32,
    #[spec(len = ..=3, range = 0..=4)]
    parts: Vec<u32>,
    #[spec(matches = "[ab]*")]
    word: String,
}

#[probity::test(cases = 50)]
fn parts_are_as_declared(it: Parts) {
    assert_eq!(it.parts.iter().sum::<u32>(), it.sum);
    assert!(it.parts.is_sorted() && it.parts.iter().any(|it| *it > 2) && !it.parts.contains(&3));
    assert_eq!(it.word.len(), if it.sum > 5 { 2 } else { 0 });
    assert_eq!(it.sum % 2, 0);
}

#[probity::test]
fn slices(
    #[from(spec! {
        text: String matches "[a-zé]{1,20}",
        from: usize in 0..=20,
        to: usize in 0..=20,
        require from <= to && to <= text.len(),
        require to - from <= 3,
    })]
    (text, from, to): (String, usize, usize),
    #[from(spec! { n: i64 in -50..50, require n % 7 == -3 })] n: i64,
) {
    assert_eq!(text.chars().skip(from).take(to - from).count(), to - from);
    assert!(to - from <= 3 && n % 7 == -3 && (-50..50).contains(&n));
}

#[derive(Debug, Generate)]
struct Plate {
    #[from("[A-Z]{1,3}-[0-9]{1,4}")]
    text: String,
}

#[probity::test]
fn patterns_are_generators(
    #[from("(1[0-2]|[1-9]):[0-5][0-9] ?(AM|PM)")] time: &str,
    plate: Plate,
    #[from(vec(matching(r"\d\d"), 2))] digits: Vec<String>,
) {
    assert!(time.ends_with('M') && time.contains(':'));
    assert!(plate.text.contains('-') && digits.iter().all(|it| it.chars().count() == 2));
}

/// All values of a generator.
fn all<T: Ord>(generator: impl Generator<Value = T>) -> BTreeSet<T> {
    let seen = std::cell::RefCell::new(BTreeSet::new());
    let mut test =
        |src: &mut Source| assert!(seen.borrow_mut().insert(generator.generate(src)), "drawn twice");
    let budget = Budget { cases: 10_000, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
    let finding = search_exhaustive(Bounds::default(), &mut test, budget).unwrap();
    let reach = finding.evidence.reach.unwrap();
    assert!(reach.all && finding.failures.is_empty());
    seen.into_inner()
}

#[test]
fn every_value_is_drawn_once() {
    assert_eq!(all(any::<Color>()).into_iter().collect::<Vec<_>>(), [Color::Red, Color::Green, Color::Blue]);
    let pairs = all(spec! { a: u8 in 0..5, b: u8 in 0..5, require a + b == 4 || a > b + 2 });
    let expected: BTreeSet<(u8, u8)> =
        (0..25).map(|it| (it / 5, it % 5)).filter(|(a, b)| a + b == 4 || *a > b + 2).collect();
    assert_eq!(pairs, expected);
    assert_eq!(
        all(matching("(a|bc)?d{1,2}")).into_iter().collect::<Vec<_>>(),
        ["ad", "add", "bcd", "bcdd", "d", "dd"]
    );
}

#[test]
fn specs_are_what_was_written() {
    for (spec, text) in [
        (Color::spec(), "(enum Red Green Blue)"),
        (u8::spec(), "(int 0 255)"),
        (<Option<Vec<bool>>>::spec(), "(option (list bool))"),
        (<(u8, char)>::spec(), "(object (0 (int 0 255)) (1 (text (require (= (length it) 1)))))"),
    ] {
        assert_eq!(spec.to_string(), text);
    }
    assert!(matches!(Payment::spec().shape, Shape::Union(_)) && Payment::spec().name.is_some());
}

#[test]
fn targeted_search_climbs_in_a_spec() {
    let best = probity::Check::new("climb").seed(7).cases(500).find(|src| {
        let it: Parts = src.any();
        maximize("sum", f64::from(it.sum));
        it.sum
    });
    assert_eq!(best.value, 8);
}

#[test]
fn failures_shrink_within_the_spec() {
    let text = std::panic::catch_unwind(|| {
        probity::Check::new("shrinks").store(false).seed(7).explain(false).run(|src: &mut Source| {
            let stay: Stay = src.draw_as("stay", any());
            assert!(stay.end < 5 || stay.rooms.len() < 2, "{} {:?} {}", stay.guest, stay.rooms, stay.end);
        });
    });
    let text = *text.unwrap_err().downcast::<String>().unwrap();
    assert_eq!(text, "Aaa [1, 1] 5");
}

/// Each closure, as a requirement of all and of any of the characters, is true of what it is true of in Rust.
macro_rules! agree {
    ($((|$c:ident| $($body:tt)*))*) => {$({
        let all = probity::spec! { text: String, require text.chars().all(|$c| $($body)*) };
        let any = probity::spec! { text: String, require text.chars().any(|$c| $($body)*) };
        let (all, any) = (all.drawn().spec(), any.drawn().spec());
        let holds = |spec: &Spec, text: String| {
            spec.admits(&Value::Object(vec![("text".into(), Value::from(&*text))])).is_ok()
        };
        assert!(holds(all, String::new()) && !holds(any, String::new()));
        for c in ('\0'..'\u{250}').chain(['\u{2028}', '\u{FFFD}', '\u{1F600}', char::MAX]) {
            let $c = c;
            let wanted = $($body)*;
            assert_eq!(holds(all, $c.to_string()), wanted, "{} of {:?}", stringify!($($body)*), $c);
            assert_eq!(holds(any, $c.to_string()), wanted, "{} of {:?}", stringify!($($body)*), $c);
        }
    })*};
}

#[test]
#[allow(
    clippy::nonminimal_bool,
    clippy::manual_is_ascii_check,
    clippy::manual_range_contains,
    reason = "as users may write it"
)]
fn conditions_on_characters_mean_what_they_mean_in_rust() {
    agree! {
        (|c| c.is_ascii())
        (|c| c.is_ascii_digit())
        (|c| c.is_ascii_hexdigit())
        (|c| c.is_ascii_alphabetic())
        (|c| c.is_ascii_alphanumeric())
        (|c| c.is_ascii_uppercase())
        (|c| c.is_ascii_lowercase())
        (|c| c.is_ascii_punctuation())
        (|c| c.is_ascii_graphic())
        (|c| c.is_ascii_whitespace())
        (|c| c.is_ascii_control())
        (|c| !c.is_ascii_digit())
        (|c| c == 'x')
        (|c| c != '\'')
        (|c| c < 'b' && 'Z' < c)
        (|c| c >= 'b' && 'y' >= c || c == '-' || c == ']' || c == '^' || c == 'ü')
        (|c| c <= ' ' || !(c > '0'))
        (|c| ('a'..='z').contains(&c))
        (|c| ['a', '&', '\n'].contains(&c))
        (|c| "a-c[^~".contains(c))
        (|c| matches!(c, 'a'..='f' | '0'..='9' | '_'))
        (|c| c.is_ascii_alphanumeric() && !c.is_ascii_digit() && !matches!(c, 'q' | 'Q'))
    }
}

/// What was drawn is a word of capitals: nothing is rejected.
#[test]
fn conditions_on_characters_narrow_what_is_drawn() {
    let words = probity::spec! {
        word: String,
        require word.len() >= 3 && word.chars().all(|c| c.is_ascii_uppercase()) && word.chars().any(|c| c == 'Q'),
    };
    for seed in 0..100 {
        let word = probity::sample(&words, seed);
        assert!(
            word.len() >= 3 && word.contains('Q') && word.chars().all(|c| c.is_ascii_uppercase()),
            "{word}"
        );
    }
}
