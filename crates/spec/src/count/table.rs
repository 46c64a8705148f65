//! Tables: how many values there are for each query, and what they are made of.
//!
//! A query is a type, a depth and a window for each bound. Its table has a row for each vector of values that models of it
//! take, and the row all branches that lead to it: a variant, its scalars, and a row of each child's table. So the number
//! of models is a sum of products, and the n-th model is found by counting down.

use std::collections::HashMap;

use super::expr::{LevelExpr, LevelValues};
use super::roles::{BoundPart, BoundSide, Roles};
use super::types::TypeSystem;
use crate::IntSet;

/// More branches than this are not kept: they would take a gigabyte.
pub(super) const BRANCHES_MAX: usize = 8_000_000;
/// More combinations of small fields than this are not gone through.
const SMALL_MAX: usize = 4_096;
/// Fields with more numbers than this are not gone through.
pub(super) const KEYS_MAX: u128 = 1_024;

/// One query's models.
#[derive(Debug, Default)]
pub(super) struct QueryTable {
    pub(super) groups: Vec<BranchGroup>,
    /// Sorted by vector.
    pub(super) rows: Vec<ModelRow>,
    /// The rows of children, for all branches one after the other.
    pub(super) vectors: Vec<u32>,
}

/// Branches with the same scalars.
#[derive(Debug)]
pub(super) struct BranchGroup {
    pub(super) variant: u32,
    /// The values of small fields, then of keys, which count from the window's beginning where that is shifted.
    pub(super) scalars: Box<[i128]>,
    /// The queries of the children.
    pub(super) queries: Box<[u32]>,
}

#[derive(Debug)]
pub(super) struct ModelRow {
    pub(super) vector: u32,
    pub(super) total: u128,
    /// How many values of counted types its smallest model is made of.
    pub(super) least: u32,
    pub(super) branches: Vec<ModelBranch>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct ModelBranch {
    /// How many models the branches before it have.
    pub(super) before: u128,
    pub(super) group: u32,
    /// Where its children's vectors begin.
    pub(super) at: u32,
}

/// All tables of a spec.
pub(super) struct TableSet {
    pub(super) system: TypeSystem,
    pub(super) roles: Roles,
    pub(super) tables: Vec<QueryTable>,
    queries: HashMap<(u32, u32, Vec<i128>), u32>,
    /// The vectors of each type by their numbers.
    pub(super) vectors: Vec<Vec<Vec<i128>>>,
    known: Vec<HashMap<Vec<i128>, u32>>,
    /// For each type, variant and combination of small fields: the vector that children's vectors lead to.
    joined: HashMap<(u32, u32, u32), JoinTable>,
    /// The combinations of small fields by number.
    smalls: HashMap<(u32, u32, Vec<i128>), u32>,
    branches: usize,
    branches_max: usize,
    /// The least and the greatest key.
    span: (i128, i128),
    pub(super) is_shifted: bool,
}

/// Vectors of two children and the vector that they lead to; 0 is not known, 1 is none.
#[derive(Default)]
struct JoinTable {
    pairs: Vec<Vec<u32>>,
    more: HashMap<Vec<u32>, u32>,
}

struct JoinValues<'a> {
    scalars: &'a [Option<i128>],
    /// For each field the vector of its child, and the places of measures in it.
    children: &'a [Option<(&'a [i128], &'a [usize])>],
}

impl LevelValues for JoinValues<'_> {
    fn scalar(&self, field: usize) -> Option<i128> {
        self.scalars[field]
    }

    fn child(&self, field: usize, measure: usize) -> Option<i128> {
        let (vector, places) = self.children[field]?;
        let at = places.iter().position(|it| *it == measure)?;
        // What is undefined is kept as a number that nothing else is.
        vector.get(at).copied().filter(|it| *it != UNDEFINED)
    }

    fn own(&self, _: usize) -> Option<i128> {
        None
    }
}

/// Is in a vector for a measure that is undefined.
pub(super) const UNDEFINED: i128 = i128::MIN;

