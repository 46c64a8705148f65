//! Who answers the choices of a drawing: a source, or a value that is known.

use probity_core::{Domain, SIZE, Source, SpanKind, Value as Answer};

/// A source, or a list of the answers that lead to a known value. Both see the same choices, so what a source draws
/// by those answers is that value. Methods take what is `wanted` where it is known, and give none where the domain
/// has it not.
pub enum Answers<'a> {
    Source(&'a mut Source),
    /// The answers so far, and what is left of the size budget.
    Known(&'a mut Vec<Answer>, u32),
}

impl<'a> Answers<'a> {
    pub fn known(choices: &'a mut Vec<Answer>) -> Answers<'a> {
        Answers::Known(choices, SIZE)
    }

    /// What is left of the size budget.
    pub fn size(&self) -> u32 {
        match self {
            Answers::Source(source) => source.budget(),
            Answers::Known(_, size) => *size,
        }
    }

    /// A number of `min..=max`; where there is one, nothing is asked.
    pub fn int(&mut self, min: i128, max: i128, wanted: Option<i128>) -> Option<i128> {
        match self {
            _ if min == max => wanted.is_none_or(|it| it == min).then_some(min),
            Answers::Source(source) => Some(match (i64::try_from(min), i64::try_from(max)) {
                (Ok(min), Ok(max)) => source.int(min, max).into(),
                _ => source.int(min, max),
            }),
            Answers::Known(choices, _) => {
                let it = wanted.filter(|it| (min..=max).contains(it))?;
                choices.push(Answer::Int(it));
                Some(it)
            }
        }
    }

    /// A float of `min..=max`, and NaN where that is allowed; where there is one, nothing is asked.
    pub fn float(&mut self, min: f64, max: f64, nan: bool, wanted: Option<f64>) -> Option<f64> {
        let is_one = min.to_bits() == max.to_bits() && !nan;
        let is_in = |it: f64| {
            if it.is_nan() { nan } else { min.total_cmp(&it).is_le() && it.total_cmp(&max).is_le() }
        };
        match self {
            _ if is_one => wanted.is_none_or(is_in).then_some(min),
            Answers::Source(source) => Some(source.f64(min, max, nan)),
            Answers::Known(choices, _) => {
                let it = wanted.filter(|it| is_in(*it))?;
                choices.push(Answer::Float(it));
                Some(it)
            }
        }
    }

    pub fn bool(&mut self, wanted: Option<bool>) -> Option<bool> {
        match self {
            Answers::Source(source) => Some(source.bool()),
            Answers::Known(choices, _) => {
                choices.push(Answer::Bool(wanted?));
                wanted
            }
        }
    }

    pub fn char(&mut self, min: char, max: char, wanted: Option<char>) -> Option<char> {
        match self {
            _ if min == max => wanted.is_none_or(|it| it == min).then_some(min),
            Answers::Source(source) => Some(source.char(min, max)),
            Answers::Known(choices, _) => {
                let it = wanted.filter(|it| (min..=max).contains(it))?;
                choices.push(Answer::Char(it));
                Some(it)
            }
        }
    }

    /// One of some alternatives, which are not all without weight; where there is one, nothing is asked.
    pub fn pick(&mut self, weights: &[u32], wanted: Option<usize>) -> Option<usize> {
        match self {
            _ if weights.len() == 1 => wanted.is_none_or(|it| it == 0).then_some(0),
            Answers::Source(source) if weights.iter().all(|it| *it == weights[0]) => {
                Some(source.pick(weights.len()))
            }
            Answers::Source(source) => Some(source.pick_weighted(weights)),
            Answers::Known(choices, _) => {
                let it = wanted.filter(|it| *it < weights.len())?;
                choices.push(Answer::Pick(it as u32));
                Some(it)
            }
        }
    }

    /// One of some alternatives, none of which makes the input larger. It is asked even where there is one, so that inputs of
    /// one size have as many choices.
    pub fn pick_free(&mut self, weights: &[u32], wanted: Option<usize>) -> Option<usize> {
        match self {
            Answers::Source(source) => Some(source.pick_free(weights)),
            Answers::Known(choices, _) => {
                let it = wanted.filter(|it| *it < weights.len())?;
                choices.push(Answer::Pick(it as u32));
                Some(it)
            }
        }
    }

    /// A length of `min..=max`, then that many items.
    pub fn list(
        &mut self,
        min: u32,
        max: u32,
        wanted: Option<usize>,
        item: &mut dyn FnMut(&mut Answers, usize) -> Option<()>,
    ) -> Option<()> {
        self.list_of(false, min, max, wanted, item)
    }

    /// As [`list`](Self::list), where random lists keep to the size budget.
    pub fn list_within_size(
        &mut self,
        min: u32,
        max: u32,
        wanted: Option<usize>,
        item: &mut dyn FnMut(&mut Answers, usize) -> Option<()>,
    ) -> Option<()> {
        self.list_of(true, min, max, wanted, item)
    }

    fn list_of(
        &mut self,
        within_size: bool,
        min: u32,
        max: u32,
        wanted: Option<usize>,
        item: &mut dyn FnMut(&mut Answers, usize) -> Option<()>,
    ) -> Option<()> {
        let wanted = wanted.map(u32::try_from);
        match self {
            Answers::Source(source) => {
                let mut made = Some(());
                let add = |src: &mut Source, at: u32| {
                    made = made.and(item(&mut Answers::Source(src), at as usize));
                };
                match within_size {
                    true => source.list_within_size("list", min, max, add),
                    false => source.list("list", min, max, add),
                }
                made
            }
            Answers::Known(choices, _) => {
                let n = wanted?.ok().filter(|it| (min..=max).contains(it))?;
                if min < max {
                    choices.push(Answer::Length(n));
                }
                self.items(n, item)
            }
        }
    }

    /// As [`list`](Self::list), for items that are told how many there are and need nothing of the size budget.
    pub fn chars(
        &mut self,
        min: u32,
        max: u32,
        wanted: Option<usize>,
        item: &mut dyn FnMut(&mut Answers, usize, usize) -> Option<()>,
    ) -> Option<()> {
        match self {
            Answers::Source(source) => source.span("text", SpanKind::List, |src| {
                let n = match (min < max).then(|| src.choose(Domain::length(min, max))) {
                    Some(Answer::Length(n)) => n as usize,
                    _ => min as usize,
                };
                (0..n).try_for_each(|at| {
                    src.span("char", SpanKind::Item, |src| item(&mut Answers::Source(src), at, n))
                })
            }),
            Answers::Known(..) => self.list(min, max, wanted, &mut |it, at| item(it, at, wanted?)),
        }
    }

    /// The items of a list whose length is known. They share the size budget.
    pub fn items(&mut self, n: u32, item: &mut dyn FnMut(&mut Answers, usize) -> Option<()>) -> Option<()> {
        match self {
            Answers::Source(_) => self.list(n, n, None, item),
            Answers::Known(choices, size) => {
                let mut inner = Answers::Known(choices, *size / n.max(1));
                (0..n as usize).try_for_each(|at| item(&mut inner, at))
            }
        }
    }

    /// Groups what `make` asks for.
    pub fn group<T>(
        &mut self,
        label: &'static str,
        make: impl FnOnce(&mut Answers) -> Option<T>,
    ) -> Option<T> {
        match self {
            Answers::Source(source) => {
                source.span(label, SpanKind::Group, |src| make(&mut Answers::Source(src)))
            }
            Answers::Known(..) => make(self),
        }
    }

    /// As [`group`](Self::group), for a value that stands within one of its own kind: half the size budget is left.
    pub fn nest<T>(&mut self, make: impl FnOnce(&mut Answers) -> Option<T>) -> Option<T> {
        match self {
            Answers::Source(source) => source.nest("nested", |src| make(&mut Answers::Source(src))),
            Answers::Known(choices, size) => make(&mut Answers::Known(choices, *size / 2)),
        }
    }

    /// What `make` makes, such that it `holds`; a source tries a few times.
    pub fn such_that<T>(
        &mut self,
        mut make: impl FnMut(&mut Answers) -> Option<T>,
        holds: impl Fn(&T) -> bool,
    ) -> Option<T> {
        match self {
            Answers::Source(source) => source.such_that(
                |src| make(&mut Answers::Source(src)),
                |it: &Option<T>| it.as_ref().is_some_and(&holds),
            ),
            Answers::Known(..) => make(self).filter(holds),
        }
    }
}
