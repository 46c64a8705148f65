//! The folder of one test: a name that every file system takes, and that no other test has.

use super::hash;

/// How long a folder's name may be. Paths end at 260 characters on some systems.
const NAME_MAX: usize = 100;
/// Names that Windows keeps for devices.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// A path such as `my_crate::tests::sorting` becomes `my_crate--tests--sorting`.
///
/// Whatever that form cannot show (capital letters, which some systems do not tell from small ones,
/// letters beyond ASCII, a great length) is replaced, and the hash of the whole path follows `-`. The two
/// forms never meet: the first has dashes in pairs only.
pub(crate) fn folder_name(test: &str) -> String {
    let plain =
        |part: &str| !part.is_empty() && part.bytes().all(|c| matches!(c, b'a'..=b'z' | b'0'..=b'9' | b'_'));
    let name = test.replace("::", "--");
    if test.split("::").all(plain) && name.len() <= NAME_MAX && !is_device(&name) {
        return name;
    }
    let suffix = format!("-{:016x}", hash(test.bytes()));
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c.to_ascii_lowercase() } else { '_' };
    let stem: String = name.chars().take(NAME_MAX - suffix.len()).map(safe).collect();
    match stem.trim_matches('-') {
        "" => format!("test{suffix}"),
        stem => format!("{stem}{suffix}"),
    }
}

fn is_device(name: &str) -> bool {
    DEVICES.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn names_are_readable() {
        for (test, expected) in [
            ("my_crate::tests::sorting", "my_crate--tests--sorting"),
            ("con::x1", "con--x1"),
            ("a::B", "a--b-1905bf82dcfb32de"),
            ("nul", "nul-2102ba192543f9e0"),
            ("::", "test-081e0e07b4d9f795"),
        ] {
            assert_eq!(folder_name(test), expected, "{test}");
        }
    }

    #[test]
    fn names_are_safe_and_no_two_tests_share_one() {
        // Every path of up to four of these parts, some that only differ far from their start, and
        // plain paths that look like the folders of all those.
        let parts = ["a", "A", "_", "-", "::", ".", "é", "con", "/"];
        let mut tests = vec![String::new()];
        let mut from = 0;
        for _ in 0..4 {
            let till = tests.len();
            for i in from..till {
                tests.extend(parts.map(|part| format!("{}{part}", tests[i])));
            }
            from = till;
        }
        tests.extend((0..20).map(|n| "long".repeat(100) + &n.to_string()));
        tests.extend(tests.clone().iter().map(|it| folder_name(it).replace('-', "::")));
        tests.sort();
        tests.dedup();
        let mut seen = BTreeMap::new();
        for test in &tests {
            let name = folder_name(test);
            assert!(name.len() <= NAME_MAX && !is_device(&name) && !name.starts_with('-'), "{name}");
            assert!(name.bytes().all(|c| matches!(c, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-')), "{name}");
            assert_eq!(seen.insert(name, test), None, "{test}");
        }
    }
}
