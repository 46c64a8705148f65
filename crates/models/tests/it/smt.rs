//! SMT-LIB 2 solvers: what they say agrees with brute force. Ignored by name:
//! `cargo xtask check` finds or fetches a solver and runs them.

use std::ops::ControlFlow;
use std::sync::Arc;

use probity_models::solve::smt::{Many, Pairwise, Smt, find, many};
use probity_models::solve::{Answer, Effort, Solver};
use probity_models::{Encoding, Options, SolverChoice, Total, generate};
use probity_spec::flat::{self, Expr, ExprNode, Scalar, Slot, SlotKind};
use probity_spec::regex::Regex;
use probity_spec::{Difference, Random, Relation, RelationKind, Request, Shape, Spec, Term};

/// The solver to test with.
pub(crate) fn solver() -> String {
    let read = |name| std::env::var(name).ok();
    let found = find(read("PROBITY_SOLVER").as_deref(), read("PATH").as_deref());
    found.expect("no SMT solver was found; put z3 or cvc5 on the path, or set PROBITY_SOLVER to its program")
}

const EFFORT: Effort = Effort { stop: &|| false, millis: 3_600_000, seed: 1 };

fn int(name: &str, lo: i128, hi: i128) -> Slot {
    Slot { name: name.to_string(), kind: SlotKind::Int { lo, hi } }
}

fn slot(name: &str, kind: SlotKind) -> Slot {
    Slot { name: name.to_string(), kind }
}

fn start(slots: &[Slot]) -> Smt {
    Smt::start(&solver(), None, slots, &|| false).unwrap()
}

/// The texts of the small domain.
const TEXTS: [&str; 8] = ["", "a", "b", "ab", "ba", "aab", "\"\\", "é\u{1f600}"];

/// A domain small enough to go through: two whole numbers, a truth and a text.
struct Small {
    random: Random,
}

impl Small {
    fn slots() -> [Slot; 4] {
        let text = slot("odd |name\\ é", SlotKind::Text);
        [int("x", -3, 3), int("y", 0, 4), slot("b", SlotKind::Bool), text]
    }

    fn all() -> Vec<Vec<Scalar>> {
        let mut res = Vec::new();
        for x in -3..=3 {
            for y in 0..=4 {
                for b in [false, true] {
                    for text in TEXTS {
                        let text = Scalar::Text(text.into());
                        res.push(vec![Scalar::Int(x), Scalar::Int(y), Scalar::Bool(b), text]);
                    }
                }
            }
        }
        res
    }

    fn below(&mut self, n: u64) -> u64 {
        self.random.below(n)
    }

    fn truth(&mut self, depth: u32) -> Expr {
        if depth == 0 {
            return if self.below(3) == 0 { Expr::slot(2) } else { self.comparison(0) };
        }
        match self.below(7) {
            0 => flat::all([self.truth(depth - 1), self.truth(depth - 1), self.truth(depth - 1)]),
            1 => flat::any([self.truth(depth - 1), self.truth(depth - 1)]),
            2 => flat::not(self.truth(depth - 1)),
            3 => flat::ite(self.truth(depth - 1), self.truth(depth - 1), self.truth(depth - 1)),
            4 => flat::eq(self.truth(depth - 1), self.truth(depth - 1)),
            _ => self.comparison(depth - 1),
        }
    }

    fn comparison(&mut self, depth: u32) -> Expr {
        match self.below(9) {
            0 => flat::eq(self.int(depth), self.int(depth)),
            1 => flat::le(self.int(depth), self.int(depth)),
            2 => flat::lt(self.int(depth), self.int(depth)),
            3 => flat::eq(self.text(depth), self.text(depth)),
            4 => flat::text_lt(self.text(depth), self.text(depth)),
            5 => flat::starts_with(self.text(depth), self.text(depth)),
            6 => flat::ends_with(self.text(depth), self.text(depth)),
            7 => flat::contains(self.text(depth), self.text(depth)),
            _ => {
                let known = Expr::text(TEXTS[self.below(6) as usize]);
                flat::edits_at_least(self.text(depth), known, Expr::int(self.below(4) as i128))
            }
        }
    }

    fn int(&mut self, depth: u32) -> Expr {
        if depth == 0 || self.below(4) == 0 {
            return match self.below(3) {
                0 => Expr::slot(0),
                1 => Expr::slot(1),
                _ => Expr::int(self.below(9) as i128 - 4),
            };
        }
        // Divisors are never zero: anyone who builds expressions guards them.
        let divisor = Expr::int([-3, -2, 2, 3][self.below(4) as usize]);
        match self.below(7) {
            0 => flat::add([self.int(depth - 1), self.int(depth - 1)]),
            1 => flat::mul(self.int(depth - 1), self.int(depth - 1)),
            2 => flat::div(self.int(depth - 1), divisor),
            3 => flat::modulo(self.int(depth - 1), divisor),
            4 => flat::len(self.text(depth - 1)),
            5 => flat::index_of(self.text(depth - 1), self.text(depth - 1)),
            _ => flat::ite(self.truth(depth - 1), self.int(depth - 1), self.int(depth - 1)),
        }
    }

