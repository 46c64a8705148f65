//! How a generator says which choices it asks for.

use std::panic::Location;

use crate::domain::n_shut_below;
use crate::{Domain, Generate};

/// A part of a space: the choices that one generator asks for. Only the [`Spaces`] that gave it know
/// what it represents.
///
/// ```
/// use probity_core::{Generate, Part, Space, Spaces};
/// fn pair(spaces: &mut Spaces) -> Part {
///     let parts = [bool::space(spaces), u8::space(spaces)];
///     spaces.sequence(&parts)
/// }
/// assert_eq!(Space::new(pair).unwrap().total(), Some(512));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part(pub(super) u32);

/// Where generators describe themselves: each method adds a part and returns it.
///
/// The law: in whatever way the choices are answered, the generator asks for exactly those its part
/// describes, in that order.
///
/// ```
/// use probity_core::{Domain, Generator, Part, Source, Space, Spaces};
/// /// A number, and its sign where it has one.
/// struct Signed;
/// impl Generator for Signed {
///     type Value = i32;
///     fn generate(&self, src: &mut Source) -> i32 {
///         match src.pick(3) { 0 => 0, 1 => src.int(1, 9), _ => -src.int(1, 9) }
///     }
///     fn space(&self, spaces: &mut Spaces) -> Part {
///         let size = spaces.choice(Domain::int(1, 9));
///         let none = spaces.nothing();
///         spaces.pick(&[none, size, size])
///     }
/// }
/// assert_eq!(Space::of(&Signed).unwrap().total(), Some(19));
/// ```
#[derive(Debug)]
pub struct Spaces {
    pub(super) nodes: Vec<SpaceNode>,
    /// Types have few parts, so a list will do.
    names: Vec<(&'static str, &'static Location<'static>, Part)>,
    /// Recursive generators that are being described, by address.
    knots: Vec<(usize, Part)>,
    /// The types that are being described, the innermost last.
    open: Vec<&'static str>,
}

#[derive(Debug)]
pub(super) enum SpaceNode {
    Nothing,
    Choice(Domain),
    Pair([Part; 2]),
    /// This many of one part, one after the other.
    Repeat(Part, u32),
    /// A choice, and then the part at the rank of its answer.
    Either(Domain, Box<[Part]>),
    List {
        item: Part,
        min: u32,
        max: u32,
    },
    /// One level of nesting; see `Source::nest`.
    Group(Part),
    /// Another part under a name; itself while that is being described.
    Link {
        name: &'static str,
        to: Part,
    },
    Unknown(String),
    /// What no input has.
    Never,
}

const NOTHING: Part = Part(0);

impl Spaces {
    pub(super) fn new() -> Self {
        Spaces { nodes: vec![SpaceNode::Nothing], names: Vec::new(), knots: Vec::new(), open: Vec::new() }
    }

    fn add(&mut self, node: SpaceNode) -> Part {
        let part = Part(u32::try_from(self.nodes.len()).expect("a description has fewer than 2^32 parts"));
        self.nodes.push(node);
        part
    }

    /// No choice.
    ///
    /// ```
    /// use probity_core::Space;
    /// assert_eq!(Space::new(|spaces| spaces.nothing()).unwrap().total(), Some(1));
    /// ```
    pub fn nothing(&mut self) -> Part {
        NOTHING
    }

    /// One choice.
    ///
    /// ```
    /// use probity_core::{Domain, Space};
    /// assert_eq!(Space::new(|spaces| spaces.choice(Domain::Bool)).unwrap().total(), Some(2));
    /// ```
    pub fn choice(&mut self, domain: Domain) -> Part {
        match domain {
            Domain::Pick { n, shut, .. } if n <= n_shut_below(shut, n) => {
                self.unknown("a pick among nothing")
            }
            // Weights steer random answers only.
            Domain::Pick { n, shut, free, .. } => {
                self.add(SpaceNode::Choice(Domain::Pick { n, weights: None, shut, free }))
            }
            _ => self.add(SpaceNode::Choice(domain)),
        }
    }

    /// What a value of a type is drawn from.
    ///
    /// ```
    /// use probity_core::Space;
    /// assert_eq!(Space::new(|spaces| spaces.any::<[bool; 3]>()).unwrap().total(), Some(8));
    /// ```
    pub fn any<T: Generate>(&mut self) -> Part {
        T::space(self)
    }

