//! What a node says about its parts, and they about it: truths and whole numbers.

use super::domain::NodeDomain;
use super::network::{Conflict, Network, NodeOp, Revision};
use super::{IntSet, revise_text};
use crate::flat::Scalar;

/// Numbers beyond this are taken for unbounded: sums of them stay within 128 bits.
const FAR: i128 = 1 << 120;
/// Sets with more intervals than this are not united.
const INTERVALS_MAX: usize = 16;
/// Remainders are told apart one by one for at most this many numbers.
const REMAINDERS_MAX: u128 = 64;

/// Narrows the domains of a node and of its parts.
pub(super) fn revise(net: &mut Network, node: u32) -> Revision {
    let op = net.nodes[node as usize].clone();
    match &*op {
        NodeOp::Leaf => Ok(()),
        NodeOp::And(of) => junction(net, node, of, true),
        NodeOp::Or(of) => junction(net, node, of, false),
        NodeOp::Not(of) => match (net.truth(node), net.truth(*of)) {
            (Some(it), _) => net.set_bool(*of, !it),
            (None, Some(it)) => net.set_bool(node, !it),
            _ => Ok(()),
        },
        NodeOp::Ite(c, a, b) => choice(net, node, *c, *a, *b),
        NodeOp::Eq(a, b) => equality(net, node, *a, *b),
        NodeOp::Le(a, b, by) => order(net, node, *a, *b, *by),
        NodeOp::Add(of) => sum(net, node, of),
        NodeOp::Mul(a, b) => product(net, node, *a, *b),
        NodeOp::Div(a, b) => quotient(net, node, *a, *b),
        NodeOp::Mod(a, b) => remainder(net, node, *a, *b),
        NodeOp::Opaque(expr, slots, _) => match net.value(expr, slots) {
            Some(value @ Scalar::Bool(_)) => net.fix(node, &value),
            _ => Ok(()),
        },
        _ => revise_text::revise(net, node, &op),
    }
}

/// `all` for a conjunction: every part is true if it is.
fn junction(net: &mut Network, node: u32, of: &[u32], all: bool) -> Revision {
    if net.truth(node) == Some(all) {
        return of.iter().try_for_each(|it| net.set_bool(*it, all));
    }
    let mut open = None;
    for part in of {
        match net.truth(*part) {
            Some(it) if it != all => return net.set_bool(node, !all),
            Some(_) => {}
            None if open.is_some() => return Ok(()),
            None => open = Some(*part),
        }
    }
    match open {
        None => net.set_bool(node, all),
        Some(part) if net.truth(node) == Some(!all) => net.set_bool(part, !all),
        Some(_) => Ok(()),
    }
}

/// Two nodes that are equal.
pub(super) fn unify(net: &mut Network, a: u32, b: u32) -> Revision {
    match &net.domains[a as usize] {
        NodeDomain::Bool(..) => match (net.truth(a), net.truth(b)) {
            (Some(it), _) => net.set_bool(b, it),
            (_, Some(it)) => net.set_bool(a, it),
            _ => Ok(()),
        },
        NodeDomain::Int(_) => {
            let set = net.int(a).clone();
            net.keep(b, &set)?;
            let set = net.int(b).clone();
            net.keep(a, &set)
        }
        NodeDomain::Text(_) => revise_text::unify(net, a, b),
    }
}

/// Whether two nodes can be equal.
fn meet(net: &Network, a: u32, b: u32) -> bool {
    match (&net.domains[a as usize], &net.domains[b as usize]) {
        (NodeDomain::Bool(a, b), NodeDomain::Bool(c, d)) => (*a && *c) || (*b && *d),
        (NodeDomain::Int(a), NodeDomain::Int(b)) => a.meets(b),
        (NodeDomain::Text(a), NodeDomain::Text(b)) => revise_text::meet(a, b),
        _ => false,
    }
}

