//! What can be told from a description alone: whether it is complete, whether it ends, and what each
//! part depends on.

use super::UnknownSpace;
use super::describe::{Part, SpaceNode, Spaces};
use crate::source::DEPTH_MAX;
use crate::{Domain, size};

/// A description that is complete and ends.
#[derive(Debug)]
pub(super) struct SpaceGraph {
    nodes: Vec<SpaceNode>,
    facts: Vec<PieceFacts>,
    pub(super) root: RepeatedPart,
}

#[derive(Clone, Copy, Debug, Default)]
struct PieceFacts {
    /// How many groups are nested in it at most; more than `DEPTH_MAX` where it contains itself.
    height: u32,
}

/// A part, this many times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RepeatedPart {
    pub(super) part: Part,
    pub(super) times: u32,
}

impl RepeatedPart {
    /// All of it in one number.
    pub(super) fn word(self) -> u64 {
        u64::from(self.part.0) << 32 | u64::from(self.times)
    }
}

/// How deep a place in a case is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    depth: u32,
}

impl Room {
    /// All of it in one number.
    pub(super) fn word(self) -> u64 {
        self.depth.into()
    }
}

/// What a piece is, once nothing stands around it.
pub(super) enum PieceShape<'a> {
    Nothing,
    /// No input has it, or it nests too deep to be drawn.
    Never,
    One(&'a Domain),
    Two(RepeatedPart, RepeatedPart),
    Either(&'a Domain, &'a [Part]),
    List {
        item: Part,
        min: u32,
        max: u32,
    },
}

impl Room {
    /// At the beginning of a case.
    pub(super) const WHOLE: Room = Room { depth: 0 };

    fn enter(self) -> Option<Room> {
        (self.depth < DEPTH_MAX).then_some(Room { depth: self.depth + 1 })
    }
}

impl From<Part> for RepeatedPart {
    fn from(part: Part) -> Self {
        RepeatedPart { part, times: 1 }
    }
}

impl SpaceGraph {
    pub(super) fn new(spaces: Spaces, root: Part) -> Result<SpaceGraph, UnknownSpace> {
        let nodes = spaces.nodes;
        let mut res =
            SpaceGraph { facts: vec![PieceFacts::default(); nodes.len()], nodes, root: root.into() };
        res.find_unknown()?;
        let mut marks = vec![VisitMark::New; res.nodes.len()];
        for part in res.reached() {
            res.find_endless(part, "it", &mut marks)?;
        }
        res.find_height(root, &mut vec![VisitMark::New; res.nodes.len()]);
        Ok(res)
    }

    fn node(&self, part: Part) -> &SpaceNode {
        &self.nodes[part.0 as usize]
    }

    /// What `piece` is in `room`: the piece that says so, and as much of the room as matters to it.
    pub(super) fn resolve(
        &self,
        mut piece: RepeatedPart,
        mut room: Room,
    ) -> (PieceShape<'_>, RepeatedPart, Room) {
        let shape = loop {
            if piece.times != 1 {
                let half = RepeatedPart { times: piece.times / 2, ..piece };
                let rest = RepeatedPart { times: piece.times - half.times, ..piece };
                break if piece.times == 0 { PieceShape::Nothing } else { PieceShape::Two(half, rest) };
            }
            match self.node(piece.part) {
                SpaceNode::Nothing | SpaceNode::Unknown(_) => break PieceShape::Nothing,
                SpaceNode::Never => break PieceShape::Never,
                SpaceNode::Choice(domain) => break PieceShape::One(domain),
                SpaceNode::Pair([a, b]) => break PieceShape::Two((*a).into(), (*b).into()),
                SpaceNode::Either(domain, parts) => break PieceShape::Either(domain, parts),
                SpaceNode::Repeat(part, times) => piece = RepeatedPart { part: *part, times: *times },
                SpaceNode::Link { to, .. } => piece = (*to).into(),
                SpaceNode::Group(inner) => match room.enter() {
                    Some(inside) => (piece, room) = ((*inner).into(), inside),
                    None => break PieceShape::Never,
                },
                SpaceNode::List { item, min, max } => {
                    break PieceShape::List { item: *item, min: *min, max: *max };
                }
            }
        };
        let PieceFacts { height } = self.facts[piece.part.0 as usize];
        let is_free = room.depth.saturating_add(height) <= DEPTH_MAX;
        (shape, piece, Room { depth: if is_free { 0 } else { room.depth } })
    }