    /// One part after the other.
    ///
    /// ```
    /// use probity_core::{Domain, Space};
    /// let coins = Space::new(|spaces| {
    ///     let coin = spaces.choice(Domain::Bool);
    ///     spaces.sequence(&[coin, coin, coin])
    /// });
    /// assert_eq!(coins.unwrap().total(), Some(8));
    /// ```
    pub fn sequence(&mut self, parts: &[Part]) -> Part {
        // Halves rather than a chain, so that following a long sequence takes little stack.
        match parts {
            [] => NOTHING,
            [part] => *part,
            _ => {
                let (left, right) = parts.split_at(parts.len() / 2);
                match (self.sequence(left), self.sequence(right)) {
                    (NOTHING, part) | (part, NOTHING) => part,
                    (left, right) => self.add(SpaceNode::Pair([left, right])),
                }
            }
        }
    }

    /// One part `n` times, as the items of an array: their number is no choice, and they do not share
    /// the size budget.
    ///
    /// ```
    /// use probity_core::{Domain, Space};
    /// let coins = Space::new(|spaces| {
    ///     let coin = spaces.choice(Domain::Bool);
    ///     spaces.repeat(coin, 8)
    /// });
    /// assert_eq!(coins.unwrap().total(), Some(256));
    /// ```
    pub fn repeat(&mut self, part: Part, n: usize) -> Part {
        match u32::try_from(n) {
            Ok(0) => NOTHING,
            Ok(n) => self.add(SpaceNode::Repeat(part, n)),
            Err(_) => self.unknown(format!("an array of {n}")),
        }
    }

    /// A pick among alternatives, weighted or not, and then the part of the one that was picked.
    ///
    /// ```
    /// use probity_core::{Domain, Space};
    /// let option = Space::new(|spaces| {
    ///     let (none, some) = (spaces.nothing(), spaces.choice(Domain::Bool));
    ///     spaces.pick(&[none, some])
    /// });
    /// assert_eq!(option.unwrap().total(), Some(3));
    /// ```
    pub fn pick(&mut self, parts: &[Part]) -> Part {
        match u32::try_from(parts.len()) {
            Ok(n @ 1..) => self.add(SpaceNode::Either(Domain::pick(n), parts.into())),
            _ => self.unknown(format!("a pick among {} alternatives", parts.len())),
        }
    }

    /// A coin, and then a part for each of its sides.
    pub(crate) fn coin(&mut self, otherwise: Part, then: Part) -> Part {
        self.add(SpaceNode::Either(Domain::Bool, [otherwise, then].into()))
    }

    /// A pick between nothing more and what is left to engines that go from value to value: no input of a space
    /// has it. See [`Source::takes_step`](crate::Source::takes_step).
    pub(crate) fn no_step(&mut self) -> Part {
        let never = self.add(SpaceNode::Never);
        self.pick(&[NOTHING, never])
    }

    /// A list, as [`Source::list`](crate::Source::list) draws it: its length, unless `min` is `max`, and
    /// that many items, which share the size budget.
    ///
    /// ```
    /// use probity_core::{Domain, Space};
    /// let bits = Space::new(|spaces| {
    ///     let bit = spaces.choice(Domain::Bool);
    ///     spaces.list(bit, 0, 3)
    /// });
    /// assert_eq!(bits.unwrap().total(), Some(1 + 2 + 4 + 8));
    /// ```
    pub fn list(&mut self, item: Part, min: u32, max: u32) -> Part {
        if max < min {
            return self.unknown(format!("a list of {min}..={max} items"));
        }
        if max == 0 {
            return NOTHING;
        }
        self.add(SpaceNode::List { item, min, max })
    }

    /// A list as [`Source::list_within_size`](crate::Source::list_within_size) draws it. The size budget steers
    /// random answers only, so it does not bound the space.
    ///
    /// ```
    /// use probity_core::{Domain, Space};
    /// let lists = Space::new(|spaces| {
    ///     let one = spaces.choice(Domain::int(1, 1));
    ///     spaces.list_within_size(one, 0, 999)
    /// });
    /// assert_eq!(lists.unwrap().total(), Some(1000), "one of each length");
    /// ```
    pub fn list_within_size(&mut self, item: Part, min: u32, max: u32) -> Part {
        self.list(item, min, max)
    }
    /// A value of a type, as [`Source::group`](crate::Source::group) draws it.
    ///
    /// ```
    /// use probity_core::{Generate, Space};
    /// let point = Space::new(|spaces| {
    ///     let fields = <(bool, bool)>::space(spaces);
    ///     spaces.group(fields)
    /// });
    /// assert_eq!(point.unwrap().total(), Some(4));
    /// ```
    pub fn group(&mut self, part: Part) -> Part {
        self.add(SpaceNode::Group(part))
    }