fn choice(net: &mut Network, node: u32, c: u32, a: u32, b: u32) -> Revision {
    match net.truth(c) {
        Some(true) => return unify(net, node, a),
        Some(false) => return unify(net, node, b),
        None => {}
    }
    if !meet(net, node, a) {
        net.set_bool(c, false)?;
        return unify(net, node, b);
    }
    if !meet(net, node, b) {
        net.set_bool(c, true)?;
        return unify(net, node, a);
    }
    if let NodeDomain::Int(_) = net.domains[node as usize] {
        let (x, y) = (net.int(a), net.int(b));
        let few = x.intervals().len() + y.intervals().len() <= INTERVALS_MAX;
        if let Some(either) = x.union(y).filter(|_| few) {
            return net.keep(node, &either);
        }
        let (lo, hi) = (x.min().min(y.min()), x.max().max(y.max()));
        return net.clip(node, lo.ok_or(Conflict)?, hi.ok_or(Conflict)?);
    }
    Ok(())
}

fn equality(net: &mut Network, node: u32, a: u32, b: u32) -> Revision {
    match net.truth(node) {
        Some(true) => unify(net, a, b),
        Some(false) => {
            let single = |it: u32| net.domains[it as usize].single();
            match (single(a), single(b)) {
                (Some(x), Some(y)) => {
                    if x == y {
                        Err(Conflict)
                    } else {
                        Ok(())
                    }
                }
                (Some(x), None) => exclude(net, b, &x),
                (None, Some(y)) => exclude(net, a, &y),
                _ => Ok(()),
            }
        }
        None => match (net.domains[a as usize].single(), net.domains[b as usize].single()) {
            (Some(x), Some(y)) => net.set_bool(node, x == y),
            _ if !meet(net, a, b) => net.set_bool(node, false),
            _ => Ok(()),
        },
    }
}

fn exclude(net: &mut Network, node: u32, scalar: &Scalar) -> Revision {
    match scalar {
        Scalar::Bool(it) => net.set_bool(node, !it),
        Scalar::Int(it) => net.remove(node, *it),
        Scalar::Text(it) => net.change(node, |text| text.ban(it)),
    }
}

/// The least and the greatest of a node.
fn ends(net: &Network, node: u32) -> (i128, i128) {
    let set = net.int(node);
    (set.min().unwrap_or(0), set.max().unwrap_or(0))
}

fn order(net: &mut Network, node: u32, a: u32, b: u32, by: i128) -> Revision {
    let ((a_lo, a_hi), (b_lo, b_hi)) = (ends(net, a), ends(net, b));
    match net.truth(node) {
        Some(true) => {
            net.clip(a, i128::MIN, b_hi.saturating_add(by))?;
            net.clip(b, a_lo.saturating_sub(by), i128::MAX)
        }
        Some(false) => {
            net.clip(a, b_lo.saturating_add(by).saturating_add(1), i128::MAX)?;
            net.clip(b, i128::MIN, a_hi.saturating_sub(by).saturating_sub(1))
        }
        None if a_hi <= b_lo.saturating_add(by) => net.set_bool(node, true),
        None if a_lo > b_hi.saturating_add(by) => net.set_bool(node, false),
        None => Ok(()),
    }
}

/// The sum of some bounds on one side; those that are far away are only counted.
#[derive(Clone, Copy, Default)]
struct BoundSum {
    near: i128,
    far: usize,
}

impl BoundSum {
    fn add(&mut self, bound: i128) {
        match is_near(bound) {
            true => self.near += bound,
            false => self.far += 1,
        }
    }

    fn take(&mut self, bound: i128) {
        match is_near(bound) {
            true => self.near -= bound,
            false => self.far -= 1,
        }
    }

    /// The sum, if nothing in it is far away.
    fn total(self) -> Option<i128> {
        (self.far == 0).then_some(self.near)
    }
}

fn is_near(bound: i128) -> bool {
    bound > -FAR && bound < FAR
}

