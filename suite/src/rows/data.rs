//! Conditions on the course of a computation: codes, checksums, machines, panics.

use std::panic::{AssertUnwindSafe, catch_unwind};

use probity::Source;
use probity::bytes;
use probity::prelude::*;

use crate::answers::answers;
use crate::{Group, Row};

pub(super) const ROWS: &[Row] = &[
    Row::fails(Group::Puzzle, "checksummed packet", "packet_sum", packet_sum, || {
        answers().bytes(&[0x7e, 3, 0x10, 0x20, 0x42, 0x7e ^ 3 ^ 0x10 ^ 0x20 ^ 0x42, 0x7f]).done()
    }),
    Row::fails(Group::Puzzle, "checksummed packet", "packet_crc", packet_crc, || {
        let body = [b'P', 4, 1, 2, 3, 99];
        let crc = crc16(&body).to_be_bytes();
        answers().bytes(&[&body[..], &crc].concat()).done()
    }),
    Row::fails(Group::Puzzle, "panic behind catch_unwind", "caught_index", caught_index, || {
        answers().int(13).int(100).done()
    }),
    Row::fails(Group::Puzzle, "panic behind catch_unwind", "caught_payload", caught_payload, || {
        answers().text("!42").done()
    }),
    Row::fails(Group::Puzzle, "run-length code", "runs_decoded", runs_decoded, || {
        answers().bytes(&[4, b'a', 2, b'b', 5, b'z']).done()
    }),
    Row::fails(Group::Puzzle, "run-length code", "runs_encoded", runs_encoded, || {
        answers().bytes(b"xxxyyyyyyz").done()
    })
    .only(),
    Row::fails(Group::Puzzle, "state machine of 6 steps", "states_codes", states_codes, || {
        answers().ints([0x11, 0x37, 0x5a, 0x90, 0xc3, 0xff]).done()
    }),
    Row::fails(Group::Puzzle, "state machine of 6 steps", "states_door", states_door, || {
        answers().length(6).pick(1).pick(3).pick(3).pick(0).pick(2).int(4711).pick(1).done()
    }),
];

fn packet_sum(src: &mut Source) {
    let data: Vec<u8> = src.any();
    let [0x7e, len, rest @ ..] = &data[..] else { return };
    let Some((body, [sum, 0x7f])) = rest.split_at_checked((*len).into()) else { return };
    if body.iter().fold(0x7e ^ len, |a, b| a ^ b) == *sum {
        assert!(!(body.len() >= 3 && body[2] == 0x42));
    }
}

fn crc16(data: &[u8]) -> u16 {
    data.iter().fold(0xffff, |mut crc, byte| {
        crc ^= u16::from(*byte) << 8;
        for _ in 0..8 {
            crc = if crc & 0x8000 != 0 { crc << 1 ^ 0x1021 } else { crc << 1 };
        }
        crc
    })
}

fn packet_crc(src: &mut Source) {
    let data: Vec<u8> = src.draw(bytes(0..=12));
    let Some((body, crc)) = data.split_last_chunk::<2>() else { return };
    if body.len() == 6 && body[0] == b'P' && body[1] == 4 && u16::from_be_bytes(*crc) == crc16(body) {
        assert!(body[5] != 99);
    }
}

fn caught_index(src: &mut Source) {
    let (at, n): (usize, usize) = (src.any::<u16>().into(), src.any::<u16>().into());
    let table: Vec<usize> = (0..100).map(|i| i * 3).collect();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let found = table[at];
        assert!(n != 100 || found != 39, "thirteen");
        found
    }));
    let is_thirteen = outcome.is_err_and(|it| it.downcast_ref::<&str>() == Some(&"thirteen"));
    assert!(!is_thirteen);
}

fn caught_payload(src: &mut Source) {
    let text: String = src.draw(string(' '..='~', 0..=8));
    let outcome = catch_unwind(|| match text.strip_prefix('!') {
        Some(rest) => std::panic::panic_any(rest.len()),
        None => text.len(),
    });
    if let Err(payload) = outcome {
        assert!(!(payload.downcast_ref::<usize>() == Some(&2) && text.ends_with("42")));
    }
}

fn decode(code: &[u8]) -> Vec<u8> {
    code.chunks_exact(2).flat_map(|it| std::iter::repeat_n(it[1], usize::from(it[0] % 32))).collect()
}

fn runs_decoded(src: &mut Source) {
    let code: Vec<u8> = src.draw(bytes(0..=10));
    assert!(decode(&code) != b"aaaabbzzzzz");
}

fn encode(data: &[u8]) -> Vec<(u8, u8)> {
    let mut res: Vec<(u8, u8)> = Vec::new();
    for &byte in data {
        match res.last_mut() {
            Some((n, last)) if *last == byte => *n += 1,
            _ => res.push((1, byte)),
        }
    }
    res
}

fn runs_encoded(src: &mut Source) {
    let data: Vec<u8> = src.draw(bytes(0..=12));
    assert!(encode(&data) != [(3, b'x'), (6, b'y'), (1, b'z')]);
}

fn states_codes(src: &mut Source) {
    let mut state = 0;
    for _ in 0..6 {
        let byte: u8 = src.any();
        state = match (state, byte) {
            (0, 0x11) => 1,
            (1, 0x30..=0x3f) if byte & 1 == 1 => 2,
            (2, _) if byte == 0x5a => 3,
            (3, 0x90) => 4,
            (4, 0xc0..=0xc3) if byte % 4 == 3 => 5,
            (5, 0xff) => 6,
            _ => 0,
        };
    }
    assert!(state != 6);
}

fn states_door(src: &mut Source) {
    #[derive(PartialEq)]
    enum Door {
        Closed,
        Ajar(u8),
        Open,
        Locked,
        Alarm,
    }
    let mut door = Door::Closed;
    src.list("steps", 0, 6, |src, _| {
        door = match (std::mem::replace(&mut door, Door::Closed), src.pick(4)) {
            (Door::Closed, 1) => Door::Ajar(0),
            (Door::Ajar(1), 3) => Door::Open,
            (Door::Ajar(n), 3) => Door::Ajar(n + 1),
            (Door::Open, 0) => Door::Locked,
            (Door::Locked, 2) if src.any::<u16>() == 4711 => Door::Alarm,
            (Door::Alarm, 1) => panic!("the alarm went off"),
            _ => Door::Closed,
        };
    });
}
