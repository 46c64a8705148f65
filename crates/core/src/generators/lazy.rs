//! Parts of an input that are drawn when they are first read.

use std::cell::{Cell, OnceCell};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use crate::render;
use crate::source::Handle;
use crate::{Combine, Generate, Generator, Source};

/// A part of an input that is drawn the first time it is read, wherever that is: in a generator, in an
/// invariant, or in the code under test.
///
/// It derefs to its value, so most code need not know that it is there; to match on it, match on `*part` or
/// `&*part`. It holds the value behind a pointer, so a type may contain itself through it.
///
/// What is never read is never drawn: it is `_` in reports, there is nothing of it in the trace to shrink, and
/// the exhaustive engine does not enumerate it. That makes a requirement on lazy parts cheap: when it is
/// refused after a look at some of them, so are all inputs that differ only in the others.
///
/// ```
/// use probity_core::{Bounds, Budget, Generate, Lazy, Source, search_exhaustive};
/// #[derive(Debug)]
/// struct List { head: Lazy<u8>, tail: Lazy<Option<List>> }
/// impl Generate for List {
///     fn generate(src: &mut Source) -> Self {
///         src.nest("List", |src| List { head: Lazy::generate(src), tail: Lazy::generate(src) })
///     }
/// }
/// fn is_short(list: &List) -> bool {
///     match &*list.tail {
///         None => true,
///         Some(tail) => tail.tail.is_none(),
///     }
/// }
/// let budget = Budget { cases: 100, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let mut test = |src: &mut Source| assert!(is_short(&src.any()));
/// let finding = search_exhaustive(Bounds::default(), &mut test, budget).unwrap();
/// assert_eq!(finding.failures[0].index, 2, "no tail, one tail, and then: the heads do not matter");
/// ```
///
/// It belongs to the thread and the case it was made in: reading it for the first time after the test has
/// returned panics. A clone of a part is drawn, since it has to equal the original.
pub struct Lazy<T> {
    inner: Box<LazyState<T>>,
}

struct LazyState<T> {
    value: OnceCell<T>,
    /// How to draw it; nothing where it was made with its value.
    from: Option<Undrawn<T>>,
}

struct Undrawn<T> {
    make: Make<T>,
    handle: Handle,
    /// Where the text of the value is wanted: an input was rendered that has it as a part.
    text: Cell<Option<(u32, ToText<T>)>>,
}

type ToText<T> = fn(&T) -> String;

/// How something is drawn later.
pub(super) enum Make<T> {
    Type(fn(&mut Source) -> T),
    From(Rc<dyn Generator<Value = T>>),
}

impl<T> Make<T> {
    pub(super) fn make(&self, source: &mut Source) -> T {
        match self {
            Make::Type(make) => make(source),
            Make::From(generator) => generator.generate(source),
        }
    }
}

impl<T> Lazy<T> {
    /// Whether it was drawn.
    ///
    /// ```
    /// use probity_core::{Lazy, Random, Source, run_case};
    /// let mut source = Source::new(Box::new(Random::new(7)));
    /// run_case(&mut source, &mut |src: &mut Source| {
    ///     let part: Lazy<u8> = src.any();
    ///     assert!(!Lazy::is_drawn(&part));
    ///     assert!(*part <= 255 && Lazy::is_drawn(&part));
    /// }).unwrap();
    /// ```
    pub fn is_drawn(this: &Self) -> bool {
        this.inner.value.get().is_some()
    }

    /// Its value, where it was drawn.
    ///
    /// ```
    /// use probity_core::Lazy;
    /// assert_eq!(Lazy::get(&Lazy::from(3)), Some(&3));
    /// ```
    pub fn get(this: &Self) -> Option<&T> {
        this.inner.value.get()
    }

    /// Its value, drawn if it was not.
    ///
    /// ```
    /// use probity_core::Lazy;
    /// assert_eq!(Lazy::into_inner(Lazy::from(3)), 3);
    /// ```
    pub fn into_inner(this: Self) -> T {
        let _ = &*this;
        this.inner.value.into_inner().expect("it was just drawn")
    }

    #[inline(always)]
    fn undrawn(source: &mut Source, make: Make<T>) -> Self {
        let undrawn = Undrawn { make, handle: source.handle(), text: Cell::new(None) };
        Lazy { inner: Box::new(LazyState { value: OnceCell::new(), from: Some(undrawn) }) }
    }

    #[cold]
    #[inline(never)]
    fn draw(&self) -> T {
        let Some(Undrawn { make, handle, text }) = &self.inner.from else {
            unreachable!("what is made with its value has one")
        };
        let value = handle.draw(std::any::type_name::<T>(), |src| make.make(src));
        if let Some((number, to_text)) = text.take() {
            handle.set_text(number, || to_text(&value));
        }
        value
    }
}

impl<T> From<T> for Lazy<T> {
    fn from(value: T) -> Self {
        Lazy { inner: Box::new(LazyState { value: OnceCell::from(value), from: None }) }
    }
}