    /// A value that may contain values of its own type, as [`Source::nest`](crate::Source::nest) draws
    /// it; see [`named`](Spaces::named).
    ///
    /// ```
    /// use probity_core::{Generate, Space};
    /// let bits = Space::new(|spaces| {
    ///     let list = <Vec<bool>>::space(spaces);
    ///     spaces.nest(list)
    /// });
    /// assert_eq!(bits.unwrap().count(2), Some(2), "[true] and [false, false]");
    /// ```
    pub fn nest(&mut self, part: Part) -> Part {
        self.add(SpaceNode::Group(part))
    }

    /// The part of a type, which `describe` adds. Where the type contains itself, `describe` comes back
    /// to this call and is given the part that it is about to describe.
    ///
    /// ```
    /// use probity_core::{Generate, Part, Source, Space, Spaces, any};
    /// #[derive(Debug)]
    /// struct Peano(Option<Box<Peano>>);
    /// impl Generate for Peano {
    ///     fn generate(src: &mut Source) -> Self {
    ///         src.nest("Peano", |src| Peano(Generate::generate(src)))
    ///     }
    ///     fn space(spaces: &mut Spaces) -> Part {
    ///         spaces.named(std::any::type_name::<Self>(), |spaces| {
    ///             let inner = <Option<Box<Peano>>>::space(spaces);
    ///             spaces.nest(inner)
    ///         })
    ///     }
    /// }
    /// assert_eq!(Space::of(&any::<Peano>()).unwrap().count(7), Some(1), "there is one number of each size");
    /// ```
    #[track_caller]
    pub fn named(&mut self, name: &'static str, describe: impl FnOnce(&mut Spaces) -> Part) -> Part {
        // A name alone is not enough: types of two blocks of one function may share it.
        let place = Location::caller();
        if let Some(it) = self.names.iter().find(|it| it.0 == name && it.1 == place) {
            return it.2;
        }
        let link = self.add_link(name);
        self.names.push((name, place, link));
        self.open.push(name);
        let to = describe(self);
        self.open.pop();
        self.close(link, to)
    }

    /// As [`named`](Spaces::named), for the generator at an address. Nothing is known of the address
    /// once it is described: another one may be there by then.
    pub(crate) fn knot(&mut self, address: usize, describe: impl FnOnce(&mut Spaces) -> Part) -> Part {
        if let Some((_, part)) = self.knots.iter().find(|it| it.0 == address) {
            return *part;
        }
        let link = self.add_link("recursive");
        self.knots.push((address, link));
        let to = describe(self);
        self.knots.pop();
        self.close(link, to)
    }

    fn add_link(&mut self, name: &'static str) -> Part {
        let link = self.add(SpaceNode::Nothing);
        self.nodes[link.0 as usize] = SpaceNode::Link { name, to: link };
        link
    }

    fn close(&mut self, link: Part, part: Part) -> Part {
        if let SpaceNode::Link { to, .. } = &mut self.nodes[link.0 as usize] {
            *to = part;
        }
        link
    }

    /// Choices that are not known before the generator runs. `what` names the reason in the error.
    ///
    /// ```
    /// use probity_core::Space;
    /// let err = Space::new(|spaces| spaces.unknown("the weather")).unwrap_err();
    /// assert!(err.to_string().contains("because of the weather"));
    /// ```
    pub fn unknown(&mut self, what: impl Into<String>) -> Part {
        let mut what = what.into();
        if let Some(name) = self.open.last() {
            what = format!("{what} in `{name}`");
        }
        self.add(SpaceNode::Unknown(what))
    }

    /// As [`unknown`](Spaces::unknown), for choices among which are those of `parts`: so that it is known which types
    /// contain each other.
    ///
    /// ```
    /// use probity_core::{Generate, Space};
    /// let err = Space::new(|spaces| {
    ///     let byte = u8::space(spaces);
    ///     spaces.unknown_with("an even byte", &[byte])
    /// });
    /// assert!(err.unwrap_err().to_string().contains("because of an even byte"));
    /// ```
    pub fn unknown_with(&mut self, what: impl Into<String>, parts: &[Part]) -> Part {
        let unknown = self.unknown(what);
        let parts = self.sequence(parts);
        self.sequence(&[unknown, parts])
    }
}
