//! Answers to the choices of known inputs, as the generators ask for them.

use probity::Value;

/// Answers in a row.
#[derive(Default)]
pub struct Answers(Vec<Value>);

/// None yet.
pub fn answers() -> Answers {
    Answers::default()
}

impl Answers {
    /// Integers, each drawn by itself.
    pub fn ints(mut self, values: impl IntoIterator<Item = impl Into<i128>>) -> Answers {
        self.0.extend(values.into_iter().map(|it| Value::Int(it.into())));
        self
    }

    /// One integer.
    pub fn int(self, value: impl Into<i128>) -> Answers {
        self.ints([value])
    }

    /// A `u128`: its highest bit is a choice of its own.
    pub fn wide(mut self, value: u128) -> Answers {
        self.0.push(Value::Bool(value >> 127 == 1));
        self.0.push(Value::Int((value & (u128::MAX >> 1)) as i128));
        self
    }

    /// A float.
    pub fn float(mut self, value: f64) -> Answers {
        self.0.push(Value::Float(value));
        self
    }

    /// One of several.
    pub fn pick(mut self, value: u32) -> Answers {
        self.0.push(Value::Pick(value));
        self
    }

    /// How many items follow.
    pub fn length(mut self, n: usize) -> Answers {
        self.0.push(Value::Length(n as u32));
        self
    }

    /// A list of integers.
    pub fn list(self, values: &[i64]) -> Answers {
        self.length(values.len()).ints(values.iter().copied())
    }

    /// Bytes.
    pub fn bytes(self, values: &[u8]) -> Answers {
        self.length(values.len()).ints(values.iter().copied())
    }

    /// A text.
    pub fn text(self, text: &str) -> Answers {
        let mut res = self.length(text.chars().count());
        res.0.extend(text.chars().map(Value::Char));
        res
    }

    /// All of them.
    pub fn done(self) -> Vec<Value> {
        self.0
    }
}
