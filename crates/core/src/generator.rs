//! Generators: programs that draw choices and return a value.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::rc::Rc;

use crate::generators::{AndThen, Boxed, ByRef, Filter, Map, Neighbor};
use crate::source::PREALLOCATED_MAX;
use crate::{Part, Site, Source, SourcePlace, Spaces, Verdict};

/// A program that draws choices from a source and returns a value.
///
/// Any `Fn(&mut Source) -> T` is a generator, and so are ranges, tuples of generators and slices (one
/// of their elements). The one law: all that differs between two calls comes from the source.
///
/// ```
/// use probity_core::{Combine, Source, from, sample};
/// let even = from(0..50).map(|n| n * 2);
/// let pair = |src: &mut Source| { let a = src.draw(even.by_ref()); (a, src.draw(a..=100)) };
/// let (a, b) = sample(&pair, 7);
/// assert!(a % 2 == 0 && a <= b);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a generator",
    label = "not a generator",
    note = "write `any::<T>()` for the generator of a type, `just(value)` for one value, \
            `from(0..9).map(..)` to map a range, `.by_ref()` to lend a generator",
    note = "`any::<T>()` is one if `T` is `Generate`, `vec(..)` if its items are drawn from one, `string(..)` if its \
            characters are, `just(..)` and `select(..)` if the values are `Clone`"
)]
// The functions that make generators of others do not ask for one: this trait does, once.
pub trait Generator {
    /// What it makes.
    type Value;

    /// Draws choices from `source` and returns a value.
    ///
    /// ```
    /// use probity_core::{Generator, Source, sample};
    /// struct Even;
    /// impl Generator for Even {
    ///     type Value = u32;
    ///     fn generate(&self, source: &mut Source) -> u32 { source.int(0, 50) * 2 }
    /// }
    /// assert_eq!(sample(&Even, 7) % 2, 0);
    /// ```
    fn generate(&self, source: &mut Source) -> Self::Value;

    /// Draws the `n` items of a list. The same as `n` calls of [`generate`](Generator::generate), for
    /// generators that have a faster way.
    ///
    /// ```
    /// use probity_core::{Generator, Source, sample};
    /// let three = |src: &mut Source| (0..10).generate_items(src, 3);
    /// assert_eq!(sample(&three, 7).len(), 3);
    /// ```
    #[inline]
    fn generate_items(&self, source: &mut Source, n: u32) -> Vec<Self::Value> {
        many(source, n, |src| self.generate(src))
    }

    /// What a report shows of a value that was just drawn, where that is not its `Debug`: a name, say.
    ///
    /// ```
    /// use probity_core::{Generator, Pool};
    /// assert_eq!((0..9).shown(&3), None);
    /// let mut files = Pool::new("fd");
    /// files.add(3);
    /// assert_eq!((&files).shown(&files.iter().next().unwrap()), Some("fd0".to_string()));
    /// ```
    fn shown(&self, value: &Self::Value) -> Option<String> {
        let _ = value;
        None
    }

    /// Describes the choices that [`generate`](Generator::generate) asks for, so that the inputs can be
    /// counted: see [`Space`](crate::Space) and, for the law, [`Spaces`]. Unknown unless it is given.
    ///
    /// ```
    /// use probity_core::{Domain, Generator, Part, Source, Space, Spaces};
    /// struct Even;
    /// impl Generator for Even {
    ///     type Value = u32;
    ///     fn generate(&self, source: &mut Source) -> u32 { source.int(0, 50) * 2 }
    ///     fn space(&self, spaces: &mut Spaces) -> Part { spaces.choice(Domain::int(0, 50)) }
    /// }
    /// assert_eq!(Space::of(&Even).unwrap().total(), Some(51));
    /// ```
    fn space(&self, spaces: &mut Spaces) -> Part {
        spaces.unknown(format!("`{}`", std::any::type_name::<Self>()))
    }
}

