//! Lists within counted types: each is an item and the list after it, and what is required of all items is measured on the way.

use super::expr::{LevelExpr, LevelScope};
use super::types::{CountedType, TypeKind};
use crate::{Node, Op, Quantifier, Term};

/// What is measured of a list: its items are added up, or the greatest is found, and so on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ListMeasure {
    pub(super) fold: ListFold,
    /// What of an item, over the list that begins with it.
    pub(super) item: LevelExpr,
}

/// How the items of a list are put together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ListFold {
    Sum,
    All,
    Any,
    /// The greatest, and below all numbers where there is no item.
    Most,
    /// The least, and above all numbers where there is no item.
    Least,
}

/// How the numbers of a list are in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SortedOrder {
    /// No item is less than the one before.
    Rising,
    /// Each item is greater than the one before.
    Strict,
}

/// Beyond all numbers that are counted.
const FAR: i128 = 1 << 100;
/// The places of the first item and of the list after it.
pub(super) const ITEM: usize = 0;
pub(super) const REST: usize = 1;

impl ListFold {
    fn of_nothing(self) -> LevelExpr {
        LevelExpr::Const(match self {
            ListFold::Sum | ListFold::Any => 0,
            ListFold::All => 1,
            ListFold::Most => -FAR,
            ListFold::Least => FAR,
        })
    }

    fn joined(self, item: LevelExpr, rest: LevelExpr) -> LevelExpr {
        let is_less = || LevelExpr::Apply(Op::Le, vec![item.clone(), rest.clone()]);
        match self {
            ListFold::Sum => LevelExpr::Apply(Op::Add, vec![item, rest]),
            ListFold::All => LevelExpr::Apply(Op::And, vec![item, rest]),
            ListFold::Any => LevelExpr::Apply(Op::Or, vec![item, rest]),
            ListFold::Most => LevelExpr::Apply(Op::Ite, vec![is_less(), rest, item]),
            ListFold::Least => LevelExpr::Apply(Op::Ite, vec![is_less(), item, rest]),
        }
    }
}

/// The place of a measure among those of a list, where it may be new: every length of the list has it.
pub(super) fn measure_of_list(types: &mut [CountedType], ty: usize, measure: ListMeasure) -> usize {
    let TypeKind::List(lengths, measures) = &types[ty].kind else { return 0 };
    if let Some(found) = measures.iter().position(|it| *it == measure) {
        return found + 1;
    }
    let place = measures.len() + 1;
    let lengths = lengths.clone();
    for ty in &mut types[lengths] {
        // No function is called so.
        ty.measures.push(format!("#{place}").into());
        let rest = LevelExpr::Child(REST, place);
        let bodies = [measure.fold.of_nothing(), measure.fold.joined(measure.item.clone(), rest)];
        ty.variants.iter_mut().zip(bodies).for_each(|(variant, body)| variant.bodies.push(body));
        if let TypeKind::List(_, measures) = &mut ty.kind {
            measures.push(measure.clone());
        }
    }
    place
}

/// Requires an order of the items of a list of numbers.
pub(super) fn put_in_order(types: &mut [CountedType], ty: usize, order: SortedOrder) {
    let least = ListMeasure { fold: ListFold::Least, item: LevelExpr::Scalar(ITEM) };
    let least = measure_of_list(types, ty, least);
    let TypeKind::List(lengths, _) = &types[ty].kind else { return };
    let op = if order == SortedOrder::Rising { Op::Le } else { Op::Lt };
    let ordered = LevelExpr::Apply(op, vec![LevelExpr::Scalar(ITEM), LevelExpr::Child(REST, least)]);
    let lengths = lengths.clone();
    for ty in &mut types[lengths] {
        ty.variants.iter_mut().skip(1).for_each(|it| it.requires.push(ordered.clone()));
    }
}