    fn text(&mut self, depth: u32) -> Expr {
        if depth == 0 || self.below(4) == 0 {
            return if self.below(2) == 0 {
                Expr::slot(3)
            } else {
                Expr::text(TEXTS[self.below(7) as usize])
            };
        }
        match self.below(3) {
            0 => flat::concat([self.text(depth - 1), self.text(depth - 1)]),
            // Neither start nor length is negative.
            1 => flat::substr(self.text(depth - 1), Expr::slot(1), Expr::int(self.below(3) as i128)),
            _ => flat::ite(self.truth(depth - 1), self.text(depth - 1), self.text(depth - 1)),
        }
    }
}

fn is(slots: &[Scalar]) -> Expr {
    let each = |(i, it): (usize, &Scalar)| flat::eq(Expr::slot(i as u32), Expr::constant(it.clone()));
    flat::all(slots.iter().enumerate().map(each))
}

#[test]
#[ignore = "needs z3 or cvc5: cargo xtask check finds or fetches one"]
fn random_formulas_agree_with_brute_force() {
    let mut smt = start(&Small::slots());
    // The last text has a character that SMT-LIB cannot write, and is never the only way out here.
    let texts = TEXTS[..7].iter().map(|it| flat::eq(Expr::slot(3), Expr::text(it)));
    smt.require(&flat::any(texts));
    let all = Small::all();
    let all: Vec<&Vec<Scalar>> = all.iter().filter(|it| it[3] != Scalar::Text(TEXTS[7].into())).collect();
    let mut small = Small { random: Random::new(11) };
    let (mut sat, mut unsat) = (0, 0);
    for _ in 0..100 {
        let expr = small.truth(3);
        let holds = |it: &[Scalar]| expr.eval(it) == Some(Scalar::Bool(true));
        smt.push();
        smt.require(&expr);
        match smt.solve(&EFFORT) {
            Answer::Sat(model) => {
                assert!(all.contains(&&model) && holds(&model), "{expr:?} {model:?}");
                sat += 1;
            }
            Answer::Unsat => {
                assert!(!all.iter().any(|it| holds(it)), "{expr:?}");
                unsat += 1;
            }
            Answer::Unknown(why) => panic!("{why}: {expr:?}"),
        }
        for _ in 0..2 {
            let at = all[small.below(all.len() as u64) as usize];
            smt.push();
            smt.require(&is(at));
            let expected = if holds(at) { Answer::Sat(at.clone()) } else { Answer::Unsat };
            assert_eq!(smt.solve(&EFFORT), expected, "{expr:?} {at:?}");
            smt.pop();
        }
        smt.pop();
    }
    assert!(sat > 30 && unsat > 5, "{sat} {unsat}: a test of both answers needs both");
}

