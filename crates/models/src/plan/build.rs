//! Planning: which part of a request becomes which recipe.

use super::classes::{Classes, RequestPart};
use super::cover::CoverPlan;
use super::differ::{Differ, all, any};
use super::frame::{RequestFrame, chain, conjuncts};
use super::groups::Groups;
use super::pack::in_whole_numbers;
use super::recipe::Plan;
use super::search::SearchPlan;
use super::space::{ValueSpace, room};
use super::work::WorkBudget;
use probity_spec::NumericKind;
use probity_spec::regex::Count;
use probity_spec::{Branch, Decimal, Op, Relation, RelationKind, Term, Value};

/// Makes plans, and says what became what.
pub(crate) struct Planner<'a> {
    frame: &'a RequestFrame,
    n: u64,
    /// What the solver is called.
    solver: &'a str,
    work: &'a WorkBudget<'a>,
    /// Whether the variables at hand need not differ.
    is_free: bool,
    /// Branches of enumerations that were planned so far.
    branches: usize,
    /// Lines for people.
    pub(crate) lines: Vec<String>,
}

/// Covers of at most this many leaves become listed choices where more than the leaf matters.
const LISTED_LEAVES: u64 = 256;

/// Enumerations that are combined have a plan for every combination of their branches, up to this many.
const BRANCHES_MAX: usize = 5_000;

/// At most this many lines explain a plan.
const LINES_MAX: usize = 60;

