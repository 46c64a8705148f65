//! Floats as specs have them: with an order that is total, beside the one of Rust.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// An `f64` as a value of a spec. All NaNs are one, which is equal to itself here and above infinity; and -0.0 is below 0.0.
/// Comparisons in requirements are those of Rust.
///
/// ```
/// use probity_spec::{Float64, Term, Value};
/// let float = |it: f64| Value::Float(Float64::new(it));
/// assert!(float(-0.0) < float(0.0) && float(f64::NAN) == float(-f64::NAN));
/// let is_zero = Term::it().eq(Term::int(0));
/// assert_eq!(is_zero.eval(&float(-0.0), None), Some(Value::Bool(true)));
/// assert_eq!(Term::it().eq(Term::it()).eval(&float(f64::NAN), None), Some(Value::Bool(false)));
/// ```
#[derive(Clone, Copy)]
pub struct Float64(f64);

/// The place of infinity.
const INFINITY: i128 = f64::INFINITY.to_bits() as i128;

impl Float64 {
    /// The places of negative and of positive infinity: numbers that are no NaN are between them.
    pub(crate) const ENDS: (i128, i128) = (-1 - INFINITY, INFINITY);
    /// The place of NaN.
    pub(crate) const NAN: i128 = INFINITY + 1;

    /// A float; see [`Float64`].
    pub fn new(it: f64) -> Float64 {
        Float64(if it.is_nan() { f64::NAN } else { it })
    }

    /// The float itself.
    ///
    /// ```
    /// assert_eq!(probity_spec::Float64::new(0.5).get(), 0.5);
    /// ```
    pub fn get(self) -> f64 {
        self.0
    }

    /// Its place among all floats: next to it is what is next to it.
    pub(crate) fn place(self) -> i128 {
        let size = i128::from(self.0.abs().to_bits());
        match self.0 {
            it if it.is_nan() => Float64::NAN,
            it if it.is_sign_negative() => -1 - size,
            _ => size,
        }
    }

    /// The float at a place.
    pub(crate) fn at(place: i128) -> Option<Float64> {
        let (least, most) = Float64::ENDS;
        Some(Float64(match place {
            Float64::NAN => f64::NAN,
            _ if place < least || place > most => return None,
            0.. => f64::from_bits(place as u64),
            _ => -f64::from_bits((-1 - place) as u64),
        }))
    }

    /// The places of all floats that are equal to it in Rust; none for NaN.
    pub(crate) fn equal_places(self) -> Option<(i128, i128)> {
        match self.0 {
            it if it.is_nan() => None,
            0.0 => Some((-1, 0)),
            _ => Some((self.place(), self.place())),
        }
    }
}

impl PartialEq for Float64 {
    fn eq(&self, other: &Float64) -> bool {
        self.place() == other.place()
    }
}

impl Eq for Float64 {}

impl PartialOrd for Float64 {
    fn partial_cmp(&self, other: &Float64) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Float64 {
    fn cmp(&self, other: &Float64) -> Ordering {
        self.place().cmp(&other.place())
    }
}

impl Hash for Float64 {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.place().hash(state);
    }
}

impl fmt::Debug for Float64 {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl fmt::Display for Float64 {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}