#[test]
#[ignore = "needs z3 or cvc5: cargo xtask check finds or fetches one"]
fn patterns_agree_with_the_regex_crate() {
    let program = solver();
    let patterns = [
        "",
        "a",
        "[ab]*",
        "a+b?",
        "(a|ab)(b|)",
        "a{2}",
        "a{1,2}b",
        "[^a]",
        ".",
        "(?s).",
        "(?i)A",
        "a{2,}",
        r"\w+",
        r"\W",
        r"\s*",
        "^a$",
        "^$",
        "a^b",
        "a$b",
        "(^a|b)b",
        "a*^b",
        "b$a*",
        r"\ba",
        r"a\b",
        r"\b",
        r"\B",
        r"a\Bb",
        r"a*\b.",
        r".\b.*",
        r"\b[a-z]+\b ?\b[a-z]*\b",
        r"(b\b ?)+",
        r"((^a)+){0,2}b*",
        r"(?m)(^a?$\n?)*",
        r"(\ba|\Bb)*?",
        r"(?:a\b ?){1,2}",
        r"(?-u:\b)é?a",
        r"\b{start}a",
        r"a\b{end}.",
        r"(?m)^a$",
        r"(?m)^a$\s^b$",
        r"(?m)a$.?",
        r"(?m)\n^b?",
        r"(?mR)a$\r\nb?",
        r"\b{start-half}b*",
        r"\Aa|b\z",
    ];
    // All texts of up to two characters, and some longer ones.
    let letters = ["a", "b", " ", "\n", "é", "\r"];
    let mut texts: Vec<String> = vec![String::new()];
    texts.extend(letters.iter().map(|it| it.to_string()));
    texts.extend(letters.iter().flat_map(|a| letters.map(|b| format!("{a}{b}"))));
    texts.extend(["a b", "a\nb", "aab", "aba", "a\r\nb", "a b a", "ab\n"].map(str::to_string));
    let slots: Vec<Slot> = texts.iter().map(|it| slot(it, SlotKind::Bool)).collect();
    let mut smt = Smt::start(&program, None, &slots, &|| false).unwrap();
    let mut refused = Vec::new();
    for pattern in patterns {
        let regex = Arc::new(Regex::new(pattern).unwrap());
        smt.push();
        for (i, text) in texts.iter().enumerate() {
            let matches = Expr::new(ExprNode::Matches(Expr::text(text), regex.clone()));
            smt.require(&flat::eq(Expr::slot(i as u32), matches));
        }
        match smt.solve(&EFFORT) {
            Answer::Sat(found) => {
                for (text, found) in texts.iter().zip(found) {
                    assert_eq!(found, Scalar::Bool(regex.is_match(text)), "{pattern:?} on {text:?}");
                }
            }
            Answer::Unknown(why) => {
                assert!(why.contains("under a repetition") && why.contains(&regex.to_string()), "{why}");
                refused.push(pattern);
            }
            Answer::Unsat => panic!("{pattern}"),
        }
        smt.pop();
    }
    assert_eq!(refused, [""; 0]);
}

#[test]
#[ignore = "needs z3 or cvc5: cargo xtask check finds or fetches one"]
fn characters_beyond_smt_lib_are_told() {
    let mut smt = start(&[slot("t", SlotKind::Text)]);
    let matches = |pattern: &str| flat::matches(Expr::slot(0), Arc::new(Regex::new(pattern).unwrap()));
    let mut solve = |exprs: &[Expr]| {
        smt.push();
        exprs.iter().for_each(|it| smt.require(it));
        let res = smt.solve(&EFFORT);
        smt.pop();
        res
    };
    let is_not = |text: &str| flat::not(flat::eq(Expr::slot(0), Expr::text(text)));
    // Between the two lie only surrogates.
    let found = solve(&[matches("[\u{d7ff}-\u{e000}]"), is_not("\u{d7ff}")]);
    assert_eq!(found, Answer::Sat(vec![Scalar::Text("\u{e000}".into())]));
    assert_eq!(
        solve(&[matches("[\u{d7ff}-\u{e000}]"), is_not("\u{d7ff}"), is_not("\u{e000}")]),
        Answer::Unsat
    );
    assert_eq!(solve(&[matches("[^a]"), matches("a")]), Answer::Unsat);
    let Answer::Unknown(why) = solve(&[flat::eq(Expr::slot(0), Expr::text("\u{1f600}\u{30000}"))]) else {
        panic!("a character that cannot be written");
    };
    assert!(why.contains("U+30000"), "{why}");
    let Answer::Unknown(why) = solve(&[matches("[\u{30000}-\u{30010}]")]) else { panic!("it is not known") };
    assert!(why.contains("U+2FFFF"), "{why}");
}

#[test]
#[ignore = "needs z3 or cvc5: cargo xtask check finds or fetches one"]
fn whole_numbers_may_be_large() {
    let slots = [int("x", i128::MIN, i128::MAX), int("y", i128::MIN, i128::MAX)];
    let mut smt = start(&slots);
    smt.require(&flat::lt(Expr::slot(0), Expr::int(i128::MIN + 1)));
    smt.require(&flat::eq(
        Expr::slot(1),
        flat::add([Expr::int(-1), flat::mul(Expr::int(-1), Expr::slot(0))]),
    ));
    assert_eq!(smt.solve(&EFFORT), Answer::Sat(vec![Scalar::Int(i128::MIN), Scalar::Int(i128::MAX)]));
}

