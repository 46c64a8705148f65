//! Counting by measures: how many values a recursive type has whose requirements reach across levels, which is the n-th, and
//! how one is drawn without a miss.
//!
//! A red-black tree requires that its subtrees have as many black nodes, and that keys are in order. Drawn and refused, there
//! is one in millions. Counted, there are 175,793,847,372 of depth 12 over 25 keys, and each is found by its number.
//!
//! What is counted: enums and structs whose fields are whole numbers, truths, plain enums, or such types again, options and lists of
//! them, with requirements about one level: its own fields and measures of its children. Everything else is drawn by
//! filters, or solved.

mod draw;
mod expr;
mod lists;
mod measured;
mod roles;
mod table;
mod types;

pub(crate) use measured::Measurer;

use draw::SizedRows;
use table::{BRANCHES_MAX, TableSet};
use types::{CountedField, ScalarShape, TypeKind, TypeSystem};

use crate::spec::DEPTH;
use crate::{Name, Spec, Term, Value};

/// How many items are counted of a list without a bound: as many as can be.
const ITEMS: [u32; 3] = [6, 3, 2];
/// Where there are more ways to build a value than this, its size is not told apart: it would take more than a tenth of a second.
const SIZED_BRANCHES_MAX: usize = 1_000_000;

/// The values of a recursive spec, counted.
///
/// ```
/// use probity_spec::{CountedModels, Shape, Spec, Term, Value, draw::rust};
/// // A list of falling digits, whose greatest is its first.
/// let it = Term::it();
/// let first = Term::new(probity_spec::Node::As(it.clone(), "More".into()));
/// let more = Spec::object([("head", Spec::new(Shape::int(0, 9))), ("tail", Spec::new(Shape::Named("List".into())))]);
/// let more = more.require(it.clone().field("tail").measure("most").lt(it.clone().field("head")));
/// let most = rust::greatest(first.clone().field("head"), first.field("tail").measure("most"));
/// let is_more = Term::new(probity_spec::Node::Is(it, "More".into()));
/// let list = rust::union([("End", Spec::object::<&str>([])), ("More", more)])
///     .named("List")
///     .measured("most", Term::apply(probity_spec::Op::Ite, [is_more, most, Term::int(-1)]));
/// let lists = CountedModels::new(&list, &[], 3).unwrap();
/// assert_eq!(lists.total(), 1 + 10 + 45 + 120);
/// let all: Vec<Value> = (0..lists.total()).filter_map(|it| lists.nth(it)).collect();
/// assert!(all.len() == 176 && all.iter().all(|it| list.admits(it).is_ok()));
/// ```
pub struct CountedModels {
    set: TableSet,
    query: u32,
    bounds: Vec<i128>,
    /// The rows of its table that meet what is required of the whole, with how many models were before.
    rows: Vec<(u32, u128)>,
    /// The same by size.
    sizes: Vec<SizedRows>,
    total: u128,
    is_cut: bool,
}

impl std::fmt::Debug for CountedModels {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{} models", self.total)
    }
}

impl CountedModels {
    /// The values of a spec for which `more` holds and that stand within their own kind at most `depth` deep. The error
    /// says what cannot be counted.
    pub fn new(spec: &Spec, more: &[Term], depth: u32) -> Result<CountedModels, String> {
        CountedModels::of(TypeSystem::new(spec, more, None)?, depth, BRANCHES_MAX)
    }

    /// The values of a spec with requirements over measures, as they are drawn: as deep as the spec says, and of numbers that
    /// have no end those around zero. None where nothing is required of measures, or they cannot be counted.
    ///
    /// ```
    /// use probity_spec::{CountedModels, Shape, Spec, Term};
    /// let (digit, it) = (|| Spec::new(Shape::int(0, 9)), Term::it);
    /// let pair = Spec::object([("a", digit()), ("b", digit())]);
    /// let pair = pair.measured("sum", it().field("a").plus(it().field("b"))).named("Pair").within(1);
    /// let pairs = CountedModels::of_measured(&pair, &[it().measure("sum").eq(Term::int(7))]).unwrap();
    /// assert_eq!((pairs.total(), pairs.is_cut()), (8, false));
    /// assert!(CountedModels::of_measured(&pair, &[]).is_none(), "nothing is required of the sum");
    /// ```
    pub fn of_measured(spec: &Spec, more: &[Term]) -> Option<CountedModels> {
        if is_measured(spec, more) { CountedModels::as_deep(spec, more, false).ok() } else { None }
    }

