//! Counted values drawn by choices: a size, a variant, its scalars, and the measures of its children, each weighted by how
//! many models it leads to. Nothing is refused, and each model has one trace.

use super::CountedModels;
use super::measured::PartValue;
use super::table::{ModelBranch, QueryTable};
use crate::Value;
use crate::regex::answers::Answers;

/// Weights are at most this in all: they are added up in 32 bits.
const WEIGHT_MAX: u128 = 1 << 30;

impl CountedModels {
    /// Draws a value, or answers such that `wanted` is drawn.
    pub(crate) fn draw(&self, answers: &mut Answers, wanted: Option<&Value>) -> Option<Value> {
        let wanted = wanted.map(PartValue::from);
        let vector = match wanted {
            Some(it) => Some(self.vector_of(0, it)?),
            None => None,
        };
        let sizes = &self.sizes;
        let table = &self.set.tables[self.query as usize];
        let vector_at = |it: &u32| table.rows[*it as usize].vector;
        let place = match vector {
            Some(vector) => {
                Some(sizes.iter().position(|it| it.rows.iter().any(|it| vector_at(it) == vector))?)
            }
            None => None,
        };
        let last = sizes.len().checked_sub(1)?;
        let at = answers.int(0, last as i128, place.map(|it| it as i128))?;
        let SizedRows { rows, weights } = &sizes[at as usize];
        let place = match vector {
            Some(vector) => Some(rows.iter().position(|it| vector_at(it) == vector)?),
            None => None,
        };
        let at = self.pick(weights, answers, place)?;
        self.node(0, self.query, vector_at(&rows[at]), &self.bounds, answers, wanted)
    }

    /// One of some alternatives. Where the size is known, none of them makes it larger.
    fn pick(&self, weights: &[u32], answers: &mut Answers, wanted: Option<usize>) -> Option<usize> {
        match self.sizes.len() {
            1 => answers.pick(weights, wanted),
            _ => answers.pick_free(weights, wanted),
        }
    }

