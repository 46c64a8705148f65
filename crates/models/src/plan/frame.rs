//! The variables of an outline: the parts of an object that are no objects themselves, however deep they stand.

use std::sync::Arc;

use probity_spec::{CountedModels, Difference, Field, Name, Node, Op, Request, Shape, Spec, Term, Value};

/// A spec taken apart into variables and what is required of them.
pub(crate) struct RequestFrame {
    /// The spec of the request.
    pub(crate) spec: Spec,
    /// Its variables in order.
    pub(crate) vars: Vec<PlanVar>,
    /// What the object and the objects in it require, over the whole model. What a variable's own spec requires
    /// stays there.
    pub(crate) requires: Vec<Term>,
    /// Whether a spec refers to one that encloses it: then parts cannot be taken out of it.
    pub(crate) is_recursive: bool,
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct PlanVar {
    pub(crate) path: Vec<Name>,
    pub(crate) spec: Arc<Spec>,
}

impl PlanVar {
    /// For people: `event.name`.
    pub(crate) fn name(&self) -> String {
        self.path.iter().map(|it| &**it).collect::<Vec<_>>().join(".")
    }

    /// The variable as a term over the model.
    pub(crate) fn term(&self) -> Term {
        self.path.iter().fold(Term::it(), |of, name| of.field(name))
    }
}

impl RequestFrame {
    /// Takes an object apart; none if it is no object.
    pub(crate) fn of(spec: &Spec) -> Option<RequestFrame> {
        let Shape::Object(_) = spec.shape else { return None };
        let mut frame = RequestFrame {
            spec: spec.clone(),
            vars: Vec::new(),
            requires: Vec::new(),
            is_recursive: is_recursive(spec),
        };
        let mut path = Vec::new();
        frame.take_apart(spec, &mut path);
        Some(frame)
    }

    fn take_apart(&mut self, spec: &Spec, path: &mut Vec<Name>) {
        let Shape::Object(fields) = &spec.shape else { return };
        let here = path.iter().fold(Term::it(), |of, name| of.field(name));
        for term in &spec.requires {
            let term = term.replace(&|leaf| (*leaf.node() == Node::It).then(|| here.clone()));
            conjuncts(&term, &mut self.requires);
        }
        for field in fields {
            path.push(field.name.clone());
            if let Shape::Object(_) = field.spec.shape {
                self.take_apart(&field.spec, path);
            } else {
                self.vars.push(PlanVar { path: path.clone(), spec: field.spec.clone() });
            }
            path.pop();
        }
    }

    /// The variables that a term speaks about, in order.
    pub(crate) fn vars_of(&self, term: &Term) -> Vec<usize> {
        let mut chains = Vec::new();
        chains_of(term, &mut chains);
        let touches = |var: &PlanVar| {
            chains.iter().any(|chain| {
                let common = chain.len().min(var.path.len());
                chain[..common] == var.path[..common]
            })
        };
        (0..self.vars.len()).filter(|it| touches(&self.vars[*it])).collect()
    }

    /// A term about one variable, over the variable's own value.
    pub(crate) fn own(&self, term: &Term, var: usize) -> Term {
        let here = self.vars[var].term();
        term.rewrite(&|it| (*it == here).then(Term::it))
    }

    /// What of the model has requirements over measures and is not counted, and why: lines for `--explain`.
    pub(crate) fn obstacles(&self) -> Vec<String> {
        let mut terms = Vec::new();
        self.requires.iter().for_each(|it| conjuncts(it, &mut terms));
        let mut lines = Vec::new();
        obstacles(&self.spec, &mut Vec::new(), &terms, &mut lines);
        lines
    }

    /// The spec of some of the variables, which requires what it is given.
    pub(crate) fn part(&self, vars: &[usize], requires: &[Term]) -> Spec {
        // What is recursive is only ever asked for as a whole. Its requirements stay where names refer to them.
        if self.is_recursive {
            return self.spec.clone();
        }
        let paths: Vec<&[Name]> = vars.iter().map(|it| &self.vars[*it].path[..]).collect();
        let mut spec = prune(&self.spec, &paths);
        spec.requires = requires.to_vec();
        spec
    }

    /// The model of values for every variable.
    pub(crate) fn value(&self, values: &[Value]) -> Value {
        let mut next = values.iter();
        assemble(&self.spec, &mut next)
    }