impl<T> Deref for Lazy<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.inner.value.get_or_init(|| self.draw())
    }
}

impl<T> DerefMut for Lazy<T> {
    fn deref_mut(&mut self) -> &mut T {
        let _ = &**self;
        self.inner.value.get_mut().expect("it was just drawn")
    }
}

/// The value, or `_` where it was not drawn.
impl<T: fmt::Debug> fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if FILLING.get() {
            return (**self).fmt(f);
        }
        match (self.inner.value.get(), &self.inner.from) {
            (Some(value), _) => value.fmt(f),
            (None, Some(undrawn)) => {
                let known = undrawn.text.get().map(|it| it.0);
                let Some(number) = undrawn.handle.wants_text(known) else { return f.write_str("_") };
                let to_text: ToText<T> = match f.alternate() {
                    true => |it| render::text(format_args!("{it:#?}")),
                    false => |it| render::text(format_args!("{it:?}")),
                };
                undrawn.text.set(Some((number, to_text)));
                crate::source::write_later(f, number)
            }
            (None, None) => unreachable!("what is made with its value has one"),
        }
    }
}

thread_local! {
    /// Whether printing a part draws it.
    static FILLING: Cell<bool> = const { Cell::new(false) };
}

/// Draws every lazy part of `value` that was not drawn, as far as its `Debug` form goes: for code that
/// needs it whole, such as one that hands it to another thread.
///
/// ```
/// use probity_core::{Lazy, Random, Source, fill, run_case};
/// let mut source = Source::new(Box::new(Random::new(7)));
/// run_case(&mut source, &mut |src: &mut Source| {
///     let pair: (Lazy<u8>, Vec<Lazy<bool>>) = src.any();
///     fill(&pair);
///     assert!(Lazy::is_drawn(&pair.0) && pair.1.iter().all(Lazy::is_drawn));
/// }).unwrap();
/// ```
pub fn fill<T: fmt::Debug + ?Sized>(value: &T) -> &T {
    struct Nowhere;
    impl fmt::Write for Nowhere {
        fn write_str(&mut self, _: &str) -> fmt::Result {
            Ok(())
        }
    }
    /// Drawing may unwind.
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            FILLING.set(self.0);
        }
    }
    let _restore = Restore(FILLING.replace(true));
    let _ = fmt::write(&mut Nowhere, format_args!("{value:?}"));
    value
}

impl<T: Clone> Clone for Lazy<T> {
    fn clone(&self) -> Self {
        Lazy::from(T::clone(self))
    }
}

impl<T: Default> Default for Lazy<T> {
    fn default() -> Self {
        Lazy::from(T::default())
    }
}

impl<T: fmt::Display> fmt::Display for Lazy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Lazy<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for Lazy<T> {}

impl<T: PartialOrd> PartialOrd for Lazy<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (**self).partial_cmp(&**other)
    }
}

impl<T: Ord> Ord for Lazy<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: Hash> Hash for Lazy<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: Generate> Generate for Lazy<T> {
    fn generate(source: &mut Source) -> Self {
        Lazy::undrawn(source, Make::Type(T::generate))
    }
}

/// A part that is drawn from `generator` when it is first read; see [`Lazy`].
///
/// ```
/// use probity_core::{Random, Source, lazy, run_case};
/// let mut source = Source::new(Box::new(Random::new(7)));
/// let case = run_case(&mut source, &mut |src: &mut Source| {
///     let (a, _b) = src.draw((lazy(1..=6), lazy(1..=6)));
///     assert!(*a <= 6);
/// }).unwrap();
/// assert_eq!(case.trace.choices.len(), 1, "the second was not read");
/// ```
pub fn lazy<G: Generator + 'static>(generator: G) -> LazyOf<G::Value> {
    LazyOf(Rc::new(generator))
}

/// See [`lazy`].
pub struct LazyOf<T>(Rc<dyn Generator<Value = T>>);

impl<T> Clone for LazyOf<T> {
    fn clone(&self) -> Self {
        LazyOf(Rc::clone(&self.0))
    }
}

impl<T> fmt::Debug for LazyOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lazy::<{}>(..)", std::any::type_name::<T>())
    }
}

impl<T> Generator for LazyOf<T> {
    type Value = Lazy<T>;

    fn generate(&self, source: &mut Source) -> Lazy<T> {
        Lazy::undrawn(source, Make::From(Rc::clone(&self.0)))
    }
}