    /// The places where a part that contains itself can be drawn, the deepest first.
    pub(super) fn deepest(&self) -> Vec<(RepeatedPart, Room)> {
        let is_deep = |it: &Part| {
            matches!(self.node(*it), SpaceNode::Link { .. }) && self.facts[it.0 as usize].height > DEPTH_MAX
        };
        let deep: Vec<Part> = self.reached().into_iter().filter(is_deep).collect();
        let mut res = Vec::new();
        for depth in (0..=DEPTH_MAX).rev() {
            res.extend(deep.iter().map(|it| ((*it).into(), Room { depth })));
        }
        res
    }

    /// Whether every member of every domain is reached, and nothing is left to engines that go from value to value.
    pub(super) fn is_whole(&self) -> bool {
        self.reached().into_iter().all(|it| match self.node(it) {
            SpaceNode::Choice(domain) => size::is_whole(domain),
            SpaceNode::Never => false,
            _ => true,
        })
    }

    /// Whether no input of at most this size nests deeper than is ever drawn.
    pub(super) fn is_shallow(&self, size: Option<u64>) -> bool {
        if self.facts[self.root.part.0 as usize].height <= DEPTH_MAX {
            return true;
        }
        // Between two levels of the same group something was taken that is not the simplest: else it had no end.
        let groups =
            self.reached().into_iter().filter(|it| matches!(self.node(*it), SpaceNode::Group(_))).count();
        size.is_some_and(|it| it.saturating_add(1).saturating_mul(groups as u64) <= DEPTH_MAX.into())
    }

    fn reached(&self) -> Vec<Part> {
        let mut seen = vec![false; self.nodes.len()];
        let mut res = vec![self.root.part];
        seen[self.root.part.0 as usize] = true;
        let mut next = 0;
        while let Some(part) = res.get(next) {
            for &inner in inner(self.node(*part)) {
                if !std::mem::replace(&mut seen[inner.0 as usize], true) {
                    res.push(inner);
                }
            }
            next += 1;
        }
        res
    }

    fn find_unknown(&self) -> Result<(), UnknownSpace> {
        for part in self.reached() {
            if let SpaceNode::Unknown(what) = self.node(part) {
                return Err(UnknownSpace(format!(
                    "the inputs cannot be counted without drawing them, because of {what}; \
                     build them of types, ranges, `vec`, `one_of` and `map`"
                )));
            }
        }
        Ok(())
    }

    /// Fails where the simplest value of a part contains the part itself.
    fn find_endless(&self, part: Part, around: &str, marks: &mut [VisitMark]) -> Result<(), UnknownSpace> {
        let node = self.node(part);
        let name = if let SpaceNode::Link { name, .. } = node { name } else { around };
        match std::mem::replace(&mut marks[part.0 as usize], VisitMark::Open) {
            VisitMark::New => {}
            VisitMark::Open => {
                return Err(UnknownSpace(format!(
                    "`{name}` has no end: the simplest one contains another; \
                     give it a variant without itself, or put it behind an Option or a Vec"
                )));
            }
            VisitMark::Done => {
                marks[part.0 as usize] = VisitMark::Done;
                return Ok(());
            }
        }
        let free = match node {
            SpaceNode::Either(_, parts) => &parts[..1],
            SpaceNode::List { min: 0, .. } => &[],
            _ => inner(node),
        };
        for it in free {
            self.find_endless(*it, name, marks)?;
        }
        marks[part.0 as usize] = VisitMark::Done;
        Ok(())
    }

    fn find_height(&mut self, part: Part, marks: &mut [VisitMark]) -> u32 {
        let at = part.0 as usize;
        match marks[at] {
            VisitMark::New => marks[at] = VisitMark::Open,
            VisitMark::Open => return DEPTH_MAX + 1,
            VisitMark::Done => return self.facts[at].height,
        }
        let inner = inner(&self.nodes[at]).to_vec();
        let inner = inner.into_iter().map(|it| self.find_height(it, marks)).max().unwrap_or(0);
        let own = u32::from(matches!(self.nodes[at], SpaceNode::Group(_)));
        self.facts[at].height = inner.saturating_add(own);
        marks[at] = VisitMark::Done;
        self.facts[at].height
    }
}

#[derive(Clone, Copy)]
enum VisitMark {
    New,
    Open,
    Done,
}

/// The parts that a node is made of.
pub(super) fn inner(node: &SpaceNode) -> &[Part] {
    use std::slice::from_ref;
    match node {
        SpaceNode::Nothing | SpaceNode::Choice(_) | SpaceNode::Unknown(_) | SpaceNode::Never => &[],
        SpaceNode::Pair(parts) => parts,
        SpaceNode::Either(_, parts) => parts,
        SpaceNode::Repeat(part, _) | SpaceNode::List { item: part, .. } => from_ref(part),
        SpaceNode::Group(part) | SpaceNode::Link { to: part, .. } => from_ref(part),
    }
}
