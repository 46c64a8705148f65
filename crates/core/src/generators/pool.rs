//! Values that earlier steps of a test made, for later steps to use.

use std::cell::RefCell;
use std::fmt;

use crate::unwind::{Unwind, unwind};
use crate::{Generator, Site, Source, SourcePlace, context};

/// Values that the running case made so far. Drawing `&pool` borrows one of them, drawing `pool.take()` removes it.
///
/// ```
/// # use probity_core::{Random, Source, run_case, steps, string};
/// use probity_core::Pool;
/// fn names(src: &mut Source) {
///     let mut names = Pool::new("name");
///     let mut known: Vec<String> = Vec::new();
///     steps!(src, ..=20, {
///         add => {
///             let name = src.draw(string('a'..='e', 1..4));
///             known.push(name.clone());
///             names.add(name);
///         }
///         look if !names.is_empty() => assert!(known.contains(src.draw(&names))),
///         remove if !names.is_empty() => {
///             let name = src.draw(names.take());
///             assert!(known.contains(&name));
///         }
///     });
/// }
/// # let mut source = Source::new(Box::new(Random::new(7)));
/// # assert!(run_case(&mut source, &mut names).unwrap().verdict.failure().is_none());
/// ```
///
/// - A draw is a choice among the values that *this* case made, so it still means something after shrinking has left
///   out steps before it. The first value is the simplest.
/// - Where the pool is empty, a draw rejects the case. Guard the arm: `look if !names.is_empty() => ..`.
/// - Reports call values by the pool's name and a number, in the order in which they were added: `name2`. An arm of
///   [`steps!`](crate::steps) that adds a value is shown as `let name2 = add("b")`.
pub struct Pool<T> {
    name: &'static str,
    /// Each with its number.
    values: Vec<(u32, T)>,
    /// How many were added.
    added: u32,
}

impl<T> Pool<T> {
    /// An empty pool, whose values reports call by this name and a number.
    pub fn new(name: &'static str) -> Pool<T> {
        Pool { name, values: Vec::new(), added: 0 }
    }

    /// Adds a value.
    ///
    /// ```
    /// let mut pool = probity_core::Pool::new("fd");
    /// pool.add(3);
    /// assert_eq!((pool.len(), pool.is_empty()), (1, false));
    /// ```
    pub fn add(&mut self, value: T) {
        if context::is_rendering() {
            context::made(self.called(self.added));
        }
        self.values.push((self.added, value));
        self.added += 1;
    }

    /// Removes the value that was added last, if it is still there.
    pub(crate) fn remove_last(&mut self) {
        self.values.pop_if(|it| it.0 + 1 == self.added);
    }

    /// How many values there are; see [`add`](Pool::add).
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The values, in the order in which they were added.
    ///
    /// ```
    /// let mut pool = probity_core::Pool::new("fd");
    /// pool.add(3);
    /// assert_eq!(pool.iter().sum::<i32>(), 3);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.values.iter().map(|it| &it.1)
    }

    /// Draws one of the values and removes it.
    ///
    /// ```
    /// use probity_core::{Pool, Random, Source, run_case};
    /// let mut source = Source::new(Box::new(Random::new(7)));
    /// run_case(&mut source, &mut |src: &mut Source| {
    ///     let mut pool = Pool::new("fd");
    ///     pool.add(3);
    ///     assert_eq!((src.draw(pool.take()), pool.len()), (3, 0));
    /// }).unwrap();
    /// ```
    #[track_caller]
    pub fn take(&mut self) -> Take<'_, T> {
        Take { hold: self.hold(), taken: RefCell::default() }
    }

    /// Draws one of the values and takes it out, until it is [put back](Pool::put_back) in its place.
    ///
    /// ```
    /// use probity_core::{Pool, Random, Source, run_case};
    /// let mut source = Source::new(Box::new(Random::new(7)));
    /// run_case(&mut source, &mut |src: &mut Source| {
    ///     let mut pool = Pool::new("list");
    ///     pool.add(vec![1]);
    ///     let mut held = src.draw(pool.hold());
    ///     held.value.push(2);
    ///     assert_eq!(format!("{held:?}"), "list0");
    ///     pool.put_back(held);
    ///     assert!(pool.iter().eq([&[1, 2]]));
    /// }).unwrap();
    /// ```
    #[track_caller]
    pub fn hold(&mut self) -> Hold<'_, T> {
        Hold { pool: RefCell::new(self), location: SourcePlace::caller() }
    }

    /// Puts a value back that was taken out of this pool; see [`hold`](Pool::hold).
    pub fn put_back(&mut self, held: Held<T>) {
        let at = self.values.partition_point(|it| it.0 < held.number);
        self.values.insert(at, (held.number, held.value));
    }

    /// The values with what reports call them.
    ///
    /// ```
    /// let mut pool = probity_core::Pool::new("fd");
    /// pool.add(3);
    /// assert_eq!(pool.named().collect::<Vec<_>>(), [("fd0".to_string(), &3)]);
    /// ```
    pub fn named(&self) -> impl Iterator<Item = (String, &T)> {
        self.values.iter().map(|(number, it)| (self.called(*number), it))
    }

    /// What the next value will be called.
    ///
    /// ```
    /// assert_eq!(probity_core::Pool::<u8>::new("fd").next_name(), "fd0");
    /// ```
    pub fn next_name(&self) -> String {
        self.called(self.added)
    }

    fn called(&self, number: u32) -> String {
        format!("{}{number}", self.name)
    }
}

