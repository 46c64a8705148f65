//! Lowering agrees with the evaluator: random specs, terms and differences over small values.

use std::sync::Arc;

use probity_spec::Random;
use probity_spec::flat::{Bounds, Flat, Scalar};
use probity_spec::{
    Branch, Branches, Date, DateTime, Decimal, Difference, Duration, Enumerate, Float64, Model, NO_CHOICE,
    Name, Node, Op, Relation, RelationKind, Request, Shape, Spec, Table, Term, Time, Value,
};

fn table() -> Arc<Table> {
    let row = |name: &str, zone: &str, rank: i128| vec![name.into(), zone.into(), Value::Int(rank)];
    let rows = vec![row("p", "east", 3), row("q", "west", 1), row("r", "east", 2)];
    Arc::new(Table { name: "T".into(), columns: ["name", "zone", "rank"].map(Into::into).into(), rows })
}

fn shape(dice: &mut Random, depth: u32) -> Shape {
    let leaf = |dice: &mut Random| Arc::new(Spec::new(shape(dice, depth - 1)));
    match dice.below(if depth == 0 { 9 } else { 14 }) {
        0 => Shape::Bool,
        1 => Shape::int(-2, 3),
        2 => Shape::Number { decimals: 1 },
        3 => Shape::Text,
        4 => Shape::Date,
        5 => Shape::DateTime,
        6 => [Shape::Duration, Shape::Float][dice.below(2) as usize].clone(),
        7 => Shape::Enum(["red", "green", "blue"].map(Into::into).into()),
        8 => Shape::Table(table()),
        9 => Shape::Option(leaf(dice)),
        10 | 11 => Shape::List(leaf(dice)),
        12 => Shape::Union(vec![("left".into(), leaf(dice)), ("right".into(), leaf(dice))]),
        _ => Spec::object([("u", (*leaf(dice)).clone()), ("v", (*leaf(dice)).clone())]).shape,
    }
}

fn value(dice: &mut Random, shape: &Shape) -> Value {
    match shape {
        Shape::Bool => Value::Bool(dice.below(2) == 0),
        Shape::Int { .. } => Value::Int(dice.below(6) as i128 - 2),
        Shape::Number { .. } => Value::Number(Decimal::new(dice.below(25) as i128 - 12, 1)),
        Shape::Float => {
            let all = [0.0, -0.0, 0.5, -0.5, 0.1 + 0.2, 7.0, f64::MAX, f64::NEG_INFINITY, f64::NAN];
            Value::Float(Float64::new(*dice.pick(&all)))
        }
        Shape::Text => Value::from(*dice.pick(&["", "a", "b", "ab", "ba", "aab", "é"])),
        Shape::Date => Value::Date(Date::from_days(dice.below(3000) as i128 * 7 - 400).unwrap()),
        Shape::Time => Value::Time(Time::from_seconds(dice.below(86_400) as i128).unwrap()),
        Shape::DateTime => {
            let days = *dice.pick(&[-1_i128, 0, 59, 364, 366, 11_016, 2_932_896]);
            Value::DateTime(DateTime::from_seconds(days * 86_400 + dice.below(86_400) as i128).unwrap())
        }
        Shape::Duration => Value::Duration(
            Duration::from_seconds(*dice.pick(&[-86_401_i128, -1, 0, 3600, 86_400, 90_000])).unwrap(),
        ),
        Shape::Option(of) => Value::Option((dice.below(3) > 0).then(|| Box::new(value(dice, &of.shape)))),
        Shape::List(of) => Value::List((0..dice.below(4)).map(|_| value(dice, &of.shape)).collect()),
        Shape::Object(fields) => {
            Value::Object(fields.iter().map(|it| (it.name.clone(), value(dice, &it.spec.shape))).collect())
        }
        Shape::Enum(cases) => Value::Case(dice.pick(cases).clone()),
        Shape::Union(cases) => {
            let (name, of) = dice.pick(cases).clone();
            Value::Union(name, Box::new(value(dice, &of.shape)))
        }
        Shape::Table(table) => Value::Row(table.clone(), dice.below(3) as u32),
        Shape::Named(_) => unreachable!("the generator makes none"),
    }
}

