//! A way out of a maze, found by a score that only knows how far the exit is.
//!
//! After the tutorial for targeted testing with PropEr by A. Löscher and K. Sagonas, with mazes of our own.
//! The second one deceives: who comes nearer to the exit comes to a dead end.
//!
//! `cargo run --release --example labyrinth`
#![allow(clippy::print_stdout, reason = "an example talks")]

use probity::prelude::*;

/// Walls are `#`; the way goes from `S` to `E`.
pub(crate) type Maze = [&'static str];

/// Rooms with doors on alternate sides: anyone who comes nearer to the exit is on the way.
pub(crate) const ROOMS: &Maze = &[
    "####################",
    "#S   #       #     #",
    "#    #       #     #",
    "#        #   #     #",
    "#    #   #         #",
    "###### ###   #######",
    "#    #   #   #     #",
    "#        #         #",
    "#    #   #   #     #",
    "########   ####### #",
    "#    #       #     #",
    "#            #    E#",
    "####################",
];

/// A pocket that opens towards the start and leads nearer to the exit, and a way around it that begins in the
/// other direction and is narrow.
pub(crate) const DEAD_END: &Maze = &[
    "############################",
    "#   #   #   #   #   #   #  #",
    "# #   #   #   #   #   #    #",
    "# ######################## #",
    "#            ############# #",
    "#S           #############E#",
    "#            ############# #",
    "############################",
];

/// How many moves are made at most: more than enough for both.
const MOVES_MAX: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Move {
    Left,
    Right,
    Up,
    Down,
}

use Move::{Down, Left, Right, Up};

/// A row and a column.
type Place = (usize, usize);

fn find(maze: &Maze, mark: u8) -> Place {
    let row = maze.iter().position(|it| it.as_bytes().contains(&mark)).expect("the mark is in the maze");
    (row, maze[row].bytes().position(|it| it == mark).expect("it is in this row"))
}

/// Where a move leads to: nowhere if there is a wall.
fn step(maze: &Maze, (row, column): Place, to: Move) -> Place {
    let next = match to {
        Left => (row, column - 1),
        Right => (row, column + 1),
        Up => (row - 1, column),
        Down => (row + 1, column),
    };
    if maze[next.0].as_bytes()[next.1] == b'#' { (row, column) } else { next }
}

/// Where the moves lead to from the start. They end at the exit.
fn walk(maze: &Maze, moves: &[Move]) -> Place {
    let (mut at, exit) = (find(maze, b'S'), find(maze, b'E'));
    for to in moves {
        if at == exit {
            break;
        }
        at = step(maze, at, *to);
    }
    at
}

/// How far two places are apart if there were no walls.
fn distance(a: Place, b: Place) -> usize {
    a.0.abs_diff(b.0) + a.1.abs_diff(b.1)
}

pub(crate) fn moves() -> impl Generator<Value = Vec<Move>> {
    vec(&[Left, Right, Up, Down], ..=MOVES_MAX)
}

/// The test: there is no way out. Targeted cases end nearer and nearer to the exit.
pub(crate) fn there_is_no_way_out(src: &mut Source, maze: &Maze) {
    let moves = src.draw_as("moves", moves());
    let left = distance(walk(maze, &moves), find(maze, b'E'));
    minimize("distance", left as f64);
    assert!(left > 0, "the exit was reached");
}

fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    for maze in [ROOMS, DEAD_END] {
        println!("{}\n", maze.join("\n"));
        // In a test of yours: `#[probity::test(cases = 100_000)]`, and the panic goes on to the harness.
        let check = || probity::Check::new("labyrinth::there_is_no_way_out").cases(100_000).store(false);
        let _ = std::panic::catch_unwind(|| check().run(|src| there_is_no_way_out(src, maze)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, VecDeque};

    /// A shortest way from the start to every place.
    fn ways(maze: &Maze) -> BTreeMap<Place, Vec<Move>> {
        let start = find(maze, b'S');
        let mut res = BTreeMap::from([(start, Vec::new())]);
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            for to in [Left, Right, Up, Down] {
                let next = step(maze, at, to);
                if !res.contains_key(&next) {
                    let way = [&res[&at][..], &[to]].concat();
                    res.insert(next, way);
                    queue.push_back(next);
                }
            }
        }
        res
    }

    #[test]
    fn there_is_a_way_out_of_both() {
        for (maze, len) in [(ROOMS, 29), (DEAD_END, 43)] {
            let way = &ways(maze)[&find(maze, b'E')];
            assert_eq!(walk(maze, way), find(maze, b'E'));
            assert_eq!(way.len(), len);
            let beyond = [&way[..], &[Left, Left]].concat();
            assert_eq!(walk(maze, &beyond), find(maze, b'E'), "the exit is the end of it");
        }
    }

    #[test]
    fn ways_are_shortest_and_walks_keep_to_the_maze() {
        for maze in [ROOMS, DEAD_END] {
            let ways = ways(maze);
            let exit = find(maze, b'E');
            for seed in 0..500 {
                let mut moves = sample(&moves(), seed);
                let end = walk(maze, &moves);
                assert!(maze[end.0].as_bytes()[end.1] != b'#' && ways[&end].len() <= moves.len());
                moves.truncate(1);
                assert!(distance(walk(maze, &moves), find(maze, b'S')) <= 1);
            }
            assert!(ways.iter().all(|(at, way)| distance(*at, find(maze, b'S')) <= way.len()));
            assert_eq!(ways.keys().filter(|it| distance(**it, exit) == 0).count(), 1);
        }
    }

    /// Anyone who leaves the pocket is farther from the exit than they were in it for half the way out.
    #[test]
    fn the_dead_end_deceives() {
        let exit = find(DEAD_END, b'E');
        let pocket = (4..=6).flat_map(|row| (2..=12).map(move |column| (row, column)));
        let nearest = pocket.map(|it| distance(it, exit)).min().unwrap();
        let way = &ways(DEAD_END)[&exit];
        let is_farther = |len: &usize| distance(walk(DEAD_END, &way[..*len]), exit) > nearest;
        assert!((0..way.len() / 2).all(|it| is_farther(&it)));
    }
}