#[test]
#[ignore = "needs z3 or cvc5: cargo xtask check finds or fetches one"]
fn many_models_come_from_one_query() {
    let program = solver();
    let slots = [int("x", 0, 4), slot("b", SlotKind::Bool)];
    let requires = [flat::eq(Expr::slot(1), flat::lt(Expr::slot(0), Expr::int(3)))];
    let ask =
        |pairwise: &Pairwise, n| many(&program, None, (&slots, &requires), pairwise, n, &EFFORT).unwrap();
    let x = |model: &[Scalar]| if let Scalar::Int(x) = model[0] { x } else { panic!("{model:?}") };

    let distinct = Expr::slot(0);
    let Many::Sat(models) = ask(&Pairwise::Distinct(&distinct), 5) else { panic!("five exist") };
    let mut xs: Vec<i128> = models.iter().map(|it| x(it)).collect();
    xs.sort();
    assert_eq!(xs, (0..5).collect::<Vec<_>>());
    assert!(models.iter().all(|it| requires[0].eval(it) == Some(Scalar::Bool(true))));
    assert_eq!(ask(&Pairwise::Distinct(&distinct), 6), Many::Unsat);
    assert!(matches!(ask(&Pairwise::Distinct(&distinct), 1), Many::Sat(it) if it.len() == 1));

    // Two apart: 0, 2, 4.
    let gap = |a: u32, b: u32| flat::le(Expr::int(2), flat::sub(Expr::slot(a), Expr::slot(b)));
    let apart = flat::any([gap(0, 2), gap(2, 0)]);
    let Many::Sat(models) = ask(&Pairwise::All(&apart), 3) else { panic!("three exist") };
    let mut xs: Vec<i128> = models.iter().map(|it| x(it)).collect();
    xs.sort();
    assert_eq!(xs, [0, 2, 4]);
    assert_eq!(ask(&Pairwise::All(&apart), 4), Many::Unsat);
    assert!(
        matches!(ask(&Pairwise::All(&apart), 100_000), Many::Unknown(why) if why.contains("one at a time"))
    );
    assert_eq!(ask(&Pairwise::All(&apart), 0), Many::Sat(vec![]));
}

#[test]
#[ignore = "needs z3 or cvc5: cargo xtask check finds or fetches one"]
fn tall_and_shared_expressions_are_written_in_parts() {
    let mut smt = start(&[int("x", 0, 400)]);
    // A lookup as tall as a large table, and an expression that doubles with every step unless it is shared.
    let table = (0..400).fold(Expr::int(-1), |rest, i| {
        let is_row = Expr::new(ExprNode::Eq(Expr::slot(0), Expr::int(i)));
        Expr::new(ExprNode::Ite(is_row, Expr::int(i * 7 % 400), rest))
    });
    smt.require(&Expr::new(ExprNode::Eq(table, Expr::int(1))));
    let doubled = (0..16).fold(Expr::slot(0), |it, _| Expr::new(ExprNode::Add(vec![it.clone(), it])));
    smt.require(&Expr::new(ExprNode::Le(Expr::int(1), doubled)));
    assert_eq!(smt.solve(&EFFORT), Answer::Sat(vec![Scalar::Int(343)]));
}

#[test]
#[ignore = "needs z3 or cvc5: cargo xtask check finds or fetches one"]
fn requirements_come_and_go() {
    let mut smt = start(&[int("x", 0, 9)]);
    let at_least = |n| flat::le(Expr::int(n), Expr::slot(0));
    smt.require(&at_least(9));
    assert_eq!(smt.solve(&EFFORT), Answer::Sat(vec![Scalar::Int(9)]));
    smt.push();
    smt.require(&flat::not(at_least(9)));
    assert_eq!(smt.solve(&EFFORT), Answer::Unsat);
    smt.pop();
    // One more than there are: the bottom stays.
    smt.pop();
    assert_eq!(smt.solve(&EFFORT), Answer::Sat(vec![Scalar::Int(9)]));
}

#[test]
#[ignore = "needs z3 or cvc5: cargo xtask check finds or fetches one"]
fn one_query_is_asked_for_as_many_as_are_wanted() {
    let program = solver();
    let solver = SolverChoice::Smt { program, transcript: None };
    for encoding in [Encoding::AllAtOnce, Encoding::Distinct] {
        let options = Options { encoding, solver: solver.clone(), plan: false, ..Options::default() };
        let run = |spec: Spec, difference: Difference| {
            let request = Request { spec: Spec::object([("x", spec)]), difference, n: 13 };
            generate(&request, &options, &mut |_| ControlFlow::Continue(())).unwrap().total
        };
        let x = Term::it().field("x");
        // There are not that many, which takes another look at all of them.
        let far = run(Spec::new(Shape::int(0, 9)), Difference::distance(x.clone(), 3));
        assert_eq!(far, Total::Exactly(4_u32.into()), "{encoding:?}");
        let word = Spec::new(Shape::Text).require(Term::it().len().le(Term::int(12)));
        let edits = run(word, Difference::Relation(Relation { on: x, kind: RelationKind::EditDistance(3) }));
        if let (Total::AtLeast(_, why), Encoding::AllAtOnce) = (edits, encoding) {
            assert!(why.contains("cannot express the edit distance"), "{why}");
        }
    }
}
