//! Functions as inputs: tables that are drawn as they are asked.

use std::borrow::Borrow;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use super::lazy::Make;
use crate::render;
use crate::source::{Handle, write_later};
use crate::{Combine, Generate, Generator, Source};

/// A function as an input: each result is drawn when it is first asked for, and is the same from then on.
///
/// It is a table of what it was asked, which is also how reports show it, once the case has ended:
/// `|x| match x { 3 => true, 4 => false, _ => _ }`, or `|_| _` where it was not asked. Its results are
/// choices like all others, so failing cases shrink to functions that are asked little and return simple
/// things, and the exhaustive engine enumerates the tables that the test can tell apart.
///
/// ```
/// use probity_core::{Function, Random, Source, run_case};
/// let mut source = Source::new(Box::new(Random::new(7)));
/// run_case(&mut source, &mut |src: &mut Source| {
///     let (mut v, f): (Vec<u8>, Function<u8, i8>) = src.any();
///     v.sort_by_key(|it| f.call(*it));
///     assert!(v.is_sorted_by_key(|it| f.call(*it)));
/// }).unwrap();
/// ```
///
/// A function of several arguments is one of a tuple. A clone is the same function. It belongs to the thread
/// and the case it was made in, like a [`Lazy`](crate::Lazy) part.
pub struct Function<A, B> {
    inner: Rc<FunctionState<A, B>>,
}

struct FunctionState<A, B> {
    table: RefCell<Vec<(A, B)>>,
    results: Make<B>,
    handle: Handle,
    /// Where the text of the table is wanted: an input was rendered that has it as a part.
    text: Cell<Option<(u32, FunctionText<A, B>)>>,
}

type FunctionText<A, B> = fn(&[(A, B)]) -> String;

impl<A, B> Function<A, B> {
    fn new(source: &mut Source, results: Make<B>) -> Self {
        let (table, text) = (RefCell::default(), Cell::new(None));
        Function { inner: Rc::new(FunctionState { table, results, handle: source.handle(), text }) }
    }

    /// The result for `argument`.
    ///
    /// ```
    /// use probity_core::{Function, Random, Source, run_case};
    /// let mut source = Source::new(Box::new(Random::new(7)));
    /// run_case(&mut source, &mut |src: &mut Source| {
    ///     let add: Function<(u8, u8), u32> = src.any();
    ///     assert_eq!(add.call((2, 3)), add.call((2, 3)));
    /// }).unwrap();
    /// ```
    pub fn call(&self, argument: A) -> B
    where
        A: PartialEq,
        B: Clone,
    {
        self.known(&argument).unwrap_or_else(|| self.draw(argument))
    }

    /// The result for an argument that is borrowed, such as a `&str` for a `String`. It is cloned when it
    /// is new.
    ///
    /// ```
    /// use probity_core::{Function, Random, Source, run_case};
    /// let mut source = Source::new(Box::new(Random::new(7)));
    /// run_case(&mut source, &mut |src: &mut Source| {
    ///     let rank: Function<String, u8> = src.any();
    ///     assert_eq!(rank.call_ref("tea"), rank.call("tea".to_string()));
    /// }).unwrap();
    /// ```
    pub fn call_ref<Q>(&self, argument: &Q) -> B
    where
        A: Borrow<Q>,
        Q: PartialEq + ToOwned<Owned = A> + ?Sized,
        B: Clone,
    {
        self.known(argument).unwrap_or_else(|| self.draw(argument.to_owned()))
    }

    /// It as a closure, for code that takes one.
    ///
    /// ```
    /// use probity_core::{Function, Random, Source, run_case};
    /// let mut source = Source::new(Box::new(Random::new(7)));
    /// run_case(&mut source, &mut |src: &mut Source| {
    ///     let (v, f): (Vec<u8>, Function<u8, bool>) = src.any();
    ///     let twice = v.iter().copied().filter(|it| f.call(*it)).map(f.as_fn());
    ///     assert!(twice.into_iter().all(|it| it));
    /// }).unwrap();
    /// ```
    pub fn as_fn(&self) -> impl Fn(A) -> B
    where
        A: PartialEq,
        B: Clone,
    {
        |argument| self.call(argument)
    }

