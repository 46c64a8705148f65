//! Answers to choices as bits, and back.

use probity_core::{Domain, Value};

use crate::expr::{Var, mask, signed};

/// How the members of `domain` are bits, as variable number `index`.
///
/// Integers of a domain with negative members are in two's complement, of the least width that holds all of them;
/// floats are their raw bits (those of the `f32` where only such are members). What the range of the variable does
/// not say of the domain, the machine adds to the path as bounds.
pub fn var(index: u32, domain: &Domain) -> Var {
    let unsigned = |min: u128, max: u128| Var { index, width: bits_of(max), min, max };
    match *domain {
        Domain::Bool => unsigned(0, 1),
        Domain::Int { min, max, .. } if min >= 0 => unsigned(min as u128, max as u128),
        Domain::Int { min, max, .. } => {
            let width = bits_of(!min as u128).max(if max < 0 { 1 } else { bits_of(max as u128) });
            let width = if max <= 0 && min == -1 { 1 } else { width };
            let width = (width + 1).min(128);
            Var { index, width, min: 0, max: mask(width) }
        }
        Domain::Float { single, .. } => {
            let width = if single { 32 } else { 64 };
            Var { index, width, min: 0, max: mask(width) }
        }
        Domain::Char { min, max } => unsigned(min as u128, max as u128),
        Domain::Pick { .. } => {
            let place = |it: Option<Value>| it.and_then(Value::scalar).map_or(0, u128::from);
            let last = domain.last_rank().and_then(|it| domain.at(it));
            unsigned(place(Some(domain.simplest())), place(last))
        }
        Domain::Length { min, max, .. } => unsigned(min.into(), max.into()),
    }
}

fn bits_of(max: u128) -> u8 {
    (128 - max.leading_zeros()).max(1) as u8
}

/// The bits of a member of `domain`.
pub fn bits(domain: &Domain, value: Value) -> u128 {
    match value {
        Value::Bool(it) => it.into(),
        Value::Int(it) => it as u128 & mask(var(0, domain).width),
        Value::Float(it) if matches!(domain, Domain::Float { single: true, .. }) => {
            (it as f32).to_bits().into()
        }
        Value::Float(it) => it.to_bits().into(),
        Value::Char(it) => u32::from(it).into(),
        Value::Pick(it) | Value::Length(it) => it.into(),
    }
}

/// The value of these bits, if it is a member of `domain`.
pub fn value(domain: &Domain, bits: u128) -> Option<Value> {
    let value = match *domain {
        Domain::Bool => Value::Bool(bits == 1),
        Domain::Int { min, .. } if min >= 0 => Value::Int(bits as i128),
        Domain::Int { .. } => Value::Int(signed(bits, var(0, domain).width)),
        Domain::Float { single: true, .. } => Value::Float(f32::from_bits(bits as u32).into()),
        Domain::Float { .. } => Value::Float(f64::from_bits(bits as u64)),
        Domain::Char { .. } => Value::Char(char::from_u32(bits as u32)?),
        Domain::Pick { .. } => Value::Pick(bits as u32),
        Domain::Length { .. } => Value::Length(bits as u32),
    };
    domain.contains(value).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_from_their_bits() {
        let float = |single| Domain::Float { min: f64::NEG_INFINITY, max: f64::INFINITY, nan: true, single };
        let domains = [
            Domain::Bool,
            Domain::int(0, 255),
            Domain::int(5, 9),
            Domain::int(-1, 0),
            Domain::int(-1, 1),
            Domain::int(-128, 127),
            Domain::int(-5, -3),
            Domain::int(i128::MIN, i128::MAX),
            Domain::int(0, i128::MAX),
            Domain::int(0, 0),
            float(false),
            float(true),
            Domain::Char { min: '\0', max: char::MAX },
            Domain::pick(1),
            Domain::pick(7),
            Domain::Pick { n: 7, weights: None, shut: 0b1101, free: false },
            Domain::length(2, 2),
        ];
        for domain in domains {
            let var = var(3, &domain);
            for rank in 0..300 {
                let Some(member) = domain.at(rank) else { break };
                let bits = bits(&domain, member);
                assert!((var.min..=var.max).contains(&bits), "{domain:?} {member:?} {bits} {var:?}");
                assert_eq!(value(&domain, bits), Some(member), "{domain:?}");
            }
        }
    }
}