impl LevelScope<'_> {
    /// A measure of a list, of which `item` is a term over [`Node::Bound`] of that number.
    pub(super) fn list_measure(
        &mut self,
        list: &Term,
        (number, item): (u32, &Term),
        fold: ListFold,
    ) -> Result<LevelExpr, String> {
        let found = self.part(list).filter(|it| self.types[it.1].is_list());
        let Some((at, ty)) = found else {
            return Err(format!("`{list}` is not a list of one level of a value"));
        };
        if self.types[ty].variants.len() == 1 {
            return Ok(fold.of_nothing());
        }
        let to_item = |it: &Term| (*it.node() == Node::Bound(number)).then(|| Term::it().field("0"));
        let item = item.rewrite(&to_item);
        let (around, variant) = (std::mem::replace(&mut self.of, ty), self.variant.replace(1));
        let item = self.compile(&item);
        (self.of, self.variant) = (around, variant);
        let mut item = item?;
        if let ListFold::Most | ListFold::Least = fold {
            // What is not defined is neither.
            item = if_defined(item.clone(), item, fold.of_nothing());
        }
        Ok(LevelExpr::Child(at, measure_of_list(self.types, ty, ListMeasure { fold, item })))
    }

    /// How many items a list has.
    pub(super) fn list_length(&mut self, list: &Term) -> Result<LevelExpr, String> {
        self.list_measure(list, (0, &Term::int(1)), ListFold::Sum)
    }

    /// The sum of a list, or of what is made of each item.
    pub(super) fn list_sum(&mut self, of: &Term) -> Result<LevelExpr, String> {
        let (list, number, item) = items_of(of);
        self.list_measure(&list, (number, &item), ListFold::Sum)
    }

    /// The greatest or the least of a list, or of what is made of each item.
    pub(super) fn list_extreme(&mut self, of: &Term, op: Op) -> Result<LevelExpr, String> {
        let (list, number, item) = items_of(of);
        let fold = if op == Op::Greatest { ListFold::Most } else { ListFold::Least };
        let found = self.list_measure(&list, (number, &item), fold)?;
        // Of nothing there is none, nor where one is not defined.
        let is_some = LevelExpr::Apply(Op::Lt, vec![LevelExpr::Const(0), self.list_length(&list)?]);
        let is_defined = item.clone().le(item);
        let all_defined = self.list_measure(&list, (number, &is_defined), ListFold::All)?;
        let both = LevelExpr::Apply(Op::And, vec![is_some, all_defined]);
        Ok(LevelExpr::Apply(Op::Ite, vec![both, found, LevelExpr::Undefined]))
    }

    /// Whether something holds of all items, or of one. What is compared with what stands around the list must be greater than
    /// the greatest, or less than the least.
    pub(super) fn of_items(
        &mut self,
        (kind, number): (Quantifier, u32),
        list: &Term,
        body: &Term,
    ) -> Result<LevelExpr, String> {
        let is_all = kind == Quantifier::Forall;
        if !body.mentions(&is_it) {
            return self.list_measure(
                list,
                (number, body),
                if is_all { ListFold::All } else { ListFold::Any },
            );
        }
        let no = || {
            Err(format!("`{body}` is not about one item of `{list}`, nor compares one with what is around"))
        };
        let Node::Apply(op, args) = body.node() else { return no() };
        let of_item = |it: &Term| it.mentions(&|it| *it.node() == Node::Bound(number));
        match (op, &args[..]) {
            (Op::And, parts) if is_all => {
                let parts = parts.iter().map(|it| self.of_items((kind, number), list, it));
                Ok(LevelExpr::Apply(Op::And, parts.collect::<Result<_, _>>()?))
            }
            (Op::Or, parts) if !is_all => {
                let parts = parts.iter().map(|it| self.of_items((kind, number), list, it));
                Ok(LevelExpr::Apply(Op::Or, parts.collect::<Result<_, _>>()?))
            }
            (Op::Lt | Op::Le | Op::Eq, [a, b]) if of_item(a) != of_item(b) => {
                let is_below = of_item(a);
                let (item, around) = if is_below { (a, b) } else { (b, a) };
                if item.mentions(&is_it) || *op == Op::Eq && !is_all {
                    return no();
                }
                let around = self.compile(around)?;
                let mut compared = |op: Op, is_below: bool| {
                    // All are below what the greatest is below; one is below what the least is below.
                    let fold = if is_all == is_below { ListFold::Most } else { ListFold::Least };
                    let item = self.list_measure(list, (number, item), fold)?;
                    let around = around.clone();
                    Ok::<_, String>(LevelExpr::Apply(
                        op,
                        if is_below { vec![item, around] } else { vec![around, item] },
                    ))
                };
                let holds = match op {
                    Op::Eq => {
                        LevelExpr::Apply(Op::And, vec![compared(Op::Le, true)?, compared(Op::Le, false)?])
                    }
                    _ => compared(*op, is_below)?,
                };
                if !is_all {
                    return Ok(holds);
                }
                let is_defined = item.clone().le(item.clone());
                let all_defined = self.list_measure(list, (number, &is_defined), ListFold::All)?;
                let is_empty = LevelExpr::Apply(Op::Eq, vec![self.list_length(list)?, LevelExpr::Const(0)]);
                Ok(LevelExpr::Apply(Op::And, vec![all_defined, if_defined(around, holds, is_empty)]))
            }
            _ => no(),
        }
    }
}

/// The list that a term goes through, with what it makes of each item.
fn items_of(term: &Term) -> (Term, u32, Term) {
    match term.node() {
        Node::Quantified(Quantifier::Each, number, list, body) if !body.mentions(&is_it) => {
            (list.clone(), *number, body.clone())
        }
        _ => (term.clone(), 0, Term::new(Node::Bound(0))),
    }
}

/// One where something is defined, and else the other.
fn if_defined(of: LevelExpr, then: LevelExpr, otherwise: LevelExpr) -> LevelExpr {
    let is_defined = LevelExpr::Apply(Op::Le, vec![of.clone(), of]);
    LevelExpr::Apply(Op::Ite, vec![is_defined, then, otherwise])
}