    fn known<Q>(&self, argument: &Q) -> Option<B>
    where
        A: Borrow<Q>,
        Q: PartialEq + ?Sized,
        B: Clone,
    {
        let table = self.inner.table.borrow();
        table.iter().find(|it| it.0.borrow() == argument).map(|it| it.1.clone())
    }

    fn draw(&self, argument: A) -> B
    where
        B: Clone,
    {
        let FunctionState { table, results, handle, text } = &*self.inner;
        let result = handle.draw(std::any::type_name::<B>(), |src| results.make(src));
        table.borrow_mut().push((argument, result.clone()));
        if let Some((number, to_text)) = text.get() {
            handle.set_text(number, || to_text(&table.borrow()));
        }
        result
    }
}

impl<A, B> Clone for Function<A, B> {
    fn clone(&self) -> Self {
        Function { inner: Rc::clone(&self.inner) }
    }
}

/// What it was asked and what it returned, as `|x| match x { 3 => true, _ => _ }`.
impl<A: fmt::Debug, B: fmt::Debug> fmt::Debug for Function<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FunctionState { table, handle, text, .. } = &*self.inner;
        let known = text.get().map(|it| it.0);
        let Some(number) = handle.wants_text(known) else { return f.write_str(&to_text(&table.borrow())) };
        text.set(Some((number, to_text)));
        handle.set_text(number, || to_text(&table.borrow()));
        write_later(f, number)
    }
}

/// In one line, since most arguments and results are short.
fn to_text<A: fmt::Debug, B: fmt::Debug>(table: &[(A, B)]) -> String {
    if table.is_empty() {
        return "|_| _".to_string();
    }
    let arms: String = table
        .iter()
        .map(|(argument, result)| render::text(format_args!("{argument:?} => {result:?}, ")))
        .collect();
    format!("|x| match x {{ {arms}_ => _ }}")
}

impl<A: fmt::Debug, B: Generate> Generate for Function<A, B> {
    fn generate(source: &mut Source) -> Self {
        Function::new(source, Make::Type(B::generate))
    }
}

/// A function whose results are drawn from `results`; see [`Function`].
///
/// ```
/// use probity_core::{Random, Source, function, run_case};
/// let mut source = Source::new(Box::new(Random::new(7)));
/// run_case(&mut source, &mut |src: &mut Source| {
///     let die = src.draw(function(1..=6));
///     assert!((1..=6).contains(&die.call("first throw")));
/// }).unwrap();
/// ```
pub fn function<A, G: Generator + 'static>(results: G) -> FunctionOf<A, G::Value> {
    FunctionOf { results: Rc::new(results), argument: std::marker::PhantomData }
}

/// See [`function`].
pub struct FunctionOf<A, B> {
    results: Rc<dyn Generator<Value = B>>,
    argument: std::marker::PhantomData<fn(A)>,
}

impl<A, B> Clone for FunctionOf<A, B> {
    fn clone(&self) -> Self {
        FunctionOf { results: Rc::clone(&self.results), argument: self.argument }
    }
}

impl<A, B> fmt::Debug for FunctionOf<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function::<{}, {}>(..)", std::any::type_name::<A>(), std::any::type_name::<B>())
    }
}

impl<A, B> Generator for FunctionOf<A, B> {
    type Value = Function<A, B>;

    fn generate(&self, source: &mut Source) -> Function<A, B> {
        Function::new(source, Make::From(Rc::clone(&self.results)))
    }
}

