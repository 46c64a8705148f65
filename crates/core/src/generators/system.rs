//! What programs get from the system around them: addresses, times, paths and foreign strings.
//!
//! Each has a list of values on which code is known to trip, drawn about one time in three.

use std::ffi::{CString, OsString};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::choosing::pick;
use super::string;
use crate::{Domain, Generate, Generator, Part, Source, Spaces, SpanKind};

/// How often a value is made freely and how often it is taken from a list of odd ones.
const FREE_OR_ODD: [u32; 2] = [2, 1];

#[inline]
fn odd(source: &mut Source) -> bool {
    source.pick_weighted(&FREE_OR_ODD) == 1
}

impl Generate for Ipv4Addr {
    fn generate(source: &mut Source) -> Self {
        source.span("Ipv4Addr", SpanKind::Group, |src| {
            if odd(src) { (&ODD_V4).generate(src) } else { u32::generate(src).into() }
        })
    }

    fn space(spaces: &mut Spaces) -> Part {
        let parts = [u32::space(spaces), pick(spaces, ODD_V4.len())];
        spaces.pick(&parts)
    }
}

impl Generate for Ipv6Addr {
    fn generate(source: &mut Source) -> Self {
        source.span("Ipv6Addr", SpanKind::Group, |src| {
            if odd(src) { (&ODD_V6).generate(src).into() } else { <[u16; 8]>::generate(src).into() }
        })
    }

    fn space(spaces: &mut Spaces) -> Part {
        let parts = [<[u16; 8]>::space(spaces), pick(spaces, ODD_V6.len())];
        spaces.pick(&parts)
    }
}

impl Generate for IpAddr {
    fn generate(source: &mut Source) -> Self {
        source.span("IpAddr", SpanKind::Group, |src| {
            if src.pick(2) == 0 { Ipv4Addr::generate(src).into() } else { Ipv6Addr::generate(src).into() }
        })
    }

    fn space(spaces: &mut Spaces) -> Part {
        <Result<Ipv4Addr, Ipv6Addr>>::space(spaces)
    }
}

impl Generate for SocketAddrV4 {
    fn generate(source: &mut Source) -> Self {
        SocketAddrV4::new(Ipv4Addr::generate(source), u16::generate(source))
    }

    fn space(spaces: &mut Spaces) -> Part {
        <(Ipv4Addr, u16)>::space(spaces)
    }
}

impl Generate for SocketAddrV6 {
    fn generate(source: &mut Source) -> Self {
        let (ip, port, flow, scope) = Generate::generate(source);
        SocketAddrV6::new(ip, port, flow, scope)
    }

    fn space(spaces: &mut Spaces) -> Part {
        <(Ipv6Addr, u16, u32, u32)>::space(spaces)
    }
}

impl Generate for SocketAddr {
    fn generate(source: &mut Source) -> Self {
        source.span("SocketAddr", SpanKind::Group, |src| {
            if src.pick(2) == 0 {
                SocketAddrV4::generate(src).into()
            } else {
                SocketAddrV6::generate(src).into()
            }
        })
    }

    fn space(spaces: &mut Spaces) -> Part {
        <Result<SocketAddrV4, SocketAddrV6>>::space(spaces)
    }
}

const ODD_V4: [Ipv4Addr; 16] = [
    Ipv4Addr::LOCALHOST,
    Ipv4Addr::BROADCAST,
    Ipv4Addr::UNSPECIFIED,
    Ipv4Addr::new(0, 0, 0, 1),
    Ipv4Addr::new(127, 255, 255, 255),
    Ipv4Addr::new(10, 0, 0, 1),
    Ipv4Addr::new(172, 16, 0, 0),
    Ipv4Addr::new(172, 31, 255, 255), // the last private address of its block
    Ipv4Addr::new(172, 32, 0, 0),
    Ipv4Addr::new(192, 168, 0, 255),
    Ipv4Addr::new(169, 254, 0, 1),   // link-local
    Ipv4Addr::new(100, 64, 0, 1),    // behind a carrier's translation
    Ipv4Addr::new(224, 0, 0, 1),     // multicast
    Ipv4Addr::new(192, 0, 2, 1),     // documentation
    Ipv4Addr::new(198, 18, 0, 1),    // benchmarking
    Ipv4Addr::new(255, 255, 255, 0), // a mask
];

