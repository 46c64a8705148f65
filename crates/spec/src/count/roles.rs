//! What each measure and field is for: bounds that are handed down, or values that are told apart.
//!
//! A *bound* is a measure that is the greatest (or least) of fields and of bounds of children, and that is only ever
//! compared with a field, as in `left.max() < key`. It needs no values: a child is asked for with a window of keys.
//! Every other measure that matters is a *value*: counts are kept for each value that it takes.

use super::expr::LevelExpr;
use super::types::{CountedType, TypeSystem};
use crate::Op;

/// Whether a bound is from above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoundSide {
    /// The greatest.
    Most,
    /// The least.
    Least,
}

/// What a bound is the greatest or least of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BoundPart {
    Const(i128),
    Scalar(usize),
    Child(usize, usize),
}

/// `child.measure < field`, or the like: the window of a child ends before a field or a constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// The field with the child; none for the value itself.
    pub(super) child: Option<usize>,
    pub(super) measure: usize,
    /// A field, or a constant.
    pub(super) end: BoundPart,
    /// How far the window ends before that: 0 or 1.
    pub(super) gap: i128,
}

/// The roles in a type.
#[derive(Debug, Default)]
pub(super) struct TypeRoles {
    /// Measures that are told apart.
    pub(super) values: Vec<usize>,
    /// Measures that are handed down.
    pub(super) bounds: Vec<(usize, BoundSide)>,
    pub(super) variants: Vec<VariantRoles>,
}

/// The roles in a variant.
#[derive(Debug, Default)]
pub(super) struct VariantRoles {
    /// Requirements that are looked at for values.
    pub(super) rest: Vec<LevelExpr>,
    pub(super) windows: Vec<Window>,
    /// For each bound of the type, what it is the greatest or least of.
    pub(super) parts: Vec<Vec<BoundPart>>,
    /// Fields that requirements and values look at.
    pub(super) small: Vec<usize>,
    /// Fields that only windows look at.
    pub(super) keys: Vec<usize>,
    /// Fields that nothing looks at.
    pub(super) free: Vec<usize>,
}

/// The roles in all types, and what is required of the whole: by values, by windows.
pub(super) struct Roles {
    pub(super) types: Vec<TypeRoles>,
    pub(super) rest: Vec<LevelExpr>,
    pub(super) windows: Vec<Window>,
}

impl Roles {
    pub(super) fn new(system: &TypeSystem) -> Roles {
        let types = &system.types;
        let sides = sides(types);
        let mut used: Vec<Vec<bool>> = types.iter().map(|it| vec![false; it.measures.len()]).collect();
        for (of, size) in system.sizes.iter().flatten().enumerate() {
            used[of][*size] = true;
        }
        let mut valued = used.clone();
        // What is demoted to a value may demote others.
        loop {
            let before = valued.clone();
            let mut mark = |of: usize, variant: Option<usize>, expr: &LevelExpr| {
                let found = window(types, &sides, &before, of, variant, expr);
                expr.leaves(&mut |leaf| {
                    if let Some((ty, measure)) = measure_of(types, of, variant, leaf) {
                        used[ty][measure] = true;
                        valued[ty][measure] |= found.is_none();
                    }
                });
            };
            for (of, ty) in types.iter().enumerate() {
                for (at, variant) in ty.variants.iter().enumerate() {
                    variant.requires.iter().for_each(|it| mark(of, Some(at), it));
                }
            }
            system.more.iter().for_each(|it| mark(0, None, it));
            spread(types, &mut used, &mut valued);
            if valued == before {
                break;
            }
        }
        let side_of = |of: usize, measure: usize| sides[of][measure].unwrap_or(BoundSide::Most);
        let mut res = Roles { types: Vec::new(), rest: Vec::new(), windows: Vec::new() };
        for (of, ty) in types.iter().enumerate() {
            let all = 0..ty.measures.len();
            let values: Vec<usize> = all.clone().filter(|it| valued[of][*it]).collect();
            let is_bound = |it: &usize| used[of][*it] && !valued[of][*it];
            let bounds: Vec<(usize, BoundSide)> =
                all.filter(is_bound).map(|it| (it, side_of(of, it))).collect();
            let variants = (0..ty.variants.len())
                .map(|at| variant_roles(types, &sides, &valued, of, at, &values, &bounds))
                .collect();
            res.types.push(TypeRoles { values, bounds, variants });
        }
        for expr in &system.more {
            match window(types, &sides, &valued, 0, None, expr) {
                Some(it) => res.windows.push(it),
                None => res.rest.push(expr.clone()),
            }
        }
        res
    }
}

