//! Libraries of other people, as they are.

use std::str::FromStr;
use std::sync::OnceLock;

use base64::Engine;
use chrono::{Datelike, NaiveDate, NaiveDateTime};
use indexmap::IndexMap;
use num_bigint::{BigInt, BigUint};
use regex::Regex;
use rust_decimal::Decimal;
use sha2::Digest;

use super::{Reader, Target, digest, letters, printable, shown, text};

pub(super) const TARGETS: &[Target] = &[
    ("base64_both_ways", base64_both_ways),
    ("chrono_parse", chrono_parse),
    ("chrono_add", chrono_add),
    ("indexmap_moves", indexmap_moves),
    ("itoa_ints", itoa_ints),
    ("memchr_finds", memchr_finds),
    ("bigint_arithmetic", bigint_arithmetic),
    ("regex_captures", regex_captures),
    ("regex_replaces", regex_replaces),
    ("decimal_arithmetic", decimal_arithmetic),
    ("ryu_floats", ryu_floats),
    ("semver_orders", semver_orders),
    ("json_reads", json_reads),
    ("json_writes", json_writes),
    ("sha2_hashes", sha2_hashes),
    ("url_parses", url_parses),
];

fn base64_both_ways(bytes: &[u8]) -> u64 {
    let standard = base64::engine::general_purpose::STANDARD;
    let encoded = standard.encode(bytes);
    let noise = letters(bytes, "QUJDRA==");
    shown((standard.decode(&encoded).is_ok_and(|it| it == bytes), standard.decode(&noise), encoded))
}

fn chrono_parse(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let date = format!("{}-{:02}-{:02}", 1900 + u32::from(r.u8()), r.u8() % 14, r.u8() % 33);
    let time = format!("{date}T{:02}:{:02}:{:02}", r.u8() % 25, r.u8() % 61, r.u8() % 61);
    let format = "%Y-%m-%dT%H:%M:%S";
    shown((
        NaiveDate::from_str(&date).map(|it| (it, it.weekday(), it.ordinal())).map_err(|it| it.to_string()),
        NaiveDateTime::parse_from_str(&time, format).map(|it| it.format("%d %B %y, %I %p").to_string()).ok(),
        NaiveDate::parse_from_str(&printable(r.0), "%d/%m").is_ok(),
    ))
}

fn chrono_add(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let date = NaiveDate::from_num_days_from_ce_opt((r.u32() % 3_000_000) as i32);
    let moved = date.and_then(|it| it.checked_add_signed(chrono::TimeDelta::try_days(r.u16().into())?));
    shown((
        moved,
        moved.map(|it| it.iso_week()),
        date.zip(moved).map(|(a, b)| b.signed_duration_since(a).num_weeks()),
    ))
}

fn indexmap_moves(bytes: &[u8]) -> u64 {
    type Fixed = std::hash::BuildHasherDefault<std::collections::hash_map::DefaultHasher>;
    let mut map: IndexMap<u8, usize, Fixed> = IndexMap::default();
    for (i, byte) in bytes.iter().enumerate() {
        match byte % 4 {
            0 => drop(map.swap_remove(&(byte / 2))),
            1 => drop(map.shift_remove(&(byte / 3))),
            _ => *map.entry(byte % 64).or_default() += i,
        }
    }
    map.sort_by(|_, a, _, b| b.cmp(a));
    digest((map.first(), map.get_index_of(&7), map.iter().collect::<Vec<_>>()))
}

fn itoa_ints(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let mut buffer = itoa::Buffer::new();
    let mut res = buffer.format(r.u64() as i64).to_string();
    res += buffer.format(r.u8());
    res += buffer.format(r.u128() as i128);
    res += buffer.format(r.u32() as i32);
    digest(res)
}

fn memchr_finds(bytes: &[u8]) -> u64 {
    let hay = letters(&bytes.repeat(3), "abcdn eedl");
    let hay = hay.as_bytes();
    digest((
        memchr::memchr(b'n', hay),
        memchr::memrchr2(b'a', b'd', hay),
        memchr::memchr3(1, 2, 3, bytes),
        memchr::memmem::find(hay, b"need"),
        memchr::memmem::rfind(hay, b"dl"),
        memchr::memchr_iter(b'e', hay).count(),
    ))
}

fn bigint_arithmetic(bytes: &[u8]) -> u64 {
    let (a, b) = bytes.split_at(bytes.len() / 2);
    let (a, b) = (BigUint::from_bytes_le(a), BigUint::from_bytes_be(b) + 1_u8);
    let signed: BigInt = BigInt::from(a.clone()) - BigInt::from(b.clone()) * 3_i32;
    digest((
        &a * &b + 7_u8,
        &a / &b,
        &a % &b,
        a.pow(3) >> 5_u8,
        a.modpow(&b, &BigUint::from(1_000_003_u32)),
        signed.to_string(),
    ))
}

