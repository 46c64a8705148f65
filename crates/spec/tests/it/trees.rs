//! Search trees with requirements across levels, as specs. The quality table `contracts` uses them too.

use probity_spec::draw::rust;
use probity_spec::{Node, Op, Shape, Spec, Term};

pub(crate) fn field(name: &str) -> Term {
    Term::it().field(name)
}

/// The content of the variant `Node`.
fn node(name: &str) -> Term {
    Term::new(Node::As(Term::it(), "Node".into())).field(name)
}

/// A measure that is a constant for `Leaf`.
fn measure(leaf: Term, node: Term) -> Term {
    Term::apply(Op::Ite, [Term::new(Node::Is(Term::it(), "Leaf".into())), leaf, node])
}

fn tree(fields: Vec<(&str, Spec)>, requires: Vec<Term>) -> Spec {
    let named = || Spec::new(Shape::Named("Tree".into()));
    let node = Spec::object(fields.into_iter().chain([("left", named()), ("right", named())]));
    let node = requires.into_iter().fold(node, Spec::require);
    rust::union([("Leaf", Spec::object::<&str>([])), ("Node", node)]).named("Tree")
}

fn ordered(spec: Spec) -> Spec {
    spec.measured(
        "min",
        measure(Term::int(i64::MAX.into()), rust::least(node("left").measure("min"), node("key"))),
    )
    .measured(
        "max",
        measure(Term::int(i64::MIN.into()), rust::greatest(node("right").measure("max"), node("key"))),
    )
}

fn in_order() -> Vec<Term> {
    vec![field("left").measure("max").lt(field("key")), field("key").lt(field("right").measure("min"))]
}

/// Red-black trees over the keys `-d..=d`, with a black root.
pub(crate) fn red_black(d: i128) -> (Spec, Vec<Term>) {
    let color = rust::cases(&["Black", "Red"]);
    let black = || rust::case("Black");
    let mut requires = in_order();
    requires.push(field("left").measure("black").eq(field("right").measure("black")));
    let both = field("left").measure("root").eq(black()).and(field("right").measure("root").eq(black()));
    requires.push(field("color").eq(black()).or(both));
    let spec = ordered(tree(vec![("color", color), ("key", Spec::new(Shape::int(-d, d)))], requires));
    let one = Term::apply(Op::ToInt, [node("color").eq(black())]);
    let spec = spec
        .measured("black", measure(Term::int(0), node("left").measure("black").plus(one)))
        .measured("root", measure(black(), node("color")));
    (spec, vec![Term::it().measure("root").eq(black())])
}

/// Search trees of which each side is at most three times as large as the other.
pub(crate) fn balanced(d: i128) -> (Spec, Vec<Term>) {
    let size = |it: &str| field(it).measure("size");
    let times = |it: Term| Term::int(3).times(it);
    let few = size("left").plus(size("right")).le(Term::int(1));
    let both = size("left").le(times(size("right"))).and(size("right").le(times(size("left"))));
    let mut requires = in_order();
    requires.push(few.or(both));
    let spec = ordered(tree(vec![("key", Spec::new(Shape::int(-d, d)))], requires));
    let sum = Term::int(1).plus(node("left").measure("size")).plus(node("right").measure("size"));
    (spec.measured("size", measure(Term::int(0), sum)), Vec::new())
}

/// Lists of rising numbers of `-d..=d`, each after the least of what follows it.
pub(crate) fn sorted_list(d: i128) -> (Spec, Vec<Term>) {
    let more = Spec::object([
        ("key", Spec::new(Shape::int(-d, d))),
        ("rest", Spec::new(Shape::Named("List".into()))),
    ]);
    let more = more.require(field("key").le(field("rest").measure("min")));
    let spec = rust::union([("Leaf", Spec::object::<&str>([])), ("Node", more)]).named("List");
    let min = measure(Term::int(i64::MAX.into()), rust::least(node("key"), node("rest").measure("min")));
    (spec.measured("min", min), Vec::new())
}
