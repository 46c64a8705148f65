//! Random requests over small domains, drawn like any other input, and what brute force says of them.
//!
//! Brute force shares nothing with plans and solvers but the evaluator: it lists the values of every field that
//! it made up itself, every vector of choices, and looks for a largest clique.

use std::sync::Arc;

use probity_core::{Source, select, vec};
use probity_spec::regex::{Count, Cover, Heuristics, Regex};
use probity_spec::{
    Branch, Branches, Date, Decimal, Difference, Enumerate, Field, Model, NO_CHOICE, Name, Op, Relation,
    RelationKind, Request, Shape, Spec, Table, Term, Value,
};

/// More models than this are not compared: a clique among them takes brute force too long.
pub(crate) const MODELS_MAX: usize = 90;

/// A request with every value its blanks can have, legal or not.
#[derive(Debug)]
pub(crate) struct Puzzle {
    pub request: Request,
    values: Vec<Value>,
}

/// The largest set of pairwise different models, and how many models there are; none when there are too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Truth {
    pub largest: usize,
    pub models: usize,
}

impl Puzzle {
    /// A random request.
    pub(crate) fn draw(src: &mut Source) -> Puzzle {
        let mut blanks = Blanks::default();
        let mut values = vec![Vec::new()];
        let mut fields = Vec::new();
        for at in 0..src.draw(1..=3_usize) {
            let name: Name = ["p", "q", "r"][at].into();
            let (spec, members) = blank(src, 1);
            blanks.add(Term::it().field(&name), &spec);
            values = product(&values, &members, &name);
            fields.push(Field { name, spec: Arc::new(spec), optional: false });
            if values.len() > 4 * MODELS_MAX {
                break;
            }
        }
        let mut spec = Spec::new(Shape::Object(fields));
        for _ in 0..src.draw(0..=2) {
            spec = spec.require(blanks.truth(src, 2));
        }
        let difference = if src.draw(0..5) == 0 { Difference::Never } else { blanks.difference(src, 2) };
        let values = values.into_iter().map(Value::Object).collect();
        Puzzle { request: Request { spec, difference, n: 0 }, values }
    }

    /// What brute force says.
    pub(crate) fn truth(&self) -> Option<Truth> {
        let vectors = choices(&self.request.difference);
        let mut models = Vec::new();
        for value in &self.values {
            if self.request.spec.admits(value).is_err() {
                continue;
            }
            for choices in &vectors {
                let model = Model { value: value.clone(), choices: choices.clone() };
                if self.request.admits(&model).is_ok() {
                    models.push(model);
                }
                if models.len() > MODELS_MAX {
                    return None;
                }
            }
        }
        let beside = |one: &Model| {
            let mut res = 0_u128;
            for (at, it) in models.iter().enumerate() {
                res |= u128::from(it != one && self.request.differ(one, it)) << at;
            }
            res
        };
        let graph: Vec<u128> = models.iter().map(beside).collect();
        Some(Truth { largest: clique(&graph), models: models.len() })
    }
}

/// Every object so far with every value of one field more.
fn product(objects: &[Vec<(Name, Value)>], members: &[Value], name: &Name) -> Vec<Vec<(Name, Value)>> {
    let mut res = Vec::new();
    for object in objects {
        for member in members {
            let mut object = object.clone();
            object.push((name.clone(), member.clone()));
            res.push(object);
        }
    }
    res
}

/// All vectors of choices that a difference's `Enumerate`s can have, in the order of reading.
fn choices(difference: &Difference) -> Vec<Vec<u64>> {
    match difference {
        Difference::Always | Difference::Never | Difference::Relation(_) => vec![Vec::new()],
        Difference::Not(of) => choices(of),
        Difference::All(parts) | Difference::Any(parts) => {
            parts.iter().fold(vec![Vec::new()], |res, part| {
                let part = choices(part);
                res.iter().flat_map(|it| part.iter().map(move |more| [&it[..], more].concat())).collect()
            })
        }
        Difference::Enumerate(Enumerate { branches: Branches::Cover { cover, .. } }) => match cover.count() {
            Count::Finite(n) => (0..u64::try_from(n).unwrap_or(1000).min(1000)).map(|it| vec![it]).collect(),
            Count::Infinite => Vec::new(),
        },
        Difference::Enumerate(Enumerate { branches: Branches::Listed(branches) }) => {
            let below: Vec<Vec<Vec<u64>>> = branches.iter().map(|it| choices(&it.differ)).collect();
            let mut res = Vec::new();
            for chosen in 0..branches.len() {
                let mut vectors = vec![vec![chosen as u64]];
                for (at, below) in below.iter().enumerate() {
                    let none = vec![vec![NO_CHOICE; enumerates(&branches[at].differ)]];
                    let more = if at == chosen { below } else { &none };
                    vectors = vectors
                        .iter()
                        .flat_map(|it| more.iter().map(move |more| [&it[..], more].concat()))
                        .collect();
                }
                res.extend(vectors);
            }
            res
        }
    }
}

