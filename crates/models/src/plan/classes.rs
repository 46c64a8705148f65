//! Classes: all models of a few variables gone through one by one, and the largest set of different ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::clique::PairGraph;
use super::differ::Differ;
use super::frame::RequestFrame;
use super::recipe::Draft;
use super::shuffle::{Permutation, mix};
use super::space::{LISTED_MAX, ValueSpace, product, room};
use super::work::WorkBudget;
use probity_spec::Random;
use probity_spec::regex::Count;
use probity_spec::{Model, Name, Request, Term, Value};

/// Models in classes: one of each class makes a set of which every pair differs.
pub(crate) struct Classes {
    placement: Placement,
    classes: Arc<Vec<Vec<Model>>>,
    /// Whether the difference is a key.
    pub(crate) is_perfect: bool,
    /// Why there may be a larger set, if it is not certain.
    pub(crate) why: Option<String>,
}

/// More classes than this are not compared pair by pair.
const COMPARED_MAX: usize = 2_000;

/// Choices that one value may have made.
const CHOICES_MAX: usize = 1_000;

/// Models, with their choices, that are gone through.
const MODELS_MAX: usize = 50_000;

const TOO_MANY: &str = "there are too many values to go through";

/// The choices of a model and what a difference looks at in it.
pub(crate) type Key = (Vec<u64>, Vec<Option<Value>>);

/// The part of a request that concerns some variables.
pub(crate) struct RequestPart<'a> {
    pub(crate) frame: &'a RequestFrame,
    pub(crate) vars: &'a [usize],
    pub(crate) requires: &'a [Term],
    pub(crate) differ: &'a Differ,
}

impl RequestPart<'_> {
    pub(crate) fn request(&self) -> Request {
        self.frame.request(self.vars, self.requires, self.differ.difference())
    }

    /// All models, if they are few; or why not.
    pub(crate) fn models(&self, request: &Request, work: &WorkBudget) -> Result<Vec<Model>, String> {
        let mut spaces = Vec::new();
        for &var in self.vars {
            let own: Vec<Term> =
                self.requires.iter().filter(|it| self.frame.vars_of(it) == [var]).cloned().collect();
            let own: Vec<Term> = own.iter().map(|it| self.frame.own(it, var)).collect();
            spaces.push(ValueSpace::of(&self.frame.vars[var].spec, &own, work)?);
        }
        let many = room(&product(spaces.iter().map(ValueSpace::count)));
        if many > LISTED_MAX {
            return Err(TOO_MANY.to_string());
        }
        let values: Option<Vec<Vec<Value>>> = spaces.iter().map(ValueSpace::all).collect();
        let values = values.ok_or(TOO_MANY)?;
        let part = RequestFrame::of(&request.spec).ok_or("it is no object")?;
        let mut models = Vec::new();
        for index in 0..many {
            work.spend(1 + self.requires.len() as u64)?;
            let mut rest = index;
            let pick = |values: &Vec<Value>| {
                let at = rest % values.len() as u64;
                rest /= values.len() as u64;
                values[at as usize].clone()
            };
            let value = part.value(&values.iter().map(pick).collect::<Vec<_>>());
            let holds = |it: &Term| it.eval_in(&request.spec, &value, None) == Some(Value::Bool(true));
            if !self.requires.iter().all(holds) {
                continue;
            }
            let choices = request.choices_of(&value, CHOICES_MAX);
            if choices.len() >= CHOICES_MAX || models.len() + choices.len() > MODELS_MAX {
                return Err(TOO_MANY.to_string());
            }
            work.spend(choices.len() as u64)?;
            models.extend(choices.into_iter().map(|choices| Model { value: value.clone(), choices }));
        }
        Ok(models)
    }
}

/// A largest set out of all models of a request.
pub(crate) struct Largest {
    /// One of each makes the set.
    pub(crate) classes: Vec<Vec<Model>>,
    /// Why there may be a larger one.
    pub(crate) why: Option<String>,
    /// Whether models that agree in all that the difference speaks about relate.
    pub(crate) relates_equals: bool,
}

