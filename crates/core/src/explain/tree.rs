//! Rendered inputs as trees, and what several of them have in common.

use super::words::is_blank;

/// A piece of a rendered input.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// A word, a sign, or white space.
    Word(String),
    /// What stands between two commas, or all there is.
    Seq { lead: Blank, nodes: Vec<Node>, trail: Blank },
    /// Brackets with what they hold.
    Group { brackets: [String; 2], kind: Kind, items: Vec<Node>, tail: Blank },
    /// The characters of a quoted text, with its quotes.
    Text(Vec<Node>),
    /// One piece that differs.
    Any,
    /// Any number of pieces that differ.
    Many,
}

/// What brackets mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// A tuple or a list.
    Plain,
    /// The fields behind a name.
    Named,
    /// A set or a map: where an item stands means nothing.
    Unordered,
}

/// White space, all of which is equal.
#[derive(Clone, Debug, Default)]
pub(super) struct Blank(pub(super) String);

impl PartialEq for Blank {
    fn eq(&self, _: &Blank) -> bool {
        true
    }
}

impl Node {
    pub(super) fn word(text: &str) -> Node {
        Node::Word(text.to_string())
    }

    /// The text, with `_` for what differs.
    pub(super) fn text(&self) -> String {
        let mut res = String::new();
        self.write(&mut res);
        res
    }

    fn write(&self, out: &mut String) {
        match self {
            Node::Word(text) => out.push_str(text),
            Node::Any | Node::Many => out.push('_'),
            Node::Text(chars) => chars.iter().for_each(|it| it.write(out)),
            Node::Seq { lead, nodes, trail } => {
                out.push_str(&lead.0);
                for (at, node) in nodes.iter().enumerate() {
                    // Two that differ side by side are one that differs.
                    if at == 0 || !(node.is_wild() && nodes[at - 1].is_wild()) {
                        node.write(out);
                    }
                }
                out.push_str(&trail.0);
            }
            Node::Group { brackets: [open, close], items, tail, .. } => {
                out.push_str(open);
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    // Pieces that differ have no white space of their own, and may have taken that of others.
                    let beside = at > 0 && (*item == Node::Many || items[at - 1] == Node::Many);
                    if beside && !matches!(item, Node::Seq { lead, .. } if !lead.0.is_empty()) {
                        out.push(' ');
                    }
                    item.write(out);
                }
                out.push_str(&tail.0);
                out.push_str(close);
            }
        }
    }

    fn is_wild(&self) -> bool {
        matches!(self, Node::Any | Node::Many)
    }

    /// Whether anything in it differs.
    pub(super) fn is_marked(&self) -> bool {
        match self {
            Node::Word(_) => false,
            Node::Any | Node::Many => true,
            Node::Seq { nodes, .. } => nodes.iter().any(Node::is_marked),
            Node::Group { items: nodes, .. } | Node::Text(nodes) => nodes.iter().any(Node::is_marked),
        }
    }

    /// Whether nothing is left of it but what differs.
    fn is_all_wild(&self) -> bool {
        match self {
            Node::Seq { nodes, .. } => matches!(nodes[..], [Node::Many]),
            it => it.is_wild(),
        }
    }

    /// What is the same in this and another: the most that matches both. `other` has nothing that differs.
    pub(super) fn common(&self, other: &Node) -> Node {
        match (self, other) {
            _ if self == other => self.clone(),
            (Node::Seq { lead, nodes, trail }, Node::Seq { nodes: others, .. }) => {
                let mut nodes = in_order(nodes, others);
                let says_nothing = |it: &Node| match it {
                    Node::Word(word) => is_blank(word),
                    // Behind a name that differs, fields that all differ say nothing.
                    Node::Group { items, .. } => items.iter().all(Node::is_all_wild),
                    it => it.is_wild(),
                };
                if nodes.first().is_some_and(Node::is_wild) && nodes.iter().all(says_nothing) {
                    nodes = vec![Node::Many];
                }
                Node::Seq { lead: lead.clone(), nodes, trail: trail.clone() }
            }
            (
                Node::Group { brackets, kind, items, tail },
                Node::Group { brackets: others, kind: other_kind, items: other_items, .. },
            ) if brackets == others && kind == other_kind => {
                let items = match kind {
                    Kind::Unordered => in_any_order(items, other_items),
                    Kind::Plain | Kind::Named => in_order(items, other_items),
                };
                let is_tuple = brackets[0] == "(" && items.iter().all(Node::is_all_wild);
                if *kind != Kind::Named && (matches!(items[..], [Node::Many]) || is_tuple) {
                    return Node::Any;
                }
                Node::Group { brackets: brackets.clone(), kind: *kind, items, tail: tail.clone() }
            }
            (Node::Text(chars), Node::Text(others)) => {
                let inner = |chars: &[Node]| chars[1..chars.len() - 1].to_vec();
                let quote = Node::word("\"");
                match in_order(&inner(chars), &inner(others)) {
                    inner if inner == [Node::Many] => Node::Any,
                    inner => Node::Text([vec![quote.clone()], inner, vec![quote]].concat()),
                }
            }
            _ => Node::Any,
        }
    }
}

/// Compares piece by piece where there are equally many, and by what they begin and end with otherwise.
fn in_order(nodes: &[Node], others: &[Node]) -> Vec<Node> {
    let many = nodes.iter().position(|it| *it == Node::Many);
    if many.is_none() && nodes.len() == others.len() {
        return nodes.iter().zip(others).map(|(a, b)| a.common(b)).collect();
    }
    let (head, tail) = many.map_or((nodes, nodes), |it| (&nodes[..it], &nodes[it + 1..]));
    let same = head.iter().zip(others).take_while(|(a, b)| a == b).count();
    let most = nodes.len().min(others.len()) - same.min(nodes.len()).min(others.len());
    let ends = tail.iter().rev().zip(others.iter().rev()).take(most);
    let same_end = ends.take_while(|(a, b)| a == b).count();
    let mut res = nodes[..same].to_vec();
    res.push(Node::Many);
    res.extend_from_slice(&nodes[nodes.len() - same_end..]);
    res
}

