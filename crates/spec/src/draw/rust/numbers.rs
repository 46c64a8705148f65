//! Numbers of one type as those of another.

use super::shape_of;
use crate::{Node, Op, Shape, Spec, Term, Value};

/// `a as u8` and the like. Whole numbers have no width, so they stay what they are; floats lose their fraction, and what is
/// beyond the type.
///
/// ```
/// use probity_spec::{Float64, Shape, Spec, Term, Value, draw::rust};
/// let share = Spec::new(Shape::Float);
/// let percent = rust::cast(&share, Term::it().times(Term::int(100)), "u8");
/// let of = |it: f64| percent.eval(&Value::Float(Float64::new(it)), None);
/// assert_eq!((of(0.129), of(-0.5), of(7.0)), (Some(Value::Int(12)), Some(Value::Int(0)), Some(Value::Int(255))));
/// ```
pub fn cast(scope: &Spec, a: Term, to: &str) -> Term {
    let is_float = is_float(scope, &a);
    let (low, high) = match to {
        "f64" | "f32" if is_float => return a,
        "f64" | "f32" => return Term::apply(Op::ToFloat, [super::number(scope, a)]),
        _ if !is_float => return a,
        "i8" => (i8::MIN.into(), i8::MAX.into()),
        "i16" => (i16::MIN.into(), i16::MAX.into()),
        "i32" => (i32::MIN.into(), i32::MAX.into()),
        "i64" | "isize" => (i64::MIN.into(), i64::MAX.into()),
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        "u64" | "usize" => (0, u64::MAX.into()),
        _ => (i128::MIN, i128::MAX),
    };
    let whole = Term::apply(Op::ToInt, [a]);
    super::least(super::greatest(whole, Term::int(low)), Term::int(high))
}

/// Whether a term is a float.
pub(super) fn is_float(scope: &Spec, term: &Term) -> bool {
    match term.node() {
        Node::Const(value) => matches!(value, Value::Float(_)),
        Node::Apply(Op::ToFloat, _) => true,
        Node::Apply(Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod | Op::Neg | Op::Abs, args) => {
            args.iter().any(|it| is_float(scope, it))
        }
        Node::Apply(Op::Ite, args) => args[1..].iter().any(|it| is_float(scope, it)),
        Node::Apply(Op::Sum | Op::Greatest | Op::Least | Op::Nth, args) => match args[0].node() {
            Node::Quantified(_, _, _, body) => is_float(scope, body),
            _ => match shape_of(scope, &args[0]) {
                Some(Shape::List(of)) => of.shape == Shape::Float,
                _ => false,
            },
        },
        _ => shape_of(scope, term) == Some(Shape::Float),
    }
}