fn sum(net: &mut Network, node: u32, of: &[u32]) -> Revision {
    let (mut lo, mut hi) = (BoundSum::default(), BoundSum::default());
    for part in of {
        let (least, most) = ends(net, *part);
        lo.add(least);
        hi.add(most);
        if !is_near(lo.near) || !is_near(hi.near) {
            return Ok(());
        }
    }
    net.clip(node, lo.total().unwrap_or(i128::MIN), hi.total().unwrap_or(i128::MAX))?;
    let (least, most) = ends(net, node);
    if (Some(least), Some(most)) != (lo.total(), hi.total()) {
        for part in of {
            let (part_lo, part_hi) = ends(net, *part);
            lo.take(part_lo);
            hi.take(part_hi);
            // A bound of the part needs the whole's on that side, and the others' on the other side.
            let from = hi.total().filter(|_| is_near(least)).map_or(i128::MIN, |hi| least - hi);
            let to = lo.total().filter(|_| is_near(most)).map_or(i128::MAX, |lo| most - lo);
            net.clip(*part, from, to)?;
            // What was just learnt holds for the rest of the sum as well.
            let (part_lo, part_hi) = ends(net, *part);
            lo.add(part_lo);
            hi.add(part_hi);
        }
    }
    congruences(net, node, of)
}

