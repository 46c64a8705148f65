//! Random recursive types with requirements over measures, and all their values by brute force. The tests of models and the
//! quality table `contracts` use them too.

use std::collections::BTreeSet;

use probity_spec::draw::rust;
use probity_spec::{Name, Node, Op, Random, Shape, Spec, Term, Value};

/// More values than this are not gone through by brute force.
const VALUES_MAX: usize = 20_000;

/// The longest lists.
const ITEMS_MAX: usize = 2;

/// Types at random, each with requirements of the whole.
pub(crate) struct RandomTypes {
    random: Random,
    measures: Vec<&'static str>,
}

/// One of them, and all its values of that depth.
pub(crate) struct RandomType {
    pub(crate) spec: Spec,
    pub(crate) more: Vec<Term>,
    pub(crate) depth: u32,
    pub(crate) models: BTreeSet<Value>,
}

impl RandomType {
    /// The type as the field `it` of an object, of which the rest is required.
    pub(crate) fn whole(&self) -> Spec {
        let whole = Spec::object([("it", self.spec.clone().within(self.depth))]);
        let to_field = |it: &Term| (*it == Term::it()).then(|| Term::it().field("it"));
        self.more.iter().fold(whole, |spec, it| spec.require(it.rewrite(&to_field)))
    }
}

impl Iterator for RandomTypes {
    type Item = RandomType;

    /// The next that brute force can go through.
    fn next(&mut self) -> Option<RandomType> {
        loop {
            let (spec, more) = self.spec();
            let depth = 1 + self.below(2) as u32;
            let Some(values) = values(&spec, &spec, depth) else { continue };
            let holds =
                |it: &Value| more.iter().all(|term| term.eval_in(&spec, it, None) == Some(Value::Bool(true)));
            let models = values.into_iter().filter(|it| spec.admits(it).is_ok() && holds(it)).collect();
            return Some(RandomType { spec, more, depth, models });
        }
    }
}

impl RandomTypes {
    pub(crate) fn new(seed: u64) -> RandomTypes {
        RandomTypes { random: Random::new(seed), measures: Vec::new() }
    }

    fn below(&mut self, n: usize) -> usize {
        self.random.below(n as u64) as usize
    }

    fn spec(&mut self) -> (Spec, Vec<Term>) {
        let all = ["size", "height", "min", "max", "odd", "tag", "sum"];
        self.measures = all.into_iter().filter(|_| self.below(2) == 0).collect();
        if self.measures.is_empty() {
            self.measures.push("size");
        }
        let mut leaf = Vec::new();
        if self.below(3) == 0 {
            leaf.push(("mark", Spec::new(Shape::int(0, 1))));
        }
        let mut variants: Vec<(&str, Vec<(&str, Spec)>)> = vec![("Leaf", leaf)];
        for name in ["Node", "Other"].into_iter().take(1 + self.below(2)) {
            let mut fields = vec![("key", Spec::new(Shape::int(0, 1 + self.below(2) as i128)))];
            match self.below(4) {
                0 => fields.push(("flag", Spec::new(Shape::Bool))),
                1 => fields.push(("color", rust::cases(&["Black", "Red"]))),
                2 => fields.push(("free", Spec::new(Shape::int(3, 4)))),
                _ => {}
            }
            for child in ["left", "right"].into_iter().take(1 + self.below(2)) {
                let named = Spec::new(Shape::Named("T".into()));
                fields.push((child, if self.below(3) == 0 { Spec::option(named) } else { named }));
            }
            match self.below(6) {
                0 => {
                    let kids = Spec::list(Spec::new(Shape::Named("T".into())));
                    fields.push(("kids", kids.require(Term::it().len().le(Term::int(ITEMS_MAX as i128)))));
                }
                1 => {
                    let keys = Spec::list(Spec::new(Shape::int(0, 1)));
                    let keys = keys.require(Term::it().len().lt(Term::int(ITEMS_MAX as i128 + 1)));
                    let ops = [Op::Sorted, Op::Distinct].into_iter().take(self.below(3));
                    let ordered = ops.fold(keys, |spec, op| spec.require(Term::apply(op, [Term::it()])));
                    fields.push(("keys", ordered));
                }
                _ => {}
            }
            variants.push((name, fields));
        }
        let mut cases: Vec<(Name, std::sync::Arc<Spec>)> = Vec::new();
        for (name, fields) in &variants {
            let mut object = Spec::object(fields.clone());
            if fields.iter().any(|it| it.0 == "left") {
                for _ in 0..1 + self.below(2) {
                    object = object.require(self.truth(fields, 2));
                }
            }
            cases.push(((*name).into(), object.into()));
        }
        let mut spec = Spec::new(Shape::Union(cases)).named("T");
        for name in self.measures.clone() {
            spec = spec.measured(name, body(name, &variants));
        }
        let mut more = Vec::new();
        if self.below(3) == 0 {
            let at = self.below(self.measures.len());
            let own = Term::it().measure(self.measures[at]);
            let wanted = self.constant(at);
            let is_number = !["odd", "tag"].contains(&self.measures[at]);
            let term = if is_number && self.below(2) == 0 { own.le(wanted) } else { own.eq(wanted) };
            // Of the type, it holds at every level.
            match self.below(3) {
                0 => spec = spec.require(term),
                _ => more.push(term),
            }
        }
        (spec, more)
    }