    /// The same, by their sizes where these are not too many to tell apart: as they are drawn by choices, the size first.
    pub(crate) fn by_size(spec: &Spec, more: &[Term]) -> Option<CountedModels> {
        if !is_measured(spec, more) {
            return None;
        }
        CountedModels::as_deep(spec, more, true).or_else(|_| CountedModels::as_deep(spec, more, false)).ok()
    }

    /// Why the values of a spec with requirements over measures are not counted; none where they are, or nothing is required of
    /// measures.
    ///
    /// ```
    /// use probity_spec::{CountedModels, Shape, Spec, Term};
    /// let it = Term::it;
    /// let named = Spec::object([("name", Spec::new(Shape::Text))]);
    /// let named = named.measured("length", it().field("name").len()).named("Named");
    /// assert_eq!(CountedModels::obstacle(&named, &[]), None, "nothing is required of the length");
    /// let why = CountedModels::obstacle(&named, &[it().measure("length").eq(Term::int(7))]).unwrap();
    /// assert_eq!(why, "`name` is neither a number, a truth, a plain enum, a list nor a counted type");
    /// ```
    pub fn obstacle(spec: &Spec, more: &[Term]) -> Option<String> {
        if is_measured(spec, more) { CountedModels::as_deep(spec, more, false).err() } else { None }
    }

    fn as_deep(spec: &Spec, more: &[Term], is_sized: bool) -> Result<CountedModels, String> {
        let wanted = spec.depth.unwrap_or(DEPTH);
        let counted = |depth: u32, items: u32| {
            let mut system = TypeSystem::new(spec, more, Some(items)).map_err(|it| (it, false))?;
            let has_open_lists = system.is_cut;
            let is_cut = system.cut();
            if is_sized {
                system.measure_sizes();
            }
            let branches_max = if is_sized { SIZED_BRANCHES_MAX } else { BRANCHES_MAX };
            let res = CountedModels::of(system, depth, branches_max).map_err(|it| (it, has_open_lists))?;
            // There are deeper ones.
            Ok(CountedModels { is_cut: is_cut || spec.depth.is_none(), ..res })
        };
        // What is too much at that depth, or of lists that long, may not be at another.
        let least = if spec.depth.is_some() || is_sized { wanted } else { 1 };
        let mut first = None;
        for depth in (least..=wanted).rev() {
            for items in ITEMS {
                let (why, has_open_lists) = match counted(depth, items) {
                    Ok(res) => return Ok(res),
                    Err(it) => it,
                };
                first.get_or_insert(why);
                if !has_open_lists {
                    break;
                }
            }
        }
        Err(first.unwrap_or_default())
    }

    fn of(system: TypeSystem, depth: u32, branches_max: usize) -> Result<CountedModels, String> {
        let mut set = TableSet::new(system, branches_max)?;
        let mut bounds = set.open(0);
        for at in 0..set.roles.windows.len() {
            let roles::Window { measure, end, gap, .. } = set.roles.windows[at];
            if let roles::BoundPart::Const(end) = end {
                let side = set.roles.types[0].bounds.iter().find(|it| it.0 == measure).map(|it| it.1);
                let gap = if side == Some(roles::BoundSide::Most) { -gap } else { gap };
                set.narrow(0, &mut bounds, measure, end.saturating_add(gap));
            }
        }
        let query = set.query(0, depth, &bounds)?;
        let (mut rows, mut total) = (Vec::new(), 0_u128);
        for (at, row) in set.tables[query as usize].rows.iter().enumerate() {
            if set.accepts(row.vector) {
                rows.push((at as u32, total));
                total = total.checked_add(row.total).ok_or("there are too many models to count")?;
            }
        }
        set.finish();
        let mut res = CountedModels { set, query, bounds, rows, sizes: Vec::new(), total, is_cut: false };
        res.sizes = res.sized_rows();
        Ok(res)
    }

    /// How many there are.
    pub fn total(&self) -> u128 {
        self.total
    }

    /// Whether there may be more than are counted: deeper ones, where the spec does not say how deep they are, or larger
    /// numbers. See [`of_measured`](CountedModels::of_measured).
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The n-th of them.
    pub fn nth(&self, n: u128) -> Option<Value> {
        if n >= self.total {
            return None;
        }
        let at = self.rows.partition_point(|it| it.1 <= n) - 1;
        let (row, before) = self.rows[at];
        let row = self.set.tables[self.query as usize].rows[row as usize].vector;
        Some(self.build(0, self.query, row, n - before, &self.bounds))
    }