impl TableSet {
    pub(super) fn new(system: TypeSystem, branches_max: usize) -> Result<TableSet, String> {
        let roles = Roles::new(&system);
        let n = system.types.len();
        let span = span(&system, &roles);
        let is_shifted = is_shift_invariant(&system, &roles, span);
        Ok(TableSet {
            system,
            roles,
            tables: Vec::new(),
            queries: HashMap::new(),
            vectors: vec![Vec::new(); n],
            known: vec![HashMap::new(); n],
            joined: HashMap::new(),
            smalls: HashMap::new(),
            branches: 0,
            branches_max,
            span,
            is_shifted,
        })
    }

    /// The widest windows of a type.
    pub(super) fn open(&self, ty: usize) -> Vec<i128> {
        let (low, high) = self.span;
        self.roles.types[ty]
            .bounds
            .iter()
            .map(|it| if it.1 == BoundSide::Most { high } else { low })
            .collect()
    }

    /// `bounds` with a bound of one of them, where it is narrower.
    pub(super) fn narrow(&self, ty: usize, bounds: &mut [i128], measure: usize, end: i128) {
        let (low, high) = self.span;
        let Some(at) = self.roles.types[ty].bounds.iter().position(|it| it.0 == measure) else { return };
        bounds[at] = match self.roles.types[ty].bounds[at].1 {
            BoundSide::Most => bounds[at].min(end).max(low - 1),
            BoundSide::Least => bounds[at].max(end).min(high + 1),
        };
    }

    /// The windows as they are asked for, and what was taken off them.
    fn shifted(&self, ty: usize, bounds: &[i128]) -> (Vec<i128>, i128) {
        if !self.is_shifted || bounds.len() != 2 {
            return (bounds.to_vec(), 0);
        }
        let most = usize::from(self.roles.types[ty].bounds[1].1 == BoundSide::Most);
        let (low, high) = (bounds[1 - most], bounds[most]);
        let mut res = vec![0; 2];
        res[most] = (high - low).max(-1);
        (res, low)
    }

    /// The window that scalars of a type are counted from.
    pub(super) fn base(&self, ty: usize, bounds: &[i128]) -> i128 {
        self.shifted(ty, bounds).1
    }

    /// The number of a query's table, which is made if it is new.
    pub(super) fn query(&mut self, ty: usize, depth: u32, bounds: &[i128]) -> Result<u32, String> {
        let (bounds, _) = self.shifted(ty, bounds);
        let key = (ty as u32, depth, bounds.clone());
        if let Some(found) = self.queries.get(&key) {
            return Ok(*found);
        }
        let table = self.make(ty, depth, &bounds)?;
        self.tables.push(table);
        let number = (self.tables.len() - 1) as u32;
        self.queries.insert(key, number);
        Ok(number)
    }

    fn make(&mut self, ty: usize, depth: u32, bounds: &[i128]) -> Result<QueryTable, String> {
        let mut table = QueryTable::default();
        for variant in 0..self.system.types[ty].variants.len() {
            let fields = &self.system.types[ty].variants[variant].fields;
            if depth == 0 && fields.iter().any(|it| it.is_nested) {
                continue;
            }
            if !self.fits(ty, variant, bounds) {
                continue;
            }
            let small =
                self.assignments(ty, variant, &self.roles.types[ty].variants[variant].small.clone(), bounds)?;
            let keys =
                self.assignments(ty, variant, &self.roles.types[ty].variants[variant].keys.clone(), bounds)?;
            if small.len() > SMALL_MAX {
                return Err(format!("there are more than {SMALL_MAX} combinations of its fields"));
            }
            for small in &small {
                let place = self.small_number(ty, variant, small);
                for keys in &keys {
                    self.group(&mut table, (ty, variant, depth), bounds, (place, small), keys)?;
                }
            }
        }
        table.rows.sort_by_key(|it| it.vector);
        Ok(table)
    }

    /// The number of a combination of small fields, whatever the windows are.
    fn small_number(&mut self, ty: usize, variant: usize, values: &[i128]) -> u32 {
        let next = self.smalls.len() as u32;
        *self.smalls.entry((ty as u32, variant as u32, values.to_vec())).or_insert(next)
    }