    /// The request for some of the variables.
    pub(crate) fn request(&self, vars: &[usize], requires: &[Term], difference: Difference) -> Request {
        Request { spec: self.part(vars, requires), difference, n: 0 }
    }
}

fn assemble<'a>(spec: &Spec, next: &mut impl Iterator<Item = &'a Value>) -> Value {
    let Shape::Object(fields) = &spec.shape else { return Value::Bool(false) };
    let field = |it: &Field| {
        let value = if let Shape::Object(_) = it.spec.shape {
            assemble(&it.spec, next)
        } else {
            next.next().cloned().unwrap_or(Value::Bool(false))
        };
        (it.name.clone(), value)
    };
    Value::Object(fields.iter().map(field).collect())
}

/// An object with only the fields on some paths, and no requirements of its own or of objects in it.
fn prune(spec: &Spec, paths: &[&[Name]]) -> Spec {
    let Shape::Object(fields) = &spec.shape else { return spec.clone() };
    let kept = fields.iter().filter_map(|field| {
        let below: Vec<&[Name]> =
            paths.iter().filter(|it| it.first() == Some(&field.name)).map(|it| &it[1..]).collect();
        let spec = match field.spec.shape {
            Shape::Object(_) if !below.is_empty() => Arc::new(prune(&field.spec, &below)),
            _ if !below.is_empty() => field.spec.clone(),
            _ => return None,
        };
        Some(Field { spec, ..field.clone() })
    });
    Spec { name: spec.name.clone(), ..Spec::new(Shape::Object(kept.collect())) }
}

fn is_recursive(spec: &Spec) -> bool {
    match &spec.shape {
        // What is counted by measures is one value, whatever it is made of.
        Shape::Union(_) if CountedModels::of_measured(spec, &[]).is_some() => false,
        Shape::Named(_) => true,
        Shape::Option(of) | Shape::List(of) => is_recursive(of),
        Shape::Object(fields) => fields.iter().any(|it| is_recursive(&it.spec)),
        Shape::Union(cases) => cases.iter().any(|it| is_recursive(&it.1)),
        _ => false,
    }
}

/// Whether a spec has a part that represents it.
fn is_within_itself(spec: &Spec, name: &Name) -> bool {
    match &spec.shape {
        Shape::Named(it) => it == name,
        Shape::Option(of) | Shape::List(of) => is_within_itself(of, name),
        Shape::Object(fields) => fields.iter().any(|it| is_within_itself(&it.spec, name)),
        Shape::Union(cases) => cases.iter().any(|it| is_within_itself(&it.1, name)),
        _ => false,
    }
}

/// Adds the measured parts of a spec that are not counted, with what the whole model requires of them alone.
fn obstacles(spec: &Spec, path: &mut Vec<Name>, terms: &[Term], lines: &mut Vec<String>) {
    let here = path.iter().fold(Term::it(), |of, name| of.field(name));
    let is_own = |term: &&Term| {
        let mut chains = Vec::new();
        chains_of(term, &mut chains);
        !path.is_empty() && chains.iter().all(|it| it.starts_with(path))
    };
    let own = terms.iter().filter(is_own).map(|it| it.rewrite(&|it| (*it == here).then(Term::it)));
    let own: Vec<Term> = own.collect();
    if let Some(why) = CountedModels::obstacle(spec, &own) {
        lines.push(format!("{}: not counted by its measures, because {why}", path.join(".")));
    } else if let Some(name) = spec.name.as_ref().filter(|it| is_within_itself(spec, it))
        && CountedModels::of_measured(spec, &own).is_none()
    {
        let part = if path.is_empty() { "the model".to_string() } else { path.join(".") };
        lines.push(format!(
            "{part}: not counted, because `{name}` stands within itself, and nothing is required of its measures"
        ));
    } else if let Shape::Object(fields) = &spec.shape {
        for field in fields {
            path.push(field.name.clone());
            obstacles(&field.spec, path, terms, lines);
            path.pop();
        }
    }
}

/// The parts of a conjunction.
pub(crate) fn conjuncts(term: &Term, into: &mut Vec<Term>) {
    match term.node() {
        Node::Apply(Op::And, parts) => parts.iter().for_each(|it| conjuncts(it, into)),
        Node::Const(Value::Bool(true)) => {}
        _ => into.push(term.clone()),
    }
}

/// Every longest chain of fields from the model that occurs in a term.
fn chains_of(term: &Term, into: &mut Vec<Vec<Name>>) {
    match chain(term) {
        Some(chain) => into.push(chain),
        None => term.parts().iter().for_each(|it| chains_of(it, into)),
    }
}

/// The names of a chain of fields from the model, outermost first.
pub(crate) fn chain(term: &Term) -> Option<Vec<Name>> {
    match term.node() {
        Node::It => Some(Vec::new()),
        Node::Field(of, name) => {
            let mut res = chain(of)?;
            res.push(name.clone());
            Some(res)
        }
        _ => None,
    }
}