/// A measure that matters makes those matter that it is computed from.
fn spread(types: &[CountedType], used: &mut [Vec<bool>], valued: &mut [Vec<bool>]) {
    loop {
        let mut changed = false;
        for (of, ty) in types.iter().enumerate() {
            for (at, variant) in ty.variants.iter().enumerate() {
                for (measure, body) in variant.bodies.iter().enumerate() {
                    if !used[of][measure] {
                        continue;
                    }
                    let is_value = valued[of][measure];
                    body.leaves(&mut |leaf| {
                        if let Some((ty, inner)) = measure_of(types, of, Some(at), leaf) {
                            changed |= !used[ty][inner] || is_value && !valued[ty][inner];
                            used[ty][inner] = true;
                            valued[ty][inner] |= is_value;
                        }
                    });
                }
            }
        }
        if !changed {
            return;
        }
    }
}

fn variant_roles(
    types: &[CountedType],
    sides: &[Vec<Option<BoundSide>>],
    valued: &[Vec<bool>],
    of: usize,
    at: usize,
    values: &[usize],
    bounds: &[(usize, BoundSide)],
) -> VariantRoles {
    let variant = &types[of].variants[at];
    let mut res = VariantRoles::default();
    for expr in &variant.requires {
        match window(types, sides, valued, of, Some(at), expr) {
            Some(it) => res.windows.push(it),
            None => res.rest.push(expr.clone()),
        }
    }
    res.parts =
        bounds.iter().map(|(it, side)| parts(&variant.bodies[*it], *side).unwrap_or_default()).collect();
    let mut looked = vec![false; variant.fields.len()];
    let looks = res.rest.iter().chain(values.iter().map(|it| &variant.bodies[*it]));
    looks.for_each(|it| {
        it.leaves(&mut |leaf| {
            if let LevelExpr::Scalar(field) = leaf {
                looked[*field] = true;
            }
        });
    });
    let is_key = |field: usize| {
        let is = |it: &BoundPart| *it == BoundPart::Scalar(field);
        res.windows.iter().any(|it| is(&it.end)) || res.parts.iter().flatten().any(is)
    };
    for (field, _) in variant.fields.iter().enumerate().filter(|it| it.1.child.is_none()) {
        let list = match (looked[field], is_key(field)) {
            (true, _) => &mut res.small,
            (_, true) => &mut res.keys,
            _ => &mut res.free,
        };
        list.push(field);
    }
    res
}

/// The type and the measure that a leaf is one of.
fn measure_of(
    types: &[CountedType],
    of: usize,
    variant: Option<usize>,
    leaf: &LevelExpr,
) -> Option<(usize, usize)> {
    match leaf {
        LevelExpr::Own(measure) => Some((of, *measure)),
        LevelExpr::Child(field, measure) => {
            Some((types[of].variants[variant?].fields[*field].child?, *measure))
        }
        _ => None,
    }
}