/// How many `Enumerate`s a difference has, nested ones included.
fn enumerates(difference: &Difference) -> usize {
    match difference {
        Difference::Always | Difference::Never | Difference::Relation(_) => 0,
        Difference::Not(of) => enumerates(of),
        Difference::All(parts) | Difference::Any(parts) => parts.iter().map(enumerates).sum(),
        Difference::Enumerate(Enumerate { branches: Branches::Cover { .. } }) => 1,
        Difference::Enumerate(Enumerate { branches: Branches::Listed(branches) }) => {
            1 + branches.iter().map(|it| enumerates(&it.differ)).sum::<usize>()
        }
    }
}

/// The size of a largest clique; every vertex has its neighbors' bits.
fn clique(graph: &[u128]) -> usize {
    fn grow(graph: &[u128], size: usize, mut among: u128, best: &mut usize) {
        // A color holds vertices that are no neighbors: a clique has at most one of each.
        let mut order = Vec::new();
        let mut left = among;
        let mut colour = 0;
        while left != 0 {
            colour += 1;
            let mut free = left;
            while free != 0 {
                let vertex = free.trailing_zeros() as usize;
                free &= !(1 << vertex) & !graph[vertex];
                left &= !(1 << vertex);
                order.push((vertex, colour));
            }
        }
        for &(vertex, colour) in order.iter().rev() {
            if size + colour <= *best {
                return;
            }
            *best = (*best).max(size + 1);
            grow(graph, size + 1, among & graph[vertex], best);
            among &= !(1 << vertex);
        }
    }
    let mut best = 0;
    let all = if graph.len() == 128 { u128::MAX } else { (1 << graph.len()) - 1 };
    grow(graph, 0, all, &mut best);
    best
}

/// A blank of some shape, with all values of the shape that could be legal.
fn blank(src: &mut Source, depth: u32) -> (Spec, Vec<Value>) {
    let kinds = if depth == 0 { 5 } else { 13 };
    match src.draw(0..kinds) {
        0 => ints(src),
        1 => (Spec::new(Shape::Bool), vec![Value::Bool(false), Value::Bool(true)]),
        2 => {
            let cases: Vec<Name> = (0..src.draw(1..=4)).map(|it| Name::from(format!("c{it}"))).collect();
            (Spec::new(Shape::Enum(cases.clone())), cases.into_iter().map(Value::Case).collect())
        }
        3 => texts(src),
        4 => numbers(src),
        5 => {
            let (spec, members) = blank(src, 0);
            let some = members.into_iter().map(|it| Value::Option(Some(Box::new(it))));
            (Spec::option(spec), [Value::Option(None)].into_iter().chain(some).collect())
        }
        6 => lists(src),
        7 | 8 => times(src),
        9 => {
            let (first, second) = (blank(src, 0), blank(src, 0));
            let one = |case: &str, it: Value| Value::Union(case.into(), Box::new(it));
            let members = first.1.into_iter().map(|it| one("one", it));
            let members = members.chain(second.1.into_iter().map(|it| one("two", it))).collect();
            let cases = vec![("one".into(), Arc::new(first.0)), ("two".into(), Arc::new(second.0))];
            (Spec::new(Shape::Union(cases)), members)
        }
        10 => {
            let mut spec = Vec::new();
            let mut values = vec![Vec::new()];
            for name in ["x", "y"] {
                let (part, members) = blank(src, 0);
                values = product(&values, &members, &name.into());
                spec.push((name, part));
            }
            (Spec::object(spec), values.into_iter().map(Value::Object).collect())
        }
        11 => {
            let places = src.draw(vec(0..=2_i128, 2..=5));
            let row = |(at, place): (usize, &i128)| vec![Value::from(&*format!("k{at}")), Value::Int(*place)];
            let rows: Vec<_> = places.iter().enumerate().map(row).collect();
            let columns = vec!["name".into(), "place".into()];
            let table = Arc::new(Table { name: "Rows".into(), columns, rows });
            let members = (0..places.len() as u32).map(|it| Value::Row(table.clone(), it)).collect();
            (Spec::new(Shape::Table(table)), members)
        }
        _ => {
            let (spec, members) = ints(src);
            let kept = Term::it().modulo(Term::int(src.draw(1..=3))).eq(Term::int(src.draw(0..=1)));
            (spec.require(kept), members)
        }
    }
}