const ODD_V6: [[u16; 8]; 16] = [
    [0, 0, 0, 0, 0, 0, 0, 1], // loopback
    [0; 8],
    [0xffff; 8],
    [0, 0, 0, 0, 0, 0xffff, 0x7f00, 1],    // the mapped IPv4 loopback
    [0, 0, 0, 0, 0, 0xffff, 0, 0],         // the mapped IPv4 unspecified address
    [0, 0, 0, 0, 0, 0, 0x7f00, 1],         // IPv4-compatible, deprecated
    [0x64, 0xff9b, 0, 0, 0, 0, 0x0a00, 1], // a translated IPv4 address
    [0xfe80, 0, 0, 0, 0, 0, 0, 1],         // link-local
    [0xfec0, 0, 0, 0, 0, 0, 0, 1],         // site-local, deprecated
    [0xfc00, 0, 0, 0, 0, 0, 0, 1],         // unique local
    [0xff02, 0, 0, 0, 0, 0, 0, 1],         // multicast to all nodes
    [0xff0e, 0, 0, 0, 0, 0, 0, 1],         // global multicast
    [0x2001, 0xdb8, 0, 0, 0, 0, 0, 1],     // documentation
    [0x2001, 0xdb8, 0, 0, 1, 0, 0, 1],     // two runs of zeros of one length
    [0x2001, 0xdb8, 0, 1, 1, 1, 1, 1],     // a run of one zero, which is not shortened
    [0x2002, 0x7f00, 1, 0, 0, 0, 0, 1],    // 6to4
];

/// Up to a day five times of sixteen, any length as often, and otherwise within a nanosecond of where a unit or a type
/// ends, mostly of the greatest.
///
/// ```
/// use probity_core::{any, sample};
/// use std::time::Duration;
/// let time: Duration = sample(&any(), 7);
/// assert!(time.checked_mul(2).is_none_or(|it| it >= time));
/// ```
impl Generate for Duration {
    fn generate(source: &mut Source) -> Self {
        let (most, is_odd) =
            [(DAY, false), (u64::MAX, false), (u64::MAX, true)][source.pick_weighted(&[5, 5, 6])];
        let (secs, nanos) = (source.int(0, most), source.int(0, NANOS_MAX));
        if is_odd { odd_duration(secs, nanos) } else { Duration::new(secs, nanos) }
    }

    fn space(spaces: &mut Spaces) -> Part {
        let any = time(spaces, u64::MAX);
        let parts = [time(spaces, DAY), any, any];
        spaces.pick(&parts)
    }
}

/// Made of the same choices as other durations, so that it shrinks to one of them.
fn odd_duration(secs: u64, nanos: u32) -> Duration {
    let last = ODD_DURATIONS.len() as u64 - 1;
    let it = ODD_DURATIONS[(secs % (2 * last)).min(last) as usize];
    match nanos % 4 {
        2 => it.saturating_add(Duration::from_nanos(1)),
        3 => it.saturating_sub(Duration::from_nanos(1)),
        _ => it,
    }
}

const ODD_DURATIONS: [Duration; 17] = [
    Duration::from_micros(1),
    Duration::from_millis(1),
    Duration::from_secs(1),
    Duration::from_secs(60),
    Duration::from_secs(60 * 60),
    Duration::from_secs(DAY),
    Duration::from_secs(i32::MAX as u64),
    Duration::from_secs(u32::MAX as u64),
    Duration::from_millis(u32::MAX as u64),
    Duration::from_nanos(u32::MAX as u64),
    Duration::from_nanos(i64::MAX as u64),
    Duration::from_nanos(u64::MAX),
    Duration::from_micros(u64::MAX),
    Duration::from_millis(i64::MAX as u64),
    Duration::from_millis(u64::MAX),
    Duration::from_secs(i64::MAX as u64),
    Duration::MAX,
];
const DAY: u64 = 24 * 60 * 60;
const NANOS_MAX: u32 = 999_999_999;

/// Seconds up to `most`, and a part of one.
fn time(spaces: &mut Spaces, most: u64) -> Part {
    let secs = spaces.choice(Domain::int(0, most.into()));
    let nanos = spaces.choice(Domain::int(0, NANOS_MAX.into()));
    spaces.sequence(&[secs, nanos])
}

/// From the Unix epoch on: mostly before the year 2107, and never past the year 9999. No clock is read.
///
/// ```
/// use probity_core::{any, sample};
/// use std::time::SystemTime;
/// let time: SystemTime = sample(&any(), 7);
/// assert!(time.duration_since(SystemTime::UNIX_EPOCH).is_ok());
/// ```
impl Generate for SystemTime {
    fn generate(source: &mut Source) -> Self {
        let most = LAST_SECONDS[source.pick_weighted(&[3, 1])];
        let secs = source.int(0, most);
        SystemTime::UNIX_EPOCH + Duration::new(secs, source.int(0, NANOS_MAX))
    }