impl<A, B> Combine for FunctionOf<A, B> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Bounds, Budget, Case, Found, Lazy, Replay, Tail, any, from, lazy, render_case, search_exhaustive,
        search_random, shrink, vec,
    };

    fn budget() -> Budget<'static> {
        let go_on = Box::leak(Box::new(|_| true));
        Budget { cases: 10_000, rejects: 10, go_on, progress: Default::default() }
    }

    fn rendered(found: &Found, test: &mut dyn crate::Test) -> Case {
        let replay = Replay::new(found.case.trace.values(), Tail::Simplest);
        render_case(&mut Source::new(Box::new(replay)), test).unwrap()
    }

    fn texts(case: &Case) -> Vec<&str> {
        case.log.inputs.iter().map(|it| &*it.text).collect()
    }

    /// What the exhaustive engine has shown of each input when it had asked `f` this.
    fn tables(arguments: &[bool]) -> Vec<String> {
        let mut res = Vec::new();
        let mut test = |src: &mut Source| {
            let f: Function<bool, bool> = src.any();
            for it in arguments {
                f.call_ref(it);
            }
            res.push(format!("{f:?}"));
        };
        assert!(
            search_exhaustive(Bounds::default(), &mut test, budget()).unwrap().evidence.reach.unwrap().all
        );
        res
    }

    #[test]
    fn a_function_is_as_many_tables_as_the_test_can_tell_apart() {
        assert_eq!(tables(&[]), ["|_| _"]);
        let one = ["|x| match x { true => false, _ => _ }", "|x| match x { true => true, _ => _ }"];
        assert_eq!(tables(&[true]), one);
        assert_eq!(tables(&[true, true]), one);
        let mut both = tables(&[false, true, false]);
        both.sort();
        let rows =
            ["false, true => false", "false, true => true", "true, true => false", "true, true => true"];
        assert_eq!(both, rows.map(|it| format!("|x| match x {{ false => {it}, _ => _ }}")));
    }

    /// Claims that it makes no difference to map first and to filter first.
    fn maps_and_filters(src: &mut Source) {
        let v = src.draw_as("v", vec(0u8..4, 0..=3));
        let keep: Function<u8, bool> = src.draw_as("keep", any::<Function<u8, bool>>());
        let next = src.draw_as("next", function(0u8..4));
        let _unused: Function<u8, u8> = src.draw_as("unused", any::<Function<u8, u8>>());
        let items = || v.iter().copied();
        let one: Vec<u8> = items().map(next.as_fn()).filter(|it| keep.call(*it)).collect();
        let other: Vec<u8> = items().filter(|it| keep.call(*it)).map(next.as_fn()).collect();
        assert_eq!(one, other);
    }

    #[test]
    fn a_bug_that_needs_a_function_is_found_and_shown() {
        let expected =
            ["[0]", "|x| match x { 1 => false, 0 => true, _ => _ }", "|x| match x { 0 => 1, _ => _ }"];
        let mut test = maps_and_filters;
        let finding = search_exhaustive(Bounds::default(), &mut test, budget()).unwrap();
        let case = rendered(&finding.failures[0], &mut test);
        assert_eq!(texts(&case)[..3], expected);
        assert_eq!(texts(&case)[3], "|_| _");

        for seed in 0..20 {
            let mut found = search_random(seed, &mut test, budget()).unwrap().failures.remove(0);
            found.case = shrink(found.case, &mut test, 10_000, &mut |_| true).unwrap().case;
            assert_eq!(texts(&rendered(&found, &mut test))[..3], expected, "seed {seed}");
        }
    }

    #[test]
    fn parts_of_arguments_and_results_are_shown_as_drawn_in_the_end() {
        let mut test = |src: &mut Source| {
            let f: Function<String, Lazy<(u8, Lazy<u8>)>> = src.draw(function(lazy((2u8..3, lazy(5u8..6)))));
            let _asked = f.call_ref("a");
            panic!("{f:?}");
        };
        let finding = search_exhaustive(Bounds::default(), &mut test, budget()).unwrap();
        // A result is cloned, and a clone has to be drawn.
        let text = r#"|x| match x { "a" => (2, 5), _ => _ }"#;
        let case = rendered(&finding.failures[0], &mut test);
        assert_eq!(texts(&case), [text]);
        assert_eq!(case.verdict.failure().unwrap().message, text);
    }

    #[test]
    fn a_function_asked_in_a_filter_is_replayed() {
        let mut seen = Vec::new();
        let mut test = |src: &mut Source| {
            let f: Function<u8, bool> = src.any();
            let n = src.draw(from(0u8..3).filter(|it| f.call(*it)));
            seen.push((n, f.call(n), format!("{f:?}")));
        };
        let reach =
            search_exhaustive(Bounds::default(), &mut test, budget()).unwrap().evidence.reach.unwrap();
        let row = |n: u8| (n, true, format!("|x| match x {{ {n} => true, _ => _ }}"));
        seen.sort();
        assert!(reach.all);
        assert_eq!(seen, [0, 1, 2].map(row));
    }
}