    /// Whether the constants of a variant are within the windows.
    fn fits(&self, ty: usize, variant: usize, bounds: &[i128]) -> bool {
        let roles = &self.roles.types[ty];
        roles.variants[variant].parts.iter().zip(&roles.bounds).zip(bounds).all(|((parts, bound), end)| {
            parts.iter().all(|it| match (it, bound.1) {
                (BoundPart::Const(it), BoundSide::Most) => self.is_shifted || it <= end,
                (BoundPart::Const(it), BoundSide::Least) => self.is_shifted || it >= end,
                _ => true,
            })
        })
    }

    /// All values of some fields within the windows.
    fn assignments(
        &self,
        ty: usize,
        variant: usize,
        fields: &[usize],
        bounds: &[i128],
    ) -> Result<Vec<Vec<i128>>, String> {
        let mut res = vec![Vec::new()];
        for field in fields {
            let set = self.within(ty, variant, *field, bounds);
            if set.count() > KEYS_MAX {
                let name = &self.system.types[ty].variants[variant].fields[*field].name;
                return Err(format!("`{name}` has more than {KEYS_MAX} values; give it a range"));
            }
            res = res.iter().flat_map(|it| set.iter().map(move |next| [&it[..], &[next]].concat())).collect();
            if res.len() > BRANCHES_MAX {
                return Err("there are too many combinations of its fields".to_string());
            }
        }
        Ok(res)
    }

    /// The numbers of a field within the windows.
    pub(super) fn within(&self, ty: usize, variant: usize, field: usize, bounds: &[i128]) -> IntSet {
        let roles = &self.roles.types[ty];
        let mut set = self.system.types[ty].variants[variant].fields[field].set.clone();
        let is_key = roles.variants[variant].keys.contains(&field);
        if self.is_shifted && is_key {
            // The window lies within the span of all keys, which is what each of them may be.
            set = IntSet::range(i128::MIN, i128::MAX);
        }
        for ((parts, bound), end) in roles.variants[variant].parts.iter().zip(&roles.bounds).zip(bounds) {
            if parts.contains(&BoundPart::Scalar(field)) {
                set = match bound.1 {
                    BoundSide::Most => set.clip(i128::MIN, *end),
                    BoundSide::Least => set.clip(*end, i128::MAX),
                };
            }
        }
        set
    }

    /// The windows of a child, where the scalars have these values.
    pub(super) fn child_bounds(
        &self,
        ty: usize,
        variant: usize,
        field: usize,
        bounds: &[i128],
        scalars: &[Option<i128>],
    ) -> Vec<i128> {
        let Some(child) = self.system.types[ty].variants[variant].fields[field].child else {
            return Vec::new();
        };
        let mut res = self.open(child);
        let ends = self.child_ends(ty, variant, field, bounds, scalars);
        for ((measure, _), end) in self.roles.types[child].bounds.iter().zip(ends) {
            if let Some(end) = end {
                self.narrow(child, &mut res, *measure, end);
            }
        }
        res
    }

    /// Where the windows of a child end, as its parent's windows and fields say; none where nothing is said.
    fn child_ends(
        &self,
        ty: usize,
        variant: usize,
        field: usize,
        bounds: &[i128],
        scalars: &[Option<i128>],
    ) -> Vec<Option<i128>> {
        let roles = &self.roles.types[ty];
        let Some(child) = self.system.types[ty].variants[variant].fields[field].child else {
            return Vec::new();
        };
        let sides = &self.roles.types[child].bounds;
        let mut res: Vec<Option<i128>> = vec![None; sides.len()];
        let mut put = |measure: usize, end: i128, gap: i128| {
            if let Some(at) = sides.iter().position(|it| it.0 == measure) {
                res[at] = Some(match sides[at].1 {
                    BoundSide::Most => res[at].unwrap_or(end - gap).min(end - gap),
                    BoundSide::Least => res[at].unwrap_or(end + gap).max(end + gap),
                });
            }
        };
        for (parts, end) in roles.variants[variant].parts.iter().zip(bounds) {
            for part in parts {
                if let BoundPart::Child(at, measure) = part
                    && *at == field
                {
                    put(*measure, *end, 0);
                }
            }
        }
        for it in roles.variants[variant].windows.iter().filter(|it| it.child == Some(field)) {
            let end = match it.end {
                BoundPart::Const(it) => Some(it),
                BoundPart::Scalar(it) => scalars[it],
                BoundPart::Child(..) => None,
            };
            if let Some(end) = end {
                put(it.measure, end, it.gap);
            }
        }
        res
    }

