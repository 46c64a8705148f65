//! Texts that a comparison asks for. Where a text is compared with another that has characters of several bytes, no answers
//! with the characters in other places meet it: the solver says so, and which of them would have to be longer is not in
//! the question. But what the bytes would have to be is: they are read as characters, which take the place of those there.

use probity_core::{Choice, Domain, Value};

use super::rows;
use crate::expr::{Dag, Expr, Op};

/// Comparisons of more bytes are not looked at.
const BYTES_MAX: usize = 256;

/// The answers of a run with those characters in their places that `goal` asks for as bytes. `None` where it asks for
/// something else, or where the solver is as good.
pub(super) fn asked_for(dag: &mut Dag, choices: &[Choice], goal: Expr) -> Option<Vec<Value>> {
    let mut parts = Vec::new();
    take_apart(dag, goal, &mut parts);
    let mut bytes: Vec<(u32, Expr, u8)> = Vec::new();
    for part in parts {
        let node = dag.node(part);
        // What else is asked for holds as it did, or it does not: it is only a try.
        let (Op::Eq, [a, b, _]) = (node.op, node.args) else { continue };
        let (byte, wanted) = if dag.is_constant(a) { (b, a) } else { (a, b) };
        let (&[choice], Some(wanted), 8) = (dag.support(byte), dag.as_constant(wanted), dag.width(byte))
        else {
            continue;
        };
        if bytes.iter().all(|it| it.1 != byte) {
            // The bytes of one character stay in their order.
            let at = bytes.partition_point(|it| it.0 <= choice);
            bytes.insert(at, (choice, byte, wanted as u8));
        }
        if bytes.len() > BYTES_MAX {
            return None;
        }
    }
    let text: Vec<u8> = bytes.iter().map(|it| it.2).collect();
    let text = std::str::from_utf8(&text).ok().filter(|it| !it.is_ascii())?;
    let (first, last) = (bytes.first()?.0, bytes.last()?.0);
    let replaced = last - first + 1;
    if bytes.windows(2).any(|it| it[1].0 - it[0].0 > 1) {
        return None;
    }
    let is_around = |it: &rows::ItemRow| it.choices == 1 && first > it.length && last <= it.length + it.items;
    let row = rows::rows(choices).into_iter().find(is_around)?;
    let Domain::Length { min, max, .. } = choices[row.length as usize].domain else { return None };
    let domain = &choices[first as usize].domain;
    let chars: Vec<Value> = text.chars().map(Value::Char).collect();
    let length = row.items - replaced + chars.len() as u32;
    if !(min..=max).contains(&length) || !chars.iter().all(|it| domain.contains(*it)) {
        return None;
    }
    let mut res: Vec<Value> = choices.iter().map(|it| it.value).collect();
    res[row.length as usize] = Value::Length(length);
    res.splice(first as usize..=last as usize, chars);
    Some(res)
}

/// The conditions on single bytes that `goal` consists of, as far as it does.
fn take_apart(dag: &mut Dag, goal: Expr, parts: &mut Vec<Expr>) {
    let mut open = vec![goal];
    while let Some(e) = open.pop() {
        if parts.len() > BYTES_MAX {
            return;
        }
        let node = dag.node(e);
        let [a, b, _] = node.args;
        match node.op {
            Op::Const if dag.value(e) == 1 => {}
            Op::And => open.extend([b, a]),
            // Differences that are none, one or several at once.
            Op::Eq if dag.as_constant(b) == Some(0) && dag.node(a).op == Op::Xor => {
                let [x, y, _] = dag.node(a).args;
                open.push(dag.eq(x, y));
            }
            Op::Eq if dag.as_constant(b) == Some(0) && dag.node(a).op == Op::Or => {
                let [x, y, _] = dag.node(a).args;
                let (x, y) = (dag.eq(x, b), dag.eq(y, b));
                open.extend([y, x]);
            }
            Op::Eq if dag.width(a) > 8 && dag.width(a).is_multiple_of(8) => {
                for byte in (0..dag.width(a) / 8).rev() {
                    let (high, low) = (8 * byte + 7, 8 * byte);
                    let (x, y) = (dag.extract(a, high, low), dag.extract(b, high, low));
                    open.push(dag.eq(x, y));
                }
            }
            _ => parts.push(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer;

    /// A run that drew these characters, and the bytes that it made of them, all of one byte.
    fn run(dag: &mut Dag, text: &str) -> (Vec<Choice>, Vec<Expr>) {
        let length = Choice { domain: Domain::length(0, 20), value: Value::Length(text.len() as u32) };
        let (mut choices, mut bytes) = (vec![length], Vec::new());
        for char in text.chars() {
            let choice =
                Choice { domain: Domain::Char { min: '\0', max: char::MAX }, value: Value::Char(char) };
            let var = answer::var(choices.len() as u32, &choice.domain);
            let e = dag.var(var, answer::bits(&choice.domain, choice.value));
            bytes.push(dag.extract(e, 7, 0));
            choices.push(choice);
        }
        (choices, bytes)
    }

    /// That these bytes are those of a text.
    fn equal(dag: &mut Dag, bytes: &[Expr], text: &str) -> Expr {
        let mut res = dag.truth(true);
        for (byte, wanted) in bytes.iter().zip(text.bytes()) {
            let wanted = dag.constant(wanted.into(), 8);
            let same = dag.eq(*byte, wanted);
            res = dag.binary(Op::And, res, same);
        }
        res
    }

    fn text(values: &[Value]) -> String {
        let char = |it: &Value| match it {
            Value::Char(it) => Some(*it),
            _ => None,
        };
        values.iter().filter_map(char).collect()
    }

    #[test]
    fn characters_take_the_place_of_bytes() {
        let mut dag = Dag::new();
        let (choices, bytes) = run(&mut dag, "key=123456789;");
        let goal = equal(&mut dag, &bytes[4..13], "Ünïcode");
        let answers = asked_for(&mut dag, &choices, goal).unwrap();
        assert_eq!((answers[0], &*text(&answers)), (Value::Length(12), "key=Ünïcode;"));
        // The solver is as good; this is no text; that is not all of it.
        for (at, wanted) in [(0, "plain"), (2, "\u{e9}"), (9, "aé")] {
            let goal = equal(&mut dag, &bytes[at..], wanted);
            let answers = asked_for(&mut dag, &choices, goal).map(|it| text(&it));
            assert_eq!(answers.is_none(), wanted == "plain", "{answers:?}");
        }
        let half = dag.constant(0xc3, 8);
        let goal = dag.eq(bytes[3], half);
        assert_eq!(asked_for(&mut dag, &choices, goal), None);
    }

    #[test]
    fn words_of_several_bytes_are_taken_apart() {
        let mut dag = Dag::new();
        let (choices, bytes) = run(&mut dag, "abcdef");
        // As compilers put it: differences of words, all of which have to be zero.
        let mut words = Vec::new();
        for (bytes, wanted) in [(&bytes[..4], *b"na\xc3\xaf"), (&bytes[2..], *b"\xc3\xafve")] {
            let mut word = bytes[0];
            for byte in &bytes[1..] {
                word = dag.concat(*byte, word);
            }
            let wanted = dag.constant(u32::from_le_bytes(wanted).into(), 32);
            words.push(dag.binary(Op::Xor, word, wanted));
        }
        let differs = dag.binary(Op::Or, words[0], words[1]);
        let zero = dag.constant(0, 32);
        let goal = dag.eq(differs, zero);
        assert_eq!(text(&asked_for(&mut dag, &choices, goal).unwrap()), "naïve");
    }
}
