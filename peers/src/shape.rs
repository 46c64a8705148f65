//! The seven bugs a library should find among values it draws by type alone.
//!
//! Each function is the property that is claimed; the bug is found by a value for which it is false.

/// A bug of a given shape.
#[derive(Clone, Copy)]
pub enum Shape {
    IntMin,
    EqualPair,
    Duplicate,
    NotANumber,
    Nul,
    Long,
    DeleteOne,
    /// No bug at all: a library that finds one here was set up wrongly.
    Nothing,
}

impl Shape {
    /// The bugs proper.
    pub const ALL: [Shape; 7] = [
        Shape::IntMin,
        Shape::EqualPair,
        Shape::Duplicate,
        Shape::NotANumber,
        Shape::Nul,
        Shape::Long,
        Shape::DeleteOne,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Shape::IntMin => "i64 is i64::MIN",
            Shape::EqualPair => "two i64 are equal",
            Shape::Duplicate => "duplicate in a Vec<i32>",
            Shape::NotANumber => "f64 is NaN",
            Shape::Nul => "char is NUL",
            Shape::Long => "Vec<u8> of 50 or more",
            Shape::DeleteOne => "delete leaves a duplicate",
            Shape::Nothing => "nothing",
        }
    }
}

pub fn int_min(n: i64) -> bool {
    n != i64::MIN
}

pub fn equal_pair(a: i64, b: i64) -> bool {
    a != b
}

pub fn duplicate(mut values: Vec<i32>) -> bool {
    values.sort_unstable();
    values.windows(2).all(|pair| pair[0] != pair[1])
}

pub fn not_a_number(x: f64) -> bool {
    !x.is_nan()
}

pub fn nul(c: char) -> bool {
    c != '\0'
}

pub fn long(bytes: Vec<u8>) -> bool {
    bytes.len() < 50
}

pub fn delete_one(mut values: Vec<i32>, x: i32) -> bool {
    delete(&mut values, x);
    !values.contains(&x)
}

pub fn nothing(n: i64) -> bool {
    n == n.wrapping_add(1).wrapping_sub(1)
}

/// The function under test of [`delete_one`]; its bug is that it stops at the first occurrence.
fn delete(values: &mut Vec<i32>, x: i32) {
    if let Some(at) = values.iter().position(|&value| value == x) {
        values.remove(at);
    }
}