fn ints(src: &mut Source) -> (Spec, Vec<Value>) {
    let least = src.draw(-3..=20_i128);
    let most = least + src.draw(0..=6_i128);
    (Spec::new(Shape::int(least, most)), (least..=most).map(Value::Int).collect())
}

fn numbers(src: &mut Source) -> (Spec, Vec<Value>) {
    let least = src.draw(-2..=12_i128);
    let most = least + src.draw(0..=4_i128);
    let number = |it: i128| Value::Number(Decimal::new(it, 1));
    let spec = Spec::new(Shape::Number { decimals: 1 })
        .require(Term::constant(number(least)).le(Term::it()))
        .require(Term::it().le(Term::constant(number(most))));
    (spec, (least..=most).map(number).collect())
}

/// Texts of a and b, up to three characters, of a random pattern.
fn texts(src: &mut Source) -> (Spec, Vec<Value>) {
    let regex = Regex::new(&pattern(src, 2)).expect("made of what patterns are made of");
    let long = Term::it().len().le(Term::int(3));
    let spec = Spec::new(Shape::Text).require(Term::it().matches(Arc::new(regex))).require(long);
    let mut words = vec![String::new()];
    for at in 0..15 {
        for letter in ["a", "b"] {
            if words[at].len() < 3 {
                words.push(format!("{}{letter}", words[at]));
            }
        }
    }
    (spec, words.iter().map(|it| Value::from(&**it)).collect())
}

fn pattern(src: &mut Source, depth: u32) -> String {
    if depth == 0 {
        return src.draw(select(["a", "b", "[ab]", "ab", "^a", r"b\b"])).to_string();
    }
    let mut below = || pattern(src, depth - 1);
    let (first, second) = (below(), below());
    match src.draw(0..6) {
        0 => first,
        1 => format!("({first}|{second})"),
        2 => format!("{first}{second}"),
        3 => format!("({first})?"),
        4 => format!("({first})+"),
        _ => format!("({first}){{0,2}}"),
    }
}

fn lists(src: &mut Source) -> (Spec, Vec<Value>) {
    let items: Vec<Value> = (0..=src.draw(0..=2_i128)).map(Value::Int).collect();
    let most = src.draw(1..=2_usize);
    let spec = Spec::list(Spec::new(Shape::int(0, items.len() as i128 - 1)))
        .require(Term::it().len().le(Term::int(most as i128)));
    let mut lists = vec![Vec::new()];
    let mut at = 0;
    while at < lists.len() {
        if lists[at].len() < most {
            let longer = |it: &Value| [&lists[at][..], std::slice::from_ref(it)].concat();
            let longer: Vec<_> = items.iter().map(longer).collect();
            lists.extend(longer);
        }
        at += 1;
    }
    (spec, lists.into_iter().map(Value::List).collect())
}

/// A few days, times, date-times or durations in a row.
fn times(src: &mut Source) -> (Spec, Vec<Value>) {
    use probity_spec::{DateTime, Duration, Time};
    let least = src.draw(17_000..=17_060_i128);
    let span = src.draw(0..=4_i128);
    let (shape, make): (Shape, fn(i128) -> Value) = match src.draw(0..4) {
        0 => (Shape::Date, |it| Value::Date(Date::from_days(it).expect("in range"))),
        1 => (Shape::Time, |it| Value::Time(Time::from_seconds(it).expect("in range"))),
        2 => (Shape::DateTime, |it| Value::DateTime(DateTime::from_seconds(it).expect("in range"))),
        _ => (Shape::Duration, |it| Value::Duration(Duration::from_seconds(it).expect("in range"))),
    };
    let spec = Spec::new(shape)
        .require(Term::constant(make(least)).le(Term::it()))
        .require(Term::it().le(Term::constant(make(least + span))));
    (spec, (least..=least + span).map(make).collect())
}