    /// A constant to compare a measure with.
    fn constant(&mut self, measure: usize) -> Term {
        match self.measures[measure] {
            "odd" => Term::constant(self.below(2) == 0),
            "tag" => rust::case(if self.below(2) == 0 { "Black" } else { "Red" }),
            _ => Term::int(self.below(4) as i128),
        }
    }

    /// A truth about a list.
    fn of_items(&mut self, list: &str) -> Term {
        let (at, bound) = (self.below(self.measures.len()), self.below(3));
        let (measure, is_keys) = (self.measures[at], list == "keys");
        let list = Term::it().field(list);
        let is_number = is_keys || !["odd", "tag"].contains(&measure);
        let other = match bound {
            0 if is_number => Term::it().field("key"),
            _ if is_keys => Term::int(self.below(2) as i128),
            _ => self.constant(at),
        };
        let order = if is_number { self.below(5) } else { 0 };
        let body = |it: Term| {
            let (a, b) = (if is_keys { it } else { it.measure(measure) }, other.clone());
            match order {
                0 => a.eq(b),
                1 => a.lt(b),
                2 => b.lt(a),
                3 => a.le(b),
                _ => b.le(a),
            }
        };
        match self.below(5) {
            0 => list.len().le(Term::int(1)),
            1 if is_keys => Term::apply(Op::Sum, [list]).eq(Term::int(1)),
            1 if is_number => Term::apply(Op::Sum, [list.each(body_of(measure))]).le(Term::int(2)),
            // One that equals what stands around is nobody's greatest.
            2 if order > 0 || bound > 0 || !is_number => list.exists(body),
            _ => list.forall(body),
        }
    }

    fn truth(&mut self, fields: &[(&str, Spec)], depth: u32) -> Term {
        let list = fields.iter().map(|it| it.0).find(|it| ["kids", "keys"].contains(it));
        if let (Some(list), true) = (list, self.below(2) == 0) {
            return self.of_items(list);
        }
        if depth > 0 && self.below(4) == 0 {
            let (a, b) = (self.truth(fields, depth - 1), self.truth(fields, depth - 1));
            return match self.below(3) {
                0 => a.and(b),
                1 => a.or(b),
                _ => a.negate(),
            };
        }
        let children: Vec<&str> =
            fields.iter().map(|it| it.0).filter(|it| ["left", "right"].contains(it)).collect();
        let content = |name: &str| {
            let child = Term::it().field(name);
            if is_option(fields, name) { child.unwrap() } else { child }
        };
        let name = children[self.below(children.len())];
        if is_option(fields, name) && self.below(3) == 0 {
            return Term::it().field(name).is_some();
        }
        let child = content(name);
        let at = self.below(self.measures.len());
        let name = self.measures[at];
        let a = child.measure(name);
        let is_number = !["odd", "tag"].contains(&name);
        let b = match self.below(3) {
            0 if is_number => Term::it().field("key"),
            1 if children.len() == 2 => content(children[self.below(2)]).measure(name),
            _ => self.constant(at),
        };
        match self.below(if is_number { 5 } else { 1 }) {
            0 => a.eq(b),
            1 => a.lt(b),
            2 => b.lt(a),
            3 => a.le(b),
            _ => b.le(a),
        }
    }
}

fn body_of(measure: &str) -> impl Fn(Term) -> Term {
    move |it| it.measure(measure)
}

fn is_option(fields: &[(&str, Spec)], name: &str) -> bool {
    fields.iter().any(|it| it.0 == name && matches!(it.1.shape, Shape::Option(_)))
}