    /// The scalars of a variant by field.
    pub(super) fn scalars(&self, ty: usize, variant: usize, values: &[i128]) -> Vec<Option<i128>> {
        let roles = &self.roles.types[ty].variants[variant];
        let mut res = vec![None; self.system.types[ty].variants[variant].fields.len()];
        roles.small.iter().chain(&roles.keys).zip(values).for_each(|(field, it)| res[*field] = Some(*it));
        res
    }

    /// How often the fields that nothing looks at multiply each model.
    pub(super) fn free(&self, ty: usize, variant: usize) -> Option<u128> {
        let fields = &self.system.types[ty].variants[variant].fields;
        let free = &self.roles.types[ty].variants[variant].free;
        free.iter().try_fold(1_u128, |product, it| product.checked_mul(fields[*it].set.count()))
    }

    /// Adds all branches with these scalars.
    fn group(
        &mut self,
        table: &mut QueryTable,
        (ty, variant, depth): (usize, usize, u32),
        bounds: &[i128],
        (place, small): (u32, &[i128]),
        keys: &[i128],
    ) -> Result<(), String> {
        let values: Box<[i128]> = [small, keys].concat().into();
        let scalars = self.scalars(ty, variant, &values);
        let children: Vec<(usize, usize, bool)> = {
            let fields = self.system.types[ty].variants[variant].fields.iter().enumerate();
            fields.filter_map(|(at, it)| Some((at, it.child?, it.is_nested))).collect()
        };
        let mut queries = Vec::new();
        for (field, child, is_nested) in &children {
            let within = if self.is_shifted && !bounds.is_empty() {
                // Windows of a shifted query count from its own beginning, and all ends are said.
                let ends = self.child_ends(ty, variant, *field, bounds, &scalars);
                ends.into_iter().map(Option::unwrap_or_default).collect()
            } else {
                self.child_bounds(ty, variant, *field, bounds, &scalars)
            };
            let query = self.query(*child, if *is_nested { depth - 1 } else { depth }, &within)?;
            if self.tables[query as usize].rows.is_empty() {
                return Ok(());
            }
            queries.push(query);
        }
        let free = self.free(ty, variant).ok_or("there are too many models to count")?;
        if free == 0 {
            return Ok(());
        }
        let number = table.groups.len() as u32;
        let kinds: Vec<usize> = children.iter().map(|it| it.1).collect();
        let sizes: Vec<usize> = queries.iter().map(|it| self.tables[*it as usize].rows.len()).collect();
        let mut places = vec![0_usize; queries.len()];
        let mut is_used = false;
        loop {
            let (mut count, mut nodes) = (free, 1_u32);
            let mut vectors: Vec<u32> = Vec::with_capacity(places.len());
            for (query, at) in queries.iter().zip(&places) {
                let row = &self.tables[*query as usize].rows[*at];
                count = count.checked_mul(row.total).ok_or("there are too many models to count")?;
                vectors.push(row.vector);
                nodes = nodes.saturating_add(row.least);
            }
            if let Some(vector) = self.join(ty, variant, place, &scalars, &kinds, &vectors) {
                is_used = true;
                self.branches += 1;
                if self.branches > self.branches_max {
                    return Err(format!("there are more than {} ways to build it", self.branches_max));
                }
                let at = table.vectors.len() as u32;
                table.vectors.extend_from_slice(&vectors);
                let row = match table.rows.iter().position(|it| it.vector == vector) {
                    Some(it) => &mut table.rows[it],
                    None => {
                        table.rows.push(ModelRow { vector, total: 0, least: nodes, branches: Vec::new() });
                        table.rows.last_mut().expect("it was added")
                    }
                };
                row.least = row.least.min(nodes);
                row.branches.push(ModelBranch { before: row.total, group: number, at });
                row.total = row.total.checked_add(count).ok_or("there are too many models to count")?;
            }
            // The next combination of rows.
            let Some(at) = (0..places.len()).rev().find(|it| places[*it] + 1 < sizes[*it]) else { break };
            places[at] += 1;
            places[at + 1..].fill(0);
        }
        if is_used {
            table.groups.push(BranchGroup {
                variant: variant as u32,
                scalars: values,
                queries: queries.into(),
            });
        }
        Ok(())
    }

