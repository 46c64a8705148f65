//! JSON, as the crate `serde_json` has it.

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};

use crate::{Domain, Generate, Part, Source, Spaces, SpanKind};

/// Integers of 64 bits and finite floats.
impl Generate for Number {
    fn generate(source: &mut Source) -> Self {
        source.span("Number", SpanKind::Group, |src| match src.pick(3) {
            0 => i64::generate(src).into(),
            1 => u64::generate(src).into(),
            _ => Number::from_f64(src.f64(f64::MIN, f64::MAX, false)).expect("it is finite"),
        })
    }

    fn space(spaces: &mut Spaces) -> Part {
        let float = Domain::Float { min: f64::MIN, max: f64::MAX, nan: false, single: false };
        let parts = [i64::space(spaces), u64::space(spaces), spaces.choice(float)];
        spaces.pick(&parts)
    }
}

/// Every kind as often as the others, as long as the size budget lasts.
impl Generate for Value {
    fn generate(source: &mut Source) -> Self {
        source.nest("Value", |src| {
            let weights = if src.budget() == 0 { [1, 1, 1, 1, 0, 0] } else { [1; 6] };
            match src.pick_weighted(&weights) {
                0 => Value::Null,
                1 => Value::Bool(Generate::generate(src)),
                2 => Value::Number(Generate::generate(src)),
                3 => Value::String(Generate::generate(src)),
                4 => Value::Array(Generate::generate(src)),
                _ => Value::Object(Generate::generate(src)),
            }
        })
    }

    fn space(spaces: &mut Spaces) -> Part {
        spaces.named(std::any::type_name::<Self>(), |spaces| {
            let parts = [
                spaces.nothing(),
                bool::space(spaces),
                Number::space(spaces),
                String::space(spaces),
                <Vec<Value>>::space(spaces),
                <Map<String, Value>>::space(spaces),
            ];
            let value = spaces.pick(&parts);
            spaces.nest(value)
        })
    }
}

/// Keys in order, whatever order the map keeps.
impl Generate for Map<String, Value> {
    fn generate(source: &mut Source) -> Self {
        <BTreeMap<String, Value>>::generate(source).into_iter().collect()
    }

    fn space(spaces: &mut Spaces) -> Part {
        <BTreeMap<String, Value>>::space(spaces)
    }
}