impl<T> Combine for LazyOf<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Bounds, Budget, Case, Replay, Tail, Value, Verdict, any, from, render_case, run_case,
        search_exhaustive, shrink,
    };

    #[derive(Debug)]
    enum Tree {
        Leaf,
        Node(Lazy<Tree>, Lazy<u8>, Lazy<Tree>),
    }

    impl Generate for Tree {
        fn generate(src: &mut Source) -> Self {
            src.nest("Tree", |src| {
                match src.pick_weighted(if src.budget() == 0 { &[1, 0] } else { &[1, 1] }) {
                    0 => Tree::Leaf,
                    _ => Tree::Node(Lazy::generate(src), lazy(1u8..=KEYS).generate(src), Lazy::generate(src)),
                }
            })
        }
    }

    const KEYS: u8 = 4;

    /// Whether all keys are between the two, in order; reads no more than it must.
    fn is_ordered(tree: &Tree, above: u8, below: u8) -> bool {
        match tree {
            Tree::Leaf => true,
            Tree::Node(left, key, right) => {
                let key = **key;
                above < key && key < below && is_ordered(left, above, key) && is_ordered(right, key, below)
            }
        }
    }

    fn nodes(tree: &Tree) -> u32 {
        match tree {
            Tree::Leaf => 0,
            Tree::Node(left, _, right) => 1 + nodes(left) + nodes(right),
        }
    }

    fn budget() -> Budget<'static> {
        let go_on = Box::leak(Box::new(|_| true));
        Budget { cases: 1 << 20, rejects: 10, go_on, progress: Default::default() }
    }

    #[test]
    fn search_trees_are_counted_exactly_and_few_others_are_tried() {
        let search_tree = any::<Tree>().filter(|it| is_ordered(it, 0, KEYS + 1));
        let mut counts = [0; KEYS as usize + 1];
        let mut test = |src: &mut Source| counts[nodes(&src.draw(search_tree.by_ref())) as usize] += 1;
        let finding = search_exhaustive(Bounds::default(), &mut test, budget()).unwrap();
        let reach = finding.evidence.reach.unwrap();
        assert!(reach.all, "{reach:?}");
        // Catalan(n) for each way to choose n of 4 keys.
        assert_eq!(counts, [1, 4, 2 * 6, 5 * 4, 14]);
        assert_eq!(finding.tally.cases, 51);
        assert!(finding.tally.rejected() < 51 * 12, "{:?}", finding.tally);
    }

    #[test]
    fn a_part_read_in_the_middle_of_another_draw_is_replayed() {
        // The filter of the second input reads a part of the first, so refusing cannot be undone in place.
        let mut seen = Vec::new();
        let mut test = |src: &mut Source| {
            let a: Lazy<(u8, bool)> = src.draw(lazy((0u8..3, any::<bool>())));
            let b = src.draw(from(0u8..3).filter(|it| *it > a.0));
            seen.push((a.0, a.1, b));
        };
        let reach =
            search_exhaustive(Bounds::default(), &mut test, budget()).unwrap().evidence.reach.unwrap();
        seen.sort();
        let expected =
            [(0, false, 1), (0, false, 2), (0, true, 1), (0, true, 2), (1, false, 2), (1, true, 2)];
        assert!(reach.all);
        assert_eq!(seen, expected);
    }

    fn replayed(values: &[Value], test: &mut dyn crate::Test) -> Case {
        render_case(&mut Source::new(Box::new(Replay::new(values.to_vec(), Tail::Simplest))), test).unwrap()
    }

    #[test]
    fn reports_show_what_was_drawn_when_the_case_ended() {
        let mut test = |src: &mut Source| {
            let tree: Tree = src.draw_as("tree", any::<Tree>());
            let mut pair: (Lazy<u8>, Lazy<u8>) = src.any();
            *pair.1 += 1;
            if let Tree::Node(left, key, _) = &tree {
                assert!(matches!(**left, Tree::Leaf) || **key < 3, "{tree:?}");
            }
        };
        let case = replayed(&[Value::Pick(1), Value::Int(8), Value::Pick(1), Value::Int(3)], &mut test);
        let texts: Vec<&str> = case.log.inputs.iter().map(|it| &*it.text).collect();
        assert_eq!(texts, ["Node(Node(_, _, _), 3, _)", "(_, 8)"]);
        assert_eq!(case.verdict.failure().unwrap().message, "Node(Node(_, _, _), 3, _)");
    }

    #[test]
    fn shrinking_leaves_undrawn_what_is_not_read() {
        let mut test = |src: &mut Source| {
            let v: Vec<(Lazy<u16>, Lazy<String>)> = src.any();
            assert!(v.iter().all(|it| *it.0 < 1000));
        };
        let mut source = Source::new(Box::new(crate::Random::new(7)));
        let case = loop {
            source.begin().unwrap();
            let case = run_case(&mut source, &mut test).unwrap();
            if matches!(case.verdict, Verdict::Fail(_)) {
                break case;
            }
        };
        let shrunk = shrink(case, &mut test, 10_000, &mut |_| true).unwrap().case;
        assert_eq!(replayed(&shrunk.trace.values(), &mut test).log.inputs[0].text, "[(1000, _)]");
    }

    #[test]
    #[should_panic = "after its case had ended"]
    fn a_part_that_outlives_its_case_says_so() {
        let mut kept = None;
        let mut source = Source::new(Box::new(crate::Random::new(7)));
        run_case(&mut source, &mut |src: &mut Source| kept = Some(src.any::<Lazy<u8>>())).unwrap();
        let _ = *kept.unwrap() + 1;
    }
}
