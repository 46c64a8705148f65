//! A game that can be cheated: a list of spells that makes a player too strong.
//!
//! The user study of A. Löscher and K. Sagonas, "Automating Targeted Property-Based Testing" (ICST 2018),
//! section V-D.
//!
//! `cargo run --release --example spells`
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::fmt;

use probity::prelude::*;

const ATTRIBUTES: [&str; 10] = ["str", "con", "def", "dex", "int", "cha", "wis", "wil", "per", "luc"];
/// Every attribute begins with this.
const START: i32 = 5;
/// All of them together.
const START_TOTAL: i32 = START * ATTRIBUTES.len() as i32;
/// How many spells are cast at most. Three times the start takes somewhat more than 100.
const CAST_MAX: usize = 300;

/// What a spell adds to each attribute.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Spell([i8; ATTRIBUTES.len()]);

const SPELLS: [Spell; 20] = [
    Spell([5, -2, 0, -3, 0, 0, 0, 0, 0, 0]),
    Spell([0, 0, 4, 0, 0, 0, 0, -4, 0, 0]),
    Spell([0, 0, 0, 0, -3, 1, 1, 0, 1, 0]),
    Spell([1, 2, 2, 0, 0, 0, 0, -3, 0, 0]),
    Spell([0, 0, 0, 0, 1, 1, 1, -3, 0, 0]),
    Spell([1, 0, 0, 0, -3, 0, 0, 0, 0, 2]),
    Spell([0, 0, 0, 0, 1, 1, 1, -4, 1, 0]),
    Spell([0, 0, 0, 0, 0, 2, 0, 0, 1, -3]),
    Spell([2, -2, 0, 0, 0, 0, 0, 0, 0, 0]),
    Spell([0, 2, -2, 0, 0, 0, 0, 0, 0, 0]),
    Spell([0, 0, 2, -2, 0, 0, 0, 0, 0, 0]),
    Spell([0, 0, 0, 2, -2, 0, 0, 0, 0, 0]),
    Spell([-1, -1, -1, -1, -1, -1, -1, 10, -1, -1]),
    Spell([0, 0, 0, 0, 2, -2, 0, 0, 0, 0]),
    Spell([0, 0, 0, 0, 0, 2, -2, 0, 0, 0]),
    Spell([0, 0, 0, 0, 0, 0, 2, -2, 0, 0]),
    Spell([0, 0, 0, 0, 0, 0, 0, 2, -2, 0]),
    Spell([0, 0, 0, 0, 0, 0, 0, 0, 2, -2]),
    Spell([-2, 0, 0, 0, 0, 0, 0, 0, 0, 2]),
    Spell([5, 0, 0, 0, 0, 0, 0, 0, 0, -8]),
];

/// Such as `str+5 con-2 dex-3`.
impl fmt::Debug for Spell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changes = ATTRIBUTES.iter().zip(self.0).filter(|it| it.1 != 0);
        let changes: Vec<String> = changes.map(|(name, by)| format!("{name}{by:+}")).collect();
        f.write_str(&changes.join(" "))
    }
}

/// A player, with a number for each attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Player([i32; ATTRIBUTES.len()]);

impl Player {
    /// Casts a spell on them. One that would make an attribute negative does nothing.
    fn cast(&mut self, spell: &Spell) {
        let mut res = self.0;
        let mut least = 0;
        for (attribute, by) in res.iter_mut().zip(spell.0) {
            *attribute += i32::from(by);
            least = least.min(*attribute);
        }
        if least == 0 {
            self.0 = res;
        }
    }

    fn total(&self) -> i32 {
        self.0.iter().sum()
    }
}

/// How strong the spells make a player who has just begun.
fn total_after(spells: &[Spell]) -> i32 {
    let mut player = Player([START; ATTRIBUTES.len()]);
    spells.iter().for_each(|it| player.cast(it));
    player.total()
}

pub(crate) fn spells() -> impl Generator<Value = Vec<Spell>> {
    vec(&SPELLS, ..=CAST_MAX)
}

/// The test: no spells make a player `times` as strong as at the start. Targeted cases make them stronger.
pub(crate) fn nobody_is_too_strong(src: &mut Source, times: i32) {
    let total = total_after(&src.draw_as("spells", spells()));
    maximize("strength", total.into());
    assert!(total < times * START_TOTAL, "all attributes together are {total}");
}

fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    println!(
        "Ten attributes of {START}, {} spells, and nobody should become twice as strong.\n",
        SPELLS.len()
    );
    // In a test of yours: `#[probity::test(cases = 10_000)]`, and the panic goes on to the harness.
    let check = || probity::Check::new("spells::twice").cases(10_000).store(false);
    let _ = std::panic::catch_unwind(|| check().run(|src| nobody_is_too_strong(src, 2)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spells_are_cast_by_the_rules() {
        let begin = Player([START; 10]);
        // The spells that are cast, by number, and what comes of them.
        let rows: &[(&[usize], [i32; 10])] = &[
            (&[], [5; 10]),
            (&[0], [10, 3, 5, 2, 5, 5, 5, 5, 5, 5]),
            // The second time, `dex` would be -1.
            (&[0, 0], [10, 3, 5, 2, 5, 5, 5, 5, 5, 5]),
            // Eight are more than `luc` has; then it has nine.
            (&[19, 18, 18, 19], [6, 5, 5, 5, 5, 5, 5, 5, 5, 1]),
            (&[12, 3, 3, 3, 3, 3], [9, 14, 14, 4, 4, 4, 4, 0, 4, 4]),
            (&[1, 1], [5, 5, 9, 5, 5, 5, 5, 1, 5, 5]),
        ];
        for (numbers, expected) in rows {
            let mut player = begin;
            numbers.iter().for_each(|it| player.cast(&SPELLS[*it]));
            assert_eq!(player.0, *expected, "{numbers:?}");
        }
    }

    /// The cheat, by hand: two spells add more than they take, and others move points from attribute to
    /// attribute, in a ring.
    #[test]
    fn a_player_can_become_three_times_as_strong() {
        const GAINS: [usize; 2] = [3, 12];
        // For each attribute the spell that moves two points to it from the next one.
        const MOVES: [usize; 10] = [8, 9, 10, 11, 13, 14, 15, 16, 17, 18];
        let mut player = Player([START; 10]);
        let mut spells = Vec::new();
        while player.total() < 3 * START_TOTAL && spells.len() < CAST_MAX {
            let gains = |spell: &usize| {
                let mut after = player;
                after.cast(&SPELLS[*spell]);
                after.total() > player.total()
            };
            let spell = GAINS.into_iter().find(gains).unwrap_or_else(|| {
                let mut to = (0..10).min_by_key(|it| player.0[*it]).unwrap();
                while player.0[(to + 1) % 10] < 3 {
                    to = (to + 1) % 10;
                }
                MOVES[to]
            });
            player.cast(&SPELLS[spell]);
            spells.push(SPELLS[spell]);
        }
        assert!(total_after(&spells) >= 3 * START_TOTAL, "{player:?} after {}", spells.len());
    }

    #[test]
    fn spells_are_shown_by_what_they_change() {
        assert_eq!(format!("{:?}", SPELLS[0]), "str+5 con-2 dex-3");
    }
}