/// The parts of a value that terms can speak of, each with its shape.
fn parts(term: Term, shape: &Shape, number: u32, all: &mut Vec<(Term, Shape)>) {
    all.push((term.clone(), shape.clone()));
    match shape {
        Shape::Option(of) => parts(term.unwrap(), &of.shape, number, all),
        Shape::List(of) => {
            let at = Term::int(number as i128 % 3);
            parts(Term::apply(Op::Nth, [term, at]), &of.shape, number + 1, all);
        }
        Shape::Object(fields) => {
            fields.iter().for_each(|it| parts(term.clone().field(&it.name), &it.spec.shape, number, all));
        }
        Shape::Union(cases) => cases.iter().for_each(|(name, of)| {
            parts(Term::new(Node::As(term.clone(), name.clone())), &of.shape, number, all);
        }),
        Shape::Table(_) => {
            all.push((term.clone().field("zone"), Shape::Text));
            all.push((term.field("rank"), Shape::int(0, 9)));
        }
        _ => {}
    }
}

struct Terms<'a> {
    dice: &'a mut Random,
    parts: Vec<(Term, Shape)>,
}

impl Terms<'_> {
    fn part(&mut self, is: impl Fn(&Shape) -> bool) -> Option<(Term, Shape)> {
        let found: Vec<&(Term, Shape)> = self.parts.iter().filter(|it| is(&it.1)).collect();
        (!found.is_empty()).then(|| (*self.dice.pick(&found)).clone())
    }

    /// One of some operations on two terms.
    fn apply2(&mut self, ops: &[Op], of: fn(&mut Self, u32) -> Term, depth: u32) -> Term {
        let op = *self.dice.pick(ops);
        let a = of(self, depth - 1);
        Term::apply(op, [a, of(self, depth - 1)])
    }

    fn truth(&mut self, depth: u32) -> Term {
        if depth == 0 {
            let part = self.part(|it| *it == Shape::Bool).map(|it| it.0);
            return part.unwrap_or_else(|| Term::constant(self.dice.below(2) == 0));
        }
        let any: fn(&mut Self, u32) -> Term = Terms::truth;
        match self.dice.below(20) {
            18 | 19 => match self.part(|it| *it == Shape::Float) {
                Some((float, _)) => {
                    let other = match self.dice.below(4) {
                        0 => self.part(|it| *it == Shape::Float).map_or(float.clone(), |it| it.0),
                        1 => Term::int(self.dice.below(9) as i128 - 1),
                        2 => Term::constant(Value::Number(Decimal::new(self.dice.below(9) as i128, 1))),
                        _ => Term::constant(value(self.dice, &Shape::Float)),
                    };
                    let op = *self.dice.pick(&[Op::Lt, Op::Le, Op::Eq]);
                    Term::apply(op, if self.dice.below(2) == 0 { [float, other] } else { [other, float] })
                }
                None => self.truth(0),
            },
            0 => self.apply2(&[Op::And], any, depth),
            1 => self.apply2(&[Op::Or], any, depth),
            2 | 3 => self.truth(depth - 1).negate(),
            4 => self.apply2(&[Op::Lt, Op::Le, Op::Eq], Terms::number, depth),
            5 => self.apply2(&[Op::Lt, Op::Le, Op::Eq], Terms::text, depth),
            6 => self.apply2(&[Op::StartsWith, Op::EndsWith, Op::Contains], Terms::text, depth),
            7 => self.apply2(&[Op::Lt, Op::Le, Op::Eq], Terms::moment, depth),
            8 => self.apply2(&[Op::Lt, Op::Le, Op::Eq], Terms::span, depth),
            9 | 10 => {
                let Some((list, shape)) = self.part(|it| matches!(it, Shape::List(_))) else {
                    return self.truth(0);
                };
                let Shape::List(of) = shape else { unreachable!() };
                match self.dice.below(4) {
                    0 => Term::apply(Op::Sorted, [list]),
                    1 => Term::apply(Op::Distinct, [list]),
                    2 => Term::apply(Op::In, [Term::constant(value(self.dice, &of.shape)), list]),
                    _ => {
                        let number = 1000 + depth;
                        let before = self.parts.len();
                        parts(Term::new(Node::Bound(number)), &of.shape, 0, &mut self.parts);
                        let body = self.truth(depth - 1);
                        self.parts.truncate(before);
                        let kind = *self
                            .dice
                            .pick(&[probity_spec::Quantifier::Forall, probity_spec::Quantifier::Exists]);
                        Term::new(Node::Quantified(kind, number, list, body))
                    }
                }
            }
            11 => match self.part(|it| matches!(it, Shape::Option(_))) {
                Some((option, _)) => option.is_some(),
                None => self.truth(0),
            },
            12 => match self.part(|it| matches!(it, Shape::Union(_))) {
                Some((union, _)) => Term::new(Node::Is(union, "left".into())),
                None => self.truth(0),
            },
            13 => {
                let (term, shape) = self.part(|_| true).expect("the whole is a part");
                let constant = Term::constant(value(self.dice, &shape));
                let same = term.clone().eq(constant.clone());
                match self.part(|it| *it == shape) {
                    Some((other, _)) if self.dice.below(2) == 0 => {
                        Term::apply(Op::Ite, [self.truth(depth - 1), term, other]).eq(constant)
                    }
                    _ => same,
                }
            }
            14 => {
                let (a, b) = (self.text(depth - 1), self.text(depth - 1));
                let edits = Term::apply(Op::EditDistance, [a, b]);
                let k = Term::int(self.dice.below(3) as i128);
                match self.dice.below(3) {
                    0 => edits.lt(k),
                    1 => k.le(edits),
                    _ => edits.eq(k),
                }
            }
            15 => {
                let c = self.truth(depth - 1);
                let a = self.truth(depth - 1);
                Term::apply(Op::Ite, [c, a, self.truth(depth - 1)])
            }
            _ => self.truth(0),
        }
    }

    fn number(&mut self, depth: u32) -> Term {
        if depth == 0 {
            let is = |it: &Shape| matches!(it, Shape::Int { .. } | Shape::Number { .. });
            return match self.part(is) {
                Some((term, _)) if self.dice.below(3) > 0 => term,
                _ if self.dice.below(4) == 0 => Term::constant(Value::Number(Decimal::new(15, 1))),
                _ => Term::int(self.dice.below(5) as i128 - 1),
            };
        }
        match self.dice.below(14) {
            0 => self.apply2(&[Op::Add], Terms::number, depth),
            1 => self.apply2(&[Op::Sub], Terms::number, depth),
            2 => self.apply2(&[Op::Mul], Terms::number, depth),
            3 => self.apply2(&[Op::Div], Terms::number, depth),
            4 => self.apply2(&[Op::Mod], Terms::number, depth),
            5 => Term::apply(*self.dice.pick(&[Op::Neg, Op::Abs]), [self.number(depth - 1)]),
            6 => self.text(depth - 1).len(),
            7 => self.apply2(&[Op::IndexOf], Terms::text, depth),
            8 | 9 => match self.part(|it| matches!(it, Shape::List(_))) {
                Some((list, _)) => Term::apply(*self.dice.pick(&[Op::Sum, Op::Len]), [list]),
                None => self.number(0),
            },
            10 => {
                let op = *self.dice.pick(&[Op::Year, Op::Month, Op::Day, Op::Weekday, Op::ToInt]);
                Term::apply(op, [self.moment(depth - 1)])
            }
            11 => match self.part(|it| matches!(it, Shape::Enum(_) | Shape::Bool | Shape::Duration)) {
                Some((term, _)) => Term::apply(Op::ToInt, [term]),
                None => self.number(0),
            },
            12 => {
                // Both of one kind: a whole number.
                let (c, a) = (self.truth(depth - 1), self.text(depth - 1).len());
                Term::apply(Op::Ite, [c, a, Term::int(self.dice.below(5) as i128 - 1)])
            }
            _ => self.number(0),
        }
    }

    fn text(&mut self, depth: u32) -> Term {
        match self.dice.below(if depth == 0 { 2 } else { 4 }) {
            0 => Term::constant(value(self.dice, &Shape::Text)),
            1 => self.part(|it| *it == Shape::Text).map_or_else(|| Term::text("ab"), |it| it.0),
            2 => self.apply2(&[Op::Concat], Terms::text, depth),
            _ => {
                let (of, start) = (self.text(depth - 1), self.number(0));
                Term::apply(Op::Substr, [of, start, self.number(0)])
            }
        }
    }

    fn moment(&mut self, depth: u32) -> Term {
        let shape = if self.dice.below(2) == 0 { Shape::Date } else { Shape::DateTime };
        match self.dice.below(if depth == 0 { 2 } else { 4 }) {
            0 => Term::constant(value(self.dice, &shape)),
            1 => {
                self.part(|it| *it == shape).map_or_else(|| Term::constant(Value::Date(Date::MIN)), |it| it.0)
            }
            2 => Term::apply(Op::DateOf, [self.moment(depth - 1)]),
            _ => {
                let (op, of) = (*self.dice.pick(&[Op::Add, Op::Sub]), self.moment(depth - 1));
                Term::apply(op, [of, self.span(depth - 1)])
            }
        }
    }

    fn span(&mut self, depth: u32) -> Term {
        match self.dice.below(if depth == 0 { 2 } else { 5 }) {
            0 => Term::constant(value(self.dice, &Shape::Duration)),
            1 => self.part(|it| *it == Shape::Duration).map_or_else(
                || Term::constant(Value::Duration(Duration::from_seconds(1).unwrap())),
                |it| it.0,
            ),
            2 => self.apply2(&[Op::Sub], Terms::moment, depth),
            3 => self.apply2(&[Op::Add, Op::Sub], Terms::span, depth),
            _ => {
                let times = self.number(depth - 1);
                Term::apply(Op::Mul, [times, self.span(depth - 1)])
            }
        }
    }
}

