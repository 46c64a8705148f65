//! Answers to the choices of known inputs, as the generators ask for them.

use probity::engine::Value;

/// Answers in a row.
#[derive(Default)]
pub(crate) struct Answers(Vec<Value>);

/// None yet.
pub(crate) fn answers() -> Answers {
    Answers::default()
}

impl Answers {
    /// Integers, each drawn by itself.
    pub(crate) fn ints(mut self, values: impl IntoIterator<Item = impl Into<i128>>) -> Answers {
        self.0.extend(values.into_iter().map(|it| Value::Int(it.into())));
        self
    }

    /// One integer.
    pub(crate) fn int(self, value: impl Into<i128>) -> Answers {
        self.ints([value])
    }

    /// A `u128`: its highest bit is a choice of its own.
    pub(crate) fn wide(mut self, value: u128) -> Answers {
        self.0.push(Value::Bool(value >> 127 == 1));
        self.0.push(Value::Int((value & (u128::MAX >> 1)) as i128));
        self
    }

    /// A truth.
    pub(crate) fn bool(mut self, value: bool) -> Answers {
        self.0.push(Value::Bool(value));
        self
    }

    /// A character.
    pub(crate) fn char(mut self, value: char) -> Answers {
        self.0.push(Value::Char(value));
        self
    }

    /// A float.
    pub(crate) fn float(mut self, value: f64) -> Answers {
        self.0.push(Value::Float(value));
        self
    }

    /// One of several.
    pub(crate) fn pick(mut self, value: u32) -> Answers {
        self.0.push(Value::Pick(value));
        self
    }

    /// How many items follow.
    pub(crate) fn length(mut self, n: usize) -> Answers {
        self.0.push(Value::Length(n as u32));
        self
    }

    /// A list of integers.
    pub(crate) fn list(self, values: &[i64]) -> Answers {
        self.length(values.len()).ints(values.iter().copied())
    }

    /// Bytes.
    pub(crate) fn bytes(self, values: &[u8]) -> Answers {
        self.length(values.len()).ints(values.iter().copied())
    }

    /// A text.
    pub(crate) fn text(self, text: &str) -> Answers {
        self.length(text.chars().count()).chars(text)
    }

    /// A text whose length is no choice.
    pub(crate) fn chars(mut self, text: &str) -> Answers {
        self.0.extend(text.chars().map(Value::Char));
        self
    }

    /// All of them.
    pub(crate) fn done(self) -> Vec<Value> {
        self.0
    }
}