fn regex_captures(bytes: &[u8]) -> u64 {
    static IT: OnceLock<Option<Regex>> = OnceLock::new();
    let regex = IT.get_or_init(|| Regex::new(r"(?<word>[a-z]+)-(\d{2,3})|x\s*=\s*(\w+)").ok());
    let text = letters(bytes, "ab-01x= ");
    let Some(regex) = regex else { return 0 };
    shown(
        regex
            .captures_iter(&text)
            .map(|it| it.iter().map(|it| it.map(|it| it.range())).collect::<Vec<_>>())
            .collect::<Vec<_>>(),
    )
}

fn regex_replaces(bytes: &[u8]) -> u64 {
    static IT: OnceLock<Option<Regex>> = OnceLock::new();
    let regex = IT.get_or_init(|| Regex::new(r"(?i)^\W*(\pL+)(.*?)(\d+)$").ok());
    let Some(regex) = regex else { return 0 };
    let text = text(bytes);
    let more = printable(bytes);
    digest((regex.replace_all(&text, "$3<$1>"), regex.is_match(&more), regex.find(&more).map(|it| it.end())))
}

fn decimal_arithmetic(bytes: &[u8]) -> u64 {
    let number = letters(bytes, "0123456789.-");
    let (a, b) = number.split_at(number.len() / 2);
    let short = |it: &str| Decimal::from_str(&it[..it.len().min(9)]);
    let (a, b) = (short(a), short(b));
    shown((
        a.as_ref()
            .ok()
            .zip(b.as_ref().ok())
            .map(|(a, b)| (a.checked_div(*b), a.checked_mul(*b), a.cmp(b), (a + b).round_dp(2))),
        a.map_err(|it| it.to_string()),
    ))
}

fn ryu_floats(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let (a, b) = (r.f64(), r.fraction());
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format(a).to_string();
    digest((text + buffer.format(b), buffer.format(b as f32).to_string()))
}

fn semver_orders(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let mut version = || format!("{}.{}.{}", r.u8() % 4, r.u8() % 4, r.u8() % 12);
    let (a, b) = (version(), version());
    let pre = letters(r.0, "abc0.9-+");
    let request = format!("{}{a}", ["^", "~", ">=", "<", "=", "x"][usize::from(r.u8() % 6)]);
    let a = semver::Version::parse(&format!("{a}-{pre}"));
    let b = semver::Version::parse(&b);
    shown((
        a.as_ref().ok().partial_cmp(&b.as_ref().ok()),
        semver::VersionReq::parse(&request).map(|it| b.as_ref().is_ok_and(|b| it.matches(b))),
        a.map_err(|it| it.to_string()),
    ))
}

fn json_reads(bytes: &[u8]) -> u64 {
    let noise = letters(bytes, "[]{}\":,1e2 tnu\\");
    let nested = format!(
        "{{\"a\": [1, {}, {{\"b\": \"{}\"}}]}}",
        letters(&bytes[..bytes.len().min(5)], "0123456789.e"),
        letters(bytes, "ab\\n")
    );
    let read = |it: &str| serde_json::from_str::<serde_json::Value>(it).map_err(|it| it.to_string());
    shown((read(&noise), read(&nested), read(&text(bytes)).is_ok()))
}

fn json_writes(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let value = serde_json::json!({
        "text": text(bytes),
        "float": r.fraction(),
        "list": [r.u64(), r.u32() as i32, null],
        "nested": { "odd": r.u8() % 2 == 1, printable(r.0): [[]] },
    });
    digest((value.to_string(), serde_json::to_string_pretty(&value).ok()))
}

fn sha2_hashes(bytes: &[u8]) -> u64 {
    let a: [u8; 32] = sha2::Sha256::digest(bytes).into();
    let mut hasher = sha2::Sha512::new();
    hasher.update(bytes);
    hasher.update(a);
    let b: [u8; 64] = hasher.finalize().into();
    digest((a, &b[..]))
}

fn url_parses(bytes: &[u8]) -> u64 {
    let noise = letters(bytes, "htp:/.a@?#&%20=");
    let built = format!(
        "http://{}:{}/{}?{}",
        letters(&bytes[..bytes.len().min(8)], "ab.1"),
        bytes.len() * 1000,
        noise,
        printable(bytes)
    );
    let show = |it: url::Url| {
        let pairs: Vec<(String, String)> = it.query_pairs().into_owned().collect();
        (it.host_str().map(str::to_string), it.port(), it.path().to_string(), pairs, it.to_string())
    };
    shown((
        url::Url::parse(&noise).map(show),
        url::Url::parse(&built).map(show),
        url::Url::parse(&text(bytes)).is_ok(),
    ))
}