fn difference(terms: &mut Terms, depth: u32) -> Difference {
    let many = |terms: &mut Terms| (0..2).map(|_| difference(terms, depth - 1)).collect();
    match terms.dice.below(if depth == 0 { 4 } else { 9 }) {
        0 => Difference::Always,
        1..=3 => {
            let (on, shape) = terms.part(|_| true).expect("the whole is a part");
            let kind = match terms.dice.below(5) {
                0 => RelationKind::NotEqual,
                1 => RelationKind::DifferentLengths,
                2 => RelationKind::Distance(Decimal::new(terms.dice.below(30) as i128, 1)),
                3 => RelationKind::EditDistance(terms.dice.below(3)),
                _ => {
                    let mut inner = Vec::new();
                    parts(Term::it(), &shape, 0, &mut inner);
                    parts(Term::other(), &shape, 0, &mut inner);
                    RelationKind::Holds(Terms { dice: terms.dice, parts: inner }.truth(2))
                }
            };
            Difference::Relation(Relation { on, kind })
        }
        4 => Difference::All(many(terms)),
        5 => Difference::Any(many(terms)),
        6 => Difference::Not(Box::new(difference(terms, depth - 1))),
        _ => {
            let branch = |terms: &mut Terms| {
                let (requires, differ) = (terms.truth(2), difference(terms, depth - 1));
                Branch { label: requires.to_string(), requires, differ }
            };
            let branches = (0..1 + terms.dice.below(3)).map(|_| branch(terms)).collect();
            Difference::Enumerate(Enumerate { branches: Branches::Listed(branches) })
        }
    }
}

