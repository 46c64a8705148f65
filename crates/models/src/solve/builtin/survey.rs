//! What a network is made of: the parts that can be searched one after the other, and a good order within them.

use probity_spec::flat::ExprNode;
use probity_spec::propagate::network::{Network, NodeOp};

/// The shape of a network, as far as search cares.
#[derive(Clone, Default)]
pub(super) struct Survey {
    /// Slots that share requirements.
    pub(super) components: Vec<Vec<u32>>,
    /// Whole numbers that follow from texts rather than the other way round.
    pub(super) late: Vec<bool>,
    /// Concatenations, with their components.
    pub(super) concats: Vec<(u32, usize)>,
    /// Requirements by component.
    pub(super) roots: Vec<Vec<usize>>,
}

impl Survey {
    pub(super) fn of(net: &Network) -> Survey {
        let mut groups: Vec<u32> = (0..net.slots as u32).collect();
        for root in &net.roots {
            for slot in root.slots.iter().skip(1) {
                let (a, b) = (leader(&mut groups, root.slots[0]), leader(&mut groups, *slot));
                groups[a.max(b) as usize] = a.min(b);
            }
        }
        let mut survey = Survey { late: vec![false; net.slots], ..Survey::default() };
        let mut numbers = vec![usize::MAX; net.slots];
        for slot in 0..net.slots as u32 {
            let group = leader(&mut groups, slot) as usize;
            if numbers[group] == usize::MAX {
                numbers[group] = survey.components.len();
                survey.components.push(Vec::new());
                survey.roots.push(Vec::new());
            }
            numbers[slot as usize] = numbers[group];
            survey.components[numbers[group]].push(slot);
        }
        for (number, root) in net.roots.iter().enumerate() {
            let Some(slot) = root.slots.first() else { continue };
            survey.roots[numbers[*slot as usize]].push(number);
            if has_opaque(&root.expr) {
                root.slots.iter().for_each(|it| survey.late[*it as usize] = true);
            }
        }
        for (node, op) in (0..).zip(&net.nodes) {
            if let (NodeOp::Concat(_), Some(slot)) = (&**op, slot_below(net, node)) {
                survey.concats.push((node, numbers[slot as usize]));
            }
        }
        survey
    }
}

fn leader(groups: &mut [u32], of: u32) -> u32 {
    let mut of = of;
    while groups[of as usize] != of {
        groups[of as usize] = groups[groups[of as usize] as usize];
        of = groups[of as usize];
    }
    of
}

/// Whether an expression says something about numbers that is only known when the texts are.
fn has_opaque(expr: &probity_spec::flat::Expr) -> bool {
    matches!(expr.node(), ExprNode::EditsAtLeast(..)) || expr.parts().into_iter().any(has_opaque)
}

/// Some slot that a node is made of.
fn slot_below(net: &Network, node: u32) -> Option<u32> {
    if (node as usize) < net.slots {
        return Some(node);
    }
    net.nodes[node as usize].parts().into_iter().find_map(|it| slot_below(net, it))
}