/// Terms over the blanks, by what they evaluate to.
#[derive(Default)]
struct Blanks {
    ints: Vec<Term>,
    truths: Vec<Term>,
    texts: Vec<Term>,
    lists: Vec<Term>,
    all: Vec<Term>,
}

impl Blanks {
    fn add(&mut self, term: Term, spec: &Spec) {
        self.all.push(term.clone());
        match &spec.shape {
            Shape::Int { .. } => self.ints.push(term),
            Shape::Number { .. } => {
                self.truths.push(term.lt(Term::constant(Value::Number(Decimal::new(5, 1)))))
            }
            Shape::Float => self.truths.push(term.lt(Term::int(1))),
            Shape::Bool => self.truths.push(term),
            Shape::Text => {
                self.ints.push(term.clone().len());
                self.texts.push(term);
            }
            Shape::Date => {
                self.ints.push(Term::apply(Op::Day, [term.clone()]));
                self.ints.push(Term::apply(Op::Weekday, [term]));
            }
            Shape::Time | Shape::DateTime | Shape::Duration => {
                self.ints.push(Term::apply(Op::ToInt, [term]).minus(Term::int(17_000)));
            }
            Shape::Enum(_) => self.ints.push(Term::apply(Op::ToInt, [term])),
            Shape::Option(of) => {
                self.truths.push(term.clone().is_some());
                self.add(term.unwrap(), of);
            }
            Shape::List(_) => {
                self.ints.push(Term::apply(Op::Sum, [term.clone()]));
                self.ints.push(Term::apply(Op::Nth, [term.clone(), Term::int(0)]));
                self.truths.push(Term::apply(Op::Sorted, [term.clone()]));
                self.truths.push(Term::apply(Op::Distinct, [term.clone()]));
                self.ints.push(term.clone().len());
                self.lists.push(term);
            }
            Shape::Object(fields) => {
                fields.iter().for_each(|it| self.add(term.clone().field(&it.name), &it.spec));
            }
            Shape::Union(cases) => {
                for (case, spec) in cases {
                    self.truths.push(Term::new(probity_spec::Node::Is(term.clone(), case.clone())));
                    self.add(Term::new(probity_spec::Node::As(term.clone(), case.clone())), spec);
                }
            }
            Shape::Table(_) => self.ints.push(term.field("place")),
            Shape::Named(_) => {}
        }
    }

    fn pick(src: &mut Source, from: &[Term]) -> Option<Term> {
        (!from.is_empty()).then(|| from[src.draw(0..from.len())].clone())
    }

    /// A term that is a whole number.
    fn int(&self, src: &mut Source, depth: u32) -> Term {
        let leaf = |src: &mut Source| Blanks::pick(src, &self.ints);
        if depth == 0 || src.draw(0..3) == 0 {
            let constant = src.draw(-2..=9);
            return if src.draw(0..3) == 0 { None } else { leaf(src) }.unwrap_or_else(|| Term::int(constant));
        }
        let op = src.draw(select([Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Mod, Op::Abs, Op::Ite]));
        match op {
            Op::Abs => Term::apply(op, [self.int(src, depth - 1)]),
            Op::Ite => {
                let truth = self.truth(src, depth - 1);
                Term::apply(op, [truth, self.int(src, depth - 1), self.int(src, depth - 1)])
            }
            _ => Term::apply(op, [self.int(src, depth - 1), self.int(src, depth - 1)]),
        }
    }