    fn space(spaces: &mut Spaces) -> Part {
        let parts = LAST_SECONDS.map(|most| time(spaces, most));
        spaces.pick(&parts)
    }
}

/// Of the years 2106 and 9999.
const LAST_SECONDS: [u64; 2] = [u32::MAX as u64, 253_402_300_799];

/// Every byte but NUL, in no particular encoding.
///
/// ```
/// use probity_core::{any, sample};
/// use std::ffi::CString;
/// let text: CString = sample(&any(), 7);
/// assert!(!text.as_bytes().contains(&0));
/// ```
impl Generate for CString {
    fn generate(source: &mut Source) -> Self {
        let mut bytes = Vec::new();
        source.list_within_size("CString", 0, u32::MAX, |src, _| bytes.push(src.int(1u8, u8::MAX)));
        CString::new(bytes).expect("no byte is zero")
    }

    fn space(spaces: &mut Spaces) -> Part {
        let byte = (1..=u8::MAX).space(spaces);
        spaces.list_within_size(byte, 0, u32::MAX)
    }
}

/// Text two times in three; otherwise what the system allows beyond text, which is often not Unicode.
///
/// ```
/// use probity_core::{any, sample};
/// use std::ffi::OsString;
/// let name: OsString = sample(&any(), 7);
/// assert_eq!(name.to_str().is_some(), name.into_string().is_ok());
/// ```
impl Generate for OsString {
    fn generate(source: &mut Source) -> Self {
        if odd(source) { foreign(Generate::generate(source)) } else { String::generate(source).into() }
    }

    fn space(spaces: &mut Spaces) -> Part {
        <Result<String, Foreign>>::space(spaces)
    }
}

/// What a foreign string is made of.
#[cfg(unix)]
type Foreign = Vec<u8>;
#[cfg(windows)]
type Foreign = Vec<u16>;
#[cfg(not(any(unix, windows)))]
type Foreign = String;

#[cfg(unix)]
fn foreign(it: Foreign) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(it)
}

#[cfg(windows)]
fn foreign(it: Foreign) -> OsString {
    std::os::windows::ffi::OsStringExt::from_wide(&it)
}

#[cfg(not(any(unix, windows)))]
fn foreign(it: Foreign) -> OsString {
    it.into()
}

/// Empty, relative and absolute paths of up to eight parts. Nothing says that such a path exists, that
/// it is normal, that it is text, or that any file system would take it.
///
/// ```
/// use probity_core::{any, sample};
/// use std::path::PathBuf;
/// let path: PathBuf = sample(&any(), 7);
/// assert!(path.ancestors().count() < 1000);
/// ```
impl Generate for PathBuf {
    fn generate(source: &mut Source) -> Self {
        let mut res = OsString::from((&PATH_STARTS).generate(source));
        source.list_within_size("PathBuf", 0, PATH_LEN_MAX, |src, i| {
            if i > 0 {
                res.push("/");
            }
            res.push(path_part(src));
        });
        res.into()
    }

    fn space(spaces: &mut Spaces) -> Part {
        let start = pick(spaces, PATH_STARTS.len());
        let parts = [
            pick(spaces, PATH_PARTS.len()),
            string('a'..='z', 1..=12).space(spaces),
            OsString::space(spaces),
            (255..=256).space(spaces),
        ];
        let part = spaces.pick(&parts);
        let parts = spaces.list_within_size(part, 0, PATH_LEN_MAX);
        spaces.sequence(&[start, parts])
    }
}

/// How many parts a path has at most.
const PATH_LEN_MAX: u32 = 8;

fn path_part(source: &mut Source) -> OsString {
    match source.pick_weighted(&[4, 2, 1, 1]) {
        0 => (&PATH_PARTS).generate(source).into(),
        1 => string('a'..='z', 1..=12).generate(source).into(),
        2 => OsString::generate(source),
        // At the limit of most file systems, and one past it.
        _ => "n".repeat(source.int(255, 256)).into(),
    }
}

const PATH_STARTS: [&str; 8] = ["", "/", "./", "../", "~/", "//", "C:\\", "\\\\?\\"];

const PATH_PARTS: [&str; 24] = [
    "a",
    "..",
    ".",
    "",
    " ",
    "a b",
    " a",
    "a ",
    "a.",
    ".hidden",
    "a.txt",
    "a.tar.gz",
    "...",
    "-rf",
    "*",
    "$HOME",
    "%2e%2e",
    "a\nb",
    "a\tb",
    "a\\b",
    "a:b",
    "NUL",
    "e\u{301}",
    "\u{202e}txt.exe",
];