impl<'a> Planner<'a> {
    pub(crate) fn new(
        frame: &'a RequestFrame,
        n: u64,
        solver: &'a str,
        work: &'a WorkBudget<'a>,
    ) -> Planner<'a> {
        Planner { frame, n, solver, work, is_free: false, branches: 0, lines: Vec::new() }
    }

    /// A plan for some variables that satisfy `requires` and relate by `differ`.
    pub(crate) fn plan(&mut self, vars: &[usize], requires: &[Term], differ: &Differ) -> Plan {
        let mut terms = Vec::new();
        requires.iter().for_each(|it| conjuncts(it, &mut terms));
        let (fixed, requires): (Vec<Term>, Vec<Term>) =
            terms.into_iter().partition(|it| self.frame.vars_of(it).is_empty());
        let holds = |it: &Term| it.eval(&Value::Object(Vec::new()), None) == Some(Value::Bool(true));
        if !fixed.iter().all(holds) {
            return Plan::Nothing;
        }
        if self.frame.is_recursive {
            self.lines.extend(self.frame.obstacles());
        }
        if differ.has_part_for_equals() || self.frame.is_recursive {
            return self.leaf_with_free(vars, &requires, differ);
        }
        let groups = Groups::of(self.frame, vars, &requires, differ);
        let plan = self.tree(&groups, &requires, differ);
        self.with_free(plan, &groups, &groups.free(differ, self.frame), &requires)
    }

    /// Adds any values of the variables that the difference leaves alone.
    fn with_free(&mut self, plan: Plan, groups: &Groups, free: &[Vec<usize>], requires: &[Term]) -> Plan {
        let mut plans = Vec::new();
        for vars in free {
            let own = groups.requires(self.frame, vars, requires);
            self.is_free = true;
            plans.push(self.leaf(vars, &own, &Differ::default(self.frame, vars)));
            self.is_free = false;
        }
        if plans.is_empty() { plan } else { Plan::With(Box::new(plan), plans) }
    }

    /// One plan for all that the difference speaks about, and free ones for the rest.
    fn leaf_with_free(&mut self, vars: &[usize], requires: &[Term], differ: &Differ) -> Plan {
        let groups = Groups::of(self.frame, vars, requires, &Differ::Never);
        let spoken: Vec<usize> = differ.vars(self.frame);
        let (own, free): (Vec<Vec<usize>>, Vec<Vec<usize>>) =
            groups.all().into_iter().partition(|it| it.iter().any(|it| spoken.contains(it)));
        let own: Vec<usize> = sorted(own.concat());
        if !self.frame.is_recursive && own.len() < vars.len() {
            let part_requires = groups.requires(self.frame, &own, requires);
            let part = RequestPart { frame: self.frame, vars: &own, requires: &part_requires, differ };
            if let Ok(classes) = Classes::of(&part, self.n, self.work) {
                self.explain(&own, "planned: all models compared pair by pair");
                return self.with_free(Plan::Classes(classes), &groups, &free, requires);
            }
        }
        let part = RequestPart { frame: self.frame, vars, requires, differ };
        self.listed_or_searched(&part, "models that agree in all it speaks about may differ".to_string())
    }

    fn tree(&mut self, groups: &Groups, requires: &[Term], differ: &Differ) -> Plan {
        if let Differ::Never = differ {
            return Plan::One;
        }
        let spoken = groups.spoken(self.frame, differ);
        if let [group] = spoken[..] {
            let vars = groups.members(group);
            let own = groups.requires(self.frame, &vars, requires);
            return self.leaf(&vars, &own, differ);
        }
        let (parts, is_any) = match differ {
            Differ::Any(parts) => (parts, true),
            Differ::All(parts) => (parts, false),
            // Choices among nothing, say.
            other => return self.leaf(&[], &[], other),
        };
        let combine = |parts: Vec<Differ>| if is_any { any(parts) } else { all(parts) };
        let mut children: Vec<(Vec<usize>, Vec<Differ>)> = Vec::new();
        for part in parts {
            let spoken = groups.spoken(self.frame, part);
            match children.iter_mut().find(|it| it.0 == spoken && spoken.len() == 1) {
                Some(child) => child.1.push(part.clone()),
                None => children.push((spoken, vec![part.clone()])),
            }
        }
        let differs: Vec<Differ> = children.into_iter().map(|it| combine(it.1)).collect();
        // A part that holds for equal values is no set of its own: it can hold for any number of models.
        if !is_any && differs.iter().any(Differ::may_relate_equals) {
            let vars = sorted(spoken.into_iter().flat_map(|it| groups.members(it)).collect());
            let own = groups.requires(self.frame, &vars, requires);
            return self.leaf(&vars, &own, differ);
        }
        let plans: Vec<Plan> = differs.iter().map(|it| self.tree(groups, requires, it)).collect();
        if !is_any {
            return Plan::Zip(plans);
        }
        // A product is exact when all parts but one are perfect; the others are looked at together.
        let wild = |it: usize| !plans[it].is_perfect();
        let (wild, tame): (Vec<usize>, Vec<usize>) = (0..plans.len()).partition(|it| wild(*it));
        if wild.len() < 2 {
            return Plan::Product(plans);
        }
        let together = any(wild.iter().map(|it| differs[*it].clone()).collect());
        let vars = sorted(
            groups.spoken(self.frame, &together).into_iter().flat_map(|it| groups.members(it)).collect(),
        );
        let own = groups.requires(self.frame, &vars, requires);
        let together = self.leaf(&vars, &own, &together);
        let kept = plans.into_iter().enumerate().filter(|it| tame.contains(&it.0)).map(|it| it.1);
        Plan::Product(kept.chain([together]).collect())
    }

    /// A plan for variables that depend on each other.
    fn leaf(&mut self, vars: &[usize], requires: &[Term], differ: &Differ) -> Plan {
        match differ {
            Differ::Listed(at, branches) => return self.sum(vars, requires, *at, branches, &[]),
            Differ::Any(parts) => {
                let is_listed = |it: &Differ| matches!(it, Differ::Listed(..));
                if let Some(place) = parts.iter().position(is_listed) {
                    let mut rest = parts.clone();
                    if let Differ::Listed(at, branches) = rest.remove(place) {
                        return self.sum(vars, requires, at, &branches, &rest);
                    }
                }
            }
            _ => {}
        }
        if let [var] = vars {
            let own: Vec<Term> = requires.iter().map(|it| self.frame.own(it, *var)).collect();
            match ValueSpace::of(&self.frame.vars[*var].spec, &own, self.work) {
                Ok(space) => {
                    if let Some(plan) = self.one_variable(*var, space, differ) {
                        return plan;
                    }
                }
                Err(why) if why.is_empty() => {}
                Err(why) => {
                    let part = RequestPart { frame: self.frame, vars, requires, differ };
                    if let Some(plan) = self.cover_as_listed(&part) {
                        return plan;
                    }
                    return self.listed_or_searched(&part, why);
                }
            }
        }
        let part = RequestPart { frame: self.frame, vars, requires, differ };
        if let Some(plan) = self.cover_as_listed(&part) {
            return plan;
        }
        let why =
            if vars.len() > 1 { "they depend on each other" } else { "the difference has no simpler form" };
        self.listed_or_searched(&part, why.to_string())
    }

    /// The sum over the branches of an enumeration; `rest` are other differences of which one may hold instead.
    fn sum(
        &mut self,
        vars: &[usize],
        requires: &[Term],
        at: usize,
        branches: &[(Branch, Differ)],
        rest: &[Differ],
    ) -> Plan {
        self.branches += branches.len();
        if self.branches > BRANCHES_MAX {
            let listed = Differ::Listed(at, branches.to_vec());
            let differ = any([std::slice::from_ref(&listed), rest].concat());
            let part = RequestPart { frame: self.frame, vars, requires, differ: &differ };
            return self.listed_or_searched(&part, "there are too many choices to plan".to_string());
        }
        let mut plans = Vec::new();
        for (choice, (branch, differ)) in branches.iter().enumerate() {
            let requires = [requires, std::slice::from_ref(&branch.requires)].concat();
            let differ = any([std::slice::from_ref(differ), rest].concat());
            plans.push((choice as u64, self.plan(vars, &requires, &differ)));
        }
        Plan::Sum(at, plans)
    }

    /// Covers beside other differences, or of a text that is not a variable, as choices among their leaves.
    fn cover_as_listed(&mut self, part: &RequestPart) -> Option<Plan> {
        let parts =
            if let Differ::Any(parts) = part.differ { parts.clone() } else { vec![part.differ.clone()] };
        let place = parts.iter().position(|it| matches!(it, Differ::Cover(..)))?;
        let mut rest = parts;
        let Differ::Cover(at, on, cover) = rest.remove(place) else { return None };
        let many = room(&cover.count());
        if many > LISTED_LEAVES {
            return None;
        }
        let branch = |leaf: u64| {
            let leaf = cover.leaf(leaf)?;
            let requires = on.clone().matches(leaf.regex);
            Some((
                Branch { requires, differ: probity_spec::Difference::Never, label: leaf.label },
                Differ::Never,
            ))
        };
        let branches: Option<Vec<(Branch, Differ)>> = (0..many).map(branch).collect();
        Some(self.sum(part.vars, part.requires, at, &branches?, &rest))
    }

    /// A plan for one variable, if its values can be constructed and the difference is of a known kind.
    fn one_variable(&mut self, var: usize, space: ValueSpace, differ: &Differ) -> Option<Plan> {
        let it = self.frame.vars[var].term();
        let parts = if let Differ::Any(parts) = differ { &parts[..] } else { std::slice::from_ref(differ) };
        let relation =
            |part: &'_ Differ| if let Differ::Relation(it) = part { Some(it.clone()) } else { None };
        let relations: Option<Vec<Relation>> = parts.iter().map(relation).collect();
        if let (None, Differ::Cover(at, on, cover), ValueSpace::Words(words)) = (&relations, differ, &space)
            && *on == it
        {
            self.explain(&[var], &format!("planned: one text for each leaf of {cover}"));
            return Some(Plan::Cover(CoverPlan::new(*at, var, cover.clone(), words.clone(), self.work)));
        }
        let relations = relations?;
        let is_len = |on: &Term| *on == Term::apply(Op::Len, [it.clone()]);
        let not_equal = |relation: &Relation| match &relation.kind {
            RelationKind::NotEqual => relation.on == it,
            RelationKind::Distance(by) => {
                relation.on == it
                    && kind_of(&space).is_some_and(|kind| in_whole_numbers(*by, kind) == Some(1))
            }
            _ => false,
        };
        // All others are functions of the value: where they differ, so does it.
        let is_key = relations.iter().all(|it| !Differ::Relation(it.clone()).may_relate_equals());
        if is_key && relations.iter().any(not_equal) {
            let what = if self.is_free { "any values" } else { "different values, by number" };
            self.explain(&[var], &format!("planned: {what}"));
            return Some(Plan::Values(var, space));
        }
        let [relation] = &relations[..] else { return None };
        let has_lengths =
            matches!(space, ValueSpace::Words(_) | ValueSpace::List { .. } | ValueSpace::Ordered(_));
        match &relation.kind {
            RelationKind::DifferentLengths if relation.on == it && has_lengths => {
                self.explain(&[var], "planned: one value for each length");
                Some(Plan::Lengths(var, space))
            }
            RelationKind::NotEqual if is_len(&relation.on) && has_lengths => {
                self.explain(&[var], "planned: one value for each length");
                Some(Plan::Lengths(var, space))
            }
            RelationKind::Distance(by) if relation.on == it && *by > Decimal::new(0, 0) => {
                let ValueSpace::Ints { set, kind, open } = space else { return None };
                let distance = in_whole_numbers(*by, kind)?;
                self.explain(&[var], &format!("planned: numbers packed at distance {by}"));
                Some(Plan::Apart { var, kind, set, open, distance })
            }
            _ => None,
        }
    }

    /// Goes through all models if they are few; leaves it to a solver otherwise.
    fn listed_or_searched(&mut self, part: &RequestPart, why: String) -> Plan {
        match if self.frame.is_recursive { Err(String::new()) } else { Classes::of(part, self.n, self.work) }
        {
            Ok(classes) => {
                let what = match (part.differ, classes.count()) {
                    (
                        Differ::Relation(Relation { on, kind: RelationKind::NotEqual }),
                        Ok(Count::Finite(many)),
                    ) if chain(on).is_some() => {
                        let path = chain(on).unwrap_or_default();
                        let key = path.last().map_or_else(String::new, |it| it.to_string());
                        format!("planned: one for each of {many} values of {key}")
                    }
                    _ => format!("planned: all models gone through, because {why}"),
                };
                self.explain(part.vars, &what);
                Plan::Classes(classes)
            }
            Err(_) => {
                self.explain(part.vars, &format!("left to {}: {why}", self.solver));
                Plan::Search(Box::new(SearchPlan::new(part, why)))
            }
        }
    }

    fn explain(&mut self, vars: &[usize], what: &str) {
        let names: Vec<String> = vars.iter().map(|it| self.frame.vars[*it].name()).collect();
        let line = format!("{}: {what}", names.join(", "));
        if self.lines.len() < LINES_MAX && !self.lines.contains(&line) {
            self.lines.push(line);
        }
    }
}

fn kind_of(space: &ValueSpace) -> Option<NumericKind> {
    if let ValueSpace::Ints { kind, .. } = space { Some(*kind) } else { None }
}

fn sorted(mut vars: Vec<usize>) -> Vec<usize> {
    vars.sort_unstable();
    vars.dedup();
    vars
}
