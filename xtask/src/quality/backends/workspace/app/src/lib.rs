//! A library that has what libraries have.

include!(concat!(env!("OUT_DIR"), "/squares.rs"));

/// How many squares there are.
///
/// ```
/// assert_eq!(app::squares(), 7);
/// ```
pub fn squares() -> usize {
    if cfg!(feature = "strict") { SQUARES.len() } else { 0 }
}

/// A text between brackets, as a number. It has a fault: it does not expect large ones.
pub fn parse(text: &str) -> Option<u8> {
    let digits = text.strip_prefix('[')?.strip_suffix(']')?;
    let mut res = 0_u8;
    for digit in digits.chars() {
        res = res * 10 + digit.to_digit(10)? as u8;
    }
    Some(res)
}

/// A stack that overflows.
#[derive(Debug, Default)]
pub struct SmallStack {
    items: Vec<u8>,
}

impl SmallStack {
    pub fn push(&mut self, item: u8) {
        assert!(self.items.len() < 5, "the stack is full");
        self.items.push(item);
    }

    pub fn pop(&mut self) -> Option<u8> {
        self.items.pop()
    }
}

#[cfg(test)]
mod tests {
    #[probity::test]
    fn there_are_squares(n: u8) {
        assert!(super::squares() == 7 || n > 0);
    }
}