// What is no generator is mostly not meant to be a function.
#[diagnostic::do_not_recommend]
impl<T, F: Fn(&mut Source) -> T> Generator for F {
    type Value = T;

    #[inline]
    fn generate(&self, source: &mut Source) -> T {
        self(source)
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        spaces.unknown(format!("the code of `{}`", without_parameters(std::any::type_name::<Self>())))
    }
}

/// The name of a function without its type parameters: those of a test's blanks are our own.
fn without_parameters(name: &str) -> String {
    let (mut res, mut depth, mut before) = (String::new(), 0, ' ');
    for char in name.chars() {
        let begins = char == '<' && (depth > 0 || before.is_alphanumeric());
        depth += i32::from(begins);
        if depth == 0 {
            res.push(char);
        }
        depth -= i32::from(char == '>' && before != '-' && depth > 0);
        before = char;
    }
    res
}

/// Generators made of one generator.
///
/// A trait of its own because ranges are generators too, and `(0..9).map(..)` has to go on meaning
/// what it means to an iterator: write `from(0..9).map(..)` there. For a generator type of your own,
/// an empty `impl Combine for MyGenerator {}` gives it these methods.
///
/// ```
/// use probity_core::{Combine, any, from, sample};
/// let even = from(0..50).map(|n| n * 2);
/// let word = any::<String>().filter(|it| !it.is_empty());
/// assert!(sample(&even, 7) % 2 == 0 && !sample(&word, 7).is_empty());
/// ```
pub trait Combine: Generator + Sized {
    /// Applies `f` to every value.
    ///
    /// ```
    /// use probity_core::{Combine, any, sample};
    /// let text = any::<u16>().map(|n| n.to_string());
    /// assert!(sample(&text, 7).parse::<u16>().is_ok());
    /// ```
    fn map<T, F: Fn(Self::Value) -> T>(self, f: F) -> Map<Self, F> {
        Map { inner: self, f }
    }

    /// Keeps only values for which `keep` holds. A few tries are made in place; after that the case is
    /// rejected, and the report counts it against this line.
    ///
    /// ```
    /// use probity_core::{Combine, any, sample};
    /// let odd = any::<u16>().filter(|n| n % 2 == 1);
    /// assert_eq!(sample(&odd, 7) % 2, 1);
    /// ```
    #[track_caller]
    fn filter<F: Fn(&Self::Value) -> bool>(self, keep: F) -> Filter<Self, F> {
        Filter { inner: self, keep, site: Site { what: "filter", location: SourcePlace::caller() } }
    }

    /// Keeps only values for which the invariant `holds`: a [`filter`](Combine::filter) for structures with
    /// [`Lazy`](crate::Lazy) parts. What the invariant does not read is not drawn, so where it does not hold, the
    /// exhaustive engine skips all structures that differ only in what was not read. Let it read little
    /// before it refuses: order before balance, neighbors before the whole.
    ///
    /// ```
    /// use probity_core::{Bounds, Budget, Combine, Lazy, Source, lazy, search_exhaustive, vec};
    /// fn is_sorted(v: &Vec<Lazy<u8>>) -> bool { v.windows(2).all(|it| it[0] <= it[1]) }
    /// let sorted = vec(lazy(0u8..6), 6).such_that(is_sorted);
    /// let budget = Budget { cases: 1 << 20, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    /// let mut test = |src: &mut Source| { src.draw(sorted.by_ref()); };
    /// let tally = search_exhaustive(Bounds::default(), &mut test, budget).unwrap().tally;
    /// assert_eq!(tally.cases, 462);
    /// assert!(tally.rejected() < 2_000, "of 46,656 lists, most are never drawn whole: {}", tally.rejected());
    /// ```
    #[track_caller]
    fn such_that<F: Fn(&Self::Value) -> bool>(self, holds: F) -> Filter<Self, F> {
        Filter { inner: self, keep: holds, site: Site { what: "such_that", location: SourcePlace::caller() } }
    }