/// Random choices, mostly well-formed.
fn choices(dice: &mut Random, difference: &Difference, reached: bool, made: &mut Vec<u64>) {
    match difference {
        Difference::All(parts) | Difference::Any(parts) => {
            parts.iter().for_each(|it| choices(dice, it, reached, made));
        }
        Difference::Not(of) => choices(dice, of, reached, made),
        Difference::Enumerate(Enumerate { branches: Branches::Listed(branches) }) => {
            let choice = if reached { dice.below(branches.len() as u64) } else { NO_CHOICE };
            made.push(choice);
            for (i, branch) in branches.iter().enumerate() {
                choices(dice, &branch.differ, reached && i as u64 == choice, made);
            }
        }
        _ => {}
    }
}

fn holds(flat: &Flat, scalars: &[Scalar]) -> bool {
    flat.requires.iter().all(|it| it.eval_bool(scalars) == Some(true))
}

/// How many specs; the law held for 20,000 when this was written.
const ROUNDS: usize = 200;

#[test]
fn lowered_specs_and_differences_agree_with_the_evaluator() {
    let mut dice = Random::new(0x9E37_79B9_7F4A_7C15);
    let (mut admitted, mut refused, mut differing) = (0, 0, 0);
    for round in 0..ROUNDS {
        let fields = ["a", "b"].map(|name| (Name::from(name), Spec::new(shape(&mut dice, 2))));
        let mut spec = Spec::object(fields);
        let mut all = Vec::new();
        parts(Term::it(), &spec.shape, 0, &mut all);
        let mut terms = Terms { dice: &mut dice, parts: all };
        for _ in 0..terms.dice.below(3) {
            spec = spec.require(terms.truth(3));
        }
        let difference = difference(&mut terms, 2);
        let flat = match Flat::of(&spec, &difference, &Bounds::default()) {
            Ok(flat) => flat,
            Err(message) => {
                assert!(
                    message.contains("edit-distance") || message.contains("floats"),
                    "{message}\n{spec}\n{difference}"
                );
                continue;
            }
        };
        let request = Request { spec, difference, n: 0 };
        let models: Vec<Model> = (0..5)
            .map(|_| {
                let value = value(&mut dice, &request.spec.shape);
                let mut made = Vec::new();
                choices(&mut dice, &request.difference, true, &mut made);
                Model { value, choices: made }
            })
            .collect();
        let pair = flat.pair();
        for model in &models {
            let Some(scalars) = flat.scalars(model) else {
                assert!(request.admits(model).is_err(), "{round}: {model:?} is beyond the bounds");
                continue;
            };
            assert_eq!(flat.model(&scalars).as_ref(), Some(model), "{round}");
            let expected = request.admits(model).is_ok();
            assert_eq!(
                holds(&flat, &scalars),
                expected,
                "{round}: {}\n{}\n{:?}\n{}\n{:?}",
                request.spec,
                request.difference,
                model.choices,
                model.value,
                flat.requires
            );
            if expected {
                admitted += 1
            } else {
                refused += 1
            }
            for other in &models {
                let Some(others) = flat.scalars(other) else { continue };
                let expected = request.differ(model, other);
                let seen = flat.differs_from(other).eval_bool(&scalars) == Some(true);
                assert_eq!(
                    seen, expected,
                    "{round}: {}\n{}\n{}",
                    request.difference, model.value, other.value
                );
                let both: Vec<Scalar> = scalars.iter().chain(&others).cloned().collect();
                assert_eq!(pair.eval_bool(&both) == Some(true), expected, "{round}: pair");
                differing += usize::from(expected);
            }
        }
    }
    assert!(
        admitted > ROUNDS && refused > ROUNDS / 2 && differing > ROUNDS,
        "{admitted} {refused} {differing}"
    );
}