/// Compares where the order means nothing: what is in both stays.
fn in_any_order(nodes: &[Node], others: &[Node]) -> Vec<Node> {
    let mut others = others.to_vec();
    let mut take = |is_it: &dyn Fn(&Node) -> bool| others.iter().position(is_it).map(|it| others.remove(it));
    let mut res: Vec<Option<Node>> =
        nodes.iter().map(|it| take(&|other| it == other).map(|_| it.clone())).collect();
    let is_key = |a: &Node, b: &Node| match (a, b) {
        (Node::Seq { nodes: a, .. }, Node::Seq { nodes: b, .. }) => a.len() > 1 && a.first() == b.first(),
        _ => false,
    };
    for (it, kept) in nodes.iter().zip(&mut res) {
        if kept.is_none() {
            *kept = take(&|other| is_key(it, other)).map(|other| it.common(&other));
        }
    }
    let missing = res.iter().filter(|it| it.is_none()).count();
    if missing == others.len() && !nodes.contains(&Node::Many) {
        let mut others = others.iter();
        let fill =
            |(it, kept): (&Node, Option<Node>)| kept.or_else(|| others.next().map(|other| it.common(other)));
        return nodes.iter().zip(res).filter_map(fill).collect();
    }
    let mut res: Vec<Node> = res.into_iter().flatten().collect();
    // What stays keeps the white space before it, so what differs comes last.
    res.push(Node::Many);
    res
}

#[cfg(test)]
mod tests {
    use super::super::words::parse;

    #[test]
    fn what_differs_is_marked() {
        for (base, others, expected) in [
            ("[0, 9]", &["[5, 9]", "[-1, 9]"][..], "[_, 9]"),
            ("[0, 0]", &["[1, 0]", "[0, 0]"][..], "[_, 0]"),
            ("[0]", &["[1]", "[2]"][..], "[_]"),
            ("[None]", &["[Some(1)]", "[Some(2)]"][..], "[_]"),
            ("[]", &["[1]", "[1, 2]"][..], "_"),
            ("[]", &["[[]]", "[[], [1]]"][..], "_"),
            ("[[], [0]]", &["[[1], [0]]", "[[0, 0], [0]]"][..], "[_, [0]]"),
            ("[7]", &["[1, 7]", "[7, 7, 7]"][..], "[_, 7]"),
            ("W([], {})", &["W([1], {})", "W([1, 2], {})"][..], "W(_, {})"),
            ("W([], {})", &["W([], {1})", "W([], {1: 2})"][..], "W([], _)"),
            ("\"\"", &["\"a\"", "\"bc\""][..], "_"),
            ("\"a\"", &["\"b\"", "\"\\n\""][..], "\"_\""),
            ("\"ab\"", &["\"cb\"", "\"\\u{301}b\""][..], "\"_b\""),
            ("\"-b\"", &["\"c-b\"", "\"(,\\\"-b\""][..], "\"_-b\""),
            ("(\"\", \"x\")", &["(\"x\", \"x\")", "(\", \\\"\", \"x\")"][..], "(_, \"x\")"),
            ("{1: 2, 3: 4}", &["{3: 4, 1: 2}"][..], "{1: 2, 3: 4}"),
            ("{1: 2, 3: 4}", &["{3: 4, 1: 5}", "{1: 6, 3: 4}"][..], "{1: _, 3: 4}"),
            ("{0, 5}", &["{3, 5}", "{5, 9}"][..], "{_, 5}"),
            ("{5}", &["{3, 5}", "{5, 9}"][..], "{5, _}"),
            ("S { a: None, b: 1 }", &["S { a: Some(3), b: 1 }"][..], "S { a: _, b: 1 }"),
            ("Div(Num(0), Num(0))", &["Div(Add(Num(1), Num(2)), Num(0))"][..], "Div(_, Num(0))"),
            ("Div(Num(0), Num(0))", &["Div(Num(4), Num(0))"][..], "Div(Num(_), Num(0))"),
            ("(1, 0, 0)", &["(5, 0, 3)", "(2, 0, 1)"][..], "(_, 0, _)"),
            ("(0, 0)", &["(5, 1)", "(2, 0)"][..], "_"),
            ("(0, (0, 0))", &["(0, (1, 1))"][..], "(0, _)"),
            ("A(0)", &["B(1)", "A(2)"][..], "_"),
            ("A(0, 1)", &["B(1, 1)"][..], "_(_, 1)"),
            ("A(0)", &["A(1, 2)", "A()"][..], "A(_)"),
            ("S { a: 0 }", &["T { a: 0 }"][..], "_ { a: 0 }"),
            ("0ns", &["1.5µs"][..], "_"),
            ("1e-7", &["0.0", "-3.5"][..], "_"),
            ("12:30", &["07:30"][..], "_:30"),
            ("[\n    0,\n    1,\n]", &["[\n    5,\n    1,\n]"][..], "[\n    _,\n    1,\n]"),
            ("[\n    0,\n]", &["[\n    5,\n    6,\n]", "[]"][..], "_"),
            ("<(", &["<["][..], "<_"),
        ] {
            let merged = others.iter().fold(parse(base), |it, other| it.common(&parse(other)));
            assert_eq!(merged.text(), expected, "{base}");
            for other in others {
                assert_eq!(merged.common(&parse(other)), merged, "{base} covers {other}");
            }
        }
    }
}