    /// Draws like this generator, but under the targeted engine the values near a value are those that
    /// `neighbor` makes of it, here and only here: what encloses it goes on to vary by itself. The engine gives
    /// a temperature from 0 to 1, which says how far to go; it may be ignored, but at 0 a value should stay as it
    /// is.
    ///
    /// Values are not kept: the trace has the first value and every step from there, at most 256, and `neighbor`
    /// is called again for each of them whenever the case is run.
    ///
    /// Lists of integers that only ever change by one:
    ///
    /// ```
    /// use probity_core::{Combine, any, sample, vec};
    /// let steady = any::<i32>().neighbor(|base, _, src| base.saturating_add([1, -1][src.pick(2)]));
    /// let list = vec(steady, ..=9);
    /// assert!(sample(&list, 7).len() <= 9);
    /// ```
    ///
    /// A rectangle whose width stays even:
    ///
    /// ```
    /// use probity_core::{Combine, Source, sample};
    /// #[derive(Debug)]
    /// struct Area { width: u32, height: u32 }
    /// let areas = |src: &mut Source| Area { width: src.int(1u32, 50) * 2, height: src.int(1, 100) };
    /// let areas = areas.neighbor(|base, temperature, src| {
    ///     let far = (5.0 * temperature) as u32;
    ///     let mut near = |n: u32, max| src.int(n.saturating_sub(far).max(1), (n + far).min(max));
    ///     Area { width: near(base.width / 2, 50) * 2, height: near(base.height, 100) }
    /// });
    /// assert_eq!(sample(&areas, 7).width % 2, 0);
    /// ```
    fn neighbor<F>(self, neighbor: F) -> Neighbor<Self, F>
    where
        F: Fn(&Self::Value, f64, &mut Source) -> Self::Value,
    {
        Neighbor { inner: self, f: neighbor }
    }

    /// Draws a value, then a second one from a generator that depends on the first.
    ///
    /// ```
    /// use probity_core::{Combine, from, just, sample};
    /// let pair = from(0..10).and_then(|a| (just(a), a..10));
    /// let (a, b) = sample(&pair, 7);
    /// assert!(a <= b);
    /// ```
    fn and_then<G: Generator, F: Fn(Self::Value) -> G>(self, f: F) -> AndThen<Self, F> {
        AndThen { inner: self, f }
    }

    /// Lends the generator, where one is wanted by value.
    ///
    /// ```
    /// use probity_core::{Combine, from, sample, vec};
    /// let digit = from('0'..='9');
    /// let (two, four) = (vec(digit.by_ref(), 2), vec(digit.by_ref(), 4));
    /// assert_eq!(sample(&(two, four), 7).1.len(), 4);
    /// ```
    fn by_ref(&self) -> ByRef<'_, Self> {
        ByRef(self)
    }

    /// Hides the type of the generator, so that different ones can be in one list.
    ///
    /// ```
    /// use probity_core::{Combine, from, just, sample};
    /// let both = [just(0).boxed(), from(10..20).boxed()];
    /// assert!(matches!(sample(&both, 7), [0, 10..20]));
    /// ```
    fn boxed<'a>(self) -> Boxed<'a, Self::Value>
    where
        Self: 'a,
    {
        Boxed(Rc::new(self))
    }
}

impl<T, F: Fn(&mut Source) -> T> Combine for F {}
impl<T: Generate> Combine for Any<T> {}

/// Any generator, with the methods of [`Combine`].
///
/// ```
/// use probity_core::{Combine, from, sample};
/// assert_eq!(sample(&from('a'..='a').map(String::from), 1), "a");
/// ```
pub fn from<G>(generator: G) -> From<G> {
    From(generator)
}

/// See [`from`].
#[derive(Clone, Debug)]
pub struct From<G>(G);

impl<G: Generator> Generator for From<G> {
    type Value = G::Value;

    #[inline]
    fn generate(&self, source: &mut Source) -> G::Value {
        self.0.generate(source)
    }

