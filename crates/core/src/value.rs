//! Answers to choices, and their compact text form.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// The answer to one choice: a member of some [`Domain`](crate::Domain).
///
/// Two floats are equal when their bits are, so that `-0.0` and `0.0` stay apart and `NaN` equals
/// itself. The text form is what the store keeps.
///
/// ```
/// use probity_core::Value;
/// for value in [Value::Bool(true), Value::Int(-5), Value::Float(0.5), Value::Char('é')] {
///     assert_eq!(value.to_string().parse(), Ok(value));
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// An answer to `Domain::Bool`.
    Bool(bool),
    /// An answer to `Domain::Int`.
    Int(i128),
    /// An answer to `Domain::Float`; an `f32` is kept as the `f64` of the same value.
    Float(f64),
    /// An answer to `Domain::Char`.
    Char(char),
    /// An answer to `Domain::Pick`.
    Pick(u32),
    /// An answer to `Domain::Length`.
    Length(u32),
}

impl Value {
    #[inline]
    fn key(self) -> (u8, u128) {
        match self {
            Value::Bool(it) => (0, u128::from(it)),
            Value::Int(it) => (1, it as u128),
            Value::Float(it) => (2, u128::from(it.to_bits())),
            Value::Char(it) => (3, u128::from(it as u32)),
            Value::Pick(it) => (4, u128::from(it)),
            Value::Length(it) => (5, u128::from(it)),
        }
    }

    /// As [callbacks](crate::Callbacks) give it, in 64 bits; `None` for a float.
    ///
    /// ```
    /// use probity_core::Value;
    /// assert_eq!((Value::Int(-1).scalar(), Value::Pick(2).scalar()), (Some(u64::MAX), Some(2)));
    /// ```
    #[inline]
    pub fn scalar(self) -> Option<u64> {
        match self {
            Value::Bool(it) => Some(it.into()),
            Value::Int(it) => Some(it as u64),
            Value::Char(it) => Some(u32::from(it).into()),
            Value::Pick(it) | Value::Length(it) => Some(it.into()),
            Value::Float(_) => None,
        }
    }

    /// As three words, from which [`from_words`](Self::from_words) makes it again.
    #[inline]
    pub(crate) fn words(self) -> [u64; 3] {
        let (kind, bits) = self.key();
        [kind.into(), (bits >> 64) as u64, bits as u64]
    }

    pub(crate) fn from_words([kind, high, low]: [u64; 3]) -> Option<Value> {
        Some(match kind {
            0 => Value::Bool(low == 1),
            1 => Value::Int((u128::from(high) << 64 | u128::from(low)) as i128),
            2 => Value::Float(f64::from_bits(low)),
            3 => Value::Char(char::from_u32(low as u32)?),
            4 => Value::Pick(low as u32),
            5 => Value::Length(low as u32),
            _ => return None,
        })
    }

    /// Whether the two answer the same kind of domain.
    ///
    /// ```
    /// use probity_core::Value;
    /// assert!(Value::Int(1).same_kind(Value::Int(2)));
    /// assert!(!Value::Int(1).same_kind(Value::Length(1)));
    /// ```
    pub fn same_kind(self, other: Value) -> bool {
        self.key().0 == other.key().0
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

/// One word each: `true`, `i-5`, `f0.5`, `c61` (a code point in hexadecimal), `p2`, `n3`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Value::Bool(it) => write!(f, "{it}"),
            Value::Int(it) => write!(f, "i{it}"),
            Value::Float(it) if it.is_nan() => {
                write!(f, "f{}nan", if it.is_sign_negative() { "-" } else { "" })
            }
            Value::Float(it) => write!(f, "f{it:?}"),
            Value::Char(it) => write!(f, "c{:x}", it as u32),
            Value::Pick(it) => write!(f, "p{it}"),
            Value::Length(it) => write!(f, "n{it}"),
        }
    }
}

/// A word that is not the text form of any [`Value`].
///
/// ```
/// let err = "x9".parse::<probity_core::Value>().unwrap_err();
/// assert_eq!(err.to_string(), "`x9` is not a choice; expected true, false, or i, f, c, p, n and a number");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseValueError(String);

impl fmt::Display for ParseValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a choice; expected true, false, or i, f, c, p, n and a number", self.0)
    }
}

impl std::error::Error for ParseValueError {}

impl FromStr for Value {
    type Err = ParseValueError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        parse(word).ok_or_else(|| ParseValueError(word.to_string()))
    }
}

fn parse(word: &str) -> Option<Value> {
    if let Ok(it) = word.parse() {
        return Some(Value::Bool(it));
    }
    let rest = word.get(1..)?;
    let value = match word.as_bytes()[0] {
        b'i' => Value::Int(rest.parse().ok()?),
        b'f' if rest == "nan" => Value::Float(f64::NAN.copysign(1.0)),
        b'f' if rest == "-nan" => Value::Float(f64::NAN.copysign(-1.0)),
        b'f' => Value::Float(rest.parse().ok()?),
        b'c' => Value::Char(char::from_u32(u32::from_str_radix(rest, 16).ok()?)?),
        b'p' => Value::Pick(rest.parse().ok()?),
        b'n' => Value::Length(rest.parse().ok()?),
        _ => return None,
    };
    let is_read_as_written = match value {
        // Floats have many texts; but one that is too large for them is none.
        Value::Float(it) => it.is_finite() || value.to_string() == word,
        _ => value.to_string() == word,
    };
    is_read_as_written.then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_round_trips() {
        let floats =
            [0.0, -0.0, 0.1, f64::MAX, 5e-324, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN];
        let mut values: Vec<Value> = floats.into_iter().map(Value::Float).collect();
        values.extend([i128::MIN, -1, 0, i128::MAX].map(Value::Int));
        values.extend(['\0', ' ', 'a', '\u{10ffff}'].map(Value::Char));
        values.extend([Value::Bool(false), Value::Bool(true), Value::Pick(7), Value::Length(0)]);
        for value in values {
            assert_eq!(value.to_string().parse(), Ok(value));
            assert_eq!(Value::from_words(value.words()), Some(value));
        }
    }

    #[test]
    fn broken_words_are_errors() {
        for word in [
            "",
            "i",
            "ix",
            "f",
            "cd800",
            "c110000",
            "p-1",
            "n4294967296",
            "é",
            "True",
            "i+5",
            "n07",
            "c+61",
            "f1e999",
            "fNaN",
            "finfinity",
        ] {
            assert!(word.parse::<Value>().is_err(), "{word}");
        }
    }
}
