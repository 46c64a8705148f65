//! Which attributes fit a type, so that one that does not is an error of the compiler, at its place.

/// What `#[spec(..)]` and `spec!` can declare of the values of a type.
///
/// ```
/// use probity_spec::draw::{Declarable, Declared};
/// const _: () = <Vec<u8>>::DECLARABLE.range(Some(false));
/// const _: () = Declarable::NUMBER.list().len();
/// const _: () = <Option<String>>::DECLARABLE.matches();
/// assert_eq!(<Vec<String>>::DECLARABLE, Declarable::TEXT.list());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declarable {
    range: RangeEnds,
    has_length: bool,
    has_pattern: bool,
}

/// How the ends of a range of such values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RangeEnds {
    Anyhow,
    Numbers,
    /// Of dates and times.
    Texts,
    /// There is no range.
    Nowhere,
}

impl Declarable {
    /// Nothing is known before the spec is made: what fits is found out then.
    pub const UNKNOWN: Declarable = Declarable::new(RangeEnds::Anyhow, true, true);
    /// Nothing but requirements.
    pub const NOTHING: Declarable = Declarable::new(RangeEnds::Nowhere, false, false);
    /// Of numbers.
    pub const NUMBER: Declarable = Declarable::new(RangeEnds::Numbers, false, false);
    /// Of dates, times and durations.
    pub const DATE: Declarable = Declarable::new(RangeEnds::Texts, false, false);
    /// Of texts.
    pub const TEXT: Declarable = Declarable::new(RangeEnds::Nowhere, true, true);

    const fn new(range: RangeEnds, has_length: bool, has_pattern: bool) -> Declarable {
        Declarable { range, has_length, has_pattern }
    }

    /// Of lists of such values: a length of their own, the rest of their items.
    pub const fn list(self) -> Declarable {
        Declarable { has_length: true, ..self }
    }

    /// Fails unless there are ranges; `of_texts` is whether the ends of this one are texts, where that is known.
    #[track_caller]
    pub const fn range(self, of_texts: Option<bool>) {
        match (self.range, of_texts) {
            (RangeEnds::Nowhere, _) => panic!(
                "`range` is for numbers, dates and times, which this type has none of; write `len` or `matches` for a text, `require` for others"
            ),
            (RangeEnds::Numbers, Some(true)) => {
                panic!("this range ends with a text, where the type holds numbers; write it as in `0..=9`")
            }
            (RangeEnds::Texts, Some(false)) => panic!(
                "this range ends with a number, where the type holds dates or times; write it as in `\"2017-10-21\"..`"
            ),
            _ => {}
        }
    }

    /// Fails unless there are lengths.
    #[track_caller]
    pub const fn len(self) {
        assert!(
            self.has_length,
            "`len` is for texts and lists, and this type is neither; write `range` for numbers, `require` for others"
        );
    }

    /// Fails unless there are patterns.
    #[track_caller]
    pub const fn matches(self) {
        assert!(
            self.has_pattern,
            "`matches` is for texts, which this type has none of; write `range` for numbers, `require` for others"
        );
    }
}