    fn shown(&self, value: &G::Value) -> Option<String> {
        self.0.shown(value)
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        self.0.space(spaces)
    }
}

impl<G: Generator> Combine for From<G> {}

/// A type with a generator of its own: what fills a blank that names nothing but a type.
///
/// ```
/// use probity_core::{Generate, Source, any, sample};
/// #[derive(Debug)]
/// struct Celsius(f32);
/// impl Generate for Celsius {
///     fn generate(source: &mut Source) -> Self {
///         Celsius(source.f32(-273.15, 1000.0, false))
///     }
/// }
/// assert!(sample(&any::<Celsius>(), 1).0 >= -273.15);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no generator of its own",
    label = "nothing says how to draw `{Self}`",
    note = "if the type is yours, add `#[derive(Generate)]` to it",
    note = "if it comes from another crate, enable the feature of `probity` with the name of that crate, \
            name a generator with `#[from(..)]`, such as `from_arbitrary()`, or draw a newtype around it",
    note = "if it is a reference, draw what it refers to, a `String` for `&str`, and borrow that in the test"
)]
// Values need `Debug` anyway. Since it is asked for here, a type that has neither is one error.
pub trait Generate: Sized + Debug {
    /// Draws choices from `source` and returns a value of the type.
    fn generate(source: &mut Source) -> Self;

    /// Draws the `n` items of a list; see [`Generator::generate_items`].
    #[inline]
    fn generate_items(source: &mut Source, n: u32) -> Vec<Self> {
        many(source, n, Self::generate)
    }

    /// Describes the choices that [`generate`](Generate::generate) asks for; see [`Generator::space`].
    fn space(spaces: &mut Spaces) -> Part {
        spaces.unknown(format!("`{}`", std::any::type_name::<Self>()))
    }
}

/// Draws the items of a list one after the other.
#[inline]
pub(crate) fn many<T>(source: &mut Source, n: u32, mut item: impl FnMut(&mut Source) -> T) -> Vec<T> {
    let mut res = Vec::with_capacity(n.min(PREALLOCATED_MAX) as usize);
    source.items(n, |src, _| res.push(item(src)));
    res
}

/// The generator of a type.
///
/// ```
/// use probity_core::{any, sample};
/// let _: (u8, String) = sample(&any(), 3);
/// ```
pub fn any<T>() -> Any<T> {
    Any(PhantomData)
}

/// See [`any`].
pub struct Any<T>(PhantomData<fn() -> T>);

impl<T> Clone for Any<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Any<T> {}

impl<T> Debug for Any<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "any::<{}>()", std::any::type_name::<T>())
    }
}

impl<T: Generate> Generator for Any<T> {
    type Value = T;

    #[inline]
    fn generate(&self, source: &mut Source) -> T {
        T::generate(source)
    }

    #[inline]
    fn generate_items(&self, source: &mut Source, n: u32) -> Vec<T> {
        T::generate_items(source, n)
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        T::space(spaces)
    }
}

/// One value of a generator, for documentation and for a look at what it makes. Panics when the
/// generator rejects what case 1 of `seed` draws and a hundred more.
///
/// ```
/// use probity_core::sample;
/// assert!(sample(&(1..=6), 42) <= 6);
/// ```
pub fn sample<G: Generator + ?Sized>(generator: &G, seed: u64) -> G::Value {
    for index in 1..=100 {
        let mut source = Source::new(Box::new(crate::Random::at(seed, index)));
        source.begin().expect("the random engine always has a next case");
        let mut res = None;
        let case = crate::run_case(&mut source, &mut |src: &mut Source| res = Some(generator.generate(src)));
        match (case, res) {
            (Ok(case), Some(value)) if case.verdict == Verdict::Pass => return value,
            (Err(misuse), _) => panic!("{}", misuse.message),
            _ => {}
        }
    }
    panic!("the generator rejected 100 cases in a row; make it construct what its filters require")
}