    /// The label of the group in which one is drawn.
    pub(crate) fn label(&self) -> &'static str {
        if self.sizes.len() == 1 { "counted" } else { probity_core::SIZED }
    }

    /// The rows of each size, the least first; all of them as one where sizes are not told apart.
    pub(super) fn sized_rows(&self) -> Vec<SizedRows> {
        let table = &self.set.tables[self.query as usize];
        let row = |it: u32| &table.rows[it as usize];
        let place = self
            .set
            .system
            .sizes
            .as_ref()
            .and_then(|it| self.set.roles.types[0].values.iter().position(|measure| *measure == it[0]));
        let size = |it: u32| place.map_or(0, |at| self.set.vectors[0][row(it).vector as usize][at]);
        // Rows with small models first: that is where shrinking leads.
        let mut rows: Vec<u32> = self.rows.iter().map(|it| it.0).collect();
        rows.sort_by_key(|it| (size(*it), row(*it).least, row(*it).vector));
        let mut res: Vec<SizedRows> = Vec::new();
        for rows in rows.chunk_by(|a, b| size(*a) == size(*b)) {
            // Most models are large. Half of the weight is each row's for its own sake, so that small ones are drawn, too.
            let counts: Vec<u128> = rows.iter().map(|it| row(*it).total).collect();
            let share = (counts.iter().sum::<u128>() / counts.len() as u128).max(1);
            let counts: Vec<u128> = counts.iter().map(|it| it.saturating_add(share)).collect();
            res.push(SizedRows { rows: rows.to_vec(), weights: weights(&counts) });
        }
        res
    }

    fn node(
        &self,
        ty: usize,
        query: u32,
        vector: u32,
        bounds: &[i128],
        answers: &mut Answers,
        wanted: Option<PartValue>,
    ) -> Option<Value> {
        let table = &self.set.tables[query as usize];
        let row = table.rows.get(table.rows.partition_point(|it| it.vector < vector))?;
        let wanted = match wanted {
            Some(it) => Some(self.parts_of(ty, it)?),
            None => None,
        };
        // Branches of one group stand together, and groups of one variant.
        let groups = runs(&row.branches, row.total);
        let variant_of = |it: &BranchRun| table.groups[it.group as usize].variant;
        let mut variants: Vec<(u32, u128)> = Vec::new();
        for run in &groups {
            match variants.last_mut() {
                Some(it) if it.0 == variant_of(run) => it.1 += run.count,
                _ => variants.push((variant_of(run), run.count)),
            }
        }
        let types = &self.set.system.types;
        let is_nested = |it: u32| types[ty].variants[it as usize].fields.iter().any(|it| it.is_nested);
        variants.sort_by_key(|it| is_nested(it.0));
        let place = match &wanted {
            Some(it) => Some(variants.iter().position(|variant| variant.0 as usize == it.variant)?),
            None => None,
        };
        let counts: Vec<u128> = variants.iter().map(|it| it.1).collect();
        let variant = variants[self.pick(&weights(&counts), answers, place)?].0;

        let base = self.set.base(ty, bounds);
        let run = self.one_run(ty, table, &groups, variant, base, answers, wanted.as_ref())?;
        let group = &table.groups[run.group as usize];
        let width = group.queries.len();
        let children = |it: &ModelBranch| &table.vectors[it.at as usize..it.at as usize + width];
        let branches = &row.branches[run.from..run.to];
        let counts = counts_of(branches, run.end);
        let mut order: Vec<usize> = (0..branches.len()).collect();
        order.sort_by_key(|it| {
            let all = group.queries.iter().zip(children(&branches[*it]));
            all.map(|(query, vector)| self.least(*query, *vector)).sum::<u32>()
        });
        let place = match &wanted {
            Some(it) => Some(order.iter().position(|at| *children(&branches[*at]) == it.vectors[..])?),
            None => None,
        };
        let counts: Vec<u128> = order.iter().map(|it| counts[*it]).collect();
        let branch = &branches[order[self.pick(&weights(&counts), answers, place)?]];

        let variant = variant as usize;
        let scalars = self.scalars(ty, variant, &group.scalars, bounds);
        let mut fields = Vec::new();
        let mut child = 0;
        for (at, field) in types[ty].variants[variant].fields.iter().enumerate() {
            let wanted = wanted.as_ref().map(|it| it.fields[at]);
            let value = match (field.child, scalars[at]) {
                (Some(of), _) => {
                    let bounds = self.set.child_bounds(ty, variant, at, bounds, &scalars);
                    let (query, vector) = (group.queries[child], children(branch)[child]);
                    child += 1;
                    answers.group("counted", |it| self.node(of, query, vector, &bounds, it, wanted))?
                }
                (None, Some(it)) => self.scalar(field, it),
                (None, None) => {
                    let number = match wanted {
                        Some(it) => Some(self.set.system.scalar(field, it)?),
                        None => None,
                    };
                    let it = crate::draw::draw_number(&field.set, answers, number)?;
                    self.scalar(field, it)
                }
            };
            fields.push((field.name.clone(), value));
        }
        Some(self.object(ty, variant, fields))
    }

    /// How many values of counted types the smallest model of a row is made of.
    fn least(&self, query: u32, vector: u32) -> u32 {
        let rows = &self.set.tables[query as usize].rows;
        rows.get(rows.partition_point(|it| it.vector < vector)).map_or(0, |it| it.least)
    }

    /// One of the groups of a variant: first what requirements look at, then keys, those around zero first.
    #[allow(clippy::too_many_arguments, reason = "a step of `node`, which knows all of it")]
    fn one_run(
        &self,
        ty: usize,
        table: &QueryTable,
        groups: &[BranchRun],
        variant: u32,
        base: i128,
        answers: &mut Answers,
        wanted: Option<&WantedParts>,
    ) -> Option<BranchRun> {
        let roles = &self.set.roles.types[ty].variants[variant as usize];
        let small = roles.small.len();
        let scalars = |it: &BranchRun| &table.groups[it.group as usize].scalars;
        let of_variant = groups.iter().filter(|it| table.groups[it.group as usize].variant == variant);
        let mut by_small: Vec<(&[i128], u128, Vec<BranchRun>)> = Vec::new();
        for run in of_variant {
            let values = &scalars(run)[..small];
            match by_small.iter_mut().find(|it| it.0 == values) {
                Some(it) => {
                    it.1 += run.count;
                    it.2.push(*run);
                }
                None => by_small.push((values, run.count, vec![*run])),
            }
        }
        let place = match wanted {
            Some(it) => Some(by_small.iter().position(|one| one.0 == &it.small[..])?),
            None => None,
        };
        let counts: Vec<u128> = by_small.iter().map(|it| it.1).collect();
        let mut runs = by_small.swap_remove(self.pick(&weights(&counts), answers, place)?).2;
        let shift = if self.set.is_shifted { base } else { 0 };
        let far = |it: &BranchRun| {
            let keys = scalars(it)[small..].iter().map(|key| (key + shift, (key + shift).unsigned_abs()));
            let (mut sum, mut below) = (0_u128, 0);
            for (key, size) in keys {
                sum += size;
                below += u32::from(key < 0);
            }
            (sum, below)
        };
        runs.sort_by_key(far);
        let place = match wanted {
            Some(it) => {
                let is_it = |run: &BranchRun| {
                    scalars(run)[small..].iter().map(|key| key + shift).eq(it.keys.iter().copied())
                };
                Some(runs.iter().position(is_it)?)
            }
            None => None,
        };
        let counts: Vec<u128> = runs.iter().map(|it| it.count).collect();
        Some(runs[self.pick(&weights(&counts), answers, place)?])
    }

    /// The number of the vector of a value; none where no model has it.
    fn vector_of(&self, ty: usize, value: PartValue) -> Option<u32> {
        let all = self.set.system.measures_of(ty, value)?;
        let values = &self.set.roles.types[ty].values;
        let vector: Vec<i128> = values.iter().map(|it| all[*it].unwrap_or(super::table::UNDEFINED)).collect();
        self.set.vectors[ty].iter().position(|it| *it == vector).map(|it| it as u32)
    }

    /// What a known value is made of.
    fn parts_of<'a>(&self, ty: usize, value: PartValue<'a>) -> Option<WantedParts<'a>> {
        let types = &self.set.system.types;
        let (variant, values) = self.set.system.content(ty, value)?;
        let (mut vectors, mut numbers) = (Vec::new(), Vec::new());
        for (field, &value) in types[ty].variants[variant].fields.iter().zip(&values) {
            match field.child {
                Some(child) => {
                    vectors.push(self.vector_of(child, value)?);
                    numbers.push(0);
                }
                None => numbers.push(self.set.system.scalar(field, value)?),
            }
        }
        let roles = &self.set.roles.types[ty].variants[variant];
        let of = |all: &[usize]| all.iter().map(|it| numbers[*it]).collect::<Vec<_>>();
        Some(WantedParts { variant, small: of(&roles.small), keys: of(&roles.keys), vectors, fields: values })
    }

    /// Whether a value that was drawn is one of the spec, by its measures.
    pub(crate) fn admits(&self, value: &Value) -> bool {
        self.set.system.measures_of(0, value.into()).is_some_and(|it| self.set.system.admits(&it))
    }
}

