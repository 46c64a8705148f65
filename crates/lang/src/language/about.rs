//! Words about texts, lists, options, dates, objects and unions, and the constraints that are built in.

use super::interp::{Interp, Res};
use super::sort::Sort;
use super::terms::{matches, sym_term, symbolic_of};
use super::value::{Arg, LangValue, TermSize, Typed};
use super::words::{Id, Word};
use super::{Diagnostic, Span};
use probity_spec::Structure;
use probity_spec::{Decimal, Difference, Duration, Name, Node, Op, Relation, RelationKind, Term, Value};

impl Interp<'_> {
    pub(crate) fn about(&mut self, word: &'static Word, args: &[Arg], span: Span) -> Res<LangValue> {
        let name = word.names[0];
        let any_list = Sort::List(Sort::Any.into());
        let (op, typed, sort) = match word.id {
            Id::Length => {
                if let LangValue::List(items) = &args[0].val {
                    return Ok(LangValue::constant(Value::Int(items.len() as i128)));
                }
                (Op::Len, vec![self.of_sort(&args[0], name, &[Sort::Text, any_list])?], Sort::Int)
            }
            Id::StringAppend => return self.texts(Op::Concat, name, args, span, Sort::Text),
            Id::StartsWith => return self.texts(Op::StartsWith, name, args, span, Sort::Bool),
            Id::EndsWith => return self.texts(Op::EndsWith, name, args, span, Sort::Bool),
            Id::Contains => return self.texts(Op::Contains, name, args, span, Sort::Bool),
            Id::IndexOf => return self.texts(Op::IndexOf, name, args, span, Sort::Int),
            Id::EditDistance => {
                // With a number it is the constraint: that many edits apart.
                if let Some(Value::Int(_)) = args[1].val.as_const() {
                    return self.primitive(word, args);
                }
                return self.texts(Op::EditDistance, name, args, span, Sort::Int);
            }
            Id::Substring => {
                let text = self.of_sort(&args[0], name, &[Sort::Text]);
                let start = self.of_sort(&args[1], name, &[Sort::Int]);
                let length = self.of_sort(&args[2], name, &[Sort::Int]);
                (Op::Substr, vec![text?, start?, length?], Sort::Text)
            }
            Id::Matches => {
                let (text, regex) = (self.of_sort(&args[0], name, &[Sort::Text]), self.regex(&args[1]));
                return Ok(LangValue::Term(matches(&text?, &regex?)));
            }
            Id::Nth => return self.nth(args, span),
            Id::In => return self.member(args, span).map(LangValue::Term),
            Id::Sorted => (Op::Sorted, vec![self.of_sort(&args[0], name, &[any_list])?], Sort::Bool),
            Id::Distinct => (Op::Distinct, vec![self.of_sort(&args[0], name, &[any_list])?], Sort::Bool),
            Id::Sum => {
                let list = self.of_sort(&args[0], name, &[any_list])?;
                let sort = match &list.sort {
                    Sort::List(of) if of.is_numeric() || **of == Sort::Duration => Sort::clone(of),
                    _ => return self.wrong("`sum` takes a List of numbers or durations", args[0].span),
                };
                (Op::Sum, vec![list], if sort == Sort::Any { Sort::Int } else { sort })
            }
            Id::Forall | Id::Exists => {
                let LangValue::Function(fun) = &args[1].val else {
                    let error =
                        Diagnostic::new(format!("`{name}` takes a function of one element"), args[1].span);
                    return self.fail(error.help(word.help()));
                };
                let at = args[1].span;
                let of = Arg { val: LangValue::Function(fun.clone()), span: at };
                return self.quantified(word.id, &args[0], |this, element| {
                    this.assertion(&of, &Arg { val: element, span: at })
                });
            }
            _ => return self.about_options_and_dates(word, args, span),
        };
        self.operation(op, &typed, sort, span).map(LangValue::Term)
    }

    fn about_options_and_dates(&mut self, word: &'static Word, args: &[Arg], span: Span) -> Res<LangValue> {
        let name = word.names[0];
        let date = [Sort::Date, Sort::DateTime];
        let (op, typed, sort) = match word.id {
            Id::IsSome | Id::IsNone => {
                let option = self.of_sort(&args[0], name, &[Sort::Option(Sort::Any.into())])?;
                let some = self.operation(Op::IsSome, &[option], Sort::Bool, span)?;
                if word.id == Id::IsSome {
                    return Ok(LangValue::Term(some));
                }
                (Op::Not, vec![some], Sort::Bool)
            }
            Id::MakeSome => {
                let typed = self.typed(&args[0])?;
                let Some(value) = typed.as_const() else {
                    let error = Diagnostic::new("`some` takes a known value", args[0].span);
                    return self.fail(error.help("compare the content instead: `(= (unwrap option) x)`"));
                };
                return Ok(LangValue::constant(Value::Option(Some(Box::new(value.clone())))));
            }
            Id::Unwrap => {
                let option = self.of_sort(&args[0], name, &[Sort::Option(Sort::Any.into())])?;
                let sort = if let Sort::Option(of) = &option.sort { Sort::clone(of) } else { Sort::Any };
                (Op::Unwrap, vec![option], sort)
            }
            Id::Year => (Op::Year, vec![self.of_sort(&args[0], name, &date)?], Sort::Int),
            Id::Month => (Op::Month, vec![self.of_sort(&args[0], name, &date)?], Sort::Int),
            Id::Day => (Op::Day, vec![self.of_sort(&args[0], name, &date)?], Sort::Int),
            Id::Weekday => (Op::Weekday, vec![self.of_sort(&args[0], name, &date)?], Sort::Int),
            Id::DateOf => (Op::DateOf, vec![self.of_sort(&args[0], name, &[Sort::DateTime])?], Sort::Date),
            Id::TimeOf => (Op::TimeOf, vec![self.of_sort(&args[0], name, &[Sort::DateTime])?], Sort::Time),
            _ => {
                let cases = Sort::Enum([].into());
                let sorts = [Sort::Date, Sort::Time, Sort::DateTime, Sort::Duration, cases, Sort::Bool];
                (Op::ToInt, vec![self.of_sort(&args[0], name, &sorts)?], Sort::Int)
            }
        };
        self.operation(op, &typed, sort, span).map(LangValue::Term)
    }

    /// An operation on texts.
    fn texts(&mut self, op: Op, name: &str, args: &[Arg], span: Span, sort: Sort) -> Res<LangValue> {
        let typed: Vec<_> = args.iter().map(|it| self.of_sort(it, name, &[Sort::Text])).collect();
        let typed = typed.into_iter().collect::<Res<Vec<_>>>()?;
        self.operation(op, &typed, sort, span).map(LangValue::Term)
    }

    fn nth(&mut self, args: &[Arg], span: Span) -> Res<LangValue> {
        let index = self.of_sort(&args[1], "nth", &[Sort::Int])?;
        if let (LangValue::List(items), Some(Value::Int(at))) = (&args[0].val, index.as_const()) {
            let item = usize::try_from(*at).ok().and_then(|at| items.get(at));
            let n = items.len();
            return match item {
                Some(it) => Ok(it.clone()),
                None => {
                    self.wrong(format!("no element {at} in a list of {n}; they count from 0"), args[1].span)
                }
            };
        }
        let list = self.of_sort(&args[0], "nth", &[Sort::List(Sort::Any.into())])?;
        let sort = if let Sort::List(of) = &list.sort { Sort::clone(of) } else { Sort::Any };
        self.operation(Op::Nth, &[list, index], sort, span).map(LangValue::Term)
    }

    fn member(&mut self, args: &[Arg], span: Span) -> Res<Typed> {
        let item = self.typed(&args[0])?;
        let list = self.of_sort(&args[1], "in", &[Sort::List(Sort::Any.into())])?;
        let Sort::List(of) = &list.sort else { unreachable!("`of_sort` saw a list") };
        if super::sort::comparable(&item.sort, of) {
            return self.operation(Op::In, &[item, list], Sort::Bool, span);
        }
        // Constants are fitted one by one, so that a wrong one is told by name.
        let Some(Value::List(items)) = list.as_const() else {
            let wanted = Arg {
                val: LangValue::Term(Typed::new(list.term.clone(), Sort::clone(of), TermSize::ONE)),
                span: args[1].span,
            };
            let (item, _) = self.unified(&args[0], &wanted, "in")?;
            return self.operation(Op::In, &[item, list], Sort::Bool, span);
        };
        let mut fitted = Vec::new();
        for it in items {
            let arg = Arg { val: LangValue::constant(it.clone()), span: args[1].span };
            fitted.push(self.unified(&args[0], &arg, "in")?.1);
        }
        let list = self.operation(Op::List, &fitted, Sort::List(item.sort.clone().into()), span)?;
        self.operation(Op::In, &[item, list], Sort::Bool, span)
    }

    /// Constraints about one value: `not-equal`, `different-lengths`, `numeric-distance`, `edit-distance`.
    pub(crate) fn primitive(&mut self, word: &'static Word, args: &[Arg]) -> Res<LangValue> {
        let name = word.names[0];
        let kind = match word.id {
            Id::Relation => return self.constraint(&args[1], &args[0]),
            Id::NotEqual => RelationKind::NotEqual,
            Id::DifferentLengths => {
                self.of_sort(&args[0], name, &[Sort::Text, Sort::List(Sort::Any.into())])?;
                RelationKind::DifferentLengths
            }
            Id::NumericDistance => {
                let sorts = [Sort::Int, Sort::Number, Sort::Date, Sort::Time, Sort::DateTime, Sort::Duration];
                self.of_sort(&args[0], name, &sorts)?;
                RelationKind::Distance(self.distance(&args[1])?)
            }
            _ => {
                self.of_sort(&args[0], name, &[Sort::Text])?;
                let by = self.distance(&args[1])?;
                RelationKind::EditDistance(u64::try_from(by.mantissa()).unwrap_or(0))
            }
        };
        let on = self.typed(&args[0])?.term;
        Ok(LangValue::difference(Difference::Relation(Relation { on, kind })))
    }

    fn distance(&mut self, arg: &Arg) -> Res<Decimal> {
        let typed = self.typed(arg)?;
        let by = match typed.as_const() {
            Some(Value::Int(it)) => Some(Decimal::new(*it, 0)),
            Some(Value::Number(it)) => Some(*it),
            _ => None,
        };
        match by {
            Some(it) if it.mantissa() >= 0 => Ok(it),
            _ => {
                let what = self.shown(arg.span);
                let error = Diagnostic::new(format!("{what} is not a distance"), arg.span);
                self.fail(error.label("expected a number that is not negative"))
            }
        }
    }

    pub(crate) fn stamp(&mut self, word: &'static Word, arg: &Arg) -> Res<LangValue> {
        let name = word.names[0];
        let unit = match word.id {
            Id::Days => Some(86_400),
            Id::Hours => Some(3_600),
            Id::Minutes => Some(60),
            Id::Seconds => Some(1),
            _ => None,
        };
        let typed = self.of_sort(arg, name, &[if unit.is_some() { Sort::Int } else { Sort::Text }])?;
        let value = match (typed.as_const(), unit) {
            (Some(Value::Int(n)), Some(unit)) => {
                n.checked_mul(unit).and_then(Duration::from_seconds).map(Value::Duration)
            }
            (Some(Value::Text(text)), _) => match word.id {
                Id::Date => text.parse().map(Value::Date).ok(),
                Id::Time => text.parse().map(Value::Time).ok(),
                Id::DateTime => text.parse().map(Value::DateTime).ok(),
                _ => text.parse().map(Value::Duration).ok(),
            },
            _ => {
                let what = self.shown(arg.span);
                return self
                    .wrong(format!("`{name}` takes a known value, but {what} is not known yet"), arg.span);
            }
        };
        match value {
            Some(value) => Ok(LangValue::constant(value)),
            None => {
                let what = self.shown(arg.span);
                let error = Diagnostic::new(format!("{what} is not a {name}"), arg.span);
                self.fail(error.help(word.help()))
            }
        }
    }

    /// The spec that a recursive sort represents.
    pub(crate) fn resolve(&self, sort: &Sort) -> Sort {
        match sort {
            Sort::Named(name) => {
                self.types.iter().find(|it| it.0 == *name).map_or(Sort::Any, |it| Sort::of(&it.1))
            }
            other => other.clone(),
        }
    }

    /// A field of an object, an attribute of a row.
    pub(crate) fn access(&mut self, of: &Typed, name: &Name, span: Span, at: Span) -> Res<Typed> {
        // A part of an object that is a variable itself is that variable.
        if let Some((base, sym)) = symbolic_of(&of.term)
            && matches!(base.node(), Node::It)
            && let Some(part) = self.syms[sym].parts.iter().find(|it| it.name == *name && !it.wrapped)
        {
            return Ok(self.variable(part.sym));
        }
        let sort = self.resolve(&of.sort);
        let (found, known): (Option<Sort>, Vec<Name>) = match &sort {
            Sort::Object(fields) => {
                let found = fields.iter().find(|it| it.0 == *name).map(|it| it.1.clone());
                (found, fields.iter().map(|it| it.0.clone()).collect())
            }
            Sort::Row(table) => (Sort::of_column(table, name), table.columns.clone()),
            Sort::Any => (Some(Sort::Any), Vec::new()),
            other => {
                let (what, sort) = (self.shown(at), other.what());
                let error = Diagnostic::new(format!("{what} is {sort}: it has no fields"), at);
                return self.fail(match other {
                    Sort::Option(_) => error.help("look at its content with `(unwrap x)`"),
                    Sort::Union(_) => error.help("look at one alternative with `(as x case)`"),
                    _ => error,
                });
            }
        };
        let Some(found) = found else {
            let error = Diagnostic::new(format!("{} has no field `{name}`", sort.what()), span);
            let help = self.nearest(name, known.iter().map(|it| &**it));
            return self.fail(match help {
                Some(help) => error.help(help),
                None if known.is_empty() => error.help("give it fields: `(specify it (with name ?Type))`"),
                None => error.help(format!("its fields are {}", known.join(", "))),
            });
        };
        let term = super::terms::folded(of.term.clone().field(name));
        Ok(Typed::new(term, found, TermSize::above([of.weight])))
    }

    /// Whether a union is a case, or its content as that case.
    pub(crate) fn case(&mut self, is: bool, arg: &Arg, name: &Name, span: Span) -> Res<LangValue> {
        let word = if is { "is" } else { "as" };
        let typed = self.of_sort(arg, word, &[Sort::Union([].into())])?;
        let Sort::Union(cases) = &typed.sort else { return Ok(LangValue::Term(typed)) };
        let Some((name, sort)) = cases.iter().find(|it| it.0 == *name) else {
            let known: Vec<Name> = cases.iter().map(|it| it.0.clone()).collect();
            let error = Diagnostic::new(format!("this Union has no case `{name}`"), span);
            let help = self.nearest(name, known.iter().map(|it| &**it));
            return self
                .fail(error.help(help.unwrap_or_else(|| format!("its cases are {}", known.join(", ")))));
        };
        let of = typed.term.clone();
        Ok(LangValue::Term(if is {
            Typed::new(Term::new(Node::Is(of, name.clone())), Sort::Bool, TermSize::above([typed.weight]))
        } else {
            Typed::new(Term::new(Node::As(of, name.clone())), sort.clone(), TermSize::above([typed.weight]))
        }))
    }

    /// A value that a function is tried on.
    pub(crate) fn temporary(&mut self, sort: &Sort) -> (usize, Typed) {
        let sym = self.syms.len();
        self.syms.push(super::outline::SymbolicValue::temporary());
        (sym, Typed::new(sym_term(Term::it(), sym), sort.clone(), TermSize::ONE))
    }

    /// The term of a variable, with its sort as it is so far.
    pub(crate) fn variable(&self, sym: usize) -> Typed {
        let spec = self.shape_of(sym);
        Typed::new(sym_term(Term::it(), sym), Sort::of(&spec), TermSize::ONE)
    }

    pub(crate) fn cover_structure(&mut self, structure: &Structure, on: &Arg) -> Res<LangValue> {
        let typed = self.typed(on)?;
        let spec = match symbolic_of(&typed.term) {
            Some((_, sym)) => self.spec_so_far(sym),
            None => {
                let error = Diagnostic::new("`cover-json` takes a variable", on.span);
                return self.fail(error.help("declare one: `(declare event ?Event)`"));
            }
        };
        Ok(LangValue::difference(structure.cover(&spec, typed.term)))
    }
}