impl<T: fmt::Debug> fmt::Debug for Pool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.named()).finish()
    }
}

/// Borrows one of the values.
impl<'a, T> Generator for &'a Pool<T> {
    type Value = &'a T;

    fn generate(&self, source: &mut Source) -> &'a T {
        let site = Site { what: "an empty pool", location: SourcePlace::caller() };
        &self.values[pick(self.values.len(), site, source)].1
    }

    fn shown(&self, value: &&'a T) -> Option<String> {
        let number = self.values.iter().find(|it| std::ptr::eq(&it.1, *value))?.0;
        // Values without a size have one address; the first of them is as good as any.
        Some(self.called(number))
    }
}

/// A value that was taken out of a pool. Its `Debug` is what reports call it.
///
/// ```
/// use probity_core::{Pool, Source, sample};
/// let held = |src: &mut Source| {
///     let mut pool = Pool::new("fd");
///     pool.add(3);
///     src.draw(pool.hold())
/// };
/// let held = sample(&held, 7);
/// assert_eq!((held.value, format!("{held:?}")), (3, "fd0".to_string()));
/// ```
pub struct Held<T> {
    /// The value.
    pub value: T,
    name: &'static str,
    number: u32,
}

impl<T> fmt::Debug for Held<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, self.number)
    }
}

/// See [`Pool::hold`].
pub struct Hold<'a, T> {
    pool: RefCell<&'a mut Pool<T>>,
    location: SourcePlace,
}

impl<T> Generator for Hold<'_, T> {
    type Value = Held<T>;

    fn generate(&self, source: &mut Source) -> Held<T> {
        let mut pool = self.pool.borrow_mut();
        let site = Site { what: "an empty pool", location: self.location };
        let at = pick(pool.values.len(), site, source);
        let (number, value) = pool.values.remove(at);
        Held { value, name: pool.name, number }
    }
}

/// See [`Pool::take`].
pub struct Take<'a, T> {
    hold: Hold<'a, T>,
    /// What the last one was called.
    taken: RefCell<Option<String>>,
}

impl<T> Generator for Take<'_, T> {
    type Value = T;

    fn generate(&self, source: &mut Source) -> T {
        let held = self.hold.generate(source);
        if context::is_rendering() {
            *self.taken.borrow_mut() = Some(format!("{held:?}"));
        }
        held.value
    }

    fn shown(&self, _: &T) -> Option<String> {
        self.taken.take()
    }
}

fn pick(n: usize, site: Site, source: &mut Source) -> usize {
    if n == 0 {
        unwind(Unwind::Reject(site));
    }
    source.pick(n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Random, Replay, Tail, Value, Verdict, render_case, run_case, steps};

    /// Opens and closes files; what the report says of it, for these answers.
    fn shown(answers: &[Value]) -> Vec<String> {
        let mut source = Source::new(Box::new(Replay::new(answers.to_vec(), Tail::Simplest)));
        let mut test = |src: &mut Source| {
            let mut files = Pool::new("fd");
            steps!(src, ..=8, {
                open => files.add(src.draw_as("mode", 0..3)),
                dup if !files.is_empty() => { let file = *src.draw(&files); files.add(file) }
                pair => { files.add(8); files.add(9); }
                close if !files.is_empty() => _ = src.draw(files.take()),
            });
        };
        render_case(&mut source, &mut test).unwrap().log.inputs.into_iter().map(|it| it.text).collect()
    }

    #[test]
    fn reports_call_values_by_name() {
        let (steps, arm, int) = (Value::Length, Value::Pick, Value::Int);
        let answers = [vec![
            steps(6),
            arm(0),
            int(2),
            arm(0),
            int(1),
            arm(3),
            arm(0),
            arm(1),
            arm(0),
            arm(2),
            arm(3),
            arm(2),
        ]]
        .concat();
        let expected = [
            "let fd0 = open(mode: 2)",
            "let fd1 = open(mode: 1)",
            "close(fd0)",
            "let fd2 = dup(fd1)",
            "let (fd3, fd4) = pair",
            "close(fd3)",
        ];
        assert_eq!(shown(&answers), expected);
    }

    #[test]
    fn an_empty_pool_rejects() {
        for index in 0..2 {
            let mut test = |src: &mut Source| {
                let mut pool = Pool::<u8>::new("it");
                if index == 0 {
                    src.draw(&pool);
                } else {
                    src.draw(pool.take());
                }
            };
            let case = run_case(&mut Source::new(Box::new(Random::new(7))), &mut test).unwrap();
            assert!(matches!(case.verdict, Verdict::Reject(site) if site.what == "an empty pool"));
        }
    }
}