/// The rows of models of one size, and how often each is drawn.
pub(super) struct SizedRows {
    rows: Vec<u32>,
    weights: Vec<u32>,
}

/// A known value, taken apart.
struct WantedParts<'a> {
    variant: usize,
    small: Vec<i128>,
    keys: Vec<i128>,
    vectors: Vec<u32>,
    fields: Vec<PartValue<'a>>,
}

/// The branches of one group.
#[derive(Clone, Copy)]
struct BranchRun {
    group: u32,
    from: usize,
    to: usize,
    count: u128,
    /// How many models end before the next group.
    end: u128,
}

fn runs(branches: &[ModelBranch], total: u128) -> Vec<BranchRun> {
    let mut res: Vec<BranchRun> = Vec::new();
    for (at, branch) in branches.iter().enumerate() {
        let end = branches.get(at + 1).map_or(total, |it| it.before);
        let count = end - branch.before;
        match res.last_mut() {
            Some(run) if run.group == branch.group => {
                (run.to, run.end) = (at + 1, end);
                run.count += count;
            }
            _ => res.push(BranchRun { group: branch.group, from: at, to: at + 1, count, end }),
        }
    }
    res
}

fn counts_of(branches: &[ModelBranch], end: u128) -> Vec<u128> {
    let ends = branches[1..].iter().map(|it| it.before).chain([end]);
    branches.iter().zip(ends).map(|(it, end)| end - it.before).collect()
}

/// Counts as weights: none is lost, however small its share.
fn weights(counts: &[u128]) -> Vec<u32> {
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let unit = WEIGHT_MAX / counts.len().max(1) as u128;
    let scale = most.div_ceil(unit.max(1)).max(1);
    counts.iter().map(|it| (it / scale).max(u128::from(*it > 0)) as u32).collect()
}
