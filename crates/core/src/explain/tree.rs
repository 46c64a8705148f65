//! Rendered inputs as trees, and what several of them have in common.

use super::words::is_blank;

/// A piece of a rendered input.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TextNode {
    /// A word, a sign, or white space.
    Word(String),
    /// What stands between two commas, or all there is.
    Seq { lead: Blank, nodes: Vec<TextNode>, trail: Blank },
    /// Brackets with what they hold.
    Group { brackets: [String; 2], kind: BracketKind, items: Vec<TextNode>, tail: Blank },
    /// The characters of a quoted text, with its quotes.
    Text(Vec<TextNode>),
    /// One piece that differs.
    Any,
    /// Any number of pieces that differ.
    Many,
}

/// What brackets mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BracketKind {
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

impl TextNode {
    pub(super) fn word(text: &str) -> TextNode {
        TextNode::Word(text.to_string())
    }

    /// The text, with `_` for what differs.
    pub(super) fn text(&self) -> String {
        let mut res = String::new();
        self.write(&mut res);
        res
    }

    fn write(&self, out: &mut String) {
        match self {
            TextNode::Word(text) => out.push_str(text),
            TextNode::Any | TextNode::Many => out.push('_'),
            TextNode::Text(chars) => chars.iter().for_each(|it| it.write(out)),
            TextNode::Seq { lead, nodes, trail } => {
                out.push_str(&lead.0);
                for (at, node) in nodes.iter().enumerate() {
                    // Two that differ side by side are one that differs.
                    if at == 0 || !(node.is_wild() && nodes[at - 1].is_wild()) {
                        node.write(out);
                    }
                }
                out.push_str(&trail.0);
            }
            TextNode::Group { brackets: [open, close], items, tail, .. } => {
                out.push_str(open);
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    // Pieces that differ have no white space of their own, and may have taken that of others.
                    let beside = at > 0 && (*item == TextNode::Many || items[at - 1] == TextNode::Many);
                    if beside && !matches!(item, TextNode::Seq { lead, .. } if !lead.0.is_empty()) {
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
        matches!(self, TextNode::Any | TextNode::Many)
    }

    /// Whether anything in it differs.
    pub(super) fn is_marked(&self) -> bool {
        match self {
            TextNode::Word(_) => false,
            TextNode::Any | TextNode::Many => true,
            TextNode::Seq { nodes, .. } => nodes.iter().any(TextNode::is_marked),
            TextNode::Group { items: nodes, .. } | TextNode::Text(nodes) => {
                nodes.iter().any(TextNode::is_marked)
            }
        }
    }

    /// Whether nothing is left of it but what differs.
    fn is_all_wild(&self) -> bool {
        match self {
            TextNode::Seq { nodes, .. } => matches!(nodes[..], [TextNode::Many]),
            it => it.is_wild(),
        }
    }

    /// What is the same in this and another: the most that matches both. `other` has nothing that differs.
    pub(super) fn common(&self, other: &TextNode) -> TextNode {
        match (self, other) {
            _ if self == other => self.clone(),
            (TextNode::Seq { lead, nodes, trail }, TextNode::Seq { nodes: others, .. }) => {
                let mut nodes = in_order(nodes, others);
                let says_nothing = |it: &TextNode| match it {
                    TextNode::Word(word) => is_blank(word),
                    // Behind a name that differs, fields that all differ say nothing.
                    TextNode::Group { items, .. } => items.iter().all(TextNode::is_all_wild),
                    it => it.is_wild(),
                };
                if nodes.first().is_some_and(TextNode::is_wild) && nodes.iter().all(says_nothing) {
                    nodes = vec![TextNode::Many];
                }
                TextNode::Seq { lead: lead.clone(), nodes, trail: trail.clone() }
            }
            (
                TextNode::Group { brackets, kind, items, tail },
                TextNode::Group { brackets: others, kind: other_kind, items: other_items, .. },
            ) if brackets == others && kind == other_kind => {
                let items = match kind {
                    BracketKind::Unordered => in_any_order(items, other_items),
                    BracketKind::Plain | BracketKind::Named => in_order(items, other_items),
                };
                let is_tuple = brackets[0] == "(" && items.iter().all(TextNode::is_all_wild);
                if *kind != BracketKind::Named && (matches!(items[..], [TextNode::Many]) || is_tuple) {
                    return TextNode::Any;
                }
                TextNode::Group { brackets: brackets.clone(), kind: *kind, items, tail: tail.clone() }
            }
            (TextNode::Text(chars), TextNode::Text(others)) => {
                let inner = |chars: &[TextNode]| chars[1..chars.len() - 1].to_vec();
                let quote = TextNode::word("\"");
                match in_order(&inner(chars), &inner(others)) {
                    inner if inner == [TextNode::Many] => TextNode::Any,
                    inner => TextNode::Text([vec![quote.clone()], inner, vec![quote]].concat()),
                }
            }
            _ => TextNode::Any,
        }
    }
}

/// Compares piece by piece where there are equally many, and by what they begin and end with otherwise.
fn in_order(nodes: &[TextNode], others: &[TextNode]) -> Vec<TextNode> {
    let many = nodes.iter().position(|it| *it == TextNode::Many);
    if many.is_none() && nodes.len() == others.len() {
        return nodes.iter().zip(others).map(|(a, b)| a.common(b)).collect();
    }
    let (head, tail) = many.map_or((nodes, nodes), |it| (&nodes[..it], &nodes[it + 1..]));
    let same = head.iter().zip(others).take_while(|(a, b)| a == b).count();
    let most = nodes.len().min(others.len()) - same.min(nodes.len()).min(others.len());
    let ends = tail.iter().rev().zip(others.iter().rev()).take(most);
    let same_end = ends.take_while(|(a, b)| a == b).count();
    let mut res = nodes[..same].to_vec();
    res.push(TextNode::Many);
    res.extend_from_slice(&nodes[nodes.len() - same_end..]);
    res
}

/// Compares where the order means nothing: what is in both stays.
fn in_any_order(nodes: &[TextNode], others: &[TextNode]) -> Vec<TextNode> {
    let mut others = others.to_vec();
    let mut take =
        |is_it: &dyn Fn(&TextNode) -> bool| others.iter().position(is_it).map(|it| others.remove(it));
    let mut res: Vec<Option<TextNode>> =
        nodes.iter().map(|it| take(&|other| it == other).map(|_| it.clone())).collect();
    let is_key = |a: &TextNode, b: &TextNode| match (a, b) {
        (TextNode::Seq { nodes: a, .. }, TextNode::Seq { nodes: b, .. }) => {
            a.len() > 1 && a.first() == b.first()
        }
        _ => false,
    };
    for (it, kept) in nodes.iter().zip(&mut res) {
        if kept.is_none() {
            *kept = take(&|other| is_key(it, other)).map(|other| it.common(&other));
        }
    }
    let missing = res.iter().filter(|it| it.is_none()).count();
    if missing == others.len() && !nodes.contains(&TextNode::Many) {
        let mut others = others.iter();
        let fill = |(it, kept): (&TextNode, Option<TextNode>)| {
            kept.or_else(|| others.next().map(|other| it.common(other)))
        };
        return nodes.iter().zip(res).filter_map(fill).collect();
    }
    let mut res: Vec<TextNode> = res.into_iter().flatten().collect();
    // What stays keeps the white space before it, so what differs comes last.
    res.push(TextNode::Many);
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