/// The class of a node: modulus 0 for a single number.
fn class(net: &Network, node: u32) -> (i128, i128) {
    let set = net.int(node);
    match set.single() {
        Some(it) if (-FAR..=FAR).contains(&it) => (0, it),
        Some(_) => (1, 0),
        None => set.congruence(),
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A sum's class follows from those of its parts, and a part's from the sum's and the others'.
fn congruences(net: &mut Network, node: u32, of: &[u32]) -> Revision {
    let free = of.iter().filter(|it| class(net, **it).0 == 1).count();
    let settled = of.iter().all(|it| class(net, *it).0 == 0);
    if free > 1 || settled {
        return Ok(());
    }
    if free == 0 {
        let total = of.iter().map(|it| class(net, *it)).fold((0, 0), joined);
        net.congruent(node, total.1, total.0)?;
    }
    let whole = class(net, node);
    if whole.0 == 1 {
        return Ok(());
    }
    for (place, part) in of.iter().enumerate() {
        if free == 1 && class(net, *part).0 != 1 {
            continue;
        }
        let others = of.iter().enumerate().filter(|it| it.0 != place).map(|it| class(net, *it.1));
        let others = others.fold((0, 0), joined);
        let (modulus, residue) = joined(whole, (others.0, others.1.saturating_neg()));
        if modulus == 0 {
            net.clip(*part, residue, residue)?;
        } else {
            net.congruent(*part, residue, modulus)?;
        }
    }
    Ok(())
}

/// The class of a sum of two.
fn joined(a: (i128, i128), b: (i128, i128)) -> (i128, i128) {
    let modulus = gcd(a.0, b.0);
    let residue = a.1.saturating_add(b.1);
    (modulus, if modulus == 0 { residue } else { residue.rem_euclid(modulus) })
}

fn floor_div(a: i128, b: i128) -> i128 {
    let quotient = a.wrapping_div(b);
    if (a.wrapping_rem(b) != 0) && ((a < 0) != (b < 0)) { quotient - 1 } else { quotient }
}

fn ceil_div(a: i128, b: i128) -> i128 {
    -floor_div(a.saturating_neg(), b)
}

fn product(net: &mut Network, node: u32, a: u32, b: u32) -> Revision {
    if let Some(by) = net.int(a).single() {
        return multiple(net, node, by, b);
    }
    if let Some(by) = net.int(b).single() {
        return multiple(net, node, by, a);
    }
    let ((a_lo, a_hi), (b_lo, b_hi)) = (ends(net, a), ends(net, b));
    let corners =
        [(a_lo, b_lo), (a_lo, b_hi), (a_hi, b_lo), (a_hi, b_hi)].map(|it| it.0.saturating_mul(it.1));
    let (mut lo, hi) = (*corners.iter().min().ok_or(Conflict)?, *corners.iter().max().ok_or(Conflict)?);
    if a == b {
        lo = lo.max(0);
    }
    net.clip(node, lo, hi)?;
    let (lo, hi) = ends(net, node);
    if a == b {
        let root = hi.max(0).unsigned_abs().isqrt() as i128;
        return net.clip(a, -root, root);
    }
    factor(net, (lo, hi), a, (b_lo, b_hi))?;
    factor(net, (lo, hi), b, ends(net, a))
}

/// Narrows one factor by the product and the other.
fn factor(net: &mut Network, product: (i128, i128), one: u32, other: (i128, i128)) -> Revision {
    if other.0 <= 0 && other.1 >= 0 || product.0 < -FAR || product.1 > FAR {
        return Ok(());
    }
    let corners = [(product.0, other.0), (product.0, other.1), (product.1, other.0), (product.1, other.1)];
    let lo = corners.iter().map(|it| ceil_div(it.0, it.1)).min().ok_or(Conflict)?;
    let hi = corners.iter().map(|it| floor_div(it.0, it.1)).max().ok_or(Conflict)?;
    net.clip(one, lo, hi)
}

/// A product with a known number.
fn multiple(net: &mut Network, node: u32, by: i128, of: u32) -> Revision {
    if by == 0 {
        return net.clip(node, 0, 0);
    }
    let (lo, hi) = ends(net, of);
    let (x, y) = (lo.saturating_mul(by), hi.saturating_mul(by));
    net.clip(node, x.min(y), x.max(y))?;
    let (modulus, residue) = net.int(of).congruence();
    if let (Some(modulus), Some(residue)) =
        (modulus.checked_mul(by.saturating_abs()), residue.checked_mul(by))
    {
        net.congruent(node, residue, modulus)?;
    }
    let (lo, hi) = ends(net, node);
    if lo > -FAR && hi < FAR {
        let (x, y) = if by > 0 { (lo, hi) } else { (hi, lo) };
        net.clip(of, ceil_div(x, by), floor_div(y, by))?;
    }
    let (modulus, residue) = net.int(node).congruence();
    if modulus % by == 0 && residue % by == 0 {
        net.congruent(of, residue / by, (modulus / by).abs())?;
    }
    Ok(())
}

fn quotient(net: &mut Network, node: u32, a: u32, b: u32) -> Revision {
    let (lo, hi) = ends(net, a);
    match net.int(b).single() {
        Some(0) => Ok(()),
        Some(by) => {
            let size = by.saturating_abs();
            let (x, y) = (floor_div(lo, size), floor_div(hi, size));
            if by > 0 {
                net.clip(node, x, y)?
            } else {
                net.clip(node, y.saturating_neg(), x.saturating_neg())?
            }
            let (x, y) = ends(net, node);
            let (x, y) = if by > 0 { (x, y) } else { (y.saturating_neg(), x.saturating_neg()) };
            net.clip(a, x.saturating_mul(size), y.saturating_mul(size).saturating_add(size - 1))
        }
        None => {
            // Rounding goes down, so the size can be one more than that of the dividend.
            let size = lo.saturating_abs().max(hi.saturating_abs()).saturating_add(1);
            net.clip(node, -size, size)
        }
    }
}

fn remainder(net: &mut Network, node: u32, a: u32, b: u32) -> Revision {
    let (b_lo, b_hi) = ends(net, b);
    let most = b_lo.saturating_abs().max(b_hi.saturating_abs());
    let by = match net.int(b).single() {
        Some(0) => return Ok(()),
        Some(by) => by.saturating_abs(),
        // Where the divisor is zero there is no remainder, and none matters.
        None => return if most == 0 { Ok(()) } else { net.clip(node, 0, most - 1) },
    };
    net.clip(node, 0, by - 1)?;
    let (lo, hi) = ends(net, a);
    if floor_div(lo, by) == floor_div(hi, by) {
        let base = floor_div(lo, by).saturating_mul(by);
        let shifted = net.int(a).shift(base.saturating_neg());
        net.keep(node, &shifted)?;
        let shifted = net.int(node).shift(base);
        return net.keep(a, &shifted);
    }
    if net.int(a).count() <= REMAINDERS_MAX {
        let kept: Vec<i128> =
            net.int(a).iter().filter(|it| net.int(node).contains(it.rem_euclid(by))).collect();
        let rests = IntSet::of(kept.iter().map(|it| it.rem_euclid(by)));
        net.keep(a, &IntSet::of(kept))?;
        return net.keep(node, &rests);
    }
    let (modulus, residue) = net.int(a).congruence();
    net.congruent(node, residue, gcd(modulus, by))?;
    match net.int(node).single() {
        Some(rest) => net.congruent(a, rest, by),
        None => {
            let (modulus, residue) = net.int(node).congruence();
            net.congruent(a, residue, gcd(modulus, by))
        }
    }
}
