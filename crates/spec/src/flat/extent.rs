//! How far requirements let a length or a number go, so that lists, texts and numbers are cut only where they must.

use crate::{Node, Op, Quantifier, Shape, Spec, Term, Value};

/// Requirements of an enclosing spec, and where the part at hand is in it.
#[derive(Clone)]
pub(super) struct Enclosing<'a> {
    spec: &'a Spec,
    requires: Vec<Term>,
    /// The part, as a term over the enclosing spec's value.
    part: Term,
}

impl<'a> Enclosing<'a> {
    pub(super) fn new(spec: &'a Spec) -> Enclosing<'a> {
        Enclosing { spec, requires: spec.requires.clone(), part: Term::it() }
    }

    /// The same for a part of the part.
    pub(super) fn step(&self, down: impl Fn(Term) -> Term) -> Enclosing<'a> {
        Enclosing { part: down(self.part.clone()), ..self.clone() }
    }

    /// What is required of every element when the part is a list.
    pub(super) fn elements(&self) -> Vec<Enclosing<'a>> {
        let mut found = Vec::new();
        for term in self.conjuncts() {
            if let Node::Quantified(Quantifier::Forall, number, list, body) = term.node()
                && *list == self.part
            {
                let part = Term::new(Node::Bound(*number));
                found.push(Enclosing { spec: self.spec, requires: vec![body.clone()], part });
            }
        }
        found
    }

    /// The patterns that the part has to match.
    pub(super) fn patterns(&self) -> Vec<std::sync::Arc<crate::regex::Regex>> {
        let pattern = |it: Term| match it.node() {
            Node::Matches(of, regex) if *of == self.part => Some(regex.clone()),
            _ => None,
        };
        self.conjuncts().into_iter().filter_map(pattern).collect()
    }

    fn conjuncts(&self) -> Vec<Term> {
        let mut parts = Vec::new();
        let mut todo = self.requires.clone();
        while let Some(term) = todo.pop() {
            match term.node() {
                Node::Apply(Op::And, args) => todo.extend(args.iter().cloned()),
                _ => parts.push(term),
            }
        }
        parts
    }

    /// Narrows `extent` by what is required of the part, or of its length.
    pub(super) fn narrow(&self, extent: &mut KnownRange, length: bool) {
        let part = if length { self.part.clone().len() } else { self.part.clone() };
        for term in self.conjuncts() {
            let (op, args, opposite) = match term.node() {
                Node::Apply(Op::Not, args) => match args.first().map(Term::node) {
                    Some(Node::Apply(op @ (Op::Lt | Op::Le), args)) => (*op, args.clone(), true),
                    _ => continue,
                },
                Node::Apply(op, args) => (*op, args.clone(), false),
                _ => continue,
            };
            let [a, b] = &args[..] else { continue };
            // What is not a < b is b <= a.
            let (a, b, strict) = if opposite { (b, a, op == Op::Le) } else { (a, b, op == Op::Lt) };
            match op {
                Op::Lt | Op::Le => {
                    if *a == part {
                        let other = self.of(b, extent.scale).hi;
                        extent.at_most(other.map(|it| it.saturating_sub(strict.into())));
                    }
                    if *b == part {
                        let other = self.of(a, extent.scale).lo;
                        extent.at_least(other.map(|it| it.saturating_add(strict.into())));
                    }
                }
                Op::Eq if *a == part || *b == part => {
                    let other = self.of(if *a == part { b } else { a }, extent.scale);
                    extent.at_most(other.hi);
                    extent.at_least(other.lo);
                }
                Op::In if *a == part => {
                    if let Node::Const(Value::List(items)) = b.node() {
                        let ints: Option<Vec<i128>> =
                            items.iter().map(|it| whole(it, extent.scale)).collect();
                        extent.at_most(ints.as_ref().and_then(|it| it.iter().max().copied()));
                        extent.at_least(ints.as_ref().and_then(|it| it.iter().min().copied()));
                    }
                }
                _ => {}
            }
        }
    }

    /// What a whole number can be, from its own spec alone; constants at a scale.
    fn of(&self, term: &Term, scale: u32) -> KnownRange {
        let mut extent = KnownRange::default();
        match term.node() {
            Node::Const(value) => {
                extent.lo = whole(value, scale);
                extent.hi = extent.lo;
            }
            _ if scale > 0 => {}
            Node::Apply(Op::Add, args) => {
                let parts: Vec<KnownRange> = args.iter().map(|it| self.of(it, 0)).collect();
                let sum = |end: fn(&KnownRange) -> Option<i128>| {
                    parts.iter().try_fold(0_i128, |sum, it| sum.checked_add(end(it)?))
                };
                extent = KnownRange { lo: sum(|it| it.lo), hi: sum(|it| it.hi), scale: 0 };
            }
            Node::It | Node::Field(..) => {
                if let Some(Spec { shape: Shape::Int { min, max }, requires, .. }) = self.spec_of(term) {
                    let own = Enclosing { spec: self.spec, requires: requires.clone(), part: Term::it() };
                    extent = KnownRange { lo: *min, hi: *max, scale: 0 };
                    own.constants(&mut extent);
                }
            }
            _ => {}
        }
        extent
    }

    /// Narrows by comparisons with constants only, so that specs which speak of each other do not go round.
    fn constants(&self, extent: &mut KnownRange) {
        let plain = |it: &Term| it.parts().iter().all(|it| matches!(it.node(), Node::It | Node::Const(_)));
        let requires = self.conjuncts().into_iter().filter(plain).collect();
        Enclosing { requires, ..self.clone() }.narrow(extent, false);
    }

    fn spec_of(&self, term: &Term) -> Option<&'a Spec> {
        match term.node() {
            Node::It => Some(self.spec),
            Node::Field(of, name) => match &self.spec_of(of)?.shape {
                Shape::Object(fields) => fields.iter().find(|it| it.name == *name).map(|it| &*it.spec),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The least and the greatest, as far as they are known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KnownRange {
    pub(super) lo: Option<i128>,
    pub(super) hi: Option<i128>,
    /// Digits after the point that a whole number represents.
    pub(super) scale: u32,
}

impl KnownRange {
    fn at_most(&mut self, hi: Option<i128>) {
        self.hi = [self.hi, hi].into_iter().flatten().min();
    }

    fn at_least(&mut self, lo: Option<i128>) {
        self.lo = [self.lo, lo].into_iter().flatten().max();
    }

    /// The numbers from the least to the greatest; what is not known is cut so that about 2^64 are left, and told.
    pub(super) fn window(&self) -> (i128, i128, bool) {
        let (lo, hi) = (i128::from(i64::MIN), i128::from(i64::MAX));
        match (self.lo, self.hi) {
            (Some(lo), Some(hi)) => (lo, hi, false),
            (Some(least), None) => (least, hi.max(least.saturating_add(hi)), true),
            (None, Some(greatest)) => (lo.min(greatest.saturating_add(lo)), greatest, true),
            (None, None) => (lo, hi, true),
        }
    }
}

/// The whole number behind a constant.
fn whole(value: &Value, scale: u32) -> Option<i128> {
    match value {
        Value::Int(it) => crate::Decimal::new(*it, 0).at_scale(scale),
        Value::Number(it) => it.at_scale(scale),
        Value::Duration(it) => Some(it.seconds()),
        _ => None,
    }
}