/// A requirement that is a window: a bound on one side of a comparison, a field or a constant on the other.
fn window(
    types: &[CountedType],
    sides: &[Vec<Option<BoundSide>>],
    valued: &[Vec<bool>],
    of: usize,
    variant: Option<usize>,
    expr: &LevelExpr,
) -> Option<Window> {
    let LevelExpr::Apply(op @ (Op::Lt | Op::Le), args) = expr else { return None };
    let gap = i128::from(*op == Op::Lt);
    let bound = |it: &LevelExpr, side: BoundSide| {
        let (ty, measure) = measure_of(types, of, variant, it)?;
        (sides[ty][measure] == Some(side) && !valued[ty][measure]).then_some(measure)
    };
    let end = |it: &LevelExpr| match it {
        LevelExpr::Const(it) => Some(BoundPart::Const(*it)),
        LevelExpr::Scalar(it) => Some(BoundPart::Scalar(*it)),
        _ => None,
    };
    let child = |it: &LevelExpr| if let LevelExpr::Child(it, _) = it { Some(*it) } else { None };
    let (a, b) = (&args[0], &args[1]);
    if let (Some(measure), Some(end)) = (bound(a, BoundSide::Most), end(b)) {
        return Some(Window { child: child(a), measure, end, gap });
    }
    if let (Some(end), Some(measure)) = (end(a), bound(b, BoundSide::Least)) {
        return Some(Window { child: child(b), measure, end, gap });
    }
    None
}

/// The parts of which an expression is the greatest (or least).
fn parts(expr: &LevelExpr, side: BoundSide) -> Option<Vec<BoundPart>> {
    Some(match expr {
        LevelExpr::Const(it) => vec![BoundPart::Const(*it)],
        LevelExpr::Scalar(it) => vec![BoundPart::Scalar(*it)],
        LevelExpr::Child(field, measure) => vec![BoundPart::Child(*field, *measure)],
        // As `rust::least` and `rust::greatest` write them.
        LevelExpr::Apply(Op::Ite, args) => {
            let LevelExpr::Apply(Op::Le, compared) = &args[0] else { return None };
            let (a, b) = (&compared[0], &compared[1]);
            let is_side = match side {
                BoundSide::Least => (&args[1], &args[2]) == (a, b),
                BoundSide::Most => (&args[1], &args[2]) == (b, a),
            };
            if !is_side {
                return None;
            }
            [parts(a, side)?, parts(b, side)?].concat()
        }
        _ => return None,
    })
}

/// On which side each measure is a bound, if it can be one.
fn sides(types: &[CountedType]) -> Vec<Vec<Option<BoundSide>>> {
    let of_measure = |ty: &CountedType, measure: usize| {
        let fits =
            |side: &BoundSide| ty.variants.iter().all(|it| parts(&it.bodies[measure], *side).is_some());
        let has_two = ty.variants.iter().any(|it| matches!(it.bodies[measure], LevelExpr::Apply(..)));
        [BoundSide::Most, BoundSide::Least].into_iter().find(fits).filter(|_| measure > 0 && has_two)
    };
    let mut res: Vec<Vec<Option<BoundSide>>> =
        types.iter().map(|ty| (0..ty.measures.len()).map(|it| of_measure(ty, it)).collect()).collect();
    // One of a child's parts must be a bound of the same side.
    loop {
        let mut next = res.clone();
        for (of, ty) in types.iter().enumerate() {
            for measure in 0..ty.measures.len() {
                let Some(side) = res[of][measure] else { continue };
                let is_ok = ty.variants.iter().all(|variant| {
                    parts(&variant.bodies[measure], side).unwrap_or_default().iter().all(|it| match it {
                        BoundPart::Child(field, inner) => {
                            variant.fields[*field].child.is_some_and(|ty| res[ty][*inner] == Some(side))
                        }
                        BoundPart::Scalar(field) => {
                            variant.fields[*field].kind == super::types::ScalarShape::Int
                        }
                        BoundPart::Const(_) => true,
                    })
                });
                if !is_ok {
                    next[of][measure] = None;
                }
            }
        }
        if next == res {
            return res;
        }
        res = next;
    }
}