/// The largest set of different models out of some, or one of `n`.
pub(crate) fn largest(
    request: &Request,
    differ: &Differ,
    is_key: bool,
    models: Vec<Model>,
    n: u64,
    work: &WorkBudget,
) -> Largest {
    let mut classes: BTreeMap<Key, Vec<Model>> = BTreeMap::new();
    for model in models {
        let key = differ.key(&request.spec, &model);
        classes.entry((model.choices.clone(), key)).or_default().push(model);
    }
    let classes: Vec<Vec<Model>> = classes.into_values().collect();
    if is_key {
        return Largest { classes, why: None, relates_equals: false };
    }
    let all_differ = |it: &Vec<Model>| request.relates(&it[0], &it[0]);
    let alike: Vec<bool> = classes.iter().map(all_differ).collect();
    let relates_equals = alike.contains(&true);
    if classes.len() > COMPARED_MAX {
        let why = format!("more than {COMPARED_MAX} classes of models were not compared pair by pair");
        return Largest { classes: greedy(request, classes, n, work), why: Some(why), relates_equals };
    }
    let weight = |(class, all): (&Vec<Model>, &bool)| if *all { class.len() as u64 } else { 1 };
    let mut graph = PairGraph::new(classes.iter().zip(&alike).map(weight).collect());
    let mut is_whole = true;
    'all: for one in 0..classes.len() {
        for two in 0..one {
            if !work.go_on(1) {
                // Those that were not compared with all before go with none.
                is_whole = false;
                break 'all;
            }
            if request.differ(&classes[one][0], &classes[two][0]) {
                graph.join(one, two);
            }
        }
    }
    let clique = graph.clique(n, work);
    let why = match (is_whole && clique.is_largest, clique.is_enough) {
        (true, _) => None,
        (false, true) => Some("the search for a larger set was ended with that one".to_string()),
        (false, false) => Some(work.why()),
    };
    let mut chosen = Vec::new();
    for at in clique.members {
        if alike[at] {
            chosen.extend(classes[at].iter().map(|it| vec![it.clone()]));
        } else {
            chosen.push(classes[at].clone());
        }
    }
    Largest { classes: chosen, why, relates_equals }
}

/// One after the other, each if it differs from those before.
fn greedy(request: &Request, classes: Vec<Vec<Model>>, n: u64, work: &WorkBudget) -> Vec<Vec<Model>> {
    let mut res: Vec<Vec<Model>> = Vec::new();
    for class in classes {
        if res.len() as u64 >= n || !work.go_on(res.len() as u64) {
            break;
        }
        if res.iter().all(|it| request.differ(&it[0], &class[0])) {
            res.push(class);
        }
    }
    res
}

impl Classes {
    /// Goes through all models; the error says why not.
    pub(crate) fn of(part: &RequestPart, n: u64, work: &WorkBudget) -> Result<Classes, String> {
        let request = part.request();
        let models = part.models(&request, work)?;
        let is_key = part.differ.is_key(part.frame);
        let largest = largest(&request, part.differ, is_key, models, n, work);
        // Models that agree in all that the difference speaks about relate: so the other variables matter too.
        if largest.relates_equals && part.vars.len() < part.frame.vars.len() {
            return Err("models that agree in everything it speaks about relate".to_string());
        }
        Ok(Classes {
            placement: Placement::of(part),
            classes: Arc::new(largest.classes),
            is_perfect: is_key,
            why: largest.why,
        })
    }

    pub(crate) fn count(&self) -> Result<Count, String> {
        match &self.why {
            None => Ok(Count::Finite(self.classes.len().into())),
            Some(why) => Err(why.clone()),
        }
    }

    pub(crate) fn sample_distinct(&self, n: u64, seed: u64) -> ClassSample {
        let order = Permutation::new(self.classes.len() as u128, mix(seed));
        let len = n.min(self.classes.len() as u64);
        ClassSample { placement: self.placement.clone(), classes: self.classes.clone(), order, len }
    }
}

/// A sample of classes.
pub(crate) struct ClassSample {
    placement: Placement,
    classes: Arc<Vec<Vec<Model>>>,
    order: Permutation,
    len: u64,
}

impl ClassSample {
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Takes any model of the class at a place.
    pub(crate) fn fill(&self, index: u64, draft: &mut Draft, random: &mut Random) -> bool {
        let class = &self.classes[self.order.at(index.into()) as usize];
        self.placement.fill(&class[random.index(class.len())], draft);
        true
    }
}

/// Where the values and choices of a part's models belong in the whole.
#[derive(Clone, Debug)]
pub(crate) struct Placement {
    vars: Vec<(usize, Vec<Name>)>,
    places: Vec<usize>,
}

impl Placement {
    pub(crate) fn of(part: &RequestPart) -> Placement {
        let vars = part.vars.iter().map(|it| (*it, part.frame.vars[*it].path.clone())).collect();
        Placement { vars, places: part.differ.places() }
    }

    /// Writes a model of the part into a draft of the whole.
    pub(crate) fn fill(&self, model: &Model, draft: &mut Draft) {
        for (var, path) in &self.vars {
            if let Some(value) = path.iter().try_fold(&model.value, |of, name| of.field(name)) {
                draft.values[*var] = value.clone();
            }
        }
        self.places.iter().zip(&model.choices).for_each(|(at, choice)| draft.choices[*at] = *choice);
    }
}