    /// The vector that a variant has with these scalars and children; none where a requirement does not hold.
    fn join(
        &mut self,
        ty: usize,
        variant: usize,
        place: u32,
        scalars: &[Option<i128>],
        kinds: &[usize],
        vectors: &[u32],
    ) -> Option<u32> {
        let key = (ty as u32, variant as u32, place);
        let known = self.joined.entry(key).or_default();
        let found = match vectors {
            [a, b] => known.pairs.get(*a as usize).and_then(|it| it.get(*b as usize)).copied().unwrap_or(0),
            _ => known.more.get(vectors).copied().unwrap_or(0),
        };
        if found > 0 {
            return found.checked_sub(2);
        }
        let made = self.joined_vector(ty, variant, scalars, kinds, vectors).map(|it| self.vector(ty, it));
        let known = self.joined.entry(key).or_default();
        let found = made.map_or(1, |it| it + 2);
        if let [a, b] = vectors {
            let (a, b) = (*a as usize, *b as usize);
            if known.pairs.len() <= a {
                known.pairs.resize_with(a + 1, Vec::new);
            }
            if known.pairs[a].len() <= b {
                known.pairs[a].resize(b + 1, 0);
            }
            known.pairs[a][b] = found;
        } else {
            known.more.insert(vectors.to_vec(), found);
        }
        made
    }

    fn joined_vector(
        &self,
        ty: usize,
        variant: usize,
        scalars: &[Option<i128>],
        kinds: &[usize],
        vectors: &[u32],
    ) -> Option<Vec<i128>> {
        let fields = &self.system.types[ty].variants[variant].fields;
        let mut children: Vec<Option<(&[i128], &[usize])>> = vec![None; fields.len()];
        let places = fields.iter().enumerate().filter(|it| it.1.child.is_some()).map(|it| it.0);
        for ((at, kind), vector) in places.zip(kinds).zip(vectors) {
            let vector = &self.vectors[*kind][*vector as usize];
            children[at] = Some((vector, &self.roles.types[*kind].values));
        }
        let values = JoinValues { scalars, children: &children };
        let roles = &self.roles.types[ty];
        if !roles.variants[variant].rest.iter().all(|it| it.holds(&values)) {
            return None;
        }
        let bodies = &self.system.types[ty].variants[variant].bodies;
        Some(roles.values.iter().map(|it| bodies[*it].eval(&values).unwrap_or(UNDEFINED)).collect())
    }

    fn vector(&mut self, ty: usize, values: Vec<i128>) -> u32 {
        if let Some(found) = self.known[ty].get(&values) {
            return *found;
        }
        let number = self.vectors[ty].len() as u32;
        self.vectors[ty].push(values.clone());
        self.known[ty].insert(values, number);
        number
    }

    /// Whether a vector of the first type meets what is required of the whole.
    pub(super) fn accepts(&self, vector: u32) -> bool {
        let values =
            WholeValues { vector: &self.vectors[0][vector as usize], places: &self.roles.types[0].values };
        self.roles.rest.iter().all(|it: &LevelExpr| it.holds(&values))
    }

    /// What is only needed while tables are made.
    pub(super) fn finish(&mut self) {
        (self.queries, self.joined, self.smalls, self.known) = Default::default();
    }
}

struct WholeValues<'a> {
    vector: &'a [i128],
    places: &'a [usize],
}