/// What is asked about being defined, as [`if_defined`] asks.
fn asks_defined(condition: &LevelExpr) -> Option<&LevelExpr> {
    match condition {
        LevelExpr::Apply(Op::Le, args) if args[0] == args[1] => Some(&args[0]),
        _ => None,
    }
}

fn is_it(term: &Term) -> bool {
    *term.node() == Node::It
}

/// Expressions of one variant, where measures of all types are known.
pub(super) struct SettledScope<'a> {
    pub(super) types: &'a [CountedType],
    pub(super) of: usize,
    pub(super) variant: Option<usize>,
}

impl SettledScope<'_> {
    /// The conditions of a conjunction, without those about being defined that always hold.
    pub(super) fn conditions(&self, all: &[LevelExpr]) -> Vec<LevelExpr> {
        let mut res = Vec::new();
        for it in all {
            match self.settled(it) {
                LevelExpr::Apply(Op::And, parts) => res.extend(parts),
                LevelExpr::Const(1) => {}
                it => res.push(it),
            }
        }
        res
    }

    pub(super) fn settled(&self, expr: &LevelExpr) -> LevelExpr {
        match expr {
            LevelExpr::Child(at, measure) => {
                let Some(ty) = self.child(*at) else { return expr.clone() };
                let TypeKind::List(_, measures) = &self.types[ty].kind else { return expr.clone() };
                let found = measure.checked_sub(1).and_then(|it| measures.get(it));
                let of = found.filter(|it| it.fold == ListFold::All).and_then(|it| asks_defined(&it.item));
                let item = SettledScope { types: self.types, of: ty, variant: Some(1) };
                // The shortest list has no item.
                let is_always = of.is_some_and(|it| {
                    self.types[ty].variants.len() == 1 || item.is_total(it, None, &mut Vec::new())
                });
                if is_always { LevelExpr::Const(1) } else { expr.clone() }
            }
            LevelExpr::Apply(Op::And, parts) => match &self.conditions(parts)[..] {
                [] => LevelExpr::Const(1),
                [one] => one.clone(),
                parts => LevelExpr::Apply(Op::And, parts.to_vec()),
            },
            LevelExpr::Apply(Op::Ite, args)
                if asks_defined(&args[0]).is_some_and(|it| self.is_total(it, None, &mut Vec::new())) =>
            {
                self.settled(&args[1])
            }
            LevelExpr::Apply(op, args) => {
                LevelExpr::Apply(*op, args.iter().map(|it| self.settled(it)).collect())
            }
            leaf => leaf.clone(),
        }
    }

    fn child(&self, field: usize) -> Option<usize> {
        self.types[self.of].variants[self.variant?].fields[field].child
    }

    /// Whether an expression is always defined, where a field that is an option is known to be a value.
    fn is_total(&self, expr: &LevelExpr, some: Option<usize>, seen: &mut Vec<(usize, usize)>) -> bool {
        match expr {
            LevelExpr::Const(_) | LevelExpr::Scalar(_) => true,
            LevelExpr::Undefined => false,
            LevelExpr::Own(measure) => self.is_measure_total(self.of, *measure, seen),
            LevelExpr::Child(field, measure) => match self.child(*field) {
                Some(child) if some == Some(*field) && *measure > 0 => {
                    let value = SettledScope { types: self.types, of: child, variant: Some(1) };
                    value.is_total(&self.types[child].variants[1].bodies[*measure], None, seen)
                }
                Some(child) => self.is_measure_total(child, *measure, seen),
                None => false,
            },
            LevelExpr::Apply(Op::And | Op::Or | Op::Not | Op::Eq | Op::Lt | Op::Le, _) => true,
            LevelExpr::Apply(Op::Div | Op::Mod, _) => false,
            LevelExpr::Apply(Op::Ite, args) => {
                let guarded = match &args[0] {
                    LevelExpr::Apply(Op::Eq, of) => match of[0] {
                        LevelExpr::Child(at, 0)
                            if self.child(at).is_some_and(|it| self.types[it].is_option()) =>
                        {
                            Some(at)
                        }
                        _ => some,
                    },
                    _ => some,
                };
                let then = asks_defined(&args[0]) == Some(&args[1]) || self.is_total(&args[1], guarded, seen);
                then && self.is_total(&args[2], some, seen)
            }
            LevelExpr::Apply(_, args) => args.iter().all(|it| self.is_total(it, some, seen)),
        }
    }

    fn is_measure_total(&self, of: usize, measure: usize, seen: &mut Vec<(usize, usize)>) -> bool {
        if seen.contains(&(of, measure)) {
            return true;
        }
        seen.push((of, measure));
        let mut variants = self.types[of].variants.iter().enumerate();
        variants.all(|(at, it)| {
            let scope = SettledScope { types: self.types, of, variant: Some(at) };
            scope.is_total(&it.bodies[measure], None, seen)
        })
    }
}
