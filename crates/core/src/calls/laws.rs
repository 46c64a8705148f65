//! The laws that values of a type keep, by the traits it has.

use std::cmp::Ordering;

use super::TypeFacts;
use crate::Pool;

/// A law that is broken.
pub(super) struct Breach {
    /// The trait whose law it is.
    pub(super) law: &'static str,
    /// How, with the values.
    pub(super) message: String,
    /// The same as lines of a test.
    pub(super) code: Vec<String>,
}

/// Up to how many items of an iterator are counted.
const ITEMS_MAX: usize = 10_000;

/// The first law that the values break.
pub(super) fn breach<T>(facts: &TypeFacts<T>, pool: &Pool<T>) -> Option<Breach> {
    let values: Vec<(String, &T)> = pool.named().collect();
    let one = values.iter().find_map(|a| of_one(facts, a));
    let two = || values.iter().find_map(|a| values.iter().find_map(|b| of_two(facts, a, b)));
    let three = || {
        let third = |a, b| values.iter().find_map(move |c| of_three(facts, a, b, c));
        values.iter().find_map(|a| values.iter().find_map(|b| third(a, b)))
    };
    one.or_else(two).or_else(three)
}

type NamedValue<'a, T> = (String, &'a T);

/// What is broken, as a message with the values and as an assertion.
fn broken<T>(
    facts: &TypeFacts<T>,
    law: &'static str,
    what: String,
    assertion: String,
    values: &[&NamedValue<'_, T>],
) -> Option<Breach> {
    let mut message = format!("{law}: {what}");
    for (at, (name, value)) in values.iter().enumerate() {
        // The laws of two and three look at a value with itself, too.
        if let (Some(debug), false) = (facts.debug, values[..at].iter().any(|it| it.0 == *name)) {
            message.push_str(&format!("\n  {name} = {}", debug(value)));
        }
    }
    Some(Breach { law, message, code: vec![assertion] })
}

fn of_one<T>(facts: &TypeFacts<T>, a: &NamedValue<'_, T>) -> Option<Breach> {
    let (name, value) = a;
    let eq = facts.eq.filter(|eq| facts.is_eq || eq(value, value));
    if let Some(eq) = facts.eq.filter(|_| facts.is_eq)
        && !eq(value, value)
    {
        let assertion = format!("assert!({name} == {name})");
        return broken(facts, "Eq", format!("{name} is not equal to itself"), assertion, &[a]);
    }
    if let (Some(clone), Some(eq)) = (facts.clone, eq)
        && !eq(&clone(value), value)
    {
        let assertion = format!("assert!({name}.clone() == {name})");
        return broken(facts, "Clone", format!("the clone of {name} is not equal to it"), assertion, &[a]);
    }
    if let (Some(default), Some(eq)) = (facts.default, eq)
        && !eq(&default(), &default())
    {
        let what = "two default values are not equal".to_string();
        return broken(
            facts,
            "Default",
            what,
            "assert!(Default::default() == Default::default())".into(),
            &[],
        );
    }
    if let Some(parse) = facts.parse {
        let (text, read) = parse(value);
        let is_same = read.as_ref().is_some_and(|it| facts.eq.is_none_or(|eq| eq(it, value)));
        if !is_same {
            let how = if read.is_some() { "is read as another value" } else { "cannot be read" };
            let assertion = format!("assert!({name}.to_string().parse().ok() == Some({name}))");
            let what = format!("the text of {name}, {text:?}, {how}");
            return broken(facts, "FromStr", what, assertion, &[a]);
        }
    }
    if let Some(debug) = facts.debug {
        debug(value); // a panic in it is a failure of the case
    }
    None
}

fn of_two<T>(facts: &TypeFacts<T>, a: &NamedValue<'_, T>, b: &NamedValue<'_, T>) -> Option<Breach> {
    let ((a_name, a_value), (b_name, b_value)) = (a, b);
    let Some(eq) = facts.eq else { return of_order(facts, a, b) };
    let is_equal = eq(a_value, b_value);
    if is_equal != eq(b_value, a_value) {
        let assertion = format!("assert_eq!({a_name} == {b_name}, {b_name} == {a_name})");
        let what = format!("{a_name} == {b_name} is {is_equal}, and the other way round it is not");
        return broken(facts, "PartialEq", what, assertion, &[a, b]);
    }
    if let Some(hash) = facts.hash.filter(|hash| is_equal && hash(a_value) != hash(b_value)) {
        let _ = hash;
        let assertion = format!(
            "{{ use std::hash::{{BuildHasher, RandomState}}; let state = RandomState::new(); \
             assert!({a_name} == {b_name}); assert_eq!(state.hash_one(&{a_name}), state.hash_one(&{b_name})) }}"
        );
        let what = format!("{a_name} == {b_name}, but their hashes differ");
        return broken(facts, "Hash", what, assertion, &[a, b]);
    }
    if let Some(cmp) = facts.partial_cmp
        && (cmp(a_value, b_value) == Some(Ordering::Equal)) != is_equal
    {
        let order = cmp(a_value, b_value);
        let law = if facts.cmp.is_some() { "Ord" } else { "PartialOrd" };
        let assertion = format!(
            "assert_eq!({a_name}.partial_cmp(&{b_name}) == Some(std::cmp::Ordering::Equal), {a_name} == {b_name})"
        );
        let what = format!("{a_name} == {b_name} is {is_equal}, but they compare as {order:?}");
        return broken(facts, law, what, assertion, &[a, b]);
    }
    of_order(facts, a, b)
}

fn of_order<T>(facts: &TypeFacts<T>, a: &NamedValue<'_, T>, b: &NamedValue<'_, T>) -> Option<Breach> {
    let ((a_name, a_value), (b_name, b_value)) = (a, b);
    let partial_cmp = facts.partial_cmp?;
    let order = partial_cmp(a_value, b_value);
    let turned = partial_cmp(b_value, a_value).map(Ordering::reverse);
    let law = if facts.cmp.is_some() { "Ord" } else { "PartialOrd" };
    if order != turned {
        let assertion = format!(
            "assert_eq!({a_name}.partial_cmp(&{b_name}), {b_name}.partial_cmp(&{a_name}).map(std::cmp::Ordering::reverse))"
        );
        let what = format!(
            "{a_name} compares to {b_name} as {order:?}, but the other way round as {turned:?} reversed"
        );
        return broken(facts, law, what, assertion, &[a, b]);
    }
    if let Some(cmp) = facts.cmp
        && Some(cmp(a_value, b_value)) != order
    {
        let assertion = format!("assert_eq!(Some({a_name}.cmp(&{b_name})), {a_name}.partial_cmp(&{b_name}))");
        let what = format!("`cmp` and `partial_cmp` of {a_name} and {b_name} disagree");
        return broken(facts, "Ord", what, assertion, &[a, b]);
    }
    None
}

fn of_three<T>(
    facts: &TypeFacts<T>,
    a: &NamedValue<'_, T>,
    b: &NamedValue<'_, T>,
    c: &NamedValue<'_, T>,
) -> Option<Breach> {
    let ([(a_name, a_value), (b_name, b_value), (c_name, c_value)], all) = ([a, b, c], [a, b, c]);
    if let Some(eq) = facts.eq
        && eq(a_value, b_value)
        && eq(b_value, c_value)
        && !eq(a_value, c_value)
    {
        let assertion =
            format!("assert!({a_name} != {b_name} || {b_name} != {c_name} || {a_name} == {c_name})");
        let what = format!("{a_name} == {b_name} and {b_name} == {c_name}, but {a_name} != {c_name}");
        return broken(facts, "PartialEq", what, assertion, &all);
    }
    if let Some(cmp) = facts.partial_cmp
        && cmp(a_value, b_value) == Some(Ordering::Less)
        && cmp(b_value, c_value) == Some(Ordering::Less)
        && cmp(a_value, c_value) != Some(Ordering::Less)
    {
        let law = if facts.cmp.is_some() { "Ord" } else { "PartialOrd" };
        let assertion =
            format!("assert!(!({a_name} < {b_name} && {b_name} < {c_name}) || {a_name} < {c_name})");
        let what = format!("{a_name} < {b_name} and {b_name} < {c_name}, but not {a_name} < {c_name}");
        return broken(facts, law, what, assertion, &all);
    }
    None
}

/// Whether an iterator has as many items as it says.
pub(super) fn size_hint(iterator: impl Iterator) -> Result<(), String> {
    let (least, most) = iterator.size_hint();
    let n = iterator.take(ITEMS_MAX).count();
    let is_right = (least <= n || n == ITEMS_MAX) && most.is_none_or(|it| n <= it);
    let most = most.map_or("any number".to_string(), |it| it.to_string());
    if is_right {
        Ok(())
    } else {
        Err(format!("Iterator: size_hint says {least} to {most}, but there are {n} items"))
    }
}