impl LevelValues for WholeValues<'_> {
    fn scalar(&self, _: usize) -> Option<i128> {
        None
    }

    fn child(&self, _: usize, _: usize) -> Option<i128> {
        None
    }

    fn own(&self, measure: usize) -> Option<i128> {
        let at = self.places.iter().position(|it| *it == measure)?;
        self.vector.get(at).copied().filter(|it| *it != UNDEFINED)
    }
}

/// From the least to the greatest number that a window can end at.
fn span(system: &TypeSystem, roles: &Roles) -> (i128, i128) {
    let (mut low, mut high) = (i128::MAX, i128::MIN);
    let mut add = |from: i128, to: i128| (low, high) = (low.min(from), high.max(to));
    for (ty, roles) in system.types.iter().zip(&roles.types) {
        for (variant, roles) in ty.variants.iter().zip(&roles.variants) {
            let ends = roles.windows.iter().map(|it| &it.end).chain(roles.parts.iter().flatten());
            for part in ends {
                if let BoundPart::Scalar(at) = part
                    && let (Some(min), Some(max)) =
                        (variant.fields[*at].set.min(), variant.fields[*at].set.max())
                {
                    add(min, max);
                }
            }
        }
    }
    if low > high {
        (low, high) = (0, 0);
    }
    // A constant matters where it is not beyond all keys on the side where it always fits.
    let all = roles.types.iter().flat_map(|it| it.bounds.iter().zip(0..).map(move |bound| (it, bound)));
    for (of, ((_, side), at)) in all {
        for part in of.variants.iter().flat_map(|it| it.parts.get(at).into_iter().flatten()) {
            match (part, side) {
                (BoundPart::Const(it), BoundSide::Most) => high = high.max(*it),
                (BoundPart::Const(it), BoundSide::Least) => low = low.min(*it),
                _ => {}
            }
        }
    }
    (low.max(i128::MIN / 4), high.min(i128::MAX / 4))
}

/// Whether only the width of a window matters, not where it begins: both of its ends are always a parent's or a key's.
fn is_shift_invariant(system: &TypeSystem, roles: &Roles, (low, high): (i128, i128)) -> bool {
    let mut has_keys = false;
    for (ty, kinds) in system.types.iter().zip(&roles.types) {
        if kinds.bounds.is_empty() {
            continue;
        }
        let sides: Vec<BoundSide> = kinds.bounds.iter().map(|it| it.1).collect();
        if sides.len() != 2 || sides[0] == sides[1] {
            return false;
        }
        for (variant, kinds) in ty.variants.iter().zip(&kinds.variants) {
            let const_fits = |(part, side): (&BoundPart, &BoundSide)| match (part, side) {
                (BoundPart::Const(it), BoundSide::Most) => *it < low,
                (BoundPart::Const(it), BoundSide::Least) => *it > high,
                (BoundPart::Scalar(it), _) => kinds.keys.contains(it),
                _ => true,
            };
            if !kinds.parts.iter().zip(&sides).all(|it| it.0.iter().all(|part| const_fits((part, it.1)))) {
                return false;
            }
            if !kinds
                .windows
                .iter()
                .all(|it| matches!(it.end, BoundPart::Scalar(at) if kinds.keys.contains(&at)))
            {
                return false;
            }
            for key in &kinds.keys {
                has_keys = true;
                // Both windows bound the key itself, and it may be anything in the span.
                let is_bound = kinds.parts.iter().all(|it| it.contains(&BoundPart::Scalar(*key)));
                if !is_bound || variant.fields[*key].set != IntSet::range(low, high) {
                    return false;
                }
            }
            for (at, field) in variant.fields.iter().enumerate() {
                let Some(child) = field.child else { continue };
                for (measure, _) in &roles.types[child].bounds {
                    let inherits =
                        kinds.parts.iter().flatten().any(|it| *it == BoundPart::Child(at, *measure));
                    let ends = kinds.windows.iter().any(|it| it.child == Some(at) && it.measure == *measure);
                    if !inherits && !ends {
                        return false;
                    }
                }
            }
        }
    }
    has_keys && roles.windows.is_empty()
}