/// A measure: its value for each variant.
fn body(name: &str, variants: &[(&str, Vec<(&str, Spec)>)]) -> Term {
    let mut res = Term::int(0).quotient(Term::int(0));
    res = Term::apply(Op::Nth, [Term::apply(Op::List, []), res]);
    for (variant, fields) in variants.iter().rev() {
        let content = Term::new(Node::As(Term::it(), (*variant).into()));
        let has = |it: &str| fields.iter().any(|field| field.0 == it);
        let children: Vec<Term> = ["left", "right"]
            .into_iter()
            .filter(|it| has(it))
            .map(|it| match is_option(fields, it) {
                false => content.clone().field(it).measure(name),
                true => {
                    let child = content.clone().field(it);
                    Term::apply(Op::Ite, [child.clone().is_some(), child.unwrap().measure(name), end(name)])
                }
            })
            .collect();
        let key = content.clone().field("key");
        let kids = has("kids").then(|| content.clone().field("kids"));
        let with_kids = |of: Term| match &kids {
            Some(kids) => of.plus(Term::apply(Op::Sum, [kids.clone().each(body_of(name))])),
            None => of,
        };
        let fold =
            |start: Term, join: &dyn Fn(Term, Term) -> Term| children.iter().cloned().fold(start, join);
        let value = match (name, children.is_empty()) {
            (_, true) => end(name),
            ("size", _) => with_kids(fold(Term::int(1), &Term::plus)),
            ("height", _) => fold(Term::int(0), &rust::greatest).plus(Term::int(1)),
            ("sum", _) => with_kids(fold(key, &Term::plus)),
            ("odd", _) if has("kids") => content.field("kids").exists(body_of(name)),
            ("min", _) => fold(key, &rust::least),
            ("max", _) => fold(key, &rust::greatest),
            ("odd", _) => key.modulo(Term::int(2)).eq(Term::int(1)),
            _ if has("color") => content.field("color"),
            _ => rust::case("Red"),
        };
        let is = Term::new(Node::Is(Term::it(), (*variant).into()));
        res = Term::apply(Op::Ite, [is, value, res]);
    }
    res
}

/// What a measure is of a value without others within, or of none.
fn end(name: &str) -> Term {
    match name {
        "size" | "height" | "sum" => Term::int(0),
        "min" => Term::int(9),
        "max" => Term::int(-9),
        "odd" => Term::constant(false),
        _ => rust::case("Black"),
    }
}

/// All values of that depth, whatever is required; none where they are too many.
fn values(spec: &Spec, root: &Spec, depth: u32) -> Option<Vec<Value>> {
    let res: Vec<Value> = match &spec.shape {
        Shape::Bool => [false, true].map(Value::Bool).to_vec(),
        Shape::Int { min: Some(min), max: Some(max) } => (*min..=*max).map(Value::Int).collect(),
        Shape::Enum(cases) => cases.iter().cloned().map(Value::Case).collect(),
        Shape::Option(of) => {
            let some = values(of, root, depth)?.into_iter().map(|it| Value::Option(Some(Box::new(it))));
            std::iter::once(Value::Option(None)).chain(some).collect()
        }
        Shape::List(of) => {
            let (mut all, mut longest) = (vec![Vec::new()], vec![Vec::new()]);
            let items = values(of, root, depth)?;
            for _ in 0..ITEMS_MAX {
                let longer = |it: &Vec<Value>, item: &Value| [&it[..], std::slice::from_ref(item)].concat();
                if longest.len() * items.len() > VALUES_MAX {
                    return None;
                }
                longest =
                    longest.iter().flat_map(|it| items.iter().map(move |item| longer(it, item))).collect();
                all.extend(longest.clone());
            }
            all.into_iter().map(Value::List).collect()
        }
        Shape::Named(_) if depth == 0 => Vec::new(),
        Shape::Named(_) => values(root, root, depth - 1)?,
        Shape::Union(cases) => {
            let mut all = Vec::new();
            for (name, of) in cases {
                let contents = values(of, root, depth)?;
                all.extend(contents.into_iter().map(|it| Value::Union(name.clone(), Box::new(it))));
            }
            all
        }
        Shape::Object(fields) => {
            let mut all = vec![Vec::new()];
            for field in fields {
                let of = values(&field.spec, root, depth)?;
                if all.len() * of.len() > VALUES_MAX {
                    return None;
                }
                let with = |it: &Vec<(Name, Value)>, value: &Value| {
                    it.iter().cloned().chain([(field.name.clone(), value.clone())]).collect()
                };
                all = all.iter().flat_map(|it| of.iter().map(move |value| with(it, value))).collect();
            }
            all.into_iter().map(Value::Object).collect()
        }
        _ => return None,
    };
    (res.len() <= VALUES_MAX).then_some(res)
}