    /// The n-th model of a row.
    fn build(&self, ty: usize, query: u32, vector: u32, n: u128, bounds: &[i128]) -> Value {
        let table = &self.set.tables[query as usize];
        let row = &table.rows[table.rows.partition_point(|it| it.vector < vector)];
        let branch = row.branches[row.branches.partition_point(|it| it.before <= n) - 1];
        let mut n = n - branch.before;
        let group = &table.groups[branch.group as usize];
        let variant = group.variant as usize;
        let scalars = self.scalars(ty, variant, &group.scalars, bounds);
        let fields = &self.set.system.types[ty].variants[variant].fields;
        let mut values = Vec::with_capacity(fields.len());
        let mut child = 0;
        for (at, field) in fields.iter().enumerate() {
            let value = match (field.child, scalars[at]) {
                (Some(of), _) => {
                    let query = group.queries[child];
                    let vector = table.vectors[branch.at as usize + child];
                    child += 1;
                    let total = self.count(query, vector);
                    let bounds = self.set.child_bounds(ty, variant, at, bounds, &scalars);
                    let value = self.build(of, query, vector, n % total, &bounds);
                    n /= total;
                    value
                }
                (None, Some(it)) => self.scalar(field, it),
                (None, None) => {
                    let count = field.set.count();
                    let it = field.set.nth(n % count).unwrap_or_default();
                    n /= count;
                    self.scalar(field, it)
                }
            };
            values.push((field.name.clone(), value));
        }
        self.object(ty, variant, values)
    }

    fn count(&self, query: u32, vector: u32) -> u128 {
        let rows = &self.set.tables[query as usize].rows;
        rows[rows.partition_point(|it| it.vector < vector)].total
    }

    /// The scalars of a group by field, where its windows are these.
    fn scalars(&self, ty: usize, variant: usize, values: &[i128], bounds: &[i128]) -> Vec<Option<i128>> {
        let mut res = self.set.scalars(ty, variant, values);
        if self.set.is_shifted {
            let base = self.set.base(ty, bounds);
            for key in &self.set.roles.types[ty].variants[variant].keys {
                res[*key] = res[*key].map(|it| it + base);
            }
        }
        res
    }

    fn scalar(&self, field: &CountedField, it: i128) -> Value {
        match field.kind {
            ScalarShape::Int => Value::Int(it),
            ScalarShape::Bool => Value::Bool(it == 1),
            ScalarShape::Case => Value::Case(self.set.system.cases[it as usize].clone()),
        }
    }

    fn object(&self, ty: usize, variant: usize, fields: Vec<(Name, Value)>) -> Value {
        let ty = &self.set.system.types[ty];
        match ty.kind {
            TypeKind::Object => Value::Object(fields),
            TypeKind::Union => {
                Value::Union(ty.variants[variant].name.clone(), Box::new(Value::Object(fields)))
            }
            TypeKind::Option => Value::Option(fields.into_iter().next().map(|it| Box::new(it.1))),
            TypeKind::List(..) => {
                let mut parts = fields.into_iter().map(|it| it.1);
                let first = parts.next();
                let mut items = match parts.next() {
                    Some(Value::List(rest)) => rest,
                    _ => Vec::new(),
                };
                first.into_iter().for_each(|it| items.insert(0, it));
                Value::List(items)
            }
        }
    }
}

fn is_measured(spec: &Spec, more: &[Term]) -> bool {
    !spec.measures.is_empty() && requires_measures(spec, more)
}

/// Whether a spec, or a part of it, requires something of measures.
fn requires_measures(spec: &Spec, more: &[Term]) -> bool {
    let calls = |it: &Term| matches!(it.node(), crate::Node::Measure(..));
    let parts: Vec<&Spec> = match &spec.shape {
        crate::Shape::Option(of) | crate::Shape::List(of) => vec![of],
        crate::Shape::Object(fields) => fields.iter().map(|it| &*it.spec).collect(),
        crate::Shape::Union(cases) => cases.iter().map(|it| &*it.1).collect(),
        _ => Vec::new(),
    };
    spec.requires.iter().chain(more).any(|it| it.mentions(&calls))
        || parts.into_iter().any(|it| requires_measures(it, &[]))
}
