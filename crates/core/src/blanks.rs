//! The blanks of a test, for those who fill them in: what `#[probity::test]` writes down is made of these.

use std::ffi::{CStr, CString, OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::Source;

/// What a function that knows the generators of a test's blanks is to do with them. It knows both ways, so that
/// each generator is written down once.
///
/// ```
/// use probity_core::{Blanks, Generator, Part, Source, Space, Spaces, any, sample, vec};
/// fn blanks(asked: Blanks<'_, (&mut Spaces, &mut Vec<Part>)>, then: impl FnOnce(u8, Vec<bool>)) {
///     let (n, v) = (250.., vec(any::<bool>(), ..=1));
///     match asked {
///         Blanks::Draw(source) => then(source.draw_as("n", n), source.draw_as("v", v)),
///         Blanks::Describe((spaces, parts)) => parts.extend([n.space(spaces), v.space(spaces)]),
///     }
/// }
/// sample(&|src: &mut Source| blanks(Blanks::Draw(src), |n, v| assert!(n >= 250 && v.len() < 2)), 7);
/// let space = Space::new(|spaces| {
///     let mut parts = Vec::new();
///     blanks(Blanks::Describe((spaces, &mut parts)), |_, _| ());
///     spaces.sequence(&parts)
/// });
/// assert_eq!(space.unwrap().total(), Some(6 * 3));
/// ```
pub enum Blanks<'a, D> {
    /// Draw them.
    Draw(&'a mut Source),
    /// Say what they are drawn from, into this.
    Describe(D),
}

/// A type that a blank may refer to: a blank of the type `&T` is drawn as the `Owner` of `T` and lent.
///
/// ```
/// use probity_core::Referent;
/// let owner: <str as Referent>::Owner = String::from("drawn");
/// let blank: &str = &owner;
/// # let _ = blank;
/// let _: <u8 as Referent>::Owner = 7u8;
/// ```
#[diagnostic::on_unimplemented(
    message = "nothing can be drawn that would be lent as `&{Self}`",
    label = "a reference that nothing is drawn for",
    note = "take something that owns it, such as a `Box`, from a generator: `#[from(..)] it: Box<..>`"
)]
pub trait Referent {
    /// What is drawn.
    type Owner;
}

impl<T> Referent for T {
    type Owner = T;
}

impl<T> Referent for [T] {
    type Owner = Vec<T>;
}

macro_rules! referents {
    ($($t:ty: $owner:ty,)*) => {$(
        impl Referent for $t {
            type Owner = $owner;
        }
    )*};
}

referents! { str: String, Path: PathBuf, OsStr: OsString, CStr: CString, }

/// What a generator may make for a blank of the type `&str`: a `String`, a `&str`, or whatever else is lent as a text.
///
/// ```
/// use probity_core::Text;
/// assert_eq!((Text::text(&"tea"), Text::text(&String::from("milk"))), ("tea", "milk"));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be lent as `&str`",
    label = "makes no text",
    note = "draw a `String` or a `&str`"
)]
pub trait Text {
    /// The text itself.
    fn text(&self) -> &str;
}

#[diagnostic::do_not_recommend]
impl<T: AsRef<str> + ?Sized> Text for T {
    fn text(&self) -> &str {
        self.as_ref()
    }
}