    /// A term that holds or does not.
    fn truth(&self, src: &mut Source, depth: u32) -> Term {
        if depth == 0 {
            return Blanks::pick(src, &self.truths).unwrap_or_else(Term::always);
        }
        match src.draw(0..10) {
            0..=3 => {
                let op = src.draw(select([Op::Lt, Op::Le, Op::Eq]));
                Term::apply(op, [self.int(src, depth - 1), self.int(src, depth - 1)])
            }
            4 => self.truth(src, depth - 1).and(self.truth(src, depth - 1)),
            5 => self.truth(src, depth - 1).or(self.truth(src, depth - 1)),
            6 => self.truth(src, depth - 1).negate(),
            7 => match Blanks::pick(src, &self.texts) {
                None => self.truth(src, depth - 1),
                Some(text) => self.of_text(src, text),
            },
            8 => match Blanks::pick(src, &self.lists) {
                None => self.truth(src, depth - 1),
                Some(list) => {
                    let bound = self.int(src, depth - 1);
                    match src.draw(0..3) {
                        0 => list.forall(|it| it.le(bound.clone())),
                        1 => list.exists(|it| it.eq(bound.clone())),
                        _ => Term::apply(Op::In, [bound, list]),
                    }
                }
            },
            _ => self.truth(src, 0),
        }
    }

    fn of_text(&self, src: &mut Source, text: Term) -> Term {
        let constant = Term::text(src.draw(select(["", "a", "b", "ab"])));
        let that =
            if src.draw(0..2) == 0 { None } else { Blanks::pick(src, &self.texts) }.unwrap_or(constant);
        match src.draw(0..8) {
            0 => Term::apply(Op::StartsWith, [text, that]),
            1 => Term::apply(Op::EndsWith, [text, that]),
            2 => Term::apply(Op::Contains, [text, that]),
            3 => text.eq(that),
            4 => Term::apply(Op::IndexOf, [text, that]).lt(Term::int(1)),
            5 => text.lt(that),
            6 => Term::apply(Op::Concat, [text, that]).len().le(Term::int(2)),
            _ => Term::apply(Op::Substr, [text, Term::int(1), Term::int(1)]).eq(that),
        }
    }

    fn difference(&self, src: &mut Source, depth: u32) -> Difference {
        let below = |src: &mut Source| self.difference(src, depth.saturating_sub(1));
        match src.draw(0..if depth == 0 { 6 } else { 11 }) {
            0 => Difference::not_equal(Blanks::pick(src, &self.all).expect("there is a blank")),
            1 => Difference::not_equal(self.int(src, 1)),
            2 => match Blanks::pick(src, &[&self.texts[..], &self.lists].concat()) {
                Some(on) => Difference::different_lengths(on),
                None => Difference::not_equal(self.truth(src, 1)),
            },
            3 => Difference::distance(self.int(src, 1), src.draw(1..=4)),
            4 => match Blanks::pick(src, &self.texts) {
                Some(on) => {
                    Difference::Relation(Relation { on, kind: RelationKind::EditDistance(src.draw(1..=2)) })
                }
                None => src.draw(select([Difference::Always, Difference::Never])),
            },
            5 => {
                let sum = Term::it().plus(Term::other()).modulo(Term::int(src.draw(2..=4)));
                let kind = RelationKind::Holds(if src.draw(0..2) == 0 {
                    sum.eq(Term::int(src.draw(0..=2)))
                } else {
                    Term::it().times(Term::int(2)).eq(Term::other()).negate()
                });
                Difference::Relation(Relation { on: self.int(src, 1), kind })
            }
            6 => Difference::All((0..src.draw(1..=2)).map(|_| below(src)).collect()),
            7 => Difference::Any((0..src.draw(1..=3)).map(|_| below(src)).collect()),
            8 => Difference::Not(Box::new(below(src))),
            9 => {
                let branch = |src: &mut Source| {
                    let differ = if src.draw(0..2) == 0 { Difference::Never } else { below(src) };
                    Branch { requires: self.truth(src, 2), differ, label: String::new() }
                };
                let branches = (0..src.draw(1..=3)).map(|_| branch(src)).collect();
                Difference::Enumerate(Enumerate { branches: Branches::Listed(branches) })
            }
            _ => match Blanks::pick(src, &self.texts) {
                None => below(src),
                Some(on) => {
                    let regex = Regex::new(&pattern(src, 2)).expect("made of what patterns are made of");
                    let cover = Arc::new(Cover::new(&regex, &Heuristics::default()));
                    Difference::Enumerate(Enumerate { branches: Branches::Cover { on, cover } })
                }
            },
        }
    }
}
